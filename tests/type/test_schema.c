/* SPDX-License-Identifier: MIT */
/* test_schema.c: columns, hidden ones, metadata and its values. */
#include "support/test.h"

#include "type/schema.h"
#include "support/allocator.h"
#include <stdio.h>
#include <string.h>

static dv_schema *create(void)
{
    dv_schema *schema = NULL;
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    return schema;
}

static int32_t add(dv_schema *schema, const char *name, dv_type type)
{
    int32_t column = -1;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_schema_add(schema, dv_text_of(name), &type, &column, &err);
    cr_assert_eq(status, DV_OK, "%s", err.message);
    return column;
}

static int32_t find(const dv_schema *schema, const char *name)
{
    int32_t column = 77;
    const dv_status status = dv_schema_find(schema, dv_text_of(name), &column);
    cr_expect_eq(status, column >= 0 ? DV_OK : DV_NOT_FOUND);
    return column;
}

static bool is_text(dv_text text, const char *want)
{
    return dv_text_equal(text, dv_text_of(want));
}

/* --- Columns ---------------------------------------------------------------------------------- */

Test(schema, an_empty_one_has_nothing)
{
    dv_schema *schema = create();
    cr_expect_eq(dv_schema_columns(schema), 0);
    cr_expect_null(dv_schema_column(schema, 0));
    cr_expect_null(dv_schema_metadata(schema, 0, 0));
    cr_expect_eq(find(schema, "x"), -1);
    dv_schema_free(&schema);
    cr_expect_null(schema);
    dv_schema_free(&schema);
}

Test(schema, columns_keep_their_order_and_types)
{
    dv_schema *schema = create();
    cr_expect_eq(add(schema, "Label", dv_type_key(DV_KIND_U4, 0, 10)), 0);
    cr_expect_eq(add(schema, "Features", dv_type_vector(dv_type_of(DV_KIND_R4), 784)), 1);
    cr_expect_eq(add(schema, "features", dv_type_of(DV_KIND_TX)), 2);
    cr_expect_eq(dv_schema_columns(schema), 3);

    const dv_column_info *info = dv_schema_column(schema, 1);
    cr_assert_not_null(info);
    cr_expect(is_text(info->name, "Features"));
    cr_expect(info->type.kind == DV_KIND_R4 && info->type.rank == 1 && info->type.size == 784);
    cr_expect(!info->is_hidden && info->metadata_count == 0);
    cr_expect_null(dv_schema_column(schema, -1));
    cr_expect_null(dv_schema_column(schema, 3));

    cr_expect_eq(find(schema, "Label"), 0);
    cr_expect_eq(find(schema, "Features"), 1);
    cr_expect_eq(find(schema, "features"), 2, "names are case-sensitive");
    cr_expect_eq(find(schema, "Feature"), -1);
    dv_schema_free(&schema);
}

Test(schema, names_and_dims_are_copied)
{
    dv_schema *schema = create();
    char name[] = "x\0y";
    int32_t dims[] = {2, 3};
    const dv_type type = dv_type_tensor(dv_type_of(DV_KIND_I4), dims, 2);
    cr_assert_eq(dv_schema_add(schema, (dv_text){name, 3}, &type, NULL, NULL), DV_OK);
    memset(name, '?', sizeof name);
    memset(dims, 0, sizeof dims);

    const dv_column_info *info = dv_schema_column(schema, 0);
    cr_expect(dv_text_equal(info->name, (dv_text){"x\0y", 3}));
    cr_expect(dv_type_dim(&info->type, 0) == 2 && dv_type_dim(&info->type, 1) == 3);
    cr_expect_eq(find(schema, "x"), -1, "NUL is a character of a name");
    dv_schema_free(&schema);
}

Test(schema, the_last_of_a_name_hides_the_others)
{
    dv_schema *schema = create();
    const char *const names[] = {"a", "b", "a", "c", "a", "b"};
    const bool hidden[] = {true, true, true, false, false, false};
    const dv_column_info *first = NULL;
    for (int32_t i = 0; i < 6; i++) {
        cr_expect_eq(add(schema, names[i], dv_type_of(DV_KIND_R4)), i);
        cr_expect_eq(find(schema, names[i]), i);
        first = first ? first : dv_schema_column(schema, 0);
    }
    for (int32_t i = 0; i < 6; i++)
        cr_expect_eq(dv_schema_column(schema, i)->is_hidden, hidden[i], "column %d", i);
    cr_expect_eq(find(schema, "a"), 4);
    cr_expect_eq(first, dv_schema_column(schema, 0), "columns do not move");
    dv_schema_free(&schema);
}

