# SPDX-License-Identifier: MIT
"""Which column and metadata tables are wrong?  (idv:1 and idv:3; codec definitions: cases_codec)"""

from case import corrupt, patched
from cases_header import I32_MAX, I64_MAX, I64_MIN, plain
from idvfile import (
    REGIONS,
    Column,
    Meta,
    booleans,
    compose,
    end_at,
    fixed,
    i32,
    i64,
    leb,
    opaque,
    vbuffer,
    vector,
)

LONG = 'a_name_that_is_longer_than_an_entry'
BAD_UTF8 = (
    ('byte_ff', b'a\xff'),
    ('lone_continuation', b'\x80a'),
    ('overlong_nul', b'\xc0\x80'),
    ('overlong_3', b'\xe0\x9f\xbf'),
    ('overlong_4', b'\xf0\x8f\xbf\xbf'),
    ('surrogate', b'\xed\xa0\x80'),
    ('above_10ffff', b'\xf4\x90\x80\x80'),
    ('cut', b'a\xe2\x82'),
)
BAD_LENGTH = (
    ('of_6_bytes', b'\x81\x80\x80\x80\x80\x00'),
    ('fifth_byte_10', b'\x81\x80\x80\x80\x10'),
    ('negative', b'\x81\x80\x80\x80\x08'),
    ('maximum', b'\xff\xff\xff\xff\x07'),
    ('beyond_region', leb(100)),
)
BAD_LEB64 = (
    ('tenth_byte_2', b'\x81' + b'\x80' * 8 + b'\x02'),
    ('tenth_byte_7f', b'\xff' * 9 + b'\x7f'),
    ('of_11_bytes', b'\x81' + b'\x80' * 9 + b'\x00'),
)


def named(name='x', codec='Single', rpb=None):
    return compose(Column(name, codec, [fixed('f', 1.0)], rpb=rpb))


def flagged(**changes):
    """A column with one metadata entry, which can differ."""
    entry = {'kind': 'IsNormalized', 'codec': 'Boolean', 'block': booleans(1), **changes}
    return compose(Column('x', 'Single', [fixed('f', 1.0)], meta=[Meta(**entry)]))


def cases():
    yield from strings()
    yield from numbers()
    yield from column_entries()
    yield from column_toc_cut()
    yield from slot_names()
    yield from metadata_entries()
    yield from metadata_toc_cut()
    yield from limits()


def strings():
    for kind, length in BAD_LENGTH:
        raw, why = length + b'x', f'length {length.hex()}'
        yield corrupt('15,16', f'name_length_{kind}', '1', named(raw), 'c0.name', why)
        yield corrupt('15,16', f'kind_length_{kind}', '1', flagged(kind=raw), 'c0.t0.kind', why)
    file = named(codec=vbuffer('Single', 3).set('name', leb(100)))
    yield corrupt('16', 'codec_name_beyond_region', '1', file, 'c0.codec', 'length 100')
    file = named(codec=vbuffer('Single', 3).set('inner', leb(17)))
    yield corrupt('16', 'inner_name_beyond_params', '1', file, 'c0.codec.inner', '17 of 16 bytes')
    for kind, raw in BAD_UTF8:
        field, why = leb(len(raw)) + raw, raw.hex(' ')
        yield corrupt('18', f'name_utf8_{kind}', '1', named(field), 'c0.name', why)
    field = b'\3a\xff\xfe'
    yield corrupt('18', 'kind_utf8', '1', flagged(kind=field), 'c0.t0.kind', 'kind with ff fe')
    file = flagged(kind=b'\2k\xc3')
    yield corrupt('18', 'kind_utf8_cut', '1', file, 'c0.t0.kind', 'c3 as the last byte of a kind')
    file = flagged(codec=field)
    yield corrupt('18', 'metadata_codec_utf8', '1', file, 'c0.t0.codec', 'codec name with ff fe')
    file = compose(Column('x', field, [fixed('f', 1.0)]))
    yield corrupt('18', 'codec_utf8', '1', file, 'c0.codec', 'codec name with ff fe')
    file = named(codec=vbuffer(b'\6Singl\xe5', 3))
    yield corrupt('18', 'inner_codec_utf8', '1', file, 'c0.codec.inner', 'inner name ends with e5')


