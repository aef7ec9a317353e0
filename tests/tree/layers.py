#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers.py: does every folder include only from the layers above it?

Reads the #include lines of include, src and simd.  --selftest proves the check on a small tree with
one sin of each kind.
"""
import pathlib
import re
import sys
import tempfile

# The rooms, a list per layer.  `*` is any one folder; siblings in a layer do not know each other.
LAYERS = [
    ["include/dataview"],
    ["src/base"],
    ["simd", "src/io", "src/type"],
    ["src/codec"],
    ["src/view"],
    ["src/format/*", "src/transform", "src/interop"],
    ["src"],  # open.c and cache_disk.c, which name every format
    ["src/cli"],
]
PUBLIC, COMMAND = "include/dataview", "src/cli"  # everybody sees one; the other sees only that
ROOTS = ["include", "src", "."]  # where an include path starts
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def room_of(path):
    """The room a file lies in and its layer, or (None, None)."""
    own = pathlib.PurePosixPath(path).parent
    for folder in [own, *own.parents]:
        for layer, rooms in enumerate(LAYERS):
            for room in rooms:
                if folder.match(room) and (room != "src" or folder == own):
                    return folder.as_posix(), layer
    return None, None


def resolve(root, bracket, name):
    """The file of this tree that an include names, "" for a system header, None for nothing."""
    for start in ROOTS:
        if (root / start / name).is_file():
            return (pathlib.PurePosixPath(start) / name).as_posix()
    return None if bracket == '"' else ""


def complaint(root, user, bracket, name):
    """What is wrong with one include, or None."""
    used = resolve(root, bracket, name)
    if used is None:
        return "is not a path from a layer's root"
    if used == "":
        return None
    room, layer = room_of(user)
    used_room, used_layer = room_of(used)
    if used_room is None:
        return f"lies in no layer: {used}"
    if used_room == room:
        return None
    if used_room == PUBLIC:
        return None if bracket == "<" else "is public: write <dataview/...>"
    if room == COMMAND:
        return "is not public: the command sees only <dataview/...>"
    if used_layer == layer:
        return f"is sideways: {used_room} is a sibling of {room}"
    if used_layer > layer:
        return f"is upward: {used_room} lies below {room}"
    return None


def check(root):
    """All complaints about the tree at root."""
    files = [f for top in ("include", "src", "simd") for f in sorted((root / top).rglob("*.[ch]"))]
    for file in files:
        user = file.relative_to(root).as_posix()
        if room_of(user)[0] is None:
            yield f"{user}: lies in no layer"
            continue
        for bracket, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            wrong = complaint(root, user, bracket, name)
            if wrong:
                yield f"{user}: {name} {wrong}"


# file, its include, and what must be said about it ("" for nothing)
SELFTEST = [
    ("include/dataview/a.h", "<stdint.h>", ""),
    ("include/dataview/b.h", "<base/b.h>", "upward"),
    ("src/base/b.h", "<dataview/a.h>", ""),
    ("src/base/c.h", '"view/v.h"', "upward"),
    ("src/base/d.h", '"b.h"', "not a path"),
    ("src/base/e.h", '"dataview/a.h"', "is public"),
    ("src/io/i.h", '"base/b.h"', ""),
    ("src/io/j.h", '"type/t.h"', "sideways"),
    ("src/type/t.h", '"simd/s.h"', "sideways"),
    ("simd/s.h", '"base/b.h"', ""),
    ("simd/scalar/s_scalar.c", '"simd/s.h"', ""),
    ("src/view/v.h", '"io/i.h"', ""),
    ("src/format/idv/idv_priv.h", '"view/v.h"', ""),
    ("src/format/idv/idv_toc.c", '"format/idv/idv_priv.h"', ""),
    ("src/format/btable/btable.c", '"format/idv/idv_priv.h"', "sideways"),
    ("src/format/lost.c", "<stdio.h>", "no layer"),
    ("src/transform/tf.c", '"format/idv/idv_priv.h"', "sideways"),
    ("src/open.c", '"format/idv/idv_priv.h"', ""),
    ("src/cli/args.h", "<jansson.h>", ""),
    ("src/cli/main.c", '"cli/args.h"', ""),
    ("src/cli/peek.c", '"base/b.h"', "not public"),
]


def selftest():
    """Returns what the check got wrong about SELFTEST."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, include, _ in SELFTEST:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(f"#include {include}\n", encoding="utf-8")
        said = list(check(root))
    for file, include, want in SELFTEST:
        about = [line for line in said if line.startswith(file + ":")]
        if len(about) != bool(want) or not all(want in line for line in about):
            yield f"{file} with {include}: wanted {want!r}, got {about}"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    complaints = list(selftest() if "--selftest" in sys.argv else check(root))
    print("\n".join(complaints) if complaints else "every include goes upward in the table")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