Test(schema, refuses_what_is_no_column)
{
    dv_schema *schema = create();
    dv_error err = DV_ERROR_INIT;
    const dv_type r4 = dv_type_of(DV_KIND_R4), none = dv_type_of(DV_KIND_NONE);
    int32_t column = 7;
    const dv_text names[] = {dv_text_of(""), dv_text_of(NULL), dv_text_of("a\xFF"),
                             dv_text_of("\xC3"), dv_text_of("\xED\xA0\x80")};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        err = (dv_error)DV_ERROR_INIT;
        cr_expect_eq(dv_schema_add(schema, names[i], &r4, &column, &err), DV_ERR_ARGUMENT);
        cr_expect_eq(err.status, DV_ERR_ARGUMENT);
        cr_expect_str_not_empty(err.message);
    }
    cr_expect_eq(dv_schema_add(schema, dv_text_of("x"), &none, &column, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(column, 7);
    cr_expect_eq(dv_schema_columns(schema), 0);
    cr_expect_eq(find(schema, "x"), -1);
    cr_expect_eq(find(schema, ""), -1);
    cr_expect_eq(find(schema, NULL), -1);
    dv_schema_free(&schema);
}

Test(schema, many_columns_cost_little_each)
{
    enum { COLUMNS = 100000 };
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_schema *schema = NULL;
    cr_assert_eq(dv_schema_create(&schema, &counted.allocator, NULL), DV_OK);
    char name[16];
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(name, sizeof name, "c%d", i);
        cr_assert_eq(add(schema, name, dv_type_of(DV_KIND_R4)), i);
    }
    cr_expect_eq(find(schema, "c77777"), 77777);
    const long long each = (long long)counted.nbytes / COLUMNS;
    cr_expect_leq(each, 288, "%lld bytes for each column", each);
    dv_schema_free(&schema);
    cr_expect_eq(counted.live, 0);
}

/* --- Metadata --------------------------------------------------------------------------------- */

/* A source that counts what is asked of it. */
typedef struct fake {
    int loads, releases;
    int64_t number;
} fake;

static dv_status load_fake(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    fake *f = source;
    f->loads++;
    f->number = number;
    (void)batch_out;
    if (err)
        err->status = DV_ERR_IO;
    return DV_ERR_IO;
}

static void release_fake(void *source)
{
    fake *f = source;
    f->releases++;
}

static dv_status add_fake(dv_schema *schema, int32_t column, dv_text kind, fake *f, int64_t number)
{
    const dvi_metadata_source source = {load_fake, f, number, release_fake};
    const dv_type type = dv_type_of(DV_KIND_BL);
    return dvi_schema_add_metadata(schema, column, kind, &type, &source, NULL);
}

static int32_t find_metadata(const dv_schema *schema, int32_t column, const char *kind)
{
    int32_t i = 77;
    const dv_status status = dv_schema_find_metadata(schema, column, dv_text_of(kind), &i);
    cr_expect_eq(status, i >= 0 ? DV_OK : DV_NOT_FOUND);
    return i;
}

