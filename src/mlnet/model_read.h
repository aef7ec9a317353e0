/* SPDX-License-Identifier: MIT */
/* model_read.h: the steps of a model of ML.NET, as they are read: text in the notation of
 * pipelines, and a table for each column that has learned something. */
#ifndef DVI_MLNET_MODEL_READ_H
#define DVI_MLNET_MODEL_READ_H

#include "mlnet/model_part.h"
#include "predict/predictor.h"
#include <dataview/view.h>

/* Text that grows. */
typedef struct dvi_model_text {
    dvi_memory *memory;
    size_t used;
} dvi_model_text;

/* A new column of a step. Its options are text in the notation, with a blank in front. */
typedef struct dvi_model_column {
    dv_text name, options;
    const dv_text *sources;
    int32_t n;       /* of sources; 0: the step takes names */
    dv_view *table;  /* what it has learned; NULL: nothing */
    dv_view *labels; /* a second table; NULL: none */
} dvi_model_column;

enum { DVI_MODEL_TABLES = 2 }; /* the most tables of a column */

typedef struct dvi_model_reading {
    dvi_zip zip;
    const dv_allocator *allocator;
    dvi_arena arena;
    bool until_unknown, is_cut; /* the rest is left out */
    dvi_model_text text, scratch;
    int32_t steps;
    dv_view *(*tables)[DVI_MODEL_TABLES]; /* a row for each column of the steps; NULL: none */
    size_t tables_cap, tables_count;
    int64_t texts_nbytes;              /* in tables */
    int64_t filled_slots;              /* in tables, of which the model has no numbers */
    dvi_model_text unknown;            /* signatures of steps that are not known */
    const dvi_predictor_part *refused; /* why the last step is one of them; NULL: its own kind */
} dvi_model_reading;

/* Append to a text of at most 2^26 bytes, the most that a pipeline has. DV_OK; DV_ERR_LIMIT;
 * DV_ERR_MEMORY. */
dv_status dvi_model_put(dvi_model_reading *r, dvi_model_text *text, dv_text more, dv_error *err);
dv_status dvi_model_putf(dvi_model_reading *r, dvi_model_text *text, dv_error *err,
                         const char *format, ...) DVI_PRINTF(4, 5);
dv_status dvi_model_put_quoted(dvi_model_reading *r, dvi_model_text *text, dv_text more,
                               dv_error *err);

/* Have the options of columns be what the scratch text has, which is then empty. */
dv_status dvi_model_set_options(dvi_model_reading *r, dvi_model_column *columns, int32_t n,
                                dv_error *err);

/* Add steps of that name with the columns: one for each run of columns with the same options, as a
 * step has its options once. Their tables are taken: also after a failure nobody else releases
 * them. DV_OK; DV_ERR_UNSUPPORTED: a later step would read what an earlier one has replaced;
 * DV_ERR_LIMIT, DV_ERR_MEMORY. */
dv_status dvi_model_add(dvi_model_reading *r, const char *step, dvi_model_column *columns,
                        int32_t n, dv_error *err);
/* The same with a step for each column. */
dv_status dvi_model_add_each(dvi_model_reading *r, const char *step, dvi_model_column *columns,
                             int32_t n, dv_error *err);

/* Read the new columns and their sources, one each, with which most steps begin. */
dv_status dvi_model_columns(dvi_model_part *part, dvi_model_column **columns_out, int32_t *n_out,
                            dv_error *err);

/* Read a column of a part whose columns have fields of their own; i: its number. It may set options
 * and a table. */
typedef dv_status dvi_model_read_column(dvi_model_reading *r, dvi_model_part *part,
                                        dvi_model_column *column, int32_t i, dv_error *err);
/* Read columns, and each with its fields, and add them as steps of that name. */
dv_status dvi_model_each(dvi_model_reading *r, dvi_model_part *part, const char *step,
                         dvi_model_read_column *read, dv_error *err);
/* Release the tables of columns that do not become steps. Returns the status. */
dv_status dvi_model_drop_tables(dvi_model_column *columns, int32_t n, dv_status status);

/* DV_ERR_UNSUPPORTED: the step has something that the steps of this library do not have. */
dv_status dvi_model_refuse(const dvi_model_part *part, const char *what, const char *expected,
                           const char *found, dv_error *err);

/* --- Tables: model_tables.c ------------------------------------------------------------------- */

/* A table of one column, of texts. */
dv_status dvi_model_text_table(dvi_model_reading *r, dv_view **table_out, const char *name,
                               const dv_text *texts, int32_t n, dv_error *err);
/* Read typed values (modelzip:2): their codec, their number, then as many; a table of one column.
 */
dv_status dvi_model_values(dvi_model_reading *r, dvi_model_part *part, dv_view **table_out,
                           const char *name, dv_error *err);
/* The same for one value, which is not counted, or one vector of known size: a table of one row. */
dv_status dvi_model_value(dvi_model_reading *r, dvi_model_part *part, dv_view **table_out,
                          const char *name, dv_error *err);
/* An entry that is an .idv file. Its view needs nothing else. */
dv_status dvi_model_file(dvi_model_reading *r, const dvi_zip_entry *entry, dv_view **view_out,
                         dv_error *err);
/* Read the names of the hashes of column i; NULL: it has none. */
dv_status dvi_model_hash_names(dvi_model_reading *r, const dvi_model_part *part, int32_t i,
                               dv_view **table_out, dv_error *err);

/* --- Kinds of steps --------------------------------------------------------------------------- */

/* Read the fields of a part with columns: in model_columns.c, model_keys.c, model_numbers.c,
 * model_words.c and model_predict.c. DV_OK; DV_ERR_CORRUPT, DV_ERR_UNSUPPORTED, DV_ERR_LIMIT, DV_ERR_MEMORY. */
typedef dv_status dvi_model_read_step(dvi_model_reading *r, dvi_model_part *part, dv_error *err);

dvi_model_read_step dvi_model_copy, dvi_model_concat, dvi_model_select, dvi_model_convert,
    dvi_model_missing, dvi_model_drop_slots, dvi_model_rescale;
dvi_model_read_step dvi_model_term, dvi_model_hash, dvi_model_key_value, dvi_model_key_vector,
    dvi_model_key_binary, dvi_model_map;
dvi_model_read_step dvi_model_normalize, dvi_model_replace_missing;
dvi_model_read_step dvi_model_tokenize, dvi_model_characters, dvi_model_text_norm,
    dvi_model_stop_words, dvi_model_default_stop_words, dvi_model_ngrams, dvi_model_hashed_grams;
dvi_model_read_step dvi_model_predict_flag, dvi_model_predict_anomaly, dvi_model_predict_number,
    dvi_model_predict_rank, dvi_model_predict_class, dvi_model_predict_cluster, dvi_model_calibrate;

#endif
