/* SPDX-License-Identifier: MIT */
/* disk_source.c: bytes of a source through the blocks of it that a folder keeps.
 *
 * A thread claims the missing blocks in a row that it needs, and never waits while it has a claim.
 * So no two of them wait for each other. */
#include "io/disk_source.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/size.h"
#include "io/lock_file.h"
#include <errno.h>
#include <string.h>
#include <time.h>

#define FAILURES_MOST 8                    /* in a row; then no more blocks are kept */
#define RUN_MOST 16                        /* blocks that are claimed and fetched together */
#define WAIT_NS (INT64_C(10) * 1000000000) /* for another process, which may have been stopped */

struct dvi_disk_source {
    dv_allocator allocator;
    const dvi_disk_folder *folder;
    dvi_disk_below below;
    dvi_disk_key key;
    char *text;    /* the same memory */
    bool is_known; /* the key can be used */
    atomic_int_fast64_t read_nbytes, kept_nbytes;
    atomic_int failures;        /* to keep a block, since the last one that was kept */
    atomic_bool is_impatient;   /* it has waited for another process in vain */
    _Atomic(const char *) note; /* why no block is kept any more; NULL: they are */
};

/* Blocks in a row that this thread fetches. */
typedef struct run {
    int64_t first, n;
    dvi_disk_claim claim[RUN_MOST];
} run;

/* --- Life ------------------------------------------------------------------------------------- */

dv_status dvi_disk_source_create(dvi_disk_source **source_out, const dvi_disk_folder *folder,
                                 const char *name, const char *version, int64_t nbytes,
                                 const dvi_disk_below *below, const dv_allocator *allocator,
                                 dv_error *err)
{
    void *made, *text;
    *source_out = NULL;
    const size_t n = strlen(name) + 1, m = version ? strlen(version) + 1 : 0;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_disk_source), err));
    dvi_disk_source *s = made;
    s->allocator = dvi_allocator_of(allocator);
    s->folder = folder;
    s->below = *below;
    s->key = (dvi_disk_key){NULL, n + m, nbytes};
    const dv_status status = dvi_alloc(allocator, &text, n + m, err);
    if (status < 0) {
        dvi_free(allocator, s, sizeof *s);
        return status;
    }
    memcpy(text, name, n);
    if (version)
        memcpy((char *)text + n, version, m);
    s->key.text = s->text = text;
    s->is_known = version && n + m <= DVI_DISK_KEY_NBYTES_MOST;
    if (!s->is_known)
        s->note = version ? "its name and version are too long" : "the source has no version";
    *source_out = s;
    return DV_OK;
}

void dvi_disk_source_free(dvi_disk_source **source)
{
    dvi_disk_source *s = *source;
    *source = NULL;
    if (!s)
        return;
    const dv_allocator allocator = s->allocator;
    dvi_free(&allocator, s->text, s->key.text_nbytes);
    dvi_free(&allocator, s, sizeof *s);
}

dvi_disk_counts dvi_disk_source_counts(const dvi_disk_source *s)
{
    const char *note = atomic_load(&s->note);
    return (dvi_disk_counts){atomic_load(&s->read_nbytes), atomic_load(&s->kept_nbytes),
                             note ? note : ""};
}

/* --- Keeping blocks --------------------------------------------------------------------------- */

/* Why no more blocks are kept after a failure; NULL: the next one may be. */
static const char *reason_of(int os_code)
{
    if (os_code == ENOSPC || os_code == EDQUOT)
        return "the disk is full";
    if (os_code == EFBIG)
        return "the limit of the size of files is too low";
    if (os_code == EROFS || os_code == EACCES || os_code == EPERM)
        return "the folder cannot be written to";
    return dvi_has_no_locks(os_code) ? "the file system has no locks" : NULL;
}

static void note_failure(dvi_disk_source *s, int os_code)
{
    const char *reason = reason_of(os_code);
    if (!reason && atomic_fetch_add(&s->failures, 1) + 1 >= FAILURES_MOST)
        reason = "the folder fails again and again";
    const char *none = NULL;
    if (reason)
        atomic_compare_exchange_strong(&s->note, &none, reason);
}

