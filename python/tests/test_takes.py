# SPDX-License-Identifier: MIT
"""Blocks that a table keeps from one take to the next: every way to take rows finds them, and a forked child decodes its own."""

import os

import pytest

np = pytest.importorskip("numpy")
import libdataview as dv  # noqa: E402

ROWS = [930, 4, 555, 4]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.idv"
    x = np.arange(1000, dtype="f4")
    dv.write({"x": x, "y": x * 2}, path, compression="deflate", rows_per_block=100, sync=False)
    return path


def damage(path):
    """Overwrite the blocks in place: a block that is decoded again shows it, one that was kept does not."""
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.seek(256)
        file.write(b"\xff" * (size // 2 - 256))


def take(table):
    return table[ROWS].to_pylist()


def take_rows(table):
    torch = pytest.importorskip("torch")
    return [{name: value.item() if isinstance(value, torch.Tensor) else value for name, value in row.items()}
            for row in dv.torch.Rows(table).__getitems__(ROWS)]


def take_slice(table):
    return [row for i in ROWS for row in table[2:][[i - 2]].to_pylist()]


def take_mask(table):
    mask = np.zeros(1000, bool)
    mask[ROWS] = True
    return table[mask].to_pylist()


@pytest.mark.parametrize("way", [take, take_rows, take_slice, take_mask])
def test_takes_find_kept_blocks(path, way):
    table, plain = dv.open(path, io="mmap"), dv.open(path, io="mmap", block_cache_nbytes=0)
    expected = way(plain)
    assert sorted({row["x"] for row in expected}) == sorted(set(ROWS)) and way(table) == expected
    damage(path)
    assert way(table) == expected
    with pytest.raises(dv.CorruptError):
        way(plain)


def test_a_budget_is_at_least_0(path):
    with pytest.raises(dv.ArgumentError, match="block_cache_nbytes"):
        dv.open(path, block_cache_nbytes=-1)


def test_forked_children_decode_their_own(path):
    table = dv.open(path)
    expected = take(table)
    for _ in range(3):
        child = os.fork()
        if child == 0:
            os._exit(0 if take(table) == expected and take(table) == expected else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert take(table) == expected
