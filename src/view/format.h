/* SPDX-License-Identifier: MIT */
/* format.h: what a file format offers to open.c. */
#ifndef DVI_VIEW_FORMAT_H
#define DVI_VIEW_FORMAT_H

#include "io/map.h"
#include "io/writer.h"
#include <dataview/save.h>
#include <dataview/view.h>

struct dvi_saving; /* save.h */
struct dvi_losses;

typedef struct dvi_format {
    const char *name;    /* "idv": the option `format` */
    const char *endings; /* ".idv", or several with blanks between: what decides when no format
                            knows the content */
    /* Are these the first n bytes of such a file? */
    bool (*recognizes)(const uint8_t *head, size_t n);
    /* Does a file look like one, all in all?  Asked last, when neither the first bytes nor the
     * name's ending told.  NULL: never. */
    bool (*resembles)(dvi_map *map);
    /* Make a view; it takes a reference to the map. */
    dv_status (*open)(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                      dv_error *err);
    /* The same for one of several files, where `first` is the view of the first of them.  NULL:
     * each stands alone. */
    dv_status (*open_next)(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *first, dv_error *err);

    /* Check the options of this format (DV_ERR_ARGUMENT), and tell all that schema and metadata
     * show to be lost or impossible (dvi_losses_add).  NULL: nothing to check. */
    dv_status (*check_save)(const struct dvi_saving *saving, struct dvi_losses *losses,
                            dv_error *err);
    /* Write all of the file; commit is the caller's.  Called after a check that allowed it.  NULL:
     * the format cannot be written. */
    dv_status (*save)(const struct dvi_saving *saving, dvi_writer *writer, dv_error *err);
} dvi_format;

#endif
