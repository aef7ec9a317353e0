/* SPDX-License-Identifier: MIT */
/* hash_neon.c: hashes keys with BLAKE2s, 4 at a time. */
#include <arm_neon.h>

typedef uint32x4_t vec;
#define LANES 4

#define vec_load vld1q_u32
#define vec_store vst1q_u32
#define vec_set vdupq_n_u32
#define vec_add vaddq_u32
#define vec_xor veorq_u32
#define vec_and vandq_u32
#define vec_rotate_16(v) vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(v)))
#define vec_rotate_12(v) vec_rotate(v, 12)
#define vec_rotate_8(v) vec_rotate(v, 8)
#define vec_rotate_7(v) vec_rotate(v, 7)
#define vec_rotate(v, n) vsriq_n_u32(vshlq_n_u32(v, 32 - (n)), v, n)

#include "simd/hash_tmpl.h"

DVI_HASH_KERNEL(neon)
