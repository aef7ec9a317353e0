/* SPDX-License-Identifier: MIT */
/* pack_cursor.h: a view of packs, and the cursor on it. */
#ifndef DVI_ORDER_PACK_CURSOR_H
#define DVI_ORDER_PACK_CURSOR_H

#include "scan/derived.h"
#include "order/pack_plan.h"

/* The columns that are made, after the packed ones. */
enum { DVI_PACK_ENDS, DVI_PACK_POSITIONS, DVI_PACK_ROWS, DVI_PACK_MADE };

typedef struct dvi_pack {
    dvi_derived base;
    dvi_pack_plan plan;
    int32_t columns[DV_PACK_COLUMNS_MOST]; /* packed columns of the source */
    int32_t columns_count;
} dvi_pack;

/* Members of a dv_view_class, whose self is a dvi_pack. */
dv_status dvi_pack_cursor_open(void *self, const dv_cursor_request *request, void **cursor_out,
                               dv_error *err);
dv_status dvi_pack_cursor_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_pack_cursor_seek(void *cursor, dv_error *err);
void dvi_pack_cursor_close(void *cursor);

#endif
