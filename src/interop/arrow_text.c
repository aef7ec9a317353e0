/* SPDX-License-Identifier: MIT */
/* arrow_text.c: makes TX and BY of texts in any storage. */
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/column.h"
#include "interop/arrow_read.h"
#include <dataview/save.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NA_BIT (UINT32_C(1) << 31)
#define VIEW_NBYTES 16
#define VIEW_INLINE 12 /* bytes of a text inside its view */

/* One text, and whether it lies after the one before. */
typedef struct text {
    const uint8_t *data;
    int64_t nbytes;
} text;

/* --- Texts by number -------------------------------------------------------------------------- */

static int64_t offset_at(const dvi_arrow_reading *r, int64_t i)
{
    const uint8_t *offsets = r->array->buffers[1];
    return r->scalar->shape->format.storage == DVI_ARROW_TEXT_4 ? dvi_load_i32(offsets + 4 * i)
                                                                : dvi_load_i64(offsets + 8 * i);
}

static dv_status get_view(text *text_out, const dvi_arrow_reading *r, int64_t i, int64_t at,
                          dv_error *err)
{
    const struct ArrowArray *array = r->array;
    const uint8_t *view = (const uint8_t *)array->buffers[1] + VIEW_NBYTES * (size_t)i;
    const int32_t nbytes = dvi_load_i32(view);
    if (nbytes >= 0 && nbytes <= VIEW_INLINE) {
        *text_out = (text){view + 4, nbytes};
        return DV_OK;
    }
    const int32_t buffer = dvi_load_i32(view + 8), offset = dvi_load_i32(view + 12);
    const int64_t buffers = array->n_buffers - 3;
    const bool is_known = nbytes > 0 && buffer >= 0 && buffer < buffers;
    const int64_t size =
        is_known ? dvi_load_i64((const uint8_t *)array->buffers[array->n_buffers - 1] + 8 * buffer)
                 : 0;
    DVI_REQUIRE(
        is_known && offset >= 0 && offset <= size && nbytes <= size - offset &&
            array->buffers[2 + buffer],
        dvi_arrow_fail_at(r, DV_ERR_CORRUPT, at, "a view inside its buffer", "one outside", err));
    *text_out = (text){(const uint8_t *)array->buffers[2 + buffer] + offset, nbytes};
    return DV_OK;
}

/* Value i of the array, which is value `at` of the reading. */
static dv_status get_text(text *text_out, const dvi_arrow_reading *r, int64_t i, int64_t at,
                          dv_error *err)
{
    const dvi_arrow_format *format = &r->scalar->shape->format;
    if (format->storage == DVI_ARROW_TEXT_VIEW)
        return get_view(text_out, r, i, at, err);
    if (format->storage == DVI_ARROW_FIXED_BYTES) {
        const uint8_t *values = r->array->buffers[1];
        *text_out = (text){format->width > 0 ? values + format->width * i : values, format->width};
        return DV_OK;
    }
    const int64_t start = offset_at(r, i), end = offset_at(r, i + 1);
    DVI_REQUIRE(start >= 0 && end >= start,
                dvi_arrow_fail_at(r, DV_ERR_CORRUPT, at, "offsets that do not decrease",
                                  "ones that do", err));
    DVI_REQUIRE(end == start || r->array->buffers[2],
                dvi_arrow_fail_at(r, DV_ERR_CORRUPT, at, "the bytes of texts", "NULL", err));
    *text_out =
        (text){end > start ? (const uint8_t *)r->array->buffers[2] + start : NULL, end - start};
    return DV_OK;
}

/* --- Checks ----------------------------------------------------------------------------------- */

static dv_status check_utf8(const dvi_arrow_reading *r, const dv_column_view *view, dv_error *err)
{
    if (view->layout == DV_LAYOUT_BYTES || !dvi_text_check(view))
        return DV_OK;
    int64_t i = 0;
    size_t units;
    const dv_text_layout *to = &view->as.text;
    for (; i < view->rows; i++) { /* which one is it? */
        const int32_t start = dvi_text_end(to, i), end = dvi_text_end(to, i + 1);
        const size_t n = (size_t)(end - start);
        if (n > 0 &&
            dvi_kernels()->utf8_units((const uint8_t *)to->utf8.data + start, n, &units) != n)
            break;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "UTF-8, or types=\"%.32s:BY\"",
             dvi_show(r->column->name).text);
    return dvi_arrow_fail_at(r, DV_ERR_CORRUPT, i, expected, "other bytes", err);
}

/* Offsets of a run: not negative, and not decreasing. *at_out: of the run, the first bad one. */
static bool are_offsets(const dvi_arrow_reading *r, int64_t *at_out)
{
    const dvi_arrow_run *run = &r->runs[0];
    int64_t last = offset_at(r, run->first);
    *at_out = 0;
    if (last < 0)
        return false;
    for (int64_t i = 0; i < run->n; i++) {
        const int64_t end = offset_at(r, run->first + i + 1);
        *at_out = i;
        if (end < last)
            return false;
        last = end;
    }
    return true;
}

