/* SPDX-License-Identifier: MIT */
/* test_token.c: checks the tokens of cursors, and texts that are not tokens. */
#include "scan/token.h"
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/digest.h>
#include <dataview/row.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS 20

static const int64_t numbers[ROWS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                      10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

static dvt_made_table make_table(bool rows_unknown)
{
    dvt_made_table table = {.columns = 1, .rows = ROWS, .block_rows = 6, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), numbers, ROWS);
    table.rows_unknown = rows_unknown;
    return table;
}

/* The token after this many batches. */
static dv_token token_after(dv_view *view, const dv_cursor_options *options, int batches)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_token token;
    cr_assert_eq(dv_cursor_open(&cursor, view, options, NULL), DV_OK);
    for (int i = 0; i < batches; i++)
        cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_assert_eq(dv_cursor_token(cursor, &token, NULL), DV_OK);
    dv_cursor_close(&cursor);
    return token;
}

/* The status of opening, and the number in the next row; -1: none. */
static dv_status open_at(dv_view *view, const char *token, const dv_cursor_options *given,
                         int64_t *next_out, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    *next_out = -1;
    if (given)
        options = *given;
    options.token = token;
    const dv_status status = dv_cursor_open(&cursor, view, &options, err);
    if (status == DV_OK && dv_cursor_next(cursor, &batch, err) == DV_OK) {
        memcpy(next_out, dv_batch_column(batch, 0)->as.fixed.values.data, sizeof *next_out);
        cr_expect_eq(batch->first_row, *next_out);
    }
    dv_cursor_close(&cursor);
    return status;
}

/* --- What it says ----------------------------------------------------------------------------- */

Test(token, is_text_that_says_how_many_rows)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    char start[32];
    for (int batches = 0; batches < 4; batches++) {
        const dv_token token = token_after(view, &options, batches);
        snprintf(start, sizeof start, "dv1-%d-0-end-", 6 * batches);
        cr_expect_eq(strncmp(token.text, start, strlen(start)), 0, "%s", token.text);
        cr_expect_eq(strlen(token.text), strlen(start) + 22 + 1 + 8);
        for (const char *p = token.text; *p; p++)
            cr_expect(*p > ' ' && *p < 127);
    }
    options.first_row = 3;
    options.skip = 2;
    options.take = 9;
    cr_expect_eq(strncmp(token_after(view, &options, 1).text, "dv1-1-5-14-", 11), 0);
    dv_view_release(&view);
}

/* Its longest form has 95 characters, as docs/resuming.md says. */
Test(token, has_room_for_the_largest_numbers)
{
    dvt_made_table table = make_table(true);
    dv_view *view = dvt_made_table_open(&table, NULL);
    const dvi_position position = {INT64_MAX - 1, INT64_MAX - 1, INT64_MAX};
    dv_token token;
    cr_assert_eq(dvi_token_write(&token, view, &position, NULL), DV_OK);
    cr_expect_eq(strlen(token.text), 95);
    dv_view_release(&view);
}

Test(token, of_the_same_view_is_the_same)
{
    dvt_made_table table = make_table(false);
    dv_view *a = dvt_made_table_open(&table, NULL), *b = dvt_made_table_open(&table, NULL);
    cr_expect_str_eq(token_after(a, NULL, 2).text, token_after(b, NULL, 2).text);
    dv_view_release(&a);
    dv_view_release(&b);
}

/* --- Going on --------------------------------------------------------------------------------- */

Test(token, goes_on_with_the_next_row)
{
    for (int unknown = 0; unknown < 2; unknown++) {
        dvt_made_table table = make_table(unknown);
        dv_view *view = dvt_made_table_open(&table, NULL);
        for (int64_t rows = 0; rows < 8; rows++)
            for (int batches = 0; batches < 3; batches++) {
                dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
                dv_error err = DV_ERROR_INIT;
                int64_t next;
                options.batch_rows = rows;
                const dv_token token = token_after(view, &options, batches);
                options.batch_rows = 0;
                cr_expect_eq(open_at(view, token.text, &options, &next, &err), DV_OK, "%s",
                             err.message);
                cr_expect_eq(next, (rows ? rows : 6) * batches);
            }
        dv_view_release(&view);
    }
}

/* Batches of a cursor opened with a token continue to count, and so do its tokens. */
Test(token, of_a_resumed_cursor_counts_from_the_first_row)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = 4;
    options.first_row = 2;
    dv_token token = token_after(view, &options, 1);
    for (int64_t at = 4; at <= 18; at += 4) {
        dv_cursor *cursor;
        const dv_batch *batch;
        options.token = token.text;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
        cr_expect_eq(batch->position, at);
        cr_expect_eq(batch->first_row, at + 2);
        cr_expect_eq(dv_cursor_token(cursor, &token, NULL), DV_OK);
        dv_cursor_close(&cursor);
    }
    dv_view_release(&view);
}

