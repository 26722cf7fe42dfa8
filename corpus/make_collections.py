#!/usr/bin/env python3
"""Make the collections of corpus/ from their sources.

    python3 corpus/make_collections.py --postgresql pages.jsonl.gz --tracts docs.jsonl.gz corpus

writes, under the given folder,

- postgresql-text/documents.jsonl.gz: {"id", "text", "version", "page"}, pages of the
  PostgreSQL manual, versions 13, 15 and 17, as plain text made by examples/make_pages.py;
  the versions of a page stand side by side;
- ats-tracts/docs.jsonl.gz: {"id", "text"}, all documents of the source;
- exact_pairs.tsv in each, by exact_pairs.py: word 5-shingles, resemblance at least 0.5 for
  the first, 0.1 for the second.

The choice of pages is fixed and compressed files carry no time: same input, same bytes
(for one zlib version).
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # leave no __pycache__ in examples/
sys.path.insert(0, str(HERE.parent / "examples"))
from make_pages import VERSIONS, choose_from_groups, names_in_versions, read_pages  # noqa: E402

MAX_BYTES = 60_000

# Name pattern and how many names to take, of the names that all three versions have.
GROUPS = (
    # Pages much rewritten between the versions: resemblance from 0.3 to 0.8.
    (r"sql-(create|alter)(publication|subscription|statistics|operator|role)$", 10),
    (r"logical-replication-|logicaldecoding-", 12),
    (r"(admin|amcheck|backup|charset|collation|contrib|functions-(range|uuid)|locale)$", 9),
    # Families written after one template: different pages with resemblance up to 0.5.
    (r"sql-drop", 16),
    (r"spi-spi-|contrib-dblink-", 12),
    (r"view-pg-|infoschema-", 12),
    # The rest, as it comes.
    (r"sql-", 20),
    (r"functions-|datatype-", 12),
    (r"tutorial-|queries-|ddl-|dml-", 12),
    (r"app-|catalog-pg-", 12),
    (r"", 23),
)

# Different pages with resemblance of 0.5 and more, or moved pages; in whatever versions
# they exist.
LOOK_ALIKES = (
    r"contrib-dblink-build-sql-(insert|update)|(default|predefined)-roles|disk-?usage"
    r"|gin(-extensibility)?|gist(-extensibility)?|spgist(-extensibility)?|hash-(index|intro)"
    r"|infoschema-(attributes|domains|role-(routine|table)-grants|(routine|table)-privileges)"
    r"|infoschema-routine-(column|table)-usage|install-(make|procedure)|reference|sql-commands"
    r"|release-(13-1[0-6]|15-([2-8]|1[0-8])|17-([2-9]|10))|sql-(commit|rollback)-prepared"
    r"|view-pg-stats(-ext-exprs)?|pgxlogdump|app-pgre(ceive|set)xlog|legalnotice"
)


def write_gzip_jsonl(path, rows):
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        # GzipFile, not gzip.compress: its header is the same in every Python version.
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as compressed:
            compressed.write(data)


def make_postgresql_text(source, folder):
    pages = read_pages(source)
    chosen = set(choose_from_groups(names_in_versions(pages, VERSIONS, MAX_BYTES), GROUPS))
    chosen |= {name for _, name in pages if re.fullmatch(LOOK_ALIKES, name)}
    rows = [
        {
            "id": f"{version}/{name}",
            "text": pages[version, name],
            "version": int(version.removeprefix("pg")),
            "page": name,
        }
        for name in sorted(chosen)
        for version in VERSIONS
        if (version, name) in pages
    ]
    write_gzip_jsonl(folder / "documents.jsonl.gz", rows)
    write_exact_pairs(folder / "documents.jsonl.gz", "0.5")


def make_tracts(source, folder):
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    write_gzip_jsonl(folder / "docs.jsonl.gz", rows)
    write_exact_pairs(folder / "docs.jsonl.gz", "0.1")


def write_exact_pairs(documents, threshold):
    subprocess.run(
        [
            sys.executable,
            str(HERE / "exact_pairs.py"),
            str(documents),
            "--threshold",
            threshold,
            "--words",
            "5",
            "--output",
            str(documents.with_name("exact_pairs.tsv")),
        ],
        check=True,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--postgresql", type=Path, help="pages.jsonl.gz of the manual")
    parser.add_argument("--tracts", type=Path, help="docs.jsonl.gz of the tracts")
    parser.add_argument("output", type=Path, help="folder to write, for example corpus")
    arguments = parser.parse_args()
    if arguments.postgresql:
        make_postgresql_text(arguments.postgresql, arguments.output / "postgresql-text")
    if arguments.tracts:
        make_tracts(arguments.tracts, arguments.output / "ats-tracts")


if __name__ == "__main__":
    main()
