#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a small network on a table, and goes on after a crash with the very next batch.

    train_mlp.py FILE --labels Label [--features A B ...] [--epochs 3] [--state state.pt] [--workers 0]

FILE is an .idv, a .csv, a datadings or a BTable.  The state has the weights, the optimizer and the
position of the data; it is replaced as a whole every 20 batches.  Killed at any time and started again,
the program ends with the weights of a run that nobody killed.
"""
import argparse
import hashlib
import os

import torch

import libdataview as dv


def save(path, *parts):
    """Replace the state as a whole: a crash leaves the old one or the new one."""
    torch.save(parts, path + ".new")
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--labels", nargs="+", required=True)
    parser.add_argument("--features", nargs="+")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-rows", type=int, default=64)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--state", default="state.pt")
    options = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(1)
    data = dv.torch.Dataset(options.file, features=options.features, labels=options.labels, na=0.0,
                            batch_rows=options.batch_rows, shuffle=True, seed=1)
    loader = data.loader(workers=options.workers)
    width = next(iter(dv.torch.Dataset(options.file, features=options.features, labels=options.labels, na=0.0)))[0].shape[1]
    model = torch.nn.Sequential(torch.nn.Linear(width, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    if os.path.exists(options.state):
        weights, momenta, position = torch.load(options.state)
        model.load_state_dict(weights)
        optimizer.load_state_dict(momenta)
        loader.load_state_dict(position)

    steps = 0
    for _ in range(data.epoch, options.epochs):
        for features, labels in loader:
            loss = torch.nn.functional.mse_loss(model(torch.tanh(features)).squeeze(1), labels.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps += 1
            if steps % 20 == 0:
                save(options.state, model.state_dict(), optimizer.state_dict(), loader.state_dict())
    save(options.state, model.state_dict(), optimizer.state_dict(), loader.state_dict())
    weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
    print(f"{steps} steps, weights {hashlib.sha256(weights).hexdigest()[:16]}")


if __name__ == "__main__":
    main()
