/* SPDX-License-Identifier: MIT */
/* datadings_save_plan.c: chooses the entries of samples, and reports losses (datadings:12). */
#include "base/check.h"
#include "base/hashtab.h"
#include "type/schema.h"
#include "format/datadings/index/datadings_index.h"
#include "format/datadings/read/datadings_changes.h"
#include "format/datadings/save/datadings_save_priv.h"
#include <dataview/schema.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RANK_MOST 64 /* of numpy arrays */

static const dv_text none = {"", 0};
static const char key_name[] = "key";

#define REPORT(losses, ...)                                                                        \
    do {                                                                                           \
        if (losses)                                                                                \
            dvi_losses_add(losses, __VA_ARGS__);                                                   \
    } while (0)

static bool is_name(dv_text name, const char *is)
{
    return dv_text_equal(name, dv_text_of(is));
}

static bool is_text(const dv_type *type, dv_kind kind)
{
    return type->kind == kind && !dv_type_is_vector(type);
}

/* --- Metadata --------------------------------------------------------------------------------- */

/* Is there metadata of this kind that is a BL and true? */
static dv_status read_mark(const dv_schema *schema, int32_t column, const char *kind, bool *is_out,
                           dv_error *err)
{
    int32_t i;
    const dv_batch *batch;
    *is_out = false;
    if (dv_schema_find_metadata(schema, column, dv_text_of(kind), &i) != DV_OK ||
        !is_text(&dv_schema_metadata(schema, column, i)->type, DV_KIND_BL))
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(schema, column, i, &batch, err));
    *is_out = *(const int8_t *)dv_batch_column(batch, 0)->as.fixed.values.data == 1;
    dv_batch_release(&batch);
    return DV_OK;
}

/* kept: the kind that reading restores. */
static void report_metadata(const dvi_datadings_plan *plan, int32_t column, const char *kept,
                            dvi_losses *losses)
{
    const dv_schema *schema = plan->saving->schema;
    for (int32_t i = 0; i < dv_schema_column(schema, column)->metadata_count; i++) {
        const dv_text kind = dv_schema_metadata(schema, column, i)->kind;
        if (!is_name(kind, kept) && !dvi_datadings_save_options_drops(&plan->options, kind))
            REPORT(losses, DV_LOSS_METADATA, column, kind, "datadings hold no metadata");
    }
}

/* Report what the samples from which the column was read would lose. */
static void report_changes(const dvi_datadings_plan *plan, int32_t column, dvi_losses *losses)
{
#define SENTENCE(name, bit, sentence) {DVI_CHANGE_##name, sentence},
    static const struct {
        uint32_t mark;
        const char *sentence;
    } list[] = {DVI_DATADINGS_CHANGE_LIST(SENTENCE)};
#undef SENTENCE
    const uint32_t marks = dvi_schema_marks(plan->saving->schema, column);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (marks & list[i].mark)
            REPORT(losses, DV_LOSS_FORMS, column, none, "%s", list[i].sentence);
}

/* --- The key ---------------------------------------------------------------------------------- */

static void find_key(dvi_datadings_plan *plan, dvi_losses *losses)
{
    const dv_text name = plan->options.key.nbytes > 0 ? plan->options.key : dv_text_of(key_name);
    plan->key = -1;
    if (plan->options.is_numbered)
        return;
    if (dv_schema_find(plan->saving->schema, name, &plan->key) != DV_OK)
        REPORT(
            losses, DV_LOSS_NONE, -1, none,
            "no column \"%s\" with keys: key=NAME names another column, key=rownumber makes keys",
            dvi_show(name).text);
    else if (!is_text(&dv_schema_column(plan->saving->schema, plan->key)->type, DV_KIND_TX))
        REPORT(losses, DV_LOSS_NONE, plan->key, none,
               "keys must be texts: key=NAME names another column, key=rownumber makes keys");
}

/* If the columns are keys and whole messages, *message_out is the column of messages; else -1. */
static dv_status find_message(const dvi_datadings_plan *plan, int32_t *message_out, dv_error *err)
{
    const dvi_saving *saving = plan->saving;
    *message_out = -1;
    if (saving->columns_count != 2 || plan->key < 0)
        return DV_OK;
    const int32_t other = saving->columns[saving->columns[0] == plan->key];
    const dv_type *type = &dv_schema_column(saving->schema, other)->type;
    bool is_message = false;
    if (saving->columns[other == saving->columns[0]] == plan->key && is_text(type, DV_KIND_BY))
        DVI_TRY(read_mark(saving->schema, other, DVI_DATADINGS_MESSAGE, &is_message, err));
    *message_out = is_message ? other : -1;
    return DV_OK;
}

/* --- Types ------------------------------------------------------------------------------------ */

