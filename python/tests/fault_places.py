# SPDX-License-Identifier: MIT
"""Records which `except` clauses of the package run: an import hook that marks each, in all threads.

Import this module before libdataview: in a process of its own."""

import ast
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tree"))
import caught  # noqa: E402

reached = []


class _Marking(ast.NodeTransformer):
    def __init__(self, path):
        self._places = {line: (place, kinds) for place, kinds, line in
                        caught.handlers(path.read_text(encoding="utf-8"), path.name)}

    def visit_ExceptHandler(self, node):  # noqa: N802
        self.generic_visit(node)
        mark = ast.parse(f"__import__('fault_places').reached.append({self._places[node.lineno]!r})").body
        node.body = [*mark, *node.body]
        return node


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        path = pathlib.Path(self.path)
        tree = _Marking(path).visit(ast.parse(path.read_text(encoding="utf-8")))
        return compile(ast.fix_missing_locations(tree), str(path), "exec")


class _Finder:
    def find_spec(self, name, path=None, target=None):
        if not name.startswith("libdataview."):
            return None
        file = pathlib.Path(path[0], name.rpartition(".")[2] + ".py")
        return importlib.util.spec_from_file_location(name, file, loader=_Loader(name, str(file))) \
            if file.exists() else None


sys.meta_path.insert(0, _Finder())
