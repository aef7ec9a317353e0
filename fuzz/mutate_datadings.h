/* SPDX-License-Identifier: MIT */
/* mutate_datadings.h: mutates the files of a set so that more than their sizes are checked. */
#ifndef DVT_MUTATE_DATADINGS_H
#define DVT_MUTATE_DATADINGS_H

#include <stddef.h>
#include <stdint.h>

/* Change n bytes in place, of at most `most`; returns the new size. */
size_t dvt_datadings_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed);

#endif