def numbers():
    for kind, raw in BAD_LEB64:
        why = f'leb64 {raw.hex()}'
        yield corrupt('17', f'rpb_{kind}', '1', named(rpb=raw), 'c0.rpb', why)
        file = flagged(nbytes=raw)
        yield corrupt('17', f'metadata_length_{kind}', '1', file, 'c0.t0.nbytes', why)
        file = compose(
            Column(
                'x',
                'Single',
                [fixed('f', 1.0)],
                meta_count=raw,
                meta=[Meta('IsNormalized', 'Boolean', booleans(1))],
            )
        )
        yield corrupt('17', f'metadata_count_{kind}', '1', file, 'c0.t', why)


def column_entries():
    yield corrupt('19', 'name_empty', 'T5', named(''), 'c0.name', 'alive column without a name')
    yield corrupt('31', 'rpb_zero', 'T1', named(rpb=0), 'c0.rpb', 'rpb 0, 1 row')
    for story, rpb in (
        ('rpb_2p31', 1 << 31),
        ('rpb_2p32_plus_5', (1 << 32) + 5),
        ('rpb_2p63', 1 << 63),
        ('rpb_2p64_minus_1', (1 << 64) - 1),
    ):
        yield corrupt('32', story, 'T1', named(rpb=rpb), 'c0.rpb', f'rpb {rpb}')
    file = compose(Column('x', 'Single', rpb=1 << 32), rows=0)
    yield corrupt('32', 'rpb_2p32_without_rows', 'T1', file, 'c0.rpb', 'rpb 2^32, 0 rows')
    two = [fixed('f', 1.0), fixed('f', 2.0)]
    for story, codec in (('rpb_differs', 'Single'), ('rpb_differs_in_dead_column', 'Mystery')):
        file = compose(
            Column('x', 'Single', two, rpb=1), Column('y', codec, two[:1], rpb=2), rows=2
        )
        yield corrupt('33', story, 'T2', file, 'c1.rpb', 'rpb 1, then 2', 'UNSUPPORTED')
    tail = plain().at['tail_signature']
    for story, offset in (
        ('lookup_in_header', 255),
        ('lookup_zero', 0),
        ('lookup_negative', -1),
        ('lookup_one_too_far', tail - 15),
        ('lookup_at_tail', tail),
        ('lookup_maximum', I64_MAX),
        ('lookup_minimum', I64_MIN),
    ):
        why = f'lookup offset {offset}, tail {tail}'
        yield patched('34', story, 'T3', plain(), 'c0.lookup', i64(offset), why)
    for story, rows in (
        ('lookup_size_wraps_to_0', 1 << 60),
        ('lookup_size_wraps_to_16', (1 << 60) + 1),
        ('rows_maximum', I64_MAX),
        ('blocks_2p31', 1 << 31),
        ('lookup_too_short', 100),
    ):
        file = plain().set('rows', i64(rows))
        yield corrupt('35', story, 'T3', file, 'c0.lookup', f'{rows} rows, 1 a block')
    file = compose(Column('y', 'Mystery', [fixed('f', 1.0)])).set('c0.lookup', i64(255))
    yield corrupt('34', 'lookup_of_dead_column', 'T3', file, 'c0.lookup', 'dead, but in the header')
    for story, offset in (
        ('metadata_1', 1),
        ('metadata_in_header', 255),
        ('metadata_negative', -1),
        ('metadata_past_tail', tail + 1),
        ('metadata_maximum', I64_MAX),
    ):
        why = f'metadata offset {offset}, tail {tail}'
        yield patched('36', story, 'T4', plain(), 'c0.meta', i64(offset), why)
    file = compose(Column('y', 'Mystery', [fixed('f', 1.0)])).set('c0.meta', i64(255))
    yield corrupt('36', 'metadata_of_dead_column', 'T4', file, 'c0.meta', 'dead, but in the header')


