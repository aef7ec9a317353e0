/* SPDX-License-Identifier: MIT */
/* test_vector_sink.c: matrices that bags write straight into are those of the same rows in memory,
 * bit for bit, and nothing beside them is touched. */
#include "scan/cursor.h"
#include "support/allocator.h"
#include "support/drawn_bags.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/csr.h>
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { ROWS = 300, MANY = 150000, GUARD = 0xA5, GUARDED = 24 };
#ifdef DVT_SANITIZED
#define WAY_STEP 3 /* any two options in each combination all the same */
#else
#define WAY_STEP 1
#endif

/* --- Views ------------------------------------------------------------------------------------ */

static dv_view *make_numbers(int64_t rows, const dv_allocator *allocator)
{
    static int64_t numbers[MANY];
    dv_view *view;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = allocator;
    for (int64_t i = 0; i < rows; i++)
        numbers[i] = i;
    const dv_table_column column = {"A", dv_type_of(DV_KIND_I8), numbers, NULL};
    cr_assert_eq(dv_table_create(&view, &column, 1, rows, &options, NULL), DV_OK);
    return view;
}

static dv_view *pipe_of(dv_view *source, const char *steps, const dv_allocator *allocator)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(steps), NULL, allocator, &err), DV_OK,
                 "%s: %s", steps, err.message);
    return view;
}

static dv_view *filter(dv_view *source)
{
    dv_view *view;
    const dv_condition half = {dv_text_of("A"), DV_IS_GREATER, dv_text_of("100")};
    cr_assert_eq(dv_view_filter(&view, source, &half, 1, NULL, NULL), DV_OK);
    return view;
}

/* How other views stand around the bags. */
enum { ALONE, RENAMED, SLICED, TWICE, ON_A_FILTER, UNDER_A_FILTER, CHAINS };

/* Do rows of the chain go to a sink? */
static bool is_straight(int chain)
{
    return chain != UNDER_A_FILTER;
}

static dv_view *chain_of(int chain, int32_t size, bool is_plain, const dv_allocator *allocator)
{
    dv_view *numbers = make_numbers(ROWS, allocator), *source = numbers, *view = NULL;
    if (chain == ON_A_FILTER)
        source = filter(numbers);
    else
        dv_view_retain(source);
    dv_view *bags = dvt_drawn_bags(source, size, is_plain, allocator);
    dv_view *const two[] = {bags, bags};
    if (chain == RENAMED)
        view = pipe_of(bags, "copy Y:X; select Y A; copy X:Y", allocator);
    else if (chain == SLICED)
        cr_assert_eq(dv_view_slice(&view, bags, 7, ROWS - 11, allocator, NULL), DV_OK);
    else if (chain == TWICE)
        cr_assert_eq(dv_view_concat(&view, two, 2, allocator, NULL), DV_OK);
    else if (chain == UNDER_A_FILTER)
        view = filter(bags);
    else
        dv_view_retain(view = bags);
    dv_view_release(&bags);
    dv_view_release(&source);
    dv_view_release(&numbers);
    return view;
}

static int32_t column_of(dv_view *view)
{
    int32_t column;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("X"), &column), DV_OK);
    return column;
}

static dv_view *in_memory(dv_view *view)
{
    dv_view *kept;
    cr_assert_eq(dv_view_materialize(&kept, view, NULL, NULL, NULL), DV_OK);
    return kept;
}

/* --- CSR -------------------------------------------------------------------------------------- */

typedef struct arrays {
    uint8_t *bytes;
    size_t nbytes;
    dv_csr_room room;
} arrays;

/* Room for so many rows and entries, and guards after each array. */
static arrays make_room(int64_t rows, int64_t entries)
{
    const size_t ptr = 8 * (size_t)(rows + 1) + GUARDED, entry = 8 * (size_t)entries + GUARDED;
    arrays a = {.nbytes = ptr + 2 * entry};
    a.bytes = malloc(a.nbytes);
    memset(a.bytes, GUARD, a.nbytes);
    a.room = (dv_csr_room){a.bytes, (int32_t *)(void *)(a.bytes + ptr), a.bytes + ptr + entry, rows,
                           entries};
    return a;
}

