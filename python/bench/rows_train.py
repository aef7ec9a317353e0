# SPDX-License-Identifier: MIT
"""Epochs of shuffled batches to tensors of torch, compared with the loaders that people train with, each used as its
documentation recommends: numbers, pictures, packed lists of tokens, and how busy an emulated accelerator is kept.  The
modules train_numbers, train_pictures and train_tokens have the peers, and name the pages that recommend their use.  If
a peer has variants, such as 0 or 2 workers, the fastest on this machine is taken.

requirements-train.txt says how to install the peers.  Files are kept in build/bench_train.  Times are for whole
epochs; workers are started before."""

import sys

import sides
import train_pictures  # noqa: F401: its peers
import train_sides
import train_tokens
from train_numbers import OURS

ROWS, ROWS_BY_ROW = (20_000, 4_096) if sides.IS_QUICK else (1_000_000, 40_000)
PICTURES = 192 if sides.IS_QUICK else 2_000
BATCHES, PICTURE_BATCH = (256, 1024), 64
STEPS, PICTURE_STEPS = ((0.005,), (0.05,)) if sides.IS_QUICK else ((0.001, 0.005, 0.020), (0.050, 0.100))
BUSY = (OURS, "DataLoader, BatchSampler", "datasets, BatchSampler", "MosaicML StreamingDataset")
BUSY_PICTURES = (OURS, "DataLoader, Pillow", "litdata StreamingDataset", "SPDL")


def numbers():
    peers = train_sides.WORK["numbers"].peers
    with train_sides.processes("numbers", peers) as started:
        if OURS not in started:
            return
        for rows, is_by_row in ((ROWS, False), (ROWS_BY_ROW, True)):
            here = {name: started[name] for name in started if name == OURS or peers[name].by_row == is_by_row}
            train_sides.make_files("numbers", list(here), rows)
            for batch in BATCHES:
                row = f"train, {rows:,} rows of 28 numbers, batches of {batch:,}"
                train_sides.compare(row, here, OURS, rows, batch)
        busy(started, BUSY, ROWS_BY_ROW, BATCHES[-1], STEPS)


def busy(started, names, rows, batch, steps):
    chosen = {name: started[name] for name in names if name in started}
    row = f"train, accelerator busy, {rows:,} rows, batches of {batch:,}"
    train_sides.utilisation(row, chosen, rows, batch, steps)


def pictures():
    with train_sides.processes("pictures", train_sides.WORK["pictures"].peers) as started:
        if OURS not in started:
            return
        train_sides.make_files("pictures", list(started), PICTURES)
        row = f"train, {PICTURES:,} JPEG to 224 x 224, batches of {PICTURE_BATCH}"
        train_sides.compare(row, started, OURS, PICTURES, PICTURE_BATCH)
        busy(started, BUSY_PICTURES, PICTURES, PICTURE_BATCH, PICTURE_STEPS)


def main():
    if "--side" in sys.argv:
        train_sides.serve(*sys.argv[sys.argv.index("--side") + 1:][:2])
    elif "--write" in sys.argv:
        work, rows, *names = sys.argv[sys.argv.index("--write") + 1:]
        train_sides.write(work, int(rows), names)
    else:
        numbers()
        pictures()
        train_tokens.main()


if __name__ == "__main__":
    main()
