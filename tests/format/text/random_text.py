#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_text.py: checks that the library and the naive loader agree on random text.

random_text.py DATAVIEW [SEEDS [FIRST]]: of each seed options, columns and files are drawn: all
flags and separators, every form of range, embedded options, header files, odd quotes, sparse items
out of order, any line end, broken encodings, values that do not parse.  `cat --format exact` must
print what naive_text.py reads, or both refuse.  A complaint names the seed; `--make SEED FOLDER`
writes its files down and prints the options.  CASES are what once was read otherwise.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from naive_text import Refused, Table
from text_golden import difference

SEPARATORS = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";", "bar": "|", "colon": ":",
              ",": ",", ";": ";", "|": "|", "x": "x", "X": "x", "^": "^",
              "tab,comma": "\t,", "space,tab": " \t", "bar,semicolon,x": "|;x"}
TYPES = ["I1", "I2", "I4", "I8", "U1", "U2", "U4", "U8", *3 * ["R4"], *2 * ["R8"], *5 * ["TX"],
         "BL", "TS", "DT", "DZ", "UG", "U1[]", "U4[5]", "U2[0-9]", "U8[3-20]", "U4[1-*]",
         "U1[0-*]", "U8[5-]", "U8[]", "U4[2]", "num", "text", "Bool", "9", "TimeSpan", "U16"]
INTEGERS = ["0", "1", "-1", "5", "9", "10", "127", "128", "-127", "-128", "255", "256", "32767",
            "-32768", "65535", "65536", "2147483647", "-2147483648", "4294967295", "4294967296",
            "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-0", "00", "007",
            "18446744073709551615", "18446744073709551616", 30 * "0" + "7", 40 * "9", "-", "--1"]
REALS = ["0", "-0", "1.5", "-2.25", ".5", "5.", ".", "1e3", "1E-3", "1e", "1e+", "1e400", "1e-400",
         "-1e39", "3.4028236e38", "3.4028235677973366e38", "1e-45", "7e-46", "7.1e-46", "+5", "+",
         "16777217", "16777217.0000000001", "0.1", "1,5", "1,2,3", "1.2.3", "Infinity", "-Infinity",
         "+Infinity", "inf", "\u221e", "-\u221e", "1 ", "1\u00a0", "\u30001", "0x10", "1_0",
         "9007199254740993", "4.9e-324", "2.4e-324", "1.7976931348623159e308", "1e99999999999"]
MISSING = ["?", "NA", "na", "N/A", "n/a", "NaN", "nan", " ?", "? ", "Na", "NAN"]
BOOLS = ["t", "F", "yes", "No", "TRUE", "false", "+1", "-1", "+", "2", "on", "true ", "y"]
TIMES = ["1", "-3", "1.02:03", "02:03:04.5", "24:00:00", "24:00", "1:2:3:4.0000001", "10675199",
         "10675200", "-10675199.02:48:05.4775807", "0:0:0.00000005", "0:0:0.12345678", "1.", "1:",
         "2017-01-01", "2017-01-01T02:03:04Z", "2017-02-29", "2016-02-29T00:00:00.1234567+02:00",
         "0001-01-01", "9999-12-31T23:59:59.9999999", "0001-01-01T00:00:00+01:00",
         "1/2/2017 3:04 PM", "2017-1-1", "2017-01-01T24:00:00",
         "2017-01-01 12:30:15.5-14:00", "2017-01-01+14:01"]
WORDS = ["a", "Abc", "", "", "  ", " a", "b ", "\u00e9t\u00e9", "\u65e5\u672c", "\U0001f600", "a b",
         "#", "//", "# c", "a\0b", "\0", "\ufeff", "\ufeffx", "\x1f", "\x85", "\u2028", "{", "\\",
         "0x" + 31 * "0" + "1", "0X" + 16 * "Fe", "0x12", "\t", "x" * 70, "a\u200b"]
QUOTED = ['"a"', '""', '"a""b"', '"', '"a', '"a"b', '"a" ', ' "a"', '" "', '"1.5"', '" 7"', '"?"',
          '"a\\"b"', '"\\\\"', '"a\\', '"a\\b"', '""""', '"""', 'a"b', '"a"b"c"', '"x\ny"',
          '"x\r\ny"', '"\n', '"\n\n"', '"1\n//\n"', '"5"', "\"a'", '"a:b"', '"3:4"']
