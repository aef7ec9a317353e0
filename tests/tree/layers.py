#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layers.py: checks that every room uses only the rooms that its row in ROOMS names.

layers.py [--cc CC OBJECT[;OBJECT...]...]    layers.py --cc CC --selftest

Reads the #include lines of include, src, simd and python/src/core, and the symbols of the objects that are named:
a room may use a symbol only if its row names the room that defines it.  The nm is the one that
belongs to the compiler CC.  --selftest proves the check on a small tree with one fault of each
kind.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# The rooms: each with those whose headers it may include and whose functions it may call.  A row
# names only rows above it, so there are no cycles.  The folders inside a format are in PARTS.
ROOMS = {
    "src/base": [],
    "simd": ["src/base"],
    "src/io": ["src/base"],
    "src/type": ["src/base"],
    "src/codec": ["src/base", "simd", "src/type"],
    "src/view": ["src/base", "simd", "src/io", "src/type", "src/codec"],
    "src/scan": ["src/base", "simd", "src/io", "src/type", "src/codec", "src/view"],
    "src/gather": ["src/base", "simd", "src/type", "src/view", "src/scan"],
    "src/save": ["src/base", "src/io", "src/type", "src/view", "src/scan"],
    "src/stats": ["src/base", "src/type", "src/codec", "src/view", "src/scan"],
    "src/matrix": ["src/base", "simd", "src/type", "src/view", "src/scan", "src/gather"],
    # what other libraries take in place
    "src/interop": ["src/base", "simd", "src/type", "src/codec", "src/view", "src/scan"],
    "src/table": ["src/base", "simd", "src/type", "src/view", "src/scan", "src/gather"],
    # what a step has learned is a table in memory
    "src/expr": ["src/base", "src/type", "src/codec", "src/view"],
    "src/predict": ["src/base"],
    "src/transform": ["src/base", "simd", "src/type", "src/codec", "src/view", "src/scan", "src/gather", "src/table",
                      "src/expr", "src/predict"],
    # files of steps: below a folder
    "src/steps": ["src/base", "src/io", "src/type", "src/codec", "src/view", "src/scan", "src/table", "src/expr",
                  "src/predict", "src/transform"],
    "src/pipeline": ["src/base", "src/io", "src/type", "src/codec", "src/view", "src/scan",
                     "src/transform", "src/steps"],
    # a mix is rows of a concatenation, weights are a matrix of one column
    "src/order": ["src/base", "simd", "src/type", "src/view", "src/scan", "src/gather", "src/matrix",
                  "src/transform"],
    "src/feed": ["src/base", "simd", "src/type", "src/codec", "src/view", "src/scan", "src/gather", "src/matrix",
                 "src/order"],
    "src/format/*": ["src/base", "simd", "src/io", "src/type", "src/codec", "src/view", "src/scan",
                     "src/save", "src/matrix"],
    # the file of a disk cache is an .idv file
    "src/cache": ["src/base", "src/io", "src/type", "src/codec", "src/view", "src/scan", "src/save", "src/table",
                  "src/format/idv"],
    # the steps of a model of ML.NET become steps of a pipeline, and what they have learned tables
    "src/mlnet": ["src/base", "src/io", "src/type", "src/codec", "src/view", "src/scan", "src/table", "src/predict",
                  "src/transform", "src/steps", "src/pipeline", "src/format/idv"],
    # what a saved pipeline has learnt is tables, each an .idv file
    "src/saved": ["src/base", "src/io", "src/type", "src/view", "src/scan", "src/save", "src/interop", "src/table",
                  "src/transform", "src/steps", "src/pipeline", "src/format/idv",
                  "src/mlnet"],
    # formats.c: the one list of formats; open.c: several files are concatenated; saving.c: a writer
    # takes rows as a table of arrays
    "src": ["src/base", "src/io", "src/type", "src/codec", "src/view", "src/scan", "src/save", "src/transform",
            "src/table", "src/format/*"],
    "src/image": [],  # the component for pictures: it stands on the public headers alone
    "src/cli/terminal": [],
    "src/cli/args": ["src/cli/terminal"],
    "src/cli/print": ["src/cli/terminal", "src/cli/args"],
    "src/cli/help": ["src/cli/terminal", "src/cli/args"],
    "src/cli/verbs": ["src/cli/terminal", "src/cli/args", "src/cli/print", "src/cli/help"],
    "src/cli": ["src/cli/terminal", "src/cli/args", "src/cli/verbs"],  # main.c
    "python/src/core": [],  # the extension: as another project would, it sees only <dataview/...>
}
# Calls that act outside the process, and who may make them: a step that opens files has one way to
# do it, which asks whether its pipeline may (dv_step_folder).
ACTING = re.compile(r"(open(at)?|creat|mkstemp)(64)?|fopen(64)?|opendir|readlink(at)?|realpath|socket|connect"
                    r"|popen|system|v?fork|posix_spawnp?|exec[vl]p?e?|dlopen|syscall|dvi_os_open_\w+")
