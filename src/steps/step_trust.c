/* SPDX-License-Identifier: MIT */
/* step_trust.c: steps that act outside the table, in pipelines that may come from anyone. */
#include "base/check.h"
#include "steps/step_class.h"
#include <limits.h>
#include <string.h>

static dv_status refuse(dv_error *err)
{
    return dvi_fail_argument(err,
                             "it acts outside the table, which an untrusted pipeline may only do "
                             "below a folder that you allow: --allow-folder DIR, allow_folder=DIR");
}

dv_status dvi_step_check_trust(const dvi_step *step, const dv_step_binding *binding, dv_error *err)
{
    const dv_step_class *cls = &step->cls->open;
    if (!step->trust || step->trust->allowed || !cls->acts_outside)
        return DV_OK;
    return !binding || !cls->acts || cls->acts(binding) ? refuse(err) : DV_OK;
}

dv_status dv_step_folder(dv_folder **folder_out, const dv_step *step, dv_text path,
                         const dv_allocator *allocator, dv_error *err)
{
    char text[PATH_MAX];
    *folder_out = NULL;
    if (!step->cls->open.acts_outside)
        return dvi_fail_argument(err, "the class of the step opens files, and lacks acts_outside");
    if (path.nbytes <= 0 || path.nbytes >= PATH_MAX || memchr(path.data, 0, (size_t)path.nbytes))
        return dvi_fail_argument(err, "the folder of the step is not a path");
    memcpy(text, path.data, (size_t)path.nbytes);
    text[path.nbytes] = 0;
    if (!step->trust)
        return dv_folder_open(folder_out, text, allocator, err);
    return step->trust->allowed ? dv_folder_within(folder_out, step->trust->allowed, text, err)
                                : refuse(err);
}
