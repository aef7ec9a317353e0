# SPDX-License-Identifier: MIT
"""Which block contents are wrong?  (idv:5; vectors: cases_vector)"""

from case import corrupt
from cases_header import I32_MAX
from cases_toc import BAD_UTF8
from idvfile import (
    NA,
    TICKS_MAX,
    TICKS_NA,
    Column,
    Meta,
    compose,
    dvbools,
    fixed,
    key,
    key2,
    opaque,
    text,
    text_raw,
    vbuffer,
    vector,
    zones,
)


def inside(prefix, where):
    """A position in a file: a field of a block, (field, bytes past its start), or '' for all."""
    name, delta = where if isinstance(where, tuple) else (where, 0)
    return (f'{prefix}.{name}' if name else prefix, delta)


def block(numbers, story, rule, codec, content, where, why, rows=1, code=0, status='CORRUPT'):
    """A column of one block.  If that is deflated, the block as a whole is blamed."""
    file = compose(Column('c', codec, [content], code), rows=rows)
    return corrupt(numbers, story, rule, file, inside('c0.b0', '' if code else where), why, status)


def value(numbers, story, rule, codec, content, where, why, code=0):
    """The same as metadata."""
    meta = Meta('Kind', codec, content, code)
    file = compose(Column('x', 'Single', [fixed('f', 1.0)], meta=[meta]))
    return corrupt(numbers, story, rule, file, inside('c0.m0', '' if code else where), why)


def cases():
    yield from fixed_lengths()
    yield from dates()
    yield from zone_ranges()
    yield from dvbool_patterns()
    yield from text_entries()
    yield from text_boundaries()
    yield from text_units()
    yield from text_inflated()
    yield from text_metadata()
    yield from text_lengths()
    yield from text_utf8()
    yield from text_utf8_inflated()
    yield from keys_above_count()


def fixed_lengths():
    """Stored and inflated length agree, yet are not what n values need."""
    for codec, width in (
        ('SByte', 1),
        ('UInt16', 2),
        ('Single', 4),
        ('Int64', 8),
        ('TimeSpan', 8),
        ('DateTime', 8),
        ('DataViewRowId', 16),
        ('RowId', 16),
    ):
        for story, n in (('one_more', 3 * width + 1), ('one_less', 3 * width - 1)):
            file = compose(Column('c', codec, [opaque(bytes(n))]), rows=3)
            why = f'{n} bytes for 3 values of {width}'
            yield corrupt('44', f'{codec.lower()}_{story}', '5.1', file, 'c0.l0.inflated', why)
    for story, rule, codec, n in (
        ('key_one_row_more', '5.1', key2('UInt32', 3), 16),
        ('key_of_byte_wide', '5.1', key('Byte', 3), 12),
        ('boolean_one_more', '5.2', 'Boolean', 2),
        ('boolean_empty', '5.2', 'Boolean', 0),
        ('dvbool_as_boolean', '5.3', 'DvBool', 1),
        ('dvbool_two_words', '5.3', 'DvBool', 8),
        ('zone_one_more', '5.5', 'DateTimeOffset', 31),
        ('zone_one_less', '5.5', 'DvDateTimeZone', 29),
        ('zone_ticks_only', '5.5', 'DateTimeOffset', 24),
    ):
        file = compose(Column('c', codec, [opaque(bytes(n))]), rows=3)
        yield corrupt('44', story, rule, file, 'c0.l0.inflated', f'{n} bytes for 3 values')
    file = compose(Column('c', 'Boolean', [opaque(bytes(1))]), rows=9)
    yield corrupt('44', 'boolean_9_in_1', '5.2', file, 'c0.l0.inflated', '1 byte for 9 values')
    for story, rule, codec, n in (
        ('deflate_single_row_more', '5.1', 'Single', 16),
        ('deflate_boolean_more', '5.2', 'Boolean', 3),
        ('deflate_zone_less', '5.5', 'DateTimeOffset', 20),
    ):
        file = compose(Column('c', codec, [opaque(bytes(n))], 1), rows=3)
        yield corrupt('44', story, rule, file, 'c0.l0.inflated', f'{n} bytes for 3 values')
    blocks = [fixed('f', 1, 2), fixed('f', 3, 4)]
    file = compose(Column('x', 'Single', blocks), rows=3, rpb=2)
    yield corrupt('44', 'last_block_full', '5.1', file, 'c0.l1.inflated', '1 row, 2 values')
    for story, rule, codec, n in (
        ('metadata_boolean_2', '5.2', 'Boolean', 2),
        ('metadata_int32_3', '5.1', 'Int32', 3),
        ('metadata_zone_9', '5.5', 'DateTimeOffset', 9),
        ('metadata_dvbool_1', '5.3', 'DvBool', 1),
    ):
        yield value('44', story, rule, codec, opaque(bytes(n)), '', f'{n} bytes for 1 value')
        yield value(
            '44', f'{story}_deflate', rule, codec, opaque(bytes(n)), '', f'{n} bytes for 1', 1
        )


