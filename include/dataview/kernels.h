/* SPDX-License-Identifier: MIT */
/* kernels.h: the library's vector kernels as plain functions, for arrays that the caller owns.
 *
 * A kernel runs at the level in use, or at a lower one where that is known to be faster on this
 * make of CPU.  Every level gives the same bits.
 *
 * Sources may have any alignment.  Destinations are aligned to their items, and do not overlap
 * sources.  Nothing outside the items that the arguments name is read or written.  No function
 * allocates, unless it says so; all may be called from any thread.  err may be NULL. */
#ifndef DATAVIEW_KERNELS_H
#define DATAVIEW_KERNELS_H

#include <dataview/status.h>
#include <dataview/type.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Levels ----------------------------------------------------------------------------------- */

/* Instruction sets: name, and what a CPU and its operating system must offer. */
#define DV_LEVEL_LIST(X)                                                                           \
    X(SCALAR, scalar, "any CPU")                                                                   \
    X(AVX2, avx2, "AVX2, BMI1, BMI2, LZCNT, POPCNT")                                               \
    X(AVX512, avx512, "AVX-512 F, DQ, BW, VL, VBMI2, VNNI, and the needs of avx2")                 \
    X(NEON, neon, "64-bit ARM")

#define DV_LEVEL_MEMBER(NAME, name, needs) DV_LEVEL_##NAME,
typedef enum dv_level { DV_LEVEL_LIST(DV_LEVEL_MEMBER) DV_LEVELS } dv_level;
#undef DV_LEVEL_MEMBER

/* The level that the library uses: the highest that can run here, or the highest up to
 * DATAVIEW_SIMD=scalar|avx2|avx512|neon in the environment.  The variable is read once, at the
 * first call; a value that names no level has no effect. */
DV_API dv_level dv_level_in_use(void);

/* Whether a level can run here: the CPU, the operating system and the build have it.  The
 * environment does not matter. */
DV_API bool dv_level_is_available(dv_level level);

/* "avx2"; "?" for a number that is no level. */
DV_API const char *dv_level_name(dv_level level);

/* --- Conversion ------------------------------------------------------------------------------- */

/* Convert n items of kind `from` to kind `to` by the rules of semantics:4.  Both are kinds of fixed
 * width; equal kinds are copied.  What does not fit becomes NA, or 0 if `to` has no NA.
 *
 * DV_ERR_ARGUMENT  there is no such conversion, or dst is not aligned: nothing is written
 */
DV_API dv_status dv_items_convert(void *dst, dv_kind to, const void *src, dv_kind from, size_t n,
                                  dv_error *err);

/* --- NA --------------------------------------------------------------------------------------- */

/* n items of a type: a number, a key, BL, TS or DT (semantics:1.1, semantics:1.2).  A key is NA if
 * it is 0 or above the type's count; types without NA are accepted, and none of their items is NA.
 * All return DV_ERR_ARGUMENT, and write nothing, if the type is a vector, or not of 1, 2, 4 or 8
 * bytes, or a destination is not aligned. */

/* *first_out: the index of the first NA; n if there is none. */
DV_API dv_status dv_items_na_first(size_t *first_out, const dv_type *type, const void *items,
                                   size_t n, dv_error *err);

/* *count_out: how many items are NA. */
DV_API dv_status dv_items_na_count(size_t *count_out, const dv_type *type, const void *items,
                                   size_t n, dv_error *err);

/* Write a bit per item into bits[(n + 7) / 8], the lowest first: 0 if it is NA, 1 if not (the
 * validity bitmap of Arrow).  Unused bits of the last byte are 0.  *count_out: how many items are
 * NA; may be NULL. */
DV_API dv_status dv_items_na_mask(uint8_t *bits, size_t *count_out, const dv_type *type,
                                  const void *items, size_t n, dv_error *err);

/* Copy the items to dst, with *value, an item of the type, in place of each NA. */
DV_API dv_status dv_items_na_replace(void *dst, const dv_type *type, const void *items, size_t n,
                                     const void *value, dv_error *err);

