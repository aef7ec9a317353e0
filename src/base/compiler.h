/* SPDX-License-Identifier: MIT */
/* compiler.h: everything that depends on the compiler. */
#ifndef DVI_BASE_COMPILER_H
#define DVI_BASE_COMPILER_H

#if defined(__GNUC__)
#define DVI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define DVI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define DVI_ALWAYS_INLINE inline __attribute__((always_inline))
#define DVI_NOINLINE __attribute__((noinline))
#define DVI_FETCH(p) __builtin_prefetch(p)           /* prefetch the cache line of p */
#define DVI_FETCH_FAR(p) __builtin_prefetch(p, 0, 2) /* only into the second cache */
#define DVI_OPAQUE(x) __asm__("" : "+r"(x)) /* the compiler moves no computation of x across it */
#if defined(__aarch64__)
#define DVI_OPAQUE_VECTOR(x) __asm__("" : "+w"(x)) /* the same for a vector */
#else
#define DVI_OPAQUE_VECTOR(x) __asm__("" : "+v"(x))
#endif
#else
#define DVI_PRINTF(text, first)
#define DVI_UNLIKELY(x) (x)
#define DVI_ALWAYS_INLINE inline
#define DVI_NOINLINE
#define DVI_FETCH(p) ((void)(p))
#define DVI_FETCH_FAR(p) ((void)(p))
#define DVI_OPAQUE(x) ((void)(x))
#define DVI_OPAQUE_VECTOR(x) ((void)(x))
#endif

/* What always holds, for the static analyser, which does not see why. */
#if defined(__clang_analyzer__)
#define DVI_KNOWN(condition) ((condition) ? (void)0 : __builtin_unreachable())
#else
#define DVI_KNOWN(condition) ((void)0)
#endif

/* MemorySanitizer does not see the reads and writes of libraries that are not instrumented. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define DVI_WRITTEN(data, n) __msan_unpoison(data, n)
#define DVI_READ(data, n) __msan_check_mem_is_initialized(data, n)
#endif
#endif
#ifndef DVI_WRITTEN
#define DVI_WRITTEN(data, n) ((void)0)
#define DVI_READ(data, n) ((void)0)
#endif

#endif
