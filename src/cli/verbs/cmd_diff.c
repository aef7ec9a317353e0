/* SPDX-License-Identifier: MIT */
/* cmd_diff.c: compares two tables. */
#include "cli/args/files.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/diff_columns.h"
#include "cli/verbs/diff_report.h"
#include "cli/verbs/diff_rows.h"
#include <stdlib.h>

/* The two tables, with their columns paired. */
typedef struct diff {
    dvi_diff_report report;
    const dvi_diff_form *form;
    dvi_args args[2]; /* as if each table had been given alone */
    dv_view *view[2];
    const dv_schema *schema[2];
    dvi_diff_columns columns;
    dvi_diff_rule rule;
} diff;

/* Count a difference, and show the first ones. */
static dvi_exit find(diff *d, const dvi_finding *finding)
{
    dvi_diff_report *r = &d->report;
    return r->found[r->section]++ < r->args->lines ? d->form->add(r, finding) : DVI_EXIT_DONE;
}

bool dvi_diff_is_same(const dvi_diff_report *r)
{
    bool is_same = r->rows[0] == r->rows[1];
    for (int i = 0; i < DVI_DIFF_SECTIONS; i++)
        is_same = is_same && r->found[i] == 0;
    return is_same;
}

/* Whether one difference is all that needs to be known. */
static bool is_enough(const diff *d)
{
    const dvi_args *args = d->report.args;
    return args->quiet && args->lines == 0 && !args->json && !dvi_diff_is_same(&d->report);
}

static const dv_column_info *column_of(const diff *d, int side, const dvi_pair *pair)
{
    const int32_t column = side ? pair->b : pair->a;
    return column < 0 ? NULL : dv_schema_column(d->schema[side], column);
}

/* --- Schema ----------------------------------------------------------------------------------- */

static dvi_exit find_type(diff *d, const dv_column_info *a, const dv_column_info *b)
{
    dvi_finding finding = {.what = a && b ? "type" : "column", .column = a ? a : b, .slot = -1};
    finding.a = (dvi_diff_side){.type = a ? &a->type : NULL, .number = -1};
    finding.b = (dvi_diff_side){.type = b ? &b->type : NULL, .number = -1};
    return find(d, &finding);
}

static dvi_exit find_order(diff *d, const dvi_pair *pair)
{
    dvi_finding finding = {.what = "order", .column = column_of(d, 0, pair), .slot = -1};
    finding.a.number = pair->a;
    finding.b.number = pair->b;
    return find(d, &finding);
}

static dvi_exit compare_schemas(diff *d)
{
    dvi_exit status = DVI_EXIT_DONE;
    d->form->enter(&d->report, DVI_DIFF_SCHEMA);
    for (int32_t i = 0; i < d->columns.count && !status; i++) {
        const dv_column_info *a = column_of(d, 0, &d->columns.pair[i]);
        const dv_column_info *b = column_of(d, 1, &d->columns.pair[i]);
        if (!a || !b || !dv_type_equal(&a->type, &b->type))
            status = find_type(d, a, b);
        if (!status && i == d->columns.moved)
            status = find_order(d, &d->columns.pair[i]);
    }
    return status ? status : d->form->leave(&d->report);
}

/* --- Metadata --------------------------------------------------------------------------------- */

static const char *const aspect_names[] = {
    [DVI_ASPECT_VALUE] = "value",
    [DVI_ASPECT_LENGTH] = "length",
    [DVI_ASPECT_DENSE] = "layout",
    [DVI_ASPECT_STORED] = "layout",
};

static bool has_item(const dv_value *value, const dv_column_view *blank)
{
    return value->column != blank;
}

/* Describe what both have where they differ. */
static void describe(dvi_finding *finding, const dvi_difference *what)
{
    finding->what = aspect_names[what->aspect];
    finding->slot = what->slot;
    finding->a = finding->b = (dvi_diff_side)DVI_DIFF_SIDE_INIT;
    switch (what->aspect) {
    case DVI_ASPECT_NONE:
        break;
    case DVI_ASPECT_VALUE:
        finding->a.value = &what->a;
        finding->b.value = &what->b;
        break;
    case DVI_ASPECT_LENGTH:
        finding->a.number = what->a.length;
        finding->b.number = what->b.length;
        break;
    case DVI_ASPECT_DENSE:
        finding->a.word = what->a.count < 0 ? "dense" : "sparse";
        finding->b.word = what->b.count < 0 ? "dense" : "sparse";
        break;
    case DVI_ASPECT_STORED:
        finding->a.word = has_item(&what->a, &what->blank[0]) ? "stored" : "not stored";
        finding->b.word = has_item(&what->b, &what->blank[1]) ? "stored" : "not stored";
        break;
    }
}

