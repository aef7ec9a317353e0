/* SPDX-License-Identifier: MIT */
/* test_btable_malformed.c: every broken BTable is refused with the rule in its name, by cursors and
 * by verification; lenient mode reads it as in index.tsv. */
#include "support/btable.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXTURES_MIN 50 /* fewer: the list is incomplete */

/* A line of index.tsv: file, vector, verdict of lenient mode. */
typedef struct fixture {
    char file[120], lenient[40];
    char code[40]; /* of strict mode: "INDEX_DUP@30", or "OK" */
} fixture;

/* <story>.OK.btable or <story>.<STATUS>.<code>@<offset>.btable */
static void read_name(fixture *f)
{
    char text[sizeof f->file];
    snprintf(text, sizeof text, "%s", f->file);
    *strrchr(text, '.') = 0;
    snprintf(f->code, sizeof f->code, "%s", strrchr(text, '.') + 1);
}

static int each_fixture(void (*check)(const fixture *f, dvt_btable *table))
{
    int n = 0;
    size_t nbytes;
    const dvt_path folder = dvt_test_path("malformed/btable");
    char *text = (char *)dvt_file_read(dvt_path_in(&folder, "index.tsv").text, &nbytes);
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); (line = strtok_r(NULL, "\n", &save)); n++) {
        fixture f = {"", "", ""};
        const char *tab = strchr(line, '\t'), *last = strrchr(line, '\t');
        snprintf(f.file, sizeof f.file, "%.*s", (int)(tab - line), line);
        snprintf(f.lenient, sizeof f.lenient, "%s", last + 1);
        read_name(&f);
        dvt_btable table = {0};
        table.data = dvt_file_read(dvt_path_in(&folder, f.file).text, &table.nbytes);
        check(&f, &table);
        dvt_btable_free(&table);
    }
    free(text);
    return n;
}

/* "INDEX_DUP@30", or "OK". */
static void expect_code(const fixture *f, const char *code, const dv_error *err)
{
    char found[80] = "OK";
    if (err->status != DV_OK)
        snprintf(found, sizeof found, "%s@%lld",
                 strncmp(err->rule, "btable:", 7) == 0 ? err->rule + 7 : err->rule,
                 (long long)err->offset);
    cr_expect_str_eq(found, code, "%s: %s", f->file, err->message);
}

static void check_reading(const fixture *f, dvt_btable *table)
{
    for (int way = 0; way < 8; way++) {
        dvt_lines lines = {0};
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        how.io = way % 2 ? DV_IO_PREAD : DV_IO_MMAP;
        how.lenient = way / 2 % 2;
        options.batch_rows = way / 4; /* a row at a time, too */
        dv_view *view = dvt_btable_open(table, &how, &err);
        if (view)
            dvt_btable_rows(&lines, view, &options, &err);
        expect_code(f, how.lenient ? f->lenient : f->code, &err);
        dv_view_release(&view);
        dvt_lines_free(&lines);
    }
}

Test(btable_malformed, is_refused_with_the_rule_in_its_name)
{
    cr_expect_geq(each_fixture(check_reading), FIXTURES_MIN);
}

/* --- verify ----------------------------------------------------------------------------------- */

typedef struct findings {
    int defects, warnings;
    dv_error first;
} findings;

static bool count_defect(void *ctx, const dv_error *what)
{
    findings *t = ctx;
    if (t->defects + t->warnings == 0)
        t->first = *what;
    t->defects += what->status != DV_OK;
    t->warnings += what->status == DV_OK;
    return true;
}

static void verify(dv_view *view, findings *t)
{
    dv_error err = DV_ERROR_INIT;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    *t = (findings){.first = DV_ERROR_INIT};
    options.defect = count_defect;
    options.ctx = t;
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK, "%s", err.message);
}

/* Lenient views report repaired defects as warnings. The first one is the error of strict mode. */
static void check_verify(const fixture *f, dvt_btable *table)
{
    for (int lenient = 0; lenient < 2; lenient++) {
        findings t;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.lenient = lenient;
        dv_view *view = dvt_btable_open(table, &how, NULL);
        if (!view)
            continue;
        verify(view, &t);
        const char *code = lenient ? f->lenient : f->code;
        cr_expect_eq(t.defects > 0, strcmp(code, "OK") != 0, "%s", f->file);
        cr_expect_eq(t.defects + t.warnings > 0, strcmp(f->code, "OK") != 0, "%s", f->file);
        if (t.defects + t.warnings > 0) {
            t.first.status = DV_ERR_CORRUPT;
            expect_code(f, f->code, &t.first);
        }
        dv_view_release(&view);
    }
}

Test(btable_malformed, is_what_verify_reports_first)
{
    cr_expect_geq(each_fixture(check_verify), FIXTURES_MIN);
}

/* Each unsound row is reported; verification goes on if the file holds its pairs. */
Test(btable_malformed, verify_goes_on_after_an_unsound_row)
{
    dvt_btable table = {0};
    dvt_btable_header(&table, "a|b");
    dvt_btable_count(&table, 2); /* falls */
    dvt_btable_pair(&table, 1, 1);
    dvt_btable_pair(&table, 0, 1);
    dvt_btable_count(&table, 3); /* above N */
    for (int32_t k = 0; k < 3; k++)
        dvt_btable_pair(&table, k, 1);
    dvt_btable_count(&table, 1); /* outside */
    dvt_btable_pair(&table, 5, 1);
    dvt_btable_count(&table, 0);
    dvt_btable_count(&table, 7); /* beyond the file */
    findings t;
    dv_view *view = dvt_btable_open(&table, NULL, NULL);
    verify(view, &t);
    cr_expect_eq(t.defects, 5); /* the second row has a wrong count and an index outside */
    dv_view_release(&view);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.lenient = true;
    view = dvt_btable_open(&table, &how, NULL);
    verify(view, &t);
    cr_expect_eq(t.defects, 1);
    cr_expect_eq(t.warnings, 4);
    dv_view_release(&view);
    dvt_btable_free(&table);
}

