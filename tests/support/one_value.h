/* SPDX-License-Identifier: MIT */
/* one_value.h: a column of one row from what golden files write, and the other way around. */
#ifndef DVT_ONE_VALUE_H
#define DVT_ONE_VALUE_H

#include "support/json_tree.h"
#include "support/lines.h"

/* A column of one row with room for what it holds.  Must stay where it is. */
typedef struct dvt_one {
    dv_column_view column;
    uint64_t bits[2];
    int16_t minutes;
    int32_t end;
} dvt_one;

/* A scalar of that type, which is no BY: 12, "r4:3f800000", "dz:0:60", true, "text", null. Anything
 * else ends the program.  text is borrowed. */
void dvt_one_make(dvt_one *one, const dv_type *type, const dvt_json *value);

/* The type of that name; a wrong one ends the program. */
dv_type dvt_type_named(dv_text name);

/* Row 0 in exact form, any NaN as the canonical one; free the lines. */
dvt_lines dvt_one_text(const dv_column_view *column);

#endif
