# SPDX-License-Identifier: MIT
"""Delimited text as Arrow tables, with 1 and with 2 threads: beside pyarrow.csv and polars with the same
types given; and as users call it, all of them finding the types, beside pandas and DuckDB too."""

import os
import random

import libdataview as dv
import sides

NBYTES = (1 if sides.IS_QUICK else 32) << 20
LINES = 20000  # that are different
WORDS = ["alpha", "beta gamma", "delta", "epsilon zeta eta", "theta", "iota", "kappa lambda", "mu",
         "nu xi omicron pi rho sigma"]


def kinds():
    """Of each kind of file: its name, the type of each column, and a function that draws a line."""
    draw, below = random.random, random.randrange

    def word():
        return random.choice(WORDS)

    yield "narrow", ["I4", "R4", "R4", "I4", "R4"], lambda: (
        f"{below(100000)},{draw():.6f},{draw() * 100:.3f},{below(1000)},{draw() * 1000 - 500:.2f}")
    yield "wide", 200 * ["R4"], lambda: ",".join(f"{draw() * 100:.4f}" for _ in range(200))
    yield "mixed", ["I4", "TX", "R4", "TX", "TX", "I4"], lambda: (
        f"{below(1000000)},{word()},{draw():.5f},{word()} {below(1000)},{word()}{below(100)},"
        f"{below(50)}")
    yield "quoted", ["TX", "R4", "TX", "I4"], lambda: (
        f'"{word()}, {below(1000)}","{draw():.4f}","{word()}","{below(10000)}"')


def make_file(path, types, line):
    """The same in every run."""
    random.seed(5)
    lines = [line() for _ in range(LINES // (50 if len(types) > 50 else 1))]
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"c{k}" for k in range(len(types))) + "\n")
        while file.tell() < NBYTES:
            random.shuffle(lines)
            file.write("\n".join(lines) + "\n")


def compare_given(row, path, types, threads):
    """With the types of all columns given."""
    import polars as pl
    import pyarrow as pa
    from pyarrow import csv

    text = "sep=comma header+ sparse- " + " ".join(f"col=c{k}:{t}:{k}" for k, t in enumerate(types))
    arrow = {"I4": pa.int32(), "R4": pa.float32(), "TX": pa.string()}
    reading = csv.ReadOptions(use_threads=threads > 1)
    converting = csv.ConvertOptions(column_types={f"c{k}": arrow[t] for k, t in enumerate(types)})
    schema = {f"c{k}": {"I4": pl.Int32, "R4": pl.Float32, "TX": pl.String}[t]
              for k, t in enumerate(types)}

    def ours():
        return dv.open(path, text=text).to_arrow(threads=threads)

    def pyarrow():
        return csv.read_csv(path, read_options=reading, convert_options=converting)

    def polars():
        return pl.read_csv(path, schema=schema)

    table = ours()
    sides.equal_tables(row, table, pyarrow())
    sides.equal_tables(row, table, polars().to_arrow())
    sides.compare(f"{row}, types given", ours, (sides.version("pyarrow"), pyarrow, 1.5, 2.3),
                  (sides.version("polars"), polars, 1.0, 1.7))


def compare_found(row, path, threads):
    """With nothing but the path."""
    import duckdb
    import pandas as pd
    import polars as pl
    from pyarrow import csv

    duckdb.sql(f"set threads to {threads}")
    reading = csv.ReadOptions(use_threads=threads > 1)

    def ours():
        return dv.open(path).to_arrow(threads=threads)

    def frame():
        return dv.open(path).to_pandas(threads=threads)

    def pyarrow():
        return csv.read_csv(path, read_options=reading)

    def polars():
        return pl.read_csv(path)

    def duck():
        return duckdb.read_csv(path).to_arrow_table()

    def pandas():
        return pd.read_csv(path)

    n = ours().num_rows
    sides.require(row, n == pyarrow().num_rows == len(polars()) == duck().num_rows == len(pandas())
                  == len(frame()), "rows")
    sides.compare(f"{row}, types found", ours, (sides.version("pyarrow"), pyarrow, None, None),
                  (sides.version("polars"), polars, None, None),
                  (f"{sides.version('duckdb')} to Arrow", duck, None, None))
    if threads == 1:
        sides.compare(f"{row}, types found, to pandas", frame, (sides.version("pandas"), pandas, None, None))


def main():
    threads = sides.by_threads(1, 2)
    if threads is None or not sides.peers("CSV", "pyarrow", "polars"):
        return
    import pyarrow as pa

    pa.set_cpu_count(threads)
    with sides.folder() as folder:
        for name, types, line in kinds():
            path = os.path.join(folder, f"{name}.csv")
            make_file(path, types, line)
            row = f"CSV to Arrow, {name}, {threads} thread{'s' * (threads > 1)}"
            compare_given(row, path, types, threads)
            if name in ("narrow", "mixed") and sides.peers(f"{row}, types found", "pandas", "duckdb"):
                compare_found(row, path, threads)
            os.unlink(path)


if __name__ == "__main__":
    main()
