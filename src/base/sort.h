/* SPDX-License-Identifier: MIT */
/* sort.h: sorts numbers. */
#ifndef DVI_BASE_SORT_H
#define DVI_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sort n values in ascending order. `scratch` has room for n values and is overwritten. */
void dvi_sort_u64(uint64_t *values, uint64_t *scratch, size_t n);

#endif
