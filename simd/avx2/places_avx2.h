/* SPDX-License-Identifier: MIT */
/* places_avx2.h: which bits of a byte are set? */
#ifndef DVI_SIMD_PLACES_AVX2_H
#define DVI_SIMD_PLACES_AVX2_H

#include <stdint.h>

/* The places of the bits of byte m, a byte each, the lowest first. */
#define BIT(m, b) ((uint64_t)(m) >> (b)&1)
#define BELOW_1(m) BIT(m, 0)
#define BELOW_2(m) (BELOW_1(m) + BIT(m, 1))
#define BELOW_3(m) (BELOW_2(m) + BIT(m, 2))
#define BELOW_4(m) (BELOW_3(m) + BIT(m, 3))
#define BELOW_5(m) (BELOW_4(m) + BIT(m, 4))
#define BELOW_6(m) (BELOW_5(m) + BIT(m, 5))
#define BELOW_7(m) (BELOW_6(m) + BIT(m, 6))
#define PLACE(m, b) ((b)*BIT(m, b) << 8 * BELOW_##b(m))
#define PLACES(m)                                                                                  \
    (PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) |           \
     PLACE(m, 7))
#define PLACES_4(m) PLACES(m), PLACES((m) + 1), PLACES((m) + 2), PLACES((m) + 3)
#define PLACES_16(m) PLACES_4(m), PLACES_4((m) + 4), PLACES_4((m) + 8), PLACES_4((m) + 12)
#define PLACES_64(m) PLACES_16(m), PLACES_16((m) + 16), PLACES_16((m) + 32), PLACES_16((m) + 48)
static const uint64_t dvi_byte_places[256] = {PLACES_64(0), PLACES_64(64), PLACES_64(128),
                                              PLACES_64(192)};
#undef BIT
#undef BELOW_1
#undef BELOW_2
#undef BELOW_3
#undef BELOW_4
#undef BELOW_5
#undef BELOW_6
#undef BELOW_7
#undef PLACE
#undef PLACES
#undef PLACES_4
#undef PLACES_16
#undef PLACES_64

#endif
