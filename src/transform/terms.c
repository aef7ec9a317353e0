/* SPDX-License-Identifier: MIT */
/* terms.c: an open hash table from values to numbers, and the values in their order.
 *
 * A slot of the table is 0, or 1 + the number of a term and as many lower bits of its hash as there
 * is room for. Its place is made of the upper bits of the hash. Slots are small, so that few cache
 * lines hold them; when the table grows, the hashes are made again of the keys. Rows are hashed and
 * their slots fetched some at a time, because a large table lies in main memory. A slot whose bits
 * are those of a value leads to a key, which is compared in place of the value. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "view/column.h"
#include "transform/terms_priv.h"

#define SLOTS_LEAST 64
#define SLOTS_NEAR (1 << 15) /* of a table that lies in the nearest caches, and has more room */

/* --- Making ----------------------------------------------------------------------------------- */

dv_status dvi_terms_create(dvi_terms **terms_out, const dv_type *type, int64_t most,
                           size_t text_nbytes, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    const dv_allocator with = dvi_allocator_of(allocator);
    *terms_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&with, &made, sizeof(dvi_terms), err));
    dvi_terms *t = made;
    t->allocator = with;
    t->type = *type;
    t->most = most;
    t->text_nbytes = text_nbytes;
    t->value_nbytes = type->kind == DV_KIND_DZ ? 8 : dvi_width_of(type);
    t->is_wide = type->kind == DV_KIND_TX || type->kind == DV_KIND_UG;
    if (!DVI_ATTEMPT("terms.c dvi_terms_create", dvi_os_random(t->seeds, sizeof t->seeds)))
        t->seeds[1] = (uint64_t)(uintptr_t)t; /* differs between dictionaries and processes */
    *terms_out = t;
    return DV_OK;
}

void dvi_terms_free(dvi_terms **terms)
{
    dvi_terms *t = *terms;
    *terms = NULL;
    if (!t)
        return;
    const dv_allocator allocator = t->allocator;
    dvi_memory **all[] = {&t->keys, &t->values, &t->minutes, &t->utf8, &t->ends, &t->runs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
    dvi_free(&allocator, t->slots, t->cap * sizeof *t->slots);
    dvi_free(&allocator, t, sizeof *t);
}

int64_t dvi_terms_count(const dvi_terms *t)
{
    return t->count;
}

bool dvi_terms_are_full(const dvi_terms *t)
{
    return t->count >= t->most;
}

/* --- The table -------------------------------------------------------------------------------- */

static size_t place_of(const dvi_terms *t, uint32_t hash)
{
    return (size_t)hash >> t->shift;
}

/* 1 + the number of the term of a slot, or more than fits into its bits: of another hash. */
static inline uint32_t number_of(const dvi_terms *t, uint32_t slot, uint32_t hash)
{
    return slot ^ hash << t->number_bits;
}

static inline bool is_of(const dvi_terms *t, uint32_t slot, uint32_t hash)
{
    return number_of(t, slot, hash) >> t->number_bits == 0;
}

/* Make room for `cap` slots, a power of two. */
static dv_status grow_table(dvi_terms *t, size_t cap, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(&t->allocator, &made, cap * sizeof *t->slots, err));
    dvi_free(&t->allocator, t->slots, t->cap * sizeof *t->slots);
    t->slots = made;
    t->cap = cap;
    t->shift = 32 - __builtin_ctzll(cap);
    t->number_bits = (int)dvi_min_i64(__builtin_ctzll(cap), 31); /* at most half of the slots */
    for (int64_t i = 0; i < t->count; i++) {
        const uint32_t hash = dvi_term_hash(t, i);
        size_t at = place_of(t, hash);
        while (t->slots[at])
            at = (at + 1) & (cap - 1);
        t->slots[at] = number_of(t, (uint32_t)i + 1, hash);
    }
    return DV_OK;
}

/* Values that are looked up. */
typedef struct some {
    const dv_column_view *values;
    int64_t first;
    const dv_text *words; /* in place of values; NULL: none */
    dvi_term_keys keys;
    size_t at[DVI_TERM_KEYS]; /* no slot before it has the same hash */
} some;

static dv_text text_at(const some *s, int i)
{
    return s->words ? s->words[i] : dvi_term_text_at(&s->values->as.text, s->first + i);
}

/* Are n bytes, more than DVI_TERM_SHORT, the same? Few are compared without a call, the ends of
 * them twice. */
