/* SPDX-License-Identifier: MIT */
/* predictor_table.c: reads and writes tables of the parts of a predictor. */
#include "steps/predictor_table.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/size.h"
#include "scan/read_batches.h"
#include <dataview/digest.h>
#include <dataview/schema.h>
#include <dataview/table.h>
#include <dataview/value.h>

enum { FOLDER, SIGNATURE, LOADER, VERSION, READABLE, BLOCK, SUMMARY, COLUMNS };
static const struct {
    const char *name;
    dv_kind kind;
} columns[] = {{"Folder", DV_KIND_TX},  {"Signature", DV_KIND_TX}, {"Loader", DV_KIND_TX},
               {"Version", DV_KIND_U4}, {"Readable", DV_KIND_U4},  {"Block", DV_KIND_BY},
               {"Summary", DV_KIND_TX}};

/* --- To a table ------------------------------------------------------------------------------- */

/* The columns of a table; their arrays are in the arena. */
static dv_status make_columns(dv_table_column *made, const dvi_predictor_part *parts, int32_t n,
                              dv_text summary, dvi_arena *arena, dv_error *err)
{
    void *arrays[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) {
        const bool is_number = columns[k].kind == DV_KIND_U4;
        const size_t width = is_number ? sizeof(uint32_t) : sizeof(dv_text);
        DVI_TRY(dvi_arena_alloc(arena, &arrays[k], (size_t)n * width, err));
        made[k] = (dv_table_column){.name = columns[k].name,
                                    .type = dv_type_of(columns[k].kind),
                                    .values = is_number ? arrays[k] : NULL,
                                    .texts = is_number ? NULL : arrays[k]};
    }
    for (int32_t i = 0; i < n; i++) {
        const dvi_predictor_part *part = &parts[i];
        ((dv_text *)arrays[FOLDER])[i] = part->folder;
        ((dv_text *)arrays[SIGNATURE])[i] = part->signature;
        ((dv_text *)arrays[LOADER])[i] = part->loader;
        ((uint32_t *)arrays[VERSION])[i] = part->version;
        ((uint32_t *)arrays[READABLE])[i] = part->readable;
        ((dv_text *)arrays[BLOCK])[i] = (dv_text){(const char *)part->block, (int64_t)part->nbytes};
        ((dv_text *)arrays[SUMMARY])[i] = part->folder.nbytes == 0 ? summary : dv_text_of("");
    }
    return DV_OK;
}

dv_status dvi_predictor_table(dv_view **table_out, const dvi_predictor_part *parts, int32_t n,
                              dv_text summary, const dv_allocator *given, dv_error *err)
{
    dvi_arena arena;
    dv_table_column made[COLUMNS];
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    const dv_allocator allocator = dvi_allocator_of(given);
    options.allocator = &allocator;
    *table_out = NULL;
    dvi_arena_init(&arena, &allocator);
    dv_status status = make_columns(made, parts, n, summary, &arena, err);
    if (status == DV_OK)
        status = dv_table_create(table_out, made, COLUMNS, n, &options, err);
    dvi_arena_free(&arena);
    return status;
}

/* --- From a table ----------------------------------------------------------------------------- */

/* The parts of the rows so far. */
typedef struct reading {
    dvi_arena arena;
    dvi_predictor_part *parts;
    int32_t n;
    dv_digester *digester;
} reading;

static dv_status check_columns(const dv_schema *schema, dv_error *err)
{
    DVI_REQUIRE(dv_schema_columns(schema) == COLUMNS,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT16", -1, "columns of a table of parts",
                         "%d|%d", COLUMNS, (int)dv_schema_columns(schema)));
    for (int32_t k = 0; k < COLUMNS; k++) {
        const dv_column_info *info = dv_schema_column(schema, k);
        DVI_REQUIRE(dv_text_equal(info->name, dv_text_of(columns[k].name)) &&
                        info->type.kind == columns[k].kind && info->type.rank == 0 &&
                        !info->type.is_key && info->metadata_count == 0,
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT16", -1, "column of a table of parts",
                             "%s, %s, without metadata|\"%s\", %s", columns[k].name,
                             dv_kind_name(columns[k].kind), dvi_show(info->name).text,
                             dv_kind_name(info->type.kind)));
    }
    return DV_OK;
}

