/* SPDX-License-Identifier: MIT */
/* cpu.h: which levels do the CPU and its operating system allow? */
#ifndef DVI_SIMD_CPU_H
#define DVI_SIMD_CPU_H

#include "simd/kernel.h"
#include <stdbool.h>

/* What an x86 CPU tells of itself: leaves of CPUID that there are (0 otherwise), and XCR0 (0 unless
 * the operating system switched it on). */
typedef struct dvi_x86 {
    uint32_t leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf80000001_ecx;
    uint64_t xcr0;
} dvi_x86;

/* May this level run on such a CPU?  Registers are saved by the operating system only when XCR0
 * says so: a CPU with AVX-512 under a kernel that does not know it must not be asked for it. */
bool dvi_x86_allows(const dvi_x86 *x86, dv_level level);

/* May this level run here? */
bool dvi_cpu_allows(dv_level level);

#endif
