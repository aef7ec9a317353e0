/* SPDX-License-Identifier: MIT */
/* pipe_columns.c: matches names and types of columns with patterns. */
#include "pipeline/pipe_columns.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "type/schema.h"
#include "pipeline/pipe_notation_priv.h"
#include <dataview/names.h>
#include <stdio.h>
#include <string.h>

/* The columns of a step, or the sources of one of them, that have been found. */
typedef struct finding {
    const dv_schema *schema;
    dvi_arena *arena;
    dvi_hashtab taken; /* names that no pattern takes */
    int32_t found;     /* by patterns */
} finding;

static dvi_source_form form_of(const dvi_step_column *column, int32_t i)
{
    return column->forms ? (dvi_source_form)column->forms[i] : DVI_SOURCE_NAME;
}

/* Does the column stand for all that its pattern means? */
static bool is_pattern(const dvi_step_column *column)
{
    return column->name.nbytes < 0;
}

/* --- Does a pattern mean a column? ------------------------------------------------------------ */

/* The wanted dims are there; one that is not known is any. */
static bool has_dims(const dv_type *type, const dv_type *wanted)
{
    if (type->rank != wanted->rank)
        return false;
    for (int32_t i = 0; i < wanted->rank; i++)
        if (dv_type_dim(wanted, i) > 0 && dv_type_dim(wanted, i) != dv_type_dim(type, i))
            return false;
    return true;
}

/* A scalar type means vectors of it too. */
static bool is_of_type(const dv_type *type, const dv_type *wanted)
{
    const dv_type item = dv_type_item(type), wanted_item = dv_type_item(wanted);
    return dv_type_equal(&item, &wanted_item) &&
           (!dv_type_is_vector(wanted) || has_dims(type, wanted));
}

static bool means(dv_text pattern, dvi_source_form form, const dv_column_info *info)
{
    dv_type wanted;
    int32_t dims[DVI_NOTATION_DIMS];
    if (info->is_hidden)
        return false;
    if (form == DVI_SOURCE_GLOB)
        return dv_glob_match(pattern, info->name);
    return dv_type_parse(&wanted, pattern, dims, DVI_NOTATION_DIMS, NULL) == DV_OK &&
           is_of_type(&info->type, &wanted);
}

bool dvi_step_has_patterns(const dvi_step *step)
{
    for (int32_t k = 0; k < step->columns_count; k++)
        if (step->columns[k].forms)
            return true;
    return false;
}

static bool may_mean(const dvi_step_column *column, dv_text name)
{
    for (int32_t i = 0; column->forms && i < column->n; i++)
        if (form_of(column, i) == DVI_SOURCE_TYPE ||
            (form_of(column, i) == DVI_SOURCE_GLOB && dv_glob_match(column->sources[i], name)))
            return true;
    return false;
}

bool dvi_step_may_mean(const dvi_step *step, dv_text name)
{
    for (int32_t k = 0; k < step->columns_count; k++)
        if (may_mean(&step->columns[k], name))
            return true;
    return false;
}

/* --- Names in the place of patterns ----------------------------------------------------------- */

/* The names that are like the pattern up to its first * ? [ */
static dv_status refuse_glob(dv_text pattern, const dv_schema *schema, dv_error *err)
{
    dv_text start = {pattern.data, 0};
    while (start.nbytes < pattern.nbytes && !strchr("*?[", pattern.data[start.nbytes]))
        start.nbytes++;
    dvi_fail_argument(err, "no column matches '%s'", dvi_show(pattern).text);
    dvi_schema_advise(schema, start, err);
    return DV_ERR_ARGUMENT;
}

/* The first types that columns have, each once. */
static dv_status refuse_type(dv_text pattern, const dv_schema *schema, dv_error *err)
{
    char text[160] = "the columns are of ", type[40];
    const size_t start = strlen(text);
    dvi_fail_argument(err, "no column is of type %s", dvi_show(pattern).text);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const size_t n = strlen(text);
        dv_type_print(&dv_schema_column(schema, i)->type, type, sizeof type);
        if (n + sizeof type + 2 < sizeof text && !strstr(text + start, type))
            snprintf(text + n, sizeof text - n, "%s%s", n > start ? ", " : "", type);
    }
    dvi_error_advise(err, dv_schema_columns(schema) > 0 ? text : "there are no columns");
    return DV_ERR_ARGUMENT;
}

static dv_status refuse(dv_text pattern, dvi_source_form form, const dv_schema *schema,
                        dv_error *err)
{
    return (form == DVI_SOURCE_GLOB ? refuse_glob : refuse_type)(pattern, schema, err);
}

