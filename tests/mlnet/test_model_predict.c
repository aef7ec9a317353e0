/* SPDX-License-Identifier: MIT */
/* test_model_predict.c: predictors that ML.NET saved score as they did there, to the bit; damage is
 * found (docs/spec/predictors.md). */
#include "support/fitted_bytes.h"
#include "support/golden_files.h"
#include "support/lines.h"
#include "support/model_file.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/open.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP "TransformerChain/Transform_000/"
#define MODEL STEP "Model/Model.key"

/* --- What ML.NET made ------------------------------------------------------------------------- */

static void expect_rows(const dvt_path *folder, const char *name, dv_view *view, int64_t batch_rows)
{
    size_t nbytes;
    dvt_lines got = {0};
    char message[DVT_MESSAGE_NBYTES] = "";
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    char *want = (char *)dvt_file_read(dvt_path_in(folder, "output.jsonl").text, &nbytes);
    options.batch_rows = batch_rows;
    cr_assert_eq(dvt_produce_by_value(&got, view, &options, &err), DV_OK, "%s: %s", name,
                 err.message);
    cr_expect(
        dvt_golden_compare(dv_text_of(want), dvt_lines_text(&got), DVT_MAPPING_LOGICAL, message),
        "%s, %d rows a batch: %s", name, (int)batch_rows, message);
    dvt_lines_free(&got);
    free(want);
}

static void expect_fitted(const dvt_path *folder, const char *name, dv_fitted *fitted)
{
    static const int64_t sizes[] = {0, 1, 7};
    dv_view *source, *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&source, dvt_path_in(folder, "input.idv").text, NULL, NULL), DV_OK);
    cr_assert_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_OK, "%s: %s", name,
                 err.message);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_rows(folder, name, view, sizes[i]);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* As read, and after saving and opening it again. */
static int check_case(const dvt_path *folder, const char *name, void *ctx)
{
    dv_fitted *fitted, *again;
    dv_buffer saved;
    dv_error err = DV_ERROR_INIT;
    (void)ctx;
    if (strcmp(name, "README.md") == 0)
        return 0;
    cr_assert_eq(dv_fitted_open(&fitted, dvt_path_in(folder, "model.zip").text, NULL, &err), DV_OK,
                 "%s: %s", name, err.message);
    expect_fitted(folder, name, fitted);
    cr_assert_eq(dvt_fitted_save(&saved, fitted, NULL, &err), DV_OK, "%s: %s", name, err.message);
    cr_assert_eq(dvt_fitted_open(&again, saved.data, saved.nbytes, NULL, &err), DV_OK, "%s: %s",
                 name, err.message);
    expect_fitted(folder, name, again);
    dv_buffer_release(&saved);
    dv_fitted_release(&again);
    dv_fitted_release(&fitted);
    return 1;
}

Test(model_predict, as_the_reference)
{
    const int all = dvt_golden_folders("predictors", true, check_case, NULL);
    cr_expect_eq(dvt_golden_folders("predictors", false, check_case, NULL), 23);
    cr_expect(all < 0 || all >= 56, "%d", all);
}

/* --- Predictors that are not known ------------------------------------------------------------ */

/* The error has the name of the predictor, and the steps in front can be read. */
static void expect_refused(const char *model, const char *part, const char *name, int32_t steps)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_zip_parts parts;
    dvt_model_take(&parts, model);
    memcpy(dvt_model_part(&parts, part)->data + 0x40, "FAFMPRED", 8);
    cr_expect_eq(dvt_model_open_parts(&fitted, &parts, false, &err), DV_ERR_UNSUPPORTED);
    cr_expect(strcmp(err.rule, "modelzip:S2") == 0 && strstr(err.message, name), "%s", err.message);
    cr_assert_eq(dvt_model_open_parts(&fitted, &parts, true, &err), DV_OK, "%s", err.message);
    cr_expect(dv_text_equal(dv_fitted_left_out(fitted), dv_text_of(name)));
    cr_expect_eq(dv_pipeline_steps(dv_fitted_pipeline(fitted)), steps);
    dv_fitted_release(&fitted);
    dvt_zip_free(&parts);
}

