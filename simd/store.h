/* SPDX-License-Identifier: MIT */
/* store.h: finds the form of stores that is the fastest on this machine. */
#ifndef DVI_SIMD_STORE_H
#define DVI_SIMD_STORE_H

#include "simd/densify.h"
#include <stdatomic.h>
#include <stdbool.h>

/* Properties of the machine.  Each is determined by the first call that needs it, without a lock:
 * threads that determine it at the same time find the same value, or an equally good one. */
typedef struct dvi_store_state {
    atomic_size_t cache; /* bytes of the last-level cache; 0: not queried yet */
    atomic_int form;     /* a dvi_store for output beyond it; DVI_STORE_UNKNOWN: not measured yet */
} dvi_store_state;

#define DVI_STORE_UNKNOWN (-1)
#define DVI_STORE_STATE_INIT                                                                       \
    {                                                                                              \
        0, DVI_STORE_UNKNOWN                                                                       \
    }

/* Write a matrix as shape DENSIFY of kernel.h does, with the kernel of dvi_kernels() and the
 * fastest form of stores on this machine.  Any thread; no allocation.
 *
 * The first output of more than twice the cache includes the measurement: its first rows, up to
 * DVI_STORE_SAMPLE_MAX bytes, are written seven times. */
void dvi_densify(const dvi_densify_kernel *kernel, void *dst, size_t stride, size_t width,
                 const dv_sparse *rows);

/* Return the form for a matrix of nbytes that is written by several calls.  Does not measure. */
dvi_store dvi_densify_form(size_t nbytes);

/* Return whether output of nbytes should bypass the cache, because it needs more than half of it.
 * Any thread; queries the CPU once. */
bool dvi_store_is_large(size_t nbytes);

/* Order the streamed stores of this thread before its later stores, for all other threads. */
void dvi_store_finish(void);

/* For tests: set the assumed size of the cache; 0: the real size. */
void dvi_store_pretend(size_t cache);

/* --- Steps of the choice, for tests ----------------------------------------------------------- */

#define DVI_STORE_SAMPLE_MAX ((size_t)256 << 20)

/* As dvi_densify, with the state in *store instead of that of the process. */
void dvi_store_densify(dvi_store_state *store, const dvi_densify_kernel *kernel, void *dst,
                       size_t stride, size_t width, const dv_sparse *rows);

/* Return the size of the last-level cache reported by the CPU or the operating system; never 0. */
size_t dvi_store_cache_nbytes(void);

/* Return the form for output of nbytes.  form: the measured one, or DVI_STORE_UNKNOWN. */
dvi_store dvi_store_form(size_t nbytes, size_t cache, int form);

/* Return the number of bytes to measure with, for output of nbytes; 0: it is too small. */
size_t dvi_store_sample(size_t nbytes, size_t cache);

/* Return the best form.  ns: the time of each. */
dvi_store dvi_store_choose(const int64_t ns[DVI_STORES]);

#endif