def dates():
    for story, ticks in (
        ('date_minus_1', -1),
        ('date_maximum_plus_1', TICKS_MAX + 1),
        ('date_2p63_minus_1', (1 << 63) - 1),
        ('date_na_plus_1', TICKS_NA + 1),
    ):
        content = fixed('q', 0, TICKS_NA, ticks)
        yield block('56', story, '5.1', 'DateTime', content, 'v2', f'ticks {ticks}', 3)
        content = fixed('q', 0, ticks, 0)
        why = f'ticks {ticks}'
        yield block('56', f'{story}_deflate', '5.1', 'DvDateTime', content, 'v1', why, 3, 1)
    content = fixed('q', *[0] * 70, -1, -1)
    yield block(
        '56', 'date_row_70', '5.1', 'DateTime', content, 'v70', 'ticks -1 in rows 70 and 71', 72
    )
    content = vector([-1], fixed('q', 0, -1), size=2)
    yield block(
        '56', 'date_in_vector', '5.1', vbuffer('DateTime', 2), content, 'items.v1', 'ticks -1'
    )
    content = vector([1], fixed('q', -1), size=9, indices=[4])
    yield block(
        '56',
        'date_in_sparse_vector',
        '5.1',
        vbuffer('DateTime', 9),
        content,
        'items.v0',
        'ticks -1',
    )
    yield value('56', 'date_in_metadata', '5.1', 'DateTime', fixed('q', -1), 'v0', 'ticks -1')