/* Is there a reason to fetch a block whole? */
static bool keeps(const dvi_disk_source *s)
{
    return !atomic_load(&s->note);
}

/* Returns 0, or an errno code. */
static int keep_block(dvi_disk_source *s, dvi_disk_claim *claim, int64_t number,
                      const uint8_t *data)
{
    const int64_t nbytes = dvi_disk_block_nbytes(&s->key, number);
    int os_code = dvi_disk_folder_reserve(s->folder, claim->fd, DVI_DISK_HEAD_NBYTES + nbytes);
    if (os_code == 0)
        os_code = dvi_disk_claim_keep(claim, dvi_disk_folder_fd(s->folder), &s->key, number, data);
    if (os_code == 0) {
        atomic_fetch_add(&s->kept_nbytes, nbytes);
        atomic_store(&s->failures, 0);
    } else {
        note_failure(s, os_code);
    }
    return os_code;
}

static void end_run(dvi_disk_source *s, run *r)
{
    for (int64_t i = 0; i < r->n; i++)
        dvi_disk_claim_end(&r->claim[i], dvi_disk_folder_fd(s->folder));
}

/* Claim block `number` as the next of the run.  Returns 0, or an errno code. */
static int claim_next(dvi_disk_source *s, run *r, int64_t number)
{
    const int os_code =
        dvi_disk_claim_take(&r->claim[r->n], dvi_disk_folder_fd(s->folder), &s->key, number);
    r->n += os_code == 0;
    return os_code;
}

