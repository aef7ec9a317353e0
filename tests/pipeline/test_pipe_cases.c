/* SPDX-License-Identifier: MIT */
/* test_pipe_cases.c: compares what pipelines make with what ML.NET made: the cases of
 * golden/transform and golden/transform-1.5 that have a pipe.txt with the steps that exist, those
 * of maps, which are tables, and those of many sentences. */
#include "pipeline/pipeline.h"
#include "support/golden_files.h"
#include "support/golden_map.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/open.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where ML.NET has a value, the least integer, that is NA here; or contradicts itself, as semantics
 * says: names of sparse rows at wrong keys, names of slots on a scalar, slots without an item that
 * a function does not reach, a median after NaN, slots of BL that cannot be dropped, a vector of
 * another length than its type.  Convert has its own test, and what a filter leaves in other
 * columns too. */
static const char *const exempt[] = {"term-i4-",
                                     "term15-i1",
                                     "term15-i2",
                                     "term15-vec-i8-sparse",
                                     "hash-i1",
                                     "hash-i2",
                                     "hash-i4",
                                     "hash-i8",
                                     "hash-invert15-i1",
                                     "hash-invert15-i2",
                                     "hash-invert15-i8",
                                     "hash-invert-vec-r4",
                                     "hash-combine-text",
                                     "onehot-i",
                                     "convert-",
                                     "nafilter-all-comp",
                                     "gcn-mean1-std0-scale1",
                                     "lpnorm-l1-mean",
                                     "lpnorm-l2-mean",
                                     "norm-bin1024-sparseneg-nofix",
                                     "norm-meanvar-cdf-sparse",
                                     "norm-logmeanvar-nocdf-scalar-r8-fix",
                                     "norm-logmeanvar-nocdf-vec-r8-fix",
                                     "norm-robust-vec",
                                     "mi-bl",
                                     "map-tx-vector",
                                     "norm-robust-sparse"};

/* Sums of these depend on where ML.NET's memory lies (semantics:7.16). */
static const char *const close_cases[] = {
    "gcn-",     "lpnorm-infinity-mean", "lpnorm-standarddeviation",
    "sums-gcn", "sums-l2-mean",         "sums-sd"};

static bool begins_with_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

static bool is_exempt(const char *name)
{
    return begins_with_one_of(name, exempt, sizeof exempt / sizeof *exempt);
}

static dvt_mapping mapping_of(const dvt_path *folder)
{
    const char *name = strrchr(folder->text, '/') + 1;
    if (begins_with_one_of(name, close_cases, sizeof close_cases / sizeof *close_cases))
        return DVT_MAPPING_CLOSE;
    return strstr(name, "cdf") || strstr(name, "log") ? DVT_MAPPING_EXP : DVT_MAPPING_LOGICAL;
}

/* The message of the parser for a step that does not exist yet. */
static bool is_unknown_step(const dv_error *err)
{
    return strstr(err->message, "one of convert") != NULL;
}

/* The 65,535 names of characters are left out of the cases: the first line ends with them. */
static size_t names_in(dv_text lines, size_t *skipped_out)
{
    static const char names[] = "\"KeyValues\":{\"type\":\"V<TX,65535>\"", tail[] = "}}]}";
    const char *start = strstr(lines.data, names), *end = strchr(lines.data, '\n');
    *skipped_out = 0;
    if (!start || start > end)
        return 0;
    *skipped_out = (size_t)(end - start) - strlen(tail);
    return (size_t)(start - lines.data);
}

static void expect_output(const dvt_path *folder, dv_view *view, const char *want)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    static const char null[] = "{\"rows\":null,";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char message[DVT_MESSAGE_NBYTES] = "";
        dv_error err = DV_ERROR_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_lines got = {0}, shown = {0};
        options.batch_rows = sizes[i];
        cr_assert_eq(dvt_produce_by_value(&got, view, &options, &err), DV_OK, "%s: %s",
                     folder->text, err.message);
        size_t skipped;
        const size_t n = strncmp(want, null, strlen(null)) == 0 ? strcspn(got.data, ",") + 1 : 0;
        const size_t names = names_in(dvt_lines_text(&got), &skipped);
        dvt_lines_add(&shown, null, n > 0 ? strlen(null) : 0);
        if (skipped > 0)
            dvt_lines_add(&shown, got.data + n, names - n);
        const size_t rest = skipped > 0 ? names + skipped : n;
        dvt_lines_add(&shown, got.data + rest, got.nbytes - rest);
        cr_expect(dvt_golden_compare(dv_text_of(want), dvt_lines_text(&shown), mapping_of(folder),
                                     message),
                  "%s, %d rows a batch: %s", folder->text, (int)sizes[i], message);
        dvt_lines_free(&got);
        dvt_lines_free(&shown);
    }
}

