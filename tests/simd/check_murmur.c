/* SPDX-License-Identifier: MIT */
/* check_murmur.c: checks kernels that hash numbers and short texts to keys. */
#include "check_kernels.h"
#include <string.h>

#define NUMBERS_MAX 1000

/* Numbers of semantics:7.6, with the hashes that ML.NET makes of them. */
static const struct {
    uint64_t number;
    uint32_t hash;
} vectors[2][3] = {
    {{1, 0x758EA9F5}, {2, 0x1EAEBD96}, {1000, 0xF8AE3C60}},
    {{1, 0xDD5FF548}, {UINT64_MAX, 0xF0AFF71E}, {UINT64_C(1) << 40, 0xE7715A82}},
};

/* Texts of semantics:7.6. */
static const struct {
    const char *text;
    uint32_t hash[2]; /* of versions 2 and 1 */
} texts[] = {{"a", {0x2C72B6C0, 0x70F412DC}}, {"hello", {0x09F85FAB, 0x528CF545}}};

static bool has_texts(DVT_CALL_MURMUR, const dvi_kernel_table *k)
{
    for (size_t i = 0; i < 4; i++) {
        uint32_t got;
        uint8_t bytes[16] = {0};
        const dvi_murmur how = {.seed = 314489979, .mask = INT32_MAX, .skips_zero = i % 2 == 1};
        const size_t length = strlen(texts[i / 2].text);
        memcpy(bytes, texts[i / 2].text, length);
        bytes[15] = (uint8_t)length;
        call(k, &got, bytes, 1, NULL, &how);
        if (got != (texts[i / 2].hash[i % 2] & INT32_MAX) + 1)
            return false;
    }
    return true;
}

static bool has_vectors(DVT_CALL_MURMUR, const dvi_kernel_table *k, size_t width)
{
    if (width == 16)
        return has_texts(call, k);
    const dvi_murmur how = {314489979, INT32_MAX, (uint32_t)width,
                            false,     false,     {UINT64_MAX, 0, UINT64_MAX}};
    for (size_t i = 0; i < 3; i++) {
        uint32_t got;
        call(k, &got, &vectors[width == 8][i].number, 1, NULL, &how);
        if (got != (vectors[width == 8][i].hash & INT32_MAX) + 1)
            return false;
    }
    return true;
}

/* Rules that real types have, whose NA is drawn often; and one that few numbers meet. */
static dvi_murmur draw_rule(dvt_draw *draw, size_t width)
{
    const uint64_t sign = UINT64_C(1) << (width == 4 ? 31 : 63);
    const dvi_na rules[] = {{UINT64_MAX, sign + 1, UINT64_MAX - 1},
                            {sign - 1, 0, sign - sign / 128},
                            {UINT64_MAX, 1, dvt_draw_below(draw, 300)},
                            {UINT64_MAX, 0, UINT64_MAX},
                            {dvt_draw_bits(draw), dvt_draw_bits(draw), dvt_draw_bits(draw)}};
    return (dvi_murmur){.seed = (uint32_t)dvt_draw_bits(draw),
                        .mask = UINT32_MAX >> (1 + dvt_draw_below(draw, 31)),
                        .nbytes = dvt_draw_once_in(draw, 2) ? (uint32_t)width : 0,
                        .is_real = dvt_draw_once_in(draw, 2),
                        .skips_zero = dvt_draw_once_in(draw, 2),
                        .na = rules[dvt_draw_below(draw, sizeof rules / sizeof *rules)]};
}

/* Many are small, 0 or -0, or the least number; many have one half that is 0. */
static uint64_t draw_number(dvt_draw *draw, size_t width)
{
    const uint64_t sign = UINT64_C(1) << (8 * width - 1), bits = dvt_draw_bits(draw);
    switch (dvt_draw_below(draw, 8)) {
    case 0:
        return sign;
    case 1:
        return 0;
    case 2:
        return bits & 0xFF;
    case 3:
        return bits << 32;
    case 4:
        return sign - 1 - (bits & 3);
    case 5:
        return bits & UINT32_MAX;
    default:
        return bits;
    }
}

/* Of any length, then zeros, and now and then any bytes at all. */
static void draw_text(dvt_draw *draw, uint8_t *text)
{
    const bool is_any = dvt_draw_once_in(draw, 10);
    const size_t length = (size_t)dvt_draw_below(draw, 16);
    for (size_t i = 0; i < 16; i++)
        text[i] = is_any       ? (uint8_t)dvt_draw_bits(draw)
                  : i < length ? (uint8_t)dvt_draw_below(draw, 128)
                               : 0;
    if (!is_any)
        text[15] = (uint8_t)length;
}

static const void *draw_numbers(dvt_draw *draw, int page, const dvt_try *trial, size_t width)
{
    uint8_t *numbers = dvt_allocate(page, trial, trial->n * width);
    for (size_t i = 0; width == 16 && i < trial->n; i++)
        draw_text(draw, numbers + width * i);
    for (size_t i = 0; width < 16 && i < trial->n; i++) {
        const uint64_t number = draw_number(draw, width);
        memcpy(numbers + width * i, &number, width);
    }
    return numbers;
}

const char *dvt_check_MURMUR(DVT_CALL_MURMUR, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial = {0};
    if (!has_vectors(call, here.scalar, src_width))
        return dvt_differs(DV_LEVEL_SCALAR, &trial, "keys from those of ML.NET");
    for (size_t i = 0; dvt_try_at(&trial, i, NUMBERS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvi_murmur how = draw_rule(&draw, src_width);
        const void *src = draw_numbers(&draw, 0, &trial, src_width);
        const void *slots =
            dvt_draw_once_in(&draw, 2) ? draw_numbers(&draw, 1, &trial, sizeof(uint32_t)) : NULL;
        const size_t nbytes = trial.n * dst_width;
        const dvt_try to = {trial.n, trial.slack / dst_width * dst_width, trial.seed};
        uint8_t *want = dvt_allocate(2, &to, nbytes);
        call(here.scalar, want, src, trial.n, slots, &how);
        if (!dvt_is_clean(2, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *got = dvt_allocate(3, &to, nbytes);
            call(here.table[k], got, src, trial.n, slots, &how);
            if (memcmp(got, want, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "keys");
            if (!dvt_is_clean(3, got, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}
