# SPDX-License-Identifier: MIT
"""Which files look wrong and are sound?  (what the format allows and a strict reader might refuse)"""

from case import sound
from cases_header import I32_MAX, I64_MAX, plain
from cases_storage import ABC
from idvfile import (
    NA,
    REGIONS,
    TICKS_MAX,
    TICKS_NA,
    Column,
    Meta,
    Stored,
    booleans,
    codec,
    compose,
    deflate,
    deflate_stored,
    deflate_zeros,
    dvbools,
    fixed,
    i32,
    i64,
    key,
    key2,
    leb,
    opaque,
    text,
    text_raw,
    u64,
    vbuffer,
    vector,
    version,
    zlib_wrap,
    zones,
)


def one(name, content, rows=1, code=0, minor=6):
    """A file of one column and one block."""
    return compose(Column('c', name, [content], code), rows=rows, minor=minor)


def cases():
    yield from headers()
    yield from layouts()
    yield from columns()
    yield from dead()
    yield from codecs()
    yield from metadata()
    yield from values()
    yield from texts()
    yield from vectors()
    yield from streams()


def headers():
    yield sound('smallest', compose(rows=0), '264 bytes, no column, no row')
    yield sound('rows_without_columns_1000', compose(rows=1000), '1000 rows of no column')
    for story, toc in (('toc_0_without_columns', 0), ('toc_maximum_without_columns', I64_MAX)):
        yield sound(story, compose(rows=0).set('toc', i64(toc)), f'no column, TOC offset {toc}')
    yield sound('unused_not_zero', plain().set('unused', b'\xff' * 204), 'bytes 52 to 255 are ff')
    for story, word in (
        ('version_9999', 9 << 48 | 9 << 32 | 9 << 16 | 9),
        ('version_maximum', (1 << 64) - 1),
    ):
        file = plain().set('version', u64(word)).set('compatible', u64(version(4)))
        yield sound(story, file, 'a newer writer, compatible 1.1.1.4')
    yield sound(
        'version_1112', compose(Column('x', 'Byte', [fixed('B', 1)]), minor=2), 'entry of 18 bytes'
    )
    file = plain().set('version', u64(version(1))).set('compatible', u64(version(1)))
    yield sound('version_1111', file, 'version 1.1.1.1, bytes after its TOC', '4')
    pair = vector([-1], fixed('f', 1, 2), size=2)
    both = [Column('x', 'Byte', [fixed('B', 1)]), Column('v', vbuffer('Single', 2), [pair])]
    yield sound('version_1111_compact', compose(*both, minor=1), 'entries as in 1.1.1.2', '4')
    file = compose(*both, minor=2, compatible=version(1))
    yield sound('compatible_1111_of_1112', file, 'both have the same TOC', '5')
    file = compose(Column('x', 'Byte', [fixed('B', 1)], code=9), *both, minor=1)
    yield sound('version_1111_dead', file, 'unknown compression: a dead column')
    for minor in (3, 4, 5):
        yield sound(
            f'version_111{minor}',
            one('Single', fixed('f', 1.0), minor=minor),
            f'version 1.1.1.{minor}',
        )
    block = vector([-1], fixed('f', 1, 2, 3), size=3)
    column = Column('v', vbuffer('Single', 3), [block], slots=[(2, 'b'), (0, '')])
    yield sound(
        'version_1113_slot_names',
        compose(column, minor=3),
        'slots out of order, one empty, one without',
    )


def layouts():
    columns = [
        Column(
            'x', 'Single', [fixed('f', 1.0)], meta=[Meta('IsNormalized', 'Boolean', booleans(1))]
        )
    ]
    for story, order in (
        ('toc_first', ('toc', 'blocks', 'lookups', 'metadata')),
        ('metadata_last', REGIONS[:2] + REGIONS[:1:-1]),
        ('lookups_before_blocks', ('lookups', 'blocks', 'metadata', 'toc')),
    ):
        yield sound(story, compose(*columns, order=order), 'regions: ' + ', '.join(order))
    yield sound('padding', compose(*columns, pad=b'\xaa' * 5), '5 bytes between all regions')
    yield sound(
        'trailer', compose(*columns, trailer=b'after the tail'), 'bytes after the tail signature'
    )
    two = [Column('x', 'Single', [fixed('f', 1.0)]), Column('y', 'Single', [fixed('f', 2.0)])]
    file = compose(*two)
    yield sound('block_shared', file.set('c1.l0.offset', i64(256)), 'two columns, one block')
    file = compose(*two)
    yield sound(
        'lookup_shared',
        file.set('c1.lookup', i64(file.at['c0.l'])),
        'two columns, one lookup table',
    )
    file = compose(*two)
    yield sound(
        'block_is_the_toc',
        file.set('c1.l0.offset', i64(file.at['toc_start'])),
        'a block in the TOC',
    )
    file = compose(Column('x', 'Single', [fixed('f', 1), fixed('f', 2)]), rows=2, rpb=1)
    file.set('c0.l0.offset', i64(260)).set('c0.l1.offset', i64(256))
    yield sound('blocks_reversed', file, 'block 1 before block 0')
    for story, offset in (
        ('lookup_0_without_rows', 0),
        ('lookup_negative_without_rows', -1),
        ('lookup_past_end_without_rows', 1 << 40),
    ):
        file = compose(Column('x', 'Single'), rows=0).set('c0.lookup', i64(offset))
        yield sound(story, file, f'0 rows, lookup offset {offset}')


