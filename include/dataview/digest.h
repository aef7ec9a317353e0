/* SPDX-License-Identifier: MIT */
/* digest.h: are these the same bytes, the same values?
 *
 * Digests are XXH3 (xxHash 0.8), the same on every machine and at every level of instructions. They
 * tell what has changed by accident from what has not; who wants two tables to have one digest can
 * make them. */
#ifndef DATAVIEW_DIGEST_H
#define DATAVIEW_DIGEST_H

#include <dataview/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* XXH3 of n bytes at any address, 64 and 128 bits, as every other implementation gives it.  src may
 * be NULL when n is 0.  Any thread. */
DV_API uint64_t dv_digest_8(const void *src, size_t n, uint64_t seed);
DV_API dv_u128 dv_digest_16(const void *src, size_t n, uint64_t seed);

/* A digest of what is added piece by piece; how it is cut into pieces does not matter.  One thread
 * at a time. */
typedef struct dv_digester dv_digester;

/* With nothing added.  allocator (NULL: malloc) serves this one object.  dv_digester_free sets the
 * pointer to NULL; NULL is fine.
 * DV_OK; DV_ERR_MEMORY. */
DV_API dv_status dv_digester_create(dv_digester **digester_out, const dv_allocator *allocator,
                                    dv_error *err);
DV_API void dv_digester_free(dv_digester **digester);

/* Add n bytes.  The result is then dv_digest_16 of all of them, with seed 0. */
DV_API void dv_digester_add(dv_digester *digester, const void *src, size_t n);

/* Add the values of all rows of a column; batches of a column, one after the other, make the digest
 * of the column.  Rows that are the same by dv_value_same give the same digest, whatever their
 * layout: dense or sparse, borrowed or decoded, cut into batches in any way; and only they, as far
 * as 128 bits tell.  Types are not in it, nor names: add those first where they matter.  Of each
 * row these bytes are added, all numbers little-endian:
 *
 *   fixed    the value; of BL and DT, each of which has many NAs: DV_BL_NA, DV_TICKS_NA
 *   zoned    ticks (8 bytes), minutes (2); NA: DV_TICKS_NA, 0
 *   text     length in bytes (int32), the bytes; NA: -1
 *   vector   length in slots (int32); of each slot whose bits, or whose text's length, are not all
 *            0: the slot (int32), and the value as above; then -1 (int32)
 */
DV_API void dv_digester_add_column(dv_digester *digester, const dv_column_view *column);

/* Of all that was added up to now; more may be. */
DV_API dv_u128 dv_digester_result(const dv_digester *digester);

#ifdef __cplusplus
}
#endif

#endif
