/* SPDX-License-Identifier: MIT */
/* conversion_print.c: converts values to text in the form of the transform convert. */
#include "base/check.h"
#include "base/load.h"
#include "codec/scalar.h"
#include "view/column.h"
#include "transform/conversion_priv.h"

#define USUAL_NBYTES 8 /* of most texts: reserved per row in advance */
#define NA_BIT UINT32_C(0x80000000)

/* Forms that differ from the shortest one (semantics:4.4). */
static size_t print_r4(char *dst, const void *src)
{
    return dvi_number_print_r4_g7(dst, dvi_load_f4(src));
}

static size_t print_r8(char *dst, const void *src)
{
    return dvi_number_print_r8_g17(dst, dvi_load_f8(src));
}

static size_t print_bl(char *dst, const void *src)
{
    const char *word = *(const uint8_t *)src ? "True" : "False";
    memcpy(dst, word, strlen(word));
    return strlen(word);
}

static dvi_scalar_print *printer_of(dv_kind kind)
{
    switch (kind) {
    case DV_KIND_R4:
        return print_r4;
    case DV_KIND_R8:
        return print_r8;
    case DV_KIND_BL:
        return print_bl;
    default:
        return dvi_scalar_printer(kind);
    }
}

/* Print the value, which is not NA. */
static size_t print_value(char *dst, dvi_scalar_print *print, const dv_value *value)
{
    const dv_column_view *column = value->column;
    if (column->layout != DV_LAYOUT_ZONED)
        return print(dst, (const char *)column->as.fixed.values.data +
                              dvi_width_of(&column->type) * (size_t)value->row);
    const dv_zoned zoned = dv_value_dz(value);
    return print(dst, &zoned);
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
    if (used > INT32_MAX - DVI_SCALAR_NBYTES)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of one batch",
                        "at most 2^31-1 bytes|more");
    return dvi_memory_extend(utf8, used, used + DVI_SCALAR_NBYTES, allocator, err);
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
            used += print_value((char *)memory->first->data + used, c->print, &value);
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

void dvi_conversion_use_printer(dvi_conversion *c)
{
    c->print = printer_of(c->from.kind);
    c->run = c->print ? run_print : NULL;
}
