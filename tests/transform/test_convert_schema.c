/* SPDX-License-Identifier: MIT */
/* test_convert_schema.c: checks the position, metadata and facts of converted columns, and what is
 * refused (transform.h; semantics:2.1, semantics:2.3, semantics:7.1). */
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/one_value.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/own_view.h>
#include <dataview/transform.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_conversion_spec spec(const char *source, const char *name, const char *type)
{
    return (dv_conversion_spec){dv_text_of(source), dv_text_of(name),
                                dvt_type_named(dv_text_of(type))};
}

/* --- A schema without rows -------------------------------------------------------------------- */

static dv_status open_none(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)request, (void)err;
    *cursor_out = self;
    return DV_OK;
}

static dv_status next_none(void *cursor, dv_batch *batch, dv_error *err)
{
    (void)cursor, (void)batch, (void)err;
    return DV_END;
}

static dv_view *view_of(dv_schema **schema)
{
    static const dv_view_class class_of_none = {
        .size = sizeof class_of_none, .kind = "none", .open_cursor = open_none, .next = next_none};
    static int self;
    dv_view *view;
    cr_assert_eq(dv_view_create(&view, &class_of_none, &self, schema, NULL, NULL), DV_OK);
    return view;
}

/* Columns "name:TYPE name:TYPE". */
static dv_view *view_named(const char *columns)
{
    dv_schema *schema;
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    while (*columns) {
        const char *colon = strchr(columns, ':');
        const size_t n = strcspn(colon + 1, " ");
        const dv_type type = dvt_type_named((dv_text){colon + 1, (int64_t)n});
        const dv_text name = {columns, colon - columns};
        cr_assert_eq(dv_schema_add(schema, name, &type, NULL, NULL), DV_OK);
        columns = colon + 1 + n;
        columns += *columns == ' ';
    }
    return view_of(&schema);
}

/* A schema as "name:TYPE name:TYPE", hidden ones in brackets; free the lines. */
static dvt_lines columns_of(const dv_view *view)
{
    dvt_lines lines = {0};
    const dv_schema *schema = dv_view_schema(view);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        char type[64];
        dv_type_print(&info->type, type, sizeof type);
        dvt_lines_print(&lines, info->is_hidden ? "%s(%.*s:%s)" : "%s%.*s:%s", i ? " " : "",
                        (int)info->name.nbytes, info->name.data, type);
    }
    return lines;
}

static void expect_columns(const char *before, const dv_conversion_spec *specs, int32_t n,
                           const char *after)
{
    dv_view *source = view_named(before), *view = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_convert(&view, source, specs, n, NULL, &err), DV_OK, "%s", err.message);
    dvt_lines lines = columns_of(view);
    cr_expect_str_eq(lines.data, after, "%s", lines.data);
    dvt_lines_free(&lines);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* A new column with an existing name comes right after the one it hides; all others come last. */
Test(convert_schema, places)
{
    const dv_conversion_spec specs[] = {spec("b", "new", "TX"), spec("a", NULL, "R8"),
                                        spec("a", "c", "I4"), spec("b", "other", "R8")};
    expect_columns("a:I2 b:R4 c:TX d:BL", specs, 4,
                   "(a:I2) a:R8 b:R4 (c:TX) c:I4 d:BL new:TX other:R8");
    expect_columns("a:I2 b:R4 c:TX", specs, 1, "a:I2 b:R4 c:TX new:TX");
    /* A name refers to its last column, which the new one hides. */
    expect_columns("a:TX a:I2 b:R4 a:I4 c:BL", specs + 1, 2,
                   "(a:TX) (a:I2) b:R4 (a:I4) a:R8 (c:BL) c:I4");
}

