"""gaoya: MinHash of 128 values, 16 bands of 8, its own tokenizer and threads.

The text goes in as words with spaces between, so gaoya's own word shingles, made in Rust,
are ours. `par_bulk_insert_docs` and `par_bulk_query` are its fastest documented calls; each
makes all sketches, for an index cannot be asked about the documents it holds. 32 and 16 bit
hashes take the same time, 64 bit ones more; `vec` is as fast as the other containers.
"""

from gaoya.minhash import MinHashStringIndex

import shared

BANDS, ROWS = 16, 8


def read(path):
    """Ids and texts, without the documents that have no word."""
    ids, texts = [], []
    for document in shared.documents(path):
        text = normal(document["text"])
        if text:
            ids.append(document["id"])
            texts.append(text)
    return ids, texts


def normal(text):
    """The words of a text between spaces. One that is shorter than a shingle becomes a
    single one, else gaoya would make no shingle and take all such texts for equal."""
    simple = shared.spaced(text)
    if simple is None:
        simple = " ".join(shared.words(text))
    first = simple.split(maxsplit=shared.SHINGLE_WORDS - 1)
    if len(first) >= shared.SHINGLE_WORDS:
        return simple
    padding = [shared.JOINT] * (shared.SHINGLE_WORDS - 1)
    return " ".join([shared.JOINT.join(first)] + padding) if first else ""


def new_index(threshold):
    """An empty index for word 5-shingles."""
    return MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=threshold,
        num_bands=BANDS,
        band_size=ROWS,
        analyzer="word",
        ngram_range=(shared.SHINGLE_WORDS, shared.SHINGLE_WORDS),
        id_container="vec",
    )


def main():
    """Reads, inserts, asks, writes."""
    options = shared.arguments()
    ids, texts = read(options.documents)
    index = new_index(options.threshold)
    index.par_bulk_insert_docs(list(range(len(ids))), texts)
    found = index.par_bulk_query(texts)
    pairs = (
        (ids[place], ids[other])
        for place, others in enumerate(found)
        for other in others
        if other > place
    )
    shared.write_rows(options.output, pairs)


if __name__ == "__main__":
    main()
