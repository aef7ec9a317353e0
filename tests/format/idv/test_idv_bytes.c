/* SPDX-License-Identifier: MIT */
/* test_idv_bytes.c: columns of BY, which are vectors of bytes with a mark (idv:5.9). */
#include "support/columns.h"
#include "support/made_table.h"
#include "support/same_table.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <string.h>

#define ROWS 7

static const char some_bytes[] = "\x00\xFF\xC3text\x80\x00zz";

/* A table of one column, "a". */
static dv_view *table_of(dvt_made_table *table, dv_column_view column, int64_t rows)
{
    *table = (dvt_made_table){.columns = 1, .rows = rows, .block_rows = 3, .bad_row = -1};
    table->column[0] = column;
    return dvt_made_table_open(table, NULL);
}

static const dv_type *type_of(const dv_view *view)
{
    return &dv_schema_column(dv_view_schema(view), 0)->type;
}

/* Values come back from each kind of file, and saving them again gives the same bytes. */
Test(idv_bytes, round_trips)
{
    static const struct {
        const char *name;
        int32_t ends[ROWS];
    } lengths[] = {
        {"any", {0, 1, 1, 4, 9, 9, 11}}, {"equal", {1, 2, 3, 4, 5, 6, 7}}, {"none", {0}}};
    static const int64_t rows_per_block[] = {0, 1, 3};
    for (int i = 0; i < 3 * 3 * 4; i++) {
        dvt_made_table table;
        const int32_t *ends = lengths[i % 3].ends;
        dv_view *view = table_of(&table, dvt_made_text(DV_KIND_BY, some_bytes, ends, ROWS), ROWS);
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.rows_per_block = rows_per_block[i / 3 % 3];
        options.compression = i / 9 % 2 ? DV_COMPRESSION_DEFLATE : DV_COMPRESSION_NONE;
        options.idv_version = i / 18 ? "1.1.1.5" : NULL;
        dv_buffer file = dvt_save_idv(view, &options);
        dv_view *again = dvt_open_saved(&file);
        cr_expect_eq(type_of(again)->kind, DV_KIND_BY);
        cr_expect_eq(dv_schema_column(dv_view_schema(again), 0)->metadata_count, 0);
        for (int64_t rows = 0; rows < 4; rows++) {
            const char *wrong = dvt_table_difference(view, again, rows);
            cr_expect_null(wrong, "%s, case %d: %s", lengths[i % 3].name, i, wrong);
        }
        dv_buffer second = dvt_save_idv(again, &options);
        cr_expect(second.nbytes == file.nbytes && memcmp(second.data, file.data, file.nbytes) == 0,
                  "case %d", i);
        dv_buffer_release(&second);
        dv_view_release(&again);
        dv_buffer_release(&file);
        dv_view_release(&view);
    }
}

