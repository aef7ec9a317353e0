#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_pictures.py: makes tests/golden/image: small pictures, and what they must become.

    make_pictures.py FOLDER

NAME.jpg, NAME.png: the pictures.  NAME.WxH.raw: their pixels, red, green and blue, as djpeg and Pillow 12 decode them
(16 bits: the upper 8).  NAME.FILTER.WxH.raw: those of Pillow's resize().  Needs numpy, Pillow, djpeg and jpegtran.
"""
import io
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
from PIL import Image, ImageOps

WIDTH, HEIGHT = 33, 21
FILTERS = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}
SIZES = [(8, 5), (50, 40), (33, 10), (12, 21)]
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def picture(channels=3):
    """Slopes, an edge and some noise."""
    noise = numpy.random.default_rng(7).integers(-20, 21, (HEIGHT, WIDTH, channels))
    y, x = numpy.mgrid[:HEIGHT, :WIDTH]
    slopes = [x * 7, y * 11, 255 - x * 3 - y * 5, x * y // 2]
    plain = numpy.stack(slopes[:channels], axis=2) + 60 * (x > y)[:, :, None]
    return numpy.clip(plain + noise, 0, 255).astype(numpy.uint8)


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(pixels, color, interlaced=False):
    """A PNG of 8 or 16 bits, as Pillow does not write it."""
    depth = pixels.dtype.itemsize * 8
    pixels = pixels.astype(pixels.dtype.newbyteorder(">"))
    parts = [pixels[y::dy, x::dx] for x, y, dx, dy in ADAM7] if interlaced else [pixels]
    rows = b"".join(b"\0" + row.tobytes() for part in parts if part.size for row in part)
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], depth, color, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def turned(orientation):
    exif = Image.Exif()
    exif[0x112] = orientation
    return saved(Image.fromarray(picture()), "JPEG", quality=90, exif=exif)


def scanned(jpeg):
    """The same, a scan for each component."""
    with tempfile.NamedTemporaryFile("w") as script:
        script.write("0;1;2;")
        script.flush()
        return subprocess.run(["jpegtran", "-scans", script.name], input=jpeg, capture_output=True, check=True).stdout


def pictures():
    """Name with ending, bytes, and the pixels if Pillow does not say them."""
    image, gray = Image.fromarray(picture()), Image.fromarray(picture(1)[:, :, 0])
    for name, sampling in [("444", 0), ("422", 1), ("420", 2)]:
        yield f"j{name}.jpg", saved(image, "JPEG", quality=85, subsampling=sampling), None
    yield "jprogressive.jpg", saved(image, "JPEG", quality=85, progressive=True), None
    yield "jscans.jpg", scanned(saved(image, "JPEG", quality=85)), None
    yield "jgray.jpg", saved(gray, "JPEG", quality=85), None
    yield "jcmyk.jpg", saved(Image.fromarray(picture(4), "CMYK"), "JPEG", quality=95), None
    for orientation in range(1, 9):
        yield f"jturned{orientation}.jpg", turned(orientation), None
    yield "pcolor.png", saved(image, "PNG"), None
    yield "pgray.png", saved(gray, "PNG"), None
    yield "palpha.png", saved(Image.fromarray(picture(4)), "PNG"), None
    yield "ppalette.png", saved(image.quantize(20), "PNG"), None
    yield "ppalette3.png", saved(image.quantize(6), "PNG", bits=4), None
    yield "pbits.png", saved(gray.convert("1"), "PNG"), None
    yield "pinterlaced.png", png(picture(), 2, interlaced=True), None
    wide = picture().astype(numpy.uint16) * 256 + picture()[::-1]
    yield "pcolor16.png", png(wide, 2), picture()
    yield "pgray16.png", png(wide[:, :, :1], 0, interlaced=True), numpy.repeat(picture()[:, :, :1], 3, axis=2)
    yield "palpha16.png", png(picture(4).astype(numpy.uint16) * 257, 6), picture(4)[:, :, :3]


def decoded(name, data):
    if name.endswith(".jpg") and "cmyk" not in name and "turned" not in name:
        data = subprocess.run(["djpeg", "-rgb", "-pnm"], input=data, capture_output=True, check=True).stdout
    return numpy.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))


def write(path, pixels):
    height, width = pixels.shape[:2]
    pathlib.Path(f"{path}.{width}x{height}.raw").write_bytes(numpy.ascontiguousarray(pixels).tobytes())


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, data, pixels in pictures():
        (folder / name).write_bytes(data)
        write(folder / name, decoded(name, data) if pixels is None else pixels)
    image = Image.open(folder / "pcolor.png")
    for filter_name, method in FILTERS.items():
        for size in SIZES:
            write(folder / f"pcolor.png.{filter_name}", numpy.asarray(image.resize(size, method)))


if __name__ == "__main__":
    main()
