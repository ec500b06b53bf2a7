#!/usr/bin/env python3
"""The peers of accuracy.py: each publishes the same statistics of the same rows at the same loss,
as its documents say.

Reads a request on standard input and writes a line of JSON for each statistic: its releases, and
the processor's seconds of the fastest of them (of OpenDP, of the one that also finds its noise).
The rows keep to the limits, so that a peer that cannot bound contributions itself is told what they
are.
"""

import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")


class Unsaid(Exception):
    """The peer has no such statistic, or not under this loss."""


def repeat(release, times, seconds):
    """Releases, until one or the other is reached; and the fastest."""
    releases, fastest, begun = [], float("inf"), time.process_time()
    while len(releases) < times and (time.process_time() - begun < seconds or len(releases) < 5):
        start = time.process_time()
        releases.append(release())
        fastest = min(fastest, time.process_time() - start)
    return releases, fastest


def limits(table, by):
    return (table["rows"], table["groups"]) if by else (table["rows"] * table["groups"], 1)


def is_grouped(kind, table):
    return kind in ("count", "sum", "mean", "units") and not table.get("change_one")


class OpenDP:
    def __init__(self, file):
        import opendp.prelude as dp
        import polars as pl

        dp.enable_features("contrib", "honest-but-curious")
        self.dp, self.pl = dp, pl
        self.frame = pl.read_csv(
            file,
            schema_overrides={"unit": pl.String, "g": pl.String, "b": pl.String, "x": pl.Float64},
        )

    def run(self, case, times, seconds):
        dp, pl, table, kind = self.dp, self.pl, case["table"], case["kind"]
        if kind == "variance":
            raise Unsaid("no variance of frames")
        _, lower, upper = table["numbers"]
        lower, upper, grid = float(lower), float(upper), 2.0 ** table["grid"]
        by = "b" if kind == "histogram" else "g" if is_grouped(kind, table) else None
        keys = table["bins" if by == "b" else "group"][1]
        rows, groups = limits(table, by == "g")
        if table.get("change_one"):
            unit = dp.unit_of(changes=1)
            margins = [dp.polars.Margin(max_length=case["rows"], invariant="lengths")]
        else:
            bounds = [dp.polars.Bound(per_group=rows * groups)]
            if by == "g":
                bounds.append(dp.polars.Bound(by=["g"], per_group=rows, num_groups=groups))
            unit = dp.unit_of(contributions=bounds)
            margins = [dp.polars.Margin(max_length=case["rows"])]
        if by:
            margins.append(
                dp.polars.Margin(
                    by=[by], max_length=case["rows"], max_groups=len(keys), invariant="keys"
                )
            )
        loss = dp.loss_of(
            epsilon=case["epsilon"], **({"delta": case["delta"]} if case["delta"] else {})
        )
        x = pl.col("x").fill_null(lower).fill_nan(lower).dp
        what = {
            "count": lambda: dp.len(signed=True),
            "histogram": lambda: dp.len(signed=True),
            "sum": lambda: x.sum((lower, upper)),
            "mean": lambda: x.mean((lower, upper)),
            "units": lambda: pl.col("unit").dp.n_unique(signed=True),
            # The numbers that Lastbit chooses among.
            "median": lambda: x.median(
                [step * grid for step in range(round(lower / grid), round(upper / grid) + 1)]
            ),
        }[kind]()

        def query():
            context = dp.Context.compositor(
                data=self.frame.lazy(),
                privacy_unit=unit,
                privacy_loss=loss,
                split_evenly_over=1,
                margins=margins,
            )
            asked = context.query()
            return (
                asked.group_by(by).agg(what.alias("value"))
                if by
                else asked.select(what.alias("value"))
            )

        def numbers(released):
            found = released.collect()
            if not by:
                return [float(found["value"][0])]
            of = dict(zip(found[by], found["value"]))
            return [float(of[key]) if of.get(key) is not None else None for key in keys]

        start = time.process_time()
        measurement = query().resolve()
        lazy = self.frame.lazy()
        first = numbers(measurement(lazy))
        whole = time.process_time() - start
        # The same measurement again, without the search for its noise.
        releases, _ = repeat(lambda: numbers(measurement(lazy)), times - 1, seconds)
        return [first, *releases], whole


