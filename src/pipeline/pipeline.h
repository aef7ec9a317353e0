/* SPDX-License-Identifier: MIT */
/* pipeline.h: what a pipeline is made of. */
#ifndef DVI_PIPELINE_PIPELINE_H
#define DVI_PIPELINE_PIPELINE_H

#include "pipeline/pipe_notation.h"
#include <stdatomic.h>

struct dv_pipeline {
    atomic_size_t refs;
    dv_allocator allocator;
    dvi_steps steps;
    dv_pipeline *of; /* has the texts and values of the steps; NULL: they are its own */
};

/* Let an untrusted pipeline open files below a folder, which it retains; NULL: none. Before others
 * see it. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_pipeline_allow(dv_pipeline *pipeline, dv_folder *allowed, dv_error *err);

/* A pipeline of the same steps, which the caller may change through *steps_out until others see the
 * pipeline, and to which it may add `room` more. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_pipeline_copy(dv_pipeline **pipeline_out, dvi_step **steps_out, dv_pipeline *of,
                            int32_t room, const dv_allocator *allocator, dv_error *err);

#endif
