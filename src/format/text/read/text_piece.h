/* SPDX-License-Identifier: MIT */
/* text_piece.h: the rows of a piece of a file: of all lines that start in it. */
#ifndef DVI_FORMAT_TEXT_PIECE_H
#define DVI_FORMAT_TEXT_PIECE_H

#include "format/text/read/text_priv.h"
#include "format/text/read/text_rows.h"

typedef struct dvi_text_piece {
    dvi_text_reader reader; /* at the next line */
    dvi_text_scan scan;
    dvi_text_rows *rows; /* NULL: rows are only counted */
    bool is_scanned;     /* lines can be plain */
    int64_t plain_rows, plain_nbytes;
    int64_t end; /* lines that start before it belong to the piece */
    int64_t n;   /* rows that were read last */
    bool is_positioned;
} dvi_text_piece;

/* For the columns of the file that are named.  The piece must be freed, after a failure too.
 * DV_OK; DV_ERR_LIMIT, DV_ERR_MEMORY: as dvi_text_rows_create. */
dv_status dvi_text_piece_create(dvi_text_piece *piece, const dvi_text_file *file,
                                const int32_t *columns, int32_t columns_count, dv_error *err);
void dvi_text_piece_free(dvi_text_piece *piece);

/* Use a reader like this one, which has passed what comes before rows. */
void dvi_text_piece_start(dvi_text_piece *piece, const dvi_text_reader *reader);

/* Go to the lines that start from byte `begin` to `end` - 1 of the file.  is_line: at begin there
 * is one; otherwise the byte before it is looked at.  DV_ERR_MEMORY, DV_ERR_IO: is_positioned is
 * false.
 */
dv_status dvi_text_piece_seek(dvi_text_piece *piece, int64_t begin, int64_t end, bool is_line,
                              dv_error *err);

/* No line and no row may take more. */
void dvi_text_piece_limit(dvi_text_piece *piece, int64_t nbytes);

/* The next rows, at most so many, instead of those before.  DV_OK: piece->n of them; DV_END: there
 * are none.  DV_ERR_CORRUPT, DV_ERR_LIMIT, DV_ERR_MEMORY, DV_ERR_IO: of the next row; the call may
 * be repeated. */
dv_status dvi_text_piece_read(dvi_text_piece *piece, int64_t most, dv_error *err);

#endif
