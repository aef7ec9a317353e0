/* SPDX-License-Identifier: MIT */
/* writer.c: appends bytes to a file that replaces its target when complete, or to memory. */
#include "io/writer.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"
#include "base/size.h"
#include "io/claim.h"
#include "io/map_priv.h"
#include "io/pack.h"
#include "io/replace.h"
#include <dataview/digest.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GATHERED_NBYTES ((size_t)1 << 20)
#define WRITE_NBYTES_MAX ((size_t)1 << 30) /* per call; the system takes less than 2 GiB */
#define MEMORY_LEAST ((size_t)4096)
#define SIDES_MOST 7
#define WINDOW_NBYTES (INT64_C(8) << 20) /* as much as a packer uses, and more */

/* A file that will replace another, and the appended bytes that are not written yet. Of a writer to
 * memory, `bytes` holds all bytes. */
struct dvi_writer {
    dv_allocator allocator;
    int64_t appended; /* bytes, including the gathered ones */
    size_t gathered;  /* the last of these: in `bytes`, not in the file */
    dvi_memory *bytes;
    bool is_file, sync;
    int64_t limit_nbytes; /* memory */
    const char *limit_name;
    dv_status failed; /* DV_OK, or the status that every later call returns */
    dv_error failure;
    dv_digester *digester; /* of all appended bytes; NULL: none */
    dvi_packing packing;
    dvi_packer *packer;    /* through which appended bytes go to the file; NULL: they go directly */
    int64_t packed_nbytes; /* in the file */
    size_t whole_nbytes;   /* of this struct and the path after it */
    dvi_replacement replacement;
    dvi_claim claim; /* on the file that will be replaced */
    bool is_side;    /* its folder is that of the writer that owns it */
    int sides_count;
    dvi_writer *sides[SIDES_MOST];
    char path[]; /* as the caller wrote it */
};

/* --- Creation --------------------------------------------------------------------------------- */

static dv_status create(dvi_writer **writer_out, const char *path, const dv_allocator *allocator,
                        dv_error *err)
{
    void *made;
    const size_t path_nbytes = strlen(path) + 1;
    const size_t whole_nbytes = sizeof(dvi_writer) + path_nbytes;
    DVI_TRY(dvi_alloc(allocator, &made, whole_nbytes, err));
    dvi_writer *w = made;
    memset(w, 0, sizeof *w);
    memcpy(w->path, path, path_nbytes);
    w->allocator = dvi_allocator_of(allocator);
    w->whole_nbytes = whole_nbytes;
    w->replacement.target.folder = w->replacement.temp.fd = -1;
    *writer_out = w;
    return DV_OK;
}

static dv_status create_temp(dvi_writer *w, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(&w->bytes, &w->allocator, GATHERED_NBYTES, err));
    dvi_temp_file_clear(&w->replacement.target);
    return dvi_temp_file_create(&w->replacement.temp, &w->replacement.target, err);
}

static dv_status create_file(dvi_writer **writer_out, const char *path, bool sync, bool is_new,
                             const dv_allocator *allocator, dv_error *err)
{
    dvi_writer *w;
    *writer_out = NULL;
    DVI_TRY(create(&w, path, allocator, err));
    w->is_file = true;
    w->sync = sync;
    dv_status status = dvi_target_open(&w->replacement.target, path, err);
    if (status == DV_OK)
        status = dvi_claim_take(&w->claim, &w->replacement.target, err);
    if (status == DV_OK && is_new)
        status = create_temp(w, err);
    else if (status == DV_OK && !w->replacement.target.exists)
        status = dvi_fail_os(err, ENOENT, "no main file for the side files");
    if (status != DV_OK) {
        dvi_error_set_file(err, path);
        dvi_writer_close(&w);
        return status;
    }
    *writer_out = w;
    return DV_OK;
}

dv_status dvi_writer_create(dvi_writer **writer_out, const char *path, bool sync,
                            const dv_allocator *allocator, dv_error *err)
{
    return create_file(writer_out, path, sync, true, allocator, err);
}

dv_status dvi_writer_create_beside(dvi_writer **writer_out, const char *path, bool sync,
                                   const dv_allocator *allocator, dv_error *err)
{
    return create_file(writer_out, path, sync, false, allocator, err);
}

dv_status dvi_writer_create_memory(dvi_writer **writer_out, int64_t limit_nbytes,
                                   const char *limit_name, const dv_allocator *allocator,
                                   dv_error *err)
{
    *writer_out = NULL;
    DVI_TRY(create(writer_out, "", allocator, err));
    (*writer_out)->limit_nbytes = dvi_min_i64(limit_nbytes, PTRDIFF_MAX);
    (*writer_out)->limit_name = limit_name;
    return DV_OK;
}

