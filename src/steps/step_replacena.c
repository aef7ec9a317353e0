/* SPDX-License-Identifier: MIT */
/* step_replacena.c: replacena and handlena, which learn what stands for missing values. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "steps/step_class.h"
#include "steps/step_needs.h"
#include "transform/slot_statistics.h"
#include "transform/tally.h"
#include "transform/tally_state.h"
#include "transform/tf_replacena.h"
#include "transform/wanted_type.h"

/* In the order of the words of the option `mode`. */
enum { MODE_DEFAULT, MODE_MEAN, MODE_MIN, MODE_MAX, MODE_MODE, MODE_VALUE };

typedef struct learner {
    dv_allocator allocator;
    int64_t mode;
    dv_kind real;
    int32_t slots;  /* that have a value of their own: 1 if pooled */
    bool is_pooled; /* one value for all slots */
    int64_t rows;   /* pooled: slots of all rows */
    void *statistics;
    dvi_tally tally;
} learner;

static bool learns(const dv_step *step)
{
    const int64_t mode = dv_step_integer(step, "mode");
    return mode != MODE_DEFAULT && mode != MODE_VALUE;
}

static dv_status check_type(const dv_type *type, dv_error *err)
{
    if (type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8)
        return DV_OK;
    return dvi_fail_reals(err, "semantics:7.13", "values to replace", "R4 or R8", type);
}

/* --- Learning --------------------------------------------------------------------------------- */

static size_t statistics_nbytes(const learner *l)
{
    return (size_t)l->slots * (l->mode == MODE_MEAN ? sizeof(dvi_mean) : sizeof(dvi_extremes));
}

static void free_learner(void *of)
{
    learner *l = of;
    const dv_allocator allocator = l->allocator;
    if (l->statistics)
        dvi_free(&allocator, l->statistics, statistics_nbytes(l));
    dvi_tally_free(&l->tally);
    dvi_free(&allocator, l, sizeof *l);
}

static dv_status set_up(learner *l, dv_error *err)
{
    if (l->mode == MODE_MODE)
        return dvi_tally_init(&l->tally, l->slots, &l->allocator, err);
    DVI_TRY(dvi_alloc_zeroed(&l->allocator, &l->statistics, statistics_nbytes(l), err));
    if (l->mode != MODE_MEAN)
        dvi_extremes_init(l->statistics, l->slots);
    return DV_OK;
}

static dv_status check_slots(const dv_type *type, bool is_pooled, dv_error *err)
{
    if (is_pooled)
        return DV_OK;
    if (type->size == 0 && type->rank > 0)
        return dvi_fail_argument(err, "vectors of any size have no slots of their own; set slots-");
    if (dv_type_value_count(type) > DVI_LEARNED_SLOTS)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.12", -1, "slots to learn from",
                        "at most %d|%d", DVI_LEARNED_SLOTS, (int)type->size);
    return DV_OK;
}

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    void *made;
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    const bool is_pooled = type->rank > 0 && !dv_step_integer(b->step, "slots");
    DVI_TRY(check_type(type, err));
    DVI_TRY(check_slots(type, is_pooled, err));
    DVI_TRY(dvi_alloc_zeroed(b->allocator, &made, sizeof(learner), err));
    learner *l = made;
    l->allocator = dvi_allocator_of(b->allocator);
    l->mode = dv_step_integer(b->step, "mode");
    l->real = type->kind;
    l->is_pooled = is_pooled;
    l->slots = is_pooled ? 1 : dv_type_value_count(type);
    const dv_status status = set_up(l, err);
    if (status < 0)
        free_learner(l);
    else
        *learner_out = l;
    return status;
}

static dv_status take(void *of, const dvi_slot_values *values, dv_error *err)
{
    learner *l = of;
    if (l->mode == MODE_MODE)
        return dvi_tally_take(&l->tally, values, err);
    if (l->mode == MODE_MEAN)
        return dvi_mean_take(l->statistics, values, err);
    return dvi_extremes_take(l->statistics, values, err);
}

static dv_status see(void *of, const dv_column_view *const *sources, int64_t place, dv_error *err)
{
    learner *l = of;
    (void)place;
    if (l->is_pooled)
        return dvi_pooled_values_each(sources[0], &l->rows, take, l, err);
    if (l->mode == MODE_MIN || l->mode == MODE_MAX)
        DVI_TRY(dvi_extremes_see(l->statistics, sources[0], l->rows, err));
    else
        DVI_TRY(dvi_slot_values_each(sources[0], l->rows, take, l, err));
    l->rows += sources[0]->rows;
    return DV_OK;
}

/* --- Rows that another learner has seen ------------------------------------------------------- */

static const char *refuses(const dv_step *step)
{
    return dv_step_integer(step, "mode") == MODE_MEAN ? "means depend on the order of sums" : NULL;
}

static dv_status show_seen(dv_view **table_out, void *of, const dv_allocator *allocator,
                           dv_error *err)
{
    learner *l = of;
    const dvi_counted_rows counted = {&l->rows, INT64_MAX, NULL, 0};
    return l->mode == MODE_MODE
               ? dvi_tally_state(table_out, &l->tally, &counted, allocator, err)
               : dvi_extremes_state(table_out, l->statistics, l->slots, &counted, allocator, err);
}

static dv_status add_seen(void *of, dv_view *table, dv_error *err)
{
    learner *l = of;
    const dvi_counted_rows counted = {&l->rows, INT64_MAX, NULL, 0};
    return l->mode == MODE_MODE ? dvi_tally_state_add(&l->tally, &counted, table, err)
                                : dvi_extremes_state_add(l->statistics, l->slots, &counted, table,
                                                         &l->allocator, err);
}

