# SPDX-License-Identifier: MIT
"""drawn_cells.py: manners in which numbers and dates are written."""
import datetime
import math
import re

from drawn_manners import add, fresh, manner, need
from drawn_tables import EPOCH, TICKS, ticks_of


# --- Numbers -------------------------------------------------------------------------------------

@manner("numbers")
def leading_zeros(t):
    column = fresh(t, "int")
    i, width = t.r.randrange(t.rows), t.r.pick(3, 5, 8)
    texts = [f"{t.r.randrange(10 ** width):0{width}}" for _ in range(t.rows)]
    texts[i] = "0" * (width - 1) + t.r.pick("7", "0", "1")
    column.replace("text", [(x, x) for x in texts])


@manner("numbers")
def one_leading_zero(t):
    need(t.rows >= 2)
    column = fresh(t, t.r.pick("int", "real"))
    column.replace("text", [(x, x) for x, _ in column.cells])
    column.is_kept = True
    i = t.r.randrange(t.rows)
    column.cells[i] = (x := t.r.pick("007", "00", "01.5", "000123"), x)


@manner("numbers")
def plus_signs(t):
    column = fresh(t, "int")
    cells = [(f"+{t.r.randint(1, 999)}", None) for _ in range(t.rows)]
    column.replace("text", [(x, x) for x, _ in cells])


@manner("numbers")
def unsigned(t):
    need(t.oddities == 0)
    column = fresh(t, "int")
    numbers = [t.r.randrange(2**63, 2**64) for _ in range(t.rows)]
    column.replace("int", [(str(n), n) for n in numbers], "U8")


@manner("numbers")
def long_digits(t):
    column = fresh(t, "int")
    numbers = [t.r.randrange(10**20, 10**t.r.pick(21, 30, 39)) for _ in range(t.rows)]
    column.replace("text", [(str(n), str(n)) for n in numbers])


@manner("numbers")
def exact_digits(t):
    """Whole numbers beyond 2^53: they keep their digits."""
    column = fresh(t, "int")
    numbers = [t.r.randrange(2**53, 2**63) * t.r.pick(1, -1) for _ in range(t.rows)]
    column.replace("int", [(str(n), n) for n in numbers])


@manner("numbers")
def infinities(t):
    need(t.rows >= 3)
    column, words = fresh(t, "real"), ["inf", "-inf", "Infinity", "-Infinity", "+inf", "Inf"]
    for i in range(1, t.rows):
        if t.r.chance(0.3):
            word = t.r.choice(words)
            column.cells[i] = (word, -math.inf if word[0] == "-" else math.inf)


@manner("numbers")
def missing_words(t):
    need(t.rows >= 3)
    column = fresh(t, t.r.pick("real", "int"))
    word = t.r.pick("NA", "N/A", "NaN", "nan", "?", "-nan", "#NA", "1.#QNAN", "1.#IND", "\\N", "null", "None",
                    "#N/A", "<NA>", ".", "n/a", "NULL")
    for i in range(1, t.rows):
        if t.r.chance(0.3):
            column.cells[i] = (word, None)


@manner("numbers")
def missing_words_in_times(t):
    need(t.rows >= 3)
    column = fresh(t, t.r.pick("time", "bool", "span"))
    word = t.r.pick("NA", "N/A", "NaN", "?")
    for i in range(1, t.rows):
        if t.r.chance(0.3):
            column.cells[i] = (word, None)


@manner("numbers")
def na_texts(t):
    """In a column of texts NA is a text."""
    need(t.rows >= 3)
    column = fresh(t, "text")
    for i in range(1, t.rows):
        if t.r.chance(0.3):
            column.cells[i] = (w := t.r.pick("NA", "nan", "N/A", "?"), w)
    column.cells[0] = ("plain words", "plain words")


# --- Dates ---------------------------------------------------------------------------------------

