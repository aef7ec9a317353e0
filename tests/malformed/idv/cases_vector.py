# SPDX-License-Identifier: MIT
"""Which vector blocks are wrong?  (idv:5.6)"""

from cases_block import block, value
from cases_header import I32_MAX, I32_MIN
from idvfile import NA, Part, booleans, fixed, opaque, text, text_raw, vbuffer, vector

V3 = vbuffer('Single', 3)  # every row has 3 slots
V0 = vbuffer('Single', 0)  # unknown size
V9 = vbuffer('Single', 9)


def cases():
    yield from heads()
    yield from counts()
    yield from indices()
    yield from sums()
    yield from cut()
    yield from items()
    yield from text_items()
    yield from items_cut()


def heads():
    three = fixed('f', 1, 2, 3)
    for story, n in (('one_more', 2), ('zero', 0), ('negative', -1), ('maximum', I32_MAX)):
        content = vector([-1], three, size=3, n=n)
        yield block('58', f'vector_n_{story}', 'V1', V3, content, 'n', f'{n} vectors, 1 row')
    for story, codec, size in (
        ('smaller', V3, 2),
        ('larger', V3, 4),
        ('absent', V3, 0),
        ('negative', V3, -3),
        ('negative_unknown', V0, -1),
        ('minimum_unknown', V0, I32_MIN),
    ):
        content = vector([-1], three, size=size)
        yield block('59', f'vector_size_{story}', 'V2', codec, content, 'size', f'size {size}')
    content = vector([-1], fixed('f', 1, 2), size=2)
    yield block(
        '59', 'vector_size_of_dims', 'V2', vbuffer('Single', 2, 3), content, 'size', '2 of 2 x 3'
    )
    for story, length in (('negative', -1), ('minimum', I32_MIN)):
        content = vector([-1, -1], three, lengths=[3, length])
        yield block(
            '60', f'vector_length_{story}', 'V3', V0, content, 'length1', f'length {length}', 2
        )
    content = vector([-1, -1, -1], three, lengths=[3, 1, -1])
    yield block('60', 'vector_length_sum_3', 'V3', V0, content, 'length2', 'lengths 3, 1, -1', 3)
    content = vector([-1], three, size=3, n=2)
    yield block('58', 'vector_n_deflate', 'V1', V3, content, '', '2 vectors, 1 row', code=1)
    yield value('58', 'vector_n_in_metadata', 'V1', V3, content, 'n', '2 vectors, 1 value')
    content = vector([-1], text('a', 'b'), size=2)
    yield value(
        '59', 'slot_names_size', 'V2', vbuffer('TextSpan', 3), content, 'size', '2 of 3 names'
    )
    yield value(
        '59',
        'slot_names_size_deflate',
        'V2',
        vbuffer('TextSpan', 3),
        content,
        '',
        '2 of 3 names',
        1,
    )


def counts():
    for story, count in (('minus_2', -2), ('minimum', I32_MIN)):
        content = vector([-1, count], fixed('f', 1, 2, 3), size=3)
        yield block('61', f'vector_count_{story}', 'V4', V3, content, 'count1', f'count {count}', 2)
    content = vector([3], fixed('f', 1, 2, 3), size=3, indices=[0, 1, 2])
    yield block(
        '61', 'vector_count_full', 'V5', V3, content, 'count0', '3 of 3 slots must be dense'
    )
    content = vector([-1, 4], fixed('f', 1, 2, 3, 4, 5, 6, 7), size=3, indices=[0, 1, 2, 3])
    yield block('61', 'vector_count_above_length', 'V5', V3, content, 'count1', '4 of 3 slots', 2)
    content = vector([I32_MAX], fixed('f', 1, 2, 3), size=3)
    yield block('61', 'vector_count_maximum', 'V5', V3, content, 'count0', '2^31 - 1 of 3 slots')
    content = vector([-1, 0], fixed('f', 1, 2), lengths=[2, 0])
    yield block(
        '61', 'vector_count_0_of_0', 'V5', V0, content, 'count1', 'an empty vector must be dense', 2
    )
    content = vector([2, -1], fixed('f', 1, 2, 3), lengths=[2, 1], indices=[0, 1])
    yield block('61', 'vector_count_full_unknown', 'V5', V0, content, 'count0', '2 of 2 slots', 2)
    content = vector([1], booleans(1), size=1, indices=[0])
    yield block(
        '61', 'vector_count_1_of_1', 'V5', vbuffer('Boolean', 1), content, 'count0', '1 of 1 slot'
    )
    content = vector([-2], fixed('f'), size=3)
    yield block('61', 'vector_count_deflate', 'V4', V3, content, '', 'count -2', code=1)
    content = vector([2], text('a', 'b'), size=2, indices=[0, 1])
    yield value(
        '61',
        'slot_names_count_full',
        'V5',
        vbuffer('TextSpan', 2),
        content,
        'count0',
        '2 of 2 slots',
    )


