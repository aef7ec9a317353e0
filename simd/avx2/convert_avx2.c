/* SPDX-License-Identifier: MIT */
/* convert_avx2.c: converts numbers of one type to another. */
#include "simd/convert_tmpl.h"

/* --- To wider numbers ------------------------------------------------------------------------- */

#define WIDEN_NBYTES 32

#define FOUR(p) _mm_cvtsi32_si128(dvi_load_i32(p))
#define EIGHT(p) _mm_loadl_epi64((const void *)(p))
#define SIXTEEN(p) _mm_loadu_si128((const void *)(p))

#define READ_i1_i2(p) _mm256_cvtepi8_epi16(SIXTEEN(p))
#define READ_i1_i4(p) _mm256_cvtepi8_epi32(EIGHT(p))
#define READ_i1_i8(p) _mm256_cvtepi8_epi64(FOUR(p))
#define READ_i2_i4(p) _mm256_cvtepi16_epi32(SIXTEEN(p))
#define READ_i2_i8(p) _mm256_cvtepi16_epi64(EIGHT(p))
#define READ_i4_i8(p) _mm256_cvtepi32_epi64(SIXTEEN(p))
#define READ_u1_u2(p) _mm256_cvtepu8_epi16(SIXTEEN(p))
#define READ_u1_u4(p) _mm256_cvtepu8_epi32(EIGHT(p))
#define READ_u1_u8(p) _mm256_cvtepu8_epi64(FOUR(p))
#define READ_u2_u4(p) _mm256_cvtepu16_epi32(SIXTEEN(p))
#define READ_u2_u8(p) _mm256_cvtepu16_epi64(EIGHT(p))
#define READ_u4_u8(p) _mm256_cvtepu32_epi64(SIXTEEN(p))
#define READ_i1_f4(p) _mm256_cvtepi32_ps(READ_i1_i4(p))
#define READ_i2_f4(p) _mm256_cvtepi32_ps(READ_i2_i4(p))
#define READ_u1_f4(p) _mm256_cvtepi32_ps(READ_u1_u4(p))
#define READ_u2_f4(p) _mm256_cvtepi32_ps(READ_u2_u4(p))
#define READ_i1_f8(p) _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(FOUR(p)))
#define READ_i2_f8(p) _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(EIGHT(p)))
#define READ_i4_f8(p) _mm256_cvtepi32_pd(SIXTEEN(p))
#define READ_u1_f8(p) _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(FOUR(p)))
#define READ_u2_f8(p) _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(EIGHT(p)))
#define READ_u4_f8(p) read_u4_f8(p)
#define READ_f4_f8(p) _mm256_cvtps_pd(_mm_castsi128_ps(SIXTEEN(p)))
#define READ_bl_i2 READ_i1_i2
#define READ_bl_i4 READ_i1_i4
#define READ_bl_i8 READ_i1_i8
#define READ_bl_f4 READ_i1_f4
#define READ_bl_f8 READ_i1_f8

/* Put each number into the fraction of a double whose last bit has the value 1; subtract 2^52. */
static inline __m256d read_u4_f8(const uint8_t *p)
{
    const __m256d above = _mm256_set1_pd(0x1p52);
    const __m256d sum = _mm256_or_pd(_mm256_castsi256_pd(READ_u4_u8(p)), above);
    return _mm256_sub_pd(sum, above);
}

#define VECTOR_i2 __m256i
#define VECTOR_i4 __m256i
#define VECTOR_i8 __m256i
#define VECTOR_u2 __m256i
#define VECTOR_u4 __m256i
#define VECTOR_u8 __m256i
#define VECTOR_f4 __m256
#define VECTOR_f8 __m256d
#define WRITE_i2 _mm256_storeu_si256
#define WRITE_i4 WRITE_i2
#define WRITE_i8 WRITE_i2
#define WRITE_u2 WRITE_i2
#define WRITE_u4 WRITE_i2
#define WRITE_u8 WRITE_i2
#define WRITE_f4 _mm256_storeu_ps
#define WRITE_f8 _mm256_storeu_pd
#define STREAM_i2 _mm256_stream_si256
#define STREAM_i4 STREAM_i2
#define STREAM_i8 STREAM_i2
#define STREAM_u2 STREAM_i2
#define STREAM_u4 STREAM_i2
#define STREAM_u8 STREAM_i2
#define STREAM_f4 _mm256_stream_ps
#define STREAM_f8 _mm256_stream_pd

#define ALL_i2 _mm256_set1_epi16
#define ALL_i4 _mm256_set1_epi32
#define ALL_i8 _mm256_set1_epi64x
#define ALL_f4 _mm256_set1_ps
#define ALL_f8 _mm256_set1_pd
#define EQUAL_i2 _mm256_cmpeq_epi16
#define EQUAL_i4 _mm256_cmpeq_epi32
#define EQUAL_i8 _mm256_cmpeq_epi64
#define EQUAL_f4(a, b) _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define EQUAL_f8(a, b) _mm256_cmp_pd(a, b, _CMP_EQ_OQ)
#define AND_i2 _mm256_and_si256
#define AND_i4 AND_i2
#define AND_i8 AND_i2
#define TIMES_f4 _mm256_mul_ps
#define TIMES_f8 _mm256_mul_pd
#define WHERE_f4(is, a, b) _mm256_blendv_ps(b, a, is)
#define WHERE_f8(is, a, b) _mm256_blendv_pd(b, a, is)
#define WHERE_i2(is, a, b) _mm256_blendv_epi8(b, a, is)
#define WHERE_i4 WHERE_i2
#define WHERE_i8 WHERE_i2

DVI_WIDENING_LIST(DVI_WIDEN, _, avx2)

/* --- To other numbers ------------------------------------------------------------------------- */

#define f4_or_na_of_i8(v) dvi_f4_or_na(v, dvi_f8_of_i8(dvi_odd_i8(v)))
#define f4_of_u8(v) ((float)dvi_f8_of_u8(dvi_odd_u8(v)))
#define f8_of_i8(v) dvi_f8_of_i8(v)
#define f8_of_u8(v) dvi_f8_of_u8(v)

DVI_OTHER_CONVERSION_LIST(DVI_CONVERT, _, avx2)
