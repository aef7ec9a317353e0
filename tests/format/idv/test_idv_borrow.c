/* SPDX-License-Identifier: MIT */
/* test_idv_borrow.c: checks which bytes a batch points to, and how long they are valid. */
#include "support/golden_files.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <stdlib.h>

#define FILES_MIN 100 /* fewer: the golden files were not found */

/* --- Retained batches ------------------------------------------------------------------------- */

/* Every batch of the view, retained; returns how many. */
static size_t retain_all(dv_view *view, const dv_cursor_options *options, const dv_batch ***list,
                         dv_error *err)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    size_t n = 0, cap = 0;
    *list = NULL;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        if (n == cap)
            *list = realloc(*list, (cap = 2 * cap + 8) * sizeof **list);
        cr_assert_not_null(*list);
        dv_batch_retain(batch);
        (*list)[n++] = batch;
    }
    cr_expect_eq(status, DV_END);
    dv_cursor_close(&cursor);
    return n;
}

static void check_retained(const dvt_golden *golden, dv_io io, int32_t threads, int64_t batch_rows)
{
    static const dvt_part all = DVT_PART_ALL;
    char message[DVT_MESSAGE_NBYTES];
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    cr_expect_eq(dv_open(&view, golden->path, &how, &err), DV_OK, "%s", err.message);
    if (!view)
        return;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    options.batch_rows = batch_rows;
    dvt_lines lines = {0}, again = {0};
    dvt_put_header(&lines, view, &options, dvt_put_metadata_by_value, &err);
    const dv_batch **list;
    const size_t n = retain_all(view, &options, &list, &err);
    cr_expect_eq(err.status, DV_OK, "%s: %s", golden->path, err.message);
    dv_view_release(&view); /* the batches keep their memory */
    for (size_t i = 0; i < n; i++)
        dvt_put_batch_by_layout(&lines, list[i]);
    cr_expect(dvt_golden_same(golden, &all, dvt_lines_text(&lines), message), "%s: %s",
              golden->path, message);
    for (size_t i = n; i-- > 0;) { /* in reverse order */
        dvt_put_batch_by_value(&again, list[i]);
        dv_batch_release(&list[i]);
        cr_expect_null(list[i]);
    }
    free(list);
    dvt_lines_free(&lines);
    dvt_lines_free(&again);
}

static void check_retained_of(const dvt_golden *golden)
{
    check_retained(golden, DV_IO_MMAP, 1, 0);
    check_retained(golden, DV_IO_MMAP, 4, 3);
    check_retained(golden, DV_IO_PREAD, 4, 0);
    check_retained(golden, DV_IO_PREAD, 1, 3);
}

Test(idv_borrow, retained_batches_outlive_cursor_and_view)
{
    cr_expect_gt(dvt_golden_each(check_retained_of), FILES_MIN);
}

/* --- Without a copy --------------------------------------------------------------------------- */

/* Call visit for each buffer of a column that is not empty: for values, and for the layout. */
static void each_buffer(const dv_column_view *column,
                        void (*visit)(const dv_buffer *buffer, bool is_layout))
{
    const dv_buffer *list[3] = {NULL};
    bool is_layout = false;
    switch (column->layout) {
    case DV_LAYOUT_FIXED:
        list[0] = &column->as.fixed.values;
        break;
    case DV_LAYOUT_ZONED:
        list[0] = &column->as.zoned.ticks;
        list[1] = &column->as.zoned.minutes;
        break;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        if (column->as.text.utf8.nbytes > 0)
            visit(&column->as.text.utf8, false);
        list[0] = &column->as.text.ends;
        is_layout = true;
        break;
    case DV_LAYOUT_VECTOR:
        list[0] = &column->as.vector.lengths;
        list[1] = &column->as.vector.counts;
        list[2] = &column->as.vector.indices;
        is_layout = true;
        each_buffer(column->as.vector.items, visit);
        break;
    }
    for (size_t i = 0; i < 3; i++)
        if (list[i] && list[i]->nbytes > 0)
            visit(list[i], is_layout);
}

/* The file in memory, so that its address is known. */
static const uint8_t *file;
static size_t file_nbytes;
static int borrowed, copied;

static void check_buffer(const dv_buffer *buffer, bool is_layout)
{
    const uintptr_t at = (uintptr_t)buffer->data, start = (uintptr_t)file;
    const bool is_inside = at >= start && at + buffer->nbytes <= start + file_nbytes;
    borrowed += !is_layout && buffer->is_borrowed;
    copied += !is_layout && !buffer->is_borrowed;
    cr_expect(!is_layout || !buffer->is_borrowed, "a file that changes would change the layout");
    cr_expect_eq(buffer->is_borrowed, is_inside, "a buffer lies about where its bytes are");
}

static void put_checked(dvt_lines *lines, const dv_batch *batch)
{
    for (int32_t k = 0; k < batch->columns; k++)
        each_buffer(dv_batch_column(batch, k), check_buffer);
    dvt_put_batch_by_layout(lines, batch);
}