Test(model_predict, refuses_unknown_predictors_by_name)
{
    expect_refused("predictors/linear-svm", MODEL, "FAFMPRED (Linear2CExec)", 0);
    expect_refused("predictors/lightgbm-softmax", STEP "Model/SubPredictor_002/Predictor/Model.key",
                   "FAFMPRED (LightGBMBinaryExec)", 0);
    expect_refused("predictors/calibrator-naive",
                   "TransformerChain/Transform_001/Calibrator/Model.bin",
                   "FAFMPRED (NaiveCaliExec)", 1);
}

Test(model_predict, cannot_be_fitted)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_view *source = dvt_golden_open("predictors/linear-svm/input.idv", NULL);
    cr_expect_eq(dvt_fit_text(&fitted, source, dv_text_of("predict Score:F"), NULL, &err),
                 DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "model.zip"), "%s", err.message);
    cr_expect_eq(dvt_fit_text(&fitted, source, dv_text_of("calibrate P:F"), NULL, &err),
                 DV_ERR_ARGUMENT);
    dv_view_release(&source);
}

/* Features have the type and the size that they had in the fit. */
Test(model_predict, other_features_are_refused)
{
    size_t n;
    dv_fitted *fitted;
    dv_view *view, *source = dvt_golden_open("predictors/naive-bayes/input.idv", NULL);
    dv_error err = DV_ERROR_INIT;
    uint8_t *bytes = dvt_model_read("predictors/sparse-linear-binary", &n);
    cr_assert_eq(dvt_model_open(&fitted, bytes, n, false, NULL, &err), DV_OK, "%s", err.message);
    const dv_status status = dv_fitted_apply(&view, fitted, source, NULL, &err);
    cr_expect_eq(status, DV_OK, "%s", err.message); /* both have S of 24 slots */
    dv_view_release(&view);
    dv_view_release(&source);
    source = dvt_golden_open("predictors/linear-svm/input.idv", NULL);
    cr_expect_eq(dv_fitted_apply(&view, fitted, source, NULL, &err), DV_ERR_ARGUMENT);
    dv_view_release(&source);
    dv_fitted_release(&fitted);
    free(bytes);
}

/* --- Damage ----------------------------------------------------------------------------------- */

#define NAN_R4 0x7FC00000u
#define MINUS_MOST 0xFF7FFFFFu
#define SECOND "TransformerChain/Transform_001/"
#define LINEAR "predictors/linear-svm", MODEL
#define TREES "predictors/fasttree-tweedie", MODEL
#define OVA "predictors/ova-sdca-noprobability"

/* Offsets of the first tree's lists, if it has 8 leaves: their first items. */
enum { TYPE = 8, LEAVES = 9, LTE = 33, GT = LTE + 32, FEATURES = GT + 32 };

