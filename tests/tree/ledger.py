#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ledger.py: keeps the record of long runs, docs/security_ledger.csv, and its totals in docs/security.md.

    ledger.py               checks that every row is sound, and that the page shows the totals of the rows
    ledger.py add FILE...   adds the rows of these files, and writes the totals into the page
    ledger.py --selftest

A row is one check of one run of `./dev soak`: when the run started, which commit, how many inputs, kills or failures
were tried, the CPU time in seconds, the lines of the library that the corpus reaches (empty: not measured), and
the number of findings.  A run that is added again replaces its rows.
"""
import csv
import dataclasses
import datetime
import io
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEDGER = ROOT / "docs/security_ledger.csv"
PAGE = ROOT / "docs/security.md"
BEGIN, END = "<!-- totals: ledger.py writes them -->\n", "<!-- end of totals -->\n"
STARTED = "%Y-%m-%dT%H:%MZ"
COMMIT = re.compile(r"[0-9a-f]{7,40}\+?")  # +: with changes that were not committed
TARGET = re.compile(r"[a-z][a-z0-9_]*")


@dataclasses.dataclass(frozen=True)
class Row:
    started: str
    target: str
    commit: str
    executions: int
    cpu_seconds: int
    lines: int | None
    findings: int

    @property
    def key(self):
        return self.started, self.target, self.commit


COLUMNS = [field.name for field in dataclasses.fields(Row)]


def count_of(text, name):
    if not re.fullmatch(r"\d{1,15}", text):
        raise ValueError(f"{name} is {text!r}, not a number")
    return int(text)


def row_of(words):
    """The row of a line of the file, or ValueError."""
    if len(words) != len(COLUMNS):
        raise ValueError(f"{len(words)} columns, not {len(COLUMNS)}")
    said = dict(zip(COLUMNS, words))
    datetime.datetime.strptime(said["started"], STARTED)
    for name, pattern in [("target", TARGET), ("commit", COMMIT)]:
        if not pattern.fullmatch(said[name]):
            raise ValueError(f"{name} is {said[name]!r}")
    for name in ("executions", "cpu_seconds", "findings"):
        said[name] = count_of(said[name], name)
    said["lines"] = count_of(said["lines"], "lines") if said["lines"] else None
    return Row(**said)


def read_rows(text, name):
    """The rows of a ledger; exits if one is not sound."""
    lines = list(csv.reader(io.StringIO(text)))
    if not lines or lines[0] != COLUMNS:
        sys.exit(f"{name}: the first line must be {','.join(COLUMNS)}")
    rows = []
    for number, words in enumerate(lines[1:], 2):
        try:
            rows.append(row_of(words))
        except ValueError as wrong:
            sys.exit(f"{name}:{number}: {wrong}")
    if len({row.key for row in rows}) != len(rows):
        sys.exit(f"{name}: a run is there twice")
    return rows


def text_of(rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(["" if (value := getattr(row, name)) is None else value for name in COLUMNS])
    return out.getvalue()


def merged(rows, more):
    """All rows, in the order of the runs; rows of a run that is there already are replaced."""
    by_key = {row.key: row for row in rows} | {row.key: row for row in more}
    return sorted(by_key.values(), key=lambda row: row.key)


def hours(seconds):
    """12345 as 3:26, hours and minutes: minutes are cut off, never rounded up."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}"


def total_line(name, rows):
    measured = [row for row in rows if row.lines is not None]
    last = max(measured, key=lambda row: row.started).lines if measured else None
    cells = [name, len({(row.started, row.commit) for row in rows}), f"{sum(row.executions for row in rows):,}",
             hours(sum(row.cpu_seconds for row in rows)), "" if last is None else f"{last:,}",
             sum(row.findings for row in rows)]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def totals(rows):
    """The table of the page."""
    lines = ["| target | runs | executions | CPU time, h:min | lines reached | findings |\n", "|---|--:|--:|--:|--:|--:|\n"]
    for target in sorted({row.target for row in rows}):
        lines.append(total_line(f"`{target}`", [row for row in rows if row.target == target]))
    everything = [dataclasses.replace(row, lines=None) for row in rows]
    return "".join([*lines, total_line("all", everything)])


