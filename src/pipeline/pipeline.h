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
};

#endif
