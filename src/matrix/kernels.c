/* SPDX-License-Identifier: MIT */
/* kernels.c: the plain functions of kernels.h, which check their arguments and call a kernel. */
#include "base/check.h"
#include "simd/convert.h"
#include "simd/na.h"
#include "simd/store.h"
#include "matrix/matrix.h"
#include <string.h>

static bool is_aligned(const void *p, size_t nbytes)
{
    return (uintptr_t)p % (nbytes > 8 ? 8 : nbytes) == 0;
}

static dv_status check_aligned(const char *name, const void *p, size_t nbytes, dv_error *err)
{
    DVI_REQUIRE(is_aligned(p, nbytes),
                dvi_fail_argument(err, "%s is not aligned to %zu bytes", name, nbytes));
    return DV_OK;
}

static dv_status fail_conversion(dv_kind from, dv_kind to, dv_error *err)
{
    return dvi_fail_argument(err, "no kernel converts %s to %s", dv_kind_name(from),
                             dv_kind_name(to));
}

/* --- Conversion ------------------------------------------------------------------------------- */

dv_status dv_items_convert(void *dst, dv_kind to, const void *src, dv_kind from, size_t n,
                           dv_error *err)
{
    const size_t nbytes = (size_t)dv_kind_width(to);
    dvi_convert *convert = dvi_convert_find(from, to);
    DVI_REQUIRE(convert || (from == to && nbytes > 0), fail_conversion(from, to, err));
    DVI_TRY(check_aligned("dst", dst, nbytes, err));
    if (n == 0)
        return DV_OK;
    if (convert)
        convert(dst, src, n);
    else
        memcpy(dst, src, n * nbytes);
    return DV_OK;
}

/* --- NA --------------------------------------------------------------------------------------- */

/* The rule of a type, and the width of its items; 0: there are no kernels for it. */
static size_t rule_of(dvi_na *rule_out, const dv_type *type)
{
    const int width = dv_type_is_vector(type) ? 0 : dv_kind_width(type->kind);
    *rule_out = dvi_na_of(type);
    return width == 1 || width == 2 || width == 4 || width == 8 ? (size_t)width : 0;
}

static dv_status fail_type(const dv_type *type, dv_error *err)
{
    char name[128];
    dv_type_print(type, name, sizeof name);
    return dvi_fail_argument(err, "%s is not a type of items of 1, 2, 4 or 8 bytes", name);
}