class SmartNoise:
    def __init__(self, file):
        import pandas

        self.frame = pandas.read_csv(file, dtype={"unit": str, "g": str, "b": str, "x": float})

    def run(self, case, times, seconds):
        from snsql import Mechanism, Privacy, Stat, from_df

        table, kind = case["table"], case["kind"]
        if table.get("change_one"):
            raise Unsaid("add-remove alone")
        if kind == "median":
            raise Unsaid("no median")
        _, lower, upper = table["numbers"]
        by = "b" if kind == "histogram" else "g" if is_grouped(kind, table) else None
        keys = table["bins" if by == "b" else "group"][1]
        rows, groups = limits(table, by == "g")
        column = {
            "unit": {"type": "string", "private_id": True},
            "g": {"type": "string"},
            "b": {"type": "string"},
        }
        column["x"] = {"type": "float", "lower": float(lower), "upper": float(upper)}
        options = {
            "max_ids": rows * groups,
            "censor_dims": False,
            "clamp_counts": False,
            "sample_max_ids": False,
            "row_privacy": table["unit"] is None,
        }
        if options["row_privacy"]:
            del column["unit"]
        metadata = {"": {"S": {"T": {**options, "rows": case["rows"], **column}}}}
        what = {
            "count": "COUNT(*)",
            "histogram": "COUNT(*)",
            "sum": "SUM(x)",
            "mean": "AVG(x)",
            "variance": "VAR(x)",
            "units": "COUNT(DISTINCT unit)",
        }[kind]
        query = (
            f"SELECT {by}, {what} AS value FROM S.T GROUP BY {by}"
            if by
            else f"SELECT {what} AS value FROM S.T"
        )
        frame = self.frame.drop(columns="unit") if options["row_privacy"] else self.frame

        def reader(epsilon):
            privacy = Privacy(epsilon=epsilon, delta=case["delta"])
            if case["delta"]:
                for stat in Stat:
                    privacy.mechanisms.map[stat] = Mechanism.gaussian
            return from_df(frame, metadata=metadata, privacy=privacy)

        # Every column of its own spends ε, so that a ratio spends more: ask for as much less.
        spent, _ = reader(case["epsilon"]).get_privacy_cost(query)
        made = reader(case["epsilon"] * case["epsilon"] / spent)

        def release():
            found = made.execute(query)[1:]
            if not by:
                return [float(found[0][0])]
            of = {str(key): value for key, value in found}
            return [float(of[key]) if key in of else None for key in keys]

        return repeat(release, times, seconds)


class Diffprivlib:
    def __init__(self, file):
        import csv

        with open(file, newline="") as opened:
            self.rows = list(csv.DictReader(opened))

    def run(self, case, times, seconds):
        import numpy
        from diffprivlib import tools
        from diffprivlib.accountant import BudgetAccountant

        table, kind = case["table"], case["kind"]
        if not table.get("change_one"):
            raise Unsaid("rows alone, their number public")
        if case["delta"]:
            raise Unsaid("pure alone")
        _, lower, upper = table["numbers"]
        labels = table["bins"][1]
        x = numpy.array([float(row["x"]) for row in self.rows])
        codes = numpy.array([labels.index(row["b"]) for row in self.rows])
        common = {"bounds": (lower, upper), "accountant": BudgetAccountant()}
        # Its histogram is ε under add-remove; one who changes moves two bins.
        edges = [code - 0.5 for code in range(len(labels) + 1)]
        release = {
            "mean": lambda: [float(tools.mean(x, epsilon=case["epsilon"], **common))],
            "variance": lambda: [
                float(tools.var(x, epsilon=case["epsilon"], **common)) * len(x) / (len(x) - 1)
            ],
            "median": lambda: [float(tools.median(x, epsilon=case["epsilon"], **common))],
            "histogram": lambda: [
                float(count)
                for count in tools.histogram(
                    codes,
                    epsilon=case["epsilon"] / 2,
                    bins=edges,
                    range=(edges[0], edges[-1]),
                    accountant=BudgetAccountant(),
                )[0]
            ],
        }[kind]
        return repeat(release, times, seconds)


