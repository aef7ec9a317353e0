/* SPDX-License-Identifier: MIT */
/* golden_files.c: lists and opens golden files. */
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

static bool has_ending(const char *text, const char *ending)
{
    const size_t n = strlen(text), k = strlen(ending);
    return n > k && strcmp(text + n - k, ending) == 0;
}

/* A path without its ending, with another instead. */
static dvt_path with_ending(const dvt_path *path, const char *ending)
{
    char text[sizeof path->text + 8];
    const size_t stem = (size_t)(strrchr(path->text, '.') - path->text);
    snprintf(text, sizeof text, "%.*s%s", (int)stem, path->text, ending);
    return path_of(text);
}

/* ML.NET wrote all .idv files but the crafted ones. */
static dvt_mapping mapping_of(const dvt_path *path)
{
    if (has_ending(path->text, ".btable"))
        return DVT_MAPPING_UNCOUNTED;
    return strstr(path->text, "/idv-crafted/") ? DVT_MAPPING_NONE : DVT_MAPPING_MLNET;
}

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

    check(&(dvt_golden){path->text, text, &truth, mapping_of(path)});
    dvt_table_free(&truth);
    free(lines);
}

static int is_idv(const struct dirent *entry)
{
    return has_ending(entry->d_name, ".idv");
}

static int is_btable(const struct dirent *entry)
{
    return has_ending(entry->d_name, ".btable");
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
    const bool is_of_btables = has_ending(folder->text, "/btable");
    const int n = scandir(folder->text, &list, is_of_btables ? is_btable : is_idv, alphasort);
    if (n <= 0)
        stop("there are no such files", folder->text);
    int checked = 0;
    for (int i = 0; i < n; i++) {
        const dvt_path path = dvt_path_in(folder, list[i]->d_name);
        const dvt_path truth = with_ending(&path, ".jsonl");
        const bool is_ours = !seen; /* of others, those without a truth are left out */
        if (is_ours || (!has_copy(&path, seen, list[i]->d_name) && access(truth.text, R_OK) == 0)) {
            check_file(&path, check);
            checked++;
        }
        free(list[i]);
    }
    free(list);
    return checked;
}

int dvt_golden_each_in(const char *name, void (*check)(const dvt_golden *golden))
{
    const char *shared = getenv("DV_GOLDEN_DIR");
    const dvt_path ours = dvt_test_path("golden"), folder = dvt_path_in(&ours, name);
    const int checked = check_folder(&folder, NULL, check);
    if (!shared || !*shared)
        return checked;
    const dvt_path root = path_of(shared), more = dvt_path_in(&root, name);
    return checked + check_folder(&more, &folder, check);
}

int dvt_golden_each(void (*check)(const dvt_golden *golden))
{
    const int checked = dvt_golden_each_in("idv", check);
    return checked + dvt_golden_each_in("idv-crafted", check);
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

int dvt_golden_folders(const char *folder, bool is_shared,
                       int (*check)(const dvt_path *path, const char *name, void *ctx), void *ctx)
{
    const char *shared = getenv("DV_GOLDEN_DIR");
    int sum = 0;
    if (is_shared && (!shared || !*shared))
        return -1;
    const dvt_path root = is_shared ? path_of(shared) : dvt_test_path("golden");
    const dvt_path in = dvt_path_in(&root, folder);
    DIR *list = opendir(in.text);
    if (!list)
        stop("there is no such folder", in.text);
    for (const struct dirent *entry; (entry = readdir(list));) {
        const dvt_path path = dvt_path_in(&in, entry->d_name);
        if (*entry->d_name != '.')
            sum += check(&path, entry->d_name, ctx);
    }
    closedir(list);
    return sum;
}
