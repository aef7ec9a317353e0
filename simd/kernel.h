/* SPDX-License-Identifier: MIT */
/* kernel.h: the list of kernels, the shapes of their arguments, and the table of each level.
 *
 * Each kernel exists at level scalar, which defines it; the other levels give the same bits for
 * the same input.  A kernel allocates no memory, has no state, and may run in any thread.
 *
 * Sources may have any alignment, as mapped blocks do.  Destinations are aligned to their items and
 * do not overlap sources.  A kernel reads and writes nothing outside the n items that it is given.
 *
 * Unless its shape says otherwise, a kernel that checks returns the number of valid items before
 * the first invalid one: n if all are valid.  The output for the invalid item and for later ones is
 * unspecified. */
#ifndef DVI_SIMD_KERNEL_H
#define DVI_SIMD_KERNEL_H

#include <dataview/kernels.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#define DVI_RESTRICT
#else
#define DVI_RESTRICT restrict
#endif

/* Rows of a BTable that lie end to end, all big-endian (btable:1): a row is its count, int32, and
 * that number of pairs of an int32 index and an f8 value. */
typedef struct dvi_pairs {
    const void *src;
    size_t nbytes;  /* of src; the last row may be truncated */
    size_t rows;    /* read at most this number of rows */
    size_t items;   /* room in the arrays of items and of indices; all of it may be written */
    int32_t length; /* slots of every row */
    int32_t dense;  /* rows with this number of pairs are dense: count -1, no indices; -1: none */
} dvi_pairs;

/* How much of a dvi_pairs a kernel has read and written. */
typedef struct dvi_pairs_end {
    size_t nbytes, indices, items;
} dvi_pairs_end;

/* The rule by which items are NA.  An item is an unsigned number of its width; it is NA if
 * (item & mask) - low, which wraps, is above `most`.  The members have the width of the item;
 * higher bits are ignored. */
typedef struct dvi_na {
    uint64_t mask, low, most;
} dvi_na;

/* An integer of 192 bits in two's complement, the lowest word first.  It holds the sum of fewer
 * than 2^64 integers or of their squares. */
typedef struct dvi_sum {
    uint64_t word[3];
} dvi_sum;

/* Return the nearest double, ties to even.  Any thread. */
double dvi_sum_r8(const dvi_sum *sum);

/* A set of ASCII characters.  c, which is below 128, is in the set if
 * members[c & 15] >> (c >> 4) & 1. */
typedef struct dvi_ascii_set {
    uint8_t members[16];
} dvi_ascii_set;

/* Add an ASCII character. */
static inline void dvi_ascii_set_add(dvi_ascii_set *set, uint8_t c)
{
    set->members[c & 15] = (uint8_t)(set->members[c & 15] | 1U << (c >> 4));
}

/* A rectangle of numbered cells: cell y of column x has the number x * height + y.  Width and
 * height are from 1 to 2^31. */
#define DVI_RECTANGLE_KEYS 6
typedef struct dvi_rectangle {
    uint32_t width, height;
    uint32_t keys[DVI_RECTANGLE_KEYS];
} dvi_rectangle;

/* How numbers are hashed to keys (semantics:7.6). */
typedef struct dvi_murmur {
    uint32_t seed;
    uint32_t mask;   /* 2^bits - 1, at most 2^31 - 1 */
    uint32_t nbytes; /* that a hash ends with; 0 in version 1 */
    bool is_real;    /* -0 is hashed as +0 */
    bool skips_zero; /* a higher half that is 0 is left out, as in version 1 */
    dvi_na na;
} dvi_murmur;

/* A pixel of three channels. */
typedef struct dvi_rgb {
    uint8_t channel[3];
} dvi_rgb;

/* How output is written; the bytes are the same.  The fastest form for output larger than the cache
 * depends on the machine.  A level that lacks a form writes as with DVI_STORE_CACHED. */
