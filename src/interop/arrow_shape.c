/* SPDX-License-Identifier: MIT */
/* arrow_shape.c: copies the schema of a producer, and checks that arrays have its shape.
 *
 * Arrow's structs do not say how many bytes their buffers have, so pointers and the sizes that
 * follow from lengths are taken on trust; everything that can contradict itself is checked. */
#include "interop/arrow_shape.h"
#include "base/check.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include <inttypes.h>
#include <string.h>

#define RULE "docs/arrow.md"
#define ROWS_MAX (INT64_C(1) << 48) /* of an array with its offset: products stay in 64 bits */
#define CHILDREN_MAX (1 << 20)
#define NAMED_DEPTH 4 /* fields that a message names, one inside the other */

/* --- Schemas ---------------------------------------------------------------------------------- */

/* A C string of the producer; UTF-8. */
static dv_status copy_name(dv_text *name_out, const char *name, dvi_arena *arena, dv_error *err)
{
    const dv_text text = dv_text_of(name ? name : "");
    size_t units;
    DVI_REQUIRE(dvi_kernels()->utf8_units(text.data, (size_t)text.nbytes, &units) ==
                    (size_t)text.nbytes,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "name of a field", "UTF-8|\"%s\"",
                         dvi_show(text).text));
    return dvi_arena_text(arena, name_out, text, err);
}

/* A text with its length before it; *at moves to its end. */
static dv_status read_text(dv_text *text_out, const char **at, dv_error *err)
{
    const int32_t n = dvi_load_i32(*at);
    DVI_REQUIRE(n >= 0, dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "metadata",
                                 "texts of 0 bytes or more|%" PRId32, n));
    *text_out = (dv_text){*at + 4, n};
    *at += 4 + (size_t)n;
    return DV_OK;
}

static dv_status read_metadata(dvi_arrow_shape *shape, const char *metadata, dvi_arena *arena,
                               dv_error *err)
{
    void *memory;
    if (!metadata)
        return DV_OK;
    const int32_t n = dvi_load_i32(metadata);
    DVI_REQUIRE(n >= 0 && n <= CHILDREN_MAX,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "metadata", "0 pairs or more|%" PRId32, n));
    DVI_TRY(dvi_arena_alloc(arena, &memory, (size_t)n * sizeof(dvi_arrow_pair), err));
    dvi_arrow_pair *pairs = memory;
    const char *at = metadata + 4;
    for (int32_t i = 0; i < n; i++) {
        dv_text key, value;
        DVI_TRY(read_text(&key, &at, err));
        DVI_TRY(read_text(&value, &at, err));
        DVI_TRY(dvi_arena_text(arena, &pairs[i].key, key, err));
        DVI_TRY(dvi_arena_text(arena, &pairs[i].value, value, err));
    }
    shape->pairs = pairs;
    shape->pairs_count = n;
    return DV_OK;
}

static dv_status read_schema(dvi_arrow_shape *shape, const struct ArrowSchema *schema, int depth,
                             dvi_arena *arena, dv_error *err);

static dv_status read_children(dvi_arrow_shape *shape, const struct ArrowSchema *schema, int depth,
                               dvi_arena *arena, dv_error *err)
{
    void *memory;
    const int64_t n = schema->n_children;
    const bool is_list = dvi_arrow_is_list(&shape->format);
    const int64_t least = is_list ? 1 : 0;
    const int64_t most = shape->format.storage == DVI_ARROW_STRUCT ? CHILDREN_MAX : least;
    DVI_REQUIRE(n >= least && n <= most,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "children of a schema",
                         "%" PRId64 " to %" PRId64 " of %s|%" PRId64, least, most,
                         shape->format.name, n));
    DVI_REQUIRE(n == 0 || schema->children,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "children of a schema", "pointers|NULL"));
    DVI_TRY(dvi_arena_alloc(arena, &memory, (size_t)n * sizeof(dvi_arrow_shape), err));
    shape->children = memory;
    shape->children_count = (int32_t)n;
    for (int64_t i = 0; i < n; i++) {
        dvi_arrow_shape *child = &shape->children[i];
        const dv_status status = read_schema(child, schema->children[i], depth, arena, err);
        if (status < 0 && child->name.nbytes > 0 && depth <= NAMED_DEPTH)
            dvi_error_within(err, "field \"%s\"", dvi_show(child->name).text);
        DVI_TRY(status);
    }
    return DV_OK;
}

