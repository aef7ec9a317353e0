/* SPDX-License-Identifier: MIT */
/* datadings_priv.h: what the files of this folder share: an open file of messages, and its columns.
 */
#ifndef DVI_DATADINGS_PRIV_H
#define DVI_DATADINGS_PRIV_H

#include "format/datadings/index/datadings_files.h"
#include "format/datadings/index/datadings_message.h"
#include "format/datadings/read/datadings_fields.h"
#include "format/datadings/read/datadings_options.h"
#include <dataview/view.h>
#include <stdatomic.h>

/* Metadata of a column: its bytes are msgpack, of values or of whole messages.  BL, true. */
#define DVI_DATADINGS_OPAQUE "MsgpackOpaque"
#define DVI_DATADINGS_MESSAGE "MsgpackMessage"

/* Column i of the schema. */
typedef struct dvi_datadings_column {
    int32_t field;
    bool is_opaque;
    dv_type type; /* its dims are the fields' */
} dvi_datadings_column;

/* Unchanged once opened but for the two counts, so any thread may read it. */
typedef struct dvi_datadings_file {
    dv_allocator allocator;
    dvi_map *map;           /* one reference */
    dvi_datadings_set *set; /* its own */
    dv_view *view;          /* the view that owns the file; no reference */
    dv_open_options limits;
    dvi_datadings_options options;
    dvi_datadings_fields fields; /* whose arena holds what else is read at opening */
    dvi_datadings_column *columns;
    int32_t columns_count;
    int64_t inferred;               /* samples that told the columns; 0: the caller did */
    int64_t unread;                 /* of these, those that are broken */
    dv_error broken;                /* what is wrong with the first of them */
    bool has_unnamed;               /* a key is empty, so that it is no column */
    atomic_int_fast64_t mismatches; /* values that cursors gave as missing */
} dvi_datadings_file;

/* datadings_format.c: the set behind a view; NULL: it is no view of this format. */
dvi_datadings_set *dvi_datadings_set_of(const dv_view *view);

/* --- datadings_infer.c, datadings_schema.c: opening ------------------------------------------- */

/* Look at samples, and let the fields say what they are.  DV_ERR_LIMIT: columns; what the first
 * sample is, when all are broken; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_datadings_infer(dvi_datadings_file *file, dv_error *err);

/* The columns that the fields tell, or the caller's options; and the schema of either.
 * DV_ERR_LIMIT: columns, metadata_toc_nbytes; DV_ERR_ARGUMENT: two paths of the caller's where one
 * is a map and the other a value; DV_ERR_MEMORY. */
dv_status dvi_datadings_make_columns(dvi_datadings_file *file, dv_schema *schema, dv_error *err);
/* The two of option raw. */
dv_status dvi_datadings_make_raw_columns(dv_schema *schema, dv_error *err);

/* --- datadings_source.c: where samples lie, and their bytes ----------------------------------- */

#define DVI_DATADINGS_WINDOW 4096 /* samples whose places are looked up at once */

/* A walk over samples.  Zeroed before, but for file. */
typedef struct dvi_datadings_source {
    dvi_datadings_file *file;
    int64_t row; /* the first of the window */
    size_t n;    /* how many samples it has */
    int64_t offsets[DVI_DATADINGS_WINDOW + 1];
    dvi_memory *scratch, *read;
    dvi_span span; /* bytes at hand */
} dvi_datadings_source;

/* Have samples from `row` on at hand, at most those before end_row, in one run of bytes: as many as
 * lie in nbytes, but at least one; one that is larger than large_nbytes comes alone.
 * DV_OK; DV_ERR_LIMIT: message_nbytes, cursor_nbytes; DV_ERR_CORRUPT: their places are wrong;
 * DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_datadings_source_run(dvi_datadings_source *source, int64_t row, int64_t end_row,
                                   int64_t nbytes, int64_t large_nbytes, int64_t *rows_out,
                                   dv_error *err);
/* Where does a sample of the window start, or the one after it? */
static inline int64_t dvi_datadings_source_offset(const dvi_datadings_source *source, int64_t row)
{
    return source->offsets[row - source->row];
}
/* A sample of the run. */
dvi_msgpack_reader dvi_datadings_source_message(const dvi_datadings_source *source, int64_t row);
void dvi_datadings_source_free(dvi_datadings_source *source);

/* Where a cursor of either kind stands: what it begins with. */
typedef struct dvi_datadings_place {
    dvi_datadings_file *file;
    const dv_cursor_request *request;
    int64_t row; /* the next one */
    dvi_datadings_source source;
} dvi_datadings_place;

/* Before the first row that is asked for.  Zeroed before. */
void dvi_datadings_place_init(dvi_datadings_place *place, dvi_datadings_file *file,
                              const dv_cursor_request *request);
/* Where a call failed: its error names the sample and the file. */
dv_status dvi_datadings_place_name(const dvi_datadings_place *place, dv_status status,
                                   dv_error *err);
/* The function of dv_view_class, for cursors of both kinds. */
dv_status dvi_datadings_seek(void *cursor, dv_error *err);

/* --- datadings_cursor.c, datadings_raw.c, datadings_inspect.c --------------------------------- */

dv_status dvi_datadings_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                    dv_error *err);
dv_status dvi_datadings_next(void *cursor, dv_batch *batch, dv_error *err);
void dvi_datadings_close_cursor(void *cursor);

dv_status dvi_datadings_raw_open_cursor(void *self, const dv_cursor_request *request,
                                        void **cursor_out, dv_error *err);
dv_status dvi_datadings_raw_next(void *cursor, dv_batch *batch, dv_error *err);
void dvi_datadings_raw_close_cursor(void *cursor);

dv_status dvi_datadings_inspect(void *self, struct dv_facts *facts, dv_error *err);
dv_status dvi_datadings_verify(void *self, const struct dv_verify_options *options, dv_error *err);

#endif
