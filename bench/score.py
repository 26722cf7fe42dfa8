"""How good a set of pairs is: precision and recall against the exact answer.

Results are files with two columns: the ids of a pair, or a document and its cluster; or
the `pairs.jsonl` of neardupe. Standard library only.
"""

import json
from collections import Counter
from typing import NamedTuple


class Score(NamedTuple):
    """How many pairs were found, and how many of them, and of all, are right."""

    found: int
    hits: int
    wanted: int

    def precision(self):
        """Share of the found pairs that are right."""
        return shown(self.hits, self.found)

    def recall(self):
        """Share of the right pairs that were found."""
        return shown(self.hits, self.wanted)


def shown(part, whole):
    """A share with three decimals, cut off: only what is all is 1.000."""
    thousandths = 1000 * part // whole if whole else 1000
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def ordered(left, right):
    """A pair, the smaller id first."""
    return (left, right) if left < right else (right, left)


def rows(path):
    """The two columns of a result."""
    with open(path, encoding="utf-8") as lines:
        if str(path).endswith(".jsonl"):
            for line in lines:
                row = json.loads(line)
                yield row["left"], row["right"]
        else:
            for line in lines:
                left, _, right = line.rstrip("\n").partition("\t")
                yield left, right


def read_pairs(path):
    """A result of pairs, as a set."""
    return {ordered(left, right) for left, right in rows(path)}


def of_pairs(path, truth):
    """The score of a result of pairs."""
    found = read_pairs(path)
    return Score(len(found), len(found & truth), len(truth))


def of_clusters(path, truth):
    """The score of a result of clusters, of which every two members count as a pair. They
    are counted, not made: a cluster may be giant."""
    cluster = dict(rows(path))
    found = sum(size * (size - 1) // 2 for size in Counter(cluster.values()).values())
    hits = sum(
        left in cluster and cluster[left] == cluster.get(right) for left, right in truth
    )
    return Score(found, hits, len(truth))


def of_documents(path, truth):
    """The score of a result of clusters by documents: is one in a cluster, has it a pair?
    This is kinder to clusters, in which one wrong link makes many wrong pairs."""
    found = {name for name, _ in rows(path)}
    wanted = {name for pair in truth for name in pair}
    return Score(len(found), len(found & wanted), len(wanted))
