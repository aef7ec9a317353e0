/* SPDX-License-Identifier: MIT */
/* test_btable_sloppy.c: a user's view that breaks batch.h is refused. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/save.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One sparse row of five slots, with these two indices and a name. */
static dv_status save_sloppy(int32_t first, int32_t second, const char *name, dv_error *err)
{
    const int32_t counts[] = {2}, indices[] = {first, second},
                  name_ends[] = {(int32_t)strlen(name)};
    const int32_t name_counts[] = {1}, name_indices[] = {3};
    const double values[] = {1, 2};
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R8), values, 2);
    const dv_column_view names = dvt_made_text(DV_KIND_TX, name, name_ends, 1);
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1};
    dv_column_view row = {
        .type = dv_type_vector(dv_type_of(DV_KIND_R8), 5), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    row.as.vector.length = 5;
    row.as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, true, true};
    row.as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, true, true};
    row.as.vector.items = &items;
    table.column[0] = table.metadata = row;
    table.metadata_kind = DV_SLOT_NAMES;
    table.metadata.type = dv_type_vector(dv_type_of(DV_KIND_TX), 5);
    table.metadata.as.vector.counts.data = name_counts;
    table.metadata.as.vector.indices =
        (dv_buffer){name_indices, sizeof name_indices, NULL, true, true};
    table.metadata.as.vector.items = &names;

    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_buffer file;
    options.format = "btable";
    options.allow_loss = DV_LOSS_NAMES;
    const dv_status status = dv_save_memory(view, &file, &options, err);
    dv_buffer_release(&file);
    dv_view_release(&view);
    return status;
}

/* Such rows were written unchanged; fuzz_roundtrip found that the file did not open. */
Test(btable_sloppy, wrong_rows_are_refused)
{
    static const int32_t wrong[][2] = {{-1, 3}, {3, 3}, {3, 1}, {3, 5}, {INT32_MAX, INT32_MIN}};
    static const char *const names[] = {"\x80", "a\xC3", "\xE2\x82", "\xF0\x9F\x98",
                                        "\xED\xA0\x80"};
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(save_sloppy(0, 4, "name", &err), DV_OK, "%s", err.message);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        cr_expect_eq(save_sloppy(wrong[i][0], wrong[i][1], "name", &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "in row 0"), "%s", err.message);
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        cr_expect_eq(save_sloppy(0, 4, names[i], &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "slot 3 is not UTF-8"), "%s", err.message);
    }
}
