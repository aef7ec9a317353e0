# SPDX-License-Identifier: MIT
"""Times between ticks of 100 ns since 0001-01-01 and Python's objects, and values as text."""

import datetime as _dt
import threading as _threading

from . import _errors

_epoch = _dt.datetime(1, 1, 1)
TICKS_MAX = 3155378975999999999


class _Cuts(_threading.local):
    """How many times this thread has cut to whole microseconds."""

    count = 0


_cuts = _Cuts()


def _micros(ticks):
    micros, rest = divmod(ticks, 10)
    if rest:
        _cuts.count += 1
    return _dt.timedelta(microseconds=micros)


def datetime(ticks):
    """A date-time, cut to whole microseconds."""
    return _epoch + _micros(ticks)


def timedelta(ticks):
    """A time span, cut to whole microseconds."""
    return _micros(ticks)


def zoned(ticks, minutes):
    zone = _dt.timezone.utc if minutes == 0 else _dt.timezone(_dt.timedelta(minutes=minutes))
    return datetime(ticks).replace(tzinfo=zone)


def lists(cursor):
    """The columns of each batch as lists of Python objects.  Closes the cursor, then warns if times were cut."""
    cut = 0
    try:
        with cursor:
            for batch in cursor:
                before = _cuts.count
                columns = {name: batch[name].to_pylist() for name in batch.columns}
                cut += _cuts.count - before
                yield len(batch), columns
    finally:
        if cut:
            _errors.warn(_errors.floored(cut))


def _time_text(value):
    sign = "-" if value < _dt.timedelta(0) else ""
    micros = abs(value) // _dt.timedelta(microseconds=1)
    seconds, micros = divmod(micros, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{sign}{days}.{hours:02}:{minutes:02}:{seconds:02}.{micros:06}0"


def plain(value):
    """The Python object that a condition compares with; TypeError if no value can equal it."""
    module = type(value).__module__.partition(".")[0]
    if module == "numpy" and hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0:
        if value.dtype.kind in "mM":
            value = value.astype(f"{value.dtype.kind}8[us]")  # of nanoseconds item() makes an int
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        raise TypeError("nothing compares with None: use is_na() or is_valid()")
    if isinstance(value, (str, int, float, _dt.date, _dt.timedelta)):
        return value
    raise TypeError(f"a condition compares with a number, text, bool, date or time, not with "
                    f"{type(value).__name__}")


def text_of(value):
    """A value as the text that the library parses (docs/spec/semantics.md 4.4)."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, _dt.datetime):
        return value.isoformat(sep="T", timespec="microseconds")
    if isinstance(value, _dt.date):
        return value.isoformat()
    if isinstance(value, _dt.timedelta):
        return _time_text(value)
    return repr(value)
