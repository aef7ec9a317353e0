/* SPDX-License-Identifier: MIT */
/* owner.h: who still holds these bytes?  The reference count behind every buffer. */
#ifndef DVI_BASE_OWNER_H
#define DVI_BASE_OWNER_H

#include <dataview/buffer.h>
#include <stdatomic.h>

/* The first member of whatever owns bytes.  refs is atomic; release runs once, when the last
 * reference goes.  stays: set before others know of it; the bytes live as long as the view that
 * hands them out, so that holding them longer than a batch costs no memory. */
struct dv_owner {
    atomic_size_t refs;
    void (*release)(dv_owner *owner);
    bool stays;
};

void dvi_owner_init(dv_owner *owner, void (*release)(dv_owner *owner));
void dvi_owner_retain(dv_owner *owner); /* NULL is fine, here and below */
void dvi_owner_release(dv_owner *owner);
/* Is the caller the only holder, so that the bytes may be written again? */
bool dvi_owner_is_sole(const dv_owner *owner);

/* Memory to decode into, used again and again: while nobody else holds it, dvi_memory_reserve gives
 * the same bytes (or gives back what is far too large); once somebody does (a retained batch), it
 * is left to them and replaced. */
typedef struct dvi_memory {
    dv_owner owner;
    dv_allocator allocator;
    uint8_t *data; /* 64-byte aligned */
    size_t cap;
} dvi_memory;

/* Of exactly nbytes, to be kept.  DV_OK; DV_ERR_MEMORY: *memory_out is NULL. */
dv_status dvi_memory_create(dvi_memory **memory_out, const dv_allocator *allocator, size_t nbytes,
                            dv_error *err);
/* *memory may be NULL before; its content is lost.  DV_OK, DV_ERR_MEMORY (*memory is then NULL or
 * as before). */
dv_status dvi_memory_reserve(dvi_memory **memory, const dv_allocator *allocator, size_t nbytes,
                             dv_error *err);
/* Room for nbytes, of which the first `used` are kept: more than was asked for, when it has to
 * move, so that what grows step by step moves seldom.  DV_OK; DV_ERR_MEMORY: *memory is as before.
 */
dv_status dvi_memory_extend(dvi_memory **memory, size_t used, size_t nbytes,
                            const dv_allocator *allocator, dv_error *err);
/* Drop this holder's reference; sets the pointer to NULL, NULL is fine. */
void dvi_memory_release(dvi_memory **memory);

/* A buffer of the first nbytes at memory->data + at, decoded; adds no reference. */
dv_buffer dvi_memory_buffer(dvi_memory *memory, size_t at, size_t nbytes, size_t width);

#endif