def dated(t, form, low_days):
    """Cells of dates, as a text for each; and their ticks."""
    cells = []
    for _ in range(t.rows):
        clock = t.r.clock()
        clock = clock.replace(day=t.r.randint(1, 12) if low_days else clock.day)
        text = clock.strftime(form)
        cells.append((text, ticks_of(datetime.datetime.strptime(text, form))))
    return cells


def prove(t, cells, form):
    """A day beyond 12 shows the order."""
    clock = t.r.clock().replace(day=t.r.randint(13, 28))
    text = clock.strftime(form)
    cells[t.r.randrange(t.rows)] = text, ticks_of(datetime.datetime.strptime(text, form))


def day_first(t):
    return t.r.pick("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M:%S")


def month_first(t):
    return t.r.pick("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %I:%M %p")


@manner("dates")
def days_first(t):
    form = day_first(t)
    cells = dated(t, form, False)
    prove(t, cells, form)
    add(t, "day", "time", cells)
    t.knows["date"] = "date=dmy"


@manner("dates")
def months_first(t):
    form = month_first(t)
    cells = dated(t, form, False)
    prove(t, cells, form)
    add(t, "day", "time", cells)
    t.knows["date"] = "date=mdy"


@manner("dates")
def either_first(t):
    """Dates that fit both orders: texts, and a report that names date=."""
    form = t.r.pick("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y")
    cells = dated(t, form, True)
    add(t, "day", "text", [(x, x) for x, _ in cells])
    t.must_warn = True
    t.knows["date"] = ""


@manner("dates")
def order_given(t):
    first = t.r.chance(0.5)
    form = day_first(t) if first else month_first(t)
    add(t, "day", "time", dated(t, form, True))
    t.needs["date"] = "date=dmy" if first else "date=mdy"


@manner("dates")
def two_orders(t):
    """A column that shows the order settles it for one that does not; dots have the day first."""
    cells = dated(t, "%d/%m/%Y", False)
    prove(t, cells, "%d/%m/%Y")
    add(t, "day", "time", cells)
    add(t, "other_day", "time", dated(t, "%d/%m/%Y", True))
    t.knows["date"] = "date=dmy"


