# SPDX-License-Identifier: MIT
"""A training loop in PyTorch, with columns that are brought to one scale and a share of rows to test on."""
import tempfile

import numpy as np
import torch

import libdataview as dv


def write_rows(path):
    """Points in a plane, in four quarters: two opposite ones are of class 1."""
    points = np.random.default_rng(1).standard_normal((4000, 2)).astype("f4")
    dv.write({"east": 100 + 30 * points[:, 0], "north": 5 * points[:, 1],
              "quarter": (points[:, 0] * points[:, 1] > 0).astype("i8")}, path)


def learn(path):
    torch.manual_seed(1)
    train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1)
    prepare = dv.pipe.normalize(["east", "north"], mode="meanvar", fixzero=False).fit(train)
    columns = {"features": ["east", "north"], "labels": ["quarter"]}
    batches = dv.torch.Dataset(prepare.apply(train), **columns, batch_rows=64, shuffle=True, seed=1)

    model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(5):
        for features, labels in batches:  # each loop is an epoch, in its own order
            loss = torch.nn.functional.cross_entropy(model(features), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    right = rows = 0
    with torch.no_grad():
        for features, labels in dv.torch.Dataset(prepare.apply(test), **columns):
            right += (model(features).argmax(1) == labels).sum().item()
            rows += len(labels)
    print(f"{right / rows:.1%} of {rows} rows are right")
    assert right / rows > 0.95


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        learn(f"{folder}/rows.idv")
