/* SPDX-License-Identifier: MIT */
/* kinds.h: maps the abbreviations in the names of kernels to kinds. */
#ifndef DVI_SIMD_KINDS_H
#define DVI_SIMD_KINDS_H

#include <dataview/type.h>

#define DVI_KIND_i1 DV_KIND_I1
#define DVI_KIND_i2 DV_KIND_I2
#define DVI_KIND_i4 DV_KIND_I4
#define DVI_KIND_i8 DV_KIND_I8
#define DVI_KIND_u1 DV_KIND_U1
#define DVI_KIND_u2 DV_KIND_U2
#define DVI_KIND_u4 DV_KIND_U4
#define DVI_KIND_u8 DV_KIND_U8
#define DVI_KIND_ug DV_KIND_UG
#define DVI_KIND_f4 DV_KIND_R4
#define DVI_KIND_f8 DV_KIND_R8
#define DVI_KIND_bl DV_KIND_BL
#define DVI_KIND_dt DV_KIND_DT

#endif
