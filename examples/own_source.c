/* SPDX-License-Identifier: MIT */
/* own_source.c: data of one's own whose rows any thread can read, in any order. The library then
 * reads them with several threads, and single rows by their numbers. */
#include <dataview/dataview.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS INT64_C(300000)
#define BLOCK INT64_C(1000)

/* Steps until 1 is reached, if n is halved, or becomes 3n + 1 where it is odd. */
static int32_t count_steps(int64_t n)
{
    int32_t steps = 0;
    for (; n > 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

/* Give the batch n values, in memory that the library frees when it is no longer used. */
static dv_status deliver(const dv_cursor_request *request, dv_batch *batch, const int32_t *values,
                         int64_t n, dv_error *err)
{
    const size_t nbytes = (size_t)n * sizeof *values;
    dv_status status = dv_batch_start(batch, request->first_row, n, err);
    for (int32_t k = 0; status == DV_OK && k < request->columns_count; k++) {
        dv_column_view column = {
            .type = dv_type_of(DV_KIND_I4), .layout = DV_LAYOUT_FIXED, .rows = n};
        dv_buffer *buffer = &column.as.fixed.values;
        void *copy = malloc(nbytes);
        if (!copy || dv_buffer_wrap(buffer, copy, nbytes, 4, free, copy, NULL, err) < 0) {
            free(copy);
            return DV_ERR_MEMORY;
        }
        memcpy(copy, values, nbytes);
        buffer->is_borrowed = false;
        status = dv_batch_fill(batch, k, &column, err);
        dv_buffer_release(buffer);
    }
    return status;
}

/* --- In blocks: row n is the number n and its steps ---------------------------------------------
 */

static int64_t count_rows(void *self)
{
    return (void)self, NUMBERS;
}

static int64_t block_rows(void *self)
{
    return (void)self, BLOCK;
}

static dv_status read_rows(void *self, const dv_cursor_request *request, void *scratch,
                           dv_batch *batch, dv_error *err)
{
    const int64_t first = request->first_row, n = request->end_row - first;
    int32_t steps[BLOCK];
    (void)self, (void)scratch;
    for (int64_t i = 0; i < n; i++)
        steps[i] = count_steps(first + i);
    return deliver(request, batch, steps, n, err);
}

static const dv_view_class all_class = {.size = sizeof all_class,
                                        .kind = "steps",
                                        .rows = count_rows,
                                        .block_rows = block_rows,
                                        .read = read_rows};

/* --- In splits, whose numbers of rows are unknown: the numbers of a block with many steps -------
 */

static int64_t count_splits(void *self)
{
    return (void)self, NUMBERS / BLOCK;
}

static dv_status read_split(void *self, const dv_cursor_request *request, void *scratch,
                            dv_batch *batch, dv_error *err)
{
    const int64_t first = request->split * BLOCK;
    int32_t many[BLOCK];
    int64_t n = 0;
    (void)self, (void)scratch;
    for (int64_t i = first; i < first + BLOCK; i++)
        if (count_steps(i) > 200)
            many[n++] = (int32_t)i;
    n -= request->first_row; /* those before were delivered */
    return n > 0 ? deliver(request, batch, many + request->first_row, n, err) : DV_END;
}

static const dv_view_class many_class = {
    .size = sizeof many_class, .kind = "many steps", .splits = count_splits, .read = read_split};

/* --- Their use ----------------------------------------------------------------------------------
 */

static dv_status make_view(dv_view **view_out, const dv_view_class *cls, dv_error *err)
{
    dv_schema *schema;
    const dv_type type = dv_type_of(DV_KIND_I4);
    dv_status status = dv_schema_create(&schema, NULL, err);
    if (status == DV_OK)
        status = dv_schema_add(schema, dv_text_of("value"), &type, NULL, err);
    if (status == DV_OK)
        status = dv_view_create(view_out, cls, NULL, &schema, NULL, err);
    dv_schema_free(&schema);
    return status;
}

/* As many threads as the library chooses. */
static dv_status print_last(dv_view *view, dv_error *err)
{
    int64_t values[3], rows;
    dv_stats *stats = NULL;
    dv_status status = dv_stats_create(&stats, view, NULL, err);
    rows = status == DV_OK ? stats->rows : 0;
    dv_cursor_options last = DV_CURSOR_OPTIONS_INIT;
    last.first_row = rows - 3;
    if (status == DV_OK)
        status = dv_view_dense(view, DV_KIND_I8, values, 3, 1, &last, NULL, NULL, err);
    if (status == DV_OK)
        printf("%s: %" PRId64 " rows, the last %" PRId64 ", %" PRId64 ", %" PRId64 "\n",
               dv_view_kind(view), rows, values[0], values[1], values[2]);
    dv_stats_free(&stats);
    return status;
}

int main(void)
{
    static const dv_view_class *const classes[] = {&all_class, &many_class};
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    for (int i = 0; i < 2 && status == DV_OK; i++) {
        dv_view *view = NULL;
        status = make_view(&view, classes[i], &err);
        if (status == DV_OK)
            status = print_last(view, &err);
        dv_view_release(&view);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    return status < 0;
}