static const char *dtype_of(dv_kind kind)
{
    switch (kind) {
    case DV_KIND_I1:
        return "|i1";
    case DV_KIND_U1:
        return "|u1";
    case DV_KIND_I2:
        return "<i2";
    case DV_KIND_U2:
        return "<u2";
    case DV_KIND_I4:
        return "<i4";
    case DV_KIND_U4:
        return "<u4";
    case DV_KIND_U8:
        return "<u8";
    case DV_KIND_R4:
        return "<f4";
    case DV_KIND_R8:
        return "<f8";
    case DV_KIND_BL:
        return "|b1";
    default:
        return "<i8"; /* and ticks */
    }
}

/* How a reader finds values of this type, as a loss; NULL: with the same type. */
static const char *read_back_as(const dv_type *type)
{
    const dv_kind kind = type->kind;
    if (type->is_key)
        return "its keys become numbers";
    if (kind == DV_KIND_TS || kind == DV_KIND_DT)
        return "it becomes ticks of 100 ns, as I8";
    if (kind == DV_KIND_DZ)
        return "it becomes ticks of 100 ns in UTC, as I8, without offsets";
    const bool is_integer = kind >= DV_KIND_I1 && kind <= DV_KIND_U8 && kind != DV_KIND_I8;
    return is_integer && !dv_type_is_vector(type) ? "its numbers are read back as I8 or U8" : NULL;
}

static bool has_dims(const dv_type *type)
{
    return type->size > 0 && type->rank <= RANK_MOST;
}

static void report_type(const dvi_datadings_entry *entry, const dv_type *type, dvi_losses *losses)
{
    const char *instead = read_back_as(type);
    const bool is_list = entry->encoding == DVI_DATADINGS_LIST;
    if (instead)
        REPORT(losses, DV_LOSS_TYPES, entry->column, none, "%s", instead);
    if (type->rank > 1 && (is_list || !has_dims(type)))
        REPORT(losses, DV_LOSS_TYPES, entry->column, none, "its dimensions become one");
    const int64_t nbytes = (int64_t)type->size * (int64_t)entry->width;
    if (!is_list && nbytes > DVI_MSGPACK_MOST)
        REPORT(losses, DV_LOSS_NONE, entry->column, none,
               "its vectors have %" PRId64 " bytes, and at most %" PRId64 " can be written", nbytes,
               DVI_MSGPACK_MOST);
}

/* --- Fields ----------------------------------------------------------------------------------- */

static bool is_writable(const dv_type *type)
{
    return type->kind != DV_KIND_UG && type->kind != DV_KIND_EXTENSION;
}

static dv_status choose_encoding(const dvi_datadings_plan *plan, dvi_datadings_entry *entry,
                                 const dv_type *type, dv_error *err)
{
    const bool is_text = type->kind == DV_KIND_TX || type->kind == DV_KIND_BY;
    bool is_opaque = false;
    if (dv_type_is_vector(type)) {
        entry->encoding = is_text ? DVI_DATADINGS_LIST : DVI_DATADINGS_ARRAY;
        entry->dtype = dtype_of(type->kind);
        entry->width = type->kind == DV_KIND_DZ ? 8 : dvi_width_of(&entry->item);
        entry->rank = has_dims(type) ? type->rank : 1;
        entry->dims = !has_dims(type) ? NULL : type->rank > 1 ? type->dims : &type->size;
        return DV_OK;
    }
    if (type->kind == DV_KIND_BY)
        DVI_TRY(
            read_mark(plan->saving->schema, entry->column, DVI_DATADINGS_OPAQUE, &is_opaque, err));
    entry->encoding = is_opaque ? DVI_DATADINGS_OPAQUES
                      : is_text ? DVI_DATADINGS_TEXT
                                : DVI_DATADINGS_SCALAR;
    return DV_OK;
}

static dv_status write_name(dvi_datadings_plan *plan, dvi_datadings_entry *entry, dv_text name,
                            dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&plan->arena, &made, DVI_MSGPACK_HEAD + (size_t)name.nbytes, err));
    const uint8_t *end = dvi_msgpack_put_text(made, name.data, (uint32_t)name.nbytes);
    entry->name = made;
    entry->name_nbytes = (size_t)(end - entry->name);
    return DV_OK;
}

static dv_status add_entry(dvi_datadings_plan *plan, int32_t column, dvi_losses *losses,
                           dv_error *err)
{
    const dv_column_info *info = dv_schema_column(plan->saving->schema, column);
    dvi_datadings_entry *entry = &plan->entries[plan->count++];
    *entry = (dvi_datadings_entry){.column = column, .item = dv_type_item(&info->type)};
    DVI_TRY(choose_encoding(plan, entry, &info->type, err));
    DVI_TRY(write_name(plan, entry, info->name, err));
    report_type(entry, &info->type, losses);
    report_changes(plan, column, losses);
    const bool is_opaque = entry->encoding == DVI_DATADINGS_OPAQUES;
    report_metadata(plan, column, is_opaque ? DVI_DATADINGS_OPAQUE : "", losses);
    return DV_OK;
}

