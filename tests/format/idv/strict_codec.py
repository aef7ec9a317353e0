# SPDX-License-Identifier: MIT
"""strict_codec.py: parses codec definitions and blocks of .idv files.

idv:1, idv:4, idv:5 and idv:6 for strict_reader.py, which see.
"""
import struct
import zlib
from collections import namedtuple

I4_MAX, I8_MAX, NA_TICKS = 2**31 - 1, 2**63 - 1, -(2**63)
LAST_TICK, MINUTE, FAR_MINUTES = 3155378975999999999, 600000000, 840
CODEC_DEPTH = 4

# Load name: type, letter of struct (floats as their bits).
FIXED = {
    "SByte": ("I1", "b"), "Int16": ("I2", "h"), "Int32": ("I4", "i"), "Int64": ("I8", "q"),
    "Byte": ("U1", "B"), "UInt16": ("U2", "H"), "UInt32": ("U4", "I"), "UInt64": ("U8", "Q"),
    "Single": ("R4", "I"), "Double": ("R8", "Q"),
    "TimeSpan": ("TS", "q"), "DvTimeSpan": ("TS", "q"),
    "DateTime": ("DT", "q"), "DvDateTime": ("DT", "q"),
}  # fmt: skip
ROW_IDS = {"DataViewRowId", "RowId", "UInt128"}
ZONES = {"DateTimeOffset", "DvDateTimeZone"}
OTHERS = {"TextSpan": "TX", "Boolean": "BL", "DvBool": "BL"}
KINDS = {name: kind for name, (kind, _) in FIXED.items()}
KINDS.update(OTHERS, **dict.fromkeys(ROW_IDS, "UG"), **dict.fromkeys(ZONES, "DZ"))
KEY_MAX = {"Byte": 2**8 - 1, "UInt16": 2**16 - 1, "UInt32": 2**32 - 1, "UInt64": 2**64 - 1}


class Broken(Exception):
    """A broken rule (CORRUPT), a file for another reader (UNSUPPORTED), or too large (LIMIT)."""

    def __init__(self, rule, offset, sentence, verdict="CORRUPT"):
        super().__init__(f"{verdict}: idv:{rule}, byte {offset}: {sentence}")
        self.rule, self.offset, self.verdict = rule, offset, verdict


def need(truth, rule, offset, sentence, verdict="CORRUPT"):
    if not truth:
        raise Broken(rule, offset, sentence, verdict)


class Bytes:
    """Bytes from `at` to `end`, read in order; `rule` is the one that a short read breaks.

    `home` is the offset in the file that is blamed for inflated bytes, which are in no file.
    """

    def __init__(self, data, at, end, rule, home=None, mlnet=False):
        self.data, self.at, self.end, self.rule, self.home = data, at, end, rule, home
        self.mlnet, self.arrays = mlnet, {}

    def left(self):
        return self.end - self.at

    def need(self, truth, rule, at, sentence):
        """Fail with the rule at byte `at` unless the condition holds."""
        need(truth, rule, self.offset(at), sentence)

    def offset(self, at=None):
        return self.home if self.home is not None else self.at if at is None else at

    def take(self, n, what, start=None):
        """The next n bytes; too few break `rule`, at `start` if the field began earlier."""
        self.need(n <= self.left(), self.rule, start, f"{what}: {n} bytes, {self.left()} left")
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, letter, what):
        return struct.unpack("<" + letter, self.take(struct.calcsize("<" + letter), what))[0]

    def array(self, name, letter, n):
        width = struct.calcsize("<" + letter)
        self.arrays[name] = {"at": self.offset(), "width": width, "n": n}
        return list(struct.unpack(f"<{n}{letter}", self.take(n * width, name)))

    def leb64(self, what):
        start, value = self.at, 0
        for shift in range(0, 70, 7):
            byte = self.take(1, what, start=start)[0]
            self.need(shift < 63 or byte <= 1, "1", start, f"{what}: tenth byte is {byte:#x}")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise AssertionError("the tenth byte ends every number")

    def string(self, what):
        start = self.at
        return utf8(self.string_bytes(what), "1", self.offset(start), what)

    def string_bytes(self, what):
        """The bytes of a str of idv:1, not yet checked to be UTF-8."""
        start, length = self.at, 0
        for shift in range(0, 35, 7):
            byte = self.take(1, what, start=start)[0]
            self.need(shift < 28 or byte <= 0x0F, "1", start, f"{what}: fifth byte is {byte:#x}")
            length |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
        self.need(length <= I4_MAX, "1", start, f"{what}: length {length}")
        left = self.left()
        self.need(length <= left, "1", start, f"{what}: length {length} of {left} left")
        return self.take(length, what)