void dvi_writer_close(dvi_writer **writer)
{
    dvi_writer *w = *writer;
    *writer = NULL;
    if (!w)
        return;
    while (w->sides_count > 0)
        dvi_writer_close(&w->sides[--w->sides_count]);
    dvi_claim_drop(&w->claim);
    if (w->is_file)
        dvi_temp_file_discard(&w->replacement.temp, &w->replacement.target);
    if (!w->is_side)
        dvi_target_close(&w->replacement.target);
    dvi_packer_free(&w->packer);
    dvi_memory_release(&w->bytes);
    const dv_allocator allocator = w->allocator;
    dvi_free(&allocator, w, w->whole_nbytes);
}

/* --- Failing ---------------------------------------------------------------------------------- */

static dv_status repeat(const dvi_writer *w, dv_error *err)
{
    if (err)
        *err = w->failure;
    return w->failed;
}

/* A writer that has failed or committed replaces no file any more. */
static void drop_claims(dvi_writer *w)
{
    dvi_claim_drop(&w->claim);
    for (int i = 0; i < w->sides_count; i++)
        dvi_claim_drop(&w->sides[i]->claim);
}

/* Keep the failure, which the call that reports it copies. */
static dv_status finish(dvi_writer *w, dv_status status, dv_error *err)
{
    if (status == DV_OK)
        return DV_OK;
    if (w->is_file)
        dvi_error_set_file(&w->failure, w->path);
    w->failed = status;
    drop_claims(w);
    return repeat(w, err);
}

/* --- Appending -------------------------------------------------------------------------------- */