static inline bool is_equal_long(const char *a, const char *b, size_t n)
{
    if (n > 2 * sizeof(dv_u128))
        return memcmp(a, b, n) == 0;
    uint64_t differ = 0;
    for (size_t i = 0; i < 2; i++) {
        differ |= dvi_load_u64(a + 8 * i) ^ dvi_load_u64(b + 8 * i);
        differ |= dvi_load_u64(a + n - 8 * (i + 1)) ^ dvi_load_u64(b + n - 8 * (i + 1));
    }
    return differ == 0;
}

/* Texts of the same hash and length. */
static bool is_same_text(const dvi_terms *t, int64_t number, const some *s, int i)
{
    const dv_text known = dvi_terms_text(t, number);
    const dv_text text = text_at(s, i);
    return is_equal_long(known.data, text.data, (size_t)text.nbytes);
}

static inline bool is_term(const dvi_terms *t, int64_t number, const some *s, int i)
{
    const uint64_t *known = (const uint64_t *)(const void *)t->keys->data;
    const uint64_t lo = s->keys.lo[i], hi = s->keys.hi[i];
    if (!t->is_wide)
        return known[number] == lo;
    if (known[2 * number] != lo || known[2 * number + 1] != hi)
        return false;
    return t->type.kind != DV_KIND_TX || hi < DVI_TERM_LONG || is_same_text(t, number, s, i);
}

/* The place of the slot of a value, or of the free slot for it, from `at` on. */
static inline size_t find_place(const dvi_terms *t, const some *s, int i, size_t at)
{
    const uint32_t hash = s->keys.hash[i];
    for (uint32_t slot; (slot = t->slots[at]) != 0; at = (at + 1) & (t->cap - 1))
        if (is_of(t, slot, hash) && is_term(t, (int64_t)number_of(t, slot, hash) - 1, s, i))
            break;
    return at;
}

/* 1 + the number of the term of value i, whose slot is that, or 0 if that is free. */
static inline uint32_t key_at(const dvi_terms *t, const some *s, int i, size_t at)
{
    return t->slots[at] ? number_of(t, t->slots[at], s->keys.hash[i]) : 0;
}

/* Find the slots of the same hashes, and have the keys of their terms fetched. */
static void find_slots(const dvi_terms *t, some *s, int n)
{
    const uint8_t *known = t->keys ? t->keys->data : NULL;
    const size_t width = t->is_wide ? 16 : 8;
    for (int i = 0; i < n; i++)
        DVI_FETCH(&t->slots[s->at[i]]);
    for (int i = 0; i < n; i++) {
        const uint32_t hash = s->keys.hash[i];
        size_t at = s->at[i];
        uint32_t slot;
        while ((slot = t->slots[at]) != 0 && !is_of(t, slot, hash))
            at = (at + 1) & (t->cap - 1);
        if (slot)
            DVI_FETCH(known + width * (number_of(t, slot, hash) - 1));
        s->at[i] = at;
    }
}

static void find_near(const dvi_terms *t, some *s, int n)
{
    for (int i = 0; i < n; i++)
        s->at[i] = place_of(t, s->keys.hash[i]);
    if (t->cap > SLOTS_NEAR)
        find_slots(t, s, n);
}

static void read_some(const dvi_terms *t, some *s, const dv_column_view *values, int64_t first,
                      int n)
{
    s->values = values;
    s->first = first;
    s->words = NULL;
    dvi_term_keys_read(t, values, first, n, &s->keys);
    find_near(t, s, n);
}

static void read_words(const dvi_terms *t, some *s, const dv_text *words, int n, const char *end)
{
    s->values = NULL;
    s->first = 0;
    s->words = words;
    dvi_term_keys_read_words(t, words, n, end, &s->keys);
    find_near(t, s, n);
}

/* --- Looking up ------------------------------------------------------------------------------- */

void dvi_terms_find(const dvi_terms *t, const dv_column_view *values, int64_t first, int64_t n,
                    uint32_t *keys_out)
{
    some s;
    if (t->cap == 0) {
        memset(keys_out, 0, (size_t)n * sizeof *keys_out);
        return;
    }
    for (int64_t done = 0; done < n; done += DVI_TERM_KEYS) {
        const int count = (int)dvi_min_i64(n - done, DVI_TERM_KEYS);
        read_some(t, &s, values, first + done, count);
        for (int i = 0; i < count; i++) {
            const uint32_t found = key_at(t, &s, i, find_place(t, &s, i, s.at[i]));
            keys_out[done + i] = s.keys.is_term[i] ? found : 0;
        }
    }
}

