/* SPDX-License-Identifier: MIT */
/* tf_joined.c: a column that joins columns that other steps make.
 *
 * The parts are filled into a batch of their own, of which combine then makes the column. */
#include "transform/tf_joined.h"
#include "base/check.h"
#include "type/schema.h"
#include "view/batch.h"
#include "view/identity.h"
#include "transform/tf_combine_priv.h"
#include <dataview/cursor_set.h>
#include <stdalign.h>
#include <string.h>

typedef struct joined {
    dvi_maker maker; /* of this column: its memory has room for that of all parts */
    const dvi_new_column *parts;
    const dv_type **types; /* of the parts, in the schema */
    size_t *memory;        /* where that of each part begins, and that of `whole` */
    int32_t n;
    const int32_t *columns; /* 0 to n - 1 */
    dvi_new_column whole;   /* its source is the schema of the parts */
} joined;

/* Of one column and cursor; that of the parts follows. */
typedef struct joined_memory {
    const joined *joined; /* NULL: not used yet */
    dv_batch *between;    /* of the parts; empty but during a call */
} joined_memory;

/* Rounded up, so that what follows is aligned for any type. */
static size_t padded(size_t nbytes)
{
    const size_t step = alignof(max_align_t);
    return (nbytes + step - 1) / step * step;
}

static void *memory_at(joined_memory *m, const joined *j, int32_t i)
{
    return (char *)m + j->memory[i];
}

static const dvi_mapped *mapped_at(const joined *j, int32_t i)
{
    return i < j->n ? &j->parts[i].mapped : &j->whole.mapped;
}

static void release_memory(void *of)
{
    joined_memory *m = of;
    const joined *j = m->joined;
    if (!j)
        return;
    const dv_batch *between = m->between;
    dv_batch_release(&between);
    for (int32_t i = 0; i <= j->n; i++)
        if (mapped_at(j, i)->maker->release)
            mapped_at(j, i)->maker->release(memory_at(m, j, i));
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_status fill_parts(const dvi_filling *f, dv_error *err)
{
    joined_memory *m = f->memory;
    const joined *j = m->joined;
    const int32_t *slots = f->slots;
    DVI_TRY(dv_batch_start(m->between, f->batch->first_row, f->batch->rows, err));
    dvi_batch_follow(m->between, f->batch);
    for (int32_t i = 0; i < j->n; i++) {
        const dvi_mapped *part = mapped_at(j, i);
        dvi_column made = {.view = {.rows = f->batch->rows}};
        const dvi_filling filling = {.params = part->params,
                                     .memory = memory_at(m, j, i),
                                     .type = j->types[i],
                                     .batch = f->batch,
                                     .slots = slots,
                                     .n = part->n,
                                     .epoch = f->epoch,
                                     .row_nbytes = f->row_nbytes,
                                     .below = f->below,
                                     .allocator = f->allocator};
        DVI_TRY(part->maker->fill(&filling, &made, err));
        dvi_batch_set_slot(m->between, i, &made.view);
        slots += part->n;
    }
    return DV_OK;
}

static dv_status fill_whole(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    joined_memory *m = f->memory;
    const joined *j = m->joined;
    const dvi_filling filling = {.params = j->whole.mapped.params,
                                 .memory = memory_at(m, j, j->n),
                                 .type = f->type,
                                 .batch = m->between,
                                 .slots = j->columns,
                                 .n = j->n,
                                 .epoch = f->epoch,
                                 .row_nbytes = f->row_nbytes,
                                 .below = f->below,
                                 .allocator = f->allocator};
    return j->whole.mapped.maker->fill(&filling, dst, err);
}

/* Afterwards nothing refers to the batch in between, as in tf_chain.c. */
static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    joined_memory *m = f->memory;
    const joined *j = f->params;
    m->joined = j;
    if (!m->between)
        DVI_TRY(dvi_batch_create(&m->between, NULL, j->types, j->n, f->allocator, err));
    dv_status status = fill_parts(f, err);
    if (status == DV_OK)
        status = fill_whole(f, dst, err);
    dvi_batch_clear(m->between);
    return status;
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *params, dv_identity *identity)
{
    const joined *j = params;
    for (int32_t i = 0; i < j->n; i++) {
        const dvi_mapped *part = mapped_at(j, i);
        dv_identity_add(identity, part->maker->name, strlen(part->maker->name));
        if (part->maker->identify)
            part->maker->identify(part->params, identity);
        dvi_identity_add_type(identity, j->types[i]);
    }
}

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const joined *j = made->mapped.params;
    (void)source;
    return j->whole.mapped.maker->describe(&j->whole, NULL, schema, column, err);
}