typedef enum dvi_store {
    DVI_STORE_CACHED, /* ordinary stores */
    DVI_STORE_STREAM, /* non-temporal stores, which bypass the cache */
    DVI_STORE_REPEAT, /* by the CPU's own fill instruction */
    DVI_STORES
} dvi_store;

/* clang-format off */
/* The arguments and the result of each shape.  A shape is named for what its kernels do.  Packed
 * bits begin with the lowest bit of a byte.
 *
 *   UTF8      Validates n bytes of text.  Returns the length in bytes of the well-formed prefix,
 *             which ends before the first character that is ill-formed or truncated.  *units_out:
 *             the length of the prefix in UTF-16 code units.
 *   ENDS      Checks the ends of n texts that lie end to end: int32, bit 31 is set for NA.  An end
 *             is valid if it is not below the end before it, and equal to it for NA.  `first` is
 *             the end before the first one.  *last_out: the last valid end, without bit 31.  dst:
 *             NULL, or a copy of the valid ends; what follows them is undefined.  Each end is read
 *             once, so the copy is valid even if the ends change meanwhile.
 *   MAP_ENDS  Converts n valid ends, the first text starting at 0, from UTF-16 code units to
 *             bytes.  text: nbytes of valid UTF-8; the last end is not after it.  dst: the ends in
 *             bytes, with bit 31 kept.  An end inside a surrogate pair is invalid.
 *   COUNTS    Checks the lengths and counts of rows.  Valid: a length >= 0, and a count that is -1
 *             or from 0 to length - spare (spare is 0 or 1).  sums_out: the numbers of indices and
 *             of items in the rows before the first invalid one.
 *   OFFSETS   Adds up lengths and valid counts of rows.  indices[i + 1] and items[i + 1]: where
 *             the indices and the items of row i end.  indices[0] and items[0] are given: where
 *             those of row 0 start.
 *   STARTS    Converts n + 1 offsets into arrays of `entries` entries to counts: where each of n
 *             rows starts, and where the last one ends.  Valid: offsets from 0 to entries that do
 *             not decrease, and at most `length` entries in a row.  counts[i]: the entries of row
 *             i.
 *   INDICES   Checks the n indices of rows with valid counts.  Valid: not negative, strictly
 *             increasing within a row, and below the length of the row.
 *   EXPAND    Unpacks n values from the bits of src to a byte each in dst.
 *   PACK      Packs n Booleans, a byte each, into bits: 1 where the byte is 1.  Unused bits of the
 *             last byte are 0.  Returns the number of bytes that are neither 0 nor 1, which are
 *             NA.
 *   RANGE     Checks n values.  A value outside the range is invalid.
 *   DENSIFY   Writes valid rows of at most `width` slots as a matrix: dst[i * stride + slot], all
 *             `width` slots of each row, 0 where the row has no item.  stride >= width; the slots
 *             between rows are not touched.
 *   DENSIFY_AS  As DENSIFY; each item is converted as by convert_<read>_<written>.
 *   SPARSIFY  Finds the items of n rows of `width` slots; row i starts at src[i * stride].  stride
 *             >= width, width < 2^31.  A slot is an item unless all its bits are 0, so -0 and NaN
 *             are items.  counts[i]: the number of items in row i.  indices and items: their slots
 *             and values, row after row.  Each of the two has room for n * width, and all of it
 *             may be written.  Returns the sum of the counts.
 *   MAP       Makes n values: dst[i] from value i of src.
 *   PAIRS     Splits rows of a BTable.  A row is valid if it is complete, there is room for it,
 *             its count is from 0 to the length, and its indices are valid as for INDICES.
 *             Returns the number of rows before the first invalid one, and writes for these rows
 *             the counts (-1: dense), the indices of rows that are not dense, the items, and
 *             *end_out.
 *   NA        Reads n items.  Returns the number of NAs (na_count), or the index of the first NA,
 *             n if there is none (na_first).
 *   NA_MASK   Writes a bit for each of n items: na_bit (0 or 1) where the item is NA, and the
 *             other value elsewhere.  Unused bits of the last byte are 0.  Returns the number of
 *             NAs.  With na_bit 0, dst is a validity bitmap of Arrow.
 *   NA_REPLACE  Copies n items to dst, with `value` in place of NA.
 *   MINMAX    Finds the minimum and the maximum of n values, without NA.  For reals, -0 is less
 *             than +0.  If no value remains, ends_out is the greatest value of the type, then the
 *             least one (the infinities for reals), so that results of subsets can be combined.
 *   SUM       Adds n integers, or their squares, without NA.  The sum is exact.
 *   SUM_REAL  Adds n reals, or their squares, as doubles, without NA.  Real i is added to sum i
 *             mod 16; then sums 2 i and 2 i + 1 are added to become sum i, four times.  If the
 *             result is not a number (infinities of both signs), it is DV_R8_NA_BITS.
 *   TRANSPOSE  Writes `width` columns of n items as a matrix: dst[i * stride + k] is item i of
 *             columns[k].  stride >= width; the slots between rows are not touched.
 *   ROWS      Copies n rows of `width` bytes that start src_pitch bytes apart to rows that start
 *             dst_pitch bytes apart.  Both pitches are >= width; the bytes between rows of dst are
 *             not touched.  After streaming, the caller issues a store fence before another thread
 *             may read the rows.
 *   GATHER    Copies items: dst[i] is item index[i] of src.  n indices, int32, none negative.
 *   GATHER_ENDS  n indices, int32, of texts with valid ends; the first text starts at `first`.
 *             dst: the ends of the selected texts in this order, laid end to end from `at` on.  An
 *             end above 2^31 - 1 is invalid.  *last_out: the last valid end, without bit 31; `at`
 *             if there is none.
 *   GATHER_TEXT  Copies the bytes of the same texts in this order, nbytes in all, from text, which
 *             has text_nbytes.
 *   MOVE_ENDS  Adds `by` to n ends; bit 31 is kept.  The results are from 0 to 2^31 - 1.
 *   FIND      Finds the bytes of the set among n bytes, at most 2^32.  dst: the first `room` of
 *             their offsets, in increasing order.  All of the room may be written.  Returns the
 *             number of offsets written.
 *   HASH      Hashes n keys of any length; NA counts as an empty key.  salt: 8 bytes, or NULL.
 *             dst[2 * i] and dst[2 * i + 1]: the first 16 bytes of the digest of key i, as two
 *             big-endian numbers.
 *   CELLS     Permutes n cells of a rectangle, numbers first, first + step, and so on, which are
 *             all in the rectangle; step * 16 < 2^63.  dst[i]: the number that the i-th of them
 *             becomes after one pass through the rounds with the rectangle's keys
 *             (docs/shuffling.md, Permutations).
 *   MURMUR    Hashes n numbers to keys: dst[i] is 0 if number i is NA, else 1 + its hash & mask.
 *             slots: NULL, or n words of 32 bits; then the seed of number i is that of slots[i].
 *             A text has 16 bytes: up to 15 of ASCII, zeros, and in the last one its length, 0 if
 *             it is NA; nbytes is 0, and skips_zero is set in version 1.
 *   AFFINE    Scales n reals: dst[i] is (value i - offset[i]) * scale[i], each rounded (semantics:
 *             7.12); with plus, 0 is added, which makes 0 of -0. No offset and no scale is NaN.
 *   BINS      Finds n reals among bounds that do not decrease and end in infinity: dst[i] is the
 *             number of the first bound that is not below value i; of NaN it is 0.
 *   MIX       Makes rows of mix->n pixels of as many rows of nbytes, which are pixels
 *             (dv_pixels_mix).  What lies between the rows of the source may be read.
 *   BLEND     Makes a row of n bytes of `count` rows, `pitch` bytes apart (dv_rows_blend).
 *   PLANES    Makes numbers of the first three bytes of n pixels (dv_pixels_planes).
 */
