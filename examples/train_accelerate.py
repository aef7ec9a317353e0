# SPDX-License-Identifier: MIT
"""Accelerate: the model and the optimizer are prepared; each process reads its own share of the rows."""
import tempfile

import numpy as np
import torch
from accelerate import Accelerator, debug_launcher

import libdataview as dv


def write_rows(path):
    """Points in a plane, in four quarters: two opposite ones are of class 1."""
    points = np.random.default_rng(1).standard_normal((4001, 2)).astype("f4")
    dv.write({"point": points, "quarter": (points[:, 0] * points[:, 1] > 0).astype("i8")}, path)


def learn(path):
    accelerator = Accelerator(cpu=True)
    torch.manual_seed(1)
    batches = dv.torch.Dataset(path, features=["point"], labels=["quarter"], batch_rows=32, shuffle=True, seed=1,
                               shard=(accelerator.process_index, accelerator.num_processes))  # as "auto" does
    model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    model, optimizer = accelerator.prepare(model, torch.optim.Adam(model.parameters(), lr=0.01))
    for _ in range(5):
        right, rows = torch.zeros(1), []
        for features, labels in batches:  # not prepared
            features, labels = features.to(accelerator.device), labels.to(accelerator.device)
            scores = model(features)
            loss = torch.nn.functional.cross_entropy(scores, labels)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            right += (scores.argmax(1) == labels).sum()
            rows.append(features)
        right, rows = accelerator.reduce(right).item(), accelerator.gather(torch.cat(rows))
    if accelerator.is_main_process:
        print(f"{right / len(rows):.1%} of {len(rows)} rows are right, in {accelerator.num_processes} processes")
    assert right / len(rows) > 0.95
    assert len(rows) == 4002 and len(rows.unique(dim=0)) == 4001  # equal shares: one comes twice


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        debug_launcher(learn, (f"{folder}/rows.idv",), num_processes=2)
