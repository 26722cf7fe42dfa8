#!/usr/bin/env python3
"""Brute-force oracle: similar pairs when features of many documents count for no overlap.

The shingle commonality threshold of the waterloo thesis (Nikkhoo 2010, section 3.3.2), as
`neardupe find --sample commonality:N --keep-exact` has it. Words, features and thresholds are
those of exact_pairs.py; neither file shares code with neardupe. Standard library only.

A feature that more than N documents have, each copy counted, is dropped: it counts for no
overlap, but still for the sizes. Equal documents are compared like any others: 15 copies of a
text share nothing at N = 10. Resemblance is overlap / (left_size + right_size - overlap).

Star clusters: documents come by most features, then most characters, then smallest id. A
document belongs to the most similar of the representatives so far that it is similar to (the
earliest of several), or else is a representative itself.

Pair records: for each feature that is left, the number of pairs of documents that share it.

    python3 corpus/uncommon_pairs.py documents.jsonl --commonality 10 --threshold 0.5
    python3 corpus/uncommon_pairs.py --make corpus/uncommon-pairs.json

The first form writes the pairs, tab-separated: left, right, overlap, left_size, right_size,
similarity. The second makes random collections with many copies and stores them with their
answers; the test `keep_exact` of neardupe-core compares.
"""

import argparse
import json
import random
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations

from exact_pairs import features, read_documents, words


class Collection:
    """Documents with their features, and how many documents have each."""

    def __init__(self, documents, length):
        self.texts = documents
        named = sorted(documents, key=lambda name: name.encode())
        self.sets = {name: features(words(documents[name]), length) for name in named}
        self.counts = Counter(one for found in self.sets.values() for one in found)

    def compare(self, left, right, commonality):
        """Overlap and resemblance of two documents."""
        shared = self.sets[left] & self.sets[right]
        overlap = sum(1 for one in shared if self.counts[one] <= commonality)
        union = len(self.sets[left]) + len(self.sets[right]) - overlap
        return overlap, Fraction(overlap, union) if union else Fraction(0)

    def pairs(self, commonality, threshold):
        """Rows (left, right, overlap, left_size, right_size, resemblance), sorted."""
        rows = []
        for left, right in combinations(self.sets, 2):
            overlap, value = self.compare(left, right, commonality)
            if value >= threshold:
                sizes = (len(self.sets[left]), len(self.sets[right]))
                rows.append((left, right, overlap, *sizes, value))
        return rows

    def duplicates(self, commonality, threshold):
        """Rows (id, representative, overlap, rule) of star clusters, sorted."""

        def priority(name):
            return -len(self.sets[name]), -len(self.texts[name]), name.encode()

        rows, representatives = [], []
        for name in sorted(self.sets, key=priority):
            best = None
            for other in representatives:
                overlap, value = self.compare(name, other, commonality)
                if value >= threshold and (best is None or value > best[0]):
                    best = value, other, overlap
            if best is None:
                representatives.append(name)
                continue
            _, other, overlap = best
            rule = "similar"
            if self.sets[name] == self.sets[other]:
                is_equal = self.texts[name] == self.texts[other]
                rule = "equal-text" if is_equal else "equal-features"
            rows.append((name, other, overlap, rule))
        return sorted(rows)

    def pair_records(self, commonality):
        """Pairs of documents that share a feature, once for each feature that is left."""
        left = [count for count in self.counts.values() if count <= commonality]
        return sum(count * (count - 1) // 2 for count in left)


def text(numbers):
    return " ".join(f"w{number}" for number in numbers)


def random_collections():
    """Named lists of texts, many of them copies."""
    draw = random.Random(2010)

    def fresh(count, limit=400):
        return [draw.randrange(limit) for _ in range(count)]

    copies = [text(range(20))] * 15 + [text(range(30, 50))] * 6 + [text(range(49, 29, -1))] * 2
    near = [text([*range(50, 60 + k), *range(70, 80)]) for k in range(5)]
    yield "fifteen copies, and eight", copies + near + [text(fresh(12)) for _ in range(2)]

    for seed in range(5):
        made = []
        template = fresh(draw.randrange(2, 6))
        for _ in range(4):
            base = fresh(draw.randrange(8, 20), 200)
            for _ in range(draw.choice([2, 3, 4, 6])):
                edited = list(base)
                for _ in range(draw.choice([0, 0, 1, 2])):
                    edited[draw.randrange(len(edited))] = draw.randrange(400)
                if draw.random() < 0.2:
                    edited.reverse()
                framed = template + edited if draw.random() < 0.6 else edited
                made += [text(framed)] * draw.choice([1, 1, 2, 3])
        draw.shuffle(made)
        yield f"families with a template, {seed + 1}", made[:36]

    for seed in range(2):
        base = fresh(60, 500)
        made = []
        for _ in range(14):
            start = draw.randrange(50)
            made.append(text(base[start : start + draw.randrange(1, 16)]))
        made += [draw.choice(made) for _ in range(14)] + ["", "w1"]
        draw.shuffle(made)
        yield f"stretches of one text, {seed + 1}", made


def shown(value):
    return f"{float(value):.6f}"


def make(path):
    stored = []
    for number, (name, texts) in enumerate(random_collections()):
        length = 1 + number % 3 // 2
        documents = {f"d{(at * 37 + 11) % 101:03}": one for at, one in enumerate(texts)}
        assert len(documents) == len(texts)
        collection = Collection(documents, length)
        limits = []
        for commonality in (3, 6, 10, 15):
            answers = []
            for threshold in ("0.3", "0.6", "0.9"):
                at = Fraction(threshold)
                pairs = collection.pairs(commonality, at)
                answers.append(
                    {
                        "threshold": threshold,
                        "pairs": [" ".join(map(str, [*row[:5], shown(row[5])])) for row in pairs],
                        "duplicates": [
                            " ".join(map(str, row))
                            for row in collection.duplicates(commonality, at)
                        ],
                    }
                )
            records = collection.pair_records(commonality)
            limits.append(
                {"commonality": commonality, "pair_records": records, "answers": answers}
            )
        stored.append(
            {
                "name": name,
                "words": length,
                "documents": [{"id": one, "text": documents[one]} for one in documents],
                "all_pair_records": collection.pair_records(len(documents)),
                "limits": limits,
            }
        )
    with open(path, "w", encoding="utf-8") as file:
        json.dump(stored, file, indent=0)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", nargs="?", help="documents as JSONL, .gz or not")
    parser.add_argument("--threshold", type=Fraction, default=Fraction("0.5"))
    parser.add_argument("--commonality", type=int, default=10, metavar="N")
    parser.add_argument("--words", type=int, default=5, metavar="N", help="words per feature")
    parser.add_argument("--make", metavar="FILE", help="store random collections with answers")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.make)
        return
    if not arguments.input:
        parser.error("name the documents, or --make FILE")
    if not 0 < arguments.threshold <= 1:
        parser.error("--threshold must be above 0 and at most 1")
    collection = Collection(read_documents(arguments.input), arguments.words)
    print("left\tright\toverlap\tleft_size\tright_size\tsimilarity")
    for row in collection.pairs(arguments.commonality, arguments.threshold):
        print("\t".join(map(str, [*row[:5], shown(row[5])])))


if __name__ == "__main__":
    main()