def columns():
    yield sound(
        'rpb_0_without_rows', compose(Column('x', 'Single', rpb=0), rows=0), 'rpb 0, 0 rows'
    )
    yield sound(
        'rpb_maximum',
        compose(Column('x', 'Single', [fixed('f', 1.0)], rpb=I32_MAX)),
        'rpb 2^31 - 1',
    )
    file = compose(
        Column(
            b'\x81\x80\x80\x80\x00x', codec('Single', P=leb(0, 10)), [fixed('f', 1)], rpb=leb(1, 10)
        )
    )
    yield sound('leb_longest', file, 'str length in 5 bytes, leb64 in 10')
    file = compose(
        Column('x', codec(b'\x86\x00Single', P=leb(0, 2)), [fixed('f', 1)], rpb=leb(1, 2))
    )
    yield sound('leb_not_minimal', file, 'each leb64 a byte too long')
    for story, name in (
        ('name_nul', '\0'),
        ('name_4_bytes', '\U0010ffff'),
        ('name_not_a_character', '\uffff'),
        ('name_bom', '\ufeffx'),
        ('name_of_300', 'n' * 300),
    ):
        yield sound(
            story, compose(Column(name, 'Single', [fixed('f', 1.0)])), 'any UTF-8 is a name'
        )
    two = [Column('x', 'Single', [fixed('f', 1.0)]), Column('x', 'Byte', [fixed('B', 2)])]
    yield sound('name_twice', compose(*two), 'the last counts')


def dead():
    alive = Column('x', 'Single', [fixed('f', 1.0)])
    nothing = opaque(b'?')
    for story, column in (
        ('codec', Column('d', 'Mystery', [nothing])),
        ('codec_with_params', Column('d', codec('Mystery', opaque(bytes(300))), [nothing])),
        ('codec_case', Column('d', 'single', [nothing])),
        ('name_empty', Column('', 'Mystery', [nothing])),
        ('compression_3', Column('d', 'Single', [nothing], 3)),
        ('compression_255', Column('d', 'Single', [nothing], 255)),
        ('vector_inner', Column('d', vbuffer('Mystery', 3), [nothing])),
        (
            'vector_inner_with_params',
            Column('d', vbuffer(codec('Mystery', opaque(b'??')), 3), [nothing]),
        ),
        ('vector_of_key_inner', Column('d', vbuffer(key2('Mystery', 3), 3), [nothing])),
        ('key_inner', Column('d', key2('Mystery', 3), [nothing])),
        ('old_key_inner', Column('d', key('Mystery', 3), [nothing])),
    ):
        yield sound(
            f'dead_{story}', compose(column, alive), 'a dead column, then one that is alive'
        )
    file = compose(Column('d', 'Mystery', [nothing]), alive)
    file.set('c0.l0.offset', i64(-1)).set('c0.l0.stored', i32(-1)).set('c0.l0.inflated', i32(-1))
    yield sound('dead_lookup_entry', file, 'the lookup entry of a dead column is never read')
    bad = [Meta('', '', opaque(b''))]
    file = compose(Column('d', 'Mystery', [nothing], meta=bad, meta_count=0), alive)
    yield sound('dead_metadata_toc', file, 'the metadata TOC of a dead column is never read')
    yield sound('dead_only', compose(Column('d', 'Mystery', [nothing])), 'no column can be read')


