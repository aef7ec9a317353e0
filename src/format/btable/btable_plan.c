/* SPDX-License-Identifier: MIT */
/* btable_plan.c: chooses the columns and labels of a BTable (btable:14). */
#include "base/alloc.h"
#include "base/utf8.h"
#include "format/btable/btable_save_priv.h"
#include <inttypes.h>

bool dvi_btable_is_number(const dv_type *item)
{
    const bool is_plain = !item->is_key && item->kind != DV_KIND_UG;
    return is_plain && (dv_type_is_number(item) || item->kind == DV_KIND_BL);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static double na(void)
{
    const uint64_t bits = DV_R8_NA_BITS;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Convert to R8. false: R8 cannot represent the number. */
static bool from_i8(int64_t v, double *value_out)
{
    *value_out = v == INT64_MIN ? na() : (double)v;
    return v == INT64_MIN || (*value_out < 0x1p63 && (int64_t)*value_out == v);
}

static bool from_u8(uint64_t v, double *value_out)
{
    *value_out = (double)v;
    return *value_out < 0x1p64 && (uint64_t)*value_out == v;
}

bool dvi_btable_number(dv_kind kind, const uint8_t *p, double *value_out)
{
    const int8_t i1 = (int8_t)*p;
    switch (kind) {
    case DV_KIND_R8:
        *value_out = dvi_load_f8(p);
        return true;
    case DV_KIND_R4:
        *value_out = (double)dvi_load_f4(p);
        return true;
    case DV_KIND_I1:
        *value_out = i1 == INT8_MIN ? na() : i1;
        return true;
    case DV_KIND_BL:
        *value_out = i1 == 0 || i1 == 1 ? i1 : na();
        return true;
    case DV_KIND_I2:
        *value_out = dvi_load_i16(p) == INT16_MIN ? na() : dvi_load_i16(p);
        return true;
    case DV_KIND_I4:
        *value_out = dvi_load_i32(p) == INT32_MIN ? na() : dvi_load_i32(p);
        return true;
    case DV_KIND_U1:
        *value_out = *p;
        return true;
    case DV_KIND_U2:
        *value_out = dvi_load_u16(p);
        return true;
    case DV_KIND_U4:
        *value_out = dvi_load_u32(p);
        return true;
    case DV_KIND_I8:
        return from_i8(dvi_load_i64(p), value_out);
    default:
        return from_u8(dvi_load_u64(p), value_out);
    }
}

/* --- Columns ---------------------------------------------------------------------------------- */

static bool is_vector_of_numbers(const dv_type *type)
{
    const dv_type item = dv_type_item(type);
    return dv_type_is_known_size_vector(type) && dvi_btable_is_number(&item);
}

static bool is_scalar_number(const dv_type *type)
{
    return !dv_type_is_vector(type) && dvi_btable_is_number(type);
}

static const dv_type *type_of(const dvi_saving *saving, int32_t k)
{
    return &dv_schema_column(saving->schema, saving->columns[k])->type;
}

/* The metadata SlotNames, if it has the right type; -1: none. */
static int32_t find_names(const dvi_saving *saving, int32_t column, int32_t slots)
{
    int32_t i;
    if (dv_schema_find_metadata(saving->schema, column, dv_text_of(DV_SLOT_NAMES), &i) != DV_OK)
        return -1;
    const dv_type wanted = dv_type_vector(dv_type_of(DV_KIND_TX), slots);
    const dv_metadata_info *info = dv_schema_metadata(saving->schema, column, i);
    return dv_type_same_size_and_item(&info->type, &wanted) ? i : -1;
}

/* Take the first column of vectors; if there is none, all columns of numbers. */
dv_status dvi_btable_plan_make(dvi_btable_plan *plan, const dvi_saving *saving, dv_error *err)
{
    const int32_t n = saving->columns_count;
    void *made;
    *plan = (dvi_btable_plan){.saving = saving, .names = -1};
    DVI_TRY(dvi_alloc(saving->allocator, &made, (size_t)n * sizeof *plan->columns, err));
    plan->columns = made;
    for (int32_t k = 0; k < n && !plan->is_vector; k++)
        if (is_vector_of_numbers(type_of(saving, k))) {
            plan->is_vector = true;
            plan->columns[plan->count++] = saving->columns[k];
            plan->slots = type_of(saving, k)->size;
            plan->names = find_names(saving, saving->columns[k], plan->slots);
        }
    for (int32_t k = 0; k < n && !plan->is_vector; k++)
        if (is_scalar_number(type_of(saving, k)))
            plan->columns[plan->count++] = saving->columns[k];
    plan->slots = plan->is_vector ? plan->slots : plan->count;
    return DV_OK;
}

void dvi_btable_plan_free(dvi_btable_plan *plan)
{
    const dvi_saving *saving = plan->saving;
    dvi_free(saving->allocator, plan->columns,
             (size_t)saving->columns_count * sizeof *plan->columns);
    plan->columns = NULL;
}

/* --- Labels ----------------------------------------------------------------------------------- */

int64_t dvi_btable_units(dv_text text)
{
    int64_t units = 0;
    for (int64_t i = 0; i < text.nbytes; i++) {
        const uint8_t c = (uint8_t)text.data[i];
        units += (c & 0xC0) != 0x80;
        units += (c & 0xF8) == 0xF0;
    }
    return units;
}

bool dvi_btable_has_separator(dv_text text)
{
    return text.nbytes > 0 && memchr(text.data, DVI_BTABLE_SEPARATOR, (size_t)text.nbytes);
}

typedef dv_status put_fn(void *ctx, const dvi_btable_label *label, dv_error *err);

/* Item i of a text column; NA has a negative length. */
static dv_text item_at(const dv_column_view *items, int64_t i)
{
    const dv_text_layout *text = &items->as.text;
    const int32_t start = dvi_text_end(text, i), end = dvi_text_end(text, i + 1);
    const bool is_na = dvi_load_i32((const char *)text->ends.data + 4 * i) < 0;
    if (is_na || end == start)
        return (dv_text){"", is_na ? -1 : 0};
    return (dv_text){(const char *)text->utf8.data + start, end - start};
}

/* Texts of a user's view may not be UTF-8. */
static dv_status check_text(dv_text text, int32_t slot, dv_error *err)
{
    for (int64_t i = 0, step; i < text.nbytes; i += step) {
        step = (int64_t)dvi_utf8_step(text.data + i, (size_t)(text.nbytes - i));
        if (step == 0)
            return dvi_fail_argument(err, "the name of slot %" PRId32 " is not UTF-8", slot);
    }
    return DV_OK;
}

/* Pass the names that are stored. */
static dv_status each_name(const dv_column_view *value, put_fn *put, void *ctx, dv_error *err)
{
    const dv_vector_layout *vector = &value->as.vector;
    const int32_t slots = dvi_vector_length(vector, 0), count = dvi_vector_count(vector, 0);
    const char *indices = vector->indices.data;
    const int32_t n = count < 0 ? slots : count;
    for (int32_t i = 0; i < n; i++) {
        const int32_t slot = count < 0 ? i : dvi_load_i32(indices + 4 * (vector->index_base + i));
        const dvi_btable_label label = {item_at(vector->items, vector->item_base + i), slot};
        DVI_TRY(check_text(label.text, slot, err));
        DVI_TRY(put(ctx, &label, err));
    }
    return DV_OK;
}

dv_status dvi_btable_each_label(const dvi_btable_plan *plan, put_fn *put, void *ctx, dv_error *err)
{
    const dv_schema *schema = plan->saving->schema;
    if (plan->names >= 0) {
        const dv_batch *value;
        DVI_TRY(dv_schema_metadata_value(schema, plan->columns[0], plan->names, &value, err));
        const dv_status status = each_name(dv_batch_column(value, 0), put, ctx, err);
        dv_batch_release(&value);
        return status;
    }
    for (int32_t slot = 0; slot < plan->count; slot++) {
        const dvi_btable_label label = {dv_schema_column(schema, plan->columns[slot])->name, slot};
        DVI_TRY(put(ctx, &label, err));
    }
    return DV_OK;
}
