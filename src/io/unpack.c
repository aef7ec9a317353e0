/* SPDX-License-Identifier: MIT */
/* unpack.c: unpacks a file of gzip members or zstd frames, one after the other. */
#include "io/unpack.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "io/unpack_priv.h"
#include <string.h>

#define INPUT_NBYTES (INT64_C(128) << 10)
#define RULE "docs/formats/text.md"

struct dvi_unpacker {
    dv_allocator allocator;
    dvi_map *stored; /* one reference */
    dvi_packing packing;
    const dvi_unpack_library *library;
    void *state;    /* of the library */
    bool is_inside; /* of a member or frame */
    bool is_padded; /* zeros follow the last member */
    bool has_ended; /* so has the file */

    dvi_memory *memory; /* of the input: a copy, since the file may change meanwhile */
    const uint8_t *in;
    size_t in_nbytes; /* not used yet */
    int64_t at;       /* offset of `in` in the file */
    int64_t left;     /* for dvi_map_leave */
    dv_error failed;  /* the library's failure, which stays; DV_OK: none */
};

/* --- Recognizing ------------------------------------------------------------------------------ */

static const struct {
    const char *name, *command, *package, *magic;
    size_t magic_nbytes;
} packings[] = {
    [DVI_PACKING_NONE] = {"none", "", "", "", 0},
    [DVI_PACKING_GZIP] = {"gzip", "gzip -dc", "zlib", "\x1F\x8B\x08", 3},
    [DVI_PACKING_ZSTD] = {"zstd", "zstd -dc", "libzstd", "\x28\xB5\x2F\xFD", 4},
};

dvi_packing dvi_packing_of(const uint8_t *head, size_t n)
{
    for (int i = DVI_PACKING_GZIP; i <= DVI_PACKING_ZSTD; i++)
        if (n >= packings[i].magic_nbytes &&
            memcmp(head, packings[i].magic, packings[i].magic_nbytes) == 0)
            return (dvi_packing)i;
    /* a frame to be skipped, with which the files of pzstd begin */
    if (n >= 4 && (head[0] & 0xF0) == 0x50 && memcmp(head + 1, "\x2A\x4D\x18", 3) == 0)
        return DVI_PACKING_ZSTD;
    return DVI_PACKING_NONE;
}

const char *dvi_packing_name(dvi_packing packing)
{
    return packings[packing].name;
}

const char *dvi_packing_command(dvi_packing packing)
{
    return packings[packing].command;
}

/* --- Input ------------------------------------------------------------------------------------ */

/* Read more of the file if all was used. Then in_nbytes is 0 only at its end. */
static dv_status load(dvi_unpacker *u, dv_error *err)
{
    int64_t end;
    dvi_span span;
    if (u->in_nbytes > 0)
        return DV_OK;
    DVI_TRY(dvi_map_reach(u->stored, u->at, &end, err));
    const int64_t n = dvi_min_i64(INPUT_NBYTES, end - u->at);
    if (n <= 0)
        return DV_OK;
    DVI_TRY(dvi_map_copy(u->stored, u->at, (size_t)n, &u->memory, &span, err));
    u->in = span.data;
    u->in_nbytes = (size_t)n;
    dvi_map_leave(u->stored, &u->left, u->at, DVI_LEAVE_NBYTES);
    return DV_OK;
}

static void use(dvi_unpacker *u, size_t n)
{
    u->in += n;
    u->in_nbytes -= n;
    u->at += (int64_t)n;
}

/* --- Members ---------------------------------------------------------------------------------- */

/* What follows the last member of gzip: zeros, as tapes have them, or nothing. */
static dv_status pass_zeros(dvi_unpacker *u, dv_error *err)
{
    for (;;) {
        DVI_TRY(load(u, err));
        if (u->in_nbytes == 0)
            return DV_OK;
        size_t n = 0;
        while (n < u->in_nbytes && u->in[n] == 0)
            n++;
        use(u, n);
        DVI_REQUIRE(u->in_nbytes == 0,
                    dvi_fail(err, DV_ERR_CORRUPT, RULE, u->at, "gzip: after the last member",
                             "zeros, or the end|other bytes"));
    }
}

