# SPDX-License-Identifier: MIT
"""Steps for pictures give what NumPy and Pillow make of the same files (docs/images.md)."""

import base64
import io
import random
import re

import pytest

import libdataview as dv
from libdataview import _pipeline

numpy = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")
from picture_files import drawn, pixels, saved, table as table_of  # noqa: E402

pytestmark = pytest.mark.skipif("image" not in _pipeline.STEPS, reason="the steps for pictures are not built")

SEED = 20261127
FILTERS = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}


@pytest.fixture
def table(tmp_path):
    return lambda files: table_of(tmp_path, files)


@pytest.mark.parametrize("name", FILTERS)
def test_resizing_is_that_of_pillow(table, name):
    rng = random.Random(SEED)
    for _ in range(12):
        images = [drawn(rng, rng.randint(1, 90), rng.randint(1, 90)) for _ in range(4)]
        made = table([saved(image, "PNG") for image in images])
        width, height = rng.randint(1, 90), rng.randint(1, 90)
        got = pixels(made, f"image X:File FOLDER strict+ width={width} height={height} fit=fill filter={name} "
                           "type=U1 layout=interleaved")
        for image, row in zip(images, got):
            # along rows first, as Pillow did up to version 12
            both = image if name == "nearest" else image.resize((width, image.height), FILTERS[name])
            wanted = numpy.asarray(both.resize((width, height), FILTERS[name]))
            assert numpy.array_equal(row.reshape(height, width, 3), wanted), (image.size, width, height)


def test_crops_are_parts_of_what_is_drawn(table):
    rng = random.Random(SEED + 1)
    for _ in range(40):
        image = drawn(rng, rng.randint(1, 120), rng.randint(1, 120))
        width, height = rng.randint(1, 60), rng.randint(1, 60)
        by = max(numpy.float32(width) / numpy.float32(image.width), numpy.float32(height) / numpy.float32(image.height))
        drawn_to = [max(int(numpy.float32(side) * by), least)
                    for side, least in ((image.width, width), (image.height, height))]
        left, top = (drawn_to[0] - width) // 2, (drawn_to[1] - height) // 2
        along = image.resize((drawn_to[0], image.height), Image.BICUBIC).resize(drawn_to, Image.BICUBIC)
        wanted = numpy.asarray(along.crop((left, top, left + width, top + height)))
        got = pixels(table([saved(image, "PNG")]), f"image X:File FOLDER strict+ width={width} height={height} "
                                                   "filter=bicubic type=U1 layout=interleaved")
        assert numpy.array_equal(got.reshape(height, width, 3), wanted), (image.size, width, height)


def test_numbers_are_those_of_numpy(table):
    image = drawn(random.Random(SEED + 2), 31, 17)
    got = pixels(table([saved(image, "PNG")]), "image X:File FOLDER width=31 height=17 offset=3 scale=0.25 "
                                               "mean=[0.5 1 2] std=[0.25 3 7]")
    numbers = numpy.asarray(image).transpose(2, 0, 1).astype(numpy.float32)
    mean, std = (numpy.array(v, numpy.float32).reshape(3, 1, 1) for v in ([0.5, 1, 2], [0.25, 3, 7]))
    wanted = ((numbers - numpy.float32(3)) * numpy.float32(0.25) - mean) / std
    assert got.dtype == numpy.float32 and numpy.array_equal(got.reshape(3, 17, 31), wanted)


def test_missing_pictures_are_nan_or_an_error(table):
    made = table([b"no picture", saved(drawn(random.Random(1), 9, 9), "PNG"), b""])
    got = pixels(made, "image X:File FOLDER width=2 height=2").reshape(3, -1)
    assert numpy.isnan(got[0]).all() and not numpy.isnan(got[1]).any() and numpy.isnan(got[2]).all()
    with pytest.raises(dv.UnsupportedError, match="row 0: neither JPEG nor PNG"):
        pixels(made, "image X:File FOLDER width=2 height=2 strict+")