SPARSE = ["0:1", "1:2", "2:x", "3:", "0:0", "4: 5", "7:?", "12:30", "1:\"a\"", "2:\"", "3:\"a\"b",
          "000000001:3", "0000000001:3", "123456789:1", "1:1:1", ":", ":1", "5", "3", "10", "05"]
PIECES = ["", " piece=0", " piece=1", " piece=2", " piece=3", " piece=7", " piece=64"]
NAMES = ["A", "B", "Label", "x y", "\u00e9", "A"]
NAN, ONE, TWO, FIVE = "r4:ffc00000", "r4:3f800000", "r4:40000000", "r4:40a00000"
CASES = [  # options, bytes of a file, and its rows
    # size= gives the number of source columns, so no lines are sampled
    ("size=3", b"1\n1\t2\t5\t1\n", [[ONE, {"len": 2, "idx": [], "val": []}],
                                     [ONE, {"len": 2, "dense": [TWO, FIVE]}]]),
    ("size=2 col=A:~", b"", []),
    # missingrealnan: what is missing at the end is NaN, gaps between sparse items are not
    ("missingrealnan+ col=A:1-**", b"1\t2000000000\t5:1\n",
     [[{"len": 2000000000, "idx": [5], "val": [ONE]}]]),
    ("missingrealnan+ col=A:1-4 col=B:3 col=C:4", b"1\t3\t1:5\n",
     [[{"len": 4, "idx": [1, 3], "val": [FIVE, NAN]}, "r4:00000000", NAN]]),
]


