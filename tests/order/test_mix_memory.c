/* SPDX-License-Identifier: MIT */
/* test_mix_memory.c: a mix survives failing allocations, and its batches everything else. */
#include "support/concatenated.h"
#include "support/starved.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/mix.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A mix of files, or of texts, which are read in sequence. */
typedef struct story {
    const char *name, *files; /* NULL: texts */
    dv_mix_order order;
    dv_mix_stop stop;
    bool shuffle;
    int64_t rows;
} story;

static const story stories[] = {
    {"first", "people people", DV_MIX_EXACT, DV_MIX_FIRST, false, 0},
    {"shuffled", "scalar-all-deflate-rpb7 scalar-all-raw-rpb7", DV_MIX_RANDOM, DV_MIX_LAST, true,
     0},
    {"repeated", "vector-TX-raw vector-TX-raw", DV_MIX_EXACT, DV_MIX_REPEAT, true, 60},
    {"text", NULL, DV_MIX_EXACT, DV_MIX_LAST, false, 0},
    {"text again", NULL, DV_MIX_RANDOM, DV_MIX_REPEAT, false, 100},
};

static const char long_text[] = "1\tone\n2\ttwo\n3\tthree\n4\tfour\n5\tfive\n6\tsix\n7\tseven\n",
                  short_text[] = "-1\tminus one\n-2\tminus two\n";

static dv_status open_texts(dvt_set *set, const dv_open_options *how, dv_error *err)
{
    static const char options[] = "col=A:I4:0 col=B:TX:1";
    set->n = 0;
    set->view[0] = dvt_text_open(options, long_text, sizeof long_text - 1, how, err);
    set->n += set->view[0] != NULL;
    if (set->n == 0)
        return err->status;
    set->view[1] = dvt_text_open(options, short_text, sizeof short_text - 1, how, err);
    set->n += set->view[1] != NULL;
    return set->n == 2 ? DV_OK : err->status;
}

static dv_status open_sources(dvt_set *set, const story *s, const dv_open_options *how,
                              dv_error *err)
{
    if (!s->files)
        return open_texts(set, how, err);
    *set = dvt_set_open(s->files, how);
    return DV_OK;
}

static dv_status open_mix(dv_view **view_out, const dvt_set *set, const story *s,
                          const dv_allocator *allocator, dv_error *err)
{
    static const double weights[] = {3, 2};
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    options.weights = weights;
    options.order = s->order;
    options.stop = s->stop;
    options.shuffle = s->shuffle;
    options.rows = s->rows;
    return dv_view_mix(view_out, set->view, set->n, &options, allocator, err);
}

/* Files are opened without the allocator: their own failures are other tests'. */
static dv_status use_mix(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const story *s = what;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error own = DV_ERROR_INIT;
    dv_view *view = NULL;
    dvt_set set;
    how.allocator = s->files ? NULL : allocator;
    dv_status status = open_sources(&set, s, &how, &own);
    if (status == DV_OK)
        status = open_mix(&view, &set, s, allocator, &own);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_put_numbered, options, lines, &own);
    dv_view_release(&view);
    dvt_set_release(&set);
    if (err)
        *err = own;
    return status;
}

Test(mix_memory, each_allocation_may_fail)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = i % 2 ? 0 : 9;
        options.threads = i % 2 ? 1 : 4;
        options.ids = i != 1;
        options.epoch = 1;
        dvt_fail_each_allocation(use_mix, &stories[i], stories[i].name, &options);
    }
}

/* After DV_ERR_MEMORY a cursor goes on at the token: no row is lost or comes twice. */
Test(mix_memory, a_cursor_goes_on_after_a_failure)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dvt_allocator counted;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dvt_set set;
        dv_view *view;
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        options.batch_rows = 4;
        options.ids = true;
        options.threads = 1;
        cr_assert_eq(open_sources(&set, &stories[i], &how, &err), DV_OK, "%s", err.message);
        cr_assert_eq(open_mix(&view, &set, &stories[i], &counted.allocator, &err), DV_OK);
        dvt_set_release(&set);
        dvt_resume_after_failures(view, &counted, &options, 5, stories[i].name);
    }
}

Test(mix_memory, batches_outlive_the_view)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dvt_allocator counted;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dvt_set set;
        dv_view *view;
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        options.batch_rows = 5;
        options.ids = true;
        cr_assert_eq(open_sources(&set, &stories[i], &how, &err), DV_OK, "%s", err.message);
        cr_assert_eq(open_mix(&view, &set, &stories[i], &counted.allocator, &err), DV_OK);
        dvt_set_release(&set);
        dvt_outlive_view(view, &counted, &options);
    }
}
