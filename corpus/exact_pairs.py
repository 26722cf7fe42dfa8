#!/usr/bin/env python3
"""Brute-force oracle: every pair of documents at or above a resemblance, by comparing all pairs.

Slow and plain on purpose; it shares no code with neardupe. Standard library only.

Word: after NFC and full case folding, a maximal run of characters of general category
L*, M* or N*. Numbers of every kind count, also letter numbers and the likes of superscript
two and one half; everything else separates, also apostrophe and underscore. A letter of the
Han, Hiragana, Katakana or Thai script is a word by itself, together with the marks that
follow it; so is a letter number of the Han script, as the ideographic zero.

Feature: a run of N consecutive words. A document with fewer than N words has one feature,
all its words; a document without words has none and is in no pair.

Resemblance: overlap / (left_size + right_size - overlap), where the sizes count distinct
features. It is compared with the threshold as an exact fraction; the bound is inclusive.

Input: JSONL with "id" and "text", gzipped when the name ends in .gz. Output: tab-separated
with a header, columns left, right, overlap, left_size, right_size; left is the smaller id,
ids compared as UTF-8 bytes; rows sorted by left, then right.

    python3 corpus/exact_pairs.py documents.jsonl.gz --threshold 0.5 --words 5
"""

import argparse
import gzip
import json
import sys
import unicodedata
from fractions import Fraction
from itertools import combinations

# Letters and letter numbers in these ranges are one word each. What else the ranges hold
# (digits, marks, punctuation) follows the general rule.
SINGLE_LETTER_RANGES = (
    (0x0E00, 0x0E7F),  # Thai
    (0x3005, 0x3005),  # ideographic iteration mark
    (0x3007, 0x3007),  # ideographic zero
    (0x3021, 0x3029),  # Hangzhou numerals one to nine
    (0x3038, 0x303A),  # Hangzhou numerals ten to thirty
    (0x303B, 0x303B),  # vertical ideographic iteration mark
    (0x3041, 0x309F),  # hiragana
    (0x30A1, 0x30FF),  # katakana, with the prolonged sound mark
    (0x31F0, 0x31FF),  # katakana phonetic extensions
    (0x3400, 0x4DBF),  # CJK unified ideographs, extension A
    (0x4E00, 0x9FFF),  # CJK unified ideographs
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0xFF66, 0xFF9F),  # halfwidth katakana
    (0x16FE3, 0x16FE3),  # old Chinese iteration mark
    (0x1AFF0, 0x1AFFF),  # kana extended B
    (0x1B000, 0x1B16F),  # kana supplement, extended A, small kana
    (0x20000, 0x323AF),  # CJK extensions B to H, compatibility supplement
)


def is_single_letter_word(character):
    code = ord(character)
    category = unicodedata.category(character)
    return (category[0] == "L" or category == "Nl") and any(
        first <= code <= last for first, last in SINGLE_LETTER_RANGES
    )


def words(text):
    """The words of a text, in order."""
    result = []
    word = ""
    alone = False  # the open word is a single letter: only marks may join it
    for character in unicodedata.normalize("NFC", text).casefold():
        category = unicodedata.category(character)
        belongs = category[0] in "LMN"
        single = is_single_letter_word(character)
        joins = belongs and word and not single and (not alone or category[0] == "M")
        if joins:
            word += character
            continue
        if word:
            result.append(word)
        word = character if belongs else ""
        alone = single
    if word:
        result.append(word)
    return result


def features(word_list, length):
    """The set of distinct runs of `length` words."""
    if not word_list:
        return frozenset()
    if len(word_list) < length:
        return frozenset([tuple(word_list)])
    return frozenset(
        tuple(word_list[start : start + length])
        for start in range(len(word_list) - length + 1)
    )


def read_documents(path):
    """All documents as {id: text}."""
    documents = {}
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.strip():
                continue
            document = json.loads(line)
            if document["id"] in documents:
                raise SystemExit(f"{path}: repeated id {document['id']}")
            documents[document["id"]] = document["text"]
    return documents


def exact_pairs(documents, threshold, length):
    """Rows (left, right, overlap, left_size, right_size), sorted."""
    # Each distinct feature gets a number: sets of numbers compare faster than sets of tuples.
    numbers = {}
    sets = {}
    for name in sorted(documents, key=lambda name: name.encode()):
        found = features(words(documents[name]), length)
        if found:
            sets[name] = {numbers.setdefault(feature, len(numbers)) for feature in found}
    rows = []
    for left, right in combinations(sets, 2):
        overlap = len(sets[left] & sets[right])
        union = len(sets[left]) + len(sets[right]) - overlap
        if overlap * threshold.denominator >= union * threshold.numerator:
            rows.append((left, right, overlap, len(sets[left]), len(sets[right])))
    return rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", help="documents as JSONL, .gz or not")
    parser.add_argument("--threshold", type=Fraction, default=Fraction("0.5"))
    parser.add_argument("--words", type=int, default=5, metavar="N", help="words per feature")
    parser.add_argument("--output", help="file to write instead of standard output")
    arguments = parser.parse_args()
    if not 0 < arguments.threshold <= 1:
        parser.error("--threshold must be above 0 and at most 1")
    if arguments.words < 1:
        parser.error("--words must be at least 1")

    rows = exact_pairs(read_documents(arguments.input), arguments.threshold, arguments.words)
    lines = ["left\tright\toverlap\tleft_size\tright_size"]
    lines += ["\t".join(map(str, row)) for row in rows]
    data = ("\n".join(lines) + "\n").encode()
    if arguments.output:
        with open(arguments.output, "wb") as file:
            file.write(data)
    else:
        sys.stdout.buffer.write(data)


if __name__ == "__main__":
    main()
