/* SPDX-License-Identifier: MIT */
/* image_load.h: reads small files whose paths are data, and may come from anyone. */
#ifndef DVI_IMAGE_LOAD_H
#define DVI_IMAGE_LOAD_H

#include "image/picture.h"
#include <dataview/step.h>

/* Where files are read from.  Start from zeros; one thread at a time. */
typedef struct dvi_loader {
    dv_folder *folder; /* NULL: not open yet */
    bool follows;
    int64_t nbytes_max;
    dvi_room room; /* of the last file */
} dvi_loader;

/* Open the folder that a step names, once.  Statuses of dv_step_folder. */
dv_status dvi_loader_open(dvi_loader *loader, const dv_step *step, dv_error *err);
void dvi_loader_close(dvi_loader *loader);

/* Look whether a path leads to a file that may be read.
 *
 * path  relative to the folder, without `..`; only below the folder `/` may it begin with `/`
 *
 * DV_OK
 * DV_NOT_FOUND  no such regular file, or it may not be read, or the path is not allowed: err says
 *               which
 * DV_ERR_LIMIT  it has more bytes than allowed
 * DV_ERR_IO */
dv_status dvi_loader_find(dvi_loader *loader, dv_text path, dv_error *err);

/* Read such a file.  file_out is valid until the next call.  As dvi_loader_find; DV_ERR_MEMORY. */
dv_status dvi_loader_read(dvi_loader *loader, dv_text *file_out, dv_text path, dv_error *err);

#endif
