/* SPDX-License-Identifier: MIT */
/* expr_load.c: reads columns into registers. */
#include "base/load.h"
#include "codec/datetime.h"
#include "expr/expr_eval.h"
#include <math.h>
#include <string.h>

#define LOAD_INTEGERS(name, ctype, is_na)                                                          \
    static void load_##name(int64_t *dst, const char *src, int32_t n)                              \
    {                                                                                              \
        for (int32_t i = 0; i < n; i++) {                                                          \
            ctype v;                                                                               \
            memcpy(&v, src + (size_t)i * sizeof v, sizeof v);                                      \
            dst[i] = (is_na) ? INT64_MIN : (int64_t)v;                                             \
        }                                                                                          \
    }
LOAD_INTEGERS(i1, int8_t, v == INT8_MIN)
LOAD_INTEGERS(i2, int16_t, v == INT16_MIN)
LOAD_INTEGERS(i4, int32_t, v == INT32_MIN)
LOAD_INTEGERS(i8, int64_t, false)
LOAD_INTEGERS(u1, uint8_t, false)
LOAD_INTEGERS(u2, uint16_t, false)
LOAD_INTEGERS(u4, uint32_t, false)
LOAD_INTEGERS(u8, uint64_t, false)
LOAD_INTEGERS(dt, int64_t, dvi_datetime_is_na(v))
#undef LOAD_INTEGERS

static void load_integers(int64_t *dst, dv_kind kind, const char *src, int32_t n)
{
    static void (*const loaders[])(int64_t * dst, const char *src, int32_t n) = {
        [DV_KIND_I1] = load_i1, [DV_KIND_I2] = load_i2, [DV_KIND_I4] = load_i4,
        [DV_KIND_I8] = load_i8, [DV_KIND_U1] = load_u1, [DV_KIND_U2] = load_u2,
        [DV_KIND_U4] = load_u4, [DV_KIND_U8] = load_u8, [DV_KIND_TS] = load_i8,
        [DV_KIND_DT] = load_dt};
    loaders[kind](dst, src, n);
}

/* Load stored numbers, less 2^63; 0 and numbers above the count are NA. */
static void load_keys(int64_t *dst, const dv_type *type, const char *src, int32_t n)
{
    const uint64_t most = type->key_count - 1; /* of number - 1; a count of 0 is unknown */
    load_integers(dst, type->kind, src, n);
    for (int32_t i = 0; i < n; i++) {
        const uint64_t key = (uint64_t)dst[i];
        dst[i] = key - 1 > most ? INT64_MIN : (int64_t)(key ^ (uint64_t)1 << 63);
    }
}

/* Load (number - 0.5) / count, which NA has not (semantics:7.14). */
static void load_shares(dvi_expr_register *dst, const dv_type *type, const char *src, int32_t n)
{
    const double count = (double)type->key_count;
    load_integers(dst->integer, type->kind, src, n);
    for (int32_t i = 0; i < n; i++) {
        const uint64_t key = (uint64_t)dst->integer[i];
        dst->real[i] = key - 1 >= type->key_count ? (double)NAN : ((double)key - 0.5) / count;
    }
}

static void load_logicals(uint8_t *dst, const char *src, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const uint8_t v = (uint8_t)src[i];
        dst[i] = v > 1 ? 2 : v;
    }
}

static void load_reals(double *dst, dv_kind kind, const char *src, int32_t n)
{
    if (kind == DV_KIND_R8)
        memcpy(dst, src, (size_t)n * sizeof *dst);
    else
        for (int32_t i = 0; i < n; i++)
            dst[i] = (double)dvi_load_f4(src + 4 * i);
}

static void load_texts(dv_text *dst, const dv_text_layout *text, int32_t n)
{
    const char *ends = text->ends.data;
    const char *utf8 = text->utf8.nbytes > 0 ? text->utf8.data : "";
    int32_t at = text->first;
    for (int32_t i = 0; i < n; i++) {
        const int32_t end = dvi_load_i32(ends + 4 * i);
        if (end < 0) {
            dst[i] = (dv_text){NULL, -1};
            continue;
        }
        dst[i] = (dv_text){utf8 + at, end - at};
        at = end;
    }
}

static void load_zoned(dv_zoned *dst, const dv_zoned_layout *zoned, int32_t n)
{
    const char *ticks = zoned->ticks.data, *minutes = zoned->minutes.data;
    for (int32_t i = 0; i < n; i++) {
        dst[i] = (dv_zoned){dvi_load_i64(ticks + 8 * i), dvi_load_i16(minutes + 2 * i)};
        if (dvi_zoned_is_na(dst[i]))
            dst[i].ticks = DV_TICKS_NA;
    }
}

void dvi_expr_load(dvi_expr_register *dst, const dvi_expr *e, const dv_column_view *column,
                   int32_t n)
{
    const char *fixed = column->as.fixed.values.data;
    switch (e->form) {
    case DVI_EXPR_FORM_LOGICAL:
        load_logicals(dst->logical, fixed, n);
        break;
    case DVI_EXPR_FORM_INTEGER:
    case DVI_EXPR_FORM_TIME:
        load_integers(dst->integer, column->type.kind, fixed, n);
        break;
    case DVI_EXPR_FORM_KEY:
        load_keys(dst->integer, &column->type, fixed, n);
        break;
    case DVI_EXPR_FORM_REAL:
        if (column->type.is_key)
            load_shares(dst, &column->type, fixed, n);
        else
            load_reals(dst->real, column->type.kind, fixed, n);
        break;
    case DVI_EXPR_FORM_TEXT:
        load_texts(dst->text, &column->as.text, n);
        break;
    case DVI_EXPR_FORM_ZONED:
        load_zoned(dst->zoned, &column->as.zoned, n);
        break;
    case DVI_EXPR_FORM_WIDE:
        memcpy(dst, fixed, (size_t)n * dvi_width_of(&column->type));
        break;
    default:
        break;
    }
}

void dvi_expr_load_missing(uint8_t *dst, const dv_column_view *column, int32_t n)
{
    if (!dv_type_has_na(&column->type)) {
        memset(dst, 0, (size_t)n);
        return;
    }
    dv_value value = dv_value_first(column);
    for (int32_t i = 0; i < n; i++) {
        dst[i] = dv_value_is_na(&value);
        if (i + 1 < n)
            dv_value_next(&value);
    }
}
