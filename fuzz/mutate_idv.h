/* SPDX-License-Identifier: MIT */
/* mutate_idv.h: which parts does an .idv file have, when one wants to change a single one of them?
 *
 * A file is read into a model as far as it makes sense (mutate_idv_read.c), parts of the model are
 * changed (mutate_idv.c) with values made up (mutate_idv_make.c) or with one field of a block
 * bent (mutate_idv_tweak.c), and the model is written as a file whose offsets and lengths are true
 * again (mutate_idv_write.c).  So a mutation reaches the rule behind the checks it would otherwise
 * fail first.  Section numbers are those of idv.md. */
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

/* Memory for one mutation, all given back at once.  When it is used up, or when the bytes make no
 * sense, the work ends by a jump. */
typedef struct dvt_pool {
    uint8_t *memory;
    size_t used, cap;
    jmp_buf give_up;
} dvt_pool;

/* Zeroed; never NULL. */
void *dvt_pool_take(dvt_pool *pool, size_t nbytes);
_Noreturn void dvt_pool_give_up(dvt_pool *pool);

/* Bytes that grow; a copy of the struct shares them. */
typedef struct dvt_bytes {
    uint8_t *data;
    size_t n, cap;
} dvt_bytes;

void dvt_bytes_reserve(dvt_pool *pool, dvt_bytes *bytes, size_t cap);
void dvt_bytes_add(dvt_pool *pool, dvt_bytes *bytes, const void *data, size_t n);
/* width, here and below: 1..16 bytes, those from 8 on being zero */
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

/* Draws: every number follows from the seed. */
typedef struct dvt_draw {
    uint64_t state;
} dvt_draw;

uint64_t dvt_draw_bits(dvt_draw *draw);
size_t dvt_draw_below(dvt_draw *draw, size_t n); /* n >= 1 */
bool dvt_draw_one_in(dvt_draw *draw, size_t n);
/* A number near `old`, at an edge, or any. */
uint64_t dvt_draw_number(dvt_draw *draw, uint64_t old, size_t width);

/* What a block of a codec looks like (idv.md 4, 5). */
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

/* A codec definition.  With `inner` it is VBuffer, Key or Key2, taken apart; otherwise its
 * parameters are bytes. */
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

/* A block, inflated when it could be. */
typedef struct dvt_idv_block {
    dvt_bytes content;
    bool is_stored; /* content is the stored form itself, and claims: */
    int32_t claimed_nbytes;
    int32_t rows;
    int32_t level; /* to deflate with */
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

/* How regions follow each other. */
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
    bool shares_blocks; /* equal blocks lie at one place */
    dvt_bytes trailer;  /* behind the tail signature */
} dvt_idv_model;

#define DVT_IDV_VERSION(minor) (UINT64_C(0x0001000100010000) + (minor))

/* The model of a file; gives up when there is no header or table that could be read. */
dvt_idv_model *dvt_idv_read(dvt_pool *pool, const uint8_t *data, size_t n);

/* Where a file holds a number, so that it can be broken on purpose. */
typedef struct dvt_idv_place {
    uint32_t at, width;
} dvt_idv_place;

enum { DVT_IDV_PLACES = 4096 };

typedef struct dvt_idv_file {
    dvt_bytes bytes;
    dvt_idv_place *places;
    size_t places_count;
} dvt_idv_file;

dvt_idv_file dvt_idv_write(const dvt_idv_model *model);

/* Things made up: valid, unless a draw decides otherwise now and then. */
dvt_idv_codec *dvt_idv_make_codec(dvt_pool *pool, dvt_draw *draw, bool may_be_vector);
dvt_bytes dvt_idv_make_name(dvt_pool *pool, dvt_draw *draw);
void dvt_idv_make_block(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec, size_t n,
                        dvt_idv_block *block);
dvt_idv_column *dvt_idv_make_column(const dvt_idv_model *model, dvt_draw *draw);
void dvt_idv_make_metadata(dvt_pool *pool, dvt_draw *draw, const dvt_idv_column *column,
                           dvt_idv_metadata *metadata);
/* Give every column as many blocks, of as many rows, as rows and rows_per_block ask for; blocks
 * that have them already stay. */
void dvt_idv_fit_blocks(const dvt_idv_model *model, dvt_draw *draw, bool all_new);

/* Bend one field of the content. */
void dvt_idv_tweak_block(dvt_pool *pool, dvt_draw *draw, const dvt_idv_codec *codec,
                         dvt_idv_block *block);

/* A mutation of a file of n bytes in place, up to `most`; and a with a column of b in out, 0 bytes
 * when that cannot be.  Both return the bytes of the result. */
size_t dvt_idv_mutate(uint8_t *data, size_t n, size_t most, uint64_t seed);
size_t dvt_idv_cross(const uint8_t *a, size_t a_nbytes, const uint8_t *b, size_t b_nbytes,
                     uint8_t *out, size_t most, uint64_t seed);

/* What libFuzzer, or replay.c, offers. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);

#endif
