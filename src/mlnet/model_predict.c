/* SPDX-License-Identifier: MIT */
/* model_predict.c: predictors and calibrators at the end of a chain, or inside it. */
#include "mlnet/model_read.h"
#include "steps/predictor_table.h"
#include <dataview/schema.h>
#include <dataview/transform.h>
#include <float.h>
#include <string.h>

/* --- Parts ------------------------------------------------------------------------------------ */

static const char in_key[] = "Model.key", in_bin[] = "Model.bin";

static bool ends_with(dv_text text, const char *end)
{
    const int64_t n = (int64_t)strlen(end);
    return text.nbytes >= n && memcmp(text.data + text.nbytes - n, end, (size_t)n) == 0;
}

static bool begins_with(dv_text text, const char *start)
{
    const int64_t n = (int64_t)strlen(start);
    return text.nbytes >= n && memcmp(text.data, start, (size_t)n) == 0;
}

/* Is it a folder of predictors or calibrators, inside others or not? The rest is not needed
 * (predictors:P1). */
static bool is_needed(dv_text folder)
{
    while (folder.nbytes > 0) {
        const char *end = memchr(folder.data, '/', (size_t)folder.nbytes);
        if (!end)
            return false;
        const dv_text name = {folder.data, end - folder.data};
        if (!dv_text_equal(name, dv_text_of("Predictor")) &&
            !dv_text_equal(name, dv_text_of("Calibrator")) && !begins_with(name, "SubPredictor_"))
            return false;
        folder = (dv_text){end + 1, folder.nbytes - name.nbytes - 1};
    }
    return true;
}

/* Add the part of a folder. */
static dv_status add_part(dvi_model_reading *r, dvi_predictor_part **parts, int32_t *n,
                          dv_text folder, dv_text within, const char *file, dv_error *err)
{
    dvi_model_part part;
    DVI_TRY(dvi_model_open_file(&part, &r->zip, &r->arena, folder, file, err));
    dv_text signature;
    DVI_TRY(dvi_arena_text(&r->arena, &signature, dv_text_of(part.signature.text), err));
    const dvi_predictor_part made = {.folder = within,
                                     .signature = signature,
                                     .loader = part.loader,
                                     .version = part.version,
                                     .readable = part.readable,
                                     .block = part.fields.data,
                                     .nbytes = part.fields.n};
    DVI_TRY(dvi_arena_append(&r->arena, parts, *n, &made, sizeof made, err));
    if (within.nbytes == 0) { /* the outermost comes first */
        (*parts)[*n] = (*parts)[0];
        (*parts)[0] = made;
    }
    ++*n;
    return DV_OK;
}

/* List the parts that lie in a folder of a step, in the order of the zip file. */
static dv_status list_parts(dvi_model_reading *r, const dvi_model_part *in, const char *folder,
                            dvi_predictor_part **parts, int32_t *n, dv_error *err)
{
    const int64_t start = in->folder.nbytes + (int64_t)strlen(folder);
    for (int32_t i = 0; i < r->zip.count; i++) {
        const dv_text name = r->zip.entries[i].name;
        const bool is_bin = ends_with(name, in_bin);
        if (name.nbytes < start || (!is_bin && !ends_with(name, in_key)) ||
            memcmp(name.data, in->folder.data, (size_t)in->folder.nbytes) != 0 ||
            memcmp(name.data + in->folder.nbytes, folder, strlen(folder)) != 0)
            continue;
        const dv_text path = {name.data, name.nbytes - (int64_t)strlen(in_key)};
        const dv_text within = {path.data + start, path.nbytes - start};
        if (path.nbytes >= start && is_needed(within))
            DVI_TRY(add_part(r, parts, n, path, within, is_bin ? in_bin : in_key, err));
    }
    return DV_OK;
}

/* Is the predictor inside one that this version has? Otherwise the step counts as unknown, and by
 * its name. */
