/* SPDX-License-Identifier: MIT */
/* owner.h: the reference count of the bytes of a buffer. */
#ifndef DVI_BASE_OWNER_H
#define DVI_BASE_OWNER_H

#include <dataview/buffer.h>
#include <stdatomic.h>

/* The first member of every struct that owns bytes. The last dvi_owner_release calls `release`.
 * stays: set before the owner is shared; the bytes live as long as the view that returns them, so
 * holding them longer than a batch costs no memory. */
struct dv_owner {
    atomic_size_t refs;
    void (*release)(dv_owner *owner);
    bool stays;
};

void dvi_owner_init(dv_owner *owner, void (*release)(dv_owner *owner));
void dvi_owner_retain(dv_owner *owner); /* NULL is fine, here and below */
void dvi_owner_release(dv_owner *owner);
/* Whether the caller has the only reference, so that the bytes may be overwritten. */
bool dvi_owner_is_sole(const dv_owner *owner);

/* The bytes of a dvi_memory, room to spare included; 0 of any other owner. */
size_t dvi_owner_nbytes(const dv_owner *owner);

/* Memory to decode into, which is reused: dvi_memory_reserve returns the same bytes while there are
 * no other references, and frees memory that is far too large. If others hold references, as a
 * retained batch does, they keep the memory, and new memory replaces it. */
typedef struct dvi_memory {
    dv_owner owner;
    dv_allocator allocator;
    uint8_t *data; /* 64-byte aligned */
    size_t cap;
    struct dvi_keeps *keeps; /* dvi_memory_keep; NULL: none */
} dvi_memory;

/* Allocate exactly nbytes, to be kept. DV_OK; DV_ERR_MEMORY: *memory_out is NULL. */
dv_status dvi_memory_create(dvi_memory **memory_out, const dv_allocator *allocator, size_t nbytes,
                            dv_error *err);
/* Provide at least nbytes; *memory may be NULL. The content is lost. DV_OK; DV_ERR_MEMORY: *memory
 * is NULL or unchanged. */
dv_status dvi_memory_reserve(dvi_memory **memory, const dv_allocator *allocator, size_t nbytes,
                             dv_error *err);
/* Provide at least nbytes, and keep the first `used`. A larger allocation has room to spare, so
 * that content that grows in steps is rarely copied. DV_OK; DV_ERR_MEMORY: *memory is unchanged. */
dv_status dvi_memory_extend(dvi_memory **memory, size_t used, size_t nbytes,
                            const dv_allocator *allocator, dv_error *err);
/* The content needs what `owner` owns: a reference is held until the content is lost or replaced.
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvi_memory_keep(dvi_memory *memory, dv_owner *owner, dv_error *err);
/* Release the caller's reference and set the pointer to NULL; NULL is fine. */
void dvi_memory_release(dvi_memory **memory);

/* A buffer of nbytes of decoded items, `width` bytes each, at memory->data + at. Adds no reference.
 */
dv_buffer dvi_memory_buffer(dvi_memory *memory, size_t at, size_t nbytes, size_t width);

#endif
