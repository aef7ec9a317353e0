/* SPDX-License-Identifier: MIT */
/* pack.h: compresses bytes into one gzip member or zstd frame, in bounded memory. */
#ifndef DVI_IO_PACK_H
#define DVI_IO_PACK_H

#include "io/map.h"

/* The compression that a path asks for by its ending, .gz or .zst in any case; DVI_PACKING_NONE:
 * none. *stem_nbytes_out: the bytes of the path before that ending, all if there is none. */
dvi_packing dvi_packing_of_path(const char *path, size_t *stem_nbytes_out);

typedef struct dvi_packer dvi_packer;

/* Takes compressed bytes; called in order. A failure ends the packing. */
typedef dv_status dvi_packed_fn(void *ctx, const uint8_t *src, size_t n, dv_error *err);

/* Create a packer whose output goes to write(ctx, ...). The output depends only on the bytes and
 * the version of the library: a gzip header has no time and no name.
 * DV_OK; DV_ERR_MEMORY; DV_ERR_UNSUPPORTED: this build lacks the library. */
dv_status dvi_packer_create(dvi_packer **packer_out, dvi_packing packing, dvi_packed_fn *write,
                            void *ctx, const dv_allocator *allocator, dv_error *err);
void dvi_packer_free(dvi_packer **packer); /* sets NULL; NULL is fine */

/* Compress n bytes. DV_OK; DV_ERR_MEMORY; statuses of `write`. After a failure only free. */
dv_status dvi_packer_put(dvi_packer *packer, const void *src, size_t n, dv_error *err);
/* Complete the member or frame. Nothing may follow; another call does nothing. */
dv_status dvi_packer_end(dvi_packer *packer, dv_error *err);

#endif
