/* SPDX-License-Identifier: MIT */
/* datadings_files_priv.h: the members of a set, and the functions that read its files. */
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

#define DVI_DATADINGS_WINDOW_NBYTES (INT64_C(1) << 20) /* bytes of a file read together */
#define DVI_DATADINGS_SAMPLED 16                       /* keys per offset that is kept */

/* The side files; NULL: missing. */
typedef struct dvi_datadings_maps {
    dvi_map *file[DVI_DATADINGS_FILES];
} dvi_datadings_maps;

/* The entries of .keys or .index, read on demand from the first one on. The lock of the set guards
 * all members except `map` and `is_legacy`; once all entries are read, they are constant. */
typedef struct dvi_datadings_list {
    dvi_map *map; /* a file of the set; NULL: keys are in the messages */
    bool is_legacy;
    atomic_bool is_read;  /* all entries are */
    int64_t row, at;      /* the first unread entry, and its offset */
    int64_t *key_offsets; /* of every DVI_DATADINGS_SAMPLEDth key */
    size_t key_offsets_cap;
} dvi_datadings_list;

/* Constant once opened, except what the lock guards. The table and the filter are made on demand,
 * published by an atomic, and constant from then on. */
struct dvi_datadings_set {
    dv_allocator allocator;
    dv_open_options options; /* its texts belong to the caller of open and are not used */
    dvi_map *data;           /* one reference, as of each of `maps` */
    dvi_datadings_maps maps; /* all NULL if scanned */
    int64_t rows;
    int64_t end; /* of the last sample, in D */
    bool is_scanned;

    pthread_mutex_t lock;
    dvi_datadings_list list;
    int64_t *starts; /* of samples, without .offsets: of all that were read */
    size_t starts_cap;

    pthread_mutex_t table_lock; /* taken before `lock` */
    dvi_key_table table;        /* of all keys, hashed with `salt`; valid if has_table */
    dvi_key_salt salt;
    dvi_bloom bloom;     /* this and `bits`: valid if has_filter */
    dvi_memory *filter;  /* holds the bits if the file is not mapped */
    const uint8_t *bits; /* of the filter */
    atomic_bool has_table, has_filter;
};

/* As dvi_datadings_set_open, with the side files already open. Takes them, also on failure. */
dv_status dvi_datadings_set_of_maps(dvi_datadings_set **set_out, dvi_map *data,
                                    dvi_datadings_maps *maps, const dv_open_options *options,
                                    bool scan, dv_error *err);

/* --- datadings_list.c: entries of .keys and .index -------------------------------------------- */

/* Read the head of the array or map in the file: the number of entries. DV_ERR_CORRUPT: rows 11,
 * 12, 42 of datadings:8. */
dv_status dvi_datadings_list_open(dvi_datadings_list *list, dvi_map *map, bool is_legacy,
                                  int64_t *rows_out, dv_error *err);
/* Read entries until `row` of them are read. The last entry must end at the end of the file. The
 * caller holds the lock. */
dv_status dvi_datadings_list_advance(dvi_datadings_set *set, int64_t row, dv_error *err);
/* As dvi_datadings_keys, for listed keys, which are in *span_out. The caller does not hold the
 * lock. */
dv_status dvi_datadings_list_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                                  dvi_memory **memory, dvi_span *span_out, dv_error *err);
/* The same after dvi_map_check of the list's map, which may be made for many calls. */
dv_status dvi_datadings_list_keys_unchecked(dvi_datadings_set *set, int64_t row, size_t n,
                                            dv_text *keys_out, dvi_memory **memory,
                                            dvi_span *span_out, dv_error *err);
/* Fetch into the cache what the keys of these rows need, if it is mapped; rows below 0 need none.
 */
void dvi_datadings_list_prefetch(dvi_datadings_set *set, const int64_t *rows, size_t n);

/* --- datadings_scan.c: sets without side files ------------------------------------------------ */

/* Read all messages of D: set starts, rows and end of the set. */
dv_status dvi_datadings_scan(dvi_datadings_set *set, dv_error *err);
/* As dvi_datadings_keys, for keys in messages. */
dv_status dvi_datadings_own_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                                 dvi_memory **memory, dv_error *err);

/* --- datadings_find.c, datadings_filter.c ----------------------------------------------------- */

/* Check the size of .key_hashes (row 8 of datadings:8). */
dv_status dvi_datadings_check_hashes(const dvi_datadings_set *set, dv_error *err);
/* Check the size, and the hashes of the first keys (row 10). */
dv_status dvi_datadings_compare_hashes(dvi_datadings_set *set, dv_error *err);
/* Check the header of .filter (rows 17 to 21). */
dv_status dvi_datadings_read_filter(const dvi_datadings_set *set, dvi_bloom *bloom_out,
                                    dv_error *err);
/* Look up a key in the filter. *may_out: false: the key is not in the set. */
dv_status dvi_datadings_query_filter(dvi_datadings_set *set, dvi_key_probe key, bool *may_out,
                                     dv_error *err);

#endif
