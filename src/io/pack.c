/* SPDX-License-Identifier: MIT */
/* pack.c: compresses bytes into one gzip member or zstd frame. */
#include "io/pack.h"
#include "base/alloc.h"
#include "base/check.h"
#include "io/pack_priv.h"
#include "io/unpack.h"
#include <string.h>
#include <strings.h>

#define OUTPUT_NBYTES ((size_t)128 << 10)
#define STEP_NBYTES_MAX ((size_t)1 << 30) /* a size of zlib has 32 bits */

struct dvi_packer {
    dv_allocator allocator;
    const dvi_pack_library *library;
    void *state; /* the library's */
    dvi_packed_fn *write;
    void *ctx;
    dvi_memory *output;
    size_t filled; /* of output */
    bool has_ended;
};

/* --- Recognizing ------------------------------------------------------------------------------ */

dvi_packing dvi_packing_of_path(const char *path, size_t *stem_nbytes_out)
{
    static const char *const endings[] = {
        [DVI_PACKING_GZIP] = ".gz",
        [DVI_PACKING_ZSTD] = ".zst",
    };
    const size_t n = strlen(path);
    for (int i = DVI_PACKING_GZIP; i <= DVI_PACKING_ZSTD; i++) {
        const size_t k = strlen(endings[i]);
        *stem_nbytes_out = n - k;
        if (n > k && strcasecmp(path + n - k, endings[i]) == 0)
            return (dvi_packing)i;
    }
    *stem_nbytes_out = n;
    return DVI_PACKING_NONE;
}

/* --- Packing ---------------------------------------------------------------------------------- */

static dv_status flush(dvi_packer *p, dv_error *err)
{
    const size_t n = p->filled;
    p->filled = 0;
    return n > 0 ? p->write(p->ctx, p->output->data, n, err) : DV_OK;
}

static dv_status step(dvi_packer *p, const uint8_t *src, size_t n, dvi_pack_step *done,
                      dv_error *err)
{
    DVI_TRY(p->library->step(p->state, src, n, p->output->data + p->filled,
                             OUTPUT_NBYTES - p->filled, done, err));
    p->filled += done->made;
    return p->filled == OUTPUT_NBYTES ? flush(p, err) : DV_OK;
}

dv_status dvi_packer_put(dvi_packer *p, const void *src, size_t n, dv_error *err)
{
    for (const uint8_t *at = src; n > 0;) {
        dvi_pack_step done;
        DVI_TRY(step(p, at, n < STEP_NBYTES_MAX ? n : STEP_NBYTES_MAX, &done, err));
        at += done.used;
        n -= done.used;
    }
    return DV_OK;
}

dv_status dvi_packer_end(dvi_packer *p, dv_error *err)
{
    while (!p->has_ended) {
        dvi_pack_step done;
        DVI_TRY(step(p, NULL, 0, &done, err));
        p->has_ended = done.has_ended;
    }
    return flush(p, err);
}

/* --- Life ------------------------------------------------------------------------------------- */

static dv_status set_up(dvi_packer *p, dv_error *err)
{
    DVI_TRY(dvi_memory_create(&p->output, &p->allocator, OUTPUT_NBYTES, err));
    DVI_TRY(dvi_alloc_zeroed(&p->allocator, &p->state, p->library->state_nbytes, err));
    return p->library->create(p->state, &p->allocator, err);
}

dv_status dvi_packer_create(dvi_packer **packer_out, dvi_packing packing, dvi_packed_fn *write,
                            void *ctx, const dv_allocator *allocator, dv_error *err)
{
    const bool is_gzip = packing == DVI_PACKING_GZIP;
    const dvi_pack_library *library = is_gzip ? dvi_pack_gzip : dvi_pack_zstd;
    void *made;
    *packer_out = NULL;
    DVI_REQUIRE(library,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "docs/formats/text.md", -1,
                         dvi_packing_name(packing), "a build with %s|one without: write plain text",
                         is_gzip ? "zlib" : "libzstd"));
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_packer), err));
    dvi_packer *p = made;
    p->allocator = dvi_allocator_of(allocator);
    p->library = library;
    p->write = write;
    p->ctx = ctx;
    const dv_status status = set_up(p, err);
    if (status == DV_OK)
        *packer_out = p;
    else
        dvi_packer_free(&p);
    return status;
}

void dvi_packer_free(dvi_packer **packer)
{
    dvi_packer *p = *packer;
    *packer = NULL;
    if (!p)
        return;
    const dv_allocator allocator = p->allocator;
    if (p->state)
        p->library->free(p->state);
    dvi_free(&allocator, p->state, p->library->state_nbytes);
    dvi_memory_release(&p->output);
    dvi_free(&allocator, p, sizeof *p);
}
