/* SPDX-License-Identifier: MIT */
/* tf_hash_names_table.c: makes the names of keys from their values (semantics:7.7). */
#include "base/check.h"
#include "base/load.h"
#include "codec/scalar.h"
#include "transform/key_names.h"
#include "transform/seen_names.h"

/* What the names are made of, and where they are written. */
typedef struct writing {
    const dvi_hash_names *names;
    const dv_batch *key_values; /* of the source; NULL: none */
    dvi_seen_writer *writer;
} writing;

static dv_status append(writing *w, const char *text, size_t n, dv_error *err)
{
    return dvi_seen_append(w->writer, text, n, err);
}

/* --- Values as text --------------------------------------------------------------------------- */

/* KeyValues without the type that they require count as missing (semantics:2.2). */
static dv_status read_key_values(writing *w, dv_error *err)
{
    const dvi_hash_names *names = w->names;
    const dv_type *item = &names->hash.item;
    int32_t i;
    if (!item->is_key || dv_schema_find_metadata(names->source, names->column,
                                                 dv_text_of(DV_KEY_VALUES), &i) != DV_OK)
        return DV_OK;
    const dv_type *type = &dv_schema_metadata(names->source, names->column, i)->type;
    if (type->kind != DV_KIND_TX || !dv_type_is_vector(type) || item->key_count == 0 ||
        (uint64_t)type->size != item->key_count)
        return DV_OK;
    return dv_schema_metadata_value(names->source, names->column, i, &w->key_values, err);
}

static uint64_t number_in(dv_text bytes)
{
    uint64_t number = 0;
    memcpy(&number, bytes.data, (size_t)bytes.nbytes);
    return number;
}

/* The text of a key value, or the number that it stands for. */
static dv_status append_key(writing *w, uint64_t key, dv_error *err)
{
    const dv_type *type = &w->names->hash.item;
    char digits[DVI_SCALAR_NBYTES];
    if (w->key_values && key <= type->key_count) {
        const dv_value vector = dv_value_first(dv_batch_column(w->key_values, 0));
        const dv_text text = dvi_key_text(&vector, (int32_t)(key - 1));
        return text.nbytes > 0 ? append(w, text.data, (size_t)text.nbytes, err) : DV_OK;
    }
    const uint64_t number = key - 1 + type->key_min;
    return append(w, digits, dvi_scalar_printer(DV_KIND_U8)(digits, &number), err);
}

/* As semantics:4.4 prints it, R8 with 17 digits. */
static dv_status append_number(writing *w, const dvi_seen_value *v, dv_error *err)
{
    const dv_kind kind = w->names->hash.item.kind;
    char digits[DVI_SCALAR_NBYTES], bytes[16] = {0};
    const size_t width = (size_t)v->bytes.nbytes;
    memcpy(bytes, v->bytes.data, width);
    if (v->is_negative)
        bytes[width - 1] = INT8_MIN;
    const size_t n = kind == DV_KIND_R8 ? dvi_number_print_r8_g17(digits, dvi_load_f8(bytes))
                                        : dvi_scalar_printer(kind)(digits, bytes);
    return append(w, digits, n, err);
}

static dv_status append_value(writing *w, const dvi_seen_value *v, dv_error *err)
{
    const dvi_hash *h = &w->names->hash;
    char digits[DVI_SCALAR_NBYTES];
    if (h->is_by_slot) {
        DVI_TRY(append(w, digits, dvi_scalar_printer(DV_KIND_I4)(digits, &v->slot), err));
        DVI_TRY(append(w, ":", 1, err));
    }
    if (h->form == DVI_HASH_TEXT)
        return append(w, v->bytes.data, (size_t)v->bytes.nbytes, err);
    return h->item.is_key ? append_key(w, number_in(v->bytes), err) : append_number(w, v, err);
}

/* --- The table -------------------------------------------------------------------------------- */

static dv_status print_value(void *ctx, dvi_seen_writer *writer, const dvi_seen_value *v,
                             dv_error *err)
{
    writing *w = ctx;
    w->writer = writer;
    return append_value(w, v, err);
}

dv_status dvi_hash_names_table(const dvi_hash_names *names, dv_view **table_out, dv_error *err)
{
    writing w = {.names = names};
    *table_out = NULL;
    dv_status status = read_key_values(&w, err);
    if (status >= 0)
        status = dvi_seen_table(table_out, &names->seen, print_value, &w, err);
    dv_batch_release(&w.key_values);
    return status;
}
