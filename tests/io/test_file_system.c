/* SPDX-License-Identifier: MIT */
/* test_file_system.c: files on network file systems are read, unless the caller asks to map them.
 *
 * A mapped file that another machine cuts raises SIGBUS in whatever code reads it; a file that is
 * read gives an error. */
#include "base/os.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <errno.h>
#include <string.h>
#include <sys/vfs.h>

#define NFS 0x6969
#define EXT4 0xEF53
#define FUSE 0x65735546

/* What the system says; fstatfs below replaces that of the C library. */
static struct statfs told;
static int fails, interrupted, calls;

int fstatfs(int fd, struct statfs *facts)
{
    (void)fd;
    calls++;
    *facts = told;
    errno = interrupted > 0 ? EINTR : ENOSYS;
    return interrupted-- > 0 || fails ? -1 : 0;
}

static dvt_path folder, path; /* of people.idv, saved in blocks of 10 rows */

static void start(void)
{
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    told.f_type = EXT4;
    fails = interrupted = calls = 0;
    folder = dvt_folder_create();
    path = dvt_path_in(&folder, "people.idv");
    save.rows_per_block = 10;
    save.sync = false;
    dv_view *view = dvt_golden_open("idv/people.idv", NULL);
    cr_assert_eq(dv_save(view, path.text, &save, NULL), DV_OK);
    dv_view_release(&view);
}

static void finish(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(file_system, .init = start, .fini = finish);

static dv_view *open_as(const char *name, dv_io io)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    cr_expect_eq(options.io, DV_IO_AUTO);
    options.io = io;
    cr_assert_eq(dv_open(&view, name, &options, &err), DV_OK, "%s", err.message);
    return view;
}

/* Rows until the cursor ends or fails. */
static int64_t count(dv_view *view, const dv_cursor_options *options, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    while (status == DV_OK) {
        status = dv_cursor_next(cursor, &batch, err);
        rows += status == DV_OK ? batch->rows : 0;
    }
    dv_cursor_close(&cursor);
    return rows;
}

/* --- The table -------------------------------------------------------------------------------- */

Test(file_system, network_file_systems_by_number)
{
    static const struct {
        uint32_t magic;
        const char *name;
    } known[] = {{NFS, "NFS"},
                 {0xFF534D42, "CIFS"},
                 {0xFE534D42, "SMB2"},
                 {FUSE, "FUSE"},
                 {0x01021997, "9P"},
                 {0x00C36400, "Ceph"},
                 {0x0BD00BD0, "Lustre"},
                 {0x5346414F, "AFS"},
                 {0x19830326, "BeeGFS"},
                 {0x47504653, "GPFS"},
                 {0x7461636F, "OCFS2"},
                 {0x01161970, "GFS2"},
                 {EXT4, ""},
                 {0x01021994, ""},
                 {0x9123683E, ""},
                 {0x58465342, ""},
                 {0x794C7630, ""},
                 {0x2FC12FC1, ""},
                 {0, ""},
                 {UINT32_MAX, ""}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect_str_eq(dvi_os_network_of(known[i].magic), known[i].name);
}

Test(file_system, of_an_open_file)
{
    memset(&told.f_type, 0xFF,
           sizeof told.f_type); /* a system whose numbers have 32 bits returns this */
    memcpy(&told.f_type, &(uint32_t){0xFF534D42}, sizeof(uint32_t));
    cr_expect_str_eq(dvi_os_network(0), "CIFS");
    interrupted = 3;
    cr_expect_str_eq(dvi_os_network(0), "CIFS");
    fails = 1;
    cr_expect_str_eq(dvi_os_network(0), "");
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void expect_read(const char *name, dv_io io, const char *how, const char *file_system)
{
    dv_facts *facts;
    dv_view *view = open_as(name, io);
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_expect_str_eq(facts->io, how, "%s", name);
    cr_expect_str_eq(facts->file_system, file_system, "%s", name);
    dv_facts_free(&facts);
    dv_view_release(&view);
}

Test(file_system, is_looked_at_only_if_the_caller_does_not_choose)
{
    calls = 0;
    expect_read(path.text, DV_IO_AUTO, "mmap", "");
    cr_expect_eq(calls, 1);
    told.f_type = NFS;
    expect_read(path.text, DV_IO_AUTO, "pread", "NFS");
    calls = 0;
    expect_read(path.text, DV_IO_MMAP, "mmap", "");
    expect_read(path.text, DV_IO_PREAD, "pread", "");
    cr_expect_eq(calls, 0);
    fails = 1;
    expect_read(path.text, DV_IO_AUTO, "mmap", "");
}

Test(file_system, of_every_format)
{
    static const char *const names[] = {"golden/btable/article.btable",
                                        "golden/datadings/tiny.msgpack", "golden/idv/people.idv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const dvt_path one = dvt_test_path(names[i]);
        told.f_type = EXT4;
        expect_read(one.text, DV_IO_AUTO, "mmap", "");
        told.f_type = FUSE;
        expect_read(one.text, DV_IO_AUTO, "pread", "FUSE");
    }
    const dvt_path text = dvt_path_in(&folder, "people.txt");
    dv_view *view = open_as(path.text, DV_IO_AUTO);
    cr_assert_eq(dv_save(view, text.text, NULL, NULL), DV_OK);
    dv_view_release(&view);
    expect_read(text.text, DV_IO_AUTO, "pread", "FUSE");
}

/* One of two files is on another file system than the other. */
Test(file_system, of_several_files)
{
    dv_view *a, *b, *both;
    dv_facts *facts;
    a = open_as(path.text, DV_IO_AUTO);
    told.f_type = NFS;
    b = open_as(path.text, DV_IO_AUTO);
    cr_assert_eq(dv_view_concat(&both, (dv_view *[]){a, b}, 2, NULL, NULL), DV_OK);
    cr_assert_eq(dv_inspect(&facts, both, NULL), DV_OK);
    cr_expect_str_eq(facts->io, "mmap and pread");
    cr_expect_str_eq(facts->file_system, "NFS");
    dv_facts_free(&facts);
    dv_view_release(&both);
    dv_view_release(&a);
    dv_view_release(&b);
}

Test(file_system, no_such_io)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    for (int i = 0; i < 2; i++) {
        options.io = (dv_io)(i ? -1 : DV_IO_PREAD + 1);
        cr_expect_eq(dv_open(&view, path.text, &options, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "no such io"), "%s", err.message);
    }
}

/* --- Reading ---------------------------------------------------------------------------------- */

Test(file_system, the_error_of_zero_copy_names_it)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const int32_t age = 1;
    options.columns = &age;
    options.columns_count = 1;
    options.zero_copy_only = true;
    told.f_type = NFS;
    dv_view *view = open_as(path.text, DV_IO_AUTO);
    cr_expect_eq(count(view, &options, &err), 0);
    cr_expect_eq(err.status, DV_ERR_COPY);
    cr_expect(strstr(err.message, "found a file on NFS, which is read (io = mmap maps it)"), "%s",
              err.message);
    dv_view_release(&view);
    err = (dv_error)DV_ERROR_INIT;
    view = open_as(path.text, DV_IO_MMAP);
    cr_expect_eq(count(view, &options, &err), 600, "%s", err.message);
    dv_view_release(&view);
}

