/* SPDX-License-Identifier: MIT */
/* map_posix.c: the backend that maps a file, and returns an error where SIGBUS would be raised.
 *
 * Reading a mapped page that the file no longer has raises SIGBUS. So before the first span of a
 * window is returned, the system reads the window into memory, once per map. Then the file's length
 * is checked: a file that was truncated by then gives an error, also if the cut lies within a page,
 * whose missing bytes would read as zeros. The first few small spans of a window have only their
 * own pages read: opening a file reads a header and some tables, and its cost must not depend on
 * the length of the file. A small file is read as a whole. A map that drops what is behind
 * (dvi_map_drop_behind) has the pages of each span read, every time.
 *
 * What is not in memory comes from the disk in the pieces that the system chooses, and that choice
 * costs more than the disk: pages of 4 KiB take ten times the CPU time of pages of 2 MiB. A fault,
 * and advice to read ahead, make small ones; a fault in a window that is announced as large makes
 * large ones, here and of the next windows, which the system then reads ahead by itself. Where a
 * window has small ones already, as that of a header, the next one is begun before the rest of this
 * one is waited for: else the disk would be idle meanwhile. Once windows are read in order, the
 * system is told, and reads further ahead. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_NBYTES ((size_t)DVI_MAP_WINDOW_NBYTES)
#define SMALL_NBYTES ((size_t)64 << 10)
#define SMALL_SPANS 4 /* of a window, before all of it is read */

/* In `touched`: all of the window was asked for, and spans of it read; all was read; and it was
 * announced as large. */
#define ASKED (UCHAR_MAX - 2)
#define WHOLE (UCHAR_MAX - 1)
#define LARGE UCHAR_MAX

typedef struct mapped {
    dvi_map map;
    dvi_descriptor file;
    _Atomic(uint8_t *) data; /* read-only pages; NULL: not mapped yet, or an empty file */
    size_t nbytes;           /* mapped: the length of the file when it was opened */
    atomic_int pieces;       /* windows that were announced apart from others */
    atomic_bool is_in_order; /* the system knows that windows are read in order */
    /* Of each window: ASKED, WHOLE, LARGE, or the number of small spans read. Any thread writes it,
     * relaxed: it orders no other memory, and may miss one of two concurrent increments. */
    atomic_uchar touched[];
} mapped;

static size_t page_nbytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* For systems that do not populate: read one byte of each page by a call that can fail. */
static dv_status read_pages(const mapped *m, size_t at, size_t nbytes, dv_error *err)
{
    uint8_t byte;
    for (size_t i = 0; i < nbytes; i += page_nbytes())
        DVI_TRY(dvi_map_read(&m->file, m->map.nbytes, (int64_t)(at + i), &byte, 1, err));
    return DV_OK;
}

static dv_status populate(const mapped *m, size_t at, size_t nbytes, dv_error *err)
{
    const int os_code = dvi_os_populate(m->data + at, nbytes);
    if (os_code == 0)
        return DV_OK;
    DVI_TRY(dvi_map_check_length(&m->file, m->map.nbytes, err));
    if (os_code == EINVAL)
        return read_pages(m, at, nbytes, err);
    /* EFAULT means that a read would raise SIGBUS. The length is right, so the device failed. */
    return dvi_fail_os(err, os_code == EFAULT ? EIO : os_code, "reading the mapped file");
}

/* What is known of the page with this byte; nothing without a descriptor. */
static dvi_page ask(const mapped *m, size_t at)
{
    return dvi_os_page(m->file.fd, (int64_t)at);
}

static bool is_cached(const mapped *m, size_t at)
{
    return ask(m, at) == DVI_PAGE_THERE;
}

/* A window that is announced apart from others splits the map into up to three areas, of which a
 * process may have 65,530, with those of its heap. So all maps together announce at most so many.
 */
#define PIECES_MOST 16384
static atomic_int pieces;

static unsigned char touched_of(const mapped *m, size_t window)
{
    return atomic_load_explicit(&m->touched[window], memory_order_relaxed);
}

static bool is_large(const mapped *m, size_t window)
{
    return touched_of(m, window) == LARGE;
}

/* Whether the window may be announced; counts it. Threads may miscount a few. */
static bool may_split(mapped *m, size_t window)
{
    const bool before = window > 0 && is_large(m, window - 1);
    const bool after = (window + 1) * WINDOW_NBYTES < m->nbytes && is_large(m, window + 1);
    const int more = 1 - before - after; /* between two it joins them */
    if (more > 0 && atomic_load(&pieces) >= PIECES_MOST)
        return false;
    atomic_fetch_add(&pieces, more);
    atomic_fetch_add(&m->pieces, more);
    return true;
}

