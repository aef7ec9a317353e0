/* SPDX-License-Identifier: MIT */
/* datadings_save_priv.h: what the savers of this folder share: which entries a sample has, and
 * where their values come from.  (datadings:12, "Writing a view") */
#ifndef DVI_FORMAT_DATADINGS_SAVE_PRIV_H
#define DVI_FORMAT_DATADINGS_SAVE_PRIV_H

#include "base/arena.h"
#include "codec/msgpack_write.h"
#include "view/column.h"
#include "format/datadings/save/datadings_output.h"
#include "save/save.h"

/* Metadata of a column of BY, a BL that is true: its values are msgpack, to be written as they are;
 * they are whole messages. */
#define DVI_DATADINGS_OPAQUE "MsgpackOpaque"
#define DVI_DATADINGS_MESSAGE "MsgpackMessage"

/* --- What is asked for ------------------------------------------------------------------------ */

typedef struct dvi_datadings_form {
    dv_text key;       /* the column that gives the keys; empty: `key` */
    bool is_numbered;  /* keys are the numbers of the rows */
    dv_text unwritten; /* kinds of metadata that may go, between commas */
} dvi_datadings_form;

/* datadings_save_options.c: the option `datadings`; its texts are in the arena or the caller's.
 * DV_OK, DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_datadings_form_read(dvi_datadings_form *form_out, const char *text, dvi_arena *arena,
                                  dv_error *err);
/* May metadata of that kind go? */
bool dvi_datadings_form_drops(const dvi_datadings_form *form, dv_text kind);

/* --- What is saved ---------------------------------------------------------------------------- */

typedef enum dvi_datadings_shape {
    DVI_DATADINGS_SCALAR,
    DVI_DATADINGS_TEXT,    /* TX, BY */
    DVI_DATADINGS_OPAQUES, /* BY that holds msgpack */
    DVI_DATADINGS_ARRAY,   /* vectors of numbers: a numpy array */
    DVI_DATADINGS_LIST     /* vectors of TX and BY */
} dvi_datadings_shape;

/* A column, as an entry of the map that each sample is. */
typedef struct dvi_datadings_entry {
    int32_t column; /* of the schema */
    dvi_datadings_shape shape;
    dv_type item;
    const uint8_t *name; /* as msgpack */
    size_t name_nbytes;
    const char *dtype; /* of arrays, and their dims; NULL: one, which differs from row to row */
    const int32_t *dims;
    int32_t rank;
    size_t width; /* of their items as they are written */
} dvi_datadings_entry;

typedef struct dvi_datadings_plan {
    const dvi_saving *saving;
    dvi_arena arena;
    dvi_datadings_form form;
    bool is_raw;                  /* two columns, keys and whole messages */
    int32_t key;                  /* column of the schema; -1: row numbers, or there is none */
    dvi_datadings_entry *entries; /* after the key */
    int32_t count;
    int32_t *columns; /* of the schema: the key, if it is one, then those of the entries */
    int32_t columns_count;
} dvi_datadings_plan;

/* datadings_save_plan.c: choose, and tell what is lost (losses may be NULL).  Also after a failure
 * the plan is freed by dvi_datadings_plan_free.  DV_OK, DV_ERR_ARGUMENT (options), DV_ERR_MEMORY,
 * and what reading metadata may say. */
dv_status dvi_datadings_plan_make(dvi_datadings_plan *plan, const dvi_saving *saving,
                                  dvi_losses *losses, dv_error *err);
void dvi_datadings_plan_free(dvi_datadings_plan *plan);

/* --- Rows ------------------------------------------------------------------------------------- */

/* Where the values of a column come from: of a batch, then of its next row. */
typedef struct dvi_datadings_cell {
    const dvi_datadings_plan *plan;
    const dvi_datadings_entry *entry;
    int64_t row;                     /* number of the next one, for errors */
    dv_column_view list;             /* its items, or the column itself */
    const uint8_t *values, *beside;  /* bytes and ends of texts; ticks and minutes */
    const uint8_t *lengths, *counts; /* of vectors; lengths NULL: `slots` */
    const uint8_t *index;            /* of the next sparse item */
    int32_t slots;
    int64_t item; /* the next one */
    int64_t at;   /* the row in the batch */
} dvi_datadings_cell;

/* datadings_save_cell.c: begin with a batch.  row: the number of its first one.  DV_OK;
 * DV_ERR_ARGUMENT: a user's view holds what batch.h forbids. */
dv_status dvi_datadings_cell_begin(dvi_datadings_cell *cell, const dv_column_view *view,
                                   int64_t row, dv_error *err);
/* The text of the next row, which is that of a column of TX or BY; nbytes -1: NA. */
dv_text dvi_datadings_cell_text(dvi_datadings_cell *cell);
/* Write name and value of the next row.  DV_OK; DV_ERR_LOSS: a value that has no form;
 * DV_ERR_LIMIT: one that is too long; DV_ERR_ARGUMENT: what should be msgpack is not; and what the
 * writer says. */
dv_status dvi_datadings_cell_put(dvi_datadings_cell *cell, dvi_datadings_output *put,
                                 dv_error *err);

/* "row 17, column \"x\"" */
typedef struct dvi_datadings_where {
    char text[160];
} dvi_datadings_where;
dvi_datadings_where dvi_datadings_where_of(const dvi_datadings_plan *plan, int32_t column,
                                           int64_t row);

/* For the format's record. */
dv_status dvi_datadings_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err);
dv_status dvi_datadings_save(const dvi_saving *saving, dvi_writer *writer, dv_error *err);

#endif
