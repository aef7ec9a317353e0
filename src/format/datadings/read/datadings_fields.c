/* SPDX-License-Identifier: MIT */
/* datadings_fields.c: the tree of keys of messages. */
#include "format/datadings/read/datadings_fields.h"
#include "base/alloc.h"
#include "base/check.h"
#include <string.h>

#define SEARCHED_MOST 8 /* children that are searched one by one */
#define HEAD_NBYTES 5

/* Set `key` and its encoding as a str of msgpack. */
static dv_status encode_key(dvi_datadings_field *f, dvi_arena *arena, dv_text key, dv_error *err)
{
    void *made;
    const size_t n = (size_t)key.nbytes;
    const size_t head = n < 32 ? 1 : n < 256 ? 2 : n < 65536 ? 3 : HEAD_NBYTES;
    DVI_TRY(dvi_arena_alloc(arena, &made, head + n, err));
    uint8_t *encoded = made;
    encoded[0] = (uint8_t)(n < 32 ? 0xA0 | n : head == 2 ? 0xD9 : head == 3 ? 0xDA : 0xDB);
    for (size_t i = 1; i < head; i++)
        encoded[i] = (uint8_t)(n >> 8 * (head - 1 - i));
    if (n > 0)
        memcpy(encoded + head, key.data, n);
    f->encoded = encoded;
    f->encoded_nbytes = head + n;
    f->key = (dv_text){(const char *)encoded + head, key.nbytes};
    const size_t brief = f->encoded_nbytes < 8 ? f->encoded_nbytes : 8;
    memcpy(&f->prefix, encoded, brief);
    memset(&f->prefix_mask, 0xFF, brief);
    return DV_OK;
}

static dv_status grow(dvi_datadings_fields *fields, dv_error *err)
{
    void *array = fields->field;
    const dv_status status = dvi_array_reserve(&fields->arena.allocator, &array, &fields->cap,
                                               fields->n + 1, sizeof *fields->field, err);
    fields->field = array;
    return status;
}

static void free_tables(dvi_datadings_fields *fields)
{
    for (size_t i = 0; i < fields->n; i++)
        if (fields->field[i].by_key)
            dvi_hashtab_free(fields->field[i].by_key);
}

static void add_root(dvi_datadings_fields *fields)
{
    fields->field[0] = (dvi_datadings_field){
        .parent = -1, .next = -1, .first = -1, .last = -1, .level = -1, .column = -1};
    fields->n = 1;
}

dv_status dvi_datadings_fields_init(dvi_datadings_fields *fields, const dv_allocator *allocator,
                                    dv_error *err)
{
    *fields = (dvi_datadings_fields){.field = NULL};
    dvi_arena_init(&fields->arena, allocator);
    DVI_TRY(grow(fields, err));
    add_root(fields);
    return DV_OK;
}

void dvi_datadings_fields_clear(dvi_datadings_fields *fields)
{
    free_tables(fields);
    add_root(fields);
}

void dvi_datadings_fields_free(dvi_datadings_fields *fields)
{
    free_tables(fields);
    dvi_free(&fields->arena.allocator, fields->field, fields->cap * sizeof *fields->field);
    dvi_arena_free(&fields->arena);
    *fields = (dvi_datadings_fields){.field = NULL};
}

int32_t dvi_datadings_fields_find(const dvi_datadings_fields *fields, int32_t parent, dv_text key)
{
    const dvi_datadings_field *p = &fields->field[parent];
    if (p->by_key)
        return dvi_hashtab_get(p->by_key, key);
    int32_t child = p->first;
    while (child >= 0 && !dv_text_equal(fields->field[child].key, key))
        child = fields->field[child].next;
    return child;
}

/* Make the hash table of the children. */
static dv_status make_table(dvi_datadings_fields *fields, int32_t parent, dv_error *err)
{
    void *made;
    int32_t before;
    dvi_datadings_field *p = &fields->field[parent];
    DVI_TRY(dvi_arena_alloc(&fields->arena, &made, sizeof(dvi_hashtab), err));
    p->by_key = made;
    dvi_hashtab_init(p->by_key, &fields->arena.allocator);
    for (int32_t i = p->first; i >= 0; i = fields->field[i].next)
        DVI_TRY(dvi_hashtab_put(p->by_key, fields->field[i].key, i, &before, err));
    return DV_OK;
}

/* Add field `child` to its parent. */
static dv_status link_child(dvi_datadings_fields *fields, int32_t parent, int32_t child,
                            dv_error *err)
{
    int32_t before;
    dvi_datadings_field *p = &fields->field[parent];
    if (p->by_key)
        DVI_TRY(dvi_hashtab_put(p->by_key, fields->field[child].key, child, &before, err));
    if (p->last >= 0)
        fields->field[p->last].next = child;
    else
        p->first = child;
    p->last = child;
    p->children++;
    fields->n++;
    return p->by_key || p->children <= SEARCHED_MOST ? DV_OK : make_table(fields, parent, err);
}

dv_status dvi_datadings_fields_add(dvi_datadings_fields *fields, int32_t parent, dv_text key,
                                   int32_t *child_out, dv_error *err)
{
    *child_out = dvi_datadings_fields_find(fields, parent, key);
    if (*child_out >= 0)
        return DV_OK;
    DVI_REQUIRE(fields->n < INT32_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "columns", -1, "keys", "at most 2^31-1|more"));
    DVI_TRY(grow(fields, err));
    const int32_t child = (int32_t)fields->n;
    dvi_datadings_field *f = &fields->field[child];
    *f = (dvi_datadings_field){.parent = parent,
                               .next = -1,
                               .first = -1,
                               .last = -1,
                               .level = fields->field[parent].level + 1,
                               .column = -1,
                               .profile = dvi_datadings_profile_none(),
                               .sample = -1};
    DVI_TRY(encode_key(f, &fields->arena, key, err));
    *child_out = child;
    return link_child(fields, parent, child, err);
}

static dv_status join_children(dvi_datadings_fields *fields, int32_t parent,
                               const dvi_datadings_fields *from, int32_t from_parent, dv_error *err)
{
    int32_t child;
    for (int32_t i = from->field[from_parent].first; i >= 0; i = from->field[i].next) {
        const dvi_datadings_field *f = &from->field[i];
        DVI_TRY(dvi_datadings_fields_add(fields, parent, f->key, &child, err));
        fields->field[child].present += f->present;
        DVI_TRY(dvi_datadings_profile_join(&fields->field[child].profile, &f->profile,
                                           &fields->arena, err));
        DVI_TRY(join_children(fields, child, from, i, err)); /* DVI_DATADINGS_LEVELS deep */
    }
    return DV_OK;
}

dv_status dvi_datadings_fields_join(dvi_datadings_fields *fields, const dvi_datadings_fields *from,
                                    dv_error *err)
{
    return join_children(fields, 0, from, 0, err);
}

size_t dvi_datadings_field_path(const dvi_datadings_fields *fields, int32_t field, char *dst)
{
    const dvi_datadings_field *f = &fields->field[field];
    size_t at = 0;
    if (f->parent > 0) {
        at = dvi_datadings_field_path(fields, f->parent, dst);
        if (dst)
            dst[at] = '.';
        at++;
    }
    if (dst && f->key.nbytes > 0)
        memcpy(dst + at, f->key.data, (size_t)f->key.nbytes);
    return at + (size_t)f->key.nbytes;
}
