/* SPDX-License-Identifier: MIT */
/* cpu.c: finds the levels that the CPU and the operating system support. */
#include "simd/cpu.h"

#define BIT(n) (UINT32_C(1) << (n))

/* Leaf 0: "AuthenticAMD", of which these are the first four bytes and the last. */
#define AMD_EBX 0x68747541
#define AMD_ECX 0x444D4163
#define ZEN_3_AND_4 25 /* a family; of these, only Zen 4 has AVX-512 */
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
#define AVX512_VBMI2_VNNI (BIT(6) | BIT(11))
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
               has(x86->leaf7_ecx, AVX512_VBMI2_VNNI) && has(x86->xcr0, ZMM_STATE);
    case DV_LEVEL_NEON:
    case DV_LEVELS:
        break;
    }
    return false;
}

/* Leaf 1, eax: families beyond 15 are a sum. */
static uint32_t family_of(const dvi_x86 *x86)
{
    const uint32_t base = x86->leaf1_eax >> 8 & 15, more = x86->leaf1_eax >> 20 & 255;
    return base == 15 ? base + more : base;
}

dvi_make dvi_x86_make(const dvi_x86 *x86)
{
    const bool is_amd = x86->leaf0_ebx == AMD_EBX && x86->leaf0_ecx == AMD_ECX;
    return is_amd && family_of(x86) == ZEN_3_AND_4 && dvi_x86_allows(x86, DV_LEVEL_AVX512)
               ? DVI_MAKE_ZEN4
               : DVI_MAKE_UNKNOWN;
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
    if (__get_cpuid(0, &eax, &ebx, &ecx, &edx)) {
        x86.leaf0_ebx = ebx;
        x86.leaf0_ecx = ecx;
    }
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        x86.leaf1_eax = eax;
        x86.leaf1_ecx = ecx;
    }
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

dvi_make dvi_cpu_make(void)
{
    const dvi_x86 x86 = query_cpu();
    return dvi_x86_make(&x86);
}

#else

dvi_make dvi_cpu_make(void)
{
    return DVI_MAKE_UNKNOWN;
}

#if defined(__aarch64__)

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
#endif
