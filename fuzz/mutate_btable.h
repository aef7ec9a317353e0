/* SPDX-License-Identifier: MIT */
/* mutate_btable.h: how is a BTable changed so that more than its first check sees it? */
#ifndef DVT_MUTATE_BTABLE_H
#define DVT_MUTATE_BTABLE_H

#include <stddef.h>
#include <stdint.h>

/* Change data in place, n bytes of `most`; returns how many there are then. */
size_t dvt_btable_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed);

#endif
