# SPDX-License-Identifier: MIT
"""A pipeline as a step of scikit-learn."""

import gzip
import os
import pathlib
import pickle
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402


def test_transformer(towns):
    step = dv.pipe.onehot("town").select("town", "rooms").transformer(threads=1)
    assert step.get_params()["threads"] == 1 and step.set_params(threads=2) is step and step.threads == 2
    with pytest.raises(ValueError, match="there is no parameter 'thread': did you mean 'threads'"):
        step.set_params(thread=2)
    with pytest.raises(Exception, match="has learned nothing yet: call fit first"):
        step.transform(towns)
    made = step.fit_transform(towns)
    assert isinstance(made, dv.Table) and made.shape == np.asarray(made).shape == (6, 4)
    assert step.get_feature_names_out().tolist() == ["town.Ely", "town.Bath", "town.Rye", "rooms"]
    assert step.feature_names_in_.tolist() == ["town", "rooms"] and step.n_features_in_ == 2
    numbers = np.array([7, 8, 7])
    table = dv.from_numpy({"x": numbers}, copy=False)
    kept = dv.Transformer("term x").fit_transform(table)
    numbers[:] = 9  # never do that: here it shows that no value was looked up again
    assert kept["x"].to_pylist() == [7, 8, 7]
    assert dv.Transformer("term x").fit(table).transform(table)["x"].to_pylist() == [9, 9, 9]
    assert step.fit(towns) is step and step.transform(towns[:2]).to_pydict() == made[:2].to_pydict()
    assert dv.Transformer("term town").fit(towns).fitted_.passes == 1
    with pytest.raises(ValueError, match="transform='numpy': expected one of 'default', 'pandas', 'polars'"):
        step.set_output(transform="numpy")


def test_sklearn():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    colors = [("red", "green", "blue")[i] for i in rng.integers(0, 3, 90)]
    table = dv.from_numpy({"Color": colors, "x": rng.random(90), "Text": colors})
    is_red = np.array([color == "red" for color in colors])
    model = make_pipeline(dv.pipe.onehot("Color").select("Color", "x").transformer(), LogisticRegression())
    assert model.fit(table, is_red).score(table, is_red) == 1
    assert set(model[:-1].get_feature_names_out()) == {"Color.red", "Color.green", "Color.blue", "x"}
    assert pickle.loads(pickle.dumps(model)).predict(table).tolist() == is_red.tolist()
    assert not hasattr(clone(model)[0], "fitted_") and clone(model)[0].pipeline == model[0].pipeline
    assert cross_val_score(model, table, is_red).tolist() == [1] * 5
    best = GridSearchCV(model, {"transformer__pipeline": ["select x", "onehot Color; select Color"]}).fit(table, is_red)
    assert best.best_params_ == {"transformer__pipeline": "onehot Color; select Color"}
    if pytest.importorskip("pandas") and pytest.importorskip("pyarrow"):
        frames = clone(model[:-1].set_output(transform="pandas")).fit_transform(table.to_pandas())
        assert list(frames.columns) == ["Color", "x"] and len(frames) == 90


def test_example_of_manual_pages(tmp_path):
    """examples/train_manual_pages.py tells sections apart that have words of their own."""
    pytest.importorskip("sklearn")
    for section, word in (("1", "command"), ("2", "call"), ("5", "format")):
        (tmp_path / f"man{section}").mkdir()
        for i in range(20):
            page = f".TH PAGE{i} {section}\n.SH NAME\npage{i} - a {word}\n" + f"{word} other\n" * (i + 1)
            (tmp_path / f"man{section}" / f"page{i}.{section}.gz").write_bytes(gzip.compress(page.encode()))
    script = pathlib.Path(__file__).resolve().parents[2] / "examples/train_manual_pages.py"
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(dv.__file__).absolute().parents[1])}
    output = subprocess.run([sys.executable, str(script), "--folder", str(tmp_path)], env=environment, check=True,
                            capture_output=True, text=True).stdout
    assert output.splitlines()[-1] == "48 pages learned, 100.0% of 12 others are right"
