# SPDX-License-Identifier: MIT
"""Datasets for torch: batches, ranks, workers, and what is left after a crash."""

import json
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import time

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader  # noqa: E402

ROWS = 203
pytestmark = [pytest.mark.filterwarnings("ignore:This DataLoader will create"),
              pytest.mark.skipif("DV_SANITIZED" in os.environ, reason="torch is not what a sanitizer watches")]
OPTIONS = {"features": ["f", "x"], "labels": ["y"], "batch_rows": 16, "shuffle": True, "seed": 3}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("torch") / "rows.idv"
    dv.write({"f": np.arange(3 * ROWS, dtype="f4").reshape(ROWS, 3), "y": np.arange(ROWS), "x": np.arange(ROWS) / 2,
              "b": np.arange(ROWS) % 2 == 0}, path, rows_per_block=32)
    return path


def labels(batches):
    return [batch[1].tolist() for batch in batches]


@pytest.fixture(scope="module")
def epochs(path):
    ds = dv.torch.Dataset(path, **OPTIONS)
    return [labels(ds) for _ in range(3)]


def test_batches(path, epochs):
    ds = dv.torch.Dataset(path, **OPTIONS)
    found = list(ds)
    assert len(found) == len(ds) == 13 and found[0][0].shape == (16, 4) and found[-1][0].shape == (11, 4)
    assert found[0][0].dtype == torch.float32 and found[0][1].dtype == torch.int64
    X, y = (torch.cat([batch[k] for batch in found]) for k in (0, 1))
    assert torch.equal(X[:, 0], 3 * y.float()) and torch.equal(X[:, 3], y / 2)
    assert sorted(y.tolist()) == list(range(ROWS)) and epochs[0] != epochs[1]
    assert isinstance(ds, torch.utils.data.IterableDataset) and "shuffle uniform" in repr(ds)
    first = found[0][0].clone()
    found[1][0].zero_()  # nobody's batch is overwritten
    assert torch.equal(found[0][0], first)
    assert labels(dv.torch.Dataset(dv.open(path), **OPTIONS)) == epochs[0]


def test_formats(path):
    batch = next(iter(dv.torch.Dataset(path, **OPTIONS, format="dict")))
    assert sorted(batch) == ["epoch", "features", "ids", "labels", "number"] and batch["number"] == 0
    assert np.frombuffer(batch["ids"], "u8")[::2].tolist() == batch["labels"].tolist()
    assert next(iter(dv.torch.Dataset(path, features=["x"], batch_rows=4))).shape == (4, 1)
    ds = dv.torch.Dataset(path, **OPTIONS, transform=lambda batch: (batch[0] * 2, batch[1]))
    X, y = next(iter(ds))
    assert torch.equal(X[:, 3], y.float())
    ds = dv.torch.Dataset(path, features=["x"], labels=["b"], batch_rows=4, label_dtype=torch.float32)
    assert next(iter(ds))[1].tolist() == [1.0, 0.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="format="):
        dv.torch.Dataset(path, format="list")


def test_loaders(path, epochs):
    for workers in (0, 1, 2, 3):
        loader = dv.torch.Dataset(path, **OPTIONS).loader(workers=workers)
        assert [labels(loader) for _ in range(2)] == epochs[:2] and len(loader) == 13
    for workers in (0, 2):  # torch's own
        ds = dv.torch.Dataset(path, **OPTIONS)
        plain = DataLoader(ds, batch_size=None, num_workers=workers)
        for epoch in range(2):
            ds.set_epoch(epoch)
            assert labels(plain) == epochs[epoch]
    persistent = DataLoader(ds, batch_size=None, num_workers=2, persistent_workers=True)
    for epoch in (0, 2, 1):
        ds.set_epoch(epoch)
        assert labels(persistent) == epochs[epoch]
    with pytest.raises(TypeError, match="batch_size=None"):
        next(iter(DataLoader(dv.torch.Dataset(path, **OPTIONS))))
    with pytest.raises(TypeError, match="batch_size=None"):
        next(iter(DataLoader(dv.torch.Dataset(path, **OPTIONS), batch_size=4, num_workers=1)))
    with pytest.raises(TypeError, match="Rows"):
        ds[0]