Test(convert_schema, types)
{
    const dv_conversion_spec r8 = spec("a", "n", "R8"), key = spec("a", "n", "U8");
    const dv_conversion_spec vector = spec("a", "n", "V<R8,3>"), range = spec("a", "n", "[1-100]");
    const dv_conversion_spec same = spec("a", "n", "UG"), any = spec("a", "n", "V<R8,*>");
    expect_columns("a:V<R4,3>", &r8, 1, "a:V<R4,3> n:V<R8,3>");
    expect_columns("a:V<R4,3>", &vector, 1, "a:V<R4,3> n:V<R8,3>");
    expect_columns("a:V<R4,*>", &any, 1, "a:V<R4,*> n:V<R8,*>");
    expect_columns("a:U4[5-9]", &key, 1, "a:U4[5-9] n:U8[5-9]");
    expect_columns("a:U1[7]", &key, 1, "a:U1[7] n:U8[7]");
    expect_columns("a:V<U4[0-*],*>", &key, 1, "a:V<U4[0-*],*> n:V<U8[0-*],*>");
    expect_columns("a:TX", &range, 1, "a:TX n:U4[1-100]");
    expect_columns("a:UG", &same, 1, "a:UG n:UG");

    /* More dims than one: they are the source's. */
    static const int32_t dims[] = {2, 0, 3};
    const dv_type type = dv_type_tensor(dv_type_of(DV_KIND_TX), dims, 3);
    dv_schema *schema;
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("a"), &type, NULL, NULL), DV_OK);
    dv_view *source = view_of(&schema), *view = NULL;
    dv_conversion_spec tensor = r8;
    tensor.type = dv_type_tensor(dv_type_of(DV_KIND_BL), dims, 3);
    cr_assert_eq(dv_view_convert(&view, source, &tensor, 1, NULL, NULL), DV_OK);
    dv_view_release(&source);
    dvt_lines lines = columns_of(view);
    cr_expect_str_eq(lines.data, "a:V<TX,2,*,3> n:V<BL,2,*,3>");
    dvt_lines_free(&lines);
    dv_view_release(&view);
}

/* --- Refusals --------------------------------------------------------------------------------- */

static void refuse(const char *columns, const dv_conversion_spec *specs, int32_t n,
                   const char *words)
{
    dv_view *source = view_named(columns), *view = source;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_view_convert(&view, source, specs, n, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_null(view);
    cr_expect(strstr(err.message, words), "%s: %s", words, err.message);
    cr_expect_eq(dv_view_convert(&view, source, specs, n, NULL, NULL), DV_ERR_ARGUMENT);
    dv_view_release(&source);
}

Test(convert_schema, refusals)
{
    dv_conversion_spec s[2] = {spec("z", "n", "R4"), spec("a", "n", "R8")};
    refuse("a:I2", s, 1, "there is no column \"z\"");
    refuse("a:I2", s, -1, "-1 conversions");
    s[0] = spec("a", "n", "U4");
    refuse("a:R4", s, 1,
           "column \"a\": what R4 converts to: expected R4 R8 TX BL, found U4 (semantics:4.1)");
    refuse("a:V<BY,*>", s, 1, "column \"a\": what BY converts to: expected BY, found U4");
}

Test(convert_schema, more_refusals)
{
    dv_conversion_spec s[2] = {spec("a", "n", "U4"), spec("a", "n", "R8")};
    s[0] = spec("a", "n", "UG"); /* which ML.NET's Convert refuses */
    expect_columns("a:U4", s, 1, "a:U4 n:UG");
    expect_columns("a:TX", s, 1, "a:TX n:UG");
    refuse("a:I4", s, 1, "what I4 converts to: expected I1 I2 I4 I8 R4 R8 TX BL, found UG");
    s[0] = spec("a", "n", "I4");
    refuse("a:U4", s, 1, "what U4 converts to: expected U1 U2 U4 U8 R4 R8 TX BL UG, found I4");
    s[0] = spec("a", "n", "U1");
    refuse("a:U2[0-999]", s, 1, "expected U2 U4 U8, found U1[0-999]");
    s[0] = spec("a", "n", "U1[0-8]");
    refuse("a:U2[0-9]", s, 1, "expected U1 U2 U4 U8, found U1[0-8]");
    s[0] = spec("a", "n", "V<R8,4>");
    refuse("a:V<R4,3>", s, 1, "dims, which no conversion changes: expected V<R8,3>, found V<R8,4>");
    refuse("a:R4", s, 1, "expected R8, found V<R8,4>");
    s[0].type.size = -1;
    refuse("a:V<R4,3>", s, 1, "column \"a\": a vector of size -1");
    s[0] = spec("a", NULL, "I4");
    s[1] = spec("b", "a", "I4");
    refuse("a:I2 b:I2", s, 2, "two new columns are called \"a\"");
    s[0] = spec("a", "", "I4");
    refuse("a:I2", s, 1, "the name of a column is empty");
    s[0] = spec("a", "\xFF", "I4");
    refuse("a:I2", s, 1, "is not UTF-8");
}

Test(convert_schema, nothing_to_do)
{
    dv_view *source = view_named("a:I2"), *view = NULL;
    cr_expect_eq(dv_view_convert(&view, source, NULL, 0, NULL, NULL), DV_OK);
    cr_expect_eq(view, source);
    dv_view_release(&source);
    cr_expect_eq(dv_schema_columns(dv_view_schema(view)), 1);
    dv_view_release(&view);
}

/* --- Metadata --------------------------------------------------------------------------------- */

static const int8_t yes_and_no[] = {1, 0, 1};
static const int32_t ends[] = {1, 2, 3}, dense = -1;

static dv_column_view said(void)
{
    return dvt_made_fixed(dv_type_of(DV_KIND_BL), yes_and_no, 1);
}

/* A vector of n texts of one letter each, n <= 3. */
static void texts(dv_column_view *vector, dv_column_view *items, int32_t n)
{
    *items = dvt_made_text(DV_KIND_TX, "xyz", ends, n);
    *vector = (dv_column_view){
        .type = dv_type_vector(items->type, n), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    vector->as.vector.length = n;
    vector->as.vector.counts = (dv_buffer){&dense, 4, NULL, false, true};
    vector->as.vector.items = items;
}

/* A view of one column "a" with metadata of each kind: SlotNames and KeyValues of 3 texts. */
static dv_view *view_with_metadata(const char *type_name, int32_t slots, bool says_normalized)
{
    const dv_type type = dvt_type_named(dv_text_of(type_name));
    dv_column_view names, items, flag = said();
    dv_schema *schema;
    texts(&names, &items, slots);
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("a"), &type, NULL, NULL), DV_OK);
    static const char *const kinds[] = {"SlotNames", "KeyValues", "IsNormalized", "Mine",
                                        "CategoricalSlotRanges"};
    for (size_t i = 0; i < COUNT(kinds); i++)
        cr_assert_eq(dv_schema_add_metadata(schema, 0, dv_text_of(kinds[i]),
                                            i == 2 && says_normalized ? &flag : &names, NULL),
                     DV_OK);
    return view_of(&schema);
}

