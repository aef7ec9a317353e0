/* SPDX-License-Identifier: MIT */
/* store.h: which way of writing is the fastest here? */
#ifndef DVI_SIMD_STORE_H
#define DVI_SIMD_STORE_H

#include "simd/densify.h"
#include <stdatomic.h>
#include <stdbool.h>

/* What is known of the machine.  Both are found out at the first call that needs them, without a
 * lock: threads that do so at the same time find the same, or what is as good. */
typedef struct dvi_store_state {
    atomic_size_t cache; /* bytes of the last-level cache; 0: not asked for yet */
    atomic_int form;     /* a dvi_store for output beyond it; DVI_STORE_UNKNOWN: not measured yet */
} dvi_store_state;

#define DVI_STORE_UNKNOWN (-1)
#define DVI_STORE_STATE_INIT                                                                       \
    {                                                                                              \
        0, DVI_STORE_UNKNOWN                                                                       \
    }

/* The matrix of kernel.h's DENSIFY: the kernel of dvi_kernels(), in the form that is the
 * fastest on this machine.  Any thread; no allocation.
 *
 * The first output of more than twice the cache pays for the measurement: its first rows, up to
 * DVI_STORE_SAMPLE_MAX bytes, are written seven times. */
void dvi_densify(const dvi_densify_kernel *kernel, void *dst, size_t stride, size_t width,
                 const dv_sparse *rows);

/* The form for a matrix of so many bytes that is written in parts: as far as it is known. */
dvi_store dvi_densify_form(size_t nbytes);

/* Is output of nbytes better not kept in the cache, of which it would need more than half?  Any
 * thread; asks the CPU once. */
bool dvi_store_is_large(size_t nbytes);

/* What this thread has streamed comes before what it stores from now on, to all other threads. */
void dvi_store_finish(void);

/* For tests: as though the cache had so many bytes; 0: as it is. */
void dvi_store_pretend(size_t cache);

/* --- Its parts ----------------------------------------------------------------------------------
 */

#define DVI_STORE_SAMPLE_MAX ((size_t)256 << 20)

/* The same with what is known in *store, instead of what is known to the process. */
void dvi_store_densify(dvi_store_state *store, const dvi_densify_kernel *kernel, void *dst,
                       size_t stride, size_t width, const dv_sparse *rows);

/* Bytes of the last-level cache, as the CPU or the operating system tells; never 0. */
size_t dvi_store_cache_nbytes(void);

/* The form for output of nbytes; form: what was measured, or DVI_STORE_UNKNOWN. */
dvi_store dvi_store_form(size_t nbytes, size_t cache, int form);

/* How many bytes to measure with, before output of nbytes; 0: it is too small. */
size_t dvi_store_sample(size_t nbytes, size_t cache);

/* The best of the forms that took so many nanoseconds. */
dvi_store dvi_store_choose(const int64_t ns[DVI_STORES]);

#endif
