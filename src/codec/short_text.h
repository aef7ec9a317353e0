/* SPDX-License-Identifier: MIT */
/* short_text.h: texts of up to 15 bytes as two words. */
#ifndef DVI_CODEC_SHORT_TEXT_H
#define DVI_CODEC_SHORT_TEXT_H

#include "base/load.h"
#include <string.h>

#define DVI_SHORT_TEXT 15

/* The words of n bytes at `text`, 0..DVI_SHORT_TEXT, of which 16 may be read: the bytes, then
 * zeros, and n in the last byte. */
static inline void dvi_short_text_read(uint64_t words[2], const char *text, int32_t n)
{
    static const uint8_t masks[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                      255, 255, 255, 255, 255, 255, 255, 255};
    memcpy(words, text, 2 * sizeof *words);
    words[0] &= dvi_load_u64(masks + 16 - n);
    words[1] &= dvi_load_u64(masks + 24 - n);
    words[1] |= (uint64_t)(uint32_t)n << 56;
}

#endif
