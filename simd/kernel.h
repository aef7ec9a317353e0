/* SPDX-License-Identifier: MIT */
/* kernel.h: the list of kernels, the shapes of their arguments, and the table of each level.
 *
 * Each kernel exists at level scalar, which defines it; the other levels give the same bits from
 * the same input.  A kernel allocates nothing, keeps nothing, and may run in any thread.
 *
 * Sources may have any alignment, as mapped blocks do.  Destinations are aligned to their items and
 * do not overlap sources.  A kernel reads and writes nothing outside the n items that it is given.
 * If it returns a number of items, that is the number of valid ones before the first invalid one: n
 * if all are valid.  The output for that item and later ones is unspecified. */
#ifndef DVI_SIMD_KERNEL_H
#define DVI_SIMD_KERNEL_H

#include <dataview/kernels.h>

#ifdef __cplusplus
extern "C" {
#define DVI_RESTRICT
#else
#define DVI_RESTRICT restrict
#endif

/* Rows of a BTable laid end to end, all big-endian (btable:1): of each its count, int32, then as
 * many pairs of an int32 index and an f8 value. */
typedef struct dvi_pairs {
    const void *src;
    size_t nbytes;  /* of src; the last row may be cut off */
    size_t rows;    /* at most so many are wanted */
    size_t items;   /* room for items, and for indices: in both arrays all of it may be written */
    int32_t length; /* slots of every row */
    int32_t dense;  /* rows of so many pairs are dense: count -1, and no indices; -1: none are */
} dvi_pairs;

/* How far a kernel came in them. */
typedef struct dvi_pairs_end {
    size_t nbytes, indices, items;
} dvi_pairs_end;

/* Which items are NA: those whose bits, as an unsigned number of the item's width, give more than
 * `most` by (item & mask) - low, which wraps.  Of each member only that many bits count. */
typedef struct dvi_na {
    uint64_t mask, low, most;
} dvi_na;

/* A whole number of 192 bits in two's complement, the lowest first: no sum of fewer than 2^64
 * integers or of their squares is too large for it. */
typedef struct dvi_sum {
    uint64_t word[3];
} dvi_sum;

/* The nearest double; halfway, the even one.  Any thread. */
double dvi_sum_r8(const dvi_sum *sum);

/* A set of ASCII characters: c, which is below 128, is in it when
 * members[c & 15] >> (c >> 4) & 1. */
typedef struct dvi_ascii_set {
    uint8_t members[16];
} dvi_ascii_set;

/* Cells in columns: number x * height + y is cell y of column x.  Both sizes 1 to 2^31. */
#define DVI_RECTANGLE_KEYS 6
typedef struct dvi_rectangle {
    uint32_t width, height;
    uint32_t keys[DVI_RECTANGLE_KEYS];
} dvi_rectangle;

/* How output is written.  Which one is fastest for output beyond the cache differs between
 * machines; a level that lacks one writes as DVI_STORE_CACHED.  The bytes are the same. */
typedef enum dvi_store {
    DVI_STORE_CACHED, /* as any other */
    DVI_STORE_STREAM, /* past the cache */
    DVI_STORE_REPEAT, /* by the CPU's own fill instruction */
    DVI_STORES
} dvi_store;

/* clang-format off: a table */
/* A kernel's arguments and result, named for what it does.
 *
 *   UTF8      Text of n bytes.  The result: the bytes of its well-formed start, which ends before
 *             the first character that is ill-formed or cut off.  *units_out: its length in UTF-16
 *             units.
 *   ENDS      Where n texts laid end to end have their ends, int32, bit 31: NA.  Sound: not below
 *             the end before, equal to it when NA; `first` is the end before the first.
 *             *last_out: the last sound end, without bit 31.
 *   MAP_ENDS  Text of nbytes, valid UTF-8; its n sound ends (from 0) in UTF-16 units, the last not
 *             after the text.  dst: the same in bytes, bit 31 kept.  Bad: inside a surrogate pair.
 *   COUNTS    Lengths and counts of rows.  Sound: length >= 0, and count -1, or from 0 to length -
 *             spare (spare is 0 or 1).  sums_out: indices and items of the rows before the first
 *             bad one.
 *   OFFSETS   Lengths and sound counts of rows.  indices[i+1] and items[i+1]: where the indices and
 *             items of row i end, when those of row 0 start at indices[0] and items[0].
 *   STARTS    Where n rows start in arrays of so many entries, and where the last one ends: n + 1
 *             offsets.  Good: from 0 to entries, not below the one before, and a row of at most
 *             length entries.  counts[i]: how many row i has.
 *   INDICES   Rows with sound counts, which sum to n indices.  Sound: from 0 on, rising strictly
 *             within each row, below its length.
 *   EXPAND    n values packed in the bits of src, the lowest first.  dst: a byte each.
 *   PACK      n Booleans, a byte each.  dst: a bit each, the lowest first: 1 where the byte is 1.
 *             What fills the last byte is 0.  The result: how many bytes are neither 0 nor 1, which
 *             are NA.
 *   RANGE     n values.  Bad: outside the range.
 *   DENSIFY   Sound rows of at most width slots.  dst[i * stride + slot]: all width slots of each
 *             row, 0 where there is no item.  stride >= width; what lies between is not touched.
 *   DENSIFY_AS  The same; each item becomes what convert_<read>_<written> makes of it.
 *   SPARSIFY  n rows of width slots, row i from src[i * stride] on; stride >= width, width < 2^31.
 *             Those whose bits are not all 0 are items: -0 and NaN are among them.  counts[i]: how
 *             many row i has; indices and items: their slots, and they themselves, row by row.
 *             There is room for n * width of either, and all of it may be written.  The result: the
 *             sum of the counts.
 *   MAP       n values.  dst: as many, each made of the one in its place.
 *   PAIRS     Rows of a BTable.  Good: whole, with room, a count from 0 to length, and indices that
 *             are sound as above.  The result: rows before the first one that is not good; of these
 *             the counts (-1: dense), the indices of those that are not dense, the items, and
 *             *end_out.
 *   NA        n items.  The result: how many are NA (na_count), or the index of the first that is,
 *             n when there is none (na_first).
 *   NA_MASK   n items.  dst: a bit each, the lowest first: na_bit (0 or 1) where the item is NA,
 *             the other where not.  What fills the last byte is 0.  The result: how many are NA.
 *             With na_bit 0 this is Arrow's validity.
 *   NA_REPLACE  n items.  dst: the same, but `value` where the item is NA.
 *   MINMAX    n values.  The least and the greatest that are not NA; of reals -0 is less than
 *             +0.  When there is none, least > greatest: the type's greatest and least (for reals
 *             the infinities), so that the ends of parts give the ends of the whole.
 *   SUM       n integers: the sum of those that are not NA, or of their squares.  Exact.
 *   SUM_REAL  n reals: the same, rounded.  Real i, as a double, or its square, is added to sum i
 *             mod 16; then sums 2 i and 2 i + 1 are added to become sum i, four times.  When that
 *             gives no number (infinities of both signs), the result is DV_R8_NA_BITS.
 *   TRANSPOSE  `width` columns of n items each.  dst[i * stride + k]: item i of columns[k].
 *             stride >= width; what lies between is not touched.
 *   ROWS      n rows of `width` bytes, each src_pitch bytes after the one before.  dst: the same,
 *             dst_pitch bytes apart.  Pitches >= width; what lies between is not touched.  Streamed
 *             rows need a store fence before others are told of them: it is the caller's.
 *   GATHER    n indices, int32, none negative.  dst[i]: item index[i] of src.
 *   GATHER_ENDS  n indices, int32, of texts with sound ends as above; the first of them starts at
 *             `first`.  dst: the ends of these texts, in this order, laid end to end from `at` on.
 *             Bad: it would end after 2^31 - 1.  *last_out: the last good end, without bit 31; or
 *             `at`.
 *   GATHER_TEXT  The same texts: their bytes, nbytes of them, in this order.  They come from text
 *             of text_nbytes.
 *   MOVE_ENDS  n ends.  dst: the same plus `by`, and within 0..2^31-1; bit 31 is kept.
 *   FIND      n bytes, at most 2^32.  dst: where those lie that are in the set, rising: the first
 *             `room` of them.  All of the room may be written.  The result: how many they are.
 *   HASH      n keys of any length (none, or NA: of no bytes); a salt of 8 bytes, or NULL.
 *             dst[2 * i] and dst[2 * i + 1]: the first 16 bytes of the digest of key i, as two
 *             numbers whose first byte is the highest.
 *   CELLS     n cells of a rectangle, numbers first, first + step, and so on, all of them in it;
 *             step * 16 < 2^63.  dst[i]: the number that number i is in another order, which the
 *             keys tell: once through the rounds (docs/shuffling.md, Permutations).
 */
/* clang-format on */
#define DVI_SHAPE_UTF8(f, D, S) size_t f(const void *text, size_t n, size_t *units_out)
#define DVI_SHAPE_ENDS(f, D, S)                                                                    \
    size_t f(const void *ends, size_t n, int32_t first, int32_t *last_out)
#define DVI_SHAPE_MAP_ENDS(f, D, S)                                                                \
    size_t f(D *DVI_RESTRICT dst, const void *text, size_t nbytes, const void *ends, size_t n)
#define DVI_SHAPE_COUNTS(f, D, S)                                                                  \
    size_t f(const dv_sparse *rows, int32_t spare, int64_t sums_out[2])
#define DVI_SHAPE_OFFSETS(f, D, S)                                                                 \
    void f(D *DVI_RESTRICT indices, D *DVI_RESTRICT items, const dv_sparse *rows)
#define DVI_SHAPE_STARTS(f, D, S)                                                                  \
    size_t f(D *DVI_RESTRICT counts, const void *DVI_RESTRICT offsets, size_t n, int64_t entries,  \
             int32_t length)
#define DVI_SHAPE_INDICES(f, D, S) size_t f(const dv_sparse *rows, size_t n)
#define DVI_SHAPE_EXPAND(f, D, S)                                                                  \
    size_t f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t n)
