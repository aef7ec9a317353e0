# SPDX-License-Identifier: MIT
"""Fitting and applying pipelines: numbers for words beside polars and pandas, indicator vectors
beside scikit-learn and polars, numbers of one scale beside NumPy and scikit-learn, and two threads
beside one."""

import libdataview as dv
import sides


def words(rows, distinct):
    """Texts of 1 to 7 digits and a word, drawn from `distinct` ones, as an Arrow table."""
    import numpy as np
    import pyarrow as pa

    drawn = np.random.default_rng(distinct).integers(0, distinct, rows)
    names = pa.array([f"word {k}" for k in range(distinct)])
    return pa.table({"w": names.take(pa.array(drawn))})


def term(rows, distinct):
    """First occurrences are numbered from 0 by all sides."""
    import numpy as np
    import pandas as pd
    import polars as pl

    row = f"term, {rows:,} texts, {distinct:,} distinct"
    arrow = words(rows, distinct)
    table, series = dv.from_arrow(arrow), pl.from_arrow(arrow)["w"]
    objects = arrow["w"].to_pandas()

    def ours():
        return dv.pipe.term("w").fit_apply(table)["w"].to_numpy()

    def polars():
        return series.cast(pl.Categorical).to_physical().to_numpy()

    def pandas():
        return pd.factorize(objects)[0]

    found = ours()
    sides.require(row, np.array_equal(found, pandas()), "another numbering than that of pandas")
    sides.compare(row, ours,
                  (f"{sides.version('polars')}, Categorical", polars, 1, 2),
                  (f"{sides.version('pandas')}, factorize", pandas, 3, 8),
                  ("one thread", lambda: dv.pipe.term("w").fit_apply(table, threads=1)["w"].to_numpy(), None, None))


def fit_threads(rows, distinct):
    """Fitting alone, as the floors of two threads have it."""
    table = dv.from_arrow(words(rows, distinct))
    sides.compare(f"fit of term, {distinct:,} distinct, 2 threads",
                  lambda: dv.pipe.term("w").fit(table, threads=2),
                  ("1 thread", lambda: dv.pipe.term("w").fit(table, threads=1), 1.6, 1.9))


def onehot(rows, distinct):
    import numpy as np
    import polars as pl
    from sklearn.preprocessing import OneHotEncoder

    row = f"onehot to CSR, {rows:,} texts, {distinct:,} distinct"
    arrow = words(rows, distinct)
    table, frame = dv.from_arrow(arrow), pl.from_arrow(arrow)
    objects = arrow["w"].to_pandas().to_numpy().reshape(-1, 1)

    def ours():
        return dv.pipe.onehot("w").fit_apply(table).to_csr()

    def sklearn():
        return OneHotEncoder(dtype=np.float32).fit_transform(objects)

    a, b = ours(), sklearn()
    sides.require(row, a.shape == b.shape and np.array_equal(np.sort(a.sum(axis=0)),
                                                             np.sort(np.asarray(b.sum(axis=0)).ravel())),
                  "another matrix")
    sides.compare(row, ours,
                  (f"{sides.version('sklearn')}, OneHotEncoder", sklearn, 10, 40),
                  (f"{sides.version('polars')}, to_dummies", frame.to_dummies, 10, 40))


def numbers(rows, slots):
    """A matrix of R4, of which one value in a hundred is NaN."""
    import numpy as np

    draws = np.random.default_rng(slots)
    made = draws.standard_normal((rows, slots), dtype=np.float32)
    made[draws.random((rows, slots)) < 0.01] = np.nan
    return made


def extremes(rows, slots):
    """What a fit of the extremes takes, beside the extremes alone."""
    import numpy as np

    row = f"fit of normalize, {rows:,} rows, {slots} slots"
    matrix = numbers(rows, slots)
    matrix = matrix if slots > 1 else matrix.ravel()
    table = dv.from_numpy({"x": matrix})

    def ours():
        return dv.pipe.normalize("x", fixzero=False).fit(table, threads=1)

    def numpy():
        return np.nanmin(matrix, axis=0), np.nanmax(matrix, axis=0)

    offsets = ours().tables[0][3]["Offset"].to_numpy()
    sides.require(row, np.array_equal(offsets, np.atleast_1d(numpy()[0])), "other extremes")
    sides.compare(row, ours, (f"{sides.version('numpy')}, nanmin and nanmax", numpy, 1.5, 4))


def scale(rows, slots):
    """Mean and deviation, and numbers scaled by them, as a matrix."""
    import numpy as np
    from sklearn.preprocessing import StandardScaler

    row = f"normalize by mean and variance, {rows:,} rows, {slots} slots"
    matrix = numbers(rows, slots)
    table = dv.from_numpy({"x": matrix})
    pipeline = dv.pipe.normalize("x", mode="meanvar", fixzero=False)
    fitted, scaler = pipeline.fit(table, threads=1), StandardScaler().fit(matrix)

    def ours():
        return fitted.apply(table).to_numpy("x", threads=1)

    def sklearn():
        return scaler.transform(matrix)

    sides.require(row, np.allclose(ours(), sklearn(), rtol=1e-3, atol=1e-3, equal_nan=True), "other numbers")
    peer = f"{sides.version('sklearn')}, StandardScaler"
    sides.compare(f"apply: {row}", ours, (peer, sklearn, 2, 6))
    sides.compare(f"fit: {row}", lambda: pipeline.fit(table, threads=1),
                  (peer, lambda: StandardScaler().fit(matrix), 1, None))


def texts(rows):
    term(rows, 1_000)
    term(rows, rows // 4)
    fit_threads(rows, 1_000)
    fit_threads(rows, rows // 4)
    if sides.peers("onehot", "sklearn"):
        onehot(rows // 4, 100)


def main():
    rows = 50_000 if sides.IS_QUICK else 4_000_000
    if sides.peers("normalize", "numpy"):
        extremes(rows, 1)
        extremes(rows // 10, 10)
    if sides.peers("normalize by mean and variance", "numpy", "sklearn"):
        scale(rows // 10, 10)
    if sides.peers("pipelines of texts", "numpy", "pandas", "polars", "pyarrow"):
        texts(rows)


if __name__ == "__main__":
    main()