/* Is there another member or frame? */
static dv_status find_member(dvi_unpacker *u, dv_error *err)
{
    DVI_TRY(load(u, err));
    if (u->in_nbytes == 0) {
        u->has_ended = true;
        return DV_OK;
    }
    /* a call that is repeated after a failure fails again */
    u->is_padded |= u->packing == DVI_PACKING_GZIP && *u->in == 0;
    if (u->is_padded) {
        DVI_TRY(pass_zeros(u, err));
        u->has_ended = true;
        return DV_OK;
    }
    /* libzstd looks at what follows a frame itself */
    DVI_REQUIRE(u->packing == DVI_PACKING_ZSTD || *u->in == 0x1F,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, u->at, "gzip: after a member",
                         "another one, zeros, or the end|other bytes"));
    u->is_inside = true;
    return DV_OK;
}

static dv_status step(dvi_unpacker *u, uint8_t *dst, size_t cap, size_t *made_out, dv_error *err)
{
    dvi_unpack_step done;
    DVI_TRY(load(u, err));
    const size_t n = u->in_nbytes;
    const dvi_unpack_input in = {u->in, n, u->at};
    const dv_status status = u->library->step(u->state, &in, dst, cap, &done, &u->failed);
    if (status < 0 && err)
        *err = u->failed;
    DVI_TRY(status);
    use(u, done.used);
    DVI_REQUIRE(n > 0 || done.made > 0 || done.has_ended,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, u->at, packings[u->packing].name,
                         "the rest of the packed bytes|the end of the file"));
    u->is_inside = !done.has_ended;
    *made_out = done.made;
    return DV_OK;
}

static dv_status read_some(dvi_unpacker *u, uint8_t *dst, size_t cap, size_t *got_out,
                           dv_error *err)
{
    while (*got_out == 0 && !u->has_ended) {
        if (!u->is_inside)
            DVI_TRY(find_member(u, err));
        if (u->is_inside)
            DVI_TRY(step(u, dst, cap, got_out, err));
    }
    return DV_OK;
}

dv_status dvi_unpacker_read(dvi_unpacker *u, uint8_t *dst, size_t cap, size_t *got_out,
                            dv_error *err)
{
    *got_out = 0;
    if (u->failed.status == DV_OK)
        return read_some(u, dst, cap, got_out, err);
    if (err)
        *err = u->failed;
    return u->failed.status;
}

/* --- Life ------------------------------------------------------------------------------------- */

static dv_status set_up(dvi_unpacker *u, int64_t window_nbytes, dv_error *err)
{
    DVI_TRY(dvi_alloc_zeroed(&u->allocator, &u->state, u->library->state_nbytes, err));
    return u->library->create(u->state, window_nbytes, err);
}

dv_status dvi_unpacker_create(dvi_unpacker **unpacker_out, dvi_map *stored, dvi_packing packing,
                              int64_t window_nbytes, dv_error *err)
{
    const dvi_unpack_library *library =
        packing == DVI_PACKING_GZIP ? dvi_unpack_gzip : dvi_unpack_zstd;
    void *made;
    *unpacker_out = NULL;
    DVI_REQUIRE(library, dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, 0, packings[packing].name,
                                  "a build with %s|one without: unpack the file (%s)",
                                  packings[packing].package, packings[packing].command));
    DVI_TRY(dvi_alloc_zeroed(dvi_map_allocator(stored), &made, sizeof(dvi_unpacker), err));
    dvi_unpacker *u = made;
    u->allocator = *dvi_map_allocator(stored);
    u->packing = packing;
    u->library = library;
    u->stored = stored;
    dvi_map_retain(stored);
    const dv_status status = set_up(u, window_nbytes, err);
    if (status == DV_OK)
        *unpacker_out = u;
    else
        dvi_unpacker_free(&u);
    return status;
}

void dvi_unpacker_free(dvi_unpacker **unpacker)
{
    dvi_unpacker *u = *unpacker;
    *unpacker = NULL;
    if (!u)
        return;
    const dv_allocator allocator = u->allocator;
    if (u->state)
        u->library->free(u->state);
    dvi_free(&allocator, u->state, u->library->state_nbytes);
    dvi_memory_release(&u->memory);
    dvi_map_release(&u->stored);
    dvi_free(&allocator, u, sizeof *u);
}