Test(schema, metadata_belongs_to_a_column)
{
    dv_schema *schema = create();
    fake f = {0};
    add(schema, "a", dv_type_of(DV_KIND_R4));
    add(schema, "b", dv_type_of(DV_KIND_R4));
    cr_expect_eq(add_fake(schema, 1, dv_text_of(DV_IS_NORMALIZED), &f, 3), DV_OK);
    cr_expect_eq(add_fake(schema, 1, dv_text_of("mine"), &f, 4), DV_OK);
    cr_expect_eq(add_fake(schema, 0, dv_text_of("mine"), &f, 5), DV_OK);

    cr_expect_eq(dv_schema_column(schema, 0)->metadata_count, 1);
    cr_expect_eq(dv_schema_column(schema, 1)->metadata_count, 2);
    const dv_metadata_info *info = dv_schema_metadata(schema, 1, 0);
    cr_expect(is_text(info->kind, "IsNormalized") && info->type.kind == DV_KIND_BL);
    cr_expect(is_text(dv_schema_metadata(schema, 1, 1)->kind, "mine"));
    cr_expect_eq(find_metadata(schema, 1, "mine"), 1);
    cr_expect_eq(find_metadata(schema, 0, "mine"), 0);
    cr_expect_eq(find_metadata(schema, 0, DV_IS_NORMALIZED), -1);
    cr_expect_eq(find_metadata(schema, 1, "MINE"), -1);
    cr_expect_eq(find_metadata(schema, 2, "mine"), -1);
    cr_expect_eq(find_metadata(schema, -1, "mine"), -1);
    cr_expect_eq(find_metadata(schema, 1, ""), -1);
    cr_expect_eq(find_metadata(schema, 1, NULL), -1);

    const int32_t outside[][2] = {{-1, 0}, {2, 0}, {0, -1}, {0, 1}, {1, 2}};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        cr_expect_null(dv_schema_metadata(schema, outside[i][0], outside[i][1]));
        cr_expect_null(dvi_schema_metadata_source(schema, outside[i][0], outside[i][1]));
    }
    cr_expect_eq(dvi_schema_metadata_source(schema, 1, 1)->number, 4);
    dv_schema_free(&schema);
    cr_expect_eq(f.releases, 3);
}

Test(schema, refuses_metadata)
{
    dv_schema *schema = create();
    fake f = {0};
    add(schema, "a", dv_type_of(DV_KIND_R4));
    cr_assert_eq(add_fake(schema, 0, dv_text_of("k"), &f, 0), DV_OK);
    cr_expect_eq(add_fake(schema, 0, dv_text_of("k"), &f, 0), DV_ERR_ARGUMENT, "there already");
    cr_expect_eq(add_fake(schema, 0, dv_text_of(""), &f, 0), DV_ERR_ARGUMENT);
    cr_expect_eq(add_fake(schema, 0, dv_text_of(NULL), &f, 0), DV_ERR_ARGUMENT);
    cr_expect_eq(add_fake(schema, 0, dv_text_of("\xC3"), &f, 0), DV_ERR_ARGUMENT);
    cr_expect_eq(add_fake(schema, 1, dv_text_of("j"), &f, 0), DV_ERR_ARGUMENT);
    cr_expect_eq(add_fake(schema, -1, dv_text_of("j"), &f, 0), DV_ERR_ARGUMENT);

    const dvi_metadata_source source = {load_fake, &f, 0, release_fake};
    const dv_type none = dv_type_of(DV_KIND_NONE);
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_schema_add_metadata(schema, 0, dv_text_of("j"), &none, &source, &err),
                 DV_ERR_ARGUMENT);
    cr_expect_str_not_empty(err.message);
    cr_expect_eq(dv_schema_column(schema, 0)->metadata_count, 1);
    cr_expect_eq(f.releases, 0, "a source that was refused stays the caller's");
    dv_schema_free(&schema);
    cr_expect_eq(f.releases, 1);
}

/* One column with more kinds than are searched one by one. */
Test(schema, many_kinds_are_found_and_stay_unique)
{
    enum { KINDS = 20000 };
    dv_schema *schema = create();
    fake f = {0};
    char kind[16];
    add(schema, "a", dv_type_of(DV_KIND_R4));
    for (int i = 0; i < KINDS; i++) {
        snprintf(kind, sizeof kind, "k%d", i);
        cr_assert_eq(add_fake(schema, 0, dv_text_of(kind), &f, i), DV_OK, "%d", i);
        cr_assert_eq(add_fake(schema, 0, dv_text_of(kind), &f, i), DV_ERR_ARGUMENT, "%d", i);
        cr_assert_eq(add_fake(schema, 0, dv_text_of("k0"), &f, i), DV_ERR_ARGUMENT, "%d", i);
        cr_assert_eq(find_metadata(schema, 0, kind), i);
        cr_assert_eq(find_metadata(schema, 0, "k0"), 0);
        cr_assert_eq(dvi_schema_metadata_source(schema, 0, i)->number, i);
    }
    cr_expect_eq(find_metadata(schema, 0, "k"), -1);
    cr_expect_eq(find_metadata(schema, 0, ""), -1);
    dv_schema_free(&schema);
    cr_expect_eq(f.releases, KINDS);
}

