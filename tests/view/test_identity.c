/* SPDX-License-Identifier: MIT */
/* test_identity.c: checks which views have the same identity. */
#include "view/identity.h"
#include "support/allocator.h"
#include "support/chain.h"
#include "support/golden_files.h"
#include "support/identities.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_new(dvt_identities *all, const char *name, dv_u128 identity)
{
    const char *same = dvt_identities_add(all, name, identity);
    cr_expect_null(same, "%s is %s", name, same);
}

/* --- Views of a program ----------------------------------------------------------------- */

static const int32_t numbers[12];

static dvt_made_table make_table(dv_kind kind, int64_t rows)
{
    dvt_made_table table = {.columns = 2, .rows = rows, .block_rows = 5, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), numbers, rows);
    table.column[1] = dvt_made_fixed(dv_type_of(kind), numbers, rows);
    return table;
}

static dv_u128 identity_of_made(dvt_made_table *table)
{
    return dvt_identity_of(dvt_made_table_open(table, NULL));
}

Test(identity, of_a_view_that_tells_none_is_its_columns_and_rows)
{
    dvt_identities all = {.n = 0};
    dvt_made_table table = make_table(DV_KIND_I4, 9), again = make_table(DV_KIND_I4, 9);
    expect_new(&all, "I4", identity_of_made(&table));
    cr_expect(dvt_identity_same(identity_of_made(&again), all.identity[0]));
    again.rows = 8;
    expect_new(&all, "a row less", identity_of_made(&again));
    again.rows_unknown = true;
    expect_new(&all, "rows unknown", identity_of_made(&again));
    again = make_table(DV_KIND_U4, 9);
    expect_new(&all, "U4", identity_of_made(&again));
    again = make_table(DV_KIND_I4, 9);
    again.name[1] = "bb";
    expect_new(&all, "another name", identity_of_made(&again));
    again.name[0] = "ab";
    again.name[1] = "";
    again = make_table(DV_KIND_I4, 9);
    again.columns = 1;
    expect_new(&all, "a column less", identity_of_made(&again));
}

Test(identity, sees_all_of_a_type)
{
    static const int32_t dims[] = {2, 3}, turned[] = {3, 2}, open[] = {0, 3};
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    const dv_type types[] = {
        r4,
        dv_type_of(DV_KIND_R8),
        dv_type_of(DV_KIND_U4),
        dv_type_key(DV_KIND_U4, 0, 5),
        dv_type_key(DV_KIND_U4, 1, 5),
        dv_type_key(DV_KIND_U4, 0, 6),
        dv_type_key(DV_KIND_U4, 0, 0),
        dv_type_key(DV_KIND_U8, 0, 5),
        dv_type_vector(r4, 0),
        dv_type_vector(r4, 6),
        dv_type_tensor(r4, dims, 2),
        dv_type_tensor(r4, turned, 2),
        dv_type_tensor(r4, open, 2),
    };
    dvt_identities all = {.n = 0};
    for (size_t i = 0; i < COUNT(types); i++) {
        dvt_made_table table = {.columns = 1, .rows = 0, .block_rows = 5, .bad_row = -1};
        char name[96];
        dv_type_print(&types[i], name, sizeof name);
        table.column[0] = (dv_column_view){.type = types[i]};
        expect_new(&all, strdup(name), identity_of_made(&table));
    }
    for (int i = 0; i < all.n; i++)
        free((void *)(uintptr_t)all.name[i]);
}

/* --- Pieces ----------------------------------------------------------------------------------- */

/* What a class adds: texts in turn. */
typedef struct pieces {
    const char *text[4];
    dv_status status;
} pieces;

static dv_status add_pieces(void *self, dv_identity *identity, dv_error *err)
{
    const pieces *p = self;
    for (size_t i = 0; i < COUNT(p->text) && p->text[i]; i++)
        dv_identity_add(identity, *p->text[i] ? p->text[i] : NULL, strlen(p->text[i]));
    if (p->status < 0 && err)
        err->status = p->status;
    return p->status;
}

