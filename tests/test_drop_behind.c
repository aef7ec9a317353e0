/* SPDX-License-Identifier: MIT */
/* test_drop_behind.c: a pass over a mapped file with drop_behind keeps few of its pages in memory,
 * and reads the same. */
#include "support/file.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS INT64_C(250000)
#define WIDTH 8                              /* of the vectors, 8 MB of R4 */
#define FILE_NBYTES_LEAST (INT64_C(7) << 20) /* of every file */
#define KEPT_NBYTES_MOST (INT64_C(7) << 20)  /* pages of a file during a pass over it */

static dvt_path folder;
static float *values;

static void set_up(void)
{
    folder = dvt_folder_create();
    values = malloc((size_t)ROWS * WIDTH * sizeof *values);
    for (int64_t i = 0; values && i < ROWS * WIDTH; i++)
        values[i] = (float)(1 + i * 7919 % 100003) / 8;
}

static void tear_down(void)
{
    free(values);
    dvt_folder_remove(&folder);
}

TestSuite(drop_behind, .init = set_up, .fini = tear_down, .timeout = 300);

/* How to make a file, and to read it. */
typedef struct way {
    const char *name, *format;
    bool is_deflated;
    int32_t threads;
    int64_t rows_per_block;
} way;

static const way ways[] = {
    {"raw.idv", "idv", false, 1, 8192},     {"large blocks.idv", "idv", false, 1, 30000},
    {"deflated.idv", "idv", true, 1, 8192}, {"deflated, by threads.idv", "idv", true, 3, 8192},
    {"x.btable", "btable", false, 1, 0},    {"x.msgpack", "datadings", false, 1, 0},
    {"x.txt", "text", false, 1, 0},         {"by threads.txt", "text", false, 3, 0},
};

static dvt_path save(const way *w)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    const dvt_path path = dvt_path_in(&folder, w->name);
    dv_type type = dv_type_vector(dv_type_of(DV_KIND_R4), WIDTH);
    int64_t rows = ROWS;
    if (strcmp(w->format, "idv") == 0) { /* scalars are used in place */
        type = dv_type_of(DV_KIND_R4);
        rows = ROWS * WIDTH;
    }
    const dv_table_column column = {"x", type, values, NULL};
    cr_assert_not_null(values);
    cr_assert_eq(dv_table_create(&view, &column, 1, rows, NULL, &err), DV_OK, "%s", err.message);
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    how.format = w->format;
    how.datadings = "key=rownumber";
    how.allow_loss = DV_LOSS_TYPES | DV_LOSS_NAMES | DV_LOSS_COLUMNS;
    how.level = 1;
    how.compression = w->is_deflated ? DV_COMPRESSION_DEFLATE : DV_COMPRESSION_NONE;
    if (w->rows_per_block > 0)
        how.rows_per_block = w->rows_per_block;
    cr_assert_geq(dv_save(view, path.text, &how, &err), DV_OK, "%s: %s", w->name, err.message);
    dv_view_release(&view);
    return path;
}

/* Pages of mappings of the file that this process has in memory, in bytes. */
static int64_t resident(const dvt_path *path)
{
    char line[1024];
    bool is_its = false;
    long long kib;
    int64_t nbytes = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    cr_assert_not_null(maps);
    while (fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "Rss: %lld kB", &kib) == 1)
            nbytes += is_its ? (int64_t)kib << 10 : 0;
        else if (strchr(line, '-') && strchr(line, ':') && line[0] != 'V')
            is_its = strcmp(strchr(line, '/') ? strchr(line, '/') : "", path->text) == 0;
    }
    fclose(maps);
    return nbytes;
}

static double sum_of(const dv_batch *batch)
{
    const dv_column_view *column = dv_batch_column(batch, 0);
    const dv_column_view *items =
        column->layout == DV_LAYOUT_VECTOR ? column->as.vector.items : column;
    const uint8_t *data = items->as.fixed.values.data;
    double sum = 0;
    for (int64_t i = 0; i < items->rows; i++) {
        float narrow = 0;
        double wide = 0;
        if (items->type.kind == DV_KIND_R8)
            memcpy(&wide, data + 8 * i, 8);
        else
            memcpy(&narrow, data + 4 * i, 4);
        sum += wide + (double)narrow;
    }
    return sum;
}

/* Take the file out of the page cache, as far as the system does. */
static void forget(const dvt_path *path)
{
    const int fd = open(path->text, O_RDONLY);
    cr_assert_eq(fsync(fd), 0);
    cr_assert_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    close(fd);
}

