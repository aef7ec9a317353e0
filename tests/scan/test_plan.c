/* SPDX-License-Identifier: MIT */
/* test_plan.c: does the plan say what the cursor does? (plan.h) */
#include "support/allocator.h"
#include "support/set_files.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/dataview.h>
#include <string.h>

static bool append(void *ctx, const char *data, size_t nbytes)
{
    dvt_lines_add(ctx, data, nbytes);
    return true;
}

static dvt_lines plan_of(dv_view *view, int32_t threads, const char *column)
{
    dvt_lines lines = {0};
    const dv_sink sink = {append, &lines};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    if (column)
        cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), column, &err), DV_OK);
    cr_assert_eq(dv_cursor_plan(view, &options, &sink, &err), DV_OK, "%s", err.message);
    return lines;
}

static void expect_line(const dvt_lines *plan, const char *line)
{
    cr_expect_not_null(strstr(plan->data, line), "no \"%s\" in:\n%s", line, plan->data);
}

Test(plan, of_a_filtered_text)
{
    static const char text[] = "1,2,x\n3,4,y\n5,6,z\n";
    dv_error err = DV_ERROR_INIT;
    dv_view *filtered = NULL;
    dv_view *view = dvt_text_open("sep=comma piece=6 col=a:I4:0 col=b:I4:1 col=c:TX:2", text,
                                  sizeof text - 1, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_assert_eq(dv_view_where(&filtered, view, dv_text_of("b > 2 and b < 9"), NULL, &err), DV_OK);
    dvt_lines plan = plan_of(filtered, 3, "c");
    expect_line(&plan, "source   text, rows not counted yet\n");
    expect_line(&plan, "columns  2 of 3: c, b\n");
    expect_line(&plan, "steps    filter (b > 2 and b < 9)\n");
    expect_line(&plan, "order    as stored\n");
    expect_line(&plan, "divided  at most 3 splits\n");
    expect_line(&plan, "threads  3, each reads and computes its own chunks\n");
    expect_line(&plan, "memory   at most 5 chunks ahead");
    dvt_lines_free(&plan);
    plan = plan_of(filtered, 1, "a");
    expect_line(&plan, "columns  2 of 3: a, b\n");
    expect_line(&plan, "divided  no\n");
    expect_line(&plan, "threads  1\n");
    dvt_lines_free(&plan);
    dv_view_release(&filtered);
    dv_view_release(&view);
}

/* Any source and chain has a plan, with a line for each fact. */
Test(plan, of_every_chain)
{
    static const char *const facts[] = {"source ",  "columns ", "steps ",  "order ",
                                        "divided ", "threads ", "memory ", "cached "};
    dvt_set_files files = dvt_set_files_create(300);
    for (int source = 0; source < dvt_set_sources(); source++)
        for (int chain = 0; chain < dvt_set_chains(); chain++) {
            dv_view *view = dvt_set_view(&files, source, chain, NULL);
            if (!view)
                continue;
            dvt_lines plan = plan_of(view, 1 + chain % 4, NULL);
            for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
                expect_line(&plan, facts[i]);
            dvt_lines_free(&plan);
            dv_view_release(&view);
        }
    dvt_set_files_free(&files);
}

/* A line that is too long ends between two characters. */
Test(plan, of_long_names)
{
    dvt_lines options = {0};
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < 4; i++) { /* each with the cut at another byte of a character */
        dvt_lines_print(&options, "sep=comma");
        for (int k = 0; k < 12; k++)
            dvt_lines_print(&options,
                            " col=%.*s%d\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                            "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                            "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC:TX:%d",
                            k == 0 ? i : 0, "xxx", k + 10, k);
        dv_view *view = dvt_text_open(options.data, "a\n", 2, NULL, &err);
        cr_assert_not_null(view, "%s", err.message);
        dvt_lines plan = plan_of(view, 1, NULL);
        const char *end = strchr(strstr(plan.data, "columns"), '\n');
        cr_expect(strncmp(end - 3, "...", 3) == 0, "%s", plan.data);
        const char *last =
            end - 4; /* the last byte of a whole character, or of a number or comma */
        int tail = 0;
        for (; ((uint8_t)*last & 0xC0) == 0x80; last--)
            tail++;
        cr_expect((tail == 2 && (uint8_t)*last == 0xE2) || (tail == 0 && (uint8_t)*last < 0x80),
                  "%s", plan.data);
        dvt_lines_free(&plan);
        dvt_lines_free(&options);
        dv_view_release(&view);
    }
}

static bool refuse(void *ctx, const char *data, size_t nbytes)
{
    (void)ctx, (void)data, (void)nbytes;
    return false;
}

Test(plan, refusals)
{
    static const char text[] = "1\n";
    dv_error err = DV_ERROR_INIT;
    const dv_sink sink = {refuse, NULL};
    dv_view *view = dvt_text_open("col=a:I4:0", text, sizeof text - 1, NULL, &err);
    cr_assert_not_null(view);
    cr_expect_eq(dv_cursor_plan(view, NULL, &sink, &err), DV_ERR_STOPPED);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = -1;
    cr_expect_eq(dv_cursor_plan(view, &options, &sink, &err), DV_ERR_ARGUMENT);
    dv_view_release(&view);
}

Test(plan, each_allocation_may_fail)
{
    static const char text[] = "1,2\n3,4\n";
    for (int64_t k = 1, is_done = 0; !is_done; k++) {
        dvt_allocator counted;
        dvt_lines lines = {0};
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        const dv_sink sink = {append, &lines};
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        dv_view *view = dvt_text_open("sep=comma piece=4 col=a:I4:0 col=b:I4:1", text,
                                      sizeof text - 1, &how, &err);
        cr_assert_not_null(view);
        counted.fail_at = counted.asked + k;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.threads = 1 + (int32_t)(k % 3);
        const dv_status status = dv_cursor_plan(view, &options, &sink, &err);
        is_done = counted.asked < counted.fail_at;
        cr_expect(status == DV_OK || (!is_done && status == DV_ERR_MEMORY));
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0);
        dvt_lines_free(&lines);
    }
}
