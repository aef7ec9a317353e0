/* SPDX-License-Identifier: MIT */
/* test_random_pipes.c: pipelines of one to eight steps of all kinds on tables of all types make
 * what their steps make one by one, however they are fitted, kept, read and spread over threads.
 *
 * DV_RANDOM_PIPES: how many tables; without it a few. */
#include "support/drawn_pipe.h"
#include "support/file.h"
#include "support/golden.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/random_table.h"
#include "support/relayout.h"
#include "support/same_table.h"
#include "support/saved.h"
#include "support/test.h"
#include "support/usual_table.h"
#include <dataview/cache.h>
#include <dataview/cursor_set.h>
#include <dataview/epoch.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TABLES_OF_ALL 200 /* are enough for nearly every kind of step, */
#define TABLES_MORE 40    /* and so many more for one that suited none of them */
#ifdef DVT_SANITIZED      /* slow; that every kind is drawn is seen elsewhere */
#define TABLES 30
#else
#define TABLES TABLES_OF_ALL
#endif
#define STEPS 8
#define SLOTS_MAX 5000 /* of a vector that another step reads */

/* --- What a view is --------------------------------------------------------------------------- */

static void put_ids(dvt_lines *lines, const dv_batch *batch)
{
    for (int64_t i = 0; i < batch->rows; i++)
        dvt_lines_print(lines, "%016llx%016llx\n", (unsigned long long)batch->ids[i].hi,
                        (unsigned long long)batch->ids[i].lo);
}

/* Rows first..end-1 with a header, and their ids. */
typedef struct shown {
    dvt_lines table, ids;
} shown;

static void free_shown(shown *s)
{
    dvt_lines_free(&s->table);
    dvt_lines_free(&s->ids);
}

static shown show(dv_view *view, int64_t first, int64_t end, int64_t batch_rows, int32_t threads)
{
    shown s = {{0}, {0}};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = dvt_all_columns(view);
    options.ids = true;
    options.first_row = first;
    options.end_row = end;
    options.batch_rows = batch_rows;
    options.threads = threads;
    dv_status status = dvt_put_header(&s.table, view, &options, dvt_put_metadata_by_value, &err);
    if (status == DV_OK && options.columns_count > 0)
        status = dvt_put_rows(&s.table, view, &options, dvt_put_batch_by_value, &err);
    if (status == DV_OK)
        status = dvt_put_rows(&s.ids, view, &options, put_ids, &err);
    cr_assert_eq(status, DV_OK, "%s", err.message);
    dvt_lines_add(&s.ids, "", 0);
    dvt_all_columns_free(&options);
    return s;
}

/* A vector may be dense in one where it is sparse in the other. */
static void expect_same(const shown *want, const shown *got, const char *how, const char *pipeline,
                        uint64_t seed)
{
    char message[DVT_MESSAGE_NBYTES] = "";
    cr_expect(dvt_golden_compare(dvt_lines_text(&want->table), dvt_lines_text(&got->table),
                                 DVT_MAPPING_LOGICAL, message),
              "seed %llu, %s\n%s: %s", (unsigned long long)seed, pipeline, how, message);
    cr_expect(dvt_lines_difference(&want->ids, &got->ids)[0] == '\0', "seed %llu, %s\n%s, ids: %s",
              (unsigned long long)seed, pipeline, how, dvt_lines_difference(&want->ids, &got->ids));
}

static void expect_view(const shown *want, dv_view *view, int64_t batch_rows, int32_t threads,
                        const char *how, const char *pipeline, uint64_t seed)
{
    shown got = show(view, 0, -1, batch_rows, threads);
    expect_same(want, &got, how, pipeline, seed);
    free_shown(&got);
}

/* --- Drawing ---------------------------------------------------------------------------------- */

/* A pipeline that suits a table, and what its steps make one by one. */
typedef struct drawn {
    dvt_lines text;
    dv_view *stepped; /* each step fitted on the view that those before it make */
    int32_t steps;
    bool numbers_rows; /* steps whose result depends on the ids of rows */
} drawn;

static bool is_small(const dv_view *view)
{
    const dv_schema *schema = dv_view_schema(view);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        if (dv_schema_column(schema, i)->type.size > SLOTS_MAX)
            return false;
    return dv_schema_columns(schema) < 30;
}

/* Rows can be read: a step may find out only then what it does not take. */
static bool reads(dv_view *view)
{
    dvt_lines lines = {0};
    dv_cursor_options options = dvt_all_columns(view);
    const dv_status status = dvt_put_rows(&lines, view, &options, dvt_put_batch_by_value, NULL);
    const bool is_small_text = lines.nbytes < 1 << 20;
    dvt_all_columns_free(&options);
    dvt_lines_free(&lines);
    return status == DV_OK && is_small_text;
}

