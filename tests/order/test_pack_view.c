/* SPDX-License-Identifier: MIT */
/* test_pack_view.c: packs have the documents of a short model, from any pack on (pack.h). */
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/documents.h"
#include "support/drawn_rows.h"
#include "support/many_rows.h"
#include "support/pack_model.h"
#include "support/resumed.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_error err;
static dvt_documents documents;
static dvt_pack_model model;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

/* --- Packs ------------------------------------------------------------------------------------ */

static int32_t i4_of(const dv_batch *batch, int32_t column, int64_t row, int32_t slot)
{
    const dv_value whole = dv_value_at(dv_batch_column(batch, column), row);
    const dv_value item = dv_value_item(&whole, slot);
    return dv_value_i4(&item);
}

static int32_t length_of(const dv_batch *batch, int32_t column, int64_t row)
{
    return dv_value_at(dv_batch_column(batch, column), row).length;
}

/* One piece of a pack, of which `used` items come before it. */
static void expect_piece(const dv_batch *batch, int64_t i, int32_t number,
                         const dvt_model_piece *want, int32_t used, const char *story)
{
    const dv_value rows = dv_value_at(dv_batch_column(batch, 4), i);
    const dv_value row = dv_value_item(&rows, number);
    const dv_value mask = dv_value_at(dv_batch_column(batch, 1), i);
    cr_assert_eq(dv_value_i8(&row), want->row, "%s: row %d, not %d", story, (int)dv_value_i8(&row),
                 (int)want->row);
    cr_assert_eq(i4_of(batch, 2, i, number), used, "%s", story);
    cr_assert_eq(i4_of(batch, 2, i, number + 1), used + want->items, "%s", story);
    for (int32_t k = 0; k < want->items; k++) {
        const dv_value item = dv_value_item(&mask, used + k);
        cr_assert_eq(i4_of(batch, 0, i, used + k),
                     dvt_document_id(&documents, want->row, want->first + k), "%s", story);
        cr_assert_eq(dv_value_r8(&item), dvt_document_mask(want->row, want->first + k), "%s",
                     story);
        cr_assert_eq(i4_of(batch, 3, i, used + k), k, "%s", story);
    }
}

static void expect_pack(const dv_batch *batch, int64_t i, int64_t pack, const char *story)
{
    const int64_t first = pack > 0 ? model.ends[pack - 1] : 0, end = model.ends[pack];
    int32_t used = 0;
    cr_assert_eq(length_of(batch, 4, i), end - first, "%s: pack %d has %d pieces, not %d", story,
                 (int)pack, (int)length_of(batch, 4, i), (int)(end - first));
    cr_assert_eq(length_of(batch, 2, i), end - first + 1, "%s", story);
    for (int64_t k = first; k < end; k++) {
        expect_piece(batch, i, (int32_t)(k - first), &model.pieces[k], used, story);
        used += model.pieces[k].items;
    }
    cr_assert(length_of(batch, 0, i) == used && length_of(batch, 1, i) == used &&
                  length_of(batch, 3, i) == used,
              "%s", story);
    cr_assert(batch->ids[i].lo == (uint64_t)pack && batch->ids[i].hi == 0, "%s", story);
}

static void expect_packs(dv_view *view, uint64_t *state, const char *story)
{
    static const int64_t sizes[] = {0, 1, 3, 64, INT64_MAX};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    const int64_t n = model.packs;
    options.first_row = below(state, 2) ? below(state, n + 1) : 0;
    options.end_row = below(state, 2) ? options.first_row + below(state, n + 1) : -1;
    options.batch_rows = sizes[below(state, COUNT(sizes))];
    options.threads = (int32_t)(1 + below(state, 4));
    options.epoch = below(state, 3) - 1;
    options.ids = true;
    const int64_t end = options.end_row < 0 || options.end_row > n ? n : options.end_row;
    int64_t at = options.first_row;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s: %s", story,
                 err.message);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++, at++) {
            cr_assert_lt(at, end, "%s", story);
            expect_pack(batch, i, at, story);
        }
    cr_assert_eq(status, DV_END, "%s: %s", story, err.message);
    cr_assert_eq(at, end > options.first_row ? end : options.first_row, "%s", story);
    dv_cursor_close(&cursor);
}

/* In any order, a row cursor's too: packs that are taken. */
static void expect_taken(dv_view *view, uint64_t *state, const char *story)
{
    int64_t rows[12];
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *taken;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t at = 0;
    if (model.packs == 0)
        return;
    for (size_t i = 0; i < COUNT(rows); i++)
        rows[i] = below(state, model.packs);
    options.ids = true;
    cr_assert_eq(dv_view_take(&taken, view, rows, COUNT(rows), NULL, &err), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, taken, &options, &err), DV_OK);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++)
            expect_pack(batch, i, rows[at++], story);
    cr_assert_eq(at, (int64_t)COUNT(rows), "%s: %s", story, err.message);
    dv_cursor_close(&cursor);
    dv_view_release(&taken);
}

