/* SPDX-License-Identifier: MIT */
/* fill_neon.c: puts the kernels of the level into a table. */
#include "simd/dispatch.h"

void dvi_fill_neon(dvi_kernel_table *table)
{
    table->utf8_units = dvi_utf8_units_neon;
    table->ends_check = dvi_ends_check_neon;
    table->ends_map = dvi_ends_map_neon;
    table->counts_check = dvi_counts_check_neon;
    table->counts_offsets = dvi_counts_offsets_neon;
    table->offsets_counts_4 = dvi_offsets_counts_4_neon;
    table->offsets_counts_8 = dvi_offsets_counts_8_neon;
    table->indices_check = dvi_indices_check_neon;
    table->bits_expand = dvi_bits_expand_neon;
    table->pairs_expand = dvi_pairs_expand_neon;
    table->ticks_check = dvi_ticks_check_neon;
    table->densify_1 = dvi_densify_1_neon;
    table->densify_2 = dvi_densify_2_neon;
    table->densify_4 = dvi_densify_4_neon;
    table->densify_8 = dvi_densify_8_neon;
#define DENSIFY(X, level, from, to)                                                                \
    table->densify_##from##_##to = dvi_densify_##from##_##to##_##level;
    DVI_DENSIFY_LIST(DENSIFY, _, neon)
#undef DENSIFY
    table->sparsify_1 = dvi_sparsify_1_neon;
    table->sparsify_2 = dvi_sparsify_2_neon;
    table->sparsify_4 = dvi_sparsify_4_neon;
    table->sparsify_8 = dvi_sparsify_8_neon;
    table->pairs_split_8 = dvi_pairs_split_8_neon;
    table->pairs_split_4 = dvi_pairs_split_4_neon;
    table->na_count_1 = dvi_na_count_1_neon;
    table->na_count_2 = dvi_na_count_2_neon;
    table->na_count_4 = dvi_na_count_4_neon;
    table->na_count_8 = dvi_na_count_8_neon;
    table->na_first_1 = dvi_na_first_1_neon;
    table->na_first_2 = dvi_na_first_2_neon;
    table->na_first_4 = dvi_na_first_4_neon;
    table->na_first_8 = dvi_na_first_8_neon;
    table->na_mask_1 = dvi_na_mask_1_neon;
    table->na_mask_2 = dvi_na_mask_2_neon;
    table->na_mask_4 = dvi_na_mask_4_neon;
    table->na_mask_8 = dvi_na_mask_8_neon;
    table->na_replace_1 = dvi_na_replace_1_neon;
    table->na_replace_2 = dvi_na_replace_2_neon;
    table->na_replace_4 = dvi_na_replace_4_neon;
    table->na_replace_8 = dvi_na_replace_8_neon;
    table->minmax_i1 = dvi_minmax_i1_neon;
    table->minmax_i2 = dvi_minmax_i2_neon;
    table->minmax_i4 = dvi_minmax_i4_neon;
    table->minmax_i8 = dvi_minmax_i8_neon;
    table->minmax_u1 = dvi_minmax_u1_neon;
    table->minmax_u2 = dvi_minmax_u2_neon;
    table->minmax_u4 = dvi_minmax_u4_neon;
    table->minmax_u8 = dvi_minmax_u8_neon;
    table->minmax_r4 = dvi_minmax_r4_neon;
    table->minmax_r8 = dvi_minmax_r8_neon;
    table->sum_i1 = dvi_sum_i1_neon;
    table->sum_i2 = dvi_sum_i2_neon;
    table->sum_i4 = dvi_sum_i4_neon;
    table->sum_i8 = dvi_sum_i8_neon;
    table->sum_u1 = dvi_sum_u1_neon;
    table->sum_u2 = dvi_sum_u2_neon;
    table->sum_u4 = dvi_sum_u4_neon;
    table->sum_u8 = dvi_sum_u8_neon;
    table->sum_r4 = dvi_sum_r4_neon;
    table->sum_r8 = dvi_sum_r8_neon;
    table->squares_i1 = dvi_squares_i1_neon;
    table->squares_i2 = dvi_squares_i2_neon;
    table->squares_i4 = dvi_squares_i4_neon;
    table->squares_u1 = dvi_squares_u1_neon;
    table->squares_u2 = dvi_squares_u2_neon;
    table->squares_u4 = dvi_squares_u4_neon;
    table->squares_r4 = dvi_squares_r4_neon;
    table->squares_r8 = dvi_squares_r8_neon;
    table->transpose_4 = dvi_transpose_4_neon;
    table->transpose_8 = dvi_transpose_8_neon;
    table->rows_copy = dvi_rows_copy_neon;
    table->swap_2 = dvi_swap_2_neon;
    table->swap_4 = dvi_swap_4_neon;
    table->swap_8 = dvi_swap_8_neon;
    table->bits_pack = dvi_bits_pack_neon;

#define FILL(X, level, from, to, rule)                                                             \
    table->convert_##from##_##to = dvi_convert_##from##_##to##_##level;
    DVI_CONVERSION_LIST(FILL, _, neon)
#undef FILL
    table->gather_text = dvi_gather_text_neon;
    table->ends_move = dvi_ends_move_neon;
    table->bytes_find = dvi_bytes_find_neon;
    table->keys_hash = dvi_keys_hash_neon;
    table->cells_permute = dvi_cells_permute_neon;
    table->murmur_u4 = dvi_murmur_u4_neon;
    table->murmur_u8 = dvi_murmur_u8_neon;
    table->murmur_text = dvi_murmur_text_neon;
    table->pixels_mix_3 = dvi_pixels_mix_3_neon;
    table->pixels_mix_4 = dvi_pixels_mix_4_neon;
    table->rows_blend = dvi_rows_blend_neon;
    table->planes_3 = dvi_planes_3_neon;
    table->planes_4 = dvi_planes_4_neon;
}
