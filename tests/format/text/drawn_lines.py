# SPDX-License-Identifier: MIT
"""drawn_lines.py: manners in which lines, headers, quotes and bytes are written."""
import re

from drawn_manners import Unfit, add, count_odd, edit, fresh, insert, manner, need, shape


# --- Separators ----------------------------------------------------------------------------------

def separate(t, separator):
    need(t.separator == ",")
    t.separator = separator


@manner("separator")
def semicolons(t):
    separate(t, ";")


@manner("separator")
def tabs(t):
    separate(t, "\t")


@manner("separator")
def bars(t):
    separate(t, "|")


@manner("separator")
def spaces(t):
    separate(t, " ")
    need(all(text is not None for c in t.columns for text, _ in c.cells))


@manner("separator")
def blanks(t):
    separate(t, "blanks")
    need(all(text is not None for c in t.columns for text, _ in c.cells))


@manner("separator")
def several_signs(t):
    separate(t, t.r.pick("||", "::", "~~", "&&", "<>", " | "))
    need(t.separator.strip() == t.separator)
    t.needs["sep"] = "sep=" + t.separator


@manner("separator")
def control_sign(t):
    separate(t, t.r.pick("\x01", "\x1f", "\x1e", "\x02"))
    t.needs["sep"] = f"sep={t.separator}"


@manner("separator")
def sep_line(t):
    separate(t, t.r.pick(";", ",", "\t", "|"))
    t.before.append(f"sep={t.separator}")


@manner("trailing")
def trailing_everywhere(t):
    need(t.separator != "blanks" and len(t.separator) == 1 and len(t.columns) >= 2)
    for i in range(-1 if t.has_header else 0, t.rows):
        edit(t, i, lambda line: line + t.separator)


@manner("trailing")
def trailing_in_rows(t):
    need(t.separator in ",;\t|" and t.has_header and len(t.columns) >= 2)
    for i in range(t.rows):
        edit(t, i, lambda line: line + t.separator)


@manner("trailing")
def trailing_in_header(t):
    need(t.separator in ",;\t|" and t.has_header and not t.any_names)
    need(len(t.columns) >= 2)  # where no other line has it, a comma after the only name is part of it
    edit(t, -1, lambda line: line + t.separator)


# --- Quotes -----------------------------------------------------------------------------------

@manner("quotes")
def backslashes(t):
    need('"' not in "".join(t.names()) and not any("\\" in (x or "") for c in t.columns for x, _ in c.cells))
    t.escape = "\\"
    column = fresh(t, "text")
    for i in range(t.rows):
        if t.r.chance(0.5) or i == t.rows - 1:
            text = f'{t.r.word()} "{t.r.word()}"{t.r.pick("", ", then " + t.r.word())}'
            column.cells[i] = (text, text)


@manner("quotes")
def breaks_inside(t):
    column = fresh(t, "text")
    for i in range(t.rows):
        if t.r.chance(0.3) or i == t.rows - 1:
            text = t.r.word() + t.r.pick("\n", "\r\n", "\r", "\n\n", " \r\n ") + t.r.word()
            column.cells[i] = (text, text)


@manner("quotes")
def long_text(t):
    column, i = fresh(t, "text"), t.r.randrange(t.rows)
    text = t.r.word() + t.r.pick("x", " ab", ",", "é") * t.r.pick(5000, 30000)
    column.cells[i] = (text, text)


@manner("quotes")
def inner_quotes(t):
    """Measures such as 5" wide, in fields that are quoted as RFC 4180 has it."""
    column = fresh(t, "text")
    for i in range(t.rows):
        if t.r.chance(0.5):
            text = t.r.pick('5" bar', '"so"', 'a "b", c', '"', '""', 'x"')
            column.cells[i] = (text, text)


# --- Headers -------------------------------------------------------------------------------------

@manner("header")
def no_header(t):
    need(t.typed())  # above nothing but texts, no reader tells
    need(t.rows >= 2 or t.separator not in (" ", "blanks"))
    t.has_header = False


@shape
@manner("header")
def one_text(t):
    """One column of texts under its name."""
    need(t.rows >= 4)
    t.columns = [fresh(t, "text")]
    t.is_alone = True
    column, pool = t.columns[0], [t.r.word() + t.r.pick("", " 7", "@x.org") for _ in range(3)]
    column.cells = [(w, w) for w in (t.r.choice(pool) for _ in range(t.rows))]


@manner("header")
def name_too_few(t):
    need(t.rows >= 3 and len(t.columns) >= 3 and t.typed() and t.separator in ",;\t|")
    count_odd(t)
    t.header = lambda names: names[:-1]
    t.must_warn = True
    t.any_names = True


@manner("header")
def hash_name(t):
    column = fresh(t, "int")
    t.columns.remove(column)
    t.columns.insert(0, column)
    column.name = "#"
    t.edits[-1] = lambda line: line.replace('"#"', "#")


