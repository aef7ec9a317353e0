/* SPDX-License-Identifier: MIT */
/* same_table.h: compares the tables of two views, however they are stored. */
#ifndef DVT_SAME_TABLE_H
#define DVT_SAME_TABLE_H

#include <dataview/value.h>
#include <dataview/view.h>

/* Columns, hidden ones too: names, types, metadata; and each value, vectors slot by slot, NA being
 * the same whatever its bits.  batch_rows: of b (0: as it comes).  NULL, or what differs: text that
 * lives until the next call. */
const char *dvt_table_difference(dv_view *a, dv_view *b, int64_t batch_rows);

/* The same of one value, where `same` compares scalars and items. */
typedef bool dvt_same(const dv_value *a, const dv_value *b);
bool dvt_value_same(const dv_value *a, const dv_value *b, dvt_same *same);
dvt_same dvt_scalar_same;

#endif
