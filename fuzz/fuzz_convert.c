/* SPDX-License-Identifier: MIT */
/* fuzz_convert.c: columns of any .idv file as other types: as many rows as before, the same values
 * by one thread or two and in batches of any size, errors only where the source has them. */
#include "mutate_idv.h"
#include "opened.h"
#include "reading.h"
#include <dataview/transform.h>
#include <string.h>

#define SLOTS (INT64_C(1) << 20) /* of vectors that become text */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

static dvt_answer read_column(dv_view *view, int32_t column, int32_t threads, int64_t batch_rows)
{
    const dvt_reading reading = {.columns = &column,
                                 .columns_count = 1,
                                 .end_row = DVT_OPENED_ROWS,
                                 .threads = threads,
                                 .batch_rows = batch_rows,
                                 .ids = true,
                                 .writes = true};
    return dvt_read_view(view, &reading);
}

/* Slots of the vectors of a column: as text, each of them costs. */
static int64_t count_slots(dv_view *view, int32_t column)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t slots = 0;
    options.columns = &column;
    options.columns_count = 1;
    options.threads = 1;
    if (dv_cursor_open(&cursor, view, &options, NULL) != DV_OK)
        return 0;
    while (slots <= SLOTS && dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        dv_value value = dv_value_first(dv_batch_column(batch, 0));
        for (; value.row < batch->rows; dv_value_next(&value))
            slots += value.length;
    }
    dv_cursor_close(&cursor);
    return slots;
}

/* The new column, which is the last, beside its source. */
static void check_column(dvt_input *in, dv_view *view, dv_view *source, int32_t column)
{
    const int32_t made = dv_schema_columns(dv_view_schema(view)) - 1;
    const dv_type *type = &dv_schema_column(dv_view_schema(view), made)->type;
    if (dv_type_is_vector(type) && type->kind == DV_KIND_TX && count_slots(source, column) > SLOTS)
        return;
    const int64_t batch_rows = 1 + (int64_t)dvt_input_draw(in, 9);
    const dvt_answer before = read_column(source, column, 1, 0);
    const dvt_answer alone = read_column(view, made, 1, 0);
    const dvt_answer together = read_column(view, made, 2, 0);
    DVT_CHECK(dvt_answer_same(&alone, &together));
    if (alone.status == DV_ERR_LIMIT && before.status != DV_ERR_LIMIT) {
        DVT_CHECK(strcmp(alone.err.rule, "batch_rows") == 0 && type->kind == DV_KIND_TX);
        return;
    }
    DVT_CHECK(alone.status == before.status && alone.rows == before.rows);
    DVT_CHECK(alone.err.offset == before.err.offset);

    /* As text, vectors with holes and those without are stored alike only in the same batch. */
    const dvt_answer by_some = read_column(view, made, 1, batch_rows);
    DVT_CHECK(by_some.status == alone.status && by_some.rows == alone.rows);
    DVT_CHECK(dvt_answer_same(&alone, &by_some) ||
              (dv_type_is_vector(type) && type->kind == DV_KIND_TX));
}

static void check_view(dvt_input *in, dv_view *source, const dv_allocator *allocator)
{
    const dv_schema *schema = dv_view_schema(source);
    const int32_t columns = dv_schema_columns(schema);
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    if (columns == 0)
        return;
    const int32_t column = (int32_t)dvt_input_draw(in, (uint64_t)columns);
    const dv_column_info *info = dv_schema_column(schema, column);
    const dv_conversion_spec spec = {
        info->name, dv_text_of("\n made of it"),
        dv_type_of((dv_kind)(DV_KIND_I1 + (int)dvt_input_draw(in, DV_KIND_BY)))};
    const dv_status status = dv_view_convert(&view, source, &spec, 1, allocator, &err);
    DVT_CHECK((status == DV_OK) == (view != NULL));
    DVT_CHECK(status == DV_OK || (status == DV_ERR_ARGUMENT && *err.expected && *err.found));
    int32_t meant;
    DVT_CHECK(dv_schema_find(schema, info->name, &meant) == DV_OK);
    if (view && dv_schema_columns(dv_view_schema(view)) == columns + 1 &&
        !dv_schema_column(dv_view_schema(view), columns)->is_hidden)
        check_column(in, view, source, meant);
    dv_view_release(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_input in;
    dvt_meter meter = {.most_nbytes = 256 << 20};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    if (dvt_input_read(&in, data, n)) {
        dv_view *source = dvt_opened(&in, DV_IO_MMAP, &allocator);
        if (source)
            check_view(&in, source, &allocator);
        dv_view_release(&source);
        DVT_CHECK(atomic_load(&meter.live_nbytes) == 0);
    }
    dvt_input_free(&in);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_idv_mutate(data, n, most, seed);
}
