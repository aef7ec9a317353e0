/* SPDX-License-Identifier: MIT */
/* text_start.h: finds where the table of another file starts. */
#ifndef DVI_FORMAT_TEXT_START_H
#define DVI_FORMAT_TEXT_START_H

#include "base/hashtab.h"
#include "format/text/read/text_reader.h"

/* Where a table starts. */
typedef struct dvi_text_start {
    int64_t skip;   /* lines before it, all of them split unlike it; INT64_MAX: none is split so */
    bool has_names; /* it starts with a header */
} dvi_text_start;

/* Find the first line that is a header with these names, or else a row of `columns` fields.
 * names: of the table; with match=union, a file may have others too.  The lines that options.skip
 * leaves out of the first file say nothing about this one.
 * DV_OK; statuses of dvi_text_reader_next, but no DV_END. */
dv_status dvi_text_find_start(dvi_text_start *start_out, dvi_map *map,
                              const dvi_text_options *options, dvi_text_limit limit,
                              const dvi_hashtab *names, int32_t columns, dv_error *err);

#endif
