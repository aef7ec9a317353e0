/* SPDX-License-Identifier: MIT */
/* pack_priv.h: what a compression library provides for pack.c. */
#ifndef DVI_IO_PACK_PRIV_H
#define DVI_IO_PACK_PRIV_H

#include "io/pack.h"

/* The result of a step. */
typedef struct dvi_pack_step {
    size_t used, made; /* bytes of src and of dst */
    bool has_ended;    /* the member or frame is complete */
} dvi_pack_step;

/* A library.
 *
 * create  DV_OK, DV_ERR_MEMORY.
 * step    packs some of the n bytes at src into at most cap > 0 bytes at dst. src NULL: completes
 *         the member or frame; repeat it until has_ended. Equal bytes give equal output, however
 *         they are divided among steps. DV_OK; DV_ERR_MEMORY: no step may follow.
 * free    also after a failure of create.
 */
typedef struct dvi_pack_library {
    size_t state_nbytes; /* the state is zeroed before create */
    dv_status (*create)(void *state, const dv_allocator *allocator, dv_error *err);
    dv_status (*step)(void *state, const uint8_t *src, size_t n, uint8_t *dst, size_t cap,
                      dvi_pack_step *step, dv_error *err);
    void (*free)(void *state);
} dvi_pack_library;

/* NULL: this build lacks it. */
extern const dvi_pack_library *const dvi_pack_gzip, *const dvi_pack_zstd;

#endif
