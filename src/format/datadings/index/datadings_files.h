/* SPDX-License-Identifier: MIT */
/* datadings_files.h: a data file with its side files: offsets, keys and look-ups of samples.
 *
 * A set is the data file D with D.offsets, D.keys, D.key_hashes and D.filter, or with the legacy
 * D.index (datadings:1). Offsets of samples come from .offsets, else from .index, else from a scan
 * of D. Keys come from .keys, else from .index, else from the messages. D in memory has no side
 * files and is always scanned.
 *
 * Opening takes the same time for any number of samples, except with a scan. The first look-up
 * makes the table of keys. All functions except close may be called from any thread. Errors name
 * the file with the defect; their `rule` is "datadings:8.N", N the row of that table. */
#ifndef DVI_DATADINGS_FILES_H
#define DVI_DATADINGS_FILES_H

#include "io/map.h"
#include "codec/key_hash.h"
#include <dataview/own_view.h>

struct dv_facts;
struct dv_identity;
struct dv_save_options;
struct dv_verify_options;

typedef struct dvi_datadings_set dvi_datadings_set;

/* data     D, to which the set takes a reference
 * options  lenient: bytes of D after the last sample are ignored
 * scan     ignore side files and read all messages; without it a set whose offsets or keys are
 *          missing is refused as incomplete
 *
 * DV_OK
 * DV_ERR_CORRUPT  rows 1, 4, 5, 7, 11, 12, 42 of datadings:8; an incomplete set; a defect found by
 *                 the scan
 * DV_ERR_IO       a side file cannot be read (a directory, a pipe), or D was replaced
 * DV_ERR_LIMIT    `nesting` or `message_nbytes`, found by the scan
 * DV_ERR_MEMORY */
dv_status dvi_datadings_set_open(dvi_datadings_set **set_out, dvi_map *data,
                                 const dv_open_options *options, bool scan, dv_error *err);
void dvi_datadings_set_close(dvi_datadings_set **set); /* sets NULL; NULL is fine */

int64_t dvi_datadings_rows(const dvi_datadings_set *set);

/* Add the files that determine offsets, keys and messages. DV_OK; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_datadings_identify_files(const dvi_datadings_set *set, struct dv_identity *identity,
                                       dv_error *err);

/* The offsets of n samples from `row` on (row + n <= rows), checked. Sample row + i is the bytes
 * offsets_out[i]..offsets_out[i + 1]-1 of D, at least one; offsets_out has n + 1 numbers.
 * memory: scratch as for dvi_map_span, for files that are not mapped.
 * DV_OK; DV_ERR_CORRUPT: rows 2, 3, 6 of datadings:8; DV_ERR_LIMIT: message_nbytes; DV_ERR_IO,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_offsets(dvi_datadings_set *set, int64_t row, size_t n, int64_t *offsets_out,
                                dvi_memory **memory, dv_error *err);

/* Does a file list the keys? Not of a scanned set. */
bool dvi_datadings_lists_keys(const dvi_datadings_set *set);
/* The keys of n samples from `row` on, valid UTF-8. They are in the mapped file or in *memory, and
 * valid until *memory is used again. NA (nbytes -1): only with a scan, if the message has no str
 * `key`.
 * DV_OK; DV_ERR_CORRUPT: rows 13, 14, 16, 42 of datadings:8; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_datadings_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                             dvi_memory **memory, dv_error *err);

/* One key, or one message, with a reference for the caller: see dv_datadings_key. Statuses as for
 * dvi_datadings_keys and dvi_datadings_offsets; DV_NOT_FOUND: the key is NA. */
dv_status dvi_datadings_key(dvi_datadings_set *set, int64_t row, dv_buffer *key_out, dv_error *err);
dv_status dvi_datadings_message(dvi_datadings_set *set, int64_t row, dv_buffer *message_out,
                                dv_error *err);

/* Find the row of a key by its hash. The first call makes a table of all hashes, 17 bytes per
 * sample; without .key_hashes it hashes the keys. confirm: the row must have this key, too; another
 * one with the same hash is DV_NOT_FOUND, one with another hash DV_ERR_CORRUPT.
 * DV_OK; DV_NOT_FOUND; DV_ERR_CORRUPT: rows 8, 9, 10 of datadings:8, and those of
 * dvi_datadings_keys; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_datadings_find(dvi_datadings_set *set, dv_text key, bool confirm, int64_t *row_out,
                             dv_error *err);

/* A key and its hash, which is the same in all sets with this salt. Start from {.key = key}. */
typedef struct dvi_datadings_sought {
    dv_text key;
    bool is_hashed;
    dvi_key_salt salt;
    dvi_key_probe probe;
} dvi_datadings_sought;

/* The same in one of several sets: as long as it has no table, its filter is asked first, so that
 * only sets that have a key make one. Without a sound filter it makes one. */
dv_status dvi_datadings_find_among(dvi_datadings_set *set, dvi_datadings_sought *sought,
                                   bool confirm, int64_t *row_out, dv_error *err);

/* Find the rows of n keys; -1: not found. The caller sets rows_out to -1 before. */
dv_status dvi_datadings_find_many(dvi_datadings_set *set, const dv_text *keys, size_t n,
                                  bool confirm, int64_t *rows_out, dv_error *err);

/* Is the key in the set? The filter is read first if the set has one: for most keys that are not in
 * the set it suffices, and no table is made. DV_ERR_CORRUPT: also rows 17 to 21 of datadings:8. */
dv_status dvi_datadings_contains(dvi_datadings_set *set, dv_text key, bool confirm, bool *does_out,
                                 dv_error *err);

/* The MD5 of D as .md5 lists it, as 32 digits and a NUL; "": it lists none. DV_OK; DV_ERR_IO,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_listed_md5(const dvi_datadings_set *set, char digits_out[33],
                                   dv_error *err);
/* Are the bytes of D its samples and nothing else? */
bool dvi_datadings_is_all_samples(const dvi_datadings_set *set);

/* Write the side files again: see dv_datadings_index. */
dv_status dvi_datadings_rebuild(dvi_datadings_set *set, const struct dv_save_options *options,
                                dv_error *err);

/* Add the facts about the side files: version, sizes, and warnings about missing files and files of
 * another set. Report the defects of all files and messages: rows 1 to 34, 42 and 43 of
 * datadings:8; strict: as the option. Members of dv_view_class, for a set. */
dv_status dvi_datadings_inspect_files(dvi_datadings_set *set, struct dv_facts *facts,
                                      dv_error *err);
dv_status dvi_datadings_verify_files(dvi_datadings_set *set, bool strict,
                                     const struct dv_verify_options *options, dv_error *err);

#endif
