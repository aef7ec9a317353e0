/* SPDX-License-Identifier: MIT */
/* datadings_save_priv.h: the plan of a save, and the encoder of values (datadings:12, "Writing a
 * view"). */
#ifndef DVI_FORMAT_DATADINGS_SAVE_PRIV_H
#define DVI_FORMAT_DATADINGS_SAVE_PRIV_H

#include "base/arena.h"
#include "codec/msgpack_write.h"
#include "view/column.h"
#include "format/datadings/read/datadings_metadata.h"
#include "format/datadings/save/datadings_output.h"
#include "save/save.h"

/* --- Options ---------------------------------------------------------------------------------- */

typedef struct dvi_datadings_save_options {
    dv_text key;              /* the column with the keys; empty: `key` */
    bool is_numbered;         /* keys are row numbers */
    dv_text dropped_metadata; /* kinds of metadata that may be lost, separated by commas */
    int64_t defaults_nbytes;  /* most bytes of the file for slots without an item */
} dvi_datadings_save_options;

/* datadings_save_options.c: parse the option `datadings`. Texts point into the arena or into
 * `text`. DV_OK, DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_datadings_save_options_read(dvi_datadings_save_options *options_out, const char *text,
                                          dvi_arena *arena, dv_error *err);
/* May metadata of this kind be lost? */
bool dvi_datadings_save_options_drops(const dvi_datadings_save_options *options, dv_text kind);

/* --- The plan --------------------------------------------------------------------------------- */

typedef enum dvi_datadings_encoding {
    DVI_DATADINGS_SCALAR,
    DVI_DATADINGS_TEXT,    /* TX, BY */
    DVI_DATADINGS_OPAQUES, /* BY that holds msgpack */
    DVI_DATADINGS_ARRAY,   /* vectors of numbers: a numpy array */
    DVI_DATADINGS_LIST     /* vectors of TX and BY */
} dvi_datadings_encoding;

/* A column as an entry of the map of each sample. */
typedef struct dvi_datadings_entry {
    int32_t column; /* of the schema */
    dvi_datadings_encoding encoding;
    dv_type item;
    const uint8_t *name; /* as msgpack */
    size_t name_nbytes;
    const char *dtype;   /* of arrays, like the members below */
    const int32_t *dims; /* NULL: one dimension, which differs between rows */
    int32_t rank;
    size_t width; /* of an item in the file */
} dvi_datadings_entry;

typedef struct dvi_datadings_plan {
    const dvi_saving *saving;
    dvi_arena arena;
    dvi_datadings_save_options options;
    bool is_raw;                  /* the columns are keys and whole messages */
    int32_t key;                  /* column of the schema; -1: row numbers, or no such column */
    dvi_datadings_entry *entries; /* without the key */
    int32_t count;
    int32_t *columns; /* of the schema: the key if it is a column, then those of the entries */
    int32_t columns_count;
} dvi_datadings_plan;

/* datadings_save_plan.c: make the plan, and report losses (NULL: not reported). The plan must be
 * freed, also after a failure. DV_OK; DV_ERR_ARGUMENT: the options; DV_ERR_MEMORY; errors of
 * reading metadata. */
dv_status dvi_datadings_plan_make(dvi_datadings_plan *plan, const dvi_saving *saving,
                                  dvi_losses *losses, dv_error *err);
void dvi_datadings_plan_free(dvi_datadings_plan *plan);

/* --- Rows ------------------------------------------------------------------------------------- */

/* Encodes the values of a column, row by row. */
typedef struct dvi_datadings_encoder {
    const dvi_datadings_plan *plan;
    const dvi_datadings_entry *entry;
    int64_t row;                     /* the next one, counted from the first batch, for errors */
    dv_column_view list;             /* the items of vectors, or the column itself */
    const uint8_t *values;           /* values; bytes of texts; ticks */
    const uint8_t *beside;           /* ends of texts; minutes of DZ; NULL: none */
    const uint8_t *lengths, *counts; /* of vectors; lengths NULL: all have `slots` */
    const uint8_t *index;            /* of the next sparse item */
    int32_t slots;
    int64_t *defaults_left; /* bytes that slots without an item may still take; shared */
    int64_t item;           /* the next one */
    int64_t at;             /* the next row in the batch */
} dvi_datadings_encoder;

/* datadings_encoder.c: start with a batch whose first row has this number. DV_OK; DV_ERR_ARGUMENT:
 * a user's view has values that batch.h forbids. */
dv_status dvi_datadings_encoder_begin(dvi_datadings_encoder *encoder, const dv_column_view *view,
                                      int64_t row, dv_error *err);
/* The value of the next row of a column of TX or BY; nbytes -1: NA. */
dv_text dvi_datadings_encoder_text(dvi_datadings_encoder *encoder);
/* Has the next row no entry? So says an empty value of msgpack. */
bool dvi_datadings_encoder_is_absent(const dvi_datadings_encoder *encoder);
/* Write the name and the value of the next row, unless it has no entry. DV_OK; DV_ERR_LOSS: the
 * value cannot be written; DV_ERR_ARGUMENT: an opaque value is not msgpack; statuses of
 * dvi_writer_write. */
dv_status dvi_datadings_encoder_put(dvi_datadings_encoder *encoder, dvi_datadings_output *output,
                                    dv_error *err);

/* A row and a column in an error: "row 17, column \"x\"". */
typedef struct dvi_datadings_location {
    char text[160];
} dvi_datadings_location;
dvi_datadings_location dvi_datadings_location_of(const dvi_datadings_plan *plan, int32_t column,
                                                 int64_t row);

/* datadings_damage.c: check a whole message that is copied, and its key: what dv_verify finds is a
 * loss. DV_OK, also for a loss that is allowed, which is reported; DV_ERR_LOSS; DV_ERR_STOPPED. */
dv_status dvi_datadings_check_copied(const dvi_saving *saving, int64_t row, dv_text key,
                                     dv_text message, dv_error *err);
/* If the view is a set and all of its messages were copied: compare their MD5 with the one that the
 * set lists. Statuses as above; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_datadings_check_whole(const dvi_saving *saving, const char *md5, dv_error *err);

/* Members of the format record. */
dv_status dvi_datadings_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err);
dv_status dvi_datadings_begin_save(dvi_saver **saver_out, const dvi_saving *saving,
                                   dvi_writer *writer, dv_error *err);

#endif