static const int32_t packed[] = {1, 2};

static dv_pack_options draw_options(int32_t most, uint64_t *state)
{
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    o.columns = packed;
    o.columns_count = 2;
    o.tokens = 1 + below(state, below(state, 3) == 0 ? 3 * most : most + 5);
    o.how = below(state, 3) == 0 ? DV_PACK_STREAM : DV_PACK_WHOLE;
    o.too_long = o.how == DV_PACK_WHOLE ? (dv_pack_long)below(state, 4) : DV_PACK_LONG_REFUSE;
    o.drop_last = o.how == DV_PACK_STREAM && below(state, 2);
    o.window = below(state, 3) == 0 ? 256 : 1 + below(state, 8);
    o.shuffle = below(state, 2);
    o.seed = dvt_draw(state);
    o.threads = (int32_t)below(state, 5);
    return o;
}

static void try_packs(dv_view *source, const dv_pack_options *o, uint64_t *state, const char *story)
{
    dv_view *view;
    const bool is_made = dvt_pack_model_make(&model, documents.length, documents.made.rows, o);
    cr_assert_eq(dv_view_pack(&view, source, o, NULL, &err), is_made ? DV_OK : DV_ERR_ARGUMENT,
                 "%s: %s", story, err.message);
    if (is_made)
        cr_assert_eq(dv_view_rows(view), model.packs, "%s: %d packs, not %d", story,
                     (int)dv_view_rows(view), (int)model.packs);
    else
        cr_assert(strstr(err.message, "too_long"), "%s: %s", story, err.message);
    for (int k = 0; is_made && k < 3; k++)
        expect_packs(view, state, story);
    if (is_made)
        expect_taken(view, state, story);
    dv_view_release(&view);
}

Test(pack_view, packs_of_the_model)
{
    char story[200];
    for (uint64_t round = 0; round < 400; round++) {
        uint64_t state = round;
        const int64_t n = below(&state, 6) == 0 ? below(&state, 3) : 1 + below(&state, 300);
        const int32_t most = (int32_t)(1 + below(&state, 60));
        dv_view *held,
            *source = dvt_documents_open(&documents, n, most, 1 + below(&state, 40), round, NULL);
        cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK);
        const dv_pack_options o = draw_options(most, &state);
        snprintf(
            story, sizeof story,
            "round %d: %d documents of up to %d, tokens %d, how %d, too_long %d, drop_last %d, "
            "window %d, shuffle %d, seed %llu",
            (int)round, (int)n, (int)most, (int)o.tokens, (int)o.how, (int)o.too_long,
            (int)o.drop_last, (int)o.window, (int)o.shuffle, (unsigned long long)o.seed);
        try_packs(source, &o, &state, story);
        try_packs(held, &o, &state, story);
        dv_view_release(&held);
        dv_view_release(&source);
    }
}

/* Documents that fill packs exactly, and nothing but empty ones. */
Test(pack_view, exact_fits_and_nothing)
{
    uint64_t state = 1;
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    dv_view *source = dvt_documents_open(&documents, 40, 8, 7, 0, NULL);
    o.columns = packed;
    o.columns_count = 2;
    o.tokens = 8;
    for (int how = 0; how < 2; how++)
        for (int32_t length = 0; length <= 8; length += 4) {
            dv_view *view;
            for (int i = 0; i < 40; i++) {
                documents.length[i] = documents.mask_length[i] = length;
                documents.ids_count[i] = -1;
            }
            for (int i = 0; i < 40 * length; i++) {
                documents.ids_item[i] = dvt_document_id(&documents, i / length, i % length);
                documents.mask_item[i] = dvt_document_mask(i / length, i % length);
            }
            documents.ids_items.rows = documents.mask_items.rows = 320;
            documents.ids_items.as.fixed.values.nbytes = 320 * 4;
            documents.mask_items.as.fixed.values.nbytes = 320 * 8;
            o.how = (dv_pack_how)how;
            cr_assert(dvt_pack_model_make(&model, documents.length, 40, &o));
            cr_assert_eq(model.packs, 40 * length / 8);
            cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
            cr_assert_eq(dv_view_rows(view), model.packs);
            expect_packs(view, &state, "exact fits");
            dv_view_release(&view);
        }
    dv_view_release(&source);
}

