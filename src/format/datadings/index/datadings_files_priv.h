/* SPDX-License-Identifier: MIT */
/* datadings_files_priv.h: what those who read the files of a set share. */
#ifndef DVI_DATADINGS_FILES_PRIV_H
#define DVI_DATADINGS_FILES_PRIV_H

#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "codec/bloom.h"
#include "codec/msgpack.h"
#include "format/datadings/index/datadings_files.h"
#include "format/datadings/index/datadings_index.h"
#include "format/datadings/index/datadings_table.h"
#include <pthread.h>
#include <stdatomic.h>

#define DVI_DATADINGS_WINDOW_NBYTES (INT64_C(1) << 20) /* bytes of a file looked at together */
#define DVI_DATADINGS_SAMPLED 64                       /* keys between two known places */

/* The files by name; NULL: not there. */
typedef struct dvi_datadings_maps {
    dvi_map *file[DVI_DATADINGS_FILES];
} dvi_datadings_maps;

/* The entries of .keys or .index, walked over as far as anybody asked.  The set's lock guards all
 * but `map` and `is_legacy`. */
typedef struct dvi_datadings_list {
    dvi_map *map; /* one of the set's, or NULL: keys are in the messages */
    bool is_legacy;
    int64_t row, at; /* the first entry that nobody walked over, and its place */
    int64_t *places; /* of every DVI_DATADINGS_SAMPLEDth key */
    size_t places_count, places_cap;
} dvi_datadings_list;

/* Unchanged once opened but for what the lock guards; what is made by need is published by an
 * atomic, and constant from then on. */
struct dvi_datadings_set {
    dv_allocator allocator;
    dv_open_options options; /* of which the texts are not to be used */
    dvi_map *data;           /* one reference, as all that follow */
    dvi_datadings_maps maps; /* nothing, when scanned */
    int64_t rows;
    int64_t end; /* of the last sample, in D */
    bool is_scanned;

    pthread_mutex_t lock;
    dvi_datadings_list list;
    int64_t *starts; /* of samples, without .offsets: of those that the list was walked over */
    size_t starts_count, starts_cap;

    pthread_mutex_t table_lock; /* taken before `lock` */
    dvi_key_table table;        /* of all keys, once has_table; `salt` is then its own */
    dvi_key_salt salt;
    dvi_bloom bloom;     /* once has_filter */
    dvi_memory *filter;  /* where it is not mapped */
    const uint8_t *bits; /* of the filter */
    atomic_bool has_table, has_filter;
};

/* As dvi_datadings_set_open, with the side files at hand; takes them all over, also when it fails.
 */
dv_status dvi_datadings_set_of_maps(dvi_datadings_set **set_out, dvi_map *data,
                                    dvi_datadings_maps *maps, const dv_open_options *options,
                                    bool scan, dv_error *err);

/* --- datadings_list.c: entries of .keys and .index -------------------------------------------- */

/* The head of the array or map that the file is: how many entries, and where the first lies.
 * DV_ERR_CORRUPT: rows 11, 12, 42 of datadings:8. */
dv_status dvi_datadings_list_open(dvi_datadings_list *list, dvi_map *map, bool is_legacy,
                                  int64_t *rows_out, dv_error *err);
/* Walk on, until `row` entries are after; where it is the last, until the end of the file.  Under
 * the lock. */
dv_status dvi_datadings_list_scan(dvi_datadings_set *set, int64_t row, dv_error *err);
/* As dvi_datadings_keys of listed ones; *span_out is where they lie.  Takes the lock itself. */
dv_status dvi_datadings_list_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                                  dvi_memory **memory, dvi_span *span_out, dv_error *err);

/* --- datadings_scan.c: messages, walked over -------------------------------------------------- */

/* Where all messages start, from D itself: the starts, rows and end of the set. */
dv_status dvi_datadings_scan(dvi_datadings_set *set, dv_error *err);
/* The str that the map at p has as `key`, NA when there is none.  false: not a map, and nothing
 * else. */
bool dvi_datadings_own_key(const uint8_t *p, size_t n, int32_t nesting, dv_text *key_out);
/* As dvi_datadings_keys of messages' own ones. */
dv_status dvi_datadings_own_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                                 dvi_memory **memory, dv_error *err);

/* --- datadings_find.c, datadings_filter.c ----------------------------------------------------- */

/* Is .key_hashes as long as it should be?  Row 8. */
dv_status dvi_datadings_check_hashes(const dvi_datadings_set *set, dv_error *err);
/* The same, and does it look like one of these keys?  Row 10, for the first few. */
dv_status dvi_datadings_compare_hashes(dvi_datadings_set *set, dv_error *err);
/* Is the head of .filter what it should be?  Rows 17 to 21. */
dv_status dvi_datadings_read_filter(const dvi_datadings_set *set, dvi_bloom *bloom_out,
                                    dv_error *err);
/* Could the key be in the set? */
dv_status dvi_datadings_ask_filter(dvi_datadings_set *set, dvi_key_probe key, bool *may_out,
                                   dv_error *err);

#endif
