/* SPDX-License-Identifier: MIT */
/* text_piece.h: reads the rows of a piece of a file: of all lines that start in it. */
#ifndef DVI_FORMAT_TEXT_PIECE_H
#define DVI_FORMAT_TEXT_PIECE_H

#include "format/text/read/text_priv.h"
#include "format/text/read/text_rows.h"
#include "format/text/read/text_tally.h"

typedef struct dvi_text_piece {
    dvi_text_reader reader; /* at the next line */
    int64_t line_nbytes;    /* its limit, unless the job has a lower one */
    dvi_text_scan scan;
    dvi_text_rows *rows;      /* NULL: rows are only counted */
    const int32_t *columns;   /* of the rows: columns of the file */
    dvi_text_tallies tallies; /* with option counts: of the rows that the last call read */
    bool is_scanned;          /* plain lines are searched for */
    int64_t plain_rows, plain_nbytes;
    int64_t careful_end; /* lines that start before this offset are read one by one */
    int64_t end;         /* lines that start before this offset belong to the piece */
    int64_t n;           /* rows that the last call read */
    int64_t left;        /* for dvi_map_leave */
} dvi_text_piece;

/* Create a piece for the named columns of the file. Free it even after a failure.
 * DV_OK; DV_ERR_LIMIT, DV_ERR_MEMORY: as dvi_text_rows_create. */
dv_status dvi_text_piece_create(dvi_text_piece *piece, const dvi_text_file *file,
                                const int32_t *columns, int32_t columns_count, dv_error *err);
void dvi_text_piece_free(dvi_text_piece *piece);
/* Leave what is read, which may be closed afterwards; the piece may be started again. */
void dvi_text_piece_stop(dvi_text_piece *piece);

/* Use a copy of the reader, which has passed all that precedes the rows. */
void dvi_text_piece_start(dvi_text_piece *piece, const dvi_text_reader *reader);

/* Go to the lines that start in bytes `begin` to `end` - 1 of the file. is_line: a row starts at
 * begin; otherwise lines are looked for, and the first one that seems to begin a row is the first.
 * DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_piece_seek(dvi_text_piece *piece, int64_t begin, int64_t end, bool is_line,
                              dv_error *err);

/* Limit the memory of a line and of a row. */
void dvi_text_piece_limit(dvi_text_piece *piece, int64_t nbytes);

/* Replace the rows by the next ones, at most `most`. DV_OK: piece->n rows; DV_END: there are none.
 * DV_ERR_CORRUPT, DV_ERR_LIMIT, DV_ERR_MEMORY, DV_ERR_IO: for the next row; the call may be
 * repeated. */
dv_status dvi_text_piece_read(dvi_text_piece *piece, int64_t most, dv_error *err);

#endif
