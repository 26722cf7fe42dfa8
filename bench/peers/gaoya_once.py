"""gaoya with each sketch made once: how fast it could be, though not by its documentation.

Its extension has a call `bulk_hash_docs` that the Python class does not show. Bands and
comparison of sketches are then done here with NumPy; gaoya's index is not used.
"""

import numpy

import shared
from gaoya_pairs import BANDS, ROWS, new_index, read

# Pairs that are compared at a time.
CHUNK = 1 << 16


def pairs(sketches, threshold):
    """Places of documents that share a band and agree in enough values, each pair once."""
    found = set()
    for band in range(BANDS):
        part = numpy.ascontiguousarray(sketches[:, band * ROWS : (band + 1) * ROWS])
        keys = part.view(numpy.dtype((numpy.void, part.itemsize * ROWS))).ravel()
        order = numpy.argsort(keys, kind="stable")
        same = keys[order[1:]] == keys[order[:-1]]
        for group in numpy.split(order, numpy.flatnonzero(~same) + 1):
            if len(group) > 1:
                members = group.tolist()
                found.update(
                    (left, right)
                    for number, left in enumerate(members)
                    for right in members[number + 1 :]
                )
    if not found:
        return []
    left, right = numpy.array(sorted(found)).T
    return enough(sketches, left, right, threshold)


def enough(sketches, left, right, threshold):
    """The pairs of places whose sketches agree in enough values."""
    for start in range(0, len(left), CHUNK):
        some_left, some_right = left[start : start + CHUNK], right[start : start + CHUNK]
        agree = (sketches[some_left] == sketches[some_right]).mean(1) >= threshold
        yield from zip(some_left[agree].tolist(), some_right[agree].tolist())


def main():
    """Reads, sketches, compares, writes."""
    options = shared.arguments()
    ids, texts = read(options.documents)
    index = new_index(options.threshold)
    sketches = numpy.array(index.minhash_index.bulk_hash_docs(texts), dtype=numpy.uint32)
    found = pairs(sketches, options.threshold)
    shared.write_rows(options.output, ((ids[left], ids[right]) for left, right in found))


if __name__ == "__main__":
    main()
