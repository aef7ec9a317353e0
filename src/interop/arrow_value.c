/* SPDX-License-Identifier: MIT */
/* arrow_value.c: computes times and codes of keys. */
#include "interop/arrow_value.h"
#include "base/load.h"
#include "codec/datetime.h"
#include <string.h>

#define US_TICKS 10 /* ticks per microsecond */

/* --- Times ------------------------------------------------------------------------------------ */

static int64_t floor_to_us(int64_t ticks)
{
    return ticks / US_TICKS - (ticks % US_TICKS < 0);
}

/* Ticks, less their start, in the unit; false: they do not fit. */
static bool in_unit(int64_t *dst, int64_t ticks, dv_arrow_times times)
{
    switch (times) {
    case DV_ARROW_TIMES_US:
        *dst = floor_to_us(ticks);
        return true;
    case DV_ARROW_TIMES_EXACT:
        *dst = floor_to_us(ticks);
        return ticks % US_TICKS == 0;
    case DV_ARROW_TIMES_NS:
        return !__builtin_mul_overflow(ticks, 100, dst);
    case DV_ARROW_TIMES_TICKS:
        break;
    }
    *dst = ticks;
    return true;
}

size_t dvi_arrow_times(int64_t *dst, const void *ticks, size_t n, bool is_span,
                       dv_arrow_times times, int64_t *floored)
{
    for (size_t i = 0; i < n; i++) {
        const int64_t value = dvi_load_i64((const uint8_t *)ticks + 8 * i);
        const bool is_na = is_span ? value == DV_TICKS_NA : dvi_datetime_is_na(value);
        dst[i] = 0;
        if (is_na)
            continue;
        if (!in_unit(&dst[i], is_span ? value : value - DVI_EPOCH_TICKS, times))
            return i;
        *floored += times == DV_ARROW_TIMES_US && value % US_TICKS != 0;
    }
    return n;
}

static dv_zoned zoned_at(const void *ticks, const void *minutes, size_t i)
{
    return (dv_zoned){dvi_load_i64((const uint8_t *)ticks + 8 * i),
                      dvi_load_i16((const uint8_t *)minutes + 2 * i)};
}

size_t dvi_arrow_utc_times(int64_t *dst, const void *ticks, const void *minutes, size_t n,
                           dv_arrow_times times, int64_t *floored)
{
    const int64_t start = times == DV_ARROW_TIMES_TICKS ? 0 : DVI_EPOCH_TICKS;
    for (size_t i = 0; i < n; i++) {
        const dv_zoned z = zoned_at(ticks, minutes, i);
        dst[i] = 0;
        if (dvi_zoned_is_na(z))
            continue;
        if (!in_unit(&dst[i], dvi_zoned_utc(z) - start, times))
            return i;
        *floored += times == DV_ARROW_TIMES_US && z.ticks % US_TICKS != 0;
    }
    return n;
}

size_t dvi_arrow_zoned_valid(uint8_t *bits, const void *ticks, const void *minutes, size_t n)
{
    size_t missing = 0;
    memset(bits, 0, (n + 7) / 8);
    for (size_t i = 0; i < n; i++) {
        const bool is_na = dvi_zoned_is_na(zoned_at(ticks, minutes, i));
        bits[i / 8] |= (uint8_t)(!is_na << i % 8);
        missing += is_na;
    }
    return missing;
}

/* --- Keys ------------------------------------------------------------------------------------- */

#define CODES(W, T, DW, D)                                                                         \
    static void codes_##W##_##DW(void *dst, const void *keys, size_t n, uint64_t most,             \
                                 uint64_t less)                                                    \
    {                                                                                              \
        D *const to = dst;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            T key;                                                                                 \
            memcpy(&key, (const uint8_t *)keys + i * sizeof key, sizeof key);                      \
            const bool is_na = key == 0 || key > most;                                             \
            to[i] = is_na ? 0 : (D)((uint64_t)key + less);                                         \
        }                                                                                          \
    }
CODES(1, uint8_t, 1, uint8_t)
CODES(1, uint8_t, 2, uint16_t)
CODES(1, uint8_t, 8, uint64_t)
CODES(2, uint16_t, 2, uint16_t)
CODES(2, uint16_t, 4, uint32_t)
CODES(2, uint16_t, 8, uint64_t)
CODES(4, uint32_t, 4, uint32_t)
CODES(4, uint32_t, 8, uint64_t)
CODES(8, uint64_t, 8, uint64_t)

void dvi_arrow_codes(void *dst, size_t dst_width, const void *keys, size_t width, size_t n,
                     uint64_t count, uint64_t first)
{
    static void (*const codes[9][9])(void *, const void *, size_t, uint64_t, uint64_t) = {
        [1] = {[1] = codes_1_1, [2] = codes_1_2, [8] = codes_1_8},
        [2] = {[2] = codes_2_2, [4] = codes_2_4, [8] = codes_2_8},
        [4] = {[4] = codes_4_4, [8] = codes_4_8},
        [8] = {[8] = codes_8_8},
    };
    codes[width][dst_width](dst, keys, n, count > 0 ? count : UINT64_MAX, first - 1);
}
