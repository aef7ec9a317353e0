/* SPDX-License-Identifier: MIT */
/* test_datadings_shards.c: several files whose samples differ, opened together (datadings:12). What
 * columns they have is a matter of test_datadings_infer.c. */
#include "support/allocator.h"
#include "support/messages.h"
#include "support/test.h"
#include <dataview/datadings.h>
#include <dataview/transform.h>
#include <string.h>

typedef struct shards {
    dvt_path folder, path[3];
} shards;

static shards shards_write(const char *const *messages, int n)
{
    static const char *const names[] = {"a.msgpack", "b.msgpack", "c.msgpack"};
    shards set = {.folder = dvt_folder_create()};
    for (int i = 0; i < n; i++) {
        dvt_lines bytes = {0};
        set.path[i] = dvt_path_in(&set.folder, names[i]);
        dvt_messages_add(&bytes, messages[i]);
        dvt_file_write(&set.path[i], bytes.data, bytes.nbytes);
        dvt_lines_free(&bytes);
    }
    return set;
}

/* All rows; NULL: see err. */
static dv_status shards_read(const shards *set, int n, const char *options, dvt_lines *rows,
                             const dv_allocator *allocator, dv_error *err)
{
    const char *const paths[] = {set->path[0].text, set->path[1].text, set->path[2].text};
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    how.datadings = options;
    how.allocator = allocator;
    how.columns = 4;
    if (dv_open_many(&view, paths, n, &how, err) != DV_OK)
        return err->status;
    dvt_messages_schema(rows, view);
    const dv_status status = dvt_messages_rows(rows, view, NULL, err);
    dv_view_release(&view);
    return status;
}

static void expect_read(const char *const *messages, int n, const char *options, const char *lines)
{
    shards set = shards_write(messages, n);
    dvt_lines rows = {0};
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(shards_read(&set, n, options, &rows, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(rows.data, lines, "%s", rows.data);
    dvt_lines_free(&rows);
    dvt_folder_remove(&set.folder);
}

Test(datadings_shards, options)
{
    static const char *const two[] = {"{key:\"p\",x:1}", "{key:\"q\",x:\"t\",y:2}"};
    expect_read(two, 2, "scan",
                "key TX, x BY?, y I8[\"p\",\"by:01\",null]\n[\"q\",\"by:a174\",2]\n");
    expect_read(two, 2, "scan col=y:I8", "y I8[null]\n[2]\n");
    expect_read(two, 2, "scan infer=1",
                "key TX, x BY?, y I8[\"p\",\"by:01\",null]\n[\"q\",\"by:a174\",2]\n");
    expect_read(two, 2, "scan raw",
                "key TX, message BY![\"p\",\"by:82a36b6579a170a17801\"]\n"
                "[\"q\",\"by:83a36b6579a171a178a174a17902\"]\n");
}

Test(datadings_shards, each_way_to_fail)
{
    static const char *const many[] = {"{a:1,b:2}", "{c:1,d:1}", "{e:1}"};
    static const char *const broken[] = {"{a:1}", "!81"};
    dvt_lines rows = {0};
    dv_error err = DV_ERROR_INIT;
    shards set = shards_write(many, 3);
    cr_expect_eq(shards_read(&set, 2, "scan", &rows, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(shards_read(&set, 3, "scan", &rows, NULL, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "columns");
    cr_expect(strstr(err.file, "c.msgpack"), "%s", err.file);
    dvt_folder_remove(&set.folder);

    set = shards_write(broken, 2);
    cr_expect_eq(shards_read(&set, 2, "scan", &rows, NULL, &err), DV_ERR_CORRUPT);
    cr_expect(strstr(err.file, "b.msgpack"), "%s", err.file);
    dvt_folder_remove(&set.folder);
    dvt_lines_free(&rows);
}

Test(datadings_shards, each_allocation_may_fail)
{
    static const char *const parts[] = {
        "{b:{c:@<f4[2,3]#000000000000000000000000000000000000000000000000}}",
        "{b:{c:@<f4[2,1]#0000000000000000,d:n},e:[1,2]}"};
    shards set = shards_write(parts, 2);
    for (int64_t k = 1;; k += DVT_FAIL_STEP) {
        dvt_lines rows = {0};
        dv_error err = DV_ERROR_INIT;
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        const dv_status status = shards_read(&set, 2, "scan", &rows, &counted.allocator, &err);
        const bool is_done = counted.asked < k;
        dvt_lines_free(&rows);
        cr_expect_eq(counted.live, 0);
        cr_assert_eq(status, is_done ? DV_OK : DV_ERR_MEMORY, "%lld", (long long)k);
        if (is_done)
            break;
    }
    dvt_folder_remove(&set.folder);
}
