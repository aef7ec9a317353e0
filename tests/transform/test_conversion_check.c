/* SPDX-License-Identifier: MIT */
/* test_conversion_check.c: a strict conversion refuses what would become 0 without being 0, and
 * nothing else (transform.h). */
#include "support/lines.h"
#include "support/made_table.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <string.h>

/* The rows of a column as another type; the status at the end. */
static dv_status converted(dv_column_view column, dv_kind to, bool is_strict, dvt_lines *lines,
                           dv_error *err)
{
    dvt_made_table table = {
        .column = {column}, .columns = 1, .rows = column.rows, .block_rows = 2, .bad_row = -1};
    const dv_conversion_spec spec = {dv_text_of("a"), dv_text_of(NULL), dv_type_of(to)};
    dv_view *source = dvt_made_table_open(&table, NULL), *view;
    *err = (dv_error)DV_ERROR_INIT;
    const dv_status made =
        (is_strict ? dv_view_convert_strict : dv_view_convert)(&view, source, &spec, 1, NULL, err);
    cr_assert_eq(made, DV_OK, "%s", err->message);
    const dv_status status = dvt_put_rows(lines, view, NULL, dvt_put_batch_by_value, err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

/* One value; found: what the error shows, or NULL where the value is kept. */
static void expect(dv_column_view column, dv_kind to, const char *found)
{
    dvt_lines strict = {0}, lenient = {0};
    dv_error err;
    const dv_status status = converted(column, to, true, &strict, &err);
    cr_expect_eq(status, found ? DV_ERR_LOSS : DV_OK, "%s", err.message);
    if (found) {
        cr_expect_str_eq(err.found, found);
        cr_expect(strstr(err.message, "column \"a\""), "%s", err.message);
    }
    cr_expect_eq(converted(column, to, false, &lenient, &err), DV_OK); /* as ML.NET */
    if (!found)
        cr_expect_str_eq(strict.data, lenient.data);
    dvt_lines_free(&strict);
    dvt_lines_free(&lenient);
}

static void expect_text(const char *text, dv_kind to, const char *found)
{
    const int32_t end = text ? (int32_t)strlen(text) : INT32_MIN; /* NA, of no bytes */
    expect(dvt_made_text(DV_KIND_TX, text ? text : "", &end, 1), to, found);
}

Test(conversion_check, texts)
{
    expect_text("12", DV_KIND_U4, NULL);
    expect_text("0", DV_KIND_U4, NULL);
    expect_text("000", DV_KIND_U8, NULL);
    expect_text("", DV_KIND_U4, NULL); /* the default of text */
    expect_text("abc", DV_KIND_U4, "abc");
    expect_text("-1", DV_KIND_U4, "-1");
    expect_text("256", DV_KIND_U1, "256");
    expect_text("NA", DV_KIND_U2, "NA");
    expect_text("0x00000000000000000000000000000000", DV_KIND_UG, NULL);
    expect_text("0x0", DV_KIND_UG, "0x0");
    expect_text("abc", DV_KIND_I4, "abc");
    expect_text("1,024.5", DV_KIND_R8, "1,024.5");
    expect_text("maybe", DV_KIND_BL, "maybe");
    static const dv_kind dates[] = {DV_KIND_DT, DV_KIND_DZ};
    for (int i = 0; i < 2; i++) { /* semantics:4.3 reads the month first, whatever is meant */
        expect_text("1/2/2003", dates[i], "1/2/2003");
        expect_text("01-02-2003 4:05 PM", dates[i], "01-02-2003 4:05 PM");
        expect_text("3/3/2003", dates[i], NULL);
        expect_text("3.3.2003", dates[i], NULL);
        expect_text("1/2/03", dates[i], "1/2/03");
        expect_text(" 1/2/2003", dates[i], " 1/2/2003");
        expect_text("tomorrow", dates[i], "tomorrow");
        expect_text("17 Feb 2003 10:00", dates[i], NULL);
        expect_text("2003-1-2", dates[i], NULL);
        expect_text("12/31/2025", dates[i], NULL);
        expect_text("2003-01-02", dates[i], NULL);
        expect_text("2003/01/02 10:20:30.25", dates[i], NULL);
        expect_text("2003-01-02T10:20:30+02:00", dates[i], NULL);
        expect_text("2003-01-02T10:20:30Z", dates[i], NULL);
    }
    expect_text("128", DV_KIND_I1, "128");
    expect_text("NaN", DV_KIND_R4, NULL);
    expect_text("n/a", DV_KIND_R8, NULL);
    expect_text("?", DV_KIND_I4, NULL);
    expect_text(NULL, DV_KIND_I4, NULL);
    expect_text("1e999", DV_KIND_R8, NULL); /* infinity */
}

/* Compare the empty text, as `to`, with another text. */
static void expect_empty(dv_kind to, bool is_strict, const char *like)
{
    dvt_lines empty = {0}, other = {0};
    dv_error err;
    const int32_t none = 0, end = like ? (int32_t)strlen(like) : INT32_MIN; /* NA, of no bytes */
    cr_expect_eq(converted(dvt_made_text(DV_KIND_TX, "", &none, 1), to, is_strict, &empty, &err),
                 DV_OK);
    cr_expect_eq(converted(dvt_made_text(DV_KIND_TX, like ? like : "", &end, 1), to, is_strict,
                           &other, &err),
                 DV_OK);
    cr_expect_str_eq(empty.data, other.data, "%s", dv_kind_name(to));
    dvt_lines_free(&empty);
    dvt_lines_free(&other);
}

/* The empty text is not a number; ML.NET makes 0 of it. */
Test(conversion_check, empty_texts)
{
    static const dv_kind kinds[] = {DV_KIND_I1, DV_KIND_I2, DV_KIND_I4, DV_KIND_I8, DV_KIND_R4,
                                    DV_KIND_R8, DV_KIND_BL, DV_KIND_TS, DV_KIND_DT, DV_KIND_DZ};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        expect_empty(kinds[i], true, NULL);
    expect_empty(DV_KIND_I4, false, "0");
    expect_empty(DV_KIND_R8, false, "0");
    expect_empty(DV_KIND_BL, false, "0");
    expect_empty(DV_KIND_U4, true, "0"); /* no NA */
}

Test(conversion_check, numbers)
{
    static const uint32_t zero = 0, small = 255, large = 256;
    static const dv_u128 high = {0, 1}, low = {7, 0};
    expect(dvt_made_fixed(dv_type_of(DV_KIND_U4), &zero, 1), DV_KIND_U1, NULL);
    expect(dvt_made_fixed(dv_type_of(DV_KIND_U4), &small, 1), DV_KIND_U1, NULL);
    expect(dvt_made_fixed(dv_type_of(DV_KIND_U4), &large, 1), DV_KIND_U1,
           "a number that does not fit");
    expect(dvt_made_fixed(dv_type_of(DV_KIND_U4), &large, 1), DV_KIND_UG, NULL);
    expect(dvt_made_fixed(dv_type_of(DV_KIND_UG), &low, 1), DV_KIND_U8, NULL);
    expect(dvt_made_fixed(dv_type_of(DV_KIND_UG), &high, 1), DV_KIND_U8,
           "a number that does not fit");
    static const int64_t kept[] = {-127, INT64_MIN, 127, INT64_MIN}, lost[] = {1, INT64_MIN, 128};
    expect(dvt_made_fixed(dv_type_of(DV_KIND_I8), kept, 4), DV_KIND_I1, NULL);
    expect(dvt_made_fixed(dv_type_of(DV_KIND_I8), lost, 3), DV_KIND_I1,
           "a number that does not fit");
    expect(dvt_made_fixed(dv_type_of(DV_KIND_I8), lost, 3), DV_KIND_R4, NULL);
}

/* Items of vectors too; the slots without items are 0 before and after. */
Test(conversion_check, vectors)
{
    static const uint32_t items[] = {1, 0, 300};
    static const int32_t counts[] = {3}, indices[] = {0, 2, 4};
    dv_column_view inner = dvt_made_fixed(dv_type_of(DV_KIND_U4), items, 3);
    dv_column_view vector = {
        .type = dv_type_vector(inner.type, 5), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    vector.as.vector.length = 5;
    vector.as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, false, true};
    vector.as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, false, true};
    vector.as.vector.items = &inner;
    expect(vector, DV_KIND_U2, NULL);
    expect(vector, DV_KIND_U1, "a number that does not fit");
}

/* An item that sparse rows leave out. */
Test(conversion_check, empty_texts_in_vectors)
{
    static const int32_t ends[] = {0, 1}, counts[] = {2}, indices[] = {1, 3};
    dv_column_view inner = dvt_made_text(DV_KIND_TX, "7", ends, 2);
    dv_column_view vector = {
        .type = dv_type_vector(inner.type, 5), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    vector.as.vector.length = 5;
    vector.as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, false, true};
    vector.as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, false, true};
    vector.as.vector.items = &inner;
    expect(vector, DV_KIND_R4, NULL);
}

