#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""split_files.py: random tables, split into files in many ways, are the one table again.

split_files.py DATAVIEW [--tables N] [--seed N]

The files have the columns in drawn orders, blank columns, no rows, narrower types than the whole table has, or separators
of their own; or they lie in folders KEY=VALUE.  Some have a title or remarks.  The command has to read them as it reads the one table: the same
names, types and values.  What one file shows says nothing about lines of another that are rows: CASES.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from urllib.parse import quote

WORDS = ["apple", "pear", "Ann, Bob", "x;y", "tab\tbed", "a|b", 'the "end"', "straße", "two\nlines", "no"]
SEPARATORS = [",", ";", "\t", "|"]


# Files, options, and the lines that `cat` prints or words of its error.
CASES = [
    (["tag,n\n# note\nx,1\ny,2\n", "tag,n\n#ml,3\n#ai,4\nz,5\n"], [], ["tag\tn", "# note\t", "x\t1", "y\t2", "#ml\t3", "#ai\t4",
                                                                      "z\t5"]),
    (["tag,n\n#ml,3\nz,5\n", "tag,n\n# note\nx,1\n"], [], ["tag\tn", "#ml\t3", "z\t5", "# note\t", "x\t1"]),
    (["tag,n\n# note\nx,1\n", "tag,n\n# other\nz,5\n"], [], ["tag\tn", "x\t1", "z\t5"]),
    (["tag,n\nx,1\n", "tag,n\nz,5\n# other\ny,6\n"], [], ["tag\tn", "x\t1", "z\t5", "y\t6"]),
    (["a,b,c\n# note\nx,1,2\n", "a,b\n#x,3\n"], ["--text", "auto match=union"],
     ["a\tb\tc", "# note\t\t", "x\t1\t2", "#x\t3\t"]),
    (["tag,n\n" + "x,1\n" * 300 + "# note\ny,2\n", "#ml,3\n#ai,4\n"], [], "b.csv|\"tag\""),
    (["title\n\na,b\n1,2\n5,6\n", "a,b\n3,4\n"], [], ["a\tb", "1\t2", "5\t6", "3\t4"]),
    (["a,b\n3,4\n", "title\n\nb,a\n1,2\n5,6\n", "two,\n\nlines\na,b\n7,8\n"], [],
     ["a\tb", "3\t4", "2\t1", "6\t5", "7\t8"]),
    (["title\n\na,b\n1,2\n5,6\n", "3,4\n5,6\na,b\n7,8\n"], [], "b.csv"),
    (["title\n\na,b\n1,2\n5,6\n", "3,4\n"], [], "b.csv"),
    (["# title\n1,2\n5,6\n7,8\n", "9,10\n3,4\n"], [], "b.csv"),
    (["# title\n1,2\n5,6\n7,8\n", "# other\n3,4\n"], [], ["C0\tC1", "1\t2", "5\t6", "7\t8", "3\t4"]),
    (["id,n\n1,3\n", "id\n9\n"], ["--text", "auto match=union", "--type", "n:U4"], "b.csv: row 0: column \"n\"|U4, which has no NA"),
    (["id,n\n1,3\n", "id\n9\n"], ["--text", "auto match=union", "--type", "n:I4"], ["id\tn", "1\t3", "9\t"]),
    (["id,n\n1,2\nx,3\n"], ["--type", "id:U4", "--bad-rows", "na"], "row 1|U4, which has no NA|--type id:I8"),
    (["id,n\n1,2\n-3,3\n"], ["--type", "id:U8"], "row 1|U8, which has no NA|--type id:I8"),
    (["id,n\n1,2\n3\n4,5\n"], ["--type", "n:U1"], "row 1|U1, which has no NA|--type n:I8"),
    (["id,n\n1,2\nx,3\n"], ["--type", "id:I8", "--bad-rows", "na"], ["id\tn", "1\t2", "\t3"]),
    (["id,n\n1,3\n", "id,m\n9,4\n"], ["--text", "auto match=union", "--limit", "chain_columns=5"], "chain_columns"),
    (["name,town\na,b\nc,d\n", "q,town\n"], [], "b.csv"),
    (["name,town\na,b\nc,d\n", "town,name\n"], [], ["name\ttown", "a\tb", "c\td"]),
]


