# SPDX-License-Identifier: MIT
"""Words of texts: counted beside scikit-learn, split beside polars, and the same steps one by one."""

import libdataview as dv
import sides

ROWS = 500 if sides.IS_QUICK else 20_000


def texts(rows):
    """Texts of 1 to 120 words, drawn from 50,000 as often as words of a language come."""
    import numpy as np

    random = np.random.default_rng(1)
    names = np.array([f"w{k:x}" if k % 3 else f"longer-word-{k}" for k in range(50_000)], object)
    drawn = np.minimum(random.zipf(1.2, rows * 64), 50_000) - 1
    ends = np.minimum(np.cumsum(random.integers(1, 121, rows)), rows * 64)
    return [" ".join(names[drawn[first:end]]) for first, end in zip([0, *ends[:-1]], ends)]


def bag(table):
    return dv.pipe.wordbag("w").fit_apply(table).to_csr()


def sklearn_bag(lines):
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(token_pattern="[^ ]+", lowercase=False).fit_transform(lines)


def hash_bag(table):
    return dv.pipe.wordhashbag("w").fit_apply(table).to_csr()


def sklearn_hash_bag(lines):
    import numpy as np
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(token_pattern="[^ ]+", lowercase=False, alternate_sign=False, norm=None,
                             n_features=1 << 16, dtype=np.float32).transform(lines)


def counts(table, lines):
    import numpy as np

    row = f"wordbag to CSR, {len(lines):,} texts"

    def ours():
        return bag(table)

    def sklearn():
        return sklearn_bag(lines)

    def steps():
        return dv.Pipeline("tokenize w; term w; ngram w n=1").fit_apply(table).to_csr()

    a, b, c = ours(), sklearn(), steps()
    sides.require(row, a.shape == b.shape and np.array_equal(
        np.sort(np.asarray(a.sum(axis=0)).ravel()), np.sort(np.asarray(b.sum(axis=0)).ravel())), "other counts")
    sides.require(row, (a != c).nnz == 0, "other counts than the steps one by one")
    sides.compare(row, ours,
                  (f"{sides.version('sklearn')}, CountVectorizer", sklearn, 10, 40),
                  ("tokenize, term, ngram, which are joined when they are applied", steps, None, None))


def hashes(table, lines):
    row = f"wordhashbag to CSR, {len(lines):,} texts"

    def ours():
        return hash_bag(table)

    def sklearn():
        return sklearn_hash_bag(lines)

    sides.require(row, ours().sum() == sklearn().sum(), "another number of words")
    sides.compare(row, ours, (f"{sides.version('sklearn')}, HashingVectorizer", sklearn, 10, 50))


MEMORY_SIDES = {"wordbag": bag, "CountVectorizer": sklearn_bag,
                "wordhashbag": hash_bag, "HashingVectorizer": sklearn_hash_bag}


def print_memory(side):
    """The texts are there before: a table of Arrow for ours, a list of str for the others."""
    import pyarrow as pa

    def source(lines):
        return dv.from_arrow(pa.table({"w": lines})) if side.startswith("word") else lines

    call, few, many = MEMORY_SIDES[side], source(["a b"]), source(texts(ROWS))
    call(few)  # imports what it needs
    print(sides.memory_of(lambda: call(many)))


def memory():
    for ours, theirs in (("wordbag", "CountVectorizer"), ("wordhashbag", "HashingVectorizer")):
        sides.compare_memory(f"{ours} to CSR, {ROWS:,} texts", (ours, ours),
                             (f"{sides.version('sklearn')}, {theirs}", theirs))


def split(table, lines):
    import polars as pl

    row = f"tokenize to Arrow, {len(lines):,} texts"
    series = pl.Series("w", lines)

    def ours():
        return dv.pipe.tokenize("w").fit_apply(table).to_arrow()

    def polars():
        return series.str.split(" ")

    sides.require(row, ours()["w"].to_pylist() == polars().to_list(), "other words")
    sides.compare(row, ours, (f"{sides.version('polars')}, str.split", polars, 1.5, 5))


def main():
    if sides.memory_side():
        print_memory(sides.memory_side())
        return
    if not sides.peers("words", "numpy", "pyarrow", "sklearn", "polars"):
        return
    import pyarrow as pa

    lines = texts(ROWS)
    table = dv.from_arrow(pa.table({"w": lines}))
    counts(table, lines)
    hashes(table, lines)
    split(table, lines)
    memory()


if __name__ == "__main__":
    main()
