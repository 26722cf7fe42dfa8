#!/usr/bin/env python3
"""Time of `neardupe find` on collections that are one giant cluster or one template.

Five shapes with the same number of documents of about 600 words: unrelated pages, copies of
one page that all resemble each other, copies spread around the threshold, and pages that
share 70 or 87 percent of their shingles with all others but are no duplicates. A join that
compares all with all shows here. Time per document is compared with the unrelated pages.

Checks its answers (see answer.py) and ends with code 1 when one is wrong; a missed limit is
printed as not met and does not change the code. With --record it writes what it printed,
but only when all answers are right. Seeds are fixed.

    python3 bench/giant.py --binary target/release/neardupe --record bench/record/giant.md
"""

import argparse
import os

import answer
import measure
import report

# Shape, and how many times the time per document of unrelated pages is allowed.
UNRELATED, NEAR_COPIES, SPREAD = "unrelated", "near-copies", "spread"
LIMITS = {UNRELATED: None, NEAR_COPIES: 4, SPREAD: 10, "template:70": 4, "template:87": 4}
WITHOUT_DUPLICATES = (UNRELATED, "template:70", "template:87")

SAMPLE_ROWS = 300
SAMPLE_KEPT = 300
SAMPLE_DUPLICATES = 60


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--documents", type=int, default=200_000, metavar="N")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    arguments = parser.parse_args()
    if arguments.documents < 2:
        parser.error("--documents must be at least 2")
    return arguments


def output_folder(arguments, of):
    """Where the result of a collection goes."""
    return os.path.join(arguments.work, "out-" + os.path.basename(of.folder))


def measure_shape(arguments, of):
    """Reads the file once, for the file cache, and runs `find`."""
    command = measure.find_command(arguments.binary, of, output_folder(arguments, of))
    measure.run(measure.read_command(of))
    measure.progress(f"find in {of.folder}")
    return measure.run(command), command


def time_row(of, usage, summary, unrelated):
    """Times of one shape, and as a multiple of the unrelated pages."""
    ratio = usage.wall / unrelated.wall
    limit = LIMITS[of.shape]
    per_document = 1e6 / of.num_documents
    return (
        of.shape,
        f"{usage.wall:.2f}",
        f"{usage.cpu:.2f}",
        f"{usage.wall * per_document:.1f}",
        f"{usage.cpu * per_document:.1f}",
        f"{summary['seconds']['join'] * per_document:.1f}",
        f"{usage.cpu / unrelated.cpu:.2f}",
        f"{ratio:.2f}",
        limit or "",
        report.met(ratio, limit) if limit else "",
        report.megabytes(usage.peak_bytes),
    )


def work_row(of, summary):
    """What the join looked at and found in one shape."""
    ledger, counts = summary["ledger"], summary["counts"]
    return (
        of.shape,
        f"{ledger['lookups'] / of.num_documents:.1f}",
        f"{ledger['postings'] / of.num_documents:.1f}",
        report.grouped(ledger["candidates"]),
        report.grouped(ledger["verified"]),
        report.grouped(ledger["found"]),
        report.grouped(counts["clusters"]),
        report.grouped(counts["duplicates"]),
    )


def add_tables(written, measured):
    """Prints times and work of all shapes."""
    unrelated = next(usage for of, usage, _, _ in measured if of.shape == UNRELATED)
    header = ("shape", "wall s", "CPU s", "us / document", "CPU us / document")
    header += ("join us / document", "CPU x unrelated", "x unrelated", "at most", "", "peak memory")
    rows = [time_row(of, usage, summary, unrelated) for of, usage, summary, _ in measured]
    written.add("## Time")
    written.add(report.table(header, rows))
    header = ("shape", "lookups / document", "postings / document", "candidates", "verified")
    header += ("similar", "clusters", "duplicates")
    written.add("## Work")
    written.add(report.table(header, [work_row(of, summary) for of, _, summary, _ in measured]))


def check_result(checks, of, output):
    """Checks the answer on one shape."""
    measure.progress(f"checking {output}")
    checks.collection = of.folder
    result = answer.Result(output)
    texts = answer.Texts(of.documents)
    answer.check_tables(checks, result, of.num_documents)
    answer.check_representatives(checks, result)
    answer.check_equal_text(checks, texts, result)
    answer.check_rows(checks, texts, answer.choose_rows(result, texts, SAMPLE_ROWS))
    if of.shape in WITHOUT_DUPLICATES:
        checks.equal(f"{of.shape}: no duplicates", len(result.rows), 0, "duplicates")
    if of.shape == NEAR_COPIES:
        sizes = [cluster["size"] for cluster in result.clusters[:3]]
        checks.equal("near-copies: one cluster", sizes, [of.num_documents], "first cluster sizes")
    check_kept_documents(checks, of, texts, result)


def check_kept_documents(checks, of, texts, result):
    """Some kept documents with each other, and with some duplicates."""
    kept = [texts.document(one) for one in choose_kept(of, texts, result)]
    answer.check_kept(checks, kept)
    rows = answer.sample(result.rows, SAMPLE_DUPLICATES)
    duplicates = [texts.document(row.id) for row in rows]
    answer.check_most_similar(checks, texts, result, duplicates, kept)


def choose_kept(of, texts, result):
    """Ids of kept documents: half of them the least edited, which would be similar to most
    others and so show a gap first; the others at random."""
    members = [member for cluster in answer.planted(of.clusters) for member in cluster]
    members.sort(key=lambda member: (member["edit_rate"], member["id"]))
    edited_least = [member["id"] for member in members if result.is_kept(member["id"])]
    chosen = dict.fromkeys(edited_least[: SAMPLE_KEPT // 2])
    kept = [one for one in texts.ids if result.is_kept(one) and one not in chosen]
    chosen.update(dict.fromkeys(answer.sample(kept, SAMPLE_KEPT - len(chosen))))
    return list(chosen)


def main():
    """Measures, prints, checks, records."""
    arguments = parse_arguments()
    collections = [
        measure.collection(arguments.binary, arguments.work, shape, arguments.documents)
        for shape in LIMITS
    ]
    # First all measuring, while this process is small; see measure.run.
    measured = []
    for of in collections:
        usage, command = measure_shape(arguments, of)
        measured.append((of, usage, measure.summary(output_folder(arguments, of)), command))

    written = report.Report("`find` in giant clusters and templates", arguments.binary)
    commands = [measure.shown(of.command) for of in collections]
    commands += [measure.shown(command) for _, _, _, command in measured]
    written.add_commands(commands)
    written.add(
        f"{report.grouped(arguments.documents)} documents of each shape; one run each with "
        f"{measure.THREADS} threads, warm file cache."
    )
    add_tables(written, measured)

    checks = answer.Checks()
    for of in collections:
        check_result(checks, of, output_folder(arguments, of))
    return report.finish(written, checks, arguments.record)


if __name__ == "__main__":
    raise SystemExit(main())
