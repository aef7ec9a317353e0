/* SPDX-License-Identifier: MIT */
/* test_datadings_keyed.c: the public functions of datadings.h: look-ups by key, messages, and side
 * files that are written again. */
#include "support/allocator.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include <dataview/datadings.h>
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/transform.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static dv_view *open_view(const dvt_samples *made, const char *text, dv_io io)
{
    dv_view *view;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    options.datadings = text;
    options.io = io;
    cr_assert_eq(dv_open(&view, made->path.text, &options, &err), DV_OK, "%s", err.message);
    return view;
}

static bool is_text(const dv_buffer *buffer, const char *text)
{
    return buffer->nbytes == strlen(text) && memcmp(buffer->data, text, buffer->nbytes) == 0;
}

/* --- Look-ups --------------------------------------------------------------------------------- */

static void expect_tiny(dv_view *view, const dvt_samples *made, bool is_borrowed)
{
    static const char *const keys[] = {"a", "b/1", "\xC3\xBC"};
    static const size_t ends[] = {0, 26, 110, 202};
    for (int64_t row = 0; row < 3; row++) {
        dv_error err = DV_ERROR_INIT;
        dv_buffer key, message;
        int64_t found;
        bool does;
        cr_expect_eq(dv_datadings_find(view, dv_text_of(keys[row]), &found, &err), DV_OK, "%s",
                     err.message);
        cr_expect_eq(found, row);
        cr_expect_eq(dv_datadings_contains(view, dv_text_of(keys[row]), &does, &err), DV_OK);
        cr_expect(does);
        cr_assert_eq(dv_datadings_key(view, row, &key, &err), DV_OK);
        cr_expect(is_text(&key, keys[row]));
        cr_assert_eq(dv_datadings_message(view, row, &message, &err), DV_OK);
        cr_expect_eq(message.is_borrowed, is_borrowed);
        cr_expect_eq(message.nbytes, ends[row + 1] - ends[row]);
        cr_expect_eq(memcmp(message.data, made->data.data + ends[row], message.nbytes), 0);
        dv_buffer_release(&key);
        dv_buffer_release(&message);
    }
}

static void expect_refusals(dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dv_buffer buffer = {.nbytes = 7};
    int64_t found = 7;
    bool does = true;
    cr_expect_eq(dv_datadings_find(view, dv_text_of("nope"), &found, &err), DV_NOT_FOUND);
    cr_expect_eq(found, -1);
    cr_expect_eq(dv_datadings_contains(view, dv_text_of("nope"), &does, &err), DV_OK);
    cr_expect_not(does);
    for (int64_t row = -1; row <= 3; row += 4) {
        cr_expect_eq(dv_datadings_key(view, row, &buffer, &err), DV_ERR_ARGUMENT);
        cr_expect_eq(buffer.nbytes, 0);
        cr_expect_eq(dv_datadings_message(view, row, &buffer, &err), DV_ERR_ARGUMENT);
        cr_expect_eq(buffer.nbytes, 0);
    }
}

Test(datadings_keyed, work_on_any_view_of_a_set)
{
    static const char *const texts[] = {"", "scan", "raw", "raw scan", "confirm", "raw confirm"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
            dvt_samples made = dvt_samples_tiny();
            dvt_samples_write(&made);
            dv_view *view = open_view(&made, texts[i], (dv_io)io);
            expect_tiny(view, &made, io == DV_IO_MMAP);
            expect_refusals(view);
            dv_view_release(&view);
            dvt_samples_free(&made);
        }
}

