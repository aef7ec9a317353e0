/* SPDX-License-Identifier: MIT */
/* image.c: adds the type and the steps for pictures. */
#include "image/image_steps.h"
#include <pthread.h>

static const struct {
    const dv_transform_info *info;
    const dv_step_class *cls;
} steps[] = {
#define STEP(name) {&dvi_info_##name, &dvi_class_##name},
    DV_IMAGE_STEP_LIST(STEP)
#undef STEP
};
#define STEPS ((int)(sizeof steps / sizeof *steps))

/* What a call could not add, the next one adds. */
dv_status dv_image_register(dv_error *err)
{
    static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
    static bool has_type;
    static int added;
    dv_status status = DV_OK;
    pthread_mutex_lock(&adding);
    if (!has_type) {
        status = dvi_picture_register(err);
        has_type = status == DV_OK;
    }
    while (status == DV_OK && added < STEPS) {
        status = dv_step_register(steps[added].info, steps[added].cls, err);
        added += status == DV_OK;
    }
    pthread_mutex_unlock(&adding);
    return status;
}
