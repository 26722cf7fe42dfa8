"""Collections for docs/reproduce/pdc-mr.md: real ones, and two with planted passages.

The Oracle sets of the paper (Zhang et al., SIGIR 2010, section 5.3) were labelled by people and
cannot be had. In their place, runs of sentences of some documents are put between paragraphs of
others, as they stand. What the paper tells of its sets is followed: most duplications have more than
three sentences, a quotation about six, and of duplicated sentences 91 % (Chinese) and 89 % (English)
are exactly the same.

The English texts are the documentation of Linux in inserted-passages-en, with what was planted there
cut out again; the Chinese ones are laws that exist in one version only.
"""

import csv
import glob
import gzip
import json
import os
import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import measure

ROOT = Path(__file__).resolve().parent.parent
INTO, FROM = "into-", "from-"
# Sentences of a passage, from and to: six in the mean.
SENTENCES = (3, 9)
# One passage in so many is edited: a word of each of its sentences is another.
EDITED = 10
NUM_LAWS = 300
# Pairs that share so many tokens in a row without a planted passage are not judged: twelve words,
# and twenty ideographs, which are about as many words.
NATURAL_RUN = {"english": 12, "chinese": 20}
ENDS = re.compile(r"[。！？][”’」』）]*|(?<=[a-z)\"])[.!?]\s+(?=[A-Z])|\n\s*\n")
TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+")


class Planted(NamedTuple):
    """A collection with known passages, as `eval` takes it."""

    name: str
    title: str
    documents: str
    truth: str
    ignored: str
    between: str


class Real(NamedTuple):
    """A collection as it is found."""

    name: str
    title: str
    files: list
    options: list
    antecedents: str


# By folder: how it is called, its files, the field of the text, antecedents of SpotSigs for documents.
REAL = {
    "reuters21578": ("Reuters-21578", "reut2-*.sgm.gz", None, "published"),
    "chinese-laws": ("Chinese laws", "docs.jsonl.gz", None, "10"),
    "postgresql-docs-html": ("PostgreSQL manual", "pages.jsonl.gz", "html", "published"),
    "gov-web-human-pairs": ("GOV2 pages", "docs.jsonl.gz", None, "published"),
    "html-articles": ("News and blog pages", "pages.jsonl.gz", "html", "published"),
}


def data_folder(name, pattern):
    """The files of a data set; ends the program when there are none."""
    folder = Path(os.environ.get("NEARDUPE_DATA", ROOT / ".." / "shared" / "data"))
    files = sorted(glob.glob(str(folder / name / pattern)))
    if not files:
        raise SystemExit(
            f"{name} is not there: no {folder / name / pattern}; NEARDUPE_DATA can name another folder"
        )
    return files


def require_all():
    """Ends the program when a data set is missing, before anything is run."""
    for name, (_, pattern, _, _) in REAL.items():
        data_folder(name, pattern)
    for name in ("docs.jsonl.gz", "passages.tsv", "natural_overlap.tsv"):
        data_folder("inserted-passages-en", name)


def real_collections():
    """The collections of Figure 10 and Table 3."""
    for name, (title, pattern, key, antecedents) in REAL.items():
        options = ["--text-key", key, "--text-type", "html"] if key else []
        yield Real(name, title, data_folder(name, pattern), options, antecedents)


def inserted():
    """inserted-passages-en as it is: passages that lost their paragraphs, and edited ones."""
    names = ("docs.jsonl.gz", "passages.tsv", "natural_overlap.tsv")
    files = [data_folder("inserted-passages-en", name)[0] for name in names]
    return Planted("inserted", "inserted-passages-en", *files, "susp-,source-")


def planted_collections(work):
    """English and Chinese, made in the work folder; the same at each call."""
    made = []
    for name, title, texts in (
        ("english", "English", english_texts),
        ("chinese", "Chinese", chinese_texts),
    ):
        measure.progress(f"making the {title} collection")
        made.append(plant(os.path.join(work, name), name, title, *texts()))
    return made