/* The signal would end the test. */
Test(file_system, a_cut_file_is_an_error)
{
    const int64_t cuts[] = {0, 5000, 9000};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        finish();
        start();
        told.f_type = NFS;
        dv_error err = DV_ERROR_INIT;
        dv_cursor *cursor;
        const dv_batch *held, *batch;
        dv_view *view = open_as(path.text, DV_IO_AUTO);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_cursor_next(cursor, &held, &err), DV_OK, "%s", err.message);
        dv_batch_retain(held);
        const float *ages = dv_batch_column(held, 1)->as.fixed.values.data;
        float first[10];
        cr_assert_eq(held->rows, 10);
        memcpy(first, ages, sizeof first);
        dvt_file_resize(&path, cuts[i]);
        dv_status status;
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        }
        cr_expect_eq(status, DV_ERR_IO, "%s", err.message);
        cr_expect_geq(err.offset, cuts[i], "%s", err.message);
        cr_expect(strstr(err.message, "shrank"), "%s", err.message);
        cr_expect_eq(memcmp(ages, first, sizeof first), 0); /* a copy, which stays */
        dv_batch_release(&held);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
}

/* --- Views ------------------------------------------------------------------------------------ */

Test(file_system, caches_epochs_and_feeds_of_it)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *made;
    dv_epoch_options epoch = DV_EPOCH_OPTIONS_INIT;
    const dvt_path cache = dvt_path_in(&folder, "cache.idv");
    told.f_type = NFS;
    dv_view *view = open_as(path.text, DV_IO_AUTO);
    for (int again = 0; again < 2; again++) { /* written, and found */
        cr_assert_eq(dv_view_cache_disk(&made, view, cache.text, NULL, NULL, &err), DV_OK, "%s",
                     err.message);
        cr_expect_eq(count(made, NULL, &err), 600, "%s", err.message);
        dv_view_release(&made);
    }
    cr_assert_eq(dv_view_cache(&made, view, NULL, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(count(made, NULL, &err), 600, "%s", err.message);
    dv_view_release(&made);
    epoch.shuffle = DV_SHUFFLE_UNIFORM;
    cr_assert_eq(dv_view_epoch(&made, view, &epoch, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(count(made, NULL, &err), 600, "%s", err.message);
    dv_view_release(&made);

    static const int32_t age[] = {1};
    dv_dense_options features = DV_DENSE_OPTIONS_INIT;
    dv_feed_options how = DV_FEED_OPTIONS_INIT;
    const dv_feed_batch *batch;
    dv_feed *feed;
    features.columns = age;
    features.columns_count = 1;
    const dv_feed_matrix matrix = {&features, DV_KIND_R4, NULL};
    how.matrices = &matrix;
    how.matrices_count = 1;
    how.order = &epoch;
    how.batch_rows = 64;
    int64_t rows = 0;
    cr_assert_eq(dv_feed_open(&feed, view, &how, &err), DV_OK, "%s", err.message);
    while (dv_feed_next(feed, &batch, &err) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(rows, 600, "%s", err.message);
    dv_feed_close(&feed);
    dv_view_release(&view);
}