/* Claim the blocks after the first one up to `end` that are missing and not being fetched. */
static void extend_run(dvi_disk_source *s, run *r, int64_t end)
{
    const int fd = dvi_disk_folder_fd(s->folder);
    while (r->n < RUN_MOST && (r->first + r->n) * DVI_DISK_BLOCK_NBYTES < end &&
           !dvi_disk_block_exists(fd, &s->key, r->first + r->n))
        if (claim_next(s, r, r->first + r->n) != 0)
            return;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Copy bytes of a block, if the folder has it. */
static bool read_kept(dvi_disk_source *s, int64_t offset, int64_t n, uint8_t *dst, uint8_t *room)
{
    const int64_t number = offset / DVI_DISK_BLOCK_NBYTES;
    const bool is_read =
        DVI_ATTEMPT("disk_source.c read_kept",
                    dvi_disk_block_read(dvi_disk_folder_fd(s->folder), &s->key, number,
                                        offset % DVI_DISK_BLOCK_NBYTES, n, dst, room));
    if (is_read)
        atomic_fetch_add(&s->read_nbytes, n);
    return is_read;
}

/* Fetch the blocks of a run, and copy from `offset` on the bytes that they have; *n_out: how many.
 */
static dv_status fetch_run(dvi_disk_source *s, run *r, int64_t offset, int64_t nbytes, uint8_t *dst,
                           int64_t *n_out, dv_error *err)
{
    const int64_t begin = r->first * DVI_DISK_BLOCK_NBYTES;
    const int64_t end = dvi_min_i64(s->key.nbytes, begin + r->n * DVI_DISK_BLOCK_NBYTES);
    void *fetched;
    *n_out = dvi_min_i64(nbytes, end - offset);
    DVI_TRY(dvi_alloc(&s->allocator, &fetched, (size_t)(end - begin), err));
    const dv_status status =
        s->below.fetch(s->below.ctx, begin, fetched, (size_t)(end - begin), err);
    if (status == DV_OK)
        memcpy(dst, (uint8_t *)fetched + (offset - begin), (size_t)*n_out);
    for (int64_t i = 0; status == DV_OK && i < r->n; i++)
        if (!DVI_ATTEMPT("disk_source.c fetch_run",
                         keep_block(s, &r->claim[i], r->first + i,
                                    (uint8_t *)fetched + i * DVI_DISK_BLOCK_NBYTES) == 0))
            break;
    dvi_free(&s->allocator, fetched, (size_t)(end - begin));
    return status;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Claim the block of `offset`, unless it appears in the meantime: then its bytes are copied.
 * DV_OK: it was claimed; DV_END: it was copied; DV_NOT_FOUND: neither; DV_ERR_STOPPED. */
static dv_status claim_first(dvi_disk_source *s, run *r, int64_t offset, int64_t n, uint8_t *dst,
                             uint8_t *room, dv_error *err)
{
    const int64_t due = now_ns() + (atomic_load(&s->is_impatient) ? 0 : WAIT_NS);
    int os_code = EBUSY;
    while (keeps(s) && (os_code = claim_next(s, r, r->first)) == EBUSY && now_ns() < due) {
        if (!s->below.rest(s->below.ctx))
            return dvi_fail(err, DV_ERR_STOPPED, "", -1, "not read", "%s", "stopped on request");
        if (read_kept(s, offset, n, dst, room))
            return DV_END;
    }
    if (os_code == EBUSY)
        atomic_store(&s->is_impatient, keeps(s));
    else if (os_code != 0)
        note_failure(s, os_code);
    return os_code == 0 ? DV_OK : DV_NOT_FOUND;
}

/* How many bytes from the offset on the folder lacks; the block of the first one is missing. */
static int64_t count_missing(const dvi_disk_source *s, int64_t offset, int64_t nbytes)
{
    int64_t number = offset / DVI_DISK_BLOCK_NBYTES + 1;
    while (number * DVI_DISK_BLOCK_NBYTES < offset + nbytes &&
           !dvi_disk_block_exists(dvi_disk_folder_fd(s->folder), &s->key, number))
        number++;
    return dvi_min_i64(nbytes, number * DVI_DISK_BLOCK_NBYTES - offset);
}

/* Get bytes that the folder lacks, at least up to the end of their block; *n_out: how many. */
static dv_status read_missing(dvi_disk_source *s, int64_t offset, int64_t nbytes, uint8_t *dst,
                              uint8_t *room, int64_t *n_out, dv_error *err)
{
    run r = {.first = offset / DVI_DISK_BLOCK_NBYTES};
    const int64_t here = dvi_min_i64(nbytes, (r.first + 1) * DVI_DISK_BLOCK_NBYTES - offset);
    dv_status status = claim_first(s, &r, offset, here, dst, room, err);
    *n_out = status == DV_NOT_FOUND ? count_missing(s, offset, nbytes) : here;
    if (status == DV_NOT_FOUND)
        return s->below.fetch(s->below.ctx, offset, dst, (size_t)*n_out, err);
    if (status != DV_OK)
        return status == DV_END ? DV_OK : status;
    if (!read_kept(s, offset, here, dst,
                   room)) { /* whoever had the claim before may have kept it */
        extend_run(s, &r, offset + nbytes);
        status = fetch_run(s, &r, offset, nbytes, dst, n_out, err);
    }
    end_run(s, &r);
    return status;
}

static dv_status read_parts(dvi_disk_source *s, int64_t offset, int64_t nbytes, uint8_t *dst,
                            uint8_t *room, dv_error *err)
{
    dv_status status = DV_OK;
    for (int64_t n; nbytes > 0 && status == DV_OK; offset += n, dst += n, nbytes -= n) {
        const int64_t left = DVI_DISK_BLOCK_NBYTES - offset % DVI_DISK_BLOCK_NBYTES;
        n = dvi_min_i64(nbytes, left);
        if (!read_kept(s, offset, n, dst, room))
            status = read_missing(s, offset, nbytes, dst, room, &n, err);
    }
    return status; /* also DV_NOT_FOUND: the source is gone */
}

dv_status dvi_disk_source_read(dvi_disk_source *s, int64_t offset, int64_t nbytes, uint8_t *dst,
                               dv_error *err)
{
    void *room;
    if (!s->is_known)
        return s->below.fetch(s->below.ctx, offset, dst, (size_t)nbytes, err);
    DVI_TRY(dvi_alloc(&s->allocator, &room, (size_t)DVI_DISK_CHUNK_NBYTES, err));
    const dv_status status = read_parts(s, offset, nbytes, dst, room, err);
    dvi_free(&s->allocator, room, (size_t)DVI_DISK_CHUNK_NBYTES);
    return status;
}