@pytest.mark.parametrize("step", ["image X:File width=2 height=2", "loadbytes X:File"])
def test_paths_that_all_lead_nowhere_are_an_error(tmp_path, step):
    paths = dv.from_numpy({"File": ["a.png", "b.png"]})
    with pytest.raises(FileNotFoundError, match="each of the first 2 paths leads to no file: .*: a.png; .*folder=") as e:
        dv.Pipeline(f'{step} folder="{tmp_path}"').fit(paths)
    assert isinstance(e.value, dv.FileMissing)
    with pytest.raises(dv.Error, match="not relative to the folder: /a.png; .* at / with folder=/"):
        dv.Pipeline(f'{step} folder="{tmp_path}"').fit({"File": ["/a.png"]})
    made = dv.Pipeline(f'{step} folder="{tmp_path}" strict-').fit_apply(paths)["X"].to_pylist()
    assert len(made) == 2 and all(not x or numpy.isnan(x).all() for x in made)
    with pytest.raises(FileNotFoundError, match="row 0: .*a.png"):
        dv.Pipeline(f'{step} folder="{tmp_path}" strict+').fit_apply(paths)["X"].to_pylist()
    (tmp_path / "b.png").write_bytes(saved(drawn(random.Random(1), 9, 9), "PNG"))
    fitted = dv.Pipeline(f'{step} folder="{tmp_path}"').fit(paths)
    assert (fitted.rows, fitted.passes, fitted.tables) == (2, 1, [])
    fitted.save(tmp_path / "model.dvp")
    again = dv.Pipeline.load(tmp_path / "model.dvp", allow_folder=tmp_path)
    assert again.apply(dv.from_numpy({"File": ["none.png"]})).num_rows == 1
    assert dv.Pipeline("image X:B width=2 height=2").fit({"B": [b"x"]}).passes == 0


def test_few_paths_that_a_filter_leaves_are_not_judged(tmp_path):
    (tmp_path / "b.png").write_bytes(b"x")
    late = numpy.arange(200_000) >= 190_000
    late[5] = True
    rows = dv.from_numpy({"File": ["a.png" if i < 9 else "b.png" for i in range(len(late))], "Late": late.astype("f4")})
    for threads in 1, 3:
        made = dv.Pipeline(f'range Late min=1; loadbytes X:File folder="{tmp_path}"').fit(rows, threads=threads).apply(rows)
        assert made.head(2)["X"].to_pylist() == [b"", b"x"]
    with pytest.raises(FileNotFoundError, match="the only path leads to no file"):
        dv.Pipeline(f'range Late min=1; loadbytes X:File folder="{tmp_path}"').fit(rows.head(1000))


def test_pictures_are_saved_as_pixels_only(table, tmp_path):
    rows, folder = table([saved(drawn(random.Random(1), 9, 9), "PNG")])
    pipeline = dv.Pipeline(f"loadbytes B:File {folder}; decode P:B; resize P width=4 height=3; pixels X:P; "
                           "select X P")
    fitted = pipeline.fit(rows)
    fitted.save(tmp_path / "model.dvp")
    again = _pipeline.Pipeline.load(tmp_path / "model.dvp", allow_folder=tmp_path).apply(rows)
    assert str(again.schema["X"].type) == "V<R4,3,3,4>"
    assert numpy.array_equal(again["X"].to_numpy(), fitted.apply(rows)["X"].to_numpy())
    with pytest.raises(dv.Error, match="no codec has this type"):
        dv.write(again, tmp_path / "pictures.idv")
    assert dv.write(again.select("X"), tmp_path / "pixels.idv") == 1


