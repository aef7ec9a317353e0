/* SPDX-License-Identifier: MIT */
/* cmd_schema.c: lists the columns with their types and metadata. */
#include "cli/args/input.h"
#include "cli/print/json.h"
#include "cli/terminal/table.h"
#include "cli/verbs/commands.h"

#define NOTE_INDENT "     "

static void add_header(dvi_table *table, bool detail)
{
    static const char *const names[] = {"#", "column", "type", "metadata"};
    const size_t n = detail ? 3 : 4; /* metadata values have lines of their own */
    for (size_t i = 0; i < n; i++)
        dvi_table_column_add(table, i ? 0 : DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    for (size_t i = 0; i < n; i++)
        dvi_table_add_text(table, dv_text_of(names[i]));
}

/* "SlotNames, IsNormalized" */
static void add_kinds(dvi_table *table, const dv_schema *schema, int32_t column)
{
    dvi_clip clip = {.most = table->most};
    const int32_t n = dv_schema_column(schema, column)->metadata_count;
    for (int32_t i = 0; i < n && !clip.is_full; i++) {
        const dv_text kind = dv_schema_metadata(schema, column, i)->kind;
        dvi_clip_text(&clip, i ? ", " : "");
        dvi_clip_write(&clip, kind.data, (size_t)kind.nbytes);
    }
    dvi_table_add_clip(table, &clip);
}

/* Add a line with kind, type and value. */
static void add_metadata(dvi_table *table, const dv_metadata_info *info, const dv_value *value)
{
    dvi_clip label = {.most = table->most};
    dvi_clip_text(&label, NOTE_INDENT);
    dvi_clip_write(&label, info->kind.data, (size_t)info->kind.nbytes);
    dvi_clip_text(&label, "  ");
    dvi_clip_type(&label, &info->type);
    dvi_table_add_note(table, &label, value);
}

static dv_status add_all_metadata(dvi_table *table, const dv_schema *schema, int32_t column,
                                  dv_error *err)
{
    const int32_t n = dv_schema_column(schema, column)->metadata_count;
    for (int32_t i = 0; i < n; i++) {
        const dv_batch *batch;
        const dv_status status = dv_schema_metadata_value(schema, column, i, &batch, err);
        if (status != DV_OK)
            return status;
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        add_metadata(table, dv_schema_metadata(schema, column, i), &value);
        dv_batch_release(&batch);
    }
    return DV_OK;
}

static dv_status add_column(dvi_table *table, const dv_schema *schema, int32_t column, bool detail,
                            dv_error *err)
{
    const dv_column_info *info = dv_schema_column(schema, column);
    dvi_table_add_print(table, "%d", (int)column);
    dvi_table_add_name(table, info);
    dvi_table_add_type(table, &info->type);
    if (detail)
        return add_all_metadata(table, schema, column, err);
    add_kinds(table, schema, column);
    return DV_OK;
}

static dvi_exit write_schema(dvi_out *out, const dv_schema *schema, bool detail)
{
    const dvi_screen screen = dvi_screen_of(out->fd);
    dv_error err = DV_ERROR_INIT;
    dv_status read = DV_OK;
    dvi_exit status = DVI_EXIT_DONE;
    dvi_table table;
    dvi_table_init(&table, &screen, 1);
    add_header(&table, detail);
    for (int32_t i = 0; i < dv_schema_columns(schema) && read == DV_OK && !status; i++) {
        if (dvi_table_rows(&table) >= DVI_TABLE_ROWS) {
            status = dvi_table_print(&table, out);
            dvi_table_clear(&table);
        }
        read = add_column(&table, schema, i, detail, &err);
    }
    if (!status)
        status = dvi_table_print(&table, out);
    dvi_table_free(&table);
    dvi_out_flush(out); /* the lines before an error come first */
    return read == DV_OK || status ? status : dvi_say_error(&err);
}

/* --- As JSON ---------------------------------------------------------------------------------- */

/* "kind":{"type":..,"value":..}, or without its value. */
static dv_status add_json_metadata(dvi_json *json, const dv_schema *schema, int32_t column,
                                   int32_t i, bool detail, dv_error *err)
{
    const dv_metadata_info *info = dv_schema_metadata(schema, column, i);
    const dv_batch *batch = NULL;
    const dv_status status =
        detail ? dv_schema_metadata_value(schema, column, i, &batch, err) : DV_OK;
    if (status != DV_OK)
        return status;
    dvi_json_open(json, info->kind, '{');
    dvi_json_put(json, "type", dvi_json_type(&info->type));
    if (detail) {
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        const dv_sink sink = dvi_json_member(json, dv_text_of("value"));
        dv_value_write(&value, DV_STYLE_EXACT, &sink);
        dv_batch_release(&batch);
    }
    dvi_json_close(json, '}');
    return DV_OK;
}

static dv_status add_json_column(dvi_json *json, const dv_schema *schema, int32_t column,
                                 bool detail, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(schema, column);
    dv_status status = DV_OK;
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "index", dvi_json_count(column));
    dvi_json_put(json, "name", dvi_json_text(info->name));
    dvi_json_put(json, "type", dvi_json_type(&info->type));
    dvi_json_put(json, "is_hidden", json_boolean(info->is_hidden));
    dvi_json_open(json, dv_text_of("metadata"), '{');
    for (int32_t i = 0; i < info->metadata_count && status == DV_OK; i++)
        status = add_json_metadata(json, schema, column, i, detail, err);
    dvi_json_close(json, '}');
    dvi_json_close(json, '}');
    return status;
}

static dvi_exit write_json(dvi_out *out, const dvi_args *args, const dv_view *view)
{
    const dv_schema *schema = dv_view_schema(view);
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    dvi_json json;
    dvi_json_begin(&json, "schema", args);
    dvi_json_put(&json, "rows", dvi_json_count(dv_view_rows(view)));
    dvi_json_open(&json, dv_text_of("columns"), '[');
    for (int32_t i = 0; i < dv_schema_columns(schema) && status == DV_OK; i++)
        status = add_json_column(&json, schema, i, args->metadata, &err);
    dvi_json_close(&json, ']');
    if (status == DV_OK)
        return dvi_json_end(&json, out);
    dvi_json_free(&json);
    return dvi_say_error(&err);
}

dvi_exit dvi_cmd_schema(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    dvi_exit status = dvi_input_open(&view, args);
    if (!status)
        status = args->json ? write_json(out, args, view)
                            : write_schema(out, dv_view_schema(view), args->metadata);
    dv_view_release(&view);
    return status;
}