static dv_status read_dictionary(dvi_arrow_shape *shape, const struct ArrowSchema *schema,
                                 int depth, dvi_arena *arena, dv_error *err)
{
    void *memory;
    if (!schema->dictionary)
        return DV_OK;
    DVI_REQUIRE(dvi_arrow_is_integer(&shape->format),
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "indices of a dictionary", "integers|%s",
                         shape->format.name));
    DVI_TRY(dvi_arena_alloc(arena, &memory, sizeof(dvi_arrow_shape), err));
    DVI_TRY(read_schema(memory, schema->dictionary, depth, arena, err));
    const dvi_arrow_shape *values = memory;
    DVI_REQUIRE(!values->dictionary && values->format.storage < DVI_ARROW_FIXED_LIST,
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "dictionary", "plain values|%s",
                         values->dictionary ? "dictionary" : values->format.name));
    shape->dictionary = values;
    return DV_OK;
}

static dv_status read_schema(dvi_arrow_shape *shape, const struct ArrowSchema *schema, int depth,
                             dvi_arena *arena, dv_error *err)
{
    DVI_REQUIRE(schema && schema->release && schema->format,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "schema", "one with a format|%s",
                         !schema            ? "NULL"
                         : !schema->release ? "one that is released"
                                            : "one without"));
    DVI_REQUIRE(depth < DVI_ARROW_DEPTH, dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "schema",
                                                  "at most %d levels|more", DVI_ARROW_DEPTH));
    DVI_TRY(copy_name(&shape->name, schema->name, arena, err));
    dv_status status = dvi_arrow_format_read(&shape->format, schema->format, err);
    if (status == DV_OK)
        status = read_metadata(shape, schema->metadata, arena, err);
    if (status == DV_OK)
        status = read_children(shape, schema, depth + 1, arena, err);
    return status == DV_OK ? read_dictionary(shape, schema, depth + 1, arena, err) : status;
}

dv_status dvi_arrow_shape_read(dvi_arrow_shape *shape_out, const struct ArrowSchema *schema,
                               dvi_arena *arena, dv_error *err)
{
    *shape_out = (dvi_arrow_shape){0};
    return read_schema(shape_out, schema, 0, arena, err);
}

dv_text dvi_arrow_shape_find(const dvi_arrow_shape *shape, const char *key)
{
    for (int32_t i = 0; i < shape->pairs_count; i++)
        if (dv_text_equal(shape->pairs[i].key, dv_text_of(key)))
            return shape->pairs[i].value;
    return dv_text_of(NULL);
}

bool dvi_arrow_is_extension(const dvi_arrow_shape *shape, const char *name)
{
    return dv_text_equal(dvi_arrow_shape_find(shape, "ARROW:extension:name"), dv_text_of(name));
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static int64_t count_nulls(const uint8_t *bits, int64_t first, int64_t n)
{
    int64_t i = first, valid = 0;
    const int64_t end = first + n;
    for (; i < end && i % 8 != 0; i++)
        valid += bits[i / 8] >> i % 8 & 1;
    for (; end - i >= 64; i += 64)
        valid += __builtin_popcountll(dvi_load_u64(bits + i / 8));
    for (; i < end; i++)
        valid += bits[i / 8] >> i % 8 & 1;
    return n - valid;
}

bool dvi_arrow_has_nulls(const struct ArrowArray *array)
{
    const uint8_t *bits = array->buffers[0];
    return bits && array->null_count != 0 &&
           (array->null_count > 0 || count_nulls(bits, array->offset, array->length) > 0);
}

static dv_status check_numbers(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                               dv_error *err)
{
    const bool is_view = shape->format.storage == DVI_ARROW_TEXT_VIEW;
    DVI_REQUIRE(array->length >= 0 && array->offset >= 0 && array->length <= ROWS_MAX &&
                    array->offset <= ROWS_MAX - array->length,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "length and offset of an array",
                         "at most 2^48 rows|%" PRId64 " and %" PRId64, array->length,
                         array->offset));
    DVI_REQUIRE(array->null_count >= -1 && array->null_count <= array->length,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "null_count", "-1 to %" PRId64 "|%" PRId64,
                         array->length, array->null_count));
    DVI_REQUIRE(is_view ? array->n_buffers >= shape->format.buffers && array->n_buffers < INT32_MAX
                        : array->n_buffers == shape->format.buffers,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "buffers", "%" PRId32 " of %s|%" PRId64,
                         shape->format.buffers, shape->format.name, array->n_buffers));
    DVI_REQUIRE(array->n_buffers == 0 || array->buffers,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "buffers", "pointers|NULL"));
    return DV_OK;
}