static bool stop(void *ctx, const dv_error *what)
{
    (void)what;
    ++*(int *)ctx;
    return false;
}

static bool stop_progress(void *ctx, int64_t done, int64_t all)
{
    cr_expect(done >= 0 && done <= all);
    ++*(int *)ctx;
    return false;
}

Test(btable_malformed, verify_stops_as_asked)
{
    for (int way = 0; way < 3; way++) {
        dvt_btable table = {0};
        int called = 0;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
        how.lenient = true;
        dvt_btable_hex(&table, way == 1 ? "00000000 00000001 D83D" : "00000000 00000001 0061");
        dvt_btable_count(&table, -1);
        dv_view *view = dvt_btable_open(&table, &how, NULL);
        options.defect = stop;
        options.ctx = &called;
        options.progress = (dv_progress){way == 2 ? stop_progress : NULL, &called};
        cr_expect_eq(dv_verify(view, &options, NULL), way == 2 ? DV_ERR_STOPPED : DV_END);
        cr_expect_eq(called, 1);
        dv_view_release(&view);
        dvt_btable_free(&table);
    }
}

/* --- inspect ---------------------------------------------------------------------------------- */

static dv_facts *facts_of(dvt_btable *table, bool lenient)
{
    dv_facts *facts;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.lenient = lenient;
    dv_view *view = dvt_btable_open(table, &how, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    return facts;
}

Test(btable_malformed, facts_of_a_sound_table)
{
    dvt_btable table = {0};
    dvt_btable_header(&table, "a|b|c");
    dvt_btable_random_rows(&table, 100, 3, 2, 1);
    dv_facts *facts = facts_of(&table, false);
    const int64_t rows_nbytes = (int64_t)table.nbytes - 18;
    cr_expect_str_eq(facts->format, "btable");
    cr_expect_str_eq(facts->version, "0");
    cr_expect_eq(facts->file_nbytes, (int64_t)table.nbytes);
    cr_expect_eq(facts->rows, 100);
    cr_expect_eq(facts->items, (rows_nbytes - 400) / 12);
    cr_expect_eq(facts->column[0].stored_nbytes, rows_nbytes);
    cr_expect_eq(facts->column[0].in_place_blocks, 0);
    cr_expect_str_eq(facts->column[0].compression, "none");
    cr_expect_eq(facts->warnings, 0);
    dv_facts_free(&facts);
    dvt_btable_free(&table);
}

static void expect_warning(const char *hex, bool lenient, int64_t rows, const char *says)
{
    dvt_btable table = {0};
    dvt_btable_hex(&table, hex);
    dv_facts *facts = facts_of(&table, lenient);
    cr_expect_eq(facts->rows, rows, "%s", says);
    cr_assert_eq(facts->warnings, 1, "%s", says);
    cr_expect(strstr(facts->warning[0], says), "%s", facts->warning[0]);
    dv_facts_free(&facts);
    dvt_btable_free(&table);
}

Test(btable_malformed, facts_warn)
{
    expect_warning("00000000 00000003 0061002C0062", false, 0, "commas");
    expect_warning("00000000 00000001 D83D 00000000", true, 1, "U+FFFD");
    expect_warning("00000000 00000001 0061 00000000 0000", true, 1, "2 bytes");
    expect_warning("00000000 00000001 0061 00000000 FFFFFFFF", false, -1, "COUNT_NEG");
}

/* "a", separator, a lone surrogate, "b": eight bytes of units, within the limit and above it. */
Test(btable_malformed, ill_formed_labels_are_loaded_as_units)
{
    static const uint16_t units[] = {0x61, 0x1F, 0xDC00, 0x62};
    dvt_btable table = {0};
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.lenient = true;
    dvt_btable_hex(&table, "00000000 00000004 0061 001F DC00 0062");
    for (int way = 0; way < 3; way++) {
        const dv_batch *value;
        dv_error err = DV_ERROR_INIT;
        how.io = way == 1 ? DV_IO_PREAD : DV_IO_MMAP;
        if (way == 2)
            how.metadata_nbytes = sizeof units - 1;
        dv_view *view = dvt_btable_open(&table, &how, &err);
        const dv_schema *schema = dv_view_schema(view);
        const dv_metadata_info *info = dv_schema_metadata(schema, 0, 1);
        cr_assert(info && dv_type_is_vector(&info->type) && info->type.size == 4);
        cr_expect(dv_text_equal(info->kind, dv_text_of("LabelUnits")));
        cr_expect_eq(dv_schema_metadata_value(schema, 0, 1, &value, &err),
                     way == 2 ? DV_ERR_LIMIT : DV_OK);
        if (way == 2) {
            cr_expect_str_eq(err.rule, "metadata_nbytes");
        } else {
            const dv_vector_layout *vector = &dv_batch_column(value, 0)->as.vector;
            const dv_buffer *bytes = &vector->items->as.fixed.values;
            cr_assert_eq(bytes->nbytes, sizeof units);
            cr_expect_eq(memcmp(bytes->data, units, sizeof units), 0);
        }
        dv_batch_release(&value);
        dv_view_release(&view);
    }
    dvt_btable_free(&table);
}
