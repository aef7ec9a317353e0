# SPDX-License-Identifier: MIT
"""Which lookup entries, lengths and compressed streams are wrong?  (idv:3.2 and idv:6)"""

import struct

from case import corrupt, patched
from cases_header import I32_MAX, I32_MIN, I64_MAX, I64_MIN
from idvfile import (
    Bits,
    Column,
    Meta,
    Stored,
    compose,
    deflate,
    deflate_stored,
    deflate_zeros,
    fixed,
    fixed_match,
    fixed_symbol,
    i32,
    i64,
    leb,
    text,
    vbuffer,
    vector,
    zlib_wrap,
)

ABC = bytes(text('abc').raw)  # 12 bytes: what the streams should inflate to
MIB = 1 << 20


def texts(code=0, block=None):
    """One row, "abc", or the block given."""
    return compose(Column('t', 'TextSpan', [block or text('abc')], code))


def labelled(code=0, block=None):
    """The same as metadata."""
    entry = Meta('ScoreColumnKind', 'TextSpan', block or text('abc'), code)
    return compose(Column('x', 'Single', [fixed('f', 1.0)], meta=[entry]))


def cases():
    yield from entries()
    yield from plausible()
    yield from not_deflate()
    yield from deflate_length()
    yield from not_zlib()
    yield from limits()


def entries():
    for field, rule in (('stored', 'L2'), ('inflated', 'L3')):
        for story, value in (('negative', -1), ('minimum', I32_MIN)):
            why = f'{field} length {value}'
            yield patched(
                '37', f'{field}_{story}', rule, texts(), f'c0.l0.{field}', i32(value), why
            )
            yield patched(
                '37', f'{field}_{story}_deflate', rule, texts(1), f'c0.l0.{field}', i32(value), why
            )
    tail = texts().at['tail_signature']
    for story, offset in (
        ('block_in_header', 255),
        ('block_zero', 0),
        ('block_negative', -1),
        ('block_minimum', I64_MIN),
        ('block_past_tail', tail - 11),
        ('block_at_tail', tail),
        ('block_maximum', I64_MAX),
    ):
        why = f'12 bytes at {offset}, tail {tail}'
        yield patched('38', story, 'L4', texts(), 'c0.l0.offset', i64(offset), why)
    file = texts().set('c0.l0.stored', i32(I32_MAX)).set('c0.l0.inflated', i32(I32_MAX))
    yield corrupt('38', 'block_longer_than_file', 'L4', file, 'c0.l0.offset', '2^31 - 1 bytes')
    file = texts(1).set('c0.l0.stored', i32(tail))
    yield corrupt(
        '38', 'block_longer_than_file_deflate', 'L4', file, 'c0.l0.offset', f'{tail} bytes'
    )
    two = [fixed('f', 1.0), fixed('f', 2.0)]
    file = compose(Column('x', 'Single', two), rows=2, rpb=1).set('c0.l1.offset', i64(255))
    yield corrupt('38', 'block_second_in_header', 'L4', file, 'c0.l1.offset', 'block 1 at 255')


def plausible():
    """Lengths in a lookup entry that cannot be, refused before a byte is inflated."""
    stored = len(deflate(ABC))
    for story, code, inflated in (
        ('inflated_1033_times', 1, 1032 * stored + 1),
        ('inflated_maximum', 1, I32_MAX),
        ('inflated_maximum_zlib', 2, I32_MAX),
    ):
        file = texts(code).set('c0.l0.inflated', i32(inflated))
        yield corrupt('39', story, '6', file, 'c0.l0.inflated', f'{inflated} bytes from a few')
    block = vector([-1], fixed('f', 1, 2, 3), size=3)
    file = compose(Column('v', vbuffer('Single', 3), [block], 1)).set(
        'c0.l0.inflated', i32(1 << 20)
    )
    yield corrupt(
        '39', 'inflated_1033_times_vector', '6', file, 'c0.l0.inflated', '1 MiB from a few'
    )
    file = texts(1).set('c0.l0.inflated', i32(1032 * stored))
    yield corrupt(
        '42', 'inflated_1032_times', '6', file, 'c0.b0', 'possible, but the stream ends before'
    )
    file = texts(1, Stored(b'', 1))
    yield corrupt('39', 'inflated_from_nothing', '6', file, 'c0.l0.inflated', '1 byte from 0')
    for story, inflated in (
        ('raw_longer', 13),
        ('raw_shorter', 11),
        ('raw_zero', 0),
        ('raw_maximum', I32_MAX),
    ):
        file = texts().set('c0.l0.inflated', i32(inflated))
        yield corrupt(
            '40', story, '6', file, 'c0.l0.inflated', f'12 bytes stored raw, {inflated} declared'
        )
    for story, inflated in (('raw_single_longer', 8), ('raw_single_shorter', 3)):
        file = compose(Column('x', 'Single', [fixed('f', 1.0)])).set(
            'c0.l0.inflated', i32(inflated)
        )
        yield corrupt(
            '40', story, '6', file, 'c0.l0.inflated', f'4 bytes stored raw, {inflated} declared'
        )


