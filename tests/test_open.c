/* SPDX-License-Identifier: MIT */
/* test_open.c: several files become one view, and formats are recognized (open.h). */
#include "support/concatenated.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/format.h>
#include <dataview/inspect.h>
#include <dataview/save.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static dvt_path golden(const char *name)
{
    char file[128];
    snprintf(file, sizeof file, "%s.idv", name);
    return dvt_test_path(file);
}

Test(open, several_files_are_one_view)
{
    const dvt_path a = golden("golden/idv/people"), b = golden("golden/idv/people");
    const char *const paths[] = {a.text, b.text};
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dvt_set set = dvt_set_open("people people", NULL);
    cr_assert_eq(dv_open_many(&view, paths, 2, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(dv_view_kind(view), "concat");
    cr_expect_eq(dv_view_rows(view), 1200);
    dvt_lines truth = {0}, lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    dvt_put_truth(&truth, &set, 0, INT64_MAX, true);
    cr_expect_eq(dvt_put_numbered(&lines, view, &options, &err), DV_OK);
    cr_expect_str_eq(lines.data, truth.data);
    dvt_lines_free(&truth);
    dvt_lines_free(&lines);
    dvt_set_release(&set);
    dv_view_release(&view);

    cr_assert_eq(dv_open_many(&view, paths, 1, NULL, &err), DV_OK);
    cr_expect_str_eq(dv_view_kind(view), "idv");
    dv_view_release(&view);
}

Test(open, each_way_to_fail_with_several_files)
{
    const dvt_path a = golden("golden/idv/people"), b = golden("golden/idv/rows-1");
    const dvt_path bad = golden("malformed/idv/header_cut.CORRUPT.H1@255");
    const char *differ[] = {a.text, b.text}, *missing[] = {a.text, "no-such.idv"};
    const char *broken[] = {a.text, bad.text};
    dv_open_options options = DV_OPEN_OPTIONS_INIT, wrong = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    wrong.size = 0;
    options.columns = 4;
    cr_expect_eq(dv_open_many(&view, differ, 2, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "rows-1.idv: column 0: expected Name, found x"), "%s",
              err.message);
    cr_expect_eq(dv_open_many(&view, missing, 2, NULL, &err), DV_ERR_IO);
    cr_expect_str_eq(err.file, "no-such.idv");
    cr_expect_eq(dv_open_many(&view, broken, 2, NULL, &err), DV_ERR_CORRUPT);
    cr_expect(strstr(err.file, "@255.idv"), "%s", err.file);
    cr_expect_eq(dv_open_many(&view, differ, 2, &options, &err), DV_ERR_LIMIT);
    cr_expect_eq(dv_open_many(&view, differ, 2, &wrong, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_open_many(&view, differ, 0, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_open_many(&view, differ, -3, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(view);
}

Test(open, formats_are_recognized)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path named = dvt_path_in(&folder, "a.idv"), other = dvt_path_in(&folder, "a.bin");
    const dvt_path comma = dvt_path_in(&folder, "a.csv"), hash = dvt_path_in(&folder, "a");
    const dvt_path empty = dvt_path_in(&folder, "empty"), pipe = dvt_path_in(&folder, "pipe");
    const dvt_path people = golden("golden/idv/people");
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    const char *format = "";
    dvt_file_write(&named, "garbage", 7);
    dvt_file_write(&other, "\1arbage", 7);
    dvt_file_write(&comma, "garbage", 7);
    dvt_file_write(&hash, "#@ Text", 7);
    dvt_file_write(&empty, "", 0);
    cr_assert(mkfifo(pipe.text, 0600) == 0);

    cr_expect_eq(dv_open_format(&format, people.text, NULL, &err), DV_OK);
    cr_expect_str_eq(format, "idv");
    cr_expect_eq(dv_open_format(&format, named.text, NULL, &err), DV_OK);
    cr_expect_str_eq(format, "idv"); /* the ending decides who complains */
    cr_expect_eq(dv_open_format(&format, other.text, NULL, &err), DV_NOT_FOUND);
    cr_expect_null(format);
    cr_expect_eq(dv_open_format(&format, comma.text, NULL, &err), DV_OK);
    cr_expect_str_eq(format, "text"); /* one of several endings */
    cr_expect_eq(dv_open_format(&format, hash.text, NULL, &err), DV_OK);
    cr_expect_str_eq(format, "text"); /* it names its columns */
    cr_expect_eq(dv_open_format(&format, empty.text, NULL, &err), DV_NOT_FOUND);
    cr_expect_eq(dv_open_format(&format, pipe.text, NULL, &err), DV_ERR_IO);
    cr_expect_eq(dv_open_format(&format, "no-such", NULL, &err), DV_ERR_IO);
    options.format = "idv";
    cr_expect_eq(dv_open_format(&format, other.text, &options, &err), DV_OK);
    options.format = "idx";
    cr_expect_eq(dv_open_format(&format, other.text, &options, &err), DV_ERR_ARGUMENT);
    options.size = 0;
    cr_expect_eq(dv_open_format(&format, other.text, &options, &err), DV_ERR_ARGUMENT);
    dvt_folder_remove(&folder);
}

/* --- The table of formats --------------------------------------------------------------------- */

Test(open, formats_are_listed)
{
    cr_assert_gt(dv_format_count(), 3);
    cr_expect_null(dv_format_at(-1));
    cr_expect_null(dv_format_at(dv_format_count()));
    cr_expect_null(dv_format_find("idx"));
    cr_expect_null(dv_format_of_path("a.idx"));
    cr_expect_null(dv_format_of_path("idv"));
    cr_expect_null(dv_format_of_path("a.gz"));
    cr_expect_null(dv_format_of_path("a.idv.gz"));
    cr_expect_null(dv_format_of_path("a.csv.gz.zst"));
    cr_expect_eq(dv_format_of_path("a.csv.gz"), dv_format_find("text"));
    cr_expect_eq(dv_format_of_path("a.TXT.ZST"), dv_format_find("text"));
    for (int32_t i = 0; i < dv_format_count(); i++) {
        const dv_format_info *info = dv_format_at(i);
        char path[64];
        cr_expect_eq(dv_format_find(info->name), info);
        cr_expect(info->title && *info->title, "%s", info->name);
        for (const char *end = info->extensions; *end; end += strspn(end, " ")) {
            const int n = (int)strcspn(end, " ");
            snprintf(path, sizeof path, "folder.x/a%.*s", n, end);
            cr_expect_eq(dv_format_of_path(path), info, "%s", path);
            end += n;
        }
    }
}

/* A format can be saved if the table says so, and its view has its name. */
Test(open, formats_do_what_the_table_says)
{
    dv_view *view;
    const dvt_path path = dvt_test_path("golden/btable/random-00.btable");
    cr_assert_eq(dv_open(&view, path.text, NULL, NULL), DV_OK);
    for (int32_t i = 0; i < dv_format_count(); i++) {
        const dv_format_info *info = dv_format_at(i);
        dv_save_options save = DV_SAVE_OPTIONS_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dv_buffer bytes;
        dv_view *again;
        save.format = how.format = info->name;
        save.allow_loss = DV_LOSS_METADATA | DV_LOSS_NAMES;
        save.datadings = "key=rownumber";
        const dv_status status = dv_save_memory(view, &bytes, &save, &err);
        cr_assert_eq(status, info->can_save ? DV_OK : DV_ERR_UNSUPPORTED, "%s", err.message);
        if (status != DV_OK)
            continue;
        cr_assert_eq(
            dv_open_memory(&again, bytes.data, (size_t)bytes.nbytes, NULL, NULL, "a", &how, &err),
            DV_OK, "%s", err.message);
        cr_expect_str_eq(dv_view_kind(again), info->name);
        dv_view_release(&again);
        dv_buffer_release(&bytes);
    }
    dv_view_release(&view);
}

/* --- What is known of all files --------------------------------------------------------------- */

static dv_view *open_many(const char *const *names, int32_t n, const dv_open_options *options)
{
    dvt_path paths[4];
    const char *path[4];
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    for (int32_t i = 0; i < n; i++) {
        paths[i] = golden(names[i]);
        path[i] = paths[i].text;
    }
    cr_assert_eq(dv_open_many(&view, path, n, options, &err), DV_OK, "%s", err.message);
    return view;
}

Test(open, metadata_are_those_of_the_first)
{
    static const char *const names[] = {"golden/idv/metadata-raw", "golden/idv/metadata-raw"};
    dv_view *both = open_many(names, 2, NULL), *one = open_many(names, 1, NULL);
    const dv_schema *a = dv_view_schema(both), *b = dv_view_schema(one);
    int values = 0;
    cr_assert_eq(dv_schema_columns(a), dv_schema_columns(b));
    for (int32_t i = 0; i < dv_schema_columns(a); i++) {
        const dv_column_info *info = dv_schema_column(a, i);
        cr_assert_eq(info->metadata_count, dv_schema_column(b, i)->metadata_count);
        for (int32_t k = 0; k < info->metadata_count; k++, values++) {
            const dv_batch *x, *y;
            cr_expect(dv_text_equal(dv_schema_metadata(a, i, k)->kind,
                                    dv_schema_metadata(b, i, k)->kind));
            cr_assert_eq(dv_schema_metadata_value(a, i, k, &x, NULL), DV_OK);
            cr_assert_eq(dv_schema_metadata_value(b, i, k, &y, NULL), DV_OK);
            const dv_value u = dv_value_first(dv_batch_column(x, 0));
            const dv_value v = dv_value_first(dv_batch_column(y, 0));
            cr_expect(dv_value_same(&u, &v), "column %d, metadata %d", (int)i, (int)k);
            dv_batch_release(&x);
            dv_batch_release(&y);
        }
    }
    cr_expect_gt(values, 3);
    dv_view_release(&both);
    dv_view_release(&one);
}

Test(open, facts_are_summed_up)
{
    static const char *const names[] = {
        "golden/idv/scalar-all-raw-rpb7", "golden/idv/scalar-all-raw-rpb7",
        "golden/idv/scalar-all-deflate-rpb7", "golden/idv/scalar-all-raw-rpb1"};
    dv_facts *one[4], *two, *all;
    for (int i = 0; i < 4; i++) {
        dv_view *view = open_many(names + i, 1, NULL);
        cr_assert_eq(dv_inspect(&one[i], view, NULL), DV_OK);
        dv_view_release(&view);
    }
    dv_view *same = open_many(names, 2, NULL), *mixed = open_many(names, 4, NULL);
    cr_assert_eq(dv_inspect(&two, same, NULL), DV_OK);
    cr_assert_eq(dv_inspect(&all, mixed, NULL), DV_OK);
    cr_expect_str_eq(two->format, "idv");
    cr_expect_str_eq(two->version, one[0]->version);
    cr_expect_eq(two->rows, 200);
    cr_expect_eq(two->rows_per_block, 7);
    cr_expect_eq(two->blocks_per_column, 30);
    cr_expect_eq(two->file_nbytes, 2 * one[0]->file_nbytes);
    cr_expect_eq(all->rows, 400);
    cr_expect_eq(all->rows_per_block, -1);
    for (int32_t k = 0; k < all->columns; k++) {
        dv_column_facts sum = one[0]->column[k];
        for (int i = 1; i < 4; i++) {
            sum.blocks += one[i]->column[k].blocks;
            sum.stored_nbytes += one[i]->column[k].stored_nbytes;
            sum.inflated_nbytes += one[i]->column[k].inflated_nbytes;
            sum.in_place_blocks += one[i]->column[k].in_place_blocks;
            sum.aligned_blocks += one[i]->column[k].aligned_blocks;
        }
        const dv_column_facts *got = &all->column[k];
        cr_expect_str_eq(got->compression, "mixed");
        cr_expect_str_eq(two->column[k].compression, "none");
        cr_expect(got->blocks == sum.blocks && got->stored_nbytes == sum.stored_nbytes &&
                      got->inflated_nbytes == sum.inflated_nbytes &&
                      got->in_place_blocks == sum.in_place_blocks &&
                      got->aligned_blocks == sum.aligned_blocks,
                  "column %d", (int)k);
    }
    for (int i = 0; i < 4; i++)
        dv_facts_free(&one[i]);
    dv_facts_free(&two);
    dv_facts_free(&all);
    dv_view_release(&same);
    dv_view_release(&mixed);
}

/* Warnings say of which file; dead columns and versions of all count. */
Test(open, facts_of_unlike_files)
{
    static const char *const dead[] = {"malformed/idv/dead_codec.OK",
                                       "malformed/idv/dead_codec.OK"};
    static const char *const versions[] = {"malformed/idv/version_1114.OK",
                                           "malformed/idv/version_1115.OK"};
    dv_facts *first, *all;
    dv_view *one = open_many(dead, 1, NULL), *view = open_many(versions, 2, NULL);
    cr_assert_eq(dv_inspect(&all, view, NULL), DV_OK);
    cr_expect_str_eq(all->version, "several versions");
    dv_facts_free(&all);
    dv_view_release(&view);
    cr_assert_eq(dv_inspect(&first, one, NULL), DV_OK);
    view = open_many(dead, 2, NULL);
    cr_assert_eq(dv_inspect(&all, view, NULL), DV_OK);
    cr_assert_gt(first->dead_columns, 0);
    cr_expect_eq(all->dead_columns, 2 * first->dead_columns);
    cr_expect_eq(all->dead_metadata, first->dead_metadata);
    cr_expect_eq(all->items, -1);
    cr_expect_eq(all->warnings, 2 * first->warnings);
    for (int32_t i = 0; i < all->warnings; i++)
        cr_expect(strstr(all->warning[i], "dead_codec.OK.idv: "), "%s", all->warning[i]);
    dv_facts_free(&first);
    dv_facts_free(&all);
    dv_view_release(&one);
    dv_view_release(&view);
}

typedef struct found {
    int defects, steps;
    int64_t done;
    bool is_forward;
    dv_error first;
    int stop_at; /* defects */
} found;

static bool note_defect(void *ctx, const dv_error *what)
{
    found *f = ctx;
    if (what->status < 0 && f->defects++ == 0)
        f->first = *what;
    return f->defects != f->stop_at;
}

static bool note_progress(void *ctx, int64_t done, int64_t all)
{
    found *f = ctx;
    f->is_forward = f->is_forward && done >= f->done && done <= all;
    f->done = done;
    f->steps++;
    return true;
}

#define BAD "malformed/idv/block_second_in_header.CORRUPT.L4@280"

/* A sound file, and one of the same columns whose second block is damaged. */
static dv_view *open_damaged(const dv_open_options *options)
{
    static const char *const names[] = {"malformed/idv/blocks_reversed.OK", BAD,
                                        "malformed/idv/blocks_reversed.OK"};
    return open_many(names, 3, options);
}

Test(open, verification_visits_every_file)
{
    static const char *const sound[] = {"golden/idv/people", "golden/idv/people"};
    dv_error err = DV_ERROR_INIT;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    found f = {.is_forward = true};
    options.defect = note_defect;
    options.ctx = &f;
    options.ctx = &f;
    options.progress = (dv_progress){note_progress, &f};
    dv_view *view = open_many(sound, 2, NULL);
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK);
    cr_expect_eq(f.defects, 0);
    cr_expect(f.is_forward && f.steps > 3);
    dv_view_release(&view);

    view = open_damaged(NULL);
    f = (found){.is_forward = true};
    options.progress = (dv_progress){0};
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK);
    cr_expect_eq(f.defects, 1);
    cr_expect_eq(f.first.offset, 280);
    cr_expect(strstr(f.first.file, "@280.idv"), "%s", f.first.message);
    f = (found){.stop_at = 1};
    cr_expect_eq(dv_verify(view, &options, &err), DV_END);
    dv_view_release(&view);
}

/* The rows before the damage come, then an error that names the second file. */
Test(open, a_damaged_second_file)
{
    for (int i = 0; i < 8; i++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        how.io = i & 1 ? DV_IO_PREAD : DV_IO_MMAP;
        options.threads = i & 2 ? 4 : 1;
        options.batch_rows = i & 4 ? 100 : 0;
        dv_view *view = open_damaged(&how);
        int64_t rows = 0;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
        while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
            rows += batch->rows;
        dv_view *sound =
            open_many((const char *const[]){"malformed/idv/blocks_reversed.OK"}, 1, &how);
        cr_expect_eq(rows, dv_view_rows(sound) + 1);
        cr_expect_eq(err.status, DV_ERR_CORRUPT);
        cr_expect_eq(err.offset, 280);
        cr_expect(strstr(err.file, "@280.idv"), "%s", err.message);
        dv_cursor_close(&cursor);
        dv_view_release(&sound);
        dv_view_release(&view);
    }
}

/* The second file is cut while its rows are handed out one by one: an error, not a signal. */
Test(open, a_file_that_shrinks)
{
    size_t nbytes;
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.idv"), b = dvt_path_in(&folder, "b.idv");
    const dvt_path source = golden("golden/idv/rows-8193");
    const char *const paths[] = {a.text, b.text};
    uint8_t *data = dvt_file_read(source.text, &nbytes);
    dvt_file_write(&a, data, nbytes);
    dvt_file_write(&b, data, nbytes);
    free(data);

    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = 1;
    options.threads = 1;
    options.first_row = 8190;
    cr_assert_eq(dv_open_many(&view, paths, 2, NULL, &err), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    for (int i = 0; i < 5; i++) /* of the second file too */
        cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    dvt_file_resize(&a, 0); /* no longer read */
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    dvt_file_resize(&b, 300);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "b.idv"), "%s", err.message);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}
