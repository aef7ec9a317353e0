# SPDX-License-Identifier: MIT
"""Pipelines that may come from anyone open no file, unless the caller allows a folder.

The story: a .dvp whose `map` gave paths, and whose `loadbytes folder=/` read them, put any file of the user into
the table.  Pickles of pipelines are the same danger, but the workers of a program must get its own."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402
from libdataview import _pipeline, _trust  # noqa: E402

pytestmark = pytest.mark.skipif("image" not in _pipeline.STEPS, reason="the steps for pictures are not built")
REFUSED = "untrusted pipeline"


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a").write_bytes(b"A")
    (tmp_path / "in/link").symlink_to("../secret")
    (tmp_path / "in/towns.csv").write_text("P,Code\na,x\nb,y\n")
    (tmp_path / "in/terms").write_text("b\na\n")
    (tmp_path / "secret").write_bytes(b"SECRET")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(*paths):
    return dv.from_numpy({"P": list(paths)})


LOADS = "loadbytes X:P folder=in strict-"


def read(fitted, *paths):
    return fitted.apply(rows(*paths))["X"].to_pylist()


def refused(fitted):
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        read(fitted, "a")
    return True


# --- Files ---------------------------------------------------------------------------------------


def test_saved(place):
    dv.Pipeline(LOADS).fit(rows("a")).save("m.dvp")
    loaded = dv.Pipeline.load("m.dvp")
    assert list(loaded.pipeline) == [LOADS] and loaded.rows == 0 and LOADS in repr(loaded)
    assert refused(loaded) and refused(copy.deepcopy(loaded)) and refused(pickle.loads(pickle.dumps(loaded)))
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        loaded.pipeline.fit(rows("a")).apply(rows("a"))
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        loaded.pipeline.copy("Y:X").fit(rows("a")).apply(rows("a"))
    for allowed in (dv.Pipeline.load("m.dvp", allow_folder=place / "in"), loaded.allow_folder("in")):
        for again in (allowed, copy.deepcopy(allowed), pickle.loads(pickle.dumps(allowed))):
            assert read(again, "a", "link", "../secret") == [b"A", b"", b""]
            assert read(again.pipeline.fit(rows("a")), "a") == [b"A"]
    allowed.save("again.dvp")
    assert refused(dv.Pipeline.load("again.dvp"))  # a file keeps no grant
    with pytest.raises(dv.Error, match="not below the folder that is allowed"):
        read(dv.Pipeline.load("m.dvp", allow_folder="/proc"), "a")
    with pytest.raises(FileNotFoundError):
        dv.Pipeline.load("m.dvp", allow_folder="none")
    with pytest.raises(dv.ArgumentError, match="allow_folder is empty"):
        dv.Pipeline.load("m.dvp", allow_folder="")


@pytest.mark.parametrize("step", ["image X:P folder=in width=1 height=1", "loadbytes X:P folder=/"])
def test_steps_of_a_file(place, step):
    (place / "prep.pipe").write_text(step)
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        dv.Pipeline("@prep.pipe").fit(rows("a")).apply(rows("a"))
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        dv.Pipeline("@prep.pipe").transformer().fit(rows("a"))
    assert list(dv.Pipeline(step)) == list(dv.Pipeline("@prep.pipe"))


def test_files_of_options(place):
    for option in ("term P terms=@in/terms", "map P table=@in/towns.csv"):
        (place / "prep.pipe").write_text(option)
        with pytest.raises(dv.ArgumentError, match="opens only files below a folder that you allow"):
            dv.Pipeline("@prep.pipe")
        with pytest.raises(dv.Error, match="not below the folder that is allowed"):
            dv.Pipeline("@prep.pipe", allow_folder="/proc")
        pipeline = dv.Pipeline("@prep.pipe", allow_folder="in")
        made = pipeline.fit_apply(rows("a", "b"))
        assert made["P"].to_pylist() == dv.Pipeline(option).fit_apply(rows("a", "b"))["P"].to_pylist()
        again = pickle.loads(pickle.dumps(pipeline))
        assert again.fit_apply(rows("a", "b"))["P"].to_pylist() == made["P"].to_pylist()
    for path in ("../secret", "in/../secret", "in/link", "/etc/passwd", "/dev/null", "in", "in/none",
                 "/proc/self/environ", f"{place}/secret"):
        for option in ("term P terms=@", "map P table=@"):
            (place / "prep.pipe").write_text(option + path)
            with pytest.raises((dv.Error, OSError)):
                dv.Pipeline("@prep.pipe", allow_folder="in").fit(rows("a"))
    with pytest.raises(dv.ArgumentError, match="allow_folder is for steps that a file has"):
        dv.Pipeline(LOADS, allow_folder="in")
    with pytest.raises(dv.ArgumentError, match="the caller wrote these steps"):
        dv.Pipeline(LOADS).allow_folder("in")


def test_a_table_that_the_caller_adds(place):
    dv.pipe.copy("Q:P").fit(rows("a")).save("m.dvp")
    more = dv.Pipeline.load("m.dvp").pipeline.map("P", table="in/towns.csv")
    assert more.fit_apply(rows("a", "b"))["P"].to_pylist() == ["x", "y"]


# --- Pickles -------------------------------------------------------------------------------------

MAKE = """
import pickle, sys, libdataview as dv
rows = dv.from_numpy({"P": ["a"]})
pipeline = dv.Pipeline(%r)
fitted = pipeline.fit(rows)
fitted.save("foreign.dvp")
loaded = dv.Pipeline.load("foreign.dvp", allow_folder="in")
transformer = pipeline.transformer().fit(rows)
text = dv.Pipeline("copy Q:P").transformer().set_params(pipeline=%r)
sys.stdout.buffer.write(pickle.dumps((pipeline, fitted, loaded, transformer, text)))
"""


def foreign():
    made = subprocess.run([sys.executable, "-c", MAKE % (LOADS, LOADS)], stdout=subprocess.PIPE, check=True)
    return pickle.loads(made.stdout)


def test_of_another_program(place):
    pickle.dumps(dv.pipe.copy("A:B"))  # this process has a key by now, which no other program gets
    pipeline, fitted, loaded, transformer, text = foreign()
    assert list(pipeline) == [LOADS]
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        pipeline.fit(rows("a")).apply(rows("a"))
    for found in (fitted, loaded, transformer.fitted_):
        assert refused(found)
        assert read(found.allow_folder("in"), "a", "link") == [b"A", b""]
        assert refused(pickle.loads(pickle.dumps(found)))  # no worker trusts it more
    for made in (transformer, text):
        with pytest.raises(dv.ArgumentError, match=REFUSED):
            made.fit(rows("a")).transform(rows("a")).to_pylist()
    assert read(pipeline.allow_folder("in").fit(rows("a")), "a") == [b"A"]
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        pickle.loads(pickle.dumps(pipeline)).fit(rows("a")).apply(rows("a"))


TABLE = """
import pickle, sys, libdataview as dv
table = dv.Pipeline(%r).fit_apply(dv.from_numpy({"P": %r}))
sys.stdout.buffer.write(pickle.dumps(table))
"""


def foreign_table(step, *paths):
    made = subprocess.run([sys.executable, "-c", TABLE % (step, list(paths))], stdout=subprocess.PIPE, check=True)
    return made.stdout


def test_a_folder_for_pickles(place):
    """A Table of another program was refused while it was unpickled: there was nothing to call `allow_folder` of."""
    pickle.dumps(dv.pipe.copy("A:B"))
    data = foreign_table(LOADS, "a", "link", "../secret", "/etc/hostname", "in/../../secret")
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        pickle.loads(data)["X"].to_pylist()
    with dv.allow_folder("in"):
        table = pickle.loads(data)
        pipeline, fitted, loaded, transformer, text = foreign()
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        pickle.loads(data)["X"].to_pylist()  # the grant ended with the block
    assert table["X"].to_pylist() == [b"A", b"", b"", b"", b""]
    for found in (pipeline.fit(rows("a")), fitted, loaded, transformer.fitted_, text.fit(rows("a")).fitted_):
        assert read(found, "a", "link", "../secret", f"{place}/secret") == [b"A", b"", b"", b""]
    with pytest.raises(dv.ArgumentError, match="allow_folder is empty"), dv.allow_folder(""):
        pass


@pytest.mark.parametrize("folder", ["..", "/", "in/../in/..", "in/link", "/proc/self/cwd"])
def test_a_folder_for_pickles_bounds_other_folders(place, folder):
    """A step whose own folder lies outside the one that is allowed reads nothing."""
    data = foreign_table(f"loadbytes X:P folder={folder} strict+", "secret")
    with pytest.raises((dv.Error, OSError)), dv.allow_folder("in"):
        pickle.loads(data)["X"].to_pylist()


def test_a_folder_for_pickles_is_of_one_thread(place):
    data, found = foreign_table(LOADS, "a"), []

    def other():
        try:
            found.append(pickle.loads(data)["X"].to_pylist())
        except dv.Error as error:
            found.append(str(error))

    with dv.allow_folder("in"), dv.allow_folder("/proc"):
        with pytest.raises(dv.Error, match="not below the folder that is allowed"):
            pickle.loads(data)["X"].to_pylist()  # the inner grant replaces the outer one
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert REFUSED in found[0]


def test_a_folder_for_pickles_of_this_program(place):
    """The grant widens only pipelines that were loaded, and they keep nothing of it."""
    own = pickle.dumps(dv.Pipeline("loadbytes X:P strict-").fit(rows("a")))
    dv.Pipeline(LOADS).fit(rows("a")).save("m.dvp")
    loaded = pickle.dumps(dv.Pipeline.load("m.dvp"))
    with dv.allow_folder("in"):
        assert read(pickle.loads(own), "secret") == [b"SECRET"]
        assert read(pickle.loads(loaded), "a", "../secret") == [b"A", b""]
    assert refused(pickle.loads(loaded))


TABLES = """
import pickle, sys, libdataview as dv
file = dv.pipe.map("P", table="in/towns.csv")
opened = dv.pipe.map("P", table=dv.open("in/towns.csv"))
kept = dv.pipe.map("P", table=dv.from_numpy({"P": ["a"], "Code": ["z"]}))
sys.stdout.buffer.write(pickle.dumps((file, opened, kept)))
"""


def test_tables_of_another_program(place):
    """A pickle of another program named a file as the table of `map`, whose rows were then in the result."""
    made = subprocess.run([sys.executable, "-c", TABLES], stdout=subprocess.PIPE, check=True)
    file, opened, kept = pickle.loads(made.stdout)
    for pipeline in (file, opened):
        with pytest.raises(dv.ArgumentError, match="not kept"):
            pipeline.fit_apply(rows("a"))
    assert file.allow_folder("in").fit_apply(rows("a"))["P"].to_pylist() == ["x"]
    assert kept.fit_apply(rows("a"))["P"].to_pylist() == ["z"]  # its rows are data in the pickle
    with dv.allow_folder("in"):
        file, opened, kept = pickle.loads(made.stdout)
    assert [p.fit_apply(rows("a"))["P"].to_pylist() for p in (file, kept)] == [["x"], ["z"]]
    with pytest.raises(dv.Error):
        opened.fit_apply(rows("a"))  # it has a name that only the other program knew
    own = pickle.loads(pickle.dumps(dv.pipe.map("P", table="in/towns.csv")))
    assert own.fit_apply(rows("b"))["P"].to_pylist() == ["y"]


def test_a_signature_holds_for_its_tables(place):
    load, (text, tables, allowed, signature) = dv.pipe.map("P", table="in/towns.csv").__reduce__()
    (place / "other.csv").write_text("P,Code\na,other\n")
    _, (_, others, _, _) = dv.pipe.map("P", table="other.csv").__reduce__()
    swapped = load(text, dict(zip(tables, others.values())), allowed, signature)
    with pytest.raises(dv.ArgumentError, match="not kept"):
        swapped.fit_apply(rows("a"))


def test_steps_file_in_a_foreign_transformer(place):
    (place / "steps").write_text("SECRET words")
    state = dv.Pipeline("copy Q:P").transformer().__getstate__()
    state.update(pipeline="@steps", _signature=None)
    found = object.__new__(type(dv.Pipeline("copy Q:P").transformer()))
    with pytest.raises(dv.ArgumentError, match="did not make it"):
        found.__setstate__(state)


def test_names_of_tables_never_collide(place):
    mine = dv.from_numpy({"R": ["a"], "Code": ["mine"]})
    held = _pipeline._with_tables("", {"<table 2>": mine}, None)  # a name that a file chose
    assert list(held.map("R", table=mine)._tables) == ["<table 2>", "<table 1>"]
    assert list(held.map("R", table=mine).map("R", table=mine)._tables)[1:] == ["<table 1>", "<table 3>"]


def test_a_signature_holds_for_one_text(place):
    load, arguments = dv.Pipeline("copy Q:P").__reduce__()
    with pytest.raises(dv.ArgumentError, match=REFUSED):
        load(LOADS, *arguments[1:]).fit(rows("a")).apply(rows("a"))
    load, (text, tables, allowed, signature) = dv.Pipeline(LOADS).__reduce__()
    for other in (None, b"", "x", signature[:-1], bytes(32)):
        with pytest.raises(dv.ArgumentError, match=REFUSED):
            load(text, tables, allowed, other).fit(rows("a")).apply(rows("a"))
    (place / "m.pipe").write_text(LOADS)
    load, (text, tables, _, signature) = dv.Pipeline("@m.pipe", allow_folder="in").__reduce__()
    for other in (None, "/"):  # a grant is not widened
        with pytest.raises(dv.ArgumentError, match=REFUSED):
            load(text, tables, other, signature).fit(rows("a")).apply(rows("a"))


def answer(pipe, made, path):
    fitted = made if hasattr(made, "apply") else made.fit(rows(path))
    pipe.send((read(fitted, path), pickle.dumps(made)))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children(place, method):
    context = multiprocessing.get_context(method)
    fitted = dv.Pipeline(LOADS).fit(rows("a"))
    fitted.save("m.dvp")
    for made in (fitted.pipeline, fitted, dv.Pipeline.load("m.dvp", allow_folder="in")):
        ours, theirs = context.Pipe()
        child = context.Process(target=answer, args=(theirs, made, "a"))
        child.start()
        theirs.close()
        found, back = ours.recv()
        child.join()
        assert found == [b"A"]
        again = pickle.loads(back)  # what a worker gives back
        assert read(again if hasattr(again, "apply") else again.fit(rows("a")), "a") == [b"A"]


def test_data_loader(place):
    torch = pytest.importorskip("torch")
    fitted = dv.Pipeline(LOADS).fit(rows("a"))

    class Set(torch.utils.data.Dataset):
        def __len__(self):
            return 1

        def __getitem__(self, i):
            return pickle.loads(pickle.dumps(fitted)).apply(rows("a"))["X"].to_pylist()[0]

    loader = torch.utils.data.DataLoader(Set(), num_workers=1, multiprocessing_context="fork", batch_size=None)
    assert list(loader) == [b"A"]


class Job:
    """What `_trust` asks of Ray: a job with values that all of its processes see."""

    def __init__(self, name):
        self.name, self.values = name, {}

    def is_initialized(self):
        return True

    def get_runtime_context(self):
        return self

    def get_job_id(self):
        return self.name

    def _internal_kv_put(self, key, value, overwrite):
        if overwrite or key not in self.values:
            self.values[key] = value

    def _internal_kv_get(self, key):
        return self.values.get(key)


def of_ray(monkeypatch, job):
    for name in ("ray", "ray.experimental", "ray.experimental.internal_kv"):
        monkeypatch.setitem(sys.modules, name, job)
    job.__spec__ = job.experimental = job.internal_kv = job


def test_workers_of_ray(place, monkeypatch):
    """They are not children of the driver: all processes of a job share a key.  Each job has its own."""
    job, own = Job("01000000"), multiprocessing.current_process().authkey
    before = pickle.dumps(dv.Pipeline(LOADS))
    of_ray(monkeypatch, job)
    sent = pickle.dumps(dv.Pipeline(LOADS))
    assert read(pickle.loads(before).fit(rows("a")), "a") == [b"A"]
    try:
        multiprocessing.current_process().authkey = os.urandom(32)  # a worker has its own
        assert read(pickle.loads(sent).fit(rows("a")), "a") == [b"A"]
        for stranger in (Job("01000000"), job):
            stranger.name = "02000000" if stranger is job else stranger.name
            of_ray(monkeypatch, stranger)
            with pytest.raises(dv.ArgumentError, match=REFUSED):
                pickle.loads(sent).fit(rows("a")).apply(rows("a"))
    finally:
        multiprocessing.current_process().authkey = own
    assert not _trust.is_own(None, "pipeline")
