# SPDX-License-Identifier: MIT
"""reached.py: which lines of the library does the corpus of a fuzz target reach, and which inputs are worth keeping?

The targets are built once more in build/soak/reached, with clang's counters instead of sanitizers.
"""
import pathlib
import shutil
import tempfile

from timed import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/soak/reached"
COUNTED = "-fprofile-instr-generate -fcoverage-mapping"
LIBRARY = ("src/", "simd/")
MOST_SEED_NBYTES, MOST_SEEDS_NBYTES = 16 << 10, 64 << 10  # of one new seed; of those of a target in one run
REPLAY_SECONDS, MERGE_SECONDS = 900, 1800


def run(*command, profile="/dev/null", seconds=None):
    """Whether the command succeeded, and its output."""
    BUILD.mkdir(parents=True, exist_ok=True)
    ran = programs.call(BUILD / "last.log", [str(word) for word in command], ROOT, {"LLVM_PROFILE_FILE": str(profile)},
                        seconds)
    return (ran.status == 0, ran.text) if ran else (False, "")


def build(targets):
    """Whether the targets are built."""
    configured, said = run("cmake", "--preset", "asan", "-B", BUILD, "-DDV_SANITIZE=", f"-DCMAKE_C_FLAGS={COUNTED}")
    built, more = run("cmake", "--build", BUILD, "-j", "1", "--target", *(f"fuzz_{target}" for target in targets))
    (ROOT / "build/soak/reached.log").write_text(said + more, encoding="utf-8")
    return configured and built


def lines_of(lcov):
    """The lines that ran, as (file, line), of what `llvm-cov export --format=lcov` says."""
    lines, file = set(), None
    for word in lcov.splitlines():
        if word.startswith("SF:"):
            path = pathlib.Path(word[3:])
            name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
            file = name if name.startswith(LIBRARY) else None
        elif file and word.startswith("DA:"):
            line, count = word[3:].split(",")[:2]
            if int(count) > 0:
                lines.add((file, int(line)))
    return lines


def link_all(inputs, there):
    """Links to all files of the inputs, under names of their own: an input may be a seed and in the corpus."""
    for number, path in enumerate(inputs):
        for file in path.iterdir() if path.is_dir() else [path]:
            (there / f"{number}-{file.name}").symlink_to(file.resolve())


def lines(target, inputs):
    """The lines of the library that the inputs (files, folders) reach; None if the target does not end well."""
    program = BUILD / f"bin/fuzz_{target}"
    with tempfile.TemporaryDirectory() as folder:
        raw, profile = pathlib.Path(folder, "raw"), pathlib.Path(folder, "profile")
        # Files are passed in a folder: only then is the whole of a run one process that ends by itself.
        there = pathlib.Path(folder, "inputs")
        there.mkdir()
        link_all(inputs, there)
        good = (run(program, "-runs=0", there, profile=raw, seconds=REPLAY_SECONDS)[0] and
                run("llvm-profdata-19", "merge", raw, "-o", profile)[0])
        exported, said = run("llvm-cov-19", "export", "--format=lcov", program, "--instr-profile", profile) if good else (
            False, "")
        return lines_of(said) if exported else None


def new_edges(target, seeds, corpus):
    """The inputs of the corpus that reach edges of the code which the seeds do not reach, the small ones first."""
    with tempfile.TemporaryDirectory() as folder:
        merged = pathlib.Path(folder, "merged")
        shutil.copytree(seeds, merged)
        run(BUILD / f"bin/fuzz_{target}", "-merge=1", "-use_counters=0", merged, corpus, seconds=MERGE_SECONDS)
        names = {path.name for path in merged.iterdir()} - {path.name for path in seeds.iterdir()}
    found = [corpus / name for name in names if (corpus / name).is_file()]
    return sorted(found, key=lambda path: (path.stat().st_size, path.name))


def chosen(inputs, reached, lines_of_input):
    """Of the inputs, in their order, those that reach lines which neither `reached` nor one before them does."""
    kept, nbytes, reached = [], 0, set(reached)
    for path in inputs:
        size = path.stat().st_size
        if size > MOST_SEED_NBYTES or nbytes + size > MOST_SEEDS_NBYTES:
            continue
        if more := (lines_of_input(path) or set()) - reached:
            kept.append(path)
            nbytes += size
            reached |= more
    return kept


def of_everything(target, seeds, corpus):
    """The lines that seeds and corpus reach, or None."""
    return lines(target, [folder for folder in (seeds, corpus) if folder.is_dir() and any(folder.iterdir())])


def new_seeds(target, seeds, corpus, everything):
    """Inputs of the corpus that are worth to be seeds."""
    of_seeds = lines(target, [seeds]) if seeds.is_dir() else None
    if of_seeds is None or everything <= of_seeds or not corpus.is_dir():
        return []
    return chosen(new_edges(target, seeds, corpus), of_seeds, lambda path: lines(target, [path]))


def selftest():
    """What is wrong with this file."""
    lcov = (f"SF:{ROOT}/src/a.c\nDA:1,5\nDA:2,0\nend_of_record\nSF:{ROOT}/fuzz/b.c\nDA:1,1\nend_of_record\n"
            f"SF:/usr/include/c.h\nDA:3,1\nend_of_record\nSF:{ROOT}/simd/d.h\nDA:9,1,x\nend_of_record\n")
    if lines_of(lcov) != {("src/a.c", 1), ("simd/d.h", 9)}:
        yield f"lines reached: {lines_of(lcov)}"
    with tempfile.TemporaryDirectory() as folder:
        folders = [pathlib.Path(folder, name) for name in ("a/views", "b/views", "links")]
        for path in folders:
            path.mkdir(parents=True)
            (path / "same").touch()
        link_all([*folders[:2], folders[0] / "same"], folders[2])
        if len(list(folders[2].iterdir())) != 4:
            yield f"links: {list(folders[2].iterdir())}"
    with tempfile.TemporaryDirectory() as folder:
        inputs = [pathlib.Path(folder, name) for name in "abcdef"]
        for path, size in zip(inputs, [1, 2, 3, MOST_SEED_NBYTES + 1, MOST_SEED_NBYTES, 4]):
            path.write_bytes(bytes(size))
        reach = dict(zip("abcdef", [{1}, {2}, {2}, {3}, None, {1, 4}]))
        kept = [path.name for path in chosen(inputs, {1}, lambda path: reach[path.name])]
        if kept != ["b", "f"]:
            yield f"chosen: {kept}"