/* What the room holds, the guards included, is what it is for the rows in memory. */
static void expect_same_csr(dv_view *view, dv_view *kept, const dv_csr_options *o, int64_t rows,
                            int64_t entries, const char *what)
{
    arrays got = make_room(rows, entries), want = make_room(rows, entries);
    dv_csr a, b;
    dv_csr_options own = *o;
    dv_error err = DV_ERROR_INIT, other = DV_ERROR_INIT;
    own.column = column_of(kept);
    const dv_status status = dv_csr_fill(&a, &got.room, view, o, &err);
    cr_expect_eq(dv_csr_fill(&b, &want.room, kept, &own, &other), status, "%s: %s", what,
                 err.message);
    cr_expect_str_eq(err.rule, other.rule, "%s", what);
    if (status == DV_OK)
        cr_expect_eq(memcmp(got.bytes, want.bytes, got.nbytes), 0, "%s", what);
    cr_expect(a.rows == b.rows && a.entries == b.entries && a.columns == b.columns, "%s", what);
    for (int i = 0; i < GUARDED; i++)
        cr_expect(((uint8_t *)got.room.indptr)[8 * (rows + 1) + i] == GUARD &&
                      ((uint8_t *)got.room.indices)[8 * entries + i] == GUARD &&
                      ((uint8_t *)got.room.data)[8 * entries + i] == GUARD,
                  "%s", what);
    free(got.bytes);
    free(want.bytes);
}

static void check_csr(dv_view *view, dv_view *kept, const char *what)
{
    for (int way = 0; way < 32; way += WAY_STEP) {
        dv_csr_options o = DV_CSR_OPTIONS_INIT;
        int64_t rows, entries;
        dv_csr *made;
        dv_error err = DV_ERROR_INIT;
        o.column = column_of(kept);
        o.indptr = way & 1 ? DV_KIND_I4 : DV_KIND_I8;
        o.data = way & 2 ? DV_KIND_R4 : DV_KIND_R8;
        o.all_slots = way & 4;
        o.threads = way & 8 ? 2 : 1;
        o.first_row = way & 16 ? 33 : 0;
        o.end_row = way & 16 ? 222 : -1;
        cr_assert_eq(dv_csr_create(&made, kept, &o, &err), DV_OK, "%s: %s", what, err.message);
        o.column = column_of(view);
        cr_assert_eq(dv_csr_measure(&rows, &entries, view, &o, NULL), DV_OK);
        cr_expect(rows == made->rows && entries == made->entries, "%s: %lld, %lld", what,
                  (long long)rows, (long long)entries);
        expect_same_csr(view, kept, &o, rows, entries, what);
        expect_same_csr(view, kept, &o, rows + 1, entries + 1, what);
        if (rows > 0)
            expect_same_csr(view, kept, &o, rows - 1, entries, what);
        if (entries > 0)
            expect_same_csr(view, kept, &o, rows, entries - 1, what);
        dv_csr_free(&made);
    }
}

Test(vector_sink, matrices_of_drawn_bags)
{
    static const int32_t sizes[] = {1, 2, 5, 64, 700, 1 << 19};
    char what[64];
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int chain = 0; chain < CHAINS; chain++) {
            dv_view *view = chain_of(chain, sizes[i], i % 2 && chain % 2, NULL);
            dv_view *kept = in_memory(view);
            snprintf(what, sizeof what, "chain %d of %d slots", chain, sizes[i]);
            check_csr(view, kept, what);
            dv_view_release(&kept);
            dv_view_release(&view);
        }
}

/* Threads make batches. */
Test(vector_sink, matrices_of_many_rows)
{
    dv_view *numbers = make_numbers(MANY, NULL), *view = dvt_drawn_bags(numbers, 100, false, NULL);
    dv_view *kept = in_memory(view);
    for (int32_t threads = 1; threads <= 2; threads++) {
        int64_t rows, entries;
        dv_csr_options o = DV_CSR_OPTIONS_INIT;
        o.column = column_of(view);
        o.threads = threads;
        cr_assert_eq(dv_csr_measure(&rows, &entries, kept, &o, NULL), DV_OK);
        expect_same_csr(view, kept, &o, rows, entries, "many rows");
    }
    dv_view_release(&kept);
    dv_view_release(&view);
    dv_view_release(&numbers);
}

/* --- The door --------------------------------------------------------------------------------- */

/* Keeps the number of items and a digest of each row. */
typedef struct recorder {
    dvi_vector_sink base; /* first */
    uint64_t digest[2 * ROWS];
    int64_t rows, taken;
} recorder;

