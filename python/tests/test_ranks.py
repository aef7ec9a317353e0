# SPDX-License-Identifier: MIT
"""Ranks that stop, or are killed, in the middle of an epoch, and others that go on: each row once, in the order of one
reader.  Blocks that were dealt to ranks go on only with as many ranks."""

import datetime
import importlib.util
import itertools
import json
import multiprocessing
import os
import random
import signal
import time
import traceback

import pytest

import libdataview as dv

np = pytest.importorskip("numpy")

ROWS = 1003
SEED = 5
CASES = {  # what ranks share one by one
    "none": ("raw.idv", {"shuffle": False}),
    "uniform": ("raw.idv", {"shuffle": "uniform"}),
    "deflated": ("deflated.idv", {"shuffle": "uniform", "shard_size": "as_is"}),
    "pool": ("deflated.idv", {"shuffle": "pool", "shard_by": "rows", "pool_rows": 90}),
    "blocks": ("raw.idv", {"shuffle": "blocks", "shard_by": "rows", "shard_size": "as_is"}),
    "text": ("rows.csv", {"shuffle": "pool", "shard_by": "rows", "pool_rows": 90}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    table = dv.from_numpy({"x": np.arange(ROWS) / 2, "i": np.arange(ROWS)})
    table.write(folder / "raw.idv", rows_per_block=32)
    table.write(folder / "deflated.idv", rows_per_block=32, compression="deflate")
    table.write(folder / "rows.csv")
    return folder


def feed_of(folder, path, options, rank=0, ranks=1, batch_rows=32, **others):
    return dv.open(folder / path).feed(["x"], "i", batch_rows=batch_rows, seed=SEED, shard=(rank, ranks), **options,
                                       **others)


def ids(batches):
    return [i for _, labels in batches for i in labels.tolist()]


def in_turn(parts):
    """The rows of ranks that took them one by one, in the order of the epoch."""
    return [part[k] for k in range(max(map(len, parts))) for part in parts if k < len(part)]


def stopped(feeds, batches):
    """The ids of each feed until all stop together, and the state of the last one."""
    loops = [iter(feed) for feed in feeds]
    parts = [ids(batch for _, batch in zip(range(batches), loop)) for loop in loops]
    return parts, json.loads(json.dumps(feeds[-1].state_dict()))


# --- Ranks in one process -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_other_ranks_go_on(folder, name):
    """Any number of ranks, with batches of any size, go on where others stopped: the order is that of one reader."""
    path, options = CASES[name]
    whole = ids(feed_of(folder, path, options))
    assert sorted(whole) == list(range(ROWS)) and (whole == sorted(whole)) == (name == "none")
    rng = random.Random(name)
    for worlds in ([2, 3, 1], [1, 4, 2, 1], [7, 1], [3, 3, 5, 1]):
        found, state = [], None
        for at, ranks in enumerate(worlds, 1):
            rows = rng.randrange(1, 40)
            feeds = [feed_of(folder, path, options, rank, ranks, rows) for rank in range(ranks)]
            for feed in feeds:
                if state is not None:
                    feed.load_state_dict(state)
            parts, state = stopped(feeds, ROWS if at == len(worlds) else rng.randrange(4))
            found += in_turn(parts)
        assert found == whole, worlds


@pytest.mark.parametrize("shuffle", ["pool", "blocks"])
def test_blocks_stay_with_their_ranks(folder, shuffle):
    """A rank that went on with a share of a different number of ranks lost rows and repeated others."""
    options = {"shuffle": shuffle, "shard_size": "as_is"}

    def feeds(ranks, **others):
        return [feed_of(folder, "deflated.idv", {**options, **others}, rank, ranks) for rank in range(ranks)]

    first, state = stopped(feeds(2), 3)
    for ranks in (1, 3, 4):
        with pytest.raises(dv.ArgumentError, match="shard_by=\"rows\"") as caught:
            feeds(ranks)[0].load_state_dict(state)
        assert "2 by blocks" in caught.value.found
    with pytest.raises(dv.ArgumentError, match="finish the epoch"):
        feeds(2, shard_by="rows")[0].load_state_dict(state)
    again = feeds(2)
    for feed in again:
        feed.load_state_dict(state)
    rest, _ = stopped(again, ROWS)
    assert sorted(sum(first + rest, [])) == list(range(ROWS))

    parts, state = stopped(feeds(1), 4)  # one rank has the order of the epoch, which ranks can share by rows
    with pytest.raises(dv.ArgumentError, match="by rows"):
        feeds(3)[0].load_state_dict(state)
    others = feeds(3, shard_by="rows")
    for feed in others:
        feed.load_state_dict(state)
    assert sorted(sum(parts + stopped(others, ROWS)[0], [])) == list(range(ROWS))


@pytest.mark.parametrize("shuffle", ["pool", "blocks"])
def test_blocks_are_dealt_anew_in_each_epoch(folder, shuffle):
    """After its last batch, and before its first, an epoch leaves the next one to any ranks."""
    options = {"shuffle": shuffle, "shard_size": "pad"}
    for batches in (0, ROWS):
        for rows in (1, 32, 37):
            _, state = stopped([feed_of(folder, "raw.idv", options, rank, 2, rows) for rank in range(2)], batches)
            again = [feed_of(folder, "raw.idv", options, rank, 3) for rank in range(3)]
            for feed in again:
                feed.load_state_dict(state)
            if batches and again[0].epoch == 0:  # the last batch was not a short one: nothing is left of its epoch
                assert [ids(feed) for feed in again] == [[], [], []]
            assert {feed.epoch for feed in again} == {int(batches > 0)}
            expected = [feed_of(folder, "raw.idv", options, rank, 3) for rank in range(3)]
            for feed in expected:
                feed.set_epoch(again[0].epoch)
            assert [ids(feed) for feed in again] == [ids(feed) for feed in expected]


def test_names(folder):
    with pytest.raises(ValueError, match="shard_by='files'"):
        feed_of(folder, "raw.idv", {"shard_by": "files"})
    with pytest.raises(dv.ArgumentError, match="uniform"):
        iter(feed_of(folder, "raw.idv", {"shard_by": "blocks", "shuffle": "uniform"}, 0, 2))


# --- A process that is killed -------------------------------------------------------------------------

KILLS = 50


class Log:
    """The ids that a training loop has had, and its state: both as of the same batch, whatever kills it."""

    def __init__(self, folder):
        self.ids, self.state = folder / "ids", folder / "state"
        self.ids.touch()

    def read(self):
        """The state that was saved last, and the ids up to it; what came later is cut off."""
        saved = json.loads(self.state.read_text()) if self.state.exists() else {"state": None, "nbytes": 0}
        os.truncate(self.ids, saved["nbytes"])
        return saved["state"], np.fromfile(self.ids, "i8").tolist()

    def train(self, feed):
        """Epoch after epoch, without end."""
        state, _ = self.read()
        if state is not None:
            feed.load_state_dict(state)
        while True:
            for _, labels in feed:
                with open(self.ids, "ab") as file:
                    file.write(labels.tobytes())
                new = self.state.with_suffix(".new")
                new.write_text(json.dumps({"state": feed.state_dict(), "nbytes": self.ids.stat().st_size}))
                os.replace(new, self.state)


def forked(function, *arguments):
    """The process id of a child that runs a function; what it raises is its exit status 1."""
    child = os.fork()
    if not child:
        try:
            function(*arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    return child


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.parametrize("name", ["uniform", "pool"])
def test_killed_at_random_moments(folder, tmp_path, name):
    """50 times: nothing is lost and nothing comes twice, whatever was filled ahead, with batches of any size."""
    path, options = CASES[name]
    log, rng = Log(tmp_path), random.Random(name)
    for kill in range(KILLS):
        before = log.state.stat().st_mtime_ns if log.state.exists() else 0
        others = {"batch_rows": rng.randrange(1, 80), "prefetch": rng.choice([0, 1, 3])}
        child = forked(lambda others=others: log.train(feed_of(folder, path, options, **others)))
        while kill % 2 and not (log.state.exists() and log.state.stat().st_mtime_ns > before):
            time.sleep(0.0005)  # every other one has at least one batch
        time.sleep(rng.uniform(0, 0.01))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    state, found = log.read()
    again = feed_of(folder, path, options)
    again.load_state_dict(state)
    epochs = again.epoch + 1
    found += ids(again)
    whole = feed_of(folder, path, options)
    assert found == [i for _ in range(epochs) for i in ids(whole)] and len(found) > KILLS


# --- Ranks that are processes -------------------------------------------------------------------------


def saved_in(folder):
    path = folder / "saved"
    return json.loads(path.read_text()) if path.exists() else ({}, {})


def run_rank(folder, rank, ranks, batch_rows, steps, pipe):
    """A step has a batch of each case.  Rank 0 saves the ids of all ranks, and a state, once all have theirs.  A rank
    with a pipe does not finish its last step: it has its batches, and waits to be killed."""
    import torch.distributed as world

    world.init_process_group("gloo", f"file://{folder}/meet-{ranks}", rank=rank, world_size=ranks,
                             timeout=datetime.timedelta(minutes=2))
    found, states = saved_in(folder)
    loaders = {name: dv.torch.Dataset(folder / path, ["x"], ["i"], batch_rows=batch_rows, seed=SEED, **options).loader()
               for name, (path, options) in CASES.items()}
    for name, state in states.items():
        loaders[name].load_state_dict(state)
    loops = {name: iter(loader) for name, loader in loaders.items()}
    for step in range(steps):
        batches = {name: next(loop, None) for name, loop in loops.items()}
        if pipe is not None and step == steps - 1:
            pipe.send("ready")
            signal.pause()
        every = [None] * ranks
        world.all_gather_object(every, {name: batch[1].tolist() for name, batch in batches.items() if batch})
        for name in loops:
            found[name] = found.get(name, []) + in_turn([part.get(name, []) for part in every])
        if rank == 0:
            new = folder / "saved.new"
            new.write_text(json.dumps([found, {name: loader.state_dict() for name, loader in loaders.items()}]))
            os.replace(new, folder / "saved")
        if not any(every):
            break
    world.destroy_process_group()


def start_ranks(folder, ranks, batch_rows, steps, pipes=()):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch.distributed"])  # imported once
    processes = [context.Process(target=run_rank, args=(folder, rank, ranks, batch_rows, steps, pipe), daemon=True)
                 for rank, pipe in itertools.zip_longest(range(ranks), pipes)]
    for process in processes:
        process.start()
    return processes


@pytest.mark.skipif("DV_SANITIZED" in os.environ, reason="torch is not what a sanitizer watches")
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is missing")
def test_ranks_of_torch(folder):
    """Two ranks start, and one is killed between batches; three go on from the saved state; one reads the rest.  The
    ids of all of them are the same as one reader's."""
    mine, its = multiprocessing.Pipe()
    processes = start_ranks(folder, 2, 16, 4, [None, its])
    its.close()
    assert mine.recv() == "ready"
    os.kill(processes[1].pid, signal.SIGKILL)
    processes[1].join()
    processes[0].kill()  # it waits for the other
    processes[0].join()
    assert processes[1].exitcode == -signal.SIGKILL
    rows = 3 * 2 * 16  # of three steps of two ranks
    assert {name: len(part) for name, part in saved_in(folder)[0].items()} == dict.fromkeys(CASES, rows)
    for ranks, batch_rows, steps in ((3, 10, 5), (1, 64, ROWS)):
        processes = start_ranks(folder, ranks, batch_rows, steps)
        for process in processes:
            process.join()
        assert [process.exitcode for process in processes] == [0] * ranks
        rows = min(rows + ranks * batch_rows * steps, ROWS)
        assert {name: len(part) for name, part in saved_in(folder)[0].items()} == dict.fromkeys(CASES, rows)
    for name, (path, options) in CASES.items():
        assert saved_in(folder)[0][name] == ids(feed_of(folder, path, options)), name