/* More keys than a block of look-ups; every third one is in no sample. */
Test(datadings_keyed, many_keys_are_found_like_each)
{
    enum { KEYS = 300 };
    static char words[KEYS][12];
    static const char *const texts[] = {"", "scan", "raw", "confirm"};
    dv_text keys[KEYS];
    int64_t rows[KEYS + 1] = {0};
    dvt_samples made = dvt_samples_numbered(250);
    dvt_samples_write(&made);
    for (int i = 0; i < KEYS; i++) {
        snprintf(words[i], sizeof words[i], i % 3 ? "k%d" : "x%d", (i * 7) % 250);
        keys[i] = dv_text_of(words[i]);
    }
    rows[KEYS] = 77;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        dv_view *view = open_view(&made, texts[t], DV_IO_MMAP);
        cr_assert_eq(dv_datadings_find_many(view, keys, KEYS, rows, NULL), DV_OK);
        for (int i = 0; i < KEYS; i++) {
            int64_t row;
            cr_expect_eq(dv_datadings_find(view, keys[i], &row, NULL),
                         i % 3 ? DV_OK : DV_NOT_FOUND);
            cr_expect_eq(rows[i], i % 3 ? (i * 7) % 250 : -1, "%s", words[i]);
            cr_expect_eq(rows[i], row);
        }
        cr_expect_eq(rows[KEYS], 77);
        cr_expect_eq(dv_datadings_find_many(view, NULL, 0, NULL, NULL), DV_OK);
        dv_view_release(&view);
    }
    dvt_samples_free(&made);
}

Test(datadings_keyed, finds_no_key_of_many_in_a_damaged_set)
{
    const dv_text keys[] = {dv_text_of("k1"), dv_text_of("k2")};
    int64_t rows[] = {5, 5};
    dv_error err = DV_ERROR_INIT;
    dvt_samples made = dvt_samples_numbered(10);
    made.side[DVI_DATADINGS_HASHES].n--;
    dvt_samples_write(&made);
    dv_view *view = open_view(&made, "", DV_IO_MMAP);
    cr_expect_eq(dv_datadings_find_many(view, keys, 2, rows, &err), DV_ERR_CORRUPT);
    cr_expect_str_eq(err.rule, "datadings:8.8");
    cr_expect(rows[0] == -1 && rows[1] == -1);
    dv_view *first;
    cr_assert_eq(dv_view_slice(&first, view, 0, 3, NULL, NULL), DV_OK);
    cr_expect_eq(dv_datadings_find_many(first, keys, 2, rows, &err), DV_ERR_ARGUMENT);
    dv_view_release(&first);
    dv_view_release(&view);
    dvt_samples_free(&made);
}

/* A key that is found is compared with the list, which must be as long as it was. */
Test(datadings_keyed, the_list_of_keys_is_cut)
{
    int64_t row = 5;
    char path[4096];
    dv_error err = DV_ERROR_INIT;
    dvt_samples made = dvt_samples_numbered(10);
    dvt_samples_write(&made);
    dv_view *view = open_view(&made, "confirm", DV_IO_MMAP);
    cr_assert_eq(dv_datadings_find(view, dv_text_of("k3"), &row, &err), DV_OK);
    snprintf(path, sizeof path, "%s.keys", made.path.text);
    cr_assert_eq(truncate(path, 4), 0);
    cr_expect_eq(dv_datadings_find(view, dv_text_of("k3"), &row, &err), DV_ERR_IO);
    cr_expect_eq(row, -1);
    cr_expect_eq(dv_datadings_find(view, dv_text_of("x3"), &row, &err), DV_NOT_FOUND);
    dv_view_release(&view);
    dvt_samples_free(&made);
}

/* A key and a message outlive the view. */
Test(datadings_keyed, bytes_outlive_the_view)
{
    for (int i = 0; i < 4; i++) {
        dvt_samples made = dvt_samples_tiny();
        dvt_samples_write(&made);
        dv_view *view = open_view(&made, i & 1 ? "scan" : "", i & 2 ? DV_IO_PREAD : DV_IO_MMAP);
        dv_buffer key, message;
        cr_assert_eq(dv_datadings_key(view, 1, &key, NULL), DV_OK);
        cr_assert_eq(dv_datadings_message(view, 1, &message, NULL), DV_OK);
        dv_view_release(&view);
        cr_expect(is_text(&key, "b/1"));
        cr_expect_eq(memcmp(message.data, made.data.data + 26, 84), 0);
        dv_buffer_release(&key);
        dv_buffer_release(&message);
        cr_expect_null(key.owner);
        dvt_samples_free(&made);
    }
}