#define DVI_SHAPE_PACK(f, D, S)                                                                    \
    size_t f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t n)
#define DVI_SHAPE_RANGE(f, D, S) size_t f(const void *src, size_t n)
#define DVI_SHAPE_DENSIFY(f, D, S)                                                                 \
    void f(D *DVI_RESTRICT dst, size_t stride, size_t width, const dv_sparse *rows, dvi_store store)
#define DVI_SHAPE_DENSIFY_AS(f, D, S) DVI_SHAPE_DENSIFY(f, D, S)
#define DVI_SHAPE_SPARSIFY(f, D, S)                                                                \
    size_t f(int32_t *DVI_RESTRICT counts, int32_t *DVI_RESTRICT indices, D *DVI_RESTRICT items,   \
             const void *DVI_RESTRICT src, size_t stride, size_t width, size_t n)
#define DVI_SHAPE_MAP(f, D, S) void f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t n)

/* Items as the names of conversions spell them; the digit counts bytes. */
#define DVI_ITEM_i1 int8_t
#define DVI_ITEM_i2 int16_t
#define DVI_ITEM_i4 int32_t
#define DVI_ITEM_i8 int64_t
#define DVI_ITEM_u1 uint8_t
#define DVI_ITEM_u2 uint16_t
#define DVI_ITEM_u4 uint32_t
#define DVI_ITEM_u8 uint64_t
#define DVI_ITEM_ug dv_u128
#define DVI_ITEM_f4 float
#define DVI_ITEM_f8 double
#define DVI_ITEM_bl int8_t
#define DVI_ITEM_dt int64_t

