# SPDX-License-Identifier: MIT
"""package_tools.py: what package.py and wheels.py stand on: folders, commands and virtual environments."""
import os
import pathlib
import subprocess
import sys
import tomllib
import venv

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON = ROOT / "python"
BUILD = ROOT / "build/python"  # the virtual environment, and the folders of its build:
DIST, OBJECTS = BUILD / "dist", BUILD / "objects"


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


def build_wheel(source, folder, *settings, env=None):
    """The wheel of a folder or an archive, as the backend builds it."""
    words = [word for setting in settings for word in ("--config-settings", setting)]
    run(backend(), "-m", "pip", "wheel", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", source,
        "-w", folder, *words, cwd=folder, env={**os.environ, **(env or {})})
    return next(folder.glob("*-linux_*.whl"))
