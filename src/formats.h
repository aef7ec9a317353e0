/* SPDX-License-Identifier: MIT */
/* formats.h: the list of formats, searched by name, extension and content. */
#ifndef DVI_FORMATS_H
#define DVI_FORMATS_H

#include "save/format.h"

/* By the name that options give, or by the extension of a path.  NULL: none. */
const dvi_format *dvi_format_by_name(const char *name);
const dvi_format *dvi_format_by_extension(const char *path);
/* The same for a file to be saved, where .gz and .zst may follow the extension of text:
 * *packing_out is that compression, also if no format is found. */
const dvi_format *dvi_format_by_saved_name(const char *path, dvi_packing *packing_out);

/* The format with side files of such names; *stem_nbytes_out: the bytes of the path before the
 * suffix.  NULL: none. */
const dvi_format *dvi_format_by_side_file(const char *path, size_t *stem_nbytes_out);

/* The first bytes of the map, up to 512, copied into *memory, which the caller releases, also after
 * a failure.  Statuses of dvi_map_copy, and of unpacking. */
dv_status dvi_format_head(dvi_map *map, dvi_memory **memory, dvi_span *head_out, dv_error *err);

/* By the content: the first bytes; else, so that this format reports what is wrong, the extension
 * of the map's name, of a packed file that before the packing's, but not text if the first bytes
 * show that it is something else (foreign.h); else what the file looks like. DV_OK; DV_NOT_FOUND:
 * *format_out is NULL; DV_ERR_IO, DV_ERR_MEMORY, and those of unpacking. */
dv_status dvi_format_by_content(dvi_map *map, const dv_open_options *options,
                                const dvi_format **format_out, dv_error *err);

/* By the options alone, if the content shows no format; is_nameless: a pipe, or a file that has no
 * name. NULL: none. */
const dvi_format *dvi_format_implied(bool is_nameless, const dv_open_options *options);

/* "idv, btable": the names of all formats, or of those that can be saved, for messages. */
typedef struct dvi_format_names {
    char text[128];
} dvi_format_names;

dvi_format_names dvi_format_names_all(void);
dvi_format_names dvi_format_names_saved(void);

#endif