static dv_status check_known(dvi_model_reading *r, const dvi_predictor_part *parts, int32_t n,
                             dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        const dv_status status = dvi_predictor_check_parts(&parts[i], 1, err);
        if (status == DV_ERR_UNSUPPORTED)
            r->refused = &parts[i];
        DVI_TRY(status);
    }
    return DV_OK;
}

/* The table of the parts in a folder of the step. */
static dv_status read_table(dvi_model_reading *r, const dvi_model_part *in, const char *folder,
                            dv_view **table_out, dv_error *err)
{
    int32_t n = 0;
    dvi_predictor_part *parts = NULL;
    *table_out = NULL;
    DVI_TRY(list_parts(r, in, folder, &parts, &n, err));
    DVI_TRY(check_known(r, parts, n, err));
    const dv_status status =
        dvi_predictor_table(table_out, parts, n, dv_text_of(""), r->allocator, err);
    return status == DV_ERR_ARGUMENT
               ? dvi_model_within(in,
                                  dvi_fail(err, DV_ERR_CORRUPT, "predictors:P1", -1,
                                           "names in a predictor", "UTF-8|other bytes"),
                                  err)
               : status;
}

/* --- Labels ----------------------------------------------------------------------------------- */

/* Find the label among the columns of the fit. NULL: it is not there,
 * or its keys have no values (predictors:P8). */
static dv_status read_labels(dvi_model_reading *r, const dvi_model_part *part, dv_text label,
                             dv_view **labels_out, dv_error *err)
{
    dv_view *view;
    int32_t column, i;
    dv_status status = DV_OK;
    const dvi_zip_entry *entry = dvi_model_entry(part, "TrainSchema");
    const dv_column_spec spec = {label, label};
    *labels_out = NULL;
    if (!entry || label.nbytes < 0)
        return DV_OK;
    DVI_TRY(dvi_model_file(r, entry, &view, err));
    const dv_schema *schema = dv_view_schema(view);
    if (dv_schema_find(schema, label, &column) == DV_OK &&
        dv_schema_find_metadata(schema, column, dv_text_of(DV_KEY_VALUES), &i) == DV_OK)
        status = dv_view_select(labels_out, view, &spec, 1, DV_HIDDEN_DROP, r->allocator, err);
    dv_view_release(&view);
    return status;
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* The features; a predictor without any names the column that it makes, which is not read. */
static dv_status read_features(dvi_model_part *part, dv_text *features_out, dv_error *err)
{
    DVI_TRY(dvi_model_string_or_none(part, features_out, "features", err));
    if (features_out->nbytes < 0)
        *features_out = dv_text_of("Score");
    return DV_OK;
}

/* Add the step. The options are in the scratch text, without the kind; `labels` is taken. */
static dv_status add_step(dvi_model_reading *r, const dvi_model_part *part, dv_text features,
                          dv_text score, dv_view *labels, dv_error *err)
{
    dvi_model_column column = {
        .name = score, .sources = &features, .n = 1, .options = dv_text_of(""), .labels = labels};
    dv_status status = read_table(r, part, "Model/", &column.table, err);
    if (status == DV_OK)
        status = dvi_model_set_options(r, &column, 1, err);
    if (status < 0)
        return dvi_model_drop_tables(&column, 1, status);
    return dvi_model_add(r, "predict", &column, 1, err);
}

static dv_status put_name(dvi_model_reading *r, const char *option, dv_text name, dv_error *err)
{
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " %s=", option));
    return dvi_model_put_quoted(r, &r->scratch, name, err);
}

/* NUMBER has no infinity, nor NaN, above which nothing is: a number that rounds to infinity. */
static dv_status put_threshold(dvi_model_reading *r, dvi_model_part *part, bool has_probability,
                               dv_error *err)
{
    float threshold;
    const uint8_t *bytes;
    dv_text name;
    DVI_TRY(dvi_model_bytes(part, &bytes, sizeof threshold, "threshold", err));
    memcpy(&threshold, bytes, sizeof threshold);
    DVI_TRY(dvi_model_string_or_none(part, &name, "column of the threshold", err));
    const bool is_score = dv_text_equal(name, dv_text_of("Score"));
    if (!is_score && !(has_probability && dv_text_equal(name, dv_text_of("Probability"))))
        return dvi_model_refuse(part, "column of the threshold", "Score",
                                name.nbytes < 0 ? "none" : dvi_show(name).text, err);
    const double value = threshold > FLT_MAX || threshold != threshold ? 1e39
                         : threshold < -FLT_MAX                        ? -1e39
                                                                       : (double)threshold;
    return dvi_model_putf(r, &r->scratch, err, " threshold=%.9g%s", value,
                          is_score ? "" : " thresholdof=probability");
}