class Maker:
    """Draws everything from one seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.sep, self.separators = "tab", "\t"

    def chance(self, part):
        return self.r.random() < part

    def pick(self, *choices):
        return self.r.choice(choices)

    # --- Options

    def flags(self):
        """Flags, and the options that depend on them."""
        words = []
        usual = {"quote": 0.4, "sparse": 0.4, "trim": 0.2, "header": 0.3, "multilines": 0.25,
                 "missingrealnan": 0.15, "threads": 0.1}
        for name, part in usual.items():
            if self.chance(part):
                words.append(name + self.pick("+", "+", "-", "", "=+"))
        if self.chance(0.7):
            self.sep = self.r.choice(list(SEPARATORS))
            self.separators = SEPARATORS[self.sep]
            words.append(self.pick("sep=", "sep=", "separator=") + self.sep)
            if ":" in self.separators and "sparse-" not in words:
                words = [word for word in words if not word.startswith("sparse")] + ["sparse-"]
        if self.chance(0.1):
            words.append(f"size={self.r.choice([0, 1, 2, 3, 4, 5, 8, 20])}")
        if self.chance(0.1):
            words.append("escapechar=\\")
        if self.chance(0.1):
            words.append("decimal=" + self.pick(",", ",", ".", ";"))
        return words

    def range(self):
        low = self.r.choice([0, 0, 1, 1, 2, 3, 4, 5])
        high = low + self.r.choice([0, 1, 2, 4])
        return self.pick(f"{low}", f"{low}", f"{low}", f"{low}-{high}", f"{low}-{high}", f"{low}-*",
                         f"{low}-", f"{low}-**", f"{low}-**", f"{low}~{high}", f"{low}~*", "~*",
                         "~", f"{low}~**", f"{low}~", f"{low}-{high},{high + 1}", f"{high},{low}",
                         f"{low}-{high},{low}", f"{low}-**,0", f"{high + 2},{low}-{high}")

    def spelled(self):
        """A value of braces, quotes and backslashes, which may be none."""
        parts = ["a", "b c", "\\", "\\\\", '\\"', "\\{", "\\}", "\\\\\\}", "{a}", "{\\{}", '"a}"', "#", "\\#", "="]
        inside = "".join(self.r.choice(parts) for _ in range(self.r.randrange(1, 5)))
        return self.pick(f"{{{inside}}}", f"{{{inside}}}", '"' + inside.replace('"', "") + '"', "a" + inside)

    def column(self):
        name, one = self.r.choice(NAMES), self.range()
        kind = self.r.choice(TYPES)
        if " " not in name and self.chance(0.8):
            return self.pick(f"{name}:{one}", *3 * [f"{name}:{kind}:{one}"])
        words = [f"name={{{name}}}" if " " in name else f"name={name}"]
        if self.chance(0.2):
            words = ["name=" + self.spelled()]
        source = one if "," not in one else "0"
        if self.chance(0.4):
            low = self.r.randrange(5)
            source = self.pick(f"{{min={low}}}", f"{{min={low} max={low + 2}}}",
                               f"{{min={low} var+}}")
        words.append(f"src={source}")
        words += [f"type={kind}"] * self.chance(0.8)
        words += ["key=7"] * (self.chance(0.1) and "[" not in kind)
        self.r.shuffle(words)
        return "{" + " ".join(words) + "}"

    def columns(self):
        return ["col=" + self.column() for _ in range(self.r.choice([1, 1, 2, 2, 3, 5]))]

    # --- Lines

    def cell(self, hostile):
        if self.chance(0.3 * hostile):
            return self.r.choice(QUOTED)
        if self.chance(0.3 * hostile):
            return self.r.choice(SPARSE)
        return self.r.choice(self.pick(INTEGERS, REALS, REALS, MISSING, BOOLS, TIMES, WORDS, WORDS,
                                       ["1", "2", "3"]))

    def sparse_line(self):
        """A valid field, or nearly."""
        length = self.r.randint(1, 12)
        indices = sorted(self.r.sample(range(length), self.r.randint(1, min(length, 4))))
        if self.chance(0.15):
            self.r.shuffle(indices)
        dense = [self.cell(0) for _ in range(self.r.choice([0, 1, 1, 2]))]
        if self.chance(0.85):
            dense.append(str(length - self.chance(0.1)))
        return [*dense, *(f"{i}:{self.cell(0.1)}" for i in indices)]

    def line(self, wide, hostile):
        if self.chance(0.05):
            return self.pick("", "# 1\t2", "//", "// x", " ", "#", "/", "#@", '"', "\t", "//\"")
        if self.chance(0.3 * hostile):
            cells = self.sparse_line()
        else:
            n = wide if self.chance(1 - hostile / 2) else self.r.randint(0, wide + 3)
            cells = [self.cell(hostile) for _ in range(n)]
        blank = " " if self.chance(0.1) else ""
        text = "".join(cell + blank + self.r.choice(self.separators) for cell in cells)
        text = text[: -1 - len(blank)] if cells and self.chance(0.9) else text
        return text + " \t"[: self.r.randrange(3)] * self.chance(0.1)

    def block(self, words):
        """Options in the file, on some lines."""
        text = self.pick("TextLoader{ ", "Text{", "TextLoader{") + " ".join(words) + " }"
        if self.chance(0.03):
            text = self.pick(text[:-1], text[4:], "x", text + " y")
        lines, left = [], text.split(" ")
        while left:
            n = self.r.randint(1, 4)
            lines.append("#@" + self.pick(" ", "  ", "") + " ".join(left[:n]))
            left = left[n:]
            if self.chance(0.2):
                lines.append(self.pick("", "# c", "// c"))
        return lines

    def encoded(self, lines):
        end = self.pick("\n", "\n", "\n", "\r\n", "\r", None)
        text = "".join(line + (end or self.pick("\n", "\r\n", "\r", "\n\n")) for line in lines)
        if self.chance(0.2):
            text = text.rstrip("\r\n")
        how = self.pick(*6 * ["utf-8"], "utf-8-sig", "utf-16-le", "utf-16-be")
        data = text.encode(how)
        if how.startswith("utf-16"):
            data = "\ufeff".encode(how) + data
        if self.chance(0.1):
            data = bytearray(data)
            junk = [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f", b"\x80", b"\0",
                    b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xd8", b"\xf0\x9f\x98"]
            for _ in range(self.r.randint(1, 4)):
                at = self.r.randint(0, len(data))
                data[at:at] = self.r.choice(junk)
        return bytes(data)

    def lines(self):
        wide, hostile = self.r.choice([1, 2, 3, 4, 5, 8]), self.pick(0, 0, 0.2, 0.6, 1)
        lines = [self.line(wide, hostile) for _ in range(self.r.choice([0, 1, 2, 3, 5, 9, 30]))]
        if lines and self.chance(0.03):
            at = self.r.randrange(len(lines))
            lines[at] += self.r.choice(self.separators) + self.pick("y" * 70000, "1," * 30000)
        if self.chance(0.03):
            lines *= 9
        return lines

    def make(self):
        """Options and {name: bytes}; names of header files end in .hdr.

        Several files only where each is read for itself: no rows=, block and open ranges.
        The caller's keysyntax= and a block are never together.
        """
        words, columns, outside = self.flags(), self.columns(), []
        plain = [word for word in words if "\\" not in word]  # in a block a backslash escapes
        block = self.block([*plain, *columns]) if self.chance(0.15) else []
        if self.chance(0.1) and not block:
            columns = []
        n_files = 1 if block or not columns or not self.chance(0.4) else self.pick(2, 3)
        if any("-*" in word or "~" in word or re.search(r"-($|\s|})", word) for word in columns):
            n_files = 1
        if n_files == 1 and self.chance(0.1):
            outside.append(f"rows={self.r.randrange(5)}")
        if self.chance(0.3):
            outside.append(self.pick("blank=empty", "blank=na"))
        if self.chance(0.2) and not block:
            outside.append(self.pick("keysyntax=seed", "keysyntax=count"))
        files, header = {}, self.chance(0.1)
        for i in range(n_files):
            lines = self.lines() if i or header else [*block, *["a"] * (n_files > 1), *self.lines()]
            files[f"{i}.txt"] = self.encoded(lines)
        if header:
            outside.append("hf=names.hdr")
            files["names.hdr"] = self.encoded([*block, *self.lines()])
        if block:
            words, columns = ["quote+"] * self.chance(0.1), columns if self.chance(0.1) else []
        words += outside + columns
        self.r.shuffle(words)
        return " ".join(words), files


def put(folder, files):
    """Write the files; returns the names of the data files."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [name for name in files if name.endswith(".txt")]


