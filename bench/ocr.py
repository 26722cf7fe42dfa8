"""Precision and recall of features on text with wrong characters, as of OCR: the table of docs/ocr.md.

    python3 bench/ocr.py path/to/neardupe

Texts of corpus/postgresql-text of which no two have a resemblance of 0.2 by words:2, each with a copy in which every character is, with the given probability, exchanged,
left out, doubled or followed by a space (seeded). A pair is right if it is a text and its copy.
"""
import gzip, json, pathlib, random, subprocess, sys, tempfile

PROGRAM, SEED = sys.argv[1], 20260101
CORPUS = pathlib.Path(__file__).parent.parent / "corpus/postgresql-text/documents.jsonl.gz"
KINDS = ["words:5", "words:2", "chars:20", "grams:20", "grams:8", "grams:5", "grams:5,nospace"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"

def find(folder, documents, kind, threshold):
    path, out = folder / "in.jsonl", folder / "out"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in documents))
    subprocess.run([PROGRAM, "find", path, "-q", "-o", out, "--features", kind, "-t", str(threshold), "--pairs", "all", "--cluster", "none"], check=True)
    return [(row["left"], row["right"]) for row in map(json.loads, open(out / "pairs.jsonl"))]

def noisy(text, rate, chance):
    def one(c):
        if chance.random() >= rate: return c
        return [chance.choice(LETTERS), "", c + c, c + " "][chance.randrange(4)]
    return "".join(map(one, text))

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    rows = [json.loads(line) for line in gzip.open(CORPUS, "rt")]
    rows = [(r["id"], r["text"][:3000]) for r in rows if len(r["text"]) > 500][:3000]
    similar = {frozenset(pair) for pair in find(folder, rows, "words:2", 0.2)}
    texts = []                                  # one after the other, if it is similar to none before
    for row in rows:
        if not any(frozenset((row[0], kept)) in similar for kept, _ in texts): texts.append(row)
    print(f"{len(texts)} texts\n")
    rates = [0, 0.01, 0.02, 0.05, 0.1]
    print("| `--features` | `-t` | " + " | ".join(f"{rate:.0%}" for rate in rates) + " |")
    print("|---|---|" + "---|" * len(rates))
    for kind in KINDS:
        for threshold in (0.3, 0.5):
            cells = []
            for rate in rates:
                chance = random.Random(SEED)
                copies = [(i + "+", noisy(t, rate, chance)) for i, t in texts]
                pairs = find(folder, texts + copies, kind, threshold)
                right = sum(a.rstrip("+") == b.rstrip("+") for a, b in pairs)
                precision = f"{right / len(pairs):.2f}" if pairs else "-"
                cells.append(f"{precision} / {right / len(texts):.2f}")
            print(f"| `{kind}` | {threshold} | " + " | ".join(cells) + " |", flush=True)
