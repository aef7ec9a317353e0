/* SPDX-License-Identifier: MIT */
/* idv_save_priv.h: types and functions that the files of the saver share. */
#ifndef DVI_IDV_SAVE_PRIV_H
#define DVI_IDV_SAVE_PRIV_H

#include "format/idv/read/idv_priv.h"
#include "format/idv/save/row_queue.h"
#include "save/save.h"

/* --- idv_save_codec.c: codecs of types (idv:4) --- */

/* What the file's readers understand, and which losses are allowed. */
typedef struct dvi_idv_dialect {
    uint64_t version;     /* of the file and of the oldest reader */
    bool old_keys;        /* codec Key for every key, not only those without a count */
    bool two_bits;        /* Booleans as DvBool */
    bool na_may_be_false; /* if Booleans have one bit, NA is written as false */
} dvi_idv_dialect;

/* The codec of a type; its dims are those of the type. Returns NULL, or why the type has none:
 * static text. */
const char *dvi_idv_choose_codec(const dvi_idv_dialect *dialect, const dv_type *type,
                                 dvi_idv_codec *codec_out);

/* The same for a column, whose metadata can say that vectors of bytes are BY (idv:5.9). */
const char *dvi_idv_choose_column_codec(const dvi_idv_dialect *dialect, const dv_type *type,
                                        dvi_idv_codec *codec_out);

/* Are metadata of this kind written by the saver, for a column of this type? */
bool dvi_idv_is_mark(const dv_type *column, dv_text kind);

/* Write the definition to dst unless it is NULL. Returns its length. */
size_t dvi_idv_store_codec(const dvi_idv_dialect *dialect, const dvi_idv_codec *codec,
                           uint8_t *dst);
/* The same for a leb64 and a str (idv:1). */
size_t dvi_idv_store_leb(uint64_t value, uint8_t *dst);
size_t dvi_idv_store_str(dv_text text, uint8_t *dst);

/* --- idv_encode*.c: the bytes of a block (idv:5) ---------------------------------------------- */

/* A block is a list of fragments: bytes of the batch if it holds them in the block's form, else
 * bytes of the encoder's memory. */
#define DVI_IDV_FRAGMENTS 12

typedef struct dvi_idv_fragment {
    const void *data;
    size_t nbytes;
} dvi_idv_fragment;

typedef struct dvi_idv_encoded {
    dvi_idv_fragment fragments[DVI_IDV_FRAGMENTS];
    int32_t count;
    int64_t nbytes;              /* of all fragments */
    int64_t widest;              /* where the widest array starts: values, ticks, or ends of text */
    uint8_t small[32];           /* numbers between the arrays */
    size_t small_nbytes;         /* bytes used in `small` */
    dvi_memory *shape, *decoded; /* arrays of a vector; arrays of its items or of the values */
} dvi_idv_encoded;

void dvi_idv_encoded_free(dvi_idv_encoded *encoded);

/* The column or metadata whose values are encoded, for errors. */
typedef struct dvi_idv_source {
    const dvi_idv_dialect *dialect;
    const dv_allocator *allocator;
    dv_text column;    /* its name, for errors */
    int64_t first_row; /* number of the first row; -1: metadata, which has no rows */
} dvi_idv_source;

/* Encode the rows of a column, and replace what `encoded` held. The fragments live as long as the
 * view and the struct.
 *
 * DV_OK
 *
 * DV_ERR_LOSS: NA that the codec does not have; err names row and column.
 *
 * DV_ERR_LIMIT: rule rows_per_block; more than 2^31-1 bytes or items.
 *
 * DV_ERR_ARGUMENT: the view breaks a promise of batch.h: text that is not UTF-8, indices that do
 * not rise.
 *
 * DV_ERR_MEMORY */
dv_status dvi_idv_encode(const dvi_idv_source *source, const dvi_idv_codec *codec,
                         const dv_column_view *view, dvi_idv_encoded *encoded, dv_error *err);

/* --- For the idv_encode*.c files --- */

typedef struct dvi_idv_encoder {
    const dvi_idv_source *source;
    const dv_column_view *view; /* the column */
    dvi_idv_encoded *out;
} dvi_idv_encoder;

void dvi_idv_append_fragment(dvi_idv_encoded *out, const void *data, size_t nbytes);
void dvi_idv_append_i32(dvi_idv_encoded *out, int32_t value);
/* Fail for a row of the column, or for the row that holds item i. detail: what was expected and
 * found, divided by '|'. */
dv_status dvi_idv_fail_row(const dvi_idv_encoder *e, int64_t row, dv_status status,
                           const char *rule, const char *detail, dv_error *err);
dv_status dvi_idv_fail_item(const dvi_idv_encoder *e, int64_t i, dv_status status, const char *rule,
                            const char *detail, dv_error *err);
/* Reserve memory for arrays that have to be rewritten. */
dv_status dvi_idv_reserve_decoded(const dvi_idv_encoder *e, size_t nbytes, uint8_t **memory_out,
                                  dv_error *err);
dv_status dvi_idv_encode_scalars(const dvi_idv_encoder *e, const dvi_idv_codec *codec,
                                 const dv_column_view *items, dv_error *err);