static dv_status record(dvi_vector_sink *base, const dvi_sink_row *row, dv_error *err)
{
    recorder *r = (recorder *)base;
    uint64_t digest = (uint64_t)row->n * 2 + row->is_dense;
    (void)err;
    for (int32_t i = 0; i < row->n; i++) {
        uint32_t bits;
        memcpy(&bits, &row->items[i], sizeof bits);
        cr_assert(row->slots[i] < (uint32_t)row->length &&
                  (i == 0 || row->slots[i] > row->slots[i - 1]));
        digest = (digest ^ ((uint64_t)row->slots[i] << 32 | bits)) * UINT64_C(0x100000001B3);
    }
    cr_assert_lt(r->rows, 2 * ROWS);
    r->digest[r->rows++] = digest;
    return DV_OK;
}

/* Read X into the recorder, after a failure at the token; returns how many calls failed. Batches
 * that have used the sink are of empty rows. */
static int record_all(recorder *r, dv_view *view, const dv_cursor_options *given)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_status status;
    int failed = 0;
    dv_cursor_options options = *given;
    const int32_t column = column_of(view);
    *r = (recorder){.base = {.add = record}};
    options.columns = &column;
    options.columns_count = 1;
    while (dvi_cursor_open_onto(&cursor, view, &options, NULL, &r->base, 0, NULL) == DV_ERR_MEMORY)
        failed++;
    while ((status = dv_cursor_next(cursor, &batch, NULL)) != DV_END) {
        if (status == DV_ERR_MEMORY) {
            dv_token token;
            failed++;
            cr_assert_eq(dv_cursor_token(cursor, &token, NULL), DV_OK);
            dv_cursor_close(&cursor);
            r->rows = r->taken;
            r->base.is_used = false;
            options.token = token.text;
            cr_assert_eq(dvi_cursor_open_onto(&cursor, view, &options, NULL, &r->base, 0, NULL),
                         DV_OK);
            continue;
        }
        cr_assert_eq(status, DV_OK);
        cr_expect_eq(r->rows - r->taken, r->base.is_used ? batch->rows : 0);
        if (r->base.is_used)
            cr_expect_eq(dv_batch_column(batch, 0)->as.vector.indices.nbytes, 0);
        r->base.is_used = false;
        r->taken = r->rows;
    }
    dv_cursor_close(&cursor);
    return failed;
}

/* Who takes the sink, and who leaves it. */
Test(vector_sink, is_taken)
{
    static recorder r;
    for (int chain = 0; chain < CHAINS; chain++) {
        dv_view *view = chain_of(chain, 50, false, NULL), *kept = in_memory(view);
        for (int way = 0; way < 2; way++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.threads = 1;
            options.batch_rows = way * 100;
            record_all(&r, view, &options);
            cr_expect_eq(r.rows, way == 0 && is_straight(chain) ? dv_view_rows(kept) : 0,
                         "chain %d, way %d: %lld rows", chain, way, (long long)r.rows);
        }
        dv_view_release(&kept);
        dv_view_release(&view);
    }
}

/* A reader that goes on at the token gets the rows that are left, and no other. */
Test(vector_sink, survives_failing_allocations)
{
    static recorder want, got;
    int failures = 0;
    for (int chain = ALONE; chain <= TWICE; chain++)
        for (int64_t at = 1;; at++) {
            dvt_allocator counted;
            dvt_allocator_init(&counted, 0);
            dv_view *view = chain_of(chain, 1 << 19, false, &counted.allocator);
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.threads = 1;
            record_all(&want, view, &options);
            counted.fail_at = counted.asked + at;
            const int failed = record_all(&got, view, &options);
            failures += failed;
            cr_expect(got.rows == want.rows &&
                          memcmp(got.digest, want.digest, sizeof want.digest) == 0,
                      "chain %d, allocation %lld", chain, (long long)at);
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0);
            if (failed == 0)
                break;
        }
    cr_expect_gt(failures, 0);
}