def streams():
    """DEFLATE that is no DEFLATE: story, bytes, why."""

    def fixed_block():
        return Bits().put(1, 1).put(1, 2)

    def dynamic_block(HCLEN=19):
        return Bits().put(1, 1).put(2, 2).put(0, 5).put(0, 5).put(HCLEN - 4, 4)

    def literal(bits):
        return fixed_symbol(bits, ord('a'))

    yield 'block_type_3', b'\x07' + bytes(7), 'block type 3'
    wrong = b'\1' + struct.pack('<HH', 12, 12) + ABC
    yield 'len_nlen', wrong, 'LEN and NLEN do not match'
    yield 'distance_too_far', fixed_symbol(
        fixed_match(literal(fixed_block()), 3, 2), 256
    ).bytes(), '2 of 1'
    yield 'distance_at_start', fixed_symbol(fixed_match(fixed_block(), 3, 1), 256).bytes(), '1 of 0'
    far = fixed_symbol(literal(fixed_block()), 257).code(30, 5)
    yield 'distance_symbol_30', fixed_symbol(far, 256).bytes(), 'a distance symbol that is not used'
    for symbol in (286, 287):
        far = fixed_symbol(literal(fixed_block()), symbol).code(0, 5)
        yield f'length_symbol_{symbol}', fixed_symbol(
            far, 256
        ).bytes(), 'a length symbol that is not used'
    lengths = dynamic_block()
    for _ in range(19):
        lengths.put(1, 3)
    yield 'code_oversubscribed', lengths.put(0, 64).bytes(), '19 codes of one bit'
    lengths = dynamic_block(4).put(1, 3).put(1, 3).put(0, 3).put(0, 3)
    yield 'repeat_of_nothing', lengths.put(0, 64).bytes(), 'symbol 16 as the first code length'
    yield 'zlib_head', zlib_wrap(deflate(ABC), ABC), 'RFC 1950 where RFC 1951 is declared'
    yield 'not_compressed', ABC, 'the text itself'


def not_deflate():
    for story, stream, why in streams():
        file = texts(1, Stored(stream, 12))
        yield corrupt('41', f'deflate_{story}', '6', file, 'c0.b0', why)
    file = compose(Column('x', 'Single', [Stored(b'\7\0', 4)], 1))
    yield corrupt(
        '41', 'deflate_block_type_3_single', '6', file, 'c0.b0', 'block type 3, fixed width'
    )
    file = labelled(1, Stored(b'\7\0', 0))
    yield corrupt(
        '41', 'deflate_block_type_3_metadata', '6', file, 'c0.m0', 'block type 3, metadata'
    )
    blocks = [text('abc'), text('abc')]
    file = compose(Column('t', 'TextSpan', blocks, 1), rows=2, rpb=1)
    file.set('c0.b1', b'\7')
    yield corrupt('41', 'deflate_second_block', '6', file, 'c0.b1', 'block type 3 in block 1')