/* First fit is near the least number of packs: hardly any room is lost. */
Test(pack_view, packs_are_filled)
{
    enum { ROWS = 100000, TOKENS = 2048 };
    static int32_t length[ROWS], counts[ROWS];
    uint64_t state = 7;
    int64_t items = 0;
    dvt_made_table made = {
        .columns = 1, .rows = ROWS, .block_rows = 1000, .in_blocks = true, .bad_row = -1};
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    dv_view *source, *view;
    static const int32_t column[] = {0};
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t most = INT64_C(16) << below(&state, 8); /* 16 to 2048 */
        length[i] = (int32_t)(1 + below(&state, most));
        items += length[i];
        counts[i] = -1;
    }
    uint8_t *values = calloc((size_t)items, 1);
    cr_assert_not_null(values);
    const dv_column_view all = dvt_made_fixed(dv_type_of(DV_KIND_U1), values, items);
    dv_column_view *vectors = &made.column[0];
    *vectors = (dv_column_view){.type = dv_type_vector(dv_type_of(DV_KIND_U1), 0),
                                .layout = DV_LAYOUT_VECTOR,
                                .rows = ROWS};
    vectors->as.vector.lengths =
        dvt_made_fixed(dv_type_of(DV_KIND_I4), length, ROWS).as.fixed.values;
    vectors->as.vector.counts =
        dvt_made_fixed(dv_type_of(DV_KIND_I4), counts, ROWS).as.fixed.values;
    vectors->as.vector.items = &all;
    source = dvt_made_table_open(&made, NULL);
    o.columns = column;
    o.columns_count = 1;
    o.tokens = TOKENS;
    cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    const double filled = (double)items / (double)(dv_view_rows(view) * TOKENS);
    cr_expect_gt(filled, 0.998, "%g", filled);
    dv_view_release(&view);
    dv_view_release(&source);
    free(values);
}

/* A window ends after 2^20 documents, however few items they have; here they are vectors of one
 * length. */
Test(pack_view, windows_of_many_documents)
{
    enum { ROWS = (1 << 20) + 1000 };
    static int32_t counts[ROWS];
    static uint8_t values[ROWS];
    static const int32_t column[] = {0};
    dvt_made_table made = {
        .columns = 1, .rows = ROWS, .block_rows = ROWS, .in_blocks = true, .bad_row = -1};
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source, *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    for (int i = 0; i < ROWS; i++)
        counts[i] = -1;
    const dv_column_view all = dvt_made_fixed(dv_type_of(DV_KIND_U1), values, ROWS);
    dv_column_view *vectors = &made.column[0];
    *vectors = (dv_column_view){.type = dv_type_vector(dv_type_of(DV_KIND_U1), 1),
                                .layout = DV_LAYOUT_VECTOR,
                                .rows = ROWS};
    vectors->as.vector.length = 1;
    vectors->as.vector.counts =
        dvt_made_fixed(dv_type_of(DV_KIND_I4), counts, ROWS).as.fixed.values;
    vectors->as.vector.items = &all;
    source = dvt_made_table_open(&made, NULL);
    o.columns = column;
    o.columns_count = 1;
    o.tokens = 1 << 21;
    cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_rows(view), 2);
    options.batch_rows = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    cr_expect_eq(length_of(batch, 0, 0), 1 << 20);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    cr_expect_eq(length_of(batch, 0, 0), 1000);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* --- What users rely on ----------------------------------------------------------------------- */

