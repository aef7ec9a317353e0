/* SPDX-License-Identifier: MIT */
/* text_dialect.h: finds how another file of a table is split, if not as the first file is. */
#ifndef DVI_FORMAT_TEXT_DIALECT_H
#define DVI_FORMAT_TEXT_DIALECT_H

#include "base/hashtab.h"
#include "format/text/propose/text_given.h"

/* Look at the file on its own.  If its header then has several names of the table or no others,
 * with match=union one, *options get its separators, quotes and decimal point; else they stay as
 * they are. They do, too, if the caller gave the separator or the file is a pipe.  Texts of the
 * options lie in the arena. *found_out: they have changed.  DV_OK; DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_dialect_find(bool *found_out, dvi_text_options *options, dvi_map *map,
                                const dvi_text_given *given, const dvi_hashtab *names,
                                dvi_arena *arena, dv_error *err);

#endif
