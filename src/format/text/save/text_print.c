/* SPDX-License-Identifier: MIT */
/* text_print.c: writes a value as a field. */
#include "format/text/save/text_print.h"
#include "base/load.h"
#include "codec/scalar.h"

/* --- Numbers ---------------------------------------------------------------------------------- */

/* Signed integers; the minimum is NA. */
#define PRINT_SIGNED(name, ctype, least)                                                           \
    static char *print_##name##_mlnet(char *dst, const dvi_text_values *values, int64_t i)         \
    {                                                                                              \
        ctype v;                                                                                   \
        memcpy(&v, values->main + (size_t)i * sizeof v, sizeof v);                                 \
        return dst + dvi_number_print_i8(dst, v);                                                  \
    }                                                                                              \
    static char *print_##name(char *dst, const dvi_text_values *values, int64_t i)                 \
    {                                                                                              \
        ctype v;                                                                                   \
        memcpy(&v, values->main + (size_t)i * sizeof v, sizeof v);                                 \
        return v == (least) ? dst : dst + dvi_number_print_i8(dst, v);                             \
    }
PRINT_SIGNED(i1, int8_t, INT8_MIN)
PRINT_SIGNED(i2, int16_t, INT16_MIN)
PRINT_SIGNED(i4, int32_t, INT32_MIN)
PRINT_SIGNED(i8, int64_t, INT64_MIN)

/* Unsigned integers, and keys of that width. */
#define PRINT_UNSIGNED(name, ctype)                                                                \
    static char *print_##name(char *dst, const dvi_text_values *values, int64_t i)                 \
    {                                                                                              \
        ctype v;                                                                                   \
        memcpy(&v, values->main + (size_t)i * sizeof v, sizeof v);                                 \
        return dst + dvi_number_print_u8(dst, v);                                                  \
    }                                                                                              \
    static char *print_##name##_key(char *dst, const dvi_text_values *values, int64_t i)           \
    {                                                                                              \
        ctype v;                                                                                   \
        memcpy(&v, values->main + (size_t)i * sizeof v, sizeof v);                                 \
        const uint64_t number = (uint64_t)v - 1;                                                   \
        if (number >= values->key_most)                                                            \
            return dst;                                                                            \
        return dst + dvi_number_print_u8(dst, number + values->key_min);                           \
    }                                                                                              \
    static int64_t count_##name##_key(const dvi_text_values *values, int64_t i, int64_t n)         \
    {                                                                                              \
        const uint8_t *p = values->main + (size_t)i * sizeof(ctype);                               \
        int64_t count = 0;                                                                         \
        for (ctype v; n-- > 0; p += sizeof v) {                                                    \
            memcpy(&v, p, sizeof v);                                                               \
            count += (uint64_t)v - 1 < values->key_most;                                           \
        }                                                                                          \
        return count;                                                                              \
    }
PRINT_UNSIGNED(u1, uint8_t)
PRINT_UNSIGNED(u2, uint16_t)
PRINT_UNSIGNED(u4, uint32_t)
PRINT_UNSIGNED(u8, uint64_t)

#define PRINT_REAL(name, ctype, print, na)                                                         \
    static char *print_##name(char *dst, const dvi_text_values *values, int64_t i)                 \
    {                                                                                              \
        ctype v;                                                                                   \
        memcpy(&v, values->main + (size_t)i * sizeof v, sizeof v);                                 \
        if (v == v)                                                                                \
            return dst + print(dst, v);                                                            \
        memcpy(dst, na, sizeof na - 1);                                                            \
        return dst + sizeof na - 1;                                                                \
    }
PRINT_REAL(r4, float, dvi_number_print_r4, "")
PRINT_REAL(r8, double, dvi_number_print_r8, "")
PRINT_REAL(r4_mlnet, float, dvi_number_print_r4, "?")
PRINT_REAL(r8_mlnet, double, dvi_number_print_r8_g17, "?")

static char *print_bl(char *dst, const dvi_text_values *values, int64_t i)
{
    const uint8_t v = values->main[i];
    *dst = (char)('0' + v);
    return dst + (v <= 1);
}

