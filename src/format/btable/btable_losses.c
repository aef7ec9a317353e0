/* SPDX-License-Identifier: MIT */
/* btable_losses.c: reports what a BTable cannot hold of a view (btable:11, btable:14). */
#include "format/btable/btable_save_priv.h"
#include <inttypes.h>

static const dv_text none = {"", 0};

/* --- Labels ----------------------------------------------------------------------------------- */

typedef struct label_counts {
    int64_t units; /* separators included */
    int64_t named, na, separators;
} label_counts;

static dv_status count_label(void *ctx, const dvi_btable_label *label, dv_error *err)
{
    label_counts *l = ctx;
    (void)err;
    l->units += dvi_btable_units(label->text);
    l->named += label->text.nbytes > 0;
    l->na += label->text.nbytes < 0;
    l->separators += dvi_btable_has_separator(label->text);
    return DV_OK;
}

static dv_status check_labels(const dvi_btable_plan *plan, dvi_losses *losses, dv_error *err)
{
    label_counts l = {.units = plan->slots - 1};
    const int32_t column = plan->is_vector ? plan->columns[0] : -1;
    const dv_text kind = plan->is_vector ? dv_text_of(DV_SLOT_NAMES) : none;
    if (dvi_btable_has_labels(plan)) /* else there may be 2^31 empty ones */
        DVI_TRY(dvi_btable_each_label(plan, count_label, &l, err));
    if (l.separators > 0)
        dvi_losses_add(losses, DV_LOSS_NONE, column, kind,
                       "names hold U+001F, which separates labels: %" PRId64, l.separators);
    if (l.units > INT32_MAX)
        dvi_losses_add(losses, DV_LOSS_NONE, column, kind,
                       "labels of %" PRId64 " UTF-16 units, at most 2^31-1", l.units);
    if (l.na > 0)
        dvi_losses_add(losses, DV_LOSS_NA, column, kind, "names that are NA become empty: %" PRId64,
                       l.na);
    if (plan->names >= 0 && l.named == 0)
        dvi_losses_add(losses, DV_LOSS_METADATA, column, kind,
                       "names that are all empty read as none");
    return DV_OK;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static void check_metadata(const dvi_btable_plan *plan, int32_t column, dvi_losses *losses)
{
    const dv_schema *schema = plan->saving->schema;
    for (int32_t i = 0; i < dv_schema_column(schema, column)->metadata_count; i++)
        if (!plan->is_vector || i != plan->names)
            dvi_losses_add(losses, DV_LOSS_METADATA, column,
                           dv_schema_metadata(schema, column, i)->kind,
                           "a BTable has only the names of slots");
}

static void check_vector(const dvi_btable_plan *plan, dvi_losses *losses)
{
    const int32_t column = plan->columns[0];
    const dv_column_info *info = dv_schema_column(plan->saving->schema, column);
    if (!dv_text_equal(info->name, dv_text_of("Features")))
        dvi_losses_add(losses, DV_LOSS_NAMES, column, none, "it becomes \"Features\"");
    if (info->type.kind != DV_KIND_R8)
        dvi_losses_add(losses, DV_LOSS_TYPES, column, none, "items of type %s become R8",
                       dv_kind_name(info->type.kind));
    if (info->type.rank > 1)
        dvi_losses_add(losses, DV_LOSS_TYPES, column, none, "its dimensions become one");
    check_metadata(plan, column, losses);
}

static void check_scalars(const dvi_btable_plan *plan, dvi_losses *losses)
{
    for (int32_t k = 0; k < plan->count; k++) {
        dvi_losses_add(losses, DV_LOSS_TYPES, plan->columns[k], none,
                       "it becomes a slot of a vector of R8");
        check_metadata(plan, plan->columns[k], losses);
    }
}

static void check_others(const dvi_btable_plan *plan, dvi_losses *losses)
{
    const dvi_saving *saving = plan->saving;
    for (int32_t k = 0, next = 0; k < saving->columns_count; k++) {
        if (next < plan->count && saving->columns[k] == plan->columns[next]) {
            next++;
            continue;
        }
        dvi_losses_add(losses, DV_LOSS_COLUMNS, saving->columns[k], none, "%s",
                       plan->is_vector ? "a BTable holds one vector of numbers"
                                       : "it is not a number");
    }
}

static dv_status check_plan(const dvi_btable_plan *plan, dvi_losses *losses, dv_error *err)
{
    if (plan->count == 0) {
        dvi_losses_add(losses, DV_LOSS_NONE, -1, none,
                       "a BTable holds one vector of numbers of a known size, or numbers: there is "
                       "no such column");
        return DV_OK;
    }
    check_others(plan, losses);
    if (plan->is_vector)
        check_vector(plan, losses);
    else
        check_scalars(plan, losses);
    return check_labels(plan, losses, err);
}

dv_status dvi_btable_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err)
{
    dvi_btable_plan plan;
    DVI_TRY(dvi_btable_plan_make(&plan, saving, err));
    const dv_status status = check_plan(&plan, losses, err);
    dvi_btable_plan_free(&plan);
    return status;
}
