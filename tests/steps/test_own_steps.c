/* SPDX-License-Identifier: MIT */
/* test_own_steps.c: steps of callers (step.h) work as those of the library, and a class that lacks
 * something is refused. */
#include "support/file.h"
#include "support/made_table.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/cursor_set.h>
#include <dataview/step.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 30000
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What is alive: learners, what was learned, buffers, memory of cursors. */
#define BATCH_ROWS 300 /* less than a chunk */
static atomic_int learners, learned_alive, buffers, memories;

/* --- A step that learns the greatest value of two columns, by any number of threads ----------- */

typedef struct greatest {
    int64_t value, place, rows;
} greatest;

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    for (int32_t i = 0; i < b->sources_count; i++)
        if (dv_schema_column(b->schema, b->sources[i])->type.kind != DV_KIND_I8)
            return dv_error_set(err, DV_ERR_ARGUMENT, "greatest takes I8");
    *learner_out = calloc(1, sizeof(greatest));
    if (!*learner_out)
        return DV_ERR_MEMORY;
    *(greatest *)*learner_out = (greatest){INT64_MIN, -1, 0};
    learners++;
    return DV_OK;
}

static void free_learner(void *learner)
{
    free(learner);
    learners--;
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    greatest *g = learner;
    (void)err;
    for (int32_t s = 0; s < 2; s++)
        for (int64_t i = 0; i < sources[s]->rows; i++) {
            const int64_t value = ((const int64_t *)sources[s]->as.fixed.values.data)[i];
            if (value > g->value)
                *g = (greatest){value, place + i, g->rows};
        }
    g->rows += sources[0]->rows;
    return DV_OK;
}

/* The last learner becomes the first one: all are freed, wherever they are. */
static dv_status merge(void **list, int32_t n, dv_error *err)
{
    greatest *g = list[n - 1];
    (void)err;
    list[n - 1] = list[0];
    list[0] = g;
    for (int32_t i = 1; i < n; i++) {
        const greatest *other = list[i];
        const int64_t rows = g->rows + other->rows;
        if (other->value > g->value || (other->value == g->value && other->place < g->place))
            *g = *other;
        g->rows = rows;
    }
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *b, dv_error *err)
{
    (void)b;
    (void)err;
    *learned_out = *learner;
    *learner = NULL;
    learners--;
    learned_alive++;
    return DV_OK;
}

static void free_learned(void *learned)
{
    free(learned);
    learned_alive--;
}

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *err)
{
    static const int32_t dims[2] = {1, 2};
    (void)b;
    (void)err;
    cr_expect_not_null(learned);
    *type_out = dv_type_tensor(dv_type_of(DV_KIND_I8), dims, 2);
    return DV_OK;
}

static dv_status describe(dv_schema *schema, int32_t column, const dv_step_binding *b,
                          void *learned, dv_error *err)
{
    static const int32_t end = 5;
    const dv_column_view unit = dvt_made_text(DV_KIND_TX, "metre", &end, 1);
    (void)b;
    (void)learned;
    return dv_schema_add_metadata(schema, column, dv_text_of("Unit"), &unit, err);
}

static void free_buffer(void *ctx)
{
    free(ctx);
    buffers--;
}

static dv_status wrap(dv_buffer *buffer, void *values, size_t nbytes, dv_error *err)
{
    const dv_status status =
        dv_buffer_wrap(buffer, values, nbytes, 8, free_buffer, values, NULL, err);
    if (status == DV_OK)
        buffers++;
    else
        free(values);
    return status;
}

/* The value less the greatest one, and the id of the row. */
static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    static _Thread_local dv_column_view items;
    const greatest *g = f->learned;
    int64_t *values = malloc((size_t)f->rows * 16);
    int32_t *dense = malloc((size_t)f->rows * 4);
    int *calls = f->memory;
    if (!values || !dense) {
        free(values);
        free(dense);
        return dv_error_set(err, DV_ERR_MEMORY, "no memory");
    }
    memories += (*calls)++ == 0;
    for (int64_t i = 0; i < f->rows; i++) {
        values[2 * i] = ((const int64_t *)f->sources[0]->as.fixed.values.data)[i] - g->value;
        values[2 * i + 1] = f->ids ? (int64_t)f->ids[i].lo : -1;
        dense[i] = -1;
    }
    items = (dv_column_view){dv_type_of(DV_KIND_I8), DV_LAYOUT_FIXED, 2 * f->rows, {{{0}}}};
    const dv_status status = wrap(&items.as.fixed.values, values, (size_t)f->rows * 16, err);
    if (status != DV_OK) {
        free(dense);
        return status;
    }
    out->layout = DV_LAYOUT_VECTOR;
    out->as.vector = (dv_vector_layout){.length = 2, .items = &items};
    const dv_status made = wrap(&out->as.vector.counts, dense, (size_t)f->rows * 4, err);
    if (made != DV_OK)
        dv_buffer_release(&items.as.fixed.values);
    return made;
}

