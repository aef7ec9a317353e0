# SPDX-License-Identifier: MIT
"""Steps on integers, lists of names, categories of frames, and tables without labels."""

import pickle

import numpy as np
import pytest

import libdataview as dv

SHORT, WIDE = ("int8", "int16", "uint8", "uint16"), ("int32", "int64", "uint32", "uint64")


def table(**columns):
    return dv.from_numpy(columns)


# --- Integers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["normalize", "normalize mode=meanvar", "replacena", "replacena mode=mean", "handlena"])
@pytest.mark.parametrize("kind", SHORT + WIDE)
def test_steps_take_integers_as_reals_of_their_type(step, kind):
    name, *options = step.split()
    values, real = np.array([1, 2, 4], kind), "R4" if kind in SHORT else "R8"
    fitted = dv.Pipeline(" ".join([name, "x", *options])).fit(table(x=values))
    want = dv.Pipeline(" ".join([f"convert x type={real};", name, "x", *options])).fit_apply(table(x=values))
    assert list(fitted.pipeline)[0] == f"convert x type={real}"
    made = fitted.apply(table(x=values))
    assert made.schema == want.schema and made["x"].to_pylist() == want["x"].to_pylist()


def test_types_and_not_data_decide():
    big, small = table(x=np.array([1 << 40, 1])), table(x=np.array([1, 0]))
    assert [str(dv.Pipeline("normalize x").fit(t).pipeline) for t in (big, small)] == 2 * ["convert x type=R8; normalize x"]


def test_new_columns_leave_their_sources_alone():
    t = table(a=np.array([1, 2], "i2"), b=np.array([3, 6]), c=np.array([0.5, 1.5]))
    fitted = dv.Pipeline("normalize A:a B:b c C:c").fit(t)
    assert str(fitted.pipeline) == "convert A:a type=R4; convert B:b type=R8; normalize A B c C:c"
    made = fitted.apply(t)
    assert made.schema.types == {"a": "I2", "b": "I8", "A": "R4", "B": "R8", "c": "R8", "C": "R8"}
    assert made["a"].to_pylist() == [1, 2] and made["A"].to_pylist() == [0.5, 1]


def test_vectors_and_patterns_of_integers():
    t = table(v=np.arange(6).reshape(2, 3), w=np.array([1, 2]))
    assert dv.Pipeline("normalize #I8").fit_apply(t)["v"].to_pylist() == [[0, 0.25, 0.4], [1, 1, 1]]


def test_integers_of_a_step_that_waits():
    t = table(s=np.array(["a", "b"], object), n=np.array([2, 4]))
    fitted = dv.Pipeline("term s; normalize n; replacena m:n mode=mean; combine F:n,m").fit(t)
    assert fitted.apply(t)["F"].to_pylist() == [[0.5, 0.5], [1, 1]] and fitted.passes == 2


def test_errors_number_the_steps_that_were_written():
    t = table(n=np.array([2, 4]), s=np.array(["a", "b"], object))
    with pytest.raises(dv.ArgumentError, match="^step 2, normalize: column \"s\""):
        dv.Pipeline("normalize n; normalize s").fit(t)


@pytest.mark.parametrize("kinds, real", [(("int64", "float64"), "R8"), (("int16", "float32"), "R4"), (("int32", "float32"), "R8"),
                                         (("int8", "uint16"), "R4"), (("int8", "int64"), "R8"), (("float32", "float64"), "R8")])
def test_combine_joins_numbers(kinds, real):
    t = table(**{name: np.array([1, 2], kind) for name, kind in zip("ab", kinds)})
    fitted = dv.Pipeline("combine F:a,b").fit(t)
    assert str(fitted.pipeline) == f"combine F:a,b type={real}"
    for made in (fitted.apply(t), t.combine("F", ["a", "b"])):
        assert made.schema["F"].type == f"V<{real},2>" and made["F"].to_pylist() == [[1, 1], [2, 2]]
        assert made["F"].slot_names == ["a", "b"] and made.schema["a"].type == t.schema["a"].type
    assert t.combine("F", ["b", "a"]).schema["F"].type == f"V<{real},2>"


def test_combine_of_equal_integers_stays():
    t = table(a=np.array([1, 2]), b=np.array([3, 4]))
    assert dv.Pipeline("combine F:a,b").fit_apply(t).schema["F"].type == "V<I8,2>"
    assert dv.Pipeline("combine F:a,b type=R4").fit_apply(t).schema["F"].type == "V<R4,2>"
    with pytest.raises(dv.ArgumentError, match="R4 or R8"):
        dv.Pipeline("combine F:a,b type=TX").fit(t)


def test_combine_of_many_batches_and_sparse_vectors():
    rng = np.random.default_rng(1)
    n = rng.integers(0, 9, 1000)
    t = dv.zip([dv.Pipeline("onehot n; convert n type=R8").fit_apply(table(n=n)), table(m=np.arange(1000))])
    made = t.combine("F", ["m", "n"])
    want = np.column_stack([np.arange(1000), t["n"].to_numpy()])
    assert np.array_equal(made["F"].to_numpy(), want)
    for batch in made.batches(["F"], rows=7):
        assert len(batch) <= 7