/* clang-format on */
#define DVI_SHAPE_UTF8(f, D, S) size_t f(const void *text, size_t n, size_t *units_out)
#define DVI_SHAPE_ENDS(f, D, S)                                                                    \
    size_t f(D *DVI_RESTRICT dst, const void *ends, size_t n, int32_t first, int32_t *last_out)
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

/* The types of items, by their abbreviations in the names of conversions; the digit is the number
 * of bytes. */
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

/* The rules of conversions (semantics:4).  Any NaN is written as DV_R4_NA_BITS or DV_R8_NA_BITS. */
#define DVI_RULE_FIT_I "NA and values out of range give NA"
#define DVI_RULE_FIT_U "values out of range give 0"
#define DVI_RULE_FIT_UG "values out of range give 0"
#define DVI_RULE_LOW "the lower half; the upper half is 0"
#define DVI_RULE_REAL_I "NA gives NaN; rounded once, to nearest, ties to even"
#define DVI_RULE_LONG_I DVI_RULE_REAL_I
#define DVI_RULE_REAL_U "rounded once, to nearest, ties to even"
#define DVI_RULE_REAL "NaN gives NaN; rounded to nearest, ties to even"
#define DVI_RULE_NONZERO_I "1 unless the value is 0; NA gives NA"
#define DVI_RULE_NONZERO "1 unless the value is 0; NaN gives 1"
#define DVI_RULE_BOOL_I "0 and 1; any other byte gives NA"
#define DVI_RULE_BOOL "0 and 1; any other byte gives NaN"
#define DVI_RULE_TICKS "values outside 0..DV_TICKS_MAX give NA"