def test_spawned_workers(path, epochs):
    loader = dv.torch.Dataset(path, **OPTIONS).loader(workers=2, multiprocessing_context="spawn")
    assert labels(loader) == epochs[0]
    again = pickle.loads(pickle.dumps(loader.dataset))
    assert labels(again) == epochs[1]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_state(path, epochs, workers):
    for stop in (0, 1, 5, 12, 13):
        loader = dv.torch.Dataset(path, **OPTIONS).loader(workers=workers)
        loop = iter(loader)
        for _ in range(stop):
            next(loop)
        state = json.dumps(loader.state_dict())
        assert len(state) < 300
        for others in (0, 3):
            again = dv.torch.Dataset(path, **{**OPTIONS, "features": ["x"]}).loader(workers=others)
            again.load_state_dict(json.loads(state))
            rest = [labels(again) for _ in range(2)]
            expected = [epochs[0][stop:], epochs[1]] if stop < 13 else epochs[1:3]
            assert rest == expected, (stop, workers, others)


def test_state_of_a_dataset(path, epochs):
    ds = dv.torch.Dataset(path, **OPTIONS)
    assert labels(ds) == epochs[0]
    loop = iter(ds)
    assert [next(loop)[1].tolist() for _ in range(4)] == epochs[1][:4]
    again = dv.torch.Dataset(path, **OPTIONS)
    again.load_state_dict(ds.state_dict())
    assert again.epoch == 1 and labels(again) == epochs[1][4:]
    other = dv.torch.Dataset(path, **{**OPTIONS, "seed": 4})
    with pytest.raises(dv.ArgumentError, match="expected 4, found 3"):
        other.load_state_dict(ds.state_dict())


@pytest.mark.parametrize("workers", [0, 2, 3])
def test_stateful_data_loader(path, epochs, workers):
    stateful = pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader
    for stop in (0, 1, 6, 12):
        ds = dv.torch.Dataset(path, **OPTIONS)
        loader = stateful(ds, batch_size=None, num_workers=workers)
        loop = iter(loader)
        assert [next(loop)[1].tolist() for _ in range(stop)] == epochs[0][:stop]
        state = loader.state_dict()
        again = stateful(dv.torch.Dataset(path, **OPTIONS), batch_size=None, num_workers=workers)
        again.load_state_dict(state)
        assert labels(again) == epochs[0][stop:], (stop, workers)


def test_ranks(path, monkeypatch):
    """Each row once but for the padding, all ranks the same number of batches, whatever the workers."""
    for workers in (0, 2):
        found = []
        for rank in range(2):
            monkeypatch.setenv("RANK", str(rank))
            monkeypatch.setenv("WORLD_SIZE", "2")
            loader = dv.torch.Dataset(path, **OPTIONS).loader(workers=workers)
            assert f"rank {rank} of 2" in repr(loader.dataset)
            found.append(labels(loader))
            given = dv.torch.Dataset(path, **OPTIONS, shard=(rank, 2))
            assert labels(given) == found[-1]
        assert len(found[0]) == len(found[1]) == len(loader)
        rows = sum(found[0] + found[1], [])
        assert set(rows) == set(range(ROWS)) and len(rows) == ROWS + 1


def test_distributed(path, tmp_path):
    torch.distributed.init_process_group("gloo", f"file://{tmp_path}/meet", rank=0, world_size=1)
    try:
        assert "rank 0 of 1" in repr(dv.torch.Dataset(path, **OPTIONS))
    finally:
        torch.distributed.destroy_process_group()


def test_rows(path):
    rows = dv.torch.Rows(path, ["y", "x"])
    assert len(rows) == ROWS and rows[5] == {"y": 5, "x": 2.5} == rows[5 - ROWS]
    assert [row["y"] for row in rows.__getitems__([7, 3, 7])] == [7, 3, 7]
    with pytest.raises(IndexError):
        rows[ROWS]
    doubled = dv.torch.Rows(path, ["y"], transform=lambda row: 2 * row["y"])
    for workers in (0, 2):
        batches = list(DataLoader(doubled, batch_size=50, shuffle=True, num_workers=workers))
        assert sorted(torch.cat(batches).tolist()) == list(range(0, 2 * ROWS, 2))


def test_pinned_memory(path):
    if not torch.cuda.is_available():
        pytest.skip("no GPU: memory cannot be pinned")
    assert next(iter(dv.torch.Dataset(path, **OPTIONS, pin_memory=True)))[0].is_pinned()


# --- Crashes -----------------------------------------------------------------------------------------