/* Call the kernel of a family for a width. */
#define CALL(family, width, ...)                                                                   \
    ((width) == 1   ? dvi_kernels()->family##_1(__VA_ARGS__)                                       \
     : (width) == 2 ? dvi_kernels()->family##_2(__VA_ARGS__)                                       \
     : (width) == 4 ? dvi_kernels()->family##_4(__VA_ARGS__)                                       \
                    : dvi_kernels()->family##_8(__VA_ARGS__))

dv_status dv_items_na_first(size_t *first_out, const dv_type *type, const void *items, size_t n,
                            dv_error *err)
{
    dvi_na rule;
    const size_t width = rule_of(&rule, type);
    DVI_REQUIRE(width > 0, fail_type(type, err));
    *first_out = dvi_na_first(&rule, items, width, n);
    return DV_OK;
}

dv_status dv_items_na_count(size_t *count_out, const dv_type *type, const void *items, size_t n,
                            dv_error *err)
{
    dvi_na rule;
    const size_t width = rule_of(&rule, type);
    DVI_REQUIRE(width > 0, fail_type(type, err));
    *count_out = CALL(na_count, width, items, n, &rule);
    return DV_OK;
}

dv_status dv_items_na_mask(uint8_t *bits, size_t *count_out, const dv_type *type, const void *items,
                           size_t n, dv_error *err)
{
    dvi_na rule;
    const size_t width = rule_of(&rule, type);
    DVI_REQUIRE(width > 0, fail_type(type, err));
    const size_t count = CALL(na_mask, width, bits, items, n, &rule, 0);
    if (count_out)
        *count_out = count;
    return DV_OK;
}

dv_status dv_items_na_replace(void *dst, const dv_type *type, const void *items, size_t n,
                              const void *value, dv_error *err)
{
    dvi_na rule;
    const size_t width = rule_of(&rule, type);
    const dvi_kernel_table *k = dvi_kernels();
    DVI_REQUIRE(width > 0, fail_type(type, err));
    DVI_TRY(check_aligned("dst", dst, width, err));
    switch (width) {
    case 1:
        k->na_replace_1(dst, items, n, &rule, *(const uint8_t *)value);
        break;
    case 2:
        k->na_replace_2(dst, items, n, &rule, dvi_load_u16(value));
        break;
    case 4:
        k->na_replace_4(dst, items, n, &rule, dvi_load_u32(value));
        break;
    default:
        k->na_replace_8(dst, items, n, &rule, dvi_load_u64(value));
        break;
    }
    return DV_OK;
}

/* --- Bits and text ---------------------------------------------------------------------------- */

void dv_bits_unpack(int8_t *dst, const uint8_t *bits, size_t n)
{
    dvi_kernels()->bits_expand(dst, bits, n);
}

size_t dv_bits_pack(uint8_t *bits, const int8_t *src, size_t n)
{
    return dvi_kernels()->bits_pack(bits, src, n);
}

size_t dv_utf8_check(size_t *units_out, const void *text, size_t nbytes)
{
    size_t units;
    const size_t sound = dvi_kernels()->utf8_units(text, nbytes, &units);
    if (units_out)
        *units_out = units;
    return sound;
}

/* --- Sparse rows ------------------------------------------------------------------------------ */

/* Check the rows themselves: a wrong index would write anywhere. */
static dv_status check_sparse(const dv_sparse *rows, const dvi_matrix *m, dv_error *err)
{
    int64_t sums[2];
    const size_t sound = dvi_kernels()->counts_check(rows, 0, sums);
    DVI_REQUIRE(sound == rows->n,
                dvi_fail_argument(err,
                                  "row %zu: its length is negative, or its count is not -1 "
                                  "and not from 0 to its length",
                                  sound));
    DVI_TRY(dvi_matrix_check_lengths(rows, m, err));
    return dvi_matrix_check_indices(rows, (size_t)sums[0], 0, err);
}

dv_status dv_sparse_densify(void *dst, dv_kind to, size_t stride, size_t width,
                            const dv_sparse *rows, dv_kind from, dv_error *err)
{
    const dvi_densify_kernel *kernel = dvi_densify_find(from, to);
    DVI_REQUIRE(kernel, fail_conversion(from, to, err));
    const dvi_matrix m = {.dst = dst, .width = width, .stride = stride, .item = to};
    DVI_TRY(check_aligned("dst", dst, kernel->item_nbytes, err));
    DVI_REQUIRE(rows->n <= INT64_MAX, dvi_fail_argument(err, "%zu rows do not fit", rows->n));
    DVI_TRY(dvi_matrix_check(&m, (int64_t)rows->n, err));
    DVI_TRY(check_sparse(rows, &m, err));
    dvi_densify(kernel, dst, stride, width, rows);
    dvi_store_finish();
    return DV_OK;
}

dv_status dv_sparse_from_dense(int32_t *counts, int32_t *indices, void *items, size_t *entries_out,
                               const void *src, size_t item_nbytes, size_t stride, size_t width,
                               size_t n, dv_error *err)
{
    DVI_REQUIRE(item_nbytes == 1 || item_nbytes == 2 || item_nbytes == 4 || item_nbytes == 8,
                dvi_fail_argument(err, "items of %zu bytes: expected 1, 2, 4 or 8", item_nbytes));
    DVI_REQUIRE(stride >= width && width <= INT32_MAX,
                dvi_fail_argument(err,
                                  "width %zu: expected at most 2^31-1, and at most the stride, "
                                  "%zu",
                                  width, stride));
    DVI_TRY(check_aligned("counts", counts, sizeof *counts, err));
    DVI_TRY(check_aligned("indices", indices, sizeof *indices, err));
    DVI_TRY(check_aligned("items", items, item_nbytes, err));
    const size_t entries =
        CALL(sparsify, item_nbytes, counts, indices, items, src, stride, width, n);
    if (entries_out)
        *entries_out = entries;
    return DV_OK;
}

dv_status dv_csr_row_counts(int32_t *counts, const void *indptr, dv_kind indptr_kind, size_t n,
                            int64_t entries, int32_t columns, dv_error *err)
{
    const dvi_kernel_table *k = dvi_kernels();
    DVI_REQUIRE(
        indptr_kind == DV_KIND_I4 || indptr_kind == DV_KIND_I8,
        dvi_fail_argument(err, "indptr of kind %s: expected I4 or I8", dv_kind_name(indptr_kind)));
    DVI_TRY(check_aligned("counts", counts, sizeof *counts, err));
    const size_t sound = indptr_kind == DV_KIND_I4
                             ? k->offsets_counts_4(counts, indptr, n, entries, columns)
                             : k->offsets_counts_8(counts, indptr, n, entries, columns);
    DVI_REQUIRE(sound == n,
                dvi_fail_argument(err,
                                  "row %zu: its start and end are not in order, not within "
                                  "%lld entries, or more than %d apart",
                                  sound, (long long)entries, (int)columns));
    return DV_OK;
}
