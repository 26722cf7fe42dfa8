"""rensa's deduplicator: which documents to keep, in the order of the file; no pairs.

A document is kept when its sketch agrees in less than 80 % with every kept one that LSH
shows. The question is that of `neardupe find` with its default star clusters.
"""

from rensa import RMinHashDeduplicator

import shared
from rensa_pairs import BANDS, NUM_PERM, SEED, sketches


def main():
    """Reads, sketches, writes the ids that are kept."""
    options = shared.arguments()
    index = RMinHashDeduplicator(
        threshold=options.threshold, num_perm=NUM_PERM, use_lsh=True, num_bands=BANDS, seed=SEED
    )
    kept = []
    for ids, hashes in shared.in_processes(sketches, options.documents):
        flags = index.add_pairs(zip(ids, hashes))
        kept += [name for name, flag in zip(ids, flags) if flag]
    shared.write_rows(options.output, ((name, name) for name in kept))


if __name__ == "__main__":
    main()
