# SPDX-License-Identifier: MIT
"""A run that may be killed at any time: started again, it goes on with the very next batch."""
import hashlib
import multiprocessing
import os
import signal
import tempfile

import numpy as np
import torch

import libdataview as dv


def write_rows(path):
    points = np.random.default_rng(1).standard_normal((4000, 2)).astype("f4")
    dv.write({"point": points, "sum": points.sum(1)}, path)


def learn(path, state, killed_at=None):
    torch.manual_seed(1)
    torch.set_num_threads(1)  # sums in one order: weights are equal to the last bit
    loader = dv.torch.Dataset(path, features=["point"], labels=["sum"], batch_rows=32, shuffle=True, seed=1,
                              format="dict").loader()
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    steps, rows = 0, b""
    if os.path.exists(state):
        weights, momenta, position, steps, rows = torch.load(state)
        model.load_state_dict(weights)
        optimizer.load_state_dict(momenta)
        loader.load_state_dict(position)

    for _ in range(loader.dataset.epoch, 3):
        for batch in loader:
            loss = torch.nn.functional.mse_loss(model(batch["features"])[:, 0], batch["labels"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps, rows = steps + 1, hashlib.sha256(rows + batch["ids"]).digest()  # a digest of the rows so far
            if steps % 20 == 0:  # replaced as a whole: a kill leaves the old state or the new one
                torch.save([model.state_dict(), optimizer.state_dict(), loader.state_dict(), steps, rows],
                           f"{state}.new")
                os.replace(f"{state}.new", state)
            if steps == killed_at:
                os.kill(os.getpid(), signal.SIGKILL)
    assert loss < 1e-3
    return steps, rows, model.weight.tolist()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rows.idv"
        write_rows(path)
        whole = learn(path, f"{folder}/whole.pt")
        run = multiprocessing.get_context("spawn").Process(target=learn, args=(path, f"{folder}/state.pt", 190))
        run.start()  # step 190 is in epoch 1, ten steps after a save
        run.join()
        assert run.exitcode == -signal.SIGKILL
        assert learn(path, f"{folder}/state.pt") == whole
    print(f"killed at step 190; the same rows and weights after {whole[0]} steps")