@manner("dates")
def offsets(t):
    cells = []
    for _ in range(t.rows):
        clock, minutes = t.r.clock(), t.r.pick(0, 60, 120, -300, 330, 345, -570)
        sign, size = "-" if minutes < 0 else "+", abs(minutes)
        form = t.r.pick("{s}{h:02}:{m:02}", "{s}{h:02}{m:02}", "{s}{h:02}:{m:02}")
        if size % 60 == 0 and t.r.chance(0.3):
            form = "{s}{h:02}"
        text = clock.isoformat(t.r.pick("T", " ")) + form.format(s=sign, h=size // 60, m=size % 60)
        cells.append((text, ticks_of(clock, minutes)))
    add(t, "at", "time", cells, "DZ")


@manner("dates")
def utc(t):
    zone = t.r.pick("Z", " UTC", "Z")
    clocks = [t.r.clock() for _ in range(t.rows)]
    add(t, "at", "time", [(c.isoformat("T" if zone == "Z" else " ") + zone, ticks_of(c)) for c in clocks])


@manner("dates")
def fractions(t):
    cells = []
    for _ in range(t.rows):
        clock, digits = t.r.clock(), t.r.randint(1, 7)
        part = t.r.randrange(10 ** digits)
        cells.append((f"{clock.isoformat(' ')}.{part:0{digits}}", ticks_of(clock) + part * 10 ** (7 - digits)))
    add(t, "at", "time", cells)


@manner("dates")
def early_and_late(t):
    cells = [(d.isoformat(), (d - EPOCH.date()).days * 86400 * TICKS)
             for d in (t.r.pick(datetime.date(1, 1, 1), datetime.date(1582, 10, 10), datetime.date(9999, 12, 31),
                                datetime.date(2000, 2, 29), datetime.date(1900, 3, 1)) for _ in range(t.rows))]
    add(t, "day", "time", cells)


@manner("dates")
def no_dates(t):
    """Texts that look like dates but stay texts."""
    form = t.r.pick(lambda r: f"2021-02-{r.randint(29, 31)}", lambda r: f"{r.randint(1, 12)}/{r.randint(40, 99)}",
                    lambda r: f"{r.randint(2000, 2020)}-{r.randint(10, 12)}",
                    lambda r: f"{r.randint(10, 59)}:{r.randint(10, 59)}",
                    lambda r: f"{r.randint(1, 9)}-{r.randint(1, 9)}",
                    lambda r: f"{r.randint(2000, 2020)}-Q{r.randint(1, 4)}",
                    lambda r: f"{r.randint(100, 999)}-{r.randint(1000, 9999)}")
    add(t, "day", "text", [(x, x) for x in (form(t.r) for _ in range(t.rows))])


# --- Numbers of spreadsheets ---------------------------------------------------------------------

@manner("dress")
def decimal_commas(t):
    need(t.separator in ";\t|" and not t.needs)
    column = fresh(t, "real")
    t.decimal = ","
    for c in t.columns:
        if c.kind == "real":
            c.cells = [(x and x.replace(".", ","), v) for x, v in c.cells]
    t.knows["decimal"] = "decimal=,"
    clear = [x for x, _ in column.cells if x and re.fullmatch(r"-?\d+,(\d|\d\d|\d{4,})", x)]
    need(clear)  # 1,234 may be thousands


def grouped(t, mark, point):
    cells = []
    for _ in range(t.rows):
        value = round(t.r.uniform(-1, 1) * 10 ** t.r.randint(1, 8), 2)
        text = f"{value:,.2f}".replace(",", "\0").replace(".", point).replace("\0", mark)
        cells.append((text, value))
    value = t.r.randint(1000, 99999999)
    cells[t.r.randrange(t.rows)] = f"{value:,}".replace(",", mark) + f"{point}50", value + 0.5
    return cells


def dress(t, column_cells, needs, name="sum"):
    """By option the numbers; without it texts, and info names the option."""
    if t.r.chance(0.6):
        add(t, name, "real", column_cells)
        t.needs.update(needs)
    else:
        need(t.rows >= 2)
        column = add(t, name, "text", [(x, x) for x, _ in column_cells])
        t.hints += [column, *(word.split("=")[0] for word in needs.values())]


@manner("dress")
def thousands(t):
    dress(t, grouped(t, ",", "."), {"thousands": "thousands=,"})


@manner("dress")
def german(t):
    need(t.separator in ";\t|" and not any(c.kind == "real" for c in t.columns))
    dress(t, grouped(t, ".", ","), {"decimal": "decimal=,", "thousands": "thousands=."})


@manner("dress")
def spaced_thousands(t):
    need(t.separator not in (" ", "blanks"))
    dress(t, grouped(t, " ", "."), {"thousands": "thousands=space"})


@manner("dress")
def currency(t):
    sign, is_before = t.r.pick(("$", True), ("€", False), ("£", True), ("%", False), (" %", False), ("EUR ", True))
    cells = [(f"{sign}{v}" if is_before else f"{v}{sign}", v)
             for v in (round(t.r.uniform(0, 500), 2) for _ in range(t.rows))]
    dress(t, cells, {"affixes": f"affixes=[{sign.strip()}]"})


@manner("dress")
def parentheses(t):
    values = [round(t.r.uniform(0.01, 500), 2) for _ in range(t.rows)]
    cells = [(f"({v})" if t.r.chance(0.4) else f"{v}", v) for v in values]
    cells[t.r.randrange(t.rows)] = "(3.25)", 3.25
    dress(t, [(x, -v if x[0] == "(" else v) for x, v in cells], {"parentheses": "parentheses+"})
