/* SPDX-License-Identifier: MIT */
/* mutate_pipeline.c: changes a section of a saved pipeline, a table as mutate_idv.c does it, and
 * writes the rest so that lengths and digests are right; or lets the engine mutate. */
#include "mutate_pipeline.h"
#include "base/load.h"
#include "mutate_idv.h"
#include "reading.h"
#include "saved/saved_priv.h"
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);

enum { SECTIONS = 16, GROWTH = 256 };

typedef struct section {
    const char *name;
    size_t name_nbytes;
    const uint8_t *data;
    size_t n;
} section;

typedef struct file {
    section sections[SECTIONS];
    size_t count;
} file;

/* --- Reading ---------------------------------------------------------------------------------- */

/* One entry of the directory at `at`, which ends at `end`; returns where the next is, 0 if there is
 * something wrong. */
static size_t read_entry(section *s, const uint8_t *data, size_t at, size_t end)
{
    if (end - at < 2)
        return 0;
    s->name_nbytes = dvi_load_u16(data + at);
    if (end - at - 2 < s->name_nbytes + 32)
        return 0;
    s->name = (const char *)data + at + 2;
    at += 2 + s->name_nbytes;
    const uint64_t offset = dvi_load_u64(data + at), n = dvi_load_u64(data + at + 8);
    if (offset > end || n > end - offset)
        return 0;
    s->data = data + offset;
    s->n = (size_t)n;
    return at + 32;
}

static bool read_file(file *f, const uint8_t *data, size_t n)
{
    if (n < DVI_SAVED_HEADER + 4 + DVI_SAVED_DIGEST)
        return false;
    const size_t end = n - DVI_SAVED_DIGEST;
    const uint64_t directory = dvi_load_u64(data + 24);
    if (directory > end - 4)
        return false;
    f->count = dvi_load_u32(data + directory);
    if (f->count == 0 || f->count > SECTIONS)
        return false;
    size_t at = (size_t)directory + 4;
    for (size_t i = 0; i < f->count; i++)
        if ((at = read_entry(&f->sections[i], data, at, end)) == 0)
            return false;
    return true;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static size_t written_nbytes(const file *f)
{
    size_t n = DVI_SAVED_HEADER + 4 + DVI_SAVED_DIGEST;
    for (size_t i = 0; i < f->count; i++)
        n += (size_t)dvi_saved_align((int64_t)f->sections[i].n) + DVI_SAVED_ENTRY +
             f->sections[i].name_nbytes;
    return n;
}

static void store_digest(uint8_t *dst, dv_u128 digest)
{
    dvi_store_u64(dst, digest.lo);
    dvi_store_u64(dst + 8, digest.hi);
}

/* Write the digest of header and directory. */
static void seal(uint8_t *data, size_t directory, size_t n)
{
    uint8_t *both = malloc(DVI_SAVED_HEADER + n);
    if (!both)
        abort();
    memcpy(both, data, DVI_SAVED_HEADER);
    memcpy(both + DVI_SAVED_HEADER, data + directory, n);
    store_digest(data + directory + n, dv_digest_16(both, DVI_SAVED_HEADER + n, 0));
    free(both);
}

static size_t store_entry(uint8_t *dst, const section *s, size_t offset)
{
    dvi_store_u16(dst, (uint16_t)s->name_nbytes);
    memcpy(dst + 2, s->name, s->name_nbytes);
    uint8_t *rest = dst + 2 + s->name_nbytes;
    dvi_store_u64(rest, offset);
    dvi_store_u64(rest + 8, s->n);
    store_digest(rest + 16, dv_digest_16(s->data, s->n, 0));
    return DVI_SAVED_ENTRY + s->name_nbytes;
}

/* dst has room for written_nbytes, and is not where the sections lie. */
static size_t write_file(uint8_t *dst, const file *f)
{
    size_t at = DVI_SAVED_HEADER, offsets[SECTIONS];
    memset(dst, 0, written_nbytes(f));
    for (size_t i = 0; i < f->count; i++) {
        offsets[i] = at;
        memcpy(dst + at, f->sections[i].data, f->sections[i].n);
        at += (size_t)dvi_saved_align((int64_t)f->sections[i].n);
    }
    size_t n = 4;
    dvi_store_u32(dst + at, (uint32_t)f->count);
    for (size_t i = 0; i < f->count; i++)
        n += store_entry(dst + at + n, &f->sections[i], offsets[i]);
    memcpy(dst, DVI_SAVED_MAGIC, 8);
    dvi_store_u32(dst + 8, DVI_SAVED_VERSION);
    dvi_store_u64(dst + 16, at + n + DVI_SAVED_DIGEST);
    dvi_store_u64(dst + 24, at);
    dvi_store_u64(dst + 32, n);
    seal(dst, at, n);
    return at + n + DVI_SAVED_DIGEST;
}

/* --- Changes ---------------------------------------------------------------------------------- */

static size_t draw(uint64_t *draws, size_t below)
{
    *draws = dvt_hash_number(*draws, 0x5EED);
    return (size_t)(*draws >> 16) % below;
}

/* Change a section, which is copied, and write the file anew. Returns its size; 0: no room. */
static size_t change_section(uint8_t *data, size_t most, file *f, uint64_t *draws)
{
    const size_t i = draw(draws, f->count);
    section *s = &f->sections[i];
    uint8_t *changed = malloc(s->n + GROWTH);
    if (!changed)
        abort();
    memcpy(changed, s->data, s->n);
    s->n = i > 0 ? dvt_idv_mutate(changed, s->n, s->n + GROWTH, (unsigned int)*draws)
                 : LLVMFuzzerMutate(changed, s->n, s->n + GROWTH);
    s->data = changed;
    const size_t n = written_nbytes(f);
    uint8_t *whole = malloc(n);
    if (!whole)
        abort();
    const size_t used = write_file(whole, f);
    if (used <= most)
        memcpy(data, whole, used);
    free(whole);
    free(changed);
    return used <= most ? used : 0;
}

/* Let the engine change header or directory, and seal them. */
static size_t change_frame(uint8_t *data, size_t n, uint64_t *draws)
{
    const size_t directory = (size_t)dvi_load_u64(data + 24);
    const size_t end = n - DVI_SAVED_DIGEST;
    if (draw(draws, 3) == 0)
        LLVMFuzzerMutate(data + 8, DVI_SAVED_HEADER - 8, DVI_SAVED_HEADER - 8);
    else
        LLVMFuzzerMutate(data + directory, end - directory, end - directory);
    seal(data, directory, end - directory);
    return n;
}

size_t dvt_pipeline_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    file f;
    uint64_t draws = seed;
    const size_t way = draw(&draws, 8);
    if (way == 0 || !read_file(&f, data, n))
        return LLVMFuzzerMutate(data, n, most);
    if (way == 1)
        return change_frame(data, n, &draws);
    const size_t used = change_section(data, most, &f, &draws);
    return used > 0 ? used : n;
}