void dvi_terms_find_words(const dvi_terms *t, const dv_text *words, int n, const char *end,
                          uint32_t *keys_out)
{
    some s;
    if (t->cap == 0) {
        memset(keys_out, 0, (size_t)n * sizeof *keys_out);
        return;
    }
    read_words(t, &s, words, n, end);
    for (int i = 0; i < n; i++)
        keys_out[i] = key_at(t, &s, i, find_place(t, &s, i, s.at[i]));
}

/* --- Adding ----------------------------------------------------------------------------------- */

/* Make room for more bytes, at first a little and then twice as much. */
static dv_status extend(dvi_terms *t, dvi_memory **memory, size_t used, size_t more, dv_error *err)
{
    if (*memory && (*memory)->cap - used >= more)
        return DV_OK;
    const size_t nbytes = used + (more > used ? more : used);
    return dvi_memory_extend(memory, used, nbytes, &t->allocator, err);
}

static dv_status reserve_values(dvi_terms *t, size_t more, size_t text_nbytes, dv_error *err)
{
    const size_t n = (size_t)t->count, key = t->is_wide ? 16 : 8, width = t->value_nbytes;
    DVI_TRY(extend(t, &t->keys, key * n, key * more, err));
    if (t->type.kind == DV_KIND_TX) {
        DVI_TRY(extend(t, &t->utf8, t->text_used, text_nbytes, err));
        return extend(t, &t->ends, 4 * n, 4 * more, err);
    }
    if (t->type.kind == DV_KIND_DZ)
        DVI_TRY(extend(t, &t->minutes, 2 * n, 2 * more, err));
    return extend(t, &t->values, width * n, width * more, err);
}

/* Reserve room for one more value. */
static dv_status reserve(dvi_terms *t, size_t text_nbytes, dv_error *err)
{
    const size_t n = (size_t)t->count;
    if ((t->cap < SLOTS_NEAR ? 8 : 2) * (n + 1) > t->cap)
        DVI_TRY(grow_table(t, 2 * t->cap, err));
    if (t->text_used + text_nbytes > t->text_nbytes)
        return dvi_fail(err, DV_ERR_LIMIT, DVI_TERMS_LIMIT, -1, "bytes of the texts of terms",
                        "at most %zu|%zu", t->text_nbytes, t->text_used + text_nbytes);
    return reserve_values(t, 1, text_nbytes, err);
}

static void append_text(dvi_terms *t, size_t n, dv_text text)
{
    memcpy(t->utf8->data + t->text_used, text.data, (size_t)text.nbytes);
    t->text_used += (size_t)text.nbytes;
    dvi_store_i32(t->ends->data + 4 * n, (int32_t)t->text_used);
}

static void append_fixed(dvi_terms *t, size_t n, const dv_column_view *values, int64_t row)
{
    const size_t width = t->value_nbytes;
    const char *src =
        t->type.kind == DV_KIND_DZ ? values->as.zoned.ticks.data : values->as.fixed.values.data;
    memcpy(t->values->data + width * n, src + width * (size_t)row, width);
    if (t->type.kind == DV_KIND_DZ)
        memcpy(t->minutes->data + 2 * n, (const char *)values->as.zoned.minutes.data + 2 * row, 2);
}

/* Add value i, whose slot is free. */
static dv_status add_new(dvi_terms *t, const some *s, int i, size_t at, dv_error *err)
{
    const int64_t row = s->first + i;
    const bool is_text = t->type.kind == DV_KIND_TX;
    const dv_text text = is_text ? text_at(s, i) : (dv_text){0};
    const size_t n = (size_t)t->count, cap = t->cap;
    DVI_TRY(reserve(t, (size_t)text.nbytes, err));
    if (t->cap != cap)
        at = find_place(t, s, i, place_of(t, s->keys.hash[i]));
    uint64_t *known = (uint64_t *)(void *)t->keys->data + (t->is_wide ? 2 * n : n);
    known[0] = s->keys.lo[i];
    if (t->is_wide)
        known[1] = s->keys.hi[i];
    if (is_text)
        append_text(t, n, text);
    else
        append_fixed(t, n, s->values, row);
    t->slots[at] = number_of(t, (uint32_t)++t->count, s->keys.hash[i]);
    return DV_OK;
}

