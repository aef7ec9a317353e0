/* SPDX-License-Identifier: MIT */
/* buffer.h: where does memory come from, and who still holds these bytes? */
#ifndef DATAVIEW_BUFFER_H
#define DATAVIEW_BUFFER_H

#include <dataview/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where memory comes from.  A NULL dv_allocator is malloc.  The struct is copied into what is made
 * with it; ctx must outlive all of that, and both functions may be called from any thread.
 *
 * allocate  memory of nbytes > 0 at a multiple of alignment (a power of two), or NULL
 * release   memory != NULL from allocate, with the same nbytes
 */
typedef struct dv_allocator {
    void *(*allocate)(void *ctx, size_t nbytes, size_t alignment);
    void (*release)(void *ctx, void *memory, size_t nbytes);
    void *ctx;
} dv_allocator;

/* A reference count behind some bytes: a mapped file, decoded memory, or a caller's own memory. */
typedef struct dv_owner dv_owner;

/* A run of bytes in a column.  Read-only.
 *
 * is_borrowed  the bytes are the mapped file (or the caller's memory) itself, not a copy
 * is_aligned   data is a multiple of the element's width (of UG: 8); else load with memcpy
 */
typedef struct dv_buffer {
    const void *data; /* not to be read when nbytes is 0 */
    size_t nbytes;
    dv_owner *owner; /* NULL: the bytes are static, or live as long as the view */
    bool is_borrowed, is_aligned;
} dv_buffer;

/* Hand the caller's bytes to the library as a borrowed buffer that holds one reference.
 *
 * alignment  the element's width, for is_aligned
 * release    called once with ctx when the last reference goes, from any thread; may be NULL
 *
 * DV_OK, DV_ERR_MEMORY (release is not called).  buffer_out is empty on failure.
 */
DV_API dv_status dv_buffer_wrap(dv_buffer *buffer_out, const void *data, size_t nbytes,
                                size_t alignment, void (*release)(void *ctx), void *ctx,
                                const dv_allocator *allocator, dv_error *err);

/* One more reference, and one less (which empties the struct).  Any thread. */
DV_API void dv_buffer_retain(const dv_buffer *buffer);
DV_API void dv_buffer_release(dv_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
