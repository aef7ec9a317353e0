#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""package.py: builds the Python package and tries what it built.

    install            builds a wheel and installs it in the virtual environment build/python (`./dev python`)
    wheels [TARGET..]  wheels for other machines, in build/python/dist, each tried as far as this machine can; without
                       TARGET all of them
    wheel              the one of them that every glibc of this processor takes, tried in each Python here
    libraries PRESET   what a preset of CMake for another system stands on, in build/wheels: a compiler and libraries
    sdist              the source archive, in build/python/dist; a wheel is built of it without the checkout
    check              (a step of `./dev check --full`) `wheel`, built of the source archive, with no compiler at hand in
                       each Python here, and with the oldest packages that it supports
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import package_version
import wheels
from package_tools import BUILD, DIST, OBJECTS, PYTHON, ROOT, build_wheel, checkers, environment, run, say

# What the wheel is made of, beside python/; the same lies in core/ of the source archive.
CORE = ["CMakeLists.txt", "LICENSE", "cmake", "docs/spec", "include", "simd", "src"]
PACKAGE = ["CMakeLists.txt", "LICENSE", "NOTICE", "README.md", "extension.cmake", "package_version.py",
           "pyproject.toml", "src"]
UNUSED = shutil.ignore_patterns("__pycache__", "*.so", "*.pyc")


# --- The wheel ------------------------------------------------------------------------------------


def files_below(root, names):
    for name in names:
        path = root / name
        yield from (p for p in path.rglob("*") if p.is_file() and p.suffix not in (".so", ".pyc")) \
            if path.is_dir() else [path]


def age_of_sources():
    return max(path.stat().st_mtime for root, names in ((ROOT, CORE), (PYTHON, PACKAGE))
               for path in files_below(root, names))


def wheel_for_this_machine():
    """Its steps for pictures need the libraries of this machine.  An up-to-date wheel is there already."""
    for wheel in DIST.glob(f"libdataview-{package_version.version()}-*-linux_*.whl"):
        if wheel.stat().st_mtime > age_of_sources():
            return wheel
    DIST.mkdir(parents=True, exist_ok=True)
    for wheel in DIST.glob("*-linux_*.whl"):
        wheel.unlink()
    say("building the Python package" + ("" if OBJECTS.exists() else ", for the first time: a minute"))
    return build_wheel(PYTHON, DIST, f"build-dir={OBJECTS}")


def install():
    wheel = wheel_for_this_machine()
    python = environment(BUILD)
    stamp = BUILD / "wheel.txt"
    is_new = f"{wheel.name} {wheel.stat().st_mtime_ns}"
    if not stamp.exists() or stamp.read_text() != is_new:
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", wheel)
        stamp.write_text(is_new)
    first_look(python)


LOOK = """
import libdataview as dv
print(f"libdataview {dv.__version__} is installed in build/python.  A first look:\\n")
print('>>> import libdataview as dv\\n>>> dv.open("examples/sample.idv")')
print(dv.open("examples/sample.idv"))
"""
NEXT = """
build/python/bin/python                                   this Python: docs/python.md is a tour
build/python/bin/pip install numpy pandas pyarrow polars  whatever of these you use; none is needed
build/python/bin/dataview head examples/sample.idv        the command
./dev python wheel                                        a wheel for other machines
pip install ./python                                      in any other virtual environment"""


