/* SPDX-License-Identifier: MIT */
/* idv_text.c: decodes blocks of text: UTF-16 boundaries in UTF-8 bytes (idv:5.4). */
#include "simd/dispatch.h"
#include "codec/utf.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <string.h>

#define RULE "idv:5.4"

/* Positions in the content of a text block. */
typedef struct text_block {
    size_t start, ends, text;
    int64_t n;
    dv_buffer layout; /* the boundaries */
    size_t nbytes;    /* of the text */
    int64_t units;    /* the last boundary */
} text_block;

/* Check that boundaries do not decrease, and that NA adds nothing (idv:X2, idv:X3). Those of a
 * mapped file are copied meanwhile. */
static dv_status check_ends(dvi_idv_content *content, text_block *t, dv_error *err)
{
    const size_t n = (size_t)t->n;
    const uint8_t *ends = content->r.data + t->ends;
    int32_t *copy = t->layout.data == ends ? NULL : (int32_t *)(void *)content->opened->ends->data;
    int32_t last;
    const size_t sound = dvi_kernels()->ends_check(copy, ends, n, 0, &last);
    t->units = last;
    if (sound == n)
        return DV_OK;
    const size_t at = t->ends + 4 * sound;
    const uint32_t word = dvi_load_u32(ends + 4 * sound);
    const bool is_na = word > INT32_MAX;
    return dvi_fail_range(err, is_na ? "idv:X3" : "idv:X2", dvi_idv_blame(content, at),
                          is_na ? "boundary of an NA text" : "text boundary", last,
                          is_na ? last : INT64_MAX, word & INT32_MAX);
}

static dv_status read_layout(dvi_idv_content *content, text_block *t, dv_error *err)
{
    dvi_reader *r = &content->r;
    t->start = r->at;
    const int64_t entries = dvi_read_i32_le(r);
    DVI_REQUIRE_READ(err, r, RULE, RULE, "number of texts");
    DVI_REQUIRE(entries == t->n, dvi_fail_range(err, "idv:X1", dvi_idv_blame(content, t->start),
                                                "number of texts", t->n, t->n, entries));
    t->ends = r->at;
    dvi_read_bytes(r, 4 * (size_t)t->n);
    const dv_text text = dvi_read_str(r);
    DVI_REQUIRE_READ(err, r, RULE, "idv:1", "text boundaries and text");
    t->nbytes = (size_t)text.nbytes;
    t->text = r->at - t->nbytes;
    return dvi_idv_reserve_layout(content, t->ends, 4 * (size_t)t->n, &content->opened->ends,
                                  &t->layout, err);
}

/* Check that the text is UTF-8 and as long as the last boundary says (idv:X4). */
static dv_status check_text(dvi_idv_content *content, const text_block *t, bool *is_ascii_out,
                            dv_error *err)
{
    const int64_t nbytes = (int64_t)t->nbytes;
    const size_t last_end = t->n > 0 ? t->ends + 4 * (size_t)(t->n - 1) : t->start;
    const uint8_t *text = content->r.data + t->text;
    DVI_REQUIRE(t->units <= nbytes && nbytes <= 3 * t->units,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:X4", dvi_idv_blame(content, last_end),
                         "length of the text", "%" PRId64 " UTF-16 units|%" PRId64 " bytes",
                         t->units, nbytes));
    size_t units;
    const size_t valid = dvi_kernels()->utf8_units(text, t->nbytes, &units);
    DVI_REQUIRE(valid == t->nbytes,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, dvi_idv_blame(content, t->text + valid), "text",
                         "valid UTF-8|byte %02X", (unsigned)text[valid]));
    DVI_REQUIRE((int64_t)units == t->units,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:X4", dvi_idv_blame(content, last_end),
                         "length of the text", "%" PRId64 " UTF-16 units|%zu", t->units, units));
    *is_ascii_out = units == t->nbytes; /* only ASCII has one unit per byte */
    return DV_OK;
}

/* Let *text_out be the text, in memory of the cursor, and again checked if that makes a copy. */
static dv_status keep_text(dvi_idv_content *content, const text_block *t, const uint8_t **text_out,
                           dv_error *err)
{
    const uint8_t *text = content->r.data + t->text;
    dvi_memory **memory = &content->opened->stored; /* unused: the block is in the map */
    size_t units;
    *text_out = text;
    if (!content->is_borrowed)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(memory, content->allocator, t->nbytes, err));
    memcpy((*memory)->data, text, t->nbytes);
    *text_out = (*memory)->data;
    const size_t valid = dvi_kernels()->utf8_units(*text_out, t->nbytes, &units);
    DVI_REQUIRE(valid == t->nbytes && (int64_t)units == t->units,
                dvi_fail_changed(err, dvi_idv_blame(content, t->text), "text"));
    return DV_OK;
}

