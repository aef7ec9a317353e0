/* SPDX-License-Identifier: MIT */
/* test_text_save_golden.c: with mlnet+, does a text file equal that of ML.NET's saver byte for
 * byte? (golden/text/save) */
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/save.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_LOSSES 0x7Fu

static dvt_path path_of(const char *name, const char *ending)
{
    char file[300];
    const dvt_path folder = dvt_test_path("golden/text/save");
    snprintf(file, sizeof file, "%s%s", name, ending);
    return dvt_path_in(&folder, file);
}

/* Names that need braces are written so that they can be read; ML.NET cannot read its own. */
static bool is_ours(const char *name)
{
    return strcmp(name, "names-b") == 0;
}

/* A vector of varying size that is not the last column: what ML.NET writes cannot be read. */
static bool is_refused(const char *name)
{
    return strcmp(name, "variablefirst") == 0;
}

static void check_bytes(const char *name, const dv_buffer *file)
{
    size_t nbytes, at = 0;
    uint8_t *truth = dvt_file_read(path_of(name, ".txt").text, &nbytes);
    const uint8_t *found = file->data;
    while (at < nbytes && at < file->nbytes && truth[at] == found[at])
        at++;
    cr_expect(at == nbytes && at == file->nbytes, "%s: byte %zu of %zu (%zu): \"%.40s\"", name, at,
              nbytes, file->nbytes, at < nbytes ? (const char *)truth + at : "");
    free(truth);
}

static void check_case(const char *name)
{
    size_t nbytes;
    char text[256];
    dv_view *view;
    dv_buffer file;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    uint8_t *args = dvt_file_read(path_of(name, ".args").text, &nbytes);
    snprintf(text, sizeof text, "%.*s mlnet+", (int)strcspn((char *)args, "\n"), (char *)args);
    free(args);
    options.format = "text";
    options.text = text;
    options.allow_loss = ALL_LOSSES & ~(uint32_t)DV_LOSS_COLUMNS;
    cr_assert_eq(dv_open(&view, path_of(name, ".idv").text, NULL, &err), DV_OK, "%s", err.message);
    const dv_status status = dv_save_memory(view, &file, &options, &err);
    if (is_refused(name))
        cr_expect(status == DV_ERR_LOSS && strcmp(err.expected, "columns") == 0, "%s", err.message);
    else
        cr_expect_eq(status, DV_OK, "%s: %s", name, err.message);
    if (status == DV_OK && !is_ours(name))
        check_bytes(name, &file);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

static int is_case(const struct dirent *entry)
{
    return strstr(entry->d_name, ".args") != NULL;
}

Test(text_save_golden, each_case)
{
    struct dirent **list;
    const int n = scandir(dvt_test_path("golden/text/save").text, &list, is_case, alphasort);
    cr_assert_eq(n, 34);
    for (int i = 0; i < n; i++) {
        *strchr(list[i]->d_name, '.') = 0;
        check_case(list[i]->d_name);
        free(list[i]);
    }
    free(list);
}
