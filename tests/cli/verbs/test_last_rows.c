/* SPDX-License-Identifier: MIT */
/* test_last_rows.c: exactly the last rows are kept if the number of rows is unknown.
 *
 * No file makes all cases, so this includes the source of the command. */
#include "cli/verbs/last_rows.c"
#include "support/own_table.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/transform.h>

#define TABLES 8
#define ROWS (TABLES * DVT_OWN_ROWS)

/* Keep the last `wanted` rows of a view of unknown length, and check each. */
static void check(dv_view *view, int64_t wanted, int64_t batch_rows)
{
    dvi_last_rows last = {.wanted = wanted};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    options.batch_rows = batch_rows;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    int64_t seen = 0;
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        seen += batch->rows;
        cr_assert(dvi_last_rows_keep(&last, batch));
        const int64_t most = wanted < seen ? wanted : seen;
        cr_expect_geq(last.rows, most);
        if (last.first < last.end) /* and no more batches than necessary */
            cr_expect_lt(last.rows - last.batch[last.first]->rows, wanted);
        else
            cr_expect_eq(wanted, 0);
    }
    dv_cursor_close(&cursor);

    int64_t row = wanted < ROWS ? ROWS - wanted : 0, over = dvi_last_rows_over(&last);
    cr_expect_eq(last.rows - over, wanted < ROWS ? wanted : ROWS);
    for (size_t i = last.first; i < last.end; i++, over = 0) {
        cr_expect_eq(last.batch[i]->first_row + over, row, "%d wanted", (int)wanted);
        row += last.batch[i]->rows - over;
    }
    cr_expect_eq(row, ROWS);
    dvi_last_rows_free(&last);
}

Test(last_rows, of_every_count)
{
    static dvt_own_table table[TABLES];
    dv_view *part[TABLES], *view;
    for (int i = 0; i < TABLES; i++) {
        table[i] = (dvt_own_table){.rows_unknown = true};
        cr_assert_eq(dvt_own_table_open(&part[i], &table[i], NULL, NULL), DV_OK);
    }
    cr_assert_eq(dv_view_concat(&view, part, TABLES, NULL, NULL), DV_OK);
    for (int i = 0; i < TABLES; i++)
        dv_view_release(&part[i]);
    cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
    for (int64_t wanted = 0; wanted <= ROWS + 3; wanted++) {
        check(view, wanted, 0);
        check(view, wanted, 1);
        check(view, wanted, 7);
    }
    check(view, INT64_MAX, 5);
    dv_view_release(&view);
    for (int i = 0; i < TABLES; i++) {
        cr_expect_eq(table[i].views_closed, 1);
        cr_expect_eq(table[i].wrapped, table[i].released); /* every batch was released */
    }
}