/* A date as `to`: by a rule (NULL: strict, of a source without one); NULL: NA. */
static void expect_date(const char *text, const char *date, dv_kind to, const char *wanted)
{
    dvt_lines lines = {0}, other = {0};
    dv_error err = DV_ERROR_INIT;
    const int32_t end = (int32_t)strlen(text), wanted_end = (int32_t)strlen(wanted ? wanted : "?");
    dvt_made_table table = {.column = {dvt_made_text(DV_KIND_TX, text, &end, 1)},
                            .columns = 1,
                            .rows = 1,
                            .block_rows = 1,
                            .bad_row = -1};
    const dv_conversion_spec spec = {dv_text_of("a"), dv_text_of(NULL), dv_type_of(to)};
    dv_view *source = dvt_made_table_open(&table, NULL), *view;
    const dv_status made =
        date ? dv_view_convert_dates(&view, source, &spec, 1, dv_text_of(date), NULL, &err)
             : dv_view_convert_strict(&view, source, &spec, 1, NULL, &err);
    cr_assert_eq(made, DV_OK, "%s", err.message);
    cr_expect_eq(dvt_put_rows(&lines, view, NULL, dvt_put_batch_by_value, &err), DV_OK, "%s",
                 err.message);
    cr_expect_eq(converted(dvt_made_text(DV_KIND_TX, wanted ? wanted : "?", &wanted_end, 1), to,
                           false, &other, &err),
                 DV_OK);
    cr_expect_str_eq(lines.data, other.data, "%s by %s", text, date ? date : "nothing");
    dvt_lines_free(&lines);
    dvt_lines_free(&other);
    dv_view_release(&view);
    dv_view_release(&source);
}

