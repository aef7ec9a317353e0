# SPDX-License-Identifier: MIT
"""Epochs of shuffled batches for torch, of 256 rows of floats and a label: ours from a raw .idv, beside
DataLoader over a mapped tensor (0 and 2 workers), and over a Dataset that gathers whole batches
(`__getitems__`).  The labels are added up; and from a state to the first batch."""

import numpy as np

import libdataview as dv
import sides

SHAPES = {16: (20_000 if sides.IS_QUICK else 200_000, 20), 784: (2_000 if sides.IS_QUICK else 60_000, 8)}
BATCH = 256


def main():
    if not sides.peers("torch", "torch"):
        return
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Mapped(Dataset):
        def __init__(self, path, rows, width):
            self.data = torch.from_file(path, size=rows * width).view(rows, width)

        def __len__(self):
            return len(self.data)

        def __getitem__(self, i):
            return self.data[i, 1:], self.data[i, 0]

    class Gathered(Mapped):
        def __getitems__(self, indices):
            rows = self.data[indices]
            return rows[:, 1:], rows[:, 0]

    for width, (rows, floor) in SHAPES.items():
        with sides.folder() as folder:
            data = np.random.default_rng(1).integers(0, 9, (rows, width + 1)).astype("f4")
            data.tofile(f"{folder}/rows.bin")
            dv.write({"f": data[:, 1:], "y": np.ascontiguousarray(data[:, 0])}, f"{folder}/rows.idv")
            ds = dv.torch.Dataset(f"{folder}/rows.idv", features=["f"], labels=["y"], batch_rows=BATCH, shuffle=True)
            mapped, gathered = (kind(f"{folder}/rows.bin", rows, width + 1) for kind in (Mapped, Gathered))
            loaders = {f"DataLoader, {n} workers": DataLoader(mapped, batch_size=BATCH, shuffle=True, num_workers=n)
                       for n in (0, 2)}
            loaders["DataLoader, __getitems__"] = DataLoader(gathered, batch_size=BATCH, shuffle=True,
                                                             collate_fn=lambda batch: batch)

            def total(batches):
                return sum(float(labels.sum()) for _, labels in batches)

            row = f"torch, {width} floats a row"
            for name, loader in loaders.items():
                sides.require(row, total(loader) == total(ds) == data[:, 0].sum(), name)
            n = 3 if sides.IS_QUICK else 5
            times = sides.rounds(lambda: total(ds), *[lambda loader=loader: total(loader) for loader in
                                                      loaders.values()], n=n)
            for (name, _), theirs in zip(loaders.items(), times[1:]):
                goals = (floor, None) if "workers" in name else (None, None)
                sides.report(row, times[0], name, theirs, *goals)

            loop = iter(ds)
            for _ in range(rows // BATCH // 2):
                next(loop)
            state = ds.state_dict()

            def resumed():
                ds.load_state_dict(state)
                return next(iter(ds))

            def skipped():  # what a loader without a state does
                batches = iter(loaders["DataLoader, __getitems__"])
                for _ in range(rows // BATCH // 2 + 1):
                    batch = next(batches)
                return batch

            times = sides.rounds(resumed, skipped, n=n)
            sides.report(f"{row}: from a state in the middle to the next batch", times[0], "DataLoader that skips",
                         times[1], 10)


if __name__ == "__main__":
    main()
