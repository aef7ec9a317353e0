# SPDX-License-Identifier: MIT
"""Hugging Face's Trainer: batches to train on, rows to test on, and checkpoints to go on from."""
import tempfile

import numpy as np
import torch
from transformers import Trainer, TrainingArguments

import libdataview as dv


def write_rows(path):
    """Points in a plane, in four quarters: two opposite ones are of class 1."""
    points = np.random.default_rng(1).standard_normal((4000, 2)).astype("f4")
    dv.write({"point": points, "quarter": (points[:, 0] * points[:, 1] > 0).astype("i8")}, path)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))

    def forward(self, point, labels):
        logits = self.layers(point)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


class BatchTrainer(Trainer):
    """Takes batches as the dataset makes them, in place of samples that are put together one by one."""

    def get_train_dataloader(self):
        return self.train_dataset.loader()


def named(batch):
    """The arguments of the model."""
    points, labels = batch
    return {"point": points, "labels": labels}


def learn(path, folder, resume=False):
    torch.manual_seed(1)
    train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1)
    batches = dv.torch.Dataset(train, features=["point"], labels=["quarter"], batch_rows=64, shuffle=True, seed=1,
                               transform=named)  # shard="auto": the rank of this process
    rows = dv.torch.Rows(test.select("point", labels="quarter"))
    options = TrainingArguments(folder, num_train_epochs=5, learning_rate=0.03, per_device_eval_batch_size=256,
                                save_strategy="epoch", use_cpu=True, report_to="none", disable_tqdm=True)
    trainer = BatchTrainer(Model(), options, train_dataset=batches, eval_dataset=rows,
                           compute_metrics=lambda p: {"right": (p.predictions.argmax(1) == p.label_ids).mean()})
    trainer.train(resume_from_checkpoint=resume)
    right = trainer.evaluate()["eval_right"]
    print(f"{right:.1%} of {len(test)} rows are right")
    assert right > 0.95
    return trainer.model.state_dict()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        whole = learn(f"{folder}/rows.idv", f"{folder}/states")
        again = learn(f"{folder}/rows.idv", f"{folder}/states", resume=f"{folder}/states/checkpoint-150")
        assert all(torch.equal(whole[name], again[name]) for name in whole)  # three epochs and two, or five
