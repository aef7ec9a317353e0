/* SPDX-License-Identifier: MIT */
/* test_shared_columns.c: schemas that show columns of another one, which they do not copy. */
#include "support/test.h"

#include "type/schema.h"
#include "support/allocator.h"
#include <stdio.h>

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

/* A source of metadata that counts how often it is released. */
typedef struct fake {
    int releases;
} fake;

static void release_fake(void *source)
{
    fake *f = source;
    f->releases++;
}

static dv_status add_fake(dv_schema *schema, int32_t column, dv_text kind, fake *f, int64_t number)
{
    const dvi_metadata_source source = {NULL, f, number, release_fake};
    const dv_type type = dv_type_of(DV_KIND_BL);
    return dvi_schema_add_metadata(schema, column, kind, &type, &source, NULL);
}

static int32_t find_metadata(const dv_schema *schema, int32_t column, const char *kind)
{
    int32_t i = 77;
    dv_schema_find_metadata(schema, column, dv_text_of(kind), &i);
    return i;
}

/* A chain of 12,000 views with a column more each took 3.4 GB: each view copied all columns. */
Test(shared_columns, a_column_of_another_schema_costs_a_pointer_and_its_place_among_the_names)
{
    enum { COLUMNS = 10000, SCHEMAS = 100 };
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_schema *chain[SCHEMAS];
    char name[16];
    const dv_type type = dv_type_of(DV_KIND_R4);
    for (int i = 0; i < SCHEMAS; i++)
        cr_assert_eq(dv_schema_create(&chain[i], &counted.allocator, NULL), DV_OK);
    for (int k = 0; k < COLUMNS; k++) {
        snprintf(name, sizeof name, "c%d", k);
        cr_assert_eq(dv_schema_add(chain[0], dv_text_of(name), &type, NULL, NULL), DV_OK);
    }
    const int64_t before = counted.nbytes;
    for (int i = 1; i < SCHEMAS; i++) {
        cr_assert_eq(dvi_schema_add_columns(chain[i], chain[i - 1], NULL), DV_OK);
        snprintf(name, sizeof name, "more %d", i);
        cr_assert_eq(dv_schema_add(chain[i], dv_text_of(name), &type, NULL, NULL), DV_OK);
    }
    const long long each = (long long)(counted.nbytes - before) / (COLUMNS * (SCHEMAS - 1));
    cr_expect_leq(each, 24, "%lld bytes for each column", each);
    cr_expect_eq(dv_schema_column(chain[SCHEMAS - 1], 7), dv_schema_column(chain[0], 7));
    cr_expect_eq(find(chain[SCHEMAS - 1], "c7"), 7);
    cr_expect_eq(find(chain[SCHEMAS - 1], name), COLUMNS + SCHEMAS - 2);
    for (int i = SCHEMAS; i-- > 0;)
        dv_schema_free(&chain[i]);
    cr_expect_eq(counted.live, 0);
}

Test(shared_columns, columns_of_another_schema_are_hidden_by_their_order_there)
{
    dv_schema *source = create(), *all = create(), *more = create(), *part = create();
    const dv_type type = dv_type_of(DV_KIND_R4);
    add(source, "a", type);
    add(source, "b", type);
    add(source, "a", type);
    cr_assert_eq(dvi_schema_add_columns(all, source, NULL), DV_OK);
    cr_assert_eq(dvi_schema_add_columns(more, all, NULL), DV_OK);
    add(more, "b", type); /* hides column 1 here, and nowhere else */
    cr_assert_eq(dvi_schema_add_column(part, source, 2, dv_text_of("c"), NULL), DV_OK);
    cr_assert_eq(dvi_schema_add_column(part, more, 0, dv_text_of("a"), NULL), DV_OK);
    cr_assert_eq(dvi_schema_add_column(part, more, 1, dv_text_of("b"), NULL), DV_OK);
    const struct {
        const dv_schema *schema;
        bool hidden[4];
    } want[] = {{source, {true, false, false}},
                {all, {true, false, false}},
                {more, {true, true, false, false}},
                {part, {false, false, false}}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        for (int32_t k = 0; k < dv_schema_columns(want[i].schema); k++)
            cr_expect_eq(dv_schema_column(want[i].schema, k)->is_hidden, want[i].hidden[k],
                         "schema %zu, column %d", i, k);
    cr_expect_eq(find(more, "b"), 3);
    cr_expect_eq(find(part, "c"), 0);
    cr_expect_eq(dvi_schema_add_column(part, source, 0, dv_text_of("\xC3"), NULL), DV_ERR_ARGUMENT);
    dv_schema_free(&part);
    dv_schema_free(&more);
    dv_schema_free(&all);
    dv_schema_free(&source);
}

Test(shared_columns, what_is_added_to_a_column_of_another_schema_is_not_added_there)
{
    enum { KINDS = 40 }; /* more than are searched one by one */
    dv_schema *source = create(), *own = create();
    fake f = {0}, g = {0};
    char kind[16];
    add(source, "a", dv_type_of(DV_KIND_R4));
    for (int i = 0; i < KINDS; i++) {
        snprintf(kind, sizeof kind, "k%d", i);
        cr_assert_eq(add_fake(source, 0, dv_text_of(kind), &f, i), DV_OK);
    }
    cr_assert_eq(dvi_schema_add_columns(own, source, NULL), DV_OK);
    cr_assert_eq(dvi_schema_add_column(own, source, 0, dv_text_of("b"), NULL), DV_OK);
    for (int32_t column = 0; column < 2; column++) {
        cr_expect_eq(add_fake(own, column, dv_text_of("k7"), &g, 0), DV_ERR_ARGUMENT);
        cr_expect_eq(add_fake(own, column, dv_text_of("mine"), &g, 99), DV_OK);
        cr_expect_eq(find_metadata(own, column, "mine"), KINDS);
        cr_expect_eq(find_metadata(own, column, "k7"), 7);
        cr_expect_eq(dvi_schema_metadata_source(own, column, KINDS)->number, 99);
        cr_expect_eq(dv_schema_column(own, column)->metadata_count, KINDS + 1);
    }
    cr_expect_eq(dvi_schema_mark(own, 0, 4, NULL), DV_OK);
    cr_expect_eq(dvi_schema_marks(own, 0), 4);
    cr_expect_eq(dvi_schema_marks(source, 0), 0);
    cr_expect_eq(find_metadata(source, 0, "mine"), -1);
    cr_expect_eq(dv_schema_column(source, 0)->metadata_count, KINDS);
    dv_schema_free(&own);
    cr_expect(f.releases == 0 && g.releases == 2);
    dv_schema_free(&source);
    cr_expect_eq(f.releases, KINDS);
}
