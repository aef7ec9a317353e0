#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""number_tbl.py: powers of ten to 128 bits, as number.c wants them.

Prints number_tbl.h.  Entry k - FIRST is 10**k scaled by a power of two into [2**127, 2**128), rounded
up where it is not exact.
"""
FIRST, LAST = -292, 324  # what the exponents of doubles need


def scaled(k):
    """ceil(10**k * 2**s), with s such that the result has 128 bits."""
    top, bottom = (10**k, 1) if k >= 0 else (1, 10**-k)
    shift = 128 - (top.bit_length() - bottom.bit_length())
    while True:
        n, d = (top << shift, bottom) if shift >= 0 else (top, bottom << -shift)
        if n // d < 1 << 128:
            return -(-n // d)
        shift -= 1


def main():
    print("/* SPDX-License-Identifier: MIT */")
    print("/* number_tbl.h: powers of ten, scaled to 128 bits and rounded up.  Made by number_tbl.py. */")
    print("/* clang-format off */")
    print(f"#define POWER_FIRST ({FIRST})")
    print("static const uint64_t powers[][2] = { /* high, low */")
    for k in range(FIRST, LAST + 1):
        g = scaled(k)
        assert g >> 127 == 1
        print(f"    {{0x{g >> 64:016X}, 0x{g & (1 << 64) - 1:016X}}}, /* 1E{k} */")
    print("};")


if __name__ == "__main__":
    main()
