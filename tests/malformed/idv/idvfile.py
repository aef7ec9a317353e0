# SPDX-License-Identifier: MIT
"""How is an .idv file put together byte by byte?  (docs/spec/idv.md)

A composer for tests: it knows the layout, and lets every single field be something else.  It
shares no code with the library, and its DEFLATE is its own, so the same input gives the same bytes
with any release of Python or zlib.

    file = compose(Column('x', 'Single', [fixed('f', 1.0, 2.0)]), rows=2)
    file.at['c0.l0.stored']             offset of a field
    file.set('c0.l0.stored', i32(-1))   the file with that field replaced

Fields of variable width are given when the part is made.  In each of them a str or an int is written
well-formed, and bytes are written as they are: Column(name=b'\\x05ab') has a name that runs short.

Names of the fields of a file, for column i, block or entry k:

    signature version compatible toc tail rows columns       header
    ci.name ci.codec ci.code ci.rpb ci.lookup ci.meta        column TOC; in 1.1.1.3 instead of meta:
    ci.slots ci.slots_nbytes ci.slots_count                  ci.sk.index ci.sk.name are the pairs
    ci.codec.P ci.codec.<parameter> ci.codec.inner.P ...     codec definition
    ci.lk ci.lk.offset ci.lk.stored ci.lk.inflated           lookup table
    ci.bk ci.bk.<field>                                      block; its fields only if stored raw
    ci.t ci.tk.kind ci.tk.codec ci.tk.code ci.tk.offset ci.tk.nbytes   metadata TOC
    ci.mk ci.mk.<field>                                      metadata block
    tail_signature end
"""

import struct
import zlib
from dataclasses import dataclass, field
from typing import NamedTuple

NA = 1 << 31  # of a text boundary
TICKS_NA = -(1 << 63)
TICKS_MAX = 3155378975999999999
HEAD_SIGNATURE = bytes.fromhex('434d4c0044564200')
TAIL_SIGNATURE = HEAD_SIGNATURE[::-1]
REGIONS = ('blocks', 'lookups', 'metadata', 'toc')


def version(minor):
    """The version word of 1.1.1.minor."""
    return 0x0001000100010000 | minor


def u8(value):
    return struct.pack('<B', value)


def i16(value):
    return struct.pack('<h', value)


def i32(value):
    return struct.pack('<i', value)


def u32(value):
    return struct.pack('<I', value)


def i64(value):
    return struct.pack('<q', value)


def u64(value):
    return struct.pack('<Q', value)


def leb(value, width=1):
    """Unsigned LEB128 in at least `width` bytes; more than needed is not minimal, but legal."""
    if isinstance(value, bytes):
        return value
    out = bytearray()
    while value > 0x7F or len(out) < width - 1:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def string(value, length=None):
    """A str field: its byte count, or `length` instead of it, and its UTF-8."""
    if isinstance(value, bytes):
        return value
    raw = value.encode()
    return leb(len(raw) if length is None else length) + raw


class Part:
    """Bytes that remember where their named fields start.  Changes return the part itself."""

    def __init__(self):
        self.raw = bytearray()
        self.at = {}

    def put(self, name, raw):
        """Append a field."""
        self.at[name] = len(self.raw)
        self.raw += raw
        return self

    def add(self, name, part):
        """Append a part; its field f becomes name.f."""
        start = len(self.raw)
        self.at.update({f'{name}.{inner}': start + at for inner, at in part.at.items()})
        return self.put(name, part.raw)

    def set(self, name, raw):
        """Replace the bytes of a field by as many others."""
        at = self.at[name]
        assert at + len(raw) <= len(self.raw)
        self.raw[at : at + len(raw)] = raw
        return self

    def cut(self, name, keep=0):
        """Drop all from a field on, except its first `keep` bytes."""
        del self.raw[self.at[name] + keep :]
        return self


# Codec definitions (idv:4)


def codec(name, params=None, P=None):
    """A codec definition; P is the length of the parameters unless given."""
    params = params or Part()
    part = Part().put('name', string(name))
    part.put('P', leb(len(params.raw) if P is None else P))
    start = len(part.raw)
    part.at.update({inner: start + at for inner, at in params.at.items()})
    part.raw += params.raw
    return part


