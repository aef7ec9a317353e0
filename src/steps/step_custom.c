/* SPDX-License-Identifier: MIT */
/* step_custom.c: plans columns with the `type` and `fill` of a class. */
#include "steps/step_custom.h"
#include "base/check.h"
#include "base/identifier.h"
#include "base/size.h"
#include "view/identity.h"
#include <dataview/digest.h>
#include <stdatomic.h>
#include <string.h>

typedef struct custom {
    dvi_maker maker; /* of this column: its memory has room for that of the class */
    const dv_step_class *cls;
    dv_step_binding binding;
    void *learned;
    dv_u128 learned_identity;
} custom;

/* Of one column and cursor; the views of the sources follow, then the memory of the class. */
typedef struct custom_memory {
    const custom *made; /* NULL: not used yet */
    dvi_column held;    /* what the class made last */
} custom_memory;

static const dv_column_view **sources_of(custom_memory *m)
{
    return (const dv_column_view **)(void *)((char *)m + dvi_padded(sizeof *m));
}

static void *class_memory(custom_memory *m, const custom *c)
{
    const size_t sources = (size_t)c->binding.sources_count * sizeof(dv_column_view *);
    return (char *)sources_of(m) + dvi_padded(sources);
}

static void release_memory(void *of)
{
    custom_memory *m = of;
    if (!m->made)
        return;
    dvi_column_release(&m->held);
    if (m->made->cls->release)
        m->made->cls->release(class_memory(m, m->made));
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_status check(const dv_column_view *made, const dvi_filling *f, dv_error *err)
{
    if (made->rows != f->batch->rows)
        return dvi_fail_argument(err, "`fill` made %lld rows of %lld", (long long)made->rows,
                                 (long long)f->batch->rows);
    if (!dv_type_equal(&made->type, f->type))
        return dvi_fail_argument(err, "`fill` made values of another type than `type` said");
    return dvi_column_check(made, err);
}

static dv_status within(const custom *c, dv_status status, dv_error *err)
{
    if (status < 0)
        dvi_error_within(err, "step %s", c->binding.step->info->name);
    return status;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const custom *c = f->params;
    custom_memory *m = f->memory;
    const dv_column_view **sources = sources_of(m);
    for (int32_t i = 0; i < f->n; i++)
        sources[i] = dv_batch_column(f->batch, f->slots[i]);
    m->made = c;
    dvi_column_release(&m->held);
    const dv_step_filling filling = {.binding = &c->binding,
                                     .learned = c->learned,
                                     .type = f->type,
                                     .sources = sources,
                                     .rows = f->batch->rows,
                                     .first_row = f->batch->first_row,
                                     .ids = f->batch->ids,
                                     .memory = class_memory(m, c),
                                     .epoch = f->epoch};
    dv_column_view made = {.type = *f->type, .rows = f->batch->rows};
    DVI_TRY(within(c, c->cls->fill(&made, &filling, err), err));
    dvi_column_assign(&m->held, &made);
    DVI_TRY(within(c, check(&m->held.view, f, err), err));
    dvi_column_assign(dst, &m->held.view);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static void add_text(dv_identity *identity, dv_text text)
{
    dv_identity_add(identity, text.data, (size_t)text.nbytes);
}

static void identify(const void *params, dv_identity *identity)
{
    const custom *c = params;
    const dvi_step *step = c->binding.step;
    dvi_identity_add_i8(identity, c->cls->version);
    for (int32_t i = 0; i < step->info->options_count; i++) {
        dvi_identity_add_i8(identity, step->values[i].n);
        for (int64_t k = 0; k < step->values[i].n; k++)
            add_text(identity, step->values[i].texts[k]);
    }
    dv_identity_add(identity, &c->learned_identity, sizeof c->learned_identity);
}

/* Of the tables; what has none differs from all else. */
static dv_status identify_learned(custom *c, const dv_allocator *allocator, dv_error *err)
{
    static atomic_uint_fast64_t fits;
    dv_u128 tables[DVI_STEP_TABLES_MAX] = {{0, 0}};
    const int32_t n = c->learned ? dvi_step_tables(c->binding.step) : 0;
    for (int32_t t = 0; t < n; t++) {
        dv_view *table;
        DVI_TRY(c->cls->show(&table, c->learned, t, allocator, err));
        const dv_status status = dv_view_identity(table, &tables[t], err);
        dv_view_release(&table);
        DVI_TRY(status);
    }
    if (c->learned && n == 0)
        tables[0].lo = 1 + atomic_fetch_add(&fits, 1);
    c->learned_identity = dv_digest_16(tables, sizeof tables, 0);
    return DV_OK;
}

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const custom *c = made->mapped.params;
    (void)source;
    if (!c->cls->describe)
        return DV_OK;
    return c->cls->describe(schema, column, &c->binding, c->learned, err);
}

/* Make the type last as long as the arena. */
static dv_status keep_type(dv_type *type, dvi_arena *arena, dv_error *err)
{
    void *dims;
    DVI_TRY(dv_type_check(type, err));
    if (!type->dims)
        return DV_OK;
    DVI_TRY(dvi_arena_alloc(arena, &dims, (size_t)type->rank * sizeof *type->dims, err));
    memcpy(dims, type->dims, (size_t)type->rank * sizeof *type->dims);
    type->dims = dims;
    return DV_OK;
}

static dv_status find_type(custom *c, dvi_new_column *made, dvi_arena *arena, dv_error *err)
{
    dv_type type = dv_type_of(DV_KIND_NONE);
    DVI_TRY(c->cls->type(&type, &c->binding, c->learned, err));
    DVI_TRY(keep_type(&type, arena, err));
    made->type = type;
    return DV_OK;
}

dv_status dvi_custom_plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *binding,
                          void *learned, dv_error *err)
{
    void *room;
    const dv_step_class *cls = &binding->step->cls->open;
    const size_t sources = (size_t)binding->sources_count * sizeof(dv_column_view *);
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(custom), err));
    custom *c = room;
    c->cls = cls;
    c->binding = *binding;
    c->learned = learned;
    DVI_TRY(find_type(c, made, arena, err));
    DVI_TRY(identify_learned(c, binding->allocator, err));
    c->maker =
        (dvi_maker){.name = binding->step->info->name,
                    .identify = identify,
                    .describe = describe,
                    .fill = fill,
                    .memory = dvi_padded(sizeof(custom_memory)) + dvi_padded(sources) + cls->memory,
                    .release = release_memory,
                    .batch_rows = cls->batch_rows,
                    .reads_ids = cls->reads_ids};
    made->mapped = (dvi_mapped){&c->maker, c, binding->sources, binding->sources_count};
    return DV_OK;
}

