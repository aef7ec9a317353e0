/* SPDX-License-Identifier: MIT */
/* test_kernels.c: checks the plain functions of kernels.h against the scalar kernels, and that each
 * refuses what its header says. */
#include <dataview/kernels.h>

#include "simd/kinds.h"
#include "simd/na.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

#define N 1000

#define OK(call)                                                                                   \
    do {                                                                                           \
        dv_error err = DV_ERROR_INIT;                                                              \
        cr_assert_eq(call, DV_OK, "%s", err.message);                                              \
    } while (0)

/* The call refuses its arguments; its message holds the text. */
#define REFUSED(text, call)                                                                        \
    do {                                                                                           \
        dv_error err = DV_ERROR_INIT;                                                              \
        cr_expect_eq(call, DV_ERR_ARGUMENT);                                                       \
        cr_expect(strstr(err.message, text), "%s", err.message);                                   \
    } while (0)

static const dvi_kernel_table *scalar(void)
{
    return dvi_kernels_at(DV_LEVEL_SCALAR);
}

/* --- Levels and the list ---------------------------------------------------------------------- */

Test(kernels, levels)
{
    cr_expect(dv_level_is_available(DV_LEVEL_SCALAR));
    cr_expect(dv_level_is_available(dv_level_in_use()));
    cr_expect_not(dv_level_is_available(DV_LEVELS));
    cr_expect_not(dv_level_is_available((dv_level)-1));
    cr_expect_str_eq(dv_level_name(DV_LEVEL_AVX2), "avx2");
    cr_expect_str_eq(dv_level_name(DV_LEVELS), "?");
}

/* Every kernel of the list runs at every level, and counts its bytes. */
Test(kernels, list)
{
    size_t n;
    const dv_kernel *list = dv_kernel_list(&n);
    dv_kernel_sample *sample;
    OK(dv_kernel_sample_create(&sample, &err));
    cr_expect_str_eq(list[0].name, "utf8_units");
    for (size_t i = 0; i < n; i++) {
        const size_t nbytes = dv_kernel_sample_run(sample, i, DV_LEVEL_SCALAR);
        cr_expect_gt(nbytes, 0, "%s", list[i].name);
        cr_expect_eq(dv_kernel_sample_run(sample, i, dv_level_in_use()), nbytes, "%s",
                     list[i].name);
        cr_expect_gt(strlen(list[i].contract), 0);
        cr_expect_leq(dv_kernel_level(i), dv_level_in_use(), "%s", list[i].name);
    }
    cr_expect_eq(dv_kernel_level(n), DV_LEVELS);
    cr_expect_eq(dv_kernel_sample_run(sample, n, DV_LEVEL_SCALAR), 0);
    cr_expect_eq(dv_kernel_sample_run(sample, 0, DV_LEVELS), 0);
    dv_kernel_sample_free(&sample);
    cr_expect_null(sample);
    dv_kernel_sample_free(&sample);
}

/* --- Conversion ------------------------------------------------------------------------------- */

static uint8_t bytes[N * 16 + 1];

static const uint8_t *random_bytes(void)
{
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        bytes[i] = (uint8_t)(state >> 56);
    }
    return bytes + 1; /* not aligned */
}

