/* SPDX-License-Identifier: MIT */
/* test_model_zip.c: models that ML.NET saved make what they made there; damage is found. */
#include "mlnet/model_zip.h"
#include "support/golden_files.h"
#include "support/lines.h"
#include "support/model_file.h"
#include "support/produce.h"
#include "support/test.h"
#include "support/zip_made.h"
#include <dataview/open.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP "TransformerChain/Transform_000/"

/* --- What ML.NET made ------------------------------------------------------------------------- */

/* Sums of these depend on where ML.NET's memory lies (semantics:7.16). */
static dvt_mapping mapping_of(const char *name)
{
    return strcmp(name, "gcn") == 0 ? DVT_MAPPING_CLOSE
           : strstr(name, "cdf")    ? DVT_MAPPING_EXP
                                    : DVT_MAPPING_LOGICAL;
}

/* The 65,535 names of characters are left out of the truth: the first line ends with them. */
static void leave_out_names(dvt_lines *shown, dv_text lines)
{
    static const char names[] = "\"KeyValues\":{\"type\":\"V<TX,65535>\"", tail[] = "}}]}";
    const char *end = memchr(lines.data, '\n', (size_t)lines.nbytes),
               *start = strstr(lines.data, names);
    if (!start || start > end) {
        dvt_lines_add(shown, lines.data, (size_t)lines.nbytes);
        return;
    }
    dvt_lines_add(shown, lines.data, (size_t)(start - lines.data));
    dvt_lines_add(shown, end - strlen(tail),
                  (size_t)(lines.data + lines.nbytes - end) + strlen(tail));
}

static void expect_output(const dvt_path *folder, const char *name, dv_view *view)
{
    static const int64_t sizes[] = {0, 1, 3};
    size_t nbytes;
    char *want = (char *)dvt_file_read(dvt_path_in(folder, "output.jsonl").text, &nbytes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char message[DVT_MESSAGE_NBYTES] = "";
        dv_error err = DV_ERROR_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_lines got = {0}, shown = {0};
        options.batch_rows = sizes[i];
        cr_assert_eq(dvt_produce_by_value(&got, view, &options, &err), DV_OK, "%s: %s", name,
                     err.message);
        leave_out_names(&shown, dvt_lines_text(&got));
        cr_expect(
            dvt_golden_compare(dv_text_of(want), dvt_lines_text(&shown), mapping_of(name), message),
            "%s, %d rows a batch: %s", name, (int)sizes[i], message);
        dvt_lines_free(&got);
        dvt_lines_free(&shown);
    }
    free(want);
}

/* 1 if the steps of the model exist. */
static int check_case(const dvt_path *folder, const char *name, void *ctx)
{
    dv_fitted *fitted;
    dv_view *source, *view = NULL;
    dv_error err = DV_ERROR_INIT;
    (void)ctx;
    if (access(dvt_path_in(folder, "model.zip").text, R_OK) != 0)
        return 0;
    const dv_status status =
        dv_fitted_open(&fitted, dvt_path_in(folder, "model.zip").text, NULL, &err);
    cr_expect(status == DV_OK ||
                  (status == DV_ERR_UNSUPPORTED && strcmp(err.rule, "modelzip:S2") == 0),
              "%s: %s", name, err.message);
    if (status != DV_OK)
        return 0;
    cr_expect_eq(dv_fitted_left_out(fitted).nbytes, 0);
    cr_assert_eq(dv_open(&source, dvt_path_in(folder, "input.idv").text, NULL, NULL), DV_OK);
    cr_expect_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s: %s", name,
                 err.message);
    if (view)
        expect_output(folder, name, view);
    dv_view_release(&view);
    dv_view_release(&source);
    dv_fitted_release(&fitted);
    return 1;
}

Test(model_zip, as_the_reference)
{
    const int all = dvt_golden_folders("model-zip", true, check_case, NULL);
    cr_expect_geq(dvt_golden_folders("model-zip", false, check_case, NULL), 20);
    cr_expect(all < 0 || all >= 54, "%d", all);
}

