/* SPDX-License-Identifier: MIT */
/* contrast.h: are two values the same, and if not, where do they differ? */
#ifndef DVI_CLI_CONTRAST_H
#define DVI_CLI_CONTRAST_H

#include <dataview/value.h>

/* When are values the same? */
typedef struct dvi_contrast {
    double tolerance; /* of reals; -1: their bits count */
    bool layout;      /* vectors must be stored alike */
} dvi_contrast;

/* Some rows of a column in a batch: from row `first` on.  Where the indices and items of each row
 * start: dv_vector_offsets, of vectors only. */
typedef struct dvi_run {
    const dv_column_view *column;
    const int64_t *indices, *items;
    int64_t first;
} dvi_run;

/* The value in row `first`. */
dv_value dvi_run_value(const dvi_run *run);

/* Do n rows of both hold the same bits in the same layout?  Then they are the same, whatever the
 * contrast; if not, they may yet be.  The columns have equal items (dvi_contrast_can). */
bool dvi_run_equal(const dvi_run *a, const dvi_run *b, int64_t n);

typedef enum dvi_aspect {
    DVI_ASPECT_NONE,   /* they are the same */
    DVI_ASPECT_VALUE,  /* the scalars, or those in a slot */
    DVI_ASPECT_LENGTH, /* the lengths of vectors */
    DVI_ASPECT_DENSE,  /* one is stored dense */
    DVI_ASPECT_STORED  /* one has an item in a slot, and the other none */
} dvi_aspect;

/* The first difference of two values. */
typedef struct dvi_difference {
    dvi_aspect aspect;
    int32_t slot; /* of vectors; -1: none */
    dv_value a,
        b; /* scalars; a slot without an item has the default.  LENGTH, DENSE: the vectors */
    dv_column_view blank[2]; /* what the default is read from */
} dvi_difference;

/* Can values of these types be held against each other?  Both are vectors of the same items, of any
 * length; or equal. */
bool dvi_contrast_can(const dv_type *a, const dv_type *b);

/* Find it; false: they are the same.  The difference must not move: it points into itself. */
bool dvi_contrast_find(dvi_difference *difference_out, const dvi_contrast *contrast,
                       const dv_value *a, const dv_value *b);

#endif
