/* SPDX-License-Identifier: MIT */
/* arrow_held.c: holds arrays of a producer, with the entries of their dictionaries. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/na.h"
#include "interop/arrow_number.h"
#include "interop/arrow_piece.h"
#include <dataview/save.h>
#include <inttypes.h>
#include <string.h>

/* --- Memory ----------------------------------------------------------------------------------- */

static void release_held(dv_owner *owner)
{
    dvi_arrow_held *held = (dvi_arrow_held *)(void *)owner;
    const dv_allocator allocator = held->allocator;
    const size_t n = (size_t)held->dictionaries;
    for (size_t k = 0; held->memories && k < n; k++)
        dvi_arrow_memory_free(&held->memories[k]);
    for (size_t k = 0; held->keys && k < n; k++)
        dvi_memory_release(&held->keys[k]);
    if (held->array.release)
        held->array.release(&held->array);
    dvi_free(&allocator, held->memories, n * sizeof *held->memories);
    dvi_free(&allocator, held->entries, n * sizeof *held->entries);
    dvi_free(&allocator, held->keys, n * sizeof *held->keys);
    dvi_free(&allocator, held, sizeof *held);
}

static dv_status create_lists(dvi_arrow_held *held, dv_error *err)
{
    void *made;
    const size_t n = (size_t)held->dictionaries;
    DVI_TRY(dvi_alloc_zeroed(&held->allocator, &made, n * sizeof *held->memories, err));
    held->memories = made;
    DVI_TRY(dvi_alloc_zeroed(&held->allocator, &made, n * sizeof *held->entries, err));
    held->entries = made;
    DVI_TRY(dvi_alloc_zeroed(&held->allocator, &made, n * sizeof *held->keys, err));
    held->keys = made;
    return DV_OK;
}

/* --- Entries of dictionaries ------------------------------------------------------------------ */

/* The array with the codes of a column. */
static const struct ArrowArray *find_codes(const dvi_arrow_held *held, const dvi_arrow_column *c)
{
    const struct ArrowArray *array = &held->array;
    for (int32_t i = 0; i < c->depth; i++)
        array = array->children[c->path[i]];
    for (int32_t i = 0; i < c->lists; i++)
        array = array->children[0];
    return c->is_sparse ? array->children[1] : array;
}

bool dvi_arrow_held_has_nulls(const dvi_arrow_held *held, const dvi_arrow_column *c)
{
    const struct ArrowArray *array = &held->array;
    for (int32_t i = 0; i < c->depth; i++) {
        if (dvi_arrow_has_nulls(array)) /* a struct */
            return true;
        array = array->children[c->path[i]];
    }
    return dvi_arrow_has_nulls(find_codes(held, c));
}

/* A byte for each entry; none if all are valid. */
static dv_status find_nulls(dvi_arrow_reading *r, dv_error *err)
{
    void *made;
    const uint8_t *bits =
        r->scalar->shape->format.storage == DVI_ARROW_NULLS ? NULL : r->array->buffers[0];
    if (!bits || r->array->null_count == 0)
        return DV_OK;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_VALID, r->n, 1, &made, err));
    uint8_t *valid = made;
    for (int64_t i = 0; i < r->n; i++)
        valid[i] = bits[(r->array->offset + i) / 8] >> (r->array->offset + i) % 8 & 1;
    r->valid = valid;
    return DV_OK;
}

static int64_t longest_of(const dv_column_view *view)
{
    int64_t longest = 0;
    if (view->layout != DV_LAYOUT_TEXT && view->layout != DV_LAYOUT_BYTES)
        return 0;
    for (int64_t i = 0; i < view->rows; i++)
        longest = dvi_max_i64(longest, dvi_text_end(&view->as.text, i + 1) -
                                           dvi_text_end(&view->as.text, i));
    return longest;
}

