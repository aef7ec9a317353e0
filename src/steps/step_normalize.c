/* SPDX-License-Identifier: MIT */
/* step_normalize.c: normalize, which learns how to bring columns of numbers to one scale. */
#include "base/check.h"
#include "base/size.h"
#include "steps/step_class.h"
#include "steps/step_needs.h"
#include "transform/normalizer_learn.h"
#include <stdio.h>

/* Rows of a table of bounds: of all slots, at most. */
#define BOUNDS_MOST (INT64_C(1) << 31)

/* --- Options ---------------------------------------------------------------------------------- */

/* "25-75": the share of the values between these percentiles. */
static dv_status read_share(float *share_out, const dv_step *step, dv_error *err)
{
    char text[16] = "";
    int low, high, end = 0;
    const dv_text given = dv_step_text(step, "quantiles", 0);
    snprintf(text, sizeof text, "%.*s", (int)given.nbytes, given.data);
    if (given.nbytes >= (int64_t)sizeof text || sscanf(text, "%3d-%3d%n", &low, &high, &end) != 2 ||
        text[end] || low < 0 || high > 100 || low >= high)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "value of the option \"quantiles\"",
                        "two of 0 to 100, such as 25-75|%s", dvi_show(given).text);
    *share_out = (float)(high - low) / 100;
    return DV_OK;
}

static dv_status read_options(dvi_normalizer_how *how, const dv_step *step, dv_error *err)
{
    *how = (dvi_normalizer_how){.mode = (dvi_normalizer_mode)dv_step_integer(step, "mode"),
                                .fixes_zero = dv_step_integer(step, "fixzero"),
                                .is_sample = dv_step_integer(step, "sample"),
                                .centers = dv_step_integer(step, "center"),
                                .bins = dv_step_integer(step, "bins"),
                                .least = dv_step_integer(step, "min"),
                                .rows = dv_step_integer(step, "maxrows")};
    if (how->mode == DVI_NORMALIZE_MEANVAR || how->mode == DVI_NORMALIZE_LOGMEANVAR)
        how->is_cdf = dv_step_is_given(step, "cdf") ? dv_step_integer(step, "cdf")
                                                    : how->mode == DVI_NORMALIZE_LOGMEANVAR;
    return read_share(&how->share, step, err);
}

/* --- Learning --------------------------------------------------------------------------------- */

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    dvi_normalizer_how how;
    dvi_normalizer_learner *learner;
    DVI_TRY(read_options(&how, b->step, err));
    if (how.mode == DVI_NORMALIZE_SUPBIN && b->sources_count < 2)
        return dvi_fail_argument(err, "bins by labels need labels: set \"label\"");
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    const dv_type *label =
        b->sources_count > 1 ? &dv_schema_column(b->schema, b->sources[1])->type : NULL;
    DVI_TRY(dvi_normalizer_learn(&learner, type, label, &how, b->allocator, err));
    *learner_out = learner;
    return DV_OK;
}

/* Labels, if there are any, are the second source. */
static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    (void)place;
    return dvi_normalizer_see(learner, sources, err);
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *b, dv_error *err)
{
    dvi_learned_table *table;
    (void)b;
    DVI_TRY(dvi_normalizer_finish(*learner, &table, err));
    *learned_out = table;
    return DV_OK;
}

static const char *refuses(const dv_step *step)
{
    const dvi_normalizer_mode mode = (dvi_normalizer_mode)dv_step_integer(step, "mode");
    return mode == DVI_NORMALIZE_MEANVAR || mode == DVI_NORMALIZE_LOGMEANVAR
               ? "means and variances depend on the order of sums"
               : NULL;
}

static dv_status show_seen(dv_view **table_out, void *learner, const dv_allocator *allocator,
                           dv_error *err)
{
    return dvi_normalizer_show(table_out, learner, allocator, err);
}

static dv_status add_seen(void *learner, dv_view *table, dv_error *err)
{
    return dvi_normalizer_add(learner, table, err);
}

static const dvi_step_parts parts = {.refuses = refuses, .show = show_seen, .add = add_seen};

/* Each mode has moments or less, and makes two numbers or fewer of a slot; bins make bounds of
 * numbers that were counted. */
static void need(dv_fit_need *needed, const dv_step_binding *b, const dvi_step_amounts *amounts)
{
    const dvi_normalizer_mode mode = (dvi_normalizer_mode)dv_step_integer(b->step, "mode");
    const bool is_binned = mode == DVI_NORMALIZE_BIN || mode == DVI_NORMALIZE_SUPBIN;
    dvi_need_slots(needed, amounts, 64);
    if (is_binned || mode == DVI_NORMALIZE_ROBUST)
        dvi_need_tally(needed, amounts, dv_step_integer(b->step, "maxrows"));
    if (is_binned)
        dvi_need_slots(needed, amounts,
                       64 * dvi_min_i64(dv_step_integer(b->step, "bins"), amounts->values + 1));
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const dvi_learned_columns *columns_of(const dv_step *step)
{
    dvi_normalizer_how how;
    return read_options(&how, step, NULL) == DV_OK ? dvi_normalizer_table(&how) : &dvi_scales;
}

static const char *const *tables(const dv_step *step)
{
    static const char *const scales[] = {"scales", NULL}, *const bounds[] = {"bounds", NULL},
                             *const deviations[] = {"deviations", NULL};
    const dvi_learned_columns *columns = columns_of(step);
    return columns == &dvi_scales ? scales : columns == &dvi_bounds ? bounds : deviations;
}

static dv_status show(dv_view **table_out, void *learned, int32_t table,
                      const dv_allocator *allocator, dv_error *err)
{
    (void)table;
    return dvi_learned_show(table_out, learned, allocator, err);
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    dvi_learned_table *table;
    const dvi_learned_columns *columns = columns_of(step);
    const int64_t most = columns == &dvi_bounds ? BOUNDS_MOST : DVI_LEARNED_SLOTS;
    DVI_TRY(dvi_learned_load(&table, columns, list[0], most, allocator, err));
    const dv_status status = dvi_normalizer_check_table(table, err);
    if (status < 0)
        dvi_learned_table_free(table);
    else
        *learned_out = table;
    return status;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                      void *learned, dv_error *err)
{
    dvi_normalizer_how how;
    DVI_TRY(read_options(&how, b->step, err));
    const dvi_normalizer_options options = {.learned = learned,
                                            .is_log = how.mode == DVI_NORMALIZE_LOGMEANVAR,
                                            .fixes_zero = how.fixes_zero,
                                            .is_built = dv_step_integer(b->step, "sparse")};
    return dvi_normalizer_plan(made, arena, b->schema, b->sources[0], &options, err);
}

static const char *const column_options[] = {"label", NULL};

const dvi_step_class dvi_class_normalize = {.open = {.size = sizeof(dv_step_class),
                                                     .version = 1,
                                                     .column_options = column_options,
                                                     .in_order = true,
                                                     .begin = begin,
                                                     .free_learner = dvi_normalizer_learner_free,
                                                     .see = see,
                                                     .is_full = dvi_normalizer_is_full,
                                                     .finish = finish,
                                                     .free_learned = dvi_learned_table_free,
                                                     .tables = tables,
                                                     .show = show,
                                                     .load = load},
                                            .widens = DVI_WIDENS_SOURCES,
                                            .parts = &parts,
                                            .plan = plan,
                                            .need = need};