def check_case(exe, texts, options, want):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in zip("abcd", texts):
            (pathlib.Path(folder) / f"{name}.csv").write_text(text)
        names = [f"{name}.csv" for name, _ in zip("abcd", texts)]
        run = subprocess.run([exe, "cat", *options, *names], capture_output=True, check=False, cwd=folder, text=True)
    lines = run.stdout.splitlines()
    is_right = (run.returncode == 0 and lines == want if isinstance(want, list)
                else run.returncode == 1 and all(word in run.stderr for word in want.split("|")))
    if not is_right:
        print(f"{texts} {options}: {run.returncode} {lines} {run.stderr}\nnot {want}")
    return is_right


def cat(exe, folder, *paths):
    run = subprocess.run([exe, "cat", *paths], capture_output=True, check=False, cwd=folder)
    return run.returncode, run.stdout


def check_links(exe):
    """Links to folders are not followed, and folders are nested only so deep."""
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "set/k=0").mkdir(parents=True)
        (folder / "set/k=0/a.csv").write_text("v\n1\n")
        (folder / "set/k=1").symlink_to(".")
        (folder / "set/k=0/l=1").symlink_to("..")
        (folder / "set/k=0/b.csv").symlink_to("a.csv")
        wrong += cat(exe, folder, "set") != (0, b"v\tk\n1\t0\n1\t0\n")
        deep = folder / "deep" / "/".join(f"k{i}=1" for i in range(200))
        deep.mkdir(parents=True)
        (deep / "a.csv").write_text("v\n1\n")
        wrong += cat(exe, folder, "deep")[0] != 1
    return wrong


def check_formats(exe):
    """Regression: in a set with a file of another format, the first text decided what is left out of all."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.csv").write_text("tag,n\nx,1\n# note\ny,2\n")
        (folder / "c.csv").write_text("tag,n\n#ml,3\nz,4.5\n")
        (folder / "b.csv").write_text("tag,n\nw,0.5\n")
        subprocess.run([exe, "convert", "b.csv", "b.idv"], check=True, cwd=folder, capture_output=True)
        found = cat(exe, folder, "a.csv", "b.idv", "c.csv")
    want = (0, b"tag\tn\nx\t1\n# note\t\ny\t2\nw\t0.5\n#ml\t3\nz\t4.5\n")
    if found != want:
        print(f"mixed formats: {found} not {want}")
    return found != want


def check_encodings(exe):
    """Text in UTF-16 and UTF-32 without a mark is what it is in UTF-8."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.tsv"
        for text in ["a\tb\n1\t2\n3\t4\n", "1\n2\n3\n", "1\n2\n", "a\r\n1\r\n", "é\tü\n1\t2\n", "a\tb\n1\t\U0001F600\n2\t\U00020000\n",
                     "a\tb\n1\t一\n2\tĀ\n", "ЀĀ\n一1\n一2\n", "一丁\t七\r\n1\t2\r\n", "Ā\n一\n", "a\tb\r1\tł\r2\tx\r",
                     "a\tb\n1\t2\n\x1a"]:
            path.write_text(text, newline="")
            want = cat(exe, folder, "a.tsv")
            for encoding in ["utf-16le", "utf-16be", "utf-32le", "utf-32be"]:
                path.write_bytes(text.encode(encoding))
                if cat(exe, folder, "a.tsv") != want:
                    print(f"{text!r} in {encoding}: {cat(exe, folder, 'a.tsv')} not {want}")
                    wrong += 1
    return wrong


