/* SPDX-License-Identifier: MIT */
/* fill_avx512.c: which kernels does level avx512 have? */
#include "simd/dispatch.h"

void dvi_fill_avx512(dv_kernels *table)
{
    table->utf8_units = dvi_utf8_units_avx512;
    table->ends_check = dvi_ends_check_avx512;
    table->ends_map = dvi_ends_map_avx512;
    table->counts_check = dvi_counts_check_avx512;
    table->counts_offsets = dvi_counts_offsets_avx512;
    table->indices_check = dvi_indices_check_avx512;
    table->bits_expand = dvi_bits_expand_avx512;
    table->pairs_expand = dvi_pairs_expand_avx512;
    table->ticks_check = dvi_ticks_check_avx512;
    table->densify_4 = dvi_densify_4_avx512;
    table->densify_8 = dvi_densify_8_avx512;
    table->pairs_split_8 = dvi_pairs_split_8_avx512;
    table->pairs_split_4 = dvi_pairs_split_4_avx512;
}
