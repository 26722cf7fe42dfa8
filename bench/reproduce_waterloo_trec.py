#!/usr/bin/env python3
"""Table 4.1 of the waterloo thesis on public runs and on synthetic ones: docs/reproduce/waterloo-trec.md.

Runs `neardupe trec prevalence` on the six Indri runs of the Web track 2012 with the public groups
of near-duplicates, and on runs over a synthetic collection whose pairs `neardupe find` finds with
all resemblances; puts the thesis beside them. Needs ../shared/data/trec-web (or NEARDUPE_DATA).

    python3 bench/reproduce_waterloo_trec.py --binary target/release/neardupe --out docs/reproduce/waterloo-trec.md
"""

import argparse
import csv
import gzip
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEPTHS = (10, 20, 50, 100, 200, 500)
# Table 4.1 of the thesis: rows from 5 to 95 %, by depth.
PAPER = """
- 67.46 73.80 86.00 92.25 95.92
45.41 49.13 57.77 66.79 75.35 84.65
45.41 37.46 42.11 50.17 57.15 66.62
27.10 30.00 34.85 37.32 41.38 48.68
27.10 23.89 26.85 27.35 29.86 34.99
19.46 20.17 21.55 21.24 22.76 24.17
19.46 17.32 16.62 16.28 17.89 16.42
14.62 14.28 13.83 13.21 13.66 13.07
14.62 12.56 11.15 11.01 10.56 10.28
11.69 11.07 9.92 9.24 8.17 7.66
11.69 9.69 7.86 7.49 6.45 5.52
8.85 8.34 7.04 5.86 4.99 3.86
8.85 6.85 5.46 4.59 3.46 2.70
6.11 5.75 4.28 3.44 2.45 1.61
6.11 4.39 3.01 2.42 1.61 0.96
3.66 3.52 2.37 1.55 0.93 0.65
3.66 2.45 1.80 0.90 0.59 0.28
1.92 1.69 1.30 0.51 0.25 0.17
1.92 0.76 0.62 0.17 0.08 0.08
"""
DOCUMENTS, RUNS, TOPICS = 20_000, 20, 50