/* Add a step of that kind if it suits the view. */
static bool try_step(drawn *d, const dv_transform_info *info, uint64_t *state)
{
    dvt_lines step = {0};
    dv_view *made;
    dvt_draw_step(&step, info, dv_view_schema(d->stepped), state);
    bool suits = dv_view_pipe(&made, d->stepped, dvt_lines_text(&step), NULL, NULL, NULL) == DV_OK;
    if (suits && (!is_small(made) || !reads(made))) {
        suits = false;
        dv_view_release(&made);
    }
    if (suits) {
        dv_view_release(&d->stepped);
        d->stepped = made;
        dvt_lines_print(&d->text, "%s", d->steps++ > 0 ? "; " : "");
        dvt_lines_add(&d->text, step.data, step.nbytes);
        d->numbers_rows |= strcmp(info->name, "rowid") == 0;
    }
    dvt_lines_free(&step);
    return suits;
}

/* The steps of the library. A test may add steps of its own, which are not drawn. */
static int32_t kinds;

/* kind: of one step, at a drawn place, unless it suits nothing. seen: counted by kinds. */
static drawn draw(dv_view *source, int32_t kind, int64_t *seen, uint64_t *state)
{
    drawn d = {.stepped = source};
    const int32_t steps = 1 + (int32_t)(dvt_draw(state) % STEPS);
    const int32_t place = (int32_t)(dvt_draw(state) % (uint64_t)steps);
    dv_view_retain(source);
    for (int32_t i = 0; i < steps; i++) {
        bool is_added = false;
        for (int tries = 0; !is_added && tries < 60; tries++) {
            const int32_t chosen =
                i == place && tries < 50 ? kind : (int32_t)(dvt_draw(state) % (uint64_t)kinds);
            is_added = try_step(&d, dv_transform_at(chosen), state);
            seen[chosen] += is_added;
        }
    }
    if (d.steps == 0)
        dvt_lines_print(&d.text, " ");
    return d;
}

/* --- Ways to make it -------------------------------------------------------------------------- */

static dv_fitted *fit(const drawn *d, dv_view *source, int32_t threads)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dvt_lines_text(&d->text), NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_fit(&fitted, pipeline, source, &options, NULL, &err), DV_OK, "%s: %s",
                 d->text.data, err.message);
    dv_pipeline_release(&pipeline);
    return fitted;
}

static dv_view *apply(dv_fitted *fitted, dv_view *source)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static void check_fits(const drawn *d, dv_view *source, const shown *want, uint64_t seed)
{
    static const int32_t threads[] = {2, 5};
    for (size_t i = 0; i < COUNT(threads); i++) {
        dv_fitted *fitted = fit(d, source, threads[i]);
        dv_view *view = apply(fitted, source);
        dv_fitted_release(&fitted);
        expect_view(want, view, 0, 1, "several threads fit", d->text.data, seed);
        dv_view_release(&view);
    }
}

static void check_saved(dv_fitted *fitted, const drawn *d, dv_view *source, const dvt_path *path,
                        const shown *want, uint64_t seed)
{
    dv_fitted *opened;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_fitted_save(fitted, path->text, NULL, &err);
    if (status == DV_ERR_LOSS) /* terms of a type that .idv does not have */
        return;
    cr_assert_eq(status, DV_OK, "%s: %s", d->text.data, err.message);
    cr_assert_eq(dv_fitted_open(&opened, path->text, NULL, &err), DV_OK, "seed %llu, %s: %s",
                 (unsigned long long)seed, d->text.data, err.message);
    dv_view *view = apply(opened, source);
    dv_fitted_release(&opened);
    expect_view(want, view, 0, 1, "saved and opened", d->text.data, seed);
    dv_view_release(&view);
}