class PipelineDP:
    def __init__(self, file):
        import csv

        with open(file, newline="") as opened:
            self.rows = [(index, row) for index, row in enumerate(csv.DictReader(opened))]

    def run(self, case, times, seconds):
        import pipeline_dp as p

        table, kind = case["table"], case["kind"]
        if table.get("change_one"):
            raise Unsaid("add-remove alone")
        _, lower, upper = table["numbers"]
        by = "b" if kind == "histogram" else "g" if is_grouped(kind, table) else None
        keys = table["bins" if by == "b" else "group"][1] if by else ["all"]
        rows, groups = limits(table, by == "g")
        # Rows of a unit are in any bins.
        bounds = {"max_partitions_contributed": groups, "max_contributions_per_partition": rows}
        if kind == "histogram":
            bounds = {"max_contributions": rows}
        metric = {
            "count": p.Metrics.COUNT,
            "histogram": p.Metrics.COUNT,
            "sum": p.Metrics.SUM,
            "mean": p.Metrics.MEAN,
        }
        metric |= {
            "variance": p.Metrics.VARIANCE,
            "units": p.Metrics.PRIVACY_ID_COUNT,
            "median": p.Metrics.PERCENTILE(50),
        }
        name = {"histogram": "count", "units": "privacy_id_count", "median": "percentile_50"}.get(
            kind, kind
        )
        parameters = p.AggregateParams(
            metrics=[metric[kind]],
            noise_kind=p.NoiseKind.GAUSSIAN
            if case["delta"] and kind != "median"
            else p.NoiseKind.LAPLACE,
            **bounds,
            min_value=float(lower),
            max_value=float(upper),
        )
        extractors = p.DataExtractors(
            privacy_id_extractor=lambda row: row[0],
            partition_extractor=lambda row: row[1],
            value_extractor=lambda row: row[2],
        )
        data = [
            (row["unit"] if table["unit"] else index, row[by] if by else "all", float(row["x"]))
            for index, row in self.rows
        ]

        def release():
            accountant = p.NaiveBudgetAccountant(
                total_epsilon=case["epsilon"], total_delta=case["delta"]
            )
            engine = p.DPEngine(accountant, p.LocalBackend())
            result = engine.aggregate(data, parameters, extractors, public_partitions=keys)
            accountant.compute_budgets()
            of = {key: getattr(found, name) for key, found in result}
            found = [float(of[key]) for key in keys]
            return found

        return repeat(release, times, seconds)


def main():
    request = json.load(sys.stdin)
    made = {
        "OpenDP": OpenDP,
        "SmartNoise SQL": SmartNoise,
        "diffprivlib": Diffprivlib,
        "PipelineDP": PipelineDP,
    }[request["peer"]](request["file"])
    for case in request["cases"]:
        try:
            releases, fastest = made.run(case, request["times"], request["seconds"])
            found = {"releases": releases, "seconds": fastest}
        except Unsaid as unsaid:
            found = {"releases": [], "why": str(unsaid)}
        except Exception as failure:
            text = " ".join(str(failure).split())[:100] or type(failure).__name__
            found = {"releases": [], "why": f"fails: {text}".replace("|", "/")}
        print(json.dumps({"kind": case["kind"], "loss": case["loss"], **found}), flush=True)


main()
