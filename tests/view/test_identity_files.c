/* SPDX-License-Identifier: MIT */
/* test_identity_files.c: checks which files, and which options, have the same identity. */
#include "view/identity.h"
#include "support/golden_files.h"
#include "support/identities.h"
#include "support/pipe.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/transform.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_new(dvt_identities *all, const char *name, dv_u128 identity)
{
    const char *same = dvt_identities_add(all, name, identity);
    cr_expect_null(same, "%s is %s", name, same);
}

static dv_view *open_path(const char *path, const dv_open_options *options)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    cr_assert_eq(dv_open(&view, path, options, &err), DV_OK, "%s", err.message);
    return view;
}

static dv_u128 identity_of_bytes(const dvt_path *path, const void *data, size_t n,
                                 const dv_open_options *options)
{
    dvt_file_write(path, data, n);
    return dvt_identity_of(open_path(path->text, options));
}

/* A text file of this many lines: long enough that its middle is not read. */
static dvt_lines many_lines(int n)
{
    dvt_lines lines = {0};
    for (int i = 0; i < n; i++)
        dvt_lines_print(&lines, "%07d,%07d\n", i, 3 * i);
    return lines;
}

static dv_u128 identity_with_times(const char *path, const dv_open_options *options)
{
    dv_u128 identity;
    dv_view *view = open_path(path, options);
    cr_expect_eq(dvi_view_identity(view, true, &identity, NULL), DV_OK);
    dv_view_release(&view);
    return identity;
}

/* Name and time are nothing; each byte of the ends is something; the middle is trusted, but for
 * whoever asks for times. */
Test(identity_files, of_a_file_is_its_size_and_its_ends)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.csv"), b = dvt_path_in(&folder, "b.csv");
    dvt_lines lines = many_lines(10000);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_identities all = {.n = 0};
    how.text = "sep=comma col=A:I4:0 col=B:I4:1";
    expect_new(&all, "a", identity_of_bytes(&a, lines.data, lines.nbytes, &how));
    cr_expect(
        dvt_identity_same(identity_of_bytes(&b, lines.data, lines.nbytes, &how), all.identity[0]));
    how.io = DV_IO_PREAD;
    cr_expect(dvt_identity_same(dvt_identity_of(open_path(b.text, &how)), all.identity[0]));
    const struct timespec times[2] = {{1000000000, 0}, {1000000000, 1}};
    const dv_u128 before = identity_with_times(b.text, &how);
    cr_assert_eq(utimensat(AT_FDCWD, b.text, times, 0), 0);
    cr_expect(dvt_identity_same(dvt_identity_of(open_path(b.text, &how)), all.identity[0]));
    cr_expect(!dvt_identity_same(identity_with_times(b.text, &how), before));
    cr_expect(
        dvt_identity_same(identity_with_times(b.text, &how), identity_with_times(b.text, &how)));

    expect_new(&all, "a line less", identity_of_bytes(&a, lines.data, lines.nbytes - 16, &how));
    const size_t places[] = {0, 65535, lines.nbytes - 65536, lines.nbytes - 2};
    for (size_t i = 0; i < COUNT(places); i++) {
        lines.data[places[i]] ^= 1;
        expect_new(&all, "a byte", identity_of_bytes(&a, lines.data, lines.nbytes, &how));
        lines.data[places[i]] ^= 1;
    }
    const size_t middle[] = {65536, lines.nbytes - 65537};
    for (size_t i = 0; i < COUNT(middle); i++) {
        lines.data[middle[i]] ^= 1;
        const dv_u128 identity = identity_of_bytes(&a, lines.data, lines.nbytes, &how);
        cr_expect(dvt_identity_same(identity, all.identity[0]));
        lines.data[middle[i]] ^= 1;
    }
    dvt_lines_free(&lines);
    dvt_folder_remove(&folder);
}

/* Small files are looked at as a whole, once. */
Test(identity_files, of_a_small_file_is_all_of_it)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.csv");
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_lines lines = many_lines(5000); /* 80,000 bytes: the ends overlap */
    dvt_identities all = {.n = 0};
    how.text = "sep=comma col=A:I4:0 col=B:I4:1";
    expect_new(&all, "all", identity_of_bytes(&path, lines.data, lines.nbytes, &how));
    for (size_t at = 0; at < lines.nbytes; at += 16 * 97) {
        lines.data[at] ^= 1;
        expect_new(&all, "a byte", identity_of_bytes(&path, lines.data, lines.nbytes, &how));
        lines.data[at] ^= 1;
    }
    for (size_t n = 0; n < 3; n++)
        expect_new(&all, "short", identity_of_bytes(&path, lines.data, n, &how));
    dvt_lines_free(&lines);
    dvt_folder_remove(&folder);
}

Test(identity_files, of_text_sees_options_that_change_rows_or_values)
{
    static const char text[] = "a,b;c,\"d\"\n1,2;3,\n\n4;5,6\n";
    static const char *const options[] = {
        "sep=comma col=A:TX:0",
        "sep=semicolon col=A:TX:0",
        "sep=comma,semicolon col=A:TX:0",
        "sep=comma col=A:TX:1",
        "sep=comma col=A:R4:0",
        "sep=comma col=A:TX:0-1",
        "sep=comma col=A:TX:0 header+",
        "sep=comma col=A:TX:0 quote-",
        "sep=comma col=A:TX:0 sparse-",
        "sep=comma col=A:TX:0 trim+",
        "sep=comma col=A:TX:0 rows=2",
        "sep=comma col=A:TX:0 multilines+",
        "sep=comma col=A:TX:0 missingrealnan+",
        "sep=comma col=A:TX:0 blank=empty",
        "sep=comma col=A:TX:0 size=7",
    };
    static const char *const alike[] = {"col=A:TX:0 sep=comma", "sep=,  col=A:TX:0",
                                        "sep=comma col=A:TX:0 header-"};
    dvt_identities all = {.n = 0};
    for (size_t i = 0; i < COUNT(options); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = dvt_text_open(options[i], text, sizeof text - 1, NULL, &err);
        cr_assert_not_null(view, "%s: %s", options[i], err.message);
        expect_new(&all, options[i], dvt_identity_of(view));
    }
    for (size_t i = 0; i < COUNT(alike); i++) {
        dv_view *view = dvt_text_open(alike[i], text, sizeof text - 1, NULL, NULL);
        cr_expect(dvt_identity_same(dvt_identity_of(view), all.identity[0]), "%s", alike[i]);
    }
}

