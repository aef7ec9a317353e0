# SPDX-License-Identifier: MIT
"""What does a fixture say about itself?  A case: its bytes, and the verdict that names the file."""

from dataclasses import dataclass

from idvfile import Part


@dataclass
class Case:
    """numbers: of idv:10, or '-'.  offset: of the first wrong byte; None for a sound file."""

    numbers: str
    story: str
    status: str
    rule: str
    offset: object
    why: str
    raw: bytes

    @property
    def filename(self):
        place = '' if self.status == 'OK' else f'.{self.rule}@{self.offset}'
        return f'{self.story}.{self.status}{place}.idv'

    @property
    def row(self):
        rule, offset = ('-', '-') if self.status == 'OK' else (self.rule, self.offset)
        return f'{self.filename}\t{self.numbers}\t{self.status}\t{rule}\t{offset}\t{self.why}'


def find(file, where):
    """A position in a file: an offset, a field, or (field, bytes after its start)."""
    if isinstance(where, int):
        return where
    name, delta = where if isinstance(where, tuple) else (where, 0)
    return file.at[name] + delta


def corrupt(numbers, story, rule, file, where, why, status='CORRUPT'):
    """A file, a Part or bytes, that breaks one rule at one position."""
    raw = bytes(file.raw if isinstance(file, Part) else file)
    return Case(numbers, story, status, rule, find(file, where), why, raw)


def patched(numbers, story, rule, file, name, raw, why, status='CORRUPT'):
    """A sound file in which one field is replaced, and is what is wrong."""
    return corrupt(numbers, story, rule, file.set(name, raw), name, why, status)


def sound(story, file, why, numbers='-'):
    """A file that must be read without an error."""
    return Case(numbers, story, 'OK', '', None, why, bytes(file.raw))