Test(schema, a_value_is_loaded_at_each_request)
{
    dv_schema *schema = create();
    fake f = {0};
    dv_error err = DV_ERROR_INIT;
    const dv_batch *batch = (const dv_batch *)&f;
    add(schema, "a", dv_type_of(DV_KIND_R4));
    cr_assert_eq(add_fake(schema, 0, dv_text_of("k"), &f, 42), DV_OK);
    cr_expect_eq(f.loads, 0);
    cr_expect_eq(dv_schema_metadata_value(schema, 0, 0, &batch, &err), DV_ERR_IO);
    cr_expect(f.loads == 1 && f.number == 42 && err.status == DV_ERR_IO && batch == NULL);
    cr_expect_eq(dv_schema_metadata_value(schema, 0, 1, &batch, NULL), DV_NOT_FOUND);
    cr_expect_eq(dv_schema_metadata_value(schema, 1, 0, &batch, NULL), DV_NOT_FOUND);
    cr_expect_eq(f.loads, 1);
    dv_schema_free(&schema);
}

/* --- Given values ----------------------------------------------------------------------------- */

static dv_buffer borrow(const void *data, size_t nbytes)
{
    return (dv_buffer){data, nbytes, NULL, true, true};
}

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

Test(schema, a_given_value_outlives_schema_and_giver)
{
    static const int32_t counts[] = {-1, -1}, ranges[] = {0, 2, 3, 7, 9, 9, 9, 9};
    const int32_t dims[] = {2, 2};
    int released = 0;
    dv_schema *schema = create();
    add(schema, "a", dv_type_vector(dv_type_of(DV_KIND_R4), 8));

    dv_column_view items = {.type = dv_type_of(DV_KIND_I4), .layout = DV_LAYOUT_FIXED, .rows = 8};
    cr_assert_eq(dv_buffer_wrap(&items.as.fixed.values, ranges, sizeof ranges, 4, count_release,
                                &released, NULL, NULL),
                 DV_OK);
    dv_column_view value = {
        .type = dv_type_tensor(items.type, dims, 2), .layout = DV_LAYOUT_VECTOR, .rows = 2};
    value.as.vector.length = 4;
    value.as.vector.counts = borrow(counts, sizeof counts);
    value.as.vector.items = &items;
    cr_assert_eq(
        dv_schema_add_metadata(schema, 0, dv_text_of(DV_CATEGORICAL_SLOT_RANGES), &value, NULL),
        DV_OK);
    dv_buffer_release(&items.as.fixed.values);

    const dv_batch *batches[2];
    for (int i = 0; i < 2; i++)
        cr_assert_eq(dv_schema_metadata_value(schema, 0, 0, &batches[i], NULL), DV_OK);
    cr_expect_neq(batches[0], batches[1], "each request has a batch of its own");
    dv_batch_release(&batches[0]);
    dv_schema_free(&schema);
    cr_expect_eq(released, 0);

    const dv_column_view *column = dv_batch_column(batches[1], 0);
    cr_assert_not_null(column);
    cr_expect(batches[1]->rows == 1 && batches[1]->columns == 1 && column->rows == 1);
    cr_expect(dv_type_dim(&column->type, 0) == 2 && dv_type_dim(&column->type, 1) == 2);
    cr_expect(memcmp(column->as.vector.items->as.fixed.values.data, ranges, 16) == 0);
    const int64_t *first = NULL;
    cr_expect_eq(dv_vector_offsets(batches[1], 0, NULL, &first, NULL), DV_OK);
    cr_expect(first && first[1] == 4);
    dv_batch_release(&batches[1]);
    cr_expect_eq(released, 1);
}

