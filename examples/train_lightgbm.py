# SPDX-License-Identifier: MIT
"""LightGBM: a Sequence, which gives it single rows for its bins, and then all rows in batches."""
import tempfile

import lightgbm
import numpy as np

import libdataview as dv


def write_rows(path):
    """Houses that sell if they are large for their price; some areas are missing."""
    random = np.random.default_rng(1)
    area, price = random.uniform(30, 200, 5000), random.uniform(50, 900, 5000)
    sold = area / 40 - price / 200 > 0
    area[random.random(5000) < 0.05] = np.nan
    dv.write({"area": area, "price": price, "sold": sold}, path)


class Rows(lightgbm.Sequence):
    """Rows of a table by number, by a slice or by a list of numbers."""

    batch_size = 1024

    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, rows):
        if isinstance(rows, (slice, list)):
            return self.table[rows].to_numpy()
        return self.table[[rows]].to_numpy()[0]


def learn(path):
    train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1)
    columns = ["area", "price"]
    options = {"objective": "binary", "metric": "binary_error", "seed": 1, "verbosity": -1}
    rows = lightgbm.Dataset(Rows(train[columns]), train["sold"].to_numpy(), feature_name=columns, params=options)
    others = rows.create_valid(Rows(test[columns]), test["sold"].to_numpy())
    log = {}
    lightgbm.train(options, rows, num_boost_round=30, valid_sets=[others], valid_names=["test"],
                   callbacks=[lightgbm.record_evaluation(log)])
    error = log["test"]["binary_error"][-1]
    print(f"{1 - error:.1%} of {others.num_data()} rows are right")
    assert rows.num_data() == len(train) and error < 0.1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        learn(f"{folder}/rows.idv")
