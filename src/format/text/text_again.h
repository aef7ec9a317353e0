/* SPDX-License-Identifier: MIT */
/* text_again.h: is a CSV that was written read again as the same table? */
#ifndef DVI_FORMAT_TEXT_AGAIN_H
#define DVI_FORMAT_TEXT_AGAIN_H

#include "format/text/save/text_save_priv.h"

/* Look at a CSV as one who opens it without options: it must have the same names, and columns of
 * the same kinds: number, text, date, span, boolean.  Nothing is checked where loss types is
 * allowed.
 * DV_OK; DV_ERR_LOSS; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_text_check_again(const dvi_text_plan *plan, dvi_writer *writer, dv_error *err);

#endif
