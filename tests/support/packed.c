/* SPDX-License-Identifier: MIT */
/* packed.c: bytes as members of gzip and frames of zstd. */
#include "support/packed.h"
#include "io/unpack_priv.h"
#include <libdeflate.h>
#include <stdlib.h>

#define BLOCK_NBYTES ((size_t)128 << 10) /* at most */
#define WINDOW_LOG_LEAST 10

const char *dvt_packing_extension(dvt_packing packing)
{
    return packing == DVT_GZIP ? ".gz" : ".zst";
}

bool dvt_can_unpack(dvt_packing packing)
{
    return (packing == DVT_GZIP ? dvi_unpack_gzip : dvi_unpack_zstd) != NULL;
}

static void pack_gzip(dvt_lines *packed, const void *data, size_t nbytes)
{
    static struct libdeflate_compressor *c; /* large: members share it */
    if (!c)
        c = libdeflate_alloc_compressor(6);
    const size_t cap = c ? libdeflate_gzip_compress_bound(c, nbytes) : 0;
    char *made = malloc(cap);
    if (!made)
        abort();
    dvt_lines_add(packed, made, libdeflate_gzip_compress(c, data, nbytes, made, cap));
    free(made);
}

void dvt_zstd_begin(dvt_lines *packed, int window_log)
{
    const char head[] = {0x28,       (char)0xB5, 0x2F,
                         (char)0xFD, 0,          (char)((window_log - WINDOW_LOG_LEAST) << 3)};
    dvt_lines_add(packed, head, sizeof head);
}

/* type 0: stored; 1: one byte, repeated. */
static void add_header(dvt_lines *packed, size_t nbytes, unsigned type, bool is_last)
{
    const unsigned value = (unsigned)nbytes << 3 | type << 1 | is_last;
    const char header[] = {(char)(value & 0xFF), (char)(value >> 8 & 0xFF), (char)(value >> 16)};
    dvt_lines_add(packed, header, sizeof header);
}

void dvt_zstd_block(dvt_lines *packed, const void *data, size_t nbytes, bool is_last)
{
    add_header(packed, nbytes, 0, is_last);
    dvt_lines_add(packed, data, nbytes);
}

void dvt_zstd_repeat(dvt_lines *packed, char byte, size_t nbytes, bool is_last)
{
    add_header(packed, nbytes, 1, is_last);
    dvt_lines_add(packed, &byte, 1);
}

void dvt_pack(dvt_lines *packed, dvt_packing packing, const void *data, size_t nbytes)
{
    if (packing == DVT_GZIP) {
        pack_gzip(packed, data, nbytes);
        return;
    }
    dvt_zstd_begin(packed, 17);
    const char *at = data;
    while (nbytes > BLOCK_NBYTES) {
        dvt_zstd_block(packed, at, BLOCK_NBYTES, false);
        at += BLOCK_NBYTES;
        nbytes -= BLOCK_NBYTES;
    }
    dvt_zstd_block(packed, at, nbytes, true);
}