/* The error says what the model's Schema has for a column that is another one now. */
Test(model_zip, the_error_tells_the_type_when_fitted)
{
    static const struct {
        const char *input, *message;
    } cases[] = {{"model-zip/gcn/input.idv", "\"A\" was V<R4,3> when fitted, and "
                                             "is V<R4,5>: step 1, normalize"},
                 {"model-zip/text/input.idv", "\"A\" was V<R4,3> when fitted, and is TX"}};
    dvt_zip_parts parts;
    dv_fitted *fitted;
    dvt_model_take(&parts, "model-zip/norm-minmax");
    cr_assert_eq(dvt_model_open_parts(&fitted, &parts, false, NULL), DV_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_view *view, *source = dvt_golden_open(cases[i].input, NULL);
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, cases[i].message), "%s", err.message);
        dv_view_release(&source);
    }
    dv_fitted_release(&fitted);
    dvt_zip_free(&parts);
}

/* A step that was saved on its own has no chain around it. */
Test(model_zip, a_step_needs_no_chain)
{
    static const char chain[] = "TransformerChain/Model.key";
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts, moved = {.count = 0};
    dvt_model_take(&parts, "model-zip/norm-minmax");
    for (size_t i = 0; i < parts.count; i++) {
        const char *name = parts.part[i].name;
        char other[300];
        const bool is_step = strncmp(name, STEP, strlen(STEP)) == 0;
        snprintf(other, sizeof other, "TransformerChain/%s", name + (is_step ? strlen(STEP) : 0));
        if (strcmp(name, chain) != 0)
            dvt_zip_add(&moved, is_step ? other : name, parts.part[i].data, parts.part[i].n);
    }
    cr_expect_eq(dvt_model_open_parts(&fitted, &moved, false, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_pipeline_steps(dv_fitted_pipeline(fitted)), 1);
    dv_fitted_release(&fitted);
    dvt_zip_free(&parts);
    dvt_zip_free(&moved);
}

/* Slots that are not listed stay as they are. ML.NET 1.5 reads these models and makes the same. */
Test(model_zip, a_scale_of_some_slots)
{
    static const struct {
        int32_t fields[10];
        size_t n;
        const char *made; /* of [1 -2 0] */
    } cases[] = {{{4, 3, 1, 1, 1, 0x3F000000, 0}, 7, "[1 -1 0]"},
                 {{4, 3, 1, 2, 1, 0x40400000, 1, -0x40000000}, 8, "[1 -2 6]"},
                 {{4, 3, 0, 0, 0}, 5, "[1 -2 0]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_fitted *fitted;
        dv_view *source = dvt_golden_open("model-zip/norm-minmax/input.idv", NULL), *view;
        dv_error err = DV_ERROR_INIT;
        dvt_zip_parts parts;
        dvt_lines lines = {0};
        dv_cursor *cursor;
        const dv_batch *batch;
        int32_t column;
        dvt_model_take(&parts, "model-zip/norm-minmax");
        dvt_model_set_fields(dvt_model_part(&parts, STEP "Normalizer_000/Model.key"),
                             cases[i].fields, 4 * cases[i].n);
        cr_assert_eq(dvt_model_open_parts(&fitted, &parts, false, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("B"), &column), DV_OK);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.columns = &column;
        options.columns_count = 1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        const dv_sink sink = dvt_lines_sink(&lines);
        dv_value_write(&value, DV_STYLE_TEXT, &sink);
        const dv_text text = dvt_lines_text(&lines);
        cr_expect(dv_text_equal(text, dv_text_of(cases[i].made)), "case %zu: %.*s", i,
                  (int)text.nbytes, text.data);
        dv_cursor_close(&cursor);
        dvt_lines_free(&lines);
        dv_view_release(&view);
        dv_view_release(&source);
        dv_fitted_release(&fitted);
        dvt_zip_free(&parts);
    }
}

/* A few bytes may not claim any number of slots. */
Test(model_zip, slots_without_a_scale_are_bounded)
{
    const int32_t slots = 1 << 23, type[] = {1, slots}, fields[] = {4, slots, 0, 0, 0};
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts;
    dvt_model_take(&parts, "model-zip/norm-minmax");
    memcpy(dvt_model_part(&parts, STEP "Model.key")->data + DVT_MODEL_HEADER + 14, type,
           sizeof type);
    dvt_model_set_fields(dvt_model_part(&parts, STEP "Normalizer_000/Model.key"), fields,
                         sizeof fields);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, false, &err), DV_ERR_LIMIT, "%s",
                 err.message);
    cr_expect(strstr(err.message, "slots without a scale"), "%s", err.message);
    dvt_zip_free(&parts);
}