/* A cursor that failed or ended is after its last row, too. */
Test(token, is_after_the_last_row_whatever_ended_the_cursor)
{
    for (int bad = 0; bad < 2; bad++) {
        dvt_made_table table = make_table(false);
        dv_view *view = dvt_made_table_open(&table, NULL);
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_token token;
        int64_t next;
        table.bad_row = bad ? 13 : -1;
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            continue;
        cr_expect_eq(dv_cursor_token(cursor, &token, NULL), DV_OK);
        dv_cursor_close(&cursor);
        table.bad_row = -1;
        cr_expect_eq(open_at(view, token.text, NULL, &next, NULL), DV_OK);
        cr_expect_eq(next, bad ? 12 : -1);
        dv_view_release(&view);
    }
}

/* Columns, threads and copies are free; a cursor without columns counts. */
Test(token, lets_other_options_be_others)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    dv_cursor *cursor;
    int64_t next;
    options.columns_count = 0;
    options.batch_rows = 7;
    const dv_token token = token_after(view, &options, 1);
    options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    options.threads = 3;
    options.ids = options.zero_copy_only = true;
    cr_expect_eq(open_at(view, token.text, &options, &next, NULL), DV_OK);
    cr_expect_eq(next, 7);
    options.columns_count = 0;
    options.token = token.text;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    int64_t rows = 0;
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(rows, 13);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

/* What asks for the same rows in other words is the same. */
Test(token, sees_rows_not_words)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_cursor_options a = DV_CURSOR_OPTIONS_INIT, b = DV_CURSOR_OPTIONS_INIT;
    int64_t next;
    a.first_row = 3;
    a.end_row = 11;
    a.batch_rows = 2;
    b.skip = 3;
    b.take = 8;
    const dv_token token = token_after(view, &a, 2);
    cr_expect_eq(open_at(view, token.text, &b, &next, NULL), DV_OK);
    cr_expect_eq(next, 7);
    dv_view_release(&view);
}

/* A row cursor's token is after its current row, wherever that is in its batch. */
Test(token, of_a_row_cursor_is_after_its_row)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_row_cursor *cursor;
    dv_token token;
    int64_t next, value;
    options.first_row = 1;
    cr_assert_eq(dv_row_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_row_token(cursor, &token, NULL), DV_OK);
    cr_expect_eq(open_at(view, token.text, &options, &next, NULL), DV_OK);
    cr_expect_eq(next, 1);
    for (int64_t row = 1; row < ROWS; row++) {
        dv_row_cursor *other;
        cr_assert_eq(dv_row_next(cursor, NULL), DV_OK);
        cr_assert_eq(dv_row_token(cursor, &token, NULL), DV_OK);
        options.token = token.text;
        cr_assert_eq(dv_row_cursor_open(&other, view, &options, NULL), DV_OK);
        cr_expect_eq(dv_row_next(other, NULL), row + 1 < ROWS ? DV_OK : DV_END);
        cr_expect_eq(dv_row_position(other), row + 1 < ROWS ? row : -1);
        if (row + 1 < ROWS) {
            cr_expect_eq(dv_row_i8(other, 0, &value, NULL), DV_OK);
            cr_expect_eq(value, row + 1);
        }
        dv_row_cursor_close(&other);
    }
    cr_assert_eq(dv_row_next(cursor, NULL), DV_END);
    cr_assert_eq(dv_row_token(cursor, &token, NULL), DV_OK);
    cr_expect_eq(open_at(view, token.text, &options, &next, NULL), DV_OK);
    cr_expect_eq(next, -1);
    dv_row_cursor_close(&cursor);
    dv_view_release(&view);
}

/* --- What is refused -------------------------------------------------------------------------- */

static void expect_refused(dv_view *view, const char *token, const dv_cursor_options *options,
                           const char *expected, const char *found)
{
    dv_error err = DV_ERROR_INIT;
    int64_t next;
    cr_expect_eq(open_at(view, token, options, &next, &err), DV_ERR_ARGUMENT, "%s", token);
    cr_expect_str_eq(err.rule, "docs/resuming.md", "%s", err.message);
    cr_expect(*err.expected && *err.found, "%s", err.message);
    if (expected)
        cr_expect_str_eq(err.expected, expected, "%s", err.message);
    if (found)
        cr_expect_str_eq(err.found, found, "%s", err.message);
}

/* A token with a checksum that is right, for whatever stands before it. */
static dv_token sealed(const char *body)
{
    dv_token token = {{0}};
    const uint32_t checksum = (uint32_t)dv_digest_8(body, strlen(body), 0);
    snprintf(token.text, sizeof token.text, "%s-%08x", body, (unsigned)checksum);
    return token;
}

