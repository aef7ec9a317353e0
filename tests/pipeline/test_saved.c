/* SPDX-License-Identifier: MIT */
/* test_saved.c: fitted pipelines that are saved and opened make what they made before; a cut or a
 * change anywhere is found, and the file is whole or not there. */
#include "saved/saved_priv.h"
#include "support/allocator.h"
#include "support/fitted_bytes.h"
#include "support/golden_files.h"
#include "support/identities.h"
#include "support/pipe_stories.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_buffer save_story(const dvt_pipe_story *s)
{
    dv_buffer bytes;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = dvt_golden_open(s->file, NULL);
    cr_assert_eq(dvt_fit_text(&fitted, view, dv_text_of(s->pipeline), NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dvt_fitted_save(&bytes, fitted, NULL, &err), DV_OK, "%s", err.message);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
    return bytes;
}

/* --- The same before and after ---------------------------------------------------------------- */

static void put_applied(dvt_lines *lines, dv_fitted *fitted, dv_view *source)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dvt_produce_by_value(lines, view, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
}

/* Tokens and caches of the one hold for the other. */
static bool is_same_identity(dv_fitted *a, dv_fitted *b, dv_view *source)
{
    dv_view *first, *second;
    cr_assert_eq(dv_fitted_apply(&first, a, source, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_apply(&second, b, source, NULL, NULL), DV_OK);
    return dvt_identity_same(dvt_identity_of(first), dvt_identity_of(second));
}

static void expect_same(dv_fitted *fitted, dv_view *source, const char *name)
{
    dv_buffer bytes, again;
    dv_fitted *opened;
    dvt_lines want = {0}, got = {0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvt_fitted_save(&bytes, fitted, NULL, &err), DV_OK, "%s: %s", name, err.message);
    cr_assert_eq(dvt_fitted_open(&opened, bytes.data, bytes.nbytes, NULL, &err), DV_OK, "%s: %s",
                 name, err.message);
    put_applied(&want, fitted, source);
    put_applied(&got, opened, source);
    cr_expect(want.nbytes == got.nbytes && memcmp(want.data, got.data, want.nbytes) == 0, "%s",
              name);
    cr_expect(is_same_identity(fitted, opened, source), "%s", name);
    const dv_fitted_info is = dv_fitted_inspect(opened), was = dv_fitted_inspect(fitted);
    cr_expect(is.rows == was.rows && is.passes == was.passes && is.tables == was.tables);
    cr_assert_eq(dvt_fitted_save(&again, opened, NULL, &err), DV_OK);
    cr_expect(again.nbytes == bytes.nbytes && memcmp(again.data, bytes.data, bytes.nbytes) == 0,
              "%s: other bytes", name);
    dvt_lines_free(&want);
    dvt_lines_free(&got);
    dv_fitted_release(&opened);
    dv_buffer_release(&bytes);
    dv_buffer_release(&again);
}

Test(saved, makes_what_it_made)
{
    for (const dvt_pipe_story *s = dvt_pipe_stories; s->file; s++) {
        dv_fitted *fitted;
        dv_view *view = dvt_golden_open(s->file, NULL);
        cr_assert_eq(dvt_fit_text(&fitted, view, dv_text_of(s->pipeline), NULL, NULL), DV_OK);
        expect_same(fitted, view, s->pipeline);
        dv_fitted_release(&fitted);
        dv_view_release(&view);
    }
}

/* The cases of ML.NET, of which there is one for every type. */
static int check_case(const dvt_path *folder, const char *name, void *ctx)
{
    size_t n;
    dv_fitted *fitted;
    dv_view *view;
    (void)ctx;
    if (access(dvt_path_in(folder, "pipe.txt").text, R_OK) != 0 ||
        access(dvt_path_in(folder, "output.jsonl").text, R_OK) != 0)
        return 0;
    cr_assert_eq(dv_open(&view, dvt_path_in(folder, "input.idv").text, NULL, NULL), DV_OK);
    char *text = (char *)dvt_file_read(dvt_path_in(folder, "pipe.txt").text, &n);
    const dv_status status = dvt_fit_text(&fitted, view, dv_text_of(text), NULL, NULL);
    free(text);
    if (status == DV_OK)
        expect_same(fitted, view, name);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
    return status == DV_OK;
}

Test(saved, cases_of_the_reference)
{
    const int today = dvt_golden_folders("transform", true, check_case, NULL);
    const int older = dvt_golden_folders("transform-1.5", true, check_case, NULL);
    cr_expect_geq(dvt_golden_folders("transform", false, check_case, NULL), 10);
    cr_expect(today < 0 || today >= 100);
    cr_expect(older < 0 || older >= 20);
}

/* Keys that begin above 0 are written as old readers have them; terms of every layout. */
Test(saved, types_of_terms)
{
    static const uint8_t keys[] = {3, 1, 0, 3};
    static const dv_zoned times[] = {{7, 60}, {9, -60}, {DV_TICKS_NA, 0}, {7, 0}};
    static const int8_t bools[] = {1, DV_BL_NA, 0, 1};
    const dv_table_column columns[] = {{"K", dv_type_key(DV_KIND_U1, 5, 3), keys, NULL},
                                       {"Z", dv_type_of(DV_KIND_DZ), times, NULL},
                                       {"B", dv_type_of(DV_KIND_BL), bools, NULL}};
    dv_view *view;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_table_create(&view, columns, COUNT(columns), 4, NULL, NULL), DV_OK);
    cr_assert_eq(dvt_fit_text(&fitted, view, dv_text_of("term K Z B"), NULL, &err), DV_OK, "%s",
                 err.message);
    expect_same(fitted, view, "types");
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}

static const char want_manifest[] =
    "\"rows\":5,\"passes\":1,\n\"input\":[\n{\"name\":\"A\",\"type\":\"TX\"}],\n\"steps\":[\n"
    "{\"name\":\"term\",\"version\":1,\"text\":\"term K:A max=2\",\"tables\":[\"step1.column1."
    "terms\"]},\n"
    "{\"name\":\"select\",\"version\":1,\"text\":\"select K A\",\"tables\":[]}]}\n";

static dv_fitted *fit_little(void)
{
    static const char *const texts[] = {"b", "a", "", "b", "c"};
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    dv_view *view;
    dv_fitted *fitted;
    cr_assert_eq(dv_table_create(&view, &column, 1, COUNT(texts), NULL, NULL), DV_OK);
    cr_assert_eq(dvt_fit_text(&fitted, view, dv_text_of("term K:A max=2; select K A"), NULL, NULL),
                 DV_OK);
    dv_view_release(&view);
    return fitted;
}

Test(saved, manifest_is_readable)
{
    dv_buffer bytes;
    dv_fitted *fitted = fit_little();
    cr_assert_eq(dvt_fitted_save(&bytes, fitted, NULL, NULL), DV_OK);
    const char *json = (const char *)bytes.data + DVI_SAVED_HEADER;
    cr_expect_eq(strncmp(json, "{\"dataview\":\"", 13), 0);
    cr_expect_eq(strncmp(strchr(json, ',') + 1, want_manifest, strlen(want_manifest)), 0, "%s",
                 json);
    dv_buffer_release(&bytes);
    dv_fitted_release(&fitted);
}

/* --- Damage ----------------------------------------------------------------------------------- */

static void expect_refused(const uint8_t *bytes, size_t n, const char *what, size_t at)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    uint8_t *copy = malloc(n > 0 ? n : 1); /* ASan sees the end */
    if (n > 0)
        memcpy(copy, bytes, n);
    const dv_status status = dvt_fitted_open(&fitted, copy, n, NULL, &err);
    cr_expect(status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED, "%s at %zu: %d", what, at,
              status);
    cr_expect(*err.message && !fitted, "%s at %zu", what, at);
    free(copy);
}

