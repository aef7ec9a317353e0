/* SPDX-License-Identifier: MIT */
/* map_leave.c: drops what a pass in order has left, from memory and from the page cache.
 *
 * The page cache keeps a large page of which only a part is dropped.  So whole windows are dropped,
 * once all parts of a window were left, in any order: threads read pieces of it. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <limits.h>

#define PARTS 8 /* of a window; the bits of a byte */
#define ALL_PARTS UCHAR_MAX
#define PART_NBYTES (DVI_MAP_WINDOW_NBYTES / PARTS)

dv_status dvi_map_drop_behind(dvi_map *map, dv_error *err)
{
    void *made;
    map->drops_behind = true;
    if (map->left || !map->backend->leave)
        return DV_OK;
    const size_t windows = (size_t)(map->nbytes / DVI_MAP_WINDOW_NBYTES) + 1;
    DVI_TRY(dvi_alloc_zeroed(&map->allocator, &made, windows, err));
    map->left = made;
    map->windows = windows;
    return DV_OK;
}

/* The parts that the range from..to-1 of the file leaves of the window that starts at `at`: up to
 * the one that the next range goes on in. */
static uint8_t parts_of(int64_t at, int64_t from, int64_t to, int64_t file_nbytes)
{
    const int64_t first = dvi_max_i64(from - at, 0) / PART_NBYTES;
    const int64_t end = to >= file_nbytes ? PARTS : dvi_min_i64((to - at) / PART_NBYTES, PARTS);
    return (uint8_t)((1u << end) - (1u << dvi_min_i64(first, end)));
}

/* Whether all parts of the window were left now. Where they had been, what is left from the start
 * begins another pass; and what is left of the rest was read again, by a thread behind others. */
static bool is_left(dvi_map *map, int64_t window, uint8_t parts)
{
    atomic_uchar *const left = &map->left[window];
    unsigned char before = atomic_load_explicit(left, memory_order_relaxed), now;
    do
        now = before == ALL_PARTS && (parts & 1) ? parts : before | parts;
    while (!atomic_compare_exchange_weak(left, &before, now));
    return parts && now == ALL_PARTS;
}

static void leave(dvi_map *map, int64_t from, int64_t to)
{
    const int64_t file_nbytes = map->nbytes;
    const int64_t end = dvi_min_i64((to - 1) / DVI_MAP_WINDOW_NBYTES + 1, (int64_t)map->windows);
    for (int64_t window = from / DVI_MAP_WINDOW_NBYTES; window < end; window++) {
        const int64_t at = window * DVI_MAP_WINDOW_NBYTES;
        if (is_left(map, window, parts_of(at, from, to, file_nbytes)))
            map->backend->leave(map, at, dvi_min_i64(DVI_MAP_WINDOW_NBYTES, file_nbytes - at));
    }
}

void dvi_map_leave(dvi_map *map, int64_t *left, int64_t at, int64_t least)
{
    if (!map->left)
        return;
    if (*left <= 0 || *left > at)
        *left = dvi_max_i64(at, 1); /* 0: not begun */
    if (at - *left < least || at == *left)
        return;
    leave(map, *left, at);
    *left = at;
}
