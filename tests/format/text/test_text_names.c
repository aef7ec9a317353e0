/* SPDX-License-Identifier: MIT */
/* test_text_names.c: checks names of columns in the options of a text file, against what ML.NET 1.5
 * said to the same bytes (semantics:6.3).  mlnet_names.py asks it again, with random names. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *open_bytes(const void *data, size_t nbytes, dv_error *err)
{
    dv_view *view = NULL;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = "text";
    dv_open_memory(&view, data, nbytes, NULL, NULL, "names", &options, err);
    return view;
}

static const struct {
    const char *column, *name; /* name NULL: refused */
} read_by_mlnet[] = {
    {"col={name={a\\{b\\}} src=0}", "a{b}"},
    {"col={name={a\\{} src=0}", "a{"},
    {"col={name={a\\}} src=0}", "a}"},
    {"col={name={a{b}} src=0}", "a{b}"},
    {"col={name={a {b} c} src=0}", "a {b} c"},
    {"col={name={a\\b} src=0}", "a\\b"},
    {"col={name={a\\\\b} src=0}", "a\\\\b"},
    {"col={name={a\\ b} src=0}", "a\\ b"},
    {"col={name={a\\\\} src=0}", "a\\"},
    {"col={name={a\\\\\\\\} src=0}", "a\\\\"},
    {"col={name={a\\\\\\}} src=0}", "a\\}"},
    {"col={name={\\#a} src=0}", "#a"},
    {"col={name={#a} src=0}", "#a"},
    {"col={name={a\\\\#} src=0}", "a\\#"},
    {"col={name={\\\"a} src=0}", "\"a"},
    {"col={name={\"a\"} src=0}", "\"a\""},
    {"col={name={\"a}\"} src=0}", "\"a}\""},
    {"col={name={\"a\\\"b\"} src=0}", "\"a\\\"b\""},
    {"col={name={\"a\\\\\"} src=0}", "\"a\\\\\""},
    {"col={name={{\\{}} src=0}", "{\\{}"},
    {"col={name={{\\\\}} src=0}", "{\\\\}"},
    {"col={name={\\\\{a}} src=0}", "\\{a}"},
    {"col={name={\\=a} src=0}", "\\=a"},
    {"col={name={a=b} src=0}", "a=b"},
    {"col={name=a\\b src=0}", "a\\b"},
    {"col={name=a\\\\b src=0}", "a\\\\b"},
    {"col={name=a\\{b src=0}", NULL},
    {"col={name=a\\\"b src=0}", NULL},
    {"col={name=a\"b c\"d src=0}", "ab cd"},
    {"col={name=\"a b\" src=0}", "a b"},
    {"col={name=\"a\\\"b\" src=0}", "a\"b"},
    {"col={name=\"a\\\\\" src=0}", "a\\"},
    {"col={name=\"{\" src=0}", "{"},
    {"col={name=\\\"a\\\" src=0}", "a"},
    {"col=a\\b:0", "a\\b"},
    {"col=a\\\\:0", "a\\\\"},
    {"col=\"a b\":0", "a b"},
    {"col=\"a=b\":0", "a=b"},
    {"col=\\\"a b\\\":0", "a b"},
    {"col=\\\\\\\"a:0", "\"a"},
    {"col={name={a} src=0", NULL},
    {"col={name={a src=0}", NULL},
    {"col={name=} src=0}", NULL},
    {"col={name=a}b src=0}", NULL},
    {"col={name={a\"} src=0}", NULL},
    {"col={name=\"a src=0}", NULL},
    {"col=\"a:0", NULL},
    {"col=}:0", NULL},
    {"col={name=a{b src=0}", NULL},
};

Test(text_names, are_read_as_by_mlnet)
{
    for (size_t i = 0; i < COUNT(read_by_mlnet); i++) {
        char file[256];
        dv_error err = DV_ERROR_INIT;
        const char *column = read_by_mlnet[i].column, *want = read_by_mlnet[i].name;
        const int n = snprintf(file, sizeof file, "#@ TextLoader{\n#@   %s\n#@ }\n1\t2\n", column);
        dv_view *view = open_bytes(file, (size_t)n, &err);
        cr_expect_eq(view != NULL, want != NULL, "%s: %s", column, err.message);
        if (!view)
            cr_expect_eq(err.status, DV_ERR_CORRUPT, "%s", column);
        else if (want)
            cr_expect(
                dv_text_equal(dv_schema_column(dv_view_schema(view), 0)->name, dv_text_of(want)),
                "%s", column);
        dv_view_release(&view);
    }
}