Test(conversion_check, dates_by_a_rule)
{
    static const dv_kind kinds[] = {DV_KIND_DT, DV_KIND_DZ};
    for (int i = 0; i < 2; i++) {
        expect_date("31/12/2025", NULL, kinds[i], "2025-12-31");
        expect_date("1.2.2003", NULL, kinds[i], "2003-02-01"); /* dots have the day first */
        expect_date("2003-01-02 UTC", NULL, kinds[i], "2003-01-02");
        expect_date("2003-01-02 03:04+02", NULL, kinds[i], "2003-01-02T03:04+02:00");
        expect_date("1/2/2003", "dmy", kinds[i], "2003-02-01");
        expect_date("1/2/2003", "mdy", kinds[i], "2003-01-02");
        expect_date("1/2/2003", "ymd", kinds[i], NULL);
        expect_date("31/12/2025", "mdy", kinds[i], NULL);
        expect_date("1/2/2003 16:05", "%d/%m/%Y %H:%M", kinds[i], "2003-02-01T16:05");
        expect_date("1/2/2003", "%d/%m/%Y %H:%M", kinds[i], NULL);
        expect_date("", "dmy", kinds[i], "");
    }
}

Test(conversion_check, a_rule_is_for_dates)
{
    static const struct {
        const char *date;
        dv_kind to;
        const char *message;
    } bad[] = {{"dmx", DV_KIND_DT, "dmy, mdy or ymd"},
               {"%d", DV_KIND_DZ, "dmy, mdy or ymd"},
               {"dmy", DV_KIND_R8, "not for TX that become R8"}};
    const int32_t end = 1;
    dvt_made_table table = {.column = {dvt_made_text(DV_KIND_TX, "1", &end, 1)},
                            .columns = 1,
                            .rows = 1,
                            .block_rows = 1,
                            .bad_row = -1};
    dv_view *source = dvt_made_table_open(&table, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        const dv_conversion_spec spec = {dv_text_of("a"), dv_text_of(NULL), dv_type_of(bad[i].to)};
        cr_expect_eq(
            dv_view_convert_dates(&view, source, &spec, 1, dv_text_of(bad[i].date), NULL, &err),
            DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, bad[i].message), "%s", err.message);
        cr_expect_null(view);
    }
    dv_view_release(&source);
}
