# SPDX-License-Identifier: MIT
"""Pipelines: steps by text and by methods, values against truths made by hand, what outlives what."""

import copy
import gc
import gzip
import inspect
import os
import pathlib
import pickle
import pydoc
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import living

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402
from libdataview import _core, _pipeline  # noqa: E402

TOWNS = ["Ely", "Bath", None, "Ely", "Rye", "Bath"]
ROOMS = [3, 5, 3, 2, 5, 3]
PACKAGE = pathlib.Path(dv.__file__).parent


@pytest.fixture
def towns():
    return dv.from_numpy({"town": TOWNS, "rooms": ROOMS})


# --- Text ----------------------------------------------------------------------------------------


def test_text():
    pipeline = dv.Pipeline("term A;onehot C:Color max=100  # a comment\n\nselect A C hidden+")
    assert list(pipeline) == ["term A", "onehot C:Color max=100", "select A C hidden+"]
    assert str(pipeline) == "term A; onehot C:Color max=100; select A C hidden+"
    assert repr(pipeline) == "Pipeline of 3 steps\n  term A\n  onehot C:Color max=100\n  select A C hidden+"
    assert len(pipeline) == 3 and pipeline == dv.Pipeline(str(pipeline)) and pipeline != dv.pipe
    assert len({pipeline, pickle.loads(pickle.dumps(pipeline))}) == 1
    assert list(dv.pipe) == [] and str(dv.pipe) == "" and repr(dv.pipe) == "Pipeline of 0 steps" and dv.pipe


@pytest.mark.parametrize("text, message, offset", [
    ("term A; onehot", "step 2, onehot: .* expected a column, found the end", 14),
    ("onhot A", "expected one of convert, .*, found onhot", 0),
    ("term A max=0", 'step 1, term: option "max": .* expected an integer, 1 to 2147483646, found 0', 7),
    ("term A mx=3", "step 1, term: .* expected one of max, sort, terms, textkv, found mx", 7)])
def test_text_at_fault(text, message, offset):
    with pytest.raises(dv.ArgumentError, match=message) as raised:
        dv.Pipeline(text)
    assert raised.value.offset == offset


def test_text_is_a_str():
    with pytest.raises(TypeError, match="a pipeline is a text such as .*, not b'term A'"):
        dv.Pipeline(b"term A")


# --- Methods -------------------------------------------------------------------------------------


def test_methods_write_the_notation():
    assert str(dv.pipe.term("Category").onehot("Color", max=100)) == "term Category; onehot Color max=100"
    assert str(dv.pipe.term("K:A", "B", sort="value", textkv=True)) == "term K:A B sort=value textkv+"
    assert str(dv.pipe.select("A", hidden=False).slice(skip=2, take=5)) == "select A hidden-; slice skip=2 take=5"
    assert str(dv.pipe.combine("V:A,B", "W:C,A")) == "combine V:A,B W:C,A"
    assert str(dv.pipe.range("A", min=-1.5, max=float("inf"))) == "range A min=-1.5 max=Infinity"
    assert str(dv.pipe.convert("A", type="U4[0-9]").convert(dv.col("x y"), type=dv.Type("R4"))) == \
        'convert A type=U4[0-9]; convert "x y" type=R4'
    assert str(dv.pipe.hash("A", hashversion=1, bits=None)) == "hash A hashversion=1"
    assert str(dv.pipe.term("A", max=None, terms=["b c", 3])) == 'term A terms=["b c" 3]'


@pytest.mark.parametrize("text", ["a b", "x;y", 'q"q', "back\\slash", "", "é#", "+", "end-", "a=b", "[l", "l]",
                                  "@f", "new\nline", "a,b", "a:b"])
