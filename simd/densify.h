/* SPDX-License-Identifier: MIT */
/* densify.h: which kernel makes a matrix of these rows? */
#ifndef DVI_SIMD_DENSIFY_H
#define DVI_SIMD_DENSIFY_H

#include "simd/kernel.h"

/* One of the kernels densify_*; run calls that of a table. */
typedef struct dvi_densify_kernel {
    void (*run)(const dvi_kernel_table *table, void *dst, size_t stride, size_t width,
                const dv_sparse *rows, dvi_store store);
    size_t stored_nbytes, item_nbytes; /* of an item of the rows, of the matrix */
} dvi_densify_kernel;

/* From rows with items of a kind to a matrix of another: the same, which need not be a number but
 * has 1, 2, 4 or 8 bytes; or R4 or R8 from a number or BL.  NULL: there is none. */
const dvi_densify_kernel *dvi_densify_find(dv_kind stored, dv_kind item);

#endif
