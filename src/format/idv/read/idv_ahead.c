/* SPDX-License-Identifier: MIT */
/* idv_ahead.c: announces the blocks that a cursor will read, where reading is slow. */
#include "format/idv/read/idv_ahead.h"
#include "base/size.h"

#define RANGES 256
#define GAP_NBYTES 512
#define FIRST_NBYTES (INT64_C(2) << 20) /* ahead of the first step */
#define ENTRIES 1024                    /* of each block table */

/* Ranges in the order of the file's columns, those that all but touch as one. */
typedef struct ranges {
    dvi_map *map;
    dvi_range range[RANGES];
    size_t n;
} ranges;

static void flush(ranges *r)
{
    dvi_map_announce(r->map, r->range, r->n);
    r->n = 0;
}

static void add(ranges *r, int64_t offset, int64_t nbytes)
{
    dvi_range *last = r->n > 0 ? &r->range[r->n - 1] : NULL;
    if (nbytes == 0)
        return;
    const int64_t gap = last ? offset - (last->offset + last->nbytes) : -1;
    if (gap >= 0 && gap <= GAP_NBYTES) {
        last->nbytes += gap + nbytes;
        return;
    }
    if (r->n == RANGES)
        flush(r);
    r->range[r->n++] = (dvi_range){offset, nbytes};
}

/* Announce the entries of the first steps, before they are read one by one. */
static void announce_tables(ranges *r, const dvi_idv_file *file, const int32_t *columns, int64_t n,
                            int64_t first_block, int64_t steps)
{
    const int64_t entries = dvi_min_i64(steps, ENTRIES);
    for (int64_t k = 0; k < n; k++)
        add(r, file->columns[columns[k]].lookup + DVI_IDV_ENTRY_NBYTES * first_block,
            DVI_IDV_ENTRY_NBYTES * entries);
    flush(r);
}

/* Add the blocks of a step; returns their bytes, or -1: an entry cannot be read. */
static int64_t add_step(ranges *r, dvi_idv_ahead *ahead, const dvi_idv_file *file,
                        const int32_t *columns, int64_t n, int64_t block)
{
    int64_t nbytes = 0;
    for (int64_t k = 0; k < n; k++) {
        dvi_idv_block found;
        if (dvi_idv_read_entries(file, &file->columns[columns[k]], block, 1, &ahead->memory, &found,
                                 NULL) < 0)
            return -1;
        add(r, found.offset, (int64_t)found.stored);
        nbytes += (int64_t)found.stored;
    }
    return nbytes;
}

void dvi_idv_announce(dvi_idv_ahead *ahead, const dvi_idv_file *file, const int32_t *columns,
                      int64_t n, int64_t first_block, int64_t steps, int64_t step,
                      int64_t used_nbytes)
{
    const int64_t most = dvi_map_ahead(file->map);
    const int64_t ramp = dvi_max_i64(FIRST_NBYTES, 2 * dvi_min_i64(used_nbytes, most));
    ranges r = {.map = file->map};
    if (most == 0)
        return;
    if (ahead->step == 0)
        announce_tables(&r, file, columns, n, first_block, steps);
    ahead->step = dvi_max_i64(ahead->step, step);
    while (ahead->step < steps &&
           (ahead->step < step + ahead->least ||
            ahead->announced_nbytes - used_nbytes < dvi_min_i64(most, ramp))) {
        const int64_t nbytes = add_step(&r, ahead, file, columns, n, first_block + ahead->step);
        if (nbytes < 0)
            break;
        ahead->announced_nbytes += nbytes;
        ahead->step++;
    }
    flush(&r);
}

int64_t dvi_idv_announce_rows(const dvi_idv_file *file, const int32_t *columns, int32_t n,
                              const int64_t *rows, int64_t count)
{
    const int64_t most = dvi_map_ahead(file->map) / 2; /* half of them are left at the next call */
    ranges r = {.map = file->map};
    dvi_idv_ahead ahead = {.least = 0};
    int64_t done = 0, first = INT64_MAX, last = 0;
    if (most == 0)
        return -1;
    for (int64_t i = 0; i < count; i++) {
        first = dvi_min_i64(first, rows[i] / file->rpb);
        last = dvi_max_i64(last, rows[i] / file->rpb);
    }
    if (count > 0)
        announce_tables(&r, file, columns, n, first, last - first + 1);
    for (int64_t nbytes = 0; done < count && nbytes < most; done++) {
        const int64_t more = add_step(&r, &ahead, file, columns, n, rows[done] / file->rpb);
        if (more < 0)
            break;
        nbytes += more;
    }
    flush(&r);
    dvi_idv_ahead_free(&ahead);
    return done;
}

void dvi_idv_ahead_free(dvi_idv_ahead *ahead)
{
    dvi_memory_release(&ahead->memory);
}
