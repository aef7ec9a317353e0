/* SPDX-License-Identifier: MIT */
/* sum.c: rounds an exact sum to a double. */
#include "base/load.h"
#include "simd/kernel.h"

/* Return 2 to the power k; k is from -1022 to 1023. */
static double power_of_two(int k)
{
    const uint64_t bits = (uint64_t)(1023 + k) << 52;
    return dvi_load_f8(&bits);
}

double dvi_sum_r8(const dvi_sum *sum)
{
    const uint64_t sign = sum->word[2] >> 63 ? UINT64_MAX : 0;
    uint64_t word[3], carry = sign & 1;
    for (int i = 0; i < 3; i++) {
        word[i] = (sum->word[i] ^ sign) + carry;
        carry = carry && word[i] == 0;
    }
    const int top = word[2] ? 2 : word[1] ? 1 : 0;
    if (word[top] == 0)
        return 0;
    /* The first 64 bits.  If any later bit is set, the last one is, too, which is far below half a
     * unit. */
    const int shift = __builtin_clzll(word[top]);
    uint64_t bits = word[top] << shift, rest = 0;
    if (top > 0) {
        bits |= shift ? word[top - 1] >> (64 - shift) : 0;
        rest = word[top - 1] << shift | (top > 1 ? word[0] : 0);
    }
    const double size = (double)(bits | (rest != 0)) * power_of_two(64 * top - shift);
    return sign ? -size : size;
}