def codecs():
    for name in ('RowId', 'UInt128', 'DataViewRowId'):
        yield sound(f'row_id_{name.lower()}', one(name, fixed('Q', 1, 2)), 'low 1, high 2')
    yield sound('dv_timespan', one('DvTimeSpan', fixed('q', -1)), 'alias of TimeSpan')
    content = vector([-1], fixed('f', 1, 2), lengths=[2])
    yield sound('rank_0', one(vbuffer('Single'), content), 'one dimension of unknown size')
    codec_ = vbuffer('Single', 0, I32_MAX, I32_MAX)
    yield sound('dims_0_first', one(codec_, content), 'the product is 0 before it can overflow')
    for story, dims in (
        ('dim_maximum', [I32_MAX]),
        ('dims_just_below_2p31', [65536, 32767]),
        ('rank_16', [1] * 16),
    ):
        yield sound(story, compose(Column('v', vbuffer('Byte', *dims)), rows=0), f'dims {dims}')
    for story, definition in (
        ('key2_maximum', key2('UInt64', (1 << 64) - 1)),
        ('key2_byte_255', key2('Byte', 255)),
        ('key_count_0', key('UInt64', 0)),
        ('key_min', key('UInt64', 5, 100)),
        ('key_min_maximum', key('UInt64', 0, (1 << 64) - 1)),
        ('key_min_plus_count_maximum', key('UInt64', 5, (1 << 64) - 6)),
        ('key_not_contiguous', key('UInt64', 0, 3, contiguous=0)),
        ('key_count_maximum', key('UInt32', I32_MAX)),
    ):
        yield sound(story, compose(Column('k', definition), rows=0), 'a legal key')
    content = fixed('B', 0, 255)
    yield sound('key_value_maximum', one(key2('Byte', 255), content, 2), 'value = count = 255')
    yield sound(
        'key_unknown_count', one(key('Byte', 0), content, 2), 'any value is below an unknown count'
    )


def metadata():
    flag = booleans(1)

    def file(*metas):
        return compose(Column('x', 'Single', [fixed('f', 1.0)], meta=list(metas)))

    for story, middle in (
        ('codec', Meta('B', 'Mystery', opaque(b'?'))),
        ('compression', Meta('B', 'Boolean', flag, 3)),
        ('inner', Meta('B', vbuffer('Mystery', 2), opaque(b'?'))),
    ):
        whole = file(Meta('A', 'Boolean', flag), middle, Meta('C', 'Boolean', flag))
        yield sound(f'dead_metadata_{story}', whole, 'a dead entry between two')
    whole = file(Meta('SlotNames', 'Single', fixed('f', 1.0)))
    yield sound('metadata_of_other_type', whole, 'the type is not checked against the kind')
    for code in (1, 2):
        whole = file(
            Meta('ScoreColumnKind', 'TextSpan', text('abc'), code),
            Meta('IsNormalized', 'Boolean', flag, code),
        )
        yield sound(f'metadata_compression_{code}', whole, 'text and Boolean')
    whole = file(Meta('A', 'Boolean', flag, nbytes=leb(1, 10)))
    yield sound('metadata_leb_longest', whole, 'length in 10 bytes')
    whole = compose(
        Column(
            'x', 'Single', [fixed('f', 1)], meta=[Meta('A', 'Boolean', flag)], meta_count=leb(1, 3)
        )
    )
    yield sound('metadata_count_not_minimal', whole, 'count in 3 bytes')
    pair = [
        Column('x', 'Single', [fixed('f', 1)], meta=[Meta('A', 'Boolean', flag)]),
        Column('y', 'Single', [fixed('f', 2)]),
    ]
    whole = compose(*pair)
    yield sound(
        'metadata_shared',
        whole.set('c1.meta', i64(whole.at['c0.t'])),
        'two columns, one metadata TOC',
    )