/* true, false: words that no reader takes for a number */
static char *print_bl_word(char *dst, const dvi_text_values *values, int64_t i)
{
    const uint8_t v = values->main[i];
    const char *word = v == 1 ? "true" : v == 0 ? "false" : "";
    const size_t n = strlen(word);
    memcpy(dst, word, n);
    return dst + n;
}

static char *print_ug(char *dst, const dvi_text_values *values, int64_t i)
{
    return dst + dvi_scalar_printer(DV_KIND_UG)(dst, values->main + 16 * i);
}

/* --- Times ------------------------------------------------------------------------------------ */

static char *print_ts(char *dst, const dvi_text_values *values, int64_t i)
{
    return dst + dvi_timespan_print(dst, dvi_load_i64(values->main + 8 * i));
}

static char *print_dt(char *dst, const dvi_text_values *values, int64_t i)
{
    return dst + dvi_datetime_print(dst, dvi_load_i64(values->main + 8 * i));
}

static char *print_dz(char *dst, const dvi_text_values *values, int64_t i)
{
    const dv_zoned zoned = {dvi_load_i64(values->main + 8 * i),
                            dvi_load_i16(values->beside + 2 * i)};
    return dst + dvi_zoned_print(dst, zoned);
}

/* In quotes, because they contain colons. */
static char *print_in_quotes(char *dst, dvi_text_print *print, const dvi_text_values *values,
                             int64_t i)
{
    char *end = print(dst + 1, values, i);
    if (end == dst + 1)
        return dst;
    *dst = *end = '"';
    return end + 1;
}