Test(model_predict, numbers_are_checked_by_name)
{
    static const dvt_model_change changes[] = {
        {LINEAR, 0, 8, DV_ERR_CORRUPT, "predictors:P14", "bytes of a real"},
        {LINEAR, 4, NAN_R4, DV_ERR_CORRUPT, "predictors:P14", "bias"},
        {LINEAR, 8, 0, DV_ERR_CORRUPT, "predictors:P14", "number of features"},
        {LINEAR, 8, 6, DV_ERR_CORRUPT, "predictors:P13", "number of weights"},
        {LINEAR, 16, INT32_MAX, DV_ERR_CORRUPT, "predictors:P13", "number of weights"},
        {LINEAR, 20, NAN_R4, DV_ERR_CORRUPT, "predictors:P14", "weights"},
        {"predictors/sparse-linear-binary", MODEL, 16, 24, DV_ERR_CORRUPT, "predictors:P14",
         "slots of weights"},
        {"predictors/sparse-maxent", MODEL, 8, INT32_MAX, DV_ERR_CORRUPT, "predictors:P14",
         "number of classes"},
        {"predictors/sparse-maxent", MODEL, 28, 1, DV_ERR_CORRUPT, "predictors:P13", "starts"},
        {TREES, 4, INT32_MAX, DV_ERR_CORRUPT, "predictors:P16", "number of trees"},
        {TREES, TYPE, 7, DV_ERR_UNSUPPORTED, "predictors:P16", "type of a tree"},
        {TREES, LEAVES, 0, DV_ERR_CORRUPT, "predictors:P22", "number of leaves"},
        {TREES, LEAVES, 9, DV_ERR_CORRUPT, "predictors:P22", "lists of a tree"},
        {TREES, LTE, 1000, DV_ERR_CORRUPT, "predictors:P22", "children of nodes"},
        {TREES, LTE, 0x80000000u, DV_ERR_CORRUPT, "predictors:P22", "children of nodes"},
        {TREES, GT + 4, 1, DV_ERR_CORRUPT, "predictors:P22", "children of nodes"},
        {TREES, FEATURES, 5, DV_ERR_CORRUPT, "predictors:P22", "features of nodes"},
        {TREES, FEATURES, UINT32_MAX, DV_ERR_CORRUPT, "predictors:P22", "features of nodes"},
        {"predictors/gam-binary", STEP "Model/Predictor/Model.key", 0, INT32_MAX, DV_ERR_CORRUPT,
         "predictors:P14", "number of shapes"},
        {"predictors/sparse-kmeans", MODEL, 4, 0, DV_ERR_CORRUPT, "predictors:P14",
         "number of clusters"},
        {"predictors/naive-bayes", MODEL, 8, UINT32_MAX, DV_ERR_CORRUPT, "predictors:P14",
         "rows of a label"},
        {"predictors/naive-bayes", MODEL, 24, 1000, DV_ERR_CORRUPT, "predictors:P14",
         "rows with a feature"},
        {"predictors/pca-anomaly", SECOND "Model/Model.key", 8, INT32_MAX, DV_ERR_CORRUPT,
         "predictors:P14", "number of vectors"},
        {"predictors/ldsvm", MODEL, 4, 3, DV_ERR_CORRUPT, "predictors:P14", "number of leaves"},
        {"predictors/prior", MODEL, 4, NAN_R4, DV_ERR_CORRUPT, "predictors:P14", "prior"},
        {OVA, MODEL, 5, 4, DV_ERR_CORRUPT, "predictors:P1", "part of a predictor"},
        {OVA, MODEL, 5, INT32_MAX, DV_ERR_CORRUPT, "predictors:P14", "number of classes"},
        {OVA, STEP "Model/SubPredictor_000/Predictor/Model.key", 8, 4, DV_ERR_CORRUPT,
         "predictors:P13", "number of weights"},
        {"predictors/pairwise-perceptron", SECOND "Model/Model.key", 4, 9, DV_ERR_CORRUPT,
         "predictors:P14", "number of classes"},
        {"predictors/calibrator-naive", SECOND "Calibrator/Model.bin", 4, 0, DV_ERR_CORRUPT,
         "predictors:P26", "bins"},
        {"predictors/calibrator-naive", SECOND "Calibrator/Model.bin", 16, NAN_R4, DV_ERR_CORRUPT,
         "predictors:P26", "probabilities"},
        {"predictors/calibrator-isotonic", SECOND "Calibrator/Model.bin", 12, MINUS_MOST,
         DV_ERR_CORRUPT, "predictors:P26", "pieces"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        dvt_model_check_change(&changes[i]);
}

static const char *const damaged[] = {"predictors/sparse-linear-binary",
                                      "predictors/sparse-maxent",
                                      "predictors/fasttree-tweedie",
                                      "predictors/fastforest-regression",
                                      "predictors/gam-binary",
                                      "predictors/sparse-kmeans",
                                      "predictors/naive-bayes",
                                      "predictors/pca-anomaly",
                                      "predictors/ldsvm",
                                      "predictors/prior",
                                      "predictors/ova-sdca-noprobability",
                                      "predictors/pairwise-perceptron",
                                      "predictors/calibrator-isotonic",
                                      "predictors/calibrator-naive",
                                      "predictors/lightgbm-binary-cat"};

Test(model_predict, every_change_is_fine_or_found)
{
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        dvt_model_change_bytes(damaged[i]);
}

Test(model_predict, every_field_is_checked)
{
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        dvt_model_change_fields(damaged[i]);
}

Test(model_predict, survives_failing_allocations)
{
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        dvt_model_starve(damaged[i]);
}
