/* SPDX-License-Identifier: MIT */
/* test_views_memory.c: memory of views made from views: failing allocations, lifetimes, steady
 * state. */
#include "support/allocator.h"
#include "support/chain.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/produce.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A file, and a view of it. */
typedef struct story {
    const char *file, *steps;
} story;

static const story stories[] = {
    {"transform/select-drop/input.idv",
     "[{\"transform\":\"CopyColumns\",\"columns\":[{\"name\":\"S\",\"source\":\"N\"}]},"
     "{\"transform\":\"Choose\",\"hidden\":3,\"columns\":[{\"source\":\"Q\",\"name\":\"q\"},"
     "{\"source\":\"S\"},{\"source\":\"T\",\"name\":\"t\"}]},"
     "{\"transform\":\"SelectColumns\",\"dropColumns\":[\"t\"]}]"},
    {"transform/select-drop/input.idv",
     "{\"transform\":\"Concatenate\",\"name\":\"B\",\"sources\":[\"S\",\"R\",\"P\",\"Sn\",\"Q\"]}"},
    {"transform/select-drop/input.idv",
     "[{\"transform\":\"Concatenate\",\"name\":\"B\",\"sources\":[\"S\",\"R\",\"R\"]},"
     "{\"transform\":\"Concatenate\",\"name\":\"T\",\"sources\":[\"T\",\"TV\"]}]"},
    {"idv/scalar-all-raw-rpb7.idv",
     "{\"transform\":\"GenerateNumber\",\"columns\":[{\"name\":\"I4\"},"
     "{\"name\":\"n\",\"useCounter\":true}]}"},
    {"idv/scalar-all-raw-rpb7.idv", "{\"transform\":\"BootstrapSample\",\"seed\":1}"},
    {"transform/select-drop/input.idv", "{\"transform\":\"BootstrapSample\",\"seed\":3}"},
    {"idv/scalar-all-deflate-rpb7.idv", "{\"transform\":\"SkipTake\",\"skip\":3,\"take\":40}"},
    {"idv/scalar-all-raw-rpb7.idv", "{\"transform\":\"Zip\",\"skip\":5}"},
    {"idv/vector-TX-raw.idv",
     "[{\"transform\":\"Zip\",\"skip\":1},{\"transform\":\"SkipTake\",\"skip\":2}]"},
    {"idv/people.idv",
     "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"Age\",\"relations\":6,"
     "\"value\":\"30\"},{\"column\":\"Name\",\"relations\":5,\"value\":\"Bo\"}]}"},
    {"idv/people.idv", "{\"transform\":\"Where\",\"condition\":\"(Age * 2 > 60 or lower(Name) like "
                       "'%1%') and Age > 3\"}"},
    {"idv/people.idv",
     "{\"transform\":\"Compute\",\"columns\":[{\"name\":\"x\",\"expression\":\"upper(Name)\"},"
     "{\"name\":\"Age\",\"expression\":\"if(Age is na, 0, Age / 2)\"}]}"},
    {"transform/nafilter-all-comp/input.idv",
     "{\"transform\":\"NAFilter\",\"columns\":[\"V\",\"K\"],\"complement\":true}"},
    {"transform/rangefilter-key-comp/input.idv",
     "{\"transform\":\"FilterByColumn\",\"column\":\"K\",\"min\":0.3}"},
    {"idv/scalar-all-raw-rpb7.idv", "{\"transform\":\"ProduceId\",\"column\":{\"name\":\"Id\"}}"},
    {"idv/scalar-all-raw-rpb7.idv",
     "[{\"transform\":\"Group\",\"groupKeys\":[\"BL\"],\"columns\":[\"TX\",\"I8\",\"DZ\"]},"
     "{\"transform\":\"ProduceId\",\"column\":{\"name\":\"Id\"}}]"},
    {"idv/scalar-all-raw-rpb7.idv",
     "[{\"transform\":\"Group\",\"groupKeys\":[\"BL\",\"TX\"],\"columns\":[\"TX\",\"I4\"]},"
     "{\"transform\":\"Ungroup\",\"pivotColumns\":[\"TX\",\"I4\"],\"mode\":\"Outer\"}]"},
    {"idv/vector-TX-raw.idv", "{\"transform\":\"Ungroup\",\"pivotColumns\":[\"dense4\",\"sparse9\","
                              "\"var\"],\"mode\":\"Outer\"}"},
    {"transform/select-drop/input.idv",
     "{\"transform\":\"OptionalColumn\",\"columns\":[{\"name\":\"o\",\"type\":\"V<TX,3>\"},"
     "{\"name\":\"p\",\"type\":\"R8\",\"metadataOf\":\"S\"},{\"name\":\"q\",\"type\":\"DZ\"}]}"},
};