@manner("header")
def numpy_header(t):
    need(t.typed())
    t.edits[-1] = lambda line: "# " + line


@manner("header")
def repeated_header(t):
    need(t.rows >= 3 and t.typed())
    i = t.r.randrange(1, t.rows)
    count_odd(t)
    insert(t, i, t.header_line())
    t.must_warn = True


@manner("header")
def same_names(t):
    need(len(t.columns) >= 3 and t.typed())
    name = t.columns[0].name
    second = t.columns[1]
    second.name = name + "_2"
    t.header = lambda names: [name if n == second.name else n for n in names]


@shape
@manner("header")
def year_names(t):
    """Years above rising numbers."""
    first = t.r.randint(1950, 2015)
    t.columns = t.columns[:1]
    t.columns[0].replace("text", t.repeat(lambda r: (lambda w: (w, w))(r.word())))
    for i in range(t.r.randint(3, 6)):
        t.columns.append(type(t.columns[0])(str(first + i), "real",
                                            t.repeat(lambda r: (lambda x: (x, float(x)))(f"{r.uniform(0, 50):.2f}"))))


@manner("header")
def unit_row(t):
    need(t.rows >= 2 and t.typed())
    t.below = lambda: [t.join([t.field("km/s"[:1 + i % 4], True) for i in range(len(t.columns))])]
    t.needs["unitrow"] = "unitrow+"


# --- Lines around the table -----------------------------------------------------------------------


@manner("around")
def preamble(t):
    need(t.rows >= 3 and len(t.columns) >= 2 and not t.before and t.separator in ",;\t|")
    t.before += [t.r.pick("Report of the year", "Exported by Tool 3.1", "Station Harbour")
                 for _ in range(t.r.randint(1, 3))]
    if t.r.chance(0.3):
        t.before.append("")


@manner("around")
def comments_before(t):
    need(t.rows >= 3 and not t.before)
    need(t.separator not in (" ", "blanks") or t.header_line()[0] != "#")  # "# name" may be a comment
    t.before += [t.r.pick("# made by a tool", "# 2020-01-01", "# units: m", "#") for _ in range(t.r.randint(1, 3))]
    t.knows["comment"] = "comment=#"
    t.knows["skip"] = f"skip={len(t.before)}"


@manner("around")
def comments_between(t):
    need(t.rows >= 4 and t.typed() and t.separator in ",;\t|")
    count_odd(t)
    insert(t, t.r.randrange(t.rows), "# checked by " + t.r.word())
    t.knows["comment"] = "comment=#"


@manner("around")
def footer(t):
    need(t.rows >= 4 and len(t.columns) >= 3 and t.typed() and t.separator in ",;\t|")
    count_odd(t)
    t.after.append(t.r.pick("Source: World Bank", "-- end --", "Total", "(4 rows)"))
    t.loose.add(t.after[0])
    t.may_fail = True


@manner("around")
def empty_lines(t):
    need(len(t.columns) >= 2)
    for _ in range(t.r.randint(1, 3)):
        t.inserted.setdefault(t.r.randrange(t.rows), []).append(t.r.pick("", ""))


@manner("around")
def lines_of_spaces(t):
    need(len(t.columns) >= 2 and t.separator not in (" ", "\t"))
    t.inserted.setdefault(t.r.randrange(t.rows), []).append(t.r.pick("  ", " ", "    "))


@manner("around")
def ctrl_z(t):
    t.tail = "\x1a"


# --- One odd line among good ones -----------------------------------------------------------------

def odd_row(t):
    need(t.rows >= 12 and len(t.columns) >= 2)
    count_odd(t)
    i = t.r.randrange(t.rows)
    t.odd.add(i)
    t.must_warn = True
    return i


@manner("odd")
def bad_quote(t):
    """A quote before the end of a quoted field, or one that is never closed."""
    i, column = odd_row(t), fresh(t, "text")
    need(t.escape == '"' and t.separator not in (" ", "blanks"))
    # after a broken quote nothing shows whether a line break lies within quotes
    need(not any(c is not column and re.search("[\r\n]", c.cells[i][0] or "") for c in t.columns))
    k = t.columns.index(column)
    bad = t.r.pick('"a"b', '"a" b', '"x "y" z"', '"open', '"a""b"c', f'"p{t.separator} q" r')
    column.cells[i] = ("PLACE", "PLACE")
    edit(t, i, lambda line: line.replace('"PLACE"', "PLACE").replace("PLACE", bad))
    t.may_fail = True
    t.odd_column = k