/* --- Bits and text ---------------------------------------------------------------------------- */

/* Unpack n bits, the lowest of each byte first, to bytes 0 and 1 (idv:5.2). */
DV_API void dv_bits_unpack(int8_t *dst, const uint8_t *bits, size_t n);

/* Pack n bytes into bits[(n + 7) / 8]: 1 where the byte is 1.  Unused bits of the last byte are 0.
 * Returns how many bytes are neither 0 nor 1: these are NA, and their bits are 0. */
DV_API size_t dv_bits_pack(uint8_t *bits, const int8_t *src, size_t n);

/* Returns how many of the nbytes of text are well-formed UTF-8 (RFC 3629: no surrogates, nothing
 * overlong): all of them, or those before the first character that is ill-formed or cut off.
 * *units_out: their length in UTF-16 code units; may be NULL. */
DV_API size_t dv_utf8_check(size_t *units_out, const void *text, size_t nbytes);

/* --- Sparse rows ------------------------------------------------------------------------------ */

/* n rows of vectors, one after another: the layout of an .idv block (idv:5.6).  int32 arrays may
 * have any alignment.  `indices` and `items` have as many entries as the counts require. */
typedef struct dv_sparse {
    size_t n;            /* rows */
    int32_t length;      /* slots of every row; not used if there are lengths */
    const void *lengths; /* int32[n]: slots of each row; or NULL */
    const void *counts;  /* int32[n]: stored items of each row; -1: the row is dense, all of them */
    const void *indices; /* int32[]: the slots of the items of sparse rows, row after row; within a
                            row they rise strictly */
    const void *items;   /* the items of all rows, row after row */
} dv_sparse;

/* Write the rows into a dense matrix: dst[i * stride + slot], slots 0 to width - 1, 0 where the row
 * has no item.  Entries between width and stride keep their values.  `to` is `from`, of 1, 2, 4 or
 * 8 bytes; or R4 or R8, and `from` a number or BL, which dv_items_convert converts.
 *
 * DV_ERR_ARGUMENT  no such conversion; stride below width; dst not aligned: nothing is written.  A
 *                  row that is longer than width, has a count above its length, or indices that do
 *                  not rise or are too large: nothing is written; the message names row or index
 */
DV_API dv_status dv_sparse_densify(void *dst, dv_kind to, size_t stride, size_t width,
                                   const dv_sparse *rows, dv_kind from, dv_error *err);

/* Find the items of n dense rows whose bits are not all 0 (-0 and NaN among them).  Row i starts at
 * src + i * stride items of item_nbytes each (1, 2, 4 or 8).
 *
 * counts[n]: items of each row.  indices, items: their slots, and they themselves, row after row;
 * both have room for n * width entries, all of which may be written.  *entries_out: how many there
 * are; may be NULL.
 *
 * DV_ERR_ARGUMENT  another width of items, stride below width, width of 2^31 or more, a destination
 *                  that is not aligned: nothing is written
 */
DV_API dv_status dv_sparse_from_dense(int32_t *counts, int32_t *indices, void *items,
                                      size_t *entries_out, const void *src, size_t item_nbytes,
                                      size_t stride, size_t width, size_t n, dv_error *err);

/* counts[i] = indptr[i + 1] - indptr[i], for n rows of a CSR matrix.  indptr has n + 1 entries of
 * kind I4 or I8.
 *
 * DV_ERR_ARGUMENT  another kind, counts not aligned: nothing is written.  A row that starts before
 *                  the one before it ends, ends after `entries`, or has more than `columns`
 * entries: the message names it; counts of rows before it may be written
 */
DV_API dv_status dv_csr_row_counts(int32_t *counts, const void *indptr, dv_kind indptr_kind,
                                   size_t n, int64_t entries, int32_t columns, dv_error *err);

/* --- Weighted means of pixels ----------------------------------------------------------------- */

