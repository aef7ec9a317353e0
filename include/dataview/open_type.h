/* SPDX-License-Identifier: MIT */
/* open_type.h: types of your own, whose values own something (semantics:1.4).
 *
 * A value has a fixed number of bytes, of which the library knows only how to give back what they
 * hold: often a pointer to a picture, a model, or a handle.  A view of your own (own_view.h) or a
 * step of your own (step.h) makes such values, and steps of your own read them.
 *
 * Views pass them on: they are lent, filtered, sliced, concatenated, and kept alive as long as a
 * batch is that has them.  What would copy them beyond that, or write them, refuses the column by
 * name: rows in another order, caches, savers, Arrow.  An epoch (epoch.h) has them all the same if
 * they are made of its rows after these are in order, as columns that take long are. */
#ifndef DATAVIEW_OPEN_TYPE_H
#define DATAVIEW_OPEN_TYPE_H

#include <dataview/buffer.h>
#include <dataview/type.h>
#include <dataview/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A type.  Usually one static const struct. */
typedef struct dv_open_type {
    size_t size;      /* sizeof(dv_open_type) */
    const char *name; /* letters, digits and _, at most 64, from a letter on; static */
    int32_t width;    /* bytes of a value, 1..65,536 */

    /* Give back what n values hold.  Called once for the values of a buffer, in the thread that
     * drops its last reference. */
    void (*destroy)(void *values, int64_t n);
    /* Write a value as text.  NULL: its type is written, <Name>. */
    bool (*write)(const void *value, const dv_sink *sink);
} dv_open_type;

/* Add a type for the life of the process.  Any thread.
 *
 * type  copied, but not its name
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a name that is taken, is one of a kind (R4, Text, ...), or is not allowed; a
 *                  width outside its range; no destroy; too many types
 * DV_ERR_MEMORY */
DV_API dv_status dv_open_type_register(const dv_open_type *type, dv_error *err);

/* The type of that name for a column: dv_type_extension(name, width).  DV_KIND_NONE: there is none.
 * Any thread. */
DV_API dv_type dv_open_type_find(const char *name);

/* Make a buffer of n values, whose bytes are 0.  Write them before the buffer is shared; `destroy`
 * is called for all n of them, when the last reference is dropped.
 *
 * values_out  n values
 * allocator   NULL: malloc
 *
 * DV_OK; DV_ERR_ARGUMENT: there is no such type, or n is negative; DV_ERR_MEMORY */
DV_API dv_status dv_open_values_create(dv_buffer *buffer_out, void **values_out,
                                       const dv_type *type, int64_t n,
                                       const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
