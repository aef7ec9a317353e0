/* SPDX-License-Identifier: MIT */
/* test_tf_chain.c: columns that one step makes of the column of another step. */
#include "view/identity.h"
#include "support/allocator.h"
#include "support/json_table.h"
#include "support/planned.h"
#include "support/test.h"
#include "transform/tf_chain.h"
#include "transform/tf_convert_priv.h"
#include "transform/tf_key_vector.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Steps ------------------------------------------------------------------------------------ */

typedef struct to_kind {
    dvi_conversion conversion;
    int32_t column;
} to_kind;

/* Keys of the width of U4. Keys that have it are lent. Vectors keep the buffers of the source. */
static dv_status plan_u4(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         int32_t column, const void *options, dv_error *err)
{
    void *room;
    const dv_type *type = &dv_schema_column(source, column)->type;
    const dv_type from = dv_type_item(type);
    dv_type to = from;
    (void)options;
    to.kind = DV_KIND_U4;
    const dv_status status = dvi_arena_alloc(arena, &room, sizeof(to_kind), err);
    if (status < 0)
        return status;
    to_kind *t = room;
    t->column = column;
    cr_assert_eq(dvi_conversion_find(&t->conversion, &from, &to), DV_OK);
    column_out->type = *type;
    column_out->type.kind = DV_KIND_U4;
    column_out->mapped =
        (dvi_mapped){dvi_convert_maker(&t->conversion), &t->conversion, &t->column, 1};
    return DV_OK;
}

static dv_status plan_same(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                           int32_t column, const void *options, dv_error *err)
{
    void *room;
    (void)options;
    const dv_status status = dvi_arena_alloc(arena, &room, sizeof column, err);
    if (status < 0)
        return status;
    *(int32_t *)room = column;
    column_out->type = dv_schema_column(source, column)->type;
    column_out->mapped = (dvi_mapped){&dvi_same_column, NULL, room, 1};
    return DV_OK;
}

/* A chain of these steps, NULL at the end. */
typedef struct steps {
    dvi_plan *plan[5];
    dvi_key_vector_options options;
} steps;

static dv_status plan_steps(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                            int32_t column, const void *options, dv_error *err)
{
    const steps *s = options;
    dv_status status = s->plan[0](column_out, arena, source, column, &s->options, err);
    for (int i = 1; s->plan[i] && status == DV_OK; i++) {
        const dvi_new_column inner = *column_out;
        status = dvi_chain_plan(column_out, arena, source, &inner, s->plan[i], &s->options, err);
    }
    return status;
}

static const steps chains[] = {
    {{plan_u4, dvi_key_vector_plan}, {false}},
    {{plan_u4, dvi_key_vector_plan, plan_same}, {false}},
    {{plan_same, plan_u4, dvi_key_vector_plan}, {false}},
    {{plan_u4, plan_same, plan_same, dvi_key_vector_plan}, {false}},
};

/* --- The same as the steps one by one --------------------------------------------------------- */

#define ONE "\"r4:3f800000\""

static const char scalars[] =
    "{\"rows\":0,\"columns\":[{\"name\":\"A\",\"type\":\"U1[0-1]\",\"metadata\":{\"KeyValues\":"
    "{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,\"dense\":[\"x\",\"y\"]}}}}]}\n[1]\n[0]\n[2]\n[3]"
    "\n";
static const char scalars_truth[] =
    "{\"rows\":4,\"columns\":[{\"name\":\"B\",\"type\":\"V<R4,2>\",\"metadata\":{\"SlotNames\":"
    "{\"type\":\"V<TX,2>\",\"value\":{\"len\":2,\"dense\":[\"x\",\"y\"]}},"
    "\"CategoricalSlotRanges\":{\"type\":\"V<I4,1,2>\",\"value\":{\"len\":2,\"dense\":[0,1]}},"
    "\"IsNormalized\":{\"type\":\"BL\",\"value\":true}}}]}\n"
    "[{\"len\":2,\"idx\":[0],\"val\":[" ONE "]}]\n[{\"len\":2,\"idx\":[],\"val\":[]}]\n"
    "[{\"len\":2,\"idx\":[1],\"val\":[" ONE "]}]\n[{\"len\":2,\"idx\":[],\"val\":[]}]\n";
static const char vectors[] =
    "{\"rows\":0,\"columns\":[{\"name\":\"A\",\"type\":\"V<U4[0-1],*>\",\"metadata\":{}}]}\n"
    "[{\"len\":2,\"dense\":[1,2]}]\n[{\"len\":0,\"dense\":[]}]\n"
    "[{\"len\":5,\"idx\":[3],\"val\":[2]}]\n[{\"len\":1,\"dense\":[0]}]\n";
