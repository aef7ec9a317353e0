#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pollute.py: makes CSV files with one fault each, opens them without options, and scores the rows.

pollute.py DATAVIEW [--every N] [--least SIMPLE WEIGHTED] [--keep FOLDER] [--verbose] [--raw]
           [--only TEXT]

The faults are those of Pollock (Vitagliano and others: "Pollock: A Data Loading Benchmark", VLDB
2023): of one table, a file for each place where a separator or a quote is lost or added, for each
row with another separator, and for each other manner to write or surround the table.  The tables
are made here.  --every takes one place of N.

Each file has ten figures between 0 and 1: is it read, and precision, recall and F1 of the names, of
the rows and of the fields.  Simple is their sum, averaged over the files; for weighted, a kind of
fault counts as often as Pollock's survey of public data met it.  Rows and fields are compared as
values, so that a date is the same however it is written; with --raw fields are compared as texts.
A file that is read with a loss and without a warning is an error.
"""
import argparse
import collections
import csv
import datetime
import io
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from concurrent import futures

# How often the survey met the faults of a kind, all of its places together.
WEIGHTS = {
    "source": 1, "empty": 15, "no_last_newline": 184, "two_last_newlines": 5, "no_header": 470,
    "header_2": 47, "header_3": 47, "preamble": 282, "tables_same": 62.7, "tables_more": 62.7,
    "tables_less": 62.7, "header_only": 3, "one_row": 4, "ends_cr": 7, "ends_lf": 1691,
    "sep_tab": 4, "sep_semicolon": 834, "sep_space": 4, "sep_comma_space": 101, "quote_single": 5.5, "quote_loose": 5.5,
    "escape_backslash": 1, "escape_sign": 1, "escape_none": 7, "less_sep": 247, "more_sep": 278, "stray_quote": 7,
    "row_sep": 31}

WORDS = ("amber basket canvas denim ember feather granite harbor ivory jacket kettle lantern "
         "marble needle oyster pillow quiver ribbon saddle timber umbrella velvet willow").split()


# --- Tables ---

class Field(str):
    """A text that is written in quotes, also where none are needed."""


def shop_table():
    """Dates, times, numbers, codes, prices, texts with commas and quotes, a column of blanks."""
    draw = random.Random(20230)
    rows = [["Day", "Hour", "Count", "Code", "Price", "Kind", Field("Text"), Field("Link"), "Note"]]
    for i in range(83):
        day = datetime.date(2019, 1 + i // 16, 13 + i % 16)
        kind = " ".join(draw.sample(WORDS, 2)).title()
        kind = Field(f"{kind}, {draw.choice(WORDS)}") if i % 3 == 1 else kind
        kind = Field(f'{kind} {draw.randint(5, 60)}"') if i % 20 == 9 else kind
        kind = f"{draw.choice(['Men', 'Women'])}'s {kind}" if i % 4 == 0 else kind
        text = " ".join(draw.choices(WORDS, k=draw.randint(12, 30))).capitalize()
        text = text.replace(" ", ", ", draw.randint(0, 2)) + f" isn't {draw.choice(WORDS)}."
        text = text.replace(" isn't", " 8\\'9\" isn't") if i == 11 else text
        code = f"{draw.choice('ABCD')}{draw.choice('XYZ')}-{draw.randint(1000, 9999)}"
        rows.append([f"{day:%d/%m/%Y}", f"{i // 4:02}:{i % 4 * 15:02}", str(draw.randint(0, 30)),
                     code, f"${draw.randint(100, 9999) / 100:.2f}",
                     Field(kind) if "," in kind or '"' in kind else kind, Field(text),
                     Field(f"https://www.example.org/{code}.html"), ""])
    return rows


def sensor_table():
    """Numbers and a few short texts; no field needs quotes."""
    draw = random.Random(7)
    rows = [["id", "place", "x", "y", "level", "ok"]]
    for i in range(40):
        rows.append([str(i), draw.choice(WORDS), f"{draw.uniform(-9, 9):.3f}",
                     f"{draw.uniform(0, 1):.4f}", str(draw.randint(10, 99)),
                     draw.choice(["true", "false"])])
    return rows


def name_table():
    """Texts alone."""
    draw = random.Random(11)
    rows = [["first", "last", "city", "remark"]]
    for i in range(30):
        rows.append([draw.choice(WORDS).title(), draw.choice(WORDS).title(),
                     Field(f"{draw.choice(WORDS).title()}, {draw.choice(['N', 'S'])}"),
                     Field(" ".join(draw.choices(WORDS, k=6)))])
    return rows


TABLES = {"shop": shop_table, "sensor": sensor_table, "name": name_table}


# --- Faults ---

class Style:
    """How a table is written."""

    def __init__(self, sep=",", quote='"', escape='"', end="\r\n"):
        self.sep, self.quote, self.escape, self.end = sep, quote, escape, end

    def needs_quotes(self, text):
        return isinstance(text, Field) or self.sep in text or self.quote in text or (
            "\n" in text) or '"' in text

    def field(self, text):
        if not self.needs_quotes(text):
            return text
        inner = text.replace(self.quote, self.escape + self.quote)
        return self.quote + inner + self.quote

    def line(self, row):
        return self.sep.join(self.field(f) for f in row) + self.end

    def table(self, rows):
        return "".join(self.line(row) for row in rows)


def with_line(style, rows, at, line):
    return style.table(rows[:at]) + line + style.table(rows[at + 1:])


def whole_files(rows):
    """(kind, bytes, rows that should be read; None: an error) of faults of the whole file."""
    plain, text = Style(), Style().table(rows)
    names, width = rows[0], len(rows[0])
    yield "source", text, rows
    yield "empty", "", []
    yield "no_last_newline", text[:-2], rows
    yield "two_last_newlines", text + "\r\n", rows
    yield "no_header", plain.table(rows[1:]), rows[1:]
    for n in (2, 3):
        yield f"header_{n}", plain.line(names) * (n - 1) + text, [
            [" ".join([name] * n) for name in names], *rows[1:]]
    yield "preamble", plain.line(["REPORT"] + [""] * (width - 1)) + plain.line([""] * width) + (
        text), rows
    for kind, change in (("same", 0), ("more", 1), ("less", -1)):
        other = [row[:change] if change < 0 else row + [row[-1]] * change for row in rows]
        yield f"tables_{kind}", text + plain.table(other), rows if kind != "more" else None
    yield "header_only", plain.line(names), rows[:1]
    yield "one_row", plain.table(rows[:2]), rows[:2]
    for kind, style in (("ends_cr", Style(end="\r")), ("ends_lf", Style(end="\n")),
                        ("sep_tab", Style(sep="\t")), ("sep_semicolon", Style(sep=";")),
                        ("sep_space", Style(sep=" ")), ("sep_comma_space", Style(sep=", ")),
                        ("quote_single", Style(quote="'", escape="'")),
                        ("quote_loose", Style(quote="'", escape="")),
                        ("escape_backslash", Style(escape="\\")),
                        ("escape_sign", Style(escape="^")),
                        ("escape_none", Style(escape=""))):
        yield kind, style.table(rows), rows


def places(rows):
    """The same for faults at one place: (kind, place, bytes, rows)."""
    plain = Style()
    for i, row in enumerate(rows):
        fields = [plain.field(f) for f in row]
        for k, field in enumerate(row):
            more = fields[:k] + [""] + fields[k:]
            is_lost = i > 0 and more[-1] != ""
            yield "more_sep", (i, k), with_line(plain, rows, i, ",".join(more) + "\r\n"), (
                None if is_lost else rows)
            if k > 0:
                less = fields[:k - 1] + [fields[k - 1] + fields[k]] + fields[k + 1:]
                yield "less_sep", (i, k), with_line(plain, rows, i, ",".join(less) + "\r\n"), rows
            inner = fields[k][:1] + '"' + fields[k][1:] if fields[k][:1] == '"' else (
                '"' + fields[k])
            stray = ",".join(fields[:k] + [inner] + fields[k + 1:]) + "\r\n"
            wanted = [list(r) for r in rows]
            wanted[i][k] = '"' + field
            yield "stray_quote", (i, k), with_line(plain, rows, i, stray), wanted
        yield "row_sep", (i, 0), with_line(plain, rows, i, Style(sep=" ").line(row)), rows


def files(every, only):
    for name, make in TABLES.items():
        rows = make()
        made = [(kind, "", text, wanted) for kind, text, wanted in whole_files(rows)]
        made += [place for i, place in enumerate(places(rows)) if i % every == 0]
        for kind, place, text, wanted in made:
            label = f"{name}-{kind}" + "".join(f"-{p}" for p in place)
            if only in label:
                yield name, kind, label, text, wanted


# --- Scores ---

def value_of(text):
    """A text that is the same for all ways to write a value."""
    date = re.fullmatch(r"(\d\d)/(\d\d)/(\d{4})", text)
    if date:
        return f"{date[3]}-{date[2]}-{date[1]}"
    date = re.fullmatch(r"(\d{4}-\d\d-\d\d)T00:00:00\.0+", text)
    if date:
        return date[1]
    if re.fullmatch(r"-?\d+\.\d*", text):
        return repr(float(text))
    return {"true": "1", "false": "0"}.get(text.lower(), text.lower())


def overlap(wanted, found):
    """Precision, recall and F1 of the found texts."""
    if not wanted:
        return [1.0] * 3
    both = sum((collections.Counter(wanted) & collections.Counter(found)).values())
    if both == 0:
        return [0.0] * 3
    precision, recall = both / len(found), both / len(wanted)
    return [precision, recall, 2 * precision * recall / (precision + recall)]


def score(wanted, found, is_raw):
    if not wanted:
        return [float(found is not None)] + [1.0] * 9
    if found is None:
        return [0.0] * 10
    same = str if is_raw else value_of
    rows = [["".join(value_of(f) for f in row) for row in part[1:]] for part in (wanted, found)]
    fields = [[same(f) for row in part for f in row] for part in (wanted, found)]
    return [1.0] + overlap([f.lower() for f in wanted[0]], [f.lower() for f in (found or [[]])[0]]) + (
        overlap(*rows)) + overlap(*fields)


def read(dataview, path):
    """(rows; None: an error, lines on standard error)"""
    done = subprocess.run([dataview, "cat", "--format", "csv", path], capture_output=True,
                          check=False)
    said = [line for line in done.stderr.decode(errors="replace").splitlines()
            if " read with " not in line or " skip=" in line]
    if done.returncode:
        return None, said
    text = done.stdout.decode(errors="replace")
    return list(csv.reader(io.StringIO(text, newline=""))), said


def judge(dataview, folder, is_raw, file):
    table, kind, label, text, wanted = file
    path = pathlib.Path(folder) / f"{label}.csv"
    path.write_bytes(text.encode())
    found, said = read(dataview, path)
    if wanted is None:  # a field too many that is not blank
        return table, kind, label, None, said, found is not None
    figures = score(wanted, found, is_raw)
    skip = kind == "no_header"  # names were made
    values = [[value_of(f) for row in part[skip * i:] for f in row if f]
              for i, part in enumerate((wanted, found or []))]
    is_same = collections.Counter(values[0]) == collections.Counter(values[1])
    return table, kind, label, figures, said, found is not None and not is_same and not said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dataview")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--least", type=float, nargs=2)
    parser.add_argument("--keep")
    parser.add_argument("--only", default="")
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp()
    pathlib.Path(folder).mkdir(exist_ok=True)
    with futures.ThreadPoolExecutor(2) as pool:
        judged = list(pool.map(lambda f: judge(args.dataview, folder, args.raw, f),
                               files(args.every, args.only)))
    status = 0
    for table in TABLES:
        kinds, silent, refused = collections.defaultdict(list), [], 0
        for _, kind, label, figures, said, is_silent in (j for j in judged if j[0] == table):
            silent += [label] * is_silent
            refused += figures is None
            if figures is None:
                continue
            kinds[kind].append(sum(figures))
            if args.verbose and sum(figures) < 9.9:
                print(f"{sum(figures):6.3f} {label}: {' / '.join(said)[:300]}")
        if not kinds:
            continue
        every = [s for scores in kinds.values() for s in scores]
        simple = sum(every) / len(every)
        mean = {kind: sum(scores) / len(scores) for kind, scores in kinds.items()}
        weight = sum(WEIGHTS[kind] for kind in mean)
        weighted = sum(WEIGHTS[kind] * m for kind, m in mean.items()) / weight
        print(f"{table}: {len(every)} files, simple {simple:.3f}, weighted {weighted:.3f}, "
              f"{refused} refused, {len(silent)} losses without a warning")
        print("  " + ", ".join(f"{k} {m:.3f}" for k, m in mean.items() if m < 9.9995))
        if silent:
            print("  silent:", *silent[:8])
        # a quote after a text begins no field: where these were joined, a comma inside splits them
        status |= args.least is not None and len(silent) > len(every) // 20
        if args.least and (simple < args.least[0] or weighted < args.least[1]):
            print(f"  less than {args.least[0]} and {args.least[1]}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