@pytest.mark.parametrize("text, says", [
    ("image X:File width=3", "height=N"), ("image X:N width=3 height=3", "BY, or their paths"),
    ("image X:File width=3 height=3 mean=[1 2]", "list of 3"), ("image X:File width=3 height=3 std=[1 0 1]", "is 0"),
    ("image X:File width=3 height=3 type=U1 scale=2", "type=R4"), ("decode X:File", "BY"),
    ("image X:File width=65535 height=65535", "2\\^28"), ("resize X:N width=1 height=1", "decode"),
    ("loadbytes B:File strict-; decode P:B; pixels X:P", "resize"),
    ("decode P:File", "put the step loadbytes before"), ("loadbytes X:N", "TX")])
def test_mistakes_are_said(table, text, says):
    with pytest.raises(dv.ArgumentError, match=says):
        dv.Pipeline(text).fit_apply(table([b""])[0])


def test_pictures_are_shown_as_text(table):
    rows, folder = table([saved(drawn(random.Random(SEED), 64, 48), "PNG"), b"no picture"])
    made = dv.Pipeline(f"loadbytes X:File {folder}; decode X").fit_apply(rows)
    assert made["X"].to_pylist() == list(made["X"]) == ["64x48 RGB", None]
    assert "64x48 RGB" in repr(made)
    with pytest.raises(TypeError, match="the step pixels makes numbers of pictures"):
        made["X"].to_numpy()


# --- Notebooks -----------------------------------------------------------------------------------


def thumbnails(html):
    found = re.findall(r'<img src="data:image/png;base64,([^"]+)" title="([^"]*)" alt="[^"]*">', html)
    return [(Image.open(io.BytesIO(base64.b64decode(data))), title) for data, title in found]


@pytest.mark.parametrize("pipeline", ["loadbytes X:File {}", "loadbytes X:File {}; decode X"])
def test_notebooks_show_thumbnails(table, pipeline):
    wide, high = (drawn(random.Random(SEED), *size) for size in ((128, 64), (20, 40)))
    rows, folder = table([saved(wide, "PNG"), b"no picture", saved(high, "PNG")])
    made = dv.Pipeline(pipeline.format(folder)).fit_apply(rows)
    (first, title), (second, _) = thumbnails(made._repr_html_())
    assert first.size == second.size == (64, 64) and (title == "128x64 RGB" or "decode" not in pipeline)
    middle = numpy.asarray(first)[16:48]
    assert (middle[:, :, 3] == 255).all()
    assert numpy.array_equal(middle[:, :, :3], numpy.asarray(wide.resize((64, 32), Image.BILINEAR)))
    if "decode" not in pipeline:  # pictures of three channels have no clear ground
        assert not numpy.asarray(first)[:16].any() and not numpy.asarray(second)[:, :16].any()


def test_notebooks_show_few_thumbnails(table):
    rows, folder = table([saved(drawn(random.Random(SEED), 9, 9), "PNG")] * 12)
    made = dv.Pipeline(f'loadbytes "a b":File {folder}; copy B:"a b"; copy C:B; copy D:B').fit_apply(rows)
    assert len(thumbnails(made._repr_html_())) == 30
    assert "<img" not in repr(made) and not thumbnails(rows._repr_html_())


def test_a_clear_picture_has_a_thumbnail(table):
    rows, folder = table([saved(Image.new("RGBA", (3, 3)), "PNG"), b"no picture"])
    for step in ("", "; decode X alpha+"):
        (picture, _), = thumbnails(dv.Pipeline(f"loadbytes X:File {folder}{step}").fit_apply(rows)._repr_html_())
        assert not numpy.asarray(picture).any()


def test_thumbnails_do_not_fail(table, monkeypatch):
    from libdataview import _thumbnails

    rows, folder = table([saved(drawn(random.Random(SEED), 9, 9), "PNG")])
    made = dv.Pipeline(f"loadbytes X:File {folder}").fit_apply(rows)
    monkeypatch.setattr(_thumbnails, "PIXELS", 80)  # of 81
    assert not thumbnails(made._repr_html_())
    monkeypatch.setattr(_thumbnails, "SIDE", 0)
    assert "<table>" in made._repr_html_()
    monkeypatch.setattr(_pipeline, "STEPS", {})
    assert "<table>" in made._repr_html_()
