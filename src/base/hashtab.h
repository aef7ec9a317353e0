/* SPDX-License-Identifier: MIT */
/* hashtab.h: a hash table from texts to numbers. */
#ifndef DVI_BASE_HASHTAB_H
#define DVI_BASE_HASHTAB_H

#include <dataview/buffer.h>
#include <dataview/type.h>

typedef struct dvi_hashtab_slot dvi_hashtab_slot;

/* Numbers are >= 0. Keys are borrowed: they must outlive the table. The hash is seeded per table,
 * with its first key, so that no file can be prepared whose names collide. Any number of threads
 * may read. */
typedef struct dvi_hashtab {
    dv_allocator allocator;
    dvi_hashtab_slot *slots;
    size_t cap, used; /* cap is a power of two, or 0 */
    uint64_t seed;
} dvi_hashtab;

void dvi_hashtab_init(dvi_hashtab *table, const dv_allocator *allocator);
void dvi_hashtab_free(dvi_hashtab *table);

/* Set the number of a key. *before_out: its previous number; -1: the key is new. DV_OK;
 * DV_ERR_MEMORY: the table did not change. */
dv_status dvi_hashtab_put(dvi_hashtab *table, dv_text key, int32_t number, int32_t *before_out,
                          dv_error *err);
int32_t dvi_hashtab_get(const dvi_hashtab *table, dv_text key); /* -1: not found */

/* The hash of a text, which texts keep that are in several tables.  The seed is drawn once per
 * process, so no file can be prepared whose texts collide.  Any thread. */
uint32_t dvi_text_hash(dv_text text);

#endif
