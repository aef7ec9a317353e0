/* SPDX-License-Identifier: MIT */
/* format.h: the record by which a file format is opened and saved. */
#ifndef DVI_SAVE_FORMAT_H
#define DVI_SAVE_FORMAT_H

#include "io/map.h"
#include "io/writer.h"
#include <dataview/format.h>
#include <dataview/save.h>
#include <dataview/view.h>

struct dvi_saving; /* save.h */
struct dvi_losses;
struct dvi_saver;

typedef struct dvi_format {
    dv_format_info info; /* `extensions` decide when no format recognizes the content */

    /* Are these the first n bytes of such a file? */
    bool (*recognizes)(const uint8_t *head, size_t n);
    /* DV_OK: the whole file looks like one. DV_NOT_FOUND: it does not. Called last, if neither the
     * first bytes nor the extension of the name decided; a failure to read decides nothing. NULL:
     * never. */
    dv_status (*resembles)(dvi_map *map, dv_error *err);
    /* Do the options imply this format, where the file shows none?  NULL: never. */
    bool (*is_implied)(const dv_open_options *options);

    /* Make a view; it takes a reference to the map. */
    dv_status (*open)(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                      dv_error *err);
    /* The same for another one of several files, where `first` is the view of the first of them.
     * NULL: each file is opened on its own. */
    dv_status (*open_next)(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                           dv_view *first, dv_error *err);
    /* Open several files of this format, whose columns depend on all of them.  After a failure the
     * error names a file; the views that exist are the caller's.  NULL: as above. */
    dv_status (*open_all)(dv_view **views_out, dvi_map *const *maps, int32_t n,
                          const dv_open_options *options, dv_error *err);
    /* Most rows of all files together, by the options of the first.  NULL: no limit. */
    int64_t (*most_rows)(const dv_view *first);
    /* dv_open_propose; text: its option.  NULL: DV_NOT_FOUND. */
    dv_status (*propose)(dv_buffer *text_out, dvi_map *map, const char *text, dv_error *err);

    /* Check the options of this format (DV_ERR_ARGUMENT), and report all that schema and metadata
     * show to be lost or impossible (dvi_losses_add).  NULL: nothing to check. */
    dv_status (*check_save)(const struct dvi_saving *saving, struct dvi_losses *losses,
                            dv_error *err);
    /* Begin to write a file, of which the saver takes the rows; the caller commits.  Called after a
     * check that allowed it.  `saving` and the writer outlive the saver.  NULL where info.can_save
     * is false. */
    dv_status (*begin_save)(struct dvi_saver **saver_out, const struct dvi_saving *saving,
                            dvi_writer *writer, dv_error *err);
} dvi_format;

#endif