Test(saved, every_cut_is_found)
{
    for (const dvt_pipe_story *s = dvt_pipe_stories; s->file; s++) {
        dv_buffer bytes = save_story(s);
        for (size_t n = 0; n < bytes.nbytes; n += (size_t)DVT_FAIL_STEP)
            expect_refused(bytes.data, n, "a cut", n);
        dv_buffer_release(&bytes);
    }
}

Test(saved, every_change_is_found)
{
    for (const dvt_pipe_story *s = dvt_pipe_stories; s->file; s++) {
        dv_buffer bytes = save_story(s);
        uint8_t *copy = malloc(bytes.nbytes + 1);
        memcpy(copy, bytes.data, bytes.nbytes);
        for (size_t at = 0; at < bytes.nbytes; at += (size_t)DVT_FAIL_STEP) {
            copy[at] ^= (uint8_t)(1 << at % 8);
            expect_refused(copy, bytes.nbytes, "a change", at);
            copy[at] ^= (uint8_t)(1 << at % 8);
        }
        copy[bytes.nbytes] = 0;
        expect_refused(copy, bytes.nbytes + 1, "a byte more", bytes.nbytes);
        free(copy);
        dv_buffer_release(&bytes);
    }
}

/* --- Too much --------------------------------------------------------------------------------- */

