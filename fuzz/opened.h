/* SPDX-License-Identifier: MIT */
/* opened.h: any bytes as a view, within bounds that keep a fuzzer fast. */
#ifndef DVT_OPENED_H
#define DVT_OPENED_H

#include "meter.h"
#include <dataview/open.h>

/* Bytes in an allocation of their own, and draws that follow from them. */
typedef struct dvt_input {
    uint8_t *data;
    size_t n;
    uint64_t draws;
} dvt_input;

/* false: too long to be looked at.  Free it in any case. */
bool dvt_input_read(dvt_input *input_out, const uint8_t *data, size_t n);
void dvt_input_free(dvt_input *input);
uint64_t dvt_input_draw(dvt_input *input, uint64_t below);

/* At most DVT_WALK_COLUMNS columns (walk.h), DVT_OPENED_ROWS rows where there are no columns,
 * blocks of 64 KiB.  The input must outlive the view.  NULL: it is no .idv file that opens. */
#define DVT_OPENED_ROWS 2048
dv_view *dvt_opened(const dvt_input *input, dv_io io, const dv_allocator *allocator);

#endif