static dv_status read_entries(dvi_arrow_held *held, const dvi_arrow_column *c, uint32_t allow_loss,
                              dv_error *err)
{
    const int32_t k = c->scalar.dictionary;
    const struct ArrowArray *values = find_codes(held, c)->dictionary;
    const dvi_arrow_run run = {values->offset, values->length};
    dvi_arrow_reading r = {.column = c,
                           .scalar = c->scalar.entries,
                           .array = values,
                           .owner = &held->owner,
                           .memory = &held->memories[k],
                           .allocator = &held->allocator,
                           .allow_loss = allow_loss,
                           .runs = &run,
                           .runs_count = 1,
                           .n = values->length};
    DVI_REQUIRE(values->length <= INT32_MAX,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "docs/arrow.md", -1, "entries of a dictionary",
                         "at most 2^31-1|%" PRId64, values->length));
    DVI_TRY(find_nulls(&r, err));
    DVI_TRY(dvi_arrow_read_scalars(&held->entries[k].view, &r, err));
    held->entries[k].longest = longest_of(&held->entries[k].view);
    return DV_OK;
}

static dv_status read_dictionaries(dvi_arrow_held *held, const dvi_arrow_intake *intake,
                                   dv_error *err)
{
    for (int32_t i = 0; i < intake->n; i++) {
        const dvi_arrow_column *c = &intake->columns[i];
        if (c->scalar.dictionary < 0)
            continue;
        const dv_status status = read_entries(held, c, intake->allow_loss, err);
        if (status < 0)
            dvi_error_within(err, "dictionary of column \"%s\"", dvi_show(c->name).text);
        DVI_TRY(status);
    }
    return DV_OK;
}

dv_status dvi_arrow_hold(dvi_arrow_held **held_out, struct ArrowArray *array,
                         const dvi_arrow_intake *intake, dv_error *err)
{
    void *made;
    *held_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&intake->allocator, &made, sizeof(dvi_arrow_held), err));
    dvi_arrow_held *held = made;
    dvi_owner_init(&held->owner, release_held);
    held->owner.stays = intake->hold;
    held->allocator = intake->allocator;
    held->array = *array;
    held->dictionaries = intake->dictionaries;
    dv_status status = dvi_arrow_shape_check(&intake->top, &held->array, err);
    if (status == DV_OK)
        status = create_lists(held, err);
    if (status == DV_OK)
        status = read_dictionaries(held, intake, err);
    if (status < 0) {
        held->array.release = NULL; /* it stays the caller's */
        dvi_owner_release(&held->owner);
        return status;
    }
    array->release = NULL;
    *held_out = held;
    return DV_OK;
}

/* --- Codes ------------------------------------------------------------------------------------ */

/* The codes of the values; -1: null. */
static dv_status load_codes(const dvi_arrow_reading *r, int32_t **codes_out, dv_error *err)
{
    void *made;
    dvi_arrow_wide wide;
    int64_t at = 0;
    const uint64_t count = (uint64_t)r->entries->view.rows;
    const dvi_arrow_storage storage = r->scalar->shape->format.storage;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_CODES, r->n, sizeof(int32_t), &made, err));
    int32_t *codes = made;
    for (int64_t k = 0; k < r->runs_count; k++)
        for (int64_t done = 0; done < r->runs[k].n; done++, at++) {
            const int64_t i = done % DVI_ARROW_CHUNK;
            if (i == 0)
                dvi_arrow_load(&wide, storage, r->array->buffers[1], r->runs[k].first + done,
                               (size_t)dvi_min_i64(r->runs[k].n - done, DVI_ARROW_CHUNK));
            codes[at] = -1;
            if (r->valid && !r->valid[at])
                continue;
            DVI_REQUIRE(wide.u[i] < count, /* a negative one is far above */
                        dvi_arrow_fail_at(r, DV_ERR_CORRUPT, at, "an index of the dictionary",
                                          "one outside", err));
            codes[at] = (int32_t)wide.u[i];
        }
    *codes_out = codes;
    return DV_OK;
}

dv_status dvi_arrow_read_codes(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    const size_t width = dvi_width_of(&r->scalar->type);
    const int32_t *keys = r->entries->keys;
    int32_t *codes;
    void *made;
    DVI_TRY(load_codes(r, &codes, err));
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_VALUES, r->n, width, &made, err));
    for (int64_t i = 0; i < r->n; i++) {
        const uint64_t key = codes[i] < 0 ? 0
                             : keys       ? (uint64_t)keys[codes[i]]
                                          : (uint64_t)codes[i] + 1;
        memcpy((uint8_t *)made + (size_t)i * width, &key, width);
    }
    view->as.fixed.values = dvi_arrow_made(r, DVI_ARROW_VALUES, r->n, width);
    return DV_OK;
}