LOOP = """
import json, os, sys, time
import libdataview as dv
path, log, workers, epochs = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ds = dv.torch.Dataset(path, features=["f"], labels=["y"], batch_rows=16, shuffle=True, seed=3)
loader = ds.loader(workers=workers)
if os.path.exists(log):
    lines = open(log).read().split("\\n")[:-1]  # the last may be cut
    if lines:
        loader.load_state_dict(json.loads(lines[-1])["state"])
        with open(log + ".new", "w") as file:
            file.write("".join(line + "\\n" for line in lines))
        os.replace(log + ".new", log)
with open(log, "a") as file:
    for epoch in range(ds.epoch, epochs):
        for _, labels in loader:
            file.write(json.dumps({"labels": labels.tolist(), "state": loader.state_dict()}) + "\\n")
            file.flush()
            time.sleep(0.005)  # so that the test sees each line
print("done")
"""


def test_killed(path, tmp_path):
    """Killed at any time, and gone on with another number of workers: the batches of a run that nobody
    killed."""
    kills = int(os.environ.get("DV_KILLS", 2))
    epochs = kills  # of 13 batches: more than all killed runs do
    log, rng = tmp_path / "log", random.Random(kills)
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(dv.__file__).absolute().parents[1])}
    killed, runs = 0, 0
    while True:
        runs += 1
        run = subprocess.Popen([sys.executable, "-W", "ignore", "-c", LOOP, str(path), str(log),
                                str(rng.choice([0, 0, 2])), str(epochs)], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
        wanted = rng.randrange(1, 10) if killed < kills else None
        before = log.read_text().count("\n") if log.exists() else 0
        while wanted and run.poll() is None:
            if log.exists() and log.read_text().count("\n") >= before + wanted:
                os.killpg(run.pid, signal.SIGKILL)
                killed += 1
                break
            time.sleep(0.002)
        out, err = run.communicate(timeout=120)
        if run.returncode == 0:
            break
        assert run.returncode == -signal.SIGKILL, err.decode()
        assert runs < 10 * kills + 10
    lines = [json.loads(line)["labels"] for line in log.read_text().splitlines()]
    whole = dv.torch.Dataset(path, **{**OPTIONS, "features": ["f"]})
    assert lines == [batch for _ in range(epochs) for batch in labels(whole)] and killed == kills


@pytest.mark.parametrize("ending", ["idv", "csv"] if "DV_KILLS" in os.environ else ["idv"])
def test_example(ending, tmp_path):
    """examples/train_mlp.py, killed and started again, ends with the weights of a run that was not."""
    table = dv.from_numpy({"f": np.random.default_rng(1).standard_normal(4000), "g": np.arange(4000) % 7,
                           "Label": np.arange(4000) % 5})
    table.write(tmp_path / f"rows.{ending}")
    script = pathlib.Path(__file__).resolve().parents[2] / "examples/train_mlp.py"
    command = [sys.executable, str(script), str(tmp_path / f"rows.{ending}"), "--labels", "Label"]
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(dv.__file__).absolute().parents[1])}

    def run(state):
        return subprocess.run([*command, "--state", str(state)], env=environment, check=True, capture_output=True,
                              text=True).stdout.split()[-1]

    whole = run(tmp_path / "whole.pt")
    killed = subprocess.Popen([*command, "--state", str(tmp_path / "state.pt"), "--epochs", "1000"], env=environment,
                              stdout=subprocess.DEVNULL)
    while not (tmp_path / "state.pt").exists():
        assert killed.poll() is None
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    assert torch.load(tmp_path / "state.pt")[2]["token"].split("-")[1] in "012"
    assert run(tmp_path / "state.pt") == whole


def one_column(batches):
    return [int(v) for X in batches for v in X[:, 0]]


def test_workers_that_are_kept(path, epochs):
    """The batches and the epochs of a loader without workers, by the same processes, also after a loop that ended
    early and from a state."""
    loader = dv.torch.Dataset(path, **OPTIONS).loader(workers=2, persistent_workers=True)
    assert [labels(loader) for _ in range(3)] == epochs
    pids = dv.torch.Dataset(path, features=["x"], transform=lambda batch: os.getpid()).loader(
        workers=2, persistent_workers=True)
    assert set(pids) == set(pids)
    loader = dv.torch.Dataset(path, **OPTIONS).loader(workers=2, persistent_workers=True)
    for number, batch in enumerate(loader):
        if number == 4:
            state = loader.state_dict()
            break
    assert labels(loader) == epochs[1]
    loader.load_state_dict(state)
    assert labels(loader) == epochs[0][5:] and labels(loader) == epochs[1]


