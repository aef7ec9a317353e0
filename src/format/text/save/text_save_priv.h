/* SPDX-License-Identifier: MIT */
/* text_save_priv.h: types and functions that the files of the saver share. (semantics:6.6) */
#ifndef DVI_FORMAT_TEXT_SAVE_PRIV_H
#define DVI_FORMAT_TEXT_SAVE_PRIV_H

#include "base/arena.h"
#include "format/text/read/text_marks.h"
#include "format/text/save/text_print.h"
#include "format/text/save/text_writer.h"
#include "save/save.h"

/* Most source columns of a line: an index has nine digits. */
#define DVI_TEXT_SLOTS_MAX INT64_C(1000000000)
/* Most slots of a vector in a CSV: each is a column there. */
#define DVI_TEXT_CSV_SLOTS_MAX 4096
#define DVI_TEXT_CSV_COLUMNS_MAX INT64_C(1000000) /* as many as other files have by default */

/* --- Options --- */

typedef struct dvi_text_form {
    dvi_text_style style;
    char separator;
    bool is_dense; /* write no sparse rows */
    bool has_schema, has_header;
    bool has_bom; /* a byte order mark comes first */
} dvi_text_form;

/* text_save_options.c: parses option `text`. The extension of the path decides what it leaves open.
 * DV_OK; DV_ERR_ARGUMENT: unknown options, options for reading, contradictions;
 * DV_ERR_MEMORY. */
dv_status dvi_text_form_read(dvi_text_form *form_out, const dvi_saving *saving, dv_error *err);

/* --- Columns --- */

/* A column that is saved. */
typedef struct dvi_text_output {
    int32_t column; /* of the schema */
    dv_text name;   /* as written, */
    dv_text quoted; /* and in braces among the options */
    dv_type item;
    bool is_vector;
    int32_t slots; /* 0: varies */
    int64_t first; /* its first source column */
    int32_t names; /* index of the metadata that names its slots; -1: none, or not written */
    int32_t words; /* index of the metadata with the values of its keys; -1: they are numbers */
} dvi_text_output;

typedef struct dvi_text_plan {
    const dvi_saving *saving;
    dvi_text_form form;
    dvi_arena arena;
    dvi_text_output *outputs;
    int32_t *columns; /* columns of the schema, in the order of outputs */
    int32_t count;
    bool has_filler; /* source column 0 is a filler, so that a row without slots is not an empty
                        line */
    bool has_header;
    bool has_text;      /* some fields may contain line breaks */
    bool keys_as_seed;  /* a key type requires the notation of semantics:1.2 */
    int64_t slots;      /* source columns of every line, without a varying vector */
    dv_text *csv_names; /* the name of each field of a CSV with a header */
} dvi_text_plan;

/* text_save_plan.c: choose the columns, and report what is lost (losses may be NULL). Free the plan
 * with dvi_text_plan_free even after a failure. A count of 0: nothing can be saved. DV_OK,
 * DV_ERR_ARGUMENT (options), DV_ERR_MEMORY, and errors of reading metadata. */
dv_status dvi_text_plan_make(dvi_text_plan *plan, const dvi_saving *saving, dvi_losses *losses,
                             dv_error *err);
void dvi_text_plan_free(dvi_text_plan *plan);

/* text_save_names.c: report losses of slot names (losses may be NULL). *named_out: one of them is
 * not empty. */
dv_status dvi_text_check_names(const dvi_text_plan *plan, const dvi_text_output *output,
                               dvi_losses *losses, bool *named_out, dv_error *err);
/* A name as a reader reads it: without line breaks and surrounding white space. It may be empty. */
dv_status dvi_text_clean_name(dv_text *clean_out, dv_text name, dvi_arena *arena, dv_error *err);

/* text_save_words.c: the fields that stand for the values of a key, from metadata. */
typedef struct dvi_text_words {
    const dv_text *word; /* one for each value of the key, the first value first; NA: it is NA */
    bool are_texts;
} dvi_text_words;

/* The index of metadata that has a value for each value of the key; -1: none. */
int32_t dvi_text_words_find(const dv_schema *schema, int32_t column);
/* DV_OK, DV_ERR_MEMORY, and errors of reading metadata. */
dv_status dvi_text_words_read(dvi_text_words *words_out, const dvi_text_plan *plan,
                              const dvi_text_output *output, dvi_arena *arena, dv_error *err);