def zone_ranges():
    for story, pair, field in (
        ('zone_offset_841', (TICKS_MAX // 2, 841), 'offset1'),
        ('zone_offset_minus_841', (TICKS_MAX // 2, -841), 'offset1'),
        ('zone_offset_maximum', (TICKS_MAX // 2, 32767), 'offset1'),
        ('zone_offset_minus_32767', (TICKS_MAX // 2, -32767), 'offset1'),
        ('zone_ticks_minus_1', (-1, 0), 'ticks1'),
        ('zone_ticks_above', (TICKS_MAX + 1, 0), 'ticks1'),
        ('zone_local_below_0', (-1, -60), 'ticks1'),
        ('zone_local_above', (TICKS_MAX + 1, 60), 'ticks1'),
        ('zone_utc_below_0', (0, 60), 'ticks1'),
        ('zone_utc_just_below_0', (599999999, 1), 'ticks1'),
        ('zone_utc_above', (TICKS_MAX, -1), 'ticks1'),
        ('zone_utc_just_above', (TICKS_MAX - 840 * 600000000 + 1, -840), 'ticks1'),
    ):
        content = zones((0, 0), pair)
        why = f'ticks {pair[0]}, offset {pair[1]}'
        yield block('57', story, '5.5', 'DateTimeOffset', content, field, why, 2)
    for story, pair in (('zone_offset_900_deflate', (0, 900)), ('zone_utc_deflate', (0, 60))):
        why = f'ticks {pair[0]}, offset {pair[1]}'
        yield block('57', story, '5.5', 'DvDateTimeZone', zones((0, 0), pair), '', why, 2, 1)
    content = vector([-1], zones((0, 0), (0, 1000)), size=2)
    codec = vbuffer('DateTimeOffset', 2)
    yield block('57', 'zone_in_vector', '5.5', codec, content, 'items.offset1', 'offset 1000')
    yield value(
        '57', 'zone_in_metadata', '5.5', 'DateTimeOffset', zones((0, 60)), 'ticks0', 'UTC below 0'
    )


def dvbool_patterns():
    yield block('55', 'dvbool_3', '5.3', 'DvBool', dvbools(0, 1, 3), 'v0', 'row 2 is 3', 3)
    content = dvbools(*[2] * 21, 3, 0, 1)
    yield block('55', 'dvbool_3_row_21', '5.3', 'DvBool', content, ('v0', 5), 'row 21 is 3', 24)
    content = dvbools(*[1] * 40, 3)
    yield block('55', 'dvbool_3_last_row', '5.3', 'DvBool', content, ('v0', 10), 'row 40 is 3', 41)
    yield block(
        '55', 'dvbool_3_deflate', '5.3', 'DvBool', dvbools(*[3] * 20), '', 'all are 3', 20, 1
    )
    content = vector([-1, 1], dvbools(0, 1, 2, 0, 3), size=4, indices=[2])
    codec = vbuffer('DvBool', 4)
    yield block(
        '55', 'dvbool_3_in_vector', '5.3', codec, content, ('items.v0', 1), 'item 4 is 3', 2
    )
    yield value('55', 'dvbool_3_in_metadata', '5.3', 'DvBool', dvbools(3), 'v0', 'the value is 3')


def text_entries():
    for story, entries in (
        ('one_more', 3),
        ('one_less', 1),
        ('zero', 0),
        ('negative', -1),
        ('maximum', I32_MAX),
    ):
        content = text_raw(b'ab', 1, 2, entries=entries)
        yield block(
            '50',
            f'text_entries_{story}',
            'X1',
            'TextSpan',
            content,
            'entries',
            f'{entries} of 2',
            2,
        )


def text_boundaries():
    for story, ends, wrong in (
        ('decreases', (2, 1, 3), 1),
        ('decreases_after_na', (2, 2 | NA, 1), 2),
        ('decreases_to_0', (1, 3, 0), 2),
        ('decreases_from_maximum', (I32_MAX, 3, 3), 1),
    ):
        content = text_raw(b'abc', *ends)
        yield block(
            '51', f'text_{story}', 'X2', 'TextSpan', content, f'end{wrong}', f'ends {ends}', 3
        )
    for story, ends, wrong in (
        ('na_with_text', (1, 3 | NA, 3), 1),
        ('na_before', (2, 1 | NA, 3), 1),
        ('na_first_with_text', (1 | NA, 2, 3), 0),
        ('na_last_with_text', (1, 2, 3 | NA), 2),
        ('na_all_bits', (3, 3, 0xFFFFFFFF), 2),
    ):
        content = text_raw(b'abc', *ends)
        yield block(
            '52', f'text_{story}', 'X3', 'TextSpan', content, f'end{wrong}', f'ends {ends}', 3
        )


def text_units():
    for story, raw, ends in (
        ('short', b'abc', (1, 2)),
        ('long', b'abc', (1, 4)),
        ('far', b'abc', (1, I32_MAX)),
        ('in_bytes', 'éé'.encode(), (2, 4)),
        ('in_characters', '\U0001f600a'.encode(), (1, 2)),
        ('in_characters_4', '\U0001f600'.encode(), (0, 1)),
        ('3_of_4', '\U0001f600'.encode(), (0, 3)),
        ('long_3_byte', '€€'.encode(), (1, 3)),
        ('without_text', b'', (0, 1)),
        ('na_only', b'abc', (NA, NA)),
        ('short_not_utf8', b'\xff' * 4, (0, 1)),
        ('long_not_utf8', b'\xff', (1, 2)),
    ):
        content = text_raw(raw, *ends)
        why = f'{raw} ends at {ends[1] & I32_MAX}'
        yield block('53', f'text_units_{story}', 'X4', 'TextSpan', content, 'end1', why, 2)
    many = 'é' * 100
    content = text_raw(many.encode(), *range(1, 70), 101)
    yield block(
        '53', 'text_units_of_70_rows', 'X4', 'TextSpan', content, 'end69', '100 units, 101 declared', 70
    )


def text_inflated():
    for numbers, story, rule, ends in (
        ('51', 'decreases', 'X2', (2, 1, 3)),
        ('52', 'na_with_text', 'X3', (1, 3 | NA, 3)),
        ('53', 'units_short', 'X4', (1, 2, 2)),
    ):
        content = text_raw(b'abc', *ends)
        yield block(
            numbers, f'text_{story}_deflate', rule, 'TextSpan', content, '', f'ends {ends}', 3, 1
        )
        yield block(
            numbers, f'text_{story}_zlib', rule, 'TextSpan', content, '', f'ends {ends}', 3, 2
        )


def text_metadata():
    for story, rule, content, where in (
        ('metadata_text_entries', 'X1', text_raw(b'ab', 1, 2), 'entries'),
        ('metadata_text_na', 'X3', text_raw(b'ab', 2 | NA), 'end0'),
        ('metadata_text_units', 'X4', text_raw(b'ab', 1), 'end0'),
    ):
        number = {'X1': '50', 'X3': '52', 'X4': '53'}[rule]
        yield value(number, story, rule, 'TextSpan', content, where, 'one value')
        yield value(number, f'{story}_deflate', rule, 'TextSpan', content, '', 'one value', 1)


def text_lengths():
    for story, content, where in (
        ('empty', text('abc').cut('entries'), 'entries'),
        ('cut_entries', text('abc').cut('entries', 3), 'entries'),
        ('without_ends', text('abc').cut('end0'), 'end0'),
        ('cut_end', text('abc').cut('end0', 2), 'end0'),
        ('without_str', text('abc').cut('str'), 'str'),
        ('cut_length', text_raw(b'', 0, length=b'\x81'), 'str'),
    ):
        yield block('-', f'text_{story}', '5.4', 'TextSpan', content, where, 'the block ends here')
    for story, length in (
        ('longer_than_block', 4),
        ('far_longer_than_block', I32_MAX),
        ('length_2p31', 1 << 31),
        ('length_of_6_bytes', b'\x83\x80\x80\x80\x80\x00'),
        ('length_fifth_byte_10', b'\x83\x80\x80\x80\x10'),
    ):
        content = text_raw(b'abc', 3, length=length)
        yield block('15,16', f'text_{story}', '1', 'TextSpan', content, 'str', 'length of the text')
    content = text('abc').put('surplus', b'\0')
    yield block('45', 'text_surplus', '5', 'TextSpan', content, 'surplus', 'a byte after the text')
    yield block(
        '45', 'text_surplus_deflate', '5', 'TextSpan', content, '', 'a byte after the text', code=1
    )
    content = text_raw(b'abc', 3, length=2).set('end0', b'\2')
    yield block(
        '45', 'text_length_one_less', '5', 'TextSpan', content, ('bytes', 2), '2 of 3 bytes declared'
    )
    content = text_raw(b'', 0).put('surplus', text('abc').raw)
    yield value(
        '45', 'metadata_text_surplus', '5', 'TextSpan', content, 'surplus', 'a second block'
    )
    yield value(
        '45', 'metadata_text_surplus_deflate', '5', 'TextSpan', content, '', 'a second block', 1
    )


def text_utf8():
    """The boundary is such that only the bytes are to blame."""
    more = (
        ('overlong_c1', b'\xc1\xbf'),
        ('overlong_e0_80', b'\xe0\x80\x80'),
        ('surrogate_dfff', b'\xed\xbf\xbf'),
        ('byte_f5', b'\xf5\x80\x80\x80'),
        ('byte_fe', b'\xfe'),
        ('cut_2', b'\xc3'),
        ('cut_3', b'\xe2\x82'),
        ('cut_4', b'\xf0\x9f\x98'),
        ('cut_4_first', b'\xf0'),
        ('overlong_4_zero', b'\xf0\x80\x80\x80'),
    )
    for kind, raw in BAD_UTF8 + more:
        start = next(i for i, byte in enumerate(raw) if byte >= 0x80)
        content = text_raw(b'ab' + raw, len(raw) + 2)
        where = ('bytes', start + 2)
        yield block('54', f'text_utf8_{kind}', '5.4', 'TextSpan', content, where, raw.hex(' '))
    for kind, raw in (
        ('second_byte_ascii', b'\xc3a'),
        ('third_byte_ascii', b'\xe2\x82a'),
        ('fourth_byte_ascii', b'\xf0\x9f\x98a'),
        ('second_byte_lead', b'\xe2\xe2\x82\xac'),
    ):
        content = text_raw(b'ab' + raw + b'cd', len(raw) + 4)
        yield block(
            '54', f'text_utf8_{kind}', '5.4', 'TextSpan', content, ('bytes', 2), raw.hex(' ')
        )
    for at in (15, 16, 31, 32, 62, 63, 64, 127, 200):
        raw = b'a' * at + b'\xed\xa0\x80' + b'a' * (201 - at)
        content = text_raw(raw, len(raw))
        yield block(
            '54',
            f'text_utf8_at_{at}',
            '5.4',
            'TextSpan',
            content,
            ('bytes', at),
            'ed a0 80 in ASCII',
        )
    raw = 'é'.encode() * 40 + b'\x80' + 'é'.encode() * 40
    content = text_raw(raw, 100)
    yield block(
        '54',
        'text_utf8_among_valid',
        '5.4',
        'TextSpan',
        content,
        ('bytes', 80),
        'one byte too many',
    )


def text_utf8_inflated():
    content = text_raw(b'ab\xff', 3)
    yield block('54', 'text_utf8_deflate', '5.4', 'TextSpan', content, '', 'ff', code=1)
    yield block('54', 'text_utf8_zlib', '5.4', 'TextSpan', content, '', 'ff', code=2)
    yield value(
        '54', 'text_utf8_in_metadata', '5.4', 'TextSpan', content, ('bytes', 2), 'ff in metadata'
    )
    yield value(
        '54', 'text_utf8_in_metadata_deflate', '5.4', 'TextSpan', content, '', 'ff in metadata', 1
    )


def keys_above_count():
    """Legal: the value is delivered as it is, and means missing."""

    def warning(*args, **kwargs):
        return block('66', *args, status='WARNING', **kwargs)

    yield warning(
        'key_above_count', '4.1', key2('UInt32', 5), fixed('I', 1, 5, 6), 'v2', '6 of 5', rows=3
    )
    content = fixed('B', 0, 255, 3)
    yield warning(
        'old_key_above_count', '4.1', key('Byte', 3, 7), content, 'v1', '255 of 3', rows=3
    )
    content = fixed('Q', 0, (1 << 64) - 1)
    codec = key2('UInt64', (1 << 64) - 2)
    yield warning(
        'key_maximum_above_count', '4.1', codec, content, 'v1', '2^64 - 1 of one less', rows=2
    )
    content = vector([-1, 1], fixed('H', 1, 2, 9), size=2, indices=[1])
    codec = vbuffer(key2('UInt16', 8), 2)
    yield warning('key_above_count_in_vector', '4.1', codec, content, 'items.v2', '9 of 8', rows=2)
    content = fixed('I', 1, 6, 5)
    yield warning(
        'key_above_count_deflate', '4.1', key2('UInt32', 5), content, '', '6 of 5', rows=3, code=1
    )
