/* SPDX-License-Identifier: MIT */
/* usual_table.h: a small table of columns that suit many steps of pipelines. */
#ifndef DVT_USUAL_TABLE_H
#define DVT_USUAL_TABLE_H

#include <dataview/view.h>

#define DVT_USUAL_ROWS 9

/* Texts, vectors of two texts, reals, vectors of three reals, labels and keys, with NA. */
dv_view *dvt_usual_table_open(void);

#endif
