/* SPDX-License-Identifier: MIT */
/* mutate_pipeline.h: mutates a saved pipeline so that more than its digests is reached. */
#ifndef DVT_MUTATE_PIPELINE_H
#define DVT_MUTATE_PIPELINE_H

#include <stddef.h>
#include <stdint.h>

/* Change n bytes in place, of at most `most`; returns the new size. */
size_t dvt_pipeline_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed);

#endif