static void free_schema(void *of)
{
    dv_schema *schema = of;
    dv_schema_free(&schema);
}

/* Make the schema of the parts, which the arena owns. */
static dv_status make_schema(joined *j, dvi_arena *arena, const dv_schema *source,
                             const dv_schema **schema_out, dv_error *err)
{
    dv_schema *schema;
    int32_t column;
    DVI_TRY(dv_schema_create(&schema, &arena->allocator, err));
    DVI_TRY(dvi_arena_own(arena, free_schema, schema, err));
    for (int32_t i = 0; i < j->n; i++) {
        const dvi_new_column *part = &j->parts[i];
        DVI_TRY(dv_schema_add(schema, part->name, &part->type, &column, err));
        DVI_TRY(part->mapped.maker->describe(part, source, schema, column, err));
    }
    for (int32_t i = 0; i < j->n; i++)
        j->types[i] = &dv_schema_column(schema, i)->type;
    *schema_out = schema;
    return DV_OK;
}

/* Lists of one entry for each part, and the sources of all. */
static dv_status make_lists(joined *j, dvi_arena *arena, const dvi_new_column *parts,
                            dvi_mapped *mapped_out, dv_error *err)
{
    void *copies, *types, *memory, *columns, *sources;
    const size_t n = (size_t)j->n;
    for (int32_t i = 0; i < j->n; i++)
        mapped_out->n += parts[i].mapped.n;
    DVI_TRY(dvi_arena_alloc(arena, &copies, n * sizeof *parts, err));
    DVI_TRY(dvi_arena_alloc(arena, &types, n * sizeof *j->types, err));
    DVI_TRY(dvi_arena_alloc(arena, &memory, (n + 1) * sizeof *j->memory, err));
    DVI_TRY(dvi_arena_alloc(arena, &columns, n * sizeof(int32_t), err));
    DVI_TRY(dvi_arena_alloc(arena, &sources, (size_t)mapped_out->n * sizeof(int32_t), err));
    memcpy(copies, parts, n * sizeof *parts);
    int32_t *source = sources, *column = columns;
    for (int32_t i = 0; i < j->n; i++) {
        column[i] = i;
        memcpy(source, parts[i].mapped.sources, (size_t)parts[i].mapped.n * sizeof *source);
        source += parts[i].mapped.n;
    }
    j->parts = copies;
    j->types = types;
    j->memory = memory;
    j->columns = columns;
    mapped_out->sources = sources;
    return DV_OK;
}

dv_status dvi_joined_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                          const dvi_new_column *parts, int32_t n, dv_error *err)
{
    void *room;
    const dv_schema *schema;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(joined), err));
    joined *j = room;
    dvi_mapped mapped = {&j->maker, j, NULL, 0};
    size_t nbytes = padded(sizeof(joined_memory));
    j->n = n;
    DVI_TRY(make_lists(j, arena, parts, &mapped, err));
    DVI_TRY(make_schema(j, arena, source, &schema, err));
    DVI_TRY(dvi_combine_plan(&j->whole, arena, schema, j->columns, n, err));
    for (int32_t i = 0; i <= n; i++) {
        j->memory[i] = nbytes;
        nbytes += padded(mapped_at(j, i)->maker->memory);
    }
    j->maker = (dvi_maker){.name = "joined",
                           .identify = identify,
                           .describe = describe,
                           .fill = fill,
                           .memory = nbytes,
                           .release = release_memory};
    column_out->type = j->whole.type;
    column_out->mapped = mapped;
    return DV_OK;
}