Test(token, damaged_anywhere_is_refused)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    const dv_token token = token_after(view, NULL, 1);
    const size_t n = strlen(token.text);
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            dv_token wrong = token;
            wrong.text[i] = (char)(wrong.text[i] ^ 1 << bit);
            expect_refused(view, wrong.text, NULL, NULL, NULL);
        }
    for (size_t i = 0; i < n; i++) {
        dv_token cut = token;
        cut.text[i] = 0;
        expect_refused(view, cut.text, NULL, NULL, NULL);
    }
    char longer[sizeof token.text + 8];
    snprintf(longer, sizeof longer, "%s0", token.text);
    expect_refused(view, longer, NULL, NULL, NULL);
    memset(longer, '1', sizeof longer); /* no NUL at all: not looked for farther than it may be */
    memcpy(longer, "dv", 2);
    expect_refused(view, longer, NULL, NULL, NULL);
    dv_view_release(&view);
}

Test(token, of_a_later_version_is_refused)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    expect_refused(view, "dv2-anything", NULL, "1", "2");
    expect_refused(view, "dv10-1-0-end", NULL, "1", "10");
    expect_refused(view, "dv0-1", NULL, "1", "0");
    expect_refused(view, "dv-1", NULL, "dv1-..., complete", "\"dv-1\"");
    expect_refused(view, "dv1", NULL, "dv1-..., complete", "\"dv1\"");
    expect_refused(view, "", NULL, "dv1-..., complete", "\"\"");
    expect_refused(view, "\n", NULL, NULL, NULL);
    dv_view_release(&view);
}

/* Numbers that are never printed so, with a correct checksum. */
Test(token, forged_is_refused)
{
    static const char *const places[] = {"dv1--0-end-",
                                         "dv1-x-0-end-",
                                         "dv1-01-0-end-",
                                         "dv1--1-0-end-",
                                         "dv1- 1-0-end-",
                                         "dv1-1-0-",
                                         "dv1-1-0-fin-",
                                         "dv1-1-end-",
                                         "dv1-1-0-end--",
                                         "dv1-+1-0-end-",
                                         "dv1-1-0-endd-",
                                         "dv1-1-0-END-",
                                         "dv1-9223372036854775808-0-end-",
                                         "dv1-1-99999999999999999999-end-",
                                         "dv1-1-0-9223372036854775808-",
                                         "dv1-1-0-end-A"};
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_token token = token_after(view, NULL, 1);
    char identity[23] = {0}, body[96];
    memcpy(identity, token.text + strlen("dv1-6-0-end-"), 22);
    snprintf(body, sizeof body, "dv1-6-0-end-%s", identity);
    cr_expect_str_eq(sealed(body).text, token.text);
    for (size_t i = 0; i < COUNT(places); i++) {
        snprintf(body, sizeof body, "%s%s", places[i], identity);
        token = sealed(body);
        expect_refused(view, token.text, NULL, "dv1-ROWS-FIRST-END-IDENTITY-CHECKSUM", NULL);
    }
    dv_view_release(&view);
}

Test(token, after_the_end_is_refused)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    const dv_token whole = token_after(view, NULL, 1);
    const char *identity = whole.text + strlen("dv1-6-0-end-");
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    char body[96];
    int64_t next;
    snprintf(body, sizeof body, "dv1-20-0-end-%.22s", identity);
    dv_token token = sealed(body);
    cr_expect_eq(open_at(view, token.text, NULL, &next, NULL), DV_OK);
    cr_expect_eq(next, -1);
    snprintf(body, sizeof body, "dv1-21-0-end-%.22s", identity);
    token = sealed(body);
    expect_refused(view, token.text, NULL, "at most 20", "21");
    options.first_row = 5;
    options.end_row = 9;
    snprintf(body, sizeof body, "dv1-5-5-9-%.22s", identity);
    token = sealed(body);
    expect_refused(view, token.text, &options, "at most 4", "5");
    options.first_row = INT64_MAX; /* after the last row; nothing can be added to it */
    options.end_row = -1;
    snprintf(body, sizeof body, "dv1-9223372036854775807-9223372036854775807-end-%.22s", identity);
    token = sealed(body);
    expect_refused(view, token.text, &options, "at most 0", NULL);
    dv_view_release(&view);
}

