/* SPDX-License-Identifier: MIT */
/* test_term_memory.c: columns of terms when allocations fail. */
#include "support/golden_files.h"
#include "support/starved.h"
#include "support/test.h"
#include "transform/tf_term.h"
#include <dataview/open.h>

static const dv_view_class class = DVI_MAPPER_CLASS("terms of a test", NULL, NULL);

static const char *const files[] = {"transform/term-vec-r4-sparse-first-explicit/input.idv",
                                    "transform/term-key-in-textkv/input.idv",
                                    "transform/term-text-occurrence/input.idv",
                                    "transform/term-r4-value-textkv/input.idv"};

static dv_status learn(dvi_terms **sorted_out, dv_view *source, const dv_allocator *allocator,
                       dv_error *err)
{
    dvi_terms *terms;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    const dv_type item = dv_type_item(&dv_schema_column(dv_view_schema(source), 0)->type);
    dv_status status = dvi_terms_create(&terms, &item, 100, 10000, allocator, err);
    if (status == DV_OK)
        status = dv_cursor_open(&cursor, source, NULL, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        status = dvi_terms_learn(terms, dv_batch_column(batch, 0), err);
    dv_cursor_close(&cursor);
    if (status == DV_END)
        status = dvi_terms_sort(sorted_out, terms, NULL, err);
    dvi_terms_free(&terms);
    return status;
}

static dv_status apply(dv_view **view_out, dv_view *source, const dvi_terms *terms,
                       const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    dvi_new_column made = {.name = dv_text_of("keys"), .hides = -1};
    const dvi_term_options options = {.terms = terms, .are_names_text = true};
    dv_status status = dvi_mapper_create(&mapper, source, 1, allocator, err);
    if (status < 0)
        return status;
    status = dvi_term_plan(&made, &mapper->base.arena, dv_view_schema(source), 0, &options, err);
    if (status == DV_OK)
        status = dvi_mapper_arrange(mapper, &schema, &made, 1, err);
    return dvi_mapper_view(view_out, &class, mapper, schema, status, err);
}

static dv_status use(const void *what, const dv_allocator *allocator,
                     const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    dvi_terms *terms = NULL;
    dv_view *source = NULL, *view = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, what);
    how.allocator = allocator;
    dv_status status = dv_open(&source, path.text, &how, err);
    if (status == DV_OK)
        status = learn(&terms, source, allocator, err);
    if (status == DV_OK)
        status = apply(&view, source, terms, allocator, err);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    dv_view_release(&source);
    dvi_terms_free(&terms);
    return status;
}

Test(term_memory, each_allocation_may_fail)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = i % 2 ? 0 : 2;
        options.threads = 1;
        options.ids = true;
        dvt_fail_each_allocation(use, files[i], files[i], &options);
    }
}
