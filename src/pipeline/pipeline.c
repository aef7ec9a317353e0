/* SPDX-License-Identifier: MIT */
/* pipeline.c: pipelines, which are steps that are counted. */
#include "pipeline/pipeline.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/error.h"
#include "base/options.h"
#include <string.h>

dv_status dv_pipeline_parse(dv_pipeline **pipeline_out, dv_text text, const dv_allocator *allocator,
                            dv_error *err)
{
    return dv_pipeline_parse_files(pipeline_out, text, NULL, allocator, err);
}

dv_status dv_pipeline_parse_files(dv_pipeline **pipeline_out, dv_text text,
                                  const dv_pipeline_options *given, const dv_allocator *allocator,
                                  dv_error *err)
{
    void *made;
    const dv_allocator with = dvi_allocator_of(allocator);
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    *pipeline_out = NULL;
    DVI_TRY(dvi_options_read(&options, sizeof options, given, "DV_PIPELINE_OPTIONS_INIT", err));
    DVI_TRY(dvi_alloc_zeroed(&with, &made, sizeof(dv_pipeline), err));
    dv_pipeline *p = made;
    atomic_init(&p->refs, 1);
    p->allocator = with;
    dv_status status = dvi_notation_parse(&p->steps, text, &options, &with, err);
    if (status < 0) {
        dvi_free(&with, p, sizeof *p);
        return status;
    }
    status = dvi_pipeline_allow(p, options.allowed, err);
    if (status < 0)
        dv_pipeline_release(&p);
    *pipeline_out = p;
    return status;
}

static void release_folder(void *of)
{
    dv_folder *folder = of;
    dv_folder_release(&folder);
}

dv_status dvi_pipeline_allow(dv_pipeline *p, dv_folder *allowed, dv_error *err)
{
    if (!allowed || !p->steps.trust)
        return DV_OK;
    dv_folder_retain(allowed);
    DVI_TRY(dvi_arena_own(&p->steps.arena, release_folder, allowed, err));
    p->steps.trust->allowed = allowed;
    return DV_OK;
}

dv_status dvi_pipeline_copy(dv_pipeline **pipeline_out, dvi_step **steps_out, dv_pipeline *of,
                            int32_t room, const dv_allocator *allocator, dv_error *err)
{
    void *made, *list;
    const size_t nbytes = (size_t)of->steps.count * sizeof(dvi_step);
    *pipeline_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dv_pipeline), err));
    dv_pipeline *p = made;
    atomic_init(&p->refs, 1);
    p->allocator = *allocator;
    dvi_arena_init(&p->steps.arena, allocator);
    dv_pipeline_retain(of);
    p->of = of;
    const dv_status status =
        dvi_arena_alloc(&p->steps.arena, &list, nbytes + (size_t)room * sizeof(dvi_step), err);
    if (status < 0) {
        dv_pipeline_release(&p);
        return status;
    }
    if (nbytes > 0)
        memcpy(list, of->steps.step, nbytes);
    p->steps.step = *steps_out = list;
    p->steps.count = of->steps.count;
    *pipeline_out = p;
    return DV_OK;
}

void dv_pipeline_retain(dv_pipeline *p)
{
    atomic_fetch_add(&p->refs, 1);
}

void dv_pipeline_release(dv_pipeline **pipeline)
{
    dv_pipeline *p = *pipeline;
    *pipeline = NULL;
    if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
        return;
    const dv_allocator allocator = p->allocator;
    dvi_steps_free(&p->steps);
    dv_pipeline_release(&p->of);
    dvi_free(&allocator, p, sizeof *p);
}

int32_t dv_pipeline_steps(const dv_pipeline *p)
{
    return p->steps.count;
}

static bool has(const dv_pipeline *p, int32_t step)
{
    return step >= 0 && step < p->steps.count;
}

const dv_transform_info *dv_pipeline_step(const dv_pipeline *p, int32_t step)
{
    return has(p, step) ? p->steps.step[step].info : NULL;
}

bool dv_pipeline_write_step(const dv_pipeline *p, int32_t step, const dv_sink *sink)
{
    return has(p, step) && dvi_notation_write(&p->steps.step[step], sink, NULL) == DV_OK;
}
