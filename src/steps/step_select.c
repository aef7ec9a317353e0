/* SPDX-License-Identifier: MIT */
/* step_select.c: selectcount, which keeps slots that have enough values. */
#include "base/alloc.h"
#include "base/check.h"
#include "steps/step_class.h"
#include "steps/step_needs.h"
#include "transform/learned_table.h"
#include "transform/tf_dropslots.h"
#include "transform/vector_rows.h"
#include <dataview/value.h>
#include <inttypes.h>

static const dvi_learned_columns counts_columns = {
    .table = "counts", .n = 1, .names = {"Count"}, .kinds = {DV_KIND_I8}};

/* --- Learning: a learner is a table of the counts of all slots, whose order does not matter --- */

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    dvi_learned_table *counts;
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    char found[96];
    dv_type_print(type, found, sizeof found);
    if (dv_type_value_count(type) == 0 || dv_type_value_count(type) > DVI_LEARNED_SLOTS ||
        type->kind == DV_KIND_EXTENSION)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.17", -1, "slots to choose from",
                        "scalars or vectors of 1 to %d slots|%s", DVI_LEARNED_SLOTS, found);
    DVI_TRY(dvi_learned_create(&counts, &counts_columns, DV_KIND_R4, dv_type_value_count(type),
                               b->allocator, err));
    *learner_out = counts;
    return DV_OK;
}

static bool counts_value(const dv_column_view *items, int64_t i)
{
    const dv_value value = {.column = items, .row = i};
    return !dv_value_is_default(&value) && !dv_value_is_na(&value);
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    dvi_learned_table *table = learner;
    int64_t *counts = table->values[0];
    dvi_vector_row row = dvi_vector_rows(sources[0]);
    (void)place;
    (void)err;
    while (dvi_vector_rows_next(&row))
        for (int32_t i = 0; i < row.n; i++) {
            const int64_t item = sources[0]->layout == DV_LAYOUT_VECTOR ? row.item + i : row.row;
            counts[dvi_vector_row_slot(&row, i)] += counts_value(row.items, item);
        }
    return DV_OK;
}

static dv_status merge(void **learners, int32_t n, dv_error *err)
{
    dvi_learned_table *all = learners[0];
    (void)err;
    for (int32_t k = 1; k < n; k++) {
        const dvi_learned_table *part = learners[k];
        for (int64_t i = 0; i < all->rows; i++)
            ((int64_t *)all->values[0])[i] += ((const int64_t *)part->values[0])[i];
    }
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *b, dv_error *err)
{
    (void)b;
    (void)err;
    *learned_out = *learner;
    *learner = NULL;
    return DV_OK;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"counts", NULL};
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
    DVI_TRY(dvi_learned_load(&table, &counts_columns, list[0], DVI_LEARNED_SLOTS, allocator, err));
    *learned_out = table;
    return DV_OK;
}

static dv_status show_seen(dv_view **table_out, void *learner, const dv_allocator *allocator,
                           dv_error *err)
{
    return dvi_learned_show(table_out, learner, allocator, err);
}

static dv_status add_seen(void *learner, dv_view *view, dv_error *err)
{
    dvi_learned_table *all = learner, *part;
    DVI_TRY(dvi_learned_load(&part, &counts_columns, view, all->rows, &all->allocator, err));
    bool fits = part->rows == all->rows;
    for (int64_t i = 0; fits && i < all->rows; i++) {
        const int64_t count = ((const int64_t *)part->values[0])[i];
        int64_t *sum = (int64_t *)all->values[0] + i;
        fits = count >= 0 && count <= INT64_MAX - *sum;
        *sum += fits ? count : 0;
    }
    dvi_learned_table_free(part);
    DVI_REQUIRE(fits, dvi_fail(err, DV_ERR_CORRUPT, "parts:S3", -1, "counts",
                               "one of each slot, with a sum below 2^63|others"));
    return DV_OK;
}

static const dvi_step_parts parts = {.show = show_seen, .add = add_seen};

static void need(dv_fit_need *needed, const dv_step_binding *b, const dvi_step_amounts *amounts)
{
    (void)b;
    dvi_need_slots(needed, amounts, 2 * sizeof(int64_t));
}

/* --- Applying --------------------------------------------------------------------------------- */

/* List the slots with less values than are asked for. Returns how many ranges they are. */
static size_t list_ranges(dvi_slot_range *ranges, const dvi_learned_table *table, int64_t least)
{
    const int64_t *counts = table->values[0];
    size_t n = 0;
    for (int32_t slot = 0; slot < table->rows; slot++) {
        if (counts[slot] >= least)
            continue;
        if (n > 0 && ranges[n - 1].last == slot - 1)
            ranges[n - 1].last = slot;
        else
            ranges[n++] = (dvi_slot_range){slot, slot};
    }
    return n;
}

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                      void *learned, dv_error *err)
{
    void *room;
    const dvi_learned_table *table = learned;
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    if (dv_type_value_count(type) != table->rows)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "slots as those learned from",
                        "%" PRId64 "|%d", table->rows, (int)dv_type_value_count(type));
    DVI_TRY(
        dvi_arena_alloc(arena, &room, ((size_t)table->rows / 2 + 1) * sizeof(dvi_slot_range), err));
    const dvi_dropslots_options options = {
        room, list_ranges(room, table, dv_step_integer(b->step, "count"))};
    return dvi_dropslots_plan(made, arena, b->schema, b->sources[0], &options, err);
}

const dvi_step_class dvi_class_selectcount = {.open = {.size = sizeof(dv_step_class),
                                                       .version = 1,
                                                       .begin = begin,
                                                       .free_learner = dvi_learned_table_free,
                                                       .see = see,
                                                       .merge = merge,
                                                       .finish = finish,
                                                       .free_learned = dvi_learned_table_free,
                                                       .tables = tables,
                                                       .show = show,
                                                       .load = load},
                                              .keys = DVI_KEYS_PASSED,
                                              .parts = &parts,
                                              .plan = plan,
                                              .need = need};