/* text_save_schema.c: write the lines that begin with #@. *room_at: file offset of blanks with room
 * for DVI_TEXT_MULTILINES; -1: none, or the option is written, because the file is compressed. */
#define DVI_TEXT_MULTILINES "multilines+"
dv_status dvi_text_write_schema(dvi_text_writer *out, const dvi_text_plan *plan, int64_t *room_at,
                                dv_error *err);

/* --- Rows ------------------------------------------------------------------------------------- */

/* The source of a column's fields: a batch, then the current row in it. */
typedef struct dvi_text_source {
    int32_t column;                     /* index in the schema, for errors; -1: the filler */
    bool is_key, is_counted, is_vector; /* counted: a key type with a count */
    size_t width;
    dvi_text_print *print; /* NULL: text */
    dvi_text_count *count_items;
    dvi_text_words words; /* of a key that is written as its value; else NULL */
    const char *initial;  /* the default, as a field */
    int64_t row;          /* number of the batch's first row */
    dv_column_view view;  /* the column in the batch */
    dv_column_view list;  /* its items: of a vector, or the column itself */
    dvi_text_values values;
    dvi_text_marks marks;                      /* of text */
    const uint8_t *lengths, *counts, *indices; /* of vectors; lengths NULL: each has `slots` */
    int32_t slots;

    int64_t step;          /* items from row to row if not a vector: 1; filler: 0 */
    int64_t item;          /* current row: its first item, */
    int32_t length, items; /* its slots and items, */
    bool is_sparse;
    const uint8_t *index; /* its indices if it is sparse, */
    int64_t written;      /* and the slots that are not the default */
} dvi_text_source;

/* text_save_source.c: create the source for items of a type, of a vector or not. */
dvi_text_source dvi_text_source_of(const dv_type *item, int32_t column, bool in_vector,
                                   dvi_text_style style);
/* Start on a batch. row: the number of its first row, for errors. DV_OK; DV_ERR_ARGUMENT: a user's
 * view breaks a promise of batch.h. */
dv_status dvi_text_source_begin(dvi_text_source *source, const dv_column_view *view, int64_t row,
                                dv_error *err);
/* Then check what only values show: all keys, NA of the only text of a CSV; and a text that may
 * contain line breaks. DV_OK; DV_ERR_LOSS. */
dv_status dvi_text_source_check(const dvi_text_source *source, const dvi_text_plan *plan,
                                dv_error *err);
dv_status dvi_text_source_check_breaks(const dvi_text_source *source, const dvi_text_plan *plan,
                                       int64_t item, dv_text text, dv_error *err);
/* Check that a key has a value that is not NA. */
dv_status dvi_text_source_check_word(const dvi_text_source *source, const dvi_text_plan *plan,
                                     int64_t item, dv_text word, dv_error *err);
/* Go to the next row of a vector. row: in the batch, 0 first, each in turn. */
void dvi_text_source_next(dvi_text_source *source, int64_t row);

/* text_save_rows.c: writes a line: one row of every source. The plan's slots are those of the
 * sources without `varying`. */
typedef struct dvi_text_line {
    const dvi_text_plan *plan;
    dvi_text_writer *out;
    dvi_text_quoting quoting;
    dvi_text_source *sources;
    int32_t count;
    dvi_text_source *varying; /* the source whose rows vary in slots; NULL: none */
    bool is_plain;            /* no vectors and no sparse parts */
} dvi_text_line;

/* sources: the filler's, if any, then one per output. */
dvi_text_line dvi_text_line_of(const dvi_text_plan *plan, dvi_text_writer *out,
                               dvi_text_source *sources, int32_t count);

/* Write a row of the batch; call it for each row in turn. */
dv_status dvi_text_write_line(const dvi_text_line *line, int64_t row, dv_error *err);

/* text_save_header.c: writes the names of columns and slots. */
dv_status dvi_text_write_header(dvi_text_writer *out, const dvi_text_plan *plan, dv_error *err);
/* text_csv_header.c: those of a CSV, where each field has a name, and no two have the same. */
dv_status dvi_text_write_csv_header(dvi_text_writer *out, dvi_text_plan *plan, dv_error *err);

/* For the format record.  check: called with all that was written. */
typedef dv_status dvi_text_check_written(const dvi_text_plan *plan, dvi_writer *writer,
                                         dv_error *err);
dv_status dvi_text_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err);
dv_status dvi_text_begin_save(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                              dvi_text_check_written *check, dv_error *err);

#endif
