# SPDX-License-Identifier: MIT
"""The stubs say what the package has, and what users write passes mypy --strict.

mypy and stubtest see the package that is imported, by the path that it has."""

import os
import pathlib
import subprocess
import sys

import pytest

import libdataview

pytestmark = pytest.mark.skipif("DV_SANITIZED" in os.environ, reason="mypy is not what a sanitizer watches")
TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parents[1]


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture
def environment(cache):
    pytest.importorskip("mypy")
    found = pathlib.Path(libdataview.__file__).absolute().parents[1]
    variables = {**os.environ, "MYPY_CACHE_DIR": str(cache)}
    if found.name != "site-packages":
        variables["MYPYPATH"] = str(found)
    return variables


def run(environment, *arguments, **options):
    done = subprocess.run([sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True,
                          **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_example_is_strict(environment):
    run(environment, "-m", "mypy", "--config-file", TESTS / "mypy.ini", TESTS / "example.py", cwd=TESTS)


def test_a_wrong_example_is_not(environment, tmp_path):
    wrong = tmp_path / "example.py"
    wrong.write_text('import libdataview as dv\nrows: str = dv.open("x.idv").num_rows\n', encoding="utf-8")
    with pytest.raises(AssertionError, match="Incompatible types in assignment"):
        run(environment, "-m", "mypy", "--config-file", TESTS / "mypy.ini", wrong, cwd=tmp_path)


def test_stubs(environment, tmp_path):
    run(environment, "-m", "mypy.stubtest", "libdataview", "--concise", "--mypy-config-file", TESTS / "mypy.ini",
        "--allowlist", TESTS / "stubtest_allowlist.txt", "--ignore-unused-allowlist", cwd=tmp_path)


def test_example_runs(environment):
    assert run(environment, TESTS / "example.py", ROOT / "examples/sample.idv").startswith("600 (")