/* --- Steps that are not known ----------------------------------------------------------------- */

Test(model_zip, names_unknown_steps)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts;
    dvt_model_take(&parts, "model-zip/trainer-sentiment");
    memcpy(dvt_model_part(&parts, "TransformerChain/Transform_001/Model.key")->data + 0x40,
           "NEXTPRED", 8);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, false, &err), DV_ERR_UNSUPPORTED);
    cr_expect(!fitted && *err.message, "%s", err.message);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, true, &err), DV_OK, "%s", err.message);
    cr_expect(dv_text_equal(dv_fitted_left_out(fitted), dv_text_of("NEXTPRED (BinaryPredXfer)")));
    cr_expect_geq(dv_pipeline_steps(dv_fitted_pipeline(fitted)), 9);
    dv_fitted_release(&fitted);
    dvt_zip_free(&parts);
}

/* A trainer in the place of the only step. */
Test(model_zip, may_be_cut_to_nothing)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts;
    dvt_model_take(&parts, "model-zip/hash");
    memcpy(dvt_model_part(&parts, STEP "Model.key")->data + 0x40, "NEXTPRED", 8);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, false, &err), DV_ERR_UNSUPPORTED);
    cr_expect(strstr(err.message, "found NEXTPRED (HashTransform)"), "%s", err.message);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, true, NULL), DV_OK);
    cr_expect(dv_text_equal(dv_fitted_left_out(fitted), dv_text_of("NEXTPRED (HashTransform)")));
    cr_expect_eq(dv_pipeline_steps(dv_fitted_pipeline(fitted)), 0);
    dv_fitted_release(&fitted);
    dvt_zip_free(&parts);
}

/* --- Damage ----------------------------------------------------------------------------------- */

static const char *const damaged[] = {"model-zip/hash",
                                      "model-zip/term-text",
                                      "model-zip/term-key",
                                      "model-zip/chain-movies-hashed",
                                      "model-zip/onehot",
                                      "model-zip/convert-tx-key",
                                      "model-zip/countselect",
                                      "model-zip/chain-words",
                                      "model-zip/gcn",
                                      "model-zip/loader-words",
                                      "model-zip/text",
                                      "model-zip/norm-minmax-nofix-r8",
                                      "model-zip/norm-cdf",
                                      "model-zip/norm-bin-vec-r8",
                                      "model-zip/na-replace-mean",
                                      "model-zip/ngramhash-invert",
                                      "model-zip/map-key-values",
                                      "model-zip/stopwords-english"};

Test(model_zip, every_cut_is_found)
{
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        dvt_model_cut(damaged[i]);
}

Test(model_zip, every_change_is_fine_or_found)
{
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        dvt_model_change_bytes(damaged[i]);
}

Test(model_zip, every_field_is_checked)
{
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        dvt_model_change_fields(damaged[i]);
}

#define NAN_R4 0x7FC00000u
#define NAN_R8 0x7FF80000u /* the high half */