static void want_pages(const mapped *m, size_t at, size_t nbytes)
{
    const size_t slack = at % page_nbytes();
    madvise(m->data + (at - slack), nbytes + slack, MADV_WILLNEED);
}

/* Announce a window before it is read, unless it is in memory. One whose first page is, as that of
 * a header, has no room for a large page; nor has a short end of the file. Returns the new value of
 * `touched`. */
static unsigned char announce(mapped *m, size_t at, size_t nbytes)
{
    if (nbytes <= SMALL_NBYTES && at == 0)
        return WHOLE;
    const bool has_first = is_cached(m, at);
    if (nbytes > SMALL_NBYTES && !has_first && may_split(m, at / WINDOW_NBYTES)) {
        dvi_os_want_huge_pages(m->data + at, nbytes);
        return LARGE;
    }
    if (has_first && is_cached(m, at + nbytes - 1))
        return WHOLE;
    want_pages(m, at, nbytes); /* a fault would read much around it */
    return nbytes <= SMALL_NBYTES ? WHOLE : ASKED;
}

/* The window before this one was read too: the system may read twice as far ahead. */
static void expect_order(mapped *m, size_t window)
{
    if (!atomic_load_explicit(&m->is_in_order, memory_order_relaxed) && window > 0 &&
        touched_of(m, window - 1) >= ASKED && m->file.fd >= 0 &&
        !atomic_exchange_explicit(&m->is_in_order, true, memory_order_relaxed))
        dvi_os_advise_file(m->file.fd, 0, 0, DVI_OS_IN_ORDER);
}

/* Read the window after one that is on its way, if it can come in large pages. Who needs it finds
 * out whether that failed. */
static void begin_window(mapped *m, size_t window)
{
    const size_t at = window * WINDOW_NBYTES;
    if (at >= m->nbytes || touched_of(m, window) >= ASKED || is_cached(m, at))
        return;
    const size_t nbytes = m->nbytes - at < WINDOW_NBYTES ? m->nbytes - at : WINDOW_NBYTES;
    const unsigned char now = announce(m, at, nbytes);
    expect_order(m, window);
    if (DVI_ATTEMPT("map_posix.c begin_window", populate(m, at, nbytes, NULL) == DV_OK))
        atomic_store_explicit(&m->touched[window], now, memory_order_relaxed);
}

/* Read the window into memory; or, for a small span, only the pages that it shares with the bytes
 * from..end-1 of the file, and no others around them. Of a window that was asked for just now, too:
 * who wants few rows need not wait for all of it. */
static dv_status touch_window(mapped *m, size_t window, size_t from, size_t end, dv_error *err)
{
    atomic_uchar *const touched = &m->touched[window];
    unsigned char spans = touched_of(m, window);
    const bool drops = m->map.drops_behind;
    if (spans >= WHOLE && !drops)
        return DV_OK;
    size_t at = window * WINDOW_NBYTES, after = at + WINDOW_NBYTES;
    if (after > m->nbytes)
        after = m->nbytes;
    const bool is_part = m->nbytes - at > SMALL_NBYTES && end - from <= SMALL_NBYTES;
    const bool is_small = is_part && spans < SMALL_SPANS;
    const bool was_asked = spans == ASKED;
    if (was_asked)
        spans = WHOLE;
    else if (!is_small && spans < WHOLE)
        spans = announce(m, at, after - at);
    if (was_asked || (spans == ASKED && end > after))
        begin_window(m, window + 1);
    if (is_small || drops || spans == ASKED) {
        at = from > at ? from - from % page_nbytes() : at;
        after = end < after ? end : after;
    }
    if (is_small) {
        want_pages(m, at, after - at);
        spans++;
    } else {
        expect_order(m, window);
    }
    DVI_TRY(populate(m, at, after - at, err));
    atomic_store_explicit(touched, spans, memory_order_relaxed);
    return DV_OK;
}

/* Copy a span that reaches beyond the mapping, because the file grew; or before there is one. */
static dv_status read_copy(const mapped *m, int64_t offset, size_t nbytes, dvi_memory **memory,
                           dvi_span *span_out, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(memory, &m->map.allocator, nbytes, err));
    DVI_TRY(dvi_map_read(&m->file, m->map.nbytes, offset, (*memory)->data, nbytes, err));
    *span_out = (dvi_span){(*memory)->data, nbytes, offset, &(*memory)->owner, false};
    return DV_OK;
}

