"""Checks the answers of `neardupe find` against texts and truth, independently of it.

Words, features and resemblance are those of the brute-force oracle corpus/exact_pairs.py;
nothing here calls neardupe. The laws that are checked, for the default star clusters:

- every duplicate has the written similarity to its representative, and at least 0.8;
- a representative comes before its duplicates: more features, then more characters, then
  the smaller id; no representative before a duplicate is more similar than its own;
- no two documents that are kept are similar.

Samples are drawn with a fixed seed. Standard library only.
"""

import hashlib
import json
import random
import re
import sys
from array import array
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import measure
import report

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "corpus"))
from exact_pairs import features, words  # noqa: E402

THRESHOLD = Fraction(measure.THRESHOLD)
SHINGLE_WORDS = int(measure.FEATURES.partition(":")[2])
# Messages of each check that are shown.
SHOWN_FAILURES = 5
ASCII_WORD = re.compile("[a-z0-9]+")


class Checks:
    """Counts what was checked and keeps what was wrong."""

    def __init__(self):
        self.done = Counter()
        self.failed = Counter()
        self.messages = []
        # The collection that is being checked, for messages.
        self.collection = ""

    def expect(self, name, holds, message):
        """Notes one check. The message is a function, called only when it is wrong."""
        self.done[name] += 1
        if not holds:
            self.failed[name] += 1
            if self.failed[name] <= SHOWN_FAILURES:
                self.messages.append(f"{self.collection}: {name}: {message()}")

    def equal(self, name, got, expected, what):
        """Notes one comparison."""
        self.expect(name, got == expected, lambda: f"{what}: got {got}, expected {expected}")

    def table(self):
        """All checks as a table."""
        rows = [
            (name, report.grouped(number), self.failed[name]) for name, number in self.done.items()
        ]
        return report.table(("check", "checked", "wrong"), rows)

    def exit_code(self):
        """1 when anything was wrong, with the first failures on standard error."""
        for message in self.messages:
            print(f"wrong answer: {message}", file=sys.stderr)
        return 1 if self.messages else 0


class Texts:
    """The documents of a collection: one pass over the file, then each by its id."""

    def __init__(self, path):
        self.path = path
        self.ids = []
        self.places = {}
        self.offsets = array("Q")
        self.not_ascii = set()
        # Documents with a word: all, and those whose text was there before.
        self.num_with_words = 0
        self.num_equal_text = 0
        with open(path, "rb") as lines:
            self.scan(lines)

    def scan(self, lines):
        """Notes where each document is and counts equal texts."""
        seen = set()
        offset = 0
        for place, line in enumerate(lines):
            document = json.loads(line)
            self.ids.append(document["id"])
            self.places[document["id"]] = place
            self.offsets.append(offset)
            offset += len(line)
            text = document["text"]
            if not text.isascii():
                self.not_ascii.add(document["id"])
            if not has_word(text):
                continue
            self.num_with_words += 1
            digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
            self.num_equal_text += digest in seen
            seen.add(digest)

    def text(self, document_id):
        """The text of a document."""
        with open(self.path, "rb") as lines:
            lines.seek(self.offsets[self.places[document_id]])
            return json.loads(lines.readline())["text"]

    def document(self, document_id):
        """A document with its features."""
        text = self.text(document_id)
        return Document(document_id, text, features(words_of(text), SHINGLE_WORDS))


class Document(NamedTuple):
    """A document with its features."""

    id: str
    text: str
    features: frozenset

    def priority(self):
        """Documents with a smaller value are kept before others (`--keep longest`)."""
        return (-len(self.features), -len(self.text), self.id.encode())


class Row(NamedTuple):
    """A row of duplicates.jsonl, ratios as they are written."""

    id: str
    duplicate_of: str
    similarity: str
    containment: str
    containment_of_representative: str
    rule: str


class Result:
    """A result folder, read."""

    def __init__(self, folder):
        self.counts = measure.summary(folder)["counts"]
        self.rows = [
            Row(*(row[name] for name in Row._fields))
            for row in rows_of(Path(folder, "duplicates.jsonl"))
        ]
        self.clusters = list(rows_of(Path(folder, "clusters.jsonl")))
        self.pairs = list(rows_of(Path(folder, "pairs.jsonl")))
        self.duplicate_of = {row.id: row.duplicate_of for row in self.rows}
        self.similarity = {row.id: row.similarity for row in self.rows}

    def is_kept(self, document_id):
        """Whether the document is no duplicate."""
        return document_id not in self.duplicate_of

    def representative(self, document_id):
        """The document that is kept in the place of this one; itself when it is kept."""
        return self.duplicate_of.get(document_id, document_id)


