/* SPDX-License-Identifier: MIT */
/* datadings_schema.c: makes columns of fields (datadings:12). */
#include "base/alloc.h"
#include "base/check.h"
#include "type/schema.h"
#include "format/datadings/read/datadings_priv.h"
#include <inttypes.h>
#include <string.h>

static const char key_name[] = "key";

/* Are all values maps? Then their keys are the columns. */
static bool is_map(const dvi_datadings_field *f)
{
    return (f->profile.forms & ~DVI_PROFILE_NIL) == DVI_PROFILE_MAP;
}

/* The next field in depth-first order, entering maps only; -1: none. */
static int32_t next_field(const dvi_datadings_fields *fields, int32_t i)
{
    const dvi_datadings_field *f = &fields->field[i];
    if ((i == 0 || is_map(f)) && f->first >= 0)
        return f->first;
    while (i > 0 && fields->field[i].next < 0)
        i = fields->field[i].parent;
    return i > 0 ? fields->field[i].next : -1;
}

/* What writing a column again would change. A value of msgpack is copied, and if there is none,
 * none is written. */
static uint32_t changes_of(const dvi_datadings_file *file, const dvi_datadings_column *column)
{
    const dvi_datadings_field *f = &file->fields.field[column->field];
    const bool is_given = file->options.specs_count > 0;
    uint32_t changes = f->level > 0 ? DVI_CHANGE_NESTED : 0;
    if (column->is_opaque)
        return changes;
    if (file->seen < file->samples)
        changes |= DVI_CHANGE_UNREAD;
    if (is_given)
        return changes;
    if (f->present < file->seen || (column->is_key && f->profile.forms & DVI_PROFILE_NIL))
        changes |= DVI_CHANGE_ABSENT;
    return changes | dvi_datadings_profile_changes(&f->profile, &column->type);
}

/* Are there entries that no column stands for? The column of the keys, which every set has, tells
 * it. */
static bool has_hidden(const dvi_datadings_file *file)
{
    bool has = file->has_hidden;
    for (size_t i = 1; i < file->fields.n && !has; i++)
        has = is_map(&file->fields.field[i]) && file->fields.field[i].first < 0;
    return has && file->options.specs_count == 0;
}

/* --- Columns of the options ------------------------------------------------------------------- */

/* Write the next key of a path to dst; false: it is empty. */
static bool next_key(dv_text path, int64_t *at, char *dst, int64_t *n_out)
{
    int64_t n = 0;
    while (*at < path.nbytes && path.data[*at] != '.') {
        const bool is_dot =
            path.data[*at] == '\\' && *at + 1 < path.nbytes && path.data[*at + 1] == '.';
        *at += is_dot;
        dst[n++] = path.data[(*at)++];
    }
    ++*at;
    *n_out = n;
    return n > 0;
}

static dv_status fail_path(const dvi_datadings_spec *spec, const char *why, dv_error *err)
{
    return dvi_fail_argument(err, "option col: \"%s\" %s", dvi_show(spec->path).text, why);
}

static dv_status add_path(dvi_datadings_file *file, int32_t number, dv_error *err)
{
    const dvi_datadings_spec *spec = &file->options.specs[number];
    dvi_datadings_fields *fields = &file->fields;
    void *key;
    int32_t field = 0, level = 0;
    DVI_TRY(dvi_arena_alloc(&fields->arena, &key, (size_t)spec->path.nbytes + 1, err));
    for (int64_t at = 0, n; at <= spec->path.nbytes; level++) {
        DVI_REQUIRE(next_key(spec->path, &at, key, &n) && level <= DVI_DATADINGS_LEVELS,
                    fail_path(spec, "has an empty key, or too many", err));
        DVI_REQUIRE(fields->field[field].column < 0,
                    fail_path(spec, "leads into another column", err));
        if (field > 0)
            fields->field[field].profile.forms = DVI_PROFILE_MAP;
        DVI_TRY(dvi_datadings_fields_add(fields, field, (dv_text){key, n}, &field, err));
    }
    DVI_REQUIRE(fields->field[field].column < 0, fail_path(spec, "is given twice", err));
    DVI_REQUIRE(!is_map(&fields->field[field]), fail_path(spec, "contains another column", err));
    fields->field[field].column = number;
    return DV_OK;
}

static dv_status take_specs(dvi_datadings_file *file, dv_error *err)
{
    for (int32_t i = 0; i < file->columns_count; i++) {
        const dvi_datadings_spec *spec = &file->options.specs[i];
        DVI_TRY(add_path(file, i, err));
        file->columns[i] = (dvi_datadings_column){.is_opaque = spec->is_opaque, .type = spec->type};
    }
    for (size_t i = 0; i < file->fields.n; i++)
        if (file->fields.field[i].column >= 0)
            file->columns[file->fields.field[i].column].field = (int32_t)i;
    return DV_OK;
}

/* --- Inferred columns ------------------------------------------------------------------------- */

