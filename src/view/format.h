/* SPDX-License-Identifier: MIT */
/* format.h: what a file format offers to open.c. */
#ifndef DVI_VIEW_FORMAT_H
#define DVI_VIEW_FORMAT_H

#include "io/map.h"
#include <dataview/view.h>

typedef struct dvi_format {
    const char *name;   /* "idv": the option `format` */
    const char *ending; /* ".idv": decides when no format knows the content */
    /* Are these the first n bytes of such a file? */
    bool (*recognizes)(const uint8_t *head, size_t n);
    /* Make a view; it takes a reference to the map. */
    dv_status (*open)(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                      dv_error *err);
} dvi_format;

#endif
