/* SPDX-License-Identifier: MIT */
/* split_classes.c: finds the class of each row, and orders the rows by part.
 *
 * The classes are the values that dv_counts_create lists, sorted, so that a row finds its own by
 * bisection. */
#include "cli/verbs/split_classes.h"
#include "cli/args/input.h"
#include "cli/terminal/amount.h"
#include "cli/verbs/split_column.h"
#include <dataview/counts.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct classes {
    dvi_split_column in;
    dv_counts *counts;
    dv_value *sorted; /* the values of the list, in order */
    int32_t *of_row;  /* the class of each selected row; that of NA comes after the others */
    int64_t *per_class, n;
    int32_t count; /* of classes, with that of NA */
} classes;

/* --- Order of values -------------------------------------------------------------------------- */

static int64_t text_order(dv_text a, dv_text b)
{
    const int64_t n = a.nbytes < b.nbytes ? a.nbytes : b.nbytes;
    const int order = n > 0 ? memcmp(a.data, b.data, (size_t)n) : 0;
    return order ? order : a.nbytes - b.nbytes;
}

/* The bytes of a value that is no text: any order will do.  -0 is 0. */
static void write_bytes(const dv_value *value, char bytes[16])
{
    const dv_type *type = &value->column->type;
    memset(bytes, 0, 16);
    if (value->column->layout == DV_LAYOUT_ZONED) {
        const dv_zoned z = dv_value_dz(value);
        memcpy(bytes, &z.ticks, sizeof z.ticks);
        memcpy(bytes + 8, &z.minutes, sizeof(int16_t));
        return;
    }
    const size_t width = (size_t)dv_kind_width(type->kind);
    const char *values = value->column->as.fixed.values.data;
    const bool is_zero = (type->kind == DV_KIND_R4 && dv_value_r4(value) == 0) ||
                         (type->kind == DV_KIND_R8 && dv_value_r8(value) == 0);
    if (!is_zero)
        memcpy(bytes, values + (size_t)value->row * width, width);
}

static int64_t order(const dv_value *a, const dv_value *b)
{
    char x[16], y[16];
    if (a->column->layout == DV_LAYOUT_TEXT || a->column->layout == DV_LAYOUT_BYTES)
        return text_order(dv_value_tx(a), dv_value_tx(b));
    write_bytes(a, x);
    write_bytes(b, y);
    return memcmp(x, y, sizeof x);
}

static int compare(const void *a, const void *b)
{
    const int64_t way = order(a, b);
    return way < 0 ? -1 : way > 0;
}

/* --- The classes of the rows ------------------------------------------------------------------ */

static dvi_exit list_classes(classes *c, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
    options.cursor = &c->in.rows;
    options.most = options.exact_distinct = DVI_CLASSES_MOST;
    if (dv_counts_create(&c->counts, c->in.view, c->in.column, &options, &err) != DV_OK)
        return dvi_say_reworded(&err);
    if (c->counts->missed_most > 0)
        return dvi_say_usage("--stratify %s: the column has more than %d values, too many to be "
                             "classes",
                             args->stratify, DVI_CLASSES_MOST);
    c->n = c->counts->rows;
    c->count = (int32_t)c->counts->n + 1;
    c->sorted = calloc((size_t)c->count, sizeof *c->sorted);
    c->per_class = calloc((size_t)c->count, sizeof *c->per_class);
    c->of_row = calloc((size_t)c->n + 1, sizeof *c->of_row);
    if (!c->sorted || !c->per_class || !c->of_row)
        return dvi_say_memory();
    dv_value value = dv_value_first(&c->counts->value);
    for (int32_t i = 0; i + 1 < c->count; i++, dv_value_next(&value))
        c->sorted[i] = value;
    qsort(c->sorted, (size_t)c->count - 1, sizeof *c->sorted, compare);
    return DVI_EXIT_DONE;
}