/* Compare the values of a kind of metadata that both have. */
static dvi_exit compare_metadata_values(diff *d, dvi_finding *finding, const dvi_pair *pair,
                                        int32_t i, int32_t k)
{
    dv_error err = DV_ERROR_INIT;
    const dv_batch *a = NULL, *b = NULL;
    dvi_exit status = DVI_EXIT_DONE;
    dvi_difference what;
    if (dv_schema_metadata_value(d->schema[0], pair->a, i, &a, &err) != DV_OK ||
        dv_schema_metadata_value(d->schema[1], pair->b, k, &b, &err) != DV_OK) {
        status = dvi_say_error(&err);
    } else {
        const dv_value x = dv_value_first(dv_batch_column(a, 0));
        const dv_value y = dv_value_first(dv_batch_column(b, 0));
        if (dvi_diff_value_find(&what, &d->rule, &x, &y)) {
            describe(finding, &what);
            status = find(d, finding);
        }
    }
    dv_batch_release(&a);
    dv_batch_release(&b);
    return status;
}

/* Compare metadata i of A with k of B, both of that kind; -1: it has none. */
static dvi_exit compare_kind(diff *d, const dvi_pair *pair, dv_text kind, int32_t i, int32_t k)
{
    const dv_metadata_info *a = i < 0 ? NULL : dv_schema_metadata(d->schema[0], pair->a, i);
    const dv_metadata_info *b = k < 0 ? NULL : dv_schema_metadata(d->schema[1], pair->b, k);
    dvi_finding finding = {.column = column_of(d, 0, pair), .kind = kind};
    finding.what = a && b ? "type" : "metadata";
    finding.slot = -1;
    finding.a = (dvi_diff_side){.type = a ? &a->type : NULL, .number = -1};
    finding.b = (dvi_diff_side){.type = b ? &b->type : NULL, .number = -1};
    if (a && b && dv_type_equal(&a->type, &b->type))
        return compare_metadata_values(d, &finding, pair, i, k);
    return find(d, &finding);
}

static dvi_exit compare_column_metadata(diff *d, const dvi_pair *pair)
{
    const int32_t in_a = column_of(d, 0, pair)->metadata_count;
    const int32_t in_b = column_of(d, 1, pair)->metadata_count;
    dvi_exit status = DVI_EXIT_DONE;
    int32_t other;
    for (int32_t i = 0; i < in_a && !status; i++) {
        const dv_text kind = dv_schema_metadata(d->schema[0], pair->a, i)->kind;
        dv_schema_find_metadata(d->schema[1], pair->b, kind, &other);
        status = compare_kind(d, pair, kind, i, other);
    }
    for (int32_t i = 0; i < in_b && !status; i++) {
        const dv_text kind = dv_schema_metadata(d->schema[1], pair->b, i)->kind;
        if (dv_schema_find_metadata(d->schema[0], pair->a, kind, &other) != DV_OK)
            status = compare_kind(d, pair, kind, -1, i);
    }
    return status;
}

static dvi_exit compare_metadata(diff *d)
{
    dvi_exit status = DVI_EXIT_DONE;
    d->form->enter(&d->report, DVI_DIFF_METADATA);
    for (int32_t i = 0; i < d->columns.count && !status; i++)
        if (d->columns.pair[i].a >= 0 && d->columns.pair[i].b >= 0)
            status = compare_column_metadata(d, &d->columns.pair[i]);
    return status ? status : d->form->leave(&d->report);
}

/* --- Values ----------------------------------------------------------------------------------- */

static dvi_exit add_value(void *ctx, int64_t row, int32_t k, const dvi_difference *what)
{
    diff *d = ctx;
    dvi_finding finding = {.row = row, .column = column_of(d, 0, &d->columns.pair[k])};
    finding.kind = dv_text_of(NULL);
    describe(&finding, what);
    return find(d, &finding);
}