def indices():
    for story, indices, wrong in (
        ('negative', [-1, 3, 4], 0),
        ('equal', [3, 3, 4], 1),
        ('decreasing', [1, 5, 4], 2),
        ('at_length', [1, 5, 9], 2),
        ('maximum', [0, 1, I32_MAX], 2),
        ('minimum', [I32_MIN, 1, 2], 0),
        ('negative_last', [1, 2, -1], 2),
    ):
        content = vector([3], fixed('f', 1, 2, 3), size=9, indices=indices)
        why = f'indices {indices} of 9'
        yield block('62', f'vector_index_{story}', 'V6', V9, content, f'index{wrong}', why)
    content = vector([2, -1, 2], fixed('f', *range(13)), size=9, indices=[0, 8, 4, 4])
    yield block(
        '62', 'vector_index_of_row_2', 'V6', V9, content, 'index3', 'indices 4, 4 in row 2', 3
    )
    content = vector([1, 1], fixed('f', 1, 2), lengths=[5, 2], indices=[4, 2])
    yield block('62', 'vector_index_own_length', 'V6', V0, content, 'index1', '2 of length 2', 2)
    indices = [*range(100), 99]
    content = vector([101], fixed('f', *range(101)), size=200, indices=indices)
    why = 'index 99 twice, after 100 good ones'
    yield block('62', 'vector_index_100', 'V6', vbuffer('Single', 200), content, 'index100', why)
    content = vector([2], fixed('f', 1, 2), size=9, indices=[5, 4])
    yield block('62', 'vector_index_deflate', 'V6', V9, content, '', 'indices 5, 4', code=1)
    yield block('62', 'vector_index_zlib', 'V6', V9, content, '', 'indices 5, 4', code=2)
    content = vector([1], text('a'), size=2, indices=[2])
    yield value(
        '62', 'slot_names_index', 'V6', vbuffer('TextSpan', 2), content, 'index0', 'slot 2 of 2'
    )


def sums():
    for story, k in (
        ('negative', -1),
        ('minimum', I32_MIN),
        ('beyond_block', 4),
        ('maximum', I32_MAX),
        ('times_4_wraps', 1 << 30),
    ):
        content = vector([1], fixed('f', 1), size=3, indices=[2], k=k)
        yield block('63', f'vector_k_{story}', 'V7', V3, content, 'K', f'K = {k}, 8 bytes left')
    content = vector([1], fixed('f'), size=3, indices=[], k=1)
    yield block('63', 'vector_k_without_indices', 'V7', V3, content, 'K', 'K = 1, nothing left')
    for story, counts, indices in (
        ('more', [1], [1, 2]),
        ('less', [2], [1]),
        ('zero', [1], []),
        ('of_dense', [-1], [1]),
    ):
        items = fixed('f', 1, 2, 3)
        content = vector(counts, items, size=3, indices=indices)
        why = f'K = {len(indices)}, counts {counts}'
        yield block('64', f'vector_k_{story}', '5.6', V3, content, 'K', why)
    content = vector([1], fixed('f', 1), size=3, indices=[1, 2])
    yield block('64', 'vector_k_deflate', '5.6', V3, content, '', 'K = 2, count 1', code=1)
    content = vector([0], text('a'), size=3, indices=[1])
    yield value('64', 'slot_names_k', '5.6', vbuffer('TextSpan', 3), content, 'K', 'K = 1, count 0')
    big = vbuffer('Byte', 1 << 30)
    content = vector([-1, -1], opaque(b''), size=1 << 30)
    yield block('65', 'vector_items_2p31', '5.6', big, content, 'K', '2 x 2^30 items', 2)
    content = vector([-1] * 4, opaque(b''), size=1 << 30)
    yield block(
        '65', 'vector_items_2p32', '5.6', big, content, 'K', '4 x 2^30 items, 0 if it wraps', 4
    )
    lengths = [I32_MAX, I32_MAX, 4]
    content = vector([-1] * 3, fixed('f', 1, 2), lengths=lengths)
    yield block('65', 'vector_items_wrap_to_2', '5.6', V0, content, 'K', '2^32 + 2 items', 3)
    content = vector([-1, 1], fixed('f', 1), lengths=[I32_MAX, 9], indices=[3])
    yield block(
        '65', 'vector_items_and_count_2p31', '5.6', V0, content, 'K', '2^31 - 1 and 1 items', 2
    )
    content = vector([-1, -1], opaque(b''), size=1 << 30)
    yield block('65', 'vector_items_2p31_deflate', '5.6', big, content, '', '2 x 2^30 items', 2, 1)