def draw_column(rng, n):
    """Texts of n fields of one kind, in which the first ones may be of a narrower kind."""
    kind = rng.choice(["int", "real", "late real", "late text", "text", "bool", "date", "time", "zeros"])
    late = rng.randrange(n + 1)
    fields = []
    for i in range(n):
        number = rng.randrange(-1000, 1000)
        fields.append({
            "int": lambda: str(number),
            "real": lambda: f"{number / 8}",
            "late real": lambda: f"{number / 8}" if i >= late else str(number),
            "late text": lambda: rng.choice(WORDS) if i >= late else str(number),
            "text": lambda: rng.choice(WORDS),
            "bool": lambda: rng.choice(["true", "false"]),
            "date": lambda: f"20{rng.randrange(10, 30)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
            "time": lambda: f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}",
            "zeros": lambda: f"{rng.randrange(1000):05}",
        }[kind]())
    share = rng.choice([0, 0, 0.1, 0.5])
    return [None if rng.random() < share else field for field in fields]


def write(rng, path, names, rows, how):
    def field(text):
        if text is None:
            return ""
        if how["comma"]:
            text = text.replace(".", ",") if text.replace(".", "").lstrip("-").isdigit() else text
        needs = any(c in text for c in how["sep"] + '"\n\r') or text == "" or how["quoted"]
        return '"' + text.replace('"', '""') + '"' if needs else text

    lines = [how["sep"].join(field(x) for x in row) for row in [names, *rows]]
    if len(rows) > 2 and rng.random() < how.get("title", 0):
        lines[:0] = rng.choice([["Title of the table"], ["Title", ""], ["# made by hand"], ["Title", "", "of two"]])
    if len(rows) > 2 and rng.random() < how.get("remark", 0):
        lines.insert(len(lines) - rng.randrange(2), "# a remark")
    path.write_bytes("".join(line + how["end"] for line in lines).encode())


class Table:
    def __init__(self, rng):
        self.n = rng.randrange(4, 60)
        self.names = [f"{rng.choice(['id', 'x', 'name', 'Total', 'v w'])}{i}" for i in range(rng.randrange(2, 7))]
        self.columns = [draw_column(rng, self.n) for _ in self.names]
        sep = rng.choice(SEPARATORS)
        self.how = {"sep": sep, "end": rng.choice(["\n", "\n", "\r\n"]), "quoted": rng.random() < 0.2,
                    "comma": sep == ";" and rng.random() < 0.5}
        self.odd = {rng.choice(["title", "remark"]): 0.4} if rng.random() < 0.3 else {}
        self.union = rng.random() < 0.3
        self.keys = []
        self.mixed = rng.random() < 0.2 and not self.odd
        self.how["comma"] &= not self.mixed

    def own(self, rng):
        """How a file is written that is not like the others."""
        sep = rng.choice(SEPARATORS)
        return {"sep": sep, "quoted": rng.random() < 0.2, "comma": False} if self.mixed else {}

    def rows(self, names, part):
        return [[self.columns[self.names.index(name)][i] for name in names] for i in part]

    def draw_folders(self, rng, folder):
        """Write files in folders KEY=VALUE, and the one table, in which the keys are columns; returns the folder."""
        kinds = [["2020", "2021"], ["a b", "ö/x", "50%", "=", "true"], ["two\nlines", "\r", 'a "quote', "x,y"], ["true", "false"], ["0.5", "-1"], ["01", "02"],
                 ["2024-05-01", "2024-06-01"], [None, "7"]]
        keys = [(f"key {i}" if rng.random() < 0.3 else f"k{i}", rng.choice(kinds)) for i in range(rng.randrange(1, 4))]
        cuts = sorted(rng.randrange(self.n + 1) for _ in range(rng.randrange(1, 5)))
        files = []
        for k, part in enumerate(range(a, b) for a, b in zip([0, *cuts], [*cuts, self.n])):
            values = [(name, rng.choice(choice)) for name, choice in keys]
            rng.shuffle(values)
            place = "/".join(f"{quote(name, '')}={quote(value, '') if value else '__HIVE_DEFAULT_PARTITION__'}"
                             for name, value in values)
            files.append((f"{place}/part-{k}.csv", part, dict(values)))
        files.sort(key=lambda file: file[0].encode())
        rows = []
        first = next(values for _, part, values in files)
        for path, part, values in files:
            (folder / "set" / path).parent.mkdir(parents=True, exist_ok=True)
            write(rng, folder / "set" / path, self.names, self.rows(self.names, part), self.how)
            rows += [row + [values[name] for name in first] for row in self.rows(self.names, part)]
        write(rng, folder / "whole.csv", [*self.names, *first], rows, {**self.how, "comma": False})
        self.keys = list(first)
        write(rng, folder / "keys.csv", [*first, "last"], [[values[name] for name in first] + ["x"] for _, _, values in files],
              {**self.how, "sep": ",", "comma": False, "title": 0, "remark": 0, "quoted": True})
        return [folder / "set"]

    def draw(self, rng, folder):
        """Write the files, and the one table as it is to be; returns the paths in order."""
        cuts = sorted(rng.randrange(self.n + 1) for _ in range(rng.randrange(1, 5)))
        parts = [range(a, b) for a, b in zip([0, *cuts], [*cuts, self.n])]
        paths, order = [], []
        for k, part in enumerate(parts):
            path = folder / f"part-{k}.csv"
            names = list(self.names)
            if rng.random() < 0.6:
                rng.shuffle(names)
            if self.union and rng.random() < 0.5:
                names = names[:rng.randrange(2, len(names) + 1)]
            for name in names:
                if rng.random() < 0.1:
                    for i in part:
                        self.columns[self.names.index(name)][i] = None
            for name in set(self.names) - set(names):
                for i in part:
                    self.columns[self.names.index(name)][i] = None
            if len(part):
                order += [name for name in names if name not in order]
            if not len(part) and rng.random() < 0.3:
                path.write_bytes(b"")
            else:
                write(rng, path, names, self.rows(names, part), {**self.how, **self.own(rng), **self.odd})
            paths.append(path)
        write(rng, folder / "whole.csv", order, self.rows(order, range(self.n)), self.how)
        return paths