/* MAP_PRIVATE: some file systems refuse shared pages. Never written, the pages stay the file's. */
static dv_status map_file(mapped *m, dv_error *err)
{
    int fd;
    uint8_t *none = NULL;
    if (m->data)
        return DV_OK;
    DVI_TRY(dvi_descriptor_take(&m->file, &fd, err));
    void *data = mmap(NULL, m->nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    const int os_code = errno;
    dvi_descriptor_give(&m->file, fd);
    if (data == MAP_FAILED)
        return dvi_fail_os(err, os_code, "cannot be mapped, open it with io = pread");
    if (!atomic_compare_exchange_strong(&m->data, &none, data))
        munmap(data, m->nbytes); /* another thread was faster */
    return DV_OK;
}

static dv_status span_posix(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                            dvi_span *span_out, dv_error *err)
{
    mapped *m = (mapped *)map;
    const size_t at = (size_t)offset;
    if (at + nbytes > m->nbytes)
        return read_copy(m, offset, nbytes, memory, span_out, err);
    DVI_TRY(map_file(m, err));
    const size_t last = (at + nbytes - 1) / WINDOW_NBYTES;
    for (size_t window = at / WINDOW_NBYTES; window <= last; window++)
        DVI_TRY(touch_window(m, window, at, at + nbytes, err));
    *span_out = (dvi_span){m->data + at, nbytes, offset, &map->owner, true};
    return DV_OK;
}

/* To read a header and some tables takes less time than to map a file. */
static dv_status copy_posix(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                            dvi_span *span_out, dv_error *err)
{
    const mapped *m = (mapped *)map;
    return m->data ? DV_NOT_FOUND : read_copy(m, offset, nbytes, memory, span_out, err);
}

static dv_status check_posix(dvi_map *map, dv_error *err)
{
    return dvi_map_check_length(&((mapped *)map)->file, map->nbytes, err);
}

/* Whether the window before this byte is a large one, with which the next ones come. */
static bool follows_large(const mapped *m, size_t at)
{
    const size_t window = at / WINDOW_NBYTES;
    return window > 0 && is_large(m, window - 1);
}

/* Advice makes small pages where nothing is on its way yet. After a large window much is, on newer
 * systems, and on older ones small pages early are better than late ones. Advice about bytes in
 * memory costs a tenth of the time to read them, the check almost nothing. */
static void advise_posix(dvi_map *map, int64_t offset, int64_t nbytes)
{
    const mapped *m = (mapped *)map;
    const size_t at = (size_t)offset, after = at + (size_t)nbytes;
    if (after <= m->nbytes && follows_large(m, at) &&
        (ask(m, at) == DVI_PAGE_MISSING || ask(m, after - 1) == DVI_PAGE_MISSING))
        want_pages(m, at, after - at);
}

/* The page cache keeps pages that are mapped, so the map goes first. */
static void leave_posix(dvi_map *map, int64_t offset, int64_t nbytes)
{
    const mapped *m = (mapped *)map;
    const int64_t mapped_nbytes = dvi_min_i64(nbytes, (int64_t)m->nbytes - offset);
    if (m->data && mapped_nbytes > 0)
        madvise(m->data + offset, (size_t)mapped_nbytes, MADV_DONTNEED);
    dvi_map_forget(&m->file, offset, nbytes);
}

static void close_posix(dvi_map *map)
{
    mapped *m = (mapped *)map;
    if (m->data)
        munmap(m->data, m->nbytes);
    atomic_fetch_sub(&pieces, m->pieces);
    dvi_descriptor_close(&m->file);
}

static dv_status reach_posix(dvi_map *map, int64_t nbytes, dv_error *err)
{
    (void)nbytes;
    return dvi_map_reach_length(map, &((mapped *)map)->file, err);
}

static void settle_posix(dvi_map *map, int descriptors)
{
    dvi_descriptor_settle(&((mapped *)map)->file, map->name, descriptors);
}

static const dvi_descriptor *file_posix(const dvi_map *map)
{
    return &((const mapped *)map)->file;
}

static const dvi_map_backend posix_backend = {.span = span_posix,
                                              .copy = copy_posix,
                                              .settle = settle_posix,
                                              .check = check_posix,
                                              .advise = advise_posix,
                                              .leave = leave_posix,
                                              .close = close_posix,
                                              .reach = reach_posix,
                                              .file = file_posix};

dv_status dvi_map_open_posix(dvi_map **map_out, int fd, int64_t file_nbytes, const char *path,
                             const dv_allocator *allocator, dv_error *err)
{
    *map_out = NULL;
    dvi_map *map;
    const size_t windows = (size_t)file_nbytes / WINDOW_NBYTES + 1;
    DVI_TRY(dvi_map_create(&map, sizeof(mapped) + windows, &posix_backend, file_nbytes, path,
                           allocator, err));
    mapped *m = (mapped *)map;
    m->nbytes = (size_t)file_nbytes;
    dvi_descriptor_own(&m->file, fd);
    *map_out = map;
    return DV_OK;
}
