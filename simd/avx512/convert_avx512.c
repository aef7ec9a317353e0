/* SPDX-License-Identifier: MIT */
/* convert_avx512.c: converts numbers of one type to another. */
#include "simd/convert_tmpl.h"

/* --- To wider numbers ------------------------------------------------------------------------- */

#define WIDEN_NBYTES 64

#define EIGHT(p) _mm_loadl_epi64((const void *)(p))
#define SIXTEEN(p) _mm_loadu_si128((const void *)(p))
#define HALF(p) _mm256_loadu_si256((const void *)(p))

#define READ_i1_i2(p) _mm512_cvtepi8_epi16(HALF(p))
#define READ_i1_i4(p) _mm512_cvtepi8_epi32(SIXTEEN(p))
#define READ_i1_i8(p) _mm512_cvtepi8_epi64(EIGHT(p))
#define READ_i2_i4(p) _mm512_cvtepi16_epi32(HALF(p))
#define READ_i2_i8(p) _mm512_cvtepi16_epi64(SIXTEEN(p))
#define READ_i4_i8(p) _mm512_cvtepi32_epi64(HALF(p))
#define READ_u1_u2(p) _mm512_cvtepu8_epi16(HALF(p))
#define READ_u1_u4(p) _mm512_cvtepu8_epi32(SIXTEEN(p))
#define READ_u1_u8(p) _mm512_cvtepu8_epi64(EIGHT(p))
#define READ_u2_u4(p) _mm512_cvtepu16_epi32(HALF(p))
#define READ_u2_u8(p) _mm512_cvtepu16_epi64(SIXTEEN(p))
#define READ_u4_u8(p) _mm512_cvtepu32_epi64(HALF(p))
#define READ_i1_f4(p) _mm512_cvtepi32_ps(READ_i1_i4(p))
#define READ_i2_f4(p) _mm512_cvtepi32_ps(READ_i2_i4(p))
#define READ_u1_f4(p) _mm512_cvtepi32_ps(READ_u1_u4(p))
#define READ_u2_f4(p) _mm512_cvtepi32_ps(READ_u2_u4(p))
#define READ_i1_f8(p) _mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(EIGHT(p)))
#define READ_i2_f8(p) _mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(SIXTEEN(p)))
#define READ_i4_f8(p) _mm512_cvtepi32_pd(HALF(p))
#define READ_u1_f8(p) _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(EIGHT(p)))
#define READ_u2_f8(p) _mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(SIXTEEN(p)))
#define READ_u4_f8(p) _mm512_cvtepu32_pd(HALF(p))
#define READ_f4_f8(p) _mm512_cvtps_pd(_mm256_castsi256_ps(HALF(p)))
#define READ_bl_i2 READ_i1_i2
#define READ_bl_i4 READ_i1_i4
#define READ_bl_i8 READ_i1_i8
#define READ_bl_f4 READ_i1_f4
#define READ_bl_f8 READ_i1_f8

#define VECTOR_i2 __m512i
#define VECTOR_i4 __m512i
#define VECTOR_i8 __m512i
#define VECTOR_u2 __m512i
#define VECTOR_u4 __m512i
#define VECTOR_u8 __m512i
#define VECTOR_f4 __m512
#define VECTOR_f8 __m512d
#define WRITE_i2 _mm512_storeu_si512
#define WRITE_i4 _mm512_storeu_si512
#define WRITE_i8 _mm512_storeu_si512
#define WRITE_u2 _mm512_storeu_si512
#define WRITE_u4 _mm512_storeu_si512
#define WRITE_u8 _mm512_storeu_si512
#define WRITE_f4 _mm512_storeu_ps
#define WRITE_f8 _mm512_storeu_pd
#define STREAM_i2 _mm512_stream_si512
#define STREAM_i4 _mm512_stream_si512
#define STREAM_i8 _mm512_stream_si512
#define STREAM_u2 _mm512_stream_si512
#define STREAM_u4 _mm512_stream_si512
#define STREAM_u8 _mm512_stream_si512
#define STREAM_f4 _mm512_stream_ps
#define STREAM_f8 _mm512_stream_pd

#define ALL_i2 _mm512_set1_epi16
#define ALL_i4 _mm512_set1_epi32
#define ALL_i8 _mm512_set1_epi64
#define ALL_f4 _mm512_set1_ps
#define ALL_f8 _mm512_set1_pd
#define EQUAL_i2 _mm512_cmpeq_epi16_mask
#define EQUAL_i4 _mm512_cmpeq_epi32_mask
#define EQUAL_i8 _mm512_cmpeq_epi64_mask
#define EQUAL_f4(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define EQUAL_f8(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define AND_i2 _mm512_and_si512
#define AND_i4 _mm512_and_si512
#define AND_i8 _mm512_and_si512
#define TIMES_f4 _mm512_mul_ps
#define TIMES_f8 _mm512_mul_pd
#define WHERE_i2(is, a, b) _mm512_mask_mov_epi16(b, is, a)
#define WHERE_i4(is, a, b) _mm512_mask_mov_epi32(b, is, a)
#define WHERE_i8(is, a, b) _mm512_mask_mov_epi64(b, is, a)
#define WHERE_f4(is, a, b) _mm512_mask_mov_ps(b, is, a)
#define WHERE_f8(is, a, b) _mm512_mask_mov_pd(b, is, a)

DVI_WIDENING_LIST(DVI_WIDEN, _, avx512)

/* --- To other numbers ------------------------------------------------------------------------- */

#define f4_or_na_of_i8(v) dvi_f4_if(v == LEAST_i8, na_f4(), (float)(v))
#define f4_of_u8(v) ((float)(v))
#define f8_of_i8(v) ((double)(v))
#define f8_of_u8(v) ((double)(v))

DVI_OTHER_CONVERSION_LIST(DVI_CONVERT, _, avx512)
