#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""manual_pages.py: checks that the manual pages are complete, clean and true.   manual_pages.py DATAVIEW

Each page has its sections and every option that --help knows; groff and mandoc have nothing to say
about it; and what stands under EXAMPLES is run on the file that it names.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES",
            "SEE ALSO"]
# A page has the version of the command for its date.
TOOLS = {"groff": (["groff", "-ww", "-man", "-Tutf8", "-z"], None),
         "mandoc": (["mandoc", "-T", "lint"], re.compile(r'missing date, using ""'))}


def ask(dataview, *words):
    return subprocess.run([dataview, *words], check=True, capture_output=True, text=True).stdout


def plain(roff):
    """The text of a page without fonts and escapes."""
    text = re.sub(r"\\f[BIR]|\\&", "", roff)
    for escape, char in (("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"),
                         ("\\(ti", "~"), ("\\e", "\\")):
        text = text.replace(escape, char)
    return text


def check_content(name, roff, helped):
    if re.findall(r"^\.SH (.*)$", roff, re.M) != SECTIONS:
        yield f"{name}: its sections are {re.findall(r'^.SH (.*)$', roff, re.M)}, not {SECTIONS}"
    if not roff.isascii():
        yield f"{name}: not in ASCII"
    text = plain(roff)
    for option in re.findall(r"^  (-.+?)(?:   *\S|$)", helped, re.M):
        if f"\n{option}\n" not in text:
            yield f"{name}: {option} is in --help, but not here"


def check_tools(name, roff):
    for tool, (command, allowed) in TOOLS.items():
        if not shutil.which(tool):
            continue
        done = subprocess.run(command, input=roff, capture_output=True, text=True)
        for line in (done.stdout + done.stderr).splitlines():
            if not (allowed and allowed.search(line)):
                yield f"{name}: {line}"


def check_examples(name, roff, dataview, folder):
    examples = plain(roff.partition(".SH EXAMPLES")[2].partition(".SH SEE ALSO")[0])
    lines = re.findall(r"^dataview (.*)$", examples, re.M)
    if len(lines) < 2:
        yield f"{name}: {len(lines)} examples; they are a list in src/cli/help/manual.h"
    for line in lines:
        done = subprocess.run(f"'{dataview}' {line}", shell=True, cwd=folder, capture_output=True,
                              text=True)
        if done.returncode:
            yield f"{name}: dataview {line}: {done.stderr.strip()}"


def main():
    dataview = str(pathlib.Path(sys.argv[1]).resolve())
    complaints = []
    verbs = ask(dataview, "help", "--as", "verbs").split()
    with tempfile.TemporaryDirectory() as folder:
        for file in [ROOT / "tests/golden/idv/people.idv", *ROOT.glob("tests/golden/datadings/*")]:
            shutil.copy(file, folder)
        for verb in [[], *([verb] for verb in verbs)]:
            name = "-".join(["dataview", *verb])
            roff = ask(dataview, "help", "--as", "man", *verb)
            helped = ask(dataview, "help", *verb)
            complaints += check_content(name, roff, helped)
            complaints += check_tools(name, roff)
            complaints += check_examples(name, roff, dataview, folder)
    for tool in TOOLS:
        if not shutil.which(tool):
            print(f"[SKIP] manual::{tool}: it is not installed")
    print("\n".join(complaints) if complaints else f"{1 + len(verbs)} pages are sound")
    return bool(complaints) or not verbs


if __name__ == "__main__":
    sys.exit(main())