/* Report a name that another entry has, or that has a special meaning. */
static dv_status check_name(int32_t column, dv_text name, dvi_hashtab *names, dvi_losses *losses,
                            dv_error *err)
{
    int32_t before;
    DVI_TRY(dvi_hashtab_put(names, name, column, &before, err));
    if (before >= 0)
        REPORT(losses, DV_LOSS_NONE, column, none,
               "another column has this name, and names of entries are unique");
    else if (is_name(name, key_name))
        REPORT(losses, DV_LOSS_NONE, column, none, "the entry \"key\" is the key of the sample");
    else if (is_name(name, "nd") || is_name(name, "complex"))
        REPORT(losses, DV_LOSS_NONE, column, none, "msgpack-numpy reserves this name");
    return DV_OK;
}

static dv_status add_entries(dvi_datadings_plan *plan, dvi_hashtab *names, dvi_losses *losses,
                             dv_error *err)
{
    const dvi_saving *saving = plan->saving;
    for (int32_t k = 0; k < saving->columns_count; k++) {
        const int32_t column = saving->columns[k];
        const dv_column_info *info = dv_schema_column(saving->schema, column);
        if (column == plan->key && is_name(info->name, key_name)) {
            report_metadata(plan, column, "", losses);
            report_changes(plan, column, losses);
            continue;
        }
        if (!is_writable(&info->type)) {
            REPORT(losses, DV_LOSS_COLUMNS, column, none, "its type cannot be written as msgpack");
            continue;
        }
        DVI_TRY(check_name(column, info->name, names, losses, err));
        DVI_TRY(add_entry(plan, column, losses, err));
    }
    return DV_OK;
}

static void list_columns(dvi_datadings_plan *plan)
{
    if (plan->key >= 0)
        plan->columns[plan->columns_count++] = plan->key;
    for (int32_t k = 0; k < plan->count; k++)
        plan->columns[plan->columns_count++] = plan->entries[k].column;
}

static dv_status choose(dvi_datadings_plan *plan, dvi_losses *losses, dv_error *err)
{
    int32_t message;
    find_key(plan, losses);
    DVI_TRY(find_message(plan, &message, err));
    plan->is_raw = message >= 0;
    if (plan->is_raw) {
        plan->entries[plan->count++] = (dvi_datadings_entry){.column = message};
        report_metadata(plan, plan->key, "", losses);
        report_metadata(plan, message, DVI_DATADINGS_MESSAGE, losses);
        return DV_OK;
    }
    dvi_hashtab names;
    dvi_hashtab_init(&names, plan->saving->allocator);
    const dv_status status = add_entries(plan, &names, losses, err);
    dvi_hashtab_free(&names);
    return status;
}

dv_status dvi_datadings_plan_make(dvi_datadings_plan *plan, const dvi_saving *saving,
                                  dvi_losses *losses, dv_error *err)
{
    const size_t n = (size_t)saving->columns_count;
    void *entries, *columns;
    *plan = (dvi_datadings_plan){.saving = saving, .key = -1};
    dvi_arena_init(&plan->arena, saving->allocator);
    DVI_TRY(dvi_datadings_save_options_read(&plan->options, saving->options->datadings,
                                            &plan->arena, err));
    DVI_TRY(dvi_arena_alloc(&plan->arena, &entries, n * sizeof(dvi_datadings_entry), err));
    DVI_TRY(dvi_arena_alloc(&plan->arena, &columns, (n + 1) * sizeof(int32_t), err));
    plan->entries = entries;
    plan->columns = columns;
    DVI_TRY(choose(plan, losses, err));
    list_columns(plan);
    return DV_OK;
}

void dvi_datadings_plan_free(dvi_datadings_plan *plan)
{
    dvi_arena_free(&plan->arena);
}

/* --- The check -------------------------------------------------------------------------------- */

/* The data file must not look like a side file of another set. */
static dv_status check_path(const char *path, dv_error *err)
{
    const size_t n = strlen(path);
    for (int side = 0; side < DVI_DATADINGS_FILES; side++) {
        const char *suffix = dvi_datadings_suffix((dvi_datadings_side)side);
        const size_t k = strlen(suffix);
        if (n < k || strcmp(path + n - k, suffix) != 0)
            continue;
        dvi_fail_argument(err, "datadings cannot end in %s, as side files do", suffix);
        dvi_error_set_file(err, path);
        return DV_ERR_ARGUMENT;
    }
    return DV_OK;
}

dv_status dvi_datadings_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err)
{
    dvi_datadings_plan plan;
    DVI_TRY(check_path(saving->path, err));
    const dv_status status = dvi_datadings_plan_make(&plan, saving, losses, err);
    dvi_datadings_plan_free(&plan);
    return status;
}