Test(identity_files, of_a_btable_sees_whether_it_is_repaired)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dv_u128 strict = dvt_identity_of(dvt_golden_open("btable/article.btable", &how));
    how.lenient = true;
    cr_expect(!dvt_identity_same(dvt_identity_of(dvt_golden_open("btable/article.btable", &how)),
                                 strict));
    how.lenient = false;
    how.block_nbytes = how.cursor_nbytes = 1 << 20; /* limits are nothing */
    how.io = DV_IO_PREAD;
    cr_expect(
        dvt_identity_same(dvt_identity_of(dvt_golden_open("btable/article.btable", &how)), strict));
}

Test(identity_files, of_datadings_sees_options_and_the_files_beside)
{
    static const char *const options[] = {"",         "raw",      "scan",    "mismatch=na",
                                          "col=v:I8", "col=v:R8", "col=v:BY"};
    dvt_samples set = dvt_samples_numbered(9);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_identities all = {.n = 0};
    dvt_samples_write(&set);
    how.format = "datadings";
    for (size_t i = 0; i < COUNT(options); i++) {
        how.datadings = options[i];
        expect_new(&all, options[i], dvt_identity_of(open_path(set.path.text, &how)));
    }
    how.datadings = "confirm";
    cr_expect(dvt_identity_same(dvt_identity_of(open_path(set.path.text, &how)), all.identity[0]));
    how.datadings = "";
    dvt_bytes_set(&set.side[DVI_DATADINGS_HASHES], NULL, 0); /* only look-ups need it */
    dvt_samples_write(&set);
    cr_expect(dvt_identity_same(dvt_identity_of(open_path(set.path.text, &how)), all.identity[0]));
    dvt_bytes_set(&set.side[DVI_DATADINGS_LEGACY], NULL, 0);
    dvt_samples_write(&set);
    expect_new(&all, "no .index", dvt_identity_of(open_path(set.path.text, &how)));
    dvt_bytes_patch(&set.side[DVI_DATADINGS_KEYS], set.side[DVI_DATADINGS_KEYS].n - 1, "x", 1);
    dvt_samples_write(&set);
    expect_new(&all, "another key", dvt_identity_of(open_path(set.path.text, &how)));
    dvt_samples_free(&set);
}

Test(identity_files, of_files_opened_as_one_sees_each)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.csv"), b = dvt_path_in(&folder, "b.csv");
    const char *const paths[] = {a.text, b.text};
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_u128 identity[3];
    how.text = "sep=comma col=A:I4:0";
    dvt_file_write(&a, "1\n2\n", 4);
    for (int i = 0; i < 3; i++) {
        dv_view *view;
        dvt_file_write(&b, i == 1 ? "3\n5\n" : "3\n4\n", 4);
        cr_assert_eq(dv_open_many(&view, paths, 2, &how, NULL), DV_OK);
        identity[i] = dvt_identity_of(view);
    }
    cr_expect(dvt_identity_same(identity[0], identity[2]));
    cr_expect(!dvt_identity_same(identity[0], identity[1]));
    dvt_folder_remove(&folder);
}

/* The bytes of a pipe come only once; the error names the pipe. */
Test(identity_files, of_a_pipe_is_refused)
{
    static const char text[] = "1\n2\n3\n";
    dvt_pipe pipe = dvt_pipe_of(text, sizeof text - 1, 2);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_u128 identity;
    how.format = "text";
    how.text = "col=A:I4:0";
    dv_view *view = open_path(pipe.path, &how), *taken;
    cr_assert_eq(dv_view_slice(&taken, view, 1, -1, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_identity(taken, &identity, &err), DV_ERR_ARGUMENT);
    cr_expect(*err.file && strstr(err.message, "pipe"), "%s", err.message);
    cr_expect(dvt_identity_same(identity, (dv_u128){0, 0}));
    dv_view_release(&taken);
    dv_view_release(&view);
    dvt_pipe_close(&pipe);
}

/* A file that shrinks while it is open is an error that names it, at every later call. */
Test(identity_files, of_a_file_that_shrank_is_an_error)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.csv");
    dvt_lines lines = many_lines(9);
    for (int io = 0; io < 2; io++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.text = "sep=comma col=A:I4:0";
        how.io = io ? DV_IO_PREAD : DV_IO_MMAP;
        dvt_file_write(&path, lines.data, lines.nbytes);
        dv_view *view = open_path(path.text, &how);
        dvt_file_resize(&path, 20);
        for (int times = 0; times < 2; times++) {
            dv_error err = DV_ERROR_INIT;
            dv_u128 identity;
            cr_expect_eq(dv_view_identity(view, &identity, &err), DV_ERR_IO);
            cr_expect_not_null(strstr(err.message, "a.csv"), "%s", err.message);
        }
        dv_view_release(&view);
    }
    dvt_lines_free(&lines);
    dvt_folder_remove(&folder);
}
