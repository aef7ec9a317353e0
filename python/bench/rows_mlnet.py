# SPDX-License-Identifier: MIT
"""Pipelines beside ML.NET: the same steps fitted on the same .idv file and applied to it, one thread
each, until all rows are read.

ML.NET runs in this process: the folder that DV_MLNET names has the modules that load it;
without one the rows are skipped.  Its rows are read by a compiled loop over the getters of columns.
"""

import os
import pathlib
import sys

import libdataview as dv
import sides
from rows_pipe import words
from rows_words import texts

ROOT = pathlib.Path(__file__).resolve().parents[2]


def mlnet():
    """The modules net, mlnet_steps and perf of that folder, started; None: it is not here."""
    folder = pathlib.Path(os.environ.get("DV_MLNET") or ROOT.parent / "shared/mlnet")
    if not (folder / "net.py").is_file():
        return None
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    import net

    build = ROOT / "build/mlnet"
    net.setup(str(build))
    sys.path.extend(str(path) for path in build.glob("venv/lib/*/site-packages"))
    net.start(str(build))
    import mlnet_steps
    import perf

    return net, mlnet_steps, perf


class Theirs:
    """What ML.NET makes of a file."""

    def __init__(self, modules, path, step):
        self.net, self.steps, self.perf = modules
        self.path, self.step = str(path), step
        self.drain = None  # compiled for the columns of the result

    def __call__(self):
        """The sum over the column B: of numbers and keys, and of how many slots of a vector are stored."""
        source = self.net.load(self.path)
        view, _ = self.steps.apply(source, self.step)
        view, _ = self.steps.apply(view, {"transform": "SelectColumns", "keepColumns": ["B"]})
        if self.drain is None:
            self.drain = self.perf.drain(view)
        return self.drain(view)


# The same sums of our column.

def stored(table):
    return table.to_csr("B").nnz


def keys(table):
    return int((table["B"].to_numpy("i8") + 1).sum())  # ML.NET keeps the first as 1


def lengths(table):
    import pyarrow.compute as pc

    return pc.sum(pc.list_value_length(table.to_arrow()["B"])).as_py()


def numbers(table):
    return float(table["B"].to_numpy("f8").sum())


def beside(modules, title, path, pipe, step, total):
    """A row: the seconds of opening, fitting, applying and reading."""
    def ours():
        result = dv.Pipeline(pipe).fit_apply(dv.open(path), threads=1).select("B")
        with result.batches(threads=1) as cursor:
            for _ in cursor:
                pass
        return result

    theirs = Theirs(modules, path, step)
    a, b = total(ours()), theirs()
    sides.require(title, abs(a - b) <= 1e-9 * abs(b), f"a sum of {a} beside {b}")
    sides.compare(title, ours, ("ML.NET 1.5", theirs, 5, 20))


ONE, SOURCES = {"column": {"name": "B", "source": "A"}}, {"column": {"name": "B", "sources": ["A"]}}
HASH = {"numberOfBits": 16, "seed": 314489979, "useOrderedHashing": False, "maximumNumberOfInverts": 0}
RUNS = {"ngramLength": 1, "skipLength": 0, "useAllLengths": True}
TERMS = {"maximumNumberOfKeys": 10_000_000, "keyOrdinality": "ByOccurrence"}


def main():
    if not sides.peers("ML.NET", "numpy", "pyarrow", "scipy"):
        return
    modules = mlnet()
    if not modules:
        print("ML.NET: skipped, there is no net.py in $DV_MLNET")
        return
    import numpy as np
    import pyarrow as pa

    rows, lines = (20_000, 500) if sides.IS_QUICK else (1_000_000, 20_000)
    random = np.random.default_rng(1)
    with sides.folder() as folder:
        def saved(name, table):
            path = pathlib.Path(folder, f"{name}.idv")
            dv.from_arrow(table).write(path)
            return path

        def named(distinct):
            return saved(f"words-{distinct}", words(rows, distinct).rename_columns(["A"]))

        few, many = named(1_000), named(rows // 4)
        texts_path = saved("texts", pa.table({"A": texts(lines)}))
        floats = saved("floats", pa.table({"A": random.normal(size=rows).astype(np.float32)}))
        for title, path, pipe, step, total in [
                (f"wordbag, {lines:,} texts", texts_path, "wordbag B:A",
                 {"transform": "WordBag", **SOURCES, **RUNS, "maximumNgramsCount": 10_000_000, "weighting": "Tf"}, stored),
                (f"wordhashbag, {lines:,} texts", texts_path, "wordhashbag B:A ordered- hashversion=1",
                 {"transform": "WordHashBag", **SOURCES, **RUNS, **HASH}, stored),
                (f"tokenize, {lines:,} texts", texts_path, "tokenize B:A",
                 {"transform": "TokenizeWords", **ONE, "separators": [" "]}, lengths),
                (f"term, {rows:,} texts, 1,000 distinct", few, "term B:A max=10000000",
                 {"transform": "ValueToKey", **ONE, **TERMS}, keys),
                (f"term, {rows:,} texts, {rows // 4:,} distinct", many, "term B:A max=10000000",
                 {"transform": "ValueToKey", **ONE, **TERMS}, keys),
                (f"onehot, {rows:,} texts, 1,000 distinct", few, "onehot B:A max=10000000",
                 {"transform": "OneHotEncoding", **ONE, **TERMS, "outputKind": "Indicator"}, stored),
                (f"hash, {rows:,} texts", few, "hash B:A bits=16 hashversion=1",
                 {"transform": "Hash", **ONE, **HASH, "combine": False}, keys),
                (f"hash, {rows:,} R4", floats, "hash B:A bits=16 hashversion=1",
                 {"transform": "Hash", **ONE, **HASH, "combine": False}, keys),
                *[(f"normalize {mode}, {rows:,} R4", floats, f"normalize B:A mode={mode} maxrows=100000000",
                   {"transform": name, **ONE, "fixZero": True, "maximumExampleCount": 100_000_000}, numbers)
                  for mode, name in [("minmax", "NormalizeMinMax"), ("meanvar", "NormalizeMeanVariance")]]]:
            beside(modules, title, path, pipe, step, total)


if __name__ == "__main__":
    main()