/* Conversions between items of fixed width, except those that keep the bits: item read, item
 * written, rule.  Y is called with X and level.  DVI_WIDENING_LIST has those to a wider number,
 * which holds every value read. */
/* clang-format off */
#define DVI_WIDENING_LIST(Y, X, level)                                                             \
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
    Y(X, level, bl, i2, BOOL_I) Y(X, level, bl, i4, BOOL_I) Y(X, level, bl, i8, BOOL_I)            \
    Y(X, level, bl, f4, BOOL) Y(X, level, bl, f8, BOOL)
#define DVI_OTHER_CONVERSION_LIST(Y, X, level)                                                     \
    Y(X, level, i1, bl, NONZERO_I)                                                                 \
    Y(X, level, i2, i1, FIT_I) Y(X, level, i2, bl, NONZERO_I)                                      \
    Y(X, level, i4, i1, FIT_I) Y(X, level, i4, i2, FIT_I) Y(X, level, i4, f4, REAL_I)              \
    Y(X, level, i4, bl, NONZERO_I)                                                                 \
    Y(X, level, i8, i1, FIT_I) Y(X, level, i8, i2, FIT_I) Y(X, level, i8, i4, FIT_I)               \
    Y(X, level, i8, f4, LONG_I) Y(X, level, i8, f8, REAL_I) Y(X, level, i8, bl, NONZERO_I)         \
    Y(X, level, u1, bl, NONZERO)                                                                   \
    Y(X, level, u2, u1, FIT_U) Y(X, level, u2, bl, NONZERO)                                        \
    Y(X, level, u4, u1, FIT_U) Y(X, level, u4, u2, FIT_U) Y(X, level, u4, f4, REAL_U)              \
    Y(X, level, u4, bl, NONZERO)                                                                   \
    Y(X, level, u8, u1, FIT_U) Y(X, level, u8, u2, FIT_U) Y(X, level, u8, u4, FIT_U)               \
    Y(X, level, u8, f4, REAL_U) Y(X, level, u8, f8, REAL_U) Y(X, level, u8, bl, NONZERO)           \
    Y(X, level, u1, ug, LOW)                                                                       \
    Y(X, level, u2, ug, LOW)                                                                       \
    Y(X, level, u4, ug, LOW)                                                                       \
    Y(X, level, u8, ug, LOW)                                                                       \
    Y(X, level, ug, u1, FIT_UG) Y(X, level, ug, u2, FIT_UG) Y(X, level, ug, u4, FIT_UG)            \
    Y(X, level, ug, u8, FIT_UG)                                                                    \
    Y(X, level, f4, bl, NONZERO)                                                                   \
    Y(X, level, f8, f4, REAL) Y(X, level, f8, bl, NONZERO)                                         \
    Y(X, level, bl, i1, BOOL_I)                                                                    \
    Y(X, level, dt, i8, TICKS)