/* Each step on a table in memory that those before it made.  Ids of rows are then new. */
static void check_materialized(const drawn *d, dv_view *source, dv_view *whole, uint64_t seed)
{
    dv_pipeline *pipeline;
    dv_view *view = source, *made;
    dv_error err = DV_ERROR_INIT;
    dv_view_retain(view);
    cr_assert_eq(dv_pipeline_parse(&pipeline, dvt_lines_text(&d->text), NULL, &err), DV_OK);
    for (int32_t i = 0; i < dv_pipeline_steps(pipeline); i++) {
        dvt_lines step = {0};
        const dv_sink sink = dvt_lines_sink(&step);
        cr_assert(dv_pipeline_write_step(pipeline, i, &sink));
        cr_assert_eq(dv_view_pipe(&made, view, dvt_lines_text(&step), NULL, NULL, &err), DV_OK,
                     "%s: %s", step.data, err.message);
        dv_view_release(&view);
        dv_cursor_options all = dvt_all_columns(made);
        dv_materialize_options options = DV_MATERIALIZE_OPTIONS_INIT;
        options.cursor = &all;
        cr_assert_eq(dv_view_materialize(&view, made, &options, NULL, &err), DV_OK, "%s: %s",
                     step.data, err.message);
        dvt_all_columns_free(&all);
        dv_view_release(&made);
        dvt_lines_free(&step);
    }
    const char *difference = dvt_table_difference(whole, view, 0);
    cr_expect(!difference, "seed %llu, %s\nin memory between: %s", (unsigned long long)seed,
              d->text.data, difference);
    dv_view_release(&view);
    dv_pipeline_release(&pipeline);
}

/* The same rows, whose vectors have another layout; it is fitted anew.  Marks of `chars` stand
 * between items that are stored (semantics:7.17), sums of lpnorm and gcn are of these, and so are
 * the most frequent values. */
static void check_layouts(const drawn *d, dv_view *source, const shown *want, uint64_t seed)
{
    static const char *const by_layout[] = {"chars ", "lpnorm ", "gcn ", "mode=mode"};
    for (size_t i = 0; i < COUNT(by_layout); i++)
        if (strstr(d->text.data, by_layout[i]))
            return;
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        dv_view_retain(source);
        dv_view *form = dvt_relayout(source, is_dense);
        dv_fitted *fitted = fit(d, form, 1);
        dv_view *view = apply(fitted, form);
        expect_view(want, view, 0, 1, is_dense ? "dense vectors" : "sparse vectors", d->text.data,
                    seed);
        dv_view_release(&view);
        dv_fitted_release(&fitted);
        dv_view_release(&form);
    }
}

/* --- Ways to read it -------------------------------------------------------------------------- */

static void check_batches(const drawn *d, dv_view *whole, const shown *want, uint64_t seed,
                          uint64_t *state)
{
    static const int64_t sizes[] = {1, 3, 64};
    for (size_t i = 0; i < COUNT(sizes); i++)
        expect_view(want, whole, sizes[i], 1 + (int32_t)i, "batches", d->text.data, seed);
    const int64_t first = 1 + (int64_t)(dvt_draw(state) % 20),
                  end = first + (int64_t)(dvt_draw(state) % 20);
    shown part = show(whole, first, end, 0, 1), again = show(d->stepped, first, end, 2, 2);
    expect_same(&part, &again, "a range of rows", d->text.data, seed);
    free_shown(&part);
    free_shown(&again);
}

#define CHUNKS_MAX 4096

/* Take the rows and ids of a set chunk by chunk. */
static void read_set(shown *got, dv_view *view, const dv_cursor_options *options)
{
    dv_cursor *cursors[3];
    int32_t n;
    dv_error err = DV_ERROR_INIT;
    shown *chunks = calloc(CHUNKS_MAX, sizeof *chunks);
    cr_assert_eq(dv_cursor_set_open(cursors, 3, &n, view, options, &err), DV_OK, "%s", err.message);
    for (int32_t i = 0; i < n; i++) {
        const dv_batch *batch;
        while (dv_cursor_next(cursors[i], &batch, &err) == DV_OK) {
            cr_assert_lt(dv_batch_chunk(batch), CHUNKS_MAX);
            if (batch->columns > 0)
                dvt_put_batch_by_value(&chunks[dv_batch_chunk(batch)].table, batch);
            put_ids(&chunks[dv_batch_chunk(batch)].ids, batch);
        }
        dv_cursor_close(&cursors[i]);
    }
    for (int i = 0; i < CHUNKS_MAX; i++) {
        dvt_lines_add(&got->table, chunks[i].table.data, chunks[i].table.nbytes);
        dvt_lines_add(&got->ids, chunks[i].ids.data, chunks[i].ids.nbytes);
        free_shown(&chunks[i]);
    }
    free(chunks);
}

static void check_cursor_set(const drawn *d, dv_view *whole, const shown *want, uint64_t seed)
{
    shown got = {{0}, {0}};
    dv_cursor_options options = dvt_all_columns(whole);
    options.ids = true;
    cr_assert_eq(dvt_put_header(&got.table, whole, &options, dvt_put_metadata_by_value, NULL),
                 DV_OK);
    read_set(&got, whole, &options);
    dvt_lines_add(&got.ids, "", 0);
    expect_same(want, &got, "a cursor set", d->text.data, seed);
    dvt_all_columns_free(&options);
    free_shown(&got);
}

