/* SPDX-License-Identifier: MIT */
/* datadings.h: which sample has this key, and which bytes are its message?
 *
 * For views that dv_open made of a datadings file, whatever columns they show; any other view, also
 * one made from such a view, is DV_ERR_ARGUMENT.  Any thread, at any time. */
#ifndef DATAVIEW_DATADINGS_H
#define DATAVIEW_DATADINGS_H

#include <dataview/buffer.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In which row is the sample of this key?  Keys are bytes: no case, no normal form.
 *
 * By the hashes beside the file, of which the first call makes a table of 17 bytes for each sample;
 * where there is no .key_hashes it hashes all keys, and where no file lists these either, the `key`
 * of each message.  The key's own text is compared only with the option `confirm`: two keys of one
 * hash, of 64 bits, do not meet by chance.
 *
 * DV_OK
 * DV_NOT_FOUND     no sample has it; *row_out is -1, as after every failure
 * DV_ERR_CORRUPT   the files do not belong together, or one of them is damaged
 * DV_ERR_IO, DV_ERR_MEMORY, DV_ERR_UNSUPPORTED (keys that no salt tells apart)
 */
DV_API dv_status dv_datadings_find(dv_view *view, dv_text key, int64_t *row_out, dv_error *err);

/* The same of n keys: rows_out[i] is the row of keys[i], -1 where no sample has it; all are -1
 * after a failure.  Some hundred keys cost a third of what they cost one by one.  DV_OK, also where
 * keys are missing, and the statuses of failure above. */
DV_API dv_status dv_datadings_find_many(dv_view *view, const dv_text *keys, size_t n,
                                        int64_t *rows_out, dv_error *err);

/* Has any sample this key?  As dv_datadings_find, but the filter beside the file is asked first:
 * its no needs no table.  DV_OK, and the statuses of failure above. */
DV_API dv_status dv_datadings_contains(dv_view *view, dv_text key, bool *does_out, dv_error *err);

/* The key of a row, valid UTF-8, and the message of a row, which is not looked into.
 *
 * The bytes are the mapped file itself where that can be, else a copy: *key_out and *message_out
 * tell, and hold a reference of the caller's, to be given back with dv_buffer_release; until then
 * they are good, also after the view is released.  They are empty after a failure.
 *
 * DV_OK
 * DV_NOT_FOUND     (a key) no file lists keys, and the message has none
 * DV_ERR_ARGUMENT  there is no such row
 * DV_ERR_LIMIT     (a message) it is longer than message_nbytes
 * DV_ERR_CORRUPT, DV_ERR_IO, DV_ERR_MEMORY
 */
DV_API dv_status dv_datadings_key(dv_view *view, int64_t row, dv_buffer *key_out, dv_error *err);
DV_API dv_status dv_datadings_message(dv_view *view, int64_t row, dv_buffer *message_out,
                                      dv_error *err);

/* Make the files beside the view's file anew: .offsets, .keys, .key_hashes, .filter and .md5, as a
 * save would.  Places and keys are those that the view goes by: of the legacy .index, which stays
 * (and gets a line in .md5); of .offsets and .keys, when others are missing; or, with the option
 * `scan`, of the messages themselves, whatever else is there, and then an .index goes.
 *
 * options  of which `sync` and `progress` count; may be NULL
 *
 * The view's file is read, for its MD5, and stays as it is.  A crash leaves the old files, the new
 * ones, or a file whose samples nobody lists, which dv_open refuses.  The view goes on as it was.
 *
 * DV_OK
 * DV_ERR_CORRUPT   two samples have one key, a message that was scanned has none, or a file is
 *                  damaged: nothing was changed
 * DV_ERR_IO        err->os_code tells why; the message, what is there now
 * DV_ERR_STOPPED   `progress` said so
 * DV_ERR_ARGUMENT  bytes in memory, or options of an unknown size
 * DV_ERR_LIMIT, DV_ERR_MEMORY, DV_ERR_UNSUPPORTED (built with DV_MD5=openssl, and libcrypto refuses
 * MD5)
 */
struct dv_save_options; /* save.h */
DV_API dv_status dv_datadings_index(dv_view *view, const struct dv_save_options *options,
                                    dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
