/* SPDX-License-Identifier: MIT */
/* test_descriptor.c: more files are open than a process may have descriptors (descriptor.h). */
#include "support/file.h"
#include "support/lines.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <dataview/token.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 200
#define MOST 64

typedef struct many {
    dvt_path folder;
    dvt_path path[FILES];
    const char *name[FILES];
} many;

/* CSV files of one row each, their number. */
static many *many_write(void)
{
    many *m = calloc(1, sizeof *m);
    const struct rlimit limit = {MOST, 4096};
    m->folder = dvt_folder_create();
    for (int i = 0; i < FILES; i++) {
        char name[32], text[32];
        snprintf(name, sizeof name, "%d.csv", i);
        const int n = snprintf(text, sizeof text, "n\n%d\n", i);
        m->path[i] = dvt_path_in(&m->folder, name);
        m->name[i] = m->path[i].text;
        dvt_file_write(&m->path[i], text, (size_t)n);
    }
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return m;
}

static void many_free(many *m)
{
    dvt_folder_remove(&m->folder);
    free(m);
}

static dv_view *open_all(const many *m, dv_io io)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.io = io;
    options.text = "header+ sep=comma col=n:I8:0";
    cr_assert_eq(dv_open_many(&view, m->name, FILES, &options, &err), DV_OK, "%s", err.message);
    return view;
}

/* The sum of all rows; a failure is in err. */
static int64_t sum_rows(dv_view *view, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t sum = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, err), DV_OK);
    while (dv_cursor_next(cursor, &batch, err) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            sum += dv_value_i8(&value);
        }
    dv_cursor_close(&cursor);
    return sum;
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < MOST; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

Test(descriptor, more_files_than_descriptors)
{
    many *m = many_write();
    for (int io = DV_IO_AUTO; io <= DV_IO_PREAD; io++) {
        dv_error err = DV_ERROR_INIT;
        const int before = descriptors();
        dv_view *view = open_all(m, (dv_io)io);
        cr_expect_leq(descriptors(), before + MOST / 2);
        cr_expect_eq(sum_rows(view, &err), FILES * (FILES - 1) / 2, "%s", err.message);
        cr_expect_leq(descriptors(), before + MOST / 2);
        dv_view_release(&view);
        cr_expect_eq(descriptors(), before);
    }
    many_free(m);
}

/* Whatever happens to a file beyond the limit is noticed, as if it had a descriptor. */
Test(descriptor, files_that_change)
{
    many *m = many_write();
    static const char *const found[] = {"shrank", "another file", "No such file"};
    for (int way = 0; way < 3; way++)
        for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
            dv_error err = DV_ERROR_INIT;
            dvt_path *last = &m->path[FILES - 1];
            dv_view *view = open_all(m, (dv_io)io);
            if (way == 0)
                cr_assert_eq(truncate(last->text, 1), 0);
            const dvt_path other = dvt_path_in(&m->folder, "other"); /* keeps its number in use */
            if (way == 1)
                cr_assert_eq(link(last->text, other.text), 0);
            if (way > 0)
                cr_assert_eq(unlink(last->text), 0);
            if (way == 1)
                dvt_file_write(last, "n\n199\n", 6);
            sum_rows(view, &err);
            cr_expect_eq(err.status, DV_ERR_IO, "way %d: %s", way, err.message);
            cr_expect(strstr(err.message, found[way]) && strstr(err.message, "199.csv"),
                      "way %d: %s", way, err.message);
            dv_view_release(&view);
            unlink(last->text);
            unlink(other.text);
            dvt_file_write(last, "n\n199\n", 6);
        }
    many_free(m);
}

/* Relative paths still lead to their files after the program has moved. */
Test(descriptor, another_folder)
{
    many *m = many_write();
    char names[FILES][32];
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(chdir(m->folder.text), 0);
    for (int i = 0; i < FILES; i++) {
        snprintf(names[i], sizeof names[i], "%d.csv", i);
        m->name[i] = names[i];
    }
    dv_view *view = open_all(m, DV_IO_MMAP);
    cr_assert_eq(chdir("/"), 0);
    cr_expect_eq(sum_rows(view, &err), FILES * (FILES - 1) / 2, "%s", err.message);
    dv_view_release(&view);
    many_free(m);
}

/* A relative path may lead where no absolute one does, since that would be too long. */
Test(descriptor, a_folder_without_an_absolute_path)
{
    enum { SOME = MOST * 3 / 4, FOLDER_NBYTES = 200 };
    char folder[FOLDER_NBYTES + 1], here[PATH_MAX], names[SOME][FOLDER_NBYTES + 16];
    const char *list[SOME];
    int levels = 0;
    many *m = many_write();
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    memset(folder, 'x', FOLDER_NBYTES);
    folder[FOLDER_NBYTES] = 0;
    cr_assert_eq(chdir(m->folder.text), 0);
    for (; getcwd(here, sizeof here) && strlen(here) + 1 + FOLDER_NBYTES < sizeof here; levels++) {
        cr_assert_eq(mkdir(folder, 0700), 0);
        cr_assert_eq(chdir(folder), 0);
    }
    cr_assert_eq(mkdir(folder, 0700), 0);
    for (int i = 0; i < SOME; i++) {
        list[i] = names[i];
        snprintf(names[i], sizeof names[i], "%s/%d.csv", folder, i);
        FILE *file = fopen(names[i], "w");
        cr_assert_not_null(file);
        cr_assert_gt(fprintf(file, "n\n%d\n", i), 0);
        cr_assert_eq(fclose(file), 0);
    }
    cr_assert_eq(dv_open_many(&view, list, SOME, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(sum_rows(view, &err), SOME * (SOME - 1) / 2, "%s", err.message);
    dv_view_release(&view);
    for (int i = 0; i < SOME; i++)
        unlink(names[i]);
    rmdir(folder);
    for (; levels > 0; levels--)
        cr_assert(chdir("..") == 0 && rmdir(folder) == 0);
    cr_assert_eq(chdir("/"), 0);
    many_free(m);
}

static void *sum_in_thread(void *view)
{
    dv_error err = DV_ERROR_INIT;
    return sum_rows(view, &err) == FILES * (FILES - 1) / 2 ? view : NULL;
}

Test(descriptor, several_threads)
{
    many *m = many_write();
    pthread_t threads[4];
    dv_view *view = open_all(m, DV_IO_MMAP);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, sum_in_thread, view), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        cr_expect_not_null(result);
    }
    dv_view_release(&view);
    many_free(m);
}
