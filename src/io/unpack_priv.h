/* SPDX-License-Identifier: MIT */
/* unpack_priv.h: what a library that unpacks provides for unpack.c. */
#ifndef DVI_IO_UNPACK_PRIV_H
#define DVI_IO_UNPACK_PRIV_H

#include "io/unpack.h"

typedef struct dvi_unpack_input {
    const uint8_t *src;
    size_t n;
    int64_t at; /* offset of src in the file, for errors */
} dvi_unpack_input;

/* What one step did. */
typedef struct dvi_unpack_step {
    size_t used, made; /* bytes of src and of dst */
    bool has_ended;    /* the member or frame is complete */
} dvi_unpack_step;

/* A library.
 *
 * create  DV_OK, DV_ERR_MEMORY.
 * step    unpacks some of the n bytes at src, which may be 0, to at most cap > 0 bytes at dst.
 *         A member begins with the first step, and with the step after the end of one. Neither
 *         used nor made: more bytes are needed. DV_OK; DV_ERR_CORRUPT, DV_ERR_LIMIT,
 *         DV_ERR_UNSUPPORTED, DV_ERR_MEMORY: no step may follow.
 * free    also after a failure of create.
 */
typedef struct dvi_unpack_library {
    size_t state_nbytes; /* of the state, zeroed before create */
    dv_status (*create)(void *state, int64_t window_nbytes, dv_error *err);
    dv_status (*step)(void *state, const dvi_unpack_input *in, uint8_t *dst, size_t cap,
                      dvi_unpack_step *step, dv_error *err);
    void (*free)(void *state);
} dvi_unpack_library;

/* NULL: this build lacks it. */
extern const dvi_unpack_library *const dvi_unpack_gzip, *const dvi_unpack_zstd;

#endif
