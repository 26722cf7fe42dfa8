"""text-dedup: its own command, 128 permutations, two processes; clusters, not pairs.

It splits at every character that is no letter, digit or underscore and keeps the empty
pieces as words, so its shingles differ; what shares a band is joined without a look at it.
"""

import os
import pickle
import shutil
import subprocess
import sys

import shared


def command(options, folder):
    """The command, as in its documentation."""
    found = [sys.executable, "-m", "text_dedup.minhash", "--path", "json"]
    found += ["--data_files", options.documents, "--split", "train", "--no-local"]
    found += ["--cache_dir", os.path.join(folder, "cache"), "--output", folder]
    found += ["--column", "text", "--ngram", str(shared.SHINGLE_WORDS), "--min_length", "0"]
    found += ["--num_perm", "128", "--threshold", str(options.threshold)]
    found += ["--num_proc", str(shared.PROCESSES), "--hash_func", "xxh3", "--hash_bits", "32"]
    return found + ["--debug"]


def main():
    """Runs the command and writes a row for each document of a cluster."""
    options = shared.arguments()
    folder = options.output + "-work"
    shutil.rmtree(folder, ignore_errors=True)
    environment = {**os.environ, "HF_HOME": folder, "HF_HUB_OFFLINE": "1"}
    subprocess.run(command(options, folder), check=True, env=environment)
    # Written by the command just now.
    with open(os.path.join(folder, "uf.pkl"), "rb") as file:
        parents = pickle.load(file)
    parents = getattr(parents, "parent", parents)
    ids = [document["id"] for document in shared.documents(options.documents)]

    def root(place):
        while parents[place] != place:
            place = parents[place]
        return place

    shared.write_rows(options.output, ((ids[place], ids[root(place)]) for place in parents))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
