# SPDX-License-Identifier: MIT
"""XGBoost: a QuantileDMatrix made of batches, so that no array has all rows."""
import tempfile

import numpy as np
import xgboost

import libdataview as dv


def write_rows(path):
    """Houses that sell if they are large for their price; some areas are missing."""
    random = np.random.default_rng(1)
    area, price = random.uniform(30, 200, 5000), random.uniform(50, 900, 5000)
    sold = area / 40 - price / 200 > 0
    area[random.random(5000) < 0.05] = np.nan
    dv.write({"area": area, "price": price, "sold": sold}, path)


class Batches(xgboost.DataIter):
    """The batches of a feed; XGBoost reads them several times, always in the same order."""

    def __init__(self, table, features, label):
        self.feed = table.feed(features, label, batch_rows=1024)
        self.features = features
        self.reset()
        super().__init__()

    def reset(self):
        self.loop = iter(self.feed)

    def next(self, input_data):
        for X, y in self.loop:
            input_data(data=X, label=y, feature_names=self.features)
            return True
        return False


def learn(path):
    train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1)
    columns = ["area", "price"]
    rows = xgboost.QuantileDMatrix(Batches(train, columns, "sold"))
    others = xgboost.QuantileDMatrix(Batches(test, columns, "sold"), ref=rows)
    log = {}
    options = {"objective": "binary:logistic", "eval_metric": "error", "seed": 1}
    xgboost.train(options, rows, num_boost_round=30, evals=[(others, "test")], evals_result=log, verbose_eval=False)
    error = log["test"]["error"][-1]
    print(f"{1 - error:.1%} of {others.num_row()} rows are right")
    assert rows.num_row() == len(train) and error < 0.1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        learn(f"{folder}/rows.idv")
