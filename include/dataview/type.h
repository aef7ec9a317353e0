/* SPDX-License-Identifier: MIT */
/* type.h: the types of columns and values.  (semantics:1) */
#ifndef DATAVIEW_TYPE_H
#define DATAVIEW_TYPE_H

#include <dataview/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed text: UTF-8, not NUL-terminated, may hold NUL.  NA: nbytes is -1. */
typedef struct dv_text {
    const char *data;
    int64_t nbytes;
} dv_text;

/* A 128-bit number: row ids, and the values of UG.  Compared by hi, then lo. */
typedef struct dv_u128 {
    uint64_t lo, hi;
} dv_u128;

/* A date-time with its zone: ticks (100 ns since 0001-01-01T00:00) of the local clock, and the
 * minutes that it is ahead of UTC.  NA: ticks is INT64_MIN, whatever the minutes. */
typedef struct dv_zoned {
    int64_t ticks;
    int16_t minutes;
} dv_zoned;

/* Every kind: short name, the same in lower case, number inside files, width in bytes of one value
 * (0: text or bytes), C type of one value, which values are NA, aliases in the notation.
 *
 *   NONE     none is
 *   MINIMUM  the least
 *   REAL     every NaN; DV_R4_NA_BITS or DV_R8_NA_BITS are written
 *   BOOL     all but 0 and 1; DV_BL_NA is written
 *   CLOCK    ticks outside 0..DV_TICKS_MAX; DV_TICKS_NA is written
 *   ZONED    the same of the ticks, or of the minutes outside -DV_MINUTES_MAX..DV_MINUTES_MAX
 *   TEXT     nbytes is -1
 *
 * NA of a key is 0, and what is above its count. */
#define DV_TYPE_LIST(X)                                                                            \
    X(I1, i1, 1, 1, int8_t, MINIMUM, "")                                                           \
    X(U1, u1, 2, 1, uint8_t, NONE, "")                                                             \
    X(I2, i2, 3, 2, int16_t, MINIMUM, "")                                                          \
    X(U2, u2, 4, 2, uint16_t, NONE, "")                                                            \
    X(I4, i4, 5, 4, int32_t, MINIMUM, "")                                                          \
    X(U4, u4, 6, 4, uint32_t, NONE, "")                                                            \
    X(I8, i8, 7, 8, int64_t, MINIMUM, "")                                                          \
    X(U8, u8, 8, 8, uint64_t, NONE, "")                                                            \
    X(R4, r4, 9, 4, float, REAL, "Num")                                                            \
    X(R8, r8, 10, 8, double, REAL, "")                                                             \
    X(TX, tx, 11, 0, dv_text, TEXT, "TXT Text")                                                    \
    X(BL, bl, 12, 1, int8_t, BOOL, "Bool")                                                         \
    X(TS, ts, 13, 8, int64_t, MINIMUM, "TimeSpan")                                                 \
    X(DT, dt, 14, 8, int64_t, CLOCK, "DateTime")                                                   \
    X(DZ, dz, 15, 10, dv_zoned, ZONED, "DateTimeZone")                                             \
    X(UG, ug, 16, 16, dv_u128, NONE, "U16")                                                        \
    X(BY, by, 17, 0, dv_text, NONE, "")

#define DV_KIND_MEMBER(NAME, name, number, width, ctype, na, aliases) DV_KIND_##NAME = number,
typedef enum dv_kind {
    DV_KIND_NONE = 0,
    DV_TYPE_LIST(DV_KIND_MEMBER) DV_KIND_EXTENSION = 64 /* a further type, known by its name */
} dv_kind;
#undef DV_KIND_MEMBER

/* Reals of two bytes, IEEE's and bfloat16: items of matrices (dense.h).  No column has them, so
 * they are not in the list. */
#define DV_KIND_R2 ((dv_kind)32)
#define DV_KIND_B2 ((dv_kind)33)

/* Values of NA, as DV_TYPE_LIST says. */
#define DV_BL_NA ((int8_t)-128)
#define DV_TICKS_NA INT64_MIN
#define DV_TICKS_MAX INT64_C(3155378975999999999) /* 9999-12-31T23:59:59.9999999 */
#define DV_MINUTES_MAX 840                        /* of DZ, either way */
#define DV_R4_NA_BITS UINT32_C(0xFFC00000)
#define DV_R8_NA_BITS UINT64_C(0xFFF8000000000000)

/* The type of a column or value.  A plain value, to be copied freely; `dims` and `extension` point
 * into the schema or to the caller's own array, which must outlive the copy.
 *
 * A vector has rank >= 1, and items of the type that dv_type_item() returns.  size is the product
 * of its dims, or 0 if one is unknown.  A vector of rank 1 needs no dims: size is its only one. */
