# SPDX-License-Identifier: MIT
"""Sums of columns, batch by batch."""

import math

from . import _errors


def of_column(column):
    """The sum of the values that are not NA; TypeError for a column of something else than numbers."""
    type_ = column.type
    if type_.is_vector or not (type_.is_number or type_.kind == "BL" and not type_.is_key):
        raise TypeError(f"column {column.name!r} is {type_.word}: sum() adds numbers and booleans")
    np = _errors.needed("numpy", "numpy", "sum()", "NumPy")
    is_real = type_.kind[0] == "R"
    parts = []
    for batch in column.table.batches([column.name]):
        values = batch[0].to_numpy(na="mask" if not is_real else "keep")
        if is_real:
            values = values[~np.isnan(values)].astype(np.float64)
            parts.append(math.fsum(values.tolist()) if np.isfinite(values).all() else float(values.sum()))
        else:
            parts.append(_exact(np, np.ma.compressed(values)))
    return float(sum(parts)) if is_real else sum(parts)


def _exact(np, values):
    """The sum of integers, which may leave 64 bits: the upper halves and the lower ones are added apart."""
    if values.dtype == bool:
        return int(np.count_nonzero(values))
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)
    return (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFFFFFF).sum())
