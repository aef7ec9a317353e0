# SPDX-License-Identifier: MIT
"""JPEG and PNG files of every kind become the pixels that their formats say, and those of Pillow and djpeg
(docs/images.md)."""

import io
import itertools
import random
import shutil
import struct
import subprocess
import zlib

import pytest

from libdataview import _pipeline

numpy = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")
ImageOps = pytest.importorskip("PIL.ImageOps")
from picture_files import KINDS, CHANNELS, chunk, drawn, pixels, png, rgba, saved, table  # noqa: E402

pytestmark = pytest.mark.skipif("image" not in _pipeline.STEPS, reason="the steps for pictures are not built")

SEED = 20261127
SIZES = [(1, 1), (1, 33), (33, 1), (8, 8), (7, 5), (9, 17)]


def decoded(folder, files, size, options="", channels=3):
    """The files, all of one size, as they are."""
    order = {3: "rgb", 4: "rgba"}[channels]
    got = pixels(table(folder, files), f"image X:File FOLDER strict+ width={size[0]} height={size[1]} exact+ type=U1 "
                                       f"layout=interleaved order={order} {options}")
    return got.reshape(len(files), size[1], size[0], channels)


def opened(file):
    return Image.open(io.BytesIO(file))


# --- PNG -----------------------------------------------------------------------------------------

PASSED_OVER = [(b"gAMA", struct.pack(">I", 10000)), (b"cHRM", struct.pack(">8I", *range(1, 9))), (b"sRGB", b"\0"),
               (b"iCCP", b"x\0\0" + zlib.compress(b"no profile")), (b"tEXt", b"a\0b"), (b"zTXt", b"no text"),
               (b"pHYs", struct.pack(">IIB", 1, 2, 1)), (b"tIME", b"late"), (b"eXIf", b"MM\0*\0\0"), (b"abCd", b"any")]


def made_png(rng, color, depth, size, interlaced, has_table):
    """A file, its pixels, and whether Pillow has them too."""
    noise = numpy.random.default_rng(rng.randrange(1 << 32))
    samples = noise.integers(0, 1 << depth, (size[1], size[0], CHANNELS[color]))
    chunks, palette, clear = rng.sample(PASSED_OVER, 3), None, None
    if color == 3:
        palette = noise.integers(0, 256, (1 << depth, 3))
        chunks.append((b"PLTE", palette.astype(numpy.uint8).tobytes()))
    if has_table and color == 3:
        clear = noise.integers(0, 256, rng.randint(1, 1 << depth))
        chunks.append((b"tRNS", clear.astype(numpy.uint8).tobytes()))
    elif has_table:
        clear = samples[0, 0]
        chunks.append((b"tRNS", clear.astype(">u2").tobytes()))
    file = png(samples, color, depth, rng, interlaced, chunks)
    # of gray Pillow keeps 16 bits, and compares 2 and 4 bits of tRNS with what they were scaled to
    is_of_pillow = depth in (1, 8) or not has_table and (color, depth) != (0, 16) or color == 3
    return file, rgba(samples, color, depth, palette, clear), is_of_pillow


@pytest.mark.parametrize("color, depth", KINDS)
def test_png_of_every_kind(tmp_path, color, depth):
    rng = random.Random(f"{SEED} {color} {depth}")
    for size, has_table in itertools.product(SIZES, (False, True) if color in (0, 2, 3) else (False,)):
        made = [made_png(rng, color, depth, size, interlaced, has_table) for interlaced in (False, True)]
        files = [file for file, _, _ in made]
        for channels in (3, 4):
            got = decoded(tmp_path, files, size, channels=channels)
            for row, (file, wanted, is_of_pillow) in zip(got, made):
                assert numpy.array_equal(row, wanted[:, :, :channels]), (size, has_table, channels)
                if is_of_pillow:
                    assert numpy.array_equal(wanted, numpy.asarray(opened(file).convert("RGBA")))


