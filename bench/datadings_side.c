/* SPDX-License-Identifier: MIT */
/* datadings_side.c: the library's side of datadings_peer.py, without Python between the rows. A
 * failure ends the program with its message. */
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE __attribute__((visibility("default")))

SIDE dv_view *dvb_open(const char *path, const char *datadings);
SIDE dv_view *dvb_hold(dv_view *view);
SIDE void dvb_release(dv_view *view);
SIDE uint64_t dvb_sum(dv_view *view, const char *column);
SIDE uint64_t dvb_nbytes(dv_view *view);
SIDE void dvb_save(dv_view *view, const char *path);
SIDE int64_t dvb_find(dv_view *view, const char *const *keys, int64_t n);
SIDE int64_t dvb_find_many(dv_view *view, const char *const *keys, int64_t n);

static void must(dv_status status, const dv_error *err)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

dv_view *dvb_open(const char *path, const char *datadings)
{
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.datadings = datadings;
    must(dv_open(&view, path, &options, &err), &err);
    return view;
}

dv_view *dvb_hold(dv_view *view)
{
    dv_view *held = NULL;
    dv_error err = DV_ERROR_INIT;
    must(dv_view_materialize(&held, view, NULL, NULL, &err), &err);
    return held;
}

void dvb_release(dv_view *view)
{
    dv_view_release(&view);
}

static uint64_t sum_texts(const dv_column_view *column)
{
    const dv_text_layout *text = &column->as.text;
    const char *const bytes = text->utf8.data;
    uint64_t sum = 0;
    int32_t first = text->first, end;
    for (int64_t i = 0; i < column->rows; i++, first = end) {
        memcpy(&end, (const char *)text->ends.data + 4 * i, 4);
        end &= INT32_MAX;
        sum += dv_digest_8(bytes + first, (size_t)(end - first), 0);
    }
    return sum;
}

static uint64_t sum_numbers(const dv_column_view *column)
{
    const size_t width = column->as.fixed.values.nbytes / (size_t)column->rows;
    const char *const bytes = column->as.fixed.values.data;
    uint64_t sum = 0;
    for (int64_t i = 0; i < column->rows; i++)
        sum += dv_digest_8(bytes + width * (size_t)i, width, 0);
    return sum;
}

typedef uint64_t sum_fn(const dv_column_view *column);

static uint64_t sum_values(const dv_column_view *column)
{
    return column->layout == DV_LAYOUT_FIXED ? sum_numbers(column) : sum_texts(column);
}

static uint64_t sum_nbytes(const dv_column_view *column)
{
    const dv_text_layout *text = &column->as.text;
    int32_t end = text->first;
    if (column->rows > 0)
        memcpy(&end, (const char *)text->ends.data + 4 * (column->rows - 1), 4);
    return (uint64_t)((end & INT32_MAX) - text->first);
}

static uint64_t sum_rows(dv_view *view, const char *column, sum_fn *sum_of)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_status status;
    uint64_t sum = 0;
    options.threads = 1;
    if (column)
        must(dv_cursor_options_column(&options, dv_view_schema(view), column, &err), &err);
    must(dv_cursor_open(&cursor, view, &options, &err), &err);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        for (int32_t k = 0; k < batch->columns; k++)
            sum += sum_of(dv_batch_column(batch, k));
    must(status, &err);
    dv_cursor_close(&cursor);
    return sum;
}

/* The digests of all fields of all rows, added up; or of one column. */
uint64_t dvb_sum(dv_view *view, const char *column)
{
    return sum_rows(view, column, sum_values);
}

/* The sizes of all messages, whose bytes nobody reads. */
uint64_t dvb_nbytes(dv_view *view)
{
    return sum_rows(view, "message", sum_nbytes);
}

/* Without waiting for the disk, as the package does. */
void dvb_save(dv_view *view, const char *path)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "datadings";
    options.sync = false;
    must(dv_save(view, path, &options, &err), &err);
}

/* The sum of the rows of all keys. */
int64_t dvb_find(dv_view *view, const char *const *keys, int64_t n)
{
    dv_error err = DV_ERROR_INIT;
    int64_t sum = 0, row = 0;
    for (int64_t i = 0; i < n; i++) {
        must(dv_datadings_find(view, dv_text_of(keys[i]), &row, &err), &err);
        sum += row;
    }
    return sum;
}

/* The same, as many at once as a batch of a training loop has. */
int64_t dvb_find_many(dv_view *view, const char *const *keys, int64_t n)
{
    enum { AT_ONCE = 256 };
    dv_error err = DV_ERROR_INIT;
    dv_text texts[AT_ONCE];
    int64_t sum = 0, rows[AT_ONCE];
    for (int64_t i = 0, here; i < n; i += here) {
        here = n - i < AT_ONCE ? n - i : AT_ONCE;
        for (int64_t k = 0; k < here; k++)
            texts[k] = dv_text_of(keys[i + k]);
        must(dv_datadings_find_many(view, texts, (size_t)here, rows, &err), &err);
        for (int64_t k = 0; k < here; k++)
            sum += rows[k];
    }
    return sum;
}
