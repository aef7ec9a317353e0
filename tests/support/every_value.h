/* SPDX-License-Identifier: MIT */
/* every_value.h: reads the values of batches, cursors and views by every function that does. */
#ifndef DVT_EVERY_VALUE_H
#define DVT_EVERY_VALUE_H

#include <dataview/cursor.h>
#include <dataview/value.h>

#define DVT_USE_ROWS 20000 /* that a use delivers, at most */

/* What a use knows. */
typedef struct dvt_use {
    dv_view *view;
    uint64_t state; /* of the draws */
    int32_t threads;
    const dv_allocator *allocator;
    void (*between)(void *ctx);
    void *ctx;
} dvt_use;

uint64_t dvt_use_draw(dvt_use *u, uint64_t below);
/* Let the test do something before bytes are read that are held. */
void dvt_use_pause(const dvt_use *u);
/* All columns; drawn rows and batches.  Free them with dvt_all_columns_free. */
dv_cursor_options dvt_use_options(dvt_use *u);

/* A sink that reads every byte; ctx: an unsigned sum. */
bool dvt_look(void *ctx, const char *data, size_t nbytes);
void dvt_use_value(const dv_value *value);
void dvt_use_batch(dvt_use *u, const dv_batch *batch);
/* The cursor is closed.  Batches are held for a while. */
void dvt_use_cursor(dvt_use *u, dv_cursor *cursor);
void dvt_use_rows(dvt_use *u, dv_view *view);
/* If the view was made, which is released. */
void dvt_use_made(dvt_use *u, dv_status status, dv_view **made);

#endif
