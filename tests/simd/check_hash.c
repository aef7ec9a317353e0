/* SPDX-License-Identifier: MIT */
/* check_hash.c: checks kernels that hash keys. */
#include "check_kernels.h"
#include <string.h>

#define KEYS_MAX 1000
#define KEYS_NBYTES 50000 /* of all keys of a trial except the last one */

/* Test vectors of datadings:2.3: the key is a byte repeated `times` times. */
typedef struct vector {
    char byte;
    size_t times;
    uint64_t salted, plain[2];
} vector;

#define U(hex) UINT64_C(0x##hex)
static const char page_salt[] = "\x65\x2E\x53\x0E\xDE\xE5\x89\x3B";
static const vector vectors[] = {
    {'a', 0, U(f8078c18cdbe676b), {U(69217a3079908094), U(e11121d042354a7c)}},
    {'a', 1, U(953ffc3d1368ba74), {U(4a0d129873403037), U(c2cd9b9048203687)}},
    {'x', 63, U(f18edb26aa7563e1), {U(b50445cd4b286a6d), U(e121a47cff94a42c)}},
    {'x', 64, U(728a18a74cb10a69), {U(c13eb20b85b1d6a7), U(2d52af717429fc54)}},
    {'x', 65, U(73887fd2c71bd9a6), {U(77f538c970521d7f), U(5b94c5e8c88b8ce3)}},
    {'x', 128, U(38a001db5fea6926), {U(0b81df8f2e8616dc), U(992bff767a30f204)}},
    {'x', 200, U(8d7497ad017259be), {U(1b4e3b53c353aa90), U(e148efe4699c5f60)}},
};
enum { VECTORS = sizeof vectors / sizeof *vectors };

/* All of them in one call. */
static bool has_vectors(DVT_CALL_HASH, const dvi_kernel_table *k)
{
    static char bytes[VECTORS][200];
    dv_text keys[VECTORS];
    uint64_t salted[2 * VECTORS], plain[2 * VECTORS];
    for (size_t i = 0; i < VECTORS; i++) {
        memset(bytes[i], vectors[i].byte, vectors[i].times);
        keys[i] = (dv_text){bytes[i], (int64_t)vectors[i].times};
    }
    call(k, salted, keys, VECTORS, page_salt);
    call(k, plain, keys, VECTORS, NULL);
    for (size_t i = 0; i < VECTORS; i++)
        if (salted[2 * i] != vectors[i].salted ||
            memcmp(plain + 2 * i, vectors[i].plain, sizeof vectors[i].plain) != 0)
            return false;
    return true;
}

/* Mostly short keys of one length; or lengths near whole blocks, or NA. */
static int64_t draw_nbytes(dvt_draw *draw, size_t usual)
{
    switch (dvt_draw_below(draw, 16)) {
    case 0:
        return (int64_t)(64 * dvt_draw_below(draw, 4) + dvt_draw_below(draw, 3)) - 1;
    case 1:
        return (int64_t)dvt_draw_below(draw, 300);
    default:
        return (int64_t)(usual + dvt_draw_below(draw, 4));
    }
}

/* n keys that lie end to end. */
static const dv_text *draw_keys(const dvt_try *trial, dvt_draw *draw)
{
    static dv_text keys[KEYS_MAX];
    const size_t usual = dvt_draw_below(draw, 70);
    size_t total = 0;
    for (size_t i = 0; i < trial->n; i++) {
        keys[i].nbytes = total < KEYS_NBYTES ? draw_nbytes(draw, usual) : 0;
        total += keys[i].nbytes > 0 ? (size_t)keys[i].nbytes : 0;
    }
    uint8_t *bytes = dvt_allocate(0, trial, total);
    for (size_t i = 0; i < total; i++)
        bytes[i] = (uint8_t)(i * 167 + trial->seed);
    for (size_t i = 0, at = 0; i < trial->n; i++) {
        keys[i].data = keys[i].nbytes > 0 ? (const char *)bytes + at : NULL;
        at += keys[i].nbytes > 0 ? (size_t)keys[i].nbytes : 0;
    }
    const dvt_try aligned = {trial->n, trial->slack / 8 * 8, trial->seed};
    return memcpy(dvt_allocate(1, &aligned, trial->n * sizeof *keys), keys,
                  trial->n * sizeof *keys);
}

static const void *draw_salt(const dvt_try *trial, dvt_draw *draw)
{
    const uint64_t bits = dvt_draw_bits(draw);
    return dvt_draw_once_in(draw, 2)
               ? NULL
               : memcpy(dvt_allocate(2, trial, sizeof bits), &bits, sizeof bits);
}

const char *dvt_check_HASH(DVT_CALL_HASH, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial = {0};
    (void)src_width;
    if (!has_vectors(call, here.scalar))
        return dvt_differs(DV_LEVEL_SCALAR, &trial, "hashes from those of the page");
    for (size_t i = 0; dvt_try_at(&trial, i, KEYS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t nbytes = 2 * trial.n * dst_width;
        const dvt_try to = {trial.n, trial.slack / dst_width * dst_width, trial.seed};
        const dv_text *keys = draw_keys(&trial, &draw);
        const void *salt = draw_salt(&trial, &draw);
        uint8_t *want = dvt_allocate(3, &to, nbytes);
        call(here.scalar, want, keys, trial.n, salt);
        if (!dvt_is_clean(3, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *got = dvt_allocate(4, &to, nbytes);
            call(here.table[k], got, keys, trial.n, salt);
            if (memcmp(got, want, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "hashes");
            if (!dvt_is_clean(4, got, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}