def test_missing_integers_are_missing_reals():
    pa = pytest.importorskip("pyarrow")
    t = dv.from_arrow(pa.table({"x": pa.array([1, None, 3]), "y": [0.5, 1.5, 2.5]}))
    assert dv.Pipeline("replacena x mode=mean").fit_apply(t)["x"].to_pylist() == [1, 2, 3]
    assert np.isnan(t.combine("F", ["x", "y"])["F"].to_numpy()[1, 0])


def test_what_is_no_number_is_refused_with_advice():
    t = table(s=np.array(["a", "b"], object), b=np.array([True, False]), x=np.array([0.5, 1]))
    with pytest.raises(dv.ArgumentError, match="convert"):
        dv.Pipeline("normalize b").fit(t)
    with pytest.raises(dv.ArgumentError, match="column \"s\": items: expected R8, found TX"):
        t.combine("F", ["x", "s"])


def test_saved_pipelines_keep_the_conversions(tmp_path):
    t = table(a=np.array([1, 2]), b=np.array([0.5, 1]))
    fitted = dv.Pipeline("normalize N:a; combine F:a,b,N").fit(t)
    fitted.save(tmp_path / "p.dvp")
    loaded = dv.Pipeline.load(tmp_path / "p.dvp")
    assert str(loaded.pipeline) == str(fitted.pipeline) and loaded.inputs == {"a": "I8", "b": "R8"}
    assert loaded.apply(t).to_pylist() == fitted.apply(t).to_pylist() == pickle.loads(pickle.dumps(fitted)).apply(t).to_pylist()


# --- Names ----------------------------------------------------------------------------------------


def test_lists_of_names():
    pipe, names = dv.pipe, np.array(["a", "b"])
    assert str(pipe.convert(["a", "b c"], type="R4")) == 'convert a "b c" type=R4'
    assert str(pipe.normalize(("a", dv.col("b")), mode="meanvar")) == "normalize a b mode=meanvar"
    assert str(pipe.combine("F", names)) == str(pipe.combine({"F": ["a", "b"]})) == "combine F:a,b"
    assert str(pipe.onehot({"New": "Old"})) == "onehot New:Old" and str(pipe.select(["a"], "b")) == "select a b"
    with pytest.raises(TypeError, match="combine\\('New', "):
        pipe.combine(["a", "b"])
    with pytest.raises(TypeError, match="empty"):
        pipe.combine("F", [])


def test_values_with_escapes():
    t = table(s=np.array(["a\tb", "c"], object))
    for pipeline in (dv.Pipeline(r'tokenize s sep="\t"'), dv.Pipeline(r'tokenize s sep="\x09"'), dv.pipe.tokenize("s", sep="\t")):
        assert str(pipeline) == r'tokenize s sep="\t"'
        assert pipeline.fit_apply(t)["s"].to_pylist() == [["a", "b"], ["c"]]
    odd = "\x00\x01\x7f\n\r\"\\é"
    assert str(dv.pipe.tokenize("s", sep=odd)) == r'tokenize s sep="\x00\x01\x7f\n\r\"\\é"'
    assert dv.Pipeline(str(dv.pipe.tokenize("s", sep=odd))) == dv.pipe.tokenize("s", sep=odd)
    with pytest.raises(dv.ArgumentError, match=r"xNN"):
        dv.Pipeline(r'tokenize s sep="\d"')


def test_text_may_make_words_alone(tmp_path):
    t = table(s=np.array(["The cat", "a"], object))
    fitted = dv.pipe.text("F:s", tokens="W", word=False, char=False).fit(t)
    assert fitted.apply(t).columns == ["s", "W"] and fitted.apply(t)["W"].to_pylist() == [["the", "cat"], ["a"]]
    fitted.save(tmp_path / "w.dvp")
    assert dv.Pipeline.load(tmp_path / "w.dvp").apply(t).to_pylist() == fitted.apply(t).to_pylist()
    with pytest.raises(dv.ArgumentError, match="tokens=W"):
        dv.pipe.text("F:s", word=False, char=False).fit(t)


# --- Tables without labels ------------------------------------------------------------------------


def test_fitted_applies_without_columns_that_it_only_selects():
    t = table(x=np.arange(4.0), y=np.array([0, 1, 0, 1]))
    fitted = dv.Pipeline("normalize x; combine F:x; select F y").fit(t)
    assert fitted.apply(t).columns == ["F", "y"]
    assert fitted.apply(table(x=np.arange(2.0))).columns == ["F"]
    with pytest.raises(dv.ColumnNotFound, match='step 1, normalize: there is no column "x".*"optional x"'):
        fitted.apply(table(y=np.arange(2)))
    with pytest.raises(dv.ColumnNotFound, match="step 3, select"):
        dv.Pipeline("normalize x; combine F:x; select F z").fit(t)
    with pytest.raises(dv.ColumnNotFound, match='step 1, select: there is no column "y"'):
        dv.Pipeline("select x y").fit(t).apply(table(x=np.arange(2.0)))


