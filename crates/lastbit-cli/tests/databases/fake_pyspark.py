"""In place of pyspark.sql: fails in the way that FAKE_SPARK names, with a cell in its words."""

import os
import sys

FAILS = os.environ["FAKE_SPARK"]
CELL = "a cell that nobody may see"


class Rows(list):
    def collect(self):
        return self


class Failed(Exception):
    def getSqlState(self):
        return {"state": "22018", "no state": CELL}.get(FAILS)


class Anything:
    """Has every attribute, and can be called."""

    def __getattr__(self, name):
        return Anything()

    def __call__(self, *_):
        return self

    def isStopped(self):
        return FAILS == "stopped"


class SparkSession(Anything):
    def getOrCreate(self):
        if FAILS == "unreachable":
            raise Failed(CELL)
        return self

    def sql(self, text):
        print(CELL, file=sys.stderr, flush=True)
        print(CELL, flush=True)
        if "'a' <> 'A'" in text:
            return Rows([(FAILS != "collation",)])
        if FAILS == "exit":
            os._exit(3)
        if FAILS == "number":
            return Rows([(7,)])
        raise Failed(CELL)

    def range(self, *_):
        return self

    def count(self):
        return 1

    def __call__(self, *_):
        return self

    def __getattr__(self, name):
        return self if name in ("appName", "master", "config") else Anything()


SparkSession.builder = SparkSession()
