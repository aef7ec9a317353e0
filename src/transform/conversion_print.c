/* SPDX-License-Identifier: MIT */
/* conversion_print.c: converts values to text in the form of the transform convert. */
#include "base/check.h"
#include "base/load.h"
#include "codec/datetime.h"
#include "codec/number.h"
#include "transform/conversion_priv.h"
#include <dataview/value.h>

#define VALUE_NBYTES ((size_t)48) /* of the longest text of a value */
#define USUAL_NBYTES 8            /* of most texts: reserved per row in advance */
#define NA_BIT UINT32_C(0x80000000)

_Static_assert(VALUE_NBYTES >= DVI_DATETIME_NBYTES && VALUE_NBYTES >= DVI_NUMBER_NBYTES &&
                   VALUE_NBYTES >= 34,
               "the longest text must fit");

/* print_<name>: print a value that is not NA. */
#define PRINT(name, print, getter)                                                                 \
    static size_t print_##name(char *dst, const dv_value *value)                                   \
    {                                                                                              \
        return print(dst, getter(value));                                                          \
    }
PRINT(i1, dvi_number_print_i8, dv_value_i1)
PRINT(i2, dvi_number_print_i8, dv_value_i2)
PRINT(i4, dvi_number_print_i8, dv_value_i4)
PRINT(i8, dvi_number_print_i8, dv_value_i8)
PRINT(u1, dvi_number_print_u8, dv_value_u1)
PRINT(u2, dvi_number_print_u8, dv_value_u2)
PRINT(u4, dvi_number_print_u8, dv_value_u4)
PRINT(u8, dvi_number_print_u8, dv_value_u8)
PRINT(r4, dvi_number_print_r4_g7, dv_value_r4)
PRINT(r8, dvi_number_print_r8_g17, dv_value_r8)
PRINT(ts, dvi_timespan_print, dv_value_i8)
PRINT(dt, dvi_datetime_print, dv_value_i8)
PRINT(dz, dvi_zoned_print, dv_value_dz)

static size_t print_bl(char *dst, const dv_value *value)
{
    const char *word = dv_value_i1(value) ? "True" : "False";
    memcpy(dst, word, strlen(word));
    return strlen(word);
}

static size_t print_ug(char *dst, const dv_value *value)
{
    dv_u128 number = dv_value_ug(value);
    memcpy(dst, "0x", 2);
    for (size_t i = 0; i < 16; i++, number.hi <<= 4, number.lo <<= 4) {
        dst[2 + i] = "0123456789abcdef"[number.hi >> 60];
        dst[18 + i] = "0123456789abcdef"[number.lo >> 60];
    }
    return 34;
}

/* Reals print NaN, so none of them is missing. */
static bool is_na(const dv_value *value)
{
    const dv_kind kind = value->column->type.kind;
    return kind != DV_KIND_R4 && kind != DV_KIND_R8 && dv_value_is_na(value);
}

static dv_status reserve_text(dvi_memory **utf8, size_t used, const dv_allocator *allocator,
                              dv_error *err)
{
    if (used > INT32_MAX - VALUE_NBYTES)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of one batch",
                        "at most 2^31-1 bytes|more");
    return dvi_memory_extend(utf8, used, used + VALUE_NBYTES, allocator, err);
}

static dv_status run_print(const dvi_conversion *c, dvi_converted *memory,
                           const dv_column_view *src, int64_t first, int64_t n,
                           const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_conversion_reserve(&memory->second, n, sizeof(int32_t), allocator, err));
    DVI_TRY(dvi_conversion_reserve(&memory->first, n, USUAL_NBYTES, allocator, err));
    uint8_t *ends = memory->second->data;
    size_t used = 0;
    dv_value value = {.column = src, .row = first};
    for (int64_t i = 0; i < n; i++, value.row++) {
        const bool is_missing = is_na(&value);
        DVI_TRY(reserve_text(&memory->first, used, allocator, err));
        if (!is_missing)
            used += c->print((char *)memory->first->data + used, &value);
        dvi_store_u32(ends + 4 * i, (uint32_t)used | (is_missing ? NA_BIT : 0));
    }
    return DV_OK;
}

size_t dvi_conversion_text_nbytes(const dv_column_view *column)
{
    if (column->rows == 0)
        return 0;
    return dvi_load_u32((const char *)column->as.text.ends.data + 4 * (column->rows - 1)) & ~NA_BIT;
}

typedef size_t print_fn(char *dst, const dv_value *value);

static print_fn *const printers[] = {
    [DV_KIND_I1] = print_i1, [DV_KIND_I2] = print_i2, [DV_KIND_I4] = print_i4,
    [DV_KIND_I8] = print_i8, [DV_KIND_U1] = print_u1, [DV_KIND_U2] = print_u2,
    [DV_KIND_U4] = print_u4, [DV_KIND_U8] = print_u8, [DV_KIND_R4] = print_r4,
    [DV_KIND_R8] = print_r8, [DV_KIND_BL] = print_bl, [DV_KIND_TS] = print_ts,
    [DV_KIND_DT] = print_dt, [DV_KIND_DZ] = print_dz, [DV_KIND_UG] = print_ug,
    [DV_KIND_BY] = NULL};

void dvi_conversion_use_printer(dvi_conversion *c)
{
    c->print = printers[c->from.kind];
    c->run = c->print ? run_print : NULL;
}
