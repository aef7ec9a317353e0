/* SPDX-License-Identifier: MIT */
/* random_table.c: tables of any types and values, from a seed. */
#include "support/random_table.h"
#include "view/column.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 24

static uint64_t below(dvt_random_table *r, uint64_t n)
{
    return dvt_draw(&r->state) % n;
}

static void *room(dvt_random_table *r, size_t nbytes)
{
    void *memory;
    DVT_MUST(dvi_arena_alloc(&r->arena, &memory, nbytes + 1, NULL) == DV_OK);
    return memory;
}

static dv_buffer wrap(const void *data, size_t nbytes)
{
    return (dv_buffer){.data = data, .nbytes = nbytes, .is_borrowed = true};
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* A text of up to three of these. */
static const char *const pieces[] = {"a",
                                     "b c",
                                     " ",
                                     "\t",
                                     ",",
                                     ";",
                                     "|",
                                     ":",
                                     "\"",
                                     "\n",
                                     "\n\n",
                                     "#",
                                     "#@",
                                     "//",
                                     "12:30",
                                     "0:",
                                     "3:x",
                                     "\\",
                                     "{",
                                     "}",
                                     "=",
                                     "?",
                                     "NA",
                                     "NaN",
                                     "1",
                                     "-0",
                                     "1e5",
                                     "\xC2\xA0",
                                     "\xEF\xBB\xBF",
                                     "\xC3\xA9",
                                     "\xF0\x9F\x98\x80",
                                     "\"\"",
                                     "\v",
                                     "\x7F",
                                     "TextLoader{",
                                     "col=a:0",
                                     "  ",
                                     "\xE3\x80\x80"};
#define PIECES (sizeof pieces / sizeof *pieces)

static size_t put_text(dvt_random_table *r, char *dst)
{
    size_t n = 0;
    for (uint64_t i = below(r, 4); i > 0; i--) {
        const char *piece = pieces[below(r, PIECES)];
        memcpy(dst + n, piece, strlen(piece));
        n += strlen(piece);
    }
    return n;
}

/* n texts, some of them NA unless all must be there. */
static dv_column_view make_texts(dvt_random_table *r, int64_t n, bool has_na)
{
    char *utf8 = room(r, (size_t)n * 40);
    int32_t *ends = room(r, (size_t)n * 4), end = 0;
    for (int64_t i = 0; i < n; i++) {
        const bool is_na = has_na && below(r, 6) == 0;
        end += is_na ? 0 : (int32_t)put_text(r, utf8 + end);
        ends[i] = is_na ? (int32_t)((uint32_t)end | UINT32_C(1) << 31) : end;
    }
    return dvt_made_text(DV_KIND_TX, utf8, ends, n);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static uint64_t draw_bits(dvt_random_table *r, const dv_type *item)
{
    const size_t wide = dvi_width_of(item), width = wide < 8 ? wide : 8; /* of DZ, the ticks */
    const uint64_t most = UINT64_MAX >> (64 - 8 * width);
    const uint64_t bits = dvt_draw(&r->state) >> below(r, 64);
    if (below(r, 2) == 0)
        return 0;
    if (item->is_key && item->key_count > 0)
        return bits % (item->key_count + 1);
    if (item->is_key) /* a number that 64 bits can say */
        return bits % (most - (most >> 4));
    if (item->kind == DV_KIND_BL)
        return below(r, 3) == 2 ? 0x80 : below(r, 2);
    const bool is_date = item->kind == DV_KIND_DT || item->kind == DV_KIND_DZ;
    if (is_date)
        return below(r, 8) == 0 ? (uint64_t)DV_TICKS_NA
                                : 1000 * UINT64_C(600000000) + bits % (uint64_t)(DV_TICKS_MAX / 2);
    return below(r, 8) == 0 ? UINT64_C(1) << (8 * width - 1) : bits & most;
}

static dv_column_view make_zoned(dvt_random_table *r, int64_t n)
{
    const dv_type type = dv_type_of(DV_KIND_DZ);
    int64_t *ticks = room(r, (size_t)n * 8);
    int16_t *minutes = room(r, (size_t)n * 2);
    for (int64_t i = 0; i < n; i++) {
        ticks[i] = (int64_t)draw_bits(r, &type);
        minutes[i] = ticks[i] > 0 ? (int16_t)((int)below(r, 1681) - 840) : 0;
    }
    dv_column_view view = {.type = type, .layout = DV_LAYOUT_ZONED, .rows = n};
    view.as.zoned.ticks = wrap(ticks, (size_t)n * 8);
    view.as.zoned.minutes = wrap(minutes, (size_t)n * 2);
    return view;
}

static dv_column_view make_items(dvt_random_table *r, dv_type item, int64_t n)
{
    if (item.kind == DV_KIND_TX)
        return make_texts(r, n, true);
    if (item.kind == DV_KIND_DZ)
        return make_zoned(r, n);
    const size_t width = dvi_width_of(&item);
    uint8_t *values = room(r, (size_t)n * width);
    for (int64_t i = 0; i < n; i++)
        for (size_t at = 0; at < width; at += 8) {
            const uint64_t bits = draw_bits(r, &item);
            memcpy(values + (size_t)i * width + at, &bits, width < 8 ? width : 8);
        }
    return dvt_made_fixed(item, values, n);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_type draw_item(dvt_random_table *r)
{
    static const dv_kind of_keys[] = {DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8};
    if (below(r, 4) > 0)
        return dv_type_of((dv_kind)(DV_KIND_I1 + below(r, DV_KIND_UG)));
    const uint64_t counts[] = {0, 1, 9, 255}, mins[] = {0, 1, 1000, UINT64_C(1) << 60};
    dv_type key = dv_type_key(of_keys[below(r, 4)], mins[below(r, 4)], counts[below(r, 4)]);
    key.key_is_contiguous = key.key_count > 0 || below(r, 2);
    return key;
}

/* Rows of a vector: how many slots and items each has, and where the items of sparse ones are. */
static dv_column_view make_vectors(dvt_random_table *r, int32_t k, dv_type item, int32_t size)
{
    const size_t n = (size_t)r->table.rows;
    const int32_t most = size > 0 ? size : 30;
    int32_t *lengths = room(r, 4 * n), *counts = room(r, 4 * n);
    int32_t *indices = room(r, 4 * n * (size_t)most);
    size_t items = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        lengths[i] = size > 0 ? size : (int32_t)below(r, 31);
        const uint64_t of = 1 + below(r, 8), start = at;
        for (int32_t slot = 0; slot < lengths[i]; slot++)
            if (below(r, of) == 0)
                indices[at++] = slot;
        counts[i] = (int32_t)(at - start);
        if (below(r, 2) == 0) {
            at = start;
            counts[i] = -1;
        }
        items += (size_t)(counts[i] < 0 ? lengths[i] : counts[i]);
    }
    r->items[k] = make_items(r, item, (int64_t)items);
    dv_column_view view = {
        .type = dv_type_vector(item, size), .layout = DV_LAYOUT_VECTOR, .rows = (int64_t)n};
    view.as.vector.length = size;
    view.as.vector.lengths = size > 0 ? (dv_buffer){0} : wrap(lengths, 4 * n);
    view.as.vector.counts = wrap(counts, 4 * n);
    view.as.vector.indices = wrap(indices, 4 * at);
    view.as.vector.items = &r->items[k];
    return view;
}

static void make_column(dvt_random_table *r, int32_t k, bool is_last)
{
    static const int32_t sizes[] = {1, 2, 4, 5, 6, 12, 60};
    const dv_type item = draw_item(r);
    const uint64_t shape = below(r, is_last ? 4 : 3);
    if (shape == 0)
        r->table.column[k] = make_items(r, item, r->table.rows);
    else
        r->table.column[k] = make_vectors(r, k, item, shape == 3 ? 0 : sizes[below(r, 7)]);
}

/* Names of slots: none has white space around it, and one is not empty. */
static void make_names(dvt_random_table *r)
{
    static const char *const words[] = {"",  "s",  "a:b",  "two words", "q\"t",
                                        "#", "1:", "x\ny", "NA"};
    static const int32_t dense = -1;
    const int32_t slots = r->table.column[0].type.size;
    char *utf8 = room(r, (size_t)slots * 16);
    int32_t *ends = room(r, (size_t)slots * 4), end = 0;
    for (int32_t i = 0; i < slots; i++) {
        const char *word = i == 0 ? "first" : words[below(r, 9)];
        memcpy(utf8 + end, word, strlen(word));
        ends[i] = end += (int32_t)strlen(word);
    }
    r->names = dvt_made_text(DV_KIND_TX, utf8, ends, slots);
    dv_column_view *value = &r->table.metadata;
    *value = (dv_column_view){
        .type = dv_type_vector(r->names.type, slots), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value->as.vector.length = slots;
    value->as.vector.counts = wrap(&dense, 4);
    value->as.vector.items = &r->names;
    r->table.metadata_kind = DV_SLOT_NAMES;
}

static void draw_name(dvt_random_table *r, int32_t k)
{
    static const char *const names[] = {"x",        "two words", "a:b",  "{",      "}}",   "a{b",
                                        "q\"t",     "#h",        "e=q",  "back\\", "\\{",  "c,d",
                                        "\xC3\xA9", "-",         "a\tb", "//",     "\"\"", "#@"};
    if (below(r, 3) == 0)
        r->table.name[k] = names[below(r, sizeof names / sizeof *names)];
}

dvt_random_table *dvt_random_table_create(uint64_t seed)
{
    dvt_random_table *r = calloc(1, sizeof *r);
    DVT_MUST(r != NULL);
    dvi_arena_init(&r->arena, NULL);
    r->state = seed;
    r->table.columns = 1 + (int32_t)below(r, below(r, 2) ? 2 : DVT_MADE_COLUMNS);
    r->table.rows = (int64_t)below(r, ROWS_MAX + 1);
    r->table.block_rows = 1 + (int64_t)below(r, 5);
    r->table.bad_row = -1;
    for (int32_t k = 0; k < r->table.columns; k++) {
        make_column(r, k, k + 1 == r->table.columns);
        draw_name(r, k);
    }
    if (dv_type_is_known_size_vector(&r->table.column[0].type) && below(r, 2))
        make_names(r);
    return r;
}

void dvt_random_table_free(dvt_random_table *r)
{
    dvi_arena_free(&r->arena);
    free(r);
}
