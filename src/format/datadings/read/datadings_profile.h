/* SPDX-License-Identifier: MIT */
/* datadings_profile.h: a summary of the values of a field, and the type that holds all of them
 * (datadings:12). */
#ifndef DVI_DATADINGS_PROFILE_H
#define DVI_DATADINGS_PROFILE_H

#include "base/arena.h"
#include "codec/nd_items.h"
#include "format/datadings/read/datadings_changes.h"

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

/* Scalars, or elements of arrays, as a set. */
enum {
    DVI_PROFILE_BOOL = 1,
    DVI_PROFILE_INT = 2,
    DVI_PROFILE_NEGATIVE = 4, /* one of them */
    DVI_PROFILE_BIG = 8,      /* above the maximum of I8 */
    DVI_PROFILE_INEXACT = 16, /* above 2^53 or below -2^53 */
    DVI_PROFILE_F4 = 32,
    DVI_PROFILE_F8 = 64,
    DVI_PROFILE_STR = 128,
    DVI_PROFILE_BIN = 256,
    DVI_PROFILE_DT = 512,
    DVI_PROFILE_TS = 1024,
    DVI_PROFILE_NO_ITEM = 2048, /* nil */
    DVI_PROFILE_ODD = 4096      /* a value that no column holds */
};

/* Of a length or rank: no value had one; values had different ones. */
#define DVI_PROFILE_NONE (-1)
#define DVI_PROFILE_VARIES (-2)

/* Starts as dvi_datadings_profile_none(), not zeroed. */
typedef struct dvi_datadings_profile {
    uint16_t forms, items;
    uint16_t changes; /* datadings_changes.h: what these values would lose */
    bool has_tensor;  /* an array of numpy of rank 2 or more */
    uint8_t number;   /* dv_kind of all numbers, if they are of numpy; else DVI_PROFILE_MIXED */
    uint8_t nd;       /* dv_kind of the items of all numpy arrays, or DVI_PROFILE_MIXED */
    int64_t length;   /* of msgpack arrays */
    int32_t rank;     /* of numpy arrays */
    int32_t *dims;    /* of numpy arrays; 0: the dimension varies; in the arena */
} dvi_datadings_profile;

#define DVI_PROFILE_MIXED 255

dvi_datadings_profile dvi_datadings_profile_none(void);

/* Add the value at the reader, which dvi_msgpack_skip has checked. The entries of maps are not
 * read. DV_OK; DV_ERR_CORRUPT: rows 32 to 40 of datadings:8; DV_ERR_MEMORY. */
dv_status dvi_datadings_profile_add(dvi_datadings_profile *profile, const dvi_msgpack_reader *value,
                                    dvi_arena *arena, dv_error *err);

/* Add the values that another profile has; `from` stays as it is. */
dv_status dvi_datadings_profile_join(dvi_datadings_profile *profile,
                                     const dvi_datadings_profile *from, dvi_arena *arena,
                                     dv_error *err);

/* The type of a column that holds all values; its dims belong to the profile. false: no such type,
 * the column holds msgpack. A field whose values are all maps is no column: its keys are. */
bool dvi_datadings_profile_type(const dvi_datadings_profile *profile, dv_type *type_out);

/* What writing the values again from a column of this type, the one above, would change. */
uint32_t dvi_datadings_profile_changes(const dvi_datadings_profile *profile, const dv_type *type);

#endif
