/* SPDX-License-Identifier: MIT */
/* starved.c: checks that views survive failing allocations, and batches the end of everything else.
 */
#include "support/starved.h"
#include "support/again.h"
#include "support/test.h"
#include <dataview/inspect.h>

#define BATCHES_MOST 300

static bool is_warning(void *ctx, const dv_error *what)
{
    (void)ctx;
    return what->status == DV_OK;
}

dv_status dvt_use_view(dv_view *view, dvt_producer *produce, const dv_cursor_options *options,
                       dvt_lines *lines, dv_error *err)
{
    dv_facts *facts = NULL;
    dv_verify_options check = DV_VERIFY_OPTIONS_INIT;
    check.defect = is_warning;
    dv_status status = dv_inspect(&facts, view, err);
    dv_facts_free(&facts);
    if (status == DV_OK)
        status = produce(lines, view, options, err);
    return status == DV_OK ? dv_verify(view, &check, err) : status;
}

void dvt_fail_each_allocation(dvt_attempt *attempt, const void *what, const char *name,
                              const dv_cursor_options *options)
{
    dvt_lines truth = {0};
    bool is_done = false;
    const int64_t step = DVT_FAIL_STEP;
    int64_t k = 1 - step;
    cr_assert_eq(attempt(what, NULL, options, &truth, NULL), DV_OK);
    while (!is_done) {
        dvt_allocator counted;
        dv_error err = DV_ERROR_INIT;
        dvt_lines lines = {0};
        dvt_allocator_init(&counted, k += step);
        const dv_status status = attempt(what, &counted.allocator, options, &lines, &err);
        is_done = counted.asked < k;
        cr_expect(status == DV_OK || (status == DV_ERR_MEMORY && !is_done), "%s, allocation %d: %s",
                  name, (int)k, err.message);
        if (status == DV_OK)
            cr_expect_str_eq(lines.data, truth.data, "%s, allocation %d", name, (int)k);
        cr_expect_eq(counted.live, 0, "%s, allocation %d: a leak", name, (int)k);
        dvt_lines_free(&lines);
    }
    cr_expect_gt(k, 15, "%s, %d allocations", name, (int)k);
    dvt_lines_free(&truth);
}

/* Read to the end, and go on at the token after each failure.  Returns how many there were. */
static int read_resuming(dv_view *view, const dv_cursor_options *options, dvt_lines *lines)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int failures = 0;
    dv_status status = dvt_open_again(&cursor, view, options, &failures, NULL);
    while (status == DV_OK &&
           (status = dvt_next_again(&cursor, view, options, &batch, &failures, NULL)) == DV_OK)
        dvt_put_batch_by_value(lines, batch);
    cr_assert_eq(status, DV_END);
    dv_cursor_close(&cursor);
    return failures;
}

void dvt_resume_after_failures(dv_view *view, dvt_allocator *counted,
                               const dv_cursor_options *options, int least, const char *name)
{
    dvt_lines truth = {0};
    int failures = 0;
    cr_expect_eq(read_resuming(view, options, &truth), 0);
    for (int64_t k = 1, is_done = 0; !is_done; k += DVT_FAIL_STEP) {
        dvt_lines lines = {0};
        counted->fail_at = counted->asked + k;
        failures += read_resuming(view, options, &lines);
        is_done = counted->asked < counted->fail_at;
        cr_expect_str_eq(lines.data, truth.data, "%s, allocation %d", name, (int)k);
        dvt_lines_free(&lines);
    }
    cr_expect_gt(failures, least / DVT_FAIL_STEP, "%s", name);
    counted->fail_at = 0;
    dvt_lines_free(&truth);
    dv_view_release(&view);
    cr_expect_eq(counted->live, 0);
}

/* A checksum of the ids; neighbours must differ. */
static uint64_t check_ids(const dv_batch *batch)
{
    uint64_t sum = 0;
    for (int64_t i = 0; batch->ids && i < batch->rows; i++) {
        const dv_u128 id = batch->ids[i];
        sum = sum * 31 + id.lo + 7 * id.hi;
        if (i > 0)
            cr_expect(id.lo != batch->ids[i - 1].lo || id.hi != batch->ids[i - 1].hi);
    }
    return sum;
}

void dvt_outlive_view(dv_view *view, dvt_allocator *counted, const dv_cursor_options *options)
{
    const dv_batch *held[BATCHES_MOST];
    dv_cursor *cursor;
    dvt_lines truth = {0}, lines = {0};
    uint64_t ids[BATCHES_MOST];
    int n = 0;
    cr_assert_eq(dvt_put_rows(&truth, view, options, dvt_put_batch_by_layout, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, options, NULL), DV_OK);
    dv_view_release(&view);
    while (n < BATCHES_MOST && dv_cursor_next(cursor, &held[n], NULL) == DV_OK) {
        ids[n] = check_ids(held[n]);
        dv_batch_retain(held[n++]);
    }
    dv_cursor_close(&cursor);
    for (int k = 0; k < n; k++) {
        cr_expect_eq(check_ids(held[k]), ids[k]);
        dvt_put_batch_by_layout(&lines, held[k]);
        dv_batch_release(&held[k]);
    }
    cr_expect_str_eq(lines.data, truth.data);
    cr_expect_eq(counted->live, 0);
    dvt_lines_free(&lines);
    dvt_lines_free(&truth);
}
