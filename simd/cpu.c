/* SPDX-License-Identifier: MIT */
/* cpu.c: finds the levels that the CPU and the operating system support. */
#include "simd/cpu.h"

#define BIT(n) (UINT32_C(1) << (n))

/* Leaf 1, ecx. */
#define SSE3_TO_SSE42 (BIT(0) | BIT(9) | BIT(19) | BIT(20))
#define POPCNT BIT(23)
#define OSXSAVE BIT(27)
#define AVX BIT(28)
/* Leaf 7, ebx and ecx. */
#define BMI1 BIT(3)
#define AVX2 BIT(5)
#define BMI2 BIT(8)
#define AVX512_F_DQ_BW_VL (BIT(16) | BIT(17) | BIT(30) | BIT(31))
#define AVX512_VBMI2 BIT(6)
/* Leaf 0x80000001, ecx. */
#define LZCNT BIT(5)
/* XCR0, the registers that the operating system saves: SSE and AVX; then also the masks and upper
 * halves of AVX-512. */
#define YMM_STATE UINT64_C(0x06)
#define ZMM_STATE UINT64_C(0xE6)

static bool has(uint64_t word, uint64_t bits)
{
    return (word & bits) == bits;
}

static bool allows_avx2(const dvi_x86 *x86)
{
    return has(x86->leaf1_ecx, SSE3_TO_SSE42 | POPCNT | OSXSAVE | AVX) &&
           has(x86->leaf7_ebx, BMI1 | AVX2 | BMI2) && has(x86->leaf80000001_ecx, LZCNT) &&
           has(x86->xcr0, YMM_STATE);
}

bool dvi_x86_allows(const dvi_x86 *x86, dv_level level)
{
    switch (level) {
    case DV_LEVEL_SCALAR:
        return true;
    case DV_LEVEL_AVX2:
        return allows_avx2(x86);
    case DV_LEVEL_AVX512:
        return allows_avx2(x86) && has(x86->leaf7_ebx, AVX512_F_DQ_BW_VL) &&
               has(x86->leaf7_ecx, AVX512_VBMI2) && has(x86->xcr0, ZMM_STATE);
    case DV_LEVEL_NEON:
    case DV_LEVELS:
        break;
    }
    return false;
}

#if defined(__x86_64__)
#include <cpuid.h>

static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static dvi_x86 query_cpu(void)
{
    dvi_x86 x86 = {0};
    uint32_t eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        x86.leaf1_ecx = ecx;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        x86.leaf7_ebx = ebx;
        x86.leaf7_ecx = ecx;
    }
    if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
        x86.leaf80000001_ecx = ecx;
    if (has(x86.leaf1_ecx, OSXSAVE)) /* without it, the instruction does not exist */
        x86.xcr0 = read_xcr0();
    return x86;
}

bool dvi_cpu_allows(dv_level level)
{
    const dvi_x86 x86 = query_cpu();
    return dvi_x86_allows(&x86, level);
}

#elif defined(__aarch64__)

/* Every 64-bit ARM CPU has NEON. */
bool dvi_cpu_allows(dv_level level)
{
    return level == DV_LEVEL_SCALAR || level == DV_LEVEL_NEON;
}

#else

bool dvi_cpu_allows(dv_level level)
{
    return level == DV_LEVEL_SCALAR;
}

#endif