@pytest.mark.parametrize("epoch", [None, 0, 3])
def test_an_epoch_that_repeats_is_told(path, epoch, capfd, monkeypatch):
    """Loops of a plain DataLoader begin where set_epoch says: the second one has the same order."""
    monkeypatch.setattr("warnings.warn", lambda message, *args, **options: os.write(2, message.encode()))
    ds = dv.torch.Dataset(path, **OPTIONS)
    loader = DataLoader(ds, batch_size=None, num_workers=2)
    if epoch is not None:
        ds.set_epoch(epoch)
        assert labels(loader) and "set_epoch" not in capfd.readouterr().err
    list(loader)
    assert "set_epoch" in capfd.readouterr().err
    ds.set_epoch(5)
    list(loader)
    assert "set_epoch" not in capfd.readouterr().err


@pytest.mark.parametrize("shuffle", ["pool", "blocks"])
@pytest.mark.parametrize("blocks, ranks", [(1, 3), (2, 3), (7, 4), (24, 3), (25, 3)])
def test_ranks_of_a_file_with_few_blocks(tmp_path, shuffle, blocks, ranks):
    """Ranks are not padded with a block of others where that is a large part of the rows."""
    rows = 100 * blocks
    dv.write({"i": np.arange(rows)}, tmp_path / "b.idv", rows_per_block=100, compression="deflate")
    found = [one_column(dv.torch.Dataset(tmp_path / "b.idv", features=["i"], shuffle=shuffle, shard=(rank, ranks)))
             for rank in range(ranks)]
    assert set(sum(found, [])) == set(range(rows)) and len({len(part) for part in found}) == 1
    assert sum(map(len, found)) <= 1.125 * rows + ranks


def test_a_loader_of_accelerate(path, monkeypatch):
    """Accelerate's loaders divide the batches of one reader: shard="auto" leaves them all rows, and the shares of
    a rank are warned about.  The loop is in a module of the name of theirs."""
    theirs = {"__name__": "accelerate.data_loader"}
    exec("def read(ds):\n    return [batch[1].tolist() for batch in ds]\n", theirs)
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    ds = dv.torch.Dataset(path, **OPTIONS)
    assert sorted(sum(theirs["read"](ds), [])) == list(range(ROWS))
    assert sorted(sum(labels(dv.torch.Dataset(path, **OPTIONS)), [])) != list(range(ROWS))  # its own half
    with pytest.warns(dv.DataWarning, match="Accelerate divides"):
        theirs["read"](dv.torch.Dataset(path, shard=(0, 2), **OPTIONS))
    for context in ("fork", "spawn"):
        loader = DataLoader(dv.torch.Dataset(path, **OPTIONS), batch_size=None, num_workers=2,
                            multiprocessing_context=context)
        assert sorted(sum(theirs["read"](loader), [])) == list(range(ROWS)), context


def test_accelerate(path, monkeypatch):
    """Accelerate itself behaves as the simulation above does."""
    loaders = pytest.importorskip("accelerate.data_loader")
    assert loaders.DataLoaderDispatcher.__iter__.__globals__["__name__"] == "accelerate.data_loader"
    assert loaders.IterableDatasetShard.__iter__.__globals__["__name__"] == "accelerate.data_loader"
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    shares = [loaders.IterableDatasetShard(dv.torch.Dataset(path, **OPTIONS), batch_size=1, num_processes=2,
                                           process_index=rank) for rank in (0, 1)]
    assert set(range(ROWS)) == {row for share in shares for batch in share for row in batch[1].tolist()}


def test_accelerate_cannot_skip_batches_of_a_loader(path, monkeypatch):
    """Its own loader would give each rank all rows."""
    loaders = pytest.importorskip("accelerate.data_loader")
    loader = dv.torch.Dataset(path, **OPTIONS).loader()
    assert not hasattr(loader, "drop_last")
    with pytest.raises(AttributeError, match=r"loader\.skip\(batches\).*ignore_data_skip"):
        loaders.skip_first_batches(loader, 3)
    rest = [batch[1].tolist() for batch in dv.torch.Dataset(path, **OPTIONS).loader()][3:]
    loader.skip(3)
    assert [batch[1].tolist() for batch in loader] == rest
