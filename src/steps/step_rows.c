/* SPDX-License-Identifier: MIT */
/* step_rows.c: group and ungroup, which join and divide rows, and rowid. */
#include "base/check.h"
#include "steps/step_class.h"
#include "transform/tf_group.h"
#include "transform/tf_rowid.h"
#include "transform/tf_ungroup.h"

/* The names of the columns of a step, in the arena. */
static dv_status names_of(dv_text **names_out, const dv_step *step, dvi_arena *arena, dv_error *err)
{
    void *list;
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)step->columns_count * sizeof(dv_text), err));
    *names_out = list;
    for (int32_t i = 0; i < step->columns_count; i++)
        (*names_out)[i] = step->columns[i].name;
    return DV_OK;
}

static dv_status group(dv_view **view_out, const dv_step *step, void *const *learned,
                       dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    dvi_arena arena;
    dv_text *names;
    const dvi_option_value *columns = dvi_step_option(step, "columns");
    (void)learned;
    if (columns->n > INT32_MAX)
        return dvi_fail_argument(err, "group keeps %lld columns; at most 2^31-1",
                                 (long long)columns->n);
    dvi_arena_init(&arena, allocator);
    dv_status status = names_of(&names, step, &arena, err);
    if (status == DV_OK)
        status = dvi_group_view(view_out, source, names, step->columns_count, columns->texts,
                                (int32_t)columns->n, allocator, err);
    dvi_arena_free(&arena);
    return status;
}

static dv_status ungroup(dv_view **view_out, const dv_step *step, void *const *learned,
                         dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    dvi_arena arena;
    dv_text *names;
    (void)learned;
    dvi_arena_init(&arena, allocator);
    dv_status status = names_of(&names, step, &arena, err);
    if (status == DV_OK)
        status = dvi_ungroup_view(view_out, source, names, step->columns_count,
                                  (dvi_ungroup_mode)dv_step_integer(step, "mode"), allocator, err);
    dvi_arena_free(&arena);
    return status;
}

static dv_status rowid(dv_view **view_out, const dv_step *step, void *const *learned,
                       dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    (void)learned;
    if (step->columns_count != 1)
        return dvi_fail_argument(err, "rowid makes one column, and has names of %d",
                                 (int)step->columns_count);
    return dvi_rowid_view(view_out, source, step->columns[0].name, allocator, err);
}

const dvi_step_class dvi_class_group = {
    .open = {.size = sizeof(dv_step_class), .version = 1, .view = group}, .keys = DVI_KEYS_PASSED};
const dvi_step_class dvi_class_ungroup = {
    .open = {.size = sizeof(dv_step_class), .version = 1, .view = ungroup},
    .keys = DVI_KEYS_PASSED};
const dvi_step_class dvi_class_rowid = {
    .open = {.size = sizeof(dv_step_class), .version = 1, .makes_only = true, .view = rowid}};
