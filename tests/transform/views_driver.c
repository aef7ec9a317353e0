/* SPDX-License-Identifier: MIT */
/* views_driver.c: makes views for the models in check_naive_views.py and check_naive_pipes.py.
 *
 *     views_driver SEED|FILE
 *
 * Prints dv_view_block_rows and the table of that seed or file, and then, for each line of standard
 * input, those of a view of it:
 *
 *     {"steps": [...], "first": 0, "end": -1, "batch_rows": 0, "threads": 1}
 *
 * or of {"pipe": "a pipeline", ...} with the other members.
 *
 * For {"rows": N, ...} with the members of a step "Epoch" it prints the row numbers of that epoch,
 * in one line.
 *
 * A table is a header, a line per row, a line "ids", one per id, and a line "end"; all columns,
 * hidden ones too.  It prints "refused" if the view is refused, and "failed" if reading fails. */
#include "support/chain.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/random_table.h"
#include <dataview/open.h>
#include <dataview/order.h>
#include <dataview/pipeline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_ids(dvt_lines *lines, const dv_batch *batch)
{
    for (int64_t i = 0; i < batch->rows; i++)
        dvt_lines_print(lines, "\"%016llx%016llx\"\n", (unsigned long long)batch->ids[i].hi,
                        (unsigned long long)batch->ids[i].lo);
}

static void put_rows(dvt_lines *lines, const dv_batch *batch)
{
    if (batch->columns > 0)
        dvt_put_batch_by_value(lines, batch);
    for (int64_t i = 0; batch->columns == 0 && i < batch->rows; i++)
        dvt_lines_print(lines, "[]\n");
}

static void print_table(dv_view *view, const dvt_json *how)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = dvt_all_columns(view);
    options.ids = true;
    options.first_row = how ? dvt_json_int(dvt_json_member(how, "first")) : 0;
    options.end_row = how ? dvt_json_int(dvt_json_member(how, "end")) : -1;
    options.batch_rows = how ? dvt_json_int(dvt_json_member(how, "batch_rows")) : 0;
    options.threads = how ? (int32_t)dvt_json_int(dvt_json_member(how, "threads")) : 1;
    dv_status status = dvt_put_header(&lines, view, &options, dvt_put_metadata_by_value, &err);
    if (status == DV_OK)
        status = dvt_put_rows(&lines, view, &options, put_rows, &err);
    dvt_lines_print(&lines, "ids\n");
    if (status == DV_OK)
        status = dvt_put_rows(&lines, view, &options, put_ids, &err);
    dvt_lines_print(&lines, "end\n");
    if (status == DV_OK)
        fwrite(lines.data, 1, lines.nbytes, stdout);
    else
        printf("failed %s\n", err.message);
    fflush(stdout);
    dvt_all_columns_free(&options);
    dvt_lines_free(&lines);
}

static void print_numbers(const dvt_json *how)
{
    dv_error err = DV_ERROR_INIT;
    const int64_t rows = dvt_json_int(dvt_json_member(how, "rows"));
    const dv_epoch_options options = dvt_chain_epoch(how);
    int64_t n, *numbers = calloc((size_t)(2 * rows + 1), sizeof *numbers);
    DVT_MUST(numbers != NULL);
    if (dv_order_epoch(numbers, 2 * rows, &n, rows, &options, NULL, &err) != DV_OK)
        printf("refused %s", err.message);
    for (int64_t i = 0; i < n; i++)
        printf("%lld ", (long long)numbers[i]);
    printf("\n");
    fflush(stdout);
    free(numbers);
}

/* Fitted with as many threads as it is read with. */
static dv_status apply_pipe(dv_view **view_out, dv_view *source, const dvt_json *how, dv_error *err)
{
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = (int32_t)dvt_json_int(dvt_json_member(how, "threads"));
    return dv_view_pipe(view_out, source, dvt_json_member(how, "pipe")->text, &options, NULL, err);
}

static void answer(dv_view *source, const char *line)
{
    dvi_arena arena;
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dvi_arena_init(&arena, NULL);
    const dvt_json *how = dvt_json_parse(&arena, dv_text_of(line));
    DVT_MUST(how != NULL);
    if (dvt_json_member(how, "rows")) {
        print_numbers(how);
        dvi_arena_free(&arena);
        return;
    }
    const dv_status status = dvt_json_member(how, "pipe")
                                 ? apply_pipe(&view, source, how, &err)
                                 : dvt_chain_apply(&view, source, how, NULL, &err);
    if (status == DV_OK) {
        print_table(view, how);
    } else {
        printf("%s %s\n", status == DV_ERR_ARGUMENT ? "refused" : "failed", err.message);
        fflush(stdout);
    }
    dv_view_release(&view);
    dvi_arena_free(&arena);
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    dv_view *source = NULL;
    dvt_random_table *random = NULL;
    char *rest = NULL;
    DVT_MUST(argc == 2);
    const unsigned long long seed = strtoull(argv[1], &rest, 10);
    if (*rest) {
        DVT_MUST(dv_open(&source, argv[1], NULL, NULL) == DV_OK);
    } else {
        random = dvt_random_table_create(seed);
        random->table.rows_unknown = seed % 3 == 0;
        source = dvt_made_table_open(&random->table, NULL);
    }
    printf("%lld\n", (long long)dv_view_block_rows(source));
    print_table(source, NULL);
    while (fgets(line, sizeof line, stdin))
        answer(source, line);
    dv_view_release(&source);
    if (random)
        dvt_random_table_free(random);
    return 0;
}
