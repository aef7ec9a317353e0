# SPDX-License-Identifier: MIT
"""Statistics as users see values: times as times, keys as what they stand for, BL as bool."""

import math

from . import _values

_TIMES = {"DT": _values.datetime, "TS": _values.timedelta, "DZ": lambda t: _values.zoned(t, 0)}
_ORDERED = ("min", "max", "bin_low", "bin_high")


def _shower(field):
    """The function that shows an ordered value of a column; None: as it is."""
    type_ = field.type
    if type_.is_key:
        values = field.metadata.get("KeyValues")
        if isinstance(values, list) and len(values) == type_.key_count:
            return lambda key: values[key - 1]
        return lambda key: key - 1
    return bool if type_.kind == "BL" else _TIMES.get(type_.kind)


def shown(entry, field):
    """Statistics of a column, with values as to_pylist() has them."""
    show = _shower(field)
    if show is None:
        return entry
    for name in _ORDERED:
        entry[name] = None if entry[name] is None else show(entry[name])
    entry["quantiles"] = [None if v is None else show(v) for v in entry["quantiles"]]
    entry["top"] = [(None if v is None else show(v), n) for v, n in entry["top"]]
    if field.type.kind in _TIMES and not field.type.is_key:
        for name, of_ticks in (("mean", show), ("sd", _values.timedelta)):
            entry[name] = of_ticks(round(entry[name])) if math.isfinite(entry[name]) else None
    return entry
