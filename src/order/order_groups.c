/* SPDX-License-Identifier: MIT */
/* order_groups.c: divides rows among parts, with all rows of a value in one part (order.h).
 *
 * A value is known by its hash, which the seed changes.  Two values with one hash share a part,
 * which breaks no promise, so values are not kept. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"
#include "order/row_values.h"
#include <dataview/order.h>
#include <string.h>

#define PLACED (UINT64_C(1) << 63) /* with the number of its part, in place of a size */

__extension__ typedef __int128 i128;

typedef struct grouping {
    int64_t *counts, n;
    const int64_t *shares;
    int64_t whole; /* the sum of the shares */
    int32_t parts, empty;
    uint64_t *of_row; /* the hash of each row */
    uint64_t *group;  /* the hashes that differ, in order */
    uint64_t *size;   /* the rows of each group, later its part */
    size_t groups;
} grouping;

/* --- The parts -------------------------------------------------------------------------------- */

/* The part that lacks most rows of its share; of equal ones the first.  If there are only as many
 * groups left as parts without rows, one of these. */
static int32_t choose_part(const grouping *g, size_t left)
{
    int32_t best = -1;
    i128 most = 0;
    for (int32_t i = 0; i < g->parts; i++) {
        const i128 lacks = (i128)g->shares[i] * g->n - (i128)g->counts[i] * g->whole;
        if (left <= (size_t)g->empty && g->counts[i] > 0)
            continue;
        if (best < 0 || lacks > most) {
            best = i;
            most = lacks;
        }
    }
    return best;
}

static void place_groups(grouping *g)
{
    size_t left = g->groups;
    for (int rank = 62; rank >= 0 && left > 0; rank--)
        for (size_t i = 0; g->n >> rank > 0 && i < g->groups; i++) {
            if (g->size[i] & PLACED || g->size[i] >> rank != 1)
                continue;
            const int32_t part = choose_part(g, left--);
            g->empty -= g->counts[part] == 0;
            g->counts[part] += (int64_t)g->size[i];
            g->size[i] = PLACED | (uint64_t)part;
        }
}

static uint64_t part_of(const grouping *g, uint64_t hash)
{
    return g->size[dvi_row_values_find(g->group, g->groups, hash)] & ~PLACED;
}

/* A part for each row, in place of its hash; then the rows of each part, and its number of them. */
static void write_rows(grouping *g, int64_t *rows)
{
    for (int64_t row = 0; row < g->n; row++)
        g->of_row[row] = part_of(g, g->of_row[row]);
    dvi_rows_by_number(rows, g->counts, g->parts, g->of_row, g->n);
    for (int32_t i = g->parts - 1; i > 0; i--)
        g->counts[i] -= g->counts[i - 1];
}

/* --- Entry ------------------------------------------------------------------------------------ */

static dv_status check_shares(grouping *g, dv_error *err)
{
    const int64_t most = INT64_C(1) << 62;
    bool is_sound = g->parts > 0 && g->n >= 0;
    for (int32_t i = 0; i < g->parts && is_sound; i++) {
        is_sound = g->shares[i] > 0 && g->shares[i] <= most - g->whole;
        g->whole += is_sound ? g->shares[i] : 0;
    }
    return is_sound
               ? DV_OK
               : dvi_fail_argument(err, "groups of rows: expected n of at least 0 and positive "
                                        "shares, whose sum is at most 2^62");
}

dv_status dv_order_groups(int64_t *rows, int64_t *counts, int64_t n, dv_view *view, int32_t column,
                          const dv_cursor_options *cursor, const int64_t *shares, int32_t parts,
                          uint64_t seed, dv_error *err)
{
    void *made;
    size_t nbytes;
    grouping g = {.counts = counts, .n = n, .shares = shares, .parts = parts, .empty = parts};
    DVI_TRY(check_shares(&g, err));
    if (!dvi_size_mul((size_t)n, 3 * sizeof *g.of_row, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(dvi_view_allocator(view), &made, nbytes, err));
    g.of_row = made;
    g.group = g.of_row + n;
    g.size = g.group + n;
    memset(counts, 0, (size_t)parts * sizeof *counts);
    const dv_status status = dvi_row_values_read(g.of_row, n, view, column, cursor, seed, err);
    if (status == DV_OK) {
        g.groups = dvi_row_values_list(g.group, g.size, g.of_row, (size_t)n);
        place_groups(&g);
        write_rows(&g, rows);
    }
    dvi_free(dvi_view_allocator(view), made, nbytes);
    return status;
}
