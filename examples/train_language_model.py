# SPDX-License-Identifier: MIT
"""A causal language model on packs of documents, each of which sees itself alone; a run may be killed at any time."""
import multiprocessing
import os
import signal
import tempfile

import numpy as np
import pyarrow as pa
import torch
from torch.nn import functional

import libdataview as dv

TOKENS, WORDS = 128, 16


def write_rows(path):
    """Documents that count: a first word, then steps of a size that differs from document to document."""
    draw = np.random.default_rng(1)
    texts = [draw.integers(WORDS) + draw.integers(1, 6) * np.arange(draw.integers(4, 60)) for _ in range(2000)]
    dv.write(pa.table({"ids": pa.array([text % WORDS for text in texts], pa.list_(pa.int64()))}), path)


class Model(torch.nn.Module):
    def __init__(self, size=32):
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, size)
        self.places = torch.nn.Embedding(TOKENS, size)
        self.asks = torch.nn.Linear(size, 3 * size)
        self.thinks = torch.nn.Sequential(torch.nn.Linear(size, 128), torch.nn.ReLU(), torch.nn.Linear(128, size))
        self.says = torch.nn.Linear(size, WORDS)

    def forward(self, ids, positions):
        document = (positions == 0).cumsum(1)  # each 0 that fills up a pack is a document, too
        seen = (document[:, :, None] == document[:, None, :]).tril()
        x = self.words(ids) + self.places(positions)
        asked = self.asks(x).view(*x.shape[:2], 3, 4, -1).permute(2, 0, 3, 1, 4)
        x = x + functional.scaled_dot_product_attention(*asked, attn_mask=seen[:, None]).transpose(1, 2).flatten(2)
        return self.says(x + self.thinks(x))


def learn(path, state, killed_at=None):
    torch.manual_seed(1)
    torch.set_num_threads(1)  # sums in one order: weights are equal to the last bit
    packs = dv.open(path).pack("ids", TOKENS, shuffle=True, seed=1)
    columns = {"ids": ["ids"], "positions": ["position_ids"]}
    loader = dv.torch.Dataset(packs, columns, dtype="int64", widths=dict.fromkeys(["ids", "position_ids"], TOKENS),
                              batch_rows=16, shuffle=True, seed=1).loader()
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    steps = 0
    if os.path.exists(state):
        weights, momenta, position, steps = torch.load(state)
        model.load_state_dict(weights)
        optimizer.load_state_dict(momenta)
        loader.load_state_dict(position)

    for _ in range(loader.dataset.epoch, 4):
        for batch in loader:
            ids, positions = batch["ids"], batch["positions"]
            follows = positions[:, 1:] == positions[:, :-1] + 1  # in the same document
            found = model(ids, positions)[:, :-1][follows]
            loss = functional.cross_entropy(found, ids[:, 1:][follows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps += 1
            if steps % 20 == 0:  # replaced as a whole: a kill leaves the old state or the new one
                torch.save([model.state_dict(), optimizer.state_dict(), loader.state_dict(), steps], f"{state}.new")
                os.replace(f"{state}.new", state)
            if steps == killed_at:
                os.kill(os.getpid(), signal.SIGKILL)
    known = positions[:, 1:][follows] > 1  # the first two words tell the step
    right = (found.argmax(1) == ids[:, 1:][follows])[known].float().mean()
    assert right > 0.95, right
    return steps, float(right), model.says.weight.tolist()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/texts.idv"
        write_rows(path)
        whole = learn(path, f"{folder}/whole.pt")
        run = multiprocessing.get_context("spawn").Process(target=learn, args=(path, f"{folder}/state.pt", 70))
        run.start()  # ten steps after a save
        run.join()
        assert run.exitcode == -signal.SIGKILL
        assert learn(path, f"{folder}/state.pt") == whole
    print(f"killed at step 70; the same weights after {whole[0]} steps, and {whole[1]:.0%} of the words are right")
