/* SPDX-License-Identifier: MIT */
/* map_posix.c: the bytes of a file by mmap, and an error in place of SIGBUS.
 *
 * A page that the file no longer has kills whoever reads it.  So each window is read into memory by
 * the system before a span of it is handed out, once per map, and after that the file's length is
 * asked for: what was cut off until then is an error, also within a page, where reading would give
 * zeros. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; its name is younger in some C libraries */
#endif

#define WINDOW_NBYTES ((size_t)2 << 20)

typedef struct mapped {
    dvi_map map;
    int fd;                /* -1 until open */
    uint8_t *data;         /* read-only pages; NULL for an empty file */
    atomic_uchar *touched; /* a bit per window that was read; set by any thread, never cleared */
    size_t touched_nbytes;
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

/* Two threads may both populate a window, and both set its bit: harmless.  The bit publishes
 * nothing but itself. */
static dv_status touch_window(mapped *m, size_t window, dv_error *err)
{
    atomic_uchar *const bits = &m->touched[window / 8];
    const unsigned char bit = (unsigned char)(1u << (window % 8));
    if (atomic_load_explicit(bits, memory_order_relaxed) & bit)
        return DV_OK;
    const size_t at = window * WINDOW_NBYTES;
    const size_t left = (size_t)m->map.nbytes - at;
    DVI_TRY(populate(m, at, left < WINDOW_NBYTES ? left : WINDOW_NBYTES, err));
    atomic_fetch_or_explicit(bits, bit, memory_order_relaxed);
    return DV_OK;
}

static dv_status span_posix(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                            dvi_span *span_out, dv_error *err)
{
    (void)memory;
    mapped *m = (mapped *)map;
    const size_t at = (size_t)offset;
    const size_t last = (at + nbytes - 1) / WINDOW_NBYTES;
    for (size_t window = at / WINDOW_NBYTES; window <= last; window++)
        DVI_TRY(touch_window(m, window, err));
    DVI_TRY(dvi_map_check_length(m->fd, map->nbytes, err));
    *span_out = (dvi_span){m->data + at, nbytes, offset, &map->owner, true};
    return DV_OK;
}

static dv_status check_posix(dvi_map *map, dv_error *err)
{
    return dvi_map_check_length(((mapped *)map)->fd, map->nbytes, err);
}

static void advise_posix(dvi_map *map, int64_t offset, int64_t nbytes)
{
    const mapped *m = (mapped *)map;
    const size_t slack = (size_t)offset % page_nbytes();
    madvise(m->data + ((size_t)offset - slack), (size_t)nbytes + slack, MADV_WILLNEED);
}

static void close_posix(dvi_map *map)
{
    mapped *m = (mapped *)map;
    if (m->data)
        munmap(m->data, (size_t)map->nbytes);
    dvi_free(&map->allocator, m->touched, m->touched_nbytes);
    if (m->fd >= 0)
        close(m->fd);
}

static const dvi_map_class posix_way = {span_posix, check_posix, advise_posix, close_posix};

/* Private pages: never written, so still those of the file; and some file systems refuse others. */
static dv_status map_file(mapped *m, int fd, dv_error *err)
{
    const size_t nbytes = (size_t)m->map.nbytes;
    if (nbytes == 0)
        return DV_OK; /* mmap would refuse */
    void *data = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return dvi_fail_os(err, errno, "cannot be mapped, open it with io = pread");
    m->data = data;

    const size_t windows = (nbytes - 1) / WINDOW_NBYTES + 1;
    void *touched;
    DVI_TRY(dvi_alloc_zeroed(&m->map.allocator, &touched, windows / 8 + 1, err));
    m->touched = touched;
    m->touched_nbytes = windows / 8 + 1;
    return DV_OK;
}

dv_status dvi_map_open_posix(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err)
{
    *map_out = NULL;
    dvi_map *map;
    DVI_TRY(dvi_map_create(&map, sizeof(mapped), &posix_way, file_nbytes, path, allocator, err));
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