static dv_status take(finding *f, dv_text name, bool *is_new_out, dv_error *err)
{
    int32_t before;
    DVI_TRY(dvi_hashtab_put(&f->taken, name, 0, &before, err));
    *is_new_out = before < 0;
    return DV_OK;
}

/* Append the names that a pattern means to a list of n. */
static dv_status find(finding *f, dv_text pattern, dvi_source_form form, dv_text **names,
                      int32_t *n, dv_error *err)
{
    bool is_any = false, is_new;
    for (int32_t i = 0; i < dv_schema_columns(f->schema); i++) {
        const dv_column_info *info = dv_schema_column(f->schema, i);
        if (!means(pattern, form, info))
            continue;
        is_any = true;
        DVI_TRY(take(f, info->name, &is_new, err));
        if (!is_new)
            continue;
        if (f->found++ == DVI_MEANT_MAX)
            return dvi_fail_argument(err, "patterns mean more than %d columns", DVI_MEANT_MAX);
        dv_text name;
        DVI_TRY(dvi_arena_text(f->arena, &name, info->name, err));
        DVI_TRY(dvi_arena_append(f->arena, names, (*n)++, &name, sizeof name, err));
    }
    return is_any ? DV_OK : refuse(pattern, form, f->schema, err);
}

/* Of New:A,'B*'. */
static dv_status find_all_sources(finding *f, const dvi_step_column *column, dv_text **sources,
                                  int32_t *n, dv_error *err)
{
    bool is_new;
    for (int32_t i = 0; i < column->n; i++)
        if (form_of(column, i) == DVI_SOURCE_NAME)
            DVI_TRY(take(f, column->sources[i], &is_new, err));
    for (int32_t i = 0; i < column->n; i++)
        DVI_TRY(form_of(column, i) == DVI_SOURCE_NAME
                    ? dvi_arena_append(f->arena, sources, (*n)++, &column->sources[i],
                                       sizeof *column->sources, err)
                    : find(f, column->sources[i], form_of(column, i), sources, n, err));
    return DV_OK;
}

static dv_status find_sources(finding *step, const dvi_step_column *column,
                              dvi_step_column *column_out, dv_error *err)
{
    dv_text *sources = NULL;
    finding f = {.schema = step->schema, .arena = step->arena, .found = step->found};
    *column_out = (dvi_step_column){.name = column->name};
    dvi_hashtab_init(&f.taken, &step->arena->allocator);
    const dv_status status = find_all_sources(&f, column, &sources, &column_out->n, err);
    dvi_hashtab_free(&f.taken);
    column_out->sources = sources;
    step->found = f.found;
    return status;
}

static dv_status add(finding *f, dvi_step_column **columns, int32_t *n,
                     const dvi_step_column *column, dv_error *err)
{
    return dvi_arena_append(f->arena, columns, (*n)++, column, sizeof *column, err);
}

/* A column for each that a pattern means. */
static dv_status add_found(finding *f, const dvi_step_column *column, dvi_step_column **columns,
                           int32_t *n, dv_error *err)
{
    dv_text *names = NULL;
    int32_t count = 0;
    DVI_TRY(find(f, column->sources[0], form_of(column, 0), &names, &count, err));
    for (int32_t i = 0; i < count; i++) {
        const dvi_step_column each = {.name = names[i], .sources = &names[i], .n = 1};
        DVI_TRY(add(f, columns, n, &each, err));
    }
    return DV_OK;
}

static dv_status resolve(finding *f, const dvi_step *step, dvi_step_column **columns, int32_t *n,
                         dv_error *err)
{
    dvi_step_column found;
    bool is_new;
    for (int32_t k = 0; k < step->columns_count; k++)
        if (!is_pattern(&step->columns[k]))
            DVI_TRY(take(f, step->columns[k].name, &is_new, err));
    for (int32_t k = 0; k < step->columns_count; k++) {
        const dvi_step_column *column = &step->columns[k];
        if (is_pattern(column)) {
            DVI_TRY(add_found(f, column, columns, n, err));
            continue;
        }
        if (column->forms)
            DVI_TRY(find_sources(f, column, &found, err));
        DVI_TRY(add(f, columns, n, column->forms ? &found : column, err));
    }
    return DV_OK;
}

dv_status dvi_step_resolve(const dvi_step_column **columns_out, int32_t *n_out,
                           const dvi_step *step, const dv_schema *schema, dvi_arena *arena,
                           dv_error *err)
{
    dvi_step_column *columns = NULL;
    finding f = {.schema = schema, .arena = arena};
    *n_out = 0;
    dvi_hashtab_init(&f.taken, &arena->allocator);
    const dv_status status = resolve(&f, step, &columns, n_out, err);
    dvi_hashtab_free(&f.taken);
    *columns_out = columns;
    return status;
}