/* One value of each layout, its first row taken of two. */
Test(schema, a_given_value_may_have_any_layout)
{
    static const uint8_t flags[] = {1, 0};
    static const int64_t ticks[] = {5, 6};
    static const int16_t minutes[] = {60, 0};
    static const int32_t ends[] = {2, 5}, counts[] = {-1, 0};
    const dv_column_view bl = {
        dv_type_of(DV_KIND_BL), DV_LAYOUT_FIXED, 2, {.fixed = {borrow(flags, 2)}}};
    const dv_column_view dz = {dv_type_of(DV_KIND_DZ),
                               DV_LAYOUT_ZONED,
                               2,
                               {.zoned = {borrow(ticks, 16), borrow(minutes, 4)}}};
    const dv_column_view tx = {dv_type_of(DV_KIND_TX),
                               DV_LAYOUT_TEXT,
                               2,
                               {.text = {borrow("abcde", 5), borrow(ends, 8), 0}}};
    const dv_column_view by = {dv_type_of(DV_KIND_BY),
                               DV_LAYOUT_BYTES,
                               2,
                               {.text = {borrow("abcde", 5), borrow(ends, 8), 0}}};
    dv_column_view names = {dv_type_vector(tx.type, 2), DV_LAYOUT_VECTOR, 2, {.fixed = {{0}}}};
    names.as.vector = (dv_vector_layout){.length = 2, .counts = borrow(counts, 8), .items = &tx};
    const dv_column_view *const all[] = {&bl, &dz, &tx, &by, &names};
    const int32_t n = sizeof all / sizeof *all;

    dv_schema *schema = create();
    add(schema, "a", dv_type_of(DV_KIND_R4));
    for (int32_t i = 0; i < n; i++) {
        const char kind[] = {(char)('a' + i), '\0'};
        cr_assert_eq(dv_schema_add_metadata(schema, 0, dv_text_of(kind), all[i], NULL), DV_OK);
    }
    for (int32_t i = 0; i < n; i++) {
        const dv_batch *batch = NULL;
        cr_assert_eq(dv_schema_metadata_value(schema, 0, i, &batch, NULL), DV_OK, "%d", i);
        const dv_column_view *column = dv_batch_column(batch, 0);
        cr_expect(column->layout == all[i]->layout && column->rows == 1, "%d", i);
        cr_expect(dv_type_equal(&column->type, &dv_schema_metadata(schema, 0, i)->type), "%d", i);
        dv_batch_release(&batch);
    }
    dv_schema_free(&schema);
}

