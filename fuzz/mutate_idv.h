/* SPDX-License-Identifier: MIT */
/* mutate_idv.h: a model of an .idv file whose parts can be changed one by one.
 *
 * A file is read into a model as far as it is valid (mutate_idv_read.c). Parts of the model are
 * changed (mutate_idv.c), with generated values (mutate_idv_make.c) or by changing one field of a
 * block (mutate_idv_tweak.c). Then the model is written as a file with correct offsets and lengths
 * (mutate_idv_write.c), so a mutation passes the checks that it would otherwise fail first. Section
 * numbers are those of docs/spec/idv.md. */
#ifndef DVT_MUTATE_IDV_H
#define DVT_MUTATE_IDV_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DVT_IDV_COLUMNS = 64,     /* most columns of a model */
    DVT_IDV_BLOCKS = 1024,    /* most blocks of a column */
    DVT_IDV_METADATA = 64,    /* most kinds of a column */
    DVT_IDV_RANK = 8,         /* most dims of a vector */
    DVT_IDV_CONTENT = 1 << 18 /* most bytes of a block */
};

/* Memory for one mutation, freed at once.  If it is used up, or if the bytes make no sense, a jump
 * ends the mutation. */
typedef struct dvt_pool {
    uint8_t *memory;
    size_t used, cap;
    jmp_buf give_up;
} dvt_pool;

/* Zeroed; never NULL. */
void *dvt_pool_take(dvt_pool *pool, size_t nbytes);
_Noreturn void dvt_pool_give_up(dvt_pool *pool);

/* A growing array of bytes; a copy of the struct shares them. */
typedef struct dvt_bytes {
    uint8_t *data;
    size_t n, cap;
} dvt_bytes;

void dvt_bytes_reserve(dvt_pool *pool, dvt_bytes *bytes, size_t cap);
void dvt_bytes_add(dvt_pool *pool, dvt_bytes *bytes, const void *data, size_t n);
/* width, here and below: 1 to 16 bytes; those from 8 on are zero */
void dvt_bytes_add_number(dvt_pool *pool, dvt_bytes *bytes, uint64_t value, size_t width);
void dvt_bytes_add_leb(dvt_pool *pool, dvt_bytes *bytes, uint64_t value);
/* Replace `out` bytes at `at` by n others. */
void dvt_bytes_splice(dvt_pool *pool, dvt_bytes *bytes, size_t at, size_t out, const void *data,
                      size_t n);
dvt_bytes dvt_bytes_copy(dvt_pool *pool, const void *data, size_t n);
dvt_bytes dvt_bytes_of(dvt_pool *pool, const char *text);
bool dvt_bytes_equal(dvt_bytes a, dvt_bytes b);
uint64_t dvt_number(const uint8_t *data, size_t width); /* little-endian */
void dvt_set_number(uint8_t *data, uint64_t value, size_t width);

/* Draws: every number depends on the seed. */
typedef struct dvt_draw {
    uint64_t state;
} dvt_draw;

uint64_t dvt_draw_bits(dvt_draw *draw);
size_t dvt_draw_below(dvt_draw *draw, size_t n); /* n >= 1 */
bool dvt_draw_one_in(dvt_draw *draw, size_t n);
/* A number near `old`, a limit, or any. */
uint64_t dvt_draw_number(dvt_draw *draw, uint64_t old, size_t width);

/* The layout of a block (idv:4, idv:5). */
typedef enum dvt_idv_shape {
    DVT_IDV_UNKNOWN,
    DVT_IDV_FIXED,
    DVT_IDV_TICKS, /* eight bytes in a range */
    DVT_IDV_ZONED,
    DVT_IDV_BITS,  /* Boolean */
    DVT_IDV_BITS2, /* DvBool */
    DVT_IDV_TEXT,
    DVT_IDV_KEY, /* Key, Key2 */
    DVT_IDV_VECTOR
} dvt_idv_shape;

typedef struct dvt_idv_name {
    const char *name;
    dvt_idv_shape shape;
    size_t width;
} dvt_idv_name;

extern const dvt_idv_name dvt_idv_names[];
extern const size_t dvt_idv_names_count;

/* A codec definition.  With `inner` it is a parsed VBuffer, Key or Key2; otherwise its parameters
 * are bytes. */
typedef struct dvt_idv_codec {
    dvt_bytes name, parameters;
    struct dvt_idv_codec *inner;
    int32_t rank, dims[DVT_IDV_RANK]; /* VBuffer */
    uint8_t contiguous;               /* Key */
    uint64_t min, count;              /* Key; Key2 has only the count */
} dvt_idv_codec;

