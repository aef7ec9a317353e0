/* SPDX-License-Identifier: MIT */
/* tf_chain.c: a column that one step makes of the column that another step makes.
 *
 * The outer step is planned on a schema that has only the inner column, and fills from batches that
 * have only that column. */
#include "transform/tf_chain.h"
#include "base/check.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/batch.h"
#include "view/identity.h"
#include "view/metadata.h"
#include <dataview/cursor_set.h>
#include <string.h>

typedef struct chain {
    dvi_maker maker;         /* of this chain: its memory has room for that of both steps */
    const dv_schema *schema; /* of the inner column */
    const dv_type *type;     /* in that schema */
    dvi_mapped inner;
    dvi_new_column outer; /* its source is the schema */
} chain;

/* Of one column and cursor; the memory of the inner step follows, then that of the outer step. */
typedef struct chain_memory {
    const chain *chain; /* NULL: not used yet */
    dv_batch *between;  /* of the inner column; empty but during a call */
} chain_memory;

static void *inner_memory(chain_memory *m)
{
    return (char *)m + dvi_padded(sizeof *m);
}

static void *outer_memory(chain_memory *m, const chain *c)
{
    return (char *)inner_memory(m) + dvi_padded(c->inner.maker->memory);
}

static void release_memory(void *of)
{
    chain_memory *m = of;
    const chain *c = m->chain;
    if (!c)
        return;
    const dv_batch *between = m->between;
    dv_batch_release(&between);
    if (c->inner.maker->release)
        c->inner.maker->release(inner_memory(m));
    if (c->outer.mapped.maker->release)
        c->outer.mapped.maker->release(outer_memory(m, c));
}

/* --- A batch ---------------------------------------------------------------------------------- */

/* A step without `fill` lends its source. */
static dv_status fill_step(const dvi_maker *maker, const dvi_filling *f, dvi_column *dst,
                           dv_error *err)
{
    if (maker->fill)
        return maker->fill(f, dst, err);
    dvi_column_assign(dst, dv_batch_column(f->batch, f->slots[0]));
    return DV_OK;
}

static dv_status fill_inner(const dvi_filling *f, dv_error *err)
{
    const chain *c = f->params;
    chain_memory *m = f->memory;
    dvi_filling inner = *f;
    dvi_column made = {.view = {.rows = f->batch->rows}};
    inner.params = c->inner.params;
    inner.memory = inner_memory(m);
    inner.type = c->type;
    DVI_TRY(fill_step(c->inner.maker, &inner, &made, err));
    DVI_TRY(dv_batch_start(m->between, f->batch->first_row, f->batch->rows, err));
    dvi_batch_follow(m->between, f->batch);
    dvi_batch_set_slot(m->between, 0, &made.view);
    return DV_OK;
}

static dv_status fill_outer(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    static const int32_t slot = 0;
    const chain *c = f->params;
    chain_memory *m = f->memory;
    const dvi_filling outer = {.params = c->outer.mapped.params,
                               .memory = outer_memory(m, c),
                               .type = f->type,
                               .batch = m->between,
                               .slots = &slot,
                               .n = 1,
                               .epoch = f->epoch,
                               .row_nbytes = f->row_nbytes,
                               .below = f->below,
                               .allocator = f->allocator};
    return fill_step(c->outer.mapped.maker, &outer, dst, err);
}

/* Afterwards nothing refers to the batch in between, and it holds no buffer that the source or the
 * inner step wants to use again. What the column has of its buffers is alive until the next call:
 * they are those of the source's batch and of the memory of the steps. */
static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    chain_memory *m = f->memory;
    const chain *c = f->params;
    m->chain = c;
    if (!m->between)
        DVI_TRY(dvi_batch_create(&m->between, NULL, &c->type, 1, f->allocator, err));
    dv_status status = fill_inner(f, err);
    if (status == DV_OK)
        status = fill_outer(f, dst, err);
    if (status == DV_OK && dst->view.layout == DV_LAYOUT_VECTOR)
        dvi_column_assign(dst, &dst->view);
    dvi_batch_clear(m->between);
    return status;
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify_step(const dvi_mapped *step, dv_identity *identity)
{
    dv_identity_add(identity, step->maker->name, strlen(step->maker->name));
    if (step->maker->identify)
        step->maker->identify(step->params, identity);
}

static void identify(const void *params, dv_identity *identity)
{
    const chain *c = params;
    identify_step(&c->inner, identity);
    dvi_identity_add_type(identity, c->type);
    identify_step(&c->outer.mapped, identity);
}

static dv_status describe_step(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err)
{
    if (made->mapped.maker->describe)
        return made->mapped.maker->describe(made, source, schema, column, err);
    return dvi_inherit_all_metadata(schema, column, source, made->mapped.sources[0], err);
}

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const chain *c = made->mapped.params;
    (void)source;
    return describe_step(&c->outer, c->schema, schema, column, err);
}

static void free_schema(void *of)
{
    dv_schema *schema = of;
    dv_schema_free(&schema);
}

/* Make the schema of the inner column, which the arena owns. */
static dv_status make_schema(chain *c, dvi_arena *arena, const dv_schema *source,
                             const dvi_new_column *inner, dv_error *err)
{
    const dv_text name = inner->name.nbytes > 0
                             ? inner->name
                             : dv_schema_column(source, inner->mapped.sources[0])->name;
    dv_schema *schema;
    int32_t column;
    DVI_TRY(dv_schema_create(&schema, &arena->allocator, err));
    DVI_TRY(dvi_arena_own(arena, free_schema, schema, err));
    DVI_TRY(dv_schema_add(schema, name, &inner->type, &column, err));
    for (int32_t i = 0; i < inner->mapped.n; i++)
        DVI_TRY(dvi_schema_mark(schema, column, dvi_schema_marks(source, inner->mapped.sources[i]),
                                err));
    c->schema = schema;
    c->type = &dv_schema_column(schema, column)->type;
    return describe_step(inner, source, schema, column, err);
}

dv_status dvi_chain_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         const dvi_new_column *inner, dvi_plan *outer, const void *options,
                         dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(chain), err));
    chain *c = room;
    c->inner = inner->mapped;
    DVI_TRY(make_schema(c, arena, source, inner, err));
    DVI_TRY(outer(&c->outer, arena, c->schema, 0, options, err));
    const dvi_maker *made = c->outer.mapped.maker;
    c->maker =
        (dvi_maker){.name = "chain",
                    .identify = identify,
                    .describe = describe,
                    .fill = inner->mapped.maker->fill || made->fill ? fill : NULL,
                    .memory = dvi_padded(sizeof(chain_memory)) +
                              dvi_padded(inner->mapped.maker->memory) + dvi_padded(made->memory),
                    .release = release_memory};
    column_out->type = c->outer.type;
    column_out->mapped = (dvi_mapped){&c->maker, c, inner->mapped.sources, inner->mapped.n};
    return DV_OK;
}
