/* SPDX-License-Identifier: MIT */
/* every_value.c: reads the values of batches, cursors and views by every function that does. */
#include "support/every_value.h"
#include "support/many_rows.h"
#include <dataview/dataview.h>

#define HELD 64 /* batches, at most */

uint64_t dvt_use_draw(dvt_use *u, uint64_t below)
{
    return dvt_draw(&u->state) % below;
}

void dvt_use_pause(const dvt_use *u)
{
    if (u->between)
        u->between(u->ctx);
}

dv_cursor_options dvt_use_options(dvt_use *u)
{
    dv_cursor_options options = dvt_all_columns(u->view);
    options.threads = u->threads;
    options.batch_rows = dvt_use_draw(u, 2) ? (int64_t)dvt_use_draw(u, 9) : 0;
    options.ids = dvt_use_draw(u, 2);
    options.first_row = dvt_use_draw(u, 4) == 0 ? (int64_t)dvt_use_draw(u, 5) : 0;
    options.take = DVT_USE_ROWS;
    return options;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* Reads every byte: what the library hands out is there. */
bool dvt_look(void *ctx, const char *data, size_t nbytes)
{
    unsigned *sum = ctx;
    for (size_t i = 0; i < nbytes; i++)
        *sum += (uint8_t)data[i];
    return true;
}

void dvt_use_value(const dv_value *value)
{
    unsigned sum = 0;
    const dv_sink sink = {dvt_look, &sum};
    dv_value_write(value, DV_STYLE_EXACT, &sink);
    dv_value_write(value, DV_STYLE_TEXT, &sink);
}

static void compare_value(const dv_value *value, const dv_value *other)
{
    dv_value_same(value, other);
    dv_value_same(value, value);
    dv_value_is_na(value);
    dv_value_is_default(value);
}

static void read_items(const dv_value *value)
{
    unsigned sum = 0;
    const int32_t items = dv_value_items(value);
    for (int32_t i = 0; i < items; i++) {
        const dv_value item = dv_value_item(value, i);
        sum += (unsigned)dv_value_slot(value, i);
        dv_value_is_na(&item);
        if (item.column->layout == DV_LAYOUT_TEXT) {
            const dv_text text = dv_value_tx(&item);
            if (text.nbytes > 0)
                dvt_look(&sum, text.data, (size_t)text.nbytes);
        }
    }
}

static void read_column(const dv_batch *batch, int32_t k, void (*read)(const dv_value *value))
{
    const dv_column_view *column = dv_batch_column(batch, k);
    dv_value value = dv_value_first(column);
    for (int64_t row = 0; row < column->rows; row++) {
        read(&value);
        dv_value_next(&value);
    }
}

static void compare_column(const dv_batch *batch, int32_t k)
{
    const dv_column_view *column = dv_batch_column(batch, k);
    dv_value value = dv_value_first(column), before = value;
    for (int64_t row = 0; row < column->rows; row++) {
        const dv_value at = dv_value_at(column, row);
        compare_value(&value, &before);
        compare_value(&value, &at);
        before = value;
        dv_value_next(&value);
    }
}

void dvt_use_batch(dvt_use *u, const dv_batch *batch)
{
    dv_digester *digester = NULL;
    dv_digester_create(&digester, u->allocator, NULL);
    for (int32_t k = 0; k < batch->columns; k++) {
        const int64_t *indices, *items;
        dv_vector_offsets(batch, k, &indices, &items, NULL);
        dvt_use_pause(u);
        read_column(batch, k, dvt_use_value);
        dvt_use_pause(u);
        if (dv_type_is_vector(&dv_batch_column(batch, k)->type))
            read_column(batch, k, read_items);
        compare_column(batch, k);
        dvt_use_pause(u);
        if (digester)
            dv_digester_add_column(digester, dv_batch_column(batch, k));
    }
    dv_digester_free(&digester);
}

void dvt_use_cursor(dvt_use *u, dv_cursor *cursor)
{
    const dv_batch *batch, *held[HELD];
    const int last = 1 + (int)dvt_use_draw(u, HELD);
    int n = 0;
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        dv_batch_retain(batch);
        held[n++] = batch;
        if (n < last)
            continue;
        while (n > 0) {
            dvt_use_batch(u, held[--n]);
            dv_batch_release(&held[n]);
        }
    }
    dv_cursor_close(&cursor);
    while (n > 0) {
        dvt_use_batch(u, held[--n]);
        dv_batch_release(&held[n]);
    }
}

void dvt_use_rows(dvt_use *u, dv_view *view)
{
    dv_cursor *cursor;
    dvt_use on_view = *u;
    on_view.view = view;
    dv_cursor_options options = dvt_use_options(&on_view);
    if (dv_cursor_open(&cursor, view, &options, NULL) == DV_OK)
        dvt_use_cursor(&on_view, cursor);
    dvt_all_columns_free(&options);
}

/* The view is released. */
void dvt_use_made(dvt_use *u, dv_status status, dv_view **made)
{
    if (status != DV_OK)
        return;
    dvt_use_rows(u, *made);
    dv_view_release(made);
}
