/* SPDX-License-Identifier: MIT */
/* map_posix.c: the bytes of a file by mmap, and an error in place of SIGBUS.
 *
 * A page that the file no longer has kills whoever reads it.  So each window is read into memory by
 * the system before a span of it is handed out, once per map, and after that the file's length is
 * asked for: what was cut off until then is an error, also within a page, where reading would give
 * zeros.  The first few small spans of a window have only their own pages read: opening a file
 * takes a header here and a table there, and should cost the same however long the file is. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; its name is younger in some C libraries */
#endif

#define WINDOW_NBYTES ((size_t)2 << 20)
#define SMALL_NBYTES ((size_t)64 << 10)
#define SMALL_SPANS 4   /* of a window; then all of it */
#define WHOLE UCHAR_MAX /* in `touched` */

typedef struct mapped {
    dvi_map map;
    int fd;        /* -1 until open */
    uint8_t *data; /* read-only pages; NULL for an empty file */
    size_t nbytes; /* of them: what the file had when it was opened */
    /* Of each window: WHOLE, or how many small spans were read.  Written by any thread; it
     * publishes nothing but itself, and a count that two threads raise at once may be one short. */
    atomic_uchar touched[];
} mapped;

static size_t page_nbytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* For a kernel without the advice: one byte of each page, through a call that can fail. */
static dv_status read_pages(const mapped *m, size_t at, size_t nbytes, dv_error *err)
{
    uint8_t byte;
    for (size_t i = 0; i < nbytes; i += page_nbytes())
        DVI_TRY(dvi_map_read(m->fd, m->map.nbytes, (int64_t)(at + i), &byte, 1, err));
    return DV_OK;
}

static dv_status populate(const mapped *m, size_t at, size_t nbytes, dv_error *err)
{
    int os_code;
    do
        os_code = madvise(m->data + at, nbytes, MADV_POPULATE_READ) == 0 ? 0 : errno;
    while (os_code == EINTR);
    if (os_code == 0)
        return DV_OK;
    DVI_TRY(dvi_map_check_length(m->fd, m->map.nbytes, err));
    if (os_code == EINVAL)
        return read_pages(m, at, nbytes, err);
    /* EFAULT is "a read would raise SIGBUS": the length is right, so the device has failed. */
    return dvi_fail_os(err, os_code == EFAULT ? EIO : os_code, "reading the mapped file");
}

/* Read all of a window into memory, or the pages of a small span of it: the bytes from..end-1 of
 * the file, of which it holds some. */
static dv_status touch_window(mapped *m, size_t window, size_t from, size_t end, dv_error *err)
{
    atomic_uchar *const touched = &m->touched[window];
    const unsigned char spans = atomic_load_explicit(touched, memory_order_relaxed);
    if (spans == WHOLE)
        return DV_OK;
    const bool is_small = end - from <= SMALL_NBYTES && spans < SMALL_SPANS;
    size_t at = window * WINDOW_NBYTES, after = at + WINDOW_NBYTES;
    if (is_small) {
        at = from > at ? from - from % page_nbytes() : at;
        after = end < after ? end : after;
    }
    if (after > m->nbytes)
        after = m->nbytes;
    DVI_TRY(populate(m, at, after - at, err));
    const unsigned char now = is_small ? (unsigned char)(spans + 1) : WHOLE;
    atomic_store_explicit(touched, now, memory_order_relaxed);
    return DV_OK;
}

/* What the file has got since, and what was there before it in the same span. */
static dv_status read_grown(const mapped *m, int64_t offset, size_t nbytes, dvi_memory **memory,
                            dvi_span *span_out, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(memory, &m->map.allocator, nbytes, err));
    DVI_TRY(dvi_map_read(m->fd, m->map.nbytes, offset, (*memory)->data, nbytes, err));
    *span_out = (dvi_span){(*memory)->data, nbytes, offset, &(*memory)->owner, false};
    return DV_OK;
}

static dv_status span_posix(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                            dvi_span *span_out, dv_error *err)
{
    mapped *m = (mapped *)map;
    const size_t at = (size_t)offset;
    if (at + nbytes > m->nbytes)
        return read_grown(m, offset, nbytes, memory, span_out, err);
    const size_t last = (at + nbytes - 1) / WINDOW_NBYTES;
    for (size_t window = at / WINDOW_NBYTES; window <= last; window++)
        DVI_TRY(touch_window(m, window, at, at + nbytes, err));
    *span_out = (dvi_span){m->data + at, nbytes, offset, &map->owner, true};
    return DV_OK;
}

static dv_status check_posix(dvi_map *map, dv_error *err)
{
    return dvi_map_check_length(((mapped *)map)->fd, map->nbytes, err);
}

/* Does the system hold this byte in memory?  False too where it cannot be asked. */
static bool is_cached(const mapped *m, int64_t offset)
{
    uint8_t byte;
    const struct iovec one = {&byte, 1};
    return preadv2(m->fd, &one, 1, offset, RWF_NOWAIT) == 1;
}

/* To advise what is in memory already costs a tenth of scanning it, to ask next to nothing. */
static void advise_posix(dvi_map *map, int64_t offset, int64_t nbytes)
{
    const mapped *m = (mapped *)map;
    if (offset + nbytes > (int64_t)m->nbytes)
        return;
    if (is_cached(m, offset) && is_cached(m, offset + nbytes - 1))
        return;
    const size_t slack = (size_t)offset % page_nbytes();
    madvise(m->data + ((size_t)offset - slack), (size_t)nbytes + slack, MADV_WILLNEED);
}

static void close_posix(dvi_map *map)
{
    mapped *m = (mapped *)map;
    if (m->data)
        munmap(m->data, m->nbytes);
    if (m->fd >= 0)
        close(m->fd);
}

static dv_status reach_posix(dvi_map *map, int64_t nbytes, dv_error *err)
{
    (void)nbytes;
    return dvi_map_reach_length(map, ((mapped *)map)->fd, err);
}

static int descriptor_posix(const dvi_map *map)
{
    return ((const mapped *)map)->fd;
}

static const dvi_map_backend posix_backend = {
    span_posix, check_posix, advise_posix, close_posix, reach_posix, NULL, descriptor_posix};

/* Private pages: never written, so still those of the file; and some file systems refuse others. */
static dv_status map_file(mapped *m, int fd, dv_error *err)
{
    const size_t nbytes = (size_t)m->map.nbytes;
    m->nbytes = nbytes;
    if (nbytes == 0)
        return DV_OK; /* mmap would refuse */
    void *data = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return dvi_fail_os(err, errno, "cannot be mapped, open it with io = pread");
    m->data = data;
    return DV_OK;
}

dv_status dvi_map_open_posix(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err)
{
    *map_out = NULL;
    dvi_map *map;
    const size_t windows = (size_t)file_nbytes / WINDOW_NBYTES + 1;
    DVI_TRY(dvi_map_create(&map, sizeof(mapped) + windows, &posix_backend, file_nbytes, path,
                           allocator, err));
    mapped *m = (mapped *)map;
    m->fd = -1;
    const dv_status status = map_file(m, fd, err);
    if (status != DV_OK) {
        dvi_map_release(&map);
        return status;
    }
    m->fd = fd;
    *map_out = map;
    return DV_OK;
}