ACTS = ["src/io", "src", "src/cli", "src/cli/*"]
# Calls that only some systems have; base/os.h has one function of ours for each.
ONE_SYSTEM = re.compile(r"arc4random_buf|f?statfs(64)?|getdents64|getrandom|memrchr|openat2|posix_fadvise(64)?|preadv2"
                        r"|pthread_cond_timedwait|pthread_condattr_setclock|qsort_r|readahead|renameat2"
                        r"|sched_getaffinity|secure_getenv|statx|strerrordesc_np|syncfs|syscall")
OF_SYSTEMS = ["src/base/os_*.c"]
# The ways to files that do not ask; a step calls none of them.
UNASKED = re.compile(r"dv_folder_(open|within)|dv_open(_many|_memory|_source)?|dv_pipeline_(read_file|open_table)"
                     r"|dv_fitted_(open\w*|save)|dv_save\w*|dv_writer_open|dv_file_writer_open")
STEP_ROOMS = ["src/steps", "src/image", "src/transform"]
ASKS = "src/steps/step_trust.c"
# The folders inside a format, in the same way; "" is the format's own folder, which sees all.
PARTS = {
    "index": [],
    "read": ["index"],
    "save": ["index", "read"],
    "propose": ["read"],
    "": ["index", "read", "save", "propose"],
}
PUBLIC = "include/dataview"  # every room sees it; the command sees nothing else of the library
ROOTS = ["include", "src", "."]  # where an include path starts
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def room_of(path):
    """The room of a file, and the folder inside it; (None, None) for a file in no room."""
    own = pathlib.PurePosixPath(path).parent
    if own.as_posix() == PUBLIC:
        return PUBLIC, ""
    if own.parts[0] == "simd":
        return "simd", ""
    if own.parts[:2] == ("src", "format"):
        inside = "/".join(own.parts[3:])
        return ("/".join(own.parts[:3]), inside) if len(own.parts) > 2 and inside in PARTS \
            else (None, None)
    return (own.as_posix(), "") if own.as_posix() in ROOMS else (None, None)


def is_of_python(user):
    return user.startswith("python/")


def is_outside(path):
    """Is it beyond the public headers?"""
    return path.startswith(("src/cli/", "src/image/"))


def may_see(room):
    """The rooms that a room's row names."""
    return ROOMS["src/format/*" if room.startswith("src/format/") else room]


def is_named(used, names):
    return any(pathlib.PurePosixPath(used).match(name) for name in names)


def resolve(root, user, bracket, name):
    """The file of this tree that an include names, "" for a system header, None for nothing."""
    for start in [pathlib.PurePosixPath(user).parent] if is_of_python(user) and bracket == '"' else ROOTS:
        if (root / start / name).is_file():
            return (pathlib.PurePosixPath(start) / name).as_posix()
    return None if bracket == '"' else ""


