/* SPDX-License-Identifier: MIT */
/* attrs.h: which compiler is this?  Asked nowhere else. */
#ifndef DVI_BASE_ATTRS_H
#define DVI_BASE_ATTRS_H

#if defined(__GNUC__)
#define DVI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define DVI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define DVI_PRINTF(text, first)
#define DVI_UNLIKELY(x) (x)
#endif

#endif
