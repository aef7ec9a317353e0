# SPDX-License-Identifier: MIT
"""Recipes: programs of examples/ that docs/python-recipes.md shows as they run.

    python3 python/tests/recipe_pages.py      writes the programs into the page
"""
import importlib.util
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/python-recipes.md"
SHOWN = re.compile(r"(`examples/train_(\w+)\.py`:\n\n```python\n)(.*?)(?=```\n)", re.DOTALL)
WITH_ARGUMENTS = {"manual_pages", "mlp"}  # programs for your own files: test_sklearn.py, test_torch.py


def missing(text, prompt=""):
    """A package that this code imports and that is not installed; None: all are."""
    for module in re.findall(rf"^{prompt}(?:import|from) (\w+)", text, re.MULTILINE):
        if importlib.util.find_spec(module) is None:
            return module
    return None


def recipes():
    """The text of each recipe in its file, without the line of the licence."""
    paths = sorted((ROOT / "examples").glob("train_*.py"))
    texts = {path.stem.removeprefix("train_"): path.read_text(encoding="utf-8") for path in paths}
    return {name: text.partition("\n")[2] for name, text in texts.items() if name not in WITH_ARGUMENTS}


def shown():
    """The text of each recipe in the page."""
    return {name: text for _, name, text in SHOWN.findall(PAGE.read_text(encoding="utf-8"))}


def main():
    texts = recipes()
    page = SHOWN.sub(lambda found: found[1] + texts[found[2]], PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