static dv_status open_none(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)request;
    (void)err;
    *cursor_out = self;
    return DV_OK;
}

static dv_status next_none(void *cursor, dv_batch *batch, dv_error *err)
{
    (void)cursor;
    (void)batch;
    (void)err;
    return DV_END;
}

static const dv_view_class pieces_class = {.size = sizeof pieces_class,
                                           .kind = "pieces",
                                           .open_cursor = open_none,
                                           .next = next_none,
                                           .identify = add_pieces};

static dv_view *open_pieces(pieces *p)
{
    dv_schema *schema;
    dv_view *view;
    const dv_type type = dv_type_of(DV_KIND_R4);
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("x"), &type, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_create(&view, &pieces_class, p, &schema, NULL, NULL), DV_OK);
    return view;
}

Test(identity, pieces_count_for_themselves)
{
    pieces list[] = {{{"ab", "c"}, DV_OK}, {{"a", "bc"}, DV_OK}, {{"abc"}, DV_OK},
                     {{"abc", ""}, DV_OK}, {{"", "abc"}, DV_OK}, {{""}, DV_OK},
                     {{NULL}, DV_OK}};
    dvt_identities all = {.n = 0};
    for (size_t i = 0; i < COUNT(list); i++)
        expect_new(&all, "pieces", dvt_identity_of(open_pieces(&list[i])));
}

/* The first identity is kept. A failure is not kept: the next call tries again. */
Test(identity, is_kept_when_it_was_found)
{
    pieces p = {{"a"}, DV_ERR_IO};
    dv_view *view = open_pieces(&p);
    dv_error err = DV_ERROR_INIT;
    dv_u128 first = {7, 7}, second;
    cr_expect_eq(dvi_view_identity(view, false, &first, &err), DV_ERR_IO);
    cr_expect(first.lo == 0 && first.hi == 0);
    p.status = DV_OK;
    cr_expect_eq(dvi_view_identity(view, false, &first, &err), DV_OK);
    p.text[0] = "b";
    cr_expect_eq(dvi_view_identity(view, false, &second, &err), DV_OK);
    cr_expect(dvt_identity_same(first, second));
    cr_expect_eq(dvi_view_identity(view, true, &second, &err), DV_OK);
    cr_expect(!dvt_identity_same(first, second), "with times it is made anew");
    dv_view_release(&view);
}

/* --- Chains ----------------------------------------------------------------------------------- */

#define SOURCE "idv/scalar-all-raw-rpb7.idv"
#define STEP(name, ...) "{\"transform\":\"" name "\"," __VA_ARGS__ "}"