static int32_t class_of(const classes *c, const dv_value *value)
{
    int32_t low = 0, high = c->count - 1;
    if (dv_value_is_na(value))
        return c->count - 1;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (order(value, &c->sorted[middle]) < 0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static dvi_exit read_classes(classes *c)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int64_t row = 0;
    dv_status status = dv_cursor_open(&cursor, c->in.view, &c->in.rows, &err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        dv_value value = dv_value_first(dv_batch_column(batch, 0));
        for (int64_t i = 0; i < batch->rows && row < c->n; i++, row++, dv_value_next(&value)) {
            c->of_row[row] = class_of(c, &value);
            c->per_class[c->of_row[row]]++;
        }
    }
    dv_cursor_close(&cursor);
    return status < 0 ? dvi_say_reworded(&err) : DVI_EXIT_DONE;
}

/* --- Parts ------------------------------------------------------------------------------------ */

static void warn_of_small(const classes *c, const dvi_args *args, int32_t small)
{
    char text[DVI_AMOUNT_CAP];
    if (small > 0 && !args->quiet)
        dvi_say("warning: --stratify %s: %s ha%s too few rows to be in every file", args->stratify,
                dvi_amount_count(text, small, c->count > 1 ? "value" : "class"),
                small == 1 ? "s" : "ve");
}

/* Set the rows of each class in each part, class by class, and those of each part. */
static int64_t *share_out(const classes *c, const dvi_shares *shares, const dvi_args *args,
                          int64_t *rows_out)
{
    int32_t small = 0;
    int64_t *quota = calloc((size_t)c->count * (size_t)shares->count, sizeof *quota);
    if (!quota)
        return NULL;
    memset(rows_out, 0, (size_t)shares->count * sizeof *rows_out);
    for (int32_t k = 0; k < c->count; k++) {
        int64_t *own = quota + (size_t)k * (size_t)shares->count;
        bool is_small = false;
        dvi_shares_rows(shares, c->per_class[k], own);
        for (int i = 0; i < shares->count; i++) {
            rows_out[i] += own[i];
            is_small |= own[i] == 0;
        }
        small += is_small && c->per_class[k] > 0;
    }
    warn_of_small(c, args, small);
    return quota;
}

/* Write the numbers of the rows, part by part. */
static dvi_exit order_rows(dvi_writing *w, const classes *c, const dvi_shares *shares,
                           int64_t *rows_out)
{
    int64_t first = 0, *rows = calloc((size_t)c->n + 1, sizeof *rows);
    int64_t *quota = share_out(c, shares, w->args, rows_out), *at = NULL;
    dvi_exit status = DVI_EXIT_DONE;
    if (rows && quota)
        at = calloc((size_t)shares->count, sizeof *at);
    if (!at)
        status = dvi_say_memory();
    if (!status)
        status = dvi_writing_count(w, &first);
    for (int i = 1; i < shares->count && !status; i++)
        at[i] = at[i - 1] + rows_out[i - 1];
    for (int64_t row = 0; row < c->n && !status; row++) {
        int64_t *own = quota + (size_t)c->of_row[row] * (size_t)shares->count;
        int part = 0;
        while (own[part] == 0)
            part++;
        own[part]--;
        rows[at[part]++] = first + row;
    }
    if (!status)
        status = dvi_writing_order(w, rows, c->n, -1);
    free(at);
    free(quota);
    free(rows);
    return status;
}

dvi_exit dvi_split_classes(dvi_writing *w, const dvi_shares *shares, int64_t *rows_out)
{
    classes c = {0};
    dvi_exit status = dvi_split_column_find(&c.in, w, "--stratify", w->args->stratify, "classes");
    if (!status)
        status = list_classes(&c, w->args);
    if (!status)
        status = read_classes(&c);
    if (!status && dv_view_block_rows(w->view) == 0)
        status = dvi_writing_materialize(w);
    if (!status)
        status = order_rows(w, &c, shares, rows_out);
    dv_counts_free(&c.counts);
    free(c.sorted);
    free(c.of_row);
    free(c.per_class);
    dv_view_release(&c.in.view);
    return status;
}