def read(exe, options, paths):
    found = []
    for verb in (["schema", "--json"], ["cat", "--format", "jsonl"]):
        run = subprocess.run([exe, *verb, *options, *map(str, paths)], capture_output=True, check=False)
        if run.returncode:
            return run.stderr.decode("utf-8", "replace")
        found.append(run.stdout.decode())
    columns = [(c["name"], c["type"]) for c in json.loads(found[0])["columns"]]
    return columns, [json.loads(line) for line in found[1].splitlines()]


def key_options(exe, path, keys, rng):
    """Types of keys: those that the names of all folders show, rows or no rows; some are asked for."""
    columns = {c["name"]: c["type"] for c in json.loads(subprocess.run(
        [exe, "schema", "--json", path], capture_output=True, check=True).stdout)["columns"]}
    types = {name: columns[name] for name in keys}
    asked = {name: "TX" for name in keys if rng.random() < 0.2}
    given = [word for name in asked for word in ("--type", f"{name}:TX")]
    return given, [word for name in keys for word in ("--type", f"{name}:{asked.get(name, types[name])}")]


def check(exe, seed):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table = Table(rng)
        if rng.random() < 0.25:
            table.union = table.how["comma"] = False
            paths = table.draw_folders(rng, folder)
        else:
            paths = table.draw(rng, folder)
        given, wanted = ["--text", "auto match=union"] if table.union else [], []
        if table.keys:
            given, wanted = key_options(exe, folder / "keys.csv", table.keys, rng)
        want = read(exe, wanted, [folder / "whole.csv"])
        have = read(exe, given, paths)
        if have == want:
            return True
        print(f"seed {seed}: {have if isinstance(have, str) else have[0]}\nnot {want if isinstance(want, str) else want[0]}")
        if not isinstance(have, str) and not isinstance(want, str):
            for i, (a, b) in enumerate(zip(have[1], want[1])):
                if a != b:
                    print(f"row {i}: {a}\nnot {b}")
                    break
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dataview")
    parser.add_argument("--tables", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.dataview = str(pathlib.Path(args.dataview).resolve())
    wrong = sum(not check(args.dataview, seed) for seed in range(args.seed, args.seed + args.tables))
    wrong += check_links(args.dataview) + check_encodings(args.dataview) + check_formats(args.dataview)
    wrong += sum(not check_case(args.dataview, *case) for case in CASES)
    print(f"{args.tables} tables from seed {args.seed} and {len(CASES)} cases: {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
