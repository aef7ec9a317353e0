/* SPDX-License-Identifier: MIT */
/* alike.h: checks that a table that was saved and opened again has not changed. */
#ifndef DVT_ALIKE_H
#define DVT_ALIKE_H

#include <dataview/view.h>

enum { DVT_ALIKE_COLUMNS = 32 };

/* Columns 0, 1, ... of `saved` come from these columns of `source`, from first_row on. */
typedef struct dvt_alike {
    dv_view *source, *saved;
    const int32_t *columns; /* of the source; at most DVT_ALIKE_COLUMNS */
    int32_t columns_count;
    int64_t first_row, rows;
    int64_t batch_rows;
    bool na_may_be_false; /* of Booleans */
    bool by_value; /* vectors may be stored differently, NA may have other bits, and texts LF for CR
                      or CRLF */
} dvt_alike;

/* Each ends the program unless: names, types and metadata are equal, except that `count` metadata
 * may be missing; every value is equal, in its stored layout (unless by_value). */
void dvt_check_schema(const dvt_alike *alike, int32_t missing);
void dvt_check_values(const dvt_alike *alike);

/* Read all that would be saved: DV_OK, or the first error. */
dv_status dvt_read_source(const dvt_alike *alike);

#endif
