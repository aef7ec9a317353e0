/* SPDX-License-Identifier: MIT */
/* text_norm.h: texts in one case, without marks, punctuation or numbers (semantics:7.17; ML.NET:
 * NormalizeText). */
#ifndef DVI_TRANSFORM_TEXT_NORM_H
#define DVI_TRANSFORM_TEXT_NORM_H

#include <dataview/own_view.h>
#include <dataview/type.h>

typedef enum dvi_case { DVI_CASE_LOWER, DVI_CASE_UPPER, DVI_CASE_NONE } dvi_case;

typedef struct dvi_text_norm_options {
    dvi_case to_case;
    bool diacritics, punctuation, numbers; /* that stay */
} dvi_text_norm_options;

/* How texts are normalized. Read-only. */
typedef struct dvi_text_norm {
    dvi_text_norm_options options;
    uint8_t ascii[128]; /* what a character becomes; 0xFF: nothing */
} dvi_text_norm;

dvi_text_norm dvi_text_norm_of(const dvi_text_norm_options *options);
/* Does every text stay as it is? */
bool dvi_text_norm_is_nothing(const dvi_text_norm_options *options);
void dvi_text_norm_identify(const dvi_text_norm *norm, dv_identity *identity);

/* The most bytes that a text of nbytes becomes. */
static inline size_t dvi_text_norm_room(size_t nbytes)
{
    return nbytes + nbytes / 2;
}

/* Write the normalized text to dst, which has that room. Returns its bytes. NA is empty. */
size_t dvi_text_norm_write(const dvi_text_norm *norm, char *dst, dv_text text);

#endif