/* Each of them has other rows, other columns or other ids than each other. */
static const char *const chains[] = {
    STEP("SkipTake", "\"skip\":3"),
    STEP("SkipTake", "\"skip\":4"),
    STEP("SkipTake", "\"take\":4"),
    STEP("SkipTake", "\"skip\":3,\"take\":4"),
    STEP("Keep", "\"names\":[\"R4\"]"),
    STEP("Keep", "\"names\":[\"R4\",\"TS\"]"),
    STEP("SelectColumns", "\"dropColumns\":[\"R4\"]"),
    STEP("Choose", "\"columns\":[{\"source\":\"R4\",\"name\":\"r\"}]"),
    STEP("Choose", "\"columns\":[{\"source\":\"I4\"},{\"source\":\"R4\"}]"),
    STEP("Choose", "\"columns\":[{\"source\":\"R4\"},{\"source\":\"I4\"}]"),
    STEP("Choose", "\"columns\":[{\"source\":\"I4\",\"name\":\"U4\"}]"),
    STEP("Choose", "\"columns\":[{\"source\":\"U4\",\"name\":\"U4\"}]"),
    STEP("CopyColumns", "\"columns\":[{\"name\":\"c\",\"source\":\"TS\"}]"),
    STEP("CopyColumns", "\"columns\":[{\"name\":\"d\",\"source\":\"TS\"}]"),
    STEP("Concatenate", "\"name\":\"v\",\"sources\":[\"R4\",\"R4\"]"),
    STEP("Concatenate", "\"name\":\"v\",\"sources\":[\"I4\",\"I4\"]"),
    STEP("GenerateNumber", "\"columns\":[{\"name\":\"g\"}]"),
    STEP("GenerateNumber", "\"columns\":[{\"name\":\"g\",\"seed\":1}]"),
    STEP("GenerateNumber", "\"columns\":[{\"name\":\"g\",\"useCounter\":true}]"),
    STEP("GenerateNumber", "\"columns\":[{\"name\":\"g\",\"seed\":1},{\"name\":\"h\"}]"),
    STEP("GenerateNumber", "\"columns\":[{\"name\":\"g\"},{\"name\":\"h\",\"seed\":1}]"),
    STEP("BootstrapSample", "\"seed\":1"),
    STEP("BootstrapSample", "\"seed\":2"),
    STEP("BootstrapSample", "\"seed\":1,\"complement\":true"),
    STEP("NAFilter", "\"columns\":[\"R4\"]"),
    STEP("NAFilter", "\"columns\":[\"R8\"]"),
    STEP("NAFilter", "\"columns\":[\"R4\",\"R8\"]"),
    STEP("NAFilter", "\"columns\":[\"R4\"],\"complement\":true"),
    STEP("FilterByColumn", "\"column\":\"R4\",\"min\":1"),
    STEP("FilterByColumn", "\"column\":\"R4\",\"min\":2"),
    STEP("FilterByColumn", "\"column\":\"R4\",\"max\":1"),
    STEP("FilterByColumn", "\"column\":\"R4\",\"min\":1,\"max\":2"),
    STEP("FilterByColumn", "\"column\":\"R4\",\"min\":1,\"includeMin\":false"),
    STEP("FilterByColumn", "\"column\":\"R4\",\"max\":1,\"includeMax\":true"),
    STEP("FilterByColumn", "\"column\":\"R4\",\"min\":1,\"complement\":true"),
    STEP("FilterByColumn", "\"column\":\"R8\",\"min\":1"),
    STEP("Filter", "\"conditions\":[{\"column\":\"I4\",\"relations\":1,\"value\":\"3\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"I4\",\"relations\":2,\"value\":\"3\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"I4\",\"relations\":1,\"value\":\"4\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"I8\",\"relations\":1,\"value\":\"3\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"I4\",\"relations\":8}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"TX\",\"relations\":1,\"value\":\"3\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"TX\",\"relations\":1,\"value\":\"3a\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"DZ\",\"relations\":1,"
                   "\"value\":\"2020-01-01T00:00:00+01:00\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"DZ\",\"relations\":1,"
                   "\"value\":\"2020-01-01T01:00:00+02:00\"}]"),
    STEP("Filter", "\"conditions\":[{\"column\":\"DZ\",\"relations\":1,"
                   "\"value\":\"2020-01-02T00:00:00+01:00\"}]"),
    STEP("Zip", "\"skip\":1"),
    STEP("Zip", "\"skip\":2"),
    "[" STEP("SkipTake", "\"skip\":1") "," STEP("BootstrapSample", "\"seed\":1") "]",
    "[" STEP("BootstrapSample", "\"seed\":1") "," STEP("SkipTake", "\"skip\":1") "]",
};

static dv_view *open_chain(const char *steps)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *source = dvt_golden_open(SOURCE, NULL), *view = NULL;
    cr_expect_eq(dvt_chain_of(&view, source, steps, NULL, &err), DV_OK, "%s: %s", steps,
                 err.message);
    dv_view_release(&source);
    return view;
}

