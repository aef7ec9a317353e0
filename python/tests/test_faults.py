# SPDX-License-Identifier: MIT
"""A fault at each place where the package catches an exception: the result is the same as without it, or an error.

A feed once took any error while it looked at a file for "rows are at hand", and one rank read in a different order.
docs/security.md lists the places; a place that is listed without a fault here, or that its fault does not reach,
fails."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("numpy")
pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")
pytest.importorskip("scipy")

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tree"))
import caught  # noqa: E402

LISTED = caught.rows(caught.PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The outcome of each fault, from a process in which all clauses are marked."""
    found = tmp_path_factory.mktemp("faults") / "outcomes.json"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(pathlib.Path(__file__).parent), *filter(None, sys.path)])}
    subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("inject_faults.py")), str(found)], env=env,
                   check=True, timeout=300)
    return json.loads(found.read_text())


@pytest.mark.parametrize("place, kinds", LISTED, ids=[f"{place} {kinds}" for place, kinds in LISTED])
def test_a_fault_decides_nothing(place, kinds, outcomes):
    outcome = outcomes.get(f"{place} | {kinds}")
    assert outcome is not None, "inject_faults.py has no fault for this place"
    assert outcome["reached"], "the fault did not reach the place"
    assert outcome["after"] in ("the same", "an error"), outcome["after"]


def test_no_fault_is_left_over(outcomes):
    assert set(outcomes) == {f"{place} | {kinds}" for place, kinds in LISTED}
