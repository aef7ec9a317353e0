#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mlnet_text.py: checks that the library and ML.NET read the same from random text files.

    mlnet_text.py DATAVIEW [FILES [FIRST]]     FILES (200) seeds, from seed FIRST (0) on
    mlnet_text.py --keep FOLDER SEED...        write their files as golden ones: what ML.NET reads

Each seed draws small files in ML.NET's dialect where its loader has rules of its own: blank lines, headers with empty
fields, lines with fewer or more columns, sparse rows, every form of range, size=, trim, separators, header files,
byte order marks and damaged ones.  Both must give the same table, or both must refuse.  ALLOWED lists the documented
differences.  Skipped unless DV_MLNET, in the environment, names a folder with net.py: a module that runs ML.NET 1.5.
"""
import json
import os
import pathlib
import random
import re
import sys
import tempfile

from text_golden import by_command, check

SEPARATORS = {"tab": "\t", "comma": ",", "space": " ", "semicolon": ";", "bar": "|", "tab,comma": "\t,"}
REALS = ["0", "1", "2", "3.5", "-4", "?", "NaN", "x", "", "", " ", " 5", "6 ", "1e3"]
TEXTS = ["a", "b c", "", "", " ", "  d", "e  ", "f:g", "7", "0", "\u00e9", "?", "NA"]
QUOTED = ['""', '"q"', '"1"', '"a""b"', '" r "', '"3:4"', '"open', '"x"y', ' "s" ']
BLANKS = [" ", "   ", "\t", "  \t ", "\u00a0", "\u3000 ", ""]
MARKS = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"]


class Draw:
    """Draws everything from one seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.sep = self.r.choice(list(SEPARATORS))
        self.separators = SEPARATORS[self.sep]
        self.has = {flag: self.r.random() < part
                    for flag, part in (("quote", 0.4), ("sparse", 0.5), ("trim", 0.4), ("header", 0.4))}
        self.width = self.r.choice([1, 2, 3, 4, 5, 8])
        self.is_even = self.chance(0.7)  # all lines have as many columns

    def chance(self, part):
        return self.r.random() < part

    def pick(self, *choices):
        return self.r.choice(choices)

    # --- Options

    def range(self, may_be_rest):
        low = self.r.choice([0, 0, *range(self.width), self.width, 4])
        high = low + self.r.choice([0, 0, 1, 2, 4])
        rest = [f"{low}~", f"{low}~*", "~", f"{low}~{high}", f"{low}~{high}", f"{low}~**"] if may_be_rest else []
        return self.r.choice([f"{low}", f"{low}", f"{low}-{high}", f"{low}-{high}", f"{low}-*", f"{low}-*", f"{low}-",
                              f"{low}-**", f"{low}-**", *rest, *rest])

    def columns(self):
        words, has_rest = [], False
        for name in "ABCDE"[: self.r.choice([1, 1, 2, 2, 3, 4])]:
            ranges = []
            for _ in range(self.r.choice([*6 * [1], 2, 3])):
                ranges.append(self.range(not has_rest))
                has_rest = has_rest or "~" in ranges[-1] and not self.chance(0.05)
            kind = self.pick(*4 * ["R4"], *4 * ["TX"], "R8", "BL", "I4")  # a bad BL or I4 stops ML.NET
            words.append(f"col={name}:{kind}:{','.join(ranges)}")
        return words

    def block(self, words):
        """Options in the file."""
        return ["#@ TextLoader{", *self.pick([], ["# c", ""]), *(f"#@   {word}" for word in words), "#@ }"]

    def options(self):
        words = [f"sep={self.sep}"] + [f"{flag}{'+' if on else '-'}" for flag, on in self.has.items()]
        if self.chance(0.25):
            words.append(f"size={self.r.choice([1, 2, 3, self.width, self.width + 1, 9])}")
        if self.chance(0.1):
            words.append(f"rows={self.r.choice([1, 2, 3])}")
        return words

    # --- Lines

    def cell(self):
        if self.chance(0.1):
            return self.r.choice(QUOTED)
        return self.r.choice(self.pick(REALS, REALS, TEXTS))

    def wide(self):
        return self.width if self.is_even else max(0, self.width + self.r.choice([-2, -1, 0, 1, 2]))

    def sparse(self):
        dense = [self.cell() for _ in range(self.r.choice([0, 0, 1, 2]))]
        length = max(1, self.width - len(dense)) if self.is_even else self.r.randint(1, 6)
        if self.chance(0.9):
            dense.append(self.pick(*9 * [str(length)], "0", "", "x", " 3", "-1"))
        indices = sorted(self.r.sample(range(length + 1), self.r.randint(1, min(3, length + 1))))
        if self.chance(0.1):
            self.r.shuffle(indices)
        return [*dense, *(f"{i}:{self.cell()}" for i in indices)] + ["8"] * self.chance(0.1)

    def line(self):
        if self.chance(0.15 if self.has["trim"] or not self.is_even else 0):
            return self.r.choice(BLANKS)
        if self.chance(0.05):
            return self.pick("# c", "// c", "#", "//")
        if self.has["sparse"] and self.chance(0.35):
            cells = self.sparse()
        else:
            cells = [self.cell() for _ in range(self.wide())]
        text = "".join(cell + self.r.choice(self.separators) for cell in cells)
        return (text[:-1] if self.is_even or self.chance(0.9) else text) + self.pick(*6 * [""], " ", "\u00a0")

    def header(self):
        cells = [self.pick("n1", "n2", "", " ", " m ", '"q w"', "3:h", "\u00e9")
                 for _ in range(self.wide())]
        return self.r.choice(self.separators).join(cells)

    def lines(self):
        lines = [self.header()] if self.has["header"] and self.chance(0.8) else []
        lines += [self.line() for _ in range(self.r.choice([0, 1, 2, 3, 5, 8]))]
        if self.chance(0.05):  # more than are sampled
            at = self.r.randrange(len(lines) + 1)
            lines[at:at] = self.r.choice([97, 98, 99, 100]) * [self.line()]
        return lines

    def encoded(self, lines):
        end = self.pick("\n", "\n", "\r\n", "\r")
        text = end.join(lines) + (end if self.chance(0.8) else "")
        if self.chance(0.85):
            return text.encode()
        mark = self.r.choice(MARKS)
        data = mark + text.encode({b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(mark, "utf-8"))
        if self.chance(0.5):  # only a part of the mark
            part = mark[: self.r.randrange(1, len(mark))] if len(mark) > 2 else mark[:1]
            data = self.pick(part, part + text.encode(), part + b"\n" + text.encode())
        return data

    def make(self):
        """Options and {name: bytes}; the names of header files end in .hdr."""
        columns = self.columns()
        words, files, block = self.options(), {}, []
        if self.chance(0.1):
            words.append("hf=names.hdr")
            files["names.hdr"] = self.encoded([self.header(), *self.lines()[:2]])
        elif self.chance(0.1):
            block, words, columns = self.block(words + columns), [], []
        if self.chance(0.05):
            columns = []
        count = self.pick(*5 * [1], 2)
        for number in range(count):
            files[f"{number}.txt"] = self.encoded((block if number == 0 else []) + self.lines())
        return " ".join(words + columns), files


class MLNet:
    """What ML.NET reads."""

    def __init__(self, net):
        self.net = net

    def case(self, options, names):
        """A golden case: {"stats"} or {"error"}, and the lines of its table."""
        net = self.net
        system = net.System
        loader = net.clr.GetClrType(net.ML.Data.TextLoader)
        source = net.construct(net.clr.GetClrType(net.ML.Data.MultiFileSource),
                               net.Array[system.String]([os.path.abspath(name) for name in names]))
        phase = "args"
        try:
            parsed = net.parsed(net.ML.Data.TextLoader.Options(), options)
            phase = "create"
            view = net.construct(loader, net.ml, parsed, source).Load(source)
            phase = "read"
            lines = list(net.Dump(view).exact())
        except Exception as error:  # of any .NET type
            return {"error": {"phase": phase, "reason": net.root(error)}}, []
        return {"stats": {"rows": len(lines) - 1}}, [json.dumps(line) for line in lines]


def put(folder, files):
    """Write the files; returns the names of the data files."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [name for name in files if name.endswith(".txt")]


def made(net, folder, seed, name):
    """The case of a seed, written to the folder as a golden one."""
    options, files = Draw(seed).make()
    if name != "case":  # files that stay have names of their own
        files = {f"{name}.hdr.txt" if one.endswith(".hdr") else
                 f"{name}.txt" if one == "0.txt" else f"{name}.2.txt": data for one, data in files.items()}
        options = options.replace("hf=names.hdr", f"hf={name}.hdr.txt")
    names = [one for one in put(folder, files) if not one.endswith(".hdr.txt")]
    before = os.getcwd()
    os.chdir(folder)
    found, lines = net.case(options, names)
    os.chdir(before)
    case = {"name": name, "description": f"drawn from seed {seed}", "args": options, "files": names, **found}
    if lines:
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return case, files


def has_lines(data):
    """Whether ML.NET finds a line in the file."""
    text = data.decode("utf-16") if data[:2] in MARKS else data.decode("utf-8-sig", "replace")
    if MARKS[0].startswith(data):
        return False
    return any(line and not line.startswith(("#", "//")) for line in re.split("[\r\n]", text))


def allowed(case, files):
    """Why the difference is a documented one; None: it is not."""
    data = b"".join(files.values())
    text = f"{case['args']} {data.decode('utf-8', 'replace')}"  # options may be in the file
    if "size=" in text and "sparse+" in text and ":" in text:
        return "semantics:6.5: blank dense fields before sparse items count"
    if "**," in text:
        return "semantics:6.2: a short line moves what follows a range without an end"
    if any(not has_lines(data) for name, data in files.items() if "hdr" in name):
        return "semantics:6.3: a header file without a line names nothing, not the first row"
    if len(case["files"]) > 1 and not has_lines(files[case["files"][0]]):
        return "semantics:6.2: the first file that is not empty decides, not the first with a line"
    return None


def main():
    module = os.environ.get("DV_MLNET", "")
    if not module or not (pathlib.Path(module) / "net.py").exists():
        print("[SKIP] mlnet_text::all: DV_MLNET names no folder with net.py")
        return 0
    sys.path.insert(0, module)
    import net

    build = os.path.join(tempfile.gettempdir(), "mlnet-py")
    net.enter(build)
    net.start(build)
    theirs = MLNet(net)
    if sys.argv[1] == "--keep":
        folder = pathlib.Path(sys.argv[2]).resolve()
        for seed in map(int, sys.argv[3:]):
            case, _ = made(theirs, folder, seed, f"drawn-{seed}")
            (folder / f"{case['name']}.json").write_text(json.dumps(case, indent=1) + "\n")
        return 0
    read = by_command(os.path.abspath(sys.argv[1]), [("mmap", "2", ""), ("pread", "1", " piece=0"), ("mmap", "2", " piece=3")])
    count, first = (int(word) for word in (sys.argv[2:] + ["200", "0"][len(sys.argv) - 2:]))
    wrong = tables = excused = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            case, files = made(theirs, folder, seed, "case")
            tables += "stats" in case
            what = check(read, folder, case)
            reason = allowed(case, files) if what else None
            excused += reason is not None
            if what and not reason:
                wrong += 1
                print(f"seed {seed}: {case['args']}: {files}: {what}; ML.NET: {case.get('error')}"[:1500])
    print(f"{count} files, {tables} of them tables, {excused} documented differences, {wrong} others")
    return 1 if wrong or tables < count // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
