# SPDX-License-Identifier: MIT
"""The examples of docs/python*.md, of the README and of docstrings do what they show."""

import doctest
import importlib
import itertools
import re

import pytest

import libdataview
from libdataview import _pipeline
from recipe_pages import ROOT, missing, recipes, shown

PAGES = ["docs/python.md", "docs/python-arrow.md", "docs/python-datadings.md", "docs/python-training.md",
         "docs/python-images.md", "docs/python-recipes.md", "README.md"]
MODULES = ["_column", "_expr", "_from", "_open", "_output", "_pipeline", "_sample", "_sequences", "_table", "_write", "_writer"]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def needs(block):
    """The first thing that a block needs and that is missing; None: it can run."""
    if missing(block, ">>> "):
        return missing(block, ">>> ")
    is_of_pictures = re.search(r"pipe\.(image|decode)\(", block)
    return "the steps for pictures" if is_of_pictures and "image" not in _pipeline.STEPS else None


@pytest.mark.parametrize("page", PAGES)
def test_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    can_run = list(itertools.takewhile(lambda block: not needs(block), found))
    test = doctest.DocTestParser().get_doctest("\n".join(can_run), {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, clear_globs=True)
    assert runner.failures == 0
    if len(can_run) < len(found):
        pytest.skip(f"the rest of {page} needs {needs(found[len(can_run)])}")


@pytest.mark.parametrize("name", recipes())
def test_recipes_are_shown_as_they_run(name):
    assert shown().get(name) == recipes()[name], "python3 python/tests/recipe_pages.py writes it into the page"


@pytest.mark.parametrize("name", [*libdataview.__all__])
def test_every_public_name_has_an_example(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = getattr(libdataview, name).__doc__ or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert example.examples, f"{name} has no example"
    if needs(text):
        pytest.skip(f"the example of {name} needs {needs(text)}")
    assert doctest.DocTestRunner(optionflags=FLAGS).run(example).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    module = importlib.import_module(f"libdataview.{name}")
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0