/* A bitmap that is there says how many are null. */
static dv_status check_nulls(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                             dv_error *err)
{
    if (shape->format.storage == DVI_ARROW_NULLS || array->null_count < 0)
        return DV_OK;
    const uint8_t *bits = array->buffers[0];
    const int64_t nulls = bits ? count_nulls(bits, array->offset, array->length) : 0;
    DVI_REQUIRE(nulls == array->null_count,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "null_count", "%" PRId64 "|%" PRId64, nulls,
                         array->null_count));
    return DV_OK;
}

/* The bytes of texts may be missing if there are none; everything else is there if rows are. */
static dv_status check_buffers(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                               dv_error *err)
{
    const dvi_arrow_storage storage = shape->format.storage;
    const bool is_text = storage == DVI_ARROW_TEXT_4 || storage == DVI_ARROW_TEXT_8;
    const bool is_view = storage == DVI_ARROW_TEXT_VIEW;
    const bool is_empty = storage == DVI_ARROW_FIXED_BYTES && shape->format.width == 0;
    const int64_t last = is_text || is_view ? 1 : array->n_buffers - 1;
    for (int64_t i = 1; array->length > 0 && !is_empty && i <= last; i++)
        DVI_REQUIRE(array->buffers[i],
                    dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "buffers", "buffer %d of %s|NULL",
                             (int)i, shape->format.name));
    DVI_REQUIRE(!is_view || array->n_buffers == 3 || array->buffers[array->n_buffers - 1],
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "buffers", "their sizes|NULL"));
    return DV_OK;
}

static dv_status check_child(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                             int64_t i, dv_error *err)
{
    const struct ArrowArray *child = array->children[i];
    DVI_REQUIRE(child, dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "child of an array", "one|NULL"));
    const dv_status status = dvi_arrow_shape_check(&shape->children[i], child, err);
    if (status < 0 && shape->format.storage == DVI_ARROW_STRUCT)
        dvi_error_within(err, "field \"%s\"", dvi_show(shape->children[i].name).text);
    DVI_TRY(status);
    const int64_t rows = array->offset + array->length;
    const int64_t width = shape->format.width;
    int64_t need = shape->format.storage == DVI_ARROW_STRUCT ? rows : 0;
    if (shape->format.storage == DVI_ARROW_FIXED_LIST)
        DVI_REQUIRE(!__builtin_mul_overflow(rows, width, &need) && need <= ROWS_MAX,
                    dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "items of lists",
                             "at most 2^48|%" PRId64 " times %" PRId64, rows, width));
    DVI_REQUIRE(child->length >= need,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "length of a child",
                         "at least %" PRId64 "|%" PRId64, need, child->length));
    return DV_OK;
}

dv_status dvi_arrow_shape_check(const dvi_arrow_shape *shape, const struct ArrowArray *array,
                                dv_error *err)
{
    DVI_REQUIRE(array->release,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "array", "one|one that is released"));
    DVI_TRY(check_numbers(shape, array, err));
    DVI_TRY(check_nulls(shape, array, err));
    DVI_TRY(check_buffers(shape, array, err));
    DVI_REQUIRE(array->n_children == shape->children_count &&
                    (array->n_children == 0 || array->children),
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "children of an array",
                         "%" PRId32 "|%" PRId64, shape->children_count, array->n_children));
    for (int64_t i = 0; i < array->n_children; i++)
        DVI_TRY(check_child(shape, array, i, err));
    DVI_REQUIRE(!shape->dictionary == !array->dictionary,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "dictionary", "%s|%s",
                         shape->dictionary ? "one" : "none", array->dictionary ? "one" : "none"));
    return shape->dictionary ? dvi_arrow_shape_check(shape->dictionary, array->dictionary, err)
                             : DV_OK;
}