/* The metadata of the new column as JSON lines hold it. */
static void expect_metadata(const char *from, const char *to, int32_t slots, bool says_normalized,
                            const char *want)
{
    dv_view *source = view_with_metadata(from, slots, says_normalized), *view = NULL;
    const dv_conversion_spec s = spec("a", "n", to);
    dv_error err = DV_ERROR_INIT;
    dvt_lines lines = {0};
    cr_assert_eq(dv_view_convert(&view, source, &s, 1, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_schema_column(dv_view_schema(view), 0)->metadata_count, 5);
    dv_view_release(&source);
    const dv_schema *schema = dv_view_schema(view);
    for (int32_t i = 0; i < dv_schema_column(schema, 1)->metadata_count; i++) {
        const dv_metadata_info *info = dv_schema_metadata(schema, 1, i);
        const dv_batch *batch;
        dvt_lines_print(&lines, "%.*s ", (int)info->kind.nbytes, info->kind.data);
        cr_assert_eq(dv_schema_metadata_value(schema, 1, i, &batch, &err), DV_OK);
        dvt_put_metadata_by_value(&lines, batch);
        dvt_lines_print(&lines, "\n");
        dv_batch_release(&batch);
    }
    cr_expect_str_eq(lines.data ? lines.data : "", want, "%s to %s: %s", from, to, lines.data);
    dvt_lines_free(&lines);
    dv_view_release(&view);
}

#define NAMES "SlotNames {\"len\":3,\"dense\":[\"x\",\"y\",\"z\"]}\n"
#define VALUES "KeyValues {\"len\":3,\"dense\":[\"x\",\"y\",\"z\"]}\n"
#define NORMALIZED "IsNormalized true\n"

Test(convert_schema, metadata)
{
    expect_metadata("V<R4,3>", "R8", 3, true, NAMES NORMALIZED);
    expect_metadata("V<R4,*>", "R8", 3, true, NORMALIZED);
    expect_metadata("R4", "R8", 3, true, NORMALIZED);
    expect_metadata("V<R4,3>", "R4", 3, true, NAMES NORMALIZED);
    expect_metadata("V<R4,3>", "TX", 3, true, NAMES);
    expect_metadata("V<TX,3>", "R4", 3, true, NAMES);
    expect_metadata("I4", "BL", 3, true, "");
    expect_metadata("TS", "I8", 3, true, "");
    expect_metadata("BL", "R4", 3, true, NORMALIZED);
    expect_metadata("BL", "BL", 3, true, "");
    expect_metadata("BL", "TX", 3, true, "");
    expect_metadata("V<BL,3>", "I1", 3, false, NAMES);
    expect_metadata("U4[5-7]", "U8", 3, true, VALUES);
    expect_metadata("V<U4[0-2],3>", "U1", 3, true, NAMES VALUES);
    expect_metadata("U4[0-*]", "U8", 3, true, "");
    expect_metadata("TX", "U4[0-2]", 3, true, "");
    /* Metadata with a wrong type or length count as missing. */
    expect_metadata("V<R4,3>", "R8", 2, true, NORMALIZED);
    expect_metadata("R4", "R8", 3, false, "");
    expect_metadata("U4[0-2]", "U1", 2, true, "");
}

/* --- Facts, verification, copies -------------------------------------------------------------- */

static bool count_defect(void *ctx, const dv_error *what)
{
    (void)what;
    ++*(int *)ctx;
    return true;
}

Test(convert_schema, facts_and_verification)
{
    dv_view *source = dvt_golden_open("idv/people.idv", NULL), *view = NULL;
    const dv_conversion_spec s = spec("Age", NULL, "TX");
    dv_facts *want, *got;
    int32_t age;
    cr_assert_eq(dv_view_convert(&view, source, &s, 1, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_find(dv_view_schema(source), s.source, &age), DV_OK);
    cr_assert_eq(dv_inspect(&want, source, NULL), DV_OK);
    cr_assert_eq(dv_inspect(&got, view, NULL), DV_OK);
    cr_expect_str_eq(dv_view_kind(view), "convert");
    cr_expect_eq(dv_view_can_shuffle(view), dv_view_can_shuffle(source));
    cr_expect_str_eq(got->format, want->format);
    cr_expect_str_eq(got->version, want->version);
    cr_expect_eq(got->file_nbytes, want->file_nbytes);
    cr_expect_eq(got->rows_per_block, want->rows_per_block);
    cr_expect_eq(got->blocks_per_column, want->blocks_per_column);
    cr_expect_eq(got->dead_columns, want->dead_columns);
    cr_expect_eq(got->dead_metadata, want->dead_metadata);
    cr_expect_eq(got->items, want->items);
    cr_expect_eq(got->warnings, want->warnings);
    cr_expect_eq(got->columns, want->columns + 1);
    for (int32_t i = 0; i < got->columns; i++)
        cr_expect_eq(got->column[i].stored_nbytes,
                     i == age + 1 ? -1 : want->column[i - (i > age)].stored_nbytes, "%d", i);
    dv_facts_free(&want);
    dv_facts_free(&got);
    int defects = 0;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = &defects;
    cr_expect_eq(dv_verify(view, &options, NULL), DV_OK);
    cr_expect_eq(defects, 0);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* Warnings of a file are facts of the view, too; verification finds defects. */
Test(convert_schema, defects)
{
    const dvt_path path = dvt_test_path("malformed/idv/block_second_in_header.CORRUPT.L4@280.idv");
    dv_view *source = NULL, *view = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&source, path.text, NULL, &err), DV_OK, "%s", err.message);
    const dv_conversion_spec s = {dv_schema_column(dv_view_schema(source), 0)->name,
                                  dv_text_of("n"), dv_type_of(DV_KIND_TX)};
    cr_assert_eq(dv_view_convert(&view, source, &s, 1, NULL, &err), DV_OK, "%s", err.message);
    int defects = 0;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = &defects;
    cr_expect_eq(dv_verify(view, &options, NULL), DV_OK);
    cr_expect_geq(defects, 1);
    dvt_lines lines = {0};
    cr_expect_eq(dvt_produce_by_value(&lines, view, NULL, &err), DV_ERR_CORRUPT);
    cr_expect_eq(err.offset, 280);
    dvt_lines_free(&lines);
    dv_view_release(&view);
    dv_view_release(&source);
}

static dv_status read_some(dv_view *view, const char *column, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    options.zero_copy_only = true;
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), column, NULL), DV_OK);
    dv_status status = dv_cursor_open(&cursor, view, &options, err);
    if (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, err);
    dv_cursor_close(&cursor);
    return status;
}

/* Lent columns are delivered; a converted one is refused when the cursor is opened. */
Test(convert_schema, zero_copy_only)
{
    dv_view *source = dvt_golden_open("idv/scalar-all-raw-rpb7.idv", NULL), *view = NULL;
    const dv_conversion_spec s[] = {spec("I4", "wide", "I8"), spec("I4", "same", "I4"),
                                    spec("TS", "ticks", "I8"), spec("K4", "plain", "U4")};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_convert(&view, source, s, 4, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(read_some(view, "wide", &err), DV_ERR_COPY);
    cr_expect(strstr(err.message, "column \"wide\": zero_copy_only"), "%s", err.message);
    cr_expect_eq(read_some(view, "same", &err), DV_OK);
    cr_expect_eq(read_some(view, "ticks", &err), DV_OK);
    cr_expect_eq(read_some(view, "plain", &err), DV_OK);
    dv_view_release(&view);
    dv_view_release(&source);
}
