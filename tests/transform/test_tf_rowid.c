/* SPDX-License-Identifier: MIT */
/* test_tf_rowid.c: the column of row ids (semantics:7.19) has the ids of the rows, and asks for
 * them only if it is active. */
#include "support/chain.h"
#include "support/golden_files.h"
#include "support/identities.h"
#include "support/own_table.h"
#include "support/test.h"
#include "transform/tf_rowid.h"
#include <dataview/cursor.h>
#include <dataview/own_view.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *open_chain(const char *file, const char *steps)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL, *source = dvt_golden_open(file, NULL);
    cr_assert_eq(dvt_chain_of(&view, source, steps, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&source);
    return view;
}

/* Every value of the column is the id of its row.  Returns how many rows there are. */
static int64_t compare_ids(dv_view *view, int64_t batch_rows, int32_t threads, int64_t first_row,
                           bool zero_copy_only)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    int32_t column;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("Id"), &column), DV_OK);
    options.columns = &column;
    options.columns_count = 1;
    options.ids = true;
    options.batch_rows = batch_rows;
    options.threads = threads;
    options.first_row = first_row;
    options.zero_copy_only = zero_copy_only;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    for (dv_status status; (status = dv_cursor_next(cursor, &batch, NULL)) != DV_END;) {
        cr_assert_eq(status, DV_OK);
        const dv_column_view *values = dv_batch_column(batch, 0);
        cr_assert_eq(values->type.kind, DV_KIND_UG);
        cr_expect_eq(
            memcmp(values->as.fixed.values.data, batch->ids, (size_t)batch->rows * sizeof(dv_u128)),
            0);
        rows += batch->rows;
    }
    dv_cursor_close(&cursor);
    return rows;
}

#define ROWID "{\"transform\":\"ProduceId\",\"column\":{\"name\":\"Id\"}}"

Test(tf_rowid, has_the_ids_of_rows)
{
    static const char *const steps[] = {
        ROWID,
        "[" ROWID ",{\"transform\":\"SkipTake\",\"skip\":2}]",
        "[" ROWID ",{\"transform\":\"NAFilter\",\"columns\":[\"Id\"]}]",
    };
    static const int64_t sizes[] = {0, 1, 3, 64};
    for (size_t i = 0; i < COUNT(steps); i++) {
        dv_view *view = open_chain("idv/scalar-all-raw-rpb7.idv", steps[i]);
        for (size_t k = 0; k < COUNT(sizes); k++)
            for (int32_t threads = 1; threads <= 4 && i != 2; threads += 3)
                for (int64_t first = 0; first <= 9; first += 9)
                    cr_expect_gt(compare_ids(view, sizes[k], threads, first, sizes[k] == 0), 10);
        dv_view_release(&view);
    }
}

/* Ids of the source that are no row numbers, and that come with a filter. */
Test(tf_rowid, passes_ids_of_the_source_on)
{
    static const char steps[] =
        "[{\"transform\":\"BootstrapSample\",\"seed\":3},{\"transform\":\"Filter\",\"conditions\":["
        "{\"column\":\"Age\",\"relations\":6,\"value\":\"3\"}]}," ROWID "]";
    dv_view *view = open_chain("idv/people.idv", steps);
    for (int64_t size = 0; size < 4; size++)
        cr_expect_gt(compare_ids(view, size, 1, 0, false), 0);
    dv_view_release(&view);
}

/* Of the cursor that the view opens on its source. */
static bool asks_for_ids(const int32_t *columns, int32_t n, bool ids)
{
    dvt_own_table table = {0};
    dv_view *source, *view;
    dv_cursor *cursor;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = n;
    options.ids = ids;
    cr_assert_eq(dvt_own_table_open(&source, &table, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_rowid_view(&view, source, dv_text_of("i"), NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    const bool asked = table.request.ids;
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    return asked;
}

Test(tf_rowid, asks_for_ids_if_it_is_active)
{
    static const int32_t columns[] = {0, 6};
    cr_expect_not(asks_for_ids(columns, 1, false));
    cr_expect(asks_for_ids(columns, 1, true));
    cr_expect(asks_for_ids(columns, 2, false));
    cr_expect(asks_for_ids(columns + 1, 1, false));
}

/* The request alone decides whether a batch has ids. */
Test(tf_rowid, adds_no_ids_to_batches)
{
    dv_view *view = open_chain("idv/people.idv", ROWID);
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_null(batch->ids);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

Test(tf_rowid, refuses_a_name)
{
    dv_view *view, *source = dvt_golden_open("idv/people.idv", NULL);
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_rowid_view(&view, source, dv_text_of(""), NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(*err.message);
    cr_expect_null(view);
    dv_view_release(&source);
}

Test(tf_rowid, is_known_by_its_name_and_source)
{
    static const char *const steps[] = {
        ROWID, "{\"transform\":\"ProduceId\",\"column\":{\"name\":\"other\"}}",
        "[{\"transform\":\"SkipTake\",\"skip\":1}," ROWID "]"};
    dvt_identities all = {.n = 0};
    for (size_t i = 0; i < COUNT(steps); i++) {
        const dv_u128 identity = dvt_identity_of(open_chain("idv/people.idv", steps[i]));
        cr_expect(
            dvt_identity_same(identity, dvt_identity_of(open_chain("idv/people.idv", steps[i]))));
        cr_expect_null(dvt_identities_add(&all, steps[i], identity));
    }
}
