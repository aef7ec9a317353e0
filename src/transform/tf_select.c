/* SPDX-License-Identifier: MIT */
/* tf_select.c: columns selected, kept, dropped and copied by name (semantics:7.15). */
#include "base/check.h"
#include "transform/mapper.h"
#include <dataview/transform.h>
#include <stdio.h>

static const dv_view_class select_class = DVI_MAPPER_CLASS("select", NULL, NULL);
static const dv_view_class copy_class = DVI_MAPPER_CLASS("copy", NULL, NULL);

static dv_status check_count(int32_t n, dv_error *err)
{
    return n < 0 ? dvi_fail_argument(err, "%d columns; the number must be >= 0", n) : DV_OK;
}

/* --- Select ----------------------------------------------------------------------------------- */

/* Links the columns that share a name, in the order of the schema. */
typedef struct same_names {
    int32_t *first; /* of the column that a name refers to: the first column of that name */
    int32_t *next;  /* of any column: the next one of its name; 0: it is the last, to which the name
                       refers */
} same_names;

static dv_status find_same_names(dvi_arena *arena, same_names *out, const dv_schema *schema,
                                 dv_error *err)
{
    void *first, *next, *latest;
    const int32_t n = dv_schema_columns(schema);
    const size_t nbytes = (size_t)n * sizeof(int32_t);
    DVI_TRY(dvi_arena_alloc(arena, &first, nbytes, err));
    DVI_TRY(dvi_arena_alloc(arena, &next, nbytes, err));
    DVI_TRY(dvi_arena_alloc(arena, &latest, nbytes, err));
    *out = (same_names){first, next};
    int32_t *seen = latest; /* 1 + the last column so far with the name of this one; 0: none */
    for (int32_t i = 0; i < n; i++) {
        int32_t index = i;
        dv_schema_find(schema, dv_schema_column(schema, i)->name, &index);
        if (seen[index] > 0)
            out->next[seen[index] - 1] = i;
        else
            out->first[index] = i;
        seen[index] = i + 1;
    }
    return DV_OK;
}

/* The first of temp_NAME_000, temp_NAME_001 and so on that no column has. */
static dv_status make_name(dvi_arena *arena, dv_text *name_out, const dv_schema *schema,
                           dv_text name, int32_t *number, dv_error *err)
{
    const size_t cap = (size_t)name.nbytes + 24;
    void *made;
    int32_t taken;
    DVI_TRY(dvi_arena_alloc(arena, &made, cap, err));
    do {
        const int n = snprintf(made, cap, "temp_%.*s_%03d", (int)name.nbytes, name.data, *number);
        *name_out = (dv_text){made, n};
        ++*number;
    } while (dv_schema_find(schema, *name_out, &taken) == DV_OK);
    return DV_OK;
}

/* Add a column, after the columns that it hides. */
static dv_status select_column(dvi_mapper *m, dv_schema *schema, const dv_column_spec *spec,
                               dv_hidden hidden, const same_names *same, dv_error *err)
{
    const dv_schema *source = dv_view_schema(m->base.source);
    const dv_text name = spec->name.nbytes < 0 ? spec->source : spec->name;
    int32_t index, taken, number = 0;
    DVI_TRY(dvi_find_column(source, spec->source, &index, err));
    if (dv_schema_find(schema, name, &taken) == DV_OK)
        return dvi_fail_argument(err, "two columns are called \"%s\"", dvi_show(name).text);
    for (int32_t i = hidden == DV_HIDDEN_DROP ? index : same->first[index]; i != index;
         i = same->next[i]) {
        dv_text own = name;
        if (hidden == DV_HIDDEN_RENAME)
            DVI_TRY(make_name(&m->base.arena, &own, schema, name, &number, err));
        DVI_TRY(dvi_mapper_keep(m, schema, i, own, err));
    }
    if (same->first)
        same->first[index] = index; /* hidden columns are added once */
    return dvi_mapper_keep(m, schema, index, name, err);
}