Test(schema, refuses_given_values)
{
    static const uint8_t flag = 1;
    dv_schema *schema = create();
    add(schema, "a", dv_type_of(DV_KIND_R4));
    dv_column_view value = {
        dv_type_of(DV_KIND_BL), DV_LAYOUT_FIXED, 1, {.fixed = {borrow(&flag, 1)}}};
    const dv_text kind = dv_text_of("k");
    cr_expect_eq(dv_schema_add_metadata(schema, 1, kind, &value, NULL), DV_ERR_ARGUMENT);
    value.rows = 0;
    cr_expect_eq(dv_schema_add_metadata(schema, 0, kind, &value, NULL), DV_ERR_ARGUMENT);
    value.rows = 2;
    cr_expect_eq(dv_schema_add_metadata(schema, 0, kind, &value, NULL), DV_ERR_ARGUMENT);
    value.rows = 1;
    value.type.kind = DV_KIND_NONE;
    cr_expect_eq(dv_schema_add_metadata(schema, 0, kind, &value, NULL), DV_ERR_ARGUMENT);
    value.type.kind = DV_KIND_BL;
    cr_expect_eq(dv_schema_add_metadata(schema, 0, kind, &value, NULL), DV_OK);
    cr_expect_eq(dv_schema_add_metadata(schema, 0, kind, &value, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_schema_column(schema, 0)->metadata_count, 1);
    dv_schema_free(&schema);
}

/* --- Memory ----------------------------------------------------------------------------------- */

enum { BUILT_COLUMNS = 60, BUILT_KINDS = 40 };

/* Make one column and its metadata; calls that fail are repeated if that is wanted. */
static dv_status build(dv_schema *schema, bool is_stubborn)
{
    static const int32_t dims[] = {2, 3};
    static const uint8_t flag = 1;
    const dv_type tensor = dv_type_tensor(dv_type_of(DV_KIND_R8), dims, 2);
    const dv_column_view value = {
        dv_type_of(DV_KIND_BL), DV_LAYOUT_FIXED, 1, {.fixed = {borrow(&flag, 1)}}};
    char name[512];
    dv_status status;
    memset(name, 'n', sizeof name);
    for (int i = 0; i < BUILT_COLUMNS; i++)
        do {
            name[0] = (char)('A' + i % 50); /* the first ten are hidden */
            status = dv_schema_add(schema, (dv_text){name, 500}, &tensor, NULL, NULL);
            if (status < 0 && !is_stubborn)
                return status;
        } while (status < 0);
    for (int i = 0; i < BUILT_KINDS; i++)
        do {
            name[0] = (char)('A' + i);
            status = dv_schema_add_metadata(schema, 3, (dv_text){name, 500}, &value, NULL);
            if (status < 0 && !is_stubborn)
                return status;
        } while (status < 0);
    return DV_OK;
}

static void expect_built(const dv_schema *schema)
{
    cr_assert_eq(dv_schema_columns(schema), BUILT_COLUMNS);
    for (int32_t i = 0; i < BUILT_COLUMNS; i++)
        cr_expect_eq(dv_schema_column(schema, i)->is_hidden, i < 10, "column %d", i);
    cr_expect_eq(dv_schema_column(schema, 3)->metadata_count, BUILT_KINDS);
    for (int32_t i = 0, found; i < BUILT_KINDS; i++) {
        const dv_text kind = dv_schema_metadata(schema, 3, i)->kind;
        cr_expect_eq(dv_schema_find_metadata(schema, 3, kind, &found), DV_OK);
        cr_expect_eq(found, i);
    }
}

Test(schema, every_allocation_may_fail)
{
    dvt_allocator counted;
    for (int64_t k = 1;; k++) {
        dvt_allocator_init(&counted, k);
        dv_schema *schema = NULL;
        dv_error err = DV_ERROR_INIT;
        dv_status status = dv_schema_create(&schema, &counted.allocator, &err);
        if (status == DV_OK)
            status = build(schema, false);
        const bool has_failed = counted.asked >= k;
        cr_expect_eq(status, has_failed ? DV_ERR_MEMORY : DV_OK, "allocation %d", (int)k);
        dv_schema_free(&schema);
        cr_assert_eq(counted.live, 0, "allocation %d", (int)k);
        if (!has_failed)
            break;
    }
    cr_expect_gt(counted.asked, BUILT_KINDS);
}

Test(schema, a_call_without_memory_may_be_repeated)
{
    dvt_allocator counted;
    for (int64_t k = 2;; k++) {
        dvt_allocator_init(&counted, k);
        dv_schema *schema = NULL;
        cr_assert_eq(dv_schema_create(&schema, &counted.allocator, NULL), DV_OK);
        build(schema, true);
        expect_built(schema);
        const bool has_failed = counted.asked >= k;
        dv_schema_free(&schema);
        cr_assert_eq(counted.live, 0, "allocation %d", (int)k);
        if (!has_failed)
            break;
    }
}

Test(schema, reading_a_given_value_may_lack_memory)
{
    static const uint8_t flag = 1;
    const dv_column_view value = {
        dv_type_of(DV_KIND_BL), DV_LAYOUT_FIXED, 1, {.fixed = {borrow(&flag, 1)}}};
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_schema *schema = NULL;
    cr_assert_eq(dv_schema_create(&schema, &counted.allocator, NULL), DV_OK);
    add(schema, "a", dv_type_of(DV_KIND_R4));
    cr_assert_eq(dv_schema_add_metadata(schema, 0, dv_text_of("k"), &value, NULL), DV_OK);
    const dv_batch *batch = NULL;
    counted.fail_at = counted.asked + 1;
    cr_expect_eq(dv_schema_metadata_value(schema, 0, 0, &batch, NULL), DV_ERR_MEMORY);
    cr_expect_null(batch);
    cr_expect_eq(dv_schema_metadata_value(schema, 0, 0, &batch, NULL), DV_OK);
    dv_batch_release(&batch);
    dv_schema_free(&schema);
    cr_expect_eq(counted.live, 0);
}
