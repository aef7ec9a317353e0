# SPDX-License-Identifier: MIT
"""Text files opened with nothing but the path: the cost of detection, compared with pyarrow.csv, polars
and pandas, all in one thread.

Four files of 30 MB with their headers in quotes: 200 columns of numbers; numbers among texts in quotes;
many short columns; long texts.  Each is opened, read whole into Arrow, read for its first 1,000 rows,
and for one column.  CPU time counts all threads, and other processes disturb it least."""

import os
import random
import time

import libdataview as dv
import sides

NBYTES = (2 if sides.IS_QUICK else 30) << 20
ROWS = 1000
MOST_MS = 10  # to open a file
WORDS = ["alpha", "beta gamma", "delta", "epsilon zeta eta", "theta", "iota", "kappa, lambda", "mu",
         "nu xi omicron pi rho sigma", 'said "no"']


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def kinds():
    """Yield a name, columns, distinct lines and a drawing function for each kind of file."""
    draw, below = random.random, random.randrange

    def word():
        return random.choice(WORDS)

    def words():
        return quoted(" ".join(word() for _ in range(below(20, 120))))

    yield "wide", 200, 2000, lambda: ",".join(
        f"{draw() * 100:.4f}" if k % 4 else str(below(100000)) for k in range(200))
    yield "quoted", 8, 20000, lambda: (
        f"{below(1000000)},{quoted(word())},{draw() * 1000:.5f},{quoted(f'{word()} {below(1000)}')},"
        f"{below(50)},{draw():.3f},{quoted(word())},{below(10**9)}")
    yield "short", 60, 6000, lambda: ",".join(
        str(below(10)) if k % 3 else random.choice("abcdef") for k in range(60))
    yield "long", 4, 3000, lambda: f"{below(1000000)},{words()},{draw():.4f},{words()}"


def make_file(path, columns, lines, line):
    """The same in every run."""
    random.seed(7)
    lines = [line() for _ in range(lines)]
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f'"c{k}"' for k in range(columns)) + "\n")
        while file.tell() < NBYTES:
            random.shuffle(lines)
            file.write("\n".join(lines) + "\n")


def same(row, ours, theirs):
    """Whether two tables have the same values, by the types that the other one found."""
    sides.require(row, ours.num_rows == theirs.num_rows, f"{ours.num_rows} and {theirs.num_rows} rows")
    sides.equal_tables(row, ours, theirs)


def open_ms(path):
    """Milliseconds of CPU time."""
    start = time.process_time()
    dv.open(path).close()
    return (time.process_time() - start) * 1e3


def compare(name, path):
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyarrow import csv

    reading = csv.ReadOptions(use_threads=False)
    one = csv.ConvertOptions(include_columns=["c3"])

    def ours():
        return dv.open(path).to_arrow(threads=1)

    def ours_first():
        return dv.open(path).head(ROWS).to_arrow(threads=1)

    def ours_one():
        return dv.open(path)["c3"].to_arrow(threads=1)

    def pyarrow():
        return csv.read_csv(path, read_options=reading)

    def polars():
        return pl.read_csv(path)

    def polars_first():
        return pl.read_csv(path, n_rows=ROWS)

    def pandas_first():
        return pd.read_csv(path, nrows=ROWS)

    def polars_one():
        return pl.read_csv(path, columns=["c3"])

    row = f"text as it looks, {name}"
    sides.report_most(f"{row}, open", [open_ms(path) for _ in range(sides.ROUNDS)], "ms of CPU", MOST_MS, 5)
    table = ours()
    same(row, table, pyarrow())
    same(row, table, polars().to_arrow())
    sides.compare(f"{row}, all", ours, (sides.version("pyarrow"), pyarrow, 1.2, 2.0),
                  (sides.version("polars"), polars, 1.0, 1.5))
    first = ours_first()
    same(row, first, polars_first().to_arrow())
    same(row, first, pa.Table.from_pandas(pandas_first()))
    sides.compare(f"{row}, {ROWS} rows", ours_first, (sides.version("polars"), polars_first, 1.0, None),
                  (sides.version("pandas"), pandas_first, 0.5, None))
    sides.require(row, ours_one().to_pylist() == polars_one()["c3"].to_list(), "column c3")
    sides.compare(f"{row}, one column", ours_one, (sides.version("polars"), polars_one, 1.2 if name == "wide" else None, None))


def main():
    threads = sides.by_threads(1)
    if threads is None or not sides.peers("text as it looks", "pyarrow", "polars", "pandas"):
        return
    import pyarrow as pa

    pa.set_cpu_count(threads)
    with sides.folder() as folder:
        for name, *what in kinds():
            path = os.path.join(folder, f"{name}.csv")
            make_file(path, *what)
            compare(name, path)
            os.unlink(path)


if __name__ == "__main__":
    main()