def test_any_text_is_a_term_and_a_name(text):
    pipeline = dv.pipe.term("A", terms=[text, "z"])
    assert dv.Pipeline(str(pipeline)) == pipeline
    table = dv.from_numpy({"A": ["z", text]})
    assert pipeline.fit_apply(table)["A"].to_pylist() == ["z", text or None]
    if text:
        named = dv.from_numpy({text: ["z"]})
        assert dv.pipe.copy("New name:" + _pipeline.quoted(text)).fit_apply(named)["New name"].to_pylist() == ["z"]
        assert dv.pipe.select(dv.col(text)).fit_apply(named).columns == [text]


def test_names_with_blanks_need_no_quotes():
    assert str(dv.pipe.copy("New one:Old one", '"a:b":c d')) == 'copy "New one":"Old one" "a:b":"c d"'
    assert str(dv.pipe.term("A max=3")) == 'term "A max=3"'


@pytest.mark.parametrize("call, error, message", [
    (lambda p: p.onhot("A"), AttributeError, "there is no step 'onhot': did you mean 'onehot'"),
    (lambda p: p.term("A", mx=3), TypeError, "term has no option 'mx': did you mean 'max'"),
    (lambda p: p.copy("A", x=3), TypeError, "copy has no option 'x': it has none"),
    (lambda p: p.term("A", max="3"), TypeError, r"term\(max='3'\): expected a whole number"),
    (lambda p: p.term("A", max=True), TypeError, r"term\(max=True\): expected a whole number"),
    (lambda p: p.term("A", textkv="+"), TypeError, r"term\(textkv='\+'\): expected True or False"),
    (lambda p: p.term("A", sort="up"), ValueError, r"term\(sort='up'\): expected one of 'occurrence', 'value'"),
    (lambda p: p.term("A", terms="abc"), TypeError, r"term\(terms='abc'\): expected a list of texts"),
    (lambda p: p.range("A", min="1"), TypeError, r"range\(min='1'\): expected a number"),
    (lambda p: p.convert("A", type=3), TypeError, r"convert\(type=3\): expected a str"),
    (lambda p: p.term(3), TypeError, "term: a column is a text such as 'New:Source' or 'Column', not 3"),
    (lambda p: p.copy("A").term("A", max=0), dv.ArgumentError, 'step 2, term: option "max"'),
    (lambda p: p.term(), dv.ArgumentError, "expected a column"),
    (lambda p: p.slice("A"), dv.ArgumentError, "expected no column"),
    (lambda p: p.range("A", min=float("nan")), dv.ArgumentError, "expected a number")])
def test_methods_refuse(call, error, message):
    with pytest.raises(error, match=message):
        call(dv.pipe)


def test_methods_are_those_of_the_list():
    for step in _pipeline.STEPS.values():
        method = getattr(dv.Pipeline, step.name)
        parameters = inspect.signature(method).parameters
        assert [n for n in parameters if n not in ("self", "names")] == list(step.options)
        assert ("names" in parameters) == (step.columns != "none")
        assert method.__doc__.startswith(step.summary) and all(o.summary in method.__doc__
                                                               for o in step.options.values())
        assert (f"ML.NET: {step.ml_net}." in method.__doc__) == ("ML.NET:" in method.__doc__) == bool(step.ml_net)
        text = pydoc.render_doc(getattr(dv.pipe, step.name), renderer=pydoc.plaintext)
        assert step.summary in text and all(f"{name}=" in text for name in step.options)
        assert step.name not in ("fit", "fit_apply", "transformer")
        for option in step.options.values():  # what is shown as the default is what holds
            value = _pipeline.initial(option)
            if value is not None:
                assert _core.pipeline_steps(f"{step.name} {'' if step.columns == 'none' else 'A'} "
                                            + _pipeline._option(step, option, value), None)
    assert len(_pipeline.STEPS) == len(_core.transforms())


