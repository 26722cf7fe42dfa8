"""The features of a text, in as few lines as define them: what docs/features.md says, and a test runs.

    python3 docs/features.py FEATURES < documents.jsonl     # words:N, words:N+M, chars:N, grams:N, grams:N,nospace, lines:N, terms

prints of every document what `neardupe features --features FEATURES --words simple` prints. Only chars:N, grams:N
and texts without a word need a package: xxhash.
"""
import json, re, sys, unicodedata
from collections import Counter

M, GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15
ALONE = re.compile("CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH|IDEOGRAPHIC|(HALFWIDTH )?KATAKANA|HIRAGANA|THAI|.*PROLONGED SOUND MARK")

def mix(v):                                     # a bijection of 64-bit numbers
    v = (v ^ v >> 32) * 0xE9846AF9B1A615D5 & M
    v = (v ^ v >> 29) * 0xA0761D6478BD642F & M
    return v ^ v >> 32

def words(text):                                # runs of letters, marks and digits; some scripts letter by letter
    text = unicodedata.normalize("NFC", text).casefold()
    kind = lambda c: "A" if unicodedata.category(c)[0] in "LN" and ALONE.match(unicodedata.name(c, "")) else unicodedata.category(c)[0]
    kinds = "".join({"L": "r", "N": "r", "M": "m", "A": "A"}.get(kind(c), " ") for c in text)
    return [text[m.start():m.end()] for m in re.finditer("Am*|[rm]+", kinds)]

def word_hash(word):                            # eight bytes at a time, the first low
    first, *rest = [int.from_bytes(word.encode()[i:i + 8], "little") for i in range(0, len(word.encode()), 8)]
    h = mix(first ^ 0x9E6C63D0876A68D1)
    for eight in rest: h = mix(h * 0xD1B54A32D192ED03 & M ^ eight)
    return h

def numbered(h, number, seed=0): return mix(h ^ mix(number + (seed ^ 0x5851F42D4C957F2D) & M)) or 1

def shingle(hashes, seed=0):                    # a sum of products, mixed
    state = [mix((seed ^ 0x2545F4914F6CDD1D) + i * GOLDEN & M) for i in range(1, len(hashes) + 2)]
    total = state[0] + sum(h * (f & ~7 | i * 2 + 1 & 7) for i, (h, f) in enumerate(zip(hashes, state[1:]))) & M
    total = (total ^ total >> 32) * 0xE9846AF9B1A615D5 & M
    return (total ^ total >> 32) or 1

def shingles(hashes, n):                        # one starting at each word; a short text is one as a whole
    if len(hashes) < n: return [numbered(shingle(hashes), len(hashes))] if hashes else []
    return [shingle(hashes[i:i + n]) for i in range(len(hashes) - n + 1)]

def occurrences(text, kind):
    name, _, n = kind.partition(":")
    if name == "lines":                         # a line is a hash of its words
        lines = [words(line) for line in re.split("[\n\r]", text)]
        hashes = []
        for line in filter(None, lines):
            h = 0x9E6C63D0876A68D1
            for word in line: h = mix(h * 0xD1B54A32D192ED03 & M ^ word_hash(word))
            hashes.append(h)
        return shingles(hashes, int(n))
    if name == "chars":
        import xxhash
        joined, found, at = " ".join(words(text)), [], 0
        for word in words(text):
            if at + int(n) <= len(joined): found.append(xxhash.xxh3_64_intdigest(joined[at:at + int(n)].encode()) or 1)
            at += len(word) + 1
        whole = joined.encode()
        return found or ([numbered(xxhash.xxh3_64_intdigest(whole) or 1, len(whole))] if whole else [])
    if name == "grams":                         # at every character
        import xxhash
        n, *rest = n.split(",")
        joined = ("" if rest == ["nospace"] else " ").join(words(text))
        found = [xxhash.xxh3_64_intdigest(joined[i:i + int(n)].encode()) or 1 for i in range(len(joined) - int(n) + 1)]
        whole = joined.encode()
        return found or ([numbered(xxhash.xxh3_64_intdigest(whole) or 1, len(whole))] if whole else [])
    hashes = [word_hash(word) for word in words(text)]
    if name == "terms":                         # the k-th occurrence of a word is a feature of its own
        seen = Counter()
        return [numbered(h, seen.update([h]) or seen[h]) for h in hashes]
    lengths = [int(one) for one in n.split("+")]
    return [f for i, one in enumerate(lengths) if not i or one <= len(hashes) for f in shingles(hashes, one)]

def features(text, kind):                       # a text without a word has one feature: itself
    found = set(occurrences(text, kind))
    if not found and text:
        import xxhash
        high, low = divmod(xxhash.xxh3_128_intdigest(text.encode()), 2**64)
        found = {numbered(high, low, 0x2D6E6F776F726421)}
    return sorted(found)

def simhash(text, kind):                        # each occurrence weighs the same (--idf none)
    all_ = [numbered(word_hash(word), 1) for word in words(text)] if kind == "terms" else occurrences(text, kind)
    weights = Counter(all_)
    if not weights: return None
    if len(weights) < 8:                        # so few that one could outweigh the others: all of them as one
        h = 0x77686F6C65210001
        for one in sorted(all_): h = mix(h * 0xD1B54A32D192ED03 & M ^ one)
        weights = {h: 1}
    most = max(weights.values())
    votes = [(mix(f ^ 0x53494D4841534821), int(w / most * 2**24 + 0.5)) for f, w in weights.items()]
    return sum(1 << bit for bit in range(64) if sum(w if h >> bit & 1 else -w for h, w in votes) > 0)

if __name__ == "__main__":
    for line in sys.stdin:
        record, kind = json.loads(line), sys.argv[1]
        values = [f"{value:016x}" for value in features(record["text"], kind)]
        row = {"id": record["id"], "words": len(words(record["text"])), "size": len(values), "features": values}
        if kind.startswith(("words", "terms")):
            code = simhash(record["text"], kind)
            row["code"] = None if code is None else f"{code:016x}"
        print(json.dumps(row))
