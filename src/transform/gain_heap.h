/* SPDX-License-Identifier: MIT */
/* gain_heap.h: a heap of gains, the greatest first, whose ties are those of ML.NET
 * (semantics:7.18). */
#ifndef DVI_TRANSFORM_GAIN_HEAP_H
#define DVI_TRANSFORM_GAIN_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An interval begin..end-1 that is cut at `cut`, or a cut that moves there. */
typedef struct dvi_gain {
    double gain;
    int64_t mass; /* decides between equal gains: a gain that is a whole number of 64 bits */
    size_t begin, cut, end;
} dvi_gain;

typedef struct dvi_gain_heap {
    dvi_gain *gains; /* from index 1 on; room for one more than the heap ever holds */
    size_t n;
} dvi_gain_heap;

void dvi_gain_heap_add(dvi_gain_heap *heap, const dvi_gain *gain);
dvi_gain dvi_gain_heap_pop(dvi_gain_heap *heap);
/* Remove the gain that begins there, if it is in the heap. */
void dvi_gain_heap_remove(dvi_gain_heap *heap, size_t begin);

#endif
