/* SPDX-License-Identifier: MIT */
/* type.c: makes types, checks them, and answers questions about them. */
#include "base/check.h"
#include <string.h>

/* The NA column of DV_TYPE_LIST. */
typedef enum na_column {
    NA_NONE,
    NA_MINIMUM,
    NA_REAL,
    NA_BOOL,
    NA_CLOCK,
    NA_ZONED,
    NA_TEXT
} na_column;

typedef struct kind_info {
    const char *name;
    na_column na;
    int32_t width;
} kind_info;

#define KIND_INFO(NAME, name, number, width, ctype, na, aliases) [number] = {#NAME, NA_##na, width},
static const kind_info kinds[] = {DV_TYPE_LIST(KIND_INFO)};

/* What the list says of a kind, or NULL: an extension, or none. */
static const kind_info *info_of(dv_kind kind)
{
    const size_t i = (size_t)kind;
    return i < sizeof kinds / sizeof *kinds && kinds[i].name ? &kinds[i] : NULL;
}

const char *dv_kind_name(dv_kind kind)
{
    const kind_info *info = info_of(kind);
    return info ? info->name : kind == DV_KIND_R2 ? "R2" : kind == DV_KIND_B2 ? "B2" : "?";
}

int32_t dv_kind_width(dv_kind kind)
{
    const kind_info *info = info_of(kind);
    return info ? info->width : kind == DV_KIND_R2 || kind == DV_KIND_B2 ? 2 : 0;
}

/* The product of dims from the left, or false: a negative dim, or a product over INT32_MAX on the
 * way, also when a later dim is 0. */
static bool multiply_dims(const int32_t *dims, int32_t rank, int32_t *product_out)
{
    int32_t product = 1;
    for (int32_t i = 0; i < rank; i++)
        if (dims[i] < 0 || __builtin_mul_overflow(product, dims[i], &product))
            return false;
    *product_out = product;
    return true;
}

dv_type dv_type_of(dv_kind kind)
{
    return (dv_type){.kind = kind};
}

dv_type dv_type_key(dv_kind kind, uint64_t min, uint64_t count)
{
    return (dv_type){.kind = kind,
                     .is_key = true,
                     .key_is_contiguous = true,
                     .key_min = min,
                     .key_count = count};
}

dv_type dv_type_vector(dv_type item, int32_t size)
{
    item.rank = 1;
    item.size = size;
    item.dims = NULL;
    return item;
}

dv_type dv_type_tensor(dv_type item, const int32_t *dims, int32_t rank)
{
    if (rank == 1)
        return dv_type_vector(item, dims[0]);
    item.rank = rank;
    item.dims = dims;
    if (!multiply_dims(dims, rank, &item.size))
        item.size = 0; /* which dv_type_check finds out */
    return item;
}

dv_type dv_type_extension(const char *name, int32_t width)
{
    return (dv_type){.kind = DV_KIND_EXTENSION, .extension = name, .extension_width = width};
}

static dv_status check_key(const dv_type *type, dv_error *err)
{
    const dv_kind kind = type->kind;
    DVI_REQUIRE(
        kind == DV_KIND_U1 || kind == DV_KIND_U2 || kind == DV_KIND_U4 || kind == DV_KIND_U8,
        dvi_fail_argument(err, "a key of %s, which is not U1, U2, U4 or U8", dv_kind_name(kind)));
    const uint64_t count = type->key_count;
    const uint64_t most =
        kind == DV_KIND_U8 ? UINT64_MAX : (UINT64_C(1) << (8 * dv_kind_width(kind))) - 1;
    DVI_REQUIRE(count <= most,
                dvi_fail_argument(err, "a key of more values than %s has", dv_kind_name(kind)));
    DVI_REQUIRE(count <= UINT64_MAX - type->key_min,
                dvi_fail_argument(err, "a key whose last value is over 2^64-1"));
    DVI_REQUIRE(type->key_is_contiguous || count == 0,
                dvi_fail_argument(err, "a key that is not contiguous, yet has a count"));
    return DV_OK;
}

static dv_status check_dims(const dv_type *type, dv_error *err)
{
    DVI_REQUIRE(type->rank >= 0, dvi_fail_argument(err, "a vector of rank %d", type->rank));
    if (type->rank < 2) {
        DVI_REQUIRE(type->rank == 0 || type->size >= 0,
                    dvi_fail_argument(err, "a vector of size %d", type->size));
        return DV_OK;
    }
    int32_t size;
    DVI_REQUIRE(type->dims, dvi_fail_argument(err, "a vector of rank %d without dims", type->rank));
    DVI_REQUIRE(multiply_dims(type->dims, type->rank, &size),
                dvi_fail_argument(err, "a negative dim, or a product of dims over 2^31-1"));
    DVI_REQUIRE(
        size == type->size,
        dvi_fail_argument(err, "a vector of size %d, but its dims make %d", type->size, size));
    return DV_OK;
}

