/* SPDX-License-Identifier: MIT */
/* tf_hash_items.c: the keys of items, alone or combined (semantics:7.6, semantics:7.7). */
#include "base/load.h"
#include "base/size.h"
#include "simd/na.h"
#include "codec/short_text.h"
#include "codec/space.h"
#include "transform/tf_hash_priv.h"
#include <dataview/value.h>

#define BLOCK 512 /* items whose words are in the cache */

static uint32_t seed_of(const dvi_hash *h, const int32_t *slots, int64_t i)
{
    return slots ? dvi_murmur_round(h->seed, (uint32_t)slots[i]) : h->seed;
}

static uint32_t key_of(const dvi_hash *h, uint32_t hash)
{
    return (hash & h->mask) + 1;
}

static const uint8_t *item_at(const dv_column_view *items, int64_t i)
{
    return (const uint8_t *)items->as.fixed.values.data + (size_t)i * dvi_width_of(&items->type);
}

/* --- Words ------------------------------------------------------------------------------------ */

/* A word without the sign of -0. */
static uint32_t fold_4(const dvi_hash *h, uint32_t word)
{
    return h->item.kind == DV_KIND_R4 && word << 1 == 0 ? 0 : word;
}

static uint64_t fold_8(const dvi_hash *h, uint64_t word)
{
    return h->item.kind == DV_KIND_R8 && word << 1 == 0 ? 0 : word;
}

static dvi_murmur murmur_of(const dvi_hash *h, uint32_t nbytes)
{
    const bool is_old = h->version == DVI_MURMUR_1;
    return (dvi_murmur){.seed = h->seed,
                        .mask = h->mask,
                        .nbytes = is_old ? 0 : nbytes,
                        .is_real = h->item.kind == DV_KIND_R4 || h->item.kind == DV_KIND_R8,
                        .skips_zero = is_old,
                        .na = h->na};
}

/* Items of 1 or 2 bytes are widened, a block at a time. */
static void hash_narrow(const dvi_hash *h, uint32_t *dst, const dv_column_view *items,
                        int64_t first, int64_t n, const int32_t *slots)
{
    uint32_t words[BLOCK];
    const dvi_murmur how = murmur_of(h, 4);
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t count = dvi_min_i64(n - at, BLOCK);
        h->widen(words, item_at(items, first + at), (size_t)count);
        dvi_kernels()->murmur_u4(dst + at, words, (size_t)count, slots ? slots + at : NULL, &how);
    }
}

/* --- Others ----------------------------------------------------------------------------------- */

static void hash_ug(const dvi_hash *h, uint32_t *dst, const dv_column_view *items, int64_t first,
                    int64_t n, const int32_t *slots)
{
    for (int64_t i = 0; i < n; i++) {
        const dv_u128 value = dv_value_ug(&(dv_value){.column = items, .row = first + i});
        dst[i] = key_of(h, dvi_murmur_ug(seed_of(h, slots, i), value, h->version));
    }
}

/* Is a text ASCII, without blanks around it? */
static bool is_plain(const uint64_t words[2], dv_text text)
{
    return ((words[0] | words[1]) & UINT64_C(0x8080808080808080)) == 0 && text.data[0] != ' ' &&
           text.data[text.nbytes - 1] != ' ';
}

