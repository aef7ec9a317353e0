/* SPDX-License-Identifier: MIT */
/* alike.h: is a table that was saved and opened again the one that it was made of? */
#ifndef DVT_ALIKE_H
#define DVT_ALIKE_H

#include <dataview/view.h>

enum { DVT_ALIKE_COLUMNS = 32 };

/* Columns 0, 1, ... of `saved` were made of these columns of `source`, from a row on. */
typedef struct dvt_alike {
    dv_view *source, *saved;
    const int32_t *columns; /* of the source; at most DVT_ALIKE_COLUMNS */
    int32_t columns_count;
    int64_t first_row, rows;
    int64_t batch_rows;
    bool na_may_be_false; /* of Booleans */
    bool by_value; /* vectors may be stored in another way, NA have other bits, and texts LF where
                      there was CR or CRLF */
} dvt_alike;

/* Each ends the program when it is not so: names, types and metadata are the same, but that `count`
 * of metadata may be missing; and every value is, in the layout in which it was stored (unless
 * by_value). */
void dvt_check_schema(const dvt_alike *alike, int32_t missing);
void dvt_check_values(const dvt_alike *alike);

/* What reading all that would be saved says: DV_OK, or the first error. */
dv_status dvt_read_source(const dvt_alike *alike);

#endif
