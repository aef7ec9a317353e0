/* SPDX-License-Identifier: MIT */
/* step_registry.c: finds kinds of steps, and what they do. */
#include "steps/step_registry.h"

static const dvi_step_class *const classes[] = {
#define DVI_STEP_OPTION(...)
#define CLASS(name, ...) &dvi_class_##name,
    DVI_TRANSFORM_LIST(CLASS, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION,
                       DVI_STEP_OPTION, DVI_STEP_OPTION)
#undef CLASS
#undef DVI_STEP_OPTION
};

int32_t dv_transform_count(void)
{
    return DVI_STEPS;
}

const dv_transform_info *dv_transform_at(int32_t number)
{
    return number >= 0 && number < DVI_STEPS ? &dvi_transforms[number] : NULL;
}

const dv_transform_info *dvi_transform_find(dv_text name)
{
    for (int32_t i = 0; i < dv_transform_count(); i++)
        if (dv_text_equal(name, dv_text_of(dv_transform_at(i)->name)))
            return dv_transform_at(i);
    return NULL;
}

const dvi_step_class *dvi_class_of(const dv_transform_info *info)
{
    return classes[info->number];
}

/* --- What a step does ------------------------------------------------------------------------- */

bool dvi_step_learns(const dvi_step *step)
{
    const dv_step_class *cls = &step->cls->open;
    return cls->begin && (!cls->learns || cls->learns(step));
}

bool dvi_step_makes_columns(const dvi_step *step)
{
    return !step->cls->open.view;
}

bool dvi_step_adds_columns(const dvi_step *step)
{
    return !step->cls->open.view || step->cls->open.adds_columns;
}

static const char *const *tables_of(const dvi_step *step)
{
    return step->cls->open.tables ? step->cls->open.tables(step) : NULL;
}

int32_t dvi_step_tables(const dvi_step *step)
{
    int32_t n = 0;
    const char *const *names = tables_of(step);
    while (names && names[n])
        n++;
    return n;
}

const char *dvi_step_table(const dvi_step *step, int32_t table)
{
    return tables_of(step)[table];
}

void dvi_learned_free(const dvi_step *step, void *learned)
{
    if (learned)
        step->cls->open.free_learned(learned);
}
