"""datatrove: its four stages on one machine, 16 buckets of 8, two tasks; clusters, not pairs.

Its default English tokenizer (spaCy) takes most of its time, so it gets our words in its
place. What shares a bucket is joined without a look at it; texts shorter than a shingle are
left out.
"""

import os
import shutil
import struct

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import minhash
from datatrove.pipeline.readers import JsonlReader
from datatrove.utils.text import TextNormConfig

import shared

BUCKETS, ROWS = 16, 8


class Words:
    """A tokenizer for datatrove."""

    def word_tokenize(self, text):
        """The words of a text."""
        return shared.words(text)


def config():
    """Shingles and buckets; the words are normal already."""
    as_it_is = TextNormConfig(
        lowercase=False,
        norm_whitespace=False,
        remove_punctuation=False,
        norm_unicode_diacritics=False,
        norm_numbers=False,
        norm_weekdays=False,
        norm_monthnames=False,
    )
    return minhash.MinhashConfig(
        n_grams=shared.SHINGLE_WORDS,
        num_buckets=BUCKETS,
        hashes_per_bucket=ROWS,
        norm_config=as_it_is,
    )


def halves(path, folder):
    """Writes the documents into two files, one for each task; how many the first has."""
    with open(path, "rb") as file:
        lines = file.readlines()
    middle = (len(lines) + 1) // 2
    os.makedirs(folder)
    for number, part in enumerate((lines[:middle], lines[middle:])):
        with open(os.path.join(folder, f"{number}.jsonl"), "wb") as file:
            file.writelines(part)
    return middle


def run(options, folder):
    """Runs the stages up to the clusters."""
    middle = halves(options.documents, f"{folder}/in")
    # Else it would ask for spaCy.
    minhash.load_word_tokenizer = lambda _language: Words()
    signature = minhash.MinhashDedupSignature(f"{folder}/signatures", config=config())
    reader = JsonlReader(f"{folder}/in", text_key="text", id_key="id")
    buckets = minhash.MinhashDedupBuckets(
        f"{folder}/signatures", f"{folder}/buckets", config=config()
    )
    cluster = minhash.MinhashDedupCluster(
        f"{folder}/buckets", f"{folder}/clusters", config=config(), save_cluster_id=True
    )
    for name, pipeline, tasks in (
        ("signature", [reader, signature], shared.PROCESSES),
        ("buckets", [buckets], BUCKETS),
        ("cluster", [cluster], 1),
    ):
        LocalPipelineExecutor(
            pipeline=pipeline,
            tasks=tasks,
            workers=min(tasks, shared.PROCESSES),
            logging_dir=f"{folder}/logs/{name}",
            start_method="fork",
        ).run()
    return middle


def clusters(folder, middle, ids):
    """A row for each document of a cluster."""
    for number in range(shared.PROCESSES):
        path = f"{folder}/clusters/{number:06d}.clusters"
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            for place, cluster in struct.iter_unpack("<II", file.read()):
                yield ids[place + number * middle], cluster


def main():
    """Runs, reads the clusters, writes."""
    options = shared.arguments()
    folder = options.output + "-work"
    shutil.rmtree(folder, ignore_errors=True)
    middle = run(options, folder)
    ids = [document["id"] for document in shared.documents(options.documents)]
    shared.write_rows(options.output, clusters(folder, middle, ids))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