static void release(void *memory)
{
    memories -= *(int *)memory > 0;
}

static const char *const others[] = {"also", NULL};
static const dv_step_option options[] = {
    {"also", "", "another column to learn from", DV_STEP_OPTION_TEXT, 0, 0, NULL},
    {"mode", "low", "unused", DV_STEP_OPTION_WORD, 0, 0, "low|high"}};
static const dv_transform_info info = {.name = "greatest",
                                       .ml_net = "",
                                       .summary = "Subtract the greatest value.",
                                       .columns = DV_STEP_COLUMNS_ONE,
                                       .options = options,
                                       .options_count = COUNT(options)};
static const dv_step_class class = {.size = sizeof(dv_step_class),
                                    .version = 1,
                                    .column_options = others,
                                    .begin = begin,
                                    .free_learner = free_learner,
                                    .see = see,
                                    .merge = merge,
                                    .finish = finish,
                                    .free_learned = free_learned,
                                    .type = type,
                                    .describe = describe,
                                    .fill = fill,
                                    .reads_ids = true,
                                    .memory = sizeof(int),
                                    .release = release,
                                    .batch_rows = BATCH_ROWS};

/* --- A step whose rows come in order ---------------------------------------------------------- */

static dv_status see_in_order(void *learner, const dv_column_view *const *sources, int64_t place,
                              dv_error *err)
{
    greatest *g = learner;
    if (place < g->place)
        return dv_error_set(err, DV_ERR_CORRUPT, "rows are not in order");
    g->place = place;
    g->rows += sources[0]->rows;
    for (int64_t i = 0; i < sources[0]->rows; i++) /* depends on the order */
        g->value = (int64_t)((uint64_t)g->value * 31 +
                             (uint64_t)((const int64_t *)sources[0]->as.fixed.values.data)[i]);
    return DV_OK;
}

static const char *const *digest_tables(const dv_step *step)
{
    static const char *const names[] = {"digests", NULL};
    (void)step;
    return names;
}

static dv_status show_digest(dv_view **table_out, void *what, int32_t table,
                             const dv_allocator *allocator, dv_error *err)
{
    const greatest *g = what;
    const dv_table_column column = {"Digest", dv_type_of(DV_KIND_I8), &g->value, NULL};
    (void)table;
    (void)allocator;
    return dv_table_create(table_out, &column, 1, 1, NULL, err);
}

static dv_status load_digest(void **learned_out, const dv_step *step, dv_view *const *list,
                             const dv_allocator *allocator, dv_error *err)
{
    (void)learned_out, (void)step, (void)list, (void)allocator;
    return dv_error_set(err, DV_ERR_CORRUPT, "not in this test");
}