/* By which rule a value becomes another (semantics:4).  NaN is written as DV_R4_NA_BITS or
 * DV_R8_NA_BITS, whatever bits it had. */
#define DVI_RULE_FIT_I "NA, and what does not fit, give NA"
#define DVI_RULE_FIT_U "what does not fit gives 0"
#define DVI_RULE_FIT_UG "what does not fit gives 0"
#define DVI_RULE_LOW "the lower half; the upper is 0"
#define DVI_RULE_REAL_I "NA gives NaN; rounded once, to nearest, ties to even"
#define DVI_RULE_LONG_I DVI_RULE_REAL_I
#define DVI_RULE_REAL_U "rounded once, to nearest, ties to even"
#define DVI_RULE_REAL "NaN gives NaN; rounded to nearest, ties to even"
#define DVI_RULE_TRUTH_I "is it not 0?  NA gives NA"
#define DVI_RULE_TRUTH "is it not 0?  NaN is not"
#define DVI_RULE_SAID_I "0 and 1; any other byte gives NA"
#define DVI_RULE_SAID "0 and 1; any other byte gives NaN"
#define DVI_RULE_CLOCK "what is outside 0..DV_TICKS_MAX gives NA"

/* Conversions of one item of fixed width to another, except where the bits are the same anyway:
 * item read, item written, rule.  Y is called with X and level.  First those into a wider number,
 * which has room for all that is read. */
