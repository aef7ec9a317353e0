/* SPDX-License-Identifier: MIT */
/* arrow_intake.h: what each field of a producer's schema becomes: the columns, and how their values
 * are made. */
#ifndef DVI_INTEROP_ARROW_INTAKE_H
#define DVI_INTEROP_ARROW_INTAKE_H

#include "interop/arrow_shape.h"

/* What scalars are made from. */
typedef enum dvi_arrow_make {
    DVI_ARROW_FROM_NULLS,
    DVI_ARROW_FROM_BITS,    /* values of the same bits: numbers, ticks, UG */
    DVI_ARROW_FROM_NUMBERS, /* numbers of a different type, bool, half */
    DVI_ARROW_FROM_DECIMALS,
    DVI_ARROW_FROM_KEYS,    /* integers, as keys */
    DVI_ARROW_FROM_CODES,   /* a dictionary's, as keys */
    DVI_ARROW_FROM_ENTRIES, /* a dictionary's, as the values they stand for */
    DVI_ARROW_FROM_TIMES,   /* TS, DT; DZ with 0 minutes */
    DVI_ARROW_FROM_ZONED,   /* DZ, of a struct of an instant and minutes */
    DVI_ARROW_FROM_TEXT     /* TX, BY */
} dvi_arrow_make;

/* How scalars, or items of vectors, are made. */
typedef struct dvi_arrow_scalar {
    const dvi_arrow_shape *shape;
    dv_type type;
    dvi_arrow_make make;
    uint64_t first_key;                     /* the number that is stored as 1 */
    bool zero_is_na;                        /* the numbers are stored keys */
    const struct dvi_arrow_scalar *entries; /* of the dictionary; NULL: there is none */
    int32_t dictionary;                     /* its number; -1 */
} dvi_arrow_scalar;

/* The metadata of arrow.fixed_shape_tensor. */
typedef struct dvi_arrow_tensor {
    int32_t rank;         /* 0: the column has no such extension */
    const int32_t *dims;  /* physical ones */
    const int32_t *order; /* the physical dimension of each logical one; NULL: the same */
    dv_text names;        /* metadata with the name of each logical dimension; 0 bytes: none */
} dvi_arrow_tensor;

/* Which values of a column of reals would both become NaN: nulls, and NaN itself. */
typedef struct dvi_arrow_seen {
    bool is_once; /* rows come once, so that this is found as they come */
    bool has_nulls, has_nan;
} dvi_arrow_seen;

/* Where a column comes from, and what it becomes. */
typedef struct dvi_arrow_column {
    dv_text name;
    dv_type type;
    const dvi_arrow_shape *field; /* has the metadata */
    const dvi_arrow_shape *outer; /* the scalars, or the lists */
    const int32_t *path;          /* from the top to it: which child at each level */
    int32_t depth;                /* of path */
    int32_t lists;                /* levels of lists; 0: scalars */
    int64_t slots;                /* of lists of one size; 0: sizes vary */
    bool is_sparse;               /* the list's items are structs of index and value */
    bool is_ours;                 /* dataview.type applies, and the metadata with it */
    bool is_chosen;               /* by the option `types` */
    dvi_arrow_tensor tensor;
    dvi_arrow_seen *seen;
    dvi_arrow_scalar scalar;
} dvi_arrow_column;

typedef struct dvi_arrow_intake {
    dv_allocator allocator;
    dvi_arena arena;
    uint32_t allow_loss;
    bool flatten, hold;
    dvi_arrow_shape top; /* a struct; or a single column */
    dvi_arrow_column *columns;
    int32_t n;
    int32_t dictionaries;
} dvi_arrow_intake;

/* Copy a schema and decide what becomes of each field. DV_OK; DV_ERR_ARGUMENT: an option;
 * DV_ERR_CORRUPT, DV_ERR_UNSUPPORTED, DV_ERR_MEMORY. dvi_arrow_intake_free is for every intake,
 * also after a failure. */
dv_status dvi_arrow_intake_make(dvi_arrow_intake *intake, const struct ArrowSchema *schema,
                                const dv_arrow_import_options *options, dv_error *err);
void dvi_arrow_intake_free(dvi_arrow_intake *intake);

/* Decide again for a column with a dictionary, now that the number of its entries is known. DV_OK;
 * DV_ERR_ARGUMENT: the option `types` says another number. */
dv_status dvi_arrow_intake_count(dvi_arrow_column *column, int64_t entries, dv_error *err);

/* How scalars of this shape become values of the type. field: has the metadata. is_ours: only as
 * the export makes them. false: they cannot. */
bool dvi_arrow_scalar_fit(dvi_arrow_scalar *scalar_out, const dvi_arrow_shape *shape,
                          const dvi_arrow_shape *field, const dv_type *type, bool is_ours);

/* The type that scalars of this shape become unless something else is said. DV_OK;
 * DV_ERR_UNSUPPORTED: none, with what to do. */
dv_status dvi_arrow_scalar_type(dv_type *type_out, const dvi_arrow_shape *shape, dv_error *err);

#endif
