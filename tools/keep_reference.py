#!/usr/bin/env python3
"""Makes corpus/keep: small collections and which documents each rule of --keep keeps of them.

Slow and plain on purpose; it shares no code with neardupe. Standard library only.

    python3 tools/keep_reference.py corpus/keep

Star clusters: documents come in the order of the rule, those without a value that can be read
last, ties by the bytes of the id. A document is a representative when no representative before
it is similar: Jaccard of the sets of five consecutive words at or above one half, of documents of
the same block only where blocks are made. Any other belongs to the most similar representative
before it, of equally similar ones to the first.

Numbers are decimal and compared exactly. Dates are read by the list of forms below, one
expression for each; what none of them matches is no date.
"""

import datetime
import json
import pathlib
import random
import re
import sys
from decimal import Decimal
from fractions import Fraction

THRESHOLD = Fraction(1, 2)
RULES = [
    "longest",
    "shortest",
    "shortest:url",
    "newest:date",
    "oldest:date",
    "highest:score",
    "lowest:score",
    "prefer:source=wiki",
    "first",
]

# ---------------------------------------------------------------- values

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")


def number(text):
    found = NUMBER.fullmatch(text.strip(" \t\r\n"))
    if not found:
        return None
    if found[1] and abs(int(found[1])) > 10**15:
        mantissa = re.split("[eE]", text)[0]
        return Decimal(0) if not re.search("[1-9]", mantissa) else None
    return Decimal(text.strip())


