"""Makes corpus/trec: excerpts of qrels, small runs, and what other programs compute for runs.

Needs, in an environment of their own: pytrec-eval-terrier 0.5.11 (trec_eval 9), pyndeval 0.0.8
(ndeval), ir-measures 0.4.3 (its copy of gdeval.pl, so perl too) and cwl-eval 1.0.12 (RBP).

    python tools/trec_reference.py ../shared/data/trec-web corpus/trec

Runs of the Web track and of Robust 2003 are read from the first folder and not copied.
"""

import gzip
import json
import pathlib
import random
import shutil
import sys

import ir_measures
import numpy
import pyndeval
import pytrec_eval
from ir_measures import ERR, RBP

TREC_EVAL = {
    "P@10": "P_10",
    "P@20": "P_20",
    "recall": "set_recall",
    "recall@100": "recall_100",
    "recall@1000": "recall_1000",
    "AP": "map",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@20": "ndcg_cut_20",
}
NDEVAL = ["alpha-nDCG@10", "alpha-nDCG@20", "ERR-IA@10", "ERR-IA@20"]


def lines(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened:
        for line in opened:
            if line.strip():
                yield line.split()


def read_run(path):
    run = {}
    for topic, _, document, _, score, _ in lines(path):
        # Of a document that comes twice the better line stays.
        scores = run.setdefault(topic, {})
        scores[document] = max(float(score), scores.get(document, float("-inf")))
    return run


def read_qrels(path):
    qrels = {}
    for topic, _, document, label in lines(path):
        qrels.setdefault(topic, {})[document] = int(label)
    return qrels


def adhoc(run, qrels):
    """{topic: {measure: value}}"""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values()))
    values = {}
    for topic, found in evaluator.evaluate(run).items():
        values[topic] = {name: found[theirs] for name, theirs in TREC_EVAL.items()}
    flat = [
        ir_measures.Qrel(topic, document, label)
        for topic, labels in qrels.items()
        for document, label in labels.items()
    ]
    scored = [
        ir_measures.ScoredDoc(topic, document, score)
        for topic, documents in run.items()
        for document, score in documents.items()
    ]
    for name, measure, of in (("ERR@20", ERR @ 20, scored), ("RBP:0.8", RBP(rel=1, p=0.8), untied(run))):
        for metric in ir_measures.iter_calc([measure], flat, of):
            if metric.query_id in values:
                values[metric.query_id][name] = metric.value
    return values


def untied(run):
    """The order of trec_eval with scores that are not tied: cwl-eval and
    pyndeval leave ties as they come."""
    scored = []
    for topic, documents in run.items():
        order = sorted(documents, key=lambda one: (numpy.float32(documents[one]), one), reverse=True)
        for rank, document in enumerate(order):
            scored.append(ir_measures.ScoredDoc(topic, document, float(len(order) - rank)))
    return scored


def diversity(run, path):
    # ndeval takes labels from 1 up as relevant, and so does the binding.
    qrels = [(topic, subtopic, document, int(label)) for topic, subtopic, document, label in lines(path)]
    scored = [(one.query_id, one.doc_id, one.score) for one in untied(run)]
    evaluator = pyndeval.RelevanceEvaluator(qrels, NDEVAL)
    return evaluator.evaluate(scored)


def write(out, name, values):
    with open(out / "reference" / f"{name}.csv", "w") as file:
        file.write("topic,measure,value\n")
        for topic in sorted(values, key=lambda topic: (len(topic), topic)):
            for measure, value in sorted(values[topic].items()):
                file.write(f"{topic},{measure},{value:.6f}\n")


def excerpts(data, out):
    """Judgments of documents that are in a group of near-duplicates: all that is compared."""
    for collection, years in (("clueweb09", (2010, 2011, 2012)), ("clueweb12", (2013, 2014))):
        name = f"content-equivalent.{collection}-judged.jsonl.gz"
        source = data / "near-duplicate-groups" / name
        shutil.copyfile(source, out / name)
        with gzip.open(source, "rt") as file:
            grouped = {one for line in file for one in json.loads(line)["ids"]}
        for year in years:
            kept = [
                " ".join(columns) + "\n"
                for columns in lines(data / "qrels" / f"qrels.adhoc.web{year}.txt.gz")
                if columns[2] in grouped
            ]
            with open(out / f"qrels.adhoc.web{year}.grouped.txt.gz", "wb") as raw:
                with gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
                    packed.write("".join(kept).encode())


def small(out):
    """Runs with ties, lines in any order, ranks from 0, repeated documents, topics that are unknown or
    missing; qrels with labels below 0 and a topic without a relevant document."""
    rng = random.Random(11)
    folder = out / "small"
    documents = [f"d{number:03}" for number in range(60)]
    topics = [str(number) for number in range(1, 9)]
    with open(folder / "qrels.txt", "w") as file:
        for topic in topics:
            for document in rng.sample(documents, 30):
                label = 0 if topic == "4" else rng.choice([-2, 0, 0, 0, 1, 1, 2, 3, 4])
                file.write(f"{topic} 0 {document} {label}\n")
    with open(folder / "diversity.txt", "w") as file:
        for topic in topics:
            for document in rng.sample(documents, 30):
                for subtopic in range(1, 5):
                    label = 0 if topic == "4" or subtopic == 4 else rng.choice([-2, 0, 0, 1, 2])
                    file.write(f"{topic} {subtopic} {document} {label}\n")
    for number, (name, first, digits) in enumerate((("one", 1, 1), ("two", 0, 0), ("three", 1, 4))):
        rows = []
        for topic in topics[: 8 - number] + ["99"]:
            drawn = rng.sample(documents, rng.randint(5, 50))
            scores = sorted((round(rng.uniform(0, 9), digits) for _ in drawn), reverse=True)
            for rank, (document, score) in enumerate(zip(drawn, scores), first):
                rows.append(f"{topic}\tQ0 {document} {rank} {score} {name}\n")
            if number == 0:
                rows.append(f"{topic} Q0  {drawn[0]} {first + len(drawn)} -1 {name}\n")
        rng.shuffle(rows)
        with open(folder / f"{name}.run", "w") as file:
            file.writelines(rows)


def main():
    data, out = map(pathlib.Path, sys.argv[1:3])
    for name in ("small", "reference"):
        (out / name).mkdir(parents=True, exist_ok=True)
    excerpts(data, out)
    small(out)
    sets = [
        ("small", sorted((out / "small").glob("*.run")), out / "small/qrels.txt"),
        ("robust2003", sorted((data / "robust2003").glob("input.*")),
         data / "robust2003/qrels.robust2003.txt.gz"),
        ("web2012", sorted((data / "runs").glob("*web2012*")),
         data / "qrels/qrels.adhoc.web2012.txt.gz"),
    ]
    for name, runs, qrels in sets:
        judged = read_qrels(qrels)
        for path in runs:
            stem = path.name.removesuffix(".gz").removesuffix(".run").removeprefix("input.")
            write(out, f"{name}.{stem}", adhoc(read_run(path), judged))
    for name, runs, qrels in (
        ("small-diversity", sets[0][1], out / "small/diversity.txt"),
        ("web2012-diversity", sets[2][1], data / "qrels/qrels.diversity.web2012.txt.gz"),
    ):
        for path in runs:
            stem = path.name.removesuffix(".gz").removesuffix(".run")
            write(out, f"{name}.{stem}", diversity(read_run(path), qrels))


if __name__ == "__main__":
    main()
