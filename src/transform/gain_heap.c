/* SPDX-License-Identifier: MIT */
/* gain_heap.c: a binary heap, in the very steps of semantics:7.18, which decide ties. */
#include "transform/gain_heap.h"

static bool is_less(const dvi_gain *a, const dvi_gain *b)
{
    return a->gain < b->gain || (a->gain == b->gain && a->mass < b->mass);
}

void dvi_gain_heap_add(dvi_gain_heap *heap, const dvi_gain *gain)
{
    size_t i = ++heap->n;
    for (; i > 1 && is_less(&heap->gains[i / 2], gain); i /= 2)
        heap->gains[i] = heap->gains[i / 2];
    heap->gains[i] = *gain;
}

/* Put a gain in place i or below it. */
static void sink(dvi_gain_heap *heap, size_t i, dvi_gain gain)
{
    while (2 * i <= heap->n) {
        size_t child = 2 * i;
        if (child < heap->n && is_less(&heap->gains[child], &heap->gains[child + 1]))
            child++;
        if (!is_less(&gain, &heap->gains[child]))
            break;
        heap->gains[i] = heap->gains[child];
        i = child;
    }
    heap->gains[i] = gain;
}

static void remove_at(dvi_gain_heap *heap, size_t i)
{
    const dvi_gain last = heap->gains[heap->n--];
    if (i <= heap->n)
        sink(heap, i, last);
}

dvi_gain dvi_gain_heap_pop(dvi_gain_heap *heap)
{
    const dvi_gain top = heap->gains[1];
    remove_at(heap, 1);
    return top;
}

void dvi_gain_heap_remove(dvi_gain_heap *heap, size_t begin)
{
    for (size_t i = 1; i <= heap->n; i++)
        if (heap->gains[i].begin == begin) {
            remove_at(heap, i);
            return;
        }
}