def first_look(python):
    print(subprocess.run([python, "-I", "-c", LOOK], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout,
          end="")
    print(NEXT)


# --- The source archive ---------------------------------------------------------------------------


def copy(root, names, target):
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if (root / name).is_dir():
            shutil.copytree(root / name, target / name, ignore=UNUSED)
        else:
            shutil.copy(root / name, target / name)


def source_archive():
    """An archive cannot reach the folder above: the tree of C goes to core/, with its version, since there is no git."""
    DIST.mkdir(parents=True, exist_ok=True)
    for old in DIST.glob("*.tar.gz"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder) / "libdataview"
        copy(PYTHON, PACKAGE, stage)
        copy(ROOT, CORE, stage / "core")
        (stage / "core/VERSION").write_text(package_version.version() + "\n")
        run(checkers() / "python", "-m", "build", "--sdist", "--outdir", DIST, stage)
    archive = next(DIST.glob("*.tar.gz"))
    run(checkers() / "twine", "check", "--strict", archive)
    return archive


# --- Trials ---------------------------------------------------------------------------------------

USE = """
import sys, libdataview as dv
t = dv.open("sample.idv")
assert t.shape == (600, 5), t.shape
assert t[2]["Tags"] == ["tag2", "tag3"] and t.filter(dv.col("Age") >= 18).count() == 439
dv.write(t, "rows.csv", allow_loss=["columns", "types"])
assert dv.open("rows.csv").count() == 600
if sys.argv[1:]:
    assert "80.0" in str(dv.Pipeline(sys.argv[1]).fit_apply(dv.open("pictures.csv"))[0]["X"])
assert "numpy" not in sys.modules
"""


def version_of(wheel):
    return wheel.name.split("-")[1]


def try_wheel(wheel, python, steps=(wheels.STEP,)):
    """A new environment with the wheel alone opens the sample and decodes pictures by steps, and so does the command, by
    both names.  PATH leads to no program of the system: neither to a compiler nor to another command."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run(python, "-m", "venv", folder / "venv")
        here = folder / "venv/bin/python"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LD_"))}
        clean["PATH"] = str(here.parent)
        run(here, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", wheel, cwd=folder, env=clean)
        wheels.lay_out_trial(folder)
        run(here, "-c", USE, *steps, cwd=folder, env=clean)
        for command in (["dataview"], [here, "-m", "libdataview"]):
            wheels.try_command(command, version_of(wheel), steps, cwd=folder, env=clean)


def pythons():
    """The Pythons of this machine that the wheel is for."""
    yield sys.executable
    for minor in range(sys.version_info.minor + 1, 20):
        python = shutil.which(f"python3.{minor}")
        if python and not subprocess.run([python, "-c", "import venv"], stderr=subprocess.DEVNULL).returncode:
            yield python


def for_others(target, source=PYTHON):
    """A wheel for other machines, tried here; says how."""
    wheel = wheels.build(target, source)
    if target is not wheels.for_this_machine():
        return wheel, wheels.tried_foreign(target, wheel)
    tried = list(pythons())
    for python in tried:
        try_wheel(wheel, python)
    return wheel, f"tried in {len(tried)} Python" + "s" * (len(tried) > 1)


def check():
    wheel, _ = for_others(wheels.for_this_machine(), source_archive())
    oldest = environment(BUILD / "oldest", requirements=PYTHON / "tests/requirements-oldest.txt")
    run(oldest, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", wheel)
    done = subprocess.run([sys.executable, PYTHON / "tests/run_pytest.py", "--python", oldest, PYTHON / "tests/test_peers.py"])
    sys.exit(done.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="install", choices=["install", "wheels", "libraries", "wheel", "sdist", "check"])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="of wheels: " + ", ".join(wheels.TARGETS))
    args = parser.parse_args()
    known = {"wheels": wheels.TARGETS, "libraries": wheels.PRESETS}.get(args.what, {})
    for name in args.targets:
        if name not in known:
            parser.error(f"{args.what} does not take {name}; it takes {', '.join(known) or 'no target'}")
    if sys.version_info < (3, 11):
        sys.exit(f"dev: this is Python {sys.version.split()[0]}, and the package needs 3.11")
    if args.what == "install":
        install()
    elif args.what == "sdist":
        archive = source_archive()
        with tempfile.TemporaryDirectory() as folder:
            try_wheel(build_wheel(archive, pathlib.Path(folder)), sys.executable, steps=())
        print(archive.relative_to(ROOT))
    elif args.what == "check":
        check()
    elif args.what == "libraries":
        for name in args.targets:
            wheels.prefix(wheels.PRESETS[name])
            wheels.root_of(wheels.PRESETS[name])
    else:
        named = [wheels.for_this_machine().tag] if args.what == "wheel" else args.targets or wheels.TARGETS
        for name in named:
            wheel, tried = for_others(wheels.TARGETS[name])
            print(f"{wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1e6:.1f} MB: {tried}", flush=True)


if __name__ == "__main__":
    main()