def page_with(page, rows):
    """The page with these totals, or None if it has no place for them."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{totals(rows)}\n{end}{after}" if begin and end else None


def add(files):
    rows = read_rows(LEDGER.read_text(encoding="utf-8"), LEDGER)
    for file in files:
        rows = merged(rows, read_rows(pathlib.Path(file).read_text(encoding="utf-8"), file))
    page = page_with(PAGE.read_text(encoding="utf-8"), rows)
    if page is None:
        sys.exit(f"{PAGE}: the place of the totals is missing")
    LEDGER.write_text(text_of(rows), encoding="utf-8")
    PAGE.write_text(page, encoding="utf-8")


def check():
    text = LEDGER.read_text(encoding="utf-8")
    rows = read_rows(text, LEDGER)
    if text != text_of(merged([], rows)):
        sys.exit(f"{LEDGER}: rows are not in the order of the runs: ledger.py add writes them")
    page = PAGE.read_text(encoding="utf-8")
    if page != page_with(page, rows):
        sys.exit(f"{PAGE}: the totals are not those of {LEDGER.name}: ledger.py add writes them")
    print(f"{len(rows)} rows of the ledger, and their totals")


def selftest():
    head = ",".join(COLUMNS) + "\n"
    text = head + ("2030-01-02T03:04Z,idv,0123456789,100,59,7,0\n"
                   "2030-01-02T03:04Z,kills,0123456789,5,3600,,1\n"
                   "2030-01-03T03:04Z,idv,abcdef0123+,1900,3661,9,2\n")
    rows = read_rows(text, "text")
    wrong = [] if text_of(merged([], rows)) == text else ["rows come back differently"]
    if merged(rows, rows[:2]) != rows or len(merged(rows, [dataclasses.replace(rows[0], target="text")])) != 4:
        wrong.append("a run that is added again is not replaced, or a new one not added")
    want = ("| `idv` | 2 | 2,000 | 1:02 | 9 | 2 |\n| `kills` | 1 | 5 | 1:00 |  | 1 |\n| all | 2 | 2,005 | 2:02 |  | 3 |\n")
    if not totals(rows).endswith("--:|\n" + want):
        wrong.append(f"totals: {totals(rows)}")
    page = f"a\n{BEGIN}old\n{END}b\n"
    if page_with(page, rows) != f"a\n{BEGIN}\n{totals(rows)}\n{END}b\n" or page_with("a\n", rows) is not None:
        wrong.append("totals are not put in their place")
    for line in ["2030-01-02,idv,0123456789,1,1,,0", "2030-01-02T03:04Z,idv,0123456789,-1,1,,0",
                 "2030-01-02T03:04Z,idv,none,1,1,,0", "2030-01-02T03:04Z,a|b,0123456789,1,1,,0",
                 "2030-01-02T03:04Z,idv,0123456789,1,1,0", "2030-01-02T03:04Z,idv,0123456789,1,1,,some"]:
        try:
            row_of(line.split(","))
            wrong.append(f"{line} is accepted")
        except ValueError:
            pass
    for bad in ["", "a,b\n", text + "2030-01-02T03:04Z,idv,0123456789,1,1,,0\n"]:
        try:
            read_rows(bad, "text")
            wrong.append(f"a ledger is accepted: {bad!r}")
        except SystemExit:
            pass
    print("\n".join(wrong) if wrong else "rows of runs are read, added and summed")
    return bool(wrong)


def main():
    words = sys.argv[1:]
    if words == ["--selftest"]:
        return selftest()
    if len(words) > 1 and words[0] == "add":
        return add(words[1:])
    if words:
        sys.exit(__doc__)
    return check()


if __name__ == "__main__":
    sys.exit(main())
