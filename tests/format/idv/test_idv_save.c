/* SPDX-License-Identifier: MIT */
/* test_idv_save.c: checks that a saved .idv file equals the view that it was saved from. */
#include "support/golden_files.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MIN 100 /* fewer: the golden files were not found */
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Golden files, saved again --- */

/* Files that need an option: old keys, or Booleans that are NA. */
static const char *const needing_old[] = {"old-key-min", "old-key-noncontiguous", "old-dvbool",
                                          "old-dvbool-vector"};

static bool needs_old(const char *path)
{
    for (size_t i = 0; i < COUNT(needing_old); i++) {
        const char *at = strstr(path, needing_old[i]);
        if (at && strcmp(at + strlen(needing_old[i]), ".idv") == 0)
            return true;
    }
    return false;
}

static bool expect_warning(void *ctx, const dv_error *what)
{
    cr_expect_eq(what->status, DV_OK, "%s: %s", (const char *)ctx, what->message);
    return true;
}

static void check_sound(const dv_buffer *file, const char *path)
{
    dv_view *view = dvt_open_saved(file);
    char name[256];
    snprintf(name, sizeof name, "%s", path);
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = expect_warning;
    options.ctx = name;
    cr_expect_eq(dv_verify(view, &options, NULL), DV_OK, "%s", path);
    dv_view_release(&view);
}

static bool is_same_file(const dv_buffer *a, const dv_buffer *b)
{
    return a->nbytes == b->nbytes && memcmp(a->data, b->data, a->nbytes) == 0;
}

/* With one thread and with three: the same bytes; then the same view. */
static void check_saved(const dvt_golden *golden, dv_view *view, const dvt_lines *truth,
                        dv_save_options options)
{
    options.hidden = true;
    options.threads = 1;
    dv_buffer one = dvt_save_idv(view, &options);
    options.threads = 3;
    dv_buffer three = dvt_save_idv(view, &options);
    cr_expect(is_same_file(&one, &three), "%s: bytes depend on threads", golden->path);
    dvt_lines lines = dvt_lines_of_saved(&one);
    cr_expect_str_empty(dvt_lines_difference(truth, &lines), "%s, compression %d, %d rows: %s",
                        golden->path, (int)options.compression, (int)options.rows_per_block,
                        dvt_lines_difference(truth, &lines));
    check_sound(&one, golden->path);
    dvt_lines_free(&lines);
    dv_buffer_release(&one);
    dv_buffer_release(&three);
}

static void check_golden(const dvt_golden *golden)
{
    static const dv_compression compressions[] = {DV_COMPRESSION_NONE, DV_COMPRESSION_DEFLATE,
                                                  DV_COMPRESSION_ZLIB};
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    dvt_lines truth = dvt_lines_of(view);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.idv_old_keys = options.idv_bool_2bit = needs_old(golden->path);
    for (size_t i = 0; i < COUNT(compressions); i++) {
        options.compression = compressions[i];
        options.rows_per_block = 0;
        check_saved(golden, view, &truth, options);
        options.rows_per_block = 3;
        check_saved(golden, view, &truth, options);
    }
    dvt_lines_free(&truth);
    dv_view_release(&view);
}

Test(idv_save, keeps_every_golden_file)
{
    cr_expect_gt(dvt_golden_each(check_golden), FILES_MIN);
}