dv_status dv_type_check(const dv_type *type, dv_error *err)
{
    if (type->kind == DV_KIND_EXTENSION) {
        DVI_REQUIRE(type->extension && *type->extension && type->extension_width > 0,
                    dvi_fail_argument(err, "an extension without a name or a width"));
        DVI_REQUIRE(type->rank == 0 && !type->is_key,
                    dvi_fail_argument(err, "a vector or key of an extension"));
        return DV_OK;
    }
    DVI_REQUIRE(info_of(type->kind), dvi_fail_argument(err, "%d is no kind", (int)type->kind));
    if (type->is_key)
        DVI_TRY(check_key(type, err));
    return check_dims(type, err);
}

dv_type dv_type_item(const dv_type *type)
{
    dv_type item = *type;
    item.rank = item.size = 0;
    item.dims = NULL;
    return item;
}

int32_t dv_type_dim(const dv_type *type, int32_t i)
{
    if (i < 0 || i >= type->rank)
        return 0;
    return type->rank == 1 ? type->size : type->dims[i];
}

int32_t dv_type_value_count(const dv_type *type)
{
    return dv_type_is_vector(type) ? type->size : 1;
}

static bool items_equal(const dv_type *a, const dv_type *b)
{
    if (a->kind != b->kind || a->is_key != b->is_key)
        return false;
    if (a->kind == DV_KIND_EXTENSION)
        return strcmp(a->extension, b->extension) == 0 && a->extension_width == b->extension_width;
    return !a->is_key || (a->key_min == b->key_min && a->key_count == b->key_count &&
                          a->key_is_contiguous == b->key_is_contiguous);
}

bool dv_type_equal(const dv_type *a, const dv_type *b)
{
    if (!items_equal(a, b) || a->rank != b->rank)
        return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (dv_type_dim(a, i) != dv_type_dim(b, i))
            return false;
    return true;
}

bool dv_type_same_size_and_item(const dv_type *a, const dv_type *b)
{
    return items_equal(a, b) && dv_type_is_vector(a) == dv_type_is_vector(b) &&
           dv_type_value_count(a) == dv_type_value_count(b);
}

bool dv_type_is_subtype(const dv_type *type, const dv_type *of)
{
    const bool is_any_size = dv_type_is_vector(of) && of->size == 0;
    if (is_any_size && dv_type_is_vector(type))
        return items_equal(type, of);
    return dv_type_same_size_and_item(type, of);
}

bool dv_type_is_vector(const dv_type *type)
{
    return type->rank > 0;
}

bool dv_type_is_known_size_vector(const dv_type *type)
{
    return dv_type_is_vector(type) && type->size > 0;
}

bool dv_type_is_primitive(const dv_type *type)
{
    return !dv_type_is_vector(type) && info_of(type->kind);
}

static bool is_signed(dv_kind kind)
{
    return kind == DV_KIND_I1 || kind == DV_KIND_I2 || kind == DV_KIND_I4 || kind == DV_KIND_I8;
}

static bool is_unsigned(dv_kind kind)
{
    return kind == DV_KIND_U1 || kind == DV_KIND_U2 || kind == DV_KIND_U4 || kind == DV_KIND_U8 ||
           kind == DV_KIND_UG;
}

static bool is_real(dv_kind kind)
{
    return kind == DV_KIND_R4 || kind == DV_KIND_R8;
}

static bool is_time(dv_kind kind)
{
    return kind == DV_KIND_TS || kind == DV_KIND_DT || kind == DV_KIND_DZ;
}

bool dv_type_is_number(const dv_type *type)
{
    const dv_kind kind = type->kind;
    return !dv_type_is_vector(type) && !type->is_key &&
           (is_signed(kind) || is_unsigned(kind) || is_real(kind));
}

bool dv_type_is_standard_scalar(const dv_type *type)
{
    const dv_kind kind = type->kind;
    return dv_type_is_number(type) || (!dv_type_is_vector(type) &&
                                       (kind == DV_KIND_TX || kind == DV_KIND_BL || is_time(kind)));
}

bool dv_type_has_na(const dv_type *type)
{
    const kind_info *info = info_of(type->kind);
    return type->is_key || (info && info->na != NA_NONE);
}

bool dv_type_default_is_na(const dv_type *type)
{
    return type->is_key;
}
