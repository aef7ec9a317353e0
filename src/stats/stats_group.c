/* SPDX-License-Identifier: MIT */
/* stats_group.c: the summaries of consecutive parts of a plan, which see the same rows. */
#include "stats/stats_group.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "stats/stats_report.h"

/* --- Life ------------------------------------------------------------------------------------- */

static void *allocate(void *ctx, size_t nbytes, size_t alignment)
{
    dvi_stats_meter *m = ctx;
    void *memory = m->own->allocate(m->own->ctx, nbytes, alignment);
    m->used += memory ? (int64_t)nbytes : 0;
    return memory;
}

static void release(void *ctx, void *memory, size_t nbytes)
{
    dvi_stats_meter *m = ctx;
    m->own->release(m->own->ctx, memory, nbytes);
    m->used -= (int64_t)nbytes;
}

dv_status dvi_stats_group_make(dvi_stats_group *g, const dvi_stats_plan *plan, int32_t first,
                               int32_t n, bool is_counted, dv_error *err)
{
    const dv_allocator *own = &plan->allocator;
    *g = (dvi_stats_group){.plan = plan, .first = first, .room = n};
    DVI_TRY(DVI_NEW(own, &g->column, (size_t)n, err));
    if (is_counted)
        DVI_TRY(DVI_NEW(own, &g->meter, (size_t)n, err));
    for (int32_t k = 0; k < n; k++) {
        if (is_counted)
            g->meter[k].own = own;
        const dv_allocator counted = {allocate, release, is_counted ? &g->meter[k] : NULL};
        dvi_stats_column_init(&g->column[k], dvi_stats_plan_type(plan, first + k),
                              plan->exact_values, plan->exact_distinct, &plan->many[first + k],
                              is_counted ? &counted : own);
        g->n++;
    }
    return DV_OK;
}

void dvi_stats_group_free(dvi_stats_group *g)
{
    if (!g->plan)
        return;
    for (int32_t k = 0; k < g->room && g->column; k++)
        dvi_stats_column_free(&g->column[k]);
    dvi_free(&g->plan->allocator, g->column, (size_t)g->room * sizeof *g->column);
    dvi_free(&g->plan->allocator, g->meter, (size_t)g->room * sizeof *g->meter);
    *g = (dvi_stats_group){0};
}

void dvi_stats_group_reset(dvi_stats_group *g, int32_t first, int32_t n)
{
    g->first = first;
    g->n = n;
    for (int32_t k = 0; k < n; k++)
        dvi_stats_column_reset(&g->column[k], dvi_stats_plan_type(g->plan, first + k),
                               &g->plan->many[first + k]);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static int32_t place_of(const dvi_stats_group *g, int32_t k)
{
    return g->plan->parts[g->first + k].place;
}

int32_t dvi_stats_group_next(const dvi_stats_group *g, int32_t k)
{
    int32_t end = k + 1;
    while (end < g->n && place_of(g, end) == place_of(g, k))
        end++;
    return end;
}

int32_t dvi_stats_group_start(const dvi_stats_group *g, int32_t k)
{
    return k == 0 ? 0 : dvi_stats_group_next(g, k - 1);
}

void dvi_stats_group_read(const dvi_stats_group *g, dv_cursor_options *options)
{
    const dvi_stats_plan *plan = g->plan;
    const int32_t low = g->n > 0 ? place_of(g, 0) : 0;
    *options = plan->cursor;
    options->columns = plan->columns + low;
    options->columns_count = g->n > 0 ? place_of(g, g->n - 1) - low + 1 : 0;
    options->first_row = plan->first;
    options->end_row = plan->end;
    options->skip = 0;
    options->take = -1;
    options->ids = false;
    options->threads = plan->threads;
}

dv_status dvi_stats_group_add(dvi_stats_group *g, int32_t k, int32_t end, const dv_batch *batch,
                              dv_error *err)
{
    for (int32_t next; k < end; k = next) {
        next = dvi_stats_group_next(g, k);
        const dv_column_view *view = dv_batch_column(batch, place_of(g, k) - place_of(g, 0));
        DVI_TRY(dvi_stats_part_add(&g->column[k], next - k, g->plan->parts[g->first + k].slot, view,
                                   err));
    }
    return DV_OK;
}

dv_status dvi_stats_group_absorb(dvi_stats_group *g, dvi_stats_group *next, dv_error *err)
{
    for (int32_t k = 0; k < g->n; k++) {
        DVI_TRY(dvi_stats_column_end(&next->column[k], err));
        DVI_TRY(dvi_stats_column_absorb(&g->column[k], &next->column[k], err));
    }
    return DV_OK;
}

dv_status dvi_stats_group_report(dvi_stats_group *g, dv_column_stats *stats, dvi_arena *arena,
                                 dv_error *err)
{
    for (int32_t k = 0; k < g->n; k++) {
        dv_column_stats *shown = &stats[g->first + k];
        shown->column = dvi_stats_plan_column(g->plan, g->first + k);
        shown->slot = g->plan->parts[g->first + k].slot;
        DVI_TRY(dvi_stats_column_end(&g->column[k], err));
        DVI_TRY(dvi_stats_report(shown, &g->column[k], arena, err));
        dvi_stats_column_free(&g->column[k]); /* the arena has what it points to */
    }
    return DV_OK;
}