def naive(options, names):
    """Lines of JSON, or None and the reason."""
    try:
        table = Table(options, names)
        return [json.dumps(line) for line in [table.schema(), *table.rows()]], ""
    except Refused as refused:
        return None, str(refused)


def complaint(program, options, names, more, read):
    """None if the command prints `read`, the result of naive(); run it in the folder."""
    words = [program, "cat", "--format", "exact", "--quiet", "--from", "text", *more]
    done = subprocess.run([*words, "--text", options, *names], check=False, capture_output=True,
                          timeout=120)
    said = done.stderr.decode("utf-8", "replace").strip()
    wanted, reason = read
    if done.returncode not in (0, 1, 2, 3):
        return f"exit status {done.returncode}: {said}"
    if wanted is None or done.returncode:
        if (wanted is None) == bool(done.returncode):
            return None
        return f"refused, but it is a table: {said}" if done.returncode else f"read, but: {reason}"
    got = [line for line in done.stdout.decode("utf-8").split("\n") if line]
    return difference(wanted, got)


def wrong_cases(program, folder):
    """The number of wrong cases."""
    wrong = 0
    for options, data, wanted in CASES:
        (folder / "case.txt").write_bytes(data)
        read = lines, _ = naive(options, ["case.txt"])
        said = complaint(program, options, ["case.txt"], [], read)
        rows = lines and [json.loads(line) for line in lines[1:]]
        if said or rows != wanted:
            wrong += 1
            print(f"{options!r}, {data!r}: {said or rows}"[:1000])
    return wrong


def main():
    if sys.argv[1] == "--make":
        options, files = Maker(int(sys.argv[2])).make()
        put(pathlib.Path(sys.argv[3]), files)
        print(options)
        return 0
    program = pathlib.Path(sys.argv[1]).resolve()
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        folder, tables = pathlib.Path(name), 0
        failed = wrong_cases(program, folder)
        for seed in range(first, first + seeds):
            for old in folder.iterdir():
                old.unlink()
            options, files = Maker(seed).make()
            names = put(folder, files)
            more = ["--io", ("mmap", "pread")[seed % 2], "--threads", str(1 + seed % 3)]
            read = naive(options, names)
            said = complaint(program, options + PIECES[seed % 7], names, more, read)
            tables += read[0] is not None
            failed += said is not None
            if said:
                print(f"seed {seed}, {options}: {said}"[:1000])
        os.chdir("/")
    print(f"{seeds} files, {tables} of them tables, {failed} read otherwise")
    return 1 if failed or tables < seeds // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
