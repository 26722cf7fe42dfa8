"""SetSimilaritySearch: the exact join in Python. Its answer is also the truth of this benchmark."""

from SetSimilaritySearch import all_pairs

import shared


def main():
    """Reads, joins, writes."""
    options = shared.arguments()
    ids, sets = [], []
    # Each distinct shingle gets a number: lists of numbers take less memory than sets.
    numbers = {}
    for batch in shared.batches(options.documents):
        some_ids, lists = shared.shingle_lists(batch)
        ids += some_ids
        for found in lists:
            distinct = {numbers.setdefault(shingle, len(numbers)) for shingle in found}
            sets.append(list(distinct))
    del numbers
    found = all_pairs(sets, "jaccard", options.threshold)
    shared.write_rows(options.output, ((ids[left], ids[right]) for left, right, _ in found))


if __name__ == "__main__":
    main()
