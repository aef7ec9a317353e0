# SPDX-License-Identifier: MIT
"""Which codec definitions are wrong?  (idv:4)"""

from case import corrupt
from cases_header import I32_MAX, I32_MIN
from cases_toc import BAD_LEB64, flagged
from idvfile import Column, codec, compose, key, key2, opaque, vbuffer

NO_KEYS = (
    'SByte',
    'Int16',
    'Int32',
    'Int64',
    'Single',
    'Double',
    'TextSpan',
    'TimeSpan',
    'Boolean',
    'DvBool',
    'DateTime',
    'DateTimeOffset',
    'DataViewRowId',
)


def typed(definition):
    """A file without rows, whose only column has this codec."""
    return compose(Column('x', definition), rows=0)


def params(raw, name='Mystery'):
    return codec(name, opaque(raw))


def cases():
    yield from names_and_lengths()
    yield from consumed()
    yield from first_version()
    yield from params_cut()
    yield from vectors()
    yield from key_inners()
    yield from key_counts()
    yield from nesting()


def names_and_lengths():
    yield corrupt('20', 'codec_name_empty', 'C1', typed(''), 'c0.codec', 'codec without a name')
    yield corrupt(
        '20', 'metadata_codec_name_empty', 'C1', flagged(codec=''), 'c0.t0.codec', 'in metadata'
    )
    file = typed(vbuffer('', 3))
    yield corrupt(
        '20', 'inner_codec_name_empty', 'C1', file, 'c0.codec.inner', 'inner codec of a vector'
    )
    for kind, raw in BAD_LEB64:
        file = typed(codec('Single', P=raw))
        yield corrupt('17', f'params_length_{kind}', '1', file, 'c0.codec.P', f'leb64 {raw.hex()}')
    for story, name, P in (
        ('params_length_2p63', 'Mystery', 1 << 63),
        ('params_length_2p64_minus_1', 'Mystery', (1 << 64) - 1),
        ('params_length_2p63_known', 'Single', 1 << 63),
    ):
        yield corrupt('-', story, 'C2', typed(codec(name, P=P)), 'c0.codec.P', f'{name}, P = {P}')
    file = typed(vbuffer(codec('Mystery', P=1 << 63), 3))
    yield corrupt('-', 'inner_params_length_2p63', 'C2', file, 'c0.codec.inner.P', 'inner P = 2^63')
    for story, P in (
        ('params_beyond_tail', 1000),
        ('params_length_2p63_minus_1', (1 << 63) - 1),
        ('params_one_too_long', 19),
    ):
        file = typed(codec('Mystery', P=P))
        yield corrupt('21', story, 'C3', file, 'c0.codec.P', f'P = {P}, 18 bytes follow in the TOC')
    file = typed(vbuffer('Single', 3, P=100))
    yield corrupt('21', 'params_beyond_tail_known', 'C3', file, 'c0.codec.P', 'a vector, P = 100')
    file = flagged(codec=codec('Mystery', P=1000))
    yield corrupt('21', 'metadata_params_beyond_tail', 'C3', file, 'c0.t0.codec.P', 'P = 1000')
    file = typed(vbuffer(codec('Mystery', P=9), 3))
    yield corrupt(
        '21', 'inner_params_beyond_outer', 'C3', file, 'c0.codec.inner.P', '9 of 8 bytes left'
    )
    file = typed(codec('Mystery', P=18))
    yield corrupt(
        '11', 'params_swallow_entry', '3.1', file, 'tail_signature', 'nothing left for the rest'
    )


def consumed():
    """More parameters than the codec has."""
    for name in ('Single', 'TextSpan', 'Boolean', 'DvDateTimeZone', 'UInt128'):
        yield corrupt(
            '22',
            f'params_of_{name.lower()}',
            'C4',
            typed(params(b'\0', name)),
            'c0.codec.P',
            'P = 1',
        )
    file = typed(codec('VBuffer', opaque(vbuffer('Single', 3).raw[9:] + b'\0')))
    yield corrupt(
        '22', 'params_of_vbuffer_surplus', 'C4', file, 'c0.codec.P', '1 byte after the dims'
    )
    file = typed(vbuffer('Single', 3, rank=0))
    yield corrupt('22', 'rank_0_with_dims', 'C4', file, 'c0.codec.P', '4 bytes after rank 0')
    file = typed(codec('Key2', opaque(key2('Byte', 3).raw[6:] + b'\0\0')))
    yield corrupt(
        '22', 'params_of_key2_surplus', 'C4', file, 'c0.codec.P', '2 bytes after the count'
    )
    file = typed(codec('Key', opaque(key('Byte', 3).raw[5:] + bytes(4))))
    yield corrupt(
        '22', 'params_of_key_surplus', 'C4', file, 'c0.codec.P', '4 bytes after the count'
    )
    file = typed(vbuffer(params(b'\0', 'Single'), 3))
    yield corrupt(
        '22', 'params_of_inner', 'C4', file, 'c0.codec.inner.P', 'inner Single with P = 1'
    )
    file = flagged(codec=params(bytes(4), 'Boolean'))
    yield corrupt('22', 'params_of_metadata', 'C4', file, 'c0.t0.codec.P', 'Boolean with P = 4')


