/* SPDX-License-Identifier: MIT */
/* text_priv.h: an open text file, and functions that its readers share. */
#ifndef DVI_FORMAT_TEXT_PRIV_H
#define DVI_FORMAT_TEXT_PRIV_H

#include "base/arena.h"
#include "scan/splits.h"
#include "format/text/read/text_layout.h"
#include "format/text/read/text_reader.h"
#include "format/text/read/text_tally.h"
#include <pthread.h>
#include <stdatomic.h>

/* What cursors have counted. */
typedef struct dvi_text_seen {
    pthread_mutex_t lock; /* guards all below */
    dvi_text_tallies tallies;
    int64_t end; /* rows before this one were read */
} dvi_text_seen;

/* An open text file. Only `rows` and `seen` change after opening, so any thread may read it. */
typedef struct dvi_text_file {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_map *map; /* one reference */
    dv_open_options limits;
    dvi_text_options options;
    dvi_text_layout layout;
    dvi_text_layout whole; /* with match=union: of all source columns, wherever a file has them */
    dv_view *like;         /* view of another file, whose options and layout are used; or NULL */
    const char *proposal; /* the string that was proposed and used; NULL: none; arena, or of like */
    const char *notes;    /* what was found in it (text_proposal.h), then an empty one; or NULL */
    bool options_ignored; /* the file names options, and the caller gave others */
    atomic_int_fast64_t rows; /* DV_ROWS_UNKNOWN until a cursor reached the end */
    dvi_text_seen seen;
} dvi_text_file;

/* The lower one of two options. */
static inline dvi_text_limit dvi_text_line_limit(const dvi_text_file *file)
{
    const dv_open_options *limits = &file->limits;
    return limits->line_nbytes < limits->cursor_nbytes
               ? (dvi_text_limit){limits->line_nbytes, "line_nbytes"}
               : (dvi_text_limit){limits->cursor_nbytes, "cursor_nbytes"};
}

/* text_head.c: reads options, columns and names from the caller's string and the first lines.
 * DV_ERR_ARGUMENT: the string is invalid; DV_ERR_CORRUPT: the file is. */
dv_status dvi_text_read_head(dvi_text_file *file, dv_schema *schema, dv_error *err);

/* text_head.c: set options.found.  Statuses as dvi_text_lines_start; DV_ERR_UNSUPPORTED: the file
 * has no mark and looks like UTF-16 or UTF-32, which no option names. */
dv_status dvi_text_find_encoding(dvi_text_file *file, dv_error *err);

/* Find first_fields and first_extent of the first line, the header or a row; 0: there is none. If
 * the file is a pipe, call it before the first cursor. Statuses as dvi_text_reader_next, but no
 * DV_END. */
dv_status dvi_text_count_first(dvi_text_options *options, const dvi_text_file *file, dv_error *err);

/* text_cursor.c */
dv_status dvi_text_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                               dv_error *err);
dv_status dvi_text_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_text_seek(void *cursor, dv_error *err);
void dvi_text_close_cursor(void *cursor);
extern const dvi_splits_class dvi_text_splits;
/* The most splits of a request; 1: the file is not divided. */
int64_t dvi_text_count_splits(const dvi_text_file *file, const dv_cursor_request *request);

/* text_seen.c: the faults that cursors counted; dv_view_bad_fields of the view. */
void dvi_text_seen_init(dvi_text_file *file);
void dvi_text_seen_destroy(dvi_text_file *file);
/* Add those of the rows from first to end - 1. */
void dvi_text_seen_add(dvi_text_file *file, dvi_text_tallies *tallies, int64_t first, int64_t end);
dv_status dvi_text_seen_report(void *self, dv_bad_fields_report *report, void *ctx, dv_error *err);

/* text_inspect.c */
struct dv_facts;
struct dv_verify_options;
dv_status dvi_text_inspect(void *self, struct dv_facts *facts, dv_error *err);
dv_status dvi_text_verify(void *self, const struct dv_verify_options *options, dv_error *err);

/* text_identify.c */
dv_status dvi_text_identify(void *self, struct dv_identity *identity, dv_error *err);

/* text_cursor.c: the row at which every cursor ends, even if the file has grown: the number of rows
 * that the view reports, or option rows. INT64_MAX: the end of the file. */
int64_t dvi_text_end_row(const dvi_text_file *file);

/* Start a reader before the first row. *map_out: what it reads, which the caller releases after the
 * reader, also after a failure; is_ahead: see dvi_map_begin_reading. DV_ERR_IO: also for a second
 * pass over a pipe. */
dv_status dvi_text_start_rows(const dvi_text_file *file, bool is_ahead, dvi_text_reader *reader,
                              dvi_map **map_out, dv_error *err);

#endif