def column_toc_cut():
    """The second of two entries ends at the tail; the first is long enough for idv:H8."""

    def two(**changes):
        second = {'name': 'y', 'codec': 'Single', 'blocks': [fixed('f', 2.0)], **changes}
        return compose(Column(LONG, 'Single', [fixed('f', 1.0)]), Column(**second))

    for field, keep in (
        ('name', 0),
        ('codec', 0),
        ('codec.P', 0),
        ('code', 0),
        ('rpb', 0),
        ('lookup', 0),
        ('lookup', 7),
        ('meta', 0),
        ('meta', 7),
    ):
        file = end_at(two(), f'c1.{field}', keep)
        story = f'toc_cut_{field.replace(".", "_").lower()}_{keep}'
        yield corrupt('11', story, '3.1', file, f'c1.{field}', f'{keep} bytes of the field')
    for field, raw in (('name', b'\x81\x80'), ('rpb', b'\x81\x80')):
        file = end_at(two(**{field: raw}), f'c1.{field}', 1)
        yield corrupt('11', f'toc_cut_{field}_1', '3.1', file, f'c1.{field}', 'first byte of a leb')
    file = end_at(two(codec=vbuffer('Single', 3)), 'c1.codec.P')
    yield corrupt('11', 'toc_cut_vector_p_0', '3.1', file, 'c1.codec.P', 'after the name VBuffer')
    for field in ('name', 'codec'):
        file = end_at(two(name='yes'), f'c1.{field}', 2)
        yield corrupt('11,16', f'toc_cut_{field}_2', '1', file, f'c1.{field}', '1 character left')
    file = compose(
        Column(LONG, 'Single', [fixed('f', 1.0)]), Column('y', 'Single', [fixed('f', 2.0)]), minor=2
    )
    file = end_at(file, 'c1.lookup', 6)
    yield corrupt('11', 'toc_cut_1112', '3.1', file, 'c1.lookup', 'layout of 1.1.1.2, 6 bytes of 8')
    file = compose(Column(LONG, 'Single', [fixed('f', 1.0)]), minor=3)
    file = end_at(file, 'c0.slots', 4)
    yield corrupt('11', 'toc_cut_1113', '3.1', file, 'c0.slots', 'layout of 1.1.1.3, 4 bytes of 8')
    file = compose(Column(LONG, 'Single', [fixed('f', 1.0)]), minor=3).set('c0.slots', i64(255))
    why = 'a wrong offset, after which nothing follows'
    yield corrupt('11', 'toc_cut_1113_slots', '3.1', file, ('c0.slots', 8), why)


def slotted(*pairs):
    block = vector([-1], fixed('f', 1, 2, 3), size=3)
    return compose(Column('v', vbuffer('Single', 3), [block], slots=pairs), minor=3)