def deflate_length():
    for story, stream, why in (
        ('ends_early', deflate(ABC[:11]), 'gives 11 bytes'),
        ('gives_nothing', deflate(b''), 'gives 0 bytes'),
        ('stored_cut', deflate_stored(ABC)[:-1], 'a stored block without its last byte'),
        ('stored_cut_head', deflate_stored(ABC)[:3], 'a stored block without NLEN'),
        ('fixed_cut', deflate(ABC)[:-2], 'fixed codes without the end'),
        ('dynamic_cut', deflate_zeros(100)[:4], 'cut inside the code lengths'),
        ('no_final_block', deflate_stored(ABC, final=0), 'no block is the last'),
    ):
        yield corrupt('42', f'deflate_{story}', '6', texts(1, Stored(stream, 12)), 'c0.b0', why)
    yield corrupt(
        '42', 'deflate_empty', '6', texts(1, Stored(b'', 0)), 'c0.b0', '0 bytes are no stream'
    )
    surplus = ABC + b'd'
    for story, stream, why in (
        ('gives_more', deflate(surplus), '13 bytes'),
        (
            'gives_more_stored',
            deflate_stored(ABC, final=0) + deflate_stored(b'd'),
            '12 and 1 bytes',
        ),
        ('trailing_byte', deflate(ABC) + b'\0', 'a byte follows the end'),
        ('trailing_byte_stored', deflate_stored(ABC) + b'\0', 'a byte follows the end'),
        ('twice', deflate(ABC) * 2, 'a second stream follows'),
    ):
        yield corrupt('43', f'deflate_{story}', '6', texts(1, Stored(stream, 12)), 'c0.b0', why)
    one = bytes(fixed('f', 1.0).raw)
    for story, numbers, stream in (
        ('ends_early', '42', deflate(one[:3])),
        ('gives_more', '43', deflate(one + b'\0')),
        ('trailing_byte', '43', deflate(one) + b'\0'),
    ):
        file = compose(Column('x', 'Single', [Stored(stream, 4)], 1))
        yield corrupt(
            numbers, f'deflate_single_{story}', '6', file, 'c0.b0', 'fixed width, 4 bytes'
        )
    file = labelled(1, Stored(deflate(ABC) + b'\0', 0))
    yield corrupt(
        '43', 'deflate_metadata_trailing_byte', '6', file, 'c0.m0', 'a byte follows the end'
    )
    file = labelled(1, Stored(deflate(ABC)[:-2], 0))
    yield corrupt('42', 'deflate_metadata_cut', '6', file, 'c0.m0', 'fixed codes without the end')


def not_zlib():
    """Code 2; everything here is right if the wrapper is."""
    stream = deflate(ABC)
    good = zlib_wrap(stream, ABC)
    for numbers, story, raw, why in (
        ('41', 'method_7', zlib_wrap(stream, ABC, b'\x77\x85'), 'compression method 7'),
        ('41', 'window_64k', zlib_wrap(stream, ABC, b'\x88\x1c'), 'window of 64 KiB'),
        ('41', 'head_check', zlib_wrap(stream, ABC, b'\x78\x9d'), 'header check bits'),
        ('41', 'dictionary', zlib_wrap(stream, ABC, b'\x78\xbb'), 'a preset dictionary'),
        ('41', 'raw_deflate', stream, 'RFC 1951 where RFC 1950 is declared'),
        ('41', 'adler', zlib_wrap(stream, ABC, check=1), 'wrong Adler-32'),
        ('41', 'adler_swapped', good[:-4] + good[:-5:-1], 'Adler-32 low byte first'),
        ('42', 'adler_missing', good[:-4], 'no Adler-32'),
        ('42', 'adler_cut', good[:-1], '3 bytes of Adler-32'),
        ('42', 'head_cut', good[:1], '1 byte'),
        ('42', 'ends_early', zlib_wrap(deflate(ABC[:11]), ABC[:11]), 'gives 11 bytes'),
        ('43', 'gives_more', zlib_wrap(deflate(ABC + b'd'), ABC + b'd'), 'gives 13 bytes'),
        ('43', 'trailing_byte', good + b'\0', 'a byte follows Adler-32'),
    ):
        file = texts(2, Stored(raw, 12))
        yield corrupt(numbers, f'zlib_{story}', '6', file, 'c0.b0', why)
    for numbers, story, raw, why in (
        ('41', 'adler', zlib_wrap(stream, ABC, check=1), 'wrong Adler-32'),
        ('43', 'trailing_byte', good + b'\0', 'a byte follows Adler-32'),
    ):
        file = labelled(2, Stored(raw, 0))
        yield corrupt(numbers, f'zlib_metadata_{story}', '6', file, 'c0.m0', why)


def limits():
    """Sound, but larger than a reader should believe."""
    length = 64 * MIB
    head = struct.pack('<iI', 1, length) + leb(length)
    plain = deflate_stored(head, final=0) + deflate_zeros(length)
    for story, code, stream in (
        ('metadata_bomb', 1, plain),
        ('metadata_bomb_zlib', 2, zlib_wrap(plain, head + bytes(length))),
    ):
        file = labelled(code, Stored(stream, 0))
        why = '64 MiB of NUL, and 12 bytes before it'
        yield corrupt('49', story, 'metadata_nbytes', file, 'c0.m0', why, 'LIMIT')
    stored = (1 << 30) // 1032 + 1
    file = compose(Column('t', 'TextSpan', [Stored(bytes(stored), (1 << 30) + 1)], 1))
    why = f'1 GiB + 1 from {stored} bytes'
    yield corrupt('39', 'inflated_1gib', 'block_nbytes', file, 'c0.l0.inflated', why, 'LIMIT')
