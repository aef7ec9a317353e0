# SPDX-License-Identifier: MIT
"""A script of a first hour: open, look, select, compute, split, pipeline, model, save, apply elsewhere, feed, Ray."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("numpy")
pytest.importorskip("sklearn")

HOUR = '''
import sys
import libdataview as dv
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

# open and look
t = dv.open("houses.csv")
assert "Bath" in repr(t) and t.shape == (400, 6) and len(t) == 400
assert "string" in repr(t.schema) and t["rooms"].dtype == "int64"
t.info()
assert t["rooms"].mean() > 1 and t["rooms"].sum() == sum(t["rooms"].to_list()) and t["area"].std() > 0
assert t.value_counts("town")["Bath"] > 0 and "median" in repr(t.describe())

# select and compute
dear = t.filter("price > 300000 and town in ('Bath', 'Ely')")
assert "Bath" in repr(dear) and len(dear) < 400
assert len(t.filter(dv.col("rooms").between(2, 3) & dv.col("town").is_in(["Rye"]))) > 0
t = t.with_columns(per_room="area / rooms").select("town", "area", "rooms", "per_room", "listed", "sold")
assert repr(t.filter("area > 1e9")).endswith("no matching row in the first 400 rows read")

# split, pipeline, model
train, test = t.split(0.75, 0.25, shuffle=True, seed=1)
other = train_test_split(t, test_size=0.25, random_state=0)
assert [len(part) for part in other] == [300, 100]
steps = (dv.pipe.replacena(["area", "rooms", "per_room"], mode="mean").normalize(["area", "rooms", "per_room"], mode="meanvar")
         .onehot("town").combine("Features", ["area", "rooms", "per_room", "town"]).select(["Features", "sold"]))
fitted = steps.fit(train)
made = fitted.apply(train)
assert made["Features"].slot_names[:3] == ["area", "rooms", "per_room"]
model = LogisticRegression().fit(made["Features"].to_numpy(), made["sold"].to_numpy())
right = accuracy_score(fitted.apply(test)["sold"].to_numpy(), model.predict(fitted.apply(test)["Features"].to_numpy()))
assert right > 0.8, right

# save
fitted.save("houses.dvp")
dv.write(test, "test.idv")
print("guess", model.predict(fitted.apply(test)["Features"].to_numpy())[:5].tolist())
import pickle; pickle.dump(model, open("model.pickle", "wb"))

# feed
feed = made.feed("Features", labels="sold", batch_rows=64, shuffle=True, seed=3)
rows = sum(len(labels) for features, labels in feed)
assert rows == len(train) == 300 and len(feed) == 5
'''

NEXT_DAY = '''
import pickle
import libdataview as dv

fitted = dv.Pipeline.load("houses.dvp")
model = pickle.load(open("model.pickle", "rb"))
new = dv.open("new.csv").with_columns(per_room="area / rooms")
features = fitted.apply(new)          # without the label
assert features.columns == ["Features"] and len(features) == 3
assert model.predict(features["Features"].to_numpy()).shape == (3,)
print("guess", model.predict(fitted.apply(dv.open("test.idv"))["Features"].to_numpy())[:5].tolist())
'''


OTHER_MACHINES = '''
import libdataview as dv
import ray

ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
wanted = "town == 'Bath' or rooms > 4"
here = dv.open("houses.csv").filter(wanted)
there = dv.ray.read("houses.csv", where=wanted)
assert there.count() == len(here) > 0
assert sorted(row["price"] for row in there.take_all()) == sorted(here["price"].to_list())
print("guess", there.count())
'''


def run(code, folder):
    done = subprocess.run([sys.executable, "-W", "error::libdataview.DataWarning", "-c", code], cwd=folder, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("guess")]


@pytest.fixture
def folder(tmp_path):
    towns = ["Bath", "Ely", "Rye", "Ayr, north"]
    with (tmp_path / "houses.csv").open("w") as file:
        file.write("town,area,rooms,price,listed,sold\n")
        for i in range(400):
            area = "" if i % 29 == 0 else f"{60 + (i * 37) % 90}.5"
            file.write(f'"{towns[i % 4]}",{area},{1 + i % 5},{150000 + i * 997},2024-{1 + i % 12:02}-03,{"true" if i % 5 > 2 else "false"}\n')
    (tmp_path / "new.csv").write_text("town,area,rooms\nBath,70.5,2\nEly,,4\nYork,100,5\n")
    return tmp_path


def test_a_first_hour(folder):
    assert run(HOUR, folder) == run(NEXT_DAY, folder) != []


@pytest.mark.skipif("DV_SANITIZED" in os.environ, reason="Ray is not what a sanitizer watches")
def test_on_other_machines(folder):
    pytest.importorskip("ray.data")
    assert run(OTHER_MACHINES, folder)