static const dv_transform_info ordered_info = {.name = "digest",
                                               .ml_net = "",
                                               .summary = "Learn a digest of the rows.",
                                               .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class ordered_class = {.size = sizeof(dv_step_class),
                                            .version = 1,
                                            .in_order = true,
                                            .begin = begin,
                                            .free_learner = free_learner,
                                            .see = see_in_order,
                                            .finish = finish,
                                            .free_learned = free_learned,
                                            .tables = digest_tables,
                                            .show = show_digest,
                                            .load = load_digest,
                                            .type = type,
                                            .fill = fill,
                                            .memory = sizeof(int),
                                            .release = release};

/* --- A step that is a view -------------------------------------------------------------------- */

static dv_status skip(dv_view **view_out, const dv_step *step, void *const *learned,
                      dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    (void)learned;
    return dv_view_slice(view_out, source, dv_step_integer(step, "rows"), -1, allocator, err);
}

static const dv_step_option skip_options[] = {
    {"rows", "1", "rows to leave out", DV_STEP_OPTION_INTEGER, 0, 100, NULL}};
static const dv_transform_info skip_info = {.name = "skip",
                                            .ml_net = "",
                                            .summary = "Leave out the first rows.",
                                            .columns = DV_STEP_COLUMNS_NONE,
                                            .options = skip_options,
                                            .options_count = 1};
static const dv_step_class skip_class = {.size = sizeof(dv_step_class), .version = 3, .view = skip};

/* --- Tests ------------------------------------------------------------------------------------ */

/* Once in a process. */
static void add_steps(void)
{
    static bool is_done;
    dv_error err = DV_ERROR_INIT;
    if (is_done)
        return;
    is_done = true;
    cr_assert_eq(dv_step_register(&info, &class, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_step_register(&ordered_info, &ordered_class, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_step_register(&skip_info, &skip_class, &err), DV_OK, "%s", err.message);
}

/* Everything was given back. */
static void expect_all_freed(void)
{
    cr_expect_eq(learners, 0);
    cr_expect_eq(learned_alive, 0);
    cr_expect_eq(buffers, 0);
    cr_expect_eq(memories, 0);
}

TestSuite(own_steps, .init = add_steps, .fini = expect_all_freed);

static int64_t first[ROWS], second[ROWS];

/* Of block_rows rows in a chunk. */
static dv_view *table_of(dvt_made_table *table, int64_t block_rows)
{
    for (int i = 0; i < ROWS; i++) {
        first[i] = (i * 7919) % 10007;
        second[i] = i == 12345 ? 20000 : -i;
    }
    *table = (dvt_made_table){
        .columns = 2, .rows = ROWS, .block_rows = block_rows, .in_blocks = true, .bad_row = -1};
    table->column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), first, ROWS);
    table->column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I8), second, ROWS);
    return dvt_made_table_open(table, NULL);
}

static dv_status fit(dv_fitted **fitted_out, const char *text, dv_view *view, int32_t threads,
                     dv_error *err)
{
    dv_pipeline *pipeline;
    dv_fit_options how = DV_FIT_OPTIONS_INIT;
    how.threads = threads;
    *fitted_out = NULL;
    dv_status status = dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, err);
    if (status == DV_OK)
        status = dv_fit(fitted_out, pipeline, view, &how, NULL, err);
    dv_pipeline_release(&pipeline);
    return status;
}

/* Column "g" of the view: the values of `a` from row `skipped` on less 20,000, beside the ids. */
static void expect_column(dv_view *view, int64_t skipped)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    int32_t column;
    int64_t row = skipped;
    dv_status status;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("g"), &column), DV_OK);
    const dv_column_info *made = dv_schema_column(dv_view_schema(view), column);
    cr_expect_eq(made->type.rank, 2);
    cr_expect_eq(made->metadata_count, 1);
    how.columns = &column;
    how.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK) {
        cr_assert(batch->rows <= BATCH_ROWS);
        for (int64_t i = 0; i < batch->rows; i++, row++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            const dv_value less = dv_value_item(&value, 0), id = dv_value_item(&value, 1);
            cr_assert_eq(dv_value_i8(&less), first[row] - 20000);
            cr_assert_eq(dv_value_i8(&id), row);
        }
    }
    cr_expect_eq(status, DV_END);
    cr_expect_eq(row, ROWS);
    dv_cursor_close(&cursor);
    how.batch_rows = 2 * BATCH_ROWS; /* who asks gets what was asked for */
    cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(batch->rows, 2 * BATCH_ROWS);
    dv_cursor_close(&cursor);
}

