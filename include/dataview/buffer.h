/* SPDX-License-Identifier: MIT */
/* buffer.h: allocators, and reference-counted buffers of bytes. */
#ifndef DATAVIEW_BUFFER_H
#define DATAVIEW_BUFFER_H

#include <dataview/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An allocator.  Where a function takes one, NULL stands for malloc.  The struct is copied into
 * every object that is made with it; ctx must outlive these objects.  Both functions may be called
 * from any thread.
 *
 * allocate  returns nbytes > 0 bytes at a multiple of alignment (a power of two), or NULL
 * release   takes back memory (not NULL) that allocate returned, with the same nbytes
 */
typedef struct dv_allocator {
    void *(*allocate)(void *ctx, size_t nbytes, size_t alignment);
    void (*release)(void *ctx, void *memory, size_t nbytes);
    void *ctx;
} dv_allocator;

/* The reference count of some bytes: of a mapped file, decoded memory, or memory of the caller. */
typedef struct dv_owner dv_owner;

/* Bytes of a column, or of a file.  Read-only.  docs/lifetimes.md says when they are a copy.
 *
 * is_borrowed  the bytes are the mapped file (or the caller's memory) itself, not a copy
 * is_aligned   data is a multiple of the element's width (of UG: 8); else load elements with memcpy
 */
typedef struct dv_buffer {
    const void *data; /* undefined if nbytes is 0 */
    size_t nbytes;
    dv_owner *owner; /* NULL: the bytes are static, or live as long as the view */
    bool is_borrowed, is_aligned;
} dv_buffer;

/* Make a borrowed buffer of the caller's bytes.  It holds one reference, which the caller drops
 * with dv_buffer_release.  Memory that is made for a batch is not borrowed: set is_borrowed to
 * false, or a shuffle keeps all batches, as if they took no memory.  Any thread.
 *
 * data       nbytes bytes, which stay unchanged until release is called
 * alignment  the element's width, for is_aligned; 0 or 1: always aligned
 * release    called once with ctx when the last reference is dropped, in the thread that drops it;
 *            may be NULL
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_MEMORY  *buffer_out is empty, and release is not called
 */
DV_API dv_status dv_buffer_wrap(dv_buffer *buffer_out, const void *data, size_t nbytes,
                                size_t alignment, void (*release)(void *ctx), void *ctx,
                                const dv_allocator *allocator, dv_error *err);

/* Add a reference; drop one, and empty the struct.  A buffer without an owner is fine.  Any
 * thread. */
DV_API void dv_buffer_retain(const dv_buffer *buffer);
DV_API void dv_buffer_release(dv_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