def forbidden(user, used):
    """Why one file may not use another, or None."""
    room, part = room_of(user)
    used_room, used_part = room_of(used)
    if used_room == room:
        return None if used_part in (part, *PARTS[part]) else \
            f"is upward: {room}/{part} may not see {room}/{used_part}"
    if is_outside(user) and not is_outside(used):
        return "is not public: the command and components see only <dataview/...>"
    if not is_named(used_room, may_see(room)):
        return f"is not for {room}: its row in layers.py does not name {used_room}"
    return None


def complaint(root, user, bracket, name):
    """What is wrong with one include, or None."""
    used = resolve(root, user, bracket, name)
    if used is None:
        return "is not a path from a root of includes"
    if used == "":
        return None
    room, used_room = room_of(user)[0], room_of(used)[0]
    if used_room is None:
        return f"is in no room: {used}"
    if used_room == PUBLIC:
        return None if bracket == "<" or room == PUBLIC else "is public: write <dataview/...>"
    if room == PUBLIC:
        return "is not public"
    return forbidden(user, used)


def cycles(rooms):
    """Complaints about rows that name a row which is not above them."""
    above = []
    for room, names in rooms.items():
        for name in names:
            if not any(is_named(name, [row]) for row in above):
                yield f"ROOMS: the row of {room} names {name}, which has no row above it"
        above.append(room)


def check(root):
    """All complaints about the includes of the tree at root."""
    files = [f for top in ("include", "src", "simd", "python/src/core") for f in sorted((root / top).rglob("*.[ch]"))]
    for file in files:
        user = file.relative_to(root).as_posix()
        if room_of(user)[0] is None:
            yield f"{user}: is in no room"
            continue
        for bracket, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            wrong = complaint(root, user, bracket, name)
            if wrong:
                yield f"{user}: {name} {wrong}"


def source_of(object_file):
    """The source of an object, by the folders that CMake gives it."""
    source = re.sub(r".*\.dir/(.*)\.(o|obj)$", r"\1", object_file)
    return pathlib.PurePosixPath(source).as_posix()


def symbols(cc, objects):
    """The global symbols: by source the ones it needs, and by symbol the source that defines it."""
    nm = subprocess.run([cc, "-print-prog-name=nm"], check=True, capture_output=True,
                        text=True).stdout.strip()
    listing = subprocess.run([nm, "-A", "-P", "-g", *objects], check=True, capture_output=True,
                             text=True).stdout
    needed, defined = {}, {}
    for line in listing.splitlines():
        file, _, symbol = line.rpartition(": ")
        name, kind = symbol.split()[:2]
        if kind == "U":
            needed.setdefault(source_of(file), []).append(name)
        else:
            defined[name] = source_of(file)
    return needed, defined


def acts_wrongly(user, name):
    """Why a file may not call a function that opens files or acts outside the process, or None."""
    room = room_of(user)[0]
    is_of_system = is_named(user, OF_SYSTEMS)
    if ONE_SYSTEM.fullmatch(name) and not is_of_system and not is_of_python(user):
        return "not every system has: base/os.h has a function for it"
    if room and ACTING.fullmatch(name) and not is_named(room, ACTS) and not is_of_system:
        return "acts outside the process: only src/io and src do, and steps by dv_step_folder"
    if room in STEP_ROOMS and UNASKED.fullmatch(name) and user != ASKS:
        return "opens files without asking: steps do by dv_step_folder"
    return None


def check_symbols(needed, defined):
    """All complaints about the symbols that objects take from other rooms."""
    for user in sorted(needed):
        for name in sorted(needed[user]):
            if unasked := acts_wrongly(user, name):
                yield f"{user}: calls {name}, which {unasked}"
            used = defined.get(name)  # None: of a library of the system
            if used is None:
                continue
            if is_outside(user) and user.split("/")[1] != used.split("/")[1]:
                wrong = None if name.startswith("dv_") else "is not public"
            else:
                wrong = forbidden(user, used)
            if wrong:
                yield f"{user}: calls {name} of {used}, which {wrong}"