def slot_names():
    for story, pairs in (
        ('slot_index_3', [(0, 'a'), (3, 'b')]),
        ('slot_index_negative', [(0, 'a'), (-1, 'b')]),
        ('slot_index_maximum', [(0, 'a'), (I32_MAX, 'b')]),
        ('slot_twice', [(2, 'a'), (2, 'b')]),
    ):
        why = f'slot {pairs[1][0]} of 3, after {pairs[0][0]}'
        yield corrupt('-', story, '3.1', slotted(*pairs), 'c0.s1.index', why)
    good = [(0, 'the_first'), (2, 'the_third')]
    tail = slotted(*good).at['tail_signature']
    for story, field, raw, why in (
        ('slots_in_header', 'slots', i64(255), 'offset 255'),
        ('slots_negative', 'slots', i64(-1), 'offset -1'),
        ('slots_past_tail', 'slots', i64(tail + 1), 'offset tail + 1'),
        ('slots_offset_maximum', 'slots', i64(I64_MAX), 'offset 2^63 - 1'),
        ('slots_too_long', 'slots_nbytes', i64(tail), 'as many bytes as the file'),
        ('slots_size_negative', 'slots_nbytes', i64(-1), '-1 bytes'),
        ('slots_size_maximum', 'slots_nbytes', i64(I64_MAX), 'offset + 2^63 - 1 wraps'),
        ('slots_count_negative', 'slots_count', i32(-1), '-1 pairs'),
    ):
        yield patched('-', story, '3.1', slotted(*good), f'c0.{field}', raw, why)
    file = slotted(*good).set('c0.slots_count', i32(3))
    yield corrupt('-', 'slots_one_missing', '3.1', file, 'c0.s_end', '3 pairs declared, 2 there')
    nbytes = slotted(*good).at['c0.s_end'] - slotted(*good).at['c0.s']
    file = slotted(*good).set('c0.slots_nbytes', i64(nbytes + 1))
    yield corrupt('-', 'slots_one_byte_more', '3.1', file, 'c0.s_end', 'a byte after the last pair')
    for kind, codec, content in (
        ('scalar', 'Single', fixed('f', 1.0)),
        ('unknown_size', vbuffer('Single', 0), vector([-1], fixed('f', 1.0), size=1)),
    ):
        file = compose(Column('v', codec, [content], slots=good), minor=3)
        yield corrupt('-', f'slots_of_{kind}', '3.1', file, 'c0.slots_count', 'no slots to name')
    file = slotted(*good)
    file.set('c0.s1.name', leb(10))
    yield corrupt('16', 'slot_name_beyond_region', '1', file, 'c0.s1.name', '10 of 9 bytes')
    yield corrupt(
        '18', 'slot_name_utf8', '1', slotted((1, b'\2a\xff')), 'c0.s0.name', 'a name with ff'
    )


def metadata_entries():
    for story, count in (
        ('metadata_count_0', 0),
        ('metadata_count_2p31_minus_1', I32_MAX),
        ('metadata_count_2p32_plus_1', (1 << 32) + 1),
        ('metadata_count_2p63', 1 << 63),
    ):
        file = compose(
            Column(
                'x',
                'Single',
                [fixed('f', 1.0)],
                meta_count=count,
                meta=[Meta('IsNormalized', 'Boolean', booleans(1))],
            )
        )
        yield corrupt('46', story, 'M1', file, 'c0.t', f'{count} entries')
    yield corrupt('47', 'kind_empty', 'M2', flagged(kind=''), 'c0.t0.kind', 'kind without a name')
    for story, codec in (('kind_twice', 'Boolean'), ('kind_twice_once_dead', 'Mystery')):
        pair = [Meta('K', 'Boolean', booleans(1)), Meta('K', codec, booleans(1))]
        file = compose(Column('x', 'Single', [fixed('f', 1.0)], meta=pair))
        yield corrupt('47', story, 'M3', file, 'c0.t1.kind', 'kind K for the second time')
    tail = flagged().at['tail_signature']
    for story, offset in (
        ('metadata_block_in_header', 255),
        ('metadata_block_zero', 0),
        ('metadata_block_negative', -1),
        ('metadata_block_past_tail', tail + 1),
        ('metadata_block_maximum', I64_MAX),
    ):
        why = f'block offset {offset}, tail {tail}'
        yield patched('48', story, 'M4', flagged(), 'c0.t0.offset', i64(offset), why)
    file = flagged(codec='Mystery').set('c0.t0.offset', i64(255))
    yield corrupt(
        '48', 'metadata_block_of_dead_entry', 'M4', file, 'c0.t0.offset', 'dead, in the header'
    )
    file = flagged().set('c0.t0.offset', i64(tail))
    yield corrupt(
        '48', 'metadata_block_at_tail', 'M5', file, 'c0.t0.nbytes', '1 byte from the tail on'
    )
    for story, nbytes in (
        ('metadata_length_0', 0),
        ('metadata_length_past_tail', 300),
        ('metadata_length_2p63', 1 << 63),
        ('metadata_length_2p63_minus_1', I64_MAX),
        ('metadata_length_2p64_minus_1', (1 << 64) - 1),
    ):
        why = f'{nbytes} bytes'
        yield corrupt('48', story, 'M5', flagged(nbytes=nbytes), 'c0.t0.nbytes', why)
    file = flagged()
    left = leb(file.at['tail_signature'] - file.at['c0.m0'] + 1)
    yield patched(
        '48', 'metadata_length_one_too_many', 'M5', file, 'c0.t0.nbytes', left, 'tail + 1'
    )