/* clang-format off */
#define DVI_WIDENING_LIST(Y, X, level)                                                              \
    Y(X, level, i1, i2, FIT_I) Y(X, level, i1, i4, FIT_I) Y(X, level, i1, i8, FIT_I)               \
    Y(X, level, i1, f4, REAL_I) Y(X, level, i1, f8, REAL_I)                                        \
    Y(X, level, i2, i4, FIT_I) Y(X, level, i2, i8, FIT_I) Y(X, level, i2, f4, REAL_I)              \
    Y(X, level, i2, f8, REAL_I)                                                                    \
    Y(X, level, i4, i8, FIT_I) Y(X, level, i4, f8, REAL_I)                                         \
    Y(X, level, u1, u2, FIT_U) Y(X, level, u1, u4, FIT_U) Y(X, level, u1, u8, FIT_U)               \
    Y(X, level, u1, f4, REAL_U) Y(X, level, u1, f8, REAL_U)                                        \
    Y(X, level, u2, u4, FIT_U) Y(X, level, u2, u8, FIT_U) Y(X, level, u2, f4, REAL_U)              \
    Y(X, level, u2, f8, REAL_U)                                                                    \
    Y(X, level, u4, u8, FIT_U) Y(X, level, u4, f8, REAL_U)                                         \
    Y(X, level, f4, f8, REAL)                                                                      \
    Y(X, level, bl, i2, SAID_I) Y(X, level, bl, i4, SAID_I) Y(X, level, bl, i8, SAID_I)            \
    Y(X, level, bl, f4, SAID) Y(X, level, bl, f8, SAID)
