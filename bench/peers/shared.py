"""What every peer gets alike: the documents, their words and shingles, and where results go.

The words are those of neardupe's `words:5` (see corpus/exact_pairs.py), made as fast as
plain Python can: a peer is not to be slowed down by us. The benchmark checks on a sample
that they are the oracle's. Standard library, and orjson where it is.
"""

import argparse
import gc
import multiprocessing
import sys
import unicodedata
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "corpus"))
import exact_pairs  # noqa: E402

try:
    from orjson import loads
except ImportError:  # in the benchmark itself, which has no packages
    from json import loads

SHINGLE_WORDS = 5
PROCESSES = 2
# Documents a worker gets at a time: few enough to stay in the cache of the processor.
BATCH = 64
# Letters and digits lowercased, all else of ASCII a space; bytes of other characters stay.
ASCII_TABLE = bytes(
    byte if byte >= 128 or chr(byte).isalnum() else 0x20 for byte in range(256)
).lower()
# Joins the words of a text that is shorter than a shingle; no word contains it.
JOINT = "\x1f"


def spaced(text):
    """The words of a text with one or more spaces between them, or None when the text needs
    the slow rule: it has a script whose letters are words by themselves."""
    if text.isascii():
        return text.encode().translate(ASCII_TABLE).decode()
    text = unicodedata.normalize("NFC", text).casefold()
    for character in set(text):
        if character < "\x80":
            continue
        if exact_pairs.is_single_letter_word(character):
            return None
        if unicodedata.category(character)[0] not in "LMN":
            text = text.replace(character, " ")
    return text.encode(errors="surrogatepass").translate(ASCII_TABLE).decode(errors="surrogatepass")


def words(text):
    """The words of a text, in order."""
    simple = spaced(text)
    return exact_pairs.words(text) if simple is None else simple.split()


def shingles(text):
    """The shingles of a text as strings, repeated ones too; none when it has no word."""
    found = words(text)
    if len(found) < SHINGLE_WORDS:
        return [JOINT.join(found)] if found else []
    runs = zip(found, found[1:], found[2:], found[3:], found[4:])
    return list(map(" ".join, runs))


def shingle_lists(lines):
    """Ids and shingles of some lines, without the documents that have no word."""
    ids, lists = [], []
    for line in lines:
        document = loads(line)
        found = shingles(document["text"])
        if found:
            ids.append(document["id"])
            lists.append(found)
    return ids, lists


def documents(path):
    """All documents of a file as they come."""
    with open(path, "rb") as lines:
        for line in lines:
            yield loads(line)


def batches(path):
    """The lines of a file in batches."""
    with open(path, "rb") as lines:
        while batch := list(islice(lines, BATCH)):
            yield batch


def in_processes(work, path):
    """`work` on each batch of lines, in two processes; results in the order of the file."""
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        yield from pool.imap(work, batches(path))
        pool.close()
        pool.join()


def arguments():
    """Where the documents are and where the result goes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("documents")
    parser.add_argument("output")
    parser.add_argument("--threshold", type=float, default=0.8)
    found = parser.parse_args()
    # Millions of strings that are no garbage: collecting it would only slow the peer down.
    gc.disable()
    return found


def write_rows(path, rows):
    """Writes rows of two columns: the ids of a pair, or an id and its cluster."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{left}\t{right}\n" for left, right in rows)


def sketch_and_join(sketches, pairs):
    """Reads, sketches in processes, asks for pairs in one, writes them."""
    options = arguments()
    ids, hashes = [], []
    for some_ids, some_hashes in in_processes(sketches, options.documents):
        ids += some_ids
        hashes += some_hashes
    write_rows(options.output, pairs(ids, hashes, options.threshold))
