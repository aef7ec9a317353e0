/* SPDX-License-Identifier: MIT */
/* test_datadings_rebuild.c: side files that are written again have the bytes of a save. */
#include "support/allocator.h"
#include "support/faults.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include <dataview/datadings.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const dv_open_options defaults = DV_OPEN_OPTIONS_INIT;

static dvt_path path_of(const dvt_samples *made, dvi_datadings_side file)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", made->name, dvi_datadings_suffix(file));
    return dvt_path_in(&made->folder, name);
}

/* Expect a file with these bytes; NULL: no file. */
static void expect_file(const dvt_samples *made, dvi_datadings_side file, const dvt_bytes *bytes)
{
    const dvt_path path = path_of(made, file);
    if (!bytes) {
        cr_expect_neq(access(path.text, F_OK), 0, "%s", path.text);
        return;
    }
    size_t n = 0;
    cr_assert_eq(access(path.text, F_OK), 0, "%s", path.text);
    uint8_t *data = dvt_file_read(path.text, &n);
    cr_expect(n == bytes->n && memcmp(data, bytes->data, n) == 0, "%s", path.text);
    free(data);
}

/* Write a set with these files (o k h f m i) only, and write all side files again. */
static void rebuild(dvt_samples *made, const char *there, const char *text)
{
    static const char letters[] = "okhfmi";
    dvt_samples some = *made;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = defaults;
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    options.datadings = text;
    save.sync = *text != '\0'; /* both are tested */
    for (int file = 0; file < DVI_DATADINGS_FILES; file++)
        if (!strchr(there, letters[file]))
            some.side[file] = (dvt_bytes){NULL, 0, 0};
    dvt_samples_write(&some);
    made->folder = some.folder;
    made->path = some.path;
    cr_assert_eq(dv_open(&view, made->path.text, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_datadings_index(view, *text ? &save : NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), dv_view_rows(view));
    dv_view_release(&view);
    for (int file = 0; file < DVI_DATADINGS_SIDES; file++)
        expect_file(made, (dvi_datadings_side)file, &made->side[file]);
}

static void expect_rebuilt(dvt_samples made)
{
    dvt_bytes with_legacy = {NULL, 0, 0};
    char line[128];
    rebuild(&made, "", "scan");
    expect_file(&made, DVI_DATADINGS_MD5, &made.side[DVI_DATADINGS_MD5]);
    expect_file(&made, DVI_DATADINGS_LEGACY, NULL);
    rebuild(&made, "okhfmi", "scan"); /* old files are replaced */
    expect_file(&made, DVI_DATADINGS_MD5, &made.side[DVI_DATADINGS_MD5]);
    expect_file(&made, DVI_DATADINGS_LEGACY, NULL);
    rebuild(&made, "ok", "");
    expect_file(&made, DVI_DATADINGS_MD5, &made.side[DVI_DATADINGS_MD5]);
    expect_file(&made, DVI_DATADINGS_LEGACY, NULL);

    rebuild(&made, "i", "");
    expect_file(&made, DVI_DATADINGS_LEGACY, &made.side[DVI_DATADINGS_LEGACY]);
    dvt_bytes_append(&with_legacy, made.side[DVI_DATADINGS_MD5].data,
                     made.side[DVI_DATADINGS_MD5].n);
    dvi_md5 *md5;
    cr_assert_eq(dvi_md5_create(&md5, NULL, NULL), DV_OK);
    dvi_md5_add(md5, made.side[DVI_DATADINGS_LEGACY].data, made.side[DVI_DATADINGS_LEGACY].n);
    const int n = snprintf(line, sizeof line, "%s  %s.index\n", dvi_md5_end(md5).digits, made.name);
    dvi_md5_free(&md5);
    dvt_bytes_append(&with_legacy, line, (size_t)n);
    expect_file(&made, DVI_DATADINGS_MD5, &with_legacy);
    dvt_bytes_set(&with_legacy, NULL, 0);
    dvt_samples_free(&made);
}

Test(datadings_rebuild, gives_what_a_save_gives)
{
    expect_rebuilt(dvt_samples_tiny());
    expect_rebuilt(dvt_samples_numbered(0));
    expect_rebuilt(dvt_samples_numbered(1));
    expect_rebuilt(dvt_samples_numbered(1000));
    expect_rebuilt(dvt_samples_numbered(70000));
}

/* --- Refusals --------------------------------------------------------------------------------- */

static dv_status index_of(const dvt_samples *made, const char *text, const dv_save_options *save,
                          const dv_allocator *allocator, dv_error *err)
{
    dv_view *view;
    dv_open_options options = defaults;
    options.datadings = text;
    options.allocator = allocator;
    dv_status status = dv_open(&view, made->path.text, &options, err);
    if (status == DV_OK)
        status = dv_datadings_index(view, save, err);
    dv_view_release(&view);
    return status;
}

/* Samples that are not what .md5 says. */
Test(datadings_rebuild, does_not_hide_damage)
{
    dvt_samples made = dvt_samples_tiny();
    dv_error err = DV_ERROR_INIT;
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    uint8_t *last = (uint8_t *)made.data.data + made.data.n - 1;
    *last ^= 1;
    dvt_samples_write(&made);
    cr_expect_eq(index_of(&made, "raw", NULL, NULL, &err), DV_ERR_LOSS);
    cr_expect_str_eq(err.rule, "allow_loss", "%s", err.message);
    for (int file = 0; file < DVI_DATADINGS_FILES; file++) /* unchanged */
        expect_file(&made, (dvi_datadings_side)file, &made.side[file]);
    save.allow_loss = DV_LOSS_DAMAGED;
    cr_expect_eq(index_of(&made, "raw", &save, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(index_of(&made, "raw", NULL, NULL, &err), DV_OK, "%s", err.message);
    dvt_samples_free(&made);
}

static void expect_refused(const char *bytes, size_t n, const char *rule, int64_t offset)
{
    dvt_samples made = dvt_samples_tiny();
    dv_error err = DV_ERROR_INIT;
    dvt_bytes_set(&made.data, bytes, n);
    dvt_samples_write(&made);
    cr_expect_eq(index_of(&made, "scan", NULL, NULL, &err), DV_ERR_CORRUPT);
    cr_expect_str_eq(err.rule, rule, "%s", err.message);
    cr_expect_eq(err.offset, offset, "%s", err.message);
    cr_expect_not_null(strstr(err.file, "tiny.msgpack"));
    for (int file = 0; file < DVI_DATADINGS_FILES; file++) /* unchanged */
        expect_file(&made, (dvi_datadings_side)file, &made.side[file]);
    cr_expect_eq(dvt_folder_entries(&made.folder), 7);
    dvt_samples_free(&made);
}

Test(datadings_rebuild, refuses_keys_that_find_nothing)
{
    expect_refused("\x81\xa3key\xa1z\x81\xa1x\x01", 11, "datadings:8.31", 7);
    expect_refused("\x81\xa3key\xa1z\x81\xa3key\xa1z", 14, "datadings:8.15", 7);
}

Test(datadings_rebuild, refuses_bytes_in_memory)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dvt_samples made = dvt_samples_tiny();
    cr_assert_eq(
        dv_open_memory(&view, made.data.data, made.data.n, NULL, NULL, "x.msgpack", NULL, &err),
        DV_OK, "%s", err.message);
    cr_expect_eq(dv_datadings_index(view, NULL, &err), DV_ERR_ARGUMENT);
    dv_view_release(&view);
    dvt_samples_free(&made);
}

Test(datadings_rebuild, refuses_a_file_that_was_replaced)
{
    dvt_samples made = dvt_samples_tiny();
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dvt_samples_write(&made);
    cr_assert_eq(dv_open(&view, made.path.text, NULL, &err), DV_OK);
    const dvt_path old = dvt_path_in(&made.folder, "old");
    cr_assert_eq(rename(made.path.text, old.text), 0);
    cr_expect_eq(dv_datadings_index(view, NULL, &err), DV_ERR_IO);
    dv_view_release(&view);
    dvt_samples_free(&made);
}

static bool stop_at(void *ctx, int64_t rows_done, int64_t rows)
{
    cr_expect_eq(rows, 1000);
    return rows_done < *(int64_t *)ctx;
}

Test(datadings_rebuild, stops_when_asked)
{
    dvt_samples made = dvt_samples_numbered(1000);
    dv_error err = DV_ERROR_INIT;
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    dvt_samples_write(&made);
    for (int64_t at = 0; at <= 1000; at += 500) {
        save.progress = (dv_progress){stop_at, &at};
        cr_expect_eq(index_of(&made, "", &save, NULL, &err), DV_ERR_STOPPED);
        expect_file(&made, DVI_DATADINGS_LEGACY, &made.side[DVI_DATADINGS_LEGACY]);
    }
    save.size = 1 << 20;
    cr_expect_eq(index_of(&made, "", &save, NULL, &err), DV_ERR_ARGUMENT);
    dvt_samples_free(&made);
}

/* --- Failures --------------------------------------------------------------------------------- */

Test(datadings_rebuild, any_allocation_may_fail)
{
    dvt_samples made = dvt_samples_tiny();
    dvt_allocator counted;
    int64_t k = 0;
    dv_status status;
    dvt_samples_write(&made);
    do {
        dvt_allocator_init(&counted, ++k);
        status = index_of(&made, k & 1 ? "scan" : "", NULL, &counted.allocator, NULL);
        cr_assert_eq(counted.live, 0, "allocation %d", (int)k);
        cr_assert(status == DV_ERR_MEMORY || counted.asked < k);
        cr_assert_eq(dvt_folder_entries(&made.folder) <= 7, true);
    } while (status != DV_OK);
    cr_expect_gt(k, 20);
    dvt_samples_free(&made);
}

/* After each failing system call the set opens unchanged, or is refused as incomplete. */
static void expect_faults(const char *there, const char *text, bool sync)
{
    static const char letters[] = "okhfmi";
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    save.sync = sync;
    int64_t calls = 0;
    dv_status status;
    do {
        dvt_samples made = dvt_samples_tiny();
        dvt_samples some = made;
        dv_view *view;
        dv_open_options options = defaults;
        dv_error err = DV_ERROR_INIT;
        options.datadings = text;
        for (int file = 0; file < DVI_DATADINGS_FILES; file++)
            if (!strchr(there, letters[file]))
                some.side[file] = (dvt_bytes){NULL, 0, 0};
        dvt_samples_write(&some);
        made.folder = some.folder;
        made.path = some.path;
        cr_assert_eq(dv_open(&view, made.path.text, &options, &err), DV_OK);
        dvt_faults_start(++calls, DVT_FAULT_ERROR, ENOSPC);
        status = dv_datadings_index(view, &save, &err);
        dvt_faults_stop();
        dv_view_release(&view);
        status = *dvt_faults_hit() ? DV_ERR_IO : status; /* some calls may fail without harm */
        const dv_status opened = dv_open(&view, made.path.text, NULL, &err);
        cr_expect(opened == DV_OK || (opened == DV_ERR_CORRUPT && !strchr(there, 'i')),
                  "call %d: %s", (int)calls, err.message);
        int64_t row;
        if (opened == DV_OK)
            cr_expect_eq(dv_datadings_find(view, dv_text_of("b/1"), &row, &err), DV_OK, "%s",
                         err.message);
        dv_view_release(&view);
        dvt_samples_free(&made);
    } while (status != DV_OK);
    cr_expect_gt(calls, 10);
}

Test(datadings_rebuild, any_call_may_fail)
{
    expect_faults("i", "", false);
    expect_faults("i", "", true);
    expect_faults("okhfm", "", false);
    expect_faults("okhfm", "", true);
}
