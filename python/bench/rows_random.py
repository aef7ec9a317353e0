# SPDX-License-Identifier: MIT
"""Random rows of 28 scalar columns of R4 from a raw .idv, compared with NumPy's memmap of the same rows, where each row is in
one piece: `take` of 256 rows, an epoch in uniform order in batches of 256, and of 64 for torch.  The quotient of CPU
time counts: the sides take turns in one process, each with one thread."""

import numpy as np

import libdataview as dv
import sides

COLUMNS, BATCH, TORCH_BATCH = 28, 256, 64
TAKES = 10
ROWS = (20_000,) if sides.IS_QUICK else (100_000, 1_000_000)
FLOORS = {"take": (0.6, 1.0), "feed": (1.0, 1.5), "torch": (0.7, None)}


def total(batches):
    return sum(float(batch[0, 0]) for batch in batches)


def by_rows(matrix):
    """Its rows in an order that does not depend on theirs."""
    return matrix[np.lexsort(matrix.T[:3])]


def mapped_epoch(mapped, order, batch):
    """A gather for each batch; the order was drawn before."""
    for at in range(0, len(order), batch):
        yield mapped[order[at:at + batch]]


def main():
    has_torch = sides.peers("random rows, torch", "torch")
    if has_torch:
        import torch

        torch.set_num_threads(1)
    for rows in ROWS:
        with sides.folder() as folder:
            data = np.random.default_rng(1).random((rows, COLUMNS), "f4")
            data.tofile(f"{folder}/rows.bin")
            dv.write({f"c{k}": np.ascontiguousarray(data[:, k]) for k in range(COLUMNS)}, f"{folder}/rows.idv")
            mapped = np.memmap(f"{folder}/rows.bin", "f4", "r", shape=(rows, COLUMNS))
            table, fed, tensors = (dv.open(f"{folder}/rows.idv") for _ in range(3))  # each keeps rows of its own
            drawn = np.random.default_rng(2).integers(0, rows, (1000, TAKES, BATCH))
            order = np.random.default_rng(3).permutation(rows)
            turn = {"dv": 0, "np": 0}

            def draw(side):
                turn[side] += 1
                return drawn[turn[side] % len(drawn)]

            def taken():
                return [table.take(i).to_numpy() for i in draw("dv")]

            def indexed():
                return [np.asarray(mapped[i]) for i in draw("np")]

            row = f"random rows of {rows}"
            sides.require(row, all(np.array_equal(a, b) for a, b in zip(taken(), indexed())), "take")
            sides.compare(f"{row}: {TAKES} takes of {BATCH}", taken, ("memmap", indexed, *FLOORS["take"]))

            feed = fed.feed(batch_rows=BATCH, shuffle="uniform", prefetch=0, threads=1)
            sides.compare(f"{row}: epoch in batches of {BATCH}", lambda: total(feed),
                          ("memmap", lambda: total(mapped_epoch(mapped, order, BATCH)), *FLOORS["feed"]))
            found = np.vstack(list(feed))
            sides.require(row, np.array_equal(by_rows(found), by_rows(data)), "feed")
            if not has_torch:
                continue
            ds = dv.torch.Dataset(tensors, batch_rows=TORCH_BATCH, shuffle="uniform", prefetch=0, threads=1)
            sides.compare(f"{row}: epoch in batches of {TORCH_BATCH} for torch", lambda: total(ds),
                          ("memmap", lambda: total(map(torch.from_numpy, mapped_epoch(mapped, order, TORCH_BATCH))),
                           *FLOORS["torch"]))


if __name__ == "__main__":
    main()