dv_status dvi_idv_encode_text(const dvi_idv_encoder *e, const dv_column_view *items, dv_error *err);
dv_status dvi_idv_encode_byte_strings(const dvi_idv_encoder *e, const dv_column_view *items,
                                      dv_error *err);
dv_status dvi_idv_encode_vectors(const dvi_idv_encoder *e, const dvi_idv_codec *codec,
                                 dv_error *err);

/* --- idv_save_plan.c: rows per block --- */

/* Limits of a block, for all columns together. */
typedef struct dvi_idv_limits {
    int64_t rows, nbytes;
} dvi_idv_limits;

/* Finds the rows per block: as many of the first rows as the limits allow, at least 1. */
typedef struct dvi_idv_planner {
    dvi_idv_limits limits;
    int64_t least, each; /* bytes of the blocks without rows, and of each row of fixed size */
    int64_t bits, pairs; /* columns of Booleans of one bit, and of two bits */
    int64_t varying;     /* bytes of the texts and vectors counted so far */
    const dvi_idv_codec *codecs;
    int32_t *columns, n; /* the columns of a batch whose rows have to be read: texts and vectors */
    int64_t rows;        /* the rows read so far; once is_done: the rows per block */
    bool is_done;
} dvi_idv_planner;

/* It is done at once if no rows have to be read. codecs: of the n columns of each batch; they
 * outlive the planner. The caller frees `columns`, n of them, also after a failure. DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_idv_planner_open(dvi_idv_planner *planner, const dvi_idv_limits *limits,
                               const dvi_idv_codec *codecs, int32_t n,
                               const dv_allocator *allocator, dv_error *err);
/* Add the next rows; there are no more. */
void dvi_idv_planner_add(dvi_idv_planner *planner, const dv_batch *batch);
void dvi_idv_planner_end(dvi_idv_planner *planner);

/* --- idv_save.c, idv_save_blocks.c, idv_save_tables.c: the file, from start to end --- */

/* An entry of a lookup table (idv:3.2). */
typedef struct dvi_idv_entry {
    int64_t offset;
    int32_t stored, inflated;
} dvi_idv_entry;

/* A file being written. */
typedef struct dvi_idv_saver {
    dvi_saver base;
    const dvi_saving *saving;
    dvi_writer *writer;
    dvi_idv_dialect dialect;
    dvi_idv_compression compression; /* of blocks, and of metadata that compression makes smaller */
    int level;
    int32_t columns_count;
    int32_t *columns;      /* columns of the schema that are written */
    dvi_idv_codec *codecs; /* their codecs */
    const dv_type **types; /* and types */
    dvi_idv_planner planner;
    dvi_row_queue queue;               /* rows that do not fill a block yet */
    struct dvi_idv_pipeline *pipeline; /* NULL: no columns */
    int64_t rpb, rows, blocks;         /* rows per block; rows and blocks written so far */
    dvi_idv_entry *entries;            /* of block b of column k: number b * columns_count + k */
    size_t entries_cap;
} dvi_idv_saver;

/* Write zeros so that the widest array of the stored block that follows is aligned (idv:5.8). */
dv_status dvi_idv_align(const dvi_idv_saver *saver, const dvi_idv_encoded *block, dv_error *err);
/* Write the bytes of a block. */
dv_status dvi_idv_write_fragments(const dvi_idv_saver *saver, const dvi_idv_encoded *block,
                                  dv_error *err);
/* The bytes of a block as one run: its only fragment, or a copy in *memory. */
dv_status dvi_idv_join(const dvi_idv_encoded *block, const dv_allocator *allocator,
                       dvi_memory **memory, const void **bytes_out, dv_error *err);

/* Writes blocks, some of which are in the making. Open it for at least one column; it sets the
 * threads of the saver's cursor. Closing drops blocks that are not written; NULL is fine. */
typedef struct dvi_idv_pipeline dvi_idv_pipeline;
dv_status dvi_idv_pipeline_open(dvi_idv_pipeline **pipeline_out, dvi_idv_saver *saver,
                                dv_error *err);
void dvi_idv_pipeline_close(dvi_idv_pipeline **pipeline);
/* Make a block of each column of a batch, whose reference is taken, and perhaps write earlier ones.
 */
dv_status dvi_idv_pipeline_put(dvi_idv_pipeline *pipeline, const dv_batch *batch, dv_error *err);
/* Report the rows that were last reported, while more are gathered for a block. DV_OK;
 * DV_ERR_STOPPED. */
dv_status dvi_idv_pipeline_report(dvi_idv_pipeline *pipeline, dv_error *err);
/* Write all blocks that are in the making. */
dv_status dvi_idv_pipeline_drain(dvi_idv_pipeline *pipeline, dv_error *err);
/* Write what follows the blocks, and the header (idv:2, idv:7.4). */
dv_status dvi_idv_write_tables(const dvi_idv_saver *saver, dv_error *err);

dv_status dvi_idv_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err);
dv_status dvi_idv_begin_save(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                             dv_error *err);

#endif