static const char vectors_truth[] =
    "{\"rows\":4,\"columns\":[{\"name\":\"B\",\"type\":\"V<R4,*,2>\",\"metadata\":{"
    "\"IsNormalized\":{\"type\":\"BL\",\"value\":true}}}]}\n"
    "[{\"len\":4,\"idx\":[0,3],\"val\":[" ONE "," ONE "]}]\n[{\"len\":0,\"dense\":[]}]\n"
    "[{\"len\":10,\"idx\":[7],\"val\":[" ONE "]}]\n[{\"len\":2,\"idx\":[],\"val\":[]}]\n";

Test(tf_chain, is_the_steps_one_by_one)
{
    for (size_t i = 0; i < COUNT(chains); i++) {
        const dvt_planned_case of_scalars = {"scalars", plan_steps, &chains[i], scalars,
                                             scalars_truth};
        const dvt_planned_case of_vectors = {"vectors", plan_steps, &chains[i], vectors,
                                             vectors_truth};
        dvt_check_planned(&of_scalars);
        dvt_check_planned(&of_vectors);
    }
}

/* What the outer step refuses is refused with its error. */
Test(tf_chain, is_refused_by_the_outer_step)
{
    static const steps chain = {{plan_same, dvi_key_vector_plan}, {false}};
    static const char numbers[] =
        "{\"rows\":0,\"columns\":[{\"name\":\"A\",\"type\":\"U4\",\"metadata\":{}}]}\n[1]\n";
    const dvt_planned_case one = {"numbers", plan_steps, &chain, numbers, NULL};
    dvt_check_planned(&one);
}

/* A chain whose steps all lend is the source's column itself. */
Test(tf_chain, lends_if_all_steps_do)
{
    static const steps chain = {{plan_same, plan_same}, {false}};
    static dvt_json_table table;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.zero_copy_only = true;
    dvt_json_table_read(&table, scalars);
    dv_view *source = dvt_made_table_open(&table.made, NULL);
    cr_assert_eq(dvt_planned_view(&view, source, plan_steps, &chain, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(dv_batch_column(batch, 1)->as.fixed.values.data,
                 table.made.column[0].as.fixed.values.data);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    dvt_json_table_free(&table);
}

static dv_u128 identity_of(dv_view *source, const steps *chain)
{
    dv_view *view;
    dv_u128 identity;
    cr_assert_eq(dvt_planned_view(&view, source, plan_steps, chain, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_view_identity(view, false, &identity, NULL), DV_OK);
    dv_view_release(&view);
    return identity;
}

/* The identities of chains that differ in a step or in its options differ. */
Test(tf_chain, is_identified_by_its_steps)
{
    static const steps different[] = {
        {{plan_u4, dvi_key_vector_plan}, {false}},
        {{plan_u4, dvi_key_vector_plan}, {true}},
        {{plan_same, dvi_key_vector_plan}, {false}},
        {{dvi_key_vector_plan, plan_same}, {false}},
    };
    static dvt_json_table table;
    dv_u128 identity[COUNT(different)];
    dvt_json_table_read(&table, scalars);
    dv_view *source = dvt_made_table_open(&table.made, NULL);
    for (size_t i = 0; i < COUNT(different); i++) {
        identity[i] = identity_of(source, &different[i]);
        cr_expect_eq(identity_of(source, &different[i]).lo, identity[i].lo);
        for (size_t k = 0; k < i; k++)
            cr_expect_neq(identity[i].lo, identity[k].lo, "%d and %d", (int)i, (int)k);
    }
    dv_view_release(&source);
    dvt_json_table_free(&table);
}

/* After the first batches of one size, further ones allocate nothing: the batch in between holds
 * no buffer that a step wants to use again. */
Test(tf_chain, allocates_nothing_per_batch)
{
    enum { ROWS = 4000 };
    static uint8_t values[ROWS];
    for (int i = 0; i < ROWS; i++)
        values[i] = (uint8_t)(i % 5);
    for (size_t i = 0; i < COUNT(chains); i++) {
        dvt_allocator counted;
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        int64_t rows = 0, asked = 0;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_made_table table = {.columns = 1, .rows = ROWS, .block_rows = 50, .bad_row = -1};
        table.name[0] = "A";
        table.column[0] = dvt_made_fixed(dv_type_key(DV_KIND_U1, 0, 4), values, ROWS);
        dvt_allocator_init(&counted, 0);
        dv_view *source = dvt_made_table_open(&table, &counted.allocator);
        cr_assert_eq(
            dvt_planned_view(&view, source, plan_steps, &chains[i], &counted.allocator, NULL),
            DV_OK);
        options.threads = 1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
            rows += batch->rows;
            asked = rows <= 400 ? counted.asked : asked;
        }
        cr_expect_eq(rows, ROWS);
        cr_expect_eq(counted.asked, asked, "chain %d", (int)i);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
        cr_expect_eq(counted.live, 0);
    }
}