/* The bytes of a stored block are used where they lie. */
Test(idv_bytes, are_in_place)
{
    static const int32_t ends[ROWS] = {0, 1, 1, 4, 9, 9, 11};
    dvt_made_table table;
    dv_view *view = table_of(&table, dvt_made_text(DV_KIND_BY, some_bytes, ends, ROWS), ROWS);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_buffer file = dvt_save_idv(view, &options);
    dv_view *again = dvt_open_saved(&file);
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    how.zero_copy_only = true;
    cr_assert_eq(dv_cursor_open(&cursor, again, &how, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    const dv_buffer *bytes = &dv_batch_column(batch, 0)->as.text.utf8;
    const char *start = file.data, *at = bytes->data;
    cr_expect(bytes->is_borrowed && at >= start && at + bytes->nbytes <= start + file.nbytes);
    dv_cursor_close(&cursor);
    dv_view_release(&again);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

/* A column of one vector with metadata of that name, saved and opened again. */
static dv_view *reopen(dv_buffer *file, dv_column_view vector, const char *kind,
                       dv_column_view mark)
{
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1};
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    table.column[0] = vector;
    table.metadata_kind = kind;
    table.metadata = mark;
    dv_view *view = dvt_made_table_open(&table, NULL);
    *file = dvt_save_idv(view, &options);
    dv_view_release(&view);
    return dvt_open_saved(file);
}

/* A vector of any length, although the layout says which. */
static dv_column_view of_any_length(dv_column_view vector)
{
    const dv_type item = dv_type_item(&vector.type);
    vector.type = dv_type_vector(item, 0);
    return vector;
}

/* Only BL that is true, of vectors of U1 of any length, makes BY. */
Test(idv_bytes, marks)
{
    dv_column_view items = dvt_column_fixed(dv_type_of(DV_KIND_U1), "01 02 03");
    dv_column_view of_i1 = dvt_column_fixed(dv_type_of(DV_KIND_I1), "01 02 03");
    dv_column_view three = dvt_column_vector(&items, 3, "FFFFFFFF", "");
    dv_column_view others = dvt_column_vector(&of_i1, 3, "FFFFFFFF", "");
    dv_column_view yes = dvt_column_fixed(dv_type_of(DV_KIND_BL), "01");
    dv_column_view no = dvt_column_fixed(dv_type_of(DV_KIND_BL), "00");
    dv_column_view number = dvt_column_fixed(dv_type_of(DV_KIND_I1), "01");
    const struct {
        const char *kind;
        dv_column_view vector, mark;
        const char *type;
    } list[] = {
        {"dataview.bytes", of_any_length(three), yes, "BY"},
        {"dataview.bytes", of_any_length(three), no, "V<U1,*>"},
        {"dataview.bytes", of_any_length(three), number, "V<U1,*>"},
        {"bytes", of_any_length(three), yes, "V<U1,*>"},
        {"dataview.bytes", three, yes, "V<U1,3>"},
        {"dataview.bytes", of_any_length(others), yes, "V<I1,*>"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dv_buffer file;
        char type[64];
        dv_view *view = reopen(&file, list[i].vector, list[i].kind, list[i].mark);
        dv_type_print(type_of(view), type, sizeof type);
        cr_expect_str_eq(type, list[i].type, "case %zu", i);
        cr_expect_eq(dv_schema_column(dv_view_schema(view), 0)->metadata_count, i > 0);
        dv_view_release(&view);
        dv_buffer_release(&file);
    }
    dvt_column_free(&three);
    dvt_column_free(&others);
    dvt_column_free(&items);
    dvt_column_free(&of_i1);
    dvt_column_free(&yes);
    dvt_column_free(&no);
    dvt_column_free(&number);
}

/* Another writer may store sparse vectors: the slots between are 0. */
Test(idv_bytes, sparse_vectors)
{
    dv_column_view items = dvt_column_fixed(dv_type_of(DV_KIND_U1), "07 09");
    dv_column_view vector = dvt_column_vector(&items, 5, "02000000", "01000000 03000000");
    dv_column_view yes = dvt_column_fixed(dv_type_of(DV_KIND_BL), "01");
    dv_buffer file;
    dv_view *view = reopen(&file, of_any_length(vector), "dataview.bytes", yes);
    dvt_lines lines = dvt_lines_of(view);
    cr_expect(strstr(lines.data, "by:0007000900"), "%s", lines.data);
    dvt_lines_free(&lines);

    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    how.zero_copy_only = true;
    cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_COPY);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_buffer_release(&file);
    dvt_column_free(&vector);
    dvt_column_free(&items);
    dvt_column_free(&yes);
}

static bool is_metadata(void *ctx, const dv_loss_report *report)
{
    *(bool *)ctx |= report->loss == DV_LOSS_METADATA;
    return true;
}

/* Bytes that are metadata stay refused, and so do the saver's own metadata. */
Test(idv_bytes, metadata_are_refused)
{
    dv_column_view text = dvt_column_text(DV_KIND_BY, "ab", 0, "02000000");
    dv_column_view yes = dvt_column_fixed(dv_type_of(DV_KIND_BL), "01");
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    for (int i = 0; i < 2; i++) {
        dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1};
        bool found = false;
        table.column[0] = text;
        table.metadata_kind = i ? "dataview.bytes" : "Raw";
        table.metadata = i ? yes : text;
        dv_view *view = dvt_made_table_open(&table, NULL);
        cr_expect_eq(dv_save_check(view, "x.idv", &options, is_metadata, &found, NULL),
                     DV_ERR_LOSS);
        cr_expect(found);
        dv_view_release(&view);
    }
    dvt_column_free(&text);
    dvt_column_free(&yes);
}
