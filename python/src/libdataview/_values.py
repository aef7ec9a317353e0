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


def text_of(value):
    """A value as the text that a condition compares with (docs/spec/semantics.md 4.4)."""
    item = getattr(value, "item", None)  # a scalar of NumPy
    if item is not None and not isinstance(value, (str, bytes, int, float)):
        value = item()
    elif type(value).__module__ == "numpy":
        value = value.item()
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, _dt.datetime):
        return value.isoformat(sep="T", timespec="microseconds")
    if isinstance(value, _dt.date):
        return value.isoformat()
    if isinstance(value, _dt.timedelta):
        return _time_text(value)
    if value is None:
        raise TypeError("nothing compares with None: use is_na() or is_valid()")
    raise TypeError(f"a condition compares with a number, text, bool, date or time, not with "
                    f"{type(value).__name__}")
