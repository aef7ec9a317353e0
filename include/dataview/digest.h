/* SPDX-License-Identifier: MIT */
/* digest.h: digests of bytes and of the values of columns.
 *
 * Digests are XXH3 (xxHash 0.8), the same on every machine and at every level of instructions. They
 * detect accidental changes.  They are not cryptographic: two tables with the same digest can be
 * constructed. */
#ifndef DATAVIEW_DIGEST_H
#define DATAVIEW_DIGEST_H

#include <dataview/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* XXH3 of n bytes at any address, of 64 and of 128 bits, as other implementations compute it.  src
 * may be NULL if n is 0.  Any thread. */
DV_API uint64_t dv_digest_8(const void *src, size_t n, uint64_t seed);
DV_API dv_u128 dv_digest_16(const void *src, size_t n, uint64_t seed);

/* Computes a digest of bytes and values that are added in any number of calls.  The result does not
 * depend on how bytes are divided among calls.  One thread at a time. */
typedef struct dv_digester dv_digester;

/* Make a digester, to which nothing has been added; free it, and set the pointer to NULL (NULL is
 * fine).  The caller owns it.  allocator NULL: malloc.
 * DV_OK; DV_ERR_MEMORY. */
DV_API dv_status dv_digester_create(dv_digester **digester_out, const dv_allocator *allocator,
                                    dv_error *err);
DV_API void dv_digester_free(dv_digester **digester);

/* Add n bytes; src may be NULL if n is 0.  If only bytes are added, the result is dv_digest_16 of
 * all of them, with seed 0. */
DV_API void dv_digester_add(dv_digester *digester, const void *src, size_t n);

/* Add the values of all rows of a column view.  Adding the batches of a column in order gives the
 * digest of the column.  Rows that are the same by dv_value_same have the same digest, whatever
 * their layout (dense or sparse, borrowed or decoded) and the size of batches; other rows have
 * another one, up to collisions of 128 bits.  Names and types are not included: add them first if
 * they matter.
 *
 * For each row these bytes are added; all numbers are little-endian:
 *
 *   fixed    the value; every NA of BL as DV_BL_NA, every NA of DT as DV_TICKS_NA
 *   zoned    ticks (8 bytes), minutes (2); NA: DV_TICKS_NA, 0
 *   text     length in bytes (int32), the bytes; NA: -1
 *   vector   length in slots (int32); for each slot whose bits, or whose text length, are not 0,
 *            the slot (int32) and the value as above; then -1 (int32)
 */
DV_API void dv_digester_add_column(dv_digester *digester, const dv_column_view *column);

/* The digest of everything added so far.  More can be added afterwards. */
DV_API dv_u128 dv_digester_result(const dv_digester *digester);

#ifdef __cplusplus
}
#endif

#endif