def lines_of(path):
    """Records of a packed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def english_texts():
    """Documents that give, and documents that take."""
    taken = defaultdict(list)
    with open(data_folder("inserted-passages-en", "passages.tsv")[0], encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            start = int(row["susp_offset"])
            taken[row["susp"]].append((start, start + int(row["susp_length"])))
    sources, others = [], []
    for record in lines_of(data_folder("inserted-passages-en", "docs.jsonl.gz")[0]):
        text = record["text"]
        for start, end in sorted(taken[record["id"]], reverse=True):
            text = text[:start].rstrip() + "\n\n" + text[end:].lstrip()
        (sources if record["id"].startswith("source-") else others).append(text)
    return sources, others


def chinese_texts():
    """The same of laws; a comment that stands in all files is left out."""
    laws = list(lines_of(data_folder("chinese-laws", "docs.jsonl.gz")[0]))
    versions = Counter(law["cluster"] for law in laws)
    single = [law["text"] for law in laws if versions[law["cluster"]] == 1]
    single = [text.replace("<!-- INFO END -->\n\n", "") for text in single[: 2 * NUM_LAWS]]
    return single[:NUM_LAWS], single[NUM_LAWS:]


def sentence_ends(text):
    """Where sentences end, by simple rules; the first place is the beginning."""
    ends = [0]
    for found in list(ENDS.finditer(text)) + [None]:
        end = found.end() if found else len(text)
        if TOKEN.search(text, ends[-1], end):
            ends.append(end)
        else:
            ends[-1] = end
    return ends


def excerpt(sources, draw):
    """A run of whole sentences of one of the texts: its number, and where."""
    while True:
        number = draw.randrange(len(sources))
        text, ends = sources[number], sentence_ends(sources[number])
        length = draw.randint(*SENTENCES)
        if len(ends) < length + 3:
            continue
        first = draw.randrange(1, len(ends) - length)
        start = ends[first]
        end = start + len(text[start : ends[first + length]].rstrip())
        if len(TOKEN.findall(text, start, end)) >= 6 * length:
            return number, start, end


def edited(text, words, draw):
    """The text with one word of each sentence replaced by one of `words`."""
    ends = sentence_ends(text)
    parts = []
    for start, end in zip(ends, ends[1:]):
        part = text[start:end]
        token = draw.choice(list(TOKEN.finditer(part)))
        parts.append(part[: token.start()] + draw.choice(words) + part[token.end() :])
    return "".join(parts)


def plant(folder, name, title, sources, others):
    """Writes documents, truth and pairs that are not judged; three of four documents get a passage."""
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(measure.SEED)
    records, truth, planted = [], [], set()
    for number, text in enumerate(others):
        if number % 4 != 3:
            source, start, end = excerpt(sources, draw)
            given, kind = sources[source][start:end], "verbatim"
            if len(truth) % EDITED == EDITED - 1:
                given, kind = edited(given, TOKEN.findall(text), draw), "edited"
            breaks = [found.end() for found in re.finditer(r"\n\s*\n", text)] or [0]
            at = draw.choice(breaks)
            text = f"{text[:at]}{given}\n\n{text[at:]}"
            sides = (f"{INTO}{number:04}", at, at + len(given), f"{FROM}{source:04}", start, end)
            truth.append((*sides, kind))
            planted.add((number, source))
        records.append((f"{INTO}{number:04}", text))
    records += [(f"{FROM}{number:04}", text) for number, text in enumerate(sources)]
    paths = [os.path.join(folder, file) for file in ("docs.jsonl", "passages.tsv", "natural.tsv")]
    with open(paths[0], "w", encoding="utf-8") as file:
        for identity, text in records:
            file.write(json.dumps({"id": identity, "text": text}, ensure_ascii=False) + "\n")
    columns = "left left_start left_end right right_start right_end kind"
    write_rows(paths[1], columns.split(), truth)
    natural = sorted(natural_pairs(sources, others, NATURAL_RUN[name]) - planted)
    rows = [(f"{INTO}{into:04}", f"{FROM}{source:04}") for into, source in natural]
    write_rows(paths[2], ("left", "right"), rows)
    check(dict(records), truth)
    return Planted(name, title, *paths, f"{INTO},{FROM}")


def write_rows(path, header, rows):
    """A table with tabs."""
    with open(path, "w", encoding="utf-8") as file:
        for row in [header, *rows]:
            file.write("\t".join(map(str, row)) + "\n")


def check(texts, truth):
    """Places of what was copied as it stands slice to the same text."""
    for left, left_start, left_end, right, right_start, right_end, kind in truth:
        same = texts[left][left_start:left_end] == texts[right][right_start:right_end]
        if same != (kind == "verbatim"):
            raise SystemExit(f"the passage of {right} in {left} is not {kind}")


def natural_pairs(sources, others, run):
    """Documents and sources that have a run of tokens in common of themselves."""
    owners = defaultdict(set)
    for number, text in enumerate(sources):
        for piece in runs(text, run):
            owners[piece].add(number)
    return {
        (number, owner)
        for number, text in enumerate(others)
        for piece in runs(text, run)
        for owner in owners.get(piece, ())
    }


def runs(text, length):
    """Hashes of all runs of so many tokens."""
    tokens = [token.lower() for token in TOKEN.findall(text)]
    for start in range(len(tokens) - length + 1):
        yield hash(tuple(tokens[start : start + length]))


def sentences_as_documents(planted, path):
    """Writes each sentence of a collection as a document of its own, to count signatures."""
    number = 0
    with open(planted.documents, encoding="utf-8") as lines, open(
        path, "w", encoding="utf-8"
    ) as out:
        for line in lines:
            text = json.loads(line)["text"]
            ends = sentence_ends(text)
            for start, end in zip(ends, ends[1:]):
                record = {"id": str(number), "text": text[start:end]}
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
                number += 1
