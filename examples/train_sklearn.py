# SPDX-License-Identifier: MIT
"""scikit-learn's partial_fit: a linear model that learns from batches of a table larger than memory."""
import tempfile

import numpy as np
from sklearn.linear_model import SGDClassifier

import libdataview as dv


def write_rows(path):
    """Houses that sell if they are large, cheap and in the right town."""
    random = np.random.default_rng(1)
    towns, area, price = random.integers(0, 3, 5000), random.uniform(30, 200, 5000), random.uniform(50, 900, 5000)
    score = area / 40 - price / 200 + np.array([-1, 0, 2])[towns] + random.logistic(size=5000) / 4
    dv.write({"town": np.array(["Bath", "Ely", "Rye"])[towns], "area": area, "price": price, "sold": score > 0}, path)


def learn(path):
    train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1, stratify="sold")
    prepare = dv.pipe.onehot("town").normalize(["area", "price"], mode="meanvar", fixzero=False).fit(train)
    columns = ["town", "area", "price"]
    model = SGDClassifier(loss="log_loss", random_state=1)
    for _ in range(5):
        for X, y in prepare.apply(train).feed(columns, "sold", batch_rows=256, shuffle=True, seed=1):
            model.partial_fit(X, y, classes=[0, 1])

    rows = prepare.apply(test)
    right = model.score(rows.to_numpy(columns), rows["sold"].to_numpy())
    print(f"{right:.1%} of {len(test)} rows are right")
    assert right > 0.9


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        learn(f"{folder}/rows.idv")
