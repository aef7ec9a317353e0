# SPDX-License-Identifier: MIT
"""drawn_tables.py: random tables whose names, kinds and values are known, and how they are written.

A table is drawn as an ordinary file has it: names, columns of one kind each, some of them with
missing values.  The manners of drawn_manners.py then change how it is written.
"""
import datetime
import itertools
import random

NAMES = """id nr key code item part label title town city street country region species colour shape
size width height depth weight price cost amount total count share rate score grade level rank age
year month day start stop when seen born updated speed power volt mass force angle lat lon alt x y z
alpha beta gamma delta user group team owner source target note remark comment_text status is_open
flag first_name last_name unit_price n_items Temp Wind Rain pH max_load minLoad TotalSum""".split()
WORDS = """amber basil cedar drift ember fjord grove hazel inlet jetty kelp larch maple north ochre
pebble quartz ridge sable thorn umber vale willow yarrow zephyr Ada Bern Cork Dover Essen Fargo Ghent
Halle Izmir Jena Kiel Lyon Metz Nantes Oslo Paris Quito Riga Siena Turin Ulm Varna Wien Xanten York
Zagreb über côte naïve šibenik łódź""".split()
CLASSES = {"R4": "real", "R8": "real", "BL": "bool", "DT": "time", "DZ": "time", "TS": "span",
           "TX": "text"}
TICKS = 10_000_000
EPOCH = datetime.datetime(1, 1, 1)
COMMA_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}


def kind_of(type_):
    return CLASSES.get(type_, "int" if type_[0] in "IU" else type_)


def ticks_of(clock, offset_minutes=0):
    return (clock - EPOCH) // datetime.timedelta(microseconds=1) * 10 - offset_minutes * 60 * TICKS


class Draw(random.Random):
    def chance(self, part):
        return self.random() < part

    def pick(self, *choices):
        return self.choice(choices)

    def word(self):
        return self.choice(WORDS)

    def clock(self):
        return datetime.datetime(self.randint(1950, 2035), self.randint(1, 12), self.randint(1, 28),
                                 self.randrange(24), self.randrange(60), self.randrange(60))


class Column:
    """The cells of a column, each a text and its value; (None, None) is a blank."""

    def __init__(self, name, kind, cells, type_=None):
        self.name, self.kind, self.cells = name, kind, cells
        self.is_kept = False  # no other manner changes it
        self.type = type_ or {"int": "I8", "real": "R8", "bool": "BL", "time": "DT", "span": "TS",
                              "text": "TX"}[kind]

    def replace(self, kind, cells, type_=None):
        self.__init__(self.name, kind, cells, type_)

    def has_value(self):
        return any(text is not None for text, _ in self.cells)


# --- Columns of each kind -------------------------------------------------------------------------

def ints(r, rows):
    top = r.pick(9, 99, 1000, 10**6, 10**12)
    low = r.pick(0, 0, 1, -top)
    if r.chance(0.2):
        first = r.randint(0, 1000)
        return [(str(first + i), first + i) for i in range(rows)]
    return [(str(n), n) for n in (r.randint(low, top) for _ in range(rows))]


def reals(r, rows):
    digits, size = r.randint(1, 6), r.pick(1, 10, 1000, 10**6)
    wholes, signed = r.chance(0.3), r.pick(0, -1)
    cells = []
    for i in range(rows):
        value = r.uniform(signed * size, size)
        text = f"{value:.{digits}f}"
        if wholes and i and r.chance(0.3):
            text = str(int(value)).replace("-0", "0") if abs(value) < 1 else str(int(value))
        elif r.chance(0.03):
            text = f"{value:.3e}"
        cells.append((text, float(text)))
    return cells


def bools(r, rows):
    spelled = r.pick(("true", "false"), ("True", "False"), ("TRUE", "FALSE"))
    return [(spelled[1 - b], bool(b)) for b in (r.randrange(2) for _ in range(rows))]


def times(r, rows):
    form = r.pick("%Y-%m-%d", "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y/%m/%d",
                  "%Y-%m-%d %H:%M")
    cells = []
    for _ in range(rows):
        text = r.clock().strftime(form)
        cells.append((text, ticks_of(datetime.datetime.strptime(text, form))))
    return cells


def spans(r, rows):
    return [(f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}", s * TICKS)
            for s in (r.randrange(86400) for _ in range(rows))]


def texts(r, rows):
    style = r.randrange(5)
    cells = []
    for i in range(rows):
        one = r.word()
        if style == 1:
            one += " " + r.word()
        elif style == 2 and r.chance(0.5):
            one += r.pick(", ", "; ", "|", "\t", ' "', ": ") + r.word()
            one += '"' if ' "' in one else ""
        elif style == 3:
            one = f"{r.pick('A', 'B', 'x')}{r.randrange(1000):03}"
        elif style == 4 and i and r.chance(0.3):
            one = r.pick("", "007", "12:30", "3-4", "yes", "NA", "-", "1,5", "12 %", "1.2.3", "true", "5",
                         "N/A", "null", "$4", "it's", "a#b", "50%", "nan", "?")
        cells.append((one, one))
    return cells


KINDS = {"int": ints, "real": reals, "bool": bools, "time": times, "span": spans, "text": texts}


