/* SPDX-License-Identifier: MIT */
/* fill_neon.c: which kernels does level neon have? */
#include "simd/dispatch.h"

void dvi_fill_neon(dv_kernels *table)
{
    table->utf8_units = dvi_utf8_units_neon;
    table->ends_check = dvi_ends_check_neon;
    table->ends_map = dvi_ends_map_neon;
    table->counts_check = dvi_counts_check_neon;
    table->counts_offsets = dvi_counts_offsets_neon;
    table->indices_check = dvi_indices_check_neon;
    table->bits_expand = dvi_bits_expand_neon;
    table->pairs_expand = dvi_pairs_expand_neon;
    table->ticks_check = dvi_ticks_check_neon;
    table->densify_4 = dvi_densify_4_neon;
    table->densify_8 = dvi_densify_8_neon;
    table->pairs_split_8 = dvi_pairs_split_8_neon;
    table->pairs_split_4 = dvi_pairs_split_4_neon;
}
