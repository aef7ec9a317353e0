# SPDX-License-Identifier: MIT
"""Cross-validation with five folds: the steps learn from each fold's own training rows."""
import tempfile

import numpy as np
from sklearn.linear_model import LogisticRegression

import libdataview as dv


def write_rows(path):
    """Visits of patients; all visits of a patient have something in common."""
    random = np.random.default_rng(1)
    patient = random.integers(0, 200, 2000)
    dose, age = random.uniform(0, 50, 2000), random.integers(20, 90, 200)[patient]
    score = dose / 10 - age / 20 + random.standard_normal(200)[patient] + random.logistic(size=2000) / 4
    dv.write({"patient": patient, "dose": dose, "age": age, "cured": score > 0}, path)


def learn(path):
    visits = dv.open(path)
    folds = visits.split(*[1 / 5] * 5, group="patient", seed=1)
    prepare = dv.pipe.normalize(["dose", "age"], mode="meanvar", fixzero=False)
    scores = []
    for k, test in enumerate(folds):
        train = dv.concat(folds[:k] + folds[k + 1:])
        assert not set(train["patient"].unique()) & set(test["patient"].unique())
        fitted = prepare.fit(train)
        rows, others = fitted.apply(train), fitted.apply(test)
        model = LogisticRegression().fit(rows.to_numpy(["dose", "age"]), rows["cured"].to_numpy())
        scores.append(model.score(others.to_numpy(["dose", "age"]), others["cured"].to_numpy()))
    print("right in each fold:", *[f"{score:.1%}" for score in scores])
    assert sum(len(fold) for fold in folds) == len(visits) and np.mean(scores) > 0.75


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        learn(f"{folder}/rows.idv")
