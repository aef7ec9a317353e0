/* SPDX-License-Identifier: MIT */
/* text_targets.c: maps source columns to the columns that use them. */
#include "format/text/read/text_targets.h"
#include "base/check.h"
#include <stdlib.h>
#include <string.h>

#define TARGETS_MAX                                                                                \
    ((size_t)1 << 24) /* total length of all lists if columns share source columns */

/* The start or end of a segment of a column. */
typedef struct edge {
    int64_t at;
    bool is_end;
    size_t number; /* of the segment */
    dvi_text_target target;
} edge;

static int compare(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (int)y->is_end - (int)x->is_end;
}

static dv_status make_edges(edge **edges_out, size_t *n_out, const dvi_text_layout *layout,
                            const int32_t *columns, int32_t columns_count, dvi_arena *arena,
                            dv_error *err)
{
    size_t n = 0;
    void *made;
    for (int32_t k = 0; k < columns_count; k++)
        n += 2 * (size_t)layout->columns[columns[k]].segments_count;
    DVI_TRY(dvi_arena_alloc(arena, &made, n * sizeof(edge), err));
    edge *edges = made;
    n = 0;
    for (int32_t k = 0; k < columns_count; k++) {
        const dvi_text_column *column = &layout->columns[columns[k]];
        for (int32_t i = 0; i < column->segments_count; i++, n += 2) {
            const dvi_text_segment *s = &column->segments[i];
            edges[n] = (edge){s->first, false, n / 2, {k, i, s->first}};
            edges[n + 1] = (edge){s->end, true, n / 2, {k, i, s->first}};
        }
    }
    qsort(edges, n, sizeof *edges, compare);
    *edges_out = edges;
    *n_out = n;
    return DV_OK;
}

/* The open segments, unordered, and the position of each in the list: many may start and end at the
 * same source column. */
typedef struct open_list {
    dvi_text_target *list;
    size_t *numbers, *positions; /* of the segments listed; by number */
    size_t n;
} open_list;

static dv_status make_open_list(open_list *open, size_t segments, dvi_arena *arena, dv_error *err)
{
    void *list, *numbers, *positions;
    DVI_TRY(dvi_arena_alloc(arena, &list, segments * sizeof *open->list, err));
    DVI_TRY(dvi_arena_alloc(arena, &numbers, segments * sizeof(size_t), err));
    DVI_TRY(dvi_arena_alloc(arena, &positions, segments * sizeof(size_t), err));
    *open = (open_list){list, numbers, positions, 0};
    return DV_OK;
}

static void step(open_list *open, const edge *e)
{
    if (!e->is_end) {
        open->numbers[open->n] = e->number;
        open->positions[e->number] = open->n;
        open->list[open->n++] = e->target;
        return;
    }
    const size_t position = open->positions[e->number], last = --open->n;
    open->list[position] = open->list[last];
    open->numbers[position] = open->numbers[last];
    open->positions[open->numbers[position]] = position;
}

/* Scan the edges. Without arrays, intervals and targets are only counted. */
static size_t sweep(dvi_text_targets *t, const edge *edges, size_t n, open_list *open)
{
    size_t targets = 0;
    t->intervals_count = 0;
    open->n = 0;
    for (size_t i = 0; i < n && targets <= TARGETS_MAX;) {
        const int64_t at = edges[i].at;
        if (at > 0) {
            if (t->intervals)
                t->intervals[t->intervals_count] = (dvi_text_interval){at, targets, open->n};
            if (t->targets && open->n > 0)
                memcpy(t->targets + targets, open->list, open->n * sizeof *open->list);
            t->intervals_count++;
            targets += open->n;
        }
        for (; i < n && edges[i].at == at; i++)
            step(open, &edges[i]);
    }
    return targets;
}

dv_status dvi_text_targets_make(dvi_text_targets *targets_out, const dvi_text_layout *layout,
                                const int32_t *columns, int32_t columns_count, dvi_arena *arena,
                                dv_error *err)
{
    edge *edges;
    size_t n;
    void *made;
    open_list open;
    dvi_text_targets t = {NULL, 0, NULL};
    DVI_TRY(make_edges(&edges, &n, layout, columns, columns_count, arena, err));
    DVI_TRY(make_open_list(&open, n / 2, arena, err));
    const size_t targets = sweep(&t, edges, n, &open);
    DVI_REQUIRE(targets <= TARGETS_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "columns", -1, "columns that share source columns",
                         "at most %zu uses of them|more", TARGETS_MAX));
    DVI_TRY(dvi_arena_alloc(arena, &made, t.intervals_count * sizeof *t.intervals, err));
    t.intervals = made;
    DVI_TRY(dvi_arena_alloc(arena, &made, targets * sizeof *t.targets, err));
    t.targets = made;
    sweep(&t, edges, n, &open);
    *targets_out = t;
    return DV_OK;
}