@manner("odd")
def stray_quote(t):
    """A quote within a field that does not begin with one: a text as it stands."""
    need(t.rows >= 2 and t.separator not in (" ", "blanks") and t.escape == '"')
    column, i = fresh(t, "text"), t.r.randrange(t.rows)
    text = t.r.pick('5" bar', 'a"b', "12'3\"", 'x ""y""')
    column.cells[i] = (text, text)
    edit(t, i, lambda line: line.replace('"' + text.replace('"', '""') + '"', text))


@manner("odd")
def short_row(t):
    i = odd_row(t)
    need(t.separator in ",;\t|" and len(t.columns) >= 3)
    keep = t.r.randint(1, len(t.columns) - 1)
    need(t.columns[0].cells[i][0])
    need(not any(c.is_kept for c in t.columns[keep:]))  # the only field that makes its column TX may be cut

    def cut(line):
        return t.separator.join([t.field(c.cells[i][0], c.kind == "text") for c in t.columns][:keep])
    t.edits[i] = cut


@manner("odd")
def blank_fields_more(t):
    i = odd_row(t)
    need(t.separator in ",;\t|")
    t.odd.discard(i)
    t.must_warn = False
    edit(t, i, lambda line: line + t.separator * t.r.randint(1, 3))


@manner("odd")
def field_more(t):
    i = odd_row(t)
    need(t.separator in ",;\t|" and len(t.columns) >= 2)
    t.may_fail = True
    edit(t, i, lambda line: line + t.separator + "surplus")


@manner("odd")
def odd_value(t):
    """One text in a column of numbers, which is a column of texts then, and info says why."""
    need(t.rows >= 40)
    column, i = fresh(t, t.r.pick("int", "real")), t.r.randrange(2, t.rows)
    column.replace("text", [(x, x) for x, _ in column.cells])
    column.cells[i] = (w := t.r.pick("see note", "12a", "--", "1 2", "12-"), w)


# --- Ends of lines and files ----------------------------------------------------------------------

@manner("ends")
def carriage_returns(t):
    t.eol = "\r"


@manner("ends")
def no_last_end(t):
    need(not t.tail)
    line = list(t.lines())[-1]
    need(line != "" and not t.columns[-1].cells[-1][0] is None)
    t.encode = (lambda before, end: lambda text: before(text.removesuffix(end)))(t.encode, t.eol)


@manner("ends")
def last_ends_more(t):
    t.after += [""] * t.r.randint(1, 3)


@manner("ends")
def mixed_ends(t):
    i = t.r.randrange(t.rows)
    need(t.eol == "\n")
    for k in range(i, t.rows):
        edit(t, k, lambda line: line + "\r")


# --- Bytes and encodings -------------------------------------------------------------------------

def good_row(t):
    """A row that no manner made odd: another cell in its place would make it good again."""
    i = t.r.randrange(t.rows)
    need(i not in t.odd)
    return i


@manner("bytes")
def mark(t):
    t.encode = (lambda before: lambda text: b"\xef\xbb\xbf" + before(text))(t.encode)


def recode(t, name, head=""):
    end = t.encode
    t.encode = lambda text: (head + end(text).decode()).encode(name)


@manner("bytes")
def utf16(t):
    recode(t, t.r.pick("utf-16-le", "utf-16-be"), "\ufeff")


@manner("bytes")
def utf16_or_32(t):
    """Without a mark: known by its zeros, or by option."""
    name = t.r.pick("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
    if t.r.chance(0.5):
        t.needs["encoding"] = "encoding=" + name.replace("-le", "le").replace("-be", "be")
    has_mark = t.r.chance(0.5)
    need(has_mark or "encoding" in t.needs or t.separator == "\t" or t.separator >= " ")
    recode(t, name, "\ufeff" if has_mark else "")


@manner("bytes")
def single_bytes(t):
    """By option; without it U+FFFD, which is reported."""
    column = fresh(t, "text")
    i, name = good_row(t), t.r.pick("windows-1252", "windows-1250", "iso-8859-15", "iso-8859-2", "koi8-r")
    text = "\u043a\u043e\u0442" if name == "koi8-r" else "f\xfcr"
    column.cells[i] = text, text
    try:
        t.text().encode(name)
    except UnicodeEncodeError:
        raise Unfit from None
    t.knows["encoding"] = f"encoding={name}"
    if t.r.chance(0.5):
        t.needs["encoding"] = t.knows["encoding"]
    else:
        need("".join(t.needs.values()).isascii() and not t.hints)
        t.odd |= {k for k in range(t.rows) for c in t.columns if not (c.cells[k][0] or "").isascii()}
        t.must_warn = True
    recode(t, name)


@manner("bytes")
def nul_inside(t):
    need(t.rows >= 3)
    column = fresh(t, "text")
    column.cells[good_row(t)] = ("a\0b", "a\0b")


@manner("again")
def rewritten(t):
    """The CSV that `convert` makes of the file; where it has no odd line."""
    need(not t.odd and not t.must_warn and not t.may_fail and not t.loose)
    t.is_rewritten = True
