/* SPDX-License-Identifier: MIT */
/* idv_format.h: the format record of .idv files. */
#ifndef DVI_IDV_FORMAT_H
#define DVI_IDV_FORMAT_H

#include "save/format.h"

extern const dvi_format dvi_format_idv;

#endif