/* Weights are fixed-point numbers with so many bits after the point.  A mean is the sum of a half
 * and of all products, modulo 2^32, cut to a whole number and to 0..255.  Weights that add up to 1,
 * of which the positive ones add up to 2 at most, never leave 32 bits. */
#define DV_WEIGHT_BITS 22

/* The pixels of which a mean is made: `count` of them from `first` on. */
typedef struct dv_taps {
    int32_t first, count;
} dv_taps;

/* The means of which a row is made of another one. */
typedef struct dv_mix {
    size_t n;               /* pixels of the new row */
    const dv_taps *taps;    /* of each */
    const int32_t *weights; /* `stride` for each: of its taps, and 0 up to the next multiple of 4.
                             Others are not read */
    size_t stride;          /* a multiple of 4, and at least the count of each */
} dv_mix;

/* Make rows of mix->n pixels of rows of `width` pixels, of 1, 3 or 4 bytes each (channels).  Row i
 * starts at src + i * src_pitch, and at dst + i * dst_pitch.  What lies between the rows of the
 * source may be read, and has no effect.
 *
 * DV_ERR_ARGUMENT  another number of channels; taps outside the row, or more than `stride`; a
 *                  stride that is no multiple of 4; a pitch below a row: nothing is written
 */
DV_API dv_status dv_pixels_mix(uint8_t *dst, size_t dst_pitch, const uint8_t *src, size_t src_pitch,
                               size_t width, size_t rows, int32_t channels, const dv_mix *mix,
                               dv_error *err);

/* Make a row of n bytes, each the mean of the bytes above each other in `count` rows: the first
 * starts at src, the next one `pitch` bytes after it, and so on. */
DV_API void dv_rows_blend(uint8_t *dst, const uint8_t *src, size_t pitch, size_t n,
                          const int32_t *weights, size_t count);

/* How a byte v of each of three channels becomes a number: ((v - offset) * scale - mean) /
 * deviation, each rounded to R4. */
typedef struct dv_pixel_scale {
    float offset, scale, mean[3], deviation[3];
} dv_pixel_scale;

/* Make three planes of the numbers of n pixels of 3 or 4 bytes each (channels): dst[c][i] is that
 * of byte c of pixel i.  A fourth channel is left out.
 *
 * DV_ERR_ARGUMENT  another number of channels: nothing is written
 */
DV_API dv_status dv_pixels_planes(float *const dst[3], const uint8_t *src, size_t n,
                                  int32_t channels, const dv_pixel_scale *how, dv_error *err);

/* --- The list of kernels ---------------------------------------------------------------------- */

/* A kernel inside the library, for those who list or time them; most have no function above. */
typedef struct dv_kernel {
    const char *name;     /* "convert_i4_f8" */
    const char *contract; /* what the name does not say */
} dv_kernel;

/* All kernels, in an order that stays; *n_out: how many.  Static. */
DV_API const dv_kernel *dv_kernel_list(size_t *n_out);

/* The level whose code the library runs for entry `kernel` of the list: that in use, or a lower
 * one, if the level in use has no code of its own for it or is known to be slower on this make of
 * CPU. DV_LEVELS if there is no such kernel. */
DV_API dv_level dv_kernel_level(size_t kernel);

/* Input for every kernel, small enough for the first caches.  For one thread at a time. */
typedef struct dv_kernel_sample dv_kernel_sample;

/* DV_ERR_MEMORY: nothing is made. */
DV_API dv_status dv_kernel_sample_create(dv_kernel_sample **sample_out, dv_error *err);

/* Run entry `kernel` of the list once, at a level.  Returns how many bytes it read and wrote; 0 if
 * there is no such kernel, or the level is not available. */
DV_API size_t dv_kernel_sample_run(dv_kernel_sample *sample, size_t kernel, dv_level level);

/* Sets the pointer to NULL; NULL is fine. */
DV_API void dv_kernel_sample_free(dv_kernel_sample **sample);

#ifdef __cplusplus
}
#endif

#endif