def values():
    yield sound(
        'boolean_unused_bits', one('Boolean', opaque(b'\xfd'), 3), 'bits past row 2 are set'
    )
    yield sound(
        'dvbool_unused_bits', one('DvBool', opaque(b'\x24\xff\xff\xff'), 3), 'pattern 3 past row 2'
    )
    yield sound('dvbool_na', one('DvBool', dvbools(0, 1, 2), 3), '2 = NA')
    yield sound(
        'date_limits', one('DateTime', fixed('q', 0, TICKS_MAX, TICKS_NA), 3), 'least, largest, NA'
    )
    content = zones(
        (TICKS_MAX // 2, 840),
        (TICKS_MAX // 2, -840),
        (840 * 600000000, 840),
        (TICKS_MAX - 840 * 600000000, -840),
    )
    yield sound(
        'zone_limits', one('DateTimeOffset', content, 4), 'offsets +-840, UTC 0 and largest'
    )
    content = zones((5, -32768), (0, 0))
    yield sound('zone_offset_minimum', one('DateTimeOffset', content, 2), 'offset -32768 is 0')
    content = zones((TICKS_NA, 0), (TICKS_NA, 5000), (TICKS_NA, -32768))
    yield sound('zone_na', one('DvDateTimeZone', content, 3), 'NA with offsets 0, 5000, -32768')
    yield sound(
        'timespan_minimum', one('TimeSpan', fixed('q', TICKS_NA)), 'NA, or the least time span'
    )
    yield sound(
        'float_payloads', one('Single', fixed('I', 0x7F800001, 0xFFFFFFFF, 1 << 31), 3), 'NaNs, -0'
    )


def texts():
    for story, content, rows, why in (
        ('all_empty', text('', ''), 2, 'no character'),
        ('nul', text('\0', 'a\0b'), 2, 'NUL'),
        ('na_first', text_raw(b'a', NA, 1), 2, 'NA, then "a"'),
        ('na_all', text(None, None), 2, 'NA only'),
        ('na_last', text('é', None), 2, 'boundary with bit 31'),
        ('length_not_minimal', text_raw(b'a', 1, length=leb(1, 5)), 1, 'length in 5 bytes'),
        (
            'last_characters',
            text('\u007f', '\u07ff', '\ud7ff', '\ue000', '\uffff', '\U0010ffff'),
            6,
            'edges',
        ),
        ('first_characters', text('\u0080', '\u0800', '\U00010000'), 3, 'edges'),
        ('split_pair', text_raw('\U0001f600'.encode(), 1, 2), 2, 'a boundary inside a pair'),
        ('split_pair_twice', text_raw('\U0001f600'.encode(), 1, 1, 2), 3, 'an empty value there'),
        ('split_pair_na', text_raw('\U0001f600'.encode(), 1, 1 | NA, 2), 3, 'NA there'),
        ('3_bytes_each', text('€' * 50, '€' * 50), 2, 'L = 3 U'),
    ):
        yield sound(f'text_{story}', one('TextSpan', content, rows), why)


def vectors():
    v2, v9, v0 = vbuffer('Single', 2), vbuffer('Single', 9), vbuffer('Single', 0)
    none, items = opaque(b''), fixed('f', 1, 2, 3)
    restart = vector([2, 1], items, size=9, indices=[5, 8, 0])
    for story, definition, content, rows, why in (
        ('sparse_0', v2, vector([0, 0], none, size=2), 2, 'no element stored'),
        ('all_empty', v0, vector([-1, -1], none, lengths=[0, 0]), 2, 'lengths 0'),
        ('empty_first', v0, vector([-1, -1, 0], items, lengths=[0, 3, 4]), 3, 'lengths 0, 3, 4'),
        ('size_of_unknown', v0, vector([-1], items, size=3), 1, 'one size for the block'),
        ('dims_0_4', vbuffer('Single', 0, 4), vector([-1], items, size=3), 1, 'length 3, not 4 n'),
        ('indices_restart', v9, restart, 2, 'indices of each row for itself'),
        ('length_maximum', v0, vector([0], none, lengths=[I32_MAX]), 1, '2^31 - 1 slots, all 0'),
    ):
        yield sound(f'vector_{story}', one(definition, content, rows), why)
    for story, inner, size, counts, items, why in (
        ('text_without_items', 'TextSpan', 2, [0], text(), '5 bytes for 0 items'),
        ('text_item_na', 'TextSpan', 2, [-1], text('a', None), 'NA as an item'),
        ('boolean_unused_bits', 'Boolean', 3, [-1], opaque(b'\xfd'), 'bits past item 2'),
        ('dvbool_unused_bits', 'DvBool', 2, [-1], opaque(b'\x34\xff\0\0'), '3 past item 1'),
        ('date_na', 'DateTime', 1, [-1], fixed('q', TICKS_NA), 'NA as an item'),
    ):
        file = one(vbuffer(inner, size), vector(counts, items, size=size))
        yield sound(f'vector_{story}', file, why)


def streams():
    head = bytes(text_raw(b'', 5000, length=5000).raw)
    for story, code, stream, raw in (
        ('stored', 1, deflate_stored(ABC), ABC),
        (
            'stored_in_parts',
            1,
            deflate_stored(ABC[:5], 0) + deflate_stored(b'', 0) + deflate_stored(ABC[5:]),
            ABC,
        ),
        ('fixed', 1, deflate(ABC), ABC),
        ('empty_last_block', 1, deflate_stored(ABC, 0) + deflate(b''), ABC),
        ('dynamic', 1, deflate_stored(head, 0) + deflate_zeros(5000), head + bytes(5000)),
        ('zlib', 2, zlib_wrap(deflate(ABC), ABC), ABC),
        ('zlib_small_window', 2, zlib_wrap(deflate(ABC), ABC, b'\x08\x1d'), ABC),
    ):
        file = one('TextSpan', Stored(stream, len(raw)), 1, code)
        yield sound(f'deflate_{story}', file, f'{len(stream)} bytes inflate to {len(raw)}')
