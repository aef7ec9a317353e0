/* SPDX-License-Identifier: MIT */
/* text_fit.h: finds the columns of the first file in another file of the same table. */
#ifndef DVI_FORMAT_TEXT_FIT_H
#define DVI_FORMAT_TEXT_FIT_H

#include "format/text/read/text_priv.h"

/* Compare the first lines of the file and of the first one, whose options and layout it has.  With
 * option match, the names of the header give the file a layout of its own; else it must have the
 * same names, or without a header as many fields.  A file without rows fits.
 * DV_OK; DV_ERR_CORRUPT: it lacks a column, or has one too many; DV_ERR_ARGUMENT: option match
 * does not go with the columns; DV_ERR_LIMIT, DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_fit(dvi_text_file *file, dvi_map *first, dv_error *err);

#endif
