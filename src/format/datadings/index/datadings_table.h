/* SPDX-License-Identifier: MIT */
/* datadings_table.h: which row has a key of this hash? */
#ifndef DVI_DATADINGS_TABLE_H
#define DVI_DATADINGS_TABLE_H

#include <dataview/buffer.h>

/* 2^32-1 rows at most, as many as a .keys can have. */
#define DVI_DATADINGS_ROWS_MAX INT64_C(0xFFFFFFFF)

/* A line of the cache: slots that are taken from the first one on. */
#define DVI_KEY_SLOTS 5
typedef struct dvi_key_line {
    uint32_t low[DVI_KEY_SLOTS], high[DVI_KEY_SLOTS]; /* halves of the hash */
    uint32_t row[DVI_KEY_SLOTS];                      /* and one more; 0: free */
    uint32_t unused;
} dvi_key_line;

/* Hash -> row.  At most three slots of four are taken, so nine look-ups of ten touch one line.  To
 * which line a hash belongs depends on a seed, so that nobody can write a file whose hashes all
 * meet.  Reading is safe from any thread. */
typedef struct dvi_key_table {
    dv_allocator allocator;
    dvi_key_line *lines;
    size_t count; /* of lines */
    size_t used;  /* of their slots */
    uint64_t seed;
} dvi_key_table;

void dvi_key_table_init(dvi_key_table *table, const dv_allocator *allocator);
void dvi_key_table_free(dvi_key_table *table);

/* Room for n rows in all.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_key_table_reserve(dvi_key_table *table, size_t n, dv_error *err);
/* How many rows that is. */
static inline size_t dvi_key_table_room(const dvi_key_table *table)
{
    return table->count / 4 * (3 * DVI_KEY_SLOTS);
}
/* Forget all rows, but not the room. */
void dvi_key_table_clear(dvi_key_table *table);

/* Add a row, for which there is room.  -1; or the row that has this hash already: nothing changes.
 */
int64_t dvi_key_table_put(dvi_key_table *table, uint64_t hash, int64_t row);
int64_t dvi_key_table_get(const dvi_key_table *table, uint64_t hash); /* -1: none */
/* Look-ups of this hash will follow. */
void dvi_key_table_fetch(const dvi_key_table *table, uint64_t hash);

#endif
