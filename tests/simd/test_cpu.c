/* SPDX-License-Identifier: MIT */
/* test_cpu.c: a level is allowed only if both the CPU and the operating system support it. */
#include "simd/cpu.h"
#include "support/test.h"
#include <string.h>

/* A CPU with everything that level avx512 requires, under a system that saves its registers. */
static dvi_x86 everything(void)
{
    return (dvi_x86){.leaf1_ecx = 0x18980201,
                     .leaf7_ebx = 0xC0030128,
                     .leaf7_ecx = 0x840,
                     .leaf80000001_ecx = 0x20,
                     .xcr0 = 0xE7};
}

static bool allows(dvi_x86 x86, dv_level level)
{
    return dvi_x86_allows(&x86, level);
}

Test(cpu, everything_allows_all_of_x86)
{
    cr_expect(allows(everything(), DV_LEVEL_SCALAR));
    cr_expect(allows(everything(), DV_LEVEL_AVX2));
    cr_expect(allows(everything(), DV_LEVEL_AVX512));
    cr_expect_not(allows(everything(), DV_LEVEL_NEON));
    cr_expect_not(allows(everything(), DV_LEVELS));
}

Test(cpu, nothing_allows_scalar)
{
    const dvi_x86 nothing = {0};
    cr_expect(allows(nothing, DV_LEVEL_SCALAR));
    cr_expect_not(allows(nothing, DV_LEVEL_AVX2));
    cr_expect_not(allows(nothing, DV_LEVEL_AVX512));
}

/* Each set bit of a word is required: clear them one by one. */
#define EXPECT_EACH_NEEDED(field, level)                                                           \
    for (int bit = 0; bit < 32; bit++) {                                                           \
        dvi_x86 x86 = everything();                                                                \
        if (!(x86.field >> bit & 1))                                                               \
            continue;                                                                              \
        x86.field ^= UINT32_C(1) << bit;                                                           \
        cr_expect_not(allows(x86, level), #field " without bit %d", bit);                          \
    }

Test(cpu, avx2_needs_each_instruction_set)
{
    EXPECT_EACH_NEEDED(leaf1_ecx, DV_LEVEL_AVX2)
    EXPECT_EACH_NEEDED(leaf80000001_ecx, DV_LEVEL_AVX2)
    for (int bit = 3; bit <= 8; bit++) { /* BMI1, AVX2, BMI2 */
        dvi_x86 x86 = everything();
        x86.leaf7_ebx &= ~(UINT32_C(1) << bit);
        cr_expect_eq(allows(x86, DV_LEVEL_AVX2), bit != 3 && bit != 5 && bit != 8, "bit %d", bit);
    }
}

Test(cpu, avx512_needs_each_instruction_set){
    EXPECT_EACH_NEEDED(leaf1_ecx, DV_LEVEL_AVX512) EXPECT_EACH_NEEDED(leaf7_ebx, DV_LEVEL_AVX512)
        EXPECT_EACH_NEEDED(leaf7_ecx, DV_LEVEL_AVX512)
            EXPECT_EACH_NEEDED(leaf80000001_ecx, DV_LEVEL_AVX512)}

/* Families of AMD: 23 is Zen 2, 25 Zen 3 and 4, 26 Zen 5; Intel's first bytes are others. */
Test(cpu, zen_4_is_amd_of_family_25_with_avx512)
{
    dvi_x86 x86 = everything();
    cr_expect_eq(dvi_x86_make(&x86), DVI_MAKE_UNKNOWN);
    memcpy(&x86.leaf0_ebx, "Auth", 4);
    memcpy(&x86.leaf0_ecx, "cAMD", 4);
    x86.leaf1_eax = 0x00A10F11;
    cr_expect_eq(dvi_x86_make(&x86), DVI_MAKE_ZEN4);
    x86.leaf1_eax = 0x00B20F40;
    cr_expect_eq(dvi_x86_make(&x86), DVI_MAKE_UNKNOWN);
    x86.leaf1_eax = 0x00A10911; /* the upper part counts only after 15 */
    cr_expect_eq(dvi_x86_make(&x86), DVI_MAKE_UNKNOWN);
    x86.leaf1_eax = 0x00A10F11;
    x86.xcr0 = 0x07;
    cr_expect_eq(dvi_x86_make(&x86), DVI_MAKE_UNKNOWN, "Zen 3, or a system without AVX-512");
    x86 = everything();
    memcpy(&x86.leaf0_ebx, "Genu", 4);
    memcpy(&x86.leaf0_ecx, "ntel", 4);
    x86.leaf1_eax = 0x00A10F11;
    cr_expect_eq(dvi_x86_make(&x86), DVI_MAKE_UNKNOWN);
}

/* Story: a kernel booted without AVX-512 state leaves the feature bits of the CPU set; the first
 * such instruction would then be illegal. */
Test(cpu, the_system_must_save_the_registers)
{
    dvi_x86 x86 = everything();
    x86.xcr0 = 0x07; /* x87, SSE and AVX */
    cr_expect(allows(x86, DV_LEVEL_AVX2));
    cr_expect_not(allows(x86, DV_LEVEL_AVX512));
    x86.xcr0 = 0x03;
    cr_expect_not(allows(x86, DV_LEVEL_AVX2));
    x86.xcr0 = 0;
    cr_expect_not(allows(x86, DV_LEVEL_AVX2));
}
