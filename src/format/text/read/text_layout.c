/* SPDX-License-Identifier: MIT */
/* text_layout.c: assigns source columns to columns. */
#include "format/text/read/text_layout.h"
#include "base/check.h"
#include "base/size.h"
#include <stdlib.h>
#include <string.h>

bool dvi_text_layout_needs_lines(const dvi_text_options *options)
{
    for (int32_t i = 0; i < options->specs_count; i++)
        for (int32_t k = 0; k < options->specs[i].ranges_count; k++) {
            const dvi_text_range *range = &options->specs[i].ranges[k];
            if (range->max == DVI_TEXT_TO_END && !range->is_variable)
                return true;
        }
    return false;
}

static dv_status fail_column(const dvi_text_spec *spec, const char *what, dv_error *err)
{
    return dvi_fail_argument(err, "column \"%s\": %s", dvi_show(spec->name).text, what);
}

static int compare(const void *a, const void *b)
{
    const dvi_text_segment *left = a, *right = b;
    return left->first < right->first ? -1 : left->first > right->first;
}

/* The source columns of a range, without regard to other ranges. */
static dvi_text_segment span_of(const dvi_text_range *range, int64_t source_columns)
{
    if (range->is_variable)
        return (dvi_text_segment){range->min, DVI_TEXT_NO_END, 0};
    if (range->max == DVI_TEXT_TO_END)
        return (dvi_text_segment){range->min, source_columns, 0};
    return (dvi_text_segment){range->min, (int64_t)range->max + 1, 0};
}

/* The source columns that ranges name, except rest ranges, in order; may overlap. */
typedef struct taken {
    dvi_text_segment *spans;
    size_t n;
} taken;

static dv_status collect(taken *all, const dvi_text_options *o, int64_t source_columns,
                         dvi_arena *arena, dv_error *err)
{
    size_t ranges = 0;
    void *made;
    for (int32_t i = 0; i < o->specs_count; i++)
        ranges += (size_t)o->specs[i].ranges_count;
    DVI_TRY(dvi_arena_alloc(arena, &made, ranges * sizeof *all->spans, err));
    *all = (taken){made, 0};
    for (int32_t i = 0; i < o->specs_count; i++) {
        const size_t first = all->n;
        for (int32_t k = 0; k < o->specs[i].ranges_count; k++)
            if (!o->specs[i].ranges[k].is_rest)
                all->spans[all->n++] = span_of(&o->specs[i].ranges[k], source_columns);
        qsort(all->spans + first, all->n - first, sizeof *all->spans, compare);
        for (size_t k = first + 1; k < all->n; k++)
            DVI_REQUIRE(all->spans[k].first >= all->spans[k - 1].end,
                        fail_column(&o->specs[i], "its ranges overlap", err));
    }
    qsort(all->spans, all->n, sizeof *all->spans, compare);
    return DV_OK;
}

/* Segments of one column. Without an array they are only counted. */
typedef struct found {
    dvi_text_segment *segments;
    int32_t n;
    bool first_forces; /* the first one makes a vector, whatever its length */
} found;

static void add_span(found *f, int64_t first, int64_t end, bool forces)
{
    if (first >= end)
        return;
    if (f->n == 0)
        f->first_forces = forces;
    if (f->segments)
        f->segments[f->n] = (dvi_text_segment){first, end, 0};
    f->n++;
}

/* Add the source columns of the span that no other range names. As in ML.NET, a gap ends where the
 * next range begins, even if that is after the span. */
static void add_rest(found *f, dvi_text_segment span, const taken *all)
{
    int64_t at = span.first;
    for (size_t i = 0; i < all->n && at < span.end; i++) {
        add_span(f, at, all->spans[i].first, true);
        at = dvi_max_i64(at, all->spans[i].end);
    }
    add_span(f, at, span.end, true);
}

static dv_status add_spans(found *f, const dvi_text_spec *spec, int64_t source_columns,
                           const taken *all, dv_error *err)
{
    f->n = 0;
    for (int32_t i = 0; i < spec->ranges_count; i++) {
        const dvi_text_range *range = &spec->ranges[i];
        const dvi_text_segment span = span_of(range, source_columns);
        DVI_REQUIRE(span.first < span.end,
                    fail_column(spec, "it begins after the last source column", err));
        if (range->is_rest)
            add_rest(f, span, all);
        else
            add_span(f, span.first, span.end, range->is_vector);
    }
    DVI_REQUIRE(f->n > 0, fail_column(spec, "no source column is left for it", err));
    return DV_OK;
}

/* forces: see found. The segments decide, not the ranges: `~` may leave nothing. */
static dv_status make_type(dvi_text_column *column, const dvi_text_spec *spec, bool forces,
                           dv_error *err)
{
    int64_t slots = 0;
    column->variable = -1;
    for (int32_t i = 0; i < column->segments_count; i++) {
        dvi_text_segment *s = &column->segments[i];
        s->slot = slots;
        if (s->end == DVI_TEXT_NO_END)
            column->variable = i;
        else
            slots += s->end - s->first;
        DVI_REQUIRE(slots <= INT32_MAX,
                    fail_column(spec, "it has more than 2^31-1 source columns", err));
    }
    column->fixed_slots = (int32_t)slots;
    column->type = spec->item;
    if (column->variable >= 0)
        column->type = dv_type_vector(spec->item, 0);
    else if (forces || slots > 1)
        column->type = dv_type_vector(spec->item, (int32_t)slots);
    return DV_OK;
}

static dv_status make_column(dvi_text_column *column, const dvi_text_spec *spec,
                             int64_t source_columns, const taken *all, dvi_arena *arena,
                             dv_error *err)
{
    found f = {NULL, 0, false};
    void *segments;
    DVI_TRY(add_spans(&f, spec, source_columns, all, err));
    DVI_TRY(dvi_arena_alloc(arena, &segments, (size_t)f.n * sizeof *f.segments, err));
    f.segments = segments;
    DVI_TRY(add_spans(&f, spec, source_columns, all, err));
    column->name = spec->name;
    column->segments = f.segments;
    column->segments_count = f.n;
    return make_type(column, spec, f.first_forces, err);
}

dv_status dvi_text_layout_make(dvi_text_layout *layout_out, const dvi_text_options *options,
                               int64_t source_columns, dvi_arena *arena, dv_error *err)
{
    taken all;
    void *columns;
    int32_t rests = 0;
    for (int32_t i = 0; i < options->specs_count; i++)
        for (int32_t k = 0; k < options->specs[i].ranges_count; k++)
            rests += options->specs[i].ranges[k].is_rest;
    DVI_REQUIRE(rests <= 1, dvi_fail_argument(err, "columns: ~ may be used only once"));
    DVI_TRY(collect(&all, options, source_columns, arena, err));
    DVI_TRY(dvi_arena_alloc(arena, &columns, (size_t)options->specs_count * sizeof(dvi_text_column),
                            err));
    *layout_out = (dvi_text_layout){columns, options->specs_count};
    for (int32_t i = 0; i < options->specs_count; i++)
        DVI_TRY(make_column(&layout_out->columns[i], &options->specs[i], source_columns, &all,
                            arena, err));
    return DV_OK;
}
