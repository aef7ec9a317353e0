/* SPDX-License-Identifier: MIT */
/* test_idv_golden.c: checks that every .idv file of the reference reads as the reference says. */
#include "support/golden_files.h"
#include "support/page.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/open.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILES_MIN 100 /* fewer: the golden files were not found */

static const dv_io ios[] = {DV_IO_MMAP, DV_IO_PREAD};
static const char *const io_names[] = {"mmap", "pread"};

typedef struct way {
    const char *name;
    dvt_producer *produce;
} way;

static const way ways[] = {
    {"by value", dvt_produce_by_value},
    {"by getter", dvt_produce_by_getter},
    {"by layout", dvt_produce_by_layout},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_truth(const dvt_golden *golden, const dvt_lines *lines, const char *how,
                         const char *io)
{
    static const dvt_part all = DVT_PART_ALL;
    char message[DVT_MESSAGE_NBYTES];
    cr_expect(dvt_golden_same(golden, &all, dvt_lines_text(lines), message), "%s %s, %s: %s",
              golden->path, how, io, message);
}

/* Read the view in each way, with this many threads. */
static void check_ways(const dvt_golden *golden, dv_view *view, int32_t threads, const char *io)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        dv_error err = DV_ERROR_INIT;
        dvt_lines lines = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.threads = threads;
        const dv_status status = ways[i].produce(&lines, view, &options, &err);
        cr_expect_eq(status, DV_OK, "%s %s, %s: %s", golden->path, ways[i].name, io, err.message);
        if (status == DV_OK)
            expect_truth(golden, &lines, ways[i].name, io);
        dvt_lines_free(&lines);
    }
}

static void check_file(const dvt_golden *golden)
{
    for (size_t i = 0; i < COUNT(ios); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.io = ios[i];
        cr_expect_eq(dv_open(&view, golden->path, &options, &err), DV_OK, "%s", err.message);
        if (!view)
            continue;
        cr_expect_str_eq(dv_view_kind(view), "idv");
        if (!DVT_THREADS_ONLY)
            check_ways(golden, view, 1, io_names[i]);
        check_ways(golden, view, 4, io_names[i]);
        dv_view_release(&view);
    }
}

Test(idv_golden, reads_as_the_reference_says)
{
    cr_expect_gt(dvt_golden_each(check_file), FILES_MIN);
}

static void check_command(const dvt_golden *golden)
{
    for (size_t i = 0; i < COUNT(ios); i++) {
        dvt_lines lines = {0};
        const int status = dvt_produce_by_command(&lines, golden->path, io_names[i]);
        cr_expect_eq(status, 0, "%s: dataview cat exits with %d", golden->path, status);
        if (status == 0)
            expect_truth(golden, &lines, "by command", io_names[i]);
        dvt_lines_free(&lines);
    }
}

Test(idv_golden, the_command_says_the_same)
{
    const char *program = getenv("DV_BIN");
    if (!program || access(program, X_OK) != 0)
        cr_skip_test("DV_BIN names no program");
    cr_expect_gt(dvt_golden_each(check_command), FILES_MIN);
}

/* --- Bytes in memory -------------------------------------------------------------------------- */

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

static void check_memory(const dvt_golden *golden, const uint8_t *data, size_t nbytes,
                         const char *where)
{
    for (size_t i = 0; i < COUNT(ios); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        int released = 0;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.io = ios[i];
        const dv_status status = dv_open_memory(&view, data, nbytes, count_release, &released,
                                                golden->path, &options, &err);
        cr_expect_eq(status, DV_OK, "%s: %s", where, err.message);
        if (!view)
            continue;
        check_ways(golden, view, 1, where);
        cr_expect_eq(released, 0, "%s: %s", golden->path, where);
        dv_view_release(&view);
        cr_expect_eq(released, 1, "%s: %s", golden->path, where);
    }
}

static void check_odd_address(const dvt_golden *golden)
{
    size_t nbytes;
    uint8_t *file = dvt_file_read(golden->path, &nbytes);
    uint8_t *memory = aligned_alloc(64, (nbytes + 65) / 64 * 64);
    cr_assert_not_null(memory);
    memcpy(memory + 1, file, nbytes);
    check_memory(golden, memory + 1, nbytes, "at an odd address");
    free(memory);
    free(file);
}

DVT_TEST_WITHOUT_THREADS(idv_golden, reads_at_any_address)
{
    cr_expect_gt(dvt_golden_each(check_odd_address), FILES_MIN);
}

static void check_guarded(const dvt_golden *golden)
{
    size_t nbytes;
    uint8_t *file = dvt_file_read(golden->path, &nbytes);
    dvt_page page = dvt_page_create(nbytes);
    check_memory(golden, dvt_page_copy_end(page, file, nbytes), nbytes, "before a guard page");
    check_memory(golden, dvt_page_copy_start(page, file, nbytes), nbytes, "after a guard page");
    dvt_page_free(&page);
    free(file);
}

DVT_TEST_WITHOUT_THREADS(idv_golden, reads_nothing_beside_the_file)
{
    cr_expect_gt(dvt_golden_each(check_guarded), FILES_MIN);
}

/* --- The list of crafted files --- */

static int crafted;

static void count_crafted(const dvt_golden *golden)
{
    const dvt_path ours = dvt_test_path("golden/idv-crafted/");
    crafted += strncmp(golden->path, ours.text, strlen(ours.text)) == 0;
}

Test(idv_golden, every_crafted_file_is_listed_and_opens)
{
    size_t nbytes;
    const dvt_path path = dvt_test_path("golden/idv-crafted/manifest.json");
    uint8_t *text = dvt_file_read(path.text, &nbytes);
    dvi_arena arena;
    dvi_arena_init(&arena, NULL);
    const dvt_json *list = dvt_json_parse(&arena, (dv_text){(char *)text, (int64_t)nbytes});
    cr_assert(list && list->kind == DVT_JSON_ARRAY);
    for (const dvt_json *entry = list->first; entry; entry = entry->next) {
        char name[200];
        const dv_text file = dvt_json_member(entry, "file")->text;
        snprintf(name, sizeof name, "golden/idv-crafted/%.*s", (int)file.nbytes, file.data);
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        cr_expect_eq(dv_open(&view, dvt_test_path(name).text, NULL, &err), DV_OK, "%s",
                     err.message);
        dv_view_release(&view);
    }
    dvt_golden_each(count_crafted);
    cr_expect_eq(list->count, crafted);
    dvi_arena_free(&arena);
    free(text);
}