Test(own_steps, learn_and_fill_as_any_step)
{
    static const int32_t threads[] = {1, 2, 5};
    dvt_made_table table;
    dv_view *source = table_of(&table, 1000), *view;
    dv_error err = DV_ERROR_INIT;
    for (size_t i = 0; i < COUNT(threads); i++) {
        dv_fitted *fitted;
        cr_assert_eq(
            fit(&fitted, "greatest g:a also=b mode=high; skip rows=3", source, threads[i], &err),
            DV_OK, "%s", err.message);
        cr_expect_eq(dv_fitted_inspect(fitted).rows, ROWS);
        cr_expect_eq(dv_fitted_inspect(fitted).passes, 1);
        cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s", err.message);
        dv_fitted_release(&fitted); /* the view keeps it */
        expect_column(view, 3);
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

/* Steps of the library learn in the same pass, or from what such a step makes. */
Test(own_steps, mix_with_others)
{
    dvt_made_table table;
    dv_view *source = table_of(&table, 1000), *view;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(fit(&fitted, "term k:b; greatest g:a also=b; term t:g", source, 2, &err), DV_OK,
                 "%s", err.message);
    cr_expect_eq(dv_fitted_inspect(fitted).passes, 2);
    cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s", err.message);
    expect_column(view, 0);
    dv_view_release(&view);
    dv_fitted_release(&fitted);
    dv_view_release(&source);
}

/* Many tasks see each batch at the same time, each of them in order; the same pass has others. */
Test(own_steps, rows_come_in_order)
{
    static const int32_t threads[] = {1, 2, 5};
    dvt_made_table table;
    dvt_lines want = {0};
    dv_view *source = table_of(&table, 700);
    for (size_t i = 0; i < COUNT(threads); i++) {
        dv_fitted *fitted;
        dvt_lines got = {0};
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(
            fit(&fitted, "digest p:a q:b r:a; term t:a; digest s:b", source, threads[i], &err),
            DV_OK, "%s", err.message);
        cr_expect_eq(dv_fitted_inspect(fitted).passes, 1);
        for (int32_t t = 0; t < dv_fitted_inspect(fitted).tables; t++) {
            dv_fitted_state state;
            cr_assert_eq(dv_fitted_table(&state, fitted, t, NULL), DV_OK);
            dvt_put_rows(&got, state.view, NULL, dvt_put_batch_by_value, NULL);
            dv_view_release(&state.view);
        }
        if (i == 0)
            dvt_lines_add(&want, got.data, got.nbytes);
        cr_expect_str_eq(got.data, want.data, "%d threads", (int)threads[i]);
        dvt_lines_free(&got);
        dv_fitted_release(&fitted);
    }
    dvt_lines_free(&want);
    dv_view_release(&source);
}

/* The error of the first task at fault, with its step. */
Test(own_steps, errors_of_dealt_tasks)
{
    dvt_made_table table;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_view *source = table_of(&table, 700);
    table.bad_row = 5000;
    cr_expect_eq(fit(&fitted, "digest p:a q:b; digest s:b", source, 3, &err), DV_ERR_CORRUPT);
    cr_expect_null(fitted);
    dv_view_release(&source);
}

Test(own_steps, are_in_the_list)
{
    const int32_t n = dv_transform_count();
    const dv_transform_info *last = dv_transform_at(n - 1), *before = dv_transform_at(n - 2);
    cr_assert_not_null(last);
    cr_expect_str_eq(last->name, "skip");
    cr_expect_str_eq(before->name, "digest");
    cr_expect_eq(last->number, n - 1);
    cr_expect_null(dv_transform_at(n));
    cr_expect_null(dv_transform_at(-1));
}

typedef struct refusal {
    const char *text, *says;
} refusal;

Test(own_steps, errors_name_step_option_and_column)
{
    static const refusal cases[] = {
        {"greatest g:a mode=other", "step 1, greatest: option \"mode\""},
        {"greatest g:a also=no", "there is no column \"no\""},
        {"skip rows=101", "an integer, 0 to 100"},
        {"term k:a; greatest g:k also=a", "step 2, greatest"},
    };
    dvt_made_table table;
    dv_view *source = table_of(&table, 1000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        dv_fitted *fitted;
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(fit(&fitted, cases[i].text, source, 1, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, cases[i].says), "%s: %s", cases[i].text, err.message);
    }
    dv_view_release(&source);
}

/* What has no tables is not saved, and no other fit has its identity. */
Test(own_steps, without_tables)
{
    dvt_made_table table;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.dvp");
    dv_view *source = table_of(&table, 1000), *views[2];
    dv_u128 ids[2];
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < 2; i++) {
        dv_fitted *fitted;
        cr_assert_eq(fit(&fitted, "greatest g:a also=b", source, 1, &err), DV_OK);
        cr_assert_eq(dv_fitted_apply(&views[i], fitted, source, NULL, &err), DV_OK);
        cr_expect_eq(dv_fitted_inspect(fitted).tables, 0);
        cr_expect_eq(dv_fitted_save(fitted, path.text, NULL, &err), DV_ERR_ARGUMENT);
        cr_assert_eq(dv_view_identity(views[i], &ids[i], &err), DV_OK);
        dv_fitted_release(&fitted);
    }
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dvt_folder_remove(&folder);
    cr_expect(ids[0].lo != ids[1].lo || ids[0].hi != ids[1].hi);
    dv_view_release(&views[0]);
    dv_view_release(&views[1]);
    dv_view_release(&source);
}

static dv_status use(const void *what, const dv_allocator *allocator, const dv_cursor_options *how,
                     dvt_lines *lines, dv_error *err)
{
    dvt_made_table table;
    dv_pipeline *pipeline;
    dv_fitted *fitted = NULL;
    dv_view *source = table_of(&table, ROWS), *view = NULL;
    dv_fit_options fit_options = DV_FIT_OPTIONS_INIT;
    fit_options.threads = 1;
    dv_status status = dv_pipeline_parse(&pipeline, dv_text_of(what), allocator, err);
    if (status == DV_OK)
        status = dv_fit(&fitted, pipeline, source, &fit_options, allocator, err);
    if (status == DV_OK)
        status = dv_fitted_apply(&view, fitted, source, allocator, err);
    dv_pipeline_release(&pipeline);
    dv_fitted_release(&fitted);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, how, lines, err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(own_steps, each_allocation_may_fail)
{
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    how.take = 14;
    how.threads = 1;
    dvt_fail_each_allocation(use, "greatest g:a also=b; skip rows=2", "greatest", &how);
}

typedef struct fault {
    const char *says;
    void (*spoil)(dv_transform_info *info, dv_step_class *cls);
} fault;

#define SPOIL(name, change)                                                                        \
    static void name(dv_transform_info *i, dv_step_class *c)                                       \
    {                                                                                              \
        (void)i, (void)c;                                                                          \
        change;                                                                                    \
    }
static const dv_step_option no_kind[] = {{"x", "", "", (dv_step_option_kind)9, 0, 0, NULL}};
static const dv_step_option no_value[] = {{"x", "7", "", DV_STEP_OPTION_INTEGER, 0, 5, NULL}};
static const dv_step_option no_words[] = {{"x", "", "", DV_STEP_OPTION_WORD, 0, 0, NULL}};
static const dv_step_option no_name[] = {{"a b", "", "", DV_STEP_OPTION_TEXT, 0, 0, NULL}};
SPOIL(taken, i->name = "term")
SPOIL(blank, i->name = "a b")
SPOIL(unnamed, i->name = NULL)
SPOIL(silent, i->summary = NULL)
SPOIL(formless, i->columns = (dv_step_columns)7)
SPOIL(kindless, i->options = no_kind; i->options_count = 1)
SPOIL(worthless, i->options = no_value; i->options_count = 1)
SPOIL(wordless, i->options = no_words; i->options_count = 1)
SPOIL(nameless, i->options = no_name; i->options_count = 1)
SPOIL(older, c->size -= 8)
SPOIL(unversioned, c->version = 0)
SPOIL(lazy, c->fill = NULL)
SPOIL(torn, c->view = skip)
SPOIL(blind, c->see = NULL)
SPOIL(alone, c->merge = NULL)
SPOIL(leaking, c->free_learned = NULL)
SPOIL(columnless, i->columns = DV_STEP_COLUMNS_NONE)

Test(own_steps, classes_that_lack_something)
{
    static const fault faults[] = {
        {"name already", taken},           {"letters, digits", blank},
        {"without a name", unnamed},       {"a summary", silent},
        {"form of columns", formless},     {"of no kind", kindless},
        {"an integer, 0 to 5", worthless}, {"without them", wordless},
        {"letters, digits", nameless},     {"another version", older},
        {"`version`", unversioned},        {"type and fill, or view", lazy},
        {"neither type nor fill", torn},   {"see and finish", blind},
        {"merge, or in_order", alone},     {"free_learned", leaking},
        {"needs `view`", columnless}};
    const int32_t before = dv_transform_count();
    for (size_t i = 0; i < COUNT(faults); i++) {
        dv_transform_info bad_info = info;
        dv_step_class bad = class;
        dv_error err = DV_ERROR_INIT;
        bad_info.name = "spoilt";
        faults[i].spoil(&bad_info, &bad);
        cr_expect_eq(dv_step_register(&bad_info, &bad, &err), DV_ERR_ARGUMENT, "%d", (int)i);
        cr_expect(strstr(err.message, faults[i].says), "%s", err.message);
    }
    cr_expect_eq(dv_transform_count(), before);
}
