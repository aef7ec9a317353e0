/* SPDX-License-Identifier: MIT */
/* arrow_tensor.c: reads the metadata of arrow.fixed_shape_tensor, and orders items as it says. */
#include "interop/arrow_tensor.h"
#include "base/check.h"
#include "interop/arrow_json.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "docs/arrow.md"

/* --- Metadata --------------------------------------------------------------------------------- */

/* The values of the JSON object; -1: there is none. */
typedef struct said {
    int32_t dims[DVI_ARROW_DIMS], order[DVI_ARROW_DIMS];
    dv_text names[DVI_ARROW_DIMS]; /* JSON */
    int32_t rank, order_count, names_count;
    dv_text unknown; /* the first key that is not known; NULL: none */
} said;

/* A string or null, as JSON; how many; -1: anything else. */
static int32_t read_names(dvi_json *json, dv_text *names)
{
    int32_t n = 0;
    dvi_json_require(json, '[');
    do {
        dvi_json_space(json);
        const char *start = json->at;
        if (!dvi_json_take_word(json, "null"))
            dvi_json_string(json, NULL);
        if (json->is_wrong || n == DVI_ARROW_DIMS)
            return -1;
        names[n++] = (dv_text){start, json->at - start};
    } while (dvi_json_take(json, ','));
    dvi_json_require(json, ']');
    return json->is_wrong ? -1 : n;
}

static void read_pair(dvi_json *json, said *s)
{
    const dv_text key = dvi_json_word(json);
    dvi_json_require(json, ':');
    if (dv_text_equal(key, dv_text_of("shape")))
        s->rank = dvi_json_integers(json, s->dims, DVI_ARROW_DIMS);
    else if (dvi_json_take_word(json, "null"))
        return; /* as if the key were not there */
    else if (dv_text_equal(key, dv_text_of("permutation")))
        s->order_count = dvi_json_integers(json, s->order, DVI_ARROW_DIMS);
    else if (dv_text_equal(key, dv_text_of("dim_names")))
        s->names_count = read_names(json, s->names);
    else if (!s->unknown.data)
        s->unknown = key, dvi_json_skip(json);
    else
        dvi_json_skip(json);
}

static bool is_order(const said *s)
{
    uint64_t found = 0;
    if (s->order_count < 0)
        return true;
    for (int32_t i = 0; i < s->order_count && i < s->rank; i++)
        if (s->order[i] < s->rank)
            found |= UINT64_C(1) << s->order[i];
    return s->rank > 0 && s->order_count == s->rank && found == UINT64_MAX >> (64 - s->rank);
}

static bool is_shape(const said *s)
{
    for (int32_t i = 0; i < s->rank; i++)
        if (s->dims[i] <= 0)
            return false;
    return s->rank > 0;
}

/* Arrow says that logical dimension i is physical dimension order[i]; pyarrow's from_numpy_ndarray
 * writes the inverse. An order that is its own inverse means the same to both. */
static bool is_agreed(const said *s)
{
    for (int32_t i = 0; i < s->order_count; i++)
        if (s->order[s->order[i]] != i)
            return false;
    return true;
}

static bool is_in_place(const said *s)
{
    for (int32_t i = 0; i < s->order_count; i++)
        if (s->order[i] != i)
            return false;
    return true;
}

static int32_t at(const said *s, int32_t i)
{
    return s->order_count > 0 ? s->order[i] : i;
}

/* Metadata of the column, as arrow_exact.h reads it. */
static dv_status keep_names(dv_text *names_out, const said *s, dvi_arena *arena, dv_error *err)
{
    char start[80];
    void *memory;
    const size_t start_nbytes = (size_t)snprintf(start, sizeof start,
                                                 "{\"type\":\"V<TX,%" PRId32
                                                 ">\",\"value\":{\"len\":%" PRId32 ",\"dense\":[",
                                                 s->rank, s->rank);
    size_t nbytes = start_nbytes + 3;
    for (int32_t i = 0; i < s->rank; i++)
        nbytes += (size_t)s->names[i].nbytes + 1;
    DVI_TRY(dvi_arena_alloc(arena, &memory, nbytes, err));
    char *to = memory;
    memcpy(to, start, start_nbytes);
    to += start_nbytes;
    for (int32_t i = 0; i < s->rank; i++) {
        const dv_text name = s->names[at(s, i)];
        if (i > 0)
            *to++ = ',';
        memcpy(to, name.data, (size_t)name.nbytes);
        to += name.nbytes;
    }
    memcpy(to, "]}}", 3);
    *names_out = (dv_text){memory, to + 3 - (char *)memory};
    return DV_OK;
}

