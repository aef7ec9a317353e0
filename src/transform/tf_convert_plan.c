/* SPDX-License-Identifier: MIT */
/* tf_convert_plan.c: which columns does the view have, and how is each made? */
#include "base/check.h"
#include "base/hashtab.h"
#include "view/inherit.h"
#include "transform/tf_convert_priv.h"
#include <stdio.h>
#include <string.h>

#define TYPE_NBYTES 96 /* of a type's notation in a sentence */

typedef struct shown_type {
    char text[TYPE_NBYTES];
} shown_type;

static shown_type show_type(const dv_type *type)
{
    shown_type shown;
    dv_type_print(type, shown.text, sizeof shown.text);
    return shown;
}

/* --- One column ------------------------------------------------------------------------------- */

/* A new column: what it is made of, and where it goes. */
typedef struct made {
    dv_text name;
    int32_t source, hides; /* columns of the source; -1: it hides none */
    dv_type type;          /* its dims are the source's */
    dvi_conversion conversion;
} made;

/* Convert takes no UG for a target but for itself; its other conversions are the standard ones. */
static dv_status find_conversion(dvi_conversion *conversion_out, const dv_type *from,
                                 const dv_type *to)
{
    const bool is_new_ug = to->kind == DV_KIND_UG && from->kind != DV_KIND_UG;
    if (is_new_ug || dv_type_check(to, NULL) != DV_OK) /* a key of more values than the kind has */
        return DV_NOT_FOUND;
    return dvi_conversion_find(conversion_out, from, to);
}

/* The type that a spec names, of values or items: without values of its own, an unsigned number
 * made of a key is a key. */
static dv_type meant_type(const dv_type *from, const dv_type *named)
{
    dv_type to = dv_type_item(named);
    const bool is_unsigned = to.kind == DV_KIND_U1 || to.kind == DV_KIND_U2 ||
                             to.kind == DV_KIND_U4 || to.kind == DV_KIND_U8;
    if (from->is_key && !to.is_key && is_unsigned) {
        to = *from;
        to.kind = named->kind;
    }
    return to;
}

/* "R4 R8 BL TX": the kinds that a type can become. */
static void list_kinds(char *dst, size_t cap, const dv_type *from)
{
    static const dv_kind kinds[] = {
#define KIND(name, number, width, ctype, aliases) DV_KIND_##name,
        DV_TYPE_LIST(KIND)
#undef KIND
    };
    dvi_conversion found;
    size_t n = 0;
    *dst = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && n < cap; i++) {
        const dv_type named = dv_type_of(kinds[i]), to = meant_type(from, &named);
        if (find_conversion(&found, from, &to) == DV_OK)
            n += (size_t)snprintf(dst + n, cap - n, "%s%s", n ? " " : "", dv_kind_name(kinds[i]));
    }
    if (from->kind == DV_KIND_TX && n < cap)
        snprintf(dst + n, cap - n, ", a key");
}

static bool has_same_dims(const dv_type *a, const dv_type *b)
{
    if (a->rank != b->rank)
        return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (dv_type_dim(a, i) != dv_type_dim(b, i))
            return false;
    return true;
}

static dv_status find_type(made *m, const dv_column_info *info, const dv_type *named, dv_error *err)
{
    char kinds[128], what[128];
    DVI_TRY(dv_type_check(named, err));
    const dv_type from = dv_type_item(&info->type), to = meant_type(&from, named);
    m->type = to;
    m->type.rank = info->type.rank;
    m->type.size = info->type.size;
    m->type.dims = info->type.dims;
    if (dv_type_is_vector(named) && !has_same_dims(named, &info->type))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics.md 7.1", -1,
                        "dims, which no conversion changes", "%s|%s", show_type(&m->type).text,
                        show_type(named).text);
    if (find_conversion(&m->conversion, &from, &to) == DV_OK)
        return DV_OK;
    list_kinds(kinds, sizeof kinds, &from);
    snprintf(what, sizeof what, "what %s converts to", show_type(&from).text);
    return dvi_fail(err, DV_ERR_ARGUMENT, "semantics.md 4.1", -1, what, "%s|%s", kinds,
                    show_type(&to).text);
}

static dv_status resolve(made *m, const dv_schema *schema, const dv_conversion_spec *spec,
                         dv_error *err)
{
    if (dv_schema_find(schema, spec->source, &m->source) != DV_OK)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "column", "a name of the schema|%s",
                        dvi_show(spec->source).text);
    const dv_column_info *info = dv_schema_column(schema, m->source);
    m->name = spec->name.nbytes < 0 ? info->name : spec->name;
    dv_schema_find(schema, m->name, &m->hides);
    const dv_status status = find_type(m, info, &spec->type, err);
    if (status < 0)
        dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return status;
}

/* --- All columns ------------------------------------------------------------------------------ */

