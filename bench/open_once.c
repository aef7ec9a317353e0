/* SPDX-License-Identifier: MIT */
/* open_once.c: opens a file once, for bench_open.cc to count. Run by itself and
 * under callgrind, which counts what happens within `work`.
 *
 *     open_once FILE open|first [pread]
 *
 * Prints the bytes of the file that became resident in its mapping, and those that were read. */
#include <dataview/dataview.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path;
static dv_open_options how = DV_OPEN_OPTIONS_INIT;
static dv_view *view;
static dv_cursor *cursor;

static void fail(const dv_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* Open the file and, on request, read the first row of each column. */
__attribute__((noinline)) void work(bool wants_row);
void work(bool wants_row)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    options.threads = 1;
    options.take = 1;
    if (dv_open(&view, path, &how, &err) != DV_OK)
        fail(&err);
    if (!wants_row)
        return;
    if (dv_cursor_open(&cursor, view, &options, &err) != DV_OK ||
        dv_cursor_next(cursor, &batch, &err) != DV_OK)
        fail(&err);
}

/* The number after a key: the first one after a line that contains `anchor`. */
static int64_t number_in(const char *file, const char *anchor, const char *key)
{
    int64_t value = 0;
    char line[4096];
    FILE *f = fopen(file, "r");
    bool is_there = false;
    while (f && fgets(line, sizeof line, f)) {
        is_there |= strstr(line, anchor) != NULL;
        if (is_there && strncmp(line, key, strlen(key)) == 0) {
            value = strtoll(line + strlen(key), NULL, 10);
            break;
        }
    }
    if (f)
        fclose(f);
    return value;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    path = argv[1];
    how.io = argc > 3 && strcmp(argv[3], "pread") == 0 ? DV_IO_PREAD : DV_IO_MMAP;
    const int64_t before = number_in("/proc/self/io", "", "rchar:");
    const int64_t again = number_in("/proc/self/io", "", "rchar:"); /* what asking itself reads */
    work(strcmp(argv[2], "first") == 0);
    const int64_t after = number_in("/proc/self/io", "", "rchar:");
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path; /* the system returns the full path */
    printf("resident %" PRId64 "\n", 1024 * number_in("/proc/self/smaps", name, "Rss:"));
    printf("read %" PRId64 "\n", after - again - (again - before));
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    return 0;
}
