/* SPDX-License-Identifier: MIT */
/* diff_value.h: finds the first difference between two values. */
#ifndef DVI_CLI_DIFF_VALUE_H
#define DVI_CLI_DIFF_VALUE_H

#include <dataview/value.h>

/* When values count as equal. */
typedef struct dvi_diff_rule {
    double tolerance; /* of reals; -1: compare bits */
    bool layout;      /* vectors must be stored alike too */
} dvi_diff_rule;

/* Rows of a column in a batch, from row `first` on.  indices and items, of vectors only: where
 * those of each row start (dv_vector_offsets). */
typedef struct dvi_run {
    const dv_column_view *column;
    const int64_t *indices, *items;
    int64_t first;
} dvi_run;

/* The value in row `first`. */
dv_value dvi_run_value(const dvi_run *run);

/* Whether n rows of both have the same bits in the same layout.  If so, they are equal by any rule;
 * if not, they may still be.  The columns have equal items (dvi_diff_value_can). */
bool dvi_run_equal(const dvi_run *a, const dvi_run *b, int64_t n);

typedef enum dvi_aspect {
    DVI_ASPECT_NONE,   /* they are equal */
    DVI_ASPECT_VALUE,  /* the scalars, or those in a slot */
    DVI_ASPECT_LENGTH, /* the lengths of vectors */
    DVI_ASPECT_DENSE,  /* only one is stored dense */
    DVI_ASPECT_STORED  /* only one stores an item in the slot */
} dvi_aspect;

/* The first difference between two values. */
typedef struct dvi_difference {
    dvi_aspect aspect;
    int32_t slot;            /* of vectors; -1: none */
    dv_value a, b;           /* scalars; of LENGTH and DENSE, the vectors */
    dv_column_view blank[2]; /* holds the default of slots without an item */
} dvi_difference;

/* Whether values of these types can be compared: the types are equal, or both are vectors of equal
 * items. */
bool dvi_diff_value_can(const dv_type *a, const dv_type *b);

/* Find it; false: they are equal.  The difference must not move: it points into itself. */
bool dvi_diff_value_find(dvi_difference *difference_out, const dvi_diff_rule *rule,
                         const dv_value *a, const dv_value *b);

#endif