def test_steps_that_need_a_label_say_what_lets_it_be_missing():
    t = table(x=np.arange(4.0), y=np.array(["a", "b", "a", "b"], object))
    with pytest.raises(dv.ColumnNotFound, match='step 1, term: there is no column "y".*put "optional y" first'):
        dv.Pipeline("term y; normalize x").fit(t).apply(table(x=np.arange(2.0)))
    fitted = dv.Pipeline("optional y; term y; normalize x").fit(t)
    assert fitted.apply(table(x=np.arange(2.0))).columns == ["x", "y"]


# --- Categories of frames -------------------------------------------------------------------------


def frames(values):
    pd, pa, pl = (pytest.importorskip(name) for name in ("pandas", "pyarrow", "polars"))
    yield pd.DataFrame({"c": pd.Categorical(values)})
    yield pa.table({"c": pa.array(values).dictionary_encode()})
    yield pl.DataFrame({"c": pl.Series(values, dtype=pl.Categorical)})
    yield pd.DataFrame({"c": values})


@pytest.mark.parametrize("step", ["onehot c", "term c", "hash c bits=8", "wordbag c"])
def test_categories_are_their_values_in_every_frame(step):
    """The numbers of categories differ from frame to frame."""
    for i, train in enumerate(frames(["a", "b", None, "a"])):
        fitted = dv.Pipeline(step).fit(train)
        made = [fitted.apply(new)["c"].to_pylist() for new in frames(["c", "b", None, "a", "b"])]
        assert made[0] == made[1] == made[2] == made[3]


def test_categories_of_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"c": pd.Categorical([10, None, 20]), "b": pd.Categorical([True, False, True])})
    made = dv.Pipeline("replacena c mode=mean; onehot b").fit_apply(frame)
    assert made["c"].to_pylist() == [10, 15, 20] and made["b"].to_pylist() == [[1, 0], [0, 1], [1, 0]]


# --- Keys of tables -------------------------------------------------------------------------------


def keyed(categories, values=("b", None, "a", "c")):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    return dv.from_pandas(pd.DataFrame({"c": pd.Categorical(values, categories)}))


@pytest.mark.parametrize("how", ["fitted", "saved", "pickled"])
@pytest.mark.parametrize("step", ["onehot c", "term c", "hash c bits=8", "vector c", "copy d:c; vector d"])
def test_keys_of_other_values_are_refused(tmp_path, step, how):
    """Steps used the number of a category, even if it stood for a different value."""
    fitted = dv.Pipeline(step).fit(keyed(["a", "b", "c"]))
    if how == "saved":
        fitted.save(tmp_path / "a.dvp")
        fitted = dv.Pipeline.load(tmp_path / "a.dvp")
    elif how == "pickled":
        fitted = pickle.loads(pickle.dumps(fitted))
    for other in keyed(["x", "y", "z"], ["z", "x", None]), keyed(["c", "b", "a"]):
        with pytest.raises(dv.ArgumentError, match=r'column "c": key values: .*found others: .*astype.*"value c" first'):
            fitted.apply(other).to_pylist()
    with pytest.raises(dv.ArgumentError, match='column "c": key values: .*found none, of type TX.*astype'):
        fitted.apply(dv.from_numpy({"c": ["a", "b"]})).to_pylist()
    want = dv.Pipeline(step).fit_apply(keyed(["a", "b", "c"])).to_pylist()
    assert fitted.apply(keyed(["a", "b", "c"])).to_pylist() == want


def test_keys_of_numbers_are_compared():
    fitted = dv.Pipeline("vector c").fit(keyed([10, 20], [20, 10]))
    assert fitted.apply(keyed([10, 20], [10])).to_pylist() == [{"c": [1, 0]}]
    with pytest.raises(dv.ArgumentError, match="found others"):
        fitted.apply(keyed([10, 30], [10]))._view
    with pytest.raises(dv.ArgumentError, match="found others"):
        fitted.apply(keyed(["10", "20"], ["10"]))._view


def test_values_of_keys_are_taken_from_each_table():
    fitted = dv.Pipeline("value c; onehot c").fit(keyed(["a", "b", "c"]))
    want = fitted.apply(keyed(["a", "b", "c"])).to_pylist()
    assert fitted.apply(keyed(["c", "x", "a", "b"])).to_pylist() == want


# --- Numbers of steps -----------------------------------------------------------------------------


def test_steps_are_counted_from_1():
    fitted = dv.Pipeline("copy B:x; normalize x").fit(table(x=np.array([1.0, 2])))
    assert [line.split()[:2] for line in repr(fitted).splitlines()[2:]] == [["1", "copy"], ["2", "normalize"]]
    assert fitted.tables[0].step == 2
