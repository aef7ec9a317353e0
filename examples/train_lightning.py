# SPDX-License-Identifier: MIT
"""PyTorch Lightning: a checkpoint in the middle of an epoch has the position of the rows, too."""
import tempfile

import lightning
import numpy as np
import torch
from lightning.pytorch.callbacks import ModelCheckpoint

import libdataview as dv


def write_rows(path):
    """Points in a plane, in four quarters: two opposite ones are of class 1."""
    points = np.random.default_rng(1).standard_normal((4000, 2)).astype("f4")
    dv.write({"point": points, "quarter": (points[:, 0] * points[:, 1] > 0).astype("i8")}, path)


class Quarters(lightning.LightningDataModule):
    def __init__(self, path):
        super().__init__()
        train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1)
        columns = {"features": ["point"], "labels": ["quarter"]}
        self.loader = dv.torch.Dataset(train, **columns, batch_rows=64, shuffle=True, seed=1).loader()
        self.others = dv.torch.Dataset(test, **columns)

    def train_dataloader(self):
        return self.loader

    def test_dataloader(self):
        return self.others.loader()

    def state_dict(self):
        return self.loader.state_dict()

    def load_state_dict(self, state):
        self.loader.load_state_dict(state)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))

    def training_step(self, batch):
        points, labels = batch
        return torch.nn.functional.cross_entropy(self.layers(points), labels)

    def test_step(self, batch):
        points, labels = batch
        self.log("right", (self.layers(points).argmax(1) == labels).float().mean(), batch_size=len(labels))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


def learn(path, folder, checkpoint=None):
    lightning.seed_everything(1)
    model, data = Model(), Quarters(path)
    saves = ModelCheckpoint(folder, "{step}", every_n_train_steps=70, save_top_k=-1)  # an epoch has 50
    trainer = lightning.Trainer(max_epochs=5, callbacks=[saves], accelerator="cpu", use_distributed_sampler=False,
                                logger=False, enable_progress_bar=False)
    trainer.fit(model, data, ckpt_path=checkpoint)
    assert trainer.test(model, data)[0]["right"] > 0.95
    return model.state_dict()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        whole = learn(f"{folder}/rows.idv", folder)
        again = learn(f"{folder}/rows.idv", f"{folder}/again", f"{folder}/step=70.ckpt")
        assert all(torch.equal(whole[name], again[name]) for name in whole)
