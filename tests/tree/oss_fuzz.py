#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""oss_fuzz.py: checks that fuzz/oss-fuzz builds what OSS-Fuzz accepts, as far as that shows without its images.

oss_fuzz.py WORK [SANITIZER]

Runs build.sh with the variables that OSS-Fuzz sets for libFuzzer and a sanitizer of project.yaml (address, undefined),
and clang 19; objects stay in the folder WORK.  Then as its own checks of a build: every target is there with seeds and options, is instrumented, needs no
shared library that is not on every system, starts without a corpus, and survives its seeds (some of them here: all are
replayed by the tests).
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = ROOT / "fuzz/oss-fuzz"
SEEDS = 20  # of each target
# libstdc++ stands for the libc++ of the image, which is an archive.
EVERYWHERE = {"linux-vdso", "ld-linux-x86-64", "libc", "libm", "libpthread", "libdl", "librt", "libresolv", "libgcc_s",
              "libstdc++"}
UNDEFINED = ("array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return,"
             "returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr")
SANITIZERS = {
    "address": "-fsanitize=address -fsanitize-address-use-after-scope",
    "undefined": f"-fsanitize={UNDEFINED},unsigned-integer-overflow -fno-sanitize-recover={UNDEFINED}",
}
COMMON = ("-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION "
          "-fsanitize=fuzzer-no-link")
LINE = re.compile(r'(\w+):(?: +("[^"]*"|[\w.-]+))?|  - ([\w.-]+)')
KEYS = {"homepage", "main_repo", "primary_contact", "language", "base_os_version", "fuzzing_engines", "sanitizers",
        "architectures"}


def read_project(text):
    """The keys of project.yaml, which is written as plainly as this: scalars and lists of words."""
    said, key = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        part = LINE.fullmatch(line)
        if not part or (part[3] and key is None):
            raise ValueError(f"project.yaml:{number}: {line}")
        if part[3]:
            said[key].append(part[3])
        else:
            key = part[1] if part[2] is None else None
            said[part[1]] = [] if part[2] is None else part[2].strip('"')
    return said


def check_project():
    try:
        said = read_project((PROJECT / "project.yaml").read_text(encoding="utf-8"))
    except ValueError as wrong:
        yield str(wrong)
        return
    if set(said) != KEYS:
        yield f"project.yaml: keys {sorted(set(said) ^ KEYS)}"
    if said.get("fuzzing_engines") != ["libfuzzer"] or said.get("sanitizers") != list(SANITIZERS):
        yield f"project.yaml: {said}"


def run(*words, environment=None):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, "UBSAN_OPTIONS": "silence_unsigned_overflow=1", **(environment or {})})


def build(work, folder, sanitizer):
    """The folder $OUT, or what build.sh said."""
    flags = f"{COMMON} {SANITIZERS[sanitizer]}"
    source, out = work / "src", folder / "out"  # CMake goes on with objects only of the same source folder
    source.mkdir(parents=True, exist_ok=True)
    out.mkdir()
    if not (source / "dataview").exists():
        (source / "dataview").symlink_to(ROOT)
    done = run("bash", "-eu", PROJECT / "build.sh", environment={
        "CC": "clang-19", "CXX": "clang++-19", "CFLAGS": flags, "CXXFLAGS": flags, "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer",
        "SRC": str(source), "WORK": str(work), "OUT": str(out)})
    return (out, None) if done.returncode == 0 else (None, done.stdout)


def check_files(out, name, target):
    wanted = {f"{name}", f"{name}_seed_corpus.zip", f"{name}.options"}
    wanted |= {f"{name}.dict"} if (ROOT / f"fuzz/dict/{target}.dict").exists() else set()
    there = {path.name for path in out.glob(f"{name}*")  # not those of a target whose name is longer
             if path.name == name or path.name.startswith((f"{name}.", f"{name}_seed_corpus"))}
    if there != wanted:
        yield f"{name}: {sorted(there)} instead of {sorted(wanted)}"
    elif f"{name}.dict" in wanted and f"dict = {name}.dict\n" not in (out / f"{name}.options").read_text():
        yield f"{name}: its options do not name its dictionary"


def check_libraries(out, name):
    needed = {line.split()[0].split("/")[-1].split(".so")[0] for line in run("ldd", out / name).stdout.splitlines()}
    if not needed or needed - EVERYWHERE:
        yield f"{name}: needs {sorted(needed - EVERYWHERE) or 'nothing that ldd can tell'}"


def check_runs(out, name, folder):
    """As bad_build_check of OSS-Fuzz does."""
    words = ["-rss_limit_mb=2560", "-timeout=25", *([f"-dict={out / name}.dict"] if (out / f"{name}.dict").exists() else [])]
    done = run(out / name, *words, "-seed=1337", "-runs=4")
    edges = re.search(r"INFO: Loaded \d+ module.*\(.*(?:counters|guards)\): +(\d+)", done.stdout)
    if done.returncode or "Done 4 runs" not in done.stdout or not edges or int(edges[1]) < 500:
        yield f"{name}: without a corpus: status {done.returncode}: {done.stdout[-2000:]}"
    seeds = folder / name
    seeds.mkdir()
    with zipfile.ZipFile(out / f"{name}_seed_corpus.zip") as packed:
        names = sorted(packed.namelist())
        for seed in names[:SEEDS]:
            packed.extract(seed, seeds)
    done = run(out / name, *words, "-runs=0", seeds)
    if done.returncode or f"{min(len(names), SEEDS)} files found in" not in done.stdout:
        yield f"{name}: on its seeds: status {done.returncode}: {done.stdout[-2000:]}"


def check_target(out, target, folder):
    name = f"fuzz_{target}"
    return [*check_files(out, name, target)] or [*check_libraries(out, name), *check_runs(out, name, folder)]


def check(work, sanitizer):
    yield from check_project()
    with tempfile.TemporaryDirectory() as folder:
        out, said = build(work, pathlib.Path(folder), sanitizer)
        if out is None:
            yield f"build.sh failed: {said[-8000:]}"
            return
        targets = [path.stem.removeprefix("fuzz_") for path in sorted((ROOT / "fuzz").glob("fuzz_*.c"))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for wrong in pool.map(lambda target: check_target(out, target, pathlib.Path(folder)), targets):
                yield from wrong
        print(f"{len(targets)} targets built, checked and run")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], *([name] for name in SANITIZERS)):
        sys.exit(__doc__)
    wrong = list(check(pathlib.Path(sys.argv[1]).resolve(), *(sys.argv[2:] or ["address"])))
    print("\n".join(wrong) if wrong else "fuzz/oss-fuzz is sound")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