/* --- Checking a class ------------------------------------------------------------------------- */

static dv_status check_learning(const dv_step_class *cls, dv_error *err)
{
    if (cls->begin && (!cls->free_learner || !cls->see || !cls->finish))
        return dvi_fail_argument(err, "`begin` needs free_learner, see and finish");
    if (cls->begin && !cls->in_order && !cls->merge)
        return dvi_fail_argument(err, "`begin` needs merge, or in_order");
    if ((cls->begin || cls->give || cls->load) && !cls->free_learned)
        return dvi_fail_argument(err, "what is learned needs free_learned");
    if (!cls->tables != !cls->show || !cls->tables != !cls->load)
        return dvi_fail_argument(err, "tables, show and load belong together");
    return DV_OK;
}

static dv_status check_class(const dv_step_class *cls, dv_error *err)
{
    if (cls->size != sizeof *cls)
        return dvi_fail_argument(err, "the class has the size of another version: set size to "
                                      "sizeof(dv_step_class)");
    if (cls->version < 1)
        return dvi_fail_argument(err, "`version` is below 1");
    if (!cls->view && (!cls->type || !cls->fill))
        return dvi_fail_argument(err, "a class needs type and fill, or view");
    if (cls->batch_rows < 0)
        return dvi_fail_argument(err, "batch_rows is below 0");
    if (cls->view && (cls->type || cls->fill))
        return dvi_fail_argument(err, "a class with `view` has neither type nor fill");
    if (cls->acts && (!cls->acts_outside || cls->view))
        return dvi_fail_argument(err, "`acts` needs acts_outside, and a class without `view`");
    return check_learning(cls, err);
}

static dv_status check_option(const dv_step_option *option, dvi_arena *arena, dv_error *err)
{
    dvi_option_value value;
    const dv_text initial = dv_text_of(option->initial);
    if (!dvi_is_identifier(option->name) || !option->summary || initial.nbytes < 0)
        return dvi_fail_argument(err, "an option needs a name of letters, digits and _, a summary "
                                      "and an initial value, which may be \"\"");
    if (option->kind < DV_STEP_OPTION_FLAG || option->kind > DV_STEP_OPTION_TABLE ||
        (option->kind == DV_STEP_OPTION_WORD && !option->words))
        return dvi_fail_argument(err, "option \"%s\" is of no kind, or of words and without them",
                                 option->name);
    return initial.nbytes > 0 ? dvi_option_read(&value, option, &initial, 1, arena, err) : DV_OK;
}

static dv_status check_options(const dv_transform_info *info, dv_error *err)
{
    dvi_arena arena;
    dv_status status = DV_OK;
    dvi_arena_init(&arena, NULL);
    for (int32_t i = 0; status == DV_OK && i < info->options_count; i++)
        status = check_option(&info->options[i], &arena, err);
    dvi_arena_free(&arena);
    return status;
}

dv_status dvi_custom_check(const dv_transform_info *info, const dv_step_class *cls, dv_error *err)
{
    if (!dvi_is_identifier(info->name))
        return dvi_fail_argument(err, "a step needs a name of letters, digits and _");
    if (!info->summary || !info->ml_net || info->columns < DV_STEP_COLUMNS_ONE ||
        info->columns > DV_STEP_COLUMNS_NONE || info->options_count < 0)
        return dvi_fail_argument(err, "a step needs a summary, a name in ML.NET, which may be "
                                      "\"\", and a form of columns");
    if (info->columns == DV_STEP_COLUMNS_NONE && !cls->view)
        return dvi_fail_argument(err, "a step without columns needs `view`");
    DVI_TRY(check_options(info, err));
    return check_class(cls, err);
}