def utf8(raw, rule, offset, what, blame_byte=False):
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        offset += bad.start if blame_byte else 0
        sentence = f"{what}: not UTF-8 at its byte {bad.start}: {bad.reason}"
        raise Broken(rule, offset, sentence) from None


# --- codec definitions (idv:4) --------------------------------------------------------------------

# dims: of a vector; count (0: not known), least (the Min) and contiguous: of a key.
Codec = namedtuple(
    "Codec", "name kind inner dims count least contiguous", defaults=(None, None, None, 0, True)
)


def read_codec(src, depth=1, first=False):
    """A codec, or None for an unknown one: its parameters are skipped, its owner is dead.

    `first`: of a file of version 1.1.1.1, where an unknown one is refused.
    """
    start = name_at = src.at
    src.need(depth <= CODEC_DEPTH, "4.1", start, f"codecs nested deeper than {CODEC_DEPTH}")
    name = src.string("codec name")
    src.need(name, "C1", start, "a codec without a name")
    start = src.at
    nbytes = src.leb64("parameter length")
    src.need(nbytes <= I8_MAX, "C2", start, f"parameter length {nbytes}")
    left = src.left()
    src.need(nbytes <= left, "C3", start, f"{name}: {nbytes} bytes of parameters, {left} left")
    params = Bytes(src.data, src.at, src.at + nbytes, "4", src.home)
    src.at += nbytes
    if name in KINDS:
        codec = Codec(name, KINDS[name])
    elif name in ("VBuffer", "Key", "Key2"):
        inner_at = params.at
        inner = read_codec(params, depth + 1, first)
        if inner is None:
            return None  # C12, ours: dead
        read = {"VBuffer": read_vector, "Key": read_old_key, "Key2": read_key}[name]
        codec = read(params, inner, inner_at)
    else:
        need(not first, "C3", name_at, f"{name} in version 1.1.1.1", "UNSUPPORTED")
        return None
    left = params.left()
    src.need(not left, "C4", start, f"{name}: {left} of {nbytes} bytes of parameters not used")
    return codec


