#!/usr/bin/env python3
"""Speed and memory of `neardupe find` on synthetic web pages.

Measures, in rounds one after the other, `LC_ALL=C wc -w`, reading the file, and `find` at
resemblance 0.8 of word 5-shingles on the same documents; then `find` on a collection ten
times as large, for growth and memory. The best of each counts. Seeds are fixed.

Checks its answers (see answer.py) and ends with code 1 when one is wrong; a missed speed is
printed as not met and does not change the code. With --record it writes what it printed,
but only when all answers are right.

    python3 bench/find.py --binary target/release/neardupe --record bench/record/find.md
"""

import argparse
import filecmp
import os
from typing import NamedTuple

import answer
import measure
import report

# Limits, as ratios to `wc -w`, of CPU time per document, and in bytes.
MAX_RATIO = 1.5
AIM_RATIO = 0.75
MAX_GROWTH = 1.3
MAX_PEAK_BYTES = 6 << 30

TABLES = ("duplicates.jsonl", "clusters.jsonl", "pairs.jsonl")
SAMPLE_ROWS = 400
SAMPLE_CLUSTERS = 300
MAX_CLUSTER = 40
COUNT, READ, FIND, FIND_ONE = "wc -w", "read (cat)", "find", "find, 1 thread"


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--documents", type=int, default=100_000, metavar="N")
    parser.add_argument(
        "--large", type=int, default=1_000_000, metavar="N", help="0 leaves the large one out"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.documents < 2:
        parser.error("--rounds must be at least 1 and --documents at least 2")
    return arguments


class Command(NamedTuple):
    """A command to measure."""

    name: str
    command: list
    variables: dict


class Measured(NamedTuple):
    """A collection with what was run on it; usages by the names of the commands."""

    of: measure.Collection
    commands: list
    usages: dict
    output: str

    def best(self, name):
        """The best of the rounds of a command."""
        return measure.best(self.usages[name])

    def title(self):
        """Number of documents, for headings and columns."""
        return f"{report.grouped(self.of.num_documents)} documents"


def output_folder(arguments, of, threads):
    """Where the result of a collection goes."""
    return os.path.join(arguments.work, f"out-{of.shape}-{of.num_documents}-threads-{threads}")


def find_command(arguments, of, threads):
    """`find` with so many threads."""
    name = FIND_ONE if threads == 1 else FIND
    output = output_folder(arguments, of, threads)
    return Command(name, measure.find_command(arguments.binary, of, output, threads), {})


def measure_small(arguments):
    """Counting, reading and finding in turn; then `find` with one thread, once."""
    of = measure.collection(arguments.binary, arguments.work, "web", arguments.documents)
    in_turn = [
        Command(COUNT, ["wc", "-w", of.documents], {"LC_ALL": "C"}),
        Command(READ, measure.read_command(of), {}),
        find_command(arguments, of, measure.THREADS),
    ]
    once = [find_command(arguments, of, 1)]
    measure.run(measure.read_command(of))
    usages = {**measure_rounds(in_turn, arguments.rounds), **measure_rounds(once, 1)}
    return Measured(of, in_turn + once, usages, output_folder(arguments, of, measure.THREADS))


def measure_large(arguments):
    """Finding alone."""
    of = measure.collection(arguments.binary, arguments.work, "web", arguments.large)
    commands = [find_command(arguments, of, measure.THREADS)]
    measure.run(measure.read_command(of))
    usages = measure_rounds(commands, arguments.rounds)
    return Measured(of, commands, usages, output_folder(arguments, of, measure.THREADS))


def measure_rounds(commands, rounds):
    """Runs the commands in turn, `rounds` times; the usages of each by name."""
    usages = {command.name: [] for command in commands}
    for number in range(1, rounds + 1):
        for name, command, variables in commands:
            measure.progress(f"round {number} of {rounds}: {name}")
            usages[name].append(measure.run(command, variables))
    return usages


def usage_rows(measured):
    """A row for each command: the best of the rounds."""
    base = measured.best(COUNT) if COUNT in measured.usages else None
    for name, rounds in measured.usages.items():
        usage = measure.best(rounds)
        yield (
            name,
            f"{usage.wall:.3f}",
            f"{usage.cpu:.3f}",
            f"{usage.wall / base.wall:.2f}" if base else "",
            f"{usage.cpu / base.cpu:.2f}" if base else "",
            f"{measured.of.num_bytes / 1e6 / max(usage.cpu, 1e-6):,.0f}",
            f"{usage.cpu / measured.of.num_documents * 1e6:.1f}",
            # Of the other commands it is that of this process; see measure.run.
            report.megabytes(usage.peak_bytes) if name in (FIND, FIND_ONE) else "",
            " ".join(f"{usage.cpu:.2f}" for usage in rounds),
        )


def requirement_rows(small, large):
    """Each requirement with its limit and what was measured."""
    base, find = small.best(COUNT), small.best(FIND)
    for name, value in (
        ("wall / wc -w", find.wall / base.wall),
        ("CPU / wc -w", find.cpu / base.cpu),
    ):
        yield (name, MAX_RATIO, f"{value:.2f}", report.met(value, MAX_RATIO))
        yield (f"{name}, aim", AIM_RATIO, f"{value:.2f}", report.met(value, AIM_RATIO))
    if large is None:
        return
    usage = large.best(FIND)
    growth = usage.cpu / large.of.num_documents / (find.cpu / small.of.num_documents)
    verdict = report.met(growth, MAX_GROWTH)
    yield ("growth of CPU per document", MAX_GROWTH, f"{growth:.2f}", verdict)
    for name, peak in (
        ("peak memory by the system", usage.peak_bytes),
        ("peak memory by the summary", measure.summary(large.output)["peak_memory_bytes"]),
    ):
        limit, verdict = report.megabytes(MAX_PEAK_BYTES), report.met(peak, MAX_PEAK_BYTES)
        yield (name, limit, report.megabytes(peak), verdict)


def stage_table(results):
    """Wall time of the stages of the last round, as the summaries tell."""
    seconds = [measure.summary(measured.output)["seconds"] for measured in results]
    names = sorted(seconds[0], key=lambda name: -seconds[0][name])
    rows = [[name] + [f"{each.get(name, 0):.3f}" for each in seconds] for name in names]
    return report.table(["wall s"] + [measured.title() for measured in results], rows)


def count_table(results):
    """What was found, as the summaries tell."""
    counts = [measure.summary(measured.output)["counts"] for measured in results]
    names = ("documents", "bytes", "features", "equal_text", "equal_features")
    names += ("duplicates", "clusters", "pairs")
    rows = [[name] + [report.grouped(each[name]) for each in counts] for name in names]
    return report.table(["count"] + [measured.title() for measured in results], rows)


def add_figures(written, arguments, small, large):
    """Prints all figures."""
    results = [measured for measured in (small, large) if measured]
    commands = [measure.shown(measured.of.command) for measured in results]
    for measured in results:
        commands += [measure.shown(one.command, one.variables) for one in measured.commands]
    written.add_commands(commands)
    written.add(
        f"Best of {arguments.rounds} rounds, warm file cache; `find` with {measure.THREADS} "
        "threads, and once with one."
    )
    header = ("command", "wall s", "CPU s", "wall / wc -w", "CPU / wc -w", "MB/s per core")
    header += ("CPU us / document", "peak memory", "CPU s of rounds")
    for measured in results:
        written.add(f"## {measured.title()}, {report.megabytes(measured.of.num_bytes)}")
        written.add(report.table(header, usage_rows(measured)))
    written.add("## Requirements")
    rows = requirement_rows(small, large)
    written.add(report.table(("", "at most", "measured", ""), rows))
    written.add("## Stages and counts")
    written.add(stage_table(results))
    written.add(count_table(results))


def check_result(checks, measured):
    """Checks the answer on one collection."""
    measure.progress(f"checking {measured.output}")
    checks.collection = measured.of.folder
    result = answer.Result(measured.output)
    texts = answer.Texts(measured.of.documents)
    truth = answer.planted(measured.of.clusters)
    answer.check_tables(checks, result, measured.of.num_documents)
    answer.check_representatives(checks, result)
    answer.check_equal_text(checks, texts, result)
    answer.check_exact_copies(checks, texts, result, truth)
    answer.check_rows(checks, texts, answer.choose_rows(result, texts, SAMPLE_ROWS))
    fitting = [members for members in truth if len(members) <= MAX_CLUSTER]
    clusters = answer.sample(fitting, SAMPLE_CLUSTERS)
    answer.check_planted_clusters(checks, texts, result, clusters)


def check_threads(checks, one, several):
    """The tables do not depend on the number of threads."""
    for name in TABLES:
        paths = [os.path.join(output, name) for output in (one, several)]
        checks.expect(
            f"1 thread equals {measure.THREADS}, by bytes",
            filecmp.cmp(*paths, shallow=False),
            lambda: f"{paths[0]} and {paths[1]} differ",
        )


def main():
    """Measures, prints, checks, records."""
    arguments = parse_arguments()
    # First all measuring, while this process is small; see measure.run.
    small = measure_small(arguments)
    large = measure_large(arguments) if arguments.large else None
    written = report.Report("Speed and memory of `find`", arguments.binary)
    add_figures(written, arguments, small, large)

    checks = answer.Checks()
    checks.collection = small.of.folder
    check_threads(checks, output_folder(arguments, small.of, 1), small.output)
    for measured in (small, large):
        if measured:
            check_result(checks, measured)
    return report.finish(written, checks, arguments.record)


if __name__ == "__main__":
    raise SystemExit(main())