Test(model_zip, numbers_are_checked_by_name)
{
    static const dvt_model_change changes[] = {
        {"model-zip/norm-minmax", STEP "Model.key", 13, 11, DV_ERR_UNSUPPORTED, "modelzip:S2",
         "kind of values"},
        {"model-zip/norm-minmax", STEP "Normalizer_000/Model.key", 0, 8, DV_ERR_CORRUPT,
         "modelzip:P5", "bytes of a number"},
        {"model-zip/norm-minmax", STEP "Normalizer_000/Model.key", 4, 2, DV_ERR_CORRUPT,
         "modelzip:P5", "slots"},
        {"model-zip/norm-minmax", STEP "Normalizer_000/Model.key", 8, 3, DV_ERR_CORRUPT,
         "modelzip:P5", "slots with a scale"},
        {"model-zip/norm-minmax", STEP "Normalizer_000/Model.key", 8, 1, DV_ERR_CORRUPT,
         "modelzip:P5", "slot with a scale: expected above -1, below 3, found 3"},
        {"model-zip/norm-minmax", STEP "Normalizer_000/Model.key", 16, NAN_R4, DV_ERR_CORRUPT,
         "dvp:PT11", "Scale"},
        {"model-zip/norm-minmax", STEP "Normalizer_000/Model.key", 28, 1, DV_ERR_CORRUPT,
         "modelzip:P5", "number of offsets"},
        {"model-zip/norm-cdf", STEP "Normalizer_000/Model.key", 9 + 24 + 4, NAN_R8, DV_ERR_CORRUPT,
         "dvp:PT11", "Deviation"},
        {"model-zip/norm-bin-vec-r8", STEP "Normalizer_000/BinNormalizer/Model.key", 12 + 20, 0,
         DV_ERR_CORRUPT, "dvp:PT12", "bounds of a slot"},
        {"model-zip/na-replace-mean", STEP "Model.key", 33, 2, DV_ERR_CORRUPT, "idv:V2", "size"},
        {"model-zip/na-replace-mean", STEP "Model.key", 53, NAN_R4, DV_ERR_CORRUPT, "dvp:PT13",
         "value to put in"},
        {"model-zip/ngramhash-invert", STEP "Model.key", 24, 31, DV_ERR_CORRUPT, "modelzip:P5",
         "bits of a hash"},
        {"model-zip/stopwords-english", STEP "Model.key", 12, 1, DV_ERR_UNSUPPORTED, "modelzip:S2",
         "language of stop words: expected English, found French"},
        {"model-zip/stopwords-english", STEP "Model.key", 12, 15, DV_ERR_UNSUPPORTED, "modelzip:S2",
         "language of stop words: expected English, found Japanese"},
        {"model-zip/stopwords-english", STEP "Model.key", 16, 0, DV_ERR_UNSUPPORTED, "modelzip:S2",
         "language of stop words"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        dvt_model_check_change(&changes[i]);
}

/* A map is a file of its own. */
Test(model_zip, maps_are_checked_by_name)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts;
    dvt_model_take(&parts, "model-zip/map-key-values");
    strcpy(dvt_model_part(&parts, STEP "DefaultMap.idv")->name, STEP "Default");
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, false, &err), DV_ERR_CORRUPT);
    cr_expect(strcmp(err.rule, "modelzip:S3") == 0 && strstr(err.message, "DefaultMap.idv"), "%s",
              err.message);
    dvt_zip_free(&parts);
}

Test(model_zip, no_model_is_refused)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts = {.count = 0};
    dvt_zip_add(&parts, "DataLoaderModel/Model.key", "", 0);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, false, &err), DV_ERR_UNSUPPORTED);
    cr_expect(strstr(err.message, "a model of ML.NET"), "%s", err.message);
    dvt_zip_free(&parts);
}

/* --- Memory ----------------------------------------------------------------------------------- */

Test(model_zip, survives_failing_allocations)
{
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        dvt_model_starve(damaged[i]);
}
