/* SPDX-License-Identifier: MIT */
/* text_save_plan.c: chooses the columns of a text file, and reports what it cannot hold.
 * (semantics:6.6) */
#include "base/check.h"
#include "codec/option_string.h"
#include "format/text/save/text_save_priv.h"
#include <dataview/schema.h>
#include <inttypes.h>

static const dv_text none = {"", 0};

#define REPORT(losses, ...)                                                                        \
    do {                                                                                           \
        if (losses)                                                                                \
            dvi_losses_add(losses, __VA_ARGS__);                                                   \
    } while (0)

static const dv_column_info *info_of(const dvi_saving *saving, int32_t k)
{
    return dv_schema_column(saving->schema, saving->columns[k]);
}

static bool is_writable(const dv_type *type)
{
    return type->kind >= DV_KIND_I1 && type->kind <= DV_KIND_UG;
}

/* The last column that can be written. Only this one may be a vector of varying size. */
static int32_t find_last(const dvi_saving *saving)
{
    int32_t last = saving->columns_count - 1;
    while (last >= 0 && !is_writable(&info_of(saving, last)->type))
        last--;
    return last;
}

/* Each slot of a vector is a column of a CSV. */
static bool fits_csv(const dvi_saving *saving, int32_t k, dvi_losses *losses)
{
    const dv_type *type = &info_of(saving, k)->type;
    const int32_t slots = dv_type_value_count(type);
    if (dv_type_is_vector(type) && slots == 0)
        REPORT(losses, DV_LOSS_COLUMNS, saving->columns[k], none,
               "a vector of varying size has no columns in a CSV; option text schema+ writes it "
               "as the last column");
    else if (slots > DVI_TEXT_CSV_SLOTS_MAX)
        REPORT(losses, DV_LOSS_COLUMNS, saving->columns[k], none,
               "its %d slots are more than the %d that become columns of a CSV; option text "
               "schema+ writes them",
               slots, DVI_TEXT_CSV_SLOTS_MAX);
    else
        return true;
    return false;
}

static bool is_saved(const dvi_text_plan *plan, int32_t k, int32_t last, dvi_losses *losses)
{
    const dvi_saving *saving = plan->saving;
    const dv_type *type = &info_of(saving, k)->type;
    if (is_writable(type) && plan->form.style == DVI_TEXT_CSV)
        return fits_csv(saving, k, losses);
    if (!is_writable(type))
        REPORT(losses, DV_LOSS_COLUMNS, saving->columns[k], none, "%s cannot be written as text",
               type->kind == DV_KIND_BY ? "BY" : "its type");
    else if (dv_type_is_vector(type) && type->size == 0 && k != last)
        REPORT(losses, DV_LOSS_COLUMNS, saving->columns[k], none,
               "a vector of varying size can only be the last column");
    else
        return true;
    return false;
}

/* --- Names --- */

/* The index of metadata SlotNames if it has the right type and there is a header; -1: none. */
static int32_t find_names(const dvi_text_plan *plan, const dvi_text_output *output)
{
    int32_t i;
    const dv_schema *schema = plan->saving->schema;
    const dv_type wanted = dv_type_vector(dv_type_of(DV_KIND_TX), output->slots);
    if (!output->is_vector || output->slots == 0 || !plan->form.has_header ||
        dv_schema_find_metadata(schema, output->column, dv_text_of(DV_SLOT_NAMES), &i) != DV_OK)
        return -1;
    const dv_metadata_info *info = dv_schema_metadata(schema, output->column, i);
    return dv_type_same_size_and_item(&info->type, &wanted) ? i : -1;
}

static dv_status read_names(dvi_text_plan *plan, dvi_text_output *output, dvi_losses *losses,
                            dv_error *err)
{
    bool is_named = false;
    output->names = find_names(plan, output);
    if (output->names >= 0)
        DVI_TRY(dvi_text_check_names(plan, output, losses, &is_named, err));
    if (!is_named && plan->form.style != DVI_TEXT_MLNET)
        output->names = -1;
    return DV_OK;
}

static dv_status read_name(dvi_text_plan *plan, dvi_text_output *output, dvi_losses *losses,
                           dv_error *err)
{
    const dv_text name = dv_schema_column(plan->saving->schema, output->column)->name;
    DVI_TRY(dvi_text_clean_name(&output->name, name, &plan->arena, err));
    DVI_TRY(dvi_option_string_quote(&output->quoted, output->name, &plan->arena, err));
    if (output->name.nbytes == 0)
        REPORT(losses, DV_LOSS_NONE, output->column, none, "the name is only white space");
    else if (!dv_text_equal(output->name, name))
        REPORT(losses, DV_LOSS_NAMES, output->column, none,
               "line breaks in its name become blanks, and white space around it is removed");
    return DV_OK;
}

static void report_metadata(const dvi_text_plan *plan, const dvi_text_output *output,
                            dvi_losses *losses)
{
    const dv_schema *schema = plan->saving->schema;
    const int32_t names = find_names(plan, output);
    for (int32_t i = 0; i < dv_schema_column(schema, output->column)->metadata_count; i++) {
        const dv_metadata_info *info = dv_schema_metadata(schema, output->column, i);
        if (i != names)
            REPORT(losses, DV_LOSS_METADATA, output->column, info->kind,
                   "a text file has only the names of slots, in its header");
        else if (info->type.rank > 1)
            REPORT(losses, DV_LOSS_TYPES, output->column, info->kind, "its dimensions become one");
    }
}