def stub_of(step):
    """A method of a step as the stub has it, in one line."""
    kinds = {"flag": "bool", "integer": "int", "number": "float", "text": "str", "texts": "Iterable[object]",
             "table": "Any"}
    parts = ["self", *(["*"] if step.columns == "none" else ["*names: str | Column | col"])]
    for option in step.options.values():
        kind = "Type | str" if option.name == "type" else kinds.get(option.kind)
        kind = kind or "Literal[{}]".format(", ".join(f'"{word}"' for word in option.words.split("|")))
        value = _pipeline.initial(option)
        shown = f'"{value}"' if isinstance(value, str) else repr(value)
        parts.append(f"{option.name}: {kind}{' | None' if value is None else ''} = {shown}")
    return f"def {step.name}({', '.join(parts)}) -> Pipeline: ..."


def test_stubs_are_those_of_the_list():
    stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    found = re.sub(r"\s+", " ", re.search(r"# steps:.*?\n(.*?)\n\nclass ", stub, re.DOTALL)[1]).strip()
    if "image" not in _pipeline.STEPS:  # the optional steps for pictures come last
        found = found.partition(" def loadbytes(")[0]
    assert found == " ".join(map(stub_of, _pipeline.STEPS.values()))


# --- Values --------------------------------------------------------------------------------------


def test_values(towns):
    fitted = dv.Pipeline("term K:town; onehot rooms; vector V:K; value W:K").fit(towns)
    made = fitted.apply(towns)
    assert made.columns == ["town", "rooms", "K", "V", "W"] and made.num_rows == 6
    assert made["K"].to_numpy(na=9).tolist() == [0, 1, 9, 0, 2, 1]
    assert made["K"].categories == ["Ely", "Bath", "Rye"] and made["W"].to_pylist() == [t or "" for t in TOWNS]
    assert made["rooms"].to_pylist() == [[r == 3, r == 5, r == 2] for r in ROOMS]
    assert made["rooms"].slot_names == ["3", "5", "2"]
    assert made["V"].to_pylist() == [[t == k for k in ("Ely", "Bath", "Rye")] for t in TOWNS]
    test = fitted.apply(dv.from_numpy({"rooms": [5, 4], "town": ["Rye", "Wells"], "more": [1, 2]}))
    assert test["K"].to_numpy(na=9).tolist() == [2, 9] and test["rooms"].to_pylist() == [[0, 1, 0], [0, 0, 0]]
    assert test["more"].to_pylist() == [1, 2]


def test_rows(towns):
    assert dv.pipe.dropna("town").slice(skip=1, take=3).fit_apply(towns)["rooms"].to_pylist() == [5, 2, 5]
    assert dv.pipe.convert("rooms", type="R4").range("rooms", min=3, max=5).fit_apply(towns)["town"].to_pylist() \
        == ["Ely", None, "Bath"]
    assert dv.pipe.select("rooms").fit_apply(towns).columns == ["rooms"]
    assert dv.pipe.fit_apply(towns).equals(towns)


def test_what_was_learned(towns):
    fitted = dv.pipe.term("town", sort="value").onehot("R:rooms", max=2).hash("H:town", bits=4, invert=1).fit(towns)
    assert (fitted.rows, fitted.passes) == (6, 2) and fitted.pipeline == dv.Pipeline(str(fitted.pipeline))
    terms, rooms, names = fitted.tables
    assert (terms.step, terms.column, terms.name) == (0, "town", "terms")
    assert terms.table["Term"].to_pylist() == ["Bath", "Ely", "Rye"]
    assert rooms[:3] == (1, "R", "terms") and rooms.table["Term"].to_pylist() == [3, 5]
    assert names[:3] == (2, "H", "names") and sorted(names.table["Text"].to_pylist()) == ["Bath", "Ely", "Rye"]
    assert repr(fitted).splitlines() == [
        "Fitted on 6 rows, 2 passes",
        "   step                         learned",
        "0  term town sort=value         town: 3 terms",
        "1  onehot R:rooms max=2         R: 2 terms",
        "2  hash H:town bits=4 invert=1  H: 3 names"]
    nothing = dv.pipe.copy("A:town").fit(towns)
    assert (nothing.rows, nothing.passes, nothing.tables) == (0, 0, [])
    assert repr(nothing) == "Fitted on 0 rows, 0 passes\n   step         learned\n0  copy A:town"
    assert repr(dv.pipe.fit(towns)) == "Fitted on 0 rows, 0 passes"


