/* SPDX-License-Identifier: MIT */
/* fill_avx512.c: puts the kernels of the level into a table. */
#include "simd/dispatch.h"

void dvi_fill_avx512(dvi_kernel_table *table)
{
    table->utf8_units = dvi_utf8_units_avx512;
    table->ends_check = dvi_ends_check_avx512;
    table->ends_map = dvi_ends_map_avx512;
    table->counts_check = dvi_counts_check_avx512;
    table->counts_offsets = dvi_counts_offsets_avx512;
    table->offsets_counts_4 = dvi_offsets_counts_4_avx512;
    table->offsets_counts_8 = dvi_offsets_counts_8_avx512;
    table->indices_check = dvi_indices_check_avx512;
    table->bits_expand = dvi_bits_expand_avx512;
    table->pairs_expand = dvi_pairs_expand_avx512;
    table->ticks_check = dvi_ticks_check_avx512;
    table->densify_1 = dvi_densify_1_avx512;
    table->densify_2 = dvi_densify_2_avx512;
    table->densify_4 = dvi_densify_4_avx512;
    table->densify_8 = dvi_densify_8_avx512;
#define DENSIFY(X, level, from, to)                                                                \
    table->densify_##from##_##to = dvi_densify_##from##_##to##_##level;
    DVI_DENSIFY_LIST(DENSIFY, _, avx512)
#undef DENSIFY
    table->pairs_split_8 = dvi_pairs_split_8_avx512;
    table->pairs_split_4 = dvi_pairs_split_4_avx512;
    table->na_count_1 = dvi_na_count_1_avx512;
    table->na_count_2 = dvi_na_count_2_avx512;
    table->na_count_4 = dvi_na_count_4_avx512;
    table->na_count_8 = dvi_na_count_8_avx512;
    table->na_first_1 = dvi_na_first_1_avx512;
    table->na_first_2 = dvi_na_first_2_avx512;
    table->na_first_4 = dvi_na_first_4_avx512;
    table->na_first_8 = dvi_na_first_8_avx512;
    table->na_mask_1 = dvi_na_mask_1_avx512;
    table->na_mask_2 = dvi_na_mask_2_avx512;
    table->na_mask_4 = dvi_na_mask_4_avx512;
    table->na_mask_8 = dvi_na_mask_8_avx512;
    table->na_replace_1 = dvi_na_replace_1_avx512;
    table->na_replace_2 = dvi_na_replace_2_avx512;
    table->na_replace_4 = dvi_na_replace_4_avx512;
    table->na_replace_8 = dvi_na_replace_8_avx512;
    table->minmax_i1 = dvi_minmax_i1_avx512;
    table->minmax_i2 = dvi_minmax_i2_avx512;
    table->minmax_i4 = dvi_minmax_i4_avx512;
    table->minmax_i8 = dvi_minmax_i8_avx512;
    table->minmax_u1 = dvi_minmax_u1_avx512;
    table->minmax_u2 = dvi_minmax_u2_avx512;
    table->minmax_u4 = dvi_minmax_u4_avx512;
    table->minmax_u8 = dvi_minmax_u8_avx512;
    table->minmax_r4 = dvi_minmax_r4_avx512;
    table->minmax_r8 = dvi_minmax_r8_avx512;
    table->sum_i1 = dvi_sum_i1_avx512;
    table->sum_i2 = dvi_sum_i2_avx512;
    table->sum_i4 = dvi_sum_i4_avx512;
    table->sum_i8 = dvi_sum_i8_avx512;
    table->sum_u1 = dvi_sum_u1_avx512;
    table->sum_u2 = dvi_sum_u2_avx512;
    table->sum_u4 = dvi_sum_u4_avx512;
    table->sum_u8 = dvi_sum_u8_avx512;
    table->sum_r4 = dvi_sum_r4_avx512;
    table->sum_r8 = dvi_sum_r8_avx512;
    table->squares_i1 = dvi_squares_i1_avx512;
    table->squares_i2 = dvi_squares_i2_avx512;
    table->squares_i4 = dvi_squares_i4_avx512;
    table->squares_u1 = dvi_squares_u1_avx512;
    table->squares_u2 = dvi_squares_u2_avx512;
    table->squares_u4 = dvi_squares_u4_avx512;
    table->squares_r4 = dvi_squares_r4_avx512;
    table->squares_r8 = dvi_squares_r8_avx512;
    table->transpose_4 = dvi_transpose_4_avx512;
    table->transpose_8 = dvi_transpose_8_avx512;
    table->rows_copy = dvi_rows_copy_avx512;
    table->swap_2 = dvi_swap_2_avx512;
    table->swap_4 = dvi_swap_4_avx512;
    table->swap_8 = dvi_swap_8_avx512;
    table->bits_pack = dvi_bits_pack_avx512;
    table->sparsify_1 = dvi_sparsify_1_avx512;
    table->sparsify_2 = dvi_sparsify_2_avx512;
    table->sparsify_4 = dvi_sparsify_4_avx512;
    table->sparsify_8 = dvi_sparsify_8_avx512;

#define FILL(X, level, from, to, rule)                                                             \
    table->convert_##from##_##to = dvi_convert_##from##_##to##_##level;
    DVI_CONVERSION_LIST(FILL, _, avx512)
#undef FILL
    table->gather_text = dvi_gather_text_avx512;
    table->ends_move = dvi_ends_move_avx512;
    table->bytes_find = dvi_bytes_find_avx512;
    table->keys_hash = dvi_keys_hash_avx512;
    table->cells_permute = dvi_cells_permute_avx512;
    table->murmur_u4 = dvi_murmur_u4_avx512;
    table->murmur_u8 = dvi_murmur_u8_avx512;
    table->murmur_text = dvi_murmur_text_avx512;
    table->affine_r4 = dvi_affine_r4_avx512;
    table->affine_r8 = dvi_affine_r8_avx512;
    table->pixels_mix_3 = dvi_pixels_mix_3_avx512;
    table->pixels_mix_4 = dvi_pixels_mix_4_avx512;
    table->rows_blend = dvi_rows_blend_avx512;
    table->planes_3 = dvi_planes_3_avx512;
    table->planes_4 = dvi_planes_4_avx512;
}