def first_version():
    """In version 1.1.1.1 an unknown codec may have any form."""
    for story, definition, where in (
        ('version_1111_codec', params(b'ab'), 'c0.codec'),
        ('version_1111_inner_codec', vbuffer('Mystery', 3), 'c0.codec.inner'),
    ):
        file = compose(Column('x', definition), rows=0, minor=1)
        yield corrupt('67', story, 'C3', file, where, 'unknown in 1.1.1.1', 'UNSUPPORTED')
    file = compose(Column('x', params(b'\0', 'Single')), rows=0, minor=1)
    yield corrupt('22', 'version_1111_params', 'C4', file, 'c0.codec.P', 'P = 1 in 1.1.1.1')
    file = compose(Column('x', codec('Single', P=100)), rows=0, minor=1)
    yield corrupt('21', 'version_1111_params_beyond', 'C3', file, 'c0.codec.P', 'P = 100')


def params_cut():
    """P ends the parameters before the codec has read its own."""
    for story, definition, field, P in (
        ('vbuffer_without_inner', vbuffer('Single', 3, P=0), 'inner', 0),
        ('vbuffer_inner_without_p', vbuffer('Single', 3, P=7), 'inner.P', 7),
        ('vbuffer_without_rank', vbuffer('Single', 3, P=8), 'rank', 8),
        ('vbuffer_rank_cut', vbuffer('Single', 3, P=10), 'rank', 10),
        ('key2_inner_without_p', key2('UInt32', 3, P=7), 'inner.P', 7),
        ('key2_without_count', key2('UInt32', 3, P=8), 'count', 8),
        ('key2_count_cut', key2('UInt32', 3, P=15), 'count', 15),
        ('key_without_contiguous', key('UInt32', 3, P=8), 'contiguous', 8),
        ('key_min_cut', key('UInt32', 3, P=16), 'min', 16),
        ('key_count_cut', key('UInt32', 3, P=20), 'count', 20),
    ):
        yield corrupt(
            '22', story, '4', typed(definition), f'c0.codec.{field}', f'P = {P} is too short'
        )
    file = typed(key2('UInt32', 3, P=3))
    yield corrupt('16', 'key2_inner_name_cut', '1', file, 'c0.codec.inner', '2 of 6 characters')


def vectors():
    file = typed(vbuffer(vbuffer('Single', 3), 2))
    yield corrupt('23', 'vector_of_vectors', 'C5', file, 'c0.codec.inner', 'VBuffer of VBuffer')
    file = typed(vbuffer(vbuffer('TextSpan', 0), 0))
    yield corrupt(
        '23', 'vector_of_vectors_unknown_size', 'C5', file, 'c0.codec.inner', 'sizes unknown'
    )
    for story, rank in (
        ('rank_negative', -1),
        ('rank_minimum', I32_MIN),
        ('rank_maximum', I32_MAX),
        ('rank_2_of_1', 2),
        ('rank_wraps_to_1', (1 << 30) + 1),
    ):
        numbers = '24' if rank < 0 else '25'
        file = typed(vbuffer('Single', 3, rank=rank))
        yield corrupt(numbers, story, 'C6', file, 'c0.codec.rank', f'rank {rank}, 4 bytes left')
    file = typed(vbuffer('Single', rank=1))
    yield corrupt('25', 'rank_1_of_0', 'C6', file, 'c0.codec.rank', 'rank 1, nothing left')
    for story, dims, wrong in (
        ('dim_negative', [-1], 0),
        ('dim_minimum', [I32_MIN], 0),
        ('dim_negative_after_0', [0, -3], 1),
        ('dim_negative_second', [2, -1, 4], 1),
    ):
        file = typed(vbuffer('Single', *dims))
        yield corrupt('24', story, 'C6', file, f'c0.codec.dim{wrong}', f'dims {dims}')
    for story, dims, wrong in (
        ('dims_2p31', [65536, 32768], 1),
        ('dims_2p32', [65536, 65536], 1),
        ('dims_2p31_before_0', [65536, 32768, 0], 1),
        ('dims_2p64', [65536] * 4, 1),
        ('dims_largest_twice', [1, I32_MAX, 2], 2),
    ):
        file = typed(vbuffer('Single', *dims))
        yield corrupt('26', story, 'C6', file, f'c0.codec.dim{wrong}', f'dims {dims}')


