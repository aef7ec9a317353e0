# SPDX-License-Identifier: MIT
"""What the tests share: files, the golden cases, and a look at what the extension still holds."""

import gc
import os
import pathlib
import signal

import pytest

import golden_cases as golden
import libdataview as dv
from libdataview import _core

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and tests raise it

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "examples/sample.idv"
TOWNS = ["Ely", "Bath", None, "Ely", "Rye", "Bath"]
ROOMS = [3, 5, 3, 2, 5, 3]


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        cases = list(golden.cases())
        if "DV_SANITIZED" in os.environ:  # some ten times as slow; the tests of C read them all
            cases = cases[::16]
        metafunc.parametrize("case", cases, ids=lambda case: case.id)


@pytest.fixture(autouse=True, scope="module")
def young_objects_only():
    """What lives before a module of tests stays out of its collections, which then are quick."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def sample():
    return SAMPLE


@pytest.fixture
def towns():
    return dv.from_numpy({"town": TOWNS, "rooms": ROOMS})


def living():
    gc.collect()
    return {name: n for name, n in _core.live().items() if n}


@pytest.fixture
def nothing_left():
    """The test leaves no object of the extension alive."""
    before = living()
    yield
    assert living() == before
