# SPDX-License-Identifier: MIT
"""The examples of docs/python*.md, of the README and of docstrings do what they show."""

import doctest
import importlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["docs/python.md", "docs/python-arrow.md", "docs/python-datadings.md", "docs/python-training.md",
         "docs/python-recipes.md", "README.md"]
MODULES = ["_column", "_expr", "_from", "_open", "_output", "_pipeline", "_table", "_write", "_writer"]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(text):
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


@pytest.mark.parametrize("page", PAGES)
def test_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = blocks((ROOT / page).read_text(encoding="utf-8"))
    for module in set(re.findall(r"^>>> (?:import|from) (\w+)", text, re.MULTILINE)):
        pytest.importorskip(module)
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, clear_globs=True)
    assert runner.failures == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    module = importlib.import_module(f"libdataview.{name}")
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0
