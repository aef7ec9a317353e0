#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""naive_values.py: parses values by semantics:4.3 alone.

value_of(type, text, decimal) gives the item as golden files and docs/cli.md (exact) have it; a text of None is NA.
Dates are those of class `core`.
"""
import datetime
import fractions
import re
import struct
import sys

WHITE = ("\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
         "\u200a\u2028\u2029\u202f\u205f\u3000")
MISSING = {"?", "na", "n/a", "nan"}
BITS = {kind + str(size): 8 * size for kind in "IU" for size in (1, 2, 4, 8)}
NAN = {"R4": "r4:ffc00000", "R8": "r8:fff8000000000000"}
DEFAULT = {"R4": "r4:00000000", "R8": "r8:0000000000000000", "TX": "", "BL": False, "TS": "ts:0",
           "DT": "dt:0", "DZ": "dz:0:0", "UG": "ug:" + 32 * "0"}
NONE = {**NAN, "UG": DEFAULT["UG"]}  # what NA is, where it is not null or 0
TRUE = {"1", "+", "+1", "t", "y", "yes", "true"}
FALSE = {"0", "-", "-1", "f", "n", "no", "false", ""}
REAL = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
SPECIAL = {"Infinity": "inf", "-Infinity": "-inf", "\u221e": "inf", "-\u221e": "-inf"}
SPAN = re.compile(r"(-?)(?:([0-9]+)\.)?([0-9]+):([0-9]+)(?::([0-9]+)(?:\.([0-9]+))?)?")
DAYS = re.compile(r"(-?)([0-9]+)(?::([0-9]+):([0-9]+)(?::([0-9]+)(?:\.([0-9]+))?)?)?")
DATE = re.compile(r"([0-9]{3,4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?P<rest>.*)"
                  r"|([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]([0-9]{1,4})(?P<end>.*)", re.DOTALL)
BLANKS = f"[{WHITE}]*"
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December"]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
WEEKDAY = f"(?:(?P<weekday>[A-Za-z]+)(?:,{BLANKS}|[{WHITE}]+))?"
NAMED = [
    re.compile(f"{WEEKDAY}(?P<month>[A-Za-z]+)[{WHITE}]+(?P<day>[0-9]{{1,2}})"
               f"(?:,{BLANKS}|[{WHITE}]+)(?P<year>[0-9]{{4}})(?P<rest>.*)", re.DOTALL),
    re.compile(f"{WEEKDAY}(?P<day>[0-9]{{1,2}})(?:-|[{WHITE}]+)(?P<month>[A-Za-z]+)"
               f"(?:-|[{WHITE}]+)(?P<year>[0-9]{{4}})(?P<rest>.*)", re.DOTALL),
]
TIME_A = re.compile(BLANKS + "[Tt]" + BLANKS +
                    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?()(?P<zone>.*)",
                    re.DOTALL)
TIME_B = re.compile(f"[{WHITE}]+" + r"([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:[.,]([0-9]+))?)?"
                    f"(?:{BLANKS}([AaPp][Mm])(?![A-Za-z]))?(?P<zone>.*)", re.DOTALL)
HOUR = re.compile(f"[{WHITE}]+" + r"([0-9]{1,2})()()()" + BLANKS +
                  "([AaPp][Mm])(?![A-Za-z])(?P<zone>.*)", re.DOTALL)
ZONE = re.compile(r"[Zz]|([-+])([0-9]{1,2})(?::?([0-9]{2})|:([0-9]))?")
SECOND = 10**7
LAST_TICK = 3155378975999999999

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


def is_missing(text):
    return text is None or text.lower() in MISSING


def is_nan(value):
    """The value of a real literal."""
    bits = bytes.fromhex(value[3:])
    (number,) = struct.unpack(">f" if len(bits) == 4 else ">d", bits)
    return number != number


def integer(kind, text):
    """Signed ones have NA."""
    limit = 1 << BITS[kind] - (kind[0] == "I")
    if kind[0] == "U":
        number = int(text) if re.fullmatch("[0-9]+", text or "") else 0
        return number if number < limit else 0
    if is_missing(text) or not re.fullmatch("-?[0-9]+", text):
        return None
    return int(text) if -limit < int(text) < limit else None


def key(kind, least, count, text):
    if not re.fullmatch("[0-9]+", text or ""):
        return 0
    most, number = (1 << BITS[kind]) - 1, int(text)
    last = least + (count or 0) - 1
    if not count and not least:
        last = most - 1
    elif not count:
        last = 2**64 - 1 if kind == "U8" else min(2**64 - 1, least - 1 + most)
    return number - least + 1 if least <= number <= last else 0


def bits_of_r4(text):
    """The decimal number, rounded once."""
    sign = 1 << 31 if text.startswith("-") else 0
    double = abs(float(text))
    if double == 0:
        return sign
    if double == float("inf"):
        return sign | 0x7F800000
    exact = abs(fractions.Fraction(text))
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if fractions.Fraction(2) ** exponent > exact:
        exponent -= 1
    unit = max(exponent - 23, -149)
    mantissa = round(exact / fractions.Fraction(2) ** unit)
    bits = mantissa + (unit + 149 << 23)
    return sign | min(bits, 0x7F800000)


def real(kind, text, decimal):
    if is_missing(text):
        return NAN[kind]
    text = text.lstrip(WHITE)
    if not text:
        return DEFAULT[kind]
    if decimal == ",":
        text = text.translate({ord("."): ",", ord(","): "."})
    text = text.rstrip(WHITE)
    if text not in SPECIAL and not REAL.fullmatch(text):
        return NAN[kind]
    text = SPECIAL.get(text, text)
    if kind == "R8":
        return "r8:" + struct.pack(">d", float(text)).hex()
    return f"r4:{bits_of_r4(text):08x}"


def fraction_of(digits):
    """Ticks of a fraction of a second, or None."""
    if len(digits) <= 7 or not digits.strip("0"):
        return int(digits.ljust(7, "0")[:7])
    if digits[0] != "0":
        return None
    return (int(digits) * 2 * SECOND + 10 ** len(digits)) // (2 * 10 ** len(digits))


def ticks_of_parts(days, hours, minutes, seconds, fraction):
    parts = [int(part or 0) for part in (days, hours, minutes, seconds)]
    ticks = fraction_of(fraction or "0")
    if parts[0] > 10675199 or parts[1] > 23 or max(parts[2:]) > 59 or ticks is None:
        return None
    return (((parts[0] * 24 + parts[1]) * 60 + parts[2]) * 60 + parts[3]) * SECOND + ticks


def time_span(text):
    text = (text or "").strip(WHITE)
    ticks, found = None, SPAN.fullmatch(text)
    if found:
        ticks = ticks_of_parts(*found.groups()[1:])
    if ticks is None:
        found = DAYS.fullmatch(text)
        ticks = ticks_of_parts(*found.groups()[1:]) if found else None
    if ticks is None:
        return None
    ticks = -ticks if found[1] else ticks
    return f"ts:{ticks}" if -(1 << 63) < ticks < 1 << 63 else None


def index_of(name, names):
    """The index of a name, in full or by its first three letters; or None."""
    for i, one in enumerate(names):
        if name.lower() in (one.lower(), one[:3].lower()):
            return i
    return None


def named_day_of(text):
    """The same for a date whose month is a name."""
    found = next(filter(None, (pattern.fullmatch(text) for pattern in NAMED)), None)
    month = index_of(found["month"], MONTHS) if found else None
    if month is None:
        return None
    day = int(found["year"]), month + 1, int(found["day"])
    try:
        weekday = datetime.date(*day).weekday()
    except ValueError:
        return None
    if found["weekday"] and index_of(found["weekday"], WEEKDAYS) != weekday:
        return None
    return *day, False, found["rest"]


def day_of(text):
    """Year, month, day, whether the year came first, and what follows; or None."""
    found = DATE.fullmatch(text)
    if not found:
        return named_day_of(text)
    if found[1]:
        return int(found[1]), int(found[2]), int(found[3]), True, found["rest"]
    year = int(found[7])
    if len(found[7]) < 3:
        year += 2000 if year < 50 else 1900
    return year, int(found[5]), int(found[6]), False, found["end"]


def ticks_of_second(digits):
    """Added up as in the reference."""
    total, unit = 0.0, 0.1
    for digit in digits or "":
        total += int(digit) * unit
        unit *= 0.1
    return round(total * SECOND)


def clock_of(found):
    """Ticks of a time of day, or None."""
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[:3])
    half = found[5].lower()[:1] if found[5] else ""
    if half == "a" and hours > 12 or hours > 23 or minutes > 59 or seconds > 59:
        return None
    if half:
        hours = hours % 12 + 12 * (half == "p") if hours <= 12 else hours
    return ((hours * 60 + minutes) * 60 + seconds) * SECOND + ticks_of_second(found[4])


def offset_of(text, after_a):
    """Minutes of a zone, 0 without one; or None if it is invalid."""
    text = text.strip(WHITE)
    if not text or text.upper() == "GMT" and not after_a:
        return 0
    found = ZONE.fullmatch(text)
    if not found:
        return None
    minutes = int(found[3] or found[4] or 0)
    offset = int(found[2] or 0) * 60 + minutes
    if minutes > 59 or offset > 840:
        return None
    return -offset if found[1] == "-" else offset


def date_time(kind, text):
    day = day_of((text or "").rstrip("\0").strip(WHITE))
    if not day:
        return None
    year, month, date, year_first, rest = day
    try:
        days = datetime.date(year, month, date).toordinal() - 1
    except ValueError:
        return None
    time, after_a = TIME_A.fullmatch(rest) if year_first else None, True
    if not time:
        time, after_a = TIME_B.fullmatch(rest) or HOUR.fullmatch(rest), False
    within = clock_of(time) if time else 0
    offset = offset_of(time["zone"] if time else rest, after_a)
    if within is None or offset is None:
        return None
    clock = days * 86400 * SECOND + within
    ticks = clock - offset * 60 * SECOND
    if not 0 <= ticks <= LAST_TICK or clock > LAST_TICK:
        return None
    return f"dt:{ticks}" if kind == "DT" else f"dz:{clock}:{offset}"


def default_of(item):
    """The kind of an item type; for keys also the minimum and the count."""
    return 0 if item[0] in BITS else DEFAULT[item[0]]


def value_of(item, text, decimal="."):
    """The value; for keys the raw one."""
    kind = item[0]
    if text == "":
        return default_of(item)
    if len(item) > 1:
        return key(*item, text)
    if kind in BITS:
        return integer(kind, text)
    if kind in NAN:
        return real(kind, text, decimal)
    if kind == "TX":
        return text
    if kind == "UG":
        fits = text is not None and re.fullmatch("0[xX][0-9a-fA-F]{32}", text)
        return "ug:" + text[2:].lower() if fits else NONE[kind]
    if kind == "BL":
        low = None if text is None else text.lower()
        return True if low in TRUE else False if low in FALSE else None
    if is_missing(text):
        return None
    return time_span(text) if kind == "TS" else date_time(kind, text)
