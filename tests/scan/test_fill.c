/* SPDX-License-Identifier: MIT */
/* test_fill.c: checks that batches of a user's view that break the rules of batch.h are refused. */
#include "type/schema.h"
#include "support/columns.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/inspect.h>
#include <dataview/own_view.h>

static dv_view *view;
static dv_error err;

static void start(void)
{
    err = (dv_error)DV_ERROR_INIT;
}

static void stop(void)
{
    dv_view_release(&view);
}

TestSuite(fill, .init = start, .fini = stop);

/* --- A view of given columns ----------------------------------------- */

/* The last request of a cursor, and the column of its next batch. */
static const dv_cursor_request *asked;
static const dv_column_view *filling;

static dv_status open_asked(void *self, const dv_cursor_request *request, void **cursor_out,
                            dv_error *error)
{
    (void)error;
    asked = request;
    *cursor_out = self;
    return DV_OK;
}

static dv_status open_none(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *error)
{
    (void)self, (void)request, (void)error;
    *cursor_out = NULL;
    return DV_OK;
}

static dv_status next_filled(void *cursor, dv_batch *batch, dv_error *error)
{
    (void)cursor;
    const dv_status status = dv_batch_start(batch, 0, filling->rows, error);
    return status == DV_OK ? dv_batch_fill(batch, 0, filling, error) : status;
}

static dv_status next_corrupt_if_hidden(void *cursor, dv_batch *batch, dv_error *error)
{
    (void)cursor, (void)batch;
    for (int32_t k = 0; k < asked->columns_count; k++)
        if (asked->columns[k] == 0) {
            error->status = DV_ERR_CORRUPT;
            return DV_ERR_CORRUPT;
        }
    return DV_END;
}

/* Open a view of columns "x" of one type, all but the last of them hidden. */
static void open_view(const dv_view_class *cls, dv_type type, int columns,
                      const dvi_metadata_source *source)
{
    static int self; /* anything but NULL */
    dv_schema *schema;
    cr_assert_eq(dv_schema_create(&schema, NULL, &err), DV_OK);
    for (int i = 0; i < columns; i++)
        cr_assert_eq(dv_schema_add(schema, dv_text_of("x"), &type, NULL, &err), DV_OK);
    if (source)
        cr_assert_eq(dvi_schema_add_metadata(schema, 0, dv_text_of("Note"), &type, source, &err),
                     DV_OK);
    cr_assert_eq(dv_view_create(&view, cls, &self, &schema, NULL, &err), DV_OK);
}

/* --- Vectors ---------------------------------------------------------------------------------- */

static const dv_view_class filled_class = {
    .size = sizeof filled_class, .kind = "filled", .open_cursor = open_asked, .next = next_filled};

/* Two rows of vectors: the slots of the type, of the layout, and of each row. */
typedef struct vector_case {
    const char *what;
    int32_t type_size, length;
    const char *lengths, *counts; /* hex; no lengths: `length` for all */
} vector_case;

#define MINUS_1 "FFFFFFFF "
#define MINUS_2 "FEFFFFFF "
#define NONE "00000000 "
#define TWO "02000000 "
#define THREE "03000000 "
#define FOUR "04000000 "