def key_inners():
    for name in NO_KEYS:
        file = typed(key2(name, 3))
        yield corrupt(
            '27', f'key2_of_{name.lower()}', 'C8', file, 'c0.codec.inner', f'Key2 of {name}'
        )
    for name in ('Int32', 'Single', 'TextSpan'):
        file = typed(key(name, 3))
        yield corrupt(
            '27', f'key_of_{name.lower()}', 'C8', file, 'c0.codec.inner', f'Key of {name}'
        )
    for story, definition in (
        ('key2_of_key2', key2(key2('UInt32', 3), 3)),
        ('key_of_key2', key(key2('Byte', 3), 3)),
        ('key2_of_key', key2(key('Byte', 3), 3)),
        ('key2_of_vector', key2(vbuffer('UInt32', 3), 3)),
    ):
        yield corrupt('27', story, 'C8', typed(definition), 'c0.codec.inner', 'not a number')
    file = typed(vbuffer(key2('Int16', 3), 3))
    yield corrupt(
        '27', 'vector_of_key2_of_int16', 'C8', file, 'c0.codec.inner.inner', 'not a key type'
    )
    file = flagged(codec=key2('Double', 3))
    yield corrupt('27', 'metadata_key2_of_double', 'C8', file, 'c0.t0.codec.inner', 'in metadata')


def key_counts():
    for name, count in (
        ('Byte', 0),
        ('Byte', 256),
        ('UInt16', 0),
        ('UInt16', 65536),
        ('UInt32', 0),
        ('UInt32', 1 << 32),
        ('UInt32', (1 << 64) - 1),
        ('UInt64', 0),
    ):
        story = f'key2_{name.lower()}_count_{count}'
        yield corrupt(
            '28', story, 'C9', typed(key2(name, count)), 'c0.codec.count', f'count {count}'
        )
    file = typed(vbuffer(key2('Byte', 300), 3))
    yield corrupt(
        '28', 'vector_of_key2_count_300', 'C9', file, 'c0.codec.inner.count', 'Byte, count 300'
    )
    for contiguous in (2, 255):
        file = typed(key('UInt32', 5, contiguous=contiguous))
        why = f'byte is {contiguous}'
        yield corrupt('29', f'key_contiguous_{contiguous}', 'C10', file, 'c0.codec.contiguous', why)
    file = typed(key('UInt32', 5, contiguous=0))
    yield corrupt('29', 'key_not_contiguous_with_count', 'C10', file, 'c0.codec.count', 'count 5')
    for name, count in (('UInt32', -1), ('UInt64', I32_MIN), ('Byte', 256), ('UInt16', 65536)):
        story = f'key_{name.lower()}_count_{count}'.replace('-', 'minus_')
        yield corrupt(
            '29', story, 'C10', typed(key(name, count)), 'c0.codec.count', f'count {count}'
        )
    for story, least, count in (
        ('key_min_plus_count', (1 << 64) - 1, 1),
        ('key_min_plus_count_far', (1 << 64) - 5, I32_MAX),
    ):
        file = typed(key('UInt64', count, least))
        yield corrupt('29', story, 'C10', file, 'c0.codec.min', f'{least} + {count} > 2^64 - 1')


def nesting():
    """The fifth name is one too deep; what the inner ones are does not matter any more."""

    def vectors_of(definition, depth):
        for _ in range(depth):
            definition = vbuffer(definition, 1)
        return definition

    keys = key2(key2(key2('Byte', 3), 3), 3)
    fifth = 'c0.codec' + '.inner' * 4
    for story, definition in (
        ('nesting_5', vectors_of('Single', 4)),
        ('nesting_5_keys', vbuffer(keys, 1)),
        ('nesting_64', vectors_of('Single', 63)),
    ):
        yield corrupt('30', story, '4.1', typed(definition), fifth, 'VBuffer of ... of ...')
    file = flagged(codec=vectors_of('Boolean', 4))
    yield corrupt(
        '30', 'metadata_nesting_5', '4.1', file, 'c0.t0.codec' + '.inner' * 4, 'in metadata'
    )