/* --- Columns --- */

static bool needs_seed(const dv_type *item)
{
    return item->is_key && item->key_count == 0 && (item->key_min == 0 || !item->key_is_contiguous);
}

/* What the lines with #@ and the header keep, or lose. */
static dv_status read_typed(dvi_text_plan *plan, dvi_text_output *output, dvi_losses *losses,
                            dv_error *err)
{
    if (dv_schema_column(plan->saving->schema, output->column)->type.rank > 1)
        REPORT(losses, DV_LOSS_TYPES, output->column, none, "its dimensions become one");
    DVI_TRY(read_name(plan, output, losses, err));
    DVI_TRY(read_names(plan, output, losses, err));
    report_metadata(plan, output, losses);
    plan->has_header |= plan->form.has_header && (!output->is_vector || output->names >= 0);
    plan->has_text |= output->item.kind == DV_KIND_TX || output->names >= 0;
    plan->keys_as_seed |= needs_seed(&output->item);
    return DV_OK;
}

/* A CSV has any names, and loses no values; its reader does not expect types and metadata. */
static void read_csv(dvi_text_plan *plan, dvi_text_output *output)
{
    const dv_schema *schema = plan->saving->schema;
    output->name = dv_schema_column(schema, output->column)->name;
    output->names = find_names(plan, output);
    output->words = output->item.is_key ? dvi_text_words_find(schema, output->column) : -1;
    plan->has_header |= plan->form.has_header;
}

static dv_status add_output(dvi_text_plan *plan, int32_t column, dvi_losses *losses, dv_error *err)
{
    const dv_type *type = &dv_schema_column(plan->saving->schema, column)->type;
    dvi_text_output *output = &plan->outputs[plan->count];
    *output = (dvi_text_output){.column = column,
                                .item = dv_type_item(type),
                                .is_vector = dv_type_is_vector(type),
                                .slots = dv_type_value_count(type),
                                .first = plan->slots,
                                .words = -1};
    plan->columns[plan->count++] = column;
    plan->slots += output->slots;
    if (plan->form.style != DVI_TEXT_CSV)
        return read_typed(plan, output, losses, err);
    read_csv(plan, output);
    return DV_OK;
}

/* A vector of varying size alone needs another field, because a row without slots is an empty
 * line. */
static void add_filler(dvi_text_plan *plan)
{
    if (plan->form.style == DVI_TEXT_MLNET || plan->count != 1 || plan->slots > 0)
        return;
    plan->has_filler = true;
    plan->outputs[0].first = plan->slots = 1;
}

dv_status dvi_text_plan_make(dvi_text_plan *plan, const dvi_saving *saving, dvi_losses *losses,
                             dv_error *err)
{
    const size_t n = (size_t)saving->columns_count;
    const int32_t last = find_last(saving);
    void *outputs, *columns;
    *plan = (dvi_text_plan){.saving = saving};
    dvi_arena_init(&plan->arena, saving->allocator);
    DVI_TRY(dvi_text_form_read(&plan->form, saving, err));
    DVI_TRY(dvi_arena_alloc(&plan->arena, &outputs, n * sizeof(dvi_text_output), err));
    DVI_TRY(dvi_arena_alloc(&plan->arena, &columns, n * sizeof(int32_t), err));
    plan->outputs = outputs;
    plan->columns = columns;
    for (int32_t k = 0; k < saving->columns_count; k++)
        if (is_saved(plan, k, last, losses))
            DVI_TRY(add_output(plan, saving->columns[k], losses, err));
    add_filler(plan);
    return DV_OK;
}

void dvi_text_plan_free(dvi_text_plan *plan)
{
    dvi_arena_free(&plan->arena);
}

dv_status dvi_text_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err)
{
    dvi_text_plan plan;
    const dv_status status = dvi_text_plan_make(&plan, saving, losses, err);
    if (status == DV_OK && plan.count == 0)
        dvi_losses_add(losses, DV_LOSS_NONE, -1, none, "a text file needs a column");
    const bool is_csv = plan.form.style == DVI_TEXT_CSV;
    const int64_t most = is_csv ? DVI_TEXT_CSV_COLUMNS_MAX : DVI_TEXT_SLOTS_MAX;
    if (status == DV_OK && plan.slots > most)
        dvi_losses_add(losses, DV_LOSS_NONE, -1, none, "%" PRId64 " %s, at most %" PRId64,
                       plan.slots, is_csv ? "columns of a CSV" : "slots in a row", most);
    if (status == DV_OK && plan.count > 0 && is_csv)
        dvi_losses_imply(losses, DV_LOSS_TYPES,
                         "a CSV keeps names and values, but not types, metadata and row ids; a "
                         "file in .txt, or option text schema+, keeps the types");
    dvi_text_plan_free(&plan);
    return status;
}
