/* SPDX-License-Identifier: MIT */
/* mutate_datadings.h: how are the files of a set changed so that more than their sizes are looked
 * at? */
#ifndef DVT_MUTATE_DATADINGS_H
#define DVT_MUTATE_DATADINGS_H

#include <stddef.h>
#include <stdint.h>

/* Change data in place, n bytes of `most`; returns how many there are then. */
size_t dvt_datadings_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed);

#endif
