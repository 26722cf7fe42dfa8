"""rensa: R-MinHash of 128 values, LSH of 16 bands, pairs whose sketches agree in 80 %.

Shingles and sketches are made in two processes (its own threads would wait for Python's
strings); the index is asked for all documents in one call.
"""

from rensa import RMinHash, RMinHashLSH

import shared

NUM_PERM, BANDS, SEED = 128, 16, 42


def sketches(lines):
    """Ids and sketches of some lines."""
    ids, lists = shared.shingle_lists(lines)
    return ids, RMinHash.from_token_sets(lists, num_perm=NUM_PERM, seed=SEED)


def pairs(ids, hashes, threshold):
    """The pairs, each once."""
    index = RMinHashLSH(threshold=threshold, num_perm=NUM_PERM, num_bands=BANDS)
    index.insert_many(hashes)
    for place, candidates in enumerate(index.query_all(hashes)):
        own = hashes[place]
        for other in candidates:
            if other > place and own.jaccard(hashes[other]) >= threshold:
                yield ids[place], ids[other]


if __name__ == "__main__":
    shared.sketch_and_join(sketches, pairs)
