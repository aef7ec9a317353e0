# SPDX-License-Identifier: MIT
"""peer.py: finds the package `datadings`, which `./dev test` installs into build/venv."""
import importlib.util
import os
import pathlib
import sys

PYTHON = pathlib.Path(__file__).resolve().parents[3] / "build/venv/bin/python"


def need(test):
    """Run again in the Python of the package; without the package skip the test."""
    if importlib.util.find_spec("datadings"):
        return
    if PYTHON.exists() and pathlib.Path(sys.executable) != PYTHON:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    print(f"[SKIP] datadings::{test}: the package datadings is not installed in build/venv")
    sys.exit(0)


def write(path, samples):
    """Write a set of these maps, each with its `key`, with the package."""
    from datadings.writer import FileWriter

    with FileWriter(path, overwrite=True, disable=True) as writer:
        for sample in samples:
            writer.write(sample)


def read(path):
    """The keys and messages of a set, read by the package."""
    from datadings.reader import MsgpackReader

    reader = MsgpackReader(path)
    if len(reader) == 0:
        return []
    return [(key, bytes(message)) for key, message in reader.iter(yield_key=True, raw=True)]
