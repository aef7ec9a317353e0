#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mlnet_names.py: asks ML.NET about names of columns among the options of a text file (semantics:6.3).

    mlnet_names.py DATAVIEW [FILES [SEED]]

FILES (200) times three random names are written by DATAVIEW, and must be what ML.NET reads from the file; and so many
random options must be read the same by both, or refused by ML.NET.  Skipped unless DV_MLNET, in the
environment, names a folder with net.py: a module that runs ML.NET 1.5 in Python (`enter`, `start`, `load_text`).
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

THEIRS_ALONE = re.compile(r'=(""|[ \u00a0\u3000])')  # a value that comes after a blank
OURS_ALONE = re.compile(r"col=[^{]|col=\{(?!name=)|name=[^{]*=")  # what we read and ML.NET refuses
PARTS = ["\\", "\\\\", "{", "}", '"', "#", "=", ":", " ", "\u00a0", "\u3000", "a", "b", "+", "-", ","]


def escaped(name):
    """In braces, each special character with a backslash."""
    slashes = re.sub(r'(\\+)(?=["{}#]|$)', lambda run: 2 * run[1], name)
    return "{" + re.sub(r'(["{}#])', r"\\\1", slashes) + "}"


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def parts(self, most):
        return "".join(self.r.choice(PARTS) for _ in range(self.r.randint(1, most)))

    def names(self):
        drawn = {}
        while len(drawn) < 3:
            drawn[self.parts(9).strip()] = True
            drawn.pop("", None)
        return list(drawn)

    def group(self, depth=0):
        """Parts whose braces and quotes often match."""
        pick = self.r.choice
        made = [lambda: "{" + self.group(depth + 1) + "}" if depth < 2 else "a",
                lambda: '"' + self.parts(3).replace('"', "") + '"',
                lambda: self.r.randint(1, 4) * "\\" + pick('"{}#a '), lambda: pick("ab =#:"), lambda: self.parts(2)]
        return "".join(pick(made)() for _ in range(self.r.randint(0, 4)))

    def option(self):
        value = self.group()
        return self.r.choice([f"col={{name={{{value}}} src=0}}", f"col={{name={{{value}}} src=0}}",
                              f"col={{name={value} src=0}}", f"col={value}:0", f'col="{value}":0'])


class Both:
    """What DATAVIEW and ML.NET read."""

    def __init__(self, program, net, folder):
        self.program, self.net, self.folder = program, net, folder

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, check=False)

    def write(self, names, form):
        source, out = self.folder / "in.tsv", self.folder / "out.txt"
        source.write_text("\t".join("1" for _ in names) + "\n", encoding="utf-8")
        columns = [f"col={{name={escaped(name)} type=TX src={i}}}" for i, name in enumerate(names)]
        done = self.run("convert", "--no-sync", "--text", " ".join(columns), "--to-text", form, source, out)
        return out if done.returncode == 0 else done.stderr.decode()

    def ours(self, path):
        done = self.run("schema", "--json", path)
        return [column["name"] for column in json.loads(done.stdout)["columns"]] if done.returncode == 0 else None

    def theirs(self, path):
        try:
            return [column.Name for column in self.net.load_text(str(path)).Schema]
        except Exception:  # of any .NET type
            return None


def written(both, draw, number):
    names = draw.names()
    path = both.write(names, "mlnet+" if number % 2 else "sep=tab")
    if isinstance(path, str):
        return f"{names}: not written: {path}"
    ours, theirs = both.ours(path), both.theirs(path)
    return "" if names == ours == theirs else f"{names}: we read {ours}, ML.NET {theirs}: {path.read_text()}"


def understood(both, draw):
    option = draw.option()
    path = both.folder / "options.txt"
    path.write_text(f"#@ TextLoader{{\n#@ sep=tab\n#@ {option}\n#@ }}\n1\t2\n", encoding="utf-8")
    ours, theirs = both.ours(path), both.theirs(path)
    allowed = theirs is None and OURS_ALONE.search(option) or ours is None and THEIRS_ALONE.search(option)
    return "" if ours == theirs or allowed else f"{option}: we read {ours}, ML.NET {theirs}"


def main():
    module = os.environ.get("DV_MLNET", "")
    if not module or not (pathlib.Path(module) / "net.py").exists():
        print("[SKIP] mlnet_names::all: DV_MLNET names no folder with net.py")
        return 0
    sys.path.insert(0, module)
    import net

    build = os.path.join(tempfile.gettempdir(), "mlnet-py")
    net.enter(build)
    net.start(build)
    program = os.path.abspath(sys.argv[1])
    count, seed = (int(word) for word in (sys.argv[2:] + ["200", "1"][len(sys.argv) - 2 :]))
    draw = Draw(seed)
    with tempfile.TemporaryDirectory() as folder:
        both = Both(program, net, pathlib.Path(folder))
        wrong = [written(both, draw, i) for i in range(count)] + [understood(both, draw) for _ in range(count)]
    wrong = [what for what in wrong if what]
    print("\n".join(wrong[:20]))
    print(f"{3 * count} names and {count} options, {len(wrong)} complaints")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
