/* SPDX-License-Identifier: MIT */
/* check_find.c: checks kernels that find bytes. */
#include "check_kernels.h"
#include <string.h>

#define NBYTES_MAX 16000 /* so that all their positions fit in a page */
#define OFFSET_NBYTES 4

static dvi_ascii_set draw_set(dvt_draw *draw)
{
    dvi_ascii_set set = {{0}};
    const size_t kind = dvt_draw_below(draw, 4), n = 1 + dvt_draw_below(draw, 18);
    for (size_t i = 0; i < n && kind > 0; i++) {
        const size_t c = dvt_draw_below(draw, 128);
        set.members[c & 15] = (uint8_t)(set.members[c & 15] | 1u << (c >> 4));
    }
    if (kind == 3)
        memset(set.members, 255, sizeof set.members);
    return set;
}

static bool is_member(const dvi_ascii_set *set, uint8_t c)
{
    return c < 128 && (set->members[c % 16] & 1u << c / 16) != 0;
}

/* Members, rarely or often, among arbitrary bytes. */
static void fill(uint8_t *dst, size_t n, const dvi_ascii_set *set, dvt_draw *draw)
{
    const size_t often = dvt_draw_once_in(draw, 3) ? 1 + dvt_draw_below(draw, 300) : 8;
    uint8_t members[128], others[256];
    size_t members_n = 0, others_n = 0;
    for (size_t c = 0; c < 256; c++)
        if (is_member(set, (uint8_t)c))
            members[members_n++] = (uint8_t)c;
        else
            others[others_n++] = (uint8_t)c;
    for (size_t i = 0; i < n; i++)
        dst[i] = members_n > 0 && dvt_draw_once_in(draw, often)
                     ? members[dvt_draw_below(draw, members_n)]
                     : others[dvt_draw_below(draw, others_n)];
}

/* A model of the contract, byte by byte. */
static bool is_right(const uint8_t *offsets, size_t found, size_t room, const uint8_t *src,
                     size_t n, const dvi_ascii_set *set)
{
    size_t want = 0;
    for (size_t i = 0; i < n && want < room; i++)
        if (is_member(set, src[i])) {
            uint32_t offset;
            memcpy(&offset, offsets + OFFSET_NBYTES * want, OFFSET_NBYTES);
            if (want++ >= found || offset != i)
                return false;
        }
    return want == found;
}

const char *dvt_check_FIND(DVT_CALL_FIND, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, NBYTES_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvi_ascii_set set = draw_set(&draw);
        const size_t n = trial.n;
        const size_t room = dvt_draw_once_in(&draw, 2) ? n : dvt_draw_below(&draw, n + 1);
        const dvt_try to = {room, trial.slack / dst_width * dst_width, trial.seed};
        uint8_t *src = dvt_allocate(0, &trial, n * src_width);
        fill(src, n, &set, &draw);
        uint8_t *dst = dvt_allocate(1, &to, room * dst_width);
        const size_t want = call(here.scalar, dst, room, src, n, &set);
        if (!is_right(dst, want, room, src, n, &set) || !dvt_is_clean(1, dst, room * dst_width))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "offsets of the bytes of the set");
        for (size_t k = 0; k < here.n; k++) {
            dst = dvt_allocate(1, &to, room * dst_width);
            if (call(here.table[k], dst, room, src, n, &set) != want ||
                !is_right(dst, want, room, src, n, &set))
                return dvt_differs(here.level[k], &trial, "offsets");
            if (!dvt_is_clean(1, dst, room * dst_width))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}
