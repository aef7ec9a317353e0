/* SPDX-License-Identifier: MIT */
/* test_feed_waiting.c: the thread of a feed and its caller wait for each other (feed_prefetch.c).
 */
#include "support/feeds.h"
#include "support/test.h"
#include <time.h>

#define ROWS 131

static dv_error err;

/* Longer than a side waits awake. */
static void doze(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
}

static bool doze_if(void *ctx, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    if (*(const bool *)ctx)
        doze();
    return true;
}

/* Whichever side is slow, the other one falls asleep and is woken: the thread counts the rows of
 * each epoch first. */
Test(feed_waiting, a_side_that_waits_is_woken)
{
    enum { EPOCHS = 12, EACH = 20 };
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 10, NULL);
    t->many->table.rows_unknown = true;
    t->order.shuffle = DV_SHUFFLE_POOL;
    dv_view *view = dvt_made_table_open(&t->many->table, NULL);
    for (int k = 0; k < 4 * 3; k++) {
        const bool is_slow = k % 2;
        bool is_thread_slow = k / 2 % 2;
        dv_feed_options o = dvt_feed_options(&t->order);
        dv_feed *feed;
        const dv_feed_batch *batch;
        dv_status status;
        int64_t rows = 0;
        o.batch_rows = EACH;
        o.epochs = EPOCHS;
        o.prefetch = 1 + k / 4;
        o.progress = (dv_progress){doze_if, &is_thread_slow};
        cr_assert_eq(dv_feed_open(&feed, view, &o, &err), DV_OK, "%s", err.message);
        while ((status = dv_feed_next(feed, &batch, &err)) == DV_OK) {
            cr_assert_eq(batch->epoch, rows / ROWS);
            cr_assert_eq(batch->position, rows % ROWS);
            rows += batch->rows;
            if (is_slow && batch->number % 4 == 0)
                doze();
        }
        cr_assert_eq(status, DV_END, "%s", err.message);
        cr_assert_eq(rows, EPOCHS * ROWS);
        dv_feed_close(&feed);
    }
    dv_view_release(&view);
    dvt_feed_table_free(t);
}