static dv_status keep(const int32_t **to, const int32_t *from, int32_t n, dvi_arena *arena,
                      dv_error *err)
{
    void *memory;
    DVI_TRY(dvi_arena_alloc(arena, &memory, (size_t)n * sizeof *from, err));
    memcpy(memory, from, (size_t)n * sizeof *from);
    *to = memory;
    return DV_OK;
}

dv_status dvi_arrow_tensor_read(dvi_arrow_tensor *tensor_out, const dvi_arrow_shape *field,
                                dvi_arena *arena, dv_error *err)
{
    said s = {.order_count = -1, .names_count = -1};
    *tensor_out = (dvi_arrow_tensor){0};
    if (!dvi_arrow_is_extension(field, "arrow.fixed_shape_tensor"))
        return DV_OK;
    const dv_text text = dvi_arrow_shape_find(field, "ARROW:extension:metadata");
    dvi_json json = dvi_json_of(text);
    dvi_json_require(&json, '{');
    do
        read_pair(&json, &s);
    while (dvi_json_take(&json, ','));
    dvi_json_require(&json, '}');
    DVI_REQUIRE(
        dvi_json_is_done(&json) && is_shape(&s) && is_order(&s) &&
            (s.names_count < 0 || s.names_count == s.rank),
        dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "arrow.fixed_shape_tensor",
                 "{\"shape\":[2,3],\"permutation\":[1,0],\"dim_names\":[\"a\",\"b\"]}|\"%s\"",
                 dvi_show(text).text));
    DVI_REQUIRE(!s.unknown.data,
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "arrow.fixed_shape_tensor",
                         "shape, permutation and dim_names|\"%s\"", dvi_show(s.unknown).text));
    DVI_REQUIRE(is_agreed(&s),
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "permutation of a tensor",
                         "one that swaps dimensions: put the items in order|a cycle of three"));
    tensor_out->rank = s.rank;
    DVI_TRY(keep(&tensor_out->dims, s.dims, s.rank, arena, err));
    if (!is_in_place(&s))
        DVI_TRY(keep(&tensor_out->order, s.order, s.rank, arena, err));
    return s.names_count > 0 ? keep_names(&tensor_out->names, &s, arena, err) : DV_OK;
}

/* --- Items ------------------------------------------------------------------------------------ */

/* Copy a row's items: dimension `i` of the logical ones and those after it, from item `from`. */
typedef struct walk {
    int32_t rank;
    int64_t count[DVI_ARROW_DIMS], step[DVI_ARROW_DIMS]; /* by logical dimension */
    size_t width;
} walk;

static walk walk_of(const dvi_arrow_tensor *tensor, size_t width)
{
    int64_t steps[DVI_ARROW_DIMS], step = 1;
    walk w = {.rank = tensor->rank, .width = width};
    for (int32_t i = tensor->rank; i-- > 0; step *= tensor->dims[i])
        steps[i] = step;
    for (int32_t i = 0; i < tensor->rank; i++) {
        w.count[i] = tensor->dims[tensor->order[i]];
        w.step[i] = steps[tensor->order[i]];
    }
    return w;
}

static void copy_row(uint8_t *to, const uint8_t *from, const walk *w, int64_t items)
{
    int64_t index[DVI_ARROW_DIMS] = {0}, at = 0;
    for (int64_t k = 0; k < items; k++, to += w->width) {
        memcpy(to, from + (size_t)at * w->width, w->width);
        for (int32_t i = w->rank; i-- > 0;) {
            at += w->step[i];
            if (++index[i] < w->count[i])
                break;
            at -= w->step[i] * w->count[i];
            index[i] = 0;
        }
    }
}

dv_status dvi_arrow_tensor_order(dv_column_view *items, const dvi_arrow_reading *r, dv_error *err)
{
    void *made;
    const size_t width = dvi_width_of(&items->type);
    const walk w = walk_of(&r->column->tensor, width);
    const uint8_t *from = items->as.fixed.values.data;
    const int64_t slots = r->column->slots;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_ORDERED, r->n, width, &made, err));
    for (int64_t done = 0; done < r->n; done += slots)
        copy_row((uint8_t *)made + (size_t)done * width, from + (size_t)done * width, &w, slots);
    items->as.fixed.values = dvi_arrow_made(r, DVI_ARROW_ORDERED, r->n, width);
    return DV_OK;
}
