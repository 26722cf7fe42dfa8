"""rensa with an index that stays in memory: what some new documents against it take.

Only the new documents are timed, from reading them to the written pairs; the index of the
old ones is there already. The times go to OUTPUT.json.
"""

import json
import sys
import time

from rensa import RMinHashLSH

import shared
from rensa_pairs import BANDS, NUM_PERM, sketches

THRESHOLD = 0.8


def add(index, old_ids, old_hashes, path):
    """The pairs of new documents with old ones."""
    for lines in shared.batches(path):
        ids, hashes = sketches(lines)
        for name, own, candidates in zip(ids, hashes, index.query_all(hashes)):
            for other in candidates:
                if own.jaccard(old_hashes[other]) >= THRESHOLD:
                    yield name, old_ids[other]


def main():
    """Makes the index, then times the new documents."""
    old, new, output = sys.argv[1:]
    old_ids, old_hashes = [], []
    for ids, hashes in shared.in_processes(sketches, old):
        old_ids += ids
        old_hashes += hashes
    index = RMinHashLSH(threshold=THRESHOLD, num_perm=NUM_PERM, num_bands=BANDS)
    index.insert_many(old_hashes)
    wall, cpu = time.perf_counter(), time.process_time()
    shared.write_rows(output, add(index, old_ids, old_hashes, new))
    spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    with open(output + ".json", "w", encoding="utf-8") as file:
        json.dump(spent, file)


if __name__ == "__main__":
    main()
