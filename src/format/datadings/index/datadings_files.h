/* SPDX-License-Identifier: MIT */
/* datadings_files.h: which files stand beside the messages, and what do they tell of a sample?
 *
 * A set is the data file D and what is found as D.offsets, D.keys, D.key_hashes and D.filter, or as
 * the legacy D.index (datadings:1).  Where a sample lies comes from .offsets, else from .index,
 * else from a scan of D; keys come from .keys, else from .index, else from the messages themselves.
 * D in memory has no side files: it is always scanned.
 *
 * Opening costs the same for any number of samples, but for a scan; what a look-up needs is made by
 * the first of them.  All functions but close may be called from any thread at any time.  Errors
 * name the file that is wrong, and `rule` is "datadings:8.N", N the row of that table. */
#ifndef DVI_DATADINGS_FILES_H
#define DVI_DATADINGS_FILES_H

#include "io/map.h"
#include <dataview/own_view.h>

struct dv_facts;
struct dv_identity;
struct dv_save_options;
struct dv_verify_options;

typedef struct dvi_datadings_set dvi_datadings_set;

/* data     D, to which the set takes a reference
 * options  lenient: bytes of D after the last sample are let pass
 * scan     ask no side file: walk over the messages.  Without it a D whose samples no file lists is
 *          refused as incomplete
 *
 * DV_OK
 * DV_ERR_CORRUPT  rows 1, 4, 5, 7, 11, 12, 42 of datadings:8; incomplete; what a scan met
 * DV_ERR_IO       a side file that cannot be read (a directory, a pipe); or D was replaced
 * meanwhile DV_ERR_LIMIT    what a scan met: `nesting`, `message_nbytes` DV_ERR_MEMORY
 */
dv_status dvi_datadings_set_open(dvi_datadings_set **set_out, dvi_map *data,
                                 const dv_open_options *options, bool scan, dv_error *err);
void dvi_datadings_set_close(dvi_datadings_set **set); /* sets NULL; NULL is fine */

int64_t dvi_datadings_rows(const dvi_datadings_set *set);

/* Add the files that tell samples, their places and their keys.  DV_OK; DV_ERR_IO, DV_ERR_MEMORY.
 */
dv_status dvi_datadings_identify_files(const dvi_datadings_set *set, struct dv_identity *identity,
                                       dv_error *err);

/* Where do n samples lie, from `row` on (row + n <= rows)?  Sample row + i is the bytes
 * offsets_out[i]..offsets_out[i + 1]-1 of D, at least one of them: n + 1 numbers, checked.
 * memory: scratch as for dvi_map_span, used where files are not mapped.
 * DV_OK; DV_ERR_CORRUPT: rows 2, 3, 6 of datadings:8; DV_ERR_LIMIT: message_nbytes; DV_ERR_IO,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_offsets(dvi_datadings_set *set, int64_t row, size_t n, int64_t *offsets_out,
                                dvi_memory **memory, dv_error *err);

/* The keys of n samples from `row` on, valid UTF-8.  They lie in the mapped file, or in *memory,
 * and are good until that is used again.  NA (nbytes -1): only when scanned, of a message that has
 * no str `key`.
 * DV_OK; DV_ERR_CORRUPT: rows 13, 14, 16, 42 of datadings:8; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_datadings_keys(dvi_datadings_set *set, int64_t row, size_t n, dv_text *keys_out,
                             dvi_memory **memory, dv_error *err);

/* One key, and one message, with a reference of the caller's: see dv_datadings_key.
 * As above; DV_NOT_FOUND: the key is NA. */
dv_status dvi_datadings_key(dvi_datadings_set *set, int64_t row, dv_buffer *key_out, dv_error *err);
dv_status dvi_datadings_message(dvi_datadings_set *set, int64_t row, dv_buffer *message_out,
                                dv_error *err);

/* In which row is this key?  By its hash, of which the first call makes a table: 17 bytes for each
 * sample.  Without .key_hashes keys are hashed.  confirm: compare the key's text too.
 * DV_OK; DV_NOT_FOUND; DV_ERR_CORRUPT: rows 8, 9, 10 of datadings:8, those of keys; DV_ERR_IO,
 * DV_ERR_MEMORY. */
dv_status dvi_datadings_find(dvi_datadings_set *set, dv_text key, bool confirm, int64_t *row_out,
                             dv_error *err);

/* In which rows are n keys?  -1: in none, as rows_out has to be before. */
dv_status dvi_datadings_find_many(dvi_datadings_set *set, const dv_text *keys, size_t n,
                                  bool confirm, int64_t *rows_out, dv_error *err);

/* The same, but the filter, where there is one, is asked first, and its no is the answer: most keys
 * that are not in the set then cost no table.  DV_ERR_CORRUPT also: rows 17 to 21 of datadings:8.
 */
dv_status dvi_datadings_contains(dvi_datadings_set *set, dv_text key, bool confirm, bool *does_out,
                                 dv_error *err);

/* Make the files beside D anew: see dv_datadings_index. */
dv_status dvi_datadings_rebuild(dvi_datadings_set *set, const struct dv_save_options *options,
                                dv_error *err);

/* What dv_inspect tells of the files beside D: version, sizes, and what is missing or of another
 * set.  What dv_verify tells of all files and messages: rows 1 to 34, 42 and 43 of datadings:8,
 * whatever is wrong; strict: messages as the option has it.  As the functions of dv_view_class. */
dv_status dvi_datadings_inspect_files(dvi_datadings_set *set, struct dv_facts *facts,
                                      dv_error *err);
dv_status dvi_datadings_verify_files(dvi_datadings_set *set, bool strict,
                                     const struct dv_verify_options *options, dv_error *err);

#endif
