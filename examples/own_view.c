/* SPDX-License-Identifier: MIT */
/* own_view.c: a view of one's own data, read like any file. */
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 8
static const float squares[ROWS] = {0, 1, 4, 9, 16, 25, 36, 49};

/* --- The view: how many rows there are, and the next of them, without a copy. ------------------
 */

typedef struct walk {
    const dv_cursor_request *request;
    int64_t row;
} walk;

static int64_t count_rows(void *self)
{
    (void)self;
    return ROWS;
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)self, (void)err;
    walk *w = malloc(sizeof *w);
    *cursor_out = w;
    if (!w)
        return DV_ERR_MEMORY;
    *w = (walk){request, request->first_row};
    return DV_OK;
}

static dv_status next_rows(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    const int64_t rows = w->request->end_row - w->row;
    if (rows == 0)
        return DV_END;
    const dv_buffer values = {squares + w->row, (size_t)rows * 4, NULL, true, true};
    const dv_column_view column = {
        dv_type_of(DV_KIND_R4), DV_LAYOUT_FIXED, rows, {.fixed = {values}}};
    dv_status status = dv_batch_start(batch, w->row, rows, err);
    for (int32_t k = 0; status == DV_OK && k < w->request->columns_count; k++)
        status = dv_batch_fill(batch, k, &column, err);
    w->row += rows;
    return status;
}

static const dv_view_class squares_class = {.size = sizeof squares_class,
                                            .kind = "squares",
                                            .rows = count_rows,
                                            .open_cursor = open_walk,
                                            .next = next_rows,
                                            .close_cursor = free};

/* --- Its use ---------------------------------------------------------------------------------- */

static dv_status make_view(dv_view **view_out, dv_error *err)
{
    dv_schema *schema;
    const dv_type type = dv_type_of(DV_KIND_R4);
    dv_status status = dv_schema_create(&schema, NULL, err);
    if (status == DV_OK)
        status = dv_schema_add(schema, dv_text_of("square"), &type, NULL, err);
    if (status == DV_OK)
        status = dv_view_create(view_out, &squares_class, NULL, &schema, NULL, err);
    dv_schema_free(&schema);
    return status;
}

int main(void)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_row_cursor *row = NULL;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.skip = 2;
    dv_status status = make_view(&view, &err);
    if (status == DV_OK)
        status = dv_row_cursor_open(&row, view, &options, &err);
    while (status == DV_OK && (status = dv_row_next(row, &err)) == DV_OK) {
        float square;
        dv_row_r4(row, 0, &square, &err);
        printf("%lld: %g\n", (long long)dv_row_position(row), (double)square);
    }
    if (status != DV_END)
        fprintf(stderr, "%s\n", err.message);
    dv_row_cursor_close(&row);
    dv_view_release(&view);
    return status != DV_END;
}
