/* SPDX-License-Identifier: MIT */
/* cursor_options.c: reads the options of a cursor, and requests. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/os.h"
#include "base/size.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include "scan/splits.h"

#define THREADS_CHOSEN_MAX 8
#define THREADS_MAX 1024 /* memory is set aside for each */

dv_status dv_cursor_options_column(dv_cursor_options *options, const dv_schema *schema,
                                   const char *name, dv_error *err)
{
    int32_t column;
    if (options->named_count >= DV_NAMED_COLUMNS_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "named_columns", -1, "named columns",
                        "at most %d, more with `columns`|one more", DV_NAMED_COLUMNS_MAX);
    DVI_TRY(dvi_find_column(schema, dv_text_of(name), &column, err));
    options->named_columns[options->named_count++] = column;
    return DV_OK;
}

dv_status dvi_cursor_read_options(const dv_cursor_options *given, dv_cursor_options *options,
                                  dv_error *err)
{
    *options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_CURSOR_OPTIONS_INIT", err));
    DVI_TRY(dvi_options_least("first_row", options->first_row, 0, err));
    DVI_TRY(dvi_options_least("end_row", options->end_row, -1, err));
    DVI_TRY(dvi_options_least("skip", options->skip, 0, err));
    DVI_TRY(dvi_options_least("take", options->take, -1, err));
    DVI_TRY(dvi_options_least("batch_rows", options->batch_rows, 0, err));
    DVI_TRY(dvi_options_least("threads", options->threads, 0, err));
    DVI_TRY(dvi_options_least("epoch", options->epoch, -1, err));
    DVI_TRY(dvi_options_least("columns_count", options->columns_count, -1, err));
    if (options->named_count < 0 || options->named_count > DV_NAMED_COLUMNS_MAX)
        return dvi_fail_argument(err, "named_count %d: at most %d", options->named_count,
                                 DV_NAMED_COLUMNS_MAX);
    return DV_OK;
}

static int32_t count_visible(const dv_schema *schema)
{
    int32_t n = 0;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        n += !dv_schema_column(schema, i)->is_hidden;
    return n;
}

dv_status dvi_cursor_read_columns(const dv_schema *schema, const dv_cursor_options *options,
                                  const dv_allocator *allocator, int32_t **columns_out,
                                  int32_t *count_out, dv_error *err)
{
    const int32_t *given = options->columns;
    int32_t n = options->columns_count;
    *columns_out = NULL;
    *count_out = 0;
    if (!given && options->named_count > 0) {
        given = options->named_columns;
        n = options->named_count;
    }
    const bool all = !given && n < 0;
    if (all)
        n = count_visible(schema);
    if (n < 0 || (n > 0 && !given && !all))
        return dvi_fail_argument(err, "columns and columns_count do not match");

    void *made;
    DVI_TRY(dvi_alloc(allocator, &made, (size_t)n * sizeof **columns_out, err));
    int32_t *columns = made;
    *columns_out = columns;
    *count_out = n;
    for (int32_t k = 0, next = 0; k < n; k++, next++) {
        while (all && dv_schema_column(schema, next)->is_hidden)
            next++;
        columns[k] = all ? next : given[k];
        if (!dv_schema_column(schema, columns[k]))
            return dvi_fail_argument(err, "column %d does not exist: the view has %d", columns[k],
                                     dv_schema_columns(schema));
    }
    return DV_OK;
}

void dvi_cursor_limit_rows(const dv_cursor_options *options, int64_t rows, int64_t *first_out,
                           int64_t *end_out)
{
    int64_t first = dvi_min_i64(options->first_row, rows);
    int64_t end = options->end_row < 0 ? rows : dvi_min_i64(options->end_row, rows);
    first += dvi_min_i64(options->skip, dvi_max_i64(end - first, 0));
    if (options->take >= 0 && options->take < end - first)
        end = first + options->take;
    *first_out = first;
    *end_out = dvi_max_i64(first, end);
}

void dvi_cursor_read_rows(const dv_view *view, const dv_cursor_options *options, int64_t *first_out,
                          int64_t *end_out)
{
    const int64_t known = dv_view_rows(view);
    const int64_t rows = known == DV_ROWS_UNKNOWN ? INT64_MAX : known;
    dvi_cursor_limit_rows(options, rows, first_out, end_out);
}

dv_cursor_options dvi_cursor_options_of(const dv_cursor_request *request)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = request->columns;
    options.columns_count = request->columns_count;
    options.ids = request->ids;
    options.epoch = request->epoch;
    options.threads = 1;
    return options;
}

int32_t dvi_cursor_read_threads(const dv_cursor_options *options)
{
    if (options->threads > 0)
        return options->threads < THREADS_MAX ? options->threads : THREADS_MAX;
    return (int32_t)dvi_min_i64(dvi_os_cpus(), THREADS_CHOSEN_MAX);
}

/* --- Requests --------------------------------------------------------------------------------- */

struct dvi_member *dvi_request_member(const dv_cursor_request *shown)
{
    return shown->size == sizeof(dvi_request) ? ((const dvi_request *)shown)->member : NULL;
}

const dvi_split *dvi_request_split(const dv_cursor_request *shown)
{
    return shown->size == sizeof(dvi_request) ? ((const dvi_request *)shown)->split : NULL;
}

dv_progress dvi_request_progress(const dv_cursor_request *shown)
{
    const dv_progress none = {NULL, NULL};
    return shown->size == sizeof(dvi_request) ? ((const dvi_request *)shown)->progress : none;
}

bool dvi_request_in_place(const dv_cursor_request *shown)
{
    return shown->size == sizeof(dvi_request) && ((const dvi_request *)shown)->in_place;
}

dvi_vector_sink *dvi_request_sink(const dv_cursor_request *shown)
{
    return shown->size == sizeof(dvi_request) ? ((const dvi_request *)shown)->sink : NULL;
}

dv_status dvi_request_report(const dv_cursor_request *shown, dv_error *err)
{
    const dv_progress progress = dvi_request_progress(shown);
    return dvi_report_progress(&progress, "rows not read", 0, 0, err);
}