def cut():
    dense, sizes = fixed('f', 1, 2, 3), {'size': 3}
    for field, keep in (
        ('n', 0),
        ('n', 2),
        ('size', 0),
        ('size', 3),
        ('count0', 0),
        ('count0', 1),
        ('K', 0),
        ('K', 2),
        ('items', 0),
        ('items', 11),
    ):
        content = vector([-1], dense, **sizes).cut(field, keep)
        why = f'{keep} bytes of the field'
        yield block('-', f'vector_cut_{field.lower()}_{keep}', '5.6', V3, content, field, why)
    content = vector([-1], dense, lengths=[3]).cut('length0', 2)
    yield block('-', 'vector_cut_length0_2', '5.6', V0, content, 'length0', '2 bytes of the field')
    content = vector([-1], opaque(b''), size=I32_MAX)
    codec = vbuffer('DataViewRowId', I32_MAX)
    yield block(
        '-', 'vector_items_far_beyond', '5.6', codec, content, 'items', '2^31 - 1 items of 16 bytes'
    )
    content = vector([-1], dense, **sizes).cut('items', 8)
    yield block('-', 'vector_cut_deflate', '5.6', V3, content, '', '2 of 3 items', code=1)
    yield value('-', 'vector_cut_in_metadata', '5.6', V3, content, 'items', '2 of 3 items')


def items():
    content = vector([-1, 1], fixed('f', 1, 2, 3, 4), size=3, indices=[1]).put('surplus', b'\0')
    yield block('45', 'vector_surplus', '5', V3, content, 'surplus', 'a byte after the items', 2)
    yield block(
        '45', 'vector_surplus_deflate', '5', V3, content, '', 'a byte after the items', 2, 1
    )
    content = vector([-1], booleans(*[1] * 8), size=8).put('surplus', b'\0')
    yield block(
        '45',
        'vector_surplus_boolean',
        '5',
        vbuffer('Boolean', 8),
        content,
        'surplus',
        '2 bytes, 8 items',
    )
    content = vector([0], fixed('f', 1), size=3)
    yield block('45', 'vector_surplus_without_items', '5', V3, content, 'items', '4 bytes, 0 items')
    content = vector([-1], text('a', 'b'), size=2).put('surplus', b'\0')
    codec = vbuffer('TextSpan', 2)
    yield block(
        '45', 'vector_surplus_text', '5', codec, content, 'surplus', 'a byte after the text'
    )
    yield value('45', 'slot_names_surplus', '5', codec, content, 'surplus', 'a byte after the text')


def text_items():
    """The text of all items is one TextSpan block, with its own rules."""
    codec = vbuffer('TextSpan', 2)
    for numbers, story, rule, items, where in (
        ('50', 'entries', 'X1', text('a'), 'entries'),
        ('51', 'boundary', 'X2', text_raw(b'ab', 2, 1), 'end1'),
        ('52', 'na', 'X3', text_raw(b'ab', 1, 2 | NA), 'end1'),
        ('53', 'units', 'X4', text_raw(b'ab', 1, 1), 'end1'),
        ('54', 'utf8', '5.4', text_raw(b'\xffb', 1, 2), 'bytes'),
        ('-', 'missing', '5.4', opaque(b''), ''),
        ('16', 'length', '1', text_raw(b'ab', 1, 2, length=3), 'str'),
    ):
        content = vector([-1], items, size=2)
        where = f'items.{where}' if where else 'items'
        yield block(
            numbers, f'vector_text_{story}', rule, codec, content, where, 'text in a vector'
        )
        if numbers != '-':
            name = f'slot_names_text_{story}'
            yield value(numbers, name, rule, codec, content, '', 'text in a deflated vector', 1)
    content = vector([0], opaque(b''), size=2)
    yield block(
        '-',
        'vector_text_missing_for_0',
        '5.4',
        codec,
        content,
        'items',
        '0 items still have 5 bytes',
    )


def items_cut():
    zoned = Part().put('offsets', bytes(4)).put('ticks', bytes(15))
    for name, items, n, blamed in (
        ('Boolean', opaque(b'\1'), 9, 'items'),
        ('DvBool', opaque(b'\1'), 3, 'items'),
        ('DateTimeOffset', zoned, 2, 'items.ticks'),
        ('Int64', opaque(bytes(15)), 2, 'items'),
    ):
        content = vector([-1], items, size=n)
        story = f'vector_{name.lower()}_cut'
        yield block(
            '-',
            story,
            '5.6',
            vbuffer(name, n),
            content,
            blamed,
            f'{len(items.raw)} bytes, {n} items',
        )