def test_tables_are_shown():
    assert repr(dv.pipe.term("town").fit_apply({"town": TOWNS})).splitlines()[:4] == [
        "table, 6 rows, 1 column", "town", "U4[0-2]", "Ely"]
    far = dv.pipe.convert("x", type="R4").range("x", min=5).fit_apply({"x": np.arange(9)})
    assert repr(far).startswith("table, rows not counted") and far.count() == 4


def test_sources(towns):
    want = dv.pipe.term("town").fit_apply(towns).to_pydict()
    assert dv.pipe.term("town").fit_apply({"town": TOWNS, "rooms": ROOMS}).to_pydict() == want
    numbers = np.arange(3)
    made = dv.pipe.copy("y:x").fit_apply({"x": numbers})
    numbers[:] = 9
    assert made["y"].to_pylist() == [0, 1, 2]
    pa = pytest.importorskip("pyarrow")
    arrow = pa.table({"town": TOWNS, "rooms": ROOMS})
    fitted = dv.pipe.term("town").fit(arrow)
    assert fitted.apply(arrow).to_pydict() == fitted.apply(towns).to_pydict() == want
    stream = pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches())
    assert dv.pipe.term("town").fit_apply(stream).to_pydict() == want


@pytest.mark.parametrize("pipeline, message", [
    ("term Town", 'step 1, term: there is no column "Town"'),
    ("copy A:town; vector A", "step 2, vector: .*expected .*found")])
def test_columns_at_fault(towns, pipeline, message):
    with pytest.raises(dv.ArgumentError, match=message):
        dv.Pipeline(pipeline).fit(towns)


def test_other_columns_than_learned(towns):
    fitted = dv.pipe.term("town").fit(towns)
    with pytest.raises(dv.ArgumentError, match='step 1, term: there is no column "town"'):
        fitted.apply(towns.drop("town"))
    with pytest.raises(dv.ArgumentError, match="step 1, term"):
        fitted.apply(dv.from_numpy({"town": [1, 2]}))
    with pytest.raises(TypeError, match="no table can be made of int"):
        fitted.apply(3)
    with pytest.raises(TypeError, match="ndarray has no names of columns: expected a Table, "):
        fitted.apply(np.ones((2, 2)))
    with pytest.raises(TypeError, match=r"make a Fitted with Pipeline\(text\).fit\(table\)"):
        dv.Fitted()


