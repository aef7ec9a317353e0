/* SPDX-License-Identifier: MIT */
/* test_losses.c: all losses are reported, one by one and in one message (save.h). */
#include "support/line_format.h"
#include "support/lines.h"
#include "support/own_table.h"
#include "support/test.h"
#include <stdio.h>
#include <string.h>

/* Columns of the own table. */
enum { T = 1, V = 3, W, B };
static const int32_t all_but_z[] = {T, V, W, B};

static dv_view *own_view(dvt_own_table *table)
{
    dv_view *view;
    cr_assert_eq(dvt_own_table_open(&view, table, NULL, NULL), DV_OK);
    return view;
}

static bool keep_report(void *ctx, const dv_loss_report *report)
{
    dvt_lines_print(ctx, "%s|%d|%d|%.*s|%s\n", dv_loss_name(report->loss), report->is_allowed,
                    report->column, (int)report->metadata.nbytes, report->metadata.data,
                    report->sentence);
    return true;
}

Test(losses, refuses_all_that_would_be_lost_as_one_list)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines reports = {0};
    options.allow_loss = DV_LOSS_COLUMNS;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, "", &options, keep_report, &reports, &err),
                 DV_ERR_LOSS);
    cr_expect_str_eq(reports.data,
                     "columns|1|1||column \"t\": text has no place\n"
                     "|0|2||column \"z\": a DZ has no place\n"
                     "metadata|0|3|Note|column \"v\": metadata Note: there is no place for it\n"
                     "metadata|0|3|Ticks|column \"v\": metadata Ticks: there is no place for it\n");
    cr_expect_str_eq(
        err.message,
        "not saved as line without loss: column \"z\": a DZ has no place (impossible); "
        "column \"v\": metadata Note: there is no place for it (metadata); "
        "column \"v\": metadata Ticks: there is no place for it (metadata) "
        "(allow_loss)");
    cr_expect_str_eq(err.expected, "");
    cr_expect_eq(table.cursors_opened, 0);
    dvt_lines_free(&reports);

    options.columns = all_but_z;
    options.columns_count = 4;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, "", &options, NULL, NULL, &err),
                 DV_ERR_LOSS);
    cr_expect_str_eq(err.expected, "metadata");
    options.allow_loss = 0;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, "", &options, NULL, NULL, &err),
                 DV_ERR_LOSS);
    cr_expect_str_eq(err.expected, "columns,metadata");
    options.allow_loss = DV_LOSS_COLUMNS | DV_LOSS_METADATA;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, "", &options, NULL, NULL, &err), DV_OK);
    dv_view_release(&view);
}

static const dv_save_options all_rows = DV_SAVE_OPTIONS_INIT;

static bool hear_one(void *ctx, const dv_loss_report *report)
{
    (void)report;
    *(int *)ctx += 1;
    return false;
}

Test(losses, a_reporter_may_have_heard_enough)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    int heard = 0;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, "", &all_rows, hear_one, &heard, &err),
                 DV_ERR_LOSS);
    cr_expect_eq(heard, 1);
    cr_expect_str_eq(err.found, "4 not allowed");
    dv_view_release(&view);
}

/* A format that reports a given number of losses of a given length. */
static int complaints, complaint_nbytes;

static dv_status complain(const dvi_saving *saving, dvi_losses *losses, dv_error *err)
{
    (void)saving;
    (void)err;
    for (int i = 0; i < complaints; i++)
        dvi_losses_add(losses, DV_LOSS_NA, -1, dv_text_of(""), "%0*d", complaint_nbytes, i);
    return DV_OK;
}

Test(losses, a_message_counts_what_it_has_no_room_for)
{
    const dvi_format format = {.info = {.name = "f", .extensions = ".f"}, .check_save = complain};
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    complaint_nbytes = 5;
    for (complaints = 1; complaints < 200; complaints++) {
        char last[64];
        cr_expect_eq(dvi_save_check(view, &format, "", &options, NULL, NULL, &err), DV_ERR_LOSS);
        const char *more = strstr(err.message, "; and ");
        int listed = 0, left = 0;
        for (const char *p = err.message; (p = strstr(p, " (na)")); p++)
            listed++;
        cr_expect(!more || sscanf(more, "; and %d more (allow_loss)", &left) == 1, "%s",
                  err.message);
        cr_expect_eq(listed + left, complaints, "%s", err.message);
        snprintf(last, sizeof last, "%d not allowed", complaints);
        cr_expect_str_eq(err.found, last);
        cr_expect(strstr(err.message, "(allow_loss)"), "%s", err.message);
    }
    complaints = 2;
    complaint_nbytes = 400;
    cr_expect_eq(dvi_save_check(view, &format, "", &options, NULL, NULL, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, "000...; and 1 more (allow_loss)"), "%s", err.message);
    dv_view_release(&view);
}

Test(losses, losses_have_names)
{
    dv_loss loss;
#define EXPECT_NAMED(member, bit, text, sentence)                                                  \
    cr_expect_str_eq(dv_loss_name(DV_LOSS_##member), text);                                        \
    cr_expect_str_not_empty(dv_loss_sentence(DV_LOSS_##member));                                   \
    cr_expect_eq(dv_loss_parse(&loss, dv_text_of(text)), DV_OK);                                   \
    cr_expect_eq(loss, DV_LOSS_##member);
    DV_LOSS_LIST(EXPECT_NAMED)
    cr_expect_str_empty(dv_loss_name(DV_LOSS_NONE));
    cr_expect_str_empty(dv_loss_sentence(DV_LOSS_NONE));
    cr_expect_str_empty(dv_loss_name((dv_loss)(DV_LOSS_NA | DV_LOSS_TYPES)));
    cr_expect_str_empty(dv_loss_sentence((dv_loss)(DV_LOSS_NA | DV_LOSS_TYPES)));
    static const char *const wrong[] = {"", "n", "nan", "Columns", "columns "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(dv_loss_parse(&loss, dv_text_of(wrong[i])), DV_NOT_FOUND, "%s", wrong[i]);
        cr_expect_eq(loss, DV_LOSS_NONE);
    }
}
