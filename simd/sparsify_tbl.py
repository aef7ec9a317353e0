#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sparsify_tbl.py: which of eight lanes does a mask leave?

Prints sparsify_tbl.h: a row for each mask of eight bits.  Byte k of the number is the place of the k-th bit that is set,
the lowest first; the bytes after are 0.
"""


def row(mask):
    places = [place for place in range(8) if mask >> place & 1]
    return sum(place << 8 * k for k, place in enumerate(places))


def main():
    print("/* SPDX-License-Identifier: MIT */")
    print("/* sparsify_tbl.h: places of the bits that a mask has.  Made by sparsify_tbl.py. */")
    print("/* clang-format off */")
    for mask in range(0, 256, 4):
        print("    " + " ".join(f"0x{row(mask + k):016X}," for k in range(4)))


if __name__ == "__main__":
    main()