static dv_status read_text(dv_text *text_out, reading *r, const dv_value *value, dv_error *err)
{
    const dv_text text = dv_value_tx(value);
    DVI_REQUIRE(text.nbytes >= 0, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT16", -1,
                                           "value of a table of parts", "a value|none"));
    return dvi_arena_text(&r->arena, text_out, text, err);
}

static dv_status read_part(reading *r, const dv_value *values, dv_error *err)
{
    dv_text block;
    dvi_predictor_part part = {.version = dv_value_u4(&values[VERSION]),
                               .readable = dv_value_u4(&values[READABLE])};
    DVI_TRY(read_text(&part.folder, r, &values[FOLDER], err));
    DVI_TRY(read_text(&part.signature, r, &values[SIGNATURE], err));
    DVI_TRY(read_text(&part.loader, r, &values[LOADER], err));
    DVI_TRY(read_text(&block, r, &values[BLOCK], err));
    part.block = (const uint8_t *)block.data;
    part.nbytes = (size_t)block.nbytes;
    DVI_REQUIRE(r->n < INT32_MAX,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT16", -1, "parts", "at most 2^31-1|more"));
    DVI_TRY(dvi_arena_append(&r->arena, &r->parts, r->n, &part, sizeof part, err));
    r->n++;
    return DV_OK;
}

static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    reading *r = ctx;
    dv_value values[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) {
        values[k] = dv_value_first(dv_batch_column(batch, k));
        if (k != SUMMARY)
            dv_digester_add_column(r->digester, dv_batch_column(batch, k));
    }
    for (int64_t i = 0; i < batch->rows; i++) {
        DVI_TRY(read_part(r, values, err));
        for (int k = 0; k < COLUMNS && i + 1 < batch->rows; k++)
            dv_value_next(&values[k]);
    }
    return DV_OK;
}

/* Read the parts of all rows. */
static dv_status read_table(reading *r, dv_view *table, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    DVI_TRY(check_columns(dv_view_schema(table), err));
    DVI_TRY(dv_digester_create(&r->digester, &r->arena.allocator, err));
    return dvi_read_batches(table, &options, add_batch, r, err);
}

/* The table is made anew, with a summary. */
static dv_status read_predictor(dvi_learned_predictor *l, dv_view *table, bool is_calibrator,
                                dv_error *err)
{
    reading r = {.n = 0};
    dvi_arena_init(&r.arena, &l->allocator);
    dv_status status = read_table(&r, table, err);
    if (status == DV_OK)
        status = (is_calibrator ? dvi_calibrator_read : dvi_predictor_read)(
            &l->predictor, r.parts, r.n, &l->allocator, err);
    if (status == DV_OK) {
        const dv_text summary = dv_text_of(dvi_predictor_inspect(l->predictor)->summary);
        l->digest = dv_digester_result(r.digester);
        status = dvi_predictor_table(&l->table, r.parts, r.n, summary, &l->allocator, err);
    }
    dv_digester_free(&r.digester);
    dvi_arena_free(&r.arena);
    return status;
}

static dv_status check_labels(dv_view *labels, dv_error *err)
{
    const int32_t n = dv_schema_columns(dv_view_schema(labels));
    DVI_REQUIRE(n == 1, dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT17", -1,
                                 "columns of a table of labels", "1|%d", (int)n));
    return DV_OK;
}

dv_status dvi_learned_predictor_create(dvi_learned_predictor **learned_out, dv_view *table,
                                       dv_view *labels, bool is_calibrator,
                                       const dv_allocator *given, dv_error *err)
{
    void *made;
    const dv_allocator allocator = dvi_allocator_of(given);
    *learned_out = NULL;
    if (labels)
        DVI_TRY(check_labels(labels, err));
    DVI_TRY(dvi_alloc_zeroed(&allocator, &made, sizeof(dvi_learned_predictor), err));
    dvi_learned_predictor *l = made;
    l->allocator = allocator;
    l->labels = labels;
    if (labels)
        dv_view_retain(labels);
    const dv_status status = read_predictor(l, table, is_calibrator, err);
    if (status == DV_OK)
        *learned_out = l;
    else
        dvi_learned_predictor_free(l);
    return status;
}

void dvi_learned_predictor_free(void *of)
{
    dvi_learned_predictor *l = of;
    const dv_allocator allocator = l->allocator;
    dvi_predictor_release(&l->predictor);
    dv_view_release(&l->table);
    dv_view_release(&l->labels);
    dvi_free(&allocator, l, sizeof *l);
}