def metadata_toc_cut():
    """The metadata TOC is the last region, so that the tail ends it."""
    order = [region for region in REGIONS if region != 'metadata'] + ['metadata']
    metas = [Meta(LONG + '1', 'Boolean', booleans(1)), Meta(LONG + '2', 'Boolean', booleans(1))]

    def last():
        return compose(Column('x', 'Single', [fixed('f', 1.0)], meta=metas), order=order)

    for field, keep in (
        ('kind', 0),
        ('codec', 0),
        ('codec.P', 0),
        ('code', 0),
        ('offset', 0),
        ('offset', 5),
        ('nbytes', 0),
    ):
        file = end_at(last(), f'c0.t1.{field}', keep)
        story = f'metadata_toc_cut_{field.replace(".", "_").lower()}_{keep}'
        yield corrupt('-', story, '3.3', file, f'c0.t1.{field}', f'{keep} bytes of the field')
    file = end_at(last(), 'c0.t1.kind', 9)
    yield corrupt('16', 'metadata_toc_cut_kind_9', '1', file, 'c0.t1.kind', '8 of 36 characters')
    file = end_at(last(), 'c0.t')
    yield corrupt('-', 'metadata_toc_at_tail', '3.3', file, 'c0.t', 'no byte for the count')
    file = last()
    file.set('c0.t1.nbytes', b'\x81')
    yield corrupt(
        '-', 'metadata_toc_cut_nbytes_1', '3.3', file, 'c0.t1.nbytes', 'first byte of a leb'
    )


def limits():
    """Small files that ask for much work or memory."""
    for story, columns in (
        ('rows_without_columns', []),
        ('rows_of_dead_columns', [Column('y', 'Mystery', [opaque(b'')])]),
    ):
        file = compose(*columns, rows=(1 << 24) + 1)
        why = '16777217 rows that no byte backs'
        yield corrupt('-', story, 'rows_without_columns', file, 'rows', why, 'LIMIT')
    file = compose(rows=I64_MAX)
    yield corrupt(
        '-',
        'rows_2p63_without_columns',
        'rows_without_columns',
        file,
        'rows',
        '2^63 - 1 rows',
        'LIMIT',
    )
    shared = [Meta('k' * 65500, 'Mystery', booleans(1))]
    columns = [
        Column('x', 'Byte', [fixed('B', 1)], meta=shared if i == 0 else []) for i in range(300)
    ]
    file = compose(*columns)
    for i in range(1, 300):
        file.set(f'c{i}.meta', i64(file.at['c0.t']))
    size = file.at['toc_start'] - file.at['c0.t']
    passes = (4 << 20) // size  # the column with which the sum is above the limit
    why = f'300 columns share a metadata TOC of {size} bytes'
    yield corrupt(
        '-', 'metadata_toc_shared', 'metadata_toc_nbytes', file, f'c{passes}.meta', why, 'LIMIT'
    )