/* Most texts are short and plain: the kernel hashes a block of them, and the others follow. */
static void hash_some(const dvi_hash *h, uint32_t *dst, const dv_text_layout *column, int64_t first,
                      int n, const int32_t *slots)
{
    uint64_t words[2 * BLOCK];
    dv_text others[BLOCK];
    int others_at[BLOCK], others_count = 0;
    const uint8_t *ends = column->ends.data;
    const char *utf8 = column->utf8.nbytes > 0 ? column->utf8.data : "";
    const int64_t nbytes = (int64_t)column->utf8.nbytes;
    const dvi_murmur how = murmur_of(h, 0);
    int32_t from = dvi_text_end(column, first);
    for (int i = 0; i < n; i++) {
        const int32_t end = dvi_load_i32(ends + 4 * (first + i)), to = end & INT32_MAX;
        const dv_text text = {utf8 + from, end < 0 ? 0 : to - from};
        uint64_t *const w = &words[2 * i];
        bool is_other = !dvi_hash_is_missing(text);
        if (is_other && text.nbytes <= DVI_SHORT_TEXT && nbytes - from >= 16) {
            dvi_short_text_read(w, text.data, (int32_t)text.nbytes);
            is_other = !is_plain(w, text);
        } else {
            w[0] = w[1] = 0;
        }
        others[others_count] = text;
        others_at[others_count] = i;
        others_count += is_other;
        from = to;
    }
    dvi_kernels()->murmur_text(dst, words, (size_t)n, slots, &how);
    for (int k = 0; k < others_count; k++) {
        const int i = others_at[k];
        dst[i] = key_of(
            h, dvi_murmur_text(seed_of(h, slots, i), dvi_text_trim_blanks(others[k]), h->version));
    }
}

static void hash_text(const dvi_hash *h, uint32_t *dst, const dv_column_view *items, int64_t first,
                      int64_t n, const int32_t *slots)
{
    for (int64_t at = 0; at < n; at += BLOCK)
        hash_some(h, dst + at, &items->as.text, first + at, (int)dvi_min_i64(n - at, BLOCK),
                  slots ? slots + at : NULL);
}

void dvi_hash_items(const dvi_hash *h, uint32_t *dst, const dv_column_view *items, int64_t first,
                    int64_t n, const int32_t *slots)
{
    const dvi_murmur how_4 = murmur_of(h, 4), how_8 = murmur_of(h, 8);
    if (n == 0)
        return; /* a buffer without items may have no address */
    if (h->widen)
        hash_narrow(h, dst, items, first, n, slots);
    else if (h->form == DVI_HASH_WORDS_4)
        dvi_kernels()->murmur_u4(dst, item_at(items, first), (size_t)n, slots, &how_4);
    else if (h->form == DVI_HASH_WORDS_8)
        dvi_kernels()->murmur_u8(dst, item_at(items, first), (size_t)n, slots, &how_8);
    else if (h->form == DVI_HASH_UG)
        hash_ug(h, dst, items, first, n, slots);
    else
        hash_text(h, dst, items, first, n, slots);
}

