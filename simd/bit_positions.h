/* SPDX-License-Identifier: MIT */
/* bit_positions.h: a table of the bits that are set in a byte. */
#ifndef DVI_SIMD_BIT_POSITIONS_H
#define DVI_SIMD_BIT_POSITIONS_H

#include <stdint.h>

/* Entry m: the positions of the bits that are set in byte m, a byte each, the lowest first; then
 * zeros. */
#define BIT(m, b) ((uint64_t)(m) >> (b)&1)
#define BELOW_1(m) BIT(m, 0)
#define BELOW_2(m) (BELOW_1(m) + BIT(m, 1))
#define BELOW_3(m) (BELOW_2(m) + BIT(m, 2))
#define BELOW_4(m) (BELOW_3(m) + BIT(m, 3))
#define BELOW_5(m) (BELOW_4(m) + BIT(m, 4))
#define BELOW_6(m) (BELOW_5(m) + BIT(m, 5))
#define BELOW_7(m) (BELOW_6(m) + BIT(m, 6))
#define POSITION(m, b) ((b)*BIT(m, b) << 8 * BELOW_##b(m))
#define POSITIONS(m)                                                                               \
    (POSITION(m, 1) | POSITION(m, 2) | POSITION(m, 3) | POSITION(m, 4) | POSITION(m, 5) |          \
     POSITION(m, 6) | POSITION(m, 7))
#define POSITIONS_4(m) POSITIONS(m), POSITIONS((m) + 1), POSITIONS((m) + 2), POSITIONS((m) + 3)
#define POSITIONS_16(m)                                                                            \
    POSITIONS_4(m), POSITIONS_4((m) + 4), POSITIONS_4((m) + 8), POSITIONS_4((m) + 12)
#define POSITIONS_64(m)                                                                            \
    POSITIONS_16(m), POSITIONS_16((m) + 16), POSITIONS_16((m) + 32), POSITIONS_16((m) + 48)
static const uint64_t dvi_bit_positions[256] = {POSITIONS_64(0), POSITIONS_64(64),
                                                POSITIONS_64(128), POSITIONS_64(192)};
#undef BIT
#undef BELOW_1
#undef BELOW_2
#undef BELOW_3
#undef BELOW_4
#undef BELOW_5
#undef BELOW_6
#undef BELOW_7
#undef POSITION
#undef POSITIONS
#undef POSITIONS_4
#undef POSITIONS_16
#undef POSITIONS_64

#endif
