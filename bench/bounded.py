#!/usr/bin/env python3
"""`neardupe find` in little memory: time, peak memory, disk, and whether `plan` told so.

One million web-like pages without a limit and with `--memory 1G`, taking turns; three million
with the same memory, to see how time per document grows; and the giant clusters and
templates of giant.py under `--memory 256M`. Each is planned first, and what `neardupe plan`
expects is compared with what then happens.

The tables of each bounded run must be the bytes of the unbounded one: the code is 1 when they
are not. A missed limit is printed as not met and does not change the code. The large runs
need about 50 GB of disk in all.

    python3 bench/bounded.py --binary target/release/neardupe --record bench/record/bounded.md
"""

import argparse
import filecmp
import json
import os
import subprocess

import answer
import measure
import report

WEB = "web"
GIANTS = ("near-copies", "spread", "template:70", "template:87")
TABLES = ("pairs.jsonl", "clusters.jsonl", "duplicates.jsonl")

MAX_TIME = 2.5
MAX_GROWTH = 1.3
MAX_MEMORY = 1.25
MAX_PLAN_ERROR = 0.25

UNITS = {"M": 1 << 20, "G": 1 << 30}


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--large", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--larger", type=int, default=3_000_000, metavar="N")
    parser.add_argument("--giant", type=int, default=200_000, metavar="N")
    parser.add_argument("--large-memory", default="1G", metavar="SIZE")
    parser.add_argument("--giant-memory", default="256M", metavar="SIZE")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    return parser.parse_args()


class Run:
    """One collection with one limit: planned, measured, its tables kept for comparison."""

    def __init__(self, arguments, of, memory):
        self.of = of
        self.memory = memory
        name = f"out-{os.path.basename(of.folder)}-{memory or 'free'}"
        self.output = os.path.join(arguments.work, name)
        self.command = measure.find_command(arguments.binary, of, self.output)
        if memory:
            self.command += ["--memory", memory]
        self.usages = []
        self.plan = None

    def make_plan(self, binary):
        """What `plan` expects of this run."""
        command = [binary, "plan", "--json"] + self.command[2:]
        command.remove("--quiet")
        measure.progress(f"plan of {self.output}")
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        self.plan = json.loads(done.stdout)

    def measure(self):
        """Reads the file once, for the file cache, and runs `find`."""
        measure.run(measure.read_command(self.of))
        measure.progress(f"find to {self.output}")
        self.usages.append(measure.run(self.command))

    @property
    def best(self):
        """The best of all rounds."""
        return measure.best(self.usages)

    @property
    def summary(self):
        """Its summary."""
        return measure.summary(self.output)

    def allowed_bytes(self):
        """The limit in bytes, or None."""
        return self.memory and int(self.memory[:-1]) * UNITS[self.memory[-1]]

    def row(self, other):
        """Times and sizes; `other` is the run without a limit, if there is one."""
        usage, summary = self.best, self.summary
        allowed = self.allowed_bytes()
        ratio = usage.wall / other.best.wall if other else None
        used = usage.peak_bytes / allowed if allowed else None
        return (
            self.of.shape,
            report.grouped(self.of.num_documents),
            self.memory or "free",
            f"{usage.wall:.2f}",
            f"{usage.cpu:.2f}",
            f"{ratio:.2f}" if ratio else "",
            report.megabytes(usage.peak_bytes),
            f"{used:.2f} x, {report.met(used, MAX_MEMORY)}" if used else "",
            report.megabytes(summary["peak_disk_bytes"]),
            summary["join_windows"],
        )

    def plan_row(self):
        """What was expected as a multiple of what happened."""
        summary, plan = self.summary, self.plan
        pairs = (
            (plan["documents"], summary["counts"]["documents"]),
            (plan["features"], summary["counts"]["features"]),
            (plan["memory_bytes"], summary["peak_memory_bytes"]),
            (plan["disk_bytes"], summary["peak_disk_bytes"]),
            (plan["seconds"], self.best.wall),
        )
        ratios = [expected / real if real else None for expected, real in pairs]
        worst = max(abs(ratio - 1) for ratio in ratios if ratio is not None)
        spills = plan["spills"] == summary["spilled"]
        shown = [f"{ratio:.2f}" if ratio is not None else "none" for ratio in ratios]
        name = f"{self.of.shape} {report.grouped(self.of.num_documents)}, {self.memory or 'free'}"
        right = "right" if spills else "wrong"
        return (name, *shown, right, report.met(worst, MAX_PLAN_ERROR))


