# SPDX-License-Identifier: MIT
"""peer.py: where is the package `datadings`?  `./dev test` puts it into build/venv."""
import importlib.util
import os
import pathlib
import sys

PYTHON = pathlib.Path(__file__).resolve().parents[3] / "build/venv/bin/python"


def need(test):
    """Go on where the package is, or end here: the test is skipped by its name."""
    if importlib.util.find_spec("datadings"):
        return
    if PYTHON.exists() and pathlib.Path(sys.executable) != PYTHON:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    print(f"[SKIP] datadings::{test}: the package datadings is not installed in build/venv")
    sys.exit(0)


def write(path, samples):
    """A set of these maps, each with its `key`, by the package."""
    from datadings.writer import FileWriter

    with FileWriter(path, overwrite=True, disable=True) as writer:
        for sample in samples:
            writer.write(sample)


def read(path):
    """Keys and messages of a set, as the package reads them."""
    from datadings.reader import MsgpackReader

    reader = MsgpackReader(path)
    if len(reader) == 0:
        return []
    return [(key, bytes(message)) for key, message in reader.iter(yield_key=True, raw=True)]
