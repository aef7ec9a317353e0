#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""completions.py: checks that the shells complete what a user types.   completions.py DATAVIEW

Each line is typed into a real bash and zsh on a pseudo-terminal, a tab included; a program of the
same name then prints the words it was given.  Only `cat --take 0`, which asks for the columns of a
file, reaches the real command.  A shell that is not installed is skipped by name.
"""
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 30  # a shell that says nothing for so long has failed

STAND_IN = """#!/bin/sh
case "$*" in "cat --take 0 "*) exec '{dataview}' "$@" ;; esac
printf '<<'
printf '%s|' "$@"
printf '>>\\n'
"""

# What is typed after "dataview ", and the words that must come of it.
LINES = [
    ("verif\t", "verify"),
    ("sch\tpeo\t", "schema people.idv"),
    ("help ver\t", "help verify"),
    ("help --a\tzs\t", "help --as zsh"),
    ("explain idv:T\t3", "explain idv:T3"),
    ("explain btable:COUNT_N\t", "explain btable:COUNT_NEG"),
    ("cat --form\tex\t", "cat --format exact"),
    ("cat --format=ex\t", "cat --format=exact"),
    ("info --io pr\t", "info --io pread"),
    ("info --from i\t", "info --from idv"),
    ("schema --meta\t", "schema --metadata"),
    ("schema --shu\t", "schema --shu"),  # not an option of it
    ("head people.idv -c Se\t", "head people.idv -c Seen"),
    ("head people.idv --columns=Se\t", "head people.idv --columns=Seen"),
    ("head people.idv --drop Age,Se\t", "head people.idv --drop Age,Seen"),
    ("head a\\ b.idv -c Se\t", "head a b.idv -c Seen"),
    ("head -c Se\t", "head -c Se"),  # of which file?
    ("head names.idv -c a\t", "head names.idv -c a.b"),
    ("head names.idv -c \\ l\t", "head names.idv -c  lead"),
    ("head colon.idv -c Se\t", "head colon.idv -c Se:n"),
    ("head colon.idv -c Se:\t", "head colon.idv -c Se:n"),
    ("head colon.idv --columns=Age,Se:\t", "head colon.idv --columns=Age,Se:n"),
    ("head people.idv --conv\tAg\tB\t", "head people.idv --convert Age:BL"),
    ("head people.idv --convert=Age:B\t", "head people.idv --convert=Age:BL"),
    ("head colon.idv --convert Se:\tR4", "head colon.idv --convert Se:n:R4"),
    ("head colon.idv --convert Se:n:B\t", "head colon.idv --convert Se:n:BL"),
    ("schema --convert Ag\t", "schema --convert Ag"),  # of which file?
    ("head @tr\t", "head @train.options"),
    ("head @opt\ti\t", "head @options/inner.options"),
    ("head @tr\tpeo\t", "head @train.options people.idv"),
]


# Only bash closes a quotation.
QUOTED = {"bash": [("head people.idv -c 'Se\t", "head people.idv -c Seen")],
          "zsh": [("head people.idv -c 'Se\t'", "head people.idv -c Seen")]}


class Shell:
    """An interactive shell, and what it has written."""

    def __init__(self, argv, env, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(argv[0], argv, env)

    def type(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, mark):
        got = b""
        while mark not in got:
            ready, _, _ = select.select([self.fd], [], [], SECONDS)
            part = os.read(self.fd, 65536) if ready else b""
            if not part:
                raise TimeoutError(got.decode(errors="replace"))
            got += part
        return got.decode(errors="replace")

    def words_of(self, line):
        self.type(line + "\n")
        got = self.read_until(b">>")
        return got[got.rindex("<<") + 2:got.rindex("|>>")].split("|")

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def prepare(folder, dataview):
    stand_in = folder / "bin" / "dataview"
    stand_in.parent.mkdir()
    stand_in.write_text(STAND_IN.format(dataview=dataview), encoding="utf-8")
    stand_in.chmod(0o755)
    for form, path in (("bash", "dataview.bash"), ("zsh", "functions/_dataview")):
        (folder / path).parent.mkdir(exist_ok=True)
        script = subprocess.run([dataview, "help", "--as", form], check=True, capture_output=True)
        (folder / path).write_bytes(script.stdout)
    for name, golden in (("people.idv", "people"), ("a b.idv", "people"),
                         ("names.idv", "names-unicode")):
        (folder / name).symlink_to(ROOT / f"tests/golden/idv/{golden}.idv")
    people = (folder / "people.idv").read_bytes()
    (folder / "colon.idv").write_bytes(people.replace(b"\x04Seen", b"\x04Se:n"))
    (folder / "options").mkdir()
    for path in ("train.options", "options/inner.options"):
        (folder / path).write_text("--columns Age\n", encoding="utf-8")
    return {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb",
            "LC_ALL": "C.UTF-8"}


def start(shell, env, folder):
    """A shell that has read our script, with an empty prompt."""
    if shell == "bash":
        it = Shell(["bash", "--norc", "--noprofile", "-i"], env, folder)
        it.type("PS1=; bind 'set enable-bracketed-paste off'; source ./dataview.bash; echo re''ady\n")
    else:
        it = Shell(["zsh", "-f", "-i"], env, folder)
        it.type("PS1=; unsetopt zle_bracketed_paste; fpath=($PWD/functions $fpath); "
                "autoload -U compinit; compinit -u -D; echo re''ady\n")
    it.read_until(b"ready")
    return it


def check(shell, env, folder):
    """How many lines were completed as they should, and what is to be said of the others."""
    it = start(shell, env, folder)
    complaints = []
    lines = LINES + QUOTED[shell]
    for typed, wanted in lines:
        got = " ".join(it.words_of("dataview " + typed))
        if got.replace("=", " ") != wanted.replace("=", " "):  # zsh adds the = itself
            complaints.append(f"{shell}: {typed!r}: {got!r}, not {wanted!r}")
    it.close()
    return len(lines) - len(complaints), complaints


def main():
    dataview = str(pathlib.Path(sys.argv[1]).resolve())
    passed, complaints = 0, []
    with tempfile.TemporaryDirectory() as name:
        env = prepare(pathlib.Path(name), dataview)
        for shell in ("bash", "zsh"):
            if not shutil.which(shell, path=env["PATH"]):
                print(f"[SKIP] completion::{shell}: it is not installed")
                continue
            good, bad = check(shell, env, name)
            passed += good
            complaints += bad
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{passed} passed, {len(complaints)} failed")
    return bool(complaints) or not passed


if __name__ == "__main__":
    sys.exit(main())
