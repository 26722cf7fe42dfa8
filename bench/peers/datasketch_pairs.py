"""datasketch: MinHash of 128 values, its own optimum of bands, sketches agreeing in 80 %.

With xxHash in the place of SHA-1, as its documentation advises for speed, `update_batch`,
and sketches made in two processes.
"""

from datasketch import LeanMinHash, MinHash, MinHashLSH
from xxhash import xxh32_intdigest

import shared

NUM_PERM = 128
# Making the permutations anew for each document would take most of the time.
EMPTY = MinHash(num_perm=NUM_PERM, hashfunc=xxh32_intdigest)


def sketches(lines):
    """Ids and sketches of some lines."""
    ids, lists = shared.shingle_lists(lines)
    hashes = []
    for shingles in lists:
        sketch = EMPTY.copy()
        sketch.update_batch(shingles)
        hashes.append(LeanMinHash(sketch))
    return ids, hashes


def pairs(ids, hashes, threshold):
    """The pairs, each once."""
    index = MinHashLSH(threshold=threshold, num_perm=NUM_PERM)
    for place, own in enumerate(hashes):
        # What is asked before it is inserted is found once.
        for other in index.query(own):
            if own.jaccard(hashes[other]) >= threshold:
                yield ids[other], ids[place]
        index.insert(place, own, check_duplication=False)


if __name__ == "__main__":
    shared.sketch_and_join(sketches, pairs)
