#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares reading delimited text into columns with pyarrow.csv and polars.

    pyarrow_csv.py LIBDATAVIEW.so [--quick]

Four files of 64 MiB: a few columns of numbers; 200 of them; numbers and words; all of it in quotes.
Each side reads the file (which the page cache holds) from its path into columns of the same types,
given in advance, with 1 and with 2 threads; both take turns in a process for each number of threads.
Before that all values are compared by sums: of numbers, and of the bytes of text.  Exit status 1
only when these differ.
"""

import ctypes
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import side_by_side as sbs

PYARROW_GOAL, POLARS_GOAL = 1.2, 1.0
NBYTES = (1 if sbs.IS_QUICK else 64) << 20
LINES = 20000  # that are different
WORDS = ['alpha', 'beta gamma', 'delta', 'epsilon zeta eta', 'theta', 'iota', 'kappa lambda', 'mu',
         'nu xi omicron pi rho sigma']


def kinds():
    """Of each kind of file: its name, the kind of each column, and a function that draws a line."""
    draw, below = random.random, random.randrange

    def word():
        return random.choice(WORDS)

    yield 'narrow', ['I4', 'R4', 'R4', 'I4', 'R4'], lambda: (
        f'{below(100000)},{draw():.6f},{draw() * 100:.3f},{below(1000)},{draw() * 1000 - 500:.2f}')
    yield 'wide', 200 * ['R4'], lambda: ','.join(f'{draw() * 100:.4f}' for _ in range(200))
    yield 'mixed', ['I4', 'TX', 'R4', 'TX', 'TX', 'I4'], lambda: (
        f'{below(1000000)},{word()},{draw():.5f},{word()} {below(1000)},{word()}{below(100)},'
        f'{below(50)}')
    yield 'quoted', ['TX', 'R4', 'TX', 'I4'], lambda: (
        f'"{word()}, {below(1000)}","{draw():.4f}","{word()}","{below(10000)}"')


def make_file(path, types, line):
    """The same in every run."""
    random.seed(5)
    lines = [line() for _ in range(LINES // (50 if len(types) > 50 else 1))]
    with open(path, 'w', encoding='ascii') as file:
        file.write(','.join(f'c{k}' for k in range(len(types))) + '\n')
        while file.tell() < NBYTES:
            random.shuffle(lines)
            file.write('\n'.join(lines) + '\n')


class Ours:
    """The library, by csv_side.c."""

    def __init__(self, path, types, threads):
        side = ctypes.CDLL(str(pathlib.Path(sys.argv[1]).parent / 'libcsv_side.so'))
        self.side, self.path, self.types, self.threads = side, path.encode(), types, threads
        columns = ' '.join(f'col=c{k}:{kind}:{k}' for k, kind in enumerate(types))
        self.text = f'sep=comma header+ sparse- {columns}'.encode()

    def read(self, sums=None):
        """All batches, and the sums of each column if an array for them is given."""
        self.side.dvb_read_text(self.path, self.text, ctypes.c_int32(self.threads), sums)

    def sums(self):
        """For each column: the sum of its numbers, or the bytes of its texts."""
        sums = (len(self.types) * ctypes.c_double)()
        self.read(sums)
        return list(sums)


class Pyarrow:
    """pyarrow.csv.read_csv."""

    def __init__(self, path, types, threads):
        import pyarrow
        import pyarrow.csv

        self.csv, self.path = pyarrow.csv, path
        self.name = f'pyarrow {pyarrow.__version__}'
        pyarrow.set_cpu_count(threads)
        kind_of = {'I4': pyarrow.int32(), 'R4': pyarrow.float32(), 'TX': pyarrow.string()}
        self.reading = pyarrow.csv.ReadOptions(use_threads=threads > 1)
        self.converting = pyarrow.csv.ConvertOptions(
            column_types={f'c{k}': kind_of[kind] for k, kind in enumerate(types)})

    def read(self):
        return self.csv.read_csv(self.path, read_options=self.reading,
                                 convert_options=self.converting)

    def sums(self):
        import pyarrow
        import pyarrow.compute as compute

        for column in self.read().columns:
            is_text = pyarrow.types.is_string(column.type)
            column = compute.binary_length(column) if is_text else column
            yield compute.sum(compute.cast(column, pyarrow.float64())).as_py()


class Polars:
    """polars.read_csv; POLARS_MAX_THREADS is the number of threads."""

    def __init__(self, path, types, threads):
        import polars

        self.polars, self.path = polars, path
        self.name = f'polars {polars.__version__}'
        assert polars.thread_pool_size() == threads
        kind_of = {'I4': polars.Int32, 'R4': polars.Float32, 'TX': polars.String}
        self.schema = {f'c{k}': kind_of[kind] for k, kind in enumerate(types)}

    def read(self):
        return self.polars.read_csv(self.path, schema=self.schema)

    def sums(self):
        for column in self.read():
            is_text = column.dtype == self.polars.String
            column = column.str.len_bytes() if is_text else column
            yield column.cast(self.polars.Float64).sum()


def compare(row, path, types, threads):
    ours = Ours(path, types, threads)
    nbytes, sums = os.path.getsize(path), ours.sums()
    for peer, goal in (Pyarrow, PYARROW_GOAL), (Polars, POLARS_GOAL):
        theirs = peer(path, types, threads)
        if not all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(sums, theirs.sums())):
            sbs.fail(f'{row}, {theirs.name}')
        sbs.compare(row, nbytes, ours.read, theirs.name, theirs.read, goal)


def main():
    threads = int(os.environ.get('POLARS_MAX_THREADS', 0))
    if threads == 0:  # it is read once, so each number has a process
        for n in 1, 2:
            environment = {**os.environ, 'POLARS_MAX_THREADS': str(n)}
            done = subprocess.run([sys.executable, *sys.argv], env=environment, check=False)
            if done.returncode:
                sys.exit(done.returncode)
        return
    for module in 'numpy', 'pyarrow', 'polars':
        sbs.skip_without(f'csv_read/{threads} threads', module)
    with tempfile.TemporaryDirectory(dir=os.environ.get('DV_BENCH_DIR')) as folder:
        for name, types, line in kinds():
            path = os.path.join(folder, f'{name}.csv')
            make_file(path, types, line)
            compare(f'csv_read/{name}/{threads} thread{"s" * (threads > 1)}', path, types, threads)
            os.unlink(path)


if __name__ == '__main__':
    main()