Test(pack_view, tokens)
{
    uint64_t state = 11;
    for (uint64_t round = 0; round < 30; round++) {
        dv_view *source = dvt_documents_open(&documents, 150, 30, 9, round, NULL), *first, *second;
        dv_pack_options o = draw_options(30, &state);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        o.too_long = o.how == DV_PACK_WHOLE ? DV_PACK_LONG_SPLIT : DV_PACK_LONG_REFUSE;
        options.ids = true;
        options.batch_rows = 5;
        cr_assert_eq(dv_view_pack(&first, source, &o, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_view_pack(&second, source, &o, NULL, &err), DV_OK, "%s", err.message);
        const char *difference = dvt_resume_difference(first, second, &options, round);
        cr_expect_null(difference, "round %d: %s", (int)round, difference);
        dv_view_release(&first);
        dv_view_release(&second);
        dv_view_release(&source);
    }
}

static dv_u128 identity_of(dv_view *source, const dv_pack_options *o)
{
    dv_u128 identity;
    dv_view *view;
    cr_assert_eq(dv_view_pack(&view, source, o, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_identity(view, &identity, &err), DV_OK);
    dv_view_release(&view);
    return identity;
}

Test(pack_view, identities)
{
    static const int32_t other[] = {2, 1};
    dv_u128 found[12];
    int n = 0;
    dv_view *source = dvt_documents_open(&documents, 90, 20, 7, 4, NULL);
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    o.columns = packed;
    o.columns_count = 2;
    found[n++] = identity_of(source, &o);
    o.columns = other;
    found[n++] = identity_of(source, &o);
    o.columns_count = 1;
    found[n++] = identity_of(source, &o);
    o.tokens = 100;
    found[n++] = identity_of(source, &o);
    o.window = 2;
    found[n++] = identity_of(source, &o);
    o.too_long = DV_PACK_LONG_CUT;
    found[n++] = identity_of(source, &o);
    o.shuffle = true;
    found[n++] = identity_of(source, &o);
    o.seed = 1;
    found[n++] = identity_of(source, &o);
    o.too_long = DV_PACK_LONG_REFUSE;
    o.how = DV_PACK_STREAM;
    found[n++] = identity_of(source, &o);
    o.drop_last = true;
    found[n++] = identity_of(source, &o);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            cr_expect(found[i].lo != found[k].lo || found[i].hi != found[k].hi, "%d and %d", i, k);
    dv_view_release(&source);
}

/* Any columns may be active, in any order, also twice, or none that is packed. */
Test(pack_view, columns)
{
    static const int32_t orders[][4] = {{4, 1, 0, 1}, {2, 3, 4, 2}, {3, 0, 3, 0}};
    dv_view *source = dvt_documents_open(&documents, 50, 20, 7, 4, NULL), *view;
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    o.columns = packed;
    o.columns_count = 2;
    o.tokens = 40;
    cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    for (size_t i = 0; i < COUNT(orders); i++) {
        dvt_lines some = {0}, all = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *held;
        options.columns = orders[i];
        options.columns_count = 4;
        options.batch_rows = 3;
        cr_assert_eq(dvt_put_numbered(&some, view, &options, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_view_materialize(&held, view, NULL, NULL, &err), DV_OK);
        cr_assert_eq(dvt_put_numbered(&all, held, &options, &err), DV_OK);
        cr_expect_str_eq(some.data, all.data, "%d", (int)i);
        dvt_lines_free(&some);
        dvt_lines_free(&all);
        dv_view_release(&held);
    }
    dv_view_release(&view);
    dv_view_release(&source);
}

typedef struct warnings {
    char text[1000];
} warnings;

static void add_warnings(warnings *w, dv_view *view)
{
    dv_facts *facts;
    w->text[0] = 0;
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK);
    for (int32_t i = 0; i < facts->warnings; i++) {
        strcat(w->text, facts->warning[i]);
        strcat(w->text, "|");
    }
    dv_facts_free(&facts);
}

/* Warnings count the documents that are not packed as they are. */
Test(pack_view, warnings)
{
    static const char *const what[] = {NULL, "left out", "cut", "split"};
    char want[300];
    warnings found;
    dv_view *source = dvt_documents_open(&documents, 60, 20, 7, 4, NULL), *view;
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    int empty = 0, longer = 0;
    o.columns = packed;
    o.columns_count = 2;
    o.tokens = 12;
    for (int i = 0; i < 60; i++) {
        empty += documents.length[i] == 0;
        longer += documents.length[i] > 12;
    }
    cr_assert(empty > 1 && longer > 1);
    for (int k = 1; k < 4; k++) {
        o.too_long = (dv_pack_long)k;
        cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
        add_warnings(&found, view);
        snprintf(want, sizeof want,
                 "%d documents without items: in no pack|%d documents of more than 12 items %s|",
                 empty, longer, what[k]);
        cr_expect_str_eq(found.text, want);
        dv_view_release(&view);
    }
    o.too_long = DV_PACK_LONG_REFUSE;
    o.how = DV_PACK_STREAM;
    o.drop_last = true;
    o.tokens = 1000000;
    cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), 0);
    add_warnings(&found, view);
    cr_expect(strstr(found.text, "items of the last pack, which is not full, left out"), "%s",
              found.text);
    dv_view_release(&view);
    dv_view_release(&source);
}

Test(pack_view, what_it_is)
{
    static const char *const names[] = {"ids", "mask", "cu_seqlens", "position_ids", "rows"},
                             *const types[] = {"V<I4,*>", "V<R8,*>", "V<I4,*>", "V<I4,*>",
                                               "V<I8,*>"};
    dv_view *source = dvt_documents_open(&documents, 30, 20, 7, 4, NULL), *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    dv_cursor *cursor;
    char type[40];
    o.columns = packed;
    o.columns_count = 2;
    cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_block_rows(view), 1);
    cr_expect_str_eq(dv_view_kind(view), "pack");
    cr_expect(!dv_view_can_shuffle(view));
    cr_assert_eq(dv_schema_columns(dv_view_schema(view)), 5);
    for (int32_t i = 0; i < 5; i++) {
        const dv_column_info *info = dv_schema_column(dv_view_schema(view), i);
        dv_type_print(&info->type, type, sizeof type);
        cr_expect_str_eq(info->name.data, names[i]);
        cr_expect_str_eq(type, types[i]);
    }
    options.zero_copy_only = true;
    cr_expect_eq(dv_cursor_open(&cursor, view, &options, &err), DV_ERR_COPY);
    dv_view_release(&view);
    dv_view_release(&source);
}
