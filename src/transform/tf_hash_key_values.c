/* SPDX-License-Identifier: MIT */
/* tf_hash_key_values.c: reads tables of the names of keys, and makes KeyValues of them
 * (semantics:7.7).
 *
 * A table has a column `Key` of U4, whose values increase from row to row, and a column `Text`. It
 * may come from a file, so it is checked whenever it is read. */
#include "base/check.h"
#include "base/load.h"
#include "base/owner.h"
#include "type/schema.h"
#include "view/metadata.h"
#include "view/view.h"
#include "scan/read_batches.h"
#include "transform/tf_hash_names.h"
#include "transform/tf_hash_priv.h"
#include <dataview/digest.h>
#include <dataview/value.h>

/* --- Reading ---------------------------------------------------------------------------------- */

/* One reading of a table, and what takes its rows. */
typedef struct reading {
    dv_status (*take)(void *taker, uint32_t key, dv_text text, dv_error *err);
    void *taker;
    int32_t bits;
    uint32_t last; /* key of the last row; 0: none */
    int64_t count, nbytes;
} reading;

static dv_status find_column(const dv_view *names, const char *name, dv_kind kind,
                             int32_t *column_out, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(names);
    const dv_type want = dv_type_of(kind);
    if (dv_schema_find(schema, dv_text_of(name), column_out) == DV_OK &&
        dv_type_equal(&dv_schema_column(schema, *column_out)->type, &want))
        return DV_OK;
    return dvi_fail(err, DV_ERR_CORRUPT, "semantics:7.7", -1, "table of the names of keys",
                    "a column %s of type %s|none", name, dv_kind_name(kind));
}

static dv_status take_row(reading *r, uint32_t key, dv_text text, dv_error *err)
{
    DVI_REQUIRE_IN(err, key, (int64_t)r->last + 1, INT64_C(1) << r->bits, "semantics:7.7", -1,
                   "key with a name");
    DVI_REQUIRE(text.nbytes >= 0,
                dvi_fail(err, DV_ERR_CORRUPT, "semantics:7.7", -1, "name of a key", "text|NA"));
    r->last = key;
    r->count++;
    r->nbytes += text.nbytes;
    if (r->nbytes > DVI_HASH_NAMES_NBYTES)
        return dvi_fail(err, DV_ERR_LIMIT, DVI_HASH_NAMES_LIMIT, -1, "names of keys",
                        "at most 1 GiB|more");
    return r->take(r->taker, key, text, err);
}

static dv_status take_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    reading *r = ctx;
    dv_value key = dv_value_first(dv_batch_column(batch, 0));
    dv_value text = dv_value_first(dv_batch_column(batch, 1));
    for (; key.row < batch->rows; key.row++, text.row++)
        DVI_TRY(take_row(r, dv_value_u4(&key), dv_value_tx(&text), err));
    return DV_OK;
}

static dv_status read_table(reading *r, dv_view *names, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    int32_t columns[2];
    DVI_TRY(find_column(names, "Key", DV_KIND_U4, &columns[0], err));
    DVI_TRY(find_column(names, "Text", DV_KIND_TX, &columns[1], err));
    options.columns = columns;
    options.columns_count = 2;
    options.threads = 1;
    return dvi_read_batches(names, &options, take_batch, r, err);
}

/* --- Checking --------------------------------------------------------------------------------- */

static dv_status digest_row(void *taker, uint32_t key, dv_text text, dv_error *err)
{
    const int64_t head[] = {key, text.nbytes};
    (void)err;
    dv_digester_add(taker, head, sizeof head);
    dv_digester_add(taker, text.data, (size_t)text.nbytes);
    return DV_OK;
}

dv_status dvi_hash_digest_names(dv_u128 *digest_out, dv_view *names, int32_t bits,
                                const dv_allocator *allocator, dv_error *err)
{
    dv_digester *digester;
    DVI_TRY(dv_digester_create(&digester, allocator, err));
    reading r = {.take = digest_row, .taker = digester, .bits = bits};
    const dv_status status = read_table(&r, names, err);
    *digest_out = dv_digester_result(digester);
    dv_digester_free(&digester);
    return status;
}

static dv_status pass_row(void *taker, uint32_t key, dv_text text, dv_error *err)
{
    (void)taker;
    (void)key;
    (void)text;
    (void)err;
    return DV_OK;
}

dv_status dvi_hash_names_check(dv_view *names, int32_t bits, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(names);
    reading r = {.take = pass_row, .bits = bits};
    const int32_t columns = dv_schema_columns(schema);
    DVI_REQUIRE(columns == 2, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT4", -1,
                                       "columns of a table of names", "2|%d", (int)columns));
    for (int32_t i = 0; i < columns; i++)
        DVI_REQUIRE(dv_schema_column(schema, i)->metadata_count == 0,
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT4", -1, "metadata in a table of names",
                             "none|some"));
    return read_table(&r, names, err);
}