Test(datadings_keyed, message_without_a_key_has_none)
{
    dvt_samples made = dvt_samples_tiny();
    dvt_bytes_set(&made.data, "\x81\xa1x\x01", 4);
    dvt_samples_write(&made);
    dv_view *view = open_view(&made, "scan", DV_IO_MMAP);
    dv_buffer key;
    cr_expect_eq(dv_datadings_key(view, 0, &key, NULL), DV_NOT_FOUND);
    cr_expect_null(key.data);
    dv_view_release(&view);
    dvt_samples_free(&made);
}

Test(datadings_keyed, other_views_have_no_keys)
{
    static const char text[] = "1\n";
    dv_view *view;
    dv_buffer buffer;
    int64_t row;
    bool does;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.text = "col=x:R4:0";
    cr_assert_eq(dv_open_memory(&view, text, sizeof text - 1, NULL, NULL, "x.txt", &options, &err),
                 DV_OK, "%s", err.message);
    cr_expect_eq(dv_datadings_find(view, dv_text_of("1"), &row, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(row, -1);
    cr_expect_eq(dv_datadings_contains(view, dv_text_of("1"), &does, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_datadings_key(view, 0, &buffer, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_datadings_message(view, 0, &buffer, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_datadings_index(view, NULL, &err), DV_ERR_ARGUMENT);
    dv_view_release(&view);
}

/* --- Several files ---------------------------------------------------------------------------- */

/* 40 samples, the worked example, and 300 samples, of which the first 40 have the same keys. */
typedef struct joined {
    dvt_samples set[3];
    const char *path[3];
} joined;

#define JOINED_ROWS (40 + 3 + 300)

static void joined_write(joined *j)
{
    j->set[0] = dvt_samples_numbered(40);
    j->set[1] = dvt_samples_tiny();
    j->set[2] = dvt_samples_numbered(300);
    for (int i = 0; i < 3; i++) {
        dvt_samples_write(&j->set[i]);
        j->path[i] = j->set[i].path.text;
    }
}

static void joined_free(joined *j)
{
    for (int i = 0; i < 3; i++)
        dvt_samples_free(&j->set[i]);
}

static dv_view *joined_open(const joined *j, const char *text)
{
    dv_view *view;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    options.datadings = text;
    cr_assert_eq(dv_open_many(&view, j->path, 3, &options, &err), DV_OK, "%s", err.message);
    return view;
}

/* The row that has a key in all files together. */
static int64_t joined_row(int k)
{
    return k < 40 ? k : k < 300 ? 43 + k : -1;
}

static void expect_found(dv_view *view, const char *key, int64_t wanted)
{
    int64_t row;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_datadings_find(view, dv_text_of(key), &row, &err), DV_OK, "%s", err.message);
    cr_expect_eq(row, wanted);
}

static void expect_joined(dv_view *view)
{
    enum { KEYS = 310 };
    static char words[KEYS][12];
    static dv_text keys[KEYS];
    static int64_t rows[KEYS];
    for (int round = 0; round < 2; round++) /* without tables, and with them */
        for (int k = KEYS; k-- > 0;) {
            int64_t row;
            bool does;
            snprintf(words[k], sizeof words[k], "k%d", k);
            keys[k] = dv_text_of(words[k]);
            cr_expect_eq(dv_datadings_contains(view, keys[k], &does, NULL), DV_OK);
            cr_expect_eq(does, k < 300);
            cr_expect_eq(dv_datadings_find(view, keys[k], &row, NULL),
                         k < 300 ? DV_OK : DV_NOT_FOUND);
            cr_expect_eq(row, joined_row(k), "%s", words[k]);
        }
    keys[7] = dv_text_of("b/1");
    cr_assert_eq(dv_datadings_find_many(view, keys, KEYS, rows, NULL), DV_OK);
    for (int k = 0; k < KEYS; k++)
        cr_expect_eq(rows[k], k == 7 ? 41 : joined_row(k), "%d", k);
}

Test(datadings_keyed, several_files_are_one_set)
{
    static const char *const texts[] = {"", "raw", "scan", "raw confirm-"};
    joined j;
    joined_write(&j);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dv_view *view = joined_open(&j, texts[i]);
        dv_buffer key, message;
        expect_joined(view);
        cr_assert_eq(dv_datadings_key(view, 43 + 299, &key, NULL), DV_OK);
        cr_expect(is_text(&key, "k299"));
        cr_assert_eq(dv_datadings_message(view, 41, &message, NULL), DV_OK);
        cr_expect_eq(memcmp(message.data, j.set[1].data.data + 26, message.nbytes), 0);
        dv_buffer_release(&key);
        dv_buffer_release(&message);
        for (int64_t row = -1; row <= JOINED_ROWS; row += JOINED_ROWS + 1) {
            dv_error err = DV_ERROR_INIT;
            cr_expect_eq(dv_datadings_key(view, row, &key, &err), DV_ERR_ARGUMENT);
            cr_expect(strstr(err.message, "343 rows"), "%s", err.message);
        }
        cr_expect_eq(dv_datadings_index(view, NULL, NULL), DV_ERR_ARGUMENT);
        dv_view_release(&view);
    }
    joined_free(&j);
}

/* Only a file that has the key needs its table: the damage in others stays unknown. */
Test(datadings_keyed, filters_of_several_files_are_asked_first)
{
    const dv_text keys[] = {dv_text_of("k7"), dv_text_of("k299")};
    joined j;
    int64_t row, rows[2];
    dv_error err = DV_ERROR_INIT;
    joined_write(&j);
    j.set[2].side[DVI_DATADINGS_HASHES].n--;
    dvt_samples_write(&j.set[2]);
    dv_view *view = joined_open(&j, "raw");
    cr_expect_eq(dv_datadings_find(view, keys[0], &row, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_datadings_find(view, dv_text_of("none of them"), &row, &err), DV_NOT_FOUND);
    cr_expect_eq(dv_datadings_find(view, keys[1], &row, &err), DV_ERR_CORRUPT);
    cr_expect_str_eq(err.rule, "datadings:8.8");
    /* Its folder tells it from the first file; of a long path the error has only the end. */
    cr_expect(strstr(err.file, j.path[2] + strlen(j.path[2]) - 20), "%s", err.file);
    cr_expect_eq(row, -1);
    cr_expect_eq(dv_datadings_find_many(view, keys, 2, rows, &err), DV_ERR_CORRUPT);
    cr_expect(rows[0] == -1 && rows[1] == -1);
    dv_view_release(&view);
    joined_free(&j);
}

/* A filter only saves tables: a key is found without it. */
Test(datadings_keyed, filters_of_several_files_may_be_damaged)
{
    static const int cuts[] = {16, 31, 33};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        joined j;
        int64_t row;
        bool does;
        dv_error err = DV_ERROR_INIT;
        joined_write(&j);
        for (int k = 0; k < 3; k++) {
            j.set[k].side[DVI_DATADINGS_FILTER].n = (size_t)cuts[i];
            dvt_samples_write(&j.set[k]);
        }
        dv_view *view = joined_open(&j, "raw");
        cr_expect_eq(dv_datadings_contains(view, dv_text_of("k299"), &does, &err), DV_ERR_CORRUPT);
        cr_expect_eq(dv_datadings_find(view, dv_text_of("none of them"), &row, &err), DV_NOT_FOUND,
                     "%s", err.message);
        expect_found(view, "k299", 43 + 299);
        expect_found(view, "b/1", 41);
        dv_view_release(&view);
        joined_free(&j);
    }
}

/* A file of another format has no keys; nor has a view that is made of joined files. */
Test(datadings_keyed, not_all_joined_views_have_keys)
{
    static const char text[] = "1\n";
    dvt_samples made = dvt_samples_numbered(3);
    int64_t row;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *views[2], *both, *slice;
    options.text = "col=v:I8:0";
    dvt_samples_write(&made);
    views[0] = open_view(&made, "col=v:I8", DV_IO_MMAP);
    cr_assert_eq(
        dv_open_memory(&views[1], text, sizeof text - 1, NULL, NULL, "x.txt", &options, &err),
        DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_concat(&both, views, 2, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_datadings_find(both, dv_text_of("k1"), &row, &err), DV_ERR_ARGUMENT);
    dv_view_release(&both);
    dv_view_release(&views[1]);
    views[1] = views[0];
    cr_assert_eq(dv_view_concat(&both, views, 2, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_datadings_find(both, dv_text_of("k1"), &row, &err), DV_OK);
    cr_assert_eq(dv_view_slice(&slice, both, 0, 3, NULL, NULL), DV_OK);
    cr_expect_eq(dv_datadings_find(slice, dv_text_of("k1"), &row, &err), DV_ERR_ARGUMENT);
    dv_view_release(&slice);
    dv_view_release(&both);
    dv_view_release(&views[0]);
    dvt_samples_free(&made);
}

/* --- In many threads -------------------------------------------------------------------------- */

#define THREADS 8
#define ROWS 3000

typedef struct reader {
    pthread_t thread;
    dv_view *view;
    int start;
    int64_t wrong;
} reader;

/* Make the first look-up, and read keys and messages, while other threads do the same. */
static void *look_up(void *ctx)
{
    reader *a = ctx;
    for (int i = 0; i < ROWS; i++) {
        const int64_t row = (a->start + i * 7) % ROWS;
        char text[16];
        dv_buffer key = {0}, message = {0};
        int64_t found = -1;
        bool does = false;
        snprintf(text, sizeof text, "k%" PRId64, row);
        const bool is_right =
            dv_datadings_find(a->view, dv_text_of(text), &found, NULL) == DV_OK && found == row &&
            dv_datadings_contains(a->view, dv_text_of(text), &does, NULL) == DV_OK && does &&
            dv_datadings_key(a->view, row, &key, NULL) == DV_OK && is_text(&key, text) &&
            dv_datadings_message(a->view, row, &message, NULL) == DV_OK &&
            memcmp((const char *)message.data + 6, text, strlen(text)) == 0;
        a->wrong += !is_right;
        dv_buffer_release(&key);
        dv_buffer_release(&message);
    }
    return NULL;
}

Test(datadings_keyed, many_threads_make_the_first_look_up)
{
    static const char letters[] = "okhfmi";
    static const char *const dropped[] = {"", "hf", "okhfm", "i"};
    for (size_t way = 0; way < sizeof dropped / sizeof *dropped; way++) {
        dvt_samples made = dvt_samples_numbered(ROWS);
        reader readers[THREADS];
        for (int file = 0; file < DVI_DATADINGS_FILES; file++)
            if (strchr(dropped[way], letters[file]))
                dvt_bytes_set(&made.side[file], NULL, 0);
        dvt_samples_write(&made);
        dv_view *view =
            open_view(&made, way == 3 ? "scan" : "", way & 1 ? DV_IO_PREAD : DV_IO_MMAP);
        for (int i = 0; i < THREADS; i++) {
            readers[i] = (reader){.view = view, .start = i * 311};
            cr_assert_eq(pthread_create(&readers[i].thread, NULL, look_up, &readers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(readers[i].thread, NULL);
            cr_expect_eq(readers[i].wrong, 0, "thread %d, without %s", i, dropped[way]);
        }
        dv_view_release(&view);
        dvt_samples_free(&made);
    }
}
