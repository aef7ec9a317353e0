/* SPDX-License-Identifier: MIT */
/* fill_avx2.c: which kernels does level avx2 have? */
#include "simd/dispatch.h"

void dvi_fill_avx2(dv_kernels *table)
{
    table->utf8_units = dvi_utf8_units_avx2;
    table->ends_check = dvi_ends_check_avx2;
    table->ends_map = dvi_ends_map_avx2;
    table->counts_check = dvi_counts_check_avx2;
    table->counts_offsets = dvi_counts_offsets_avx2;
    table->indices_check = dvi_indices_check_avx2;
    table->bits_expand = dvi_bits_expand_avx2;
    table->pairs_expand = dvi_pairs_expand_avx2;
    table->ticks_check = dvi_ticks_check_avx2;
    table->densify_4 = dvi_densify_4_avx2;
    table->densify_8 = dvi_densify_8_avx2;
    table->pairs_split_8 = dvi_pairs_split_8_avx2;
    table->pairs_split_4 = dvi_pairs_split_4_avx2;
    table->na_count_1 = dvi_na_count_1_avx2;
    table->na_count_2 = dvi_na_count_2_avx2;
    table->na_count_4 = dvi_na_count_4_avx2;
    table->na_count_8 = dvi_na_count_8_avx2;
    table->na_first_1 = dvi_na_first_1_avx2;
    table->na_first_2 = dvi_na_first_2_avx2;
    table->na_first_4 = dvi_na_first_4_avx2;
    table->na_first_8 = dvi_na_first_8_avx2;
    table->na_mask_1 = dvi_na_mask_1_avx2;
    table->na_mask_2 = dvi_na_mask_2_avx2;
    table->na_mask_4 = dvi_na_mask_4_avx2;
    table->na_mask_8 = dvi_na_mask_8_avx2;
    table->na_replace_1 = dvi_na_replace_1_avx2;
    table->na_replace_2 = dvi_na_replace_2_avx2;
    table->na_replace_4 = dvi_na_replace_4_avx2;
    table->na_replace_8 = dvi_na_replace_8_avx2;
}