uint32_t dvi_hash_default(const dvi_hash *h, int32_t slot)
{
    static const uint64_t zero[2];
    uint32_t key;
    dv_column_view item = {.type = h->item, .layout = DV_LAYOUT_FIXED, .rows = 1};
    item.as.fixed.values = (dv_buffer){zero, sizeof zero, NULL, false, true};
    if (!h->fills_holes)
        return 0;
    dvi_hash_items(h, &key, &item, 0, 1, h->is_by_slot ? &slot : NULL);
    return key;
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* Items whose slots are known, but whose keys are not made yet. */
typedef struct pending {
    int32_t slots[BLOCK];
    int64_t n, done; /* done: items before these */
} pending;

static void hash_pending(const dvi_hash *h, pending *p, uint32_t *dst,
                         const dv_vector_layout *vector)
{
    dvi_hash_items(h, dst + p->done, vector->items, vector->item_base + p->done, p->n, p->slots);
    p->done += p->n;
    p->n = 0;
}

/* Add a row with so many items; indices: their slots, NULL: it is dense. */
static void add_row(const dvi_hash *h, pending *p, uint32_t *dst, const dv_vector_layout *vector,
                    const uint8_t *indices, int32_t items)
{
    for (int32_t i = 0; i < items;) {
        const int32_t count = (int32_t)dvi_min_i64(items - i, BLOCK - p->n);
        if (indices)
            memcpy(p->slots + p->n, indices + 4 * (size_t)i, 4 * (size_t)count);
        for (int32_t k = 0; k < count && !indices; k++)
            p->slots[p->n + k] = i + k;
        p->n += count;
        i += count;
        if (p->n == BLOCK)
            hash_pending(h, p, dst, vector);
    }
}

void dvi_hash_vectors(const dvi_hash *h, uint32_t *dst, const dv_vector_layout *vector,
                      int64_t rows)
{
    pending p;
    const uint8_t *indices = vector->indices.data;
    int64_t index = vector->index_base;
    p.n = p.done = 0;
    if (!h->is_by_slot) {
        dvi_hash_items(h, dst, vector->items, vector->item_base,
                       dvi_vector_extent(vector, rows).items, NULL);
        return;
    }
    for (int64_t row = 0; row < rows; row++) {
        const int32_t count = dvi_vector_count(vector, row);
        const bool is_sparse = count > 0;
        const int32_t items = count < 0 ? dvi_vector_length(vector, row) : count;
        add_row(h, &p, dst, vector, is_sparse ? indices + 4 * index : NULL, items);
        index += is_sparse ? count : 0;
    }
    hash_pending(h, &p, dst, vector);
}

/* --- Combining -------------------------------------------------------------------------------- */

/* Add a word, or a text; false: it is NA. */
static bool combine_word_4(const dvi_hash *h, uint32_t *hash, const uint8_t *item)
{
    uint32_t word;
    if (h->widen)
        h->widen(&word, item, 1);
    else
        word = dvi_load_u32(item);
    *hash = dvi_murmur_round(*hash, fold_4(h, word));
    return !dvi_is_na_4(word, &h->na);
}

static bool combine_word_8(const dvi_hash *h, uint32_t *hash, const uint8_t *item)
{
    const uint64_t word = dvi_load_u64(item), folded = fold_8(h, word);
    *hash = dvi_murmur_round(dvi_murmur_round(*hash, (uint32_t)folded), (uint32_t)(folded >> 32));
    return !dvi_is_na_8(word, &h->na);
}

static bool combine_text(const dvi_hash *h, uint32_t *hash, dv_text text)
{
    *hash = dvi_murmur_text(*hash, dvi_text_trim_blanks(text), h->version);
    return !dvi_hash_is_missing(text);
}

static bool combine_value(const dvi_hash *h, uint32_t *hash, const dv_value *value)
{
    if (h->form == DVI_HASH_TEXT)
        return combine_text(h, hash, dv_value_tx(value));
    const uint8_t *item = item_at(value->column, value->row);
    if (h->form == DVI_HASH_WORDS_8)
        return combine_word_8(h, hash, item);
    return combine_word_4(h, hash, item); /* of UG, the low word alone */
}

/* Add slots without items; false: they are NA. */
static bool combine_holes(const dvi_hash *h, uint32_t *hash, int32_t n)
{
    if (n > 0 && !h->fills_holes)
        return false;
    for (int64_t i = 0; i < (h->form == DVI_HASH_WORDS_8 ? 2 : 1) * (int64_t)n; i++)
        *hash = dvi_murmur_round(*hash, 0);
    return true;
}

static uint32_t combine_row(const dvi_hash *h, const dv_value *vector)
{
    const int32_t items = dv_value_items(vector);
    const uint32_t width = h->form == DVI_HASH_WORDS_8 ? 8 : 4;
    dv_value item = dv_value_item(vector, 0);
    uint32_t hash = h->seed;
    int32_t next = 0;
    for (int32_t i = 0; i < items; i++, item.row++) {
        const int32_t slot = dv_value_slot(vector, i);
        if (!combine_holes(h, &hash, slot - next) || !combine_value(h, &hash, &item))
            return 0;
        next = slot + 1;
    }
    if (!combine_holes(h, &hash, vector->length - next))
        return 0;
    if (h->form != DVI_HASH_TEXT)
        hash = dvi_murmur_finish_of(hash, width * (uint32_t)vector->length);
    return key_of(h, hash);
}

void dvi_hash_combine(const dvi_hash *h, uint32_t *dst, const dv_vector_layout *vector,
                      int64_t rows)
{
    dv_column_view column = {.layout = DV_LAYOUT_VECTOR, .rows = rows, .as.vector = *vector};
    dv_value value = dv_value_first(&column);
    for (; value.row < rows; dv_value_next(&value))
        dst[value.row] = combine_row(h, &value);
}