/* What ML.NET reads as that name. */
static const struct {
    const char *name, *column;
} written[] = {
    {"a", "col=a:R4:0"},
    {"two words", "col={name={two words} src=0}"},
    {"a:b", "col={name={a:b} src=0}"},
    {"a=b", "col={name={a=b} src=0}"},
    {"#a", "col={name={#a} src=0}"},
    {"a\\b", "col=a\\b:R4:0"},
    {"\\", "col=\\:R4:0"},
    {"a\\", "col=a\\:R4:0"},
    {"a b\\", "col={name={a b\\\\} src=0}"},
    {"a{b}", "col={name={a{b}} src=0}"},
    {"{", "col={name={\\{} src=0}"},
    {"}", "col={name={\\}} src=0}"},
    {"a{", "col={name={a\\{} src=0}"},
    {"}{", "col={name={\\}\\{} src=0}"},
    {"a\"b", "col={name={a\\\"b} src=0}"},
    {"\"a\"", "col={name={\"a\"} src=0}"},
    {"\"a\" b", "col={name={\"a\" b} src=0}"},
    {"\"}\"", "col={name={\"}\"} src=0}"},
    {"a\\{", "col={name={a\\\\\\{} src=0}"},
    {"\\\\}b", "col={name={\\\\\\\\\\}b} src=0}"},
    {"a#", "col={name={a#} src=0}"},
    {"\\#\\", "col={name={\\\\\\#\\\\} src=0}"},
    {"a\xE3\x80\x80" /* a blank */
     "b",
     "col={name={a\xE3\x80\x80"
     "b} src=0}"},
    {"a\\\"b\\\"", "col={name={a\\\\\\\"b\\\\\\\"} src=0}"},
    {"\"\\", "col={name={\\\"\\\\} src=0}"},
};

/* Save a table with one number in a column of that name. */
static void save_named(const char *name, const char *options_text, dv_buffer *file_out)
{
    static const float one = 1;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {
        .columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1, .name = {name}};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), &one, 1);
    dv_view *view = dvt_made_table_open(&table, NULL);
    options.format = "text";
    options.text = options_text;
    cr_assert_eq(dv_save_memory(view, file_out, &options, &err), DV_OK, "%s: %s", name,
                 err.message);
    dv_view_release(&view);
}

Test(text_names, are_written_as_mlnet_reads_them)
{
    static const char *const forms[] = {"", "mlnet+"};
    for (size_t i = 0; i < COUNT(written); i++)
        for (size_t k = 0; k < COUNT(forms); k++) {
            char want[256];
            dv_buffer file;
            save_named(written[i].name, forms[k], &file);
            const int n = snprintf(want, sizeof want, "\n#@   %s\n#@ }\n", written[i].column);
            cr_expect(memmem(file.data, file.nbytes, want, (size_t)n), "wanted:%sgot:\n%.*s", want,
                      (int)file.nbytes, (const char *)file.data);
            dv_buffer_release(&file);
        }
}

/* Any other name too is read back. */
Test(text_names, random_ones_are_read_back)
{
    static const char *const parts[] = {"\\", "\\\\", "{", "}", "\"", "#", "=", ":", "a", " "};
    srand(1);
    for (int i = 0; i < 3000; i++) {
        char name[32] = "x";
        dv_buffer file;
        dv_error err = DV_ERROR_INIT;
        const int n = 1 + rand() % 9;
        for (int k = 0; k < n; k++)
            strcat(name, parts[(size_t)rand() % COUNT(parts)]);
        strcat(name, name[strlen(name) - 1] == ' ' ? "x" : "");
        const char *start = i % 2 || name[1] == ' ' ? name : name + 1;
        save_named(start, i % 3 ? "" : "mlnet+", &file);
        dv_view *view = open_bytes(file.data, file.nbytes, &err);
        cr_assert_not_null(view, "%s: %s", start, err.message);
        cr_expect(dv_text_equal(dv_schema_column(dv_view_schema(view), 0)->name, dv_text_of(start)),
                  "%s\n%.*s", start, (int)file.nbytes, (const char *)file.data);
        dv_view_release(&view);
        dv_buffer_release(&file);
    }
}

/* ML.NET reads NA of TS in an .idv file as 0, but in a vector as the number that stands for it. */
Test(text_names, na_of_ts_as_mlnet_writes_it)
{
    static const int64_t ticks[] = {DV_TICKS_NA, 10000000};
    dv_buffer file;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_made_table table = {.columns = 2, .rows = 1, .block_rows = 1, .bad_row = -1};
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_TS), ticks, 2);
    static const int32_t counts[] = {-1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_TS), ticks, 1);
    dv_column_view *v = &table.column[1];
    *v = (dv_column_view){
        .type = dv_type_vector(items.type, 2), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    v->as.vector.length = 2;
    v->as.vector.counts = (dv_buffer){.data = counts, .nbytes = sizeof counts};
    v->as.vector.items = &items;
    dv_view *view = dvt_made_table_open(&table, NULL);
    options.format = "text";
    options.text = "mlnet+ schema- header-";
    cr_assert_eq(dv_save_memory(view, &file, &options, NULL), DV_OK);
    const char want[] = "\"00:00:00\"\t\"-10675199.02:48:05.4775808\"\t\"00:00:01\"\n";
    cr_expect(file.nbytes == sizeof want - 1 && memcmp(file.data, want, file.nbytes) == 0, "%.*s",
              (int)file.nbytes, (const char *)file.data);
    dv_buffer_release(&file);
    dv_view_release(&view);
}