#define DVI_OTHER_CONVERSION_LIST(Y, X, level)                                                      \
    Y(X, level, i1, bl, TRUTH_I)                                                                   \
    Y(X, level, i2, i1, FIT_I) Y(X, level, i2, bl, TRUTH_I)                                        \
    Y(X, level, i4, i1, FIT_I) Y(X, level, i4, i2, FIT_I) Y(X, level, i4, f4, REAL_I)              \
    Y(X, level, i4, bl, TRUTH_I)                                                                   \
    Y(X, level, i8, i1, FIT_I) Y(X, level, i8, i2, FIT_I) Y(X, level, i8, i4, FIT_I)               \
    Y(X, level, i8, f4, LONG_I) Y(X, level, i8, f8, REAL_I) Y(X, level, i8, bl, TRUTH_I)           \
    Y(X, level, u1, bl, TRUTH)                                                                     \
    Y(X, level, u2, u1, FIT_U) Y(X, level, u2, bl, TRUTH)                                          \
    Y(X, level, u4, u1, FIT_U) Y(X, level, u4, u2, FIT_U) Y(X, level, u4, f4, REAL_U)              \
    Y(X, level, u4, bl, TRUTH)                                                                     \
    Y(X, level, u8, u1, FIT_U) Y(X, level, u8, u2, FIT_U) Y(X, level, u8, u4, FIT_U)               \
    Y(X, level, u8, f4, REAL_U) Y(X, level, u8, f8, REAL_U) Y(X, level, u8, bl, TRUTH)             \
    Y(X, level, u1, ug, LOW)                                                                       \
    Y(X, level, u2, ug, LOW)                                                                       \
    Y(X, level, u4, ug, LOW)                                                                       \
    Y(X, level, u8, ug, LOW)                                                                       \
    Y(X, level, ug, u1, FIT_UG) Y(X, level, ug, u2, FIT_UG) Y(X, level, ug, u4, FIT_UG)            \
    Y(X, level, ug, u8, FIT_UG)                                                                    \
    Y(X, level, f4, bl, TRUTH)                                                                     \
    Y(X, level, f8, f4, REAL) Y(X, level, f8, bl, TRUTH)                                           \
    Y(X, level, bl, i1, SAID_I)                                                                    \
    Y(X, level, dt, i8, CLOCK)
/* clang-format on */
#define DVI_CONVERSION_LIST(Y, X, level)                                                           \
    DVI_WIDENING_LIST(Y, X, level) DVI_OTHER_CONVERSION_LIST(Y, X, level)
#define DVI_CONVERSION_KERNEL(X, level, from, to, rule)                                            \
    X(level, MAP, convert_##from##_##to, DVI_ITEM_##to, DVI_ITEM_##from, DVI_RULE_##rule)

/* Sparse rows whose items are converted as they are written: item read, item written. */
/* clang-format off */
#define DVI_DENSIFY_LIST(Y, X, level)                                                               \
    Y(X, level, i1, f4) Y(X, level, i2, f4) Y(X, level, i4, f4) Y(X, level, i8, f4)                \
    Y(X, level, u1, f4) Y(X, level, u2, f4) Y(X, level, u4, f4) Y(X, level, u8, f4)                \
    Y(X, level, bl, f4) Y(X, level, f8, f4)                                                        \
    Y(X, level, i1, f8) Y(X, level, i2, f8) Y(X, level, i4, f8) Y(X, level, i8, f8)                \
    Y(X, level, u1, f8) Y(X, level, u2, f8) Y(X, level, u4, f8) Y(X, level, u8, f8)                \
    Y(X, level, bl, f8) Y(X, level, f4, f8)
/* clang-format on */
#define DVI_DENSIFY_KERNEL(X, level, from, to)                                                     \
    X(level, DENSIFY_AS, densify_##from##_##to, DVI_ITEM_##to, DVI_ITEM_##from, "converted")
#define DVI_SHAPE_PAIRS(f, D, S)                                                                   \
    size_t f(int32_t *DVI_RESTRICT counts, int32_t *DVI_RESTRICT indices, D *DVI_RESTRICT items,   \
             const dvi_pairs *rows, dvi_pairs_end *end_out)
#define DVI_SHAPE_NA(f, D, S) size_t f(const void *src, size_t n, const dvi_na *na)
#define DVI_SHAPE_NA_MASK(f, D, S)                                                                 \
    size_t f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t n, const dvi_na *na,        \
             int na_bit)
#define DVI_SHAPE_NA_REPLACE(f, D, S)                                                              \
    void f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t n, const dvi_na *na, D value)
#define DVI_SHAPE_MINMAX(f, D, S) void f(const void *src, size_t n, D ends_out[2])
#define DVI_SHAPE_SUM(f, D, S) dvi_sum f(const void *src, size_t n)
#define DVI_SHAPE_SUM_REAL(f, D, S) double f(const void *src, size_t n)
#define DVI_SHAPE_TRANSPOSE(f, D, S)                                                               \
    void f(D *DVI_RESTRICT dst, size_t stride, const void *const *columns, size_t width, size_t n)