static bool is_column(const dvi_datadings_field *f)
{
    return f->level >= 0 && !is_map(f);
}

static void take_field(dvi_datadings_file *file, int32_t i, int32_t *n)
{
    dvi_datadings_field *f = &file->fields.field[i];
    dvi_datadings_column *column = &file->columns[*n];
    column->field = i;
    column->is_opaque = !dvi_datadings_profile_type(&f->profile, &column->type);
    if (column->is_opaque)
        column->type = dv_type_of(DV_KIND_BY);
    f->column = (*n)++;
}

/* Column `key` comes first, then the others in the order in which they appeared. */
static void take_fields(dvi_datadings_file *file)
{
    const dvi_datadings_fields *fields = &file->fields;
    int32_t n = 0;
    const int32_t key = dvi_datadings_fields_find(fields, 0, dv_text_of(key_name));
    if (key >= 0 && is_column(&fields->field[key]))
        take_field(file, key, &n);
    for (int32_t i = 0; i >= 0; i = next_field(fields, i))
        if (is_column(&fields->field[i]) && fields->field[i].column < 0)
            take_field(file, i, &n);
}

static int32_t count_fields(const dvi_datadings_fields *fields)
{
    int32_t n = 0;
    for (int32_t i = 0; i >= 0; i = next_field(fields, i))
        n += is_column(&fields->field[i]);
    return n;
}

static void find_key(const dvi_datadings_file *file, dvi_datadings_column *column)
{
    const dvi_datadings_field *f = &file->fields.field[column->field];
    column->is_key = f->level == 0 && dv_text_equal(f->key, dv_text_of(key_name)) &&
                     column->type.kind == DV_KIND_TX && column->type.rank == 0;
}

/* --- The schema ------------------------------------------------------------------------------- */

static dv_status add_metadata(dv_schema *schema, int32_t column, const char *kind, dv_error *err)
{
    static const int8_t yes = 1;
    dv_column_view value = {.type = dv_type_of(DV_KIND_BL), .layout = DV_LAYOUT_FIXED, .rows = 1};
    value.as.fixed.values = (dv_buffer){&yes, 1, NULL, false, true};
    return dv_schema_add_metadata(schema, column, dv_text_of(kind), &value, err);
}

static dv_status add_column(dvi_datadings_file *file, dv_schema *schema, int32_t number,
                            int64_t *names_nbytes, dv_error *err)
{
    const dvi_datadings_column *c = &file->columns[number];
    const int64_t most = file->limits.metadata_toc_nbytes;
    void *name;
    const size_t n = dvi_datadings_field_path(&file->fields, c->field, NULL);
    *names_nbytes += (int64_t)n;
    DVI_REQUIRE(*names_nbytes <= most,
                dvi_fail(err, DV_ERR_LIMIT, "metadata_toc_nbytes", -1, "names of columns",
                         "at most %" PRId64 " bytes|more", most));
    DVI_TRY(dvi_arena_alloc(&file->fields.arena, &name, n, err));
    dvi_datadings_field_path(&file->fields, c->field, name);
    DVI_TRY(dv_schema_add(schema, (dv_text){name, (int64_t)n}, &c->type, NULL, err));
    DVI_TRY(dvi_schema_mark(schema, number, changes_of(file, c), err));
    if (c->field == dvi_datadings_fields_find(&file->fields, 0, dv_text_of(key_name)))
        DVI_TRY(dvi_schema_mark(schema, number, has_hidden(file) ? DVI_CHANGE_ENTRIES : 0, err));
    return c->is_opaque ? add_metadata(schema, number, DVI_DATADINGS_OPAQUE, err) : DV_OK;
}

dv_status dvi_datadings_make_columns(dvi_datadings_file *file, dv_schema *schema, dv_error *err)
{
    const bool is_given = file->options.specs_count > 0;
    void *columns;
    int64_t names_nbytes = 0;
    file->columns_count = is_given ? file->options.specs_count : count_fields(&file->fields);
    DVI_TRY(dvi_arena_alloc(&file->fields.arena, &columns,
                            (size_t)file->columns_count * sizeof *file->columns, err));
    file->columns = columns;
    if (is_given)
        DVI_TRY(take_specs(file, err));
    else
        take_fields(file);
    for (int32_t i = 0; i < file->columns_count; i++)
        find_key(file, &file->columns[i]);
    for (int32_t i = 0; i < file->columns_count; i++)
        DVI_TRY(add_column(file, schema, i, &names_nbytes, err));
    return DV_OK;
}

dv_status dvi_datadings_make_raw_columns(dv_schema *schema, dv_error *err)
{
    const dv_type text = dv_type_of(DV_KIND_TX), bytes = dv_type_of(DV_KIND_BY);
    DVI_TRY(dv_schema_add(schema, dv_text_of(key_name), &text, NULL, err));
    DVI_TRY(dv_schema_add(schema, dv_text_of("message"), &bytes, NULL, err));
    return add_metadata(schema, 1, DVI_DATADINGS_MESSAGE, err);
}
