#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""power_tbl.py: powers of ten to 128 bits, as power.h wants them.

Prints power_tbl.h: {high, low} of two powers in a line.  The entry of k is 10**k scaled by a power of two into [2**127, 2**128), rounded
up where it is not exact.
"""
FIRST, LAST = -342, 340  # for texts of doubles: read -342..308, written -292..340


def scaled(k):
    """ceil(10**k * 2**s), with s such that the result has 128 bits."""
    top, bottom = (10**k, 1) if k >= 0 else (1, 10**-k)
    shift = 128 - (top.bit_length() - bottom.bit_length())
    while True:
        n, d = (top << shift, bottom) if shift >= 0 else (top, bottom << -shift)
        if n // d < 1 << 128:
            return -(-n // d)
        shift -= 1


def row(k):
    g = scaled(k)
    assert g >> 127 == 1
    return f"{{0x{g >> 64:016X}, 0x{g & (1 << 64) - 1:016X}}}"


def main():
    print("/* SPDX-License-Identifier: MIT */")
    print("/* power_tbl.h: powers of ten, scaled to 128 bits and rounded up.  Made by power_tbl.py. */")
    print("/* clang-format off */")
    for k in range(FIRST, LAST + 1, 2):
        pair = range(k, min(k + 2, LAST + 1))
        print("    " + "".join(f"{row(i)}, " for i in pair) + f"/* {', '.join(f'1E{i}' for i in pair)} */")


if __name__ == "__main__":
    main()