#define EXPECT_CONVERTED(X, level, from, to, rule)                                                 \
    do {                                                                                           \
        static DVI_ITEM_##to want[N], got[N];                                                      \
        OK(dv_items_convert(got, DVI_KIND_##to, src, DVI_KIND_##from, N, &err));                   \
        scalar()->convert_##from##_##to(want, src, N);                                             \
        cr_expect_eq(memcmp(got, want, sizeof want), 0, #from " to " #to);                         \
    } while (0);

Test(kernels, convert)
{
    const uint8_t *src = random_bytes();
    DVI_CONVERSION_LIST(EXPECT_CONVERTED, _, _)
}

Test(kernels, convert_to_the_same_kind)
{
    const uint8_t *src = random_bytes();
    static double got[N];
    OK(dv_items_convert(got, DV_KIND_R8, src, DV_KIND_R8, N, &err));
    cr_expect_eq(memcmp(got, src, sizeof got), 0);
    OK(dv_items_convert(NULL, DV_KIND_R8, NULL, DV_KIND_R8, 0, &err));
}

Test(kernels, convert_refuses)
{
    double dst[2] = {1, 2};
    REFUSED("no kernel converts TX to R8",
            dv_items_convert(dst, DV_KIND_R8, dst, DV_KIND_TX, 1, &err));
    REFUSED("no kernel converts TX to TX",
            dv_items_convert(dst, DV_KIND_TX, dst, DV_KIND_TX, 1, &err));
    REFUSED("dst is not aligned to 8 bytes",
            dv_items_convert((char *)dst + 4, DV_KIND_R8, bytes, DV_KIND_R4, 1, &err));
    cr_expect(dst[0] == 1 && dst[1] == 2);
}

/* --- NA --------------------------------------------------------------------------------------- */

/* One item in four is NA, and the functions find exactly these. */
static void expect_na(dv_type type, const void *na, const void *value)
{
    static uint64_t items[N], filled[N];
    static uint8_t bits[(N + 7) / 8];
    const size_t width = (size_t)dv_kind_width(type.kind);
    uint8_t *const p = (uint8_t *)items, *const q = (uint8_t *)filled;
    size_t first, count, masked;
    for (size_t i = 0; i < N; i++)
        memcpy(p + i * width, i % 4 == 3 ? na : value, width);
    OK(dv_items_na_first(&first, &type, items, N, &err));
    OK(dv_items_na_count(&count, &type, items, N, &err));
    OK(dv_items_na_mask(bits, &masked, &type, items, N, &err));
    OK(dv_items_na_replace(filled, &type, items, N, value, &err));
    cr_expect_eq(first, 3);
    cr_expect_eq(count, N / 4);
    cr_expect_eq(masked, N / 4);
    for (size_t i = 0; i < N; i++) {
        cr_expect_eq(bits[i / 8] >> i % 8 & 1, i % 4 != 3);
        cr_expect_eq(memcmp(q + i * width, value, width), 0);
    }
    OK(dv_items_na_first(&first, &type, filled, N, &err));
    cr_expect_eq(first, N);
}

#define EXPECT_NA(type, ctype, na, value) expect_na(type, &(const ctype){na}, &(const ctype){value})

Test(kernels, na)
{
    EXPECT_NA(dv_type_of(DV_KIND_I1), int8_t, INT8_MIN, -3);
    EXPECT_NA(dv_type_of(DV_KIND_I2), int16_t, INT16_MIN, -3);
    EXPECT_NA(dv_type_of(DV_KIND_I4), int32_t, INT32_MIN, -3);
    EXPECT_NA(dv_type_of(DV_KIND_I8), int64_t, INT64_MIN, -3);
    EXPECT_NA(dv_type_of(DV_KIND_R4), float, NAN, -3);
    EXPECT_NA(dv_type_of(DV_KIND_R8), double, NAN, -3);
    EXPECT_NA(dv_type_of(DV_KIND_BL), int8_t, DV_BL_NA, 1);
    EXPECT_NA(dv_type_of(DV_KIND_TS), int64_t, DV_TICKS_NA, -3);
    EXPECT_NA(dv_type_of(DV_KIND_DT), int64_t, DV_TICKS_NA, 3);
    EXPECT_NA(dv_type_key(DV_KIND_U1, 0, 5), uint8_t, 0, 5);
    EXPECT_NA(dv_type_key(DV_KIND_U4, 0, 5), uint32_t, 6, 5);
}

Test(kernels, na_of_types_without)
{
    size_t n;
    const dv_type type = dv_type_of(DV_KIND_U2);
    OK(dv_items_na_count(&n, &type, random_bytes(), N, &err));
    cr_expect_eq(n, 0);
}

Test(kernels, na_refuses)
{
    size_t n = 77;
    uint8_t bits = 77;
    double real = 77;
    const dv_type text = dv_type_of(DV_KIND_TX), r8 = dv_type_of(DV_KIND_R8);
    const dv_type vector = dv_type_vector(r8, 2);
    const char *const message = "is not a type of items of 1, 2, 4 or 8 bytes";
    REFUSED(message, dv_items_na_first(&n, &text, bytes, 1, &err));
    REFUSED(message, dv_items_na_count(&n, &vector, bytes, 1, &err));
    REFUSED(message, dv_items_na_mask(&bits, &n, &text, bytes, 1, &err));
    REFUSED(message, dv_items_na_replace(&real, &text, bytes, 1, &real, &err));
    REFUSED("dst is not aligned to 8 bytes",
            dv_items_na_replace((char *)&real + 1, &r8, bytes, 0, &real, &err));
    cr_expect(n == 77 && bits == 77 && real == 77);
}

/* --- Bits and text ---------------------------------------------------------------------------- */

Test(kernels, bits)
{
    int8_t in[21] = {1, 0, 1, 1, 0, 0, 0, 1, 1, -128}, out[21];
    uint8_t packed[3];
    cr_expect_eq(dv_bits_pack(packed, in, 21), 1);
    cr_expect(packed[0] == 0x8D && packed[1] == 1 && packed[2] == 0);
    dv_bits_unpack(out, packed, 21);
    in[9] = 0;
    cr_expect_eq(memcmp(in, out, sizeof in), 0);
}

Test(kernels, utf8)
{
    size_t units;
    cr_expect_eq(dv_utf8_check(&units, "a\xC3\xA9\xF0\x9F\x98\x80", 7), 7);
    cr_expect_eq(units, 4);
    cr_expect_eq(dv_utf8_check(&units, "ab\xC3", 3), 2);
    cr_expect_eq(units, 2);
    cr_expect_eq(dv_utf8_check(NULL, "\xED\xA0\x80", 3), 0);
}

/* --- Sparse rows ------------------------------------------------------------------------------ */

static const int32_t counts[] = {2, -1, 0};
static const int32_t indices[] = {0, 2};
static const int16_t items[] = {5, INT16_MIN, 7, 8, 9};
static const dv_sparse three = {3, 3, NULL, counts, indices, items};

Test(kernels, densify)
{
    float dst[3][4] = {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    OK(dv_sparse_densify(dst, DV_KIND_R4, 4, 3, &three, DV_KIND_I2, &err));
    cr_expect(dst[0][0] == 5 && dst[0][1] == 0 && isnan(dst[0][2]) && dst[0][3] == 1);
    cr_expect(dst[1][0] == 7 && dst[1][1] == 8 && dst[1][2] == 9 && dst[1][3] == 1);
    cr_expect(dst[2][0] == 0 && dst[2][1] == 0 && dst[2][2] == 0 && dst[2][3] == 1);
    int16_t same[9];
    OK(dv_sparse_densify(same, DV_KIND_I2, 3, 3, &three, DV_KIND_I2, &err));
    cr_expect_eq(memcmp(same, (int16_t[]){5, 0, INT16_MIN, 7, 8, 9, 0, 0, 0}, sizeof same), 0);
}

/* Fail to densify, and leave dst as it was. */
static void expect_refused(const dv_sparse *rows, const char *message)
{
    double dst[9] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    REFUSED(message, dv_sparse_densify(dst, DV_KIND_R8, 3, 3, rows, DV_KIND_I2, &err));
    for (int i = 0; i < 9; i++)
        cr_expect_eq(dst[i], 0.5);
}

Test(kernels, densify_refuses)
{
    double dst[9];
    dv_sparse rows = three;
    REFUSED("no kernel converts TX to R8",
            dv_sparse_densify(dst, DV_KIND_R8, 3, 3, &three, DV_KIND_TX, &err));
    REFUSED("stride 2 is below width 3",
            dv_sparse_densify(dst, DV_KIND_R8, 2, 3, &three, DV_KIND_I2, &err));
    REFUSED("dst is not aligned to 8 bytes",
            dv_sparse_densify((char *)dst + 1, DV_KIND_R8, 3, 3, &three, DV_KIND_I2, &err));
    rows.counts = (const int32_t[]){2, 4, 0};
    expect_refused(&rows, "row 1: its length is negative, or its count is not -1 and not from 0 "
                          "to its length");
    rows = three;
    rows.indices = (const int32_t[]){2, 2};
    expect_refused(&rows, "row 0: an index does not rise, or is too large");
    rows.indices = (const int32_t[]){0, 3};
    expect_refused(&rows, "row 0: an index does not rise, or is too large");
    rows = three;
    rows.lengths = (const int32_t[]){3, 3, 4};
    expect_refused(&rows, "row 2 has 4 slots, width is 3");
}

#define EXPECT_SPARSE(ctype)                                                                       \
    do {                                                                                           \
        const ctype src[] = {0, 3, 0, 9, 0, 0, 0, 9, 4, 5, 6, 9};                                  \
        int32_t n_of[3], slots[9];                                                                 \
        ctype stored[9], back[12] = {0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9};                          \
        size_t n;                                                                                  \
        OK(dv_sparse_from_dense(n_of, slots, stored, &n, src, sizeof(ctype), 4, 3, 3, &err));      \
        cr_expect_eq(n, 4);                                                                        \
        cr_expect(n_of[0] == 1 && n_of[1] == 0 && n_of[2] == 3 && slots[0] == 1);                  \
        const dv_sparse rows = {3, 3, NULL, n_of, slots, stored};                                  \
        const dv_kind kind = sizeof(ctype) == 1   ? DV_KIND_U1                                     \
                             : sizeof(ctype) == 2 ? DV_KIND_U2                                     \
                             : sizeof(ctype) == 4 ? DV_KIND_U4                                     \
                                                  : DV_KIND_U8;                                    \
        OK(dv_sparse_densify(back, kind, 4, 3, &rows, kind, &err));                                \
        cr_expect_eq(memcmp(back, src, sizeof src), 0);                                            \
    } while (0)

Test(kernels, from_dense)
{
    EXPECT_SPARSE(uint8_t);
    EXPECT_SPARSE(uint16_t);
    EXPECT_SPARSE(uint32_t);
    EXPECT_SPARSE(uint64_t);
}

Test(kernels, from_dense_refuses)
{
    int32_t n_of[1], slots[2];
    uint64_t stored[2] = {77, 77};
    REFUSED("items of 3 bytes: expected 1, 2, 4 or 8",
            dv_sparse_from_dense(n_of, slots, stored, NULL, bytes, 3, 2, 2, 1, &err));
    REFUSED("width 2: expected at most 2^31-1, and at most the stride, 1",
            dv_sparse_from_dense(n_of, slots, stored, NULL, bytes, 8, 1, 2, 1, &err));
    REFUSED("items is not aligned to 8 bytes",
            dv_sparse_from_dense(n_of, slots, (char *)stored + 4, NULL, bytes, 8, 2, 2, 1, &err));
    cr_expect(stored[0] == 77 && stored[1] == 77);
}

Test(kernels, row_counts)
{
    const int32_t narrow[] = {1, 3, 3, 7};
    const int64_t wide[] = {1, 3, 3, 7};
    int32_t got[3];
    OK(dv_csr_row_counts(got, narrow, DV_KIND_I4, 3, 7, 4, &err));
    cr_expect(got[0] == 2 && got[1] == 0 && got[2] == 4);
    memset(got, 0, sizeof got);
    OK(dv_csr_row_counts(got, wide, DV_KIND_I8, 3, 7, 4, &err));
    cr_expect(got[0] == 2 && got[1] == 0 && got[2] == 4);
    REFUSED("row 2: its start and end are not in order, not within 6 entries",
            dv_csr_row_counts(got, wide, DV_KIND_I8, 3, 6, 4, &err));
    REFUSED("entries, or more than 3 apart",
            dv_csr_row_counts(got, wide, DV_KIND_I8, 3, 7, 3, &err));
    REFUSED("indptr of kind R8: expected I4 or I8",
            dv_csr_row_counts(got, wide, DV_KIND_R8, 3, 7, 4, &err));
}

/* --- Pixels ----------------------------------------------------------------------------------- */

Test(kernels, mix)
{
    enum { ONE = 1 << DV_WEIGHT_BITS };
    static const dv_taps taps[] = {{1, 1}, {0, 2}};
    static const int32_t weights[] = {ONE, 0, 0, 0, ONE / 2, ONE / 2, 0, 0};
    static const uint8_t src[] = {10, 20, 30, 40, 50, 61, 99, 70, 80, 90, 100, 110, 121, 99};
    static const uint8_t want[] = {40, 50, 61, 25, 35, 46, 0, 100, 110, 121, 85, 95, 106, 0};
    uint8_t dst[14] = {0};
    const dv_mix mix = {2, taps, weights, 4};
    OK(dv_pixels_mix(dst, 7, src, 7, 2, 2, 3, &mix, &err));
    cr_expect_arr_eq(dst, want, sizeof want);
    dv_rows_blend(dst, src, 7, 6, weights + 4, 2);
    cr_expect_arr_eq(dst, ((const uint8_t[]){40, 50, 60, 70, 80, 91}), 6);
}

Test(kernels, mix_refuses)
{
    static const int32_t weights[8] = {0};
    static const uint8_t src[64] = {0};
    static const dv_taps beyond[] = {{0, 1}, {2, 3}}, before[] = {{-1, 1}}, many[] = {{0, 4}},
                         negative[] = {{2, -1}}, far[] = {{INT32_MAX, 0}};
    uint8_t dst[64];
    REFUSED("2 channels",
            dv_pixels_mix(dst, 8, src, 8, 4, 1, 2, &(dv_mix){1, beyond, weights, 4}, &err));
    REFUSED("taps 1",
            dv_pixels_mix(dst, 8, src, 8, 4, 1, 1, &(dv_mix){2, beyond, weights, 4}, &err));
    REFUSED("taps 0",
            dv_pixels_mix(dst, 8, src, 8, 4, 1, 1, &(dv_mix){1, before, weights, 4}, &err));
    REFUSED("taps 0", dv_pixels_mix(dst, 8, src, 8, 4, 1, 1, &(dv_mix){1, many, weights, 0}, &err));
    REFUSED("taps 0", dv_pixels_mix(dst, 8, src, 8, 3, 1, 1, &(dv_mix){1, many, weights, 4}, &err));
    REFUSED("taps 0",
            dv_pixels_mix(dst, 8, src, 8, 4, 1, 1, &(dv_mix){1, negative, weights, 4}, &err));
    REFUSED("taps 0", dv_pixels_mix(dst, 8, src, 8, 4, 1, 1, &(dv_mix){1, far, weights, 4}, &err));
    REFUSED("multiple of 4",
            dv_pixels_mix(dst, 8, src, 8, 4, 1, 1, &(dv_mix){1, many, weights, 6}, &err));
    REFUSED("pitch", dv_pixels_mix(dst, 8, src, 11, 4, 1, 3, &(dv_mix){1, many, weights, 4}, &err));
    REFUSED("pitch", dv_pixels_mix(dst, 2, src, 12, 4, 1, 3, &(dv_mix){1, many, weights, 4}, &err));
}

/* The values of the bytes below are exact. */
Test(kernels, planes)
{
    static const uint8_t rgb[] = {1, 2, 3, 101, 102, 103}, rgba[] = {1, 2, 3, 9, 101, 102, 103, 9};
    static const dv_pixel_scale how = {1, 0.5F, {0, 1, 2}, {1, 2, 4}};
    static const float want[] = {0, 50, -0.25F, 24.75F, -0.25F, 12.25F};
    float got[6];
    float *const planes[] = {got, got + 2, got + 4};
    cr_expect_eq(dv_pixels_planes(planes, rgb, 2, 3, &how, NULL), DV_OK);
    cr_expect_arr_eq(got, want, sizeof want);
    memset(got, 0, sizeof got);
    cr_expect_eq(dv_pixels_planes(planes, rgba, 2, 4, &how, NULL), DV_OK);
    cr_expect_arr_eq(got, want, sizeof want);
    memset(got, 0, sizeof got);
    REFUSED("2 channels", dv_pixels_planes(planes, rgba, 2, 2, &how, &err));
    cr_expect_eq(got[1], 0, "nothing is written");
}
