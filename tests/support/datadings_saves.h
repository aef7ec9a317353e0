/* SPDX-License-Identifier: MIT */
/* datadings_saves.h: columns that become datadings, and the bytes that they became. */
#ifndef DVT_DATADINGS_SAVES_H
#define DVT_DATADINGS_SAVES_H

#include "support/file.h"
#include "support/made_table.h"
#include <dataview/save.h>

/* A column of n texts or bytes, from C strings; NULL is NA.  Free it with dvt_texts_free. */
dv_column_view dvt_texts_of(dv_kind kind, const char *const *texts, int64_t n);
/* The same from hex, of bytes: "00 FF". */
dv_column_view dvt_hexes_of(const char *const *hexes, int64_t n);
void dvt_texts_free(const dv_column_view *texts);
/* Those that are columns of the table. */
void dvt_table_free_texts(dvt_made_table *table);

/* Metadata of one BL that is true. */
dv_column_view dvt_true_mark(void);

/* Save as datadings: to a file with those beside it, and to memory, the messages alone. */
dv_status dvt_datadings_save(dv_view *view, const char *path, const dv_save_options *options,
                             dv_error *err);
dv_status dvt_datadings_save_memory(dv_view *view, dv_buffer *buffer_out,
                                    const dv_save_options *options, dv_error *err);
dv_status dvt_datadings_save_check(dv_view *view, const dv_save_options *options,
                                   bool (*report)(void *ctx, const dv_loss_report *report),
                                   void *ctx, dv_error *err);

/* The messages of a view as hex, without blanks; static, until the next call.  A save that fails is
 * its error's message. */
const char *dvt_datadings_hex(dv_view *view, const dv_save_options *options);

/* The MD5 of a file; static, until the next call. */
const char *dvt_md5_of(const char *path);

#endif