def as_codec(definition):
    """A name alone stands for a codec without parameters."""
    return definition if isinstance(definition, Part) else codec(definition)


def vbuffer(inner, *dims, rank=None, P=None):
    params = Part().add('inner', as_codec(inner))
    params.put('rank', i32(len(dims) if rank is None else rank))
    for i, dim in enumerate(dims):
        params.put(f'dim{i}', i32(dim))
    return codec('VBuffer', params, P)


def key2(inner, count, P=None):
    return codec('Key2', Part().add('inner', as_codec(inner)).put('count', u64(count)), P)


def key(inner, count, least=0, contiguous=1, P=None):
    params = Part().add('inner', as_codec(inner)).put('contiguous', u8(contiguous))
    return codec('Key', params.put('min', u64(least)).put('count', i32(count)), P)


# Block contents (idv:5)


def fixed(form, *values):
    """Values of one width, `form` as in struct: fields v0, v1, ..."""
    part = Part()
    for i, value in enumerate(values):
        part.put(f'v{i}', struct.pack('<' + form, value))
    return part


def opaque(raw):
    """Bytes without named fields."""
    return Part().put('v0', raw)


def packed(values, width, unit):
    """Values of `width` bits, low first, in whole units of bytes."""
    per_unit = 8 * unit // width
    number = sum(value << width * i for i, value in enumerate(values))
    return opaque(number.to_bytes((len(values) + per_unit - 1) // per_unit * unit, 'little'))


def booleans(*values):
    """A Boolean block."""
    return packed(values, 1, 1)


def dvbools(*values):
    """A DvBool block; value i lies in byte i / 4."""
    return packed(values, 2, 4)


def text_raw(raw, *ends, entries=None, length=None):
    """A TextSpan block of given bytes and boundaries: fields entries, end0, ..., str, bytes."""
    part = Part().put('entries', i32(len(ends) if entries is None else entries))
    for i, end in enumerate(ends):
        part.put(f'end{i}', u32(end))
    return part.put('str', leb(len(raw) if length is None else length)).put('bytes', raw)


def text(*values):
    """A TextSpan block of str values, None = NA."""
    ends, units = [], 0
    for value in values:
        units += len((value or '').encode('utf-16-le')) // 2
        ends.append(units | NA if value is None else units)
    return text_raw(''.join(value or '' for value in values).encode(), *ends)


def zones(*pairs):
    """A DateTimeOffset block of (ticks, offset in minutes): fields offset0, ..., ticks0, ..."""
    part = Part()
    for i, (_, minutes) in enumerate(pairs):
        part.put(f'offset{i}', i16(minutes))
    for i, (ticks, _) in enumerate(pairs):
        part.put(f'ticks{i}', i64(ticks))
    return part


def vector(counts, items, size=0, lengths=(), indices=(), n=None, k=None):
    """A VBuffer block: fields n, size, length0, ..., count0, ..., K, index0, ..., items."""
    part = Part().put('n', i32(len(counts) if n is None else n)).put('size', i32(size))
    for name, values in (('length', lengths), ('count', counts)):
        for i, value in enumerate(values):
            part.put(f'{name}{i}', i32(value))
    part.put('K', i32(len(indices) if k is None else k))
    for i, value in enumerate(indices):
        part.put(f'index{i}', i32(value))
    return part.add('items', items)


# Compression (idv:6, RFC 1951, RFC 1950)


class Bits:
    """Bits in DEFLATE's order."""

    def __init__(self):
        self.value = self.count = 0

    def put(self, value, width):
        """A number, low bit first."""
        self.value |= value << self.count
        self.count += width
        return self

    def code(self, value, width):
        """A Huffman code, high bit first."""
        for bit in reversed(range(width)):
            self.put(value >> bit & 1, 1)
        return self

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, 'little')


FIXED_CODE = ((0, 0x30, 8), (144, 0x190, 9), (256, 0, 7), (280, 0xC0, 8))  # symbol, code, width


def fixed_symbol(bits, symbol):
    """A literal, 256 for the end, or a length symbol, in the fixed code."""
    first, code, width = [row for row in FIXED_CODE if symbol >= row[0]][-1]
    return bits.code(code + symbol - first, width)


def fixed_match(bits, length, distance):
    """Copy 3..10 bytes from 1..4 back: the symbols without extra bits."""
    return fixed_symbol(bits, 254 + length).code(distance - 1, 5)


def deflate(raw):
    """One block of fixed codes, with matches where bytes repeat closely."""
    bits, at = Bits().put(1, 1).put(1, 2), 0
    while at < len(raw):
        length, distance = max((run_length(raw, at, back), -back) for back in (1, 2, 3, 4))
        if length >= 3:
            fixed_match(bits, length, -distance)
        else:
            fixed_symbol(bits, raw[at])
            length = 1
        at += length
    return fixed_symbol(bits, 256).bytes()


def run_length(raw, at, back):
    """How many bytes, at most 10, repeat what stands `back` before them."""
    n = 0
    while back <= at and n < 10 and at + n < len(raw) and raw[at + n] == raw[at + n - back]:
        n += 1
    return n


def deflate_stored(raw, final=1):
    """One block without compression, of at most 65535 bytes."""
    return bytes([final]) + struct.pack('<HH', len(raw), len(raw) ^ 0xFFFF) + raw


def deflate_zeros(n):
    """n > 0 zero bytes as a last block, almost 1032 of them in each byte.

    Dynamic codes: lengths 1, 2, 2 for the symbols 285 (258 bytes), 0 and 256; 1 for distance 1.
    """
    head = Bits().put(1, 1).put(2, 2).put(286 - 257, 5).put(0, 5).put(18 - 4, 4)
    for symbol in (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1):
        head.put({18: 1, 1: 2, 2: 2}.get(symbol, 0), 3)
    one, two, zeros = (2, 2), (3, 2), (0, 1)
    head.code(*two).code(*zeros).put(138 - 11, 7).code(*zeros).put(117 - 11, 7)
    head.code(*two).code(*zeros).put(28 - 11, 7).code(*one).code(*one)
    runs, rest = divmod(n - 1, 258)
    head.code(2, 2).put(0, 2 * runs)  # a zero; runs of 258, each of them two zero bits
    for _ in range(rest):
        head.code(2, 2)
    return head.code(3, 2).bytes()


def zlib_wrap(stream, raw, head=b'\x78\x9c', check=None):
    """A DEFLATE stream in the wrapper of RFC 1950, raw being what it inflates to."""
    return head + stream + struct.pack('>I', zlib.adler32(raw) if check is None else check)


class Stored(NamedTuple):
    """A block exactly as it lies in the file, and the inflated length the lookup entry claims."""

    raw: bytes
    inflated: int


def store(block, code):
    """A block's part as it lies in the file, and its inflated length."""
    if isinstance(block, Stored):
        return opaque(block.raw), block.inflated
    raw = bytes(block.raw)
    if code == 1:
        return opaque(deflate(raw)), len(raw)
    if code == 2:
        return opaque(zlib_wrap(deflate(raw), raw)), len(raw)
    return block, len(raw)


# Files (idv:2, idv:3)


@dataclass
class Meta:
    """A metadata entry; nbytes and offset default to the truth."""

    kind: object
    codec: object
    block: object
    code: int = 0
    nbytes: object = None


@dataclass
class Column:
    """A column; rpb defaults to that of the file.  slots: pairs (index, name) of 1.1.1.3."""

    name: object
    codec: object
    blocks: list = field(default_factory=list)
    code: int = 0
    rpb: object = None
    meta: list = field(default_factory=list)
    meta_count: object = None
    slots: list = field(default_factory=list)


def compose(
    *columns, rows=1, rpb=None, minor=6, compatible=None, order=REGIONS, pad=b'', trailer=b''
):
    """A whole file.  order: of the regions; pad: before each region; trailer: after the tail.

    The layout of the TOC follows minor; minor and compatible (words) can be replaced with set().
    """
    word = version(minor)
    file = Part().put('signature', HEAD_SIGNATURE).put('version', u64(word))
    file.put('compatible', u64(word if compatible is None else compatible))
    file.put('toc', i64(0)).put('tail', i64(0)).put('rows', i64(rows))
    file.put('columns', i32(len(columns))).put('unused', bytes(204))

    write = {'blocks': put_blocks, 'lookups': put_lookups, 'metadata': put_metadata}
    links = []  # fields that hold an offset, set when all offsets are known
    for region in order:
        file.raw += pad
        if region == 'toc':
            file.put('toc_start', b'')
        for i, column in enumerate(columns):
            if region == 'toc':
                put_toc_entry(file, f'c{i}', column, minor, rpb or max(rows, 1), links)
            else:
                write[region](file, f'c{i}', column, links)
    file.raw += pad
    file.put('tail_signature', TAIL_SIGNATURE).put('end', b'')
    file.raw += trailer
    for name, target in [('toc', 'toc_start'), ('tail', 'tail_signature')] + links:
        file.set(name, i64(file.at[target]))
    return file


def put_blocks(file, c, column, links):
    for k, block in enumerate(column.blocks):
        file.add(f'{c}.b{k}', store(block, column.code)[0])


def put_lookups(file, c, column, links):
    file.put(f'{c}.l', b'')
    for k, block in enumerate(column.blocks):
        stored, inflated = store(block, column.code)
        entry = Part().put('offset', i64(0)).put('stored', i32(len(stored.raw)))
        file.add(f'{c}.l{k}', entry.put('inflated', i32(inflated)))
        links.append((f'{c}.l{k}.offset', f'{c}.b{k}'))


def put_metadata(file, c, column, links):
    """Metadata blocks and their TOC; in 1.1.1.3 the slot names."""
    if column.slots:
        file.put(f'{c}.s', b'')
        for k, (index, name) in enumerate(column.slots):
            file.put(f'{c}.s{k}.index', i32(index)).put(f'{c}.s{k}.name', string(name))
        file.put(f'{c}.s_end', b'')
    if not column.meta:
        return
    for k, meta in enumerate(column.meta):
        file.add(f'{c}.m{k}', store(meta.block, meta.code)[0])
    file.put(f'{c}.t', leb(len(column.meta) if column.meta_count is None else column.meta_count))
    for k, meta in enumerate(column.meta):
        length = len(store(meta.block, meta.code)[0].raw)
        file.put(f'{c}.t{k}.kind', string(meta.kind)).add(f'{c}.t{k}.codec', as_codec(meta.codec))
        file.put(f'{c}.t{k}.code', u8(meta.code)).put(f'{c}.t{k}.offset', i64(0))
        file.put(f'{c}.t{k}.nbytes', leb(length if meta.nbytes is None else meta.nbytes))
        links.append((f'{c}.t{k}.offset', f'{c}.m{k}'))


def put_toc_entry(file, c, column, minor, rpb, links):
    file.put(f'{c}.name', string(column.name)).add(f'{c}.codec', as_codec(column.codec))
    file.put(f'{c}.code', u8(column.code))
    file.put(f'{c}.rpb', leb(rpb if column.rpb is None else column.rpb)).put(f'{c}.lookup', i64(0))
    links.append((f'{c}.lookup', f'{c}.l'))
    if minor == 3:
        file.put(f'{c}.slots', i64(0))
        if column.slots:
            links.append((f'{c}.slots', f'{c}.s'))
            nbytes = file.at[f'{c}.s_end'] - file.at[f'{c}.s']
            file.put(f'{c}.slots_nbytes', i64(nbytes)).put(
                f'{c}.slots_count', i32(len(column.slots))
            )
    if minor >= 4:
        file.put(f'{c}.meta', i64(0))
        if column.meta:
            links.append((f'{c}.meta', f'{c}.t'))


def end_at(file, name, keep=0):
    """The file with the tail signature right after the first `keep` bytes of a field."""
    file.cut(name, keep).put('tail_signature', TAIL_SIGNATURE).put('end', b'')
    return file.set('tail', i64(file.at['tail_signature']))
