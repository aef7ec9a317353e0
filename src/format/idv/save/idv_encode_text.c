/* SPDX-License-Identifier: MIT */
/* idv_encode_text.c: encodes texts, whose boundaries are in UTF-16 units (idv:5.4). */
#include "simd/dispatch.h"
#include "codec/utf.h"
#include "format/idv/save/idv_save_priv.h"

/* A run of texts of a batch. text: start of the first one. */
typedef struct texts {
    const uint8_t *text, *ends;
    size_t n, nbytes;
    int32_t first;
} texts;

static dv_status fail_broken(const dvi_idv_encoder *e, size_t i, dv_error *err)
{
    return dvi_idv_fail_item(e, (int64_t)i, DV_ERR_ARGUMENT, "idv:5.4",
                             "texts of valid UTF-8, one after the other|other texts", err);
}

/* The number of the text that holds byte `at`, counted from the first text. */
static size_t text_of_byte(const texts *t, size_t at)
{
    size_t i = 0;
    while ((dvi_load_u32(t->ends + 4 * i) & INT32_MAX) - (uint32_t)t->first <= at)
        i++;
    return i;
}

/* Check that ends do not decrease and that the texts are UTF-8. */
static dv_status check_texts(const dvi_idv_encoder *e, const dv_text_layout *layout, texts *t,
                             bool *is_ascii_out, dv_error *err)
{
    int32_t last = layout->first;
    size_t units;
    const size_t sound = dvi_kernels()->ends_check(NULL, t->ends, t->n, t->first, &last);
    DVI_REQUIRE(sound == t->n, fail_broken(e, sound, err));
    t->nbytes = (size_t)(last - t->first);
    t->text = layout->utf8.data;
    if (t->nbytes > 0)
        t->text += t->first;
    const size_t valid = dvi_kernels()->utf8_units(t->text, t->nbytes, &units);
    DVI_REQUIRE(valid == t->nbytes, fail_broken(e, text_of_byte(t, valid), err));
    *is_ascii_out = units == t->nbytes;
    return DV_OK;
}

/* The boundaries of ASCII are those of its bytes, relative to the first text. */
static void shift_ends(uint8_t *dst, const texts *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const uint32_t word = dvi_load_u32(t->ends + 4 * i);
        const uint32_t end = (word & INT32_MAX) - (uint32_t)t->first;
        dvi_store_u32(dst + 4 * i, end | (word & ~(uint32_t)INT32_MAX));
    }
}

static dv_status encode_ends(const dvi_idv_encoder *e, const texts *t, bool is_ascii, dv_error *err)
{
    if (is_ascii && t->first == 0) {
        dvi_idv_append_fragment(e->out, t->ends, 4 * t->n);
        return DV_OK;
    }
    uint8_t *memory;
    DVI_TRY(dvi_idv_reserve_decoded(e, 4 * t->n, &memory, err));
    if (is_ascii) {
        shift_ends(memory, t);
    } else {
        const size_t whole = dvi_utf_unit_ends((int32_t *)(void *)memory, t->text - t->first,
                                               t->ends, t->n, t->first);
        DVI_REQUIRE(whole == t->n, fail_broken(e, whole, err));
    }
    dvi_idv_append_fragment(e->out, memory, 4 * t->n);
    return DV_OK;
}

dv_status dvi_idv_encode_text(const dvi_idv_encoder *e, const dv_column_view *items, dv_error *err)
{
    const dv_text_layout *layout = &items->as.text;
    dvi_idv_encoded *out = e->out;
    texts t = {.ends = layout->ends.data, .n = (size_t)items->rows, .first = layout->first};
    bool is_ascii = false;
    DVI_TRY(check_texts(e, layout, &t, &is_ascii, err));
    dvi_idv_append_i32(out, (int32_t)t.n);
    out->widest = out->nbytes;
    DVI_TRY(encode_ends(e, &t, is_ascii, err));

    uint8_t *length = out->small + out->small_nbytes;
    const size_t n = dvi_idv_store_leb(t.nbytes, length);
    out->small_nbytes += n;
    dvi_idv_append_fragment(out, length, n);
    dvi_idv_append_fragment(out, t.text, t.nbytes);
    return DV_OK;
}