#define DVI_SHAPE_ROWS(f, D, S)                                                                    \
    void f(D *DVI_RESTRICT dst, size_t dst_pitch, const void *DVI_RESTRICT src, size_t src_pitch,  \
           size_t width, size_t n, dvi_store store)
#define DVI_SHAPE_GATHER(f, D, S)                                                                  \
    void f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, const void *DVI_RESTRICT index,      \
           size_t n)
#define DVI_SHAPE_GATHER_ENDS(f, D, S)                                                             \
    size_t f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT ends, int32_t first,                    \
             const void *DVI_RESTRICT index, size_t n, int32_t at, int32_t *last_out)
#define DVI_SHAPE_GATHER_TEXT(f, D, S)                                                             \
    void f(D *DVI_RESTRICT dst, size_t nbytes, const void *DVI_RESTRICT text, size_t text_nbytes,  \
           const void *DVI_RESTRICT ends, int32_t first, const void *DVI_RESTRICT index, size_t n)
#define DVI_SHAPE_MOVE_ENDS(f, D, S)                                                               \
    void f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT ends, size_t n, int32_t by)
#define DVI_SHAPE_FIND(f, D, S)                                                                    \
    size_t f(D *DVI_RESTRICT dst, size_t room, const void *DVI_RESTRICT src, size_t n,             \
             const dvi_ascii_set *set)
#define DVI_SHAPE_HASH(f, D, S)                                                                    \
    void f(D *DVI_RESTRICT dst, const dv_text *keys, size_t n, const void *salt)

#define DVI_SHAPE_CELLS(f, D, S)                                                                   \
    void f(D *DVI_RESTRICT dst, S first, S step, size_t n, const dvi_rectangle *rectangle)

