# SPDX-License-Identifier: MIT
"""Pipelines: what they learn and make, against truths made by hand; what outlives what."""

import gc
import os
import pickle
import signal
import threading
import time

import pytest
from conftest import ROOMS, TOWNS, living

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402


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
    assert (terms.step, terms.column, terms.name) == (1, "town", "terms")
    assert terms.table["Term"].to_pylist() == ["Bath", "Ely", "Rye"]
    assert rooms[:3] == (2, "R", "terms") and rooms.table["Term"].to_pylist() == [3, 5]
    assert names[:3] == (3, "H", "names") and sorted(names.table["Text"].to_pylist()) == ["Bath", "Ely", "Rye"]
    assert repr(fitted).splitlines() == [
        "Fitted on 6 rows, 2 passes",
        "   step                         learned",
        "1  term town sort=value         town: 3 terms",
        "2  onehot R:rooms max=2         R: 2 terms",
        "3  hash H:town bits=4 invert=1  H: 3 names"]
    nothing = dv.pipe.copy("A:town").fit(towns)
    assert (nothing.rows, nothing.passes, nothing.tables) == (0, 0, [])
    assert repr(nothing) == "Fitted on 0 rows, 0 passes\n   step         learned\n1  copy A:town"
    assert repr(dv.pipe.fit(towns)) == "Fitted on 0 rows, 0 passes"


def test_tables_are_shown():
    assert repr(dv.pipe.term("town").fit_apply({"town": TOWNS})).splitlines()[:4] == [
        "table, 6 rows, 1 column (1 hidden)", "town", "category U4[0-2]", "Ely"]
    far = dv.pipe.convert("x", type="R4").range("x", min=5).fit_apply({"x": np.arange(9)})
    assert repr(far).startswith("table, 4 rows") and far.count() == 4


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


def test_several_tables_are_one(towns, tmp_path):
    pipeline = dv.Pipeline("term town sort=value; normalize rooms mode=meanvar")
    parts = [towns[:2], towns[2:2].to_arrow(), towns[2:].to_pandas()]
    saved = []
    for source in (towns, parts, tuple(parts), [towns]):
        pipeline.fit(source).save(tmp_path / "a.dvp")
        saved.append((tmp_path / "a.dvp").read_bytes())
    assert saved[0] == saved[1] == saved[2] == saved[3]
    with pytest.raises(dv.ArgumentError, match="view 1: .* rooms"):
        pipeline.fit([towns, towns.cast(rooms="TX")])
    for none in ([], [3], [[1, 2]]):
        with pytest.raises(TypeError):
            pipeline.fit(none)


def test_parts_of_the_rows(towns, tmp_path):
    pipeline = dv.Pipeline("term town sort=value; normalize rooms; select town rooms")
    parts = [pipeline.fit_part(towns[:2]), pickle.loads(pickle.dumps(pipeline.fit_part(towns[2:5], threads=2)))]
    dv.write(pipeline.fit_part(towns[5:]), tmp_path / "part.idv")
    fitted = pipeline.fit_merge([*parts, dv.open(tmp_path / "part.idv")])
    whole = pipeline.fit(towns)
    fitted.save(tmp_path / "a.dvp")
    whole.save(tmp_path / "b.dvp")
    assert (tmp_path / "a.dvp").read_bytes() == (tmp_path / "b.dvp").read_bytes()
    assert fitted.apply(towns).equals(whole.apply(towns)) and fitted.rows == len(towns)
    assert pickle.loads(pickle.dumps(fitted)).apply(towns).equals(whole.apply(towns))
    with pytest.raises(dv.ArgumentError, match="step 1, normalize: .* depend on the order of sums"):
        dv.Pipeline("normalize rooms mode=meanvar").fit_part(towns)
    with pytest.raises(dv.ArgumentError, match="part 1 is of other steps"):
        dv.Pipeline("term town").fit_merge(parts)
    with pytest.raises(dv.CorruptError, match="part 2: "):
        pipeline.fit_merge([parts[0], towns])
    for none in ([], parts[0], [towns.to_arrow()], 3):
        with pytest.raises(TypeError):
            pipeline.fit_merge(none)


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


def test_a_map(towns):
    pipeline = dv.pipe.map("M:rooms", keys=[3, 5], values=["three", "five"])
    assert pipeline.fit_apply(towns)["M"].to_pylist() == ["three", "five", "three", "", "five", "three"]
    with pytest.raises(dv.ArgumentError, match="2 keys and 1 value"):
        dv.pipe.map("town", keys=["a", "b"], values=["c"]).fit(towns)


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


# --- Lifetimes, threads --------------------------------------------------------------------------


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
