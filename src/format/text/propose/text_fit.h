/* SPDX-License-Identifier: MIT */
/* text_fit.h: does another file have the columns that were found in the first one? */
#ifndef DVI_FORMAT_TEXT_FIT_H
#define DVI_FORMAT_TEXT_FIT_H

#include "format/text/read/text_priv.h"

/* Compare the first lines of two files that are read with the same proposal: the same names, or
 * without a header as many fields.  A file without lines fits.
 * DV_OK; DV_ERR_CORRUPT: they differ; DV_ERR_LIMIT, DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_check_fit(const dvi_text_file *file, dvi_map *first, dv_error *err);

#endif