static char *read_text(const dvt_path *folder, const char *name)
{
    size_t nbytes;
    return (char *)dvt_file_read(dvt_path_in(folder, name).text, &nbytes);
}

/* The steps of cases that have no pipe.txt. */
static const char *steps_of(const dvt_path *folder)
{
    static const char *const cases[][2] = {
        {"corpus-hashed", "wordhashbag B:A bits=10 n=2 invert=2 hashversion=1; slice take=150"},
        {"corpus-n2-max1000", "wordbag B:A n=2 max=1000 weight=idf; slice take=150"},
        {"corpus-text", "text B:A wordn=2 wordmax=400 wordweight=tfidf charall-; slice take=60"},
        {"corpus-tfidf", "wordbag B:A weight=tfidf; slice take=150"},
        {"wordbag-termfreq", "expand A; wordbag B:A"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(strrchr(folder->text, '/') + 1, cases[i][0]) == 0)
            return cases[i][1];
    return NULL;
}

static dv_status open_pairs(void *ctx, const char *name, dv_view **table_out, dv_error *err)
{
    dvt_golden_map *map = ctx;
    (void)err;
    cr_assert_str_eq(name, "pairs");
    *table_out = dvt_made_table_open(&map->table.made, NULL);
    return DV_OK;
}

/* The steps of pipe.txt, or a map, which must stay as long as the pipeline; else DV_NOT_FOUND. */
static dv_status parse_case(dv_pipeline **pipeline_out, const dvt_path *folder, dvt_golden_map *map,
                            dv_error *err)
{
    const bool is_map = strncmp(strrchr(folder->text, '/') + 1, "map-", 4) == 0;
    const char *file = is_map ? "params.json" : "pipe.txt";
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    const char *listed = steps_of(folder);
    if (listed)
        return dv_pipeline_parse_files(pipeline_out, dv_text_of(listed), &options, NULL, err);
    if (access(dvt_path_in(folder, file).text, R_OK) != 0)
        return DV_NOT_FOUND;
    char *text = read_text(folder, file);
    dv_text steps = dv_text_of(text);
    if (is_map) {
        dvt_golden_map_read(map, text);
        options.ctx = map;
        options.open_table = open_pairs;
        steps = dv_text_of(map->values_as_keys ? "map B:A table=@pairs askeys+"
                                               : "map B:A table=@pairs");
    }
    const dv_status status = dv_pipeline_parse_files(pipeline_out, steps, &options, NULL, err);
    free(text);
    return status == DV_ERR_ARGUMENT && is_unknown_step(err) ? DV_NOT_FOUND : status;
}

/* false: there is no pipe.txt, or a step in it does not exist. */
static bool check_case(const dvt_path *folder)
{
    static dvt_golden_map map;
    dv_pipeline *pipeline = NULL;
    dv_fitted *fitted = NULL;
    dv_view *source, *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_status status = parse_case(&pipeline, folder, &map, &err);
    if (status == DV_NOT_FOUND)
        return false;
    const bool is_error = access(dvt_path_in(folder, "output.jsonl").text, R_OK) != 0;
    cr_assert_eq(dv_open(&source, dvt_path_in(folder, "input.idv").text, NULL, NULL), DV_OK);
    if (status == DV_OK)
        status = dv_fit(&fitted, pipeline, source, NULL, NULL, &err);
    if (status == DV_OK)
        status = dv_fitted_apply(&view, fitted, source, NULL, &err);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    dv_view_release(&source);
    if (is_error) {
        cr_expect_eq(status, DV_ERR_ARGUMENT, "%s", folder->text);
    } else {
        cr_expect_eq(status, DV_OK, "%s: %s", folder->text, err.message);
        char *want = read_text(folder, "output.jsonl");
        if (status == DV_OK)
            expect_output(folder, view, want);
        free(want);
    }
    dv_view_release(&view);
    if (map.lines.data)
        dvt_golden_map_free(&map);
    return true;
}

static int check_named(const dvt_path *folder, const char *name, void *ctx)
{
    (void)ctx;
    return !is_exempt(name) && check_case(folder);
}

Test(pipe_cases, as_the_reference)
{
    const int today = dvt_golden_folders("transform", true, check_named, NULL);
    const int older = dvt_golden_folders("transform-1.5", true, check_named, NULL);
    cr_expect_geq(dvt_golden_folders("transform", false, check_named, NULL), 50);
    cr_expect(today < 0 || today >= 100);
    cr_expect(older < 0 || older >= 37);
}
