/* SPDX-License-Identifier: MIT */
/* test_idv_save_types.c: checks that every type is read back, and that arrays are aligned. */
#include "support/kinds_table.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_same_file(const dv_buffer *a, const dv_buffer *b)
{
    return a->nbytes == b->nbytes && memcmp(a->data, b->data, a->nbytes) == 0;
}

/* --- Every type --- */

/* The file depends neither on the batches nor on the threads. */
static void check_table(dvt_kinds_of kind, dv_save_options options)
{
    static const int64_t block_rows[] = {1, 7, DVT_KINDS_ROWS};
    dv_buffer first = {0};
    for (size_t i = 0; i < COUNT(block_rows); i++) {
        dvt_kinds_table table;
        dvt_kinds_make(&table, kind, block_rows[i]);
        table.made.rows_unknown = i == 1;
        dv_view *view = dvt_made_table_open(&table.made, NULL);
        options.threads = 1 + (int32_t)i;
        dv_buffer file = dvt_save_idv(view, &options);
        if (i == 0) {
            dvt_lines want = dvt_lines_of(view), got = dvt_lines_of_saved(&file);
            cr_expect_str_empty(dvt_lines_difference(&want, &got), "%s, %d rows: %s",
                                dv_kind_name(kind.type.kind), (int)options.rows_per_block,
                                dvt_lines_difference(&want, &got));
            dvt_lines_free(&want);
            dvt_lines_free(&got);
            first = file;
        } else {
            cr_expect(is_same_file(&first, &file), "%s, batches of %d",
                      dv_kind_name(kind.type.kind), (int)block_rows[i]);
            dv_buffer_release(&file);
        }
        dv_view_release(&view);
        dvt_kinds_free(&table);
    }
    dv_buffer_release(&first);
}

static void check_every_type(dv_save_options options, bool has_na)
{
    static const int64_t rows_per_block[] = {0, 1, 4, 13};
    static const dv_compression compressions[] = {DV_COMPRESSION_NONE, DV_COMPRESSION_DEFLATE,
                                                  DV_COMPRESSION_ZLIB};
    for (int i = 0; i < DVT_KINDS; i++)
        for (size_t j = 0; j < COUNT(rows_per_block); j++) {
            dvt_kinds_of kind = dvt_kinds_at(i);
            kind.has_na = has_na;
            options.rows_per_block = rows_per_block[j];
            options.compression = compressions[(size_t)i % COUNT(compressions)];
            check_table(kind, options);
            options.compression = DV_COMPRESSION_NONE;
            check_table(kind, options);
        }
}

Test(idv_save_types, every_type_comes_back)
{
    check_every_type((dv_save_options)DV_SAVE_OPTIONS_INIT, false);
}

Test(idv_save_types, with_na_for_new_readers)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.idv_bool_2bit = true;
    check_every_type(options, true);
}

Test(idv_save_types, with_na_for_old_readers)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.idv_version = "1.1.1.5";
    check_every_type(options, true);
}

/* --- Alignment --- */

static bool is_at(const dv_buffer *buffer, size_t multiple)
{
    return buffer->nbytes == 0 || (uintptr_t)buffer->data % multiple == 0;
}

/* Check that the widest array of a block is aligned. (Booleans are decoded, and ends of texts
 * copied, so their place in the file cannot be checked here.) */
static void expect_widest(const dv_column_view *view, size_t align, const char *where)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        cr_expect(view->type.kind == DV_KIND_BL || is_at(&view->as.fixed.values, align), "%s",
                  where);
        break;
    case DV_LAYOUT_ZONED:
        cr_expect(is_at(&view->as.zoned.ticks, align), "%s", where);
        cr_expect(is_at(&view->as.zoned.minutes, 2), "%s", where);
        break;
    case DV_LAYOUT_TEXT:
        break;
    default:
        cr_expect_fail("%s", where);
    }
}

/* If the number of zoned items is odd, ticks and 32-bit numbers cannot both be aligned: the ticks
 * are. */
static void expect_aligned(const dv_column_view *view, size_t align, const char *where)
{
    if (view->layout != DV_LAYOUT_VECTOR) {
        expect_widest(view, align, where);
        return;
    }
    const dv_vector_layout *vector = &view->as.vector;
    const bool is_odd = vector->items->layout == DV_LAYOUT_ZONED && vector->items->rows % 2 == 1;
    const size_t least = is_odd ? 2 : 4;
    expect_widest(vector->items, align, where);
    cr_expect(is_at(&vector->lengths, least) && is_at(&vector->counts, least) &&
                  is_at(&vector->indices, least),
              "%s", where);
}

/* Check every block of a file that starts at a page, as a mapped file does. */
static void check_blocks(const dv_buffer *file, size_t align, const char *where)
{
    void *page;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(posix_memalign(&page, 4096, file->nbytes), 0);
    memcpy(page, file->data, file->nbytes);
    const dv_buffer copy = {.data = page, .nbytes = file->nbytes};
    dv_view *view = dvt_open_saved(&copy);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    int64_t batches = 0;
    for (; dv_cursor_next(cursor, &batch, NULL) == DV_OK; batches++)
        for (int32_t k = 0; k < batch->columns; k++)
            expect_aligned(dv_batch_column(batch, k), align, where);
    cr_expect_geq(batches, 5, "%s", where);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    free(page);
}

Test(idv_save_types, arrays_are_aligned)
{
    static const int32_t aligns[] = {8, 64, 4096};
    for (int i = 0; i < DVT_KINDS; i++)
        for (size_t j = 0; j < COUNT(aligns); j++) {
            dvt_kinds_table table;
            dvt_kinds_of kind = dvt_kinds_at(i);
            kind.is_ascii = true;
            dvt_kinds_make(&table, kind, DVT_KINDS_ROWS);
            dv_view *view = dvt_made_table_open(&table.made, NULL);
            dv_save_options options = DV_SAVE_OPTIONS_INIT;
            options.align = aligns[j];
            options.rows_per_block = 11;
            dv_buffer file = dvt_save_idv(view, &options);
            check_blocks(&file, (size_t)aligns[j], dv_kind_name(kind.type.kind));
            dv_buffer_release(&file);
            dv_view_release(&view);
            dvt_kinds_free(&table);
        }
}