static dv_status check_names(const made *m, int32_t n, const dv_allocator *allocator, dv_error *err)
{
    dvi_hashtab names;
    dv_status status = DV_OK;
    dvi_hashtab_init(&names, allocator);
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        int32_t before = -1;
        if (m[i].name.nbytes > 0) /* an empty one is refused by the schema */
            status = dvi_hashtab_put(&names, m[i].name, i, &before, err);
        if (status == DV_OK && before >= 0)
            status = dvi_fail_argument(err, "two conversions make a column \"%s\"",
                                       dvi_show(m[i].name).text);
    }
    dvi_hashtab_free(&names);
    return status;
}

static bool is_kind(dv_text kind, const char *name)
{
    return dv_text_equal(kind, dv_text_of(name));
}

/* Does a new column have this metadata of its source (semantics.md 2.3)?  What has not the type
 * that it should have is not there. */
static bool passes(const made *m, const dv_metadata_info *metadata)
{
    const dv_type *from = &m->conversion.from, *to = &m->conversion.to, *type = &metadata->type;
    if (is_kind(metadata->kind, DV_SLOT_NAMES))
        return dv_type_is_known_size_vector(&m->type) && type->kind == DV_KIND_TX &&
               dv_type_is_vector(type) && type->size == m->type.size;
    if (is_kind(metadata->kind, DV_KEY_VALUES))
        return to->is_key && from->is_key && to->key_count > 0 && dv_type_is_vector(type) &&
               (uint64_t)type->size == to->key_count;
    if (is_kind(metadata->kind, DV_IS_NORMALIZED))
        return dv_type_is_number(from) && dv_type_is_number(to) && type->kind == DV_KIND_BL &&
               !dv_type_is_vector(type);
    return false;
}

static dv_status add_normalized(dv_schema *schema, int32_t column, dv_error *err)
{
    static const int8_t yes = 1;
    dv_column_view value = {.type = dv_type_of(DV_KIND_BL), .layout = DV_LAYOUT_FIXED, .rows = 1};
    value.as.fixed.values = (dv_buffer){&yes, sizeof yes, NULL, false, true};
    return dv_schema_add_metadata(schema, column, dv_text_of(DV_IS_NORMALIZED), &value, err);
}

static dv_status add_made(dvi_convert *c, dv_schema *schema, const made *m, dv_error *err)
{
    const dv_schema *source = dv_view_schema(c->source);
    const int32_t metadata = dv_schema_column(source, m->source)->metadata_count;
    int32_t column;
    DVI_TRY(dv_schema_add(schema, m->name, &m->type, &column, err));
    for (int32_t i = 0; i < metadata; i++)
        if (passes(m, dv_schema_metadata(source, m->source, i)))
            DVI_TRY(dvi_inherit_metadata(schema, column, source, m->source, i, err));
    if (m->conversion.from.kind == DV_KIND_BL && dv_type_is_number(&m->conversion.to))
        DVI_TRY(add_normalized(schema, column, err));
    c->column[c->columns++] = (dvi_convert_column){m->source, &m->conversion};
    return DV_OK;
}

/* The source's columns, each with the new one that hides it behind it; then the other new ones. */
static dv_status add_columns(dvi_convert *c, dv_schema *schema, const made *m, int32_t n,
                             const int32_t *hidden_by, dv_error *err)
{
    const dv_schema *source = dv_view_schema(c->source);
    for (int32_t i = 0; i < dv_schema_columns(source); i++) {
        DVI_TRY(dvi_inherit_column(schema, source, i, err));
        c->column[c->columns++] = (dvi_convert_column){i, NULL};
        if (hidden_by[i] > 0)
            DVI_TRY(add_made(c, schema, &m[hidden_by[i] - 1], err));
    }
    for (int32_t i = 0; i < n; i++)
        if (m[i].hides < 0)
            DVI_TRY(add_made(c, schema, &m[i], err));
    return DV_OK;
}

dv_status dvi_convert_plan(dvi_convert *c, dv_schema **schema_out, const dv_conversion_spec *specs,
                           int32_t n, dv_error *err)
{
    const dv_schema *source = dv_view_schema(c->source);
    const size_t before = (size_t)dv_schema_columns(source), more = (size_t)n;
    void *list, *column, *hiding;
    if (before + more > INT32_MAX)
        return dvi_fail_argument(err, "more than 2^31-1 columns");
    DVI_TRY(dvi_arena_alloc(&c->arena, &list, more * sizeof(made), err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &column, (before + more) * sizeof *c->column, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &hiding, before * sizeof(int32_t), err));
    c->column = column;
    made *m = list;
    int32_t *hidden_by = hiding; /* 1 + number of the new column; 0: none */
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(resolve(&m[i], source, &specs[i], err));
        if (m[i].hides >= 0)
            hidden_by[m[i].hides] = i + 1;
    }
    DVI_TRY(check_names(m, n, &c->arena.allocator, err));
    DVI_TRY(dv_schema_create(schema_out, &c->arena.allocator, err));
    return add_columns(c, *schema_out, m, n, hidden_by, err);
}
