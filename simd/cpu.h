/* SPDX-License-Identifier: MIT */
/* cpu.h: finds the levels that the CPU and the operating system support. */
#ifndef DVI_SIMD_CPU_H
#define DVI_SIMD_CPU_H

#include "simd/choice.h"
#include "simd/kernel.h"
#include <stdbool.h>

/* The features of an x86 CPU: leaves of CPUID (0 if the CPU lacks the leaf), and XCR0 (0 unless the
 * operating system enabled it). */
typedef struct dvi_x86 {
    uint32_t leaf0_ebx, leaf0_ecx, leaf1_eax, leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf80000001_ecx;
    uint64_t xcr0;
} dvi_x86;

/* Return whether the level may run on such a CPU.  The operating system saves the registers only if
 * XCR0 has their bits, so AVX-512 is not used under a system that does not support it. */
bool dvi_x86_allows(const dvi_x86 *x86, dv_level level);

/* Return which of the measured makes the CPU is. */
dvi_make dvi_x86_make(const dvi_x86 *x86);

/* Return whether the level may run on this machine. */
bool dvi_cpu_allows(dv_level level);
/* Return which of the measured makes this machine is. */
dvi_make dvi_cpu_make(void);

#endif