# file, its include, and what the check must say about it ("" for nothing)
SELFTEST = [
    ("include/dataview/a.h", "<stdint.h>", ""),
    ("include/dataview/b.h", "<base/b.h>", "not public"),
    ("src/base/b.h", "<dataview/a.h>", ""),
    ("src/base/c.h", '"view/v.h"', "not for src/base"),
    ("src/base/d.h", '"b.h"', "not a path"),
    ("src/base/e.h", '"dataview/a.h"', "is public"),
    ("src/io/i.h", '"base/b.h"', ""),
    ("python/src/core/p.h", "<dataview/a.h>", ""),
    ("python/src/core/q.h", '"p.h"', ""),
    ("python/src/core/r.h", '"base/b.h"', "not a path"),
    ("python/src/core/s.h", "<base/b.h>", "not for python/src/core"),
    ("src/io/j.h", '"type/t.h"', "not for src/io"),
    ("src/type/t.h", '"simd/s.h"', "not for src/type"),
    ("simd/s.h", '"base/b.h"', ""),
    ("simd/scalar/s_scalar.c", '"simd/s.h"', ""),
    ("src/view/v.h", '"io/i.h"', ""),
    ("src/stats/s.c", '"matrix/m.h"', "not for src/stats"),
    ("src/matrix/m.h", '"view/v.h"', ""),
    ("src/format/idv/idv.c", '"format/idv/read/r.h"', ""),
    ("src/format/idv/read/r.h", '"view/v.h"', ""),
    ("src/format/idv/read/q.h", '"format/idv/save/w.h"', "is upward"),
    ("src/format/idv/save/w.h", '"format/idv/read/r.h"', ""),
    ("src/format/idv/misc/w.h", "<stdio.h>", "in no room"),
    ("src/format/btable/btable.c", '"format/idv/read/r.h"', "not for src/format/btable"),
    ("src/format/lost.c", "<stdio.h>", "in no room"),
    ("src/transform/tf.c", '"format/idv/read/r.h"', "not for src/transform"),
    ("src/cache/disk.c", '"format/idv/read/r.h"', ""),
    ("src/open.c", '"format/idv/read/r.h"', ""),
    ("src/cli/args/args.h", "<jansson.h>", ""),
    ("src/cli/main.c", '"cli/args/args.h"', ""),
    ("src/image/picture.h", "<dataview/a.h>", ""),
    ("src/image/image.c", '"base/b.h"', "not public"),
    ("src/cli/verbs/look.c", '"image/picture.h"', "not for src/cli/verbs"),
    ("src/cli/terminal/clip.h", '"cli/args/args.h"', "not for src/cli/terminal"),
    ("src/cli/verbs/peek.c", '"base/b.h"', "not public"),
]