typedef struct dv_type {
    dv_kind kind;           /* of the value or item */
    bool is_key;            /* then kind is U1, U2, U4 or U8, and the next three apply */
    bool key_is_contiguous; /* false only with key_count 0 */
    uint64_t key_min;       /* the number that is stored as 1 */
    uint64_t key_count;     /* of values; 0: unknown */
    int32_t rank;           /* 0: no vector */
    int32_t size;           /* slots of each vector, 0: varies */
    const int32_t *dims;    /* rank dims, 0: unknown; NULL if rank < 2 */
    const char *extension;  /* DV_KIND_EXTENSION: the type's name, static; else NULL */
    int32_t extension_width;
} dv_type;

/* Make types.  These functions check nothing: dv_type_check() does.  dims must outlive the type. */
DV_API dv_type dv_type_of(dv_kind kind);
DV_API dv_type dv_type_key(dv_kind kind, uint64_t min, uint64_t count);
DV_API dv_type dv_type_vector(dv_type item, int32_t size);
DV_API dv_type dv_type_tensor(dv_type item, const int32_t *dims, int32_t rank);
DV_API dv_type dv_type_extension(const char *name, int32_t width);

/* Check a type.
 *
 * DV_ERR_ARGUMENT  an unknown kind, a key that breaks semantics:1.2, a negative dim, a product of
 *                  dims over INT32_MAX (even if a later dim is 0), a vector of an extension
 */
DV_API dv_status dv_type_check(const dv_type *type, dv_error *err);

/* Parse the notation of semantics:1: R4, U4[0-9], U4[5], U4[1000-*], V<R4,3>, V<TX,*>,
 * V<U4[0-63],*>, V<R4,2,*>.  Names match in any case.
 *
 * dims, dims_cap  storage for dims, which must live as long as the type; needed from rank 2 on
 *
 * DV_ERR_ARGUMENT  not a type; err->offset is the byte of the text
 * DV_ERR_LIMIT     the rank is above dims_cap
 */
DV_API dv_status dv_type_parse(dv_type *type_out, dv_text text, int32_t *dims, int32_t dims_cap,
                               dv_error *err);

/* Print the notation into dst, with short names: it parses as an equal type.  As snprintf: at most
 * cap bytes with the NUL are written, and the length of the whole text is returned. */
DV_API size_t dv_type_print(const dv_type *type, char *dst, size_t cap);

/* Parts and predicates (semantics:1.3, semantics:1.4).  No allocation, no failure. */
DV_API dv_type dv_type_item(const dv_type *type);              /* itself if not a vector */
DV_API int32_t dv_type_dim(const dv_type *type, int32_t i);    /* 0: unknown, or no such dim */
DV_API int32_t dv_type_value_count(const dv_type *type);       /* 1, or the vector's size */
DV_API bool dv_type_equal(const dv_type *a, const dv_type *b); /* same item type, same dims */
DV_API bool dv_type_same_size_and_item(const dv_type *a, const dv_type *b);
DV_API bool dv_type_is_subtype(const dv_type *type, const dv_type *of);
DV_API bool dv_type_is_vector(const dv_type *type);
DV_API bool dv_type_is_known_size_vector(const dv_type *type);
DV_API bool dv_type_is_primitive(const dv_type *type);       /* neither a vector nor an extension */
DV_API bool dv_type_is_number(const dv_type *type);          /* I*, U*, UG, R4, R8; not a key */
DV_API bool dv_type_is_standard_scalar(const dv_type *type); /* a number, TX, BL, TS, DT, DZ */
DV_API bool dv_type_has_na(const dv_type *type);             /* of the value or item */
DV_API bool dv_type_default_is_na(const dv_type *type);      /* keys only */

/* The name of a kind, "R4" (static; "?" for an unknown one), and the width of a value in bytes (0:
 * not fixed). */
DV_API const char *dv_kind_name(dv_kind kind);
DV_API int32_t dv_kind_width(dv_kind kind);

/* Text from a C string; NULL gives NA. */
DV_API dv_text dv_text_of(const char *text);
/* Whether the bytes are equal; NA equals NA. */
DV_API bool dv_text_equal(dv_text a, dv_text b);
/* Compare in the order of UTF-16 code units (semantics:1.1): < 0, 0, > 0; NA comes first. */
DV_API int dv_text_compare(dv_text a, dv_text b);

#ifdef __cplusplus
}
#endif

#endif
