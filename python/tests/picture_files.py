# SPDX-License-Identifier: MIT
"""Files of pictures for tests: tables of them, and PNG files of every kind."""

import io
import struct
import zlib

import numpy
from PIL import Image

import libdataview as dv

ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of the colour types of PNG
KINDS = [(color, depth) for color, depths in [(0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)),
                                              (6, (8, 16))] for depth in depths]


def drawn(rng, width, height):
    """Noise over slopes, of three channels."""
    y, x = numpy.mgrid[:height, :width]
    slopes = numpy.stack([x * rng.randint(1, 9), y * rng.randint(1, 9), x + y], axis=2)
    noise = numpy.random.default_rng(rng.randrange(1 << 32)).integers(-60, 61, slopes.shape)
    return Image.fromarray(numpy.clip(slopes + noise, 0, 255).astype(numpy.uint8))


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def table(folder, files):
    """A table with their paths, and the option that says where they lie."""
    for i, file in enumerate(files):
        (folder / f"{i}.bin").write_bytes(file)
    (folder / "list.csv").write_text("File,N\n" + "".join(f"{i}.bin,{i}\n" for i in range(len(files))))
    return dv.open(folder / "list.csv"), f'folder="{folder}"'


def pixels(made, text):
    rows, folder = made
    return dv.Pipeline(text.replace("FOLDER", folder)).fit_apply(rows)["X"].to_numpy()


# --- PNG -----------------------------------------------------------------------------------------


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def filtered(rows, step, rng):
    """Rows of bytes, each with a filter by lot; `step` bytes are a pixel."""
    made, above = [], numpy.zeros(rows.shape[1], numpy.int32)
    for row in rows.astype(numpy.int32):
        left = numpy.concatenate([numpy.zeros(step, numpy.int32), row])[:len(row)]
        corner = numpy.concatenate([numpy.zeros(step, numpy.int32), above])[:len(row)]
        guess = left + above - corner
        near = numpy.stack([abs(guess - left), abs(guess - above), abs(guess - corner)]).argmin(axis=0)
        paeth = numpy.choose(near, [left, above, corner])
        which = rng.randrange(5)
        taken = [0 * row, left, above, (left + above) // 2, paeth][which]
        made.append(bytes([which]) + ((row - taken) & 255).astype(numpy.uint8).tobytes())
        above = row
    return b"".join(made)


def packed(samples, depth):
    """Rows of samples, of height x width x channels, as bytes."""
    flat = samples.reshape(samples.shape[0], -1)
    if depth == 16:
        return numpy.ascontiguousarray(flat.astype(">u2")).view(numpy.uint8).reshape(len(flat), -1)
    bits = (flat[:, :, None] >> numpy.arange(depth)[::-1]) & 1
    return numpy.packbits(bits.reshape(len(flat), -1).astype(numpy.uint8), axis=1)


def png(samples, color, depth, rng, interlaced=False, chunks=()):
    """A PNG of samples of height x width x channels, with more chunks before its pixels."""
    step = max(1, CHANNELS[color] * depth // 8)
    parts = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7] if interlaced else [samples]
    rows = b"".join(filtered(packed(part, depth), step, rng) for part in parts if part.size)
    head = struct.pack(">IIBBBBB", samples.shape[1], samples.shape[0], depth, color, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunk(*c) for c in chunks)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def rgba(samples, color, depth, palette=None, clear=None):
    """What the samples are, as height x width x 4 of 8 bits.  `clear`: the sample that tRNS makes transparent, or the
    alpha of the first colours of the palette."""
    if color == 3:
        alpha = numpy.full(len(palette), 255)
        if clear is not None:
            alpha[:len(clear)] = clear
        return numpy.concatenate([palette, alpha[:, None]], axis=1)[samples[:, :, 0]].astype(numpy.uint8)
    most = (1 << depth) - 1
    eight = samples >> 8 if depth == 16 else samples * 255 // most
    gray = color in (0, 4)
    colors = numpy.repeat(eight[:, :, :1], 3, axis=2) if gray else eight[:, :, :3]
    alpha = eight[:, :, -1:] if color in (4, 6) else numpy.full(samples.shape[:2] + (1,), 255)
    if clear is not None:
        alpha = alpha * (samples != numpy.array(clear)).any(axis=2, keepdims=True)
    return numpy.concatenate([colors, alpha], axis=2).astype(numpy.uint8)
