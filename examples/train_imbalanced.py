# SPDX-License-Identifier: MIT
"""Classes of unequal size: the loss weighs rows of the rare class as much as all others together."""
import tempfile

import numpy as np
import torch

import libdataview as dv


def write_rows(path):
    """Payments; one of fifty is a fraud, and most of these are large and at night."""
    random = np.random.default_rng(1)
    fraud = random.random(20000) < 0.02
    amount = random.standard_normal(20000) + 1.5 * fraud
    night = random.standard_normal(20000) + 1.5 * fraud
    dv.write({"amount": amount, "night": night, "fraud": fraud.astype("i8")}, path)


def recalls(model, table):
    """The share of each class that is found."""
    found = model(torch.from_numpy(table.to_numpy(["amount", "night"], dtype="f4"))).argmax(1).numpy()
    classes = table["fraud"].to_numpy()
    return [float((found[classes == k] == k).mean()) for k in (0, 1)]


def learn(path, is_weighted):
    torch.manual_seed(1)
    train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1, stratify="fraud")
    counts = train["fraud"].value_counts()
    weights = torch.tensor([len(train) / len(counts) / counts[k] for k in sorted(counts)]) if is_weighted else None
    batches = dv.torch.Dataset(train, features=["amount", "night"], labels=["fraud"], batch_rows=256, shuffle=True,
                               seed=1)
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(5):
        for features, labels in batches:
            loss = torch.nn.functional.cross_entropy(model(features), labels, weights)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return recalls(model, test)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        for is_weighted in (False, True):
            others, frauds = learn(f"{folder}/rows.idv", is_weighted)
            print(f"{'with' if is_weighted else 'without'} weights: {frauds:.0%} of the frauds are found, and "
                  f"{others:.0%} of the others")
            assert frauds > 0.8 and others > 0.8 if is_weighted else frauds < 0.5
