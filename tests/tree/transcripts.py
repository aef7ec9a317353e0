#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""transcripts.py: checks that the pages show what the command says.   transcripts.py DATAVIEW

Every `$ dataview ...` and `$ ./dev run ...` of README.md and docs/ whose files are in examples/,
tests/golden or tests/malformed is run beside these files (and changed.idv), for a screen of 100 columns, and what it
writes compared with the lines below; a line `...` stands for any lines.  Figures of `bench` are never
the same; what else is left out is named.
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILES = [*ROOT.glob("tests/golden/idv*/*.idv"), *ROOT.glob("tests/golden/btable/*.btable"),
         *ROOT.glob("tests/golden/datadings/*"), *ROOT.glob("tests/format/text/judged/*.csv"),
         *ROOT.glob("tests/malformed/idv/*.idv")]
DAMAGED = ROOT / "tests/malformed/idv/block_second_in_header.CORRUPT.L4@280.idv"
# What is other in changed.idv than in metadata-raw.idv: a name of a slot, and two numbers.
CHANGES = [(b"slot2", b"slotZ"), (b"\x00\x8c\x1a\xc3", b"\x08\x8c\x1a\xc3"),
           (b"\x00\x00\x80\x3f", b"\x01\x00\x80\x3f")]

BLOCK = re.compile(r"^```text\n(.*?)^```$", re.M | re.S)
SESSION = re.compile(r"^\$ ((?:dataview|\./dev run)\b.*)\n((?:(?!\$ ).*\n)*)", re.M)
WRITES = re.compile("dataview (convert|shuffle|merge|sample) ")
WRITTEN = re.compile(r" -o \S+")
FILE = re.compile(r"\S+\.(?:idv|btable|msgpack|txt|csv|tsv)\b")


def sessions(page):
    """Yields line number, command and what the page shows of its output."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        for session in SESSION.finditer(block[1]):
            line = text.count("\n", 0, block.start(1) + session.start()) + 1
            yield line, session[1], session[2].rstrip("\n")


def shell_line(command):
    """`./dev run` builds the command, then shows a file in these two ways (cmd_run in dev)."""
    if not command.startswith("./dev run"):
        return command
    file = command.removeprefix("./dev run").strip() or "examples/sample.idv"
    return f"dataview info {file} && echo && dataview head {file}"


def why_not(command, folder):
    """Why a command is not run; None when it is."""
    if command.startswith("dataview bench"):
        return "its figures are never the same"
    files = FILE.findall(WRITTEN.sub("", shell_line(command)))
    if WRITES.match(command):
        files.pop()  # is what it writes
    missing = [file for file in files if not (folder / file).exists()]
    return f"there is no {missing[0]} to run it on" if missing else None


def output(command, folder, env):
    done = subprocess.run(shell_line(command), shell=True, cwd=folder, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.rstrip("\n")


def is_shown(shown, got):
    """Is that what the page shows?  A line of three dots stands for any lines."""
    parts = [re.escape(part) for part in f"\n{shown}\n".split("\n...\n")]
    return re.fullmatch("\n(?:.*\n)*".join(parts), f"\n{got}\n") is not None


def prepare(folder, dataview):
    (folder / "bin").mkdir()
    (folder / "bin" / "dataview").symlink_to(dataview)
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "damaged.idv").symlink_to(DAMAGED)
    content = (ROOT / "tests/golden/idv/metadata-raw.idv").read_bytes()
    for old, new in CHANGES:
        content = content.replace(old, new, 1)
    (folder / "changed.idv").write_bytes(content)
    for file in FILES:
        (folder / file.name).symlink_to(file)
    return {"PATH": f"{folder}/bin:/usr/bin:/bin", "LC_ALL": "C", "TERM": "dumb", "COLUMNS": "100"}


def main():
    dataview = pathlib.Path(sys.argv[1]).resolve()
    same = different = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        env = prepare(folder, dataview)
        for page in PAGES:
            for line, command, shown in sessions(page):
                place = f"{page.relative_to(ROOT)}:{line}: {command}"
                if reason := why_not(command, folder):
                    print(f"{place}: not run: {reason}")
                    continue
                got = output(command, folder, env)
                is_same = is_shown(shown, got)
                same, different = same + is_same, different + (not is_same)
                if not is_same:
                    print(place)
                    print("\n".join(difflib.unified_diff(shown.split("\n"), got.split("\n"),
                                                         "the page", "the command", lineterm="")))
    print(f"{same} passed, {different} failed")
    return different > 0 or same == 0


if __name__ == "__main__":
    sys.exit(main())
