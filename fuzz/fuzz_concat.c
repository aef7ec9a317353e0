/* SPDX-License-Identifier: MIT */
/* fuzz_concat.c: any .idv file concatenated with itself, or with one that differs in a byte: the
 * rows of each file as it has them alone, and an error at the same row. */
#include "mutate_idv.h"
#include "opened.h"
#include "reading.h"
#include <dataview/transform.h>
#include <string.h>

#define ROWS 512 /* of a file, at most */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

typedef struct source {
    dv_view *view;
    int32_t columns[DVT_READ_COLUMNS], columns_count;
    dvt_answer alone;
} source;

/* All rows of a file, or all before the first that cannot be read. */
static bool read_source(source *p, dv_view *view)
{
    *p = (source){.view = view};
    if (!view || dv_view_rows(view) > ROWS)
        return false;
    p->columns_count = dv_schema_columns(dv_view_schema(view));
    for (int32_t i = 0; i < p->columns_count; i++)
        p->columns[i] = i;
    const dvt_reading reading = {.columns = p->columns,
                                 .columns_count = p->columns_count,
                                 .end_row = -1,
                                 .threads = 1,
                                 .marked_end = INT64_MAX};
    p->alone = dvt_read_view(view, &reading);
    return true;
}

/* Rows from `first` on of the concatenation are those of file i alone. */
static void check_source(dv_view *whole, const source *p, int64_t first, int32_t threads,
                         int64_t batch_rows)
{
    const int64_t rows = dv_view_rows(p->view);
    const dvt_reading reading = {.columns = p->columns,
                                 .columns_count = p->columns_count,
                                 .first_row = first,
                                 .end_row = first + rows,
                                 .threads = threads,
                                 .batch_rows = batch_rows,
                                 .marked_end = INT64_MAX};
    const dvt_answer answer = dvt_read_view(whole, &reading);
    DVT_CHECK(answer.status == p->alone.status && answer.err.offset == p->alone.err.offset);
    DVT_CHECK(strcmp(answer.err.rule, p->alone.err.rule) == 0);
    DVT_CHECK(answer.rows == p->alone.rows);
    DVT_CHECK(memcmp(answer.hash, p->alone.hash, sizeof answer.hash) == 0);
}

/* From the first row on: to the end, or to the first bad row of any file. */
static void check_whole(dv_view *whole, const source *sources, int32_t n)
{
    int64_t rows = 0;
    dv_status status = DV_END;
    for (int32_t i = 0; i < n && status == DV_END; i++) {
        rows += sources[i].alone.rows;
        status = sources[i].alone.status;
    }
    for (int32_t threads = 1; threads <= 2; threads++) {
        const dvt_reading reading = {.columns = sources[0].columns,
                                     .columns_count = sources[0].columns_count,
                                     .end_row = -1,
                                     .threads = threads};
        const dvt_answer answer = dvt_read_view(whole, &reading);
        DVT_CHECK(answer.status == status && answer.rows == rows);
    }
}

static bool have_same_columns(const dv_schema *a, const dv_schema *b)
{
    const int32_t n = dv_schema_columns(a);
    if (dv_schema_columns(b) != n)
        return false;
    for (int32_t i = 0; i < n; i++) {
        const dv_column_info *x = dv_schema_column(a, i), *y = dv_schema_column(b, i);
        if (!dv_text_equal(x->name, y->name) || !dv_type_equal(&x->type, &y->type))
            return false;
    }
    return true;
}

static void check_views(dvt_input *in, source *sources, int32_t n, const dv_allocator *allocator)
{
    dv_view *views[3], *whole = NULL;
    dv_error err = DV_ERROR_INIT;
    bool is_same = true;
    int64_t rows = 0, first = 0;
    for (int32_t i = 0; i < n; i++) {
        views[i] = sources[i].view;
        is_same &= have_same_columns(dv_view_schema(views[0]), dv_view_schema(views[i]));
        rows += dv_view_rows(views[i]);
    }
    const dv_status status = dv_view_concat(&whole, views, n, allocator, &err);
    DVT_CHECK(status == (is_same ? DV_OK : DV_ERR_ARGUMENT) && is_same == (whole != NULL));
    DVT_CHECK(is_same || (*err.expected && *err.found));
    if (!whole)
        return;
    DVT_CHECK(dv_view_rows(whole) == rows);
    check_whole(whole, sources, n);
    for (int32_t i = 0; i < n; first += dv_view_rows(views[i++]))
        check_source(whole, &sources[i], first, 1 + (int32_t)dvt_input_draw(in, 2), 0);
    dv_view_release(&whole);
}

/* The input, itself again, and itself with one byte changed. */
static void check_input(dvt_input *in, const dv_allocator *allocator)
{
    dvt_input other;
    source sources[3];
    int32_t n = 0;
    if (!dvt_input_read(&other, in->data, in->n)) {
        dvt_input_free(&other);
        return;
    }
    other.data[dvt_input_draw(in, in->n)] ^= (uint8_t)(1 << dvt_input_draw(in, 8));
    dv_view *const views[3] = {dvt_opened(in, DV_IO_MMAP, allocator),
                               dvt_opened(&other, DV_IO_MMAP, allocator),
                               dvt_opened(in, DV_IO_PREAD, allocator)};
    for (int i = 0; i < 3; i++)
        n += read_source(&sources[n], views[i]);
    if (n > 0)
        check_views(in, sources, n, allocator);
    for (int i = 0; i < 3; i++) {
        dv_view *view = views[i];
        dv_view_release(&view);
    }
    dvt_input_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_input in;
    dvt_meter meter = {.most_nbytes = 256 << 20};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    if (dvt_input_read(&in, data, n))
        check_input(&in, &allocator);
    DVT_CHECK(atomic_load(&meter.live_nbytes) == 0);
    dvt_input_free(&in);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_idv_mutate(data, n, most, seed);
}
