/* SPDX-License-Identifier: MIT */
/* stats_json.c: writes statistics as a JSON document. */
#include "cli/verbs/stats_json.h"
#include "cli/print/json.h"
#include "cli/print/json_value.h"
#include "cli/verbs/slot_names.h"

/* The type of the values of a column's statistics: zoned times are in UTC. */
static dv_type type_of(const dv_type *column)
{
    const dv_type item = dv_type_item(column);
    return item.kind == DV_KIND_DZ ? dv_type_of(DV_KIND_DT) : item;
}

/* Add a member whose value has that type, as `cat --format jsonl` writes it. */
static void put_value(dvi_json *json, const char *name, const dv_type *type, dv_stats_value value)
{
    const float narrow = type->kind == DV_KIND_R4 ? (float)value.r8 : 0; /* exact: it was a float */
    const void *data = type->kind == DV_KIND_R4 ? (const void *)&narrow : &value;
    dv_column_view view = {.type = *type, .layout = DV_LAYOUT_FIXED, .rows = 1};
    view.as.fixed.values =
        (dv_buffer){.data = data, .nbytes = (size_t)dv_kind_width(type->kind), .is_aligned = true};
    const dv_value shown = dv_value_first(&view);
    const dv_sink sink = dvi_json_member(json, dv_text_of(name));
    dvi_json_value(&shown, &sink);
}

static void put_real(dvi_json *json, const char *name, double number)
{
    const dv_type type = dv_type_of(DV_KIND_R8);
    put_value(json, name, &type, (dv_stats_value){.r8 = number});
}

static void put_lengths(dvi_json *json, const char *name, const dv_stats_lengths *lengths)
{
    if (lengths->most < 0) {
        dvi_json_put(json, name, json_null());
        return;
    }
    dvi_json_open(json, dv_text_of(name), '{');
    dvi_json_put(json, "min", dvi_json_count(lengths->least));
    dvi_json_put(json, "max", dvi_json_count(lengths->most));
    put_real(json, "mean", lengths->mean);
    dvi_json_close(json, '}');
}

static void put_quantiles(dvi_json *json, const dv_type *type, const dv_column_stats *c)
{
#define SHARE(p) p,
    static const double shares[] = {DV_STATS_QUANTILE_LIST(SHARE)};
#undef SHARE
    dvi_json_open(json, dv_text_of("quantiles"), '[');
    for (int i = 0; i < DV_STATS_QUANTILES; i++) {
        dvi_json_open(json, dv_text_of(NULL), '{');
        dvi_json_put(json, "share", dvi_json_real(shares[i]));
        put_value(json, "value", type, c->quantile[i]);
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
    dvi_json_put(json, "rank_error", dvi_json_real(c->rank_error));
}

static void put_bins(dvi_json *json, const dv_type *type, const dv_column_stats *c)
{
    dvi_json_open(json, dv_text_of("bins"), '{');
    put_value(json, "low", type, c->bin_low);
    put_value(json, "high", type, c->bin_high);
    dvi_json_open(json, dv_text_of("counts"), '[');
    for (int i = 0; i < DV_STATS_BINS; i++)
        dvi_json_put(json, NULL, dvi_json_count(c->bin[i]));
    dvi_json_close(json, ']');
    dvi_json_close(json, '}');
}

/* Add what only ordered values have. */
static void put_ordered(dvi_json *json, const dv_type *type, const dv_column_stats *c)
{
    dvi_json_put(json, "negative_infinity_count", dvi_json_count(c->negative_infinities));
    dvi_json_put(json, "positive_infinity_count", dvi_json_count(c->positive_infinities));
    put_value(json, "min", type, c->min);
    put_value(json, "max", type, c->max);
    put_real(json, "mean", c->mean);
    put_real(json, "sd", c->sd);
    put_quantiles(json, type, c);
    if (c->ordered > c->negative_infinities + c->positive_infinities)
        put_bins(json, type, c);
}

static void put_top(dvi_json *json, const dv_type *type, const dv_column_stats *c)
{
    dvi_json_open(json, dv_text_of("top"), '[');
    for (int32_t i = 0; i < c->top_count; i++) {
        const dv_stats_top *top = &c->top[i];
        dvi_json_open(json, dv_text_of(NULL), '{');
        if (c->form == DV_STATS_NONE) {
            dvi_json_put(json, "value", dvi_json_text(top->text));
            dvi_json_put(json, "text_nbytes", dvi_json_count(top->text_nbytes));
        } else {
            put_value(json, "value", type, top->value);
        }
        dvi_json_put(json, "count", dvi_json_count(top->count));
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
}

static void put_column(dvi_json *json, const dv_column_info *info, const dv_column_stats *c,
                       const dvi_slot_names *names)
{
    const dv_type type = type_of(&info->type);
    const dv_type item = dv_type_item(&info->type);
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "index", dvi_json_count(c->column));
    dvi_json_put(json, "name", dvi_json_text(info->name));
    if (c->slot >= 0) {
        const dv_text name = dvi_slot_names_of(names, c->slot);
        dvi_json_put(json, "slot", dvi_json_count(c->slot));
        dvi_json_put(json, "slot_name", name.nbytes > 0 ? dvi_json_text(name) : json_null());
    }
    dvi_json_put(json, "type", dvi_json_type(c->slot < 0 ? &info->type : &item));
    dvi_json_put(json, "value_count", dvi_json_count(c->values));
    dvi_json_put(json, "na_count", dvi_json_count(c->na));
    dvi_json_put(json, "default_count", dvi_json_count(c->defaults));
    dvi_json_put(json, "ordered_count", dvi_json_count(c->ordered));
    put_lengths(json, "vector_length", &c->vector_length);
    put_lengths(json, "text_nbytes", &c->text_nbytes);
    dvi_json_put(json, "distinct_count", dvi_json_count(c->distinct));
    dvi_json_put(json, "distinct_error", dvi_json_real(c->distinct_error));
    put_top(json, &type, c);
    if (c->form != DV_STATS_NONE && c->ordered > 0)
        put_ordered(json, &type, c);
    dvi_json_close(json, '}');
}

dvi_exit dvi_stats_json(const dv_stats *stats, const dv_schema *schema, const dvi_args *args,
                        dvi_out *out)
{
    dvi_json json;
    dvi_exit status = DVI_EXIT_DONE;
    dvi_slot_names names = {.column = -1};
    dvi_json_begin(&json, "stats", args);
    dvi_json_put(&json, "rows", dvi_json_count(stats->rows));
    dvi_json_open(&json, dv_text_of("columns"), '[');
    for (int32_t i = 0; i < stats->columns && !status; i++) {
        const dv_column_stats *c = &stats->column[i];
        if (c->slot >= 0)
            status = dvi_slot_names_read(&names, schema, c->column);
        put_column(&json, dv_schema_column(schema, c->column), c, &names);
    }
    dvi_slot_names_free(&names);
    dvi_json_close(&json, ']');
    if (!status)
        return dvi_json_end(&json, out);
    dvi_json_free(&json);
    return status;
}