/* --- KeyValues -------------------------------------------------------------------------------- */

/* Names with the slots of KeyValues that they stand in. */
typedef struct collected {
    const dv_allocator *allocator;
    dvi_memory *slots, *ends, *utf8;
    size_t count, used;
} collected;

static dv_status append_number(dvi_memory **memory, size_t at, uint32_t number,
                               const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_memory_extend(memory, 4 * at, 4 * (at + 1), allocator, err));
    dvi_store_u32((*memory)->data + 4 * at, number);
    return DV_OK;
}

static dv_status collect_row(void *taker, uint32_t key, dv_text text, dv_error *err)
{
    collected *c = taker;
    const size_t n = (size_t)text.nbytes;
    DVI_TRY(dvi_memory_extend(&c->utf8, c->used, c->used + n, c->allocator, err));
    if (n > 0)
        memcpy(c->utf8->data + c->used, text.data, n);
    c->used += n;
    DVI_TRY(append_number(&c->slots, c->count, key - 1, c->allocator, err));
    DVI_TRY(append_number(&c->ends, c->count, (uint32_t)c->used, c->allocator, err));
    c->count++;
    return DV_OK;
}

/* Make the ends of all slots from those of the slots with names, more than half of all. */
static dv_status spread_ends(collected *c, int32_t slots, dv_error *err)
{
    dvi_memory *all = NULL;
    DVI_TRY(dvi_memory_create(&all, c->allocator, 4 * (size_t)slots, err));
    size_t next = 0;
    int32_t end = 0;
    for (int32_t slot = 0; slot < slots; slot++) {
        if (next < c->count && dvi_load_i32(c->slots->data + 4 * next) == slot)
            end = dvi_load_i32(c->ends->data + 4 * next++);
        dvi_store_i32(all->data + 4 * (size_t)slot, end);
    }
    dvi_memory_release(&c->ends);
    c->ends = all;
    return DV_OK;
}

static dv_status make_value(collected *c, int32_t slots, const dv_batch **batch_out, dv_error *err)
{
    const bool is_sparse = c->count <= (size_t)slots / 2;
    const int32_t count = is_sparse ? (int32_t)c->count : -1;
    const size_t items = is_sparse ? c->count : (size_t)slots;
    dvi_memory *counts = NULL;
    if (!is_sparse)
        DVI_TRY(spread_ends(c, slots, err));
    dv_column_view texts = {
        .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = (int64_t)items};
    texts.as.text.utf8 = dvi_memory_buffer(c->utf8, 0, c->used, 1);
    texts.as.text.ends = dvi_memory_buffer(c->ends, 0, 4 * items, 4);
    dv_column_view value = {
        .type = dv_type_vector(texts.type, slots), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = slots;
    value.as.vector.indices = dvi_memory_buffer(c->slots, 0, is_sparse ? 4 * c->count : 0, 4);
    value.as.vector.items = &texts;
    DVI_TRY(append_number(&counts, 0, (uint32_t)count, c->allocator, err));
    value.as.vector.counts = dvi_memory_buffer(counts, 0, 4, 4);
    const dv_status status = dvi_metadata_batch(batch_out, &value, c->allocator, err);
    dvi_memory_release(&counts);
    return status;
}

/* Allocates even for no names, so that buffers have an address. */
static dv_status start(collected *c, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(&c->slots, c->allocator, 0, err));
    DVI_TRY(dvi_memory_reserve(&c->ends, c->allocator, 0, err));
    return dvi_memory_reserve(&c->utf8, c->allocator, 0, err);
}

static dv_status load(void *source, int64_t bits, const dv_batch **batch_out, dv_error *err)
{
    dv_view *names = source;
    collected c = {.allocator = dvi_view_allocator(names)};
    reading r = {.take = collect_row, .taker = &c, .bits = (int32_t)bits};
    *batch_out = NULL;
    dv_status status = start(&c, err);
    if (status == DV_OK)
        status = read_table(&r, names, err);
    if (status == DV_OK)
        status = make_value(&c, INT32_C(1) << bits, batch_out, err);
    dvi_memory_release(&c.slots);
    dvi_memory_release(&c.ends);
    dvi_memory_release(&c.utf8);
    return status;
}

static void release(void *source)
{
    dv_view *names = source;
    dv_view_release(&names);
}

dv_status dvi_hash_add_names(dv_view *names, int32_t bits, const char *kind, dv_schema *schema,
                             int32_t column, dv_error *err)
{
    const dvi_metadata_source source = {load, names, bits, release};
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), INT32_C(1) << bits);
    DVI_TRY(dvi_schema_add_metadata(schema, column, dv_text_of(kind), &type, &source, err));
    dv_view_retain(names);
    return DV_OK;
}
