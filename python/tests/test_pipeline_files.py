# SPDX-License-Identifier: MIT
"""Pipelines that are saved, loaded, pickled, and made by ML.NET; options that name files and tables."""

import copy
import os
import pathlib
import pickle
import zipfile

import pytest
from conftest import TOWNS

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

MODELS = pathlib.Path(__file__).parents[2] / "tests/golden/model-zip"


# --- Other processes, saved pipelines ------------------------------------------------------------


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


@pytest.mark.parametrize("name, says", [("transform", r"fitted.apply\(table\)"), ("predict", "makes features"),
                                        ("fit", r"fitted.pipeline.fit\(table\)"), ("schema", "fitted.inputs")])
def test_words_of_others(towns, name, says):
    fitted = dv.pipe.term("town").fit(towns)
    with pytest.raises(AttributeError, match=f"a Fitted has no attribute '{name}'; here: .*{says}"):
        getattr(fitted, name)
    with pytest.raises(TypeError, match="no table can be made of str: .*; dv.open"):
        fitted.apply("towns.csv")
    assert not hasattr(fitted, "nothing")


def write_unknown_predictor(path, model):
    """Copy a model whose predictor has a calibrator, under a signature that no predictor has."""
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = bytearray(old.read(name))
            if name.replace("\\", "/").endswith("Model/Predictor/Model.key"):
                data[0x40:0x48] = b"FAFMPRED"
            new.writestr(name, bytes(data))


def test_predictors_of_mlnet():
    models = MODELS.parent / "predictors"
    table = dv.open(models / "sdca-mc-numkeys/input.idv")
    fitted = dv.Pipeline.load(models / "sdca-mc-numkeys/model.zip")
    made = fitted.apply(table)
    assert len(made) == len(table) == 120 and made["Score"].to_numpy().shape == (120, 3)
    assert "predict Score" in list(fitted.pipeline)[-1]


def test_models_of_mlnet(tmp_path):
    fitted = dv.Pipeline.load(MODELS / "term-text/model.zip")
    assert list(fitted.pipeline) == ["term B:A"] and fitted.left_out == ""
    made = fitted.apply(dv.open(MODELS / "term-text/input.idv"))
    assert made["B"].to_pylist() == ["b", "a", None, "b", "c", None]
    assert fitted.inputs == {"A": dv.Type("TX")} and dv.Pipeline.load(MODELS / "loader-words/model.zip").inputs == {}
    movies = dv.Pipeline.load(MODELS / "chain-movies-hashed/model.zip")
    table = dv.open(MODELS / "chain-movies-hashed/input.idv")
    as_text = table.select(*movies.inputs).cast({name: "TX" for name in movies.inputs})
    made = movies.apply(as_text.cast(**movies.inputs))["Features"]
    assert made.to_pylist() == movies.apply(table)["Features"].to_pylist()
    path = tmp_path / "model.zip"
    write_unknown_predictor(path, MODELS / "trainer-sentiment/model.zip")
    with pytest.raises(dv.UnsupportedError, match="FAFMPRED .*; with until_unknown=True it is left out, and all after"):
        dv.Pipeline.load(path)
    cut = dv.Pipeline.load(path, until_unknown=True)
    assert cut.left_out.startswith("FAFMPRED (") and len(cut.pipeline) >= 9
    assert pickle.loads(pickle.dumps(cut)).left_out == cut.left_out
    path.write_bytes((MODELS / "term-text/model.zip").read_bytes())
    with pytest.raises(dv.ArgumentError, match="has changed since it was opened"):
        assert pickle.loads(pickle.dumps(cut)).left_out


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


# --- Options from files --------------------------------------------------------------------------


def test_values_and_steps_from_files(tmp_path, towns):
    (tmp_path / "terms.txt").write_bytes("\ufeffBath\r\nEly\r\n".encode())
    (tmp_path / "prep.pipe").write_text(f"term town terms=@{tmp_path}/terms.txt  # two\ndrop rooms")
    with pytest.raises(dv.ArgumentError, match="opens only files below a folder that you allow"):
        dv.Pipeline(f"@{tmp_path}/prep.pipe")
    pipeline = dv.Pipeline(f"@{tmp_path}/prep.pipe", allow_folder=tmp_path)
    assert list(pipeline) == ["term town terms=[Bath Ely]", "drop rooms"]
    assert pickle.loads(pickle.dumps(pipeline)) == pipeline
    assert pipeline.fit(towns).apply(towns)["town"].to_numpy(na=-1).tolist() == [1, 0, -1, 1, -1, 0]
    with pytest.raises(dv.FileMissing, match='option "terms"'):
        dv.Pipeline("term town terms=@/no/such/file")
    with pytest.raises(FileNotFoundError):
        dv.Pipeline("@/no/such/file")


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
