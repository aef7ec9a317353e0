/* SPDX-License-Identifier: MIT */
/* tf_hash_seen.c: the values of each key that come first.
 *
 * The record of a value is its key, its slot if that matters, and its bytes: equal values have
 * equal records. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "transform/tf_hash_names_priv.h"

#define HEAD_NBYTES 8   /* of a record: key and slot */
#define VALUE_NBYTES 64 /* what a value takes beside its bytes, about */

void dvi_seen_init(dvi_seen_values *s, bool is_by_slot, int32_t most, const dv_allocator *allocator)
{
    *s = (dvi_seen_values){.allocator = allocator, .is_by_slot = is_by_slot, .most = most};
    dvi_arena_init(&s->arena, allocator);
    dvi_hashtab_init(&s->records, allocator);
    dvi_hashtab_init(&s->keys, allocator);
}

void dvi_seen_free(dvi_seen_values *s)
{
    dvi_free(s->allocator, s->values, s->cap * sizeof *s->values);
    dvi_free(s->allocator, s->counts, s->counts_cap * sizeof *s->counts);
    dvi_hashtab_free(&s->records);
    dvi_hashtab_free(&s->keys);
    dvi_arena_free(&s->arena);
    dvi_memory_release(&s->record);
}

/* Write the record of the value; it is valid until the next one. */
static dv_status make_record(dvi_seen_values *s, const dvi_seen_value *v, dv_text *record_out,
                             dv_error *err)
{
    const size_t n = (size_t)v->bytes.nbytes;
    DVI_TRY(dvi_memory_extend(&s->record, 0, HEAD_NBYTES + n, s->allocator, err));
    dvi_store_u32(s->record->data, v->key);
    dvi_store_i32(s->record->data + 4, s->is_by_slot ? v->slot : 0);
    memcpy(s->record->data + HEAD_NBYTES, v->bytes.data, n);
    *record_out = (dv_text){(const char *)s->record->data, (int64_t)(HEAD_NBYTES + n)};
    return DV_OK;
}

/* The part of a record by which its key is found. */
static dv_text key_of(dv_text record)
{
    return (dv_text){record.data, 4};
}

/* Find the number of the record's key, or give it one. */
static dv_status number_key(dvi_seen_values *s, dv_text record, int32_t *number_out, dv_error *err)
{
    void *counts = s->counts;
    int32_t before;
    *number_out = dvi_hashtab_get(&s->keys, key_of(record));
    if (*number_out >= 0)
        return DV_OK;
    DVI_TRY(dvi_array_reserve(s->allocator, &counts, &s->counts_cap, s->keys_count + 1,
                              sizeof *s->counts, err));
    s->counts = counts;
    DVI_TRY(dvi_hashtab_put(&s->keys, key_of(record), (int32_t)s->keys_count, &before, err));
    *number_out = (int32_t)s->keys_count;
    s->counts[s->keys_count++] = 0;
    return DV_OK;
}

/* Append a new value with that record. */
static dv_status append(dvi_seen_values *s, const dvi_seen_value *v, dv_text record, dv_error *err)
{
    void *values = s->values;
    dv_text copy;
    int32_t number, before;
    const int64_t nbytes = s->nbytes + v->bytes.nbytes + VALUE_NBYTES;
    if (nbytes > DVI_HASH_NAMES_NBYTES)
        return dvi_fail(err, DV_ERR_LIMIT, DVI_HASH_NAMES_LIMIT, -1, "values of inverted hashes",
                        "at most 1 GiB|more");
    DVI_TRY(
        dvi_array_reserve(s->allocator, &values, &s->cap, s->count + 1, sizeof *s->values, err));
    s->values = values;
    DVI_TRY(dvi_arena_text(&s->arena, &copy, record, err));
    DVI_TRY(number_key(s, copy, &number, err));
    DVI_TRY(dvi_hashtab_put(&s->records, copy, (int32_t)s->count, &before, err));
    s->values[s->count] = *v;
    s->values[s->count++].bytes = (dv_text){copy.data + HEAD_NBYTES, v->bytes.nbytes};
    s->counts[number]++;
    s->nbytes = nbytes;
    return DV_OK;
}

dv_status dvi_seen_add(dvi_seen_values *s, const dvi_seen_value *v, dv_error *err)
{
    dv_text record;
    DVI_TRY(make_record(s, v, &record, err));
    const int32_t number = dvi_hashtab_get(&s->keys, key_of(record));
    if (number >= 0 && s->most >= 0 && s->counts[number] >= s->most)
        return DV_OK;
    if (dvi_hashtab_get(&s->records, record) >= 0)
        return DV_OK;
    return append(s, v, record, err);
}

/* --- Merging ---------------------------------------------------------------------------------- */

static bool comes_before(const dvi_seen_value *a, const dvi_seen_value *b)
{
    return a->row != b->row ? a->row < b->row : a->slot < b->slot;
}

static dv_status add_both(dvi_seen_values *dst, const dvi_seen_values *a, const dvi_seen_values *b,
                          dv_error *err)
{
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        const bool is_a =
            k == b->count || (i < a->count && comes_before(&a->values[i], &b->values[k]));
        DVI_TRY(dvi_seen_add(dst, is_a ? &a->values[i++] : &b->values[k++], err));
    }
    return DV_OK;
}

dv_status dvi_seen_merge(dvi_seen_values *s, const dvi_seen_values *other, dv_error *err)
{
    dvi_seen_values all;
    dvi_seen_init(&all, s->is_by_slot, s->most, s->allocator);
    const dv_status status = add_both(&all, s, other, err);
    if (status < 0) {
        dvi_seen_free(&all);
        return status;
    }
    dvi_seen_free(s);
    *s = all;
    return DV_OK;
}
