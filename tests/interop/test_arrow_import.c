/* SPDX-License-Identifier: MIT */
/* test_arrow_import.c: what is exported comes back from Arrow as it was: names, types, values and
 * metadata, of every golden file. */
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/arrow.h>
#include <dataview/digest.h>
#include <string.h>

/* --- Round trips ------------------------------------------------------------------------------ */

static dv_view *import_again(dv_view *view, const dv_arrow_options *options, bool hold,
                             const char *what)
{
    struct ArrowArrayStream stream;
    dv_view *made;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_import_options import = DV_ARROW_IMPORT_OPTIONS_INIT;
    import.hold = hold;
    cr_assert_eq(dv_view_export_arrow(view, &stream, options, &err), DV_OK, "%s: %s", what,
                 err.message);
    cr_assert_eq(dv_view_import_arrow(&made, &stream, &import, &err), DV_OK, "%s: %s", what,
                 err.message);
    cr_expect_null((void *)(uintptr_t)stream.release);
    return made;
}

/* The digest of all columns, hidden ones too. */
static dv_u128 digest_of(dv_view *view)
{
    dv_cursor *cursor;
    dv_digester *digester;
    dv_error err = DV_ERROR_INIT;
    dv_u128 digests = {0, 0};
    for (int32_t k = 0; k < dv_schema_columns(dv_view_schema(view)); k++) {
        const dv_batch *batch;
        dv_status status;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.columns = &k;
        options.columns_count = 1;
        cr_assert_eq(dv_digester_create(&digester, NULL, NULL), DV_OK);
        dv_digester_add(digester, &digests, sizeof digests);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
            dv_digester_add_column(digester, dv_batch_column(batch, 0));
        cr_assert_eq(status, DV_END, "%s", err.message);
        digests = dv_digester_result(digester);
        dv_cursor_close(&cursor);
        dv_digester_free(&digester);
    }
    return digests;
}

static void check_golden(const dvt_golden *golden)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    dv_cursor_options all;
    options.times = DV_ARROW_TIMES_TICKS;
    options.offsets = true;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    all = dvt_all_columns(view);
    options.cursor = &all;
    const dv_u128 digest = digest_of(view);
    dv_view *held = import_again(view, &options, true, golden->path);
    const dv_u128 again = digest_of(held);
    const char *wrong = dvt_table_difference(view, held, 0);
    cr_expect_null(wrong, "%s: %s", golden->path, wrong);
    const bool has_other_na = strstr(golden->path, "key-above-count"); /* which becomes 0 */
    cr_expect(has_other_na || (digest.lo == again.lo && digest.hi == again.hi), "%s: other values",
              golden->path);
    dv_view *streamed = import_again(view, &options, false, golden->path);
    wrong = dvt_table_difference(view, streamed, 0);
    cr_expect_null(wrong, "%s: once: %s", golden->path, wrong);
    dv_view_release(&streamed);
    dv_view_release(&held);
    dvt_all_columns_free(&all);
    dv_view_release(&view);
}

Test(arrow_import, golden_files_come_back)
{
    cr_expect_gt(dvt_golden_each(check_golden), 10);
}
