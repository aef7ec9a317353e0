/* SPDX-License-Identifier: MIT */
/* diff_columns.c: pairs the columns of two tables by name. */
#include "cli/verbs/diff_columns.h"
#include <stdlib.h>

/* The two schemas, and one with each column once: those only in B, then all of A, so that a name
 * means the same column as in its own table. */
typedef struct matching {
    const dv_schema *a, *b;
    int32_t a_count, b_count;
    int32_t *to_a; /* per column of B: its partner, or -1 */
    int32_t *to_b; /* per column of A */
    int32_t *only; /* columns of B without a partner */
    int32_t only_count;
    dv_schema *all;
} matching;

static int32_t *make_indices(int32_t n)
{
    int32_t *index = malloc((n > 0 ? (size_t)n : 1) * sizeof *index);
    for (int32_t i = 0; index && i < n; i++)
        index[i] = -1;
    return index;
}

/* Per column: the last one before it with the same name, or -1.  seen: room for an index per
 * column. */
static void find_namesakes(const dv_schema *schema, int32_t *before, int32_t *seen)
{
    int32_t last;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        dv_schema_find(schema, dv_schema_column(schema, i)->name, &last);
        before[i] = seen[last];
        seen[last] = i;
    }
}

/* Pair the last columns of each name, then those before them.  next: per last column of a name in
 * A, the next column of B to pair. */
static void pair_columns(matching *m, const int32_t *before, int32_t *next)
{
    int32_t last, partner;
    for (int32_t i = m->a_count - 1; i >= 0; i--) {
        const dv_text name = dv_schema_column(m->a, i)->name;
        dv_schema_find(m->a, name, &last);
        if (last == i)
            dv_schema_find(m->b, name, &next[i]);
        partner = next[last];
        m->to_b[i] = partner;
        if (partner >= 0) {
            m->to_a[partner] = i;
            next[last] = before[partner];
        }
    }
}

static bool pair_all(matching *m)
{
    int32_t *before = make_indices(m->b_count), *seen = make_indices(m->b_count);
    int32_t *next = make_indices(m->a_count);
    m->to_a = make_indices(m->b_count);
    m->to_b = make_indices(m->a_count);
    m->only = make_indices(m->b_count);
    const bool ok = before && seen && next && m->to_a && m->to_b && m->only;
    if (ok) {
        find_namesakes(m->b, before, seen);
        pair_columns(m, before, next);
        for (int32_t i = 0; i < m->b_count; i++)
            if (m->to_a[i] < 0)
                m->only[m->only_count++] = i;
    }
    free(before);
    free(seen);
    free(next);
    return ok;
}

static dv_status add_column(dv_schema *schema, const dv_column_info *info, dv_error *err)
{
    return dv_schema_add(schema, info->name, &info->type, NULL, err);
}

static dv_status unite(matching *m, dv_error *err)
{
    dv_status status = dv_schema_create(&m->all, NULL, err);
    for (int32_t i = 0; i < m->only_count && status == DV_OK; i++)
        status = add_column(m->all, dv_schema_column(m->b, m->only[i]), err);
    for (int32_t i = 0; i < m->a_count && status == DV_OK; i++)
        status = add_column(m->all, dv_schema_column(m->a, i), err);
    return status;
}

/* Make pairs of the selected columns; those only in B come last. */
static bool make_pairs(dvi_diff_columns *columns, const matching *m, const dvi_selection *selection)
{
    const int32_t n = selection->count;
    columns->pair = malloc((n > 0 ? (size_t)n : 1) * sizeof *columns->pair);
    if (!columns->pair)
        return false;
    for (int32_t i = 0; i < n; i++) {
        const int32_t a = selection->columns[i] - m->only_count;
        if (a >= 0)
            columns->pair[columns->count++] = (dvi_pair){a, m->to_b[a]};
    }
    for (int32_t i = 0; i < n; i++)
        if (selection->columns[i] < m->only_count)
            columns->pair[columns->count++] = (dvi_pair){-1, m->only[selection->columns[i]]};
    return true;
}

/* Find the first pair whose column of B is not the next one in B with a partner. */
static bool find_moved(dvi_diff_columns *columns, const matching *m)
{
    bool *taken = calloc(m->b_count > 0 ? (size_t)m->b_count : 1, sizeof *taken);
    if (!taken)
        return false;
    for (int32_t i = 0; i < columns->count; i++)
        if (columns->pair[i].a >= 0 && columns->pair[i].b >= 0)
            taken[columns->pair[i].b] = true;
    int32_t b = 0;
    for (int32_t i = 0; i < columns->count && columns->moved < 0; i++) {
        if (columns->pair[i].a < 0 || columns->pair[i].b < 0)
            continue;
        while (!taken[b])
            b++;
        if (columns->pair[i].b != b++)
            columns->moved = i;
    }
    free(taken);
    return true;
}

static dvi_exit choose(dvi_diff_columns *columns, matching *m, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dvi_selection selection = {0};
    if (unite(m, &err) != DV_OK)
        return dvi_say_error(&err);
    dvi_exit status = dvi_select_columns(&selection, args, m->all);
    if (!status && !make_pairs(columns, m, &selection))
        status = dvi_say_memory();
    if (!status && !args->columns.count && !find_moved(columns, m)) /* --columns sets the order */
        status = dvi_say_memory();
    dvi_selection_free(&selection);
    return status;
}

dvi_exit dvi_diff_columns_find(dvi_diff_columns *columns_out, const dvi_args *args,
                               const dv_schema *a, const dv_schema *b)
{
    matching m = {.a = a, .b = b, .a_count = dv_schema_columns(a), .b_count = dv_schema_columns(b)};
    *columns_out = (dvi_diff_columns){.moved = -1};
    const dvi_exit status = pair_all(&m) ? choose(columns_out, &m, args) : dvi_say_memory();
    dv_schema_free(&m.all);
    free(m.to_a);
    free(m.to_b);
    free(m.only);
    return status;
}

void dvi_diff_columns_free(dvi_diff_columns *columns)
{
    free(columns->pair);
    *columns = (dvi_diff_columns){0};
}
