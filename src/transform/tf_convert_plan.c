/* SPDX-License-Identifier: MIT */
/* tf_convert_plan.c: finds the type, conversion and metadata of each converted column. */
#include "base/check.h"
#include "view/metadata.h"
#include "transform/tf_convert_priv.h"
#include <stdio.h>
#include <string.h>

#define TYPE_NBYTES 96 /* of a type's notation in a message */

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

/* A converted column. */
typedef struct wanted {
    int32_t source; /* column of the source */
    dv_type type;   /* its dims are the source's */
    dvi_conversion conversion;
} wanted;

static dv_status find_conversion(dvi_conversion *conversion_out, const dv_type *from,
                                 const dv_type *to)
{
    if (dv_type_check(to, NULL) !=
        DV_OK) /* such as a key with a larger count than its kind holds */
        return DV_NOT_FOUND;
    return dvi_conversion_find(conversion_out, from, to);
}

/* The type that a spec names, of values or items. An unsigned number made from a key is a key with
 * the same values, unless the spec gives others. */
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

/* Write "R4 R8 BL TX": the kinds to which a type converts. */
static void list_kinds(char *dst, size_t cap, const dv_type *from)
{
    static const dv_kind kinds[] = {
#define KIND(NAME, name, number, width, ctype, na, aliases) DV_KIND_##NAME,
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

static dv_status find_type(wanted *m, const dv_column_info *info, const dv_type *named,
                           dv_error *err)
{
    char kinds[128], what[128];
    DVI_TRY(dv_type_check(named, err));
    const dv_type from = dv_type_item(&info->type), to = meant_type(&from, named);
    m->type = to;
    m->type.rank = info->type.rank;
    m->type.size = info->type.size;
    m->type.dims = info->type.dims;
    if (dv_type_is_vector(named) && !has_same_dims(named, &info->type))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.1", -1,
                        "dims, which no conversion changes", "%s|%s", show_type(&m->type).text,
                        show_type(named).text);
    if (find_conversion(&m->conversion, &from, &to) == DV_OK)
        return DV_OK;
    list_kinds(kinds, sizeof kinds, &from);
    snprintf(what, sizeof what, "what %s converts to", show_type(&from).text);
    return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:4.1", -1, what, "%s|%s", kinds,
                    show_type(&to).text);
}

/* How texts are read as dates, where it is given. */
static dv_status read_dates(dvi_date_rule *rule_out, dv_text date, dvi_arena *arena, dv_error *err)
{
    dv_text copy;
    DVI_TRY(dvi_arena_text(arena, &copy, date, err));
    DVI_REQUIRE(dvi_date_rule_read(rule_out, copy),
                dvi_fail_argument(err,
                                  "option date: dmy, mdy or ymd, or a format with day, month and "
                                  "year, such as %%d/%%m/%%Y, not \"%s\"",
                                  dvi_show(date).text));
    return DV_OK;
}

static dv_status find_dates(dvi_conversion *c, const dvi_convert_plan *plan, const dv_view *source,
                            dvi_arena *arena, dv_error *err)
{
    const bool is_date = dvi_conversion_is_date(c);
    c->has_dates = is_date && plan->date.nbytes >= 0;
    if (plan->date.nbytes <= 0) {
        const dvi_date_rule *known = dvi_view_dates(source);
        c->dates = c->has_dates && known ? *known : (dvi_date_rule){.order = DVI_DATE_ANY};
        return DV_OK;
    }
    DVI_REQUIRE(is_date, dvi_fail_argument(err,
                                           "option date: it is for texts that become DT or DZ, "
                                           "not for %s that become %s",
                                           show_type(&c->from).text, show_type(&c->to).text));
    return read_dates(&c->dates, plan->date, arena, err);
}

static dv_status resolve(wanted *m, const dv_schema *schema, const dv_conversion_spec *spec,
                         dvi_new_column *column_out, dv_error *err)
{
    DVI_TRY(dvi_find_column(schema, spec->source, &m->source, err));
    const dv_column_info *info = dv_schema_column(schema, m->source);
    const dv_status status = find_type(m, info, &spec->type, err);
    if (status < 0)
        dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    column_out->name = spec->name.nbytes < 0 ? info->name : spec->name;
    column_out->type = m->type;
    column_out->mapped =
        (dvi_mapped){dvi_convert_maker(&m->conversion), &m->conversion, &m->source, 1};
    return status;
}

dv_status dvi_convert_make(dvi_mapper *mapper, dv_schema **schema_out, const dvi_convert_plan *plan,
                           dv_error *err)
{
    void *list, *columns;
    dvi_arena *arena = &mapper->base.arena;
    dv_view *source = mapper->base.source;
    const size_t n = (size_t)plan->n;
    DVI_TRY(dvi_arena_alloc(arena, &list, n * sizeof(wanted), err));
    DVI_TRY(dvi_arena_alloc(arena, &columns, n * sizeof(dvi_new_column), err));
    dvi_new_column *column = columns;
    wanted *m = list;
    for (size_t i = 0; i < n; i++) {
        dvi_conversion *c = &m[i].conversion;
        DVI_TRY(resolve(&m[i], dv_view_schema(source), &plan->specs[i], &column[i], err));
        const bool hides = dvi_conversion_hides(c);
        c->is_strict = plan->is_strict && dvi_conversion_may_lose(c);
        /* in a vector it is an item that sparse rows leave out */
        c->empty_is_na = plan->is_strict && !hides && !dv_type_is_vector(&m[i].type);
        DVI_TRY(find_dates(c, plan, source, arena, err));
    }
    return dvi_mapper_arrange(mapper, schema_out, column, plan->n, err);
}

/* --- Metadata --------------------------------------------------------------------------------- */

static bool is_kind(dv_text kind, const char *name)
{
    return dv_text_equal(kind, dv_text_of(name));
}

/* Does a converted column keep this metadata of its source (semantics:2.3)? Metadata without the
 * type that its kind requires counts as missing. */
static bool passes(const dv_type *made, const dvi_conversion *conversion,
                   const dv_metadata_info *metadata)
{
    const dv_type *from = &conversion->from, *to = &conversion->to, *type = &metadata->type;
    if (is_kind(metadata->kind, DV_SLOT_NAMES))
        return dv_type_is_known_size_vector(made) && type->kind == DV_KIND_TX &&
               dv_type_is_vector(type) && type->size == made->size;
    if (is_kind(metadata->kind, DV_KEY_VALUES))
        return to->is_key && from->is_key && to->key_count > 0 && dv_type_is_vector(type) &&
               (uint64_t)type->size == to->key_count;
    if (is_kind(metadata->kind, DV_IS_NORMALIZED))
        return dv_type_is_number(from) && dv_type_is_number(to) && type->kind == DV_KIND_BL &&
               !dv_type_is_vector(type);
    return false;
}

dv_status dvi_convert_describe(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err)
{
    const int32_t from = made->mapped.sources[0];
    const dvi_conversion *conversion = made->mapped.params;
    const int32_t metadata = dv_schema_column(source, from)->metadata_count;
    for (int32_t i = 0; i < metadata; i++)
        if (passes(&made->type, conversion, dv_schema_metadata(source, from, i)))
            DVI_TRY(dvi_inherit_metadata(schema, column, source, from, i, err));
    if (conversion->from.kind == DV_KIND_BL && dv_type_is_number(&conversion->to) &&
        !dv_type_is_vector(&made->type))
        return dvi_mapper_add_normalized(schema, column, err);
    return DV_OK;
}