# user, the symbol that it calls, the source of that, and what the check must say
SYMBOL_SELFTEST = [
    ("src/io/writer.c", "dvi_alloc", "src/base/alloc.c", ""),
    ("src/base/hashtab.c", "dv_type_of", "src/type/type.c", "not for src/base"),
    ("src/codec/convert.c", "dv_value_i4", "src/view/value.c", "not for src/codec"),
    ("src/type/type.c", "malloc", None, ""),
    ("simd/dispatch.c", "dvi_swap_2_scalar", "simd/scalar/swap_scalar.c", ""),
    ("src/format/idv/read/r.c", "dvi_w", "src/format/idv/save/w.c", "is upward"),
    ("src/cli/verbs/cmd_cat.c", "dv_open", "src/open.c", ""),
    ("src/cli/verbs/cmd_cat.c", "dvi_alloc", "src/base/alloc.c", "not public"),
    ("src/image/picture.c", "dv_error_set", "src/base/error.c", ""),
    ("src/image/picture.c", "dvi_alloc", "src/base/alloc.c", "not public"),
    ("src/cli/main.c", "dv_image_register", "src/image/image.c", ""),
    ("src/cli/main.c", "dvi_room_fit", "src/image/picture.c", "not public"),
    ("src/cli/args/args.c", "dvi_cmd_cat", "src/cli/verbs/cmd_cat.c", "not for src/cli/args"),
    ("src/cli/args/args.c", "fopen", None, ""),
    ("src/io/map.c", "open64", None, ""),
    ("src/io/map.c", "getrandom", None, "not every system has"),
    ("src/base/os_machine.c", "getrandom", None, ""),
    ("src/base/os_file.c", "open64", None, ""),
    ("src/base/alloc.c", "open64", None, "acts outside the process"),
    ("src/steps/step_map.c", "dvi_os_open_below", "src/base/os_file.c", "acts outside the process"),
    ("src/steps/step_map.c", "open", None, "acts outside the process"),
    ("src/image/image_load.c", "openat64", None, "acts outside the process"),
    ("src/image/image_load.c", "dv_open", "src/open.c", "without asking"),
    ("src/image/image_load.c", "dv_step_folder", "src/steps/step_trust.c", ""),
    ("src/image/image_load.c", "dv_folder_open_file", "src/io/folder.c", ""),
    ("src/steps/step_trust.c", "dv_folder_open", "src/io/folder.c", ""),
    ("src/steps/step_map.c", "dv_folder_open", "src/io/folder.c", "without asking"),
]
# a table of rooms, and what the check must say
CYCLE_SELFTEST = [
    ({"a": [], "b/*": ["a"], "c": ["a", "b/x"]}, ""),
    ({"a": ["b"], "b": []}, "no row above"),
    ({"a": ["a"]}, "no row above"),
]


def symbol_selftest():
    """Returns what the check got wrong about SYMBOL_SELFTEST and CYCLE_SELFTEST."""
    for user, name, used, want in SYMBOL_SELFTEST:
        said = list(check_symbols({user: [name]}, {name: used} if used else {}))
        if len(said) != bool(want) or not all(want in line for line in said):
            yield f"{user} calls {name}: wanted {want!r}, got {said}"
    for rooms, want in CYCLE_SELFTEST:
        said = list(cycles(rooms))
        if bool(said) != bool(want) or not all(want in line for line in said):
            yield f"{rooms}: wanted {want!r}, got {said}"


def nm_selftest(cc):
    """Returns what the check got wrong about the symbols of two objects that CC makes."""
    with tempfile.TemporaryDirectory() as folder:
        sources = {"src/io/a.c": "int b(void);\nint a(void) { return b(); }\n",
                   "src/base/b.c": "int a(void);\nint b(void) { return a(); }\n"}
        objects = []
        for file, text in sources.items():
            source = pathlib.Path(folder, "x.dir", file)
            source.parent.mkdir(parents=True)
            source.write_text(text, encoding="utf-8")
            objects.append(f"{source}.o")
            subprocess.run([cc, "-c", "-o", objects[-1], source], check=True)
        said = list(check_symbols(*symbols(cc, objects)))
        if len(said) != 1 or "src/base/b.c: calls a of src/io/a.c" not in said[0]:
            yield f"two objects: got {said}"


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
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--cc")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("objects", nargs="*")
    asked = parser.parse_args()
    if asked.selftest:
        complaints = [*selftest(), *symbol_selftest(), *nm_selftest(asked.cc)]
    else:
        complaints = [*cycles(ROOMS), *check(pathlib.Path(__file__).resolve().parents[2])]
        objects = [file for files in asked.objects for file in files.split(";")]
        if objects:
            complaints += check_symbols(*symbols(asked.cc, objects))
    print("\n".join(complaints) if complaints else "every use is one that the table allows")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
