# SPDX-License-Identifier: MIT
"""Which headers and which ends of a file are wrong?  (idv:2)"""

from case import corrupt, patched
from idvfile import HEAD_SIGNATURE, Column, compose, fixed, i32, i64, u64, version

I32_MIN, I32_MAX = -(1 << 31), (1 << 31) - 1
I64_MIN, I64_MAX = -(1 << 63), (1 << 63) - 1


def plain():
    """One column, one row."""
    return compose(Column('x', 'Single', [fixed('f', 1.0)]))


def cases():
    yield from short()
    yield from versions()
    yield from counts()
    yield from toc_place()
    yield from tail_place()
    yield from tail_signature()


def short():
    whole = plain().raw
    for n, story in ((0, 'empty_file'), (8, 'signature_only'), (255, 'header_cut')):
        yield corrupt('1', story, 'H1', whole[:n], n, f'{n} bytes, 256 wanted')
    yield patched('2', 'signature_first_byte', 'H2', plain(), 'signature', b'c', 'cML')
    wrong = HEAD_SIGNATURE[:7] + b'\1'
    yield patched('2', 'signature_last_byte', 'H2', plain(), 'signature', wrong, 'byte 7 is 1')
    wrong = HEAD_SIGNATURE[::-1]
    yield patched(
        '2', 'signature_reversed', 'H2', plain(), 'signature', wrong, 'the tail signature'
    )
    yield patched(
        '2', 'save_aborted', 'H2', plain(), 'signature', bytes(256), 'header never written'
    )
    yield patched('2', 'model_zip', 'H2', plain(), 'signature', b'PK\3\4\x14\0\0\0', 'a zip file')


def versions():
    for story, word, compatible in (
        ('compatible_above_version', version(5), version(6)),
        ('compatible_far_above_version', version(6), (1 << 64) - 1),
    ):
        file = plain().set('version', u64(word)).set('compatible', u64(compatible))
        yield corrupt('3', story, 'H3', file, 'version', f'{word:x}, compatible {compatible:x}')
    for story, word in (('version_1110', version(0)), ('version_zero', 0)):
        file = plain().set('version', u64(word)).set('compatible', u64(word))
        yield corrupt('4', story, 'H4', file, 'version', f'version {word:x}')
    for story, word, compatible in (
        ('compatible_1110_of_1111', version(1), version(0)),
        ('compatible_1111_of_1113', version(3), version(1)),
        ('compatible_1111_of_1114', version(4), version(1)),
        ('compatible_1112_of_1113', version(3), version(2)),
        ('compatible_1112_of_1114', version(4), version(2)),
        ('compatible_1113_of_1116', version(6), version(3)),
        ('compatible_1111_of_1116', version(6), version(1)),
        ('compatible_zero', version(6), 0),
    ):
        file = plain().set('version', u64(word)).set('compatible', u64(compatible))
        yield corrupt(
            '5', story, 'H5', file, 'compatible', f'{compatible:x} of {word:x}', 'UNSUPPORTED'
        )
    for story, word in (
        ('compatible_1117', version(7)),
        ('compatible_1121', 0x0001000100020001),
        ('compatible_2000', 2 << 48),
        ('compatible_maximum', (1 << 64) - 1),
    ):
        file = plain().set('version', u64(word)).set('compatible', u64(word))
        yield corrupt('6', story, 'H6', file, 'compatible', f'compatible {word:x}', 'UNSUPPORTED')


def counts():
    for story, rows in (('rows_negative', -1), ('rows_minimum', I64_MIN)):
        yield patched('7', story, 'H7', plain(), 'rows', i64(rows), f'{rows} rows')
    for story, columns in (('columns_negative', -1), ('columns_minimum', I32_MIN)):
        yield patched('8', story, 'H8', plain(), 'columns', i32(columns), f'{columns} columns')
    file = plain().set('columns', i32(-1)).set('tail', i64(0))
    yield corrupt('8', 'columns_negative_tail_0', 'H8', file, 'columns', 'the first of two faults')
    for story, columns in (
        ('columns_one_too_many', 2),
        ('columns_1000', 1000),
        ('columns_maximum', I32_MAX),
    ):
        why = f'{columns} columns, TOC of 28 bytes'
        yield patched('9', story, 'H8', plain(), 'columns', i32(columns), why)
    file = plain()
    file.set('toc', i64(file.at['tail_signature']))
    yield corrupt(
        '9', 'toc_at_tail', 'H8', file, 'columns', 'TOC offset = tail leaves no byte for it'
    )
    file = compose(rows=0).set('columns', i32(1))
    yield corrupt('9', 'columns_without_toc', 'H8', file, 'columns', '1 column, empty TOC')


def toc_place():
    tail = plain().at['tail_signature']
    for numbers, story, toc in (
        ('10', 'toc_in_header', 255),
        ('10', 'toc_zero', 0),
        ('10', 'toc_negative', -1),
        ('10', 'toc_minimum', I64_MIN),
        ('11', 'toc_past_tail', tail + 1),
        ('11', 'toc_maximum', I64_MAX),
    ):
        yield patched(numbers, story, 'H9', plain(), 'toc', i64(toc), f'TOC offset {toc}')


def tail_place():
    """No columns, so that H9 has nothing to say."""
    for story, tail in (
        ('tail_in_header', 255),
        ('tail_zero', 0),
        ('tail_negative', -1),
        ('tail_minimum', I64_MIN),
    ):
        file = compose(rows=0)
        yield patched('12', story, 'H10', file, 'tail', i64(tail), f'tail offset {tail}')
    end = plain().at['end']
    for story, tail in (
        ('tail_one_too_far', end - 7),
        ('tail_at_end', end),
        ('tail_past_end', end + 4096),
        ('tail_plus_8_wraps', I64_MAX - 7),
        ('tail_maximum', I64_MAX),
    ):
        yield patched('13', story, 'H11', plain(), 'tail', i64(tail), f'tail offset {tail}')
    for n, story in ((256, 'header_only'), (263, 'shortest_cut')):
        raw = compose(rows=0).raw[:n]
        yield corrupt('1', story, 'H11', raw, 32, f'{n} bytes, tail offset 256')
    yield corrupt('13', 'last_byte_lost', 'H11', plain().raw[:-1], 32, 'file cut by one byte')
    yield corrupt('13', 'second_half_lost', 'H11', plain().raw[:280], 32, 'file cut in its TOC')


def tail_signature():
    for story, raw in (
        ('tail_signature_zero', bytes(8)),
        ('tail_signature_not_reversed', HEAD_SIGNATURE),
        ('tail_signature_last_byte', HEAD_SIGNATURE[:0:-1] + b'D'),
    ):
        yield patched('14', story, 'H12', plain(), 'tail_signature', raw, 'not the tail signature')
    file = plain()
    tail = file.at['tail_signature'] - 1
    file.set('tail', i64(tail))
    yield corrupt('14', 'tail_one_early', 'H12', file, tail, 'the signature starts one byte later')