static dv_status select_all(dvi_mapper *m, dv_schema **schema_out, const dv_column_spec *specs,
                            int32_t n, dv_hidden hidden, dv_error *err)
{
    same_names same = {NULL, NULL};
    DVI_TRY(dv_schema_create(schema_out, &m->base.arena.allocator, err));
    if (hidden != DV_HIDDEN_DROP)
        DVI_TRY(find_same_names(&m->base.arena, &same, dv_view_schema(m->base.source), err));
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(select_column(m, *schema_out, &specs[i], hidden, &same, err));
    return DV_OK;
}

dv_status dv_view_select(dv_view **view_out, dv_view *source, const dv_column_spec *specs,
                         int32_t n, dv_hidden hidden, const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    DVI_TRY(check_count(n, err));
    if (hidden < DV_HIDDEN_DROP || hidden > DV_HIDDEN_RENAME)
        return dvi_fail_argument(err, "%d is not a dv_hidden value", (int)hidden);
    DVI_TRY(dvi_mapper_create(&mapper, source, n, allocator, err));
    const dv_status status = select_all(mapper, &schema, specs, n, hidden, err);
    return dvi_mapper_view(view_out, &select_class, mapper, schema, status, err);
}

/* --- Keep and drop ---------------------------------------------------------------------------- */

/* Keep the columns of these names, or drop them. */
static dv_status filter(dvi_mapper *m, dv_schema **schema_out, const dv_text *names, int32_t n,
                        bool kept, dv_error *err)
{
    const dv_schema *source = dv_view_schema(m->base.source);
    const int32_t columns = dv_schema_columns(source);
    void *marks;
    int32_t index = 0;
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &marks, (size_t)columns * sizeof(bool), err));
    bool *is_named = marks; /* of each column: a name refers to it */
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(dvi_find_column(source, names[i], &index, err));
        is_named[index] = true;
    }
    DVI_TRY(dv_schema_create(schema_out, &m->base.arena.allocator, err));
    for (int32_t i = 0; i < columns; i++) {
        const dv_text name = dv_schema_column(source, i)->name;
        dv_schema_find(source, name, &index);
        if (is_named[index] == kept)
            DVI_TRY(dvi_mapper_keep(m, *schema_out, i, name, err));
    }
    return DV_OK;
}

static dv_status create_filtered(dv_view **view_out, dv_view *source, const dv_text *names,
                                 int32_t n, bool kept, const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    DVI_TRY(check_count(n, err));
    DVI_TRY(dvi_mapper_create(&mapper, source, 0, allocator, err));
    const dv_status status = filter(mapper, &schema, names, n, kept, err);
    return dvi_mapper_view(view_out, &select_class, mapper, schema, status, err);
}

dv_status dv_view_keep(dv_view **view_out, dv_view *source, const dv_text *names, int32_t n,
                       const dv_allocator *allocator, dv_error *err)
{
    return create_filtered(view_out, source, names, n, true, allocator, err);
}

dv_status dv_view_drop(dv_view **view_out, dv_view *source, const dv_text *names, int32_t n,
                       const dv_allocator *allocator, dv_error *err)
{
    return create_filtered(view_out, source, names, n, false, allocator, err);
}

/* --- Copy ------------------------------------------------------------------------------------- */

static dv_status copy(dvi_mapper *m, dv_schema **schema_out, const dv_column_spec *specs, int32_t n,
                      dv_error *err)
{
    const dv_schema *source = dv_view_schema(m->base.source);
    void *list, *columns;
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &list, (size_t)n * sizeof(dvi_new_column), err));
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &columns, (size_t)n * sizeof(int32_t), err));
    dvi_new_column *made = list;
    int32_t *from = columns;
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(dvi_find_column(source, specs[i].source, &from[i], err));
        made[i].name = specs[i].name.nbytes < 0 ? specs[i].source : specs[i].name;
        made[i].type = dv_schema_column(source, from[i])->type;
        made[i].mapped = (dvi_mapped){&dvi_same_column, NULL, &from[i], 1};
    }
    return dvi_mapper_arrange(m, schema_out, made, n, err);
}

dv_status dv_view_copy(dv_view **view_out, dv_view *source, const dv_column_spec *specs, int32_t n,
                       const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    DVI_TRY(check_count(n, err));
    DVI_TRY(dvi_mapper_create(&mapper, source, n, allocator, err));
    const dv_status status = copy(mapper, &schema, specs, n, err);
    return dvi_mapper_view(view_out, &copy_class, mapper, schema, status, err);
}