/* A zoned time can be NA by its minutes alone, which needs a copy too. */
static bool has_zoned_na(const dvt_table *truth, int32_t k, const dv_type *type)
{
    for (int64_t i = 0; type->kind == DV_KIND_DZ && i < truth->rows; i++)
        if (dvt_json_item(truth->row[i], k)->kind == DVT_JSON_NULL)
            return true;
    return false;
}

/* Column k of the expected table, `column` of the schema: zero_copy_only succeeds if the facts say
 * that every block can be used in place, and then points only into the file. */
static void check_zero_copy(const dvt_golden *golden, dv_view *view, dv_io io, int32_t k,
                            int32_t column, const dv_column_facts *facts)
{
    char message[DVT_MESSAGE_NBYTES];
    dv_error err = DV_ERROR_INIT;
    dvt_lines lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &column;
    options.columns_count = 1;
    options.zero_copy_only = true;
    const dv_column_info *info = dv_schema_column(dv_view_schema(view), column);
    borrowed = copied = 0;
    dvt_put_header(&lines, view, &options, dvt_put_metadata_by_value, NULL);
    const dv_status status = dvt_put_rows(&lines, view, &options, put_checked, &err);
    const bool can =
        facts->blocks == 0 || (io == DV_IO_MMAP && facts->in_place_blocks == facts->blocks);
    if (status != DV_ERR_COPY || !has_zoned_na(golden->truth, k, &info->type))
        cr_expect_eq(status, can ? DV_OK : DV_ERR_COPY, "%s, column %d: %s", golden->path, column,
                     err.message);
    cr_expect_eq(copied, 0, "%s, column %d", golden->path, column);
    const dvt_part part = {0, INT64_MAX, &k, 1};
    if (status == DV_OK)
        cr_expect(dvt_golden_same(golden, &part, dvt_lines_text(&lines), message), "%s: %s",
                  golden->path, message);
    dvt_lines_free(&lines);
}

/* The flags are also right without zero_copy_only; bytes read by pread are not borrowed. */
static void check_flags(const dvt_golden *golden, dv_view *view, dv_io io)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    borrowed = copied = 0;
    cr_expect_eq(dvt_put_rows(&lines, view, NULL, put_checked, &err), DV_OK, "%s", err.message);
    cr_expect(io == DV_IO_MMAP || borrowed == 0, "%s", golden->path);
    dvt_lines_free(&lines);
}

static int in_place;

static void check_copies(const dvt_golden *golden, dv_io io)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_facts *facts = NULL;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.io = io;
    cr_expect_eq(dv_open_memory(&view, file, file_nbytes, NULL, NULL, golden->path, &options, &err),
                 DV_OK, "%s", err.message);
    if (!view)
        return;
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    int32_t *visible;
    const int32_t n = dvt_active_columns(dv_view_schema(view), NULL, &visible);
    for (int32_t k = 0; k < n; k++) {
        const dv_column_facts *of = &facts->column[visible[k]];
        check_zero_copy(golden, view, io, k, visible[k], of);
        in_place += of->blocks > 0 && of->in_place_blocks == of->blocks;
    }
    check_flags(golden, view, io);
    free(visible);
    dv_facts_free(&facts);
    dv_view_release(&view);
}

static void check_copies_of(const dvt_golden *golden)
{
    uint8_t *bytes = dvt_file_read(golden->path, &file_nbytes);
    file = bytes;
    check_copies(golden, DV_IO_MMAP);
    check_copies(golden, DV_IO_PREAD);
    free(bytes);
}

Test(idv_borrow, zero_copy_shows_the_file_or_is_refused)
{
    cr_expect_gt(dvt_golden_each(check_copies_of), FILES_MIN);
    cr_expect_gt(in_place, FILES_MIN, "only %d columns were used in place", in_place);
}

/* --- Columns that must be served in place --- */

/* Raw blocks of these kinds hold the values as batches show them. */
static bool is_plain(const dv_type *type)
{
    switch (type->kind) {
    case DV_KIND_BL: /* bits */
    case DV_KIND_TX: /* only if ASCII */
        return false;
    default:
        return !dv_type_is_vector(type);
    }
}

static void check_plain(const dvt_golden *golden)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_facts *facts = NULL;
    cr_expect_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    if (!view)
        return;
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    for (int32_t i = 0; i < facts->columns; i++) {
        const dv_column_facts *of = &facts->column[i];
        if (strcmp(of->compression, "none") != 0)
            cr_expect_eq(of->in_place_blocks, 0, "%s, column %d", golden->path, i);
        else if (is_plain(&dv_schema_column(dv_view_schema(view), i)->type))
            cr_expect_eq(of->in_place_blocks, of->blocks, "%s, column %d", golden->path, i);
        cr_expect_leq(of->aligned_blocks, of->in_place_blocks);
    }
    dv_facts_free(&facts);
    dv_view_release(&view);
}

Test(idv_borrow, plain_raw_columns_are_used_in_place)
{
    cr_expect_gt(dvt_golden_each(check_plain), FILES_MIN);
}
