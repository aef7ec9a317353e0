/* SPDX-License-Identifier: MIT */
/* step_selectmi.c: selectmi, which keeps the slots, of all its columns, that tell most of a label.
 */
#include "base/arena.h"
#include "base/check.h"
#include "steps/step_class.h"
#include "transform/information.h"
#include "transform/tf_dropslots.h"
#include <inttypes.h>
#include <stdlib.h>

/* --- Learning --------------------------------------------------------------------------------- */

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    dvi_information *learner;
    if (b->sources_count < 2)
        return dvi_fail_argument(err, "slots are scored by labels: set \"label\"");
    DVI_TRY(dvi_information_create(&learner, &dv_schema_column(b->schema, b->sources[0])->type,
                                   &dv_schema_column(b->schema, b->sources[1])->type,
                                   dv_step_integer(b->step, "bins"), b->allocator, err));
    *learner_out = learner;
    return DV_OK;
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    (void)place;
    return dvi_information_see(learner, sources, err);
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *b, dv_error *err)
{
    dvi_learned_table *table;
    (void)b;
    DVI_TRY(dvi_information_finish(*learner, &table, err));
    *learned_out = table;
    return DV_OK;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"scores", NULL};
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
    DVI_TRY(dvi_learned_load(&table, &dvi_scores, list[0], DVI_LEARNED_SLOTS, allocator, err));
    const float *scores = table->values[0];
    for (int64_t i = 0; i < table->rows; i++)
        if (scores[i] != scores[i]) {
            dvi_learned_table_free(table);
            return dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT14", -1, "score of a slot",
                            "a number|NaN in row %" PRId64, i);
        }
    *learned_out = table;
    return DV_OK;
}

/* --- Choosing --------------------------------------------------------------------------------- */

/* A slot is kept if its score is above `least`, or equal to it while there is room. */
typedef struct choice {
    float least;
    int64_t room;
} choice;

static int compare_scores(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x > y ? -1 : x < y;
}

static dv_status choose(choice *c, const dv_step *step, void *const *learned, dvi_arena *arena,
                        dv_error *err)
{
    void *room;
    size_t n = 0;
    const size_t most = (size_t)dv_step_integer(step, "slots");
    for (int32_t k = 0; k < step->columns_count; k++)
        n += (size_t)((const dvi_learned_table *)learned[k])->rows;
    DVI_TRY(dvi_arena_alloc(arena, &room, n * sizeof(float), err));
    float *scores = room;
    n = 0;
    for (int32_t k = 0; k < step->columns_count; k++) {
        const dvi_learned_table *table = learned[k];
        for (int64_t i = 0; i < table->rows; i++)
            if (((const float *)table->values[0])[i] > 0)
                scores[n++] = ((const float *)table->values[0])[i];
    }
    *c = (choice){0, 0};
    if (n <= most)
        return DV_OK;
    qsort(scores, n, sizeof *scores, compare_scores);
    c->least = scores[most - 1];
    c->room = (int64_t)most;
    for (size_t i = 0; i < n && scores[i] > c->least; i++)
        c->room--;
    return DV_OK;
}

static bool keeps(choice *c, float score)
{
    if (score == c->least && c->room > 0) {
        c->room--;
        return true;
    }
    return score > c->least;
}

/* --- Applying --------------------------------------------------------------------------------- */

static const dv_view_class columns_class = DVI_MAPPER_CLASS("selectmi", NULL, NULL);

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_schema *schema,
                      const dvi_step_column *column, const dvi_learned_table *table, choice *c,
                      dv_error *err)
{
    int32_t source;
    void *room;
    DVI_TRY(dvi_find_column(schema, column->sources[0], &source, err));
    const int32_t slots = dv_type_value_count(&dv_schema_column(schema, source)->type);
    if (slots != table->rows)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "slots as those learned from",
                        "%" PRId64 "|%d", table->rows, (int)slots);
    DVI_TRY(dvi_arena_alloc(arena, &room, (size_t)slots * sizeof(dvi_slot_range), err));
    dvi_slot_range *ranges = room;
    size_t n = 0;
    for (int32_t slot = 0; slot < slots; slot++)
        if (!keeps(c, ((const float *)table->values[0])[slot]))
            ranges[n++] = (dvi_slot_range){slot, slot};
    const dvi_dropslots_options options = {ranges, n};
    made->name = column->name;
    made->hides = -1;
    return dvi_dropslots_plan(made, arena, schema, source, &options, err);
}

static dv_status plan_all(dvi_mapper *mapper, dv_schema **schema_out, const dv_step *step,
                          void *const *learned, dv_error *err)
{
    choice c;
    void *list;
    dvi_arena *arena = &mapper->base.arena;
    DVI_TRY(
        dvi_arena_alloc(arena, &list, (size_t)step->columns_count * sizeof(dvi_new_column), err));
    DVI_TRY(choose(&c, step, learned, arena, err));
    for (int32_t k = 0; k < step->columns_count; k++)
        DVI_TRY(plan((dvi_new_column *)list + k, arena, dv_view_schema(mapper->base.source),
                     &step->columns[k], learned[k], &c, err));
    return dvi_mapper_arrange(mapper, schema_out, list, step->columns_count, err);
}

static dv_status view(dv_view **view_out, const dv_step *step, void *const *learned,
                      dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    DVI_TRY(dvi_mapper_create(&mapper, source, step->columns_count, allocator, err));
    const dv_status status = plan_all(mapper, &schema, step, learned, err);
    return dvi_mapper_view(view_out, &columns_class, mapper, schema, status, err);
}

static const char *const column_options[] = {"label", NULL};

const dvi_step_class dvi_class_selectmi = {.open = {.size = sizeof(dv_step_class),
                                                    .version = 1,
                                                    .column_options = column_options,
                                                    .in_order = true,
                                                    .begin = begin,
                                                    .free_learner = dvi_information_free,
                                                    .see = see,
                                                    .finish = finish,
                                                    .free_learned = dvi_learned_table_free,
                                                    .tables = tables,
                                                    .show = show,
                                                    .load = load,
                                                    .view = view,
                                                    .adds_columns = true},
                                           .keys = DVI_KEYS_PASSED};
