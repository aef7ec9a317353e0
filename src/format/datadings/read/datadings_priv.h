/* SPDX-License-Identifier: MIT */
/* datadings_priv.h: an open file of messages, its columns, and what cursors share. */
#ifndef DVI_DATADINGS_PRIV_H
#define DVI_DATADINGS_PRIV_H

#include "format/datadings/index/datadings_files.h"
#include "format/datadings/index/datadings_message.h"
#include "format/datadings/read/datadings_fields.h"
#include "format/datadings/read/datadings_metadata.h"
#include "format/datadings/read/datadings_options.h"
#include <dataview/view.h>
#include <stdatomic.h>

/* Column i of the schema. */
typedef struct dvi_datadings_column {
    int32_t field;
    bool is_opaque;
    bool is_key;  /* TX: a sample without this key has the one that the set lists */
    dv_type type; /* its dims belong to the fields */
} dvi_datadings_column;

/* Constant once opened, except `mismatches`: any thread may read it. */
typedef struct dvi_datadings_file {
    dv_allocator allocator;
    dvi_map *map;           /* one reference */
    dvi_datadings_set *set; /* owned */
    dv_view *view;          /* the view that owns the file; no reference */
    dv_open_options limits;
    dvi_datadings_options options;
    dvi_datadings_fields fields; /* its arena also holds options and columns */
    dvi_datadings_column *columns;
    int32_t columns_count;
    int64_t inferred; /* samples from which columns were inferred; 0: none */
    int64_t seen;     /* the same, of all files whose columns are united */
    int64_t samples;  /* of all these files */
    int64_t unread;   /* of these, the broken ones */
    dv_error broken;  /* what is wrong with the first broken one */
    bool has_unnamed; /* a key is empty: it has no column */
    bool has_hidden;  /* some entry has no column, as above or of a key that is no str */
    atomic_int_fast64_t mismatches; /* values that cursors replaced by NA */
} dvi_datadings_file;

/* datadings_cursor.c: the file of a view; NULL: the view is not of this format. */
dvi_datadings_file *dvi_datadings_file_of(const dv_view *view);

/* --- datadings_infer.c, datadings_schema.c: opening ------------------------------------------- */

/* Add the keys of the first samples and of the last one to the fields, with profiles of their
 * values. DV_ERR_LIMIT: columns; the error of the first sample if all are broken; DV_ERR_IO,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_infer(dvi_datadings_file *file, dv_error *err);

/* Give the inferred columns of all files to each of them, before make_columns: fields in the order
 * in which they appear, with the profile of all values. Files of raw messages, or whose columns the
 * options name, stay as they are. DV_ERR_LIMIT: columns; *blamed_out: the file that has too many;
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_unite(dvi_datadings_file **files, int32_t n, int32_t *blamed_out,
                              dv_error *err);

/* Make the columns, from the options if they name columns, else from the fields, and add them to
 * the schema. DV_ERR_LIMIT: metadata_toc_nbytes; DV_ERR_ARGUMENT: two paths in the options are
 * equal, or one leads through the other; DV_ERR_MEMORY. */
dv_status dvi_datadings_make_columns(dvi_datadings_file *file, dv_schema *schema, dv_error *err);
/* Add the two columns of option raw to the schema. */
dv_status dvi_datadings_make_raw_columns(dv_schema *schema, dv_error *err);

/* --- datadings_source.c: the bytes of samples ------------------------------------------------- */

#define DVI_DATADINGS_WINDOW 4096 /* samples whose offsets are read together */

/* Reads runs of samples. Zeroed by the caller, except file. */
typedef struct dvi_datadings_source {
    dvi_datadings_file *file;
    int64_t row; /* first sample of the window */
    size_t n;    /* samples of the window */
    int64_t offsets[DVI_DATADINGS_WINDOW + 1];
    dvi_memory *scratch, *read;
    dvi_span span; /* the bytes of the run */
    int64_t left;  /* for dvi_map_leave */
} dvi_datadings_source;

/* Read a run of samples that starts at `row` and ends at end_row at the latest: as many as fit in
 * nbytes, at least one. A sample larger than large_nbytes is a run of its own.
 * DV_OK; DV_ERR_LIMIT: message_nbytes, cursor_nbytes; DV_ERR_CORRUPT: wrong offsets; DV_ERR_IO,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_source_run(dvi_datadings_source *source, int64_t row, int64_t end_row,
                                   int64_t nbytes, int64_t large_nbytes, int64_t *rows_out,
                                   dv_error *err);
/* The start of a sample of the window, or the end of its last one. */
static inline int64_t dvi_datadings_source_offset(const dvi_datadings_source *source, int64_t row)
{
    return source->offsets[row - source->row];
}
/* A reader at the start of a sample of the run. */
static inline dvi_msgpack_reader dvi_datadings_source_message(const dvi_datadings_source *source,
                                                              int64_t row)
{
    const int64_t from = dvi_datadings_source_offset(source, row);
    const size_t nbytes = (size_t)(dvi_datadings_source_offset(source, row + 1) - from);
    return dvi_msgpack_reader_of(source->span.data + (from - source->span.offset), nbytes, from,
                                 (int32_t)source->file->limits.nesting);
}
void dvi_datadings_source_free(dvi_datadings_source *source);

/* Announce the bytes of samples, in this order, as far as it pays. Returns of how many; -1: reading
 * is not slow. */
int64_t dvi_datadings_announce(const dvi_datadings_file *file, const int64_t *rows, int64_t count);

/* --- datadings_cursor.c: cursors of both kinds ------------------------------------------------ */

typedef struct dvi_datadings_cursor dvi_datadings_cursor;

/* What differs between cursors over columns and cursors over raw messages. */
typedef struct dvi_datadings_cursor_class {
    size_t size; /* of the cursor, which starts with a dvi_datadings_cursor */
    /* Prepare a cursor that is zeroed except its base. After a failure it is closed, too. */
    dv_status (*open)(dvi_datadings_cursor *cursor, dv_error *err);
    /* Fill a batch that starts at cursor->row, of at most `rows` rows. */
    dv_status (*read)(dvi_datadings_cursor *cursor, int64_t rows, dv_batch *batch, dv_error *err);
    /* Free what is in the cursor, except its base. */
    void (*close)(dvi_datadings_cursor *cursor);
} dvi_datadings_cursor_class;

extern const dvi_datadings_cursor_class dvi_datadings_decoded; /* datadings_decoded.c */
extern const dvi_datadings_cursor_class dvi_datadings_raw;     /* datadings_raw.c */

struct dvi_datadings_cursor {
    const dvi_datadings_cursor_class *cls;
    dvi_datadings_file *file;
    const dv_cursor_request *request;
    int64_t row; /* the next one */
    dvi_datadings_source source;
};

/* Members of dv_view_class. */
dv_status dvi_datadings_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                    dv_error *err);
dv_status dvi_datadings_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_datadings_seek(void *cursor, dv_error *err);
void dvi_datadings_close_cursor(void *cursor);

/* --- datadings_inspect.c, datadings_verify.c: members of dv_view_class ------------------------ */

dv_status dvi_datadings_inspect(void *self, struct dv_facts *facts, dv_error *err);
dv_status dvi_datadings_verify(void *self, const struct dv_verify_options *options, dv_error *err);

#endif
