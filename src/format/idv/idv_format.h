/* SPDX-License-Identifier: MIT */
/* idv_format.h: ML.NET's binary data view, for open.c. */
#ifndef DVI_IDV_FORMAT_H
#define DVI_IDV_FORMAT_H

#include "view/format.h"

extern const dvi_format dvi_format_idv;

#endif
