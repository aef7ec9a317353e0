/* SPDX-License-Identifier: MIT */
/* arrow_node.h: makes the structs of the Arrow C data interface. Consumers may move children out
 * and release them in any order and thread: each holds what it points to. */
#ifndef DVI_INTEROP_ARROW_NODE_H
#define DVI_INTEROP_ARROW_NODE_H

#include "base/owner.h"
#include <dataview/arrow.h>

/* A schema with n_children empty children, and an empty dictionary if it has one. The texts are
 * copied; metadata is in the encoding of the interface, or NULL. DV_OK; DV_ERR_MEMORY: release is
 * NULL. */
dv_status dvi_arrow_schema_create(struct ArrowSchema *schema_out, const char *format, dv_text name,
                                  dv_text metadata, int64_t flags, int64_t n_children,
                                  bool has_dictionary, const dv_allocator *allocator,
                                  dv_error *err);

/* An array with empty buffers, n_children empty children, and an empty dictionary if it has one. It
 * retains the batch, which may be NULL. *array_out is all zero, or such an empty child or
 * dictionary. DV_OK; DV_ERR_MEMORY: release is NULL. */
dv_status dvi_arrow_array_create(struct ArrowArray *array_out, int64_t length, int64_t n_buffers,
                                 int64_t n_children, bool has_dictionary, const dv_batch *batch,
                                 const dv_allocator *allocator, dv_error *err);

/* Make memory that lives as long as the array, aligned to 64 bytes. At most DVI_ARROW_MADE times
 * for an array. DV_OK, DV_ERR_MEMORY. */
#define DVI_ARROW_MADE 4
dv_status dvi_arrow_array_make(struct ArrowArray *array, size_t nbytes, void **memory_out,
                               dv_error *err);

/* Set a buffer; one without bytes gets an address all the same. */
void dvi_arrow_array_set(struct ArrowArray *array, int64_t buffer, const void *data, size_t nbytes);

/* Another array on the same memory, children and dictionary too. DV_OK; DV_ERR_MEMORY: release is
 * NULL. */
dv_status dvi_arrow_array_share(struct ArrowArray *array_out, const struct ArrowArray *of,
                                dv_error *err);

/* Release the struct if it was made; then it is empty. */
void dvi_arrow_schema_drop(struct ArrowSchema *schema);
void dvi_arrow_array_drop(struct ArrowArray *array);

#endif