/* clang-format on */
#define DVI_CONVERSION_LIST(Y, X, level)                                                           \
    DVI_WIDENING_LIST(Y, X, level) DVI_OTHER_CONVERSION_LIST(Y, X, level)
#define DVI_CONVERSION_KERNEL(X, level, from, to, rule)                                            \
    X(level, MAP, convert_##from##_##to, DVI_ITEM_##to, DVI_ITEM_##from, DVI_RULE_##rule)

/* Conversions of items while sparse rows are made dense: item read, item written. */
/* clang-format off */
#define DVI_DENSIFY_LIST(Y, X, level)                                                              \
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

#define DVI_SHAPE_AFFINE(f, D, S)                                                                  \
    void f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t n, const D *offset,           \
           const D *scale, bool plus)
#define DVI_SHAPE_BINS(f, D, S)                                                                    \
    void f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t n, const S *bounds,           \
           size_t bounds_n)
#define DVI_SHAPE_MIX(f, D, S)                                                                     \
    void f(D *DVI_RESTRICT dst, size_t dst_pitch, const void *DVI_RESTRICT src, size_t src_pitch,  \
           size_t nbytes, size_t rows, const dv_mix *mix)
#define DVI_SHAPE_BLEND(f, D, S)                                                                   \
    void f(D *DVI_RESTRICT dst, const void *DVI_RESTRICT src, size_t pitch, size_t n,              \
           const int32_t *weights, size_t count)
#define DVI_SHAPE_PLANES(f, D, S)                                                                  \
    void f(D *const dst[3], const void *src, size_t n, const dv_pixel_scale *how)
#define DVI_SHAPE_MURMUR(f, D, S)                                                                  \
    void f(D *DVI_RESTRICT dst, const void *src, size_t n, const void *slots, const dvi_murmur *how)