static dv_view *open_story(const story *s, const dv_allocator *allocator)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    how.allocator = allocator;
    dv_view *source = dvt_golden_open(s->file, &how);
    cr_assert_eq(dvt_chain_of(&view, source, s->steps, allocator, &err), DV_OK, "%s", err.message);
    dv_view_release(&source);
    return view;
}

/* --- No memory -------------------------------------------------------------------------------- */

static dv_status use_story(const void *what, const dv_allocator *allocator,
                           const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const story *s = what;
    dv_view *source = NULL, *view = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, s->file);
    how.allocator = allocator;
    dv_status status = dv_open(&source, path.text, &how, err);
    if (status == DV_OK)
        status = dvt_chain_of(&view, source, s->steps, allocator, err);
    dv_view_release(&source);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    return status;
}

Test(views_memory, each_allocation_may_fail)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = i % 2 ? 0 : 9;
        options.take = 14;
        options.threads = 1;
        options.ids = true;
        dvt_fail_each_allocation(use_story, &stories[i], stories[i].steps, &options);
    }
}

Test(views_memory, a_call_that_failed_may_be_repeated)
{
    for (size_t i = 0; i < 2 * COUNT(stories); i++) {
        const story *s = &stories[i / 2];
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        dv_view *view = open_story(s, &counted.allocator);
        options.batch_rows = i % 2 * 4;
        options.first_row = 1;
        options.take = 14;
        options.threads = 1;
        options.ids = i / 2 % 2;
        dvt_resume_after_failures(view, &counted, &options, 3, s->steps);
    }
}

Test(views_memory, batches_outlive_everything)
{
    for (size_t i = 0; i < 4 * COUNT(stories); i++) {
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        options.batch_rows = i & 1 ? 7 : 0;
        options.threads = i & 2 ? 4 : 1;
        options.take = 200;
        options.ids = true;
        dvt_outlive_view(open_story(&stories[i / 4], &counted.allocator), &counted, &options);
    }
}

/* After the first batches of one size, further ones allocate nothing. */
Test(views_memory, no_allocation_per_batch)
{
    static const char *const steps[] = {
        "{\"transform\":\"SkipTake\",\"skip\":3}",
        "{\"transform\":\"Zip\",\"skip\":3}",
        "{\"transform\":\"Concatenate\",\"name\":\"b\",\"sources\":[\"a\",\"a\"]}",
        "{\"transform\":\"GenerateNumber\",\"columns\":[{\"name\":\"g\"}]}",
        "{\"transform\":\"ProduceId\",\"column\":{\"name\":\"i\"}}",
        "{\"transform\":\"OptionalColumn\",\"columns\":[{\"name\":\"o\",\"type\":\"R4\"}]}",
        "[{\"transform\":\"Concatenate\",\"name\":\"b\",\"sources\":[\"a\",\"a\"]},"
        "{\"transform\":\"Concatenate\",\"name\":\"c\",\"sources\":[\"b\",\"a\"]}]",
        "[{\"transform\":\"Concatenate\",\"name\":\"b\",\"sources\":[\"a\",\"a\"]},"
        "{\"transform\":\"Ungroup\",\"pivotColumns\":[\"b\"],\"mode\":\"Inner\"}]",
        "{\"transform\":\"Filter\",\"conditions\":"
        "[{\"column\":\"a\",\"relations\":5,\"value\":\"1\"}]}",
        "{\"transform\":\"Where\",\"condition\":\"a * a > 1 or a = 1\"}",
        "{\"transform\":\"Compute\",\"columns\":[{\"name\":\"b\",\"expression\":\"a / 2\"}]}",
    };
    for (size_t i = 0; i < 2 * COUNT(steps); i++) {
        static int32_t values[4000];
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_made_table table = {.columns = 1, .rows = 4000, .block_rows = 50, .bad_row = -1};
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        int64_t rows = 0, asked = 0;
        for (int32_t k = 0; k < 4000; k++)
            values[k] = k % 5;
        table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), values, 4000);
        dvt_allocator_init(&counted, 0);
        dv_view *source = dvt_made_table_open(&table, &counted.allocator);
        cr_assert_eq(dvt_chain_of(&view, source, steps[i / 2], &counted.allocator, NULL), DV_OK);
        options.batch_rows = i % 2 * 3;
        options.ids = true;
        options.threads = 1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
            rows += batch->rows;
            asked = rows <= 400 ? counted.asked : asked;
        }
        cr_expect_gt(rows, 3000);
        cr_expect_eq(counted.asked, asked, "%s", steps[i / 2]);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
        cr_expect_eq(counted.live, 0);
    }
}
