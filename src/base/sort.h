/* SPDX-License-Identifier: MIT */
/* sort.h: put numbers in order. */
#ifndef DVI_BASE_SORT_H
#define DVI_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending.  scratch has room for n values, apart from them; its content is lost. */
void dvi_sort_u64(uint64_t *values, uint64_t *scratch, size_t n);

#endif
