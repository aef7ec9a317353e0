# SPDX-License-Identifier: MIT
"""Folders and lists of text files as one table."""

import pickle

import pytest

import libdataview as dv


def _write(folder, files):
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_a_folder_of_text_is_one_table(tmp_path):
    _write(tmp_path, {"a.csv": "n,w\n1,x\n", "b.CSV": "w,n\ny,1.5\n", "c.csv": "n,w\n", "_SUCCESS": "", "notes.txt": "hello\n"})
    t = dv.open(tmp_path)
    assert t.to_pylist() == [{"n": 1.0, "w": "x"}, {"n": 1.5, "w": "y"}]
    assert pickle.loads(pickle.dumps(t)).to_pylist() == t.to_pylist()
    assert dv.open([tmp_path / "a.csv", tmp_path / "b.CSV"]).to_pylist() == t.to_pylist()


def test_a_column_that_a_file_lacks(tmp_path):
    _write(tmp_path, {"a.csv": "n,w\n1,x\n", "b.csv": "z,n\n0.5,2\n"})
    with pytest.raises(dv.CorruptError, match="match=union"):
        dv.open(tmp_path)
    t = dv.open(tmp_path, text="auto match=union")
    assert [str(row) for row in t.to_pylist()] == ["{'n': 1, 'w': 'x', 'z': nan}", "{'n': 2, 'w': None, 'z': 0.5}"]
    assert str(pickle.loads(pickle.dumps(t)).to_pylist()) == str(t.to_pylist())


def test_folders_of_values(tmp_path):
    for year, text in (("2020", "n\n1\n"), ("2021", "n\n2.5\n")):
        (tmp_path / f"year={year}").mkdir()
        _write(tmp_path / f"year={year}", {"a.csv": text})
    t = dv.open(tmp_path)
    assert t.to_pylist() == [{"n": 1.0, "year": 2020}, {"n": 2.5, "year": 2021}]
    assert pickle.loads(pickle.dumps(t)).to_pylist() == t.to_pylist()
    assert dv.open(tmp_path, plain_folders=True).to_pylist() == [{"n": 1.0}, {"n": 2.5}]


def test_folders_without_one_kind_of_tables(tmp_path):
    with pytest.raises(dv.UnsupportedError, match="files of a known format"):
        dv.open(tmp_path)
    _write(tmp_path, {"a.csv": "n\n1\n"})
    dv.open(tmp_path).write(tmp_path / "b.idv")
    with pytest.raises(dv.UnsupportedError, match="b.idv and a.csv"):
        dv.open(tmp_path)