#define PRINT_IN_QUOTES(name)                                                                      \
    static char *print_##name##_quoted(char *dst, const dvi_text_values *values, int64_t i)        \
    {                                                                                              \
        return print_in_quotes(dst, print_##name, values, i);                                      \
    }
PRINT_IN_QUOTES(ts)
PRINT_IN_QUOTES(dt)
PRINT_IN_QUOTES(dz)

static char *print_least(char *dst, const char *least, size_t n)
{
    memcpy(dst, least, n);
    return dst + n;
}

/* ML.NET reads NA of an .idv file as zero, */
static char *print_ts_mlnet(char *dst, const dvi_text_values *values, int64_t i)
{
    static const char zero[] = "\"00:00:00\"";
    if (dvi_load_i64(values->main + 8 * i) != DV_TICKS_NA)
        return print_ts_quoted(dst, values, i);
    return print_least(dst, zero, sizeof zero - 1);
}

/* but not in vectors. */
static char *print_ts_slot_mlnet(char *dst, const dvi_text_values *values, int64_t i)
{
    static const char least[] = "\"-10675199.02:48:05.4775808\"";
    if (dvi_load_i64(values->main + 8 * i) != DV_TICKS_NA)
        return print_ts_quoted(dst, values, i);
    return print_least(dst, least, sizeof least - 1);
}

/* --- Counting values that are not the default --- */

#define COUNT_WIDTH(width, ctype)                                                                  \
    static int64_t count_##width(const dvi_text_values *values, int64_t i, int64_t n)              \
    {                                                                                              \
        const uint8_t *p = values->main + (size_t)i * sizeof(ctype);                               \
        int64_t count = 0;                                                                         \
        for (ctype v; n-- > 0; p += sizeof v) {                                                    \
            memcpy(&v, p, sizeof v);                                                               \
            count += v != 0;                                                                       \
        }                                                                                          \
        return count;                                                                              \
    }
COUNT_WIDTH(1, uint8_t)
COUNT_WIDTH(2, uint16_t)
COUNT_WIDTH(4, uint32_t)
COUNT_WIDTH(8, uint64_t)

static int64_t count_ug(const dvi_text_values *values, int64_t i, int64_t n)
{
    int64_t count = 0;
    for (const uint8_t *p = values->main + 16 * i; n-- > 0; p += 16)
        count += (dvi_load_u64(p) | dvi_load_u64(p + 8)) != 0;
    return count;
}

static int64_t count_dz(const dvi_text_values *values, int64_t i, int64_t n)
{
    int64_t count = 0;
    for (; n-- > 0; i++)
        count += dvi_load_i64(values->main + 8 * i) != 0 || dvi_load_i16(values->beside + 2 * i);
    return count;
}

/* NA has bit 31 set in its end, so it is not empty. */
static int64_t count_tx(const dvi_text_values *values, int64_t i, int64_t n)
{
    const uint8_t *ends = values->beside;
    uint32_t last = i > 0 ? dvi_load_u32(ends + 4 * (i - 1)) : (uint32_t)values->first;
    int64_t count = 0;
    for (; n-- > 0; i++) {
        const uint32_t end = dvi_load_u32(ends + 4 * i);
        count += end != (last & INT32_MAX);
        last = end;
    }
    return count;
}

/* --- Functions by type --- */

typedef struct printer {
    dvi_text_print *print[DVI_TEXT_STYLES], *key;
    dvi_text_count *count, *count_key;
    const char *initial, *initial_csv;
} printer;

#define SIGNED(name, width)                                                                        \
    {                                                                                              \
        {print_##name, print_##name##_mlnet, print_##name}, NULL, count_##width, NULL, "0", "0"    \
    }
#define UNSIGNED(name, width)                                                                      \
    {                                                                                              \
        {print_##name, print_##name, print_##name}, print_##name##_key, count_##width,             \
            count_##name##_key, "0", "0"                                                           \
    }
#define PLAIN(typed, mlnet, csv, count, initial, initial_csv)                                      \
    {                                                                                              \
        {typed, mlnet, csv}, NULL, count, NULL, initial, initial_csv                               \
    }
#define TIME(name, mlnet, count, initial)                                                          \
    PLAIN(print_##name##_quoted, mlnet, print_##name, count, "\"" initial "\"", initial)

static const printer printers[] = {
    [DV_KIND_I1] = SIGNED(i1, 1),
    [DV_KIND_I2] = SIGNED(i2, 2),
    [DV_KIND_I4] = SIGNED(i4, 4),
    [DV_KIND_I8] = SIGNED(i8, 8),
    [DV_KIND_U1] = UNSIGNED(u1, 1),
    [DV_KIND_U2] = UNSIGNED(u2, 2),
    [DV_KIND_U4] = UNSIGNED(u4, 4),
    [DV_KIND_U8] = UNSIGNED(u8, 8),
    [DV_KIND_R4] = PLAIN(print_r4, print_r4_mlnet, print_r4, count_4, "0", "0"),
    [DV_KIND_R8] = PLAIN(print_r8, print_r8_mlnet, print_r8, count_8, "0", "0"),
    [DV_KIND_TX] = PLAIN(NULL, NULL, NULL, count_tx, "\"\"", "\"\""),
    [DV_KIND_BL] = PLAIN(print_bl, print_bl, print_bl_word, count_1, "0", "false"),
    [DV_KIND_TS] = TIME(ts, print_ts_mlnet, count_8, "00:00:00"),
    [DV_KIND_DT] = TIME(dt, print_dt_quoted, count_8, "0001-01-01T00:00:00.0000000"),
    [DV_KIND_DZ] = TIME(dz, print_dz_quoted, count_dz, "0001-01-01T00:00:00.0000000+00:00"),
    [DV_KIND_UG] =
        PLAIN(print_ug, print_ug, print_ug, count_ug, "0x00000000000000000000000000000000",
              "0x00000000000000000000000000000000"),
};

dvi_text_print *dvi_text_print_of(const dv_type *item, dvi_text_style style, bool in_vector)
{
    const printer *p = &printers[item->kind];
    if (style == DVI_TEXT_MLNET && in_vector && item->kind == DV_KIND_TS)
        return print_ts_slot_mlnet;
    return item->is_key ? p->key : p->print[style];
}

dvi_text_count *dvi_text_count_of(const dv_type *item)
{
    const printer *p = &printers[item->kind];
    return item->is_key ? p->count_key : p->count;
}

const char *dvi_text_print_default(const dv_type *item, dvi_text_style style)
{
    const printer *p = &printers[item->kind];
    return item->is_key ? "" : style == DVI_TEXT_CSV ? p->initial_csv : p->initial;
}

uint64_t dvi_text_key_most(const dv_type *key)
{
    if (key->key_count > 0)
        return key->key_count;
    return key->key_min > 0 ? UINT64_MAX - key->key_min + 1 : UINT64_MAX;
}
