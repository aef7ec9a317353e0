/* SPDX-License-Identifier: MIT */
/* diff_json.c: writes differences as a JSON document. */
#include "cli/verbs/diff_report.h"

#define NAME(id, name, count) name,
static const char *const names[] = {DVI_DIFF_LIST(NAME)};
#define COUNT(id, name, count) count,
static const char *const counts[] = {DVI_DIFF_LIST(COUNT)};

static void begin(dvi_diff_report *r)
{
    dvi_json_begin(&r->json, "diff", NULL);
}

static void enter(dvi_diff_report *r, dvi_diff_section section)
{
    r->section = section;
    dvi_json_open(&r->json, dv_text_of(names[section]), '[');
}

static void add_side(dvi_json *json, const char *name, const dvi_diff_side *side)
{
    if (side->value) {
        const dv_sink sink = dvi_json_member(json, dv_text_of(name));
        dv_value_write(side->value, DV_STYLE_EXACT, &sink);
    } else if (side->type) {
        dvi_json_put(json, name, dvi_json_type(side->type));
    } else if (side->word) {
        dvi_json_put(json, name, dvi_json_cstr(side->word));
    } else {
        dvi_json_put(json, name, dvi_json_count(side->number));
    }
}

static dvi_exit add(dvi_diff_report *r, const dvi_finding *finding)
{
    dvi_json *json = &r->json;
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "what", dvi_json_cstr(finding->what));
    dvi_json_put(json, "column", dvi_json_text(finding->column->name));
    if (r->section == DVI_DIFF_METADATA)
        dvi_json_put(json, "kind", dvi_json_text(finding->kind));
    if (r->section == DVI_DIFF_VALUES)
        dvi_json_put(json, "row", dvi_json_count(finding->row));
    if (r->section != DVI_DIFF_SCHEMA)
        dvi_json_put(json, "slot", dvi_json_count(finding->slot));
    add_side(json, "a", &finding->a);
    add_side(json, "b", &finding->b);
    dvi_json_close(json, '}');
    return DVI_EXIT_DONE; /* running out of memory is reported at the end */
}

static dvi_exit leave(dvi_diff_report *r)
{
    dvi_json_close(&r->json, ']');
    return DVI_EXIT_DONE;
}

static void add_table(dvi_diff_report *r, const char *name, int side)
{
    const dvi_words *paths = &r->table_args[side]->paths;
    dvi_json *json = &r->json;
    dvi_json_open(json, dv_text_of(name), '{');
    dvi_json_open(json, dv_text_of("files"), '[');
    for (int i = 0; i < paths->count; i++)
        dvi_json_put(json, NULL, dvi_json_cstr(paths->word[i]));
    dvi_json_close(json, ']');
    dvi_json_put(json, "rows", dvi_json_count(r->rows[side]));
    dvi_json_put(json, "column_count", dvi_json_count(r->columns[side]));
    dvi_json_close(json, '}');
}

static dvi_exit end(dvi_diff_report *r)
{
    dvi_json *json = &r->json;
    for (int i = 0; i < DVI_DIFF_SECTIONS; i++)
        dvi_json_put(json, counts[i], dvi_json_count(r->found[i]));
    dvi_json_put(json, "different_row_count", dvi_json_count(r->rows_different));
    dvi_json_put(json, "compared_row_count", dvi_json_count(r->rows_compared));
    dvi_json_put(json, "compared_column_count", dvi_json_count(r->columns_compared));
    dvi_json_put(json, "uncompared_column_count", dvi_json_count(r->columns_not_compared));
    dvi_json_put(json, "uncompared_hidden_count", dvi_json_count(r->hidden_not_compared));
    add_table(r, "a", 0);
    add_table(r, "b", 1);
    dvi_json_put(json, "is_same", json_boolean(dvi_diff_is_same(r)));
    return dvi_json_end(json, r->out);
}

static void release(dvi_diff_report *r)
{
    dvi_json_free(&r->json);
}

const dvi_diff_form dvi_diff_json = {begin, enter, add, leave, end, release};
