"""Packs the dictionary of jieba-rs for crates/neardupe-core/src/text/dictionary.

    python3 tools/jieba_dictionary.py PATH/TO/jieba-rs-0.11.0

The same input gives the same bytes.
"""

import gzip
import pathlib
import sys

TARGET = pathlib.Path(__file__).parent.parent / "crates/neardupe-core/src/text/dictionary/jieba.txt.gz"


def main():
    words = (pathlib.Path(sys.argv[1]) / "src/data/dict.txt").read_bytes()
    with open(TARGET, "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=9, mtime=0) as packed:
            packed.write(words)
    print(f"{TARGET}: {len(words):,} bytes packed into {TARGET.stat().st_size:,}")


if __name__ == "__main__":
    main()
