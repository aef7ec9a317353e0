/* SPDX-License-Identifier: MIT */
/* tf_handlena_names.c: the names of slots, and of those that tell which values were missing
 * (semantics:7.13). */
#include "base/check.h"
#include "base/load.h"
#include "base/owner.h"
#include "type/schema.h"
#include "view/metadata.h"
#include "transform/key_names.h"
#include "transform/tf_replacena_priv.h"
#include <dataview/value.h>
#include <string.h>

#define SLOTS_MAX (INT64_C(1) << 28) /* of names, which all have an end */
static const char prefix[] = "IsMissing.";

/* The names of the source's slots: a vector, or the name of a scalar. */
typedef struct names {
    const dv_value *vector; /* NULL: one */
    dv_text one;
    int32_t slots;
} names;

static dv_text name_of(const names *n, int32_t slot, int32_t *next)
{
    const dv_text none = {"", 0};
    if (!n->vector)
        return n->one;
    if (*next >= dv_value_items(n->vector) || dv_value_slot(n->vector, *next) != slot)
        return none;
    const dv_value item = dv_value_item(n->vector, (*next)++);
    const dv_text name = dv_value_tx(&item);
    return name.nbytes > 0 ? name : none;
}

static uint64_t count_bytes(const names *n)
{
    uint64_t nbytes = 0;
    int32_t next = 0;
    for (int32_t slot = 0; slot < n->slots; slot++) {
        const uint64_t own = (uint64_t)name_of(n, slot, &next).nbytes;
        nbytes += own > 0 ? 2 * own + sizeof prefix - 1 : 0;
    }
    return nbytes;
}

static void write_names(char *utf8, uint8_t *ends, const names *n)
{
    size_t used = 0;
    for (int half = 0; half < 2; half++) {
        int32_t next = 0;
        for (int32_t slot = 0; slot < n->slots; slot++, ends += 4) {
            const dv_text name = name_of(n, slot, &next);
            if (half == 1 && name.nbytes > 0) {
                memcpy(utf8 + used, prefix, sizeof prefix - 1);
                used += sizeof prefix - 1;
            }
            memcpy(utf8 + used, name.data, (size_t)name.nbytes);
            used += (size_t)name.nbytes;
            dvi_store_i32(ends, (int32_t)used);
        }
    }
}

static dv_status make_batch(const dv_batch **batch_out, const names *n, dvi_memory *utf8,
                            dvi_memory *ends, uint64_t nbytes, const dv_allocator *allocator,
                            dv_error *err)
{
    static const int32_t dense = -1;
    const int32_t slots = 2 * n->slots;
    write_names((char *)utf8->data, ends->data, n);
    dv_column_view texts = {
        .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = slots};
    texts.as.text.utf8 = dvi_memory_buffer(utf8, 0, (size_t)nbytes, 1);
    texts.as.text.ends = dvi_memory_buffer(ends, 0, 4 * (size_t)slots, 4);
    dv_column_view value = {
        .type = dv_type_vector(texts.type, slots), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = slots;
    value.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    value.as.vector.items = &texts;
    return dvi_metadata_batch(batch_out, &value, allocator, err);
}

static dv_status make_names(const dv_batch **batch_out, const names *n,
                            const dv_allocator *allocator, dv_error *err)
{
    dvi_memory *utf8 = NULL, *ends = NULL;
    const uint64_t nbytes = count_bytes(n);
    if (nbytes > INT32_MAX || 2 * (int64_t)n->slots > SLOTS_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", -1, "names of slots",
                        "at most 2^28 of 2^31-1 bytes|more");
    dv_status status = dvi_memory_create(&utf8, allocator, (size_t)nbytes, err);
    if (status == DV_OK)
        status = dvi_memory_create(&ends, allocator, 8 * (size_t)n->slots, err);
    if (status == DV_OK)
        status = make_batch(batch_out, n, utf8, ends, nbytes, allocator, err);
    dvi_memory_release(&utf8);
    dvi_memory_release(&ends);
    return status;
}

static dv_status load_names(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const dvi_handlena *h = source;
    const dv_column_info *info = dv_schema_column(h->schema, h->column);
    const dv_batch *batch = NULL;
    dv_value vector;
    names n = {.one = info->name, .slots = dv_type_value_count(&info->type)};
    *batch_out = NULL;
    if (number >= 0) {
        DVI_TRY(dv_schema_metadata_value(h->schema, h->column, (int32_t)number, &batch, err));
        vector = dv_value_first(dv_batch_column(batch, 0));
        n.vector = &vector;
    }
    const dv_status status = make_names(batch_out, &n, &h->allocator, err);
    dv_batch_release(&batch);
    return status;
}

dv_status dvi_handlena_describe(const dvi_new_column *made, const dv_schema *source,
                                dv_schema *schema, int32_t column, dv_error *err)
{
    const dvi_handlena *h = made->mapped.params;
    const bool is_scalar = dv_schema_column(source, h->column)->type.rank == 0;
    const int32_t i = is_scalar ? -1 : dvi_key_slot_names(source, h->column);
    const dvi_metadata_source texts = {load_names, (void *)(uintptr_t)h, i, NULL};
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), made->type.size);
    if (is_scalar || i >= 0)
        DVI_TRY(
            dvi_schema_add_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &type, &texts, err));
    return is_scalar
               ? dvi_elementwise_inherit(schema, column, source, h->column, DV_IS_NORMALIZED, err)
               : DV_OK;
}