static bool step(void *ctx, int64_t done, int64_t all)
{
    diff *d = ctx;
    dvi_progress_rows(&d->report.progress, done, all);
    return !d->report.out->os_code && !is_enough(d);
}

/* Choose the columns whose values can be compared. */
static dvi_exit choose_columns(diff *d, dvi_diff_rows *rows)
{
    dvi_diff_report *r = &d->report;
    for (int32_t i = 0; i < d->columns.count; i++) {
        const dv_column_info *a = column_of(d, 0, &d->columns.pair[i]);
        const dv_column_info *b = column_of(d, 1, &d->columns.pair[i]);
        const bool is_compared = a && b && dvi_diff_value_can(&a->type, &b->type);
        r->columns[0] += a != NULL;
        r->columns[1] += b != NULL;
        r->columns_not_compared += a && b && !is_compared;
        if (!is_compared)
            continue;
        r->has_vectors |= dv_type_is_vector(&a->type);
        if (!dvi_diff_rows_add(rows, i, &d->columns.pair[i]))
            return dvi_say_memory();
    }
    r->columns_compared = rows->count;
    return DVI_EXIT_DONE;
}

static dvi_exit compare_values(diff *d)
{
    dvi_diff_report *r = &d->report;
    dvi_diff_rows rows = {.rule = &d->rule, .found = add_value, .step = step, .ctx = d};
    dvi_exit status = choose_columns(d, &rows);
    if (!status) {
        d->form->enter(r, DVI_DIFF_VALUES);
        dvi_progress_start(&r->progress, r->args->progress, r->args->quiet);
        status = dvi_diff_rows_compare(&rows, d->view, r->args);
        dvi_progress_clear(&r->progress);
    }
    r->rows[0] = rows.rows[0];
    r->rows[1] = rows.rows[1];
    r->rows_compared = rows.compared;
    r->rows_different = rows.different;
    dvi_diff_rows_free(&rows);
    return status ? status : d->form->leave(r);
}

/* --- The verb --------------------------------------------------------------------------------- */

static dvi_exit compare(diff *d)
{
    dvi_diff_report *r = &d->report;
    if (!r->args->hidden)
        r->hidden_not_compared = dvi_count_hidden(d->schema[0]) + dvi_count_hidden(d->schema[1]);
    d->form->begin(r);
    dvi_exit status = compare_schemas(d);
    if (!status && !is_enough(d))
        status = compare_metadata(d);
    if (!status && !is_enough(d))
        status = compare_values(d);
    if (!status)
        status = d->form->end(r);
    d->form->free(r);
    return status || dvi_diff_is_same(r) ? status : DVI_EXIT_DATA;
}

/* Open table 0 or 1, which the words name. */
static dvi_exit open_table(diff *d, int side, const dvi_words *words)
{
    dvi_args *args = &d->args[side];
    args->files = *words;
    d->report.table_args[side] = args;
    dvi_exit status = dvi_files_find(&args->paths, words, &args->open);
    if (!status)
        status = dvi_input_open(&d->view[side], args);
    if (!status)
        d->schema[side] = dv_view_schema(d->view[side]);
    return status;
}

dvi_exit dvi_cmd_diff(const dvi_args *args, dvi_out *out)
{
    const char *last = args->last;
    const dvi_words second = {&last, 1, 0};
    diff d = {.report = {.args = args, .out = out, .rows = {0}}, .args = {*args, *args}};
    d.args[0].paths = d.args[1].paths = (dvi_words){0}; /* the caller owns its own */
    d.form = args->json ? &dvi_diff_json : &dvi_diff_text;
    d.rule = (dvi_diff_rule){args->tolerance, args->layout};
    dvi_exit status = open_table(&d, 0, &args->files);
    if (!status)
        status = open_table(&d, 1, &second);
    if (!status)
        status = dvi_diff_columns_find(&d.columns, args, d.schema[0], d.schema[1]);
    if (!status)
        status = compare(&d);
    dvi_diff_columns_free(&d.columns);
    for (int side = 0; side < 2; side++) {
        dv_view_release(&d.view[side]);
        dvi_words_free_all(&d.args[side].paths);
    }
    return status;
}