/* Every kernel: shape, name, item written, item read, and the contract that completes its shape. */
#define DVI_KERNEL_LIST(X, level)                                                                  \
    X(level, UTF8, utf8_units, size_t, uint8_t, "RFC 3629: no surrogates, no overlong forms")      \
    X(level, ENDS, ends_check, int32_t, int32_t, "idv:X2 and idv:X3")                              \
    X(level, MAP_ENDS, ends_map, int32_t, int32_t, "idv:5.4")                                      \
    X(level, COUNTS, counts_check, int64_t, int32_t, "idv:V3 to idv:V5 with spare 1")              \
    X(level, OFFSETS, counts_offsets, int64_t, int32_t, "prefix sums")                             \
    X(level, INDICES, indices_check, int32_t, int32_t, "idv:V6")                                   \
    X(level, EXPAND, bits_expand, int8_t, uint8_t, "one bit: 0 or 1 (idv:5.2)")                    \
    X(level, EXPAND, pairs_expand, int8_t, uint8_t, "two bits: 0, 1, NA; 3 is invalid (idv:5.3)")  \
    X(level, RANGE, ticks_check, int64_t, int64_t, "0..DV_TICKS_MAX or DV_TICKS_NA (idv:5.1)")     \
    X(level, DENSIFY, densify_4, uint32_t, uint32_t, "any item of 4 bytes")                        \
    X(level, DENSIFY, densify_8, uint64_t, uint64_t, "any item of 8 bytes")                        \
    DVI_CONVERSION_LIST(DVI_CONVERSION_KERNEL, X, level)                                           \
    X(level, PAIRS, pairs_split_8, double, double, "values keep their bits")                       \
    X(level, PAIRS, pairs_split_4, float, double, "values rounded by the CPU (semantics:4.2)")     \
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
    X(level, MAP, swap_2, uint16_t, uint16_t, "bytes reversed")                                    \
    X(level, MAP, swap_4, uint32_t, uint32_t, "bytes reversed")                                    \
    X(level, MAP, swap_8, uint64_t, uint64_t, "bytes reversed")                                    \
    X(level, PACK, bits_pack, uint8_t, int8_t, "the reverse of bits_expand")                       \
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
    X(level, GATHER_ENDS, gather_ends, int32_t, int32_t, "rows of text: ends")                     \
    X(level, GATHER_TEXT, gather_text, uint8_t, uint8_t, "rows of text: bytes")                    \
    X(level, MOVE_ENDS, ends_move, int32_t, int32_t, "texts at other offsets")                     \
    X(level, FIND, bytes_find, uint32_t, uint8_t, "separators, quotes, line ends")                 \
    X(level, HASH, keys_hash, uint64_t, uint8_t,                                                   \
      "BLAKE2s of 32 bytes (datadings:2.3, datadings:2.4)")                                        \
    X(level, CELLS, cells_permute, uint64_t, uint64_t, "a Feistel network of six rounds")          \
    X(level, MURMUR, murmur_u4, uint32_t, uint32_t, "numbers of 32 bits (semantics:7.6)")          \
    X(level, MURMUR, murmur_u8, uint32_t, uint64_t, "numbers of 64 bits, the lower half first")    \
    X(level, MURMUR, murmur_text, uint32_t, dv_u128, "short texts of ASCII (semantics:7.6)")       \
    X(level, AFFINE, affine_r4, float, float, "rounded to R4")                                     \
    X(level, AFFINE, affine_r8, double, double, "rounded to R8")                                   \
    X(level, BINS, bins_r4, uint32_t, float, "bounds of R4")                                       \
    X(level, BINS, bins_r8, uint32_t, double, "bounds of R8")                                      \
    X(level, MIX, pixels_mix_1, uint8_t, uint8_t, "pixels of 1 byte")                              \
    X(level, MIX, pixels_mix_3, uint8_t, dvi_rgb, "pixels of 3 bytes")                             \
    X(level, MIX, pixels_mix_4, uint8_t, uint32_t, "pixels of 4 bytes")                            \
    X(level, BLEND, rows_blend, uint8_t, uint8_t, "any bytes")                                     \
    X(level, PLANES, planes_3, float, dvi_rgb, "pixels of 3 bytes")                                \
    X(level, PLANES, planes_4, float, uint32_t, "pixels of 4 bytes")

#define DVI_KERNEL_MEMBER(level, shape, name, D, S, contract) DVI_SHAPE_##shape((*name), D, S);
typedef struct dvi_kernel_table {
    DVI_KERNEL_LIST(DVI_KERNEL_MEMBER, _)
} dvi_kernel_table;
#undef DVI_KERNEL_MEMBER

/* Return the table of the level in use (dv_level_in_use), in which a few kernels are those of a
 * lower level that wins on this make of CPU (choice.h).  It is valid until the program ends.  Any
 * thread. */
const dvi_kernel_table *dvi_kernels(void);

/* Return the table of one level; the environment does not matter.  Kernels that the level lacks are
 * those of a lower level.  NULL: the CPU, the operating system or the build does not have the
 * level.  Any thread. */
const dvi_kernel_table *dvi_kernels_at(dv_level level);

#ifdef __cplusplus
}
#endif

#endif