static void expect_too_much(const dvt_lines *text, const char *part)
{
    dv_buffer bytes;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = dvt_golden_open("transform/hash-invert2/input.idv", NULL);
    cr_assert_eq(
        dvt_fit_text(&fitted, view, (dv_text){text->data, (int64_t)text->nbytes}, NULL, &err),
        DV_OK, "%s", err.message);
    cr_expect_eq(dvt_fitted_save(&bytes, fitted, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, part), "%s", err.message);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}

Test(saved, more_than_a_file_takes)
{
    char column[32];
    dvt_lines text = {0};
    dvt_lines_add(&text, "term", 4);
    for (int i = 0; i < DVI_SAVED_SECTIONS; i++) {
        snprintf(column, sizeof column, " N%d:A", i);
        dvt_lines_add(&text, column, strlen(column));
    }
    expect_too_much(&text, "4096 tables; a file has at most 4095");
    text.nbytes = 0;
    dvt_lines_add(&text, "term A terms=[", 14);
    for (int i = 0; i < DVI_SAVED_MANIFEST / 16; i++)
        dvt_lines_add(&text, "abcdefghijklmnop", 16);
    dvt_lines_add(&text, "]", 1);
    expect_too_much(&text, "more than 16 MiB");
    dvt_lines_free(&text);
}

/* --- Files ------------------------------------------------------------------------------------ */

Test(saved, a_failed_save_leaves_the_old_file)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.dvp"), missing = dvt_path_in(&folder, "no/a.dvp");
    dv_fitted *fitted = fit_little(), *opened;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_fitted_open(&opened, path.text, NULL, &err), DV_ERR_IO);
    cr_expect_null(opened);
    cr_expect_eq(dv_fitted_save(fitted, missing.text, NULL, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "a.dvp"), "%s", err.message);
    cr_assert_eq(dv_fitted_save(fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
    for (int64_t fail = 1;; fail++) { /* an allocation each time; the file stays readable */
        dvt_allocator counted;
        dvt_allocator_init(&counted, fail);
        const dv_status status = dv_fitted_save(fitted, path.text, &counted.allocator, &err);
        cr_assert_eq(dv_fitted_open(&opened, path.text, NULL, &err), DV_OK, "%s", err.message);
        dv_fitted_release(&opened);
        if (status == DV_OK)
            break;
        cr_assert_eq(status, DV_ERR_MEMORY);
    }
    dv_fitted_release(&fitted);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_folder_remove(&folder);
}

/* --- Old files -------------------------------------------------------------------------------- */

/* Files of version 1 are kept for good. */
Test(saved, version_1_opens)
{
    static const char *const texts[] = {"c", "b", "x", ""};
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    dv_view *source;
    dv_fitted *fitted;
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_table_create(&source, &column, 1, COUNT(texts), NULL, NULL), DV_OK);
    cr_assert_eq(
        dv_fitted_open(&fitted, dvt_test_path("golden/dvp/version-1.dvp").text, NULL, &err), DV_OK,
        "%s", err.message);
    put_applied(&lines, fitted, source);
    size_t n;
    char *want = (char *)dvt_file_read(dvt_test_path("golden/dvp/version-1.jsonl").text, &n);
    cr_expect_str_eq(lines.data, want);
    free(want);
    dvt_lines_free(&lines);
    dv_fitted_release(&fitted);
    dv_view_release(&source);
}

Test(saved, is_told_by_its_first_bytes)
{
    static const struct {
        const char *bytes;
        size_t n;
        dv_status status;
        const char *format;
    } files[] = {
        {"DVPIPE\r\n", 8, DV_OK, "dvp"},     {"DVPIPE\r\nmore", 12, DV_OK, "dvp"},
        {"DVPIPE\r", 7, DV_NOT_FOUND, NULL}, {"DVPIPE\n\n", 8, DV_NOT_FOUND, NULL},
        {"PK\3\4", 4, DV_OK, "model.zip"},   {"PK\3", 3, DV_NOT_FOUND, NULL},
        {"", 0, DV_NOT_FOUND, NULL},         {"term A; term B", 14, DV_NOT_FOUND, NULL},
    };
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "a");
    dv_error err = DV_ERROR_INIT;
    const char *format = "";
    cr_expect_eq(dv_fitted_format(&format, path.text, &err), DV_ERR_IO);
    cr_expect_null(format);
    cr_expect_str_eq(err.file, path.text);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        dvt_file_write(&path, files[i].bytes, files[i].n);
        cr_expect_eq(dv_fitted_format(&format, path.text, &err), files[i].status, "file %zu", i);
        cr_expect(files[i].format ? format && strcmp(format, files[i].format) == 0 : !format,
                  "file %zu", i);
    }
    dvt_folder_remove(&folder);
}