/* Every kernel: shape, name, item written, item read, and what its name does not say.   */
#define DVI_KERNEL_LIST(X, level)                                                                  \
    X(level, UTF8, utf8_units, size_t, uint8_t, "RFC 3629: no surrogates, nothing overlong")       \
    X(level, ENDS, ends_check, int32_t, int32_t, "idv:X2 and idv:X3")                              \
    X(level, MAP_ENDS, ends_map, int32_t, int32_t, "idv:5.4")                                      \
    X(level, COUNTS, counts_check, int64_t, int32_t, "idv:V3 to idv:V5 with spare 1")              \
    X(level, OFFSETS, counts_offsets, int64_t, int32_t, "prefix sums")                             \
    X(level, INDICES, indices_check, int32_t, int32_t, "idv:V6")                                   \
    X(level, EXPAND, bits_expand, int8_t, uint8_t, "one bit: 0 or 1 (idv:5.2)")                    \
    X(level, EXPAND, pairs_expand, int8_t, uint8_t, "two bits: 0, 1, NA; 3 is bad (idv:5.3)")      \
    X(level, RANGE, ticks_check, int64_t, int64_t, "0..DV_TICKS_MAX or DV_TICKS_NA (idv:5.1)")     \
    X(level, DENSIFY, densify_4, uint32_t, uint32_t, "any item of 4 bytes")                        \
    X(level, DENSIFY, densify_8, uint64_t, uint64_t, "any item of 8 bytes")                        \
    DVI_CONVERSION_LIST(DVI_CONVERSION_KERNEL, X, level)                                           \
    X(level, PAIRS, pairs_split_8, double, double, "values keep their bits")                       \
    X(level, PAIRS, pairs_split_4, float, double, "values as the CPU rounds them (semantics:4.2)") \
    X(level, NA, na_count_1, size_t, uint8_t, "items of 1 byte")                                   \
    X(level, NA, na_count_2, size_t, uint16_t, "items of 2 bytes")                                 \
    X(level, NA, na_count_4, size_t, uint32_t, "items of 4 bytes")                                 \
    X(level, NA, na_count_8, size_t, uint64_t, "items of 8 bytes")                                 \
    X(level, NA, na_first_1, size_t, uint8_t, "items of 1 byte")                                   \
    X(level, NA, na_first_2, size_t, uint16_t, "items of 2 bytes")                                 \
    X(level, NA, na_first_4, size_t, uint32_t, "items of 4 bytes")                                 \
    X(level, NA, na_first_8, size_t, uint64_t, "items of 8 bytes")                                 \
    X(level, NA_MASK, na_mask_1, uint8_t, uint8_t, "items of 1 byte")                              \
    X(level, NA_MASK, na_mask_2, uint8_t, uint16_t, "items of 2 bytes")                            \
    X(level, NA_MASK, na_mask_4, uint8_t, uint32_t, "items of 4 bytes")                            \
    X(level, NA_MASK, na_mask_8, uint8_t, uint64_t, "items of 8 bytes")                            \
    X(level, NA_REPLACE, na_replace_1, uint8_t, uint8_t, "items of 1 byte")                        \
    X(level, NA_REPLACE, na_replace_2, uint16_t, uint16_t, "items of 2 bytes")                     \
    X(level, NA_REPLACE, na_replace_4, uint32_t, uint32_t, "items of 4 bytes")                     \
    X(level, NA_REPLACE, na_replace_8, uint64_t, uint64_t, "items of 8 bytes")                     \
    X(level, MINMAX, minmax_i1, int8_t, int8_t, "the minimum is NA")                               \
    X(level, MINMAX, minmax_i2, int16_t, int16_t, "the minimum is NA")                             \
    X(level, MINMAX, minmax_i4, int32_t, int32_t, "the minimum is NA")                             \
    X(level, MINMAX, minmax_i8, int64_t, int64_t, "the minimum is NA")                             \
    X(level, MINMAX, minmax_u1, uint8_t, uint8_t, "no NA")                                         \
    X(level, MINMAX, minmax_u2, uint16_t, uint16_t, "no NA")                                       \
    X(level, MINMAX, minmax_u4, uint32_t, uint32_t, "no NA")                                       \
    X(level, MINMAX, minmax_u8, uint64_t, uint64_t, "no NA")                                       \
    X(level, MINMAX, minmax_r4, float, float, "any NaN is NA")                                     \
    X(level, MINMAX, minmax_r8, double, double, "any NaN is NA")                                   \
    X(level, SUM, sum_i1, dvi_sum, int8_t, "the sum")                                              \
    X(level, SUM, sum_i2, dvi_sum, int16_t, "the sum")                                             \
    X(level, SUM, sum_i4, dvi_sum, int32_t, "the sum")                                             \
    X(level, SUM, sum_i8, dvi_sum, int64_t, "the sum")                                             \
    X(level, SUM, sum_u1, dvi_sum, uint8_t, "the sum")                                             \
    X(level, SUM, sum_u2, dvi_sum, uint16_t, "the sum")                                            \
    X(level, SUM, sum_u4, dvi_sum, uint32_t, "the sum")                                            \
    X(level, SUM, sum_u8, dvi_sum, uint64_t, "the sum")                                            \
    X(level, SUM_REAL, sum_r4, double, float, "the sum")                                           \
    X(level, SUM_REAL, sum_r8, double, double, "the sum")                                          \
    X(level, SUM, squares_i1, dvi_sum, int8_t, "the sum of squares")                               \
    X(level, SUM, squares_i2, dvi_sum, int16_t, "the sum of squares")                              \
    X(level, SUM, squares_i4, dvi_sum, int32_t, "the sum of squares")                              \
    X(level, SUM, squares_i8, dvi_sum, int64_t, "the sum of squares")                              \
    X(level, SUM, squares_u1, dvi_sum, uint8_t, "the sum of squares")                              \
    X(level, SUM, squares_u2, dvi_sum, uint16_t, "the sum of squares")                             \
    X(level, SUM, squares_u4, dvi_sum, uint32_t, "the sum of squares")                             \
    X(level, SUM, squares_u8, dvi_sum, uint64_t, "the sum of squares")                             \
    X(level, SUM_REAL, squares_r4, double, float, "the sum of squares")                            \
    X(level, SUM_REAL, squares_r8, double, double, "the sum of squares")                           \
    X(level, DENSIFY, densify_1, uint8_t, uint8_t, "any item of 1 byte")                           \
    X(level, DENSIFY, densify_2, uint16_t, uint16_t, "any item of 2 bytes")                        \
    DVI_DENSIFY_LIST(DVI_DENSIFY_KERNEL, X, level)                                                 \
    X(level, STARTS, offsets_counts_4, int32_t, int32_t, "indptr of CSR")                          \
    X(level, STARTS, offsets_counts_8, int32_t, int64_t, "indptr of CSR")                          \
    X(level, MAP, swap_2, uint16_t, uint16_t, "the bytes of each the other way round")             \
    X(level, MAP, swap_4, uint32_t, uint32_t, "the bytes of each the other way round")             \
    X(level, MAP, swap_8, uint64_t, uint64_t, "the bytes of each the other way round")             \
    X(level, PACK, bits_pack, uint8_t, int8_t, "bits_expand undone")                               \
    X(level, SPARSIFY, sparsify_1, uint8_t, uint8_t, "any item of 1 byte")                         \
    X(level, SPARSIFY, sparsify_2, uint16_t, uint16_t, "any item of 2 bytes")                      \
    X(level, SPARSIFY, sparsify_4, uint32_t, uint32_t, "any item of 4 bytes")                      \
    X(level, SPARSIFY, sparsify_8, uint64_t, uint64_t, "any item of 8 bytes")                      \
    X(level, TRANSPOSE, transpose_4, uint32_t, uint32_t, "any item of 4 bytes")                    \
    X(level, TRANSPOSE, transpose_8, uint64_t, uint64_t, "any item of 8 bytes")                    \
    X(level, ROWS, rows_copy, uint8_t, uint8_t, "rows of bytes")                                   \
    X(level, GATHER, gather_1, uint8_t, uint8_t, "any item of 1 byte")                             \
    X(level, GATHER, gather_2, uint16_t, uint16_t, "any item of 2 bytes")                          \
    X(level, GATHER, gather_4, uint32_t, uint32_t, "any item of 4 bytes")                          \
    X(level, GATHER, gather_8, uint64_t, uint64_t, "any item of 8 bytes")                          \
    X(level, GATHER, gather_16, dv_u128, dv_u128, "any item of 16 bytes")                          \
    X(level, GATHER_ENDS, gather_ends, int32_t, int32_t, "rows of text: their ends")               \
    X(level, GATHER_TEXT, gather_text, uint8_t, uint8_t, "and their bytes")                        \
    X(level, MOVE_ENDS, ends_move, int32_t, int32_t, "texts that lie elsewhere now")               \
    X(level, FIND, bytes_find, uint32_t, uint8_t, "separators, quotes, line ends")                 \
    X(level, HASH, keys_hash, uint64_t, uint8_t,                                                   \
      "BLAKE2s of 32 bytes (datadings:2.3, datadings:2.4)")                                        \
    X(level, CELLS, cells_permute, uint64_t, uint64_t, "a Feistel network of six rounds")

#define DVI_KERNEL_MEMBER(level, shape, name, D, S, contract) DVI_SHAPE_##shape((*name), D, S);
typedef struct dvi_kernel_table {
    DVI_KERNEL_LIST(DVI_KERNEL_MEMBER, _)
} dvi_kernel_table;
#undef DVI_KERNEL_MEMBER

/* The table of the level in use (dv_level_in_use).  It lives as long as the program.  Any thread.
 */
const dvi_kernel_table *dvi_kernels(void);

/* The table of one level, whatever the environment says; a kernel that the level lacks is that of a
 * lower level.  NULL: the CPU, the operating system or the build lacks the level.  Any thread. */
const dvi_kernel_table *dvi_kernels_at(dv_level level);

#ifdef __cplusplus
}
#endif

#endif
