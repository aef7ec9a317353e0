# SPDX-License-Identifier: MIT
"""Times between ticks of 100 ns since 0001-01-01 and Python's objects, and values as text."""

import datetime as _dt

_epoch = _dt.datetime(1, 1, 1)
TICKS_MAX = 3155378975999999999


def datetime(ticks):
    """A date-time; a part finer than a microsecond is floored."""
    return _epoch + _dt.timedelta(microseconds=ticks // 10)


def timedelta(ticks):
    return _dt.timedelta(microseconds=ticks // 10)


def zoned(ticks, minutes):
    zone = _dt.timezone.utc if minutes == 0 else _dt.timezone(_dt.timedelta(minutes=minutes))
    return datetime(ticks).replace(tzinfo=zone)


def _time_text(value):
    sign = "-" if value < _dt.timedelta(0) else ""
    micros = abs(value) // _dt.timedelta(microseconds=1)
    seconds, micros = divmod(micros, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{sign}{days}.{hours:02}:{minutes:02}:{seconds:02}.{micros:06}0"


def plain(value):
    """What a condition compares with, as an object of Python; a TypeError for what nothing equals."""
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
