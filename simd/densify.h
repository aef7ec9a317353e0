/* SPDX-License-Identifier: MIT */
/* densify.h: finds the kernel that makes sparse rows dense. */
#ifndef DVI_SIMD_DENSIFY_H
#define DVI_SIMD_DENSIFY_H

#include "simd/kernel.h"

/* One of the kernels densify_*; `run` calls the kernel of a table. */
typedef struct dvi_densify_kernel {
    void (*run)(const dvi_kernel_table *table, void *dst, size_t stride, size_t width,
                const dv_sparse *rows, dvi_store store);
    size_t stored_nbytes, item_nbytes; /* of an item of the rows; of the matrix */
} dvi_densify_kernel;

/* Return the kernel for rows whose items have the kind `stored` and a matrix of kind `item`.  The
 * kinds are equal, of any type of 1, 2, 4 or 8 bytes; or `stored` is a number or BL, and `item` R4
 * or R8.  NULL: no kernel exists. */
const dvi_densify_kernel *dvi_densify_find(dv_kind stored, dv_kind item);

#endif
