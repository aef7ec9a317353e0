/* SPDX-License-Identifier: MIT */
/* map_pread.c: the backend that copies: later changes to the file do not affect its spans. */
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define READ_NBYTES_MAX ((size_t)1 << 20) /* per call, so that none takes long */

typedef struct copied {
    dvi_map map;
    dvi_descriptor file;
} copied;

static dv_status read_file(int fd, int64_t file_nbytes, int64_t offset, uint8_t *dst, size_t nbytes,
                           dv_error *err)
{
    for (size_t n = 0; n < nbytes;) {
        const size_t left = nbytes - n;
        const int64_t at = offset + (int64_t)n;
        const size_t want = left < READ_NBYTES_MAX ? left : READ_NBYTES_MAX;
        const ssize_t got = pread(fd, dst + n, want, at);
        if (got == 0)
            return dvi_map_fail_shrank(err, file_nbytes, at);
        if (got > 0)
            n += (size_t)got;
        else if (errno != EINTR)
            return dvi_fail_os(err, errno, "reading the file");
    }
    return DV_OK;
}

dv_status dvi_map_read(const dvi_descriptor *file, int64_t file_nbytes, int64_t offset,
                       uint8_t *dst, size_t nbytes, dv_error *err)
{
    int fd;
    DVI_TRY(dvi_descriptor_take(file, &fd, err));
    const dv_status status = read_file(fd, file_nbytes, offset, dst, nbytes, err);
    dvi_descriptor_give(file, fd);
    return status;
}

void dvi_map_forget(const dvi_descriptor *file, int64_t offset, int64_t nbytes)
{
    int fd;
    if (!DVI_ATTEMPT("map_pread.c dvi_map_forget", dvi_descriptor_take(file, &fd, NULL) == DV_OK))
        return;
    dvi_os_advise_file(fd, offset, nbytes, DVI_OS_FORGET);
    dvi_descriptor_give(file, fd);
}

static dv_status span_pread(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                            dvi_span *span_out, dv_error *err)
{
    const dvi_descriptor *file = &((copied *)map)->file;
    DVI_TRY(dvi_memory_reserve(memory, &map->allocator, nbytes, err));
    DVI_TRY(dvi_map_read(file, map->nbytes, offset, (*memory)->data, nbytes, err));
    *span_out = (dvi_span){(*memory)->data, nbytes, offset, &(*memory)->owner, false};
    return DV_OK;
}

static dv_status check_pread(dvi_map *map, dv_error *err)
{
    return dvi_map_check_length(&((copied *)map)->file, map->nbytes, err);
}

static void advise_pread(dvi_map *map, int64_t offset, int64_t nbytes)
{
    const int fd = ((copied *)map)->file.fd;
    if (fd >= 0)
        dvi_os_advise_file(fd, offset, nbytes, DVI_OS_SOON);
}

static void leave_pread(dvi_map *map, int64_t offset, int64_t nbytes)
{
    dvi_map_forget(&((copied *)map)->file, offset, nbytes);
}

static void close_pread(dvi_map *map)
{
    dvi_descriptor_close(&((copied *)map)->file);
}

static dv_status reach_pread(dvi_map *map, int64_t nbytes, dv_error *err)
{
    (void)nbytes;
    return dvi_map_reach_length(map, &((copied *)map)->file, err);
}

static const dvi_descriptor *file_pread(const dvi_map *map)
{
    return &((const copied *)map)->file;
}

static void settle_pread(dvi_map *map, int descriptors)
{
    dvi_descriptor_settle(&((copied *)map)->file, map->name, descriptors);
}

static const dvi_map_backend pread_backend = {.span = span_pread,
                                              .check = check_pread,
                                              .advise = advise_pread,
                                              .leave = leave_pread,
                                              .close = close_pread,
                                              .reach = reach_pread,
                                              .settle = settle_pread,
                                              .file = file_pread};

dv_status dvi_map_open_pread(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(
        dvi_map_create(map_out, sizeof(copied), &pread_backend, file_nbytes, path, allocator, err));
    dvi_descriptor_own(&((copied *)*map_out)->file, fd);
    (*map_out)->is_copied = true;
    return DV_OK;
}