/* Boundaries inside surrogate pairs: rewrite the text with each half as U+FFFD. Each split adds two
 * bytes, and its text has four bytes in `ends`, so a block below 2^31 bytes stays below. */
static dv_status open_split(dvi_idv_content *content, const text_block *t, size_t first,
                            dv_text_layout *layout, dv_error *err)
{
    const uint8_t *text, *ends = t->layout.data;
    DVI_REQUIRE(!content->strict_text,
                dvi_fail(err, DV_ERR_CORRUPT, RULE, dvi_idv_blame(content, t->ends + 4 * first),
                         "text boundary", "no cut inside a character (strict_text)|one in text %zu",
                         first));
    const size_t n = (size_t)t->n, ends_nbytes = 4 * n;
    size_t nbytes, splits;
    DVI_TRY(keep_text(content, t, &text, err));
    dvi_utf_split_ends(text, ends, n, NULL, NULL, &nbytes, &splits);
    DVI_TRY(dvi_idv_decode_into(content, ends_nbytes + nbytes, "text with cut characters", err));
    dvi_memory *memory = content->opened->decoded;
    dvi_utf_split_ends(text, ends, n, memory->data + ends_nbytes, (int32_t *)(void *)memory->data,
                       &nbytes, &splits);
    layout->ends = dvi_memory_buffer(memory, 0, ends_nbytes, 4);
    layout->utf8 = dvi_memory_buffer(memory, ends_nbytes, nbytes, 1);
    content->opened->splits = splits;
    return DV_OK;
}

/* Boundaries that stay in place are copied after all, and checked again. */
static dv_status keep_ends(dvi_idv_content *content, text_block *t, dv_error *err)
{
    const size_t n = (size_t)t->n;
    dvi_memory **memory = &content->opened->ends;
    int32_t last;
    if (!t->layout.is_borrowed || n == 0)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(memory, content->allocator, 4 * n, err));
    int32_t *copy = (int32_t *)(void *)(*memory)->data;
    if (dvi_kernels()->ends_check(copy, t->layout.data, n, 0, &last) != n || last != t->units)
        return dvi_fail_changed(err, dvi_idv_blame(content, t->ends), "text boundaries");
    t->layout = dvi_memory_buffer(*memory, 0, 4 * n, 4);
    return DV_OK;
}

static dv_status decode_ends(dvi_idv_content *content, text_block *t, dv_text_layout *layout,
                             dv_error *err)
{
    const size_t n = (size_t)t->n;
    DVI_TRY(keep_ends(content, t, err));
    DVI_TRY(
        dvi_memory_reserve(&content->opened->decoded, content->allocator, 4 * (size_t)t->n, err));
    dvi_memory *memory = content->opened->decoded;
    int32_t *ends = (int32_t *)(void *)memory->data;
    const size_t mapped =
        dvi_kernels()->ends_map(ends, content->r.data + t->text, t->nbytes, t->layout.data, n);
    if (mapped < n)
        return open_split(content, t, mapped, layout, err);
    if (n > 0 && (size_t)(ends[n - 1] & INT32_MAX) > t->nbytes)
        return dvi_fail_changed(err, dvi_idv_blame(content, t->text), "text");
    layout->ends = dvi_memory_buffer(memory, 0, 4 * n, 4);
    return DV_OK;
}

dv_status dvi_idv_open_text(dvi_idv_content *content, int64_t n, dv_column_view *view,
                            dv_error *err)
{
    text_block t = {.n = n};
    bool is_ascii = false;
    DVI_TRY(read_layout(content, &t, err));
    DVI_TRY(check_ends(content, &t, err));
    DVI_TRY(check_text(content, &t, &is_ascii, err));

    const uint8_t *data = content->r.data;
    dv_text_layout *layout = &view->as.text;
    layout->utf8 = (dv_buffer){data + t.text, t.nbytes, content->owner, content->is_borrowed, true};
    layout->ends = t.layout;
    return is_ascii ? DV_OK : decode_ends(content, &t, layout, err);
}
