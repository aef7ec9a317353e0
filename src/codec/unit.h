/* SPDX-License-Identifier: MIT */
/* unit.h: case, category and marks of UTF-16 units (semantics:7.17). */
#ifndef DVI_CODEC_UNIT_H
#define DVI_CODEC_UNIT_H

#include <stdint.h>

enum { DVI_UNIT_PUNCTUATION = 1, DVI_UNIT_NUMBER = 2, DVI_UNIT_MARK = 4 };

/* What the unit is: flags. Punctuation and numbers are the categories P and N; marks are those that
 * NormalizeText knows. */
uint8_t dvi_unit_flags(uint32_t unit);
/* Unicode's simple mapping of one unit; the dotless and the dotted I stay. */
uint32_t dvi_unit_lower(uint32_t unit);
uint32_t dvi_unit_upper(uint32_t unit);
/* The letter without its marks; the unit itself if it has none. */
uint32_t dvi_unit_plain(uint32_t unit);

#endif