def test_options_of_fit(towns):
    with pytest.raises(dv.LimitError, match="expected at most 5, found .*terms_nbytes") as raised:
        dv.pipe.term("town").fit(towns, terms_nbytes=5)
    assert raised.value.rule == "terms_nbytes"
    with pytest.raises(dv.ArgumentError, match="terms_nbytes .* outside 1..2147483647"):
        dv.pipe.term("town").fit(towns, terms_nbytes=0)
    with pytest.raises(dv.ArgumentError, match="threads"):
        dv.pipe.term("town").fit(towns, threads=-1)
    with pytest.raises(TypeError):
        dv.pipe.term("town").fit(towns, threads="2")
    calls = []
    dv.pipe.term("town").fit(towns, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (6, 6)
    with pytest.raises(dv.Stopped):
        dv.pipe.term("town").fit(towns, progress=lambda done, total: False)
    with pytest.raises(ZeroDivisionError):
        dv.pipe.term("town").fit(towns, progress=lambda done, total: 1 / 0)


# --- Lifetimes, threads, processes ---------------------------------------------------------------


def test_tables_outlive_pipelines(nothing_left):
    towns = dv.from_numpy({"town": TOWNS})
    pipeline = dv.Pipeline("term town")
    fitted = pipeline.fit(towns)
    made, terms = fitted.apply(towns), fitted.tables[0].table
    lent = made["town"].to_numpy(na=9)
    del towns, pipeline, fitted
    gc.collect()
    assert made["town"].to_pylist() == TOWNS and terms["Term"].to_pylist() == ["Ely", "Bath", "Rye"]
    made.close()
    assert lent.tolist() == [0, 1, 9, 0, 2, 1]


def test_nothing_is_left_of_failures(nothing_left):
    before = living()
    for _ in range(50):
        for call in (lambda: dv.Pipeline("term"), lambda: dv.pipe.term("x").fit({"y": [1]}),
                     lambda: dv.pipe.term("x").fit({"x": ["a"]}, progress=lambda *_: False),
                     lambda: dv.pipe.term("x").fit({"x": ["a"]}).apply({"y": [1]})):
            with pytest.raises(dv.Error):
                call()
    assert living() == before


def test_closed_table(towns):
    fitted = dv.pipe.term("town").fit(towns)
    made = fitted.apply(towns)
    towns.close()
    assert made["town"].to_pylist() == TOWNS
    with pytest.raises(ValueError, match="closed"):
        fitted.apply(towns)


def test_threads():
    rng = np.random.default_rng(3)
    table = dv.from_numpy({"x": rng.integers(0, 5000, 100_000)})
    want = dv.pipe.term("x").fit(table, threads=1)
    learned, made = [], []

    def work():
        fitted = dv.pipe.term("x").fit(table, threads=2)
        learned.append(fitted.tables[0].table["Term"].to_pylist())
        made.append(want.apply(table)["x"].to_numpy())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(learned) == 4 and all(terms == want.tables[0].table["Term"].to_pylist() for terms in learned)
    assert all(np.array_equal(x, made[0]) for x in made)


def test_other_processes(towns, tmp_path):
    path = tmp_path / "towns.idv"
    dv.write(towns, path)
    of_file = dv.pipe.onehot("town").fit(towns).apply(dv.open(path))
    found = pickle.loads(pickle.dumps(of_file))
    assert found.to_pydict() == of_file.to_pydict() and found.identity() == of_file.identity()
    fitted = dv.pipe.term("town").onehot("rooms").fit(towns)
    made = fitted.apply(towns)
    again, table, terms = pickle.loads(pickle.dumps((fitted, made, fitted.tables[0].table)))
    assert repr(again) == repr(fitted) and again.apply(towns).to_pydict() == made.to_pydict() == table.to_pydict()
    assert terms["Term"].to_pylist() == ["Ely", "Bath", "Rye"]
    fitted_on_file = dv.pipe.term("town").fit(dv.open(path))
    assert repr(pickle.loads(pickle.dumps(fitted_on_file))) == repr(fitted_on_file)
    dv.write({"town": TOWNS[:2]}, path)
    with pytest.raises(dv.ArgumentError, match="the files that the pipeline was fitted on have changed since"):
        pickle.loads(pickle.dumps(fitted_on_file))
    want, (read, write) = made.to_pydict(), os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.write(write, b"1" if made.to_pydict() == want == fitted.apply(towns).to_pydict() else b"0")
        finally:
            os._exit(0)
    os.close(write)
    assert os.read(read, 1) == b"1"
    os.close(read)
    os.waitpid(child, 0)


def test_saved(towns, tmp_path):
    path = tmp_path / "towns.dvp"
    fitted = dv.pipe.term("town").hash("H:rooms", bits=5, invert=1).fit(towns)
    fitted.save(path)
    loaded = dv.Pipeline.load(path)
    assert loaded.pipeline == fitted.pipeline and repr(loaded) == repr(fitted)
    assert loaded.apply(towns)["town"].to_pylist() == fitted.apply(towns)["town"].to_pylist()
    assert loaded.tables[0].table["Term"].to_pylist() == ["Ely", "Bath", "Rye"]
    travelled = pickle.loads(pickle.dumps(loaded))
    assert travelled.tables[0].table["Term"].to_pylist() == ["Ely", "Bath", "Rye"]
    dv.pipe.term("town").fit(towns[:1]).save(path)
    with pytest.raises(dv.ArgumentError, match="has changed since it was opened: load it again"):
        pickle.loads(pickle.dumps(loaded)).apply(towns)
    assert loaded.apply(towns).num_rows == 6  # it needs nothing of the file
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(dv.CorruptError, match="towns.dvp"):
        dv.Pipeline.load(path)
    with pytest.raises(OSError):
        dv.Pipeline.load(tmp_path / "none.dvp")


MODELS = pathlib.Path(__file__).parents[2] / "tests/golden/model-zip"


def test_models_of_mlnet(tmp_path):
    fitted = dv.Pipeline.load(MODELS / "term-text/model.zip")
    assert list(fitted.pipeline) == ["term B:A"] and fitted.left_out == ""
    made = fitted.apply(dv.open(MODELS / "term-text/input.idv"))
    assert made["B"].to_pylist() == ["b", "a", None, "b", "c", None]
    with pytest.raises(dv.UnsupportedError, match="BIN PRED"):
        dv.Pipeline.load(MODELS / "trainer-sentiment/model.zip")
    path = tmp_path / "model.zip"
    path.write_bytes((MODELS / "trainer-sentiment/model.zip").read_bytes())
    cut = dv.Pipeline.load(path, until_unknown=True)
    assert cut.left_out == "BIN PRED (BinaryPredXfer)" and len(cut.pipeline) >= 9
    assert pickle.loads(pickle.dumps(cut)).left_out == cut.left_out
    path.write_bytes((MODELS / "term-text/model.zip").read_bytes())
    with pytest.raises(dv.ArgumentError, match="has changed since it was opened"):
        assert pickle.loads(pickle.dumps(cut)).left_out


def test_interrupts():
    table = dv.from_numpy({"x": np.random.default_rng(1).random(4_000_000)})
    long = dv.concat([table] * 4)
    timer = threading.Timer(0.06, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        dv.pipe.hash("x", bits=30, invert=-1).term("x").fit(long)
        timer.join()
        time.sleep(0.1)
    assert time.monotonic() - began < 5


# --- scikit-learn --------------------------------------------------------------------------------


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


# --- Patterns, and what is missing ---------------------------------------------------------------


def test_patterns_are_names_once_fitted():
    t = dv.from_numpy({"a1": np.float32([1, 2]), "a2": np.float32([3, 4]), "b": np.int64([5, 6]), "#x": np.int64([0, 1])})
    pipeline = dv.pipe.combine("F:#R4").term("'a*'", "b").select("F", "'?1'", "#x")
    assert list(pipeline) == ["combine F:#R4", "term 'a*' b", 'select F \'?1\' "#x"']
    fitted = pipeline.fit(t)
    assert list(fitted.pipeline) == ["combine F:a1,a2", "term a1 a2 b", 'select F a1 "#x"']
    assert fitted.apply(t).schema.names == ["F", "a1", "#x"]
    assert list(dv.pipe.combine("F:#V<R4,3>,'b?'")) == ["combine F:#V<R4,3>,'b?'"]
    assert list(dv.pipe.drop("'tis")) == ['drop "\'tis"']


@pytest.mark.parametrize("steps", ["term agee", "select agee", "convert agee type=R4", "combine F:agee"])
def test_a_missing_column_is_named(steps):
    t = dv.from_numpy({"age": np.int64([5, 6]), "town": np.int64([5, 6])})
    with pytest.raises(dv.ColumnNotFound, match="did you mean age?") as caught:
        dv.Pipeline(steps).fit(t)
    assert caught.value.found == "agee"
    fitted = dv.Pipeline(steps.replace("agee", "age")).fit(t)
    with pytest.raises(dv.ColumnNotFound, match='no column "age".*the column is town'):
        fitted.apply(dv.from_numpy({"town": np.int64([1])}))


def test_values_and_steps_from_files(tmp_path, towns):
    (tmp_path / "terms.txt").write_bytes("\ufeffBath\r\nEly\r\n".encode())
    (tmp_path / "prep.pipe").write_text(f"term town terms=@{tmp_path}/terms.txt  # two\ndrop rooms")
    pipeline = dv.Pipeline(f"@{tmp_path}/prep.pipe")
    assert list(pipeline) == ["term town terms=[Bath Ely]", "drop rooms"]
    assert pickle.loads(pickle.dumps(pipeline)) == pipeline
    assert pipeline.fit(towns).apply(towns)["town"].to_numpy(na=-1).tolist() == [1, 0, -1, 1, -1, 0]
    with pytest.raises(dv.FileMissing, match='option "terms"'):
        dv.Pipeline("term town terms=@/no/such/file")
    with pytest.raises(FileNotFoundError):
        dv.Pipeline("@/no/such/file")


def test_a_map(towns):
    pipeline = dv.pipe.map("M:rooms", keys=[3, 5], values=["three", "five"])
    assert pipeline.fit_apply(towns)["M"].to_pylist() == ["three", "five", "three", "", "five", "three"]
    with pytest.raises(dv.ArgumentError, match="2 keys and 1 value"):
        dv.pipe.map("town", keys=["a", "b"], values=["c"]).fit(towns)


def test_a_map_is_a_table(towns, tmp_path):
    sizes = dv.from_numpy({"Name": ["Ely", "Rye"], "Size": np.array([20, 9], np.int32), "X": [0, 1]})
    pipeline = dv.pipe.copy("town:town").map("S:town", table=sizes, keycolumn="Name", valuecolumn="Size")
    assert str(pipeline).endswith('map S:town table=@"<table 1>" keycolumn=Name valuecolumn=Size')
    fitted = pipeline.fit(towns)
    made = fitted.apply(towns)["S"].to_numpy(na=-1).tolist()
    assert made == [20, 0, 0, 20, 9, 0]
    assert pickle.loads(pickle.dumps(pipeline)).fit_apply(towns)["S"].to_numpy(na=-1).tolist() == made
    assert pickle.loads(pickle.dumps(fitted)).apply(towns)["S"].to_numpy(na=-1).tolist() == made
    assert fitted.pipeline == pipeline and fitted.pipeline.fit_apply(towns).equals(fitted.apply(towns))
    fitted.save(tmp_path / "m.dvp")
    with pytest.raises(dv.ArgumentError, match="fitted already: dv.Pipeline.load opens it"):
        dv.Pipeline(f"@{tmp_path}/m.dvp")
    loaded = dv.Pipeline.load(tmp_path / "m.dvp")
    assert loaded.apply(towns)["S"].to_numpy(na=-1).tolist() == made
    with pytest.raises(dv.ArgumentError, match="@<table 1>, the table, was not kept when the pipeline was saved"):
        loaded.pipeline.fit(towns)  # only its rows were saved
    assert loaded.pipeline != pipeline and pickle.loads(pickle.dumps(loaded.pipeline)) == loaded.pipeline
    assert pickle.loads(pickle.dumps(loaded)).apply(towns)["S"].to_numpy(na=-1).tolist() == made
    assert "not kept" not in str(loaded) and "_Saved" not in repr(loaded.apply(towns))
    assert "Ely" in repr(loaded.apply(towns))
    more = loaded.pipeline.map("R:town", table={"a": ["Bath"], "b": ["y"]})
    assert "<table 2>" in str(more)  # not the one that was left out
    assert pickle.loads(pickle.dumps(pipeline)) == copy.deepcopy(pipeline) == pipeline
    both = pipeline.map("R:town", table={"a": ["Bath"], "b": ["y"]})
    assert "<table 2>" in str(both) and both != pipeline
    assert both.fit_apply(towns)["R"].to_pylist() == ["", "y", "", "", "", "y"]
    other = dv.pipe.copy("town:town").map("S:town", table=dv.from_numpy({"a": ["Ely"], "b": [1]}),
                                          keycolumn="Name", valuecolumn="Size")
    assert other != pipeline  # the same text, and another table


def test_a_map_is_a_file(towns, tmp_path):
    path = tmp_path / "two towns.csv"
    path.write_text("Name,Code\nEly,e\nRye,r\n")
    for pipeline in (dv.pipe.map("S:town", table=path), dv.pipe.map("S:town", table=str(path)),
                     dv.Pipeline(f'map S:town table=@"{path}"')):
        assert pipeline.fit_apply(towns)["S"].to_pylist() == ["e", "", "", "e", "r", ""]
        assert pipeline == dv.Pipeline(str(pipeline)) == pickle.loads(pickle.dumps(pipeline))
    with pytest.raises(dv.FileMissing):
        dv.pipe.map("town", table=tmp_path / "none.csv")
    with pytest.raises(TypeError, match="the path of a table, or what fit takes"):
        dv.pipe.map("town", table=3)
    with pytest.raises(dv.ArgumentError, match="keycolumn"):
        dv.pipe.map("town", table={"a": ["x"]}).fit(towns)


def test_a_saved_pipeline_opens_no_file(towns, tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("Name,Code\nEly,e\nRye,r\n")
    fitted = dv.pipe.map("S:town", table=path).fit(towns)
    made = fitted.apply(towns)["S"].to_pylist()
    fitted.save(tmp_path / "m.dvp")
    path.unlink()  # opening it would fail
    loaded = dv.Pipeline.load(tmp_path / "m.dvp")
    for again in (loaded, pickle.loads(pickle.dumps(loaded)), copy.deepcopy(loaded)):
        assert again.apply(towns)["S"].to_pylist() == made
        assert list(again.pipeline.term("town")) == [*again.pipeline, "term town"]
        with pytest.raises(dv.ArgumentError, match="was not kept when the pipeline was saved"):
            again.pipeline.term("town").fit(towns)
    path.write_text("Name,Code\nEly,x\nRye,y\n")
    with pytest.raises(dv.ArgumentError, match="was not kept"):
        loaded.pipeline.fit(towns)
    given = loaded.pipeline.map("T:town", table=path)  # now the caller names the file
    assert given.fit_apply(towns)["T"].to_pylist()[0] == "x"


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


def test_many_slots():
    """100,000 slots, the same for any number of threads; of two steps the numbers of NumPy."""
    random = np.random.default_rng(5)
    x = random.normal(size=(9, 100_000)).astype("f4")
    x[:, ::7], x[2, ::5] = 0, np.nan
    table = dv.from_numpy({"x": x, "y": np.arange(9) % 2 == 1})

    def made(steps, threads):
        return dv.Pipeline(steps).fit(table, threads=threads).apply(table)["x"].to_numpy(dense=True)

    for steps in ("normalize x", "normalize x mode=meanvar", "normalize x mode=bin bins=4", "normalize x mode=robust",
                  "replacena x mode=mean", "selectcount x count=9", "selectmi x label=y slots=100"):
        assert np.array_equal(made(steps, 1), made(steps, 3), equal_nan=True), steps
    most = np.nanmax(np.abs(x), axis=0)
    scale = np.divide(1, most, where=most > 0, out=np.zeros_like(most))
    assert np.array_equal(made("normalize x", 1), x * scale, equal_nan=True)
    assert np.array_equal(made("selectcount x count=9", 1), x[:, (~np.isnan(x) & (x != 0)).sum(axis=0) >= 9])
