/* SPDX-License-Identifier: MIT */
/* mutate_model_zip.h: mutates a model of ML.NET so that more than its checksums is reached. */
#ifndef DVT_MUTATE_MODEL_ZIP_H
#define DVT_MUTATE_MODEL_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* Change n bytes in place, of at most `most`; returns the new size. */
size_t dvt_model_zip_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed);

#endif