/* The number of rows is unknown, but the requested rows are known. */
Test(token, after_the_requested_rows_is_refused_if_rows_are_unknown)
{
    dvt_made_table table = make_table(true);
    dv_view *view = dvt_made_table_open(&table, NULL);
    const dv_token whole = token_after(view, NULL, 1);
    const char *identity = whole.text + strlen("dv1-6-0-end-");
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    char body[96];
    int64_t next;
    snprintf(body, sizeof body, "dv1-9223372036854775807-0-end-%.22s", identity);
    dv_token token = sealed(body);
    cr_expect_eq(open_at(view, token.text, NULL, &next, NULL), DV_OK);
    cr_expect_eq(next, -1);
    options.first_row = 5;
    snprintf(body, sizeof body, "dv1-9223372036854775803-5-end-%.22s", identity);
    token = sealed(body);
    expect_refused(view, token.text, &options, "at most 9223372036854775802", NULL);
    dv_view_release(&view);
}

Test(token, of_other_rows_is_refused)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_token token = token_after(view, NULL, 1);
    options.first_row = 1;
    expect_refused(view, token.text, &options, "1 to end", "0 to end");
    options.first_row = 0;
    options.end_row = 20;
    expect_refused(view, token.text, &options, "0 to 20", "0 to end");
    options.end_row = -1;
    options.take = 6;
    expect_refused(view, token.text, &options, "0 to 6", "0 to end");
    options.take = -1;
    options.skip = 1;
    expect_refused(view, token.text, &options, "1 to end", "0 to end");
    dv_view_release(&view);
}

Test(token, of_another_view_is_refused)
{
    dvt_made_table table = make_table(false), other = make_table(false);
    other.rows = 19;
    dv_view *a = dvt_made_table_open(&table, NULL), *b = dvt_made_table_open(&other, NULL);
    const dv_token token = token_after(a, NULL, 1);
    dv_error err = DV_ERROR_INIT;
    int64_t next;
    expect_refused(b, token.text, NULL, NULL, NULL);
    open_at(b, token.text, NULL, &next, &err);
    cr_expect_not_null(strstr(err.message, dv_view_kind(b)), "%s", err.message);
    cr_expect_eq(strncmp(err.expected, "identity ", 9), 0);
    cr_expect_eq(strncmp(err.found, token.text + strlen("dv1-6-0-end-"), 22), 0);
    dv_view_release(&a);
    dv_view_release(&b);
}

/* --- Elsewhere -------------------------------------------------------------------------------- */

/* What else takes options of a cursor takes their token: rows that are held, statistics. */
Test(token, chooses_rows_to_be_held)
{
    dvt_made_table table = make_table(false);
    dv_view *view = dvt_made_table_open(&table, NULL), *held = NULL;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_token token = token_after(view, NULL, 2);
    int64_t next;
    options.token = token.text;
    cr_assert_eq(
        dv_view_materialize(
            &held, view,
            &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options},
            NULL, NULL),
        DV_OK);
    cr_expect_eq(dv_view_rows(held), 8);
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_cursor_open(&cursor, held, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    memcpy(&next, dv_batch_column(batch, 0)->as.fixed.values.data, sizeof next);
    cr_expect_eq(next, 12);
    dv_cursor_close(&cursor);
    dv_view_release(&held);
    options.token = "dv1-";
    cr_expect_eq(
        dv_view_materialize(
            &held, view,
            &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options},
            NULL, NULL),
        DV_ERR_ARGUMENT);
    dv_view_release(&view);
}

/* The call that fails when it is the k-th allocation from now on: a token, or opening with one. */
static dv_status try_token(dv_view *view, const char *given, dv_error *err)
{
    int64_t next;
    dv_token token = {"x"};
    dv_cursor *cursor;
    if (given)
        return open_at(view, given, NULL, &next, err);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, err), DV_OK);
    const dv_status status = dv_cursor_token(cursor, &token, err);
    cr_expect(status == DV_OK || !*token.text);
    cr_expect_eq(dv_cursor_token(cursor, &token, NULL), DV_OK); /* the call may be repeated */
    dv_cursor_close(&cursor);
    return status;
}

Test(token, without_memory)
{
    dvt_made_table table = make_table(false);
    dv_view *other = dvt_made_table_open(&table, NULL);
    const dv_token token = token_after(other, NULL, 1);
    dv_view_release(&other);
    for (int opens = 0; opens < 2; opens++) {
        int64_t failures = 0;
        for (int64_t k = 1, failed = 1; failed; k++) {
            dvt_allocator counted;
            dv_error err = DV_ERROR_INIT;
            dvt_allocator_init(&counted, 0);
            dv_view *view = dvt_made_table_open(&table, &counted.allocator);
            const int64_t before = opens ? 0 : 4; /* a cursor, which is no question here */
            counted.fail_at = counted.asked + before + k;
            const dv_status status = try_token(view, opens ? token.text : NULL, &err);
            failed = counted.asked >= counted.fail_at;
            cr_expect(status == DV_OK || (status == DV_ERR_MEMORY && failed), "%s", err.message);
            failures += status == DV_ERR_MEMORY;
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0);
        }
        cr_expect_geq(failures, opens ? 5 : 1);
    }
}
