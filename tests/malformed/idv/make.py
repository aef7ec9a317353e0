#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which .idv files must be refused, why, and at which byte?  Writes them beside this script.

    make.py           write the fixtures and index.tsv, remove fixtures that are no case any more
    make.py --check   say what differs from the files on disk; exit status 1 if anything does

A name is the verdict: <story>.<STATUS>.<rule>@<offset>.idv, with rule as in docs/spec/idv.md or
the name of a limit, and the offset of the first wrong byte (of its block, when that is inflated).
WARNING: read without error, but verify warns.  <story>.OK.idv: strange and sound.
"""

import argparse
import sys
from pathlib import Path

import cases_block
import cases_codec
import cases_header
import cases_sound
import cases_storage
import cases_toc
import cases_vector

HERE = Path(__file__).resolve().parent
SOURCES = (
    cases_header,
    cases_toc,
    cases_codec,
    cases_storage,
    cases_block,
    cases_vector,
    cases_sound,
)
INDEX_HEAD = 'file\tcases of idv:10\tstatus\trule\toffset\tstory\n'


def all_files():
    """Every file to be written: name and bytes."""
    cases = [case for source in SOURCES for case in source.cases()]
    stories = [case.story for case in cases]
    twice = {story for story in stories if stories.count(story) > 1}
    assert not twice, f'two cases of one name: {twice}'
    files = {case.filename: case.raw for case in cases}
    files['index.tsv'] = (INDEX_HEAD + ''.join(case.row + '\n' for case in cases)).encode()
    return files


def on_disk():
    return {path.name: path.read_bytes() for path in [*HERE.glob('*.idv'), *HERE.glob('index.tsv')]}


def check(files, there):
    """Print what differs; the number of differences."""
    differ = sorted(
        name for name in files.keys() | there.keys() if files.get(name) != there.get(name)
    )
    for name in differ:
        print('missing' if name not in there else 'stale' if name not in files else 'differs', name)
    return len(differ)


def write(files, there):
    for name in there.keys() - files.keys():
        (HERE / name).unlink()
    for name, raw in files.items():
        if there.get(name) != raw:
            (HERE / name).write_bytes(raw)


def main():
    parser = argparse.ArgumentParser(description='Write the malformed .idv fixtures.')
    parser.add_argument('--check', action='store_true', help='compare only')
    if parser.parse_args().check:
        return 1 if check(all_files(), on_disk()) else 0
    write(all_files(), on_disk())
    return 0


if __name__ == '__main__':
    sys.exit(main())
