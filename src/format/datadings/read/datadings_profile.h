/* SPDX-License-Identifier: MIT */
/* datadings_profile.h: what have the values of a field been, and which type holds them all?
 * (datadings:12) */
#ifndef DVI_DATADINGS_PROFILE_H
#define DVI_DATADINGS_PROFILE_H

#include "base/arena.h"
#include "codec/nd_items.h"

/* Forms of values, as a set. */
enum {
    DVI_PROFILE_NIL = 1,
    DVI_PROFILE_SCALAR = 2,
    DVI_PROFILE_ARRAY = 4, /* of msgpack */
    DVI_PROFILE_ND = 8,    /* of numpy, of rank 1 or more */
    DVI_PROFILE_COMPLEX = 16,
    DVI_PROFILE_MAP = 32,
    DVI_PROFILE_OTHER = 64
};

/* What scalars, or the elements of arrays, have been, as a set. */
enum {
    DVI_PROFILE_BOOL = 1,
    DVI_PROFILE_INT = 2,
    DVI_PROFILE_NEGATIVE = 4, /* one of them */
    DVI_PROFILE_BIG = 8,      /* above the maximum of I8 */
    DVI_PROFILE_INEXACT = 16, /* beyond 2^53, either way */
    DVI_PROFILE_F4 = 32,
    DVI_PROFILE_F8 = 64,
    DVI_PROFILE_STR = 128,
    DVI_PROFILE_BIN = 256,
    DVI_PROFILE_DT = 512,
    DVI_PROFILE_TS = 1024,
    DVI_PROFILE_NO_ITEM = 2048, /* nil */
    DVI_PROFILE_ODD = 4096      /* what no column holds */
};

#define DVI_PROFILE_NONE (-1)   /* of a length or rank: none was seen */
#define DVI_PROFILE_VARIES (-2) /* or several */

/* Zeroed is no sight: start from dvi_datadings_profile_none. */
typedef struct dvi_datadings_profile {
    uint16_t forms, items;
    uint8_t number; /* dv_kind of numpy's numbers, if all had the same; else DVI_PROFILE_MIXED */
    uint8_t nd;     /* dv_kind of items of numpy's arrays, the same */
    int64_t length; /* of msgpack's arrays */
    int32_t rank;   /* of numpy's arrays */
    int32_t *dims;  /* rank numbers, 0: they vary; arena */
} dvi_datadings_profile;

#define DVI_PROFILE_MIXED 255

dvi_datadings_profile dvi_datadings_profile_none(void);

/* One value more: that on which the reader stands, which was passed by dvi_msgpack_skip before.
 * Maps are only seen to be some.  has_dims: `dims` of arrays go there.
 * DV_OK; DV_ERR_CORRUPT: rows 32 to 40 of datadings:8; DV_ERR_MEMORY. */
dv_status dvi_datadings_profile_add(dvi_datadings_profile *sight, const dvi_msgpack_reader *value,
                                    dvi_arena *arena, dv_error *err);

/* The type of a column for all of them, whose dims are the sight's.  false: there is none, and the
 * column holds msgpack (a map alone is none of these: its keys are the columns). */
bool dvi_datadings_profile_type(const dvi_datadings_profile *sight, dv_type *type_out);

#endif
