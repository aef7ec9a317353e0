/* SPDX-License-Identifier: MIT */
/* planned.c: a view with a column that a step's plan function makes. */
#include "support/planned.h"
#include "support/golden_files.h"
#include "support/json_table.h"
#include "support/starved.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const dv_view_class planned_class = DVI_MAPPER_CLASS("planned", NULL, NULL);

static dv_status add_column(dvi_mapper *mapper, dv_schema **schema_out, dvi_plan *plan,
                            const void *options, dv_error *err)
{
    dvi_new_column made = {.name = dv_text_of("B"), .hides = -1};
    int32_t column;
    dv_status status =
        dvi_find_column(dv_view_schema(mapper->base.source), dv_text_of("A"), &column, err);
    if (status == DV_OK)
        status = plan(&made, &mapper->base.arena, dv_view_schema(mapper->base.source), column,
                      options, err);
    return status == DV_OK ? dvi_mapper_arrange(mapper, schema_out, &made, 1, err) : status;
}

dv_status dvt_planned_view(dv_view **view_out, dv_view *source, dvi_plan *plan, const void *options,
                           const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    dv_status status = dvi_mapper_create(&mapper, source, 1, allocator, err);
    if (status < 0)
        return status;
    status = add_column(mapper, &schema, plan, options, err);
    return dvi_mapper_view(view_out, &planned_class, mapper, schema, status, err);
}

/* --- One case --------------------------------------------------------------------------------- */

typedef struct use {
    const dvt_planned_case *one;
    dvt_json_table *table;
} use;

static dv_status use_case(const void *what, const dv_allocator *allocator,
                          const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const use *u = what;
    dv_view *view;
    dv_view *source = dvt_made_table_open(&u->table->made, NULL);
    dv_status status =
        dvt_planned_view(&view, source, u->one->plan, u->one->options, allocator, err);
    dv_view_release(&source);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    return status;
}

static void check_rows(const dvt_planned_case *one, dv_view *view, const char *truth,
                       const int32_t *columns, int32_t n)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    static dvt_producer *const producers[] = {dvt_produce_by_value, dvt_produce_by_layout,
                                              dvt_produce_by_getter};
    for (size_t i = 0; i < COUNT(sizes) * COUNT(producers); i++) {
        char message[DVT_MESSAGE_NBYTES] = "";
        dvt_lines lines = {0};
        dv_error err = DV_ERROR_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = sizes[i / COUNT(producers)];
        options.columns = columns;
        options.columns_count = n;
        cr_assert_eq(producers[i % COUNT(producers)](&lines, view, &options, &err), DV_OK, "%s: %s",
                     one->name, err.message);
        cr_expect(dvt_golden_compare(dv_text_of(truth), dvt_lines_text(&lines), DVT_MAPPING_MLNET,
                                     message),
                  "%s, %d rows a batch: %s", one->name, (int)options.batch_rows, message);
        dvt_lines_free(&lines);
    }
}

static void check_memory(const dvt_planned_case *one, dvt_json_table *table, int64_t batch_rows)
{
    const use what = {one, table};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    options.batch_rows = batch_rows;
    dvt_fail_each_allocation(use_case, &what, one->name, &options);

    dvt_allocator counted;
    dv_view *view;
    dvt_allocator_init(&counted, 0);
    dv_view *source = dvt_made_table_open(&table->made, NULL);
    cr_assert_eq(dvt_planned_view(&view, source, one->plan, one->options, &counted.allocator, NULL),
                 DV_OK);
    dvt_resume_after_failures(view, &counted, &options, 0, one->name);
    dvt_allocator_init(&counted, 0);
    cr_assert_eq(dvt_planned_view(&view, source, one->plan, one->options, &counted.allocator, NULL),
                 DV_OK);
    dv_view_release(&source);
    dvt_outlive_view(view, &counted, &options);
}

void dvt_check_planned(const dvt_planned_case *one)
{
    static dvt_json_table table;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dvt_json_table_read(&table, one->table);
    dv_view *source = dvt_made_table_open(&table.made, NULL);
    const dv_status status = dvt_planned_view(&view, source, one->plan, one->options, NULL, &err);
    dv_view_release(&source);
    if (one->truth) {
        const int32_t column = table.made.columns;
        cr_assert_eq(status, DV_OK, "%s: %s", one->name, err.message);
        check_rows(one, view, one->truth, &column, 1);
        dv_view_release(&view);
        check_memory(one, &table, 0);
        check_memory(one, &table, 2);
    } else {
        cr_expect_eq(status, DV_ERR_ARGUMENT, "%s", one->name);
        cr_expect(*err.message, "%s", one->name);
    }
    dvt_json_table_free(&table);
}

/* --- Golden cases ----------------------------------------------------------------------------- */

/* What the cases of a folder are checked with. */
typedef struct golden_plan {
    const char *prefix;
    dvi_plan *plan;
    const void *(*options)(const char *params);
} golden_plan;

static int check_golden(const dvt_path *folder, const char *name, void *ctx)
{
    const golden_plan *g = ctx;
    if (strncmp(name, g->prefix, strlen(g->prefix)) != 0)
        return 0;
    size_t nbytes;
    dv_view *source, *view;
    dv_error err = DV_ERROR_INIT;
    char *params = (char *)dvt_file_read(dvt_path_in(folder, "params.json").text, &nbytes);
    const dvt_planned_case one = {folder->text, g->plan, g->options ? g->options(params) : NULL,
                                  NULL, NULL};
    cr_assert_eq(dv_open(&source, dvt_path_in(folder, "input.idv").text, NULL, &err), DV_OK, "%s",
                 err.message);
    const dv_status status = dvt_planned_view(&view, source, g->plan, one.options, NULL, &err);
    if (strstr(params, "\"error\"")) {
        cr_expect_eq(status, DV_ERR_ARGUMENT, "%s", folder->text);
    } else {
        char *truth = (char *)dvt_file_read(dvt_path_in(folder, "output.jsonl").text, &nbytes);
        cr_assert_eq(status, DV_OK, "%s: %s", folder->text, err.message);
        check_rows(&one, view, truth, NULL, -1);
        free(truth);
    }
    free(params);
    dv_view_release(&view);
    dv_view_release(&source);
    return 1;
}

int dvt_check_planned_golden(const char *name, const char *prefix, dvi_plan *plan,
                             const void *(*options)(const char *params))
{
    golden_plan g = {prefix, plan, options};
    return dvt_golden_folders(name, true, check_golden, &g);
}