static const dvi_step_parts parts = {.refuses = refuses, .show = show_seen, .add = add_seen};

/* --- What was learned ------------------------------------------------------------------------- */

/* The value that comes most often; of several that which came first. */
static double mode_of(const dvi_slot_tally *s)
{
    const dvi_tally_entry *best = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const dvi_tally_entry *e = &s->entries[i];
        if (!best || e->count > best->count || (e->count == best->count && e->first < best->first))
            best = e;
    }
    return best ? best->value : 0;
}

/* The extremes of a slot without values are the wrong way round. */
static double extreme_of(const learner *l, int32_t slot)
{
    dvi_extremes *e = (dvi_extremes *)l->statistics + slot;
    dvi_extremes_finish(e, l->rows);
    return e->least > e->most ? 0 : l->mode == MODE_MIN ? e->least : e->most;
}

static dv_status value_of(learner *l, int32_t slot, double *value_out, dv_error *err)
{
    if (l->mode == MODE_MODE) {
        DVI_TRY(dvi_tally_sort(&l->tally, slot, err));
        *value_out = mode_of(&l->tally.slot[slot]);
    } else if (l->mode == MODE_MEAN) {
        *value_out = dvi_mean_of((const dvi_mean *)l->statistics + slot, l->rows);
    } else {
        *value_out = extreme_of(l, slot);
    }
    return DV_OK;
}

static dv_status finish(void **learned_out, void **of, const dv_step_binding *b, dv_error *err)
{
    learner *l = *of;
    dvi_learned_table *table;
    dv_status status = DV_OK;
    DVI_TRY(dvi_learned_create(&table, &dvi_replacements, l->real, l->slots, b->allocator, err));
    for (int32_t slot = 0; slot < l->slots && status == DV_OK; slot++) {
        double value = 0;
        status = value_of(l, slot, &value, err);
        dvi_learned_set(table, 0, slot, value);
    }
    if (status < 0)
        dvi_learned_table_free(table);
    else
        *learned_out = table;
    return status;
}

/* --- What the options say --------------------------------------------------------------------- */

static dv_status give(void **learned_out, const dv_step_binding *b, dv_error *err)
{
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    dv_scalar value = {.r8 = 0};
    dvi_learned_table *table;
    DVI_TRY(check_type(type, err));
    if (dv_step_integer(b->step, "mode") == MODE_VALUE) {
        const dv_type item = dv_type_of(DV_KIND_R8);
        const dv_text text = dv_step_text(b->step, "value", 0);
        if (text.nbytes <= 0 || !dv_value_parse(&value, &item, text) || value.r8 != value.r8)
            return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "value of the option \"value\"",
                            "a number|%s", dvi_show(text).text);
    }
    DVI_TRY(dvi_learned_create(&table, &dvi_replacements, type->kind, 1, b->allocator, err));
    dvi_learned_set(table, 0, 0, value.r8);
    *learned_out = table;
    return DV_OK;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"values", NULL};
    (void)step;
    return names;
}

static dv_status show(dv_view **table_out, void *learned, int32_t table,
                      const dv_allocator *allocator, dv_error *err)
{
    (void)table;
    return dvi_learned_show(table_out, learned, allocator, err);
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    dvi_learned_table *table;
    (void)step;
    DVI_TRY(
        dvi_learned_load(&table, &dvi_replacements, list[0], DVI_LEARNED_SLOTS, allocator, err));
    dv_status status = DV_OK;
    if (table->rows == 0)
        status = dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT13", -1, "values to put in", "1 or more|0");
    for (int64_t i = 0; i < table->rows && status == DV_OK; i++)
        if (dvi_learned_get(table, 0, i) != dvi_learned_get(table, 0, i))
            status = dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT13", -1, "value to put in",
                              "a number|NaN in row %lld", (long long)i);
    if (status < 0)
        dvi_learned_table_free(table);
    else
        *learned_out = table;
    return status;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status plan_replacena(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                                void *learned, dv_error *err)
{
    return dvi_replacena_plan(made, arena, b->schema, b->sources[0], learned, err);
}

static dv_status plan_handlena(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                               void *learned, dv_error *err)
{
    if (dv_step_integer(b->step, "indicator"))
        return dvi_handlena_plan(made, arena, b->schema, b->sources[0], learned, err);
    return dvi_replacena_plan(made, arena, b->schema, b->sources[0], learned, err);
}

static void need(dv_fit_need *needed, const dv_step_binding *b, const dvi_step_amounts *amounts)
{
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    const bool is_pooled = type->rank > 0 && !dv_step_integer(b->step, "slots");
    const dvi_step_amounts pooled = {.slots = 1,
                                     .values = amounts->slots > 0 ? amounts->values : INT64_MAX};
    const dvi_step_amounts *seen = is_pooled ? &pooled : amounts;
    dvi_need_slots(needed, seen, 64);
    if (dv_step_integer(b->step, "mode") == MODE_MODE)
        dvi_need_tally(needed, seen, INT64_MAX);
}

#define VALUES                                                                                     \
    {                                                                                              \
        .size = sizeof(dv_step_class), .version = 1, .learns = learns, .in_order = true,           \
        .begin = begin, .free_learner = free_learner, .see = see, .finish = finish, .give = give,  \
        .free_learned = dvi_learned_table_free, .tables = tables, .show = show, .load = load       \
    }

const dvi_step_class dvi_class_replacena = {.open = VALUES,
                                            .widens = DVI_WIDENS_SOURCES,
                                            .parts = &parts,
                                            .plan = plan_replacena,
                                            .need = need};
const dvi_step_class dvi_class_handlena = {.open = VALUES,
                                           .widens = DVI_WIDENS_SOURCES,
                                           .parts = &parts,
                                           .plan = plan_handlena,
                                           .need = need};