/* A matrix is whole, or there is none and nothing leaks. */
Test(vector_sink, matrices_survive_failing_allocations)
{
    int failed = 0;
    bool is_reached = true;
    for (int64_t at = 1; is_reached; at++) {
        dvt_allocator counted;
        dv_csr *csr;
        dv_csr_options options = DV_CSR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        dv_view *view = chain_of(ALONE, 500, false, &counted.allocator);
        options.column = column_of(view);
        options.threads = 1;
        counted.fail_at = counted.asked + at;
        const dv_status status = dv_csr_create(&csr, view, &options, NULL);
        cr_expect((status == DV_OK && csr->rows == ROWS) || (status == DV_ERR_MEMORY && !csr));
        is_reached = counted.asked >= counted.fail_at;
        failed += status == DV_ERR_MEMORY;
        dv_csr_free(&csr);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0);
    }
    cr_expect_gt(failed, 5);
}

/* --- The steps -------------------------------------------------------------------------------- */

static dv_view *make_texts(void)
{
    static char texts[ROWS][400];
    const char *list[ROWS];
    uint64_t state = 3;
    dv_view *view;
    for (int i = 0; i < ROWS; i++) {
        size_t n = 0;
        texts[i][0] = 0;
        for (uint64_t k = dvt_draw(&state) % 40; k > 0; k--)
            n += (size_t)snprintf(texts[i] + n, sizeof texts[i] - n, "%sw%d", n ? " " : "",
                                  (int)(dvt_draw(&state) % 9 * (dvt_draw(&state) % 40)));
        list[i] = texts[i];
    }
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), list, NULL};
    cr_assert_eq(dv_table_create(&view, &column, 1, ROWS, NULL, NULL), DV_OK);
    return view;
}

static const char *const bags[] = {
    "wordbag X:A; select X",
    "wordbag X:A n=2 weight=tfidf",
    "wordbag X:A max=[6 6] n=2 weight=idf",
    "chars C:A; ngram X:C n=2 max=[20 50]",
    "wordhashbag X:A bits=3",
    "wordhashbag X:A,A n=2 bits=12",
    "tokenize W:A; term W; ngram X:W n=2 skips=1",
    "tokenize W:A; hash W bits=20; ngramhash X:W bits=9",
};

/* Refuses much memory at once. */
static void *allocate_little(void *ctx, size_t nbytes, size_t alignment)
{
    void *memory;
    (void)ctx;
    return nbytes < (size_t)32 << 20 && posix_memalign(&memory, alignment, nbytes) == 0 ? memory
                                                                                        : NULL;
}

static void release_little(void *ctx, void *memory, size_t nbytes)
{
    (void)ctx;
    (void)nbytes;
    free(memory);
}

/* If all rows were as long as the first ones, there would be no memory for them. */
Test(vector_sink, long_rows_before_many_short_ones)
{
    enum { LONG = 900, WORDS = 1000, ALL = 60000 };
    static char text[WORDS * 8];
    static const char *texts[ALL];
    dv_view *source;
    dv_csr *csr;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    dv_error err = DV_ERROR_INIT;
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    const dv_allocator little = {allocate_little, release_little, NULL};
    dv_table_options how = DV_TABLE_OPTIONS_INIT;
    size_t n = 0;
    for (int i = 0; i < WORDS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "w%d ", i);
    for (int i = 0; i < ALL; i++)
        texts[i] = i < LONG ? text : "a b";
    how.allocator = &little;
    const dv_table_column column = {"A", dv_type_of(DV_KIND_TX), texts, NULL};
    cr_assert_eq(dv_table_create(&source, &column, 1, ALL, &how, NULL), DV_OK);
    dv_view *view = pipe_of(source, "wordhashbag X:A bits=20; select X", &little);
    options.threads = 1;
    cr_assert_eq(dv_csr_create(&csr, view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(csr->rows, ALL);
    int64_t rows = 0;
    dv_cursor_options one = DV_CURSOR_OPTIONS_INIT;
    one.threads = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &one, &err), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows += batch->rows;
    cr_expect(status == DV_END && rows == ALL, "%s", err.message);
    dv_cursor_close(&cursor);
    dv_csr_free(&csr);
    dv_view_release(&view);
    dv_view_release(&source);
}

Test(vector_sink, matrices_of_steps)
{
    static recorder r;
    dv_view *texts = make_texts();
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    for (size_t i = 0; i < COUNT(bags); i++) {
        dv_view *view = pipe_of(texts, bags[i], NULL), *kept = in_memory(view);
        check_csr(view, kept, bags[i]);
        record_all(&r, view, &options);
        cr_expect_eq(r.rows, ROWS, "%s", bags[i]);
        dv_view_release(&kept);
        dv_view_release(&view);
    }
    dv_view_release(&texts);
}