Test(identity, each_parameter_of_a_chain_counts)
{
    dvt_identities all = {.n = 0};
    expect_new(&all, "the source", dvt_identity_of(dvt_golden_open(SOURCE, NULL)));
    for (size_t i = 0; i < COUNT(chains); i++) {
        const dv_u128 identity = dvt_identity_of(open_chain(chains[i]));
        expect_new(&all, chains[i], identity);
        cr_expect(dvt_identity_same(identity, dvt_identity_of(open_chain(chains[i]))), "%s",
                  chains[i]);
    }
}

static dv_u128 identity_of_pick(const int64_t *rows, int64_t n)
{
    dv_view *source = dvt_golden_open(SOURCE, NULL), *view = NULL;
    cr_assert_eq(dv_view_take(&view, source, rows, n, NULL, NULL), DV_OK);
    dv_view_release(&source);
    return dvt_identity_of(view);
}

static dv_u128 identity_of_convert(const char *column, dv_kind kind)
{
    dv_view *source = dvt_golden_open(SOURCE, NULL), *view = NULL;
    const dv_conversion_spec spec = {dv_text_of(column), dv_text_of("c"), dv_type_of(kind)};
    cr_assert_eq(dv_view_convert(&view, source, &spec, 1, NULL, NULL), DV_OK);
    dv_view_release(&source);
    return dvt_identity_of(view);
}

static dv_u128 identity_of_hold(const dv_cursor_options *options)
{
    dv_view *source = dvt_golden_open(SOURCE, NULL), *view = NULL;
    cr_assert_eq(dv_view_materialize(&view, source,
                                     &(dv_materialize_options){
                                         .size = sizeof(dv_materialize_options), .cursor = options},
                                     NULL, NULL),
                 DV_OK);
    dv_view_release(&source);
    return dvt_identity_of(view);
}

Test(identity, each_parameter_of_other_views_counts)
{
    static const int64_t rows[] = {3, 1, 2, 2}, others[] = {1, 3, 2, 2};
    static const int32_t two[] = {9, 5}, same[] = {5, 9};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_identities all = {.n = 0};
    expect_new(&all, "the source", dvt_identity_of(dvt_golden_open(SOURCE, NULL)));
    expect_new(&all, "no row", identity_of_pick(rows, 0));
    expect_new(&all, "three rows", identity_of_pick(rows, 3));
    expect_new(&all, "four rows", identity_of_pick(rows, 4));
    expect_new(&all, "in another order", identity_of_pick(others, 4));
    expect_new(&all, "I4 to R4", identity_of_convert("I4", DV_KIND_R4));
    expect_new(&all, "I4 to R8", identity_of_convert("I4", DV_KIND_R8));
    expect_new(&all, "I8 to R8", identity_of_convert("I8", DV_KIND_R8));
    expect_new(&all, "held", identity_of_hold(NULL));
    options.first_row = 1;
    expect_new(&all, "held but one row", identity_of_hold(&options));
    options.end_row = 9;
    expect_new(&all, "eight held", identity_of_hold(&options));
    options.columns = two;
    options.columns_count = 2;
    expect_new(&all, "two columns held", identity_of_hold(&options));
    options.columns = same;
    expect_new(&all, "in another order", identity_of_hold(&options));
    options.threads = 3;
    options.batch_rows = 2;
    cr_expect(dvt_identity_same(identity_of_hold(&options), all.identity[all.n - 1]),
              "the same rows");
}

static dv_u128 identity_of_several(const char *const *names, int32_t n, bool zip)
{
    dv_view *views[4] = {NULL}, *view = NULL;
    dv_error err = DV_ERROR_INIT;
    for (int32_t i = 0; i < n; i++)
        views[i] = dvt_golden_open(names[i], NULL);
    cr_assert_eq(zip ? dv_view_zip(&view, views, n, NULL, &err)
                     : dv_view_concat(&view, views, n, NULL, &err),
                 DV_OK, "%s", err.message);
    for (int32_t i = 0; i < n; i++)
        dv_view_release(&views[i]);
    return dvt_identity_of(view);
}

