/* SPDX-License-Identifier: MIT */
/* step_registry.c: finds kinds of steps, and what they do. */
#include "steps/step_registry.h"
#include "base/alloc.h"
#include "base/check.h"
#include "steps/step_custom.h"
#include <dataview/image.h>
#include <pthread.h>
#include <stdatomic.h>

static const dvi_step_class *const classes[] = {
#define DVI_STEP_OPTION(...)
#define CLASS(name, ...) &dvi_class_##name,
    DVI_TRANSFORM_LIST(CLASS, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION,
                       DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION)
#undef CLASS
#undef DVI_STEP_OPTION
};

/* --- Those of callers ------------------------------------------------------------------------- */

#define ADDED_MAX 1024

typedef struct added {
    dv_transform_info info;
    dvi_step_class cls;
} added;

/* Entries below `added_count` never change. */
static added *added_steps[ADDED_MAX];
static atomic_int added_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static dv_status add(const dv_transform_info *info, const dv_step_class *cls, dv_error *err)
{
    void *made;
    const int n = atomic_load(&added_count);
    if (dvi_transform_find(dv_text_of(info->name)))
        return dvi_fail_argument(err, "there is a step of that name already");
    if (n == ADDED_MAX)
        return dvi_fail_argument(err, "there are %d steps of callers; no more are taken", n);
    DVI_TRY(dvi_alloc_zeroed(NULL, &made, sizeof(added), err));
    added *step = made;
    step->info = *info;
    step->info.number = DVI_STEPS + n;
    step->cls.open = *cls;
    step->cls.plan = cls->view ? NULL : dvi_custom_plan;
    added_steps[n] = step;
    atomic_store(&added_count, n + 1);
    return DV_OK;
}

dv_status dv_step_register(const dv_transform_info *info, const dv_step_class *cls, dv_error *err)
{
    dv_status status = dvi_custom_check(info, cls, err);
    if (status == DV_OK) {
        pthread_mutex_lock(&adding);
        status = add(info, cls, err);
        pthread_mutex_unlock(&adding);
    }
    if (status < 0)
        dvi_error_within(err, "step %s", info->name ? info->name : "without a name");
    return status;
}

/* --- All of them ------------------------------------------------------------------------------ */

int32_t dv_transform_count(void)
{
    return DVI_STEPS + atomic_load(&added_count);
}

const dv_transform_info *dv_transform_at(int32_t number)
{
    if (number < 0 || number >= dv_transform_count())
        return NULL;
    return number < DVI_STEPS ? &dvi_transforms[number] : &added_steps[number - DVI_STEPS]->info;
}

const dv_transform_info *dvi_transform_find(dv_text name)
{
    for (int32_t i = 0; i < dv_transform_count(); i++)
        if (dv_text_equal(name, dv_text_of(dv_transform_at(i)->name)))
            return dv_transform_at(i);
    return NULL;
}

const char *dvi_step_advice(dv_text name)
{
#define IS_NAME(step) || dv_text_equal(name, dv_text_of(#step))
    const bool is_of_pictures = false DV_IMAGE_STEP_LIST(IS_NAME);
#undef IS_NAME
    return is_of_pictures ? "steps for pictures need a build with libturbojpeg and libpng (Debian: "
                            "libturbojpeg0-dev, "
                            "libpng-dev); a C program calls dv_image_register"
                          : NULL;
}

const dvi_step_class *dvi_class_of(const dv_transform_info *info)
{
    return info->number < DVI_STEPS ? classes[info->number]
                                    : &added_steps[info->number - DVI_STEPS]->cls;
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

int32_t dvi_step_extras(const dvi_step *step, dv_text *names_out)
{
    int32_t n = 0;
    const char *const *option = step->cls->extra_options;
    for (; option && *option; option++) {
        const dv_text name = dv_step_text(step, *option, 0);
        if (name.nbytes >= 0)
            names_out[n++] = name;
    }
    return n;
}

bool dvi_step_makes_extra(const dvi_step *step, dv_text name)
{
    dv_text names[DVI_STEP_EXTRAS];
    const int32_t n = dvi_step_extras(step, names);
    for (int32_t i = 0; i < n; i++)
        if (dv_text_equal(names[i], name))
            return true;
    return false;
}

static const char *const *tables_of(const dvi_step *step)
{
    return step->cls->open.tables ? step->cls->open.tables(step) : NULL;
}

int32_t dvi_step_tables(const dvi_step *step)
{
    int32_t n = 0;
    const char *const *names = tables_of(step);
    while (names && n < DVI_STEP_TABLES_MAX && names[n])
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
