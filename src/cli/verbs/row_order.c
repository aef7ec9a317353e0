/* SPDX-License-Identifier: MIT */
/* row_order.c: makes the orders of shuffle, sample and merge. */
#include "cli/verbs/row_order.h"
#include <dataview/order.h>
#include <stdlib.h>

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Allocate row numbers for all selected rows, which the caller frees; NULL after a message.
 * *first_out: the first of the rows in w->view, which this may replace. */
static int64_t *reserve_rows(dvi_writing *w, int64_t *first_out, dvi_exit *status_out)
{
    *status_out = dvi_writing_materialize(w);
    if (!*status_out)
        *status_out = dvi_writing_count(w, first_out);
    if (*status_out)
        return NULL;
    int64_t *rows = calloc((size_t)w->selection.rows + 1, sizeof *rows);
    *status_out = rows ? DVI_EXIT_DONE : dvi_say_memory();
    return rows;
}

static int64_t seed_of(const dvi_writing *w)
{
    return w->args->has_seed ? w->args->seed : w->selection.rows;
}

dvi_exit dvi_row_order_shuffle(dvi_writing *w, int64_t most)
{
    dvi_exit status;
    int64_t first, *rows = reserve_rows(w, &first, &status);
    if (!rows)
        return status;
    const int64_t n = w->selection.rows, seed = seed_of(w);
    for (int64_t i = 0; i < n; i++)
        rows[i] = first + i;
    dv_order_mersenne(rows, n, (uint64_t)seed);
    status = dvi_writing_order(w, rows, most < 0 ? n : less(most, n), seed);
    free(rows);
    return status;
}

/* Count the rows of a file. */
static dvi_exit count_file(const dvi_args *args, const char *path, int64_t *rows_out)
{
    dvi_args one = *args; /* with another path and no selection */
    dvi_writing w;
    int64_t first;
    one.paths = (dvi_words){&path, 1, 0};
    one.columns = one.drop = (dvi_words){0};
    one.first_row = one.skip = 0;
    one.end_row = one.take = -1;
    dvi_exit status = dvi_writing_open(&w, &one, NULL);
    if (!status)
        status = dvi_writing_count(&w, &first);
    *rows_out = status ? 0 : w.selection.rows;
    dvi_writing_free(&w);
    return status;
}

/* Count how many of the rows first to end - 1 of all files each file has. */
static dvi_exit count_files(const dvi_args *args, int64_t first, int64_t end, int64_t *counts)
{
    int64_t base = 0;
    for (int i = 0; i < args->paths.count; i++) {
        int64_t rows;
        const dvi_exit status = count_file(args, args->paths.word[i], &rows);
        if (status)
            return status;
        const int64_t from = less(base < first ? first : base, end);
        base = less(base + rows, end);
        counts[i] = base > from ? base - from : 0;
    }
    return DVI_EXIT_DONE;
}

dvi_exit dvi_row_order_merge(dvi_writing *w)
{
    dvi_exit status;
    dv_error err = DV_ERROR_INIT;
    const int64_t from = w->options.first_row + w->options.skip; /* in all files together */
    int64_t first, *rows = reserve_rows(w, &first, &status);
    if (!rows)
        return status;
    const int files = w->args->paths.count;
    const int64_t n = w->selection.rows, seed = seed_of(w);
    int64_t *counts = calloc((size_t)files, sizeof *counts);
    status = counts ? count_files(w->args, from, from + n, counts) : dvi_say_memory();
    if (!status && dv_order_merge(rows, counts, files, (uint64_t)seed, NULL, &err) != DV_OK)
        status = dvi_say_error(&err);
    for (int64_t i = 0; i < n && !status; i++)
        rows[i] += first;
    if (!status)
        status = dvi_writing_order(w, rows, n, seed);
    free(counts);
    free(rows);
    return status;
}