/* --- Values of codes -------------------------------------------------------------------------- */

/* A null has no place in some types. */
static dv_status check_codes(const dvi_arrow_reading *r, const int32_t *codes, dv_error *err)
{
    for (int64_t i = 0; !dv_type_has_na(&r->scalar->type) && i < r->n; i++)
        DVI_REQUIRE(codes[i] >= 0 || (r->allow_loss & DV_LOSS_NA),
                    dvi_arrow_fail_null(r, i, "null", err));
    return DV_OK;
}

static void gather(uint8_t *dst, const dv_buffer *entries, size_t width, const int32_t *codes,
                   int64_t n, uint64_t na)
{
    const uint8_t *values = entries->data;
    for (int64_t i = 0; i < n; i++) {
        uint8_t *to = dst + (size_t)i * width;
        if (codes[i] >= 0)
            memcpy(to, values + (size_t)codes[i] * width, width);
        else if (width <= 8)
            memcpy(to, &na, width);
        else
            memset(to, 0, width);
    }
}

static dv_status gather_texts(dv_column_view *view, const dvi_arrow_reading *r,
                              const int32_t *codes, dv_error *err)
{
    const dv_text_layout *from = &r->entries->view.as.text;
    const uint32_t na = r->scalar->type.kind == DV_KIND_TX ? UINT32_C(1) << 31 : 0;
    void *bytes, *made;
    int64_t nbytes = 0;
    for (int64_t i = 0; i < r->n; i++)
        if (codes[i] >= 0)
            nbytes += dvi_text_end(from, codes[i] + 1) - dvi_text_end(from, codes[i]);
    DVI_REQUIRE(nbytes <= INT32_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "texts of a batch",
                         "at most 2^31-1 bytes|%" PRId64, nbytes));
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_BYTES, nbytes, 1, &bytes, err));
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_ENDS, r->n, 4, &made, err));
    uint32_t *ends = made, end = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const int32_t code = codes[i];
        const int32_t start = code < 0 ? 0 : dvi_text_end(from, code);
        const size_t n = code < 0 ? 0 : (size_t)(dvi_text_end(from, code + 1) - start);
        const bool is_na =
            code < 0 || (dvi_load_u32((const uint8_t *)from->ends.data + 4 * code) & na);
        if (n > 0)
            memcpy((uint8_t *)bytes + end, (const uint8_t *)from->utf8.data + start, n);
        end += (uint32_t)n;
        ends[i] = end | (is_na ? na : 0);
    }
    view->as.text.utf8 = dvi_arrow_made(r, DVI_ARROW_BYTES, nbytes, 1);
    view->as.text.ends = dvi_arrow_made(r, DVI_ARROW_ENDS, r->n, 4);
    return DV_OK;
}

dv_status dvi_arrow_read_entries(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    const dv_column_view *from = &r->entries->view;
    const size_t width = view->layout == DV_LAYOUT_ZONED ? 8 : dvi_width_of(&view->type);
    int32_t *codes;
    void *made;
    DVI_TRY(load_codes(r, &codes, err));
    DVI_TRY(check_codes(r, codes, err));
    if (view->layout == DV_LAYOUT_TEXT || view->layout == DV_LAYOUT_BYTES)
        return gather_texts(view, r, codes, err);
    const bool is_zoned = view->layout == DV_LAYOUT_ZONED;
    const dv_buffer *values = is_zoned ? &from->as.zoned.ticks : &from->as.fixed.values;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_VALUES, r->n, width, &made, err));
    gather(made, values, width, codes, r->n, dvi_na_bits(&r->scalar->type));
    DVI_TRY(dvi_arrow_check_nan(r, made, err));
    const dv_buffer all = dvi_arrow_made(r, DVI_ARROW_VALUES, r->n, width);
    if (!is_zoned) {
        view->as.fixed.values = all;
        return DV_OK;
    }
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_BYTES, r->n, 2, &made, err));
    gather(made, &from->as.zoned.minutes, 2, codes, r->n, 0);
    view->as.zoned.ticks = all;
    view->as.zoned.minutes = dvi_arrow_made(r, DVI_ARROW_BYTES, r->n, 2);
    return DV_OK;
}
