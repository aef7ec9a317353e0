/* SPDX-License-Identifier: MIT */
/* learned_table.h: numbers that a step has learned, as arrays and as a table (docs/spec/dvp.md). */
#ifndef DVI_TRANSFORM_LEARNED_TABLE_H
#define DVI_TRANSFORM_LEARNED_TABLE_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#define DVI_LEARNED_COLUMNS 5 /* at most */

/* The most slots that a step learns from: each takes memory before any value is read. */
#define DVI_LEARNED_SLOTS (1 << 24)

/* The columns of a kind of table. One static const struct each. */
typedef struct dvi_learned_columns {
    const char *table; /* its name */
    int32_t n;
    const char *names[DVI_LEARNED_COLUMNS];
    dv_kind kinds[DVI_LEARNED_COLUMNS]; /* DV_KIND_NONE: R4 or R8, all the same */
} dvi_learned_columns;

/* Never changes once it has been filled; any thread. */
typedef struct dvi_learned_table {
    const dvi_learned_columns *columns;
    dv_allocator allocator;
    dv_kind real; /* R4 or R8 */
    int64_t rows;
    void *values[DVI_LEARNED_COLUMNS]; /* rows of each column, aligned */
} dvi_learned_table;

/* A table of zeros. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_learned_create(dvi_learned_table **table_out, const dvi_learned_columns *columns,
                             dv_kind real, int64_t rows, const dv_allocator *allocator,
                             dv_error *err);
void dvi_learned_table_free(void *table); /* NULL is fine */

/* As a view; and of a view that may come from anyone: its columns are checked, not its values.
 * DV_ERR_CORRUPT: other columns, or more than `most` rows. */
dv_status dvi_learned_show(dv_view **view_out, const dvi_learned_table *table,
                           const dv_allocator *allocator, dv_error *err);
dv_status dvi_learned_load(dvi_learned_table **table_out, const dvi_learned_columns *columns,
                           dv_view *view, int64_t most, const dv_allocator *allocator,
                           dv_error *err);

/* Column k, row i of a table of reals, as a double; and set it, rounded to the item type. */
double dvi_learned_get(const dvi_learned_table *table, int32_t column, int64_t i);
void dvi_learned_set(dvi_learned_table *table, int32_t column, int64_t i, double value);

#endif
