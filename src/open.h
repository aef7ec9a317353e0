/* SPDX-License-Identifier: MIT */
/* open.h: the steps by which a file becomes a view. */
#ifndef DVI_OPEN_H
#define DVI_OPEN_H

#include "save/format.h"

/* Check the caller's options, NULL for the defaults. DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_open_options_read(const dv_open_options *given, dv_open_options *options,
                                dv_error *err);

/* Open a file or, where it may hold a format that can be read from one, a pipe.  A file is held
 * (dvi_map_open_held). */
dv_status dvi_open_path(dvi_map **map_out, const char *path, const dv_open_options *options,
                        dvi_map_common *common, dv_error *err);

/* Choose the format; *map becomes what that format reads. */
dv_status dvi_open_prepare(dvi_map **map, const dv_open_options *options,
                           const dvi_format **format_out, dv_error *err);

/* The format of a file; *is_packed_out: whether it is text that is packed. Statuses of
 * dv_open_format; with one other than DV_OK, *format_out is NULL. */
dv_status dvi_open_format(const dvi_format **format_out, bool *is_packed_out, const char *path,
                          const dv_open_options *options, dv_error *err);

/* Apply the limits of the options to an opened view and the views made from it. */
void dvi_open_limit(dv_view *view, const dv_open_options *options);

/* Release the map, which may be NULL. Returns the status; an error names the file. */
dv_status dvi_open_release(dvi_map **map, dv_status status, dv_error *err);

#endif
