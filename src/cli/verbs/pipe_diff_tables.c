/* SPDX-License-Identifier: MIT */
/* pipe_diff_tables.c: rows as texts, which are sorted and merged. */
#include "cli/verbs/pipe_diff_tables.h"
#include "cli/terminal/say.h"
#include <dataview/cursor.h>
#include <dataview/value.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row as JSON values with tabs between them. */
typedef struct row {
    size_t start, nbytes; /* in the text of its list */
    const char *text;     /* set when the whole table was read */
    int64_t number;
} row;

typedef struct list {
    char *text;
    size_t used, cap;
    row *rows;
    int64_t count;
    bool is_failed;
} list;

static void list_free(list *l)
{
    free(l->text);
    free(l->rows);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static bool put(void *ctx, const char *data, size_t nbytes)
{
    list *l = ctx;
    if (nbytes > l->cap - l->used) {
        const size_t cap = 2 * (l->cap + nbytes);
        char *const wider = cap > l->cap ? realloc(l->text, cap) : NULL;
        l->is_failed = !wider;
        if (!wider)
            return false;
        l->text = wider;
        l->cap = cap;
    }
    memcpy(l->text + l->used, data, nbytes);
    l->used += nbytes;
    return true;
}

static bool add_row(list *l, const dv_batch *batch, int32_t columns, int64_t i)
{
    const dv_sink sink = {put, l};
    row *r = &l->rows[l->count];
    *r = (row){.start = l->used, .number = l->count};
    for (int32_t k = 0; k < columns; k++) {
        dv_value value = dv_value_at(dv_batch_column(batch, k), i);
        if ((k > 0 && !put(l, "\t", 1)) || !dv_value_write(&value, DV_STYLE_EXACT, &sink))
            return false;
    }
    r->nbytes = l->used - r->start;
    l->count++;
    return true;
}

static dv_status read_rows(list *l, dv_cursor *cursor, int32_t columns, dv_error *err)
{
    const dv_batch *batch;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        row *const wider = realloc(l->rows, (size_t)(l->count + batch->rows) * sizeof *l->rows);
        if (!wider)
            return dvi_err_memory(err);
        l->rows = wider;
        for (int64_t i = 0; i < batch->rows; i++)
            if (!add_row(l, batch, columns, i))
                return dvi_err_memory(err);
    }
    return status == DV_END ? DV_OK : status;
}

static dv_status read_table(list *l, dv_view *view, dv_error *err)
{
    dv_cursor *cursor;
    dv_status status = dv_cursor_open(&cursor, view, NULL, err);
    if (status == DV_OK)
        status = read_rows(l, cursor, dv_schema_columns(dv_view_schema(view)), err);
    dv_cursor_close(&cursor);
    return status;
}

/* --- Comparing -------------------------------------------------------------------------------- */

static int compare_bytes(const char *a, size_t n, const char *b, size_t m)
{
    const int order = memcmp(a, b, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    const int order = compare_bytes(x->text, x->nbytes, y->text, y->nbytes);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void sort(list *l)
{
    for (int64_t i = 0; i < l->count; i++)
        l->rows[i].text = l->text + l->rows[i].start;
    if (l->count > 0)
        qsort(l->rows, (size_t)l->count, sizeof(row), compare_rows);
}

static int compare_sides(const list *a, int64_t i, const list *b, int64_t j)
{
    if (i == a->count || j == b->count)
        return (i == a->count) - (j == b->count);
    return compare_bytes(a->rows[i].text, a->rows[i].nbytes, b->rows[j].text, b->rows[j].nbytes);
}

/* The values of a row as a list: no tab is in a value. */
static void write_json_row(dvi_clip *clip, const char *text, size_t nbytes)
{
    dvi_clip_text(clip, "[");
    for (size_t at = 0, n; at < nbytes; at += n + 1) {
        const char *const tab = memchr(text + at, '\t', nbytes - at);
        n = tab ? (size_t)(tab - text) - at : nbytes - at;
        dvi_clip_text(clip, at > 0 ? "," : "");
        dvi_clip_write(clip, text + at, n);
    }
    dvi_clip_text(clip, "]");
}

static void find_json(dvi_rows_found *found, const row *r, const row *other)
{
    char numbers[64];
    dvi_clip_text(&found->clip, found->count > 1 ? "," : "");
    dvi_clip_text(&found->clip, other ? "{\"row\":" : "");
    write_json_row(&found->clip, r->text, r->nbytes);
    if (!other)
        return;
    snprintf(numbers, sizeof numbers, ",\"a\":%lld,\"b\":%lld}", (long long)r->number,
             (long long)other->number);
    dvi_clip_text(&found->clip, numbers);
}

static void find_text(dvi_rows_found *found, const row *r, const row *other)
{
    char numbers[64];
    dvi_clip_text(&found->clip, found->count > 1 ? " " : "");
    dvi_clip_write(&found->clip, r->text, r->nbytes);
    if (!other)
        return;
    snprintf(numbers, sizeof numbers, " (%lld, %lld)", (long long)r->number,
             (long long)other->number);
    dvi_clip_text(&found->clip, numbers);
}

/* Of a row, and the one with another number on the other side, if there are two. */
static void find(dvi_rows_found *found, const row *r, const row *other, const dvi_tables_found *how)
{
    if (found->count++ < how->shown)
        (how->as_json ? find_json : find_text)(found, r, other);
}

static void merge(dvi_tables_found *found, const list *a, const list *b)
{
    int64_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const int order = compare_sides(a, i, b, j);
        if (order == 0 && a->rows[i].number != b->rows[j].number)
            find(&found->moved, &a->rows[i], &b->rows[j], found);
        if (order < 0)
            find(&found->only[0], &a->rows[i], NULL, found);
        if (order > 0)
            find(&found->only[1], &b->rows[j], NULL, found);
        i += order <= 0;
        j += order >= 0;
    }
}

dv_status dvi_pipe_diff_tables(dvi_tables_found *found, dv_view *a, dv_view *b, dv_error *err)
{
    list lists[2] = {{.text = NULL}, {.text = NULL}};
    dv_status status = read_table(&lists[0], a, err);
    if (status == DV_OK)
        status = read_table(&lists[1], b, err);
    for (int i = 0; i < 2 && status == DV_OK; i++)
        sort(&lists[i]);
    if (status == DV_OK)
        merge(found, &lists[0], &lists[1]);
    list_free(&lists[0]);
    list_free(&lists[1]);
    return status;
}
