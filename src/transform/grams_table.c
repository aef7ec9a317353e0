/* SPDX-License-Identifier: MIT */
/* grams_table.c: copies the grams of a dictionary into a table, and back. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "scan/read_batches.h"
#include "transform/grams_priv.h"
#include <dataview/table.h>
#include <dataview/value.h>
#include <math.h>
#include <string.h>

/* --- To a table ------------------------------------------------------------------------------- */

static void copy_grams(const dvi_grams *g, int32_t *lengths, uint32_t *keys)
{
    const int32_t n = g->options.shape.n;
    for (int64_t i = 0; i < g->count; i++) {
        const uint32_t *gram;
        lengths[i] = dvi_grams_at(g, i, &gram);
        memcpy(keys + i * n, gram, 4 * (size_t)lengths[i]);
    }
}

dv_status dvi_grams_table(dv_view **table_out, const dvi_grams *g, const dv_allocator *allocator,
                          dv_error *err)
{
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    const int32_t n = g->options.shape.n;
    const size_t lengths_nbytes = 4 * ((size_t)g->count + 1), nbytes = lengths_nbytes * (size_t)n;
    void *lengths, *keys = NULL;
    options.allocator = allocator;
    *table_out = NULL;
    DVI_TRY(dvi_alloc(allocator, &lengths, lengths_nbytes, err));
    dv_status status = dvi_alloc_zeroed(allocator, &keys, nbytes, err);
    if (status == DV_OK) {
        copy_grams(g, lengths, keys);
        const dv_table_column columns[] = {
            {.name = "Length", .type = dv_type_of(DV_KIND_I4), .values = lengths},
            {.name = "Keys", .type = dv_type_vector(dv_type_of(DV_KIND_U4), n), .values = keys},
            {.name = "Idf",
             .type = dv_type_of(DV_KIND_R8),
             .values = g->idf ? (const void *)g->idf->data : lengths}};
        status = dv_table_create(table_out, columns, g->options.weight == DVI_GRAM_TF ? 2 : 3,
                                 g->count, &options, err);
    }
    dvi_free(allocator, lengths, lengths_nbytes);
    dvi_free(allocator, keys, nbytes);
    return status;
}

/* --- From a table ----------------------------------------------------------------------------- */

static dv_status check_column(const dv_schema *schema, int32_t column, const char *name,
                              dv_type want, dv_error *err)
{
    char expected[96], found[96];
    const dv_column_info *info = dv_schema_column(schema, column);
    dv_type_print(&want, expected, sizeof expected);
    dv_type_print(&info->type, found, sizeof found);
    DVI_REQUIRE(dv_text_equal(info->name, dv_text_of(name)) && info->metadata_count == 0 &&
                    dv_type_equal(&info->type, &want),
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT6", -1, "column of a table of grams",
                         "%s of type %s, without metadata|%s of type %s", name, expected,
                         dvi_show(info->name).text, found));
    return DV_OK;
}

static dv_status check_columns(const dv_schema *schema, const dvi_gram_options *o, dv_error *err)
{
    const int32_t want = o->weight == DVI_GRAM_TF ? 2 : 3;
    DVI_REQUIRE(dv_schema_columns(schema) == want,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT6", -1, "columns of a table of grams", "%d|%d",
                         (int)want, (int)dv_schema_columns(schema)));
    DVI_TRY(check_column(schema, 0, "Length", dv_type_of(DV_KIND_I4), err));
    DVI_TRY(
        check_column(schema, 1, "Keys", dv_type_vector(dv_type_of(DV_KIND_U4), o->shape.n), err));
    return want < 3 ? DV_OK : check_column(schema, 2, "Idf", dv_type_of(DV_KIND_R8), err);
}

/* The keys of a row, with those beyond its length, which are 0. */
static dv_status read_keys(uint32_t *gram, int32_t n, int32_t length, const dv_value *vector,
                           uint32_t keys_most, dv_error *err)
{
    memset(gram, 0, 4 * (size_t)n);
    for (int32_t i = 0; i < dv_value_items(vector); i++) {
        const dv_value item = dv_value_item(vector, i);
        gram[dv_value_slot(vector, i)] = dv_value_u4(&item);
    }
    for (int32_t i = 0; i < n; i++)
        DVI_REQUIRE_IN(err, gram[i], 0, i < length ? (int64_t)keys_most : 0, "dvp:PT7", -1,
                       "key of a gram");
    return DV_OK;
}

static dv_status add_gram(dvi_grams *g, const dv_value *length_of, const dv_value *vector,
                          uint32_t keys_most, dv_error *err)
{
    uint32_t gram[DVI_GRAM_KEYS];
    const dvi_gram_shape *s = &g->options.shape;
    const int32_t length = dv_value_i4(length_of);
    DVI_REQUIRE_IN(err, length, s->all ? 1 : s->n, s->n, "dvp:PT7", -1, "length of a gram");
    DVI_TRY(read_keys(gram, s->n, length, vector, keys_most, err));
    DVI_TRY(dvi_grams_reserve(g, 1, err));
    const int64_t before = g->count;
    DVI_REQUIRE(dvi_grams_put(g, gram, length) == before,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT8", -1, "different grams",
                         "at most %d of %d keys|another one, or one again", (int)g->most[length],
                         (int)length));
    return DV_OK;
}

static dv_status add_idf(dvi_grams *g, double idf, dv_error *err)
{
    const size_t at = 8 * (size_t)(g->count - 1);
    DVI_REQUIRE(idf >= 0 && isfinite(idf),
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT9", -1, "weight of a gram",
                         "a finite number from 0 on|%g", idf));
    DVI_TRY(dvi_memory_extend(&g->idf, at, at + 8, &g->allocator, err));
    dvi_store_f8(g->idf->data + at, idf);
    return DV_OK;
}

typedef struct reading {
    dvi_grams *grams;
    uint32_t keys_most;
} reading;

static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    const reading *r = ctx;
    dvi_grams *g = r->grams;
    const bool has_idf = g->options.weight != DVI_GRAM_TF;
    dv_value length = dv_value_first(dv_batch_column(batch, 0));
    dv_value keys = dv_value_first(dv_batch_column(batch, 1));
    for (; length.row < batch->rows; length.row++, dv_value_next(&keys)) {
        DVI_TRY(add_gram(g, &length, &keys, r->keys_most, err));
        if (has_idf) {
            const dv_value idf = dv_value_at(dv_batch_column(batch, 2), length.row);
            DVI_TRY(add_idf(g, dv_value_r8(&idf), err));
        }
    }
    return DV_OK;
}

dv_status dvi_grams_from_table(dvi_grams **grams_out, dv_view *table,
                               const dvi_gram_options *options, uint32_t keys_most,
                               const dv_allocator *allocator, dv_error *err)
{
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.threads = 1;
    *grams_out = NULL;
    DVI_TRY(check_columns(dv_view_schema(table), options, err));
    DVI_TRY(dvi_grams_create(grams_out, options, allocator, err));
    reading r = {*grams_out, keys_most};
    const dv_status status = dvi_read_batches(table, &cursor, add_batch, &r, err);
    dvi_memory_release(&(*grams_out)->places);
    dvi_memory_release(&(*grams_out)->within);
    dvi_memory_release(&(*grams_out)->last);
    if (status < 0)
        dvi_grams_free(grams_out);
    return status;
}
