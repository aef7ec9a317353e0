/* SPDX-License-Identifier: MIT */
/* buffer.c: buffers of the caller's bytes, and references to buffers. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"

/* The owner of a caller's bytes. */
typedef struct wrapped {
    dv_owner owner;
    dv_allocator allocator;
    void (*release)(void *ctx);
    void *ctx;
} wrapped;

static void release_wrapped(dv_owner *owner)
{
    wrapped *w = (wrapped *)owner;
    if (w->release)
        w->release(w->ctx);
    const dv_allocator allocator = w->allocator;
    dvi_free(&allocator, w, sizeof *w);
}

dv_status dv_buffer_wrap(dv_buffer *buffer_out, const void *data, size_t nbytes, size_t alignment,
                         void (*release)(void *ctx), void *ctx, const dv_allocator *allocator,
                         dv_error *err)
{
    *buffer_out = (dv_buffer){0};
    void *made;
    DVI_TRY(dvi_alloc(allocator, &made, sizeof(wrapped), err));
    wrapped *w = made;
    dvi_owner_init(&w->owner, release_wrapped);
    w->allocator = dvi_allocator_of(allocator);
    w->release = release;
    w->ctx = ctx;
    const bool is_aligned = alignment <= 1 || (uintptr_t)data % alignment == 0;
    *buffer_out = (dv_buffer){nbytes ? data : NULL, nbytes, &w->owner, true, is_aligned};
    return DV_OK;
}

void dv_buffer_retain(const dv_buffer *buffer)
{
    dvi_owner_retain(buffer->owner);
}

void dv_buffer_release(dv_buffer *buffer)
{
    dvi_owner_release(buffer->owner);
    *buffer = (dv_buffer){0};
}