class Table:
    """A table and how it is written."""

    def __init__(self, r):
        self.r = r
        self.rows = r.pick(1, 2, 3, 4, 5, 8, 12, 20, 40, 40, 70, 150, 260)
        self.columns = []
        names = r.sample(NAMES, r.pick(2, 2, 3, 3, 4, 5, 6, 9))
        if r.chance(0.1):
            names = [name.replace("_", " ").upper() for name in names]
        for name in names:
            kind = r.pick("int", "int", "real", "real", "text", "text", "text", "time", "bool", "span")
            self.columns.append(Column(name, kind, KINDS[kind](r, self.rows)))
        if all(c.kind == "text" for c in self.columns) and r.chance(0.8):
            self.columns[-1].replace("int", ints(r, self.rows))
        for column in self.columns:
            if r.chance(0.2):
                column.cells = [(None, None) if i and r.chance(0.2) else cell
                                for i, cell in enumerate(column.cells)]
        self.separator = ","
        self.quoting = r.pick("least", "least", "least", "texts", "all")
        self.escape = '"'
        self.eol = r.pick("\n", "\n", "\n", "\r\n")
        self.has_header = True
        self.header = list       # what makes of their names those that the file has
        self.is_alone = False    # it stays one column
        self.before, self.after = [], []  # lines at the top and at the end
        self.below = list        # makes those below the header
        self.inserted = {}       # lines before a row
        self.edits = {}          # row, or -1 for the header: what makes another line of it
        self.encode = lambda text: text.encode()
        self.tail = ""
        self.needs = {}          # options that reading needs, as one writes them
        self.knows = {}          # options that say how the file is written
        self.hints = []          # what info has to say: parts of it, by "|"
        self.odd = set()         # rows whose line is odd: reported, and their values do not count
        self.oddities = 0        # manners that make a line unlike the others
        self.loose = set()       # lines among the rows that may be read as rows, and then are reported
        self.may_fail = False    # an error is right, too
        self.must_warn = False
        self.any_names = False   # the header does not say them all
        self.is_rewritten = False  # read and written by the command before it is read back,
        self.is_written_again = False  # which has been done

    # --- Rows and columns

    def add(self, name, kind, cells, type_=None):
        taken = {c.name for c in self.columns}
        while name in taken:
            name += "_b"
        column = Column(name, kind, cells, type_)
        self.columns.insert(self.r.randrange(len(self.columns) + 1), column)
        return column

    def repeat(self, make):
        return [make(self.r) for _ in range(self.rows)]

    def typed(self):
        return [c for c in self.columns if c.kind != "text"]

    # --- Lines

    def field(self, text, is_text):
        if text is None:
            return ""
        if self.separator == "blanks":
            special = any(c in text for c in ' \t"\r\n') or text == ""
        else:
            special = self.separator in text or any(c in text for c in '"\r\n') or text == "" or \
                text != text.strip() or text[0] == "#" or text[:2] == "//"
        if special or self.quoting == "all" or (self.quoting == "texts" and is_text):
            if self.escape == "\\":
                text = text.replace("\\", "\\\\")
            return '"' + text.replace('"', self.escape + '"') + '"'
        return text

    def join(self, fields):
        if self.separator == "blanks":
            return "".join(f.ljust(12) + " " for f in fields[:-1]) + fields[-1]
        return self.separator.join(fields)

    def names(self):
        return self.header([c.name for c in self.columns])

    def header_line(self):
        return self.edits.get(-1, str)(self.join([self.field(n, True) for n in self.names()]))

    def row_line(self, i):
        fields = [self.field(c.cells[i][0], c.kind == "text") for c in self.columns]
        return self.edits.get(i, str)(self.join(fields))

    def lines(self):
        yield from self.before
        if self.has_header:
            yield self.header_line()
        yield from self.below()
        for i in range(self.rows):
            yield from self.inserted.get(i, [])
            yield self.row_line(i)
        yield from self.after

    def text(self):
        return self.eol.join(self.lines()) + self.eol + self.tail

    def data(self):
        return self.encode(self.text())

    # --- What a reader should see

    def loose_rows(self, count):
        """The row numbers of `count` loose lines, for each choice of them."""
        places = [i for i in range(self.rows + 1)
                  for line in (self.inserted.get(i, []) if i < self.rows else self.after) if line in self.loose]
        for chosen in itertools.combinations(places, count):
            yield {i + n for n, i in enumerate(chosen)}

    def wanted_names(self):
        if not self.has_header:
            return [f"C{i}" for i in range(len(self.columns))]
        return [c.name for c in self.columns]

    def known(self):
        """Options that say all about the file, by name."""
        words = {"sep": "sep=" + COMMA_SEPARATORS.get(self.separator, self.separator),
                 "header": "header" + "-+"[self.has_header], "quote": "quote+", "comment": "comment=none",
                 "skip": f"skip={len(self.before)}", "strict": "strict-"}
        types = [f"type={braced(n + ':' + c.type)}" for n, c in zip(self.wanted_names(), self.columns)]
        words["type"] = " ".join(types)
        if self.separator == "blanks":
            words["sep"] = "sep=blanks"
        if self.escape == "\\":
            words["escapechar"] = "escapechar=\\"
        if "\n" in "".join(t or "" for c in self.columns for t, _ in c.cells):
            words["multilines"] = "multilines+"
        return {**words, **self.needs, **self.knows}


def braced(text):
    if not any(c in text for c in ' {}"#=\\') and text.isascii():
        return text
    return "{" + text.replace("{", "\\{").replace("}", "\\}").replace('"', '\\"').replace("#", "\\#") + "}"
