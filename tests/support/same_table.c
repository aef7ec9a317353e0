/* SPDX-License-Identifier: MIT */
/* same_table.c: compares the tables of two views, however they are stored. */
#include "support/same_table.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include <dataview/cursor.h>
#include <dataview/schema.h>
#include <inttypes.h>
#include <stdio.h>

static char complaint_text[1024];

/* --- Values ----------------------------------------------------------------------------------- */

bool dvt_scalar_same(const dv_value *a, const dv_value *b)
{
    return dv_value_same(a, b) || (dv_value_is_na(a) && dv_value_is_na(b));
}

/* The default, or NA where that is the default. */
static bool is_default(const dv_value *v)
{
    return dv_value_is_default(v) || (v->column->type.is_key && dv_value_is_na(v));
}

static bool is_same_vector(const dv_value *a, const dv_value *b, dvt_same *same)
{
    if (a->length != b->length)
        return false;
    const int32_t n = dv_value_items(a), m = dv_value_items(b);
    for (int32_t i = 0, k = 0; i < n || k < m;) {
        const int32_t left = i < n ? dv_value_slot(a, i) : INT32_MAX;
        const int32_t right = k < m ? dv_value_slot(b, k) : INT32_MAX;
        const dv_value x = left <= right ? dv_value_item(a, i) : dv_value_item(b, k);
        const dv_value y = left == right ? dv_value_item(b, k) : x;
        if (left == right ? !same(&x, &y) : !is_default(&x))
            return false;
        i += left <= right;
        k += right <= left;
    }
    return true;
}

bool dvt_value_same(const dv_value *a, const dv_value *b, dvt_same *same)
{
    return a->column->layout == DV_LAYOUT_VECTOR ? is_same_vector(a, b, same) : same(a, b);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static bool is_same_metadata(const dv_schema *a, const dv_schema *b, int32_t column, int32_t i)
{
    const dv_batch *x, *y;
    int32_t k;
    const dv_metadata_info *info = dv_schema_metadata(a, column, i);
    if (dv_schema_find_metadata(b, column, info->kind, &k) != DV_OK ||
        !dv_type_equal(&info->type, &dv_schema_metadata(b, column, k)->type))
        return false;
    DVT_MUST(dv_schema_metadata_value(a, column, i, &x, NULL) == DV_OK);
    DVT_MUST(dv_schema_metadata_value(b, column, k, &y, NULL) == DV_OK);
    const dv_value left = dv_value_first(dv_batch_column(x, 0));
    const dv_value right = dv_value_first(dv_batch_column(y, 0));
    const bool is_same = dvt_value_same(&left, &right, dvt_scalar_same);
    dv_batch_release(&x);
    dv_batch_release(&y);
    return is_same;
}

static const char *schema_difference(const dv_schema *a, const dv_schema *b)
{
    if (dv_schema_columns(a) != dv_schema_columns(b))
        return "other columns";
    for (int32_t k = 0; k < dv_schema_columns(a); k++) {
        const dv_column_info *x = dv_schema_column(a, k), *y = dv_schema_column(b, k);
        bool is_same = dv_text_equal(x->name, y->name) && dv_type_equal(&x->type, &y->type) &&
                       x->metadata_count == y->metadata_count;
        for (int32_t i = 0; is_same && i < x->metadata_count; i++)
            is_same = is_same_metadata(a, b, k, i);
        snprintf(complaint_text, sizeof complaint_text, "column %" PRId32 " \"%.*s\" is another", k,
                 (int)x->name.nbytes, x->name.data);
        if (!is_same)
            return complaint_text;
    }
    return NULL;
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* A cursor, and a value of each column in its next row. */
typedef struct side {
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_value values[DVT_MADE_COLUMNS * 4];
    int64_t row; /* of the batch */
    dv_status status;
    dv_error err;
} side;

static void step(side *s)
{
    if (s->batch && ++s->row < s->batch->rows) {
        for (int32_t k = 0; k < s->batch->columns; k++)
            dv_value_next(&s->values[k]);
        return;
    }
    s->row = 0;
    s->status = dv_cursor_next(s->cursor, &s->batch, &s->err);
    for (int32_t k = 0; s->status == DV_OK && k < s->batch->columns; k++)
        s->values[k] = dv_value_first(dv_batch_column(s->batch, k));
}

static const char *rows_difference(side *a, side *b)
{
    for (int64_t row = 0;; row++) {
        step(a);
        step(b);
        if (a->status != b->status) {
            snprintf(complaint_text, sizeof complaint_text, "row %" PRId64 ": %s|%s", row,
                     a->status < 0 ? a->err.message : dv_status_name(a->status),
                     b->status < 0 ? b->err.message : dv_status_name(b->status));
            return complaint_text;
        }
        if (a->status != DV_OK)
            return a->status == DV_END ? NULL : a->err.message;
        for (int32_t k = 0; k < a->batch->columns; k++)
            if (!dvt_value_same(&a->values[k], &b->values[k], dvt_scalar_same)) {
                snprintf(complaint_text, sizeof complaint_text,
                         "row %" PRId64 ", column %" PRId32 " is another", row, k);
                return complaint_text;
            }
    }
}

static side open_side(dv_view *view, int64_t batch_rows)
{
    side s = {.err = DV_ERROR_INIT};
    dv_cursor_options options = dvt_all_columns(view);
    options.batch_rows = batch_rows;
    DVT_MUST((size_t)options.columns_count <= sizeof s.values / sizeof *s.values);
    DVT_MUST(dv_cursor_open(&s.cursor, view, &options, NULL) == DV_OK);
    dvt_all_columns_free(&options);
    return s;
}

const char *dvt_table_difference(dv_view *a, dv_view *b, int64_t batch_rows)
{
    const char *wrong = schema_difference(dv_view_schema(a), dv_view_schema(b));
    if (wrong)
        return wrong;
    side x = open_side(a, 0), y = open_side(b, batch_rows);
    wrong = rows_difference(&x, &y);
    if (wrong && wrong != complaint_text) {
        snprintf(complaint_text, sizeof complaint_text, "%s", wrong);
        wrong = complaint_text;
    }
    dv_cursor_close(&x.cursor);
    dv_cursor_close(&y.cursor);
    return wrong;
}
