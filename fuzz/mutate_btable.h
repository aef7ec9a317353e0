/* SPDX-License-Identifier: MIT */
/* mutate_btable.h: mutates a BTable so that more than its first check is reached. */
#ifndef DVT_MUTATE_BTABLE_H
#define DVT_MUTATE_BTABLE_H

#include <stddef.h>
#include <stdint.h>

/* Change n bytes in place, of at most `most`; returns the new size. */
size_t dvt_btable_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed);

#endif