static dv_status write_file(dvi_writer *w, int64_t offset, const uint8_t *src, size_t n)
{
    while (n > 0) {
        const size_t want = n < WRITE_NBYTES_MAX ? n : WRITE_NBYTES_MAX;
        const ssize_t done = pwrite(w->replacement.temp.fd, src, want, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return dvi_target_fail(&w->failure, done < 0 ? errno : EIO, "cannot be written");
        src += done;
        offset += done;
        n -= (size_t)done;
    }
    return DV_OK;
}

static dv_status write_packed(void *ctx, const uint8_t *src, size_t n, dv_error *err)
{
    dvi_writer *w = ctx;
    (void)err; /* &w->failure, as it is for write_file */
    if (n > (size_t)(INT64_MAX - w->packed_nbytes))
        return dvi_target_fail(&w->failure, EFBIG, "cannot be written");
    DVI_TRY(write_file(w, w->packed_nbytes, src, n));
    w->packed_nbytes += (int64_t)n;
    return DV_OK;
}

/* Pass on bytes that follow all those passed on before. */
static dv_status pass_on(dvi_writer *w, int64_t offset, const uint8_t *src, size_t n)
{
    return w->packer ? dvi_packer_put(w->packer, src, n, &w->failure)
                     : write_file(w, offset, src, n);
}

static dv_status flush(dvi_writer *w)
{
    const size_t n = w->gathered;
    w->gathered = 0;
    return pass_on(w, w->appended - (int64_t)n, w->bytes->data, n);
}

/* No byte follows. */
static dv_status flush_all(dvi_writer *w)
{
    DVI_TRY(flush(w));
    return w->packer ? dvi_packer_end(w->packer, &w->failure) : DV_OK;
}

/* Append to the gathered bytes, or directly to the file if there are too many to gather. */
static dv_status append_file(dvi_writer *w, const uint8_t *src, size_t n)
{
    if (n > GATHERED_NBYTES - w->gathered)
        DVI_TRY(flush(w));
    if (n >= GATHERED_NBYTES)
        return pass_on(w, w->appended, src, n);
    memcpy(w->bytes->data + w->gathered, src, n);
    w->gathered += n;
    return DV_OK;
}

static dv_status grow_memory(dvi_writer *w, size_t need)
{
    const size_t cap = w->bytes ? w->bytes->cap : 0;
    if (need <= cap)
        return DV_OK;
    size_t wider = cap > (size_t)w->limit_nbytes / 2 ? (size_t)w->limit_nbytes : 2 * cap;
    wider = wider < MEMORY_LEAST ? MEMORY_LEAST : wider;
    dvi_memory *fresh = NULL;
    DVI_TRY(dvi_memory_reserve(&fresh, &w->allocator, wider < need ? need : wider, &w->failure));
    if (w->bytes)
        memcpy(fresh->data, w->bytes->data, (size_t)w->appended);
    dvi_memory_release(&w->bytes);
    w->bytes = fresh;
    return DV_OK;
}

static dv_status append_memory(dvi_writer *w, const uint8_t *src, size_t n)
{
    if (n > (size_t)(w->limit_nbytes - w->appended))
        return dvi_fail(&w->failure, DV_ERR_LIMIT, w->limit_name, -1, "bytes in memory",
                        "at most %" PRId64 "|more", w->limit_nbytes);
    DVI_TRY(grow_memory(w, (size_t)w->appended + n));
    memcpy(w->bytes->data + w->appended, src, n);
    return DV_OK;
}

dv_status dvi_writer_write(dvi_writer *w, const void *src, size_t n, dv_error *err)
{
    if (w->failed != DV_OK)
        return repeat(w, err);
    if (n == 0)
        return DV_OK;
    dv_status status;
    if (n > (size_t)(INT64_MAX - w->appended))
        status = dvi_target_fail(&w->failure, EFBIG, "cannot be written");
    else
        status = w->is_file ? append_file(w, src, n) : append_memory(w, src, n);
    DVI_TRY(finish(w, status, err));
    w->appended += (int64_t)n;
    if (w->digester)
        dv_digester_add(w->digester, src, n);
    return DV_OK;
}

dv_status dvi_writer_pad(dvi_writer *w, size_t n, dv_error *err)
{
    static const uint8_t zeros[4096];
    while (n > 0) {
        const size_t count = n < sizeof zeros ? n : sizeof zeros;
        DVI_TRY(dvi_writer_write(w, zeros, count, err));
        n -= count;
    }
    return w->failed == DV_OK ? DV_OK : repeat(w, err);
}

dv_status dvi_writer_pack(dvi_writer *w, dvi_packing packing, dv_error *err)
{
    assert(w->is_file && w->appended == 0 && !w->packer);
    if (w->failed != DV_OK)
        return repeat(w, err);
    if (packing == DVI_PACKING_NONE)
        return DV_OK;
    w->packing = packing;
    return finish(
        w, dvi_packer_create(&w->packer, packing, write_packed, w, &w->allocator, &w->failure),
        err);
}

bool dvi_writer_is_packed(const dvi_writer *w)
{
    return w->packer != NULL;
}

void dvi_writer_watch(dvi_writer *w, dv_digester *digester)
{
    w->digester = digester;
}

int64_t dvi_writer_offset(const dvi_writer *w)
{
    return w->appended;
}

/* --- Appended bytes --------------------------------------------------------------------------- */

/* Overwrite gathered bytes, or bytes of the file. */
static dv_status replace(dvi_writer *w, int64_t offset, const void *src, size_t n)
{
    const int64_t start = w->is_file ? w->appended - (int64_t)w->gathered : 0;
    if (offset < start && w->gathered > 0)
        DVI_TRY(flush(w));
    if (w->is_file && offset < w->appended - (int64_t)w->gathered)
        return write_file(w, offset, src, n);
    memcpy(w->bytes->data + (offset - start), src, n);
    return DV_OK;
}

dv_status dvi_writer_write_at(dvi_writer *w, int64_t offset, const void *src, size_t n,
                              dv_error *err)
{
    const bool is_inside =
        offset >= 0 && offset <= w->appended && n <= (size_t)(w->appended - offset) && !w->packer;
    if (w->failed != DV_OK)
        return repeat(w, err);
    assert(is_inside);
    DVI_REQUIRE(is_inside, dvi_fail_argument(err, "%zu bytes at %" PRId64 " of %" PRId64 " written",
                                             n, offset, w->appended));
    return n > 0 ? finish(w, replace(w, offset, src, n), err) : DV_OK;
}

static dv_status read_file(dvi_writer *w, int64_t offset, uint8_t *dst, size_t n)
{
    DVI_TRY(flush(w));
    while (n > 0) {
        const ssize_t done = pread(w->replacement.temp.fd, dst, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return dvi_target_fail(&w->failure, done < 0 ? errno : EIO, "cannot be read again");
        dst += done;
        offset += done;
        n -= (size_t)done;
    }
    return DV_OK;
}

dv_status dvi_writer_read_back(dvi_writer *w, int64_t offset, void *dst, size_t n, dv_error *err)
{
    assert(w->is_file && !w->packer && offset >= 0 && offset + (int64_t)n <= w->appended);
    if (w->failed != DV_OK)
        return repeat(w, err);
    return finish(w, read_file(w, offset, dst, n), err);
}

/* The map reads the temporary file by a descriptor of its own. */
static dv_status map_file(dvi_writer *w, dvi_map **map_out, dv_error *err)
{
    const int fd = fcntl(w->replacement.temp.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return dvi_fail_os(err, errno, "cannot be read again");
    const int64_t nbytes = w->packer ? w->packed_nbytes : w->appended;
    const dv_status status = dvi_map_open_pread(map_out, fd, nbytes, w->path, &w->allocator, err);
    if (status != DV_OK)
        close(fd);
    return status;
}

static dv_status map_packed(dvi_writer *w, dvi_map **map_out, dv_error *err)
{
    dvi_map *stored;
    DVI_TRY(map_file(w, &stored, err));
    const dv_status status = dvi_map_open_packed(map_out, stored, w->packing, WINDOW_NBYTES, err);
    dvi_map_release(&stored);
    return status;
}

dv_status dvi_writer_map(dvi_writer *w, dvi_map **map_out, dv_error *err)
{
    *map_out = NULL;
    if (w->failed != DV_OK)
        return repeat(w, err);
    if (!w->is_file)
        return dvi_map_open_memory(map_out, w->bytes ? w->bytes->data : NULL, (size_t)w->appended,
                                   NULL, NULL, w->path, DV_IO_MMAP, &w->allocator, err);
    DVI_TRY(finish(w, flush_all(w), err));
    return w->packer ? map_packed(w, map_out, err) : map_file(w, map_out, err);
}

/* --- Side files ------------------------------------------------------------------------------- */

static dv_status open_side(dvi_writer *w, const char *suffix, bool appears, dvi_writer **side_out,
                           dv_error *err)
{
    char path[PATH_MAX + NAME_MAX];
    snprintf(path, sizeof path, "%s%s", w->path, suffix);
    DVI_TRY(create(side_out, path, &w->allocator, err));
    dvi_writer *side = *side_out;
    side->is_file = side->is_side = true;
    w->sides[w->sides_count++] = side;
    dv_status status =
        dvi_target_beside(&side->replacement.target, &w->replacement.target, suffix, err);
    if (status == DV_OK)
        status = dvi_claim_take(&side->claim, &side->replacement.target, err);
    if (status == DV_OK && appears)
        status = create_temp(side, err);
    if (status != DV_OK)
        dvi_error_set_file(err, path);
    return status;
}

static dv_status add_side(dvi_writer *w, const char *suffix, bool appears, dvi_writer **side_out,
                          dv_error *err)
{
    *side_out = NULL;
    if (w->failed != DV_OK)
        return repeat(w, err);
    assert(w->sides_count < SIDES_MOST);
    DVI_REQUIRE(w->sides_count < SIDES_MOST,
                dvi_fail_argument(err, "more than %d side files", SIDES_MOST));
    if (!w->is_file)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, suffix, "a main file|memory");
    const dv_status status = finish(w, open_side(w, suffix, appears, side_out, &w->failure), err);
    if (status != DV_OK)
        *side_out = NULL;
    return status;
}

dv_status dvi_writer_attach(dvi_writer *w, const char *suffix, dvi_writer **side_out, dv_error *err)
{
    return add_side(w, suffix, true, side_out, err);
}

dv_status dvi_writer_forget(dvi_writer *w, const char *suffix, dv_error *err)
{
    dvi_writer *side;
    return add_side(w, suffix, false, &side, err);
}

const char *dvi_writer_name(const dvi_writer *w)
{
    return w->is_file ? w->replacement.target.name : NULL;
}

/* --- Commit ----------------------------------------------------------------------------------- */

static dv_status flush_side(dvi_writer *w, dvi_writer *side)
{
    dv_status status = side->failed;
    if (status == DV_OK && side->replacement.temp.fd >= 0)
        status = finish(side, flush(side), NULL);
    if (status != DV_OK)
        w->failure = side->failure;
    return status;
}

static dv_status replace_files(dvi_writer *w)
{
    dvi_replacement *files[1 + SIDES_MOST] = {&w->replacement};
    if (w->replacement.temp.fd >= 0)
        DVI_TRY(flush_all(w));
    for (int i = 0; i < w->sides_count; i++) {
        DVI_TRY(flush_side(w, w->sides[i]));
        files[1 + i] = &w->sides[i]->replacement;
    }
    return dvi_replace_files(files, 1 + w->sides_count, w->sync, &w->failure);
}

dv_status dvi_writer_commit(dvi_writer *w, dv_error *err)
{
    assert(!w->is_side);
    if (w->failed != DV_OK)
        return repeat(w, err);
    if (!w->is_file)
        return DV_OK;
    const dv_status status = replace_files(w);
    drop_claims(w);
    return finish(w, status, err);
}

void dvi_writer_take(dvi_writer *w, dv_buffer *buffer_out)
{
    *buffer_out = (dv_buffer){.is_aligned = true};
    if (!w->bytes)
        return;
    *buffer_out = dvi_memory_buffer(w->bytes, 0, (size_t)w->appended, 1);
    dv_buffer_retain(buffer_out);
}