static void check_views_of_it(const drawn *d, dv_view *whole, uint64_t seed)
{
    dv_view *cached, *mine, *other;
    dv_error err = DV_ERROR_INIT;
    dv_epoch_options shuffled = DV_EPOCH_OPTIONS_INIT;
    cr_assert_eq(dv_view_cache(&cached, whole, NULL, NULL, &err), DV_OK, "%s", err.message);
    for (int i = 0; i < 2; i++) { /* as it is filled, and from it */
        const char *difference = dvt_table_difference(whole, cached, 3);
        cr_expect(!difference, "seed %llu, %s\ncached: %s", (unsigned long long)seed, d->text.data,
                  difference);
    }
    dv_view_release(&cached);
    shuffled.shuffle = DV_SHUFFLE_POOL;
    shuffled.seed = seed;
    shuffled.pool_rows = 7;
    shuffled.block_rows = 3;
    cr_assert_eq(dv_view_epoch(&mine, whole, &shuffled, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_epoch(&other, d->stepped, &shuffled, NULL, &err), DV_OK);
    shown a = show(mine, 0, -1, 0, 1), b = show(other, 0, -1, 5, 2);
    expect_same(&a, &b, "shuffled", d->text.data, seed);
    free_shown(&a);
    free_shown(&b);
    dv_view_release(&mine);
    dv_view_release(&other);
}

/* --- Tests ------------------------------------------------------------------------------------ */

/* The random columns, beside some that suit many steps; every other table. */
static dv_view *with_usual_columns(dv_view *random)
{
    dv_view *usual = dvt_usual_table_open(), *both[2], *zipped;
    both[0] = random;
    both[1] = usual;
    cr_assert_eq(dv_view_zip(&zipped, both, 2, NULL, NULL), DV_OK);
    dv_view_release(&usual);
    dv_view_release(&random);
    return zipped;
}

/* kind: of a step that is tried first. */
static void check(uint64_t seed, int32_t kind, const dvt_path *path, int64_t *seen)
{
    uint64_t state = seed * 77 + 1;
    dvt_random_table *random = dvt_random_table_create(seed);
    random->table.rows_unknown = seed % 3 == 0;
    dv_view *source = dvt_made_table_open(&random->table, NULL);
    if (seed % 2)
        source = with_usual_columns(source);
    if (seed % 4 < 2)
        source = dvt_relayout(source, seed % 4);
    drawn d = draw(source, kind, seen, &state);
    dv_fitted *fitted = fit(&d, source, 1);
    dv_view *whole = apply(fitted, source);
    shown want = show(whole, 0, -1, 0, 1);
    cr_expect_geq(dv_pipeline_steps(dv_fitted_pipeline(fitted)), d.steps); /* integers: convert */
    expect_view(&want, d.stepped, 0, 1, "step by step", d.text.data, seed);
    check_fits(&d, source, &want, seed);
    check_saved(fitted, &d, source, path, &want, seed);
    if (!d.numbers_rows)
        check_materialized(&d, source, whole, seed);
    if (seed % 4 < 2)
        check_layouts(&d, source, &want, seed);
    check_batches(&d, whole, &want, seed, &state);
    check_cursor_set(&d, whole, &want, seed);
    check_views_of_it(&d, whole, seed);
    free_shown(&want);
    dvt_lines_free(&d.text);
    dv_view_release(&d.stepped);
    dv_view_release(&whole);
    dv_fitted_release(&fitted);
    dv_view_release(&source);
    dvt_random_table_free(random);
}

Test(random_pipes, as_step_by_step_in_every_way)
{
    const char *asked = getenv("DV_RANDOM_PIPES");
    const uint64_t tables = asked ? strtoull(asked, NULL, 10) : TABLES;
    kinds = dv_transform_count();
    int64_t *seen = calloc((size_t)kinds, sizeof *seen);
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.dvp");
    for (uint64_t seed = 1; seed <= tables; seed++)
        check(seed, (int32_t)(seed / 2 % (uint64_t)kinds), &path, seen);
    for (int32_t i = 0; tables >= TABLES_OF_ALL && i < kinds; i++) {
        for (uint64_t more = 1; seen[i] == 0 && more <= TABLES_MORE; more++)
            check(tables + more, i, &path, seen);
        cr_expect(seen[i] > 0 || dvt_step_is_of_models(dv_transform_at(i)),
                  "no pipeline has a step %s that suits its columns", dv_transform_at(i)->name);
    }
    dvt_folder_remove(&folder);
    free(seen);
}
