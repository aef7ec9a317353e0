/* SPDX-License-Identifier: MIT */
/* unit.c: looks UTF-16 units up. Of the 256 pages of units, most are equal. */
#include "codec/unit.h"
#include <stddef.h>

typedef struct unit_kind {
    uint8_t flags;
    int32_t lower, upper; /* to be added to the unit */
} unit_kind;

#include "codec/unit_tbl.h"

static const unit_kind *kind_of(uint32_t unit)
{
    return &kinds[pages[256 * (size_t)page_of[unit >> 8] + (unit & 0xFF)]];
}

uint8_t dvi_unit_flags(uint32_t unit)
{
    return kind_of(unit)->flags;
}

uint32_t dvi_unit_lower(uint32_t unit)
{
    return unit + (uint32_t)kind_of(unit)->lower;
}

uint32_t dvi_unit_upper(uint32_t unit)
{
    return unit + (uint32_t)kind_of(unit)->upper;
}

uint32_t dvi_unit_plain(uint32_t unit)
{
    const size_t n = sizeof plain / sizeof *plain;
    return unit - PLAIN_FIRST < n ? plain[unit - PLAIN_FIRST] : unit;
}