/* Pages of the file that are in the page cache, in bytes. */
static int64_t cached(const dvt_path *path)
{
    struct stat st;
    const int fd = open(path->text, O_RDONLY);
    cr_assert_eq(fstat(fd, &st), 0);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), nbytes = (size_t)st.st_size,
                 pages = (nbytes + page - 1) / page;
    unsigned char *is_there = calloc(pages, 1);
    void *map = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    cr_assert_neq(map, MAP_FAILED);
    cr_assert_eq(mincore(map, nbytes, is_there), 0);
    size_t n = 0;
    for (size_t i = 0; i < pages; i++)
        n += is_there[i] & 1;
    munmap(map, nbytes);
    free(is_there);
    close(fd);
    return (int64_t)(n * page);
}

/* What a pass saw. */
typedef struct pass {
    int64_t rows, most, last; /* bytes of pages: at most during it, and after it */
    double sum;
} pass;

static pass read_all(const way *w, const dvt_path *path, dv_io io, bool drops)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    pass seen = {0};
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    how.drop_behind = drops;
    how.format = w->format;
    cr_assert_eq(dv_open(&view, path->text, &how, &err), DV_OK, "%s", err.message);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = w->threads;
    const int32_t column = 0;
    options.columns = &column;
    options.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        seen.rows += batch->rows;
        seen.sum += sum_of(batch);
        const int64_t now = resident(path);
        seen.most = now > seen.most ? now : seen.most;
    }
    cr_assert_eq(status, DV_END, "%s: %s", w->name, err.message);
    dv_cursor_close(&cursor);
    seen.last = resident(path);
    dv_view_release(&view);
    return seen;
}

/* Whether a pass leaves little of the file in the page cache. A page that the system works on just
 * then stays there: look again. */
static bool leaves_little(const way *w, const dvt_path *path, dv_io io, double sum)
{
    for (int i = 0; i < 10; i++) {
        forget(path);
        if (cached(path) > 0)
            return true; /* a file system in memory, or a page that the system works on */
        const pass seen = read_all(w, path, io, true);
        cr_expect_eq(seen.sum, sum, "%s", w->name);
        if (cached(path) <= KEPT_NBYTES_MOST / 2)
            return true;
    }
    return false;
}

Test(drop_behind, few_pages_stay_in_memory)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const way *w = &ways[i];
        if (DVT_THREADS_ONLY && w->threads == 1)
            continue;
        const dvt_path path = save(w);
        const pass kept = read_all(w, &path, DV_IO_MMAP, false);
        const pass dropped = read_all(w, &path, DV_IO_MMAP, true);
        const pass copied = read_all(w, &path, DV_IO_PREAD, true);
        cr_expect_geq(kept.last, FILE_NBYTES_LEAST * 3 / 4, "%s: %lld", w->name,
                      (long long)kept.last);
        cr_expect_leq(dropped.most, KEPT_NBYTES_MOST, "%s: %lld", w->name, (long long)dropped.most);
        cr_expect_leq(dropped.last, KEPT_NBYTES_MOST / 2, "%s: %lld", w->name,
                      (long long)dropped.last);
        cr_expect_eq(copied.most, 0);
        cr_expect_eq(dropped.rows, kept.rows);
        cr_expect_eq(dropped.sum, kept.sum, "%s", w->name);
        cr_expect_eq(copied.sum, kept.sum, "%s", w->name);
        cr_expect_gt(kept.sum, 0);
        cr_expect(leaves_little(w, &path, DV_IO_MMAP, kept.sum), "%s %lld", w->name,
                  (long long)cached(&path));
        cr_expect(leaves_little(w, &path, DV_IO_PREAD, kept.sum), "%s, copied", w->name);
        remove(path.text);
    }
}

/* Its pages come back from the file. */
Test(drop_behind, a_batch_that_is_kept_stays_as_it_is)
{
    const dvt_path path = save(&ways[0]);
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    const dv_batch *first;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = DV_IO_MMAP;
    how.drop_behind = true;
    cr_assert_eq(dv_open(&view, path.text, &how, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    first = batch;
    dv_batch_retain(first);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        ;
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_leq(resident(&path), 2 << 20); /* of the last window a part is left */
    const dv_column_view *column = dv_batch_column(first, 0);
    cr_expect(column->as.fixed.values.is_borrowed);
    cr_expect_eq(
        memcmp(column->as.fixed.values.data, values, (size_t)column->rows * sizeof *values), 0);
    dv_batch_release(&first);
}