def with_head(**fields):
    """A sound PNG but for its head."""
    file = png(numpy.zeros((5, 7, 3), numpy.int64), 2, 8, random.Random(SEED))
    values = dict(zip(("width", "height", "depth", "color", "method", "filters", "interlaced"),
                      struct.unpack(">IIBBBBB", file[16:29])))
    return file[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", *{**values, **fields}.values())) + file[33:]


SOUND = with_head()
DAMAGED = {
    "a high bit of the signature lost": b"\x09" + SOUND[1:],
    "line ends of the signature": SOUND.replace(b"\r\n", b"\n"),
    "no signature": SOUND[8:],
    "depth 0": with_head(depth=0),
    "depth 3": with_head(depth=3),
    "depth 99": with_head(depth=99),
    "depth 1 of colours": with_head(depth=1),
    "colour type 1": with_head(color=1),
    "colour type 9": with_head(color=9),
    "no palette": with_head(color=3),
    "method": with_head(method=1),
    "filters": with_head(filters=1),
    "interlaced in another way": with_head(interlaced=2),
    "no width": with_head(width=0),
    "no height": with_head(height=0),
    "more rows": with_head(height=6),
    "checksum of the head": SOUND[:29] + b"0000" + SOUND[33:],
    "checksum of pixels": SOUND[:-16] + b"0000" + SOUND[-12:],
    "no pixels": SOUND[:33] + SOUND[-12:],
    "two heads": SOUND[:33] + SOUND[8:33] + SOUND[33:],
    "pixels that are no zlib": SOUND[:33] + chunk(b"IDAT", b"12345678"),
    "no such filter": SOUND[:33] + chunk(b"IDAT", zlib.compress(b"\5" * 110)) + SOUND[-12:],
    "a chunk before the head": SOUND[:8] + chunk(b"tEXt", b"a\0b") + SOUND[8:],
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_png_is_missing(tmp_path, what):
    got = pixels(table(tmp_path, [DAMAGED[what], SOUND]), "image X:File FOLDER width=7 height=5").reshape(2, -1)
    assert numpy.isnan(got[0]).all() and (got[1] == 0).all()


# --- JPEG ----------------------------------------------------------------------------------------

needs_cjpeg = pytest.mark.skipif(not (shutil.which("cjpeg") and shutil.which("djpeg")), reason="no cjpeg, djpeg")


def of_djpeg(file):
    made = subprocess.run(["djpeg", "-rgb", "-pnm"], input=file, capture_output=True, check=True).stdout
    return numpy.asarray(opened(made))


def check_jpeg(folder, files, size):
    for row, file in zip(decoded(folder, files, size), files):
        assert numpy.array_equal(row, numpy.asarray(opened(file).convert("RGB"))), size
        if shutil.which("djpeg") and opened(file).mode in ("L", "RGB"):
            assert numpy.array_equal(row, of_djpeg(file)), size


OPTIONS = [{}, {"progressive": True}, {"optimize": True}, {"restart_marker_blocks": 1}, {"restart_marker_rows": 1},
           {"progressive": True, "restart_marker_blocks": 2}]


@pytest.mark.parametrize("sampling", ["4:4:4", "4:2:2", "4:2:0", "gray", "RGB"])
def test_jpeg_is_that_of_pillow_and_djpeg(tmp_path, sampling):
    rng = random.Random(f"{SEED} {sampling}")
    how = {"gray": {}, "RGB": {"keep_rgb": True}}.get(sampling, {"subsampling": sampling})
    for size in [*SIZES, (33, 21), (64, 48)]:
        image = drawn(rng, *size).convert("L" if sampling == "gray" else "RGB")
        quality = rng.choice((20, 75, 97))
        check_jpeg(tmp_path, [saved(image, "JPEG", quality=quality, **how, **more) for more in OPTIONS], size)


@needs_cjpeg
@pytest.mark.parametrize("sampling", ["1x2", "4x1", "1x4", "2x2,2x1,2x1", "2x2,1x2,1x2"])
def test_jpeg_of_rare_samplings(tmp_path, sampling):
    rng = random.Random(f"{SEED} {sampling}")
    for size in [*SIZES, (33, 21)]:
        image = saved(drawn(rng, *size), "PPM")
        files = [subprocess.run(["cjpeg", "-sample", sampling, *more], input=image, capture_output=True,
                                check=True).stdout for more in ([], ["-progressive"], ["-restart", "1"])]
        check_jpeg(tmp_path, files, size)


def mixed(file):
    """Inks as Adobe stores them, 255 without any, to red, green and blue."""
    inks = 255 - numpy.asarray(opened(file)).astype(int)  # Pillow turns them
    return (inks[:, :, :3] * inks[:, :, 3:] * 2 + 255) // 510


@pytest.mark.parametrize("is_ycck", [False, True])
def test_jpeg_of_inks(tmp_path, is_ycck):
    rng = random.Random(SEED)
    for size in [(7, 5), (33, 21)]:
        noise = numpy.random.default_rng(rng.randrange(1 << 32)).integers(0, 256, (size[1], size[0], 4))
        file = saved(Image.fromarray(noise.astype(numpy.uint8), "CMYK"), "JPEG", quality=95)
        at = file.index(b"Adobe") + 11  # the transform: 0 of CMYK, 2 of YCCK
        assert file[at] == 0
        file = file[:at] + bytes([2 if is_ycck else 0]) + file[at + 1:]
        assert numpy.array_equal(decoded(tmp_path, [file], size)[0], mixed(file))


def test_jpeg_is_turned_as_exif_says(tmp_path):
    for size, orientation in itertools.product([(7, 5), (33, 21)], range(1, 9)):
        exif = Image.Exif()
        exif[0x112] = orientation
        file = saved(drawn(random.Random(SEED), *size), "JPEG", exif=exif)
        turned = ImageOps.exif_transpose(opened(file))
        assert numpy.array_equal(decoded(tmp_path, [file], turned.size, "orient+")[0], numpy.asarray(turned))
        assert numpy.array_equal(decoded(tmp_path, [file], size)[0], numpy.asarray(opened(file)))


@pytest.mark.parametrize("more", OPTIONS)
def test_damaged_jpeg_is_missing(tmp_path, more):
    file = saved(drawn(random.Random(SEED), 33, 21), "JPEG", **more)
    scan = file.index(b"\xff\xda")
    damaged = [file[:-2], file[:len(file) * 3 // 4], file[:scan], file[:scan + 9], file[:4], b"\xff" + file,
               file[:2] + b"\0" + file[2:], file[:scan] + b"\xff\xd9",
               file[:scan] + file[scan:].replace(b"\0", b"\xff"),
               file.replace(b"\xff\xdb", b"\xff\xfe")]
    got = pixels(table(tmp_path, [*damaged, file]), "image X:File FOLDER width=33 height=21")
    assert [numpy.isnan(row).all() for row in got.reshape(len(damaged) + 1, -1)] == [True] * len(damaged) + [False]
