/* SPDX-License-Identifier: MIT */
/* golden_files.c: which golden files are there? */
#include "support/golden_files.h"
#include "support/file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stop(const char *why, const char *path)
{
    fprintf(stderr, "%s: %s\n", path, why);
    abort();
}

static dvt_path path_of(const char *text)
{
    dvt_path path;
    if (snprintf(path.text, sizeof path.text, "%s", text) >= (int)sizeof path.text)
        stop("the path is too long", text);
    return path;
}

dvt_path dvt_test_path(const char *name)
{
    const char *root = getenv("DV_TEST_ROOT");
    const dvt_path tests = path_of(root ? root : "tests");
    return dvt_path_in(&tests, name);
}

/* A path without its ending, with another instead. */
static dvt_path with_ending(const dvt_path *path, const char *ending)
{
    char text[sizeof path->text + 8];
    const size_t stem = (size_t)(strrchr(path->text, '.') - path->text);
    snprintf(text, sizeof text, "%.*s%s", (int)stem, path->text, ending);
    return path_of(text);
}

/* ML.NET wrote all files but the crafted ones. */
static void check_file(const dvt_path *path, void (*check)(const dvt_golden *golden))
{
    const dvt_path truth_path = with_ending(path, ".jsonl");
    size_t nbytes;
    uint8_t *lines = dvt_file_read(truth_path.text, &nbytes);
    const dv_text text = {(const char *)lines, (int64_t)nbytes};
    char message[DVT_MESSAGE_NBYTES];
    dvt_table truth;
    if (!dvt_table_parse(&truth, text, message))
        stop(message, truth_path.text);

    const bool is_crafted = strstr(path->text, "/idv-crafted/") != NULL;
    check(
        &(dvt_golden){path->text, text, &truth, is_crafted ? DVT_MAPPING_NONE : DVT_MAPPING_MLNET});
    dvt_table_free(&truth);
    free(lines);
}

static int is_idv(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".idv") == 0;
}

/* Is there a file of that name in the other folder, with the same bytes? */
static bool has_copy(const dvt_path *path, const dvt_path *folder, const char *name)
{
    const dvt_path other = dvt_path_in(folder, name);
    if (access(other.text, R_OK) != 0)
        return false;
    size_t n, m;
    uint8_t *a = dvt_file_read(path->text, &n), *b = dvt_file_read(other.text, &m);
    const bool is_same = n == m && memcmp(a, b, n) == 0;
    free(a);
    free(b);
    return is_same;
}

/* seen: a folder whose files were checked before; NULL: none. */
static int check_folder(const dvt_path *folder, const dvt_path *seen,
                        void (*check)(const dvt_golden *golden))
{
    struct dirent **list;
    const int n = scandir(folder->text, &list, is_idv, alphasort);
    if (n <= 0)
        stop("there are no .idv files", folder->text);
    int checked = 0;
    for (int i = 0; i < n; i++) {
        const dvt_path path = dvt_path_in(folder, list[i]->d_name);
        if (!seen || !has_copy(&path, seen, list[i]->d_name)) {
            check_file(&path, check);
            checked++;
        }
        free(list[i]);
    }
    free(list);
    return checked;
}

int dvt_golden_each(void (*check)(const dvt_golden *golden))
{
    static const char *const folders[] = {"idv", "idv-crafted"};
    const char *shared = getenv("DV_SHARED_GOLDEN");
    const dvt_path ours = dvt_test_path("golden");
    int checked = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const dvt_path folder = dvt_path_in(&ours, folders[i]);
        checked += check_folder(&folder, NULL, check);
        if (!shared || !*shared)
            continue;
        const dvt_path root = path_of(shared), more = dvt_path_in(&root, folders[i]);
        checked += check_folder(&more, &folder, check);
    }
    return checked;
}

void dvt_golden_one(const char *name, void (*check)(const dvt_golden *golden))
{
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, name);
    check_file(&path, check);
}

bool dvt_golden_same(const dvt_golden *golden, const dvt_part *part, dv_text lines,
                     char message_out[DVT_MESSAGE_NBYTES])
{
    dvt_table actual;
    const bool same =
        dvt_table_parse(&actual, lines, message_out) &&
        dvt_golden_compare_part(golden->truth, part, &actual, golden->mapping, message_out);
    dvt_table_free(&actual);
    return same;
}

dv_view *dvt_golden_open(const char *name, const dv_open_options *options)
{
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, name);
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    if (dv_open(&view, path.text, options, &err) != DV_OK)
        stop(err.message, path.text);
    return view;
}
