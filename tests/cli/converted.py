#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""converted.py: checks that every golden file stays the same table when it is converted.

converted.py DATAVIEW [FILE...]

Each golden and crafted file is written raw, deflated, and in blocks of three rows, with one thread and with three.
`diff --layout` must find no difference, `cat --format exact` must write the same bytes, the file must not depend on
the number of threads, and no other file may be left in the folder.  What only an old codec holds is written with
that codec.  Then the file is written as a BTable: the same table, or refused; a canonical BTable has the same bytes
again, also through .idv.  And as datadings, which have no schema: read with the original types, the same table; as
.idv, text and BTable the same table as the set, or refused; and from .idv the same set of files again.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TESTS = pathlib.Path(__file__).resolve().parents[1]
FORMS = {
    "raw": [],
    "deflated": ["--compression", "deflate"],
    "threes": ["--rows-per-block", "3"],
    "deflated threes": ["--compression", "zlib", "--level", "1", "--rows-per-block", "3"],
    "small blocks": ["--block-bytes", "100", "--align", "8"],
}
OLD = ["--keys", "old", "--bool", "2bit", "--allow-loss", "columns,metadata"]  # also dead ones


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, timeout=120)


def convert(program, words, file, out):
    """Convert it unchanged, with old codecs if the message says that they are needed."""
    done = run(program, "convert", "--hidden", "--no-sync", *words, file, out)
    if done.returncode == 1 and (b"--keys old" in done.stderr or b"--bool 2bit" in done.stderr
                                 or b"of the input" in done.stderr):
        done = run(program, "convert", "--hidden", "--no-sync", *OLD, *words, file, out)
    return done


def exact_of(program, file):
    """The output of cat, without the number of rows, which not every format knows."""
    exact = run(program, "cat", "--hidden", "--format", "exact", file).stdout
    return re.sub(rb'^{"rows":(null|\d+)', b"", exact)


def complaints(program, words, file, folder):
    outs = []
    for threads in ("1", "3"):
        out = folder / f"{threads}.idv"
        done = convert(program, [*words, "--threads", threads], file, out)
        if done.returncode or b" columns, " not in done.stdout and b" column, " not in done.stdout:
            yield f"status {done.returncode}: {done.stdout.decode()}{done.stderr.decode()}"
            return
        outs.append(out)
    if outs[0].read_bytes() != outs[1].read_bytes():
        yield "the number of threads shows"
    done = run(program, "diff", "--layout", "--hidden", file, outs[0])
    if done.returncode or not done.stdout.startswith(b"same: ") or done.stderr:
        yield done.stdout.decode() + done.stderr.decode()
    if sorted(path.name for path in folder.iterdir()) != ["1.idv", "3.idv"]:
        yield f"it leaves {sorted(folder.iterdir())}"
    exact = [exact_of(program, path) for path in (file, outs[0])]
    if exact[0] != exact[1] or not exact[0]:
        yield "cat --format exact says something else"
    if run(program, "verify", outs[0]).returncode:
        yield "verify finds defects"


def check(job):
    program, form, file = job
    with tempfile.TemporaryDirectory() as folder:
        found = complaints(program, FORMS[form], file, pathlib.Path(folder))
        return [f"{file.name}, {form}: {what}" for what in found]


def check_btable(job):
    """Convert to a BTable: refused and absent, or the same table; canonical ones byte for byte."""
    program, _, file = job
    with tempfile.TemporaryDirectory() as folder:
        out, again = pathlib.Path(folder, "1.btable"), pathlib.Path(folder, "2.btable")
        done = run(program, "convert", "--no-sync", file, out)
        if done.returncode == 1:
            said = b": not written, because its format cannot hold:\n" in done.stderr
            return [] if said and not out.exists() else [f"{file.name}: {done.stderr.decode()}"]
        same = run(program, "diff", file, out)
        wrong = [f"{file.name}: {same.stdout.decode()}"] if done.returncode or same.returncode else []
        if file.suffix == ".btable":
            idv, canonical = pathlib.Path(folder, "3.idv"), pathlib.Path(folder, "4.btable")
            run(program, "convert", "--no-sync", file, idv)
            run(program, "convert", "--no-sync", idv, again)
            run(program, "convert", "--no-sync", "--canonical", file, canonical)
            is_canonical = canonical.read_bytes() == file.read_bytes()
            if again.read_bytes() != out.read_bytes() or (is_canonical and out.read_bytes() != file.read_bytes()):
                wrong.append(f"{file.name}: other bytes")
        return wrong