Test(identity, of_several_views_is_theirs_in_their_order)
{
    static const char *const ab[] = {"idv/rows-1.idv", "idv/rows-2-raw.idv"};
    static const char *const ba[] = {"idv/rows-2-raw.idv", "idv/rows-1.idv"};
    static const char *const aba[] = {"idv/rows-1.idv", "idv/rows-2-raw.idv", "idv/rows-1.idv"};
    dvt_identities all = {.n = 0};
    expect_new(&all, "append ab", identity_of_several(ab, 2, false));
    expect_new(&all, "append ba", identity_of_several(ba, 2, false));
    expect_new(&all, "append aba", identity_of_several(aba, 3, false));
    expect_new(&all, "zip a", identity_of_several(ab, 1, true));
    expect_new(&all, "zip ab", identity_of_several(ab, 2, true));
    expect_new(&all, "zip ba", identity_of_several(ba, 2, true));
    expect_new(&all, "zip aba", identity_of_several(aba, 3, true));
    expect_new(&all, "a", identity_of_several(ab, 1, false));
    cr_expect(
        dvt_identity_same(dvt_identity_of(dvt_golden_open(ab[0], NULL)), all.identity[all.n - 1]));
}

/* --- Memory and threads ----------------------------------------------------------------------- */

static dv_status try_identity(const char *file, const char *steps, const dv_allocator *allocator,
                              dv_u128 *identity_out, dv_error *err)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, file);
    dv_view *source = NULL, *view = NULL;
    how.allocator = allocator;
    how.io = DV_IO_PREAD;
    dv_status status = dv_open(&source, path.text, &how, err);
    if (status == DV_OK)
        status = dvt_chain_of(&view, source, steps, allocator, err);
    dv_view_release(&source);
    if (status == DV_OK)
        status = dvi_view_identity(view, false, identity_out, err);
    dv_view_release(&view);
    return status;
}

Test(identity, without_memory)
{
    static const struct {
        const char *file, *steps;
    } stories[] = {{SOURCE, "[" STEP("Zip", "\"skip\":1") "," STEP("SkipTake", "\"skip\":1") "]"},
                   {"btable/article.btable", STEP("SkipTake", "\"skip\":1")},
                   {"datadings/tiny.msgpack", STEP("SkipTake", "\"skip\":1")}};
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_u128 want, got;
        cr_assert_eq(try_identity(stories[i].file, stories[i].steps, NULL, &want, NULL), DV_OK);
        for (int64_t k = 1, failed = 1; failed; k++) {
            dvt_allocator counted;
            dv_error err = DV_ERROR_INIT;
            dvt_allocator_init(&counted, k);
            const dv_status status =
                try_identity(stories[i].file, stories[i].steps, &counted.allocator, &got, &err);
            failed = counted.asked >= k;
            cr_expect(status == DV_OK || (failed && status == DV_ERR_MEMORY), "%s", err.message);
            cr_expect(status != DV_OK || dvt_identity_same(got, want));
            cr_expect_eq(counted.live, 0);
        }
    }
}

static void *ask(void *view)
{
    dv_u128 *identity = malloc(sizeof *identity);
    cr_expect_eq(dvi_view_identity(view, false, identity, NULL), DV_OK);
    return identity;
}

Test(identity, may_be_asked_for_by_any_thread)
{
    for (int round = 0; round < 50; round++) {
        pthread_t threads[4];
        dv_view *view = open_chain(chains[20]);
        void *found[4];
        for (size_t i = 0; i < COUNT(threads); i++)
            cr_assert_eq(pthread_create(&threads[i], NULL, ask, view), 0);
        for (size_t i = 0; i < COUNT(threads); i++)
            pthread_join(threads[i], &found[i]);
        for (size_t i = 0; i < COUNT(threads); i++) {
            cr_expect(dvt_identity_same(*(dv_u128 *)found[i], *(dv_u128 *)found[0]));
        }
        for (size_t i = 0; i < COUNT(threads); i++)
            free(found[i]);
        dv_view_release(&view);
    }
}
