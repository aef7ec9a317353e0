# SPDX-License-Identifier: MIT
"""The recipes of docs/python-recipes.md run, and learn: each ends with an error if it does not."""

import os
import pathlib
import subprocess
import sys

import pytest

import libdataview as dv
from recipe_pages import ROOT, missing, recipes

pytestmark = pytest.mark.skipif("DV_SANITIZED" in os.environ, reason="the frameworks are not what a sanitizer watches")
PACKAGE = pathlib.Path(dv.__file__).absolute().parents[1]


@pytest.mark.parametrize("name", recipes())
def test_recipe(name, tmp_path):
    text = recipes()[name]
    if missing(text):
        pytest.skip(f"the recipe {name} needs {missing(text)}")
    if ".image(" in text and not hasattr(dv.pipe, "image"):
        pytest.skip(f"the recipe {name} needs the steps for pictures")
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo",
                   "HF_HUB_OFFLINE": "1"}
    run = subprocess.run([sys.executable, ROOT / f"examples/train_{name}.py"], env=environment, cwd=tmp_path, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    assert run.returncode == 0, run.stdout
    assert "DataWarning" not in run.stdout and not list(tmp_path.iterdir())
