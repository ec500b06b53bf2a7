"""Runs statements in Spark for lastbit: one JSON text a line in, one JSON object a line out.

What Spark prints reaches nobody, since it may quote a cell. Of an error, its code is handed on.
"""

import sys

# Nothing of the working directory is imported.
sys.path[:] = [place for place in sys.path if place]

import json
import os
import re
import threading

# The same meaning wherever it runs, whatever the settings of the cluster are: times in UTC, names
# letter by letter, errors in place of wrong numbers, and no text that is replaced in a statement.
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # Only time: what follows from conditions is searched for longer than it could save here.
    "spark.sql.constraintPropagation.enabled": "false",
    # Only time and memory: the first writes the key of a join with everything that it is computed
    # from, in the middle of which a driver of 4 GiB was full.
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    # Only memory: a plan is described to nobody.
    "spark.sql.maxPlanStringLength": "0",
}

# Only memory, too: what is kept for a page that is not shown.
KEPT = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "100",
    "spark.ui.retainedTasks": "100",
    "spark.sql.ui.retainedExecutions": "1",
}

# How long to wait for somebody to take work.
PATIENCE = 120


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    lock = threading.Lock()

    def say(**words):
        with lock:
            answers.write(json.dumps(words) + "\n")
            answers.flush()

    lines = Lines()
    try:
        from pyspark.sql import SparkSession
    except Exception:
        return say(problem="no pyspark")
    try:
        spark = start(SparkSession, json.loads(lines.next()))
    except Exception:
        return say(problem="unreachable")
    problem = check(spark)
    if problem:
        return say(problem=problem)
    say(ready=True)
    number = 0
    while (line := lines.next()) is not None:
        number += 1
        ended = threading.Event()
        group = f"lastbit {os.getpid()} {number}"
        watcher = threading.Thread(target=watch, args=(spark, group, ended, say), daemon=True)
        watcher.start()
        try:
            spark.sparkContext.setJobGroup(group, "lastbit")
            # A command, which could write, is no part of a query.
            text = "SELECT * FROM (\n" + json.loads(line) + "\n) AS answer"
            answer = {"rows": [list(row) for row in spark.sql(text).collect()]}
        except Exception as error:
            answer = failed(spark, error)
        ended.set()
        watcher.join()
        say(**answer)
    lines.is_idle = False
    spark.stop()


class Lines:
    """The lines that come in. At their end everything ends, also in the middle of a statement."""

    def __init__(self):
        self.come = threading.Condition()
        self.lines = []
        self.is_idle = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in sys.stdin:
            self.put(line)
        if not self.put(None):
            os._exit(1)

    def put(self, line):
        with self.come:
            self.lines.append(line)
            self.come.notify()
            return self.is_idle

    def next(self):
        with self.come:
            self.is_idle = True
            self.come.wait_for(lambda: self.lines)
            self.is_idle = False
            return self.lines.pop(0)


def start(session, address):
    builder = session.builder.appName("lastbit").master(address)
    for name, value in (KEPT | SETTINGS).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    return spark


def check(spark):
    """What is wrong before any data are read, if anything."""
    found = []

    def work():
        try:
            texts = "SELECT 'a' <> 'A', typeof('a') = 'string', 'a' <> 'a ', length('\\\\') = 1"
            if not all(spark.sql(texts).collect()[0]):
                return found.append("other texts")
            found.append(None if spark.range(0, 1, 1, 1).count() == 1 else "failed")
        except Exception:
            found.append("unreachable")

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(PATIENCE)
    if not found and has_no_workers(spark):
        return "no workers"
    worker.join()
    return found[0]


def has_no_workers(spark):
    try:
        if spark.sparkContext.master.startswith("local"):
            return False
        # Without the driver itself.
        return spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 2
    except Exception:
        return True


def failed(spark, error):
    """The code of an error, if it has one: the SQLSTATE or the name that Spark gives it."""
    try:
        if spark.sparkContext._jsc.sc().isStopped():
            return {"problem": "lost"}
    except Exception:
        return {"problem": "lost"}
    return {"problem": "failed", "state": code(error, "getSqlState", "[0-9A-Z]{5}")}


def code(error, method, form):
    try:
        found = getattr(error, method)()
    except Exception:
        return None
    return found if isinstance(found, str) and re.fullmatch(form, found) else None


def watch(spark, group, ended, say):
    """Tells how many stages of a statement are done, with the done part of those that run."""
    try:
        tracker = spark.sparkContext.statusTracker()
        while not ended.wait(0.25):
            jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
            stages = {stage for job in jobs if job is not None for stage in job.stageIds}
            stages = [tracker.getStageInfo(stage) for stage in stages]
            parts = [stage.numCompletedTasks / max(stage.numTasks, 1) for stage in stages if stage]
            say(stages=sum(min(part, 1.0) for part in parts))
    except Exception:
        return


main()
# The threads of pyspark do not keep it.
os._exit(0)
