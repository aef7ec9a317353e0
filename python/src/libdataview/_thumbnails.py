# SPDX-License-Identifier: MIT
"""Small pictures of the first rows, for notebooks (docs/images.md)."""

import base64
import struct
import zlib

SIDE = 64  # of a thumbnail, at most
COLUMNS = 3  # of a table that have thumbnails
PIXELS = 1 << 25  # larger pictures have none


def _png(rgba, side):
    rows = b"".join(b"\0" + rgba[y * side * 4:(y + 1) * side * 4] for y in range(side))
    made = b"\x89PNG\r\n\x1a\n"
    for name, body in ((b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)), (b"IDAT", zlib.compress(rows)),
                       (b"IEND", b"")):
        made += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return made


def _pipeline(field):
    """What makes thumbnails of a column, each on a clear ground; None: it cannot have any."""
    from ._expr import col
    from ._pipeline import STEPS, Pipeline

    frame = {"width": SIDE, "height": SIDE, "fit": "pad"}
    form = {"order": "rgba", "layout": "interleaved"}  # R4: a missing picture is NaN, a clear one is not
    if "image" not in STEPS:
        return None
    if field.type.notation == "BY":
        return Pipeline().image(col(field.name), **frame, **form, orient=True, pixels=PIXELS)
    if field.type.notation == "Picture":
        return Pipeline().resize(col(field.name), **frame).pixels(col(field.name), **form)
    return None


def of(table, fields, rows):
    """URIs of PNGs for cells of the first rows: {(row, place of the field): text}, and {name of a field: the error
    that left it without thumbnails}."""
    found, failed = {}, {}
    for k, field in enumerate(fields):
        if len({column for _, column in found}) == COLUMNS:
            break
        try:
            made = _pipeline(field)
            pictures = made.fit_apply(table.slice(0, rows).select(field.name))[field.name].to_pylist() if made else []
        except Exception as error:  # the page shows the table with the error
            failed[field.name] = error
            continue
        for row, numbers in enumerate(pictures):
            if numbers[0] == numbers[0]:
                text = base64.b64encode(_png(bytes(map(int, numbers)), SIDE)).decode()
                found[row, k] = f"data:image/png;base64,{text}"
    return found, failed
