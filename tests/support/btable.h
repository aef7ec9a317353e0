/* SPDX-License-Identifier: MIT */
/* btable.h: BTables in memory, from hex or row by row, and the content of a view of one as a line.
 */
#ifndef DVT_BTABLE_H
#define DVT_BTABLE_H

#include "support/lines.h"
#include <dataview/cursor.h>
#include <dataview/open.h>

/* The bytes of a file, written from nothing (start from {0}) by another hand than the library's. */
typedef struct dvt_btable {
    uint8_t *data;
    size_t nbytes, cap;
} dvt_btable;

void dvt_btable_free(dvt_btable *table);
/* Bytes as hex, blanks skipped. */
void dvt_btable_hex(dvt_btable *table, const char *hex);
/* A header: ASCII labels divided by `|`; or `slots` labels "s0", "s1", ... */
void dvt_btable_header(dvt_btable *table, const char *labels);
void dvt_btable_numbered_header(dvt_btable *table, int32_t slots);
/* A row's count, and a pair. */
void dvt_btable_count(dvt_btable *table, int32_t n);
void dvt_btable_pair(dvt_btable *table, int32_t index, double value);
/* Rows of random pairs: each slot of each row is there once in `once` times. */
void dvt_btable_random_rows(dvt_btable *table, int64_t rows, int32_t slots, size_t once,
                            uint64_t seed);

/* Open the bytes, which then end at an inaccessible page.  NULL: see err.  options may be
 * NULL; the format is "btable" unless they name one. */
dv_view *dvt_btable_open(const dvt_btable *table, const dv_open_options *options, dv_error *err);

/* Append what each row holds: "{0:3FF0000000000000 2:...}", or "[...]" when it is dense.  The
 * status is DV_OK at the end of rows. */
dv_status dvt_btable_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                          dv_error *err);
/* Append the names of slots, separated by `|`. false: there are none. */
bool dvt_btable_names(dvt_lines *lines, dv_view *view);

#endif
