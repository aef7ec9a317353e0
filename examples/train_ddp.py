# SPDX-License-Identifier: MIT
"""DistributedDataParallel: each process reads its own share of the rows."""
import tempfile

import numpy as np
import torch
import torch.distributed as dist

import libdataview as dv

RANKS = 2


def write_rows(path):
    """Points in a plane, in four quarters: two opposite ones are of class 1."""
    points = np.random.default_rng(1).standard_normal((4001, 2)).astype("f4")
    dv.write({"point": points, "quarter": (points[:, 0] * points[:, 1] > 0).astype("i8")}, path)


def learn(rank, folder):
    dist.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=RANKS)
    torch.manual_seed(1)
    batches = dv.torch.Dataset(f"{folder}/rows.idv", features=["point"], labels=["quarter"], batch_rows=32,
                               shuffle=True, seed=1)  # shard="auto": the rank of this process
    model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(5):
        right, rows = torch.zeros(1), []
        for features, labels in batches:
            scores = model(features)
            loss = torch.nn.functional.cross_entropy(scores, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += (scores.argmax(1) == labels).sum()
            rows.append(features)
    dist.all_reduce(right)
    everyone = [torch.empty(2001, 2) for _ in range(RANKS)]
    dist.all_gather(everyone, torch.cat(rows))
    rows = torch.cat(everyone)
    if rank == 0:
        print(f"{right.item() / len(rows):.1%} of {len(rows)} rows are right, in {RANKS} processes")
    assert right.item() / len(rows) > 0.95
    assert len(rows.unique(dim=0)) == 4001  # 4002 rows in equal shares: one comes twice
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        torch.multiprocessing.spawn(learn, (folder,), RANKS)