MONTHS = "january february march april may june july august september october november december".split()
NAMES = {name: place + 1 for place, name in enumerate(MONTHS)}
NAMES |= {name[:3]: place + 1 for place, name in enumerate(MONTHS)}
NAMES["sept"] = 9
ZONES = {"Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
         "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}

MON = r"(?P<mon>[A-Za-z]{3,9})\.?"
DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
YEAR = r"(?P<year>[0-9]{4})"
CLOCK = r"(?P<h>[0-9]{1,2}):(?P<m>[0-9]{2})(?::(?P<s>[0-9]{2})(?:\.(?P<f>[0-9]+))?)?"
HALF = r"(?:\s*(?P<half>[AaPp]\.?[Mm]\.?))?"
ZONE = r"(?:\s*(?P<zone>[A-Za-z]{1,3}|[+-][0-9]{2}:?[0-9]{2}))?"
TIME = rf"(?:(?:\s*,?\s+(?:at\s+)?|T){CLOCK}{HALF}{ZONE})?(?:\s*\([^()]*\))?"
WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?"
FORMS = [
    rf"{WEEKDAY}{DAY}[ -]{MON}[ -]{YEAR}{TIME}",
    rf"{WEEKDAY}{MON}\s+{DAY},?\s+{YEAR}{TIME}",
    rf"{WEEKDAY}{MON}\s+{DAY}\s+{CLOCK}(?:\s+(?P<zone>[A-Za-z]{{2,3}}))?\s+{YEAR}",
    rf"{MON}\s+{YEAR}",
    rf"{YEAR}-(?P<month>[0-9]{{2}})-(?P<day>[0-9]{{2}}){TIME}",
    rf"{YEAR}/(?P<month>[0-9]{{1,2}})/(?P<day>[0-9]{{1,2}}){TIME}",
    rf"{YEAR}-(?P<month>[0-9]{{2}})",
    rf"(?P<one>[0-9]{{1,2}})([/.-])(?P<two>[0-9]{{1,2}})\2{YEAR}{TIME}",
    rf"(?P<day>[0-9]{{1,2}})-(?P<mon>[A-Z]{{3}})-{YEAR}\s+{CLOCK}(?P<wire>(?:[\s\x05]+[A-Z]{{1,2}})+)",
]
FORMS = [re.compile(form) for form in FORMS]
BEGINNING = datetime.datetime(1970, 1, 1)


def moment(year, month, day, hour=0, minute=0, second=0, nanosecond=0, offset=0):
    """Nanoseconds since 1970, or None where the calendar has no such time."""
    try:
        time = datetime.datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
    delta = time - BEGINNING
    return ((delta.days * 86400 + delta.seconds) - offset) * 10**9 + nanosecond


def offset_of(zone):
    if not zone:
        return 0
    if zone.upper() in ZONES:
        return ZONES[zone.upper()] * 3600
    if zone[0] in "+-":
        digits = zone[1:].replace(":", "")
        seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        return -seconds if zone[0] == "-" else seconds
    return None


def date(text):
    """("date", time), ("numeric", time, order), ("open", day first, month first) or None."""
    text = text.strip()
    if NUMBER.fullmatch(text):
        value = number(text)
        return None if value is None else date_of_number(value)
    for form in FORMS:
        found = form.fullmatch(text)
        if found:
            return date_of_form(found.groupdict())
    return None


def date_of_number(value):
    if value == 0 or value.adjusted() > 30:
        return None
    whole = value == value.to_integral_value()
    digits = value.adjusted() + 1
    if whole and value > 0 and digits in (4, 8, 14):
        text = str(int(value))
        parts = [text[:4], text[4:6] or "1", text[6:8] or "1"]
        parts += [text[at : at + 2] or "0" for at in (8, 10, 12)]
        time = moment(*map(int, parts))
        return None if time is None else ("date", time)
    scale = {9: 9, 10: 9, 11: 9, 12: 6, 13: 6, 15: 3, 16: 3, 18: 0, 19: 0}.get(digits)
    if scale is None:
        return None
    return ("date", int(value.scaleb(scale)))


def date_of_form(found):
    get = lambda name: found.get(name)
    hour, minute = int(get("h") or 0), int(get("m") or 0)
    second = int(get("s") or 0)
    nanosecond = int(((get("f") or "") + "0" * 9)[:9])
    if get("wire") and get("f") is None:
        return None
    if get("half"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if get("half").lower().startswith("p") else 0)
    offset = offset_of(get("zone"))
    if offset is None:
        return None
    clock = (hour, minute, second, nanosecond, offset)
    year = int(get("year"))
    if get("one"):
        one, two = int(get("one")), int(get("two"))
        day_first = moment(year, two, one, *clock)
        month_first = moment(year, one, two, *clock)
        if day_first is None and month_first is None:
            return None
        if day_first == month_first:
            return ("date", day_first)
        if month_first is None:
            return ("numeric", day_first, "day")
        if day_first is None:
            return ("numeric", month_first, "month")
        return ("open", day_first, month_first)
    if get("mon"):
        month = NAMES.get(get("mon").lower())
        if month is None:
            return None
    else:
        month = int(get("month"))
    time = moment(year, month, int(get("day") or 1), *clock)
    return None if time is None else ("date", time)


# ---------------------------------------------------------------- rules




def ranks(documents, rule):
    """The value of each document, smaller ones first, None for those that come last; and counts."""
    kind, _, field = rule.partition(":")
    counts = {"documents": len(documents), "readable": 0, "missing": 0, "unreadable": 0}
    if not field:
        return None, None
    if kind == "prefer":
        field, wanted = field.split("=")
        values = [document["fields"].get(field) for document in documents]
        counts["missing"] = values.count(None)
        counts["readable"] = values.count(wanted)
        return [None if one is None else int(one != wanted) for one in values], counts
    texts = [document["fields"].get(field) for document in documents]
    texts = [None if text is None or not text.strip() else text for text in texts]
    counts["missing"] = texts.count(None)
    if kind == "shortest":
        counts["readable"] = len(texts) - counts["missing"]
        return [None if text is None else len(text) for text in texts], counts
    if kind in ("highest", "lowest"):
        values = [None if text is None else number(text) for text in texts]
    else:
        read = [None if text is None else date(text) for text in texts]
        orders = {one[2] for one in read if one and one[0] == "numeric"}
        order = orders.pop() if len(orders) == 1 else None
        values = []
        counts["ambiguous"] = counts["settled"] = 0
        for one in read:
            if one and one[0] == "open":
                counts["settled" if order else "ambiguous"] += 1
                values.append({"day": one[1], "month": one[2], None: None}[order])
            else:
                values.append(one and one[1])
    counts["readable"] = sum(value is not None for value in values)
    unread = len(values) - counts["readable"] - counts["missing"]
    counts["unreadable"] = unread - counts.get("ambiguous", 0)
    if kind in ("highest", "newest"):
        # copy_negate loses no digit; a minus would round.
        negated = lambda value: value.copy_negate() if isinstance(value, Decimal) else -value
        values = [None if value is None else negated(value) for value in values]
    return values, counts


def in_order(documents, rule):
    values, counts = ranks(documents, rule)

    def key(place):
        document = documents[place]
        by_id = document["id"].encode()
        size, chars = len(document["set"]), len(document["text"])
        if rule == "longest":
            return (-size, -chars, by_id)
        if rule == "shortest":
            return (size, chars, by_id)
        if rule == "first":
            return (place,)
        value = values[place]
        return (value is None, 0 if value is None else value, by_id)

    return sorted(range(len(documents)), key=key), counts


def clusters(documents, rule, block=None):
    """Rows of a document and its representative, by the bytes of the first id."""
    order, counts = in_order(documents, rule)
    representatives, rows = [], []
    for place in order:
        mine, best = documents[place], None
        for other in representatives:
            theirs = documents[other]
            if block and mine["fields"].get(block) != theirs["fields"].get(block):
                continue
            overlap = len(mine["set"] & theirs["set"])
            similarity = Fraction(overlap, len(mine["set"] | theirs["set"]))
            if similarity >= THRESHOLD and (best is None or similarity > best[0]):
                best = (similarity, other)
        if best is None:
            representatives.append(place)
        else:
            rows.append([mine["id"], documents[best[1]]["id"]])
    return sorted(rows, key=lambda row: row[0].encode()), counts


# ---------------------------------------------------------------- collections

NUMBERS = [
    "1", "1.0", "+1", "10e-1", "1e28", "9999999999999999999999999999.5", "1e999999999", "-1e999999999",
    "1e-999999999", "-1e-12", "1e-12", "1.1e-12", "0", "-0", "0.0000000001", "0.00000000011",
    "123456789012345678901234567890", "123456789012345678901234567891", "-5", "-5.00", "7.5", "75e-1",
    "123456789012345678901234567890.25", "18446744073709551616", "18446744073709551617", "2", "3",
    "12345678901234567890123", "12345678901234567890123.1", "12345678901234567890123.10", "1e400",
]
NO_NUMBERS = ["n/a", "NaN", "inf", "-Infinity", "1,000", "0x10", "1e", "five", "1e99999999999999999999"]
DATES = [
    "26-FEB-1987 15:01:01.79", " 3-MAR-1987 09:15:05.40", "26-FEB-1987 15:01:01.80 F RM", "26-FEB-1987 15:01:01.00\x05\x05\x05F", "5-Mar-2024",
    "Thu, 26 Feb 1987 15:01:01 GMT", "26 Feb 1987 10:01:01 EST", "26 Feb 1987 17:01:01 +0200",
    "Tue, 5 Mar 2024 10:00:00 -0800 (PST)", "2024-03-05", "2024-03-05T10:00:00Z", "2024-03", "2024",
    "2024-03-05 10:00:00.000000001", "2024-03-05T12:00:00+02:00", "2024-03-05 10:00:00 UTC", "1987.0",
    "March 5, 2024", "5 March 2024", "Mar 5 2024", "Mar. 5, 2024", "Sept 5, 2024", "March 5th, 2024 3:04 PM",
    "Mar 5 2024 12:30 AM", "Tue Mar  5 10:00:00 2024", "Tue Mar  5 10:00:00 UTC 2024", "March 2024",
    "20240305", "20240305100000", "1709632800", "1709632800000", "1709632800000000", "1709632800.5",
    "1709632800000000000", "541000000000", "1.7096328e9", "5/5/2024", "2024/3/5", "2024/03/05 09:30", "-541000000",
    "1815-06-18", "9999-12-31", "0999-01-01",
]
NO_DATES = ["n/a", "soon", "2024-02-30", "31/4/2024", "5/1/24", "05-Mar-24", "20241301", "86400", "12", "0",
            "5 Mar 2024 10:00 CET", "31-MAR-1987 605:12:19.12", "March 5", "1987.5", "12345678901234567"]
OPEN = ["5/1/2024", "1/5/2024", "12.11.2023", "03-04-2024 10:00", "6/7/2019 11:30 PM"]
DAY_FIRST = ["31/12/2023", "13.1.2024", "25-06-2019 08:00"]
MONTH_FIRST = ["12/31/2023", "1/13/2024", "06-25-2019 08:00"]


def scores(numbers):
    pool = numbers.choice([NUMBERS, NUMBERS + NO_NUMBERS, NUMBERS[:8] + NO_NUMBERS])
    # The same digits to beyond what 64 or 128 bits hold, then others.
    long = "9" * 40
    return pool + [long, long[:-1] + "8", long + ".5", "-" + long] if numbers.random() < 0.7 else pool


def dates(numbers, seed):
    pool = DATES + numbers.sample(NO_DATES, 6)
    return pool + [OPEN, OPEN + DAY_FIRST, OPEN + MONTH_FIRST, OPEN + DAY_FIRST + MONTH_FIRST][seed % 4] * 3


def raw(text, numbers):
    """As JSON: what is a JSON number is sometimes written as one."""
    is_json = re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", text)
    if is_json and numbers.random() < 0.6:
        return text
    return json.dumps(text)


def collection(seed):
    numbers = random.Random(seed)
    score_pool, date_pool = scores(numbers), dates(numbers, seed)
    bases = [[f"w{base}x{at}" for at in range(40)] for base in range(5)]
    made, lines = [], []
    for place in range(70):
        words = list(numbers.choice(bases))
        for _ in range(numbers.randrange(4)):
            words[numbers.randrange(len(words))] = f"new{numbers.randrange(9)}"
        words = words[: numbers.choice([30, 36, 40, 40])]
        text = " ".join(words)
        # Seeds of one half have ids that only differ beyond the digits of a floating point number.
        if seed % 2:
            identity = str(12345678901234567890000 + place * 7919 % 997)
            identity_raw = identity
        else:
            identity = f"d{place * 7919 % 997}"
            identity_raw = json.dumps(identity)
        fields, raws = {}, {}

        def put(name, text, as_raw=None):
            fields[name] = text
            raws[name] = json.dumps(text) if as_raw is None else as_raw

        if numbers.random() < 0.85:
            value = numbers.choice(score_pool)
            put("score", value, raw(value, numbers))
        if numbers.random() < 0.9:
            value = numbers.choice(date_pool)
            put("date", value, raw(value, numbers))
        if numbers.random() < 0.8:
            put("url", numbers.choice(["", " ", "/", "/a", "/\u00e9", "/long/path", "/long/path/" + str(place)]))
        if numbers.random() < 0.9:
            put("source", numbers.choice(["wiki", "crawl", "Wiki", ""]))
        block = numbers.choice(["100000000000000000000001", "100000000000000000000002", "1", "1.0"])
        put("block", "1" if block == "1.0" else block, block)
        made.append({"id": identity, "text": text, "fields": fields,
                     "set": {tuple(words[at : at + 5]) for at in range(len(words) - 4)}})
        members = [f'"id": {identity_raw}', f'"text": {json.dumps(text)}']
        members += [f'"{name}": {value}' for name, value in raws.items()]
        lines.append("{" + ", ".join(members) + "}")
    return made, lines


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    expected = []
    for seed in range(8):
        documents, lines = collection(seed)
        name = f"documents-{seed}.jsonl"
        (folder / name).write_text("\n".join(lines) + "\n")
        for rule in RULES:
            for block in (None, "block") if rule == "highest:score" else (None,):
                rows, counts = clusters(documents, rule, block)
                expected.append({"documents": name, "keep": rule, "block_by": block,
                                 "duplicates": rows, "values": counts})
    text = ",\n".join(json.dumps(one) for one in expected)
    (folder / "expected.json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
