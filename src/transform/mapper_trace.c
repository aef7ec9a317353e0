/* SPDX-License-Identifier: MIT */
/* mapper_trace.c: follows columns through mappers, down to where they are made and up again. */
#include "transform/mapper_trace.h"
#include "base/check.h"

/* Follow a column of a view while it is one of the view's source. */
static bool descend(dvi_trace *t, const dv_view *view, int32_t column)
{
    t->made = NULL;
    while (!t->made && t->count < DVI_TRACE_VIEWS &&
           dvi_view_class(view)->open_cursor == dvi_mapper_open) {
        const dvi_mapper *m = dvi_view_self(view);
        const dvi_mapped mapped = dvi_mapper_column(m, column);
        t->views[t->count++] = m;
        if (mapped.maker != &dvi_same_column) {
            t->made = &m->made[m->number[column]];
        } else {
            view = m->base.source;
            column = mapped.sources[0];
        }
    }
    return t->made != NULL;
}

bool dvi_trace_start(dvi_trace *t, const dv_view *view, int32_t column)
{
    t->count = 0;
    return descend(t, view, column);
}

bool dvi_trace_source(dvi_trace *t)
{
    return t->made->n == 1 && descend(t, t->views[t->count - 1]->base.source, t->made->sources[0]);
}

/* The column of a mapper that is one of its source; -1: none is. */
static int32_t find_same(const dvi_mapper *m, int32_t source)
{
    for (int32_t i = 0; i < m->columns; i++) {
        const dvi_mapped mapped = dvi_mapper_column(m, i);
        if (mapped.maker == &dvi_same_column && mapped.sources[0] == source)
            return i;
    }
    return -1;
}

dv_status dvi_trace_sources(const dvi_trace *t, dvi_mapped *mapped, dvi_arena *arena, dv_error *err)
{
    void *list;
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)t->made->n * sizeof(int32_t), err));
    int32_t *sources = list;
    for (int32_t i = 0; i < t->made->n; i++) {
        sources[i] = t->made->sources[i];
        for (int32_t k = t->count; k > 0 && sources[i] >= 0; k--)
            sources[i] = find_same(t->views[k - 1], sources[i]);
        if (sources[i] < 0)
            return DV_NOT_FOUND;
    }
    mapped->sources = sources;
    mapped->n = t->made->n;
    return DV_OK;
}
