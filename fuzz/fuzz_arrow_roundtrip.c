/* SPDX-License-Identifier: MIT */
/* fuzz_arrow_roundtrip.c: any bytes as an .idv file, exported as an Arrow stream with any options:
 * schema and arrays are sound, or the stream ends with the error that the file has; with options
 * that keep everything, the import has the same types and values. */
#include "mutate_idv.h"
#include "opened.h"
#include "reading.h"
#include "support/arrow_check.h"
#include <dataview/digest.h>
#include <dataview/save.h>
#include <string.h>

#define ROWS 512 /* of a file, at most */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

/* The columns that are exported, and how. */
typedef struct job {
    dv_view *view;
    const dv_allocator *allocator;
    int32_t columns[DVT_READ_COLUMNS];
    dv_cursor_options cursor;
    dv_arrow_options options;
    dvt_answer all;
} job;

static void choose(job *j, dvt_input *in)
{
    const int32_t n = dv_schema_columns(dv_view_schema(j->view));
    j->cursor = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    j->options = (dv_arrow_options)DV_ARROW_OPTIONS_INIT;
    for (int32_t k = 0; k < n; k++)
        j->columns[k] = k;
    j->cursor.columns = j->columns;
    j->cursor.columns_count = n;
    j->cursor.batch_rows = (int64_t)dvt_input_draw(in, 3);
    j->options.cursor = &j->cursor;
    j->options.keys = (dv_arrow_keys)dvt_input_draw(in, 3);
    j->options.vectors = (dv_arrow_vectors)dvt_input_draw(in, 3);
    j->options.extensions = dvt_input_draw(in, 2);
    j->options.metadata_nbytes = (int64_t)dvt_input_draw(in, 2) << 20;
    j->options.made_nbytes = dvt_input_draw(in, 2) ? 100 : INT64_C(64) << 20;
}

/* --- Exports ---------------------------------------------------------------------------------- */

static void check_arrays(const job *j, struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    int64_t rows = 0;
    int code;
    DVT_CHECK(stream->get_schema(stream, &schema) == 0 && !dvt_arrow_schema_wrong(&schema));
    while ((code = stream->get_next(stream, &array)) == 0 && array.release) {
        DVT_CHECK(array.length > 0 && !dvt_arrow_array_wrong(&array, &schema));
        rows += array.length;
        array.release(&array);
    }
    if (code != 0)
        DVT_CHECK(*stream->get_last_error(stream) != '\0');
    if (code == 0)
        DVT_CHECK(j->all.status == DV_END && rows == j->all.rows);
    schema.release(&schema);
}

/* Any options: sound, whatever is lost. */
static void check_export(job *j, dvt_input *in)
{
    struct ArrowArrayStream stream;
    dv_error err = DV_ERROR_INIT;
    j->options.na = dvt_input_draw(in, 2) ? DV_ARROW_NA_KEEP : DV_ARROW_NA_NULL;
    j->options.times = (dv_arrow_times)dvt_input_draw(in, 4);
    j->options.offsets = dvt_input_draw(in, 2);
    j->options.nan_is_null = dvt_input_draw(in, 2);
    const dv_status status = dv_view_export_arrow(j->view, &stream, &j->options, &err);
    DVT_CHECK(status == DV_OK || *err.message);
    if (status != DV_OK)
        return;
    check_arrays(j, &stream);
    stream.release(&stream);
}

/* --- Imports ---------------------------------------------------------------------------------- */

/* Of the values of a column, however they are stored; keys above their count are NA. */
static bool get_digest(dv_u128 *digest_out, dv_view *view, int32_t column)
{
    dv_cursor *cursor;
    dv_digester *digester;
    const dv_batch *batch;
    dv_status status;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &column;
    options.columns_count = 1;
    DVT_CHECK(dv_digester_create(&digester, NULL, NULL) == DV_OK);
    DVT_CHECK(dv_cursor_open(&cursor, view, &options, NULL) == DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        dv_digester_add_column(digester, dv_batch_column(batch, 0));
    *digest_out = dv_digester_result(digester);
    dv_cursor_close(&cursor);
    dv_digester_free(&digester);
    return status == DV_END;
}

static void check_columns(const job *j, dv_view *again)
{
    for (int32_t k = 0; k < j->cursor.columns_count; k++) {
        dv_u128 a, b;
        const dv_column_info *x = dv_schema_column(dv_view_schema(j->view), k);
        const dv_column_info *y = dv_schema_column(dv_view_schema(again), k);
        const dv_type item = dv_type_item(&x->type);
        DVT_CHECK(dv_text_equal(x->name, y->name));
        if (item.kind == DV_KIND_EXTENSION)
            continue; /* it comes back as bytes */
        DVT_CHECK(dv_type_equal(&x->type, &y->type));
        DVT_CHECK(get_digest(&b, again, k));
        if (!item.is_key && get_digest(&a, j->view, k))
            DVT_CHECK(a.lo == b.lo && a.hi == b.hi);
    }
}

/* Options that keep everything: the same table. */
static void check_import(job *j, dvt_input *in)
{
    struct ArrowArrayStream stream;
    dv_view *again;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_import_options import = DV_ARROW_IMPORT_OPTIONS_INIT;
    import.allocator = j->allocator;
    import.hold = true;
    (void)in;
    j->options.times = DV_ARROW_TIMES_TICKS;
    j->options.offsets = true;
    if (dv_view_export_arrow(j->view, &stream, &j->options, &err) != DV_OK)
        return;
    const dv_status status = dv_view_import_arrow(&again, &stream, &import, &err);
    DVT_CHECK((status == DV_OK) == (j->all.status == DV_END) || *err.message);
    if (status == DV_OK) {
        DVT_CHECK(dv_view_rows(again) == j->all.rows);
        check_columns(j, again);
    } else {
        stream.release(&stream);
    }
    dv_view_release(&again);
}

static void check_view(dvt_input *in, dv_view *view, const dv_allocator *allocator)
{
    job j = {.view = view, .allocator = allocator};
    choose(&j, in);
    const dvt_reading reading = {.columns = j.columns,
                                 .columns_count = j.cursor.columns_count,
                                 .end_row = -1,
                                 .threads = 1,
                                 .marked_end = INT64_MAX};
    j.all = dvt_read_view(view, &reading);
    check_import(&j, in);
    check_export(&j, in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_input in;
    dvt_meter meter = {.most_nbytes = 256 << 20};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    if (dvt_input_read(&in, data, n)) {
        dv_view *view = dvt_opened(&in, DV_IO_MMAP, &allocator);
        if (view && dv_view_rows(view) <= ROWS)
            check_view(&in, view, &allocator);
        dv_view_release(&view);
    }
    DVT_CHECK(atomic_load(&meter.live_nbytes) == 0);
    dvt_input_free(&in);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_idv_mutate(data, n, most, seed);
}
