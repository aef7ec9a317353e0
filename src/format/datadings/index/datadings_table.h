/* SPDX-License-Identifier: MIT */
/* datadings_table.h: a hash table from hashes of keys to rows. */
#ifndef DVI_DATADINGS_TABLE_H
#define DVI_DATADINGS_TABLE_H

#include <dataview/buffer.h>

/* The most rows, which is the most that .keys can list. */
#define DVI_DATADINGS_ROWS_MAX INT64_C(0xFFFFFFFF)

/* A bucket of one cache line. Its slots fill from the first one on. */
#define DVI_KEY_SLOTS 5
typedef struct dvi_key_line {
    uint32_t low[DVI_KEY_SLOTS], high[DVI_KEY_SLOTS]; /* halves of the hash */
    uint32_t row[DVI_KEY_SLOTS];                      /* plus one; 0: free */
    uint32_t unused;
} dvi_key_line;

/* At most three quarters of the slots are used: nine of ten look-ups read one line. The line of a
 * hash depends on a random seed, so that no file can be made whose hashes all collide. Any number
 * of threads may read the table. */
typedef struct dvi_key_table {
    dv_allocator allocator;
    dvi_key_line *lines;
    size_t count; /* of lines */
    size_t used;  /* of their slots */
    uint64_t seed;
} dvi_key_table;

void dvi_key_table_init(dvi_key_table *table, const dv_allocator *allocator);
void dvi_key_table_free(dvi_key_table *table);

/* Reserve memory for n rows in all. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_key_table_reserve(dvi_key_table *table, size_t n, dv_error *err);
/* The number of rows for which memory is reserved. */
static inline size_t dvi_key_table_room(const dvi_key_table *table)
{
    return table->count / 4 * (3 * DVI_KEY_SLOTS);
}
/* Remove all rows; keep the memory. */
void dvi_key_table_clear(dvi_key_table *table);

/* Add a row, for which memory is reserved, and return -1. If a row has this hash, return that row
 * and add nothing. */
int64_t dvi_key_table_put(dvi_key_table *table, uint64_t hash, int64_t row);
int64_t dvi_key_table_get(const dvi_key_table *table, uint64_t hash); /* -1: none */
/* Prefetch the line of a hash. */
void dvi_key_table_prefetch(const dvi_key_table *table, uint64_t hash);

#endif