def read_vector(params, inner, inner_at):
    params.need(inner.name != "VBuffer", "C5", inner_at, "a vector of vectors")
    rank_at = params.at
    rank = params.number("i", "rank")
    left = params.left()
    params.need(0 <= rank <= left // 4, "C6", rank_at, f"rank {rank}, {left} bytes left")
    dims, product = [], 1
    for _ in range(rank):
        at = params.at
        dims.append(params.number("i", "dim"))
        product *= dims[-1]
        params.need(dims[-1] >= 0 and product <= I4_MAX, "C6", at, f"dims {dims}")
    return Codec("VBuffer", None, inner, dims or [0])


def key_inner(params, inner, inner_at):
    params.need(inner.name in KEY_MAX, "C8", inner_at, f"a key of {inner.name}")
    return KEY_MAX[inner.name]


def read_key(params, inner, inner_at):
    most = key_inner(params, inner, inner_at)
    at = params.at
    count = params.number("Q", "count")
    params.need(0 < count <= most, "C9", at, f"count {count} of a key of {inner.name}")
    return Codec("Key2", inner.kind, inner, None, count)


def read_old_key(params, inner, inner_at):
    most = key_inner(params, inner, inner_at)
    at = params.at
    contiguous = params.number("B", "contiguous")
    params.need(contiguous <= 1, "C10", at, f"contiguous is {contiguous}")
    least_at, least = params.at, params.number("Q", "min")
    count_at, count = params.at, params.number("i", "count")
    params.need(0 <= count <= most, "C10", count_at, f"count {count} of a key of {inner.name}")
    params.need(contiguous or not count, "C10", count_at, f"count {count}, not contiguous")
    params.need(least + count <= 2**64 - 1, "C10", least_at, f"min {least}, count {count}")
    return Codec("Key", inner.kind, inner, None, count, least, bool(contiguous))


def is_key(codec):
    return codec.name in ("Key", "Key2")


def notation(codec):
    """The type as semantics:1 writes it."""
    if codec.name == "VBuffer":
        return f"V<{notation(codec.inner)},{','.join(str(dim or '*') for dim in codec.dims)}>"
    if not is_key(codec):
        return codec.kind
    last = codec.least + codec.count - 1 if codec.count else "*"
    span = f"{codec.least}-{last}" if codec.contiguous else codec.least
    return f"{codec.kind}[{span}]"


# --- blocks (idv:5) -------------------------------------------------------------------------------


def fixed_nbytes(codec, n):
    """Bytes of n values and the rule that says so; None if only the bytes determine it."""
    if codec.name == "Boolean":
        return (n + 7) // 8, "5.2"
    if codec.name == "DvBool":
        return (n + 15) // 16 * 4, "5.3"
    if codec.name in ZONES:
        return 10 * n, "5.5"
    if codec.name in ROW_IDS:
        return 16 * n, "5.1"
    if codec.name in ("TextSpan", "VBuffer"):
        return None
    return n * struct.calcsize(FIXED[codec.inner.name if is_key(codec) else codec.name][1]), "5.1"


def read_values(codec, src, n):
    """n values as the golden files write them: NA is None."""
    if codec.name == "VBuffer":
        return read_vectors(codec, src, n)
    if codec.name == "TextSpan":
        return read_texts(src, n)
    if codec.name == "Boolean":
        bits = src.array("bits", "B", (n + 7) // 8)
        return [bool(bits[i // 8] >> i % 8 & 1) for i in range(n)]
    if codec.name == "DvBool":
        return read_pairs_of_bits(src, n)
    if codec.name in ZONES:
        return read_zones(src, n)
    if codec.name in ROW_IDS:
        words = src.array("items", "Q", 2 * n)
        return [f"ug:{high:016x}{low:016x}" for low, high in zip(words[::2], words[1::2])]
    if is_key(codec):
        return src.array("items", FIXED[codec.inner.name][1], n)
    return read_fixed(codec, src, n)


def read_fixed(codec, src, n):
    letter, at = FIXED[codec.name][1], src.at
    values = src.array("items", letter, n)
    if codec.kind == "R4":
        return [f"r4:{bits:08x}" for bits in values]
    if codec.kind == "R8":
        return [f"r8:{bits:016x}" for bits in values]
    if codec.kind == "DT":
        for i, ticks in enumerate(values):
            good = ticks == NA_TICKS or 0 <= ticks <= LAST_TICK
            src.need(good, "5.1", at + 8 * i, f"ticks {ticks} of value {i}")
    if codec.kind in ("TS", "DT"):
        return [None if ticks == NA_TICKS else f"{codec.kind.lower()}:{ticks}" for ticks in values]
    if letter.islower():
        least = -(2 ** (8 * struct.calcsize(letter) - 1))
        return [None if value == least else value for value in values]
    return values


def read_pairs_of_bits(src, n):
    at = src.at
    words = src.array("bits", "I", (n + 15) // 16)
    pairs = [words[i // 16] >> 2 * (i % 16) & 3 for i in range(n)]
    for i, pair in enumerate(pairs):
        src.need(pair != 3, "5.3", at + i // 4, f"value {i} is 3")
    return [(False, True, None)[pair] for pair in pairs]


def read_zones(src, n):
    at = src.at
    offsets, ticks_at = src.array("offsets", "h", n), src.at
    ticks = src.array("ticks", "q", n)
    values = []
    for i, (clock, minutes) in enumerate(zip(ticks, offsets)):
        is_na = clock == NA_TICKS
        clock, minutes = 0 if is_na else clock, 0 if minutes == -32768 else minutes
        if not is_na or src.mlnet:  # to us NA is NA, whatever its offset
            said = f"ticks {clock}, offset {minutes} of value {i}"
            src.need(abs(minutes) <= FAR_MINUTES, "5.5", at + 2 * i, said)
            for time in (clock, clock - minutes * MINUTE):
                src.need(0 <= time <= LAST_TICK, "5.5", ticks_at + 8 * i, said)
        values.append(None if is_na else f"dz:{clock}:{minutes}")
    return values


def read_texts(src, n):
    """idv:5.4, in UTF-16 units: no boundary is mapped to bytes."""
    whole, outer, src.rule = src.at, src.rule, "5.4"
    entries = src.number("i", "entries")
    src.need(entries == n, "X1", whole, f"{entries} entries, {n} wanted")
    at = src.at
    words, ends, last = src.array("ends", "I", n), [], 0
    for i, word in enumerate(words):
        end = word & I4_MAX
        blamed = src.offset(at + 4 * i)
        if word >> 31:
            need(end == last, "X3", blamed, f"NA of value {i} ends at {end}, not {last}")
        need(end >= last, "X2", blamed, f"value {i} ends at {end}, before {last}")
        ends.append(end)
        last = end
    length_at = src.at
    raw = src.string_bytes("text")
    src.rule, text_at = outer, src.offset(src.at - len(raw))
    src.arrays["text"] = {"at": text_at, "width": 1, "n": len(raw)}
    last_at = src.offset(length_at - 4 if n else length_at)
    need(last <= len(raw) <= 3 * last, "X4", last_at, f"{len(raw)} bytes cannot be {last} units")
    units = utf8(raw, "5.4", text_at, "text", src.home is None).encode("utf-16-le")
    need(len(units) == 2 * last, "X4", last_at, f"{len(units) // 2} units, {last} declared")
    starts = [0] + ends[:-1]
    cuts = zip(words, starts, ends)
    return [None if word >> 31 else text_of(units[2 * a : 2 * b]) for word, a, b in cuts]


def text_of(units):
    try:
        return units.decode("utf-16-le")
    except UnicodeDecodeError:  # a half of a pair, cut by a boundary
        return {"utf16": [unit for (unit,) in struct.iter_unpack("<H", units)]}


def read_vectors(codec, src, n):
    start, src.rule = src.at, "5.6"
    product = 1
    for dim in codec.dims:
        product *= dim
    vectors = src.number("i", "number of vectors")
    src.need(vectors == n, "V1", start, f"{vectors} vectors, {n} wanted")
    at, size = src.at, src.number("i", "size")
    good = size == product if product else size >= 0
    src.need(good, "V2", at, f"size {size}, the type's is {product}")
    at = src.at
    lengths = src.array("lengths", "i", n) if not size else [size] * n
    for i, length in enumerate(lengths):
        src.need(length >= 0, "V3", at + 4 * i, f"length {length} of vector {i}")
    at = src.at
    counts = src.array("counts", "i", n)
    total = 0
    for i, (count, length) in enumerate(zip(counts, lengths)):
        src.need(count >= -1, "V4", at + 4 * i, f"count {count} of vector {i}")
        good = count < length or count == -1
        src.need(good, "V5", at + 4 * i, f"count {count} of {length} slots")
        total += length if count == -1 else count
    at, number = src.at, src.number("i", "number of indices")
    src.need(0 <= number <= src.left() // 4, "V7", at, f"{number} indices, {src.left()} bytes left")
    wanted = sum(count for count in counts if count > 0)
    src.need(number == wanted, "5.6", at, f"{number} indices, the counts say {wanted}")
    indices = read_indices(src, number, counts, lengths)
    src.need(total <= I4_MAX, "5.6", at, f"{total} items in a block")
    items = read_values(codec.inner, src, total)
    return group_vectors(lengths, counts, indices, items)


def read_indices(src, number, counts, lengths):
    at, indices, i = src.at, src.array("indices", "i", number), 0
    for count, length in zip(counts, lengths):
        before = -1
        for i in range(i, i + max(count, 0)):
            good = before < indices[i] < length
            src.need(good, "V6", at + 4 * i, f"index {indices[i]} after {before} of {length}")
            before = indices[i]
        i += count > 0
    return indices


def group_vectors(lengths, counts, indices, items):
    vectors, item, index = [], 0, 0
    for length, count in zip(lengths, counts):
        stored = length if count == -1 else count
        own = items[item : item + stored]
        if count == -1:
            vectors.append({"len": length, "dense": own})
        else:
            vectors.append({"len": length, "idx": indices[index : index + count], "val": own})
            index += count
        item += stored
    return vectors


# --- compression (idv:6) --------------------------------------------------------------------------


def inflate(stored, compression, most, offset, verdict="CORRUPT"):
    """Inflate the whole stream, at most `most` bytes; nothing may follow its end."""
    stream = zlib.decompressobj(wbits=-15 if compression == 1 else 15)
    try:
        block = stream.decompress(stored, most + 1)
    except zlib.error as bad:
        raise Broken("6", offset, f"no DEFLATE stream: {bad}") from None
    need(len(block) <= most, "6", offset, f"the stream gives more than {most} bytes", verdict)
    need(stream.eof, "6", offset, "the stream ends before its end")
    need(not stream.unused_data, "6", offset, f"{len(stream.unused_data)} bytes follow the stream")
    return block