/* keys_out: NULL: not wanted. */
static dv_status add_some(dvi_terms *t, const dv_column_view *values, int64_t first, int n,
                          uint32_t *keys_out, dv_error *err)
{
    some s;
    read_some(t, &s, values, first, n);
    const size_t cap = t->cap;
    for (int i = 0; i < n; i++) {
        const size_t from = t->cap == cap ? s.at[i] : place_of(t, s.keys.hash[i]);
        const size_t at = find_place(t, &s, i, from);
        uint32_t key = s.keys.is_term[i] ? key_at(t, &s, i, at) : 0;
        if (!t->slots[at] && s.keys.is_term[i]) {
            if (dvi_terms_are_full(t))
                return DV_OK;
            DVI_TRY(add_new(t, &s, i, at, err));
            key = (uint32_t)t->count;
        }
        if (keys_out)
            keys_out[i] = key;
    }
    return DV_OK;
}

dv_status dvi_terms_number(dvi_terms *t, const dv_column_view *values, int64_t first, int64_t n,
                           uint32_t *keys_out, dv_error *err)
{
    if (t->cap == 0)
        DVI_TRY(grow_table(t, SLOTS_LEAST, err));
    for (int64_t done = 0; done < n && !dvi_terms_are_full(t); done += DVI_TERM_KEYS)
        DVI_TRY(add_some(t, values, first + done, (int)dvi_min_i64(n - done, DVI_TERM_KEYS),
                         keys_out ? keys_out + done : NULL, err));
    return DV_OK;
}

dv_status dvi_terms_add(dvi_terms *t, const dv_column_view *values, int64_t first, int64_t n,
                        dv_error *err)
{
    return dvi_terms_number(t, values, first, n, NULL, err);
}

dv_status dvi_terms_reserve(dvi_terms *t, int64_t count, size_t text_nbytes, dv_error *err)
{
    const size_t n = (size_t)dvi_min_i64(count, t->most);
    size_t cap = SLOTS_LEAST;
    while (cap < 2 * n)
        cap *= 2;
    if (cap > t->cap)
        DVI_TRY(grow_table(t, cap, err));
    return reserve_values(t, n, text_nbytes, err);
}

dv_status dvi_terms_add_words(dvi_terms *t, const dv_text *words, int n, const char *end,
                              uint32_t *keys_out, dv_error *err)
{
    some s;
    if (t->cap == 0)
        DVI_TRY(grow_table(t, SLOTS_LEAST, err));
    read_words(t, &s, words, n, end);
    const size_t cap = t->cap;
    for (int i = 0; i < n; i++) {
        const size_t from = t->cap == cap ? s.at[i] : place_of(t, s.keys.hash[i]);
        const size_t at = find_place(t, &s, i, from);
        keys_out[i] = key_at(t, &s, i, at);
        if (t->slots[at] || dvi_terms_are_full(t))
            continue;
        DVI_TRY(add_new(t, &s, i, at, err));
        keys_out[i] = (uint32_t)t->count;
    }
    return DV_OK;
}

/* --- All terms -------------------------------------------------------------------------------- */

void dvi_terms_values(const dvi_terms *t, dv_column_view *values_out)
{
    const size_t n = (size_t)t->count;
    *values_out =
        (dv_column_view){.type = t->type, .layout = dvi_layout_of(&t->type), .rows = t->count};
    if (n == 0)
        return;
    if (t->type.kind == DV_KIND_TX) {
        values_out->as.text.utf8 = dvi_memory_buffer(t->utf8, 0, t->text_used, 1);
        values_out->as.text.ends = dvi_memory_buffer(t->ends, 0, 4 * n, 4);
    } else if (t->type.kind == DV_KIND_DZ) {
        values_out->as.zoned.ticks = dvi_memory_buffer(t->values, 0, 8 * n, 8);
        values_out->as.zoned.minutes = dvi_memory_buffer(t->minutes, 0, 2 * n, 2);
    } else {
        const size_t width = t->value_nbytes;
        values_out->as.fixed.values = dvi_memory_buffer(t->values, 0, width * n, width);
    }
}

dv_status dvi_terms_begin_chunk(dvi_terms *t, int64_t chunk, dv_error *err)
{
    const size_t n = t->runs_count, width = sizeof(dvi_terms_run);
    DVI_TRY(dvi_memory_extend(&t->runs, width * n, width * (n + 1), &t->allocator, err));
    ((dvi_terms_run *)(void *)t->runs->data)[n] = (dvi_terms_run){chunk, t->count};
    t->runs_count++;
    return DV_OK;
}