def rows_of(path):
    """The rows of a JSONL file; decimal numbers stay text."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line, parse_float=str)


def words_of(text):
    """The words of a text; in ASCII the rule is simple, and this is fast."""
    return ASCII_WORD.findall(text.lower()) if text.isascii() else words(text)


def has_word(text):
    """Whether a text has any word. Nearly always its start tells."""
    return bool(words_of(text[:64]) or words_of(text))


def ratio(left, right):
    """Overlap and union of two sets; their quotient is the resemblance."""
    overlap = len(left & right)
    return overlap, len(left) + len(right) - overlap


def similar(left, right):
    """Whether the resemblance of two sets reaches the threshold."""
    overlap, union = ratio(left, right)
    return overlap > 0 and overlap * THRESHOLD.denominator >= union * THRESHOLD.numerator


def resemblance(left, right):
    """The resemblance of two sets as a fraction."""
    overlap, union = ratio(left, right)
    return Fraction(overlap, union) if union else Fraction(0)


def six_decimals(part, whole):
    """A ratio with six decimals, rounded half up."""
    millionths = (2_000_000 * part + whole) // (2 * whole)
    return f"{millionths // 1_000_000}.{millionths % 1_000_000:06}"


def sample(items, most, seed=measure.SEED):
    """Up to `most` of the items, always the same ones."""
    items = list(items)
    return items if len(items) <= most else random.Random(seed).sample(items, most)


def check_tables(checks, result, num_documents):
    """The files agree with each other and with the counts of the summary."""
    name = "files agree"
    counts = result.counts
    for key, number in (
        ("documents", num_documents),
        ("bad_records", 0),
        ("duplicates", len(result.rows)),
        ("clusters", len(result.clusters)),
        ("pairs", len(result.pairs)),
    ):
        checks.equal(name, counts[key], number, f"counts.{key} of the summary")
    ids = [row.id for row in result.rows]
    checks.expect(name, ids == sorted(set(ids)), lambda: "duplicates not sorted, or repeated")
    written = [(pair["left"], pair["right"], pair["similarity"]) for pair in result.pairs]
    evidence = sorted((*sorted((row.id, row.duplicate_of)), row.similarity) for row in result.rows)
    checks.expect(name, written == evidence, lambda: "pairs differ from duplicates")
    check_clusters(checks, name, result)


def check_clusters(checks, name, result):
    """The clusters are the duplicates put together by representative."""
    members = defaultdict(set)
    for row in result.rows:
        members[row.duplicate_of].update((row.id, row.duplicate_of))
    leads = [cluster["cluster_id"] for cluster in result.clusters]
    checks.expect(name, leads == sorted(members), lambda: "clusters not those of duplicates")
    for cluster in result.clusters:
        wanted = sorted(members[cluster["cluster_id"]])
        checks.expect(
            name,
            cluster["members"] == wanted and cluster["size"] == len(wanted),
            lambda: f"cluster {cluster['cluster_id']} has other members than in duplicates",
        )


def check_representatives(checks, result):
    """No representative is a duplicate, and every similarity reaches the threshold."""
    least = six_decimals(THRESHOLD.numerator, THRESHOLD.denominator)
    for row in result.rows:
        checks.expect(
            "representative is kept",
            result.is_kept(row.duplicate_of),
            lambda: f"{row.id} is a duplicate of {row.duplicate_of}, which is one too",
        )
        checks.expect(
            "similarity reaches threshold",
            row.similarity >= least,
            lambda: f"{row.id} and {row.duplicate_of}: {row.similarity}",
        )


def check_equal_text(checks, texts, result):
    """The counts of equal and of empty texts."""
    counts = result.counts
    checks.equal("equal texts counted", counts["equal_text"], texts.num_equal_text, "equal_text")
    empty = len(texts.ids) - texts.num_with_words
    checks.equal("empty texts counted", counts["empty"], empty, "empty")


def check_exact_copies(checks, texts, result, truth):
    """A planted exact copy with a word is where its base is, or the later one of the two by
    id, which is later by priority too, has found a better representative made in between."""
    for members in truth:
        base = base_of(members)
        for member in members:
            if member["kind"] != "exact" or base is None:
                continue
            first, second = sorted((base, member["id"]), key=str.encode)
            left, right = result.representative(first), result.representative(second)
            if left != right and not has_word(texts.text(base)):
                continue
            better = result.similarity.get(second, "") > result.similarity.get(first, "2")
            checks.expect(
                "exact copy with its base",
                left == right or better,
                lambda: f"{second} in {right}, its equal {first} in {left}",
            )


def base_of(members):
    """The id of the document from which the others of a planted cluster were made."""
    return next((member["id"] for member in members if member["kind"] == "base"), None)


def choose_rows(result, texts, most):
    """Rows worth recomputing: similar ones first, some of each rule, some not ASCII."""
    by_rule = defaultdict(list)
    for row in result.rows:
        by_rule[row.rule].append(row)
    rows = sample(by_rule.pop("similar", []), most)
    for rule in sorted(by_rule):
        rows += sample(by_rule[rule], most // 8)
    rows += sample((row for row in result.rows if row.id in texts.not_ascii), most // 8)
    return list(dict.fromkeys(rows))


def check_rows(checks, texts, rows):
    """The written ratios are those of the texts, and the representative comes first."""
    for row in rows:
        left, right = texts.document(row.id), texts.document(row.duplicate_of)
        overlap, union = ratio(left.features, right.features)
        expected = (
            six_decimals(overlap, union),
            six_decimals(overlap, len(left.features)),
            six_decimals(overlap, len(right.features)),
        )
        got = (row.similarity, row.containment, row.containment_of_representative)
        what = f"{row.id} and {row.duplicate_of}: similarity, containments"
        checks.equal("ratios recomputed", got, expected, what)
        checks.equal("rule recomputed", row.rule, rule_of(left, right), what)
        checks.expect(
            "representative comes first",
            right.priority() < left.priority(),
            lambda: f"{row.duplicate_of} comes after its duplicate {row.id}",
        )


def rule_of(left, right):
    """Why one document is a duplicate of the other."""
    if left.text == right.text:
        return "equal-text"
    return "equal-features" if left.features == right.features else "similar"


def check_planted_clusters(checks, texts, result, clusters):
    """Of a similar base and member at most one is kept; the same for any other two."""
    for members in clusters:
        documents = [texts.document(member["id"]) for member in members]
        base = next((one for one in documents if one.id == base_of(members)), None)
        for member in documents:
            if base is None or member is base or not similar(base.features, member.features):
                continue
            checks.expect(
                "one of base and similar member is a duplicate",
                not (result.is_kept(base.id) and result.is_kept(member.id)),
                lambda: f"base {base.id} and {member.id} are both kept",
            )
        kept = [document for document in documents if result.is_kept(document.id)]
        check_kept(checks, kept)
        duplicates = [document for document in documents if not result.is_kept(document.id)]
        check_most_similar(checks, texts, result, duplicates, kept)


def check_kept(checks, kept):
    """No two of these documents that are kept are similar (brute force)."""
    # Sets of numbers compare faster than sets of tuples.
    numbers = {}
    kept = [
        document._replace(
            features={numbers.setdefault(feature, len(numbers)) for feature in document.features}
        )
        for document in kept
    ]
    for left, right in combinations(kept, 2):
        checks.expect(
            "two kept documents are not similar",
            not similar(left.features, right.features),
            lambda: f"{left.id} and {right.id} are kept, "
            f"resemblance {six_decimals(*ratio(left.features, right.features))}",
        )


def check_most_similar(checks, texts, result, duplicates, kept):
    """No kept document before a duplicate is more similar to it than its representative,
    nor as similar and earlier."""
    for document in duplicates:
        own = texts.document(result.representative(document.id))
        own_rank = (-resemblance(document.features, own.features), own.priority())
        for other in kept:
            if other.id == own.id or other.priority() > document.priority():
                continue
            rank = (-resemblance(document.features, other.features), other.priority())
            checks.expect(
                "no better representative",
                own_rank < rank,
                lambda: f"{document.id} is with {own.id} ({float(-own_rank[0]):.6f}), "
                f"better is {other.id} ({float(-rank[0]):.6f})",
            )


def planted(path):
    """The planted clusters: lists of members with id, edit_rate and kind."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["members"] for line in lines]