def check_same(checks, one, other):
    """The tables of two runs must be the same bytes."""
    checks.collection = one.of.folder
    for table in TABLES:
        same = filecmp.cmp(
            os.path.join(one.output, table), os.path.join(other.output, table), shallow=False
        )
        checks.equal(f"{table} with {one.memory} as without", same, True, "same bytes")


def main():
    """Measures, prints, compares, records."""
    arguments = parse_arguments()
    checks = answer.Checks()
    runs, rows = [], []

    large = measure.collection(arguments.binary, arguments.work, WEB, arguments.large)
    free = Run(arguments, large, None)
    bounded = Run(arguments, large, arguments.large_memory)
    for run in (free, bounded):
        run.make_plan(arguments.binary)
    for _ in range(arguments.rounds):
        free.measure()
        bounded.measure()
    runs += [free, bounded]
    rows += [free.row(None), bounded.row(free)]
    check_same(checks, bounded, free)

    giants = []
    for shape in GIANTS:
        of = measure.collection(arguments.binary, arguments.work, shape, arguments.giant)
        pair = [Run(arguments, of, None), Run(arguments, of, arguments.giant_memory)]
        for run in pair:
            run.make_plan(arguments.binary)
            run.measure()
        giants += pair
        rows += [pair[0].row(None), pair[1].row(pair[0])]
        check_same(checks, pair[1], pair[0])
    runs += giants

    growth = None
    if arguments.larger:
        larger_of = measure.collection(arguments.binary, arguments.work, WEB, arguments.larger)
        larger = Run(arguments, larger_of, arguments.large_memory)
        larger.make_plan(arguments.binary)
        larger.measure()
        runs.append(larger)
        rows.append(larger.row(None))
        per_document = larger.best.wall / larger_of.num_documents
        growth = per_document / (bounded.best.wall / large.num_documents)

    written = report.Report("`find` in little memory", arguments.binary)
    written.add_commands([measure.shown(run.command) for run in runs])
    written.add(
        f"{measure.THREADS} threads, warm file cache; best of {arguments.rounds} rounds in turns "
        f"for {report.grouped(arguments.large)} documents, one run each else."
    )
    header = ("shape", "documents", "memory", "wall s", "CPU s", "x unbounded", "peak memory")
    header += (f"of allowed (at most {MAX_MEMORY})", "peak disk", "windows of the join")
    written.add("## Time, memory, disk")
    written.add(report.table(header, rows))
    ratio = bounded.best.wall / free.best.wall
    lines = [
        f"- {arguments.large_memory} against no limit: {ratio:.2f} x the wall time "
        f"(at most {MAX_TIME}): {report.met(ratio, MAX_TIME)}"
    ]
    if growth:
        lines.append(
            f"- time per document from {report.grouped(arguments.large)} to "
            f"{report.grouped(arguments.larger)} documents: {growth:.2f} x "
            f"(at most {MAX_GROWTH}): {report.met(growth, MAX_GROWTH)}"
        )
    written.add("\n".join(lines))
    written.add("## What `neardupe plan` expected, as a multiple of what happened")
    header = ("collection", "documents", "features", "memory", "disk", "time", "spills")
    header += (f"all within {MAX_PLAN_ERROR:.0%}",)
    written.add(report.table(header, [run.plan_row() for run in runs]))
    return report.finish(written, checks, arguments.record)


if __name__ == "__main__":
    raise SystemExit(main())
