/* SPDX-License-Identifier: MIT */
/* test_message_writer.c: sets of datadings from messages that come one by one (datadings.h). */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/messages.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/datadings.h>
#include <dataview/save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sides[] = {"", ".offsets", ".keys", ".key_hashes", ".filter", ".md5"};

/* Append one message of the notation. */
static dv_status append(dv_datadings_writer *writer, const char *key, const char *text,
                        dv_error *err)
{
    dvt_lines bytes = {0};
    dvt_messages_add(&bytes, text);
    const dv_status status =
        dv_datadings_writer_append(writer, dv_text_of(key), bytes.data, bytes.nbytes, err);
    dvt_lines_free(&bytes);
    return status;
}

/* Messages of a golden set, appended one by one, are that set: all six files. */
Test(message_writer, copies_a_set)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path source = dvt_test_path("golden/datadings/tiny.msgpack");
    const dvt_path copy = dvt_path_in(&folder, "tiny.msgpack");
    dv_datadings_writer *writer;
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    cr_assert_eq(dv_open(&view, source.text, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_datadings_writer_open(&writer, copy.text, NULL, &err), DV_OK, "%s",
                 err.message);
    for (int64_t row = 0; row < dv_view_rows(view); row++) {
        dv_buffer key, message;
        cr_assert_eq(dv_datadings_key(view, row, &key, &err), DV_OK);
        cr_assert_eq(dv_datadings_message(view, row, &message, &err), DV_OK);
        const dv_text given = row % 2 ? dv_text_of(NULL) : (dv_text){key.data, (int64_t)key.nbytes};
        cr_expect_eq(dv_datadings_writer_append(writer, given, message.data, message.nbytes, &err),
                     DV_OK, "%s", err.message);
        dv_buffer_release(&key);
        dv_buffer_release(&message);
    }
    cr_expect_eq(dv_datadings_writer_close(&writer, &err), DV_OK, "%s", err.message);
    cr_expect_null(writer);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        char a[600], b[600];
        size_t n, m;
        snprintf(a, sizeof a, "%s%s", source.text, sides[i]);
        snprintf(b, sizeof b, "%s%s", copy.text, sides[i]);
        uint8_t *old = dvt_file_read(a, &n), *new = dvt_file_read(b, &m);
        cr_expect(n == m && memcmp(old, new, n) == 0, "%s", sides[i]);
        free(old);
        free(new);
    }
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* A thousand samples, without a key in them, through several flushes; and none at all. */
Test(message_writer, many_and_none)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "many.msgpack");
    for (int n = 0; n <= 1500; n += 1500) {
        dv_datadings_writer *writer;
        dv_error err = DV_ERROR_INIT;
        dv_view *view;
        cr_assert_eq(dv_datadings_writer_open(&writer, path.text, NULL, &err), DV_OK);
        for (int i = 0; i < n; i++) {
            char key[16], text[32];
            snprintf(key, sizeof key, "k%d", i);
            snprintf(text, sizeof text, "{x:%d}", i);
            cr_assert_eq(append(writer, key, text, &err), DV_OK, "%s", err.message);
        }
        cr_assert_eq(dv_datadings_writer_close(&writer, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_open(&view, path.text, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dv_view_rows(view), n);
        int64_t row = -1;
        if (n > 0)
            cr_expect_eq(dv_datadings_find(view, dv_text_of("k1499"), &row, &err), DV_OK);
        cr_expect_eq(row, n - 1);
        dv_view_release(&view);
    }
    dvt_folder_remove(&folder);
}

/* Each refusal leaves no file, whenever it is found. */
Test(message_writer, refuses)
{
    static const struct {
        const char *key, *text, *found;
        dv_status status;
    } list[] = {
        {"a", "!81A178", "datadings:8.24", DV_ERR_LOSS},
        {"a", "{x:1} {x:2}", "datadings:8.25", DV_ERR_LOSS},
        {"a", "", "message", DV_ERR_ARGUMENT},
        {"a", "{key:\"b\"}", "key", DV_ERR_LOSS},
        {"a", "!81A178A2C328", "datadings:8.29", DV_ERR_LOSS},
        {NULL, "{x:1}", "neither in message 1", DV_ERR_ARGUMENT},
        {NULL, "{key:5}", "neither in message 1", DV_ERR_ARGUMENT},
        {"first", "{x:1}", "first", DV_ERR_LOSS},
        {"\xFF", "{x:1}", "UTF-8", DV_ERR_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dvt_path folder = dvt_folder_create();
        const dvt_path path = dvt_path_in(&folder, "x.msgpack");
        dv_datadings_writer *writer;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_datadings_writer_open(&writer, path.text, NULL, &err), DV_OK);
        cr_expect_eq(append(writer, "first", "{x:0}", &err), DV_OK);
        dv_status status = append(writer, list[i].key, list[i].text, &err);
        if (status < 0)
            cr_expect_eq(append(writer, "next", "{x:0}", &err), status);
        const dv_status closed = dv_datadings_writer_close(&writer, &err);
        cr_expect_eq(closed, list[i].status, "case %zu: %s", i, err.message);
        cr_expect(strstr(err.message, list[i].found), "case %zu: %s", i, err.message);
        cr_expect_eq(dvt_folder_entries(&folder), 0);
        dvt_folder_remove(&folder);
    }
}

Test(message_writer, is_abandoned)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "x.msgpack");
    dv_datadings_writer *writer = NULL;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    const int32_t one = 0;
    dv_error err = DV_ERROR_INIT;
    dv_datadings_writer_abandon(&writer);
    cr_expect_eq(dv_datadings_writer_close(&writer, &err), DV_OK);
    cr_assert_eq(dv_datadings_writer_open(&writer, path.text, NULL, &err), DV_OK);
    cr_expect_eq(append(writer, "a", "{x:0}", &err), DV_OK);
    dv_datadings_writer_abandon(&writer);
    cr_expect_null(writer);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    options.columns = &one;
    options.columns_count = 1;
    cr_expect_eq(dv_datadings_writer_open(&writer, path.text, &options, &err), DV_ERR_ARGUMENT);
    options = (dv_save_options){.size = 1};
    cr_expect_eq(dv_datadings_writer_open(&writer, path.text, &options, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_datadings_writer_open(&writer, "/nowhere/x.msgpack", NULL, &err), DV_ERR_IO);
    cr_expect_null(writer);
    dvt_folder_remove(&folder);
}

Test(message_writer, each_allocation_may_fail)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "x.msgpack");
    for (int64_t k = 1;; k += DVT_FAIL_STEP) {
        dvt_allocator counted;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        dv_datadings_writer *writer;
        dv_error err = DV_ERROR_INIT;
        dvt_allocator_init(&counted, k);
        options.allocator = &counted.allocator;
        dv_status status = dv_datadings_writer_open(&writer, path.text, &options, &err);
        for (int i = 0; i < 3 && status == DV_OK; i++) {
            const char key[] = {(char)('a' + i), 0};
            status = append(writer, key, "{x:0}", &err);
        }
        const dv_status closed = dv_datadings_writer_close(&writer, &err);
        status = status < 0 ? status : closed;
        const bool is_done = counted.asked < k;
        cr_expect_eq(counted.live, 0);
        cr_assert_eq(status, is_done ? DV_OK : DV_ERR_MEMORY, "%lld: %s", (long long)k,
                     err.message);
        if (is_done)
            break;
        cr_expect_eq(dvt_folder_entries(&folder), 0);
    }
    dvt_folder_remove(&folder);
}