static dv_status fill(const vector_case *c, dv_kind type, dv_kind item)
{
    const dv_batch *batch;
    dv_cursor *cursor;
    dv_column_view items =
        dvt_column_fixed(dv_type_of(item),
                         "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
    dv_column_view x = dvt_column_vector(&items, c->length, c->counts, THREE THREE THREE THREE);
    x.type = dv_type_vector(dv_type_of(type), c->type_size);
    x.as.vector.lengths = dvt_column_bytes(c->lengths ? c->lengths : "");
    filling = &x;
    open_view(&filled_class, x.type, 1, NULL);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    err = (dv_error)DV_ERROR_INIT;
    const dv_status status = dv_cursor_next(cursor, &batch, &err);
    cr_expect_eq(err.status, status, "%s", c->what);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_column_free(&x);
    dvt_column_free(&items);
    return status;
}

/* Only the sizes of buffers used to be checked. Readers trusted the type for the slots, and the
 * slots for the counts, and read past the end. */
Test(fill, vectors_keep_to_their_type_and_length)
{
    static const vector_case good[] = {
        {"dense and sparse", 3, 3, NULL, MINUS_1 TWO},
        {"as many items as slots", 3, 3, NULL, THREE NONE},
        {"a length each, of the type", 3, 0, THREE THREE, MINUS_1 MINUS_1},
        {"a length each", 0, 0, FOUR NONE, MINUS_1 MINUS_1},
    };
    static const vector_case bad[] = {
        {"another length than the type's", 3, 2, NULL, MINUS_1 MINUS_1},
        {"no length", 3, 0, NULL, MINUS_1 MINUS_1},
        {"a wrong length among several", 3, 3, THREE FOUR, MINUS_1 MINUS_1},
        {"a count below -1", 3, 3, NULL, MINUS_2 NONE},
        {"a count above the length", 3, 3, NULL, NONE FOUR},
        {"a count above its own length", 0, 0, FOUR TWO, NONE THREE},
        {"a negative length", 0, -1, NULL, MINUS_1 MINUS_1},
        {"a negative length among several", 0, 0, FOUR MINUS_1, MINUS_1 MINUS_1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_eq(fill(&good[i], DV_KIND_R4, DV_KIND_R4), DV_OK, "%s: %s", good[i].what,
                     err.message);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(fill(&bad[i], DV_KIND_R4, DV_KIND_R4), DV_ERR_ARGUMENT, "%s", bad[i].what);
}

/* Items of another type used to be read at the width of the vector's own. */
Test(fill, items_are_of_the_vectors_type)
{
    static const vector_case dense = {"items", 3, 3, NULL, MINUS_1 MINUS_1};
    cr_expect_eq(fill(&dense, DV_KIND_I4, DV_KIND_I4), DV_OK, "%s", err.message);
    cr_expect_eq(fill(&dense, DV_KIND_R4, DV_KIND_I4), DV_ERR_ARGUMENT, "the same width");
    cr_expect_eq(fill(&dense, DV_KIND_R8, DV_KIND_I1), DV_ERR_ARGUMENT, "too narrow");
    cr_expect_eq(fill(&dense, DV_KIND_TX, DV_KIND_R4), DV_ERR_ARGUMENT, "another layout");
}

/* --- Cursors ---------------------------------------------------------------------------------- */

/* DV_OK without a cursor used to mean "no rows": a mistake of the class read as an empty table. */
Test(fill, a_cursor_that_is_null_is_refused)
{
    static const dv_view_class none = {
        .size = sizeof none, .kind = "none", .open_cursor = open_none, .next = next_filled};
    dv_cursor *cursor;
    open_view(&none, dv_type_of(DV_KIND_R4), 1, NULL);
    cr_expect_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_null(cursor);
    cr_expect_eq(err.status, DV_ERR_ARGUMENT);
}

/* --- Verification ----------------------------------------------------------------------------- */

static int defects;

static bool count_defect(void *ctx, const dv_error *what)
{
    (void)ctx;
    cr_expect_eq(what->status, DV_ERR_CORRUPT);
    defects++;
    return true;
}

static void expect_defects(int n)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    defects = 0;
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(defects, n);
}

static dv_status load_corrupt(void *source, int64_t number, const dv_batch **batch_out,
                              dv_error *error)
{
    (void)source, (void)number;
    *batch_out = NULL;
    error->status = DV_ERR_CORRUPT;
    return DV_ERR_CORRUPT;
}

/* A view without `verify` used to be verified by a cursor with default options: broken hidden
 * columns and metadata went unnoticed. */
Test(fill, verifying_reads_hidden_columns_and_metadata)
{
    static const dv_view_class broken = {.size = sizeof broken,
                                         .kind = "broken",
                                         .open_cursor = open_asked,
                                         .next = next_corrupt_if_hidden};
    static const dvi_metadata_source source = {load_corrupt, NULL, 0, NULL};
    open_view(&broken, dv_type_of(DV_KIND_R4), 2, NULL);
    expect_defects(1);
    dv_view_release(&view);
    open_view(&broken, dv_type_of(DV_KIND_R4), 2, &source);
    expect_defects(2);
}
