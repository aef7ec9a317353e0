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


def test_folders_of_values_in_a_store():
    """Regression: fsspec's folders KEY=VALUE were not searched, and made no columns."""
    fs = pytest.importorskip("fsspec").filesystem("memory")
    try:
        for place, text in (("year=2021/part=b%20c/a.csv", "n\n1\n"), ("year=2020/part=x/a.csv", "n\n2.5\n"),
                            ("year=2020/.hidden=1/a.csv", "m\n3\n"), ("other/a.csv", "m\n3\n")):
            fs.pipe_file(f"/set/{place}", text.encode())
        want = [{"n": 2.5, "year": 2020, "part": "x"}, {"n": 1.0, "year": 2021, "part": "b c"}]
        for t in (dv.open("memory://set"), dv.open("/set", filesystem=fs)):
            assert t.to_pylist() == want
            assert pickle.loads(pickle.dumps(t)).to_pylist() == want
        assert dv.open("memory://set", text="auto type=year:TX")["year"].to_pylist() == ["2020", "2021"]
        assert dv.open("memory://set", plain_folders=True).to_pylist() == [{"n": 2.5}, {"n": 1.0}]
    finally:
        fs.rm("/set", recursive=True)


def test_a_folder_whose_job_was_killed(tmp_path):
    """`.unfinished` counts in the folder, in folders KEY=VALUE and in a store; named files are read."""
    (tmp_path / "year=2020").mkdir()
    _write(tmp_path / "year=2020", {"a.csv": "n\n1\n"})
    for folder in (tmp_path, tmp_path / "year=2020"):
        mark = folder / ".unfinished"
        mark.touch()
        with pytest.raises(dv.UnsupportedError, match=r"found \.unfinished.*run the job again, or name the files"):
            dv.open(tmp_path)
        assert dv.open(tmp_path / "year=2020" / "a.csv")["n"].to_list() == [1]
        mark.unlink()
    assert dv.open(tmp_path).to_pylist() == [{"n": 1, "year": 2020}]
    fs = pytest.importorskip("fsspec").filesystem("memory")
    try:
        fs.pipe_file("/killed/a.csv", b"n\n1\n")
        fs.pipe_file("/killed/.unfinished", b"")
        with pytest.raises(dv.UnsupportedError, match=r"found \.unfinished.*run the job again, or name the files"):
            dv.open("memory://killed")
        fs.rm("/killed/.unfinished")
        assert dv.open("memory://killed").num_rows in (None, 1)
    finally:
        fs.rm("/killed", recursive=True)


def test_types_of_folders(tmp_path):
    for day in ("1%2F2%2F2023", "3%2F4%2F2023", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / f"day={day}").mkdir()
        _write(tmp_path / f"day={day}", {"a.csv": "n\n1\n"})
    assert dv.open(tmp_path)["day"].to_pylist() == ["1/2/2023", "3/4/2023", None]
    days = dv.open(tmp_path, text="auto date=dmy")["day"].to_pylist()
    assert [day and (day.month, day.day) for day in days] == [(2, 1), (4, 3), None]
    assert dv.open(tmp_path, text="auto date=dmy type=day:TX type=n:R4").schema["n"].type == "R4"
    with pytest.raises(dv.LossError, match='column "day": field: expected R8.*found "1/2/2023"'):
        dv.open(tmp_path, text="auto type=day:R8")


def test_folders_without_one_kind_of_tables(tmp_path):
    with pytest.raises(dv.UnsupportedError, match="files of a known format"):
        dv.open(tmp_path)
    _write(tmp_path, {"a.csv": "n\n1\n"})
    dv.open(tmp_path).write(tmp_path / "b.idv")
    with pytest.raises(dv.UnsupportedError, match="b.idv and a.csv"):
        dv.open(tmp_path)
