/* SPDX-License-Identifier: MIT */
/* step_predict.c: predict and calibrate, which apply what ML.NET has fitted. */
#include "base/check.h"
#include "steps/predictor_table.h"
#include "steps/step_class.h"
#include "transform/tf_predict.h"

/* --- Learning --------------------------------------------------------------------------------- */

/* Nothing here fits a predictor. */
static dv_status give(void **learned_out, const dv_step_binding *b, dv_error *err)
{
    *learned_out = NULL;
    return dvi_fail_argument(err,
                             "%s is not fitted here: open a model.zip of ML.NET, or the file "
                             "of a pipeline that was read from one",
                             b->step->info->name);
}

static dv_status show(dv_view **table_out, void *of, int32_t table, const dv_allocator *allocator,
                      dv_error *err)
{
    const dvi_learned_predictor *l = of;
    (void)allocator;
    (void)err;
    *table_out = table == 0 ? l->table : l->labels;
    dv_view_retain(*table_out);
    return DV_OK;
}

/* --- predict ---------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const all[] = {"parts", "label", NULL}, *const only[] = {"parts", NULL};
    return dv_step_integer(step, "labels") ? all : only;
}

/* Do the options fit the predictor? */
static dv_status check_options(const dv_step *step, const dvi_predictor *predictor, dv_error *err)
{
    const dvi_predictor_info *info = dvi_predictor_inspect(predictor);
    const int64_t kind = dv_step_integer(step, "kind");
    const bool is_vector = kind == DVI_PREDICTS_CLASS || kind == DVI_PREDICTS_CLUSTER;
    const bool needs_probability =
        dv_step_texts(step, "probability") > 0 || dv_step_integer(step, "thresholdof") == 1;
    DVI_REQUIRE(is_vector == (info->scores > 0),
                dvi_fail(err, DV_ERR_CORRUPT, "predictors:P4", -1, "scores of the predictor",
                         "%s|%s", is_vector ? "one for each class" : "one",
                         is_vector ? "one" : "several"));
    DVI_REQUIRE(!needs_probability || info->has_probability,
                dvi_fail(err, DV_ERR_CORRUPT, "predictors:P4", -1, "predictor",
                         "one with probabilities|one without"));
    return DV_OK;
}

static dv_status load_predict(void **learned_out, const dv_step *step, dv_view *const *list,
                              const dv_allocator *allocator, dv_error *err)
{
    dvi_learned_predictor *l;
    dv_view *labels = dv_step_integer(step, "labels") ? list[1] : NULL;
    *learned_out = NULL;
    DVI_TRY(dvi_learned_predictor_create(&l, list[0], labels, false, allocator, err));
    const dv_status status = check_options(step, l->predictor, err);
    if (status < 0)
        dvi_learned_predictor_free(l);
    else
        *learned_out = l;
    return status;
}

static dv_status view(dv_view **view_out, const dv_step *step, void *const *learned,
                      dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    const dvi_learned_predictor *l = learned[0];
    const dvi_prediction prediction = {.predictor = l->predictor,
                                       .digest = l->digest,
                                       .kind = (dvi_prediction_kind)dv_step_integer(step, "kind"),
                                       .features = step->columns[0].sources[0],
                                       .score = step->columns[0].name,
                                       .label = dv_step_text(step, "label", 0),
                                       .probability = dv_step_text(step, "probability", 0),
                                       .threshold = (float)dv_step_number(step, "threshold"),
                                       .is_of_probability =
                                           dv_step_integer(step, "thresholdof") == 1,
                                       .labels = l->labels};
    if (step->columns_count != 1)
        return dvi_fail_argument(err, "predict makes one column of scores, and has %d",
                                 (int)step->columns_count);
    return dvi_predict_view(view_out, source, &prediction, allocator, err);
}

static const char *const extra_options[] = {"label", "probability", NULL};

const dvi_step_class dvi_class_predict = {.open = {.size = sizeof(dv_step_class),
                                                   .version = 1,
                                                   .give = give,
                                                   .free_learned = dvi_learned_predictor_free,
                                                   .tables = tables,
                                                   .show = show,
                                                   .load = load_predict,
                                                   .view = view,
                                                   .adds_columns = true},
                                          .extra_options = extra_options};

/* --- calibrate -------------------------------------------------------------------------------- */

static const char *const *calibrator_tables(const dv_step *step)
{
    static const char *const names[] = {"parts", NULL};
    (void)step;
    return names;
}

static dv_status load_calibrate(void **learned_out, const dv_step *step, dv_view *const *list,
                                const dv_allocator *allocator, dv_error *err)
{
    dvi_learned_predictor *l;
    (void)step;
    const dv_status status = dvi_learned_predictor_create(&l, list[0], NULL, true, allocator, err);
    *learned_out = l;
    return status;
}

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b, void *of,
                      dv_error *err)
{
    const dvi_learned_predictor *l = of;
    return dvi_calibrate_plan(made, arena, b->schema, b->sources[0], l->predictor, l->digest, err);
}

const dvi_step_class dvi_class_calibrate = {.open = {.size = sizeof(dv_step_class),
                                                     .version = 1,
                                                     .give = give,
                                                     .free_learned = dvi_learned_predictor_free,
                                                     .tables = calibrator_tables,
                                                     .show = show,
                                                     .load = load_calibrate},
                                            .plan = plan};
