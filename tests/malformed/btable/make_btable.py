#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which BTables must be refused, why, and at which byte?  Writes them beside this script.

    make_btable.py           write the fixtures and index.tsv, remove fixtures that are no case any more
    make_btable.py --check   say what differs from the files on disk; exit status 1 if anything does

A name is the verdict of strict mode: <story>.<STATUS>.<rule>@<offset>.btable, with the codes of
btable:10 as rules and the offset of the first wrong byte.  <story>.OK.btable: strange and sound.
index.tsv adds the verdict of lenient mode: OK, or rule@offset.
"""

import argparse
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INDEX_HEAD = 'file\tvector of btable:10\tlenient\n'


def header(labels, version=0, units=None):
    raw = labels if isinstance(labels, bytes) else labels.encode('utf-16-be')
    return struct.pack('>ii', version, len(raw) // 2 if units is None else units) + raw


def pair(index, value=1.0):
    bits = struct.pack('>d', value) if isinstance(value, float) else bytes.fromhex(value)
    return struct.pack('>i', index) + bits


def row(*pairs, count=None):
    return struct.pack('>i', len(pairs) if count is None else count) + b''.join(pairs)


def count(n):
    return struct.pack('>i', n)


AB = header('a\x1fb')  # rows start at byte 14
A = header('a')  # and here at 10
TWO = row(pair(0), pair(1))

# story, bytes, code and offset of strict mode (None: OK), of lenient mode, vector
CASES = (
    ('empty', b'', ('HDR_TRUNC', 0), ('HDR_TRUNC', 0), 'M01'),
    ('version_cut', bytes(3), ('HDR_TRUNC', 3), ('HDR_TRUNC', 3), 'M02'),
    ('version_only', bytes(4), ('HDR_TRUNC', 4), ('HDR_TRUNC', 4), 'M03'),
    ('label_length_cut', bytes(7), ('HDR_TRUNC', 7), ('HDR_TRUNC', 7), 'M04'),
    ('version_1', header('a', version=1), ('VERSION', 0), ('VERSION', 0), 'M05'),
    ('version_little_endian', header('a', version=1 << 24), ('VERSION', 0), ('VERSION', 0), 'M06'),
    ('version_negative', header('a', version=-1), ('VERSION', 0), ('VERSION', 0), ''),
    ('label_length_negative', header('', units=-1), ('LABEL_LEN', 4), ('LABEL_LEN', 4), 'M07'),
    ('label_length_minimum', header('a', units=-(2**31)), ('LABEL_LEN', 4), ('LABEL_LEN', 4), ''),
    ('labels_cut', header('a', units=2), ('LABEL_TRUNC', 4), ('LABEL_TRUNC', 4), 'M08'),
    ('label_unit_cut', header('', units=1) + b'\0', ('LABEL_TRUNC', 4), ('LABEL_TRUNC', 4), 'M09'),
    ('label_length_maximum', header('a', units=2**31 - 1), ('LABEL_TRUNC', 4), ('LABEL_TRUNC', 4), 'M10'),
    ('high_surrogate_alone', header(b'\xd8\x3d'), ('LABEL_UTF16', 8), None, 'M11'),
    ('high_surrogate_before_label', header(b'\xd8\x3d\0a'), ('LABEL_UTF16', 8), None, ''),
    ('high_surrogates_two', header(b'\xd8\x3d\xd8\x3d\xde\0'), ('LABEL_UTF16', 8), None, ''),
    ('low_surrogate_alone', header(b'\0a\xde\0\0b'), ('LABEL_UTF16', 10), None, ''),
    ('low_surrogate_behind_pair', header(b'\xd8\x3d\xde\0\xde\0'), ('LABEL_UTF16', 12), None, ''),
    ('surrogates_reversed', header(b'\xde\0\xd8\x3d'), ('LABEL_UTF16', 8), None, 'M12'),
    ('pair_split_by_separator', header(b'\xd8\x3d\0\x1f\xde\0'), ('LABEL_UTF16', 8), None, 'M13'),
    ('pair_counted_as_one', header(b'\xd8\x3d\xde\0', units=1) + row(pair(0)), ('LABEL_UTF16', 8),
     ('COUNT_NEG', 10), 'M32'),
    ('stray_byte', AB + b'\0', ('COUNT_TRUNC', 14), None, 'M14'),
    ('stray_bytes_behind_row', AB + row() + bytes(3), ('COUNT_TRUNC', 18), None, 'M15'),
    ('stray_bytes_behind_pairs', AB + TWO + bytes(2), ('COUNT_TRUNC', 42), None, ''),
    ('count_minus_one', AB + count(-1), ('COUNT_NEG', 14), ('COUNT_NEG', 14), 'M16'),
    ('count_minimum', AB + count(-(2**31)), ('COUNT_NEG', 14), ('COUNT_NEG', 14), 'M17'),
    ('count_negative_later', AB + TWO + row() + count(-2), ('COUNT_NEG', 46), ('COUNT_NEG', 46), ''),
    ('pair_missing', AB + count(1), ('ROW_TRUNC', 14), ('ROW_TRUNC', 14), 'M18'),
    ('pairs_missing', AB + count(2), ('ROW_TRUNC', 14), ('ROW_TRUNC', 14), 'M19'),
    ('index_cut', AB + count(1) + bytes(2), ('ROW_TRUNC', 14), ('ROW_TRUNC', 14), 'M20'),
    ('value_missing', AB + count(1) + bytes(4), ('ROW_TRUNC', 14), ('ROW_TRUNC', 14), 'M21'),
    ('value_cut', AB + row(pair(0))[:-1], ('ROW_TRUNC', 14), ('ROW_TRUNC', 14), 'M22'),
    ('second_pair_missing', AB + row(pair(0), count=2), ('ROW_TRUNC', 14), ('ROW_TRUNC', 14), 'M23'),
    ('last_row_cut', AB + TWO + TWO[:-12], ('ROW_TRUNC', 42), ('ROW_TRUNC', 42), ''),
    ('count_above_labels', AB + row(pair(0), pair(1), pair(1)), ('COUNT_GT_N', 14), None, 'M24'),
    ('count_above_one_label', A + row(pair(0), pair(0)) + row(), ('COUNT_GT_N', 10), None, ''),
    ('count_maximum', AB + count(2**31 - 1), ('COUNT_GT_N', 14), ('ROW_TRUNC', 14), 'M25'),
    ('count_wraps', AB + count(0x15555556) + bytes(8), ('COUNT_GT_N', 14), ('ROW_TRUNC', 14), 'M26'),
    ('index_is_n', AB + row(pair(2)), ('INDEX_RANGE', 18), None, 'M27'),
    ('index_maximum', AB + row(pair(0), pair(2**31 - 1)), ('INDEX_RANGE', 30), None, ''),
    ('index_minus_one', AB + row(pair(-1)), ('INDEX_NEG', 18), None, 'M28'),
    ('index_minimum', AB + row(pair(0), pair(-(2**31))), ('INDEX_NEG', 30), None, ''),
    ('index_twice', AB + row(pair(1), pair(1)), ('INDEX_DUP', 30), None, 'M29'),
    ('index_falls', AB + row(pair(1), pair(0)), ('INDEX_ORDER', 30), None, 'M30'),
    ('index_falls_in_second_row', AB + TWO + row(pair(1), pair(0)), ('INDEX_ORDER', 58), None, ''),
    ('stale_tail', A + row(pair(0, 9.0)) + row() + bytes.fromhex('000000014000000000000000')
     + row(pair(0, 3.0), pair(1, 4.0)), ('INDEX_RANGE', 34), ('ROW_TRUNC', 50), 'M31'),
    ('row_little_endian', AB + bytes.fromhex('01000000 00000000 000000000000F03F'),
     ('COUNT_GT_N', 14), ('ROW_TRUNC', 14), 'M33'),
    ('smallest', header(''), None, None, 'A01'),
    ('empty_label_with_row', header('') + row(pair(0)), None, None, 'A02'),
    ('no_rows', AB, None, None, 'A03'),
    ('zero_row', AB + row(), None, None, 'A04'),
    ('stored_zeros', AB + row(pair(0, 0.0), pair(1, -0.0)), None, None, 'A05'),
    ('nan_payload', AB + row(pair(0, '7FF8000000000123'), pair(1, 'FFF0000000000000')), None, None, 'A06'),
    ('least_denormal', AB + row(pair(1, '0000000000000001')), None, None, 'A07'),
    ('separator_only', header('\x1f') + row(pair(1)), None, None, 'A08'),
    ('trailing_empty_label', header('a\x1f') + row(pair(1)), None, None, 'A09'),
    ('equal_labels', header('a\x1fa'), None, None, 'A10'),
    ('label_beyond_bmp', header('\U0001F600') + row(pair(0)), None, None, 'A11'),
    ('label_with_byte_1f', header('\u011f') + row(pair(0)), None, None, 'A12'),
    ('label_with_bom', header('\ufeffa'), None, None, 'A13'),
    ('label_with_nul', header('a\0b'), None, None, 'A14'),
    ('labels_joined_by_commas', header('a,b,c') + row(pair(0)), None, None, ''),
    ('many_empty_rows', AB + row() * 200, None, None, ''),
)  # fmt: skip


def name_of(story, strict):
    if strict is None:
        return f'{story}.OK.btable'
    code, offset = strict
    status = 'UNSUPPORTED' if code == 'VERSION' else 'CORRUPT'
    return f'{story}.{status}.{code}@{offset}.btable'


def all_files():
    """Every file to be written: name and bytes."""
    files = {name_of(story, strict): raw for story, raw, strict, _, _ in CASES}
    assert len(files) == len(CASES), 'two cases of one name'
    lines = [
        '\t'.join((name_of(story, strict), vector, 'OK' if lenient is None else '%s@%d' % lenient))
        for story, _, strict, lenient, vector in CASES
    ]
    files['index.tsv'] = (INDEX_HEAD + ''.join(line + '\n' for line in lines)).encode()
    return files


def on_disk():
    found = [*HERE.glob('*.btable'), *HERE.glob('index.tsv')]
    return {path.name: path.read_bytes() for path in found}


def main():
    parser = argparse.ArgumentParser(description='Write the malformed BTables.')
    parser.add_argument('--check', action='store_true', help='compare only')
    files, there = all_files(), on_disk()
    differ = sorted(name for name in files.keys() | there.keys() if files.get(name) != there.get(name))
    if parser.parse_args().check:
        for name in differ:
            print('differs', name)
        return 1 if differ else 0
    for name in there.keys() - files.keys():
        (HERE / name).unlink()
    for name in differ:
        if name in files:
            (HERE / name).write_bytes(files[name])
    return 0


if __name__ == '__main__':
    sys.exit(main())
