/* SPDX-License-Identifier: MIT */
/* tf_convert.c: columns of other types, made from those of a view (semantics.md 7.1). */
#include "base/alloc.h"
#include "base/check.h"
#include "transform/tf_convert_priv.h"
#include <dataview/inspect.h>

static void close_convert(void *self)
{
    dvi_convert *c = self;
    dv_view_release(&c->source);
    const dv_allocator allocator = c->arena.allocator;
    dvi_arena_free(&c->arena);
    dvi_free(&allocator, c, sizeof *c);
}

static int64_t count_rows(void *self)
{
    return dv_view_rows(((const dvi_convert *)self)->source);
}

static bool can_shuffle(void *self)
{
    return dv_view_can_shuffle(((const dvi_convert *)self)->source);
}

/* The facts of the source, but none of columns that it does not have. */
static dv_status copy_facts(const dvi_convert *c, dv_facts *facts, const dv_facts *source,
                            dv_error *err)
{
    facts->format = source->format;
    facts->file_nbytes = source->file_nbytes;
    facts->rows_per_block = source->rows_per_block;
    facts->blocks_per_column = source->blocks_per_column;
    facts->dead_columns = source->dead_columns;
    facts->dead_metadata = source->dead_metadata;
    facts->items = source->items;
    DVI_TRY(dv_facts_set_version(facts, source->version, err));
    for (int32_t i = 0; i < c->columns; i++)
        if (!c->column[i].conversion)
            DVI_TRY(dv_facts_set_column(facts, i, &source->column[c->column[i].source], err));
    for (int32_t i = 0; i < source->warnings; i++)
        DVI_TRY(dv_facts_warn(facts, source->warning[i], err));
    return DV_OK;
}

static dv_status inspect(void *self, dv_facts *facts, dv_error *err)
{
    const dvi_convert *c = self;
    dv_facts *source;
    DVI_TRY(dv_inspect(&source, c->source, err));
    const dv_status status = copy_facts(c, facts, source, err);
    dv_facts_free(&source);
    return status;
}

static dv_status verify(void *self, const dv_verify_options *options, dv_error *err)
{
    return dv_verify(((const dvi_convert *)self)->source, options, err);
}

static const dv_view_class convert_class = {.size = sizeof convert_class,
                                            .kind = "convert",
                                            .rows = count_rows,
                                            .can_shuffle = can_shuffle,
                                            .close = close_convert,
                                            .open_cursor = dvi_convert_open,
                                            .next = dvi_convert_next,
                                            .close_cursor = dvi_convert_close,
                                            .inspect = inspect,
                                            .verify = verify,
                                            .check_cursor = dvi_convert_check};

static dv_status create(dv_view **view_out, dvi_convert *c, const dv_conversion_spec *specs,
                        int32_t n, dv_error *err)
{
    dv_schema *schema = NULL;
    dv_status status = dvi_convert_plan(c, &schema, specs, n, err);
    if (status == DV_OK)
        status = dv_view_create(view_out, &convert_class, c, &schema, &c->arena.allocator, err);
    dv_schema_free(&schema);
    return status;
}

dv_status dv_view_convert(dv_view **view_out, dv_view *source, const dv_conversion_spec *specs,
                          int32_t n, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *view_out = NULL;
    if (n < 0)
        return dvi_fail_argument(err, "%d conversions", n);
    if (n == 0) {
        dv_view_retain(source);
        *view_out = source;
        return DV_OK;
    }
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_convert), err));
    dvi_convert *c = made;
    const dv_allocator own = dvi_allocator_of(allocator);
    dvi_arena_init(&c->arena, &own);
    c->source = source;
    dv_view_retain(source);
    const dv_status status = create(view_out, c, specs, n, err);
    if (status < 0)
        close_convert(c);
    return status;
}