static dv_status fail_offsets(const dvi_arrow_reading *r, int64_t at, dv_error *err)
{
    return dvi_arrow_fail_at(r, DV_ERR_CORRUPT, at, "offsets that do not decrease", "ones that do",
                             err);
}

/* --- In place --------------------------------------------------------------------------------- */

/* int32 offsets are ends as they lie. */
static dv_status lend_text(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    int64_t at;
    dv_text_layout *to = &view->as.text;
    const uint8_t *offsets = dvi_arrow_first(r, 1, 4);
    if (r->n == 0)
        return DV_OK;
    DVI_REQUIRE(are_offsets(r, &at), fail_offsets(r, at, err));
    to->first = dvi_load_i32(offsets);
    to->ends = dvi_arrow_lent(r, offsets + 4, 4 * (size_t)r->n, 4);
    const int32_t end = dvi_text_end(to, r->n);
    DVI_REQUIRE(end == to->first || r->array->buffers[2],
                dvi_arrow_fail_at(r, DV_ERR_CORRUPT, 0, "the bytes of texts", "NULL", err));
    to->utf8 = dvi_arrow_lent(r, r->array->buffers[2], (size_t)end, 1);
    return check_utf8(r, view, err);
}

/* --- Copies ----------------------------------------------------------------------------------- */

/* The texts of all runs. follows: they lie end to end, so that only ends are made. */
static dv_status measure(const dvi_arrow_reading *r, int64_t *nbytes_out, const uint8_t **start_out,
                         bool *follows_out, dv_error *err)
{
    int64_t at = 0, nbytes = 0;
    const uint8_t *start = NULL, *last = NULL;
    bool follows = true;
    *nbytes_out = 0;
    *start_out = NULL;
    *follows_out = true;
    for (int64_t k = 0; k < r->runs_count; k++)
        for (int64_t i = 0; i < r->runs[k].n; i++, at++) {
            text t;
            if (r->valid && !r->valid[at])
                continue;
            DVI_TRY(get_text(&t, r, r->runs[k].first + i, at, err));
            if (t.nbytes == 0)
                continue;
            follows = follows && (!last || t.data == last);
            start = start ? start : t.data;
            last = t.data + t.nbytes;
            nbytes += t.nbytes;
            DVI_REQUIRE(nbytes <= INT32_MAX,
                        dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "texts of a batch",
                                 "at most 2^31-1 bytes|%" PRId64, nbytes));
        }
    *nbytes_out = nbytes;
    *start_out = start;
    *follows_out = follows;
    return DV_OK;
}

/* Write ends, and the bytes unless dst is NULL. The texts have been measured. */
static dv_status put_texts(uint32_t *ends, uint8_t *dst, const dvi_arrow_reading *r, dv_error *err)
{
    int64_t at = 0, end = 0;
    const bool has_na = r->scalar->type.kind == DV_KIND_TX;
    for (int64_t k = 0; k < r->runs_count; k++)
        for (int64_t i = 0; i < r->runs[k].n; i++, at++) {
            text t = {NULL, 0};
            const bool is_null = r->valid && !r->valid[at];
            if (!is_null)
                DVI_TRY(get_text(&t, r, r->runs[k].first + i, at, err));
            if (dst && t.nbytes > 0)
                memcpy(dst + end, t.data, (size_t)t.nbytes);
            end += t.nbytes;
            ends[at] = (uint32_t)end | (is_null && has_na ? NA_BIT : 0);
        }
    return DV_OK;
}

static dv_status make_text(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    int64_t nbytes;
    const uint8_t *start;
    bool follows;
    void *ends, *bytes = NULL;
    DVI_TRY(measure(r, &nbytes, &start, &follows, err));
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_ENDS, r->n, 4, &ends, err));
    if (!follows)
        DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_BYTES, nbytes, 1, &bytes, err));
    DVI_TRY(put_texts(ends, bytes, r, err));
    view->as.text.ends = dvi_arrow_made(r, DVI_ARROW_ENDS, r->n, 4);
    view->as.text.utf8 = follows ? dvi_arrow_lent(r, start, (size_t)nbytes, 1)
                                 : dvi_arrow_made(r, DVI_ARROW_BYTES, nbytes, 1);
    return check_utf8(r, view, err);
}

dv_status dvi_arrow_read_text(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    const bool is_lent =
        r->scalar->shape->format.storage == DVI_ARROW_TEXT_4 && dvi_arrow_is_whole(r);
    return is_lent ? lend_text(view, r, err) : make_text(view, r, err);
}
