/* SPDX-License-Identifier: MIT */
/* text_save_priv.h: what the savers of this folder share: which columns a text file has, and where
 * their fields come from.  (semantics:6.6) */
#ifndef DVI_FORMAT_TEXT_SAVE_PRIV_H
#define DVI_FORMAT_TEXT_SAVE_PRIV_H

#include "base/arena.h"
#include "format/text/read/text_marks.h"
#include "format/text/save/text_print.h"
#include "format/text/save/text_writer.h"
#include "save/save.h"

/* Source columns of a line: an index has nine digits. */
#define DVI_TEXT_SLOTS_MAX INT64_C(1000000000)

/* --- What is asked for ------------------------------------------------------------------------ */

typedef struct dvi_text_form {
    char separator;
    bool is_dense; /* no sparse rows */
    bool has_schema, has_header;
    bool is_mlnet; /* the bytes that ML.NET writes, whatever is read from them */
} dvi_text_form;

/* text_save_options.c: the option `text`; path: without `sep`, a .csv file has commas.  DV_OK;
 * DV_ERR_ARGUMENT: options that are none, or are for reading; DV_ERR_MEMORY. */
dv_status dvi_text_form_read(dvi_text_form *form_out, const dvi_saving *saving, dv_error *err);

/* --- What is saved ---------------------------------------------------------------------------- */

/* A column that has a output. */
typedef struct dvi_text_output {
    int32_t column; /* of the schema */
    dv_text name;   /* as it can be written */
    dv_type item;
    bool is_vector;
    int32_t slots; /* 0: varies */
    int64_t first; /* source column */
    int32_t names; /* which metadata names its slots; -1: none, or not written */
} dvi_text_output;

typedef struct dvi_text_plan {
    const dvi_saving *saving;
    dvi_text_form form;
    dvi_arena arena;
    dvi_text_output *outputs;
    int32_t *columns; /* of the schema: those of the outputs */
    int32_t count;
    bool has_filler; /* source column 0 is nobody's: else rows without a slot were empty lines */
    bool has_header;
    bool has_text;     /* there are fields that may hold line breaks */
    bool keys_as_seed; /* a key type needs the notation of semantics:1.2 */
    int64_t slots;     /* source columns of all lines, those of a vector that varies apart */
} dvi_text_plan;

/* text_save_plan.c: choose, and tell what is lost (losses may be NULL).  Also after a failure the
 * plan is freed by dvi_text_plan_free.  A count of 0: nothing can be saved.  DV_OK, DV_ERR_ARGUMENT
 * (options), DV_ERR_MEMORY, and what reading metadata may say. */
dv_status dvi_text_plan_make(dvi_text_plan *plan, const dvi_saving *saving, dvi_losses *losses,
                             dv_error *err);
void dvi_text_plan_free(dvi_text_plan *plan);

/* text_save_names.c: tell what of the names of a vector's slots is lost (losses may be NULL).
 * *named: is one of them not empty? */
dv_status dvi_text_check_names(const dvi_text_plan *plan, const dvi_text_output *output,
                               dvi_losses *losses, bool *named_out, dv_error *err);
/* A name as a loader reads it: no white space around it, no line breaks.  It may be empty. */
dv_status dvi_text_clean_name(dv_text *clean_out, dv_text name, dvi_arena *arena, dv_error *err);

/* text_save_schema.c: the lines that begin with #@.  *multilines_at: where the sign of that option
 * stands in the file; -1: nowhere. */
dv_status dvi_text_write_schema(dvi_text_writer *out, const dvi_text_plan *plan,
                                int64_t *multilines_at, dv_error *err);

/* --- Rows ------------------------------------------------------------------------------------- */

/* Where the fields of a column come from: of a batch, then of its next row. */
typedef struct dvi_text_source {
    int32_t column;                     /* of the schema, for errors; -1: of no column */
    bool is_key, is_counted, is_vector; /* counted: a key that knows its largest */
    size_t width;
    dvi_text_print *print; /* NULL: texts */
    dvi_text_count *count_items;
    const char *initial; /* the default, as a field */
    int64_t row;         /* of the batch's first */
    dv_column_view view; /* of the batch */
    dv_column_view list; /* its items: those of a vector, or the column itself */
    dvi_text_values values;
    dvi_text_marks marks;                      /* of texts */
    const uint8_t *lengths, *counts, *indices; /* of vectors; lengths NULL: `slots` */
    int32_t slots;

    int64_t step;          /* from row to row, unless it is a vector: 1; of a filler 0 */
    int64_t item;          /* of the row: its first item, */
    int32_t length, items; /* slots and items, */
    bool is_sparse;
    const uint8_t *index; /* where its indices are, when it is sparse, */
    int64_t written;      /* and how many slots are not the default */
} dvi_text_source;

/* text_save_source.c: for items of a type. */
dvi_text_source dvi_text_source_of(const dv_type *item, int32_t column, bool is_mlnet);
/* Begin with a batch.  row: the number of its first one, for errors.  DV_OK; DV_ERR_ARGUMENT: a
 * user's view holds what batch.h forbids. */
dv_status dvi_text_source_begin(dvi_text_source *source, const dv_column_view *view, int64_t row,
                                dv_error *err);
/* Then look at what only values show: at all keys, and at a text that has line breaks, perhaps.
 * DV_OK; DV_ERR_LOSS. */
dv_status dvi_text_source_check(const dvi_text_source *source, const dvi_text_plan *plan,
                                dv_error *err);
dv_status dvi_text_source_check_breaks(const dvi_text_source *source, const dvi_text_plan *plan,
                                       int64_t item, dv_text text, dv_error *err);
/* Come to the next row of a vector; row: of the batch, from 0 on, one after the other. */
void dvi_text_source_next(dvi_text_source *source, int64_t row);

/* text_save_rows.c: one line, of a row of each source.  The slots of the plan are theirs, those of
 * `varying` apart. */
typedef struct dvi_text_line {
    const dvi_text_plan *plan;
    dvi_text_writer *out;
    dvi_text_quoting quoting;
    dvi_text_source *sources;
    int32_t count;
    dvi_text_source *varying; /* the one whose rows have more and fewer slots; NULL: none */
    bool is_plain;            /* no row has vectors or a sparse part */
} dvi_text_line;

/* For these sources, one for each output, and before them one for the filler. */
dvi_text_line dvi_text_line_of(const dvi_text_plan *plan, dvi_text_writer *out,
                               dvi_text_source *sources, int32_t count);

/* A row of the batch, one after the other. */
dv_status dvi_text_write_line(const dvi_text_line *line, int64_t row, dv_error *err);

/* text_save_header.c: the names of columns and slots. */
dv_status dvi_text_write_header(dvi_text_writer *out, const dvi_text_plan *plan, dv_error *err);

/* For the format's record. */
dv_status dvi_text_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err);
dv_status dvi_text_save(const dvi_saving *saving, dvi_writer *writer, dv_error *err);

#endif