/* Whether the predictor gives probabilities (predictors:P4). */
static dv_status find_probability(const dvi_model_part *part, bool *has_out, dv_error *err)
{
    static const char *const signatures[] = {"PMIXCALP", "CALIPRED", "FTWTCALP", "PRIORPRD"};
    dvi_model_part model;
    *has_out = false;
    DVI_TRY(dvi_model_open_inner(&model, part, "Model", err));
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        *has_out |= strcmp(model.signature.text, signatures[i]) == 0;
    return DV_OK;
}

static dv_status read_flagged(dvi_model_reading *r, dvi_model_part *part, bool may_have_probability,
                              const char *kind, dv_error *err)
{
    dv_text features;
    bool has_probability = false;
    DVI_TRY(read_features(part, &features, err));
    if (may_have_probability)
        DVI_TRY(find_probability(part, &has_probability, err));
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " kind=%s label=PredictedLabel%s", kind,
                           has_probability ? " probability=Probability" : ""));
    DVI_TRY(put_threshold(r, part, has_probability, err));
    return add_step(r, part, features, dv_text_of("Score"), NULL, err);
}

dv_status dvi_model_predict_flag(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_flagged(r, part, true, "binary", err);
}

dv_status dvi_model_predict_anomaly(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_flagged(r, part, false, "anomaly", err);
}

static dv_status read_plain(dvi_model_reading *r, dvi_model_part *part, const char *options,
                            dv_error *err)
{
    dv_text features;
    DVI_TRY(read_features(part, &features, err));
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " %s", options));
    return add_step(r, part, features, dv_text_of("Score"), NULL, err);
}

dv_status dvi_model_predict_number(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_plain(r, part, "kind=regression", err);
}

dv_status dvi_model_predict_rank(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_plain(r, part, "kind=ranking", err);
}

dv_status dvi_model_predict_cluster(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    return read_plain(r, part, "kind=clustering label=PredictedLabel", err);
}

enum { NAMED = 2 /* the version that has the names of the new columns */ };

dv_status dvi_model_predict_class(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dv_text features, label, score = dv_text_of("Score"), predicted = dv_text_of("PredictedLabel");
    dv_view *labels;
    DVI_TRY(read_features(part, &features, err));
    DVI_TRY(dvi_model_string_or_none(part, &label, "label", err));
    if (part->version >= NAMED) {
        DVI_TRY(dvi_model_string(part, &score, "column of the scores", err));
        DVI_TRY(dvi_model_string(part, &predicted, "column of the predicted label", err));
    }
    DVI_TRY(dvi_model_putf(r, &r->scratch, err, " kind=multiclass"));
    DVI_TRY(put_name(r, "label", predicted, err));
    DVI_TRY(read_labels(r, part, label, &labels, err));
    const dv_status status = labels ? dvi_model_putf(r, &r->scratch, err, " labels+") : DV_OK;
    if (status < 0) {
        dv_view_release(&labels);
        return status;
    }
    return add_step(r, part, features, score, labels, err);
}

dv_status dvi_model_calibrate(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dv_text score = dv_text_of("Score");
    dvi_model_column column = {
        .name = dv_text_of("Probability"), .n = 1, .options = dv_text_of("")};
    if (part->version >= NAMED)
        DVI_TRY(dvi_model_string(part, &score, "column of the scores", err));
    column.sources = &score;
    DVI_TRY(read_table(r, part, "Calibrator/", &column.table, err));
    return dvi_model_add(r, "calibrate", &column, 1, err);
}