dvt_idv_shape dvt_idv_shape_of(const dvt_idv_codec *codec, size_t *width_out);
bool dvt_idv_is_named(const dvt_idv_codec *codec, const char *name);
int64_t dvt_idv_size_of(const dvt_idv_codec *codec); /* slots of a VBuffer, 0: varies */

/* A block, inflated if possible. */
typedef struct dvt_idv_block {
    dvt_bytes content;
    bool is_stored; /* content is the stored form, and claims: */
    int32_t claimed_nbytes;
    int32_t rows;
    int32_t level; /* for deflate */
} dvt_idv_block;

typedef struct dvt_idv_metadata {
    dvt_bytes kind;
    dvt_idv_codec *codec;
    uint8_t compression;
    dvt_idv_block block;
} dvt_idv_metadata;

typedef struct dvt_idv_column {
    dvt_bytes name;
    dvt_idv_codec *codec;
    uint8_t compression;
    uint64_t rows_per_block;
    dvt_idv_block *blocks;
    size_t blocks_count;
    dvt_idv_metadata metadata[DVT_IDV_METADATA];
    size_t metadata_count;
    bool has_slot_names; /* 1.1.1.3: pairs of index and name */
    dvt_bytes slot_names;
    int32_t slot_names_count;
} dvt_idv_column;

/* The order of regions. */
typedef enum dvt_idv_order {
    DVT_IDV_USUAL, /* blocks of a row range together, lookups, metadata, columns */
    DVT_IDV_COLUMNS_FIRST,
    DVT_IDV_BACKWARDS,
    DVT_IDV_ORDERS
} dvt_idv_order;

typedef struct dvt_idv_model {
    dvt_pool *pool;
    uint64_t version, compatible;
    int64_t rows;
    dvt_idv_column *columns[DVT_IDV_COLUMNS];
    size_t columns_count;
    dvt_idv_order order;
    size_t gap;         /* bytes between regions */
    bool shares_blocks; /* equal blocks share an offset */
    dvt_bytes trailer;  /* after the tail signature */
} dvt_idv_model;

#define DVT_IDV_VERSION(minor) (UINT64_C(0x0001000100010000) + (minor))

/* The model of a file; gives up if its header or table cannot be read. */
dvt_idv_model *dvt_idv_read(dvt_pool *pool, const uint8_t *data, size_t n);

/* The offset of a number in a file, so that it can be changed on purpose. */
typedef struct dvt_idv_number {
    uint32_t at, width;
} dvt_idv_number;

enum { DVT_IDV_NUMBERS = 4096 };

typedef struct dvt_idv_file {
    dvt_bytes bytes;
    dvt_idv_number *numbers;
    size_t numbers_count;
} dvt_idv_file;

dvt_idv_file dvt_idv_write(const dvt_idv_model *model);

/* Generated parts: valid, except if a draw decides otherwise. */
dvt_idv_codec *dvt_idv_make_codec(dvt_pool *pool, dvt_draw *draw, bool may_be_vector);
dvt_bytes dvt_idv_make_name(dvt_pool *pool, dvt_draw *draw);
void dvt_idv_make_block(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec, size_t n,
                        dvt_idv_block *block);
dvt_idv_column *dvt_idv_make_column(const dvt_idv_model *model, dvt_draw *draw);
void dvt_idv_make_metadata(dvt_pool *pool, dvt_draw *draw, const dvt_idv_column *column,
                           dvt_idv_metadata *metadata);
/* Give every column the blocks that rows and rows_per_block require; blocks with the right number
 * of rows stay. */
void dvt_idv_fit_blocks(const dvt_idv_model *model, dvt_draw *draw, bool all_new);

/* Change one field of the content. */
void dvt_idv_tweak_block(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec,
                         dvt_idv_block *block);

/* Mutate a file of n bytes in place, up to `most`; or write a with a column of b to out, 0 bytes if
 * that is impossible.  Both return the size of the result. */
size_t dvt_idv_mutate(uint8_t *data, size_t n, size_t most, uint64_t seed);
size_t dvt_idv_cross(const uint8_t *a, size_t a_nbytes, const uint8_t *b, size_t b_nbytes,
                     uint8_t *out, size_t most, uint64_t seed);

/* Provided by libFuzzer or replay.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);

#endif
