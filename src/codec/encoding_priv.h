/* SPDX-License-Identifier: MIT */
/* encoding_priv.h: what iconv provides for encoding.c. */
#ifndef DVI_CODEC_ENCODING_PRIV_H
#define DVI_CODEC_ENCODING_PRIV_H

#include "codec/encoding.h"

#define DVI_ENCODING_DAMAGE 0xFF /* stands for damage: never part of UTF-8 */

/* Check that iconv knows encoding->iconv, or else the name, and that lines can be found in it.
 * Statuses of dvi_encoding_find. */
dv_status dvi_encoding_check_iconv(dvi_encoding *encoding, dv_error *err);

/* dvi_transcoder_read of an OTHER. */
dv_status dvi_encoding_iconv(dvi_transcoder *transcoder, dv_text *text_out, const uint8_t *src,
                             size_t n, const dv_allocator *allocator, dv_error *err);
void dvi_encoding_close_iconv(void **iconv);

#endif