def read_as(file, program):
    """Columns that datadings can hold and an option can name, and the option for their types."""
    schema = json.loads(run(program, "schema", "--json", file).stdout)
    kept = {c["name"]: c["type"] for c in schema["columns"] if not c["is_hidden"]
            and re.fullmatch(r"[\w.]+", c["name"]) and not re.search(r"UG|DZ|\*,|,\*,|BY", c["type"])
            and not re.fullmatch(r"V<(TX,\d+,|.*,\*>).*", c["type"].replace(",*>", ">"))
            and not re.match(r"V<\w+\[", c["type"])}
    paths = {name: name.replace(".", "\\.") for name in kept}
    return kept, " ".join(f"col={{{paths[name]}:{kind}}}" for name, kind in kept.items())


def differences(program, *words):
    """The findings of diff without metadata, which datadings do not have."""
    done = run(program, "diff", *words)
    only_metadata = re.search(rb"\ndifferent: \d+ in metadata\n", done.stdout)
    beyond = b"expected U4[0-4]" in done.stderr  # a key above its count cannot be read
    return "" if done.returncode == 0 or only_metadata or beyond else (done.stdout + done.stderr).decode()


def check_datadings(job):
    program, _, file = job
    allowed = ["--no-sync", "--allow-loss", "columns,metadata,types"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out, idv, again = folder / "1.msgpack", folder / "2.idv", folder / "3.msgpack"
        done = run(program, "convert", *allowed, "--to-datadings", "key=rownumber", file, out)
        if done.returncode:
            said = b"--allow-loss na, found NA" in done.stderr and not list(folder.iterdir())
            return [] if said else [f"{file.name}: {done.stderr.decode()}"]
        wrong = [run(program, "verify", out).stderr.decode()]
        kept, columns = read_as(file, program)
        if kept:
            wrong.append(differences(program, "-c", ",".join(kept), "--datadings", columns, file, out))
        for other in idv, folder / "2.txt", folder / "2.btable":
            done = run(program, "convert", "--no-sync", out, other)
            refused = done.returncode == 1 and (b": not written, because its format cannot hold:\n" in done.stderr
                                                or b"--allow-loss na, found NA" in done.stderr)
            if refused:
                continue
            back = other.with_suffix(".msgpack")
            keys = [] if other.suffix != ".btable" else ["--to-datadings", "key=rownumber"]
            done = run(program, "convert", *allowed, *keys, other, back)
            wrong.append(done.stderr.decode())
            for a, b in (out, other), (other, back):  # text has one NaN
                wrong.append(differences(program, "--tolerance", "0", a, b))
        for side in ["", ".offsets", ".keys", ".key_hashes", ".filter"] if idv.exists() else []:
            if not again.exists():
                run(program, "convert", *allowed, idv, again)
            if pathlib.Path(f"{out}{side}").read_bytes() != pathlib.Path(f"{again}{side}").read_bytes():
                wrong.append(f"{side} differs after .idv")
        return [f"{file.name} as datadings: {what}" for what in wrong if what]


def main():
    files = [pathlib.Path(name) for name in sys.argv[2:]] or [
        *sorted(TESTS.glob("golden/idv*/*.idv")), *sorted(TESTS.glob("golden/btable/*.btable"))]
    jobs = [(sys.argv[1], form, file) for file in files for form in FORMS]
    with ThreadPoolExecutor(2) as pool:
        wrong = [what for found in pool.map(check, jobs) for what in found]
        jobs_btable = [(sys.argv[1], None, file) for file in files]
        wrong += [what for found in pool.map(check_btable, jobs_btable) for what in found]
        wrong += [what for found in pool.map(check_datadings, jobs_btable) for what in found]
    print("\n".join(wrong[:50]))
    print(f"{len(jobs)} conversions of {len(files)} files, {len(wrong)} complaints")
    return bool(wrong) or not jobs


if __name__ == "__main__":
    sys.exit(main())