def run(binary, *arguments):
    """Runs a command of neardupe; fails when it does."""
    subprocess.run([binary, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def rows_of(path):
    """Rows of a CSV file, by name."""
    with open(path) as file:
        return list(csv.DictReader(file))


def shares(folder):
    """The table of shares: rows of cells as text."""
    table = []
    for row in rows_of(folder / "shares.csv"):
        table.append([row[f"n={depth}"] for depth in DEPTHS])
    return table


def markdown(table):
    """A table of shares."""
    head = "| near-duplicates | " + " | ".join(f"n = {depth}" for depth in DEPTHS) + " |"
    lines = [head, "|--:|" + "--:|" * len(DEPTHS)]
    for at, row in enumerate(table):
        lines.append(f"| >= {5 * (at + 1)} % | " + " | ".join(row) + " |")
    return "\n".join(lines)


def overall(folder, threshold):
    """Share of near-duplicates by depth, in %."""
    found = {
        int(row["depth"]): float(row["share"]) * 100
        for row in rows_of(folder / "prevalence.csv")
        if row["threshold"] == threshold
    }
    return ", ".join(f"{found[depth]:.2f} % (n = {depth})" for depth in DEPTHS)


def synthetic(binary, work):
    """Runs over a synthetic collection: each topic draws from a part of it, near-duplicates near
    each other, as systems rank them; some systems have removed theirs."""
    made = work / "synthetic"
    if made.exists():
        shutil.rmtree(made)
    run(binary, "synth", "--documents", DOCUMENTS, "--shape", "web", "--seed", 1, "-o", made)
    run(binary, "find", made / "documents.jsonl", "--preset", "waterloo", "-t", "0.1", "--cluster", "none",
        "--threads", 2, "-q", "-o", made / "result")
    near = {}
    with open(made / "result/pairs.jsonl") as file:
        for line in file:
            pair = json.loads(line)
            near.setdefault(pair["left"], []).append(pair["right"])
            near.setdefault(pair["right"], []).append(pair["left"])
    with open(made / "documents.jsonl") as file:
        ids = [json.loads(line)["id"] for line in file]
    rng = random.Random(1)
    (made / "runs").mkdir()
    pools = []
    for _ in range(TOPICS):
        pool = {}
        # Documents with their near-duplicates, until there are enough.
        while len(pool) < 1500:
            first = rng.choice(ids)
            worth = rng.random()
            for one in [first, *near.get(first, [])]:
                pool.setdefault(one, worth)
        pools.append(pool)
    for number in range(RUNS):
        noise = rng.choice((0.02, 0.1, 0.3))
        with open(made / "runs" / f"run{number:02}.txt", "w") as out:
            for topic, pool in enumerate(pools, 1):
                scored = sorted(
                    ((worth + rng.gauss(0, noise), one) for one, worth in sorted(pool.items())), reverse=True
                )
                for rank, (score, one) in enumerate(scored[:1000], 1):
                    out.write(f"{topic} Q0 {one} {rank} {score:.6f} run{number:02}\n")
    run(binary, "trec", "prevalence", made / "runs", "--result", made / "result", "--as-published",
        "-q", "-o", work / "out-synthetic")
    return work / "out-synthetic"


def by_threshold(folder, name, first):
    """Shares of documents by threshold of the row that begins so."""
    return {
        row["threshold"]: f"{float(row['share']) * 100:.2f}"
        for row in rows_of(folder / name)
        if row["topic"] == first
    }


def judged_shares(data):
    """Share of the first n results that were judged, in %."""
    judged = set()
    with gzip.open(data / "qrels/qrels.adhoc.web2012.txt.gz", "rt") as file:
        for line in file:
            topic, _, document, _ = line.split()
            judged.add((topic, document))
    results = {}
    for path in sorted((data / "runs").glob("*.gz")):
        with gzip.open(path, "rt") as file:
            for line in file:
                topic, _, document, _, score, _ = line.split()
                results.setdefault((path, topic), []).append((float(score), document))
    shares = []
    for depth in DEPTHS:
        known = total = 0
        for (_, topic), scored in results.items():
            top = sorted(scored, reverse=True)[:depth]
            known += sum((topic, document) in judged for _, document in top)
            total += len(top)
        shares.append(f"{known * 100 / total:.0f} % (n = {depth})")
    return ", ".join(shares)


def main():
    """Runs it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--work", default=str(ROOT / "bench/work/waterloo-trec"))
    arguments = parser.parse_args()
    data = Path(os.environ.get("NEARDUPE_DATA", ROOT / "../shared/data")) / "trec-web"
    work = Path(arguments.work)
    work.mkdir(parents=True, exist_ok=True)
    binary = arguments.binary
    groups = data / "near-duplicate-groups/content-equivalent.clueweb09-judged.jsonl.gz"
    public = work / "out-public"
    run(binary, "trec", "prevalence", data / "runs", "--groups", groups, "--as-published",
        "--qrels", data / "qrels/qrels.adhoc.web2012.txt.gz", "-q", "-o", public)
    involved = work / "out-involved"
    run(binary, "trec", "prevalence", data / "runs", "--groups", groups, "--count", "involved",
        "--as-published", "-q", "-o", involved)
    relevant = []
    for year in (2010, 2011, 2012):
        folder = work / f"out-relevant-{year}"
        run(binary, "trec", "prevalence", data / "runs", "--groups", groups, "--qrels",
            data / f"qrels/qrels.adhoc.web{year}.txt.gz", "-q", "-o", folder)
        rows = [row for row in rows_of(folder / "relevant.csv") if row["topic"] != "all"]
        number = sum(int(row["documents"]) for row in rows)
        near = sum(int(row["near_duplicates"]) for row in rows)
        dropped = work / f"out-dropped-{year}"
        run(binary, "trec", "dedup-qrels", "--qrels", data / f"qrels/qrels.adhoc.web{year}.txt.gz",
            "--groups", groups, "-q", "-o", dropped)
        gone = sum(int(row["label"]) > 0 for row in rows_of(dropped / "dropped.csv"))
        relevant.append((year, number, near, gone))
    made = synthetic(binary, work)
    summary = json.loads((public / "summary.json").read_text())
    page = TEXT.format(
        paper=markdown([line.split() for line in PAPER.strip().splitlines()]),
        public=markdown(shares(public)),
        public_overall=overall(public, "any"),
        involved_overall=overall(involved, "any"),
        synthetic=markdown(shares(made)),
        synthetic_overall=overall(made, "0.5"),
        judged=judged_shares(data),
        run_topics=summary["runs"]["run_topics"],
        results=f"{summary['runs']['results']:,}",
        reordered=summary["runs"]["run_topics_out_of_rank_order"],
        tied=f"{summary['runs']['tied_results']:,}",
        relevant="\n".join(
            f"| {year} | {number:,} | {near:,} | {near * 100 / number:.2f} | {gone:,} | "
            f"{gone * 100 / number:.2f} |"
            for year, number, near, gone in relevant
        ),
        mean="\n".join(
            f"| {threshold} | {share} |"
            for threshold, share in by_threshold(made, "topics.csv", "mean").items()
        ),
        documents=f"{DOCUMENTS:,}",
        runs=RUNS,
        topics=TOPICS,
    )
    Path(arguments.out).write_text(page, encoding="utf-8")


TEXT = """# Near-duplicates in runs: Table 4.1 of the waterloo thesis

H. Khoshdel Nikkhoo, *The Impact of Near-Duplicate Documents on Information Retrieval Evaluation*, University of Waterloo 2010,
chapter 4, counts near-duplicates among the first n results of every run-topic (what one run returns for one topic) of the ad hoc task
of the Web track 2009. Neither these runs nor ClueWeb09 can be had freely. `make reproduce-waterloo-trec` makes this page: the same table
from public runs with public groups of near-duplicates, and from synthetic runs over a collection whose pairs are known with their
resemblances. The command is `neardupe trec prevalence` ([guide](../trec.md)).

A cell is the share of run-topics, in %, whose first n results have at least this share of near-duplicates.

## How the thesis counts

The thesis does not say which result of a pair counts, nor what becomes of shares that are no whole number of documents. Its table tells both:

- In the column n = 10 rows come in equal pairs (10 and 15 %, 20 and 25 %, ...) and 5 % is empty. So a run-topic reaches a row when its
  near-duplicates are at least the share of n *rounded down*; `--as-published` does that. Without it 15 % of 10 asks for 2.
- The rows of 10 and 20 % differ at n = 10 (45.41 and 27.10). If both documents of a pair counted, one near-duplicate would
  make two, and the two rows would be the same. So only the later one counts: `--count earlier`, which is the default.

## The thesis: Web track 2009, resemblance >= 0.5

{paper}

## Public runs: six Indri baselines of the Web track 2012

{run_topics} run-topics, {results} results; near-duplicates are the content-equivalent groups among *judged* documents of ClueWeb09 that
Fröbe and others published (ECIR 2020): S3 of 8-grams above a limit set by hand. Groups have no resemblance, so there is one table, whatever
the threshold.

{public}

Near-duplicates of all results: {public_overall}. With both documents of a pair counted (`--count involved`): {involved_overall}.

The numbers are lower than those of the thesis, for three reasons: only near-duplicates of judged documents are known; the groups are of nearly equal texts
where the thesis takes a resemblance of 0.5; and four of the six runs have been filtered for spam. In the upper rows the share falls
with n where in the thesis it grows. That is the depth of judging and not of the runs: of their first results {judged} were judged at
all. In {reordered} run-topics the lines are not in the order of scores, and {tied} results
have the score of the one before; both are ordered as trec_eval orders them.

## Synthetic runs: resemblance >= 0.5

{runs} runs of {topics} topics over {documents} documents made by `neardupe synth --shape web`; pairs found by `neardupe find --preset waterloo -t 0.1
--cluster none`. A topic draws documents with their near-duplicates until there are 1,500, near-duplicates have the same worth, and a run ranks
them by worth and noise. This shows the computation, with every threshold at work; how many near-duplicates there are is a choice of
the generator.

{synthetic}

Near-duplicates of all results at 0.5: {synthetic_overall}. Documents of all runs for a topic that have a near-duplicate among them, mean
of topics (Figure 4.5), in %:

| resemblance >= | documents |
|--:|--:|
{mean}

## The check against Bernstein and Zobel: 17.36 % and 16.6 %

To check its program, section 3.2 of the thesis takes the relevant documents of the Terabyte track 2004 (GOV2) and finds that 17.36 % of them are near-duplicates of
another one at a resemblance of 0.5, beside 16.6 % that Bernstein and Zobel report as redundant. The thesis itself calls that a rough comparison, since
the lists of documents could not be compared. There are two further reasons to be careful. The measures differ: the thesis has the
Jaccard coefficient of 64-byte shingles, Bernstein and Zobel their own fingerprinting and limit. And so may the counting: a document *that has a near-duplicate*
and a document *that is one too many* are not the same number, and a group of k documents has k of the first and k - 1 of the second. On
public data both can be told apart. Relevant documents of the Web tracks on ClueWeb09 with the public groups:

| Web track | relevant documents, by topic | with a near-duplicate among them | % | one too many | % |
|--:|--:|--:|--:|--:|--:|
{relevant}

The two ways of counting lie further apart than 17.36 and 16.6. That the two published numbers agree therefore says that
both programs see redundancy of the same order; it does not say that they find the same documents. GOV2 and the qrels of that year are not part of this project's
data; with them, `neardupe trec prevalence RUN --collection GOV2 --qrels QRELS -o DIR` writes the number for the relevant documents at every threshold (`DIR/relevant.csv`).
"""


if __name__ == "__main__":
    main()
