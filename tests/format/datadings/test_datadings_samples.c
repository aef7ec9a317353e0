/* SPDX-License-Identifier: MIT */
/* test_datadings_samples.c: broken samples (rows 24 to 41 and 44 of datadings:8), and samples
 * that contradict the columns: each fails alone, with its rule, its offset and the expected value;
 * the samples around it are read. */
#include "support/messages.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <stdio.h>
#include <string.h>

typedef struct expected {
    dv_status status;
    const char *rule;
    int64_t offset;
    const char *expected, *found;
} expected;

static void expect_error(const char *text, const dv_error *err, const expected *want)
{
    cr_expect_eq(err->status, want->status, "%s: %s", text, err->message);
    cr_expect_str_eq(err->rule, want->rule, "%s: %s", text, err->message);
    cr_expect_eq(err->offset, want->offset, "%s: %s", text, err->message);
    cr_expect_str_eq(err->expected, want->expected, "%s", text);
    cr_expect_str_eq(err->found, want->found, "%s", text);
}

static int64_t count_rows(const dvt_lines *lines)
{
    int64_t n = 0;
    for (size_t i = 0; i < lines->nbytes; i++)
        n += lines->data[i] == '\n';
    return n;
}

/* Row 2 of the set is broken: rows 0 and 1 are delivered in batches of any size, row 2 fails each
 * time, and row 3 can be read. */
static void check_set(const dvt_path *folder, const dv_open_options *how, const expected *want,
                      const char *text)
{
    static const int64_t batch_rows[] = {0, 1, 2, 3, 64};
    dv_error err = DV_ERROR_INIT;
    dv_view *view = dvt_messages_open_saved(folder, how, &err);
    cr_assert_not_null(view, "%s: %s", text, err.message);
    cr_expect_eq(dv_view_rows(view), 4);
    for (size_t i = 0; i < 5; i++) {
        dvt_lines rows = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = batch_rows[i];
        err = (dv_error)DV_ERROR_INIT;
        dvt_messages_rows(&rows, view, &options, &err);
        expect_error(text, &err, want);
        cr_expect(strstr(err.message, "sample 2: "), "%s: %s", text, err.message);
        cr_expect(strstr(err.message, "set.msgpack"), "%s", err.message);
        cr_expect_eq(count_rows(&rows), 2, "%s: %s", text, rows.data);
        dvt_lines_free(&rows);
        options.first_row = 3;
        cr_expect_eq(dvt_messages_rows(&rows, view, &options, &err), DV_OK, "%s: %s", text,
                     err.message);
        cr_expect_eq(count_rows(&rows), 1);
        dvt_lines_free(&rows);
    }
    dv_view_release(&view);
}

/* --- Rows of the table, read with the columns `key` and `a` ----------------------------------- */

#define ND(type, kind, shape, data)                                                                \
    "{a:{#6e64:t,#74797065:" type ",#6b696e64:" kind ",#7368617065:" shape ",#64617461:" data "}}"

/* Name, options, message, status, rule, offset in it, expected, found. */
#define BAD_LIST(X)                                                                                \
    X(row_24, "", "!82A161", CORRUPT, "8.27", 0, "at most 1 pairs", "2")                           \
    X(row_24_inside, "", "!81A161CD00", CORRUPT, "8.24", 3, "a whole value",                       \
      "the message ends in 2 bytes")                                                               \
    X(row_24_between, "", "!82A16101A162", CORRUPT, "8.24", 6, "a whole value",                    \
      "the message ends in 0 bytes")                                                               \
    X(row_25, "", "{a:1} 5", CORRUPT, "8.25", 4, "one value", "1 bytes after it")                  \
    X(row_26, "", "{a:!C1}", CORRUPT, "8.26", 3, "a type byte of the specification", "c1")         \
    X(row_26_key, "", "{!C1:5}", CORRUPT, "8.26", 1, "a type byte of the specification", "c1")     \
    X(row_27, "", "{a:!C60000000500}", CORRUPT, "8.27", 3, "at most 1 bytes", "5")                 \
    X(row_27_inactive, "", "{zz:[!DD7FFFFFFF00]}", CORRUPT, "8.27", 5, "at most 1 values",         \
      "2147483647")                                                                                \
    X(row_28, "", "{zz:[[[[1]]]]}", LIMIT, "", 7, "at most 4 containers around a value", "more")   \
    X(row_29, "", "{key:!A2C080}", CORRUPT, "8.29", 5, "UTF-8", "other bytes")                     \
    X(row_29_cut, "", "{key:!A180}", CORRUPT, "8.29", 5, "UTF-8", "other bytes")                   \
    X(row_29_numpy, "", "{key:@<U1#00D80000}", CORRUPT, "8.29", 5, "UTF-8", "other bytes")         \
    X(row_30, "", "[1]", CORRUPT, "8.30", 0, "a map (option raw reads any)", "array")              \
    X(row_30_nil, "", "n", CORRUPT, "8.30", 0, "a map (option raw reads any)", "nil")              \
    X(row_31, "strict", "{key:\"other\",a:1}", CORRUPT, "8.31", 5, "\"k2\"", "\"other\"")          \
    X(row_31_empty, "strict", "{key:\"\",a:1}", CORRUPT, "8.31", 5, "\"k2\"", "\"\"")              \
    X(row_31_none, "strict", "{a:1}", CORRUPT, "8.31", 0, "\"k2\"", "no key")                      \
    X(row_31_bin, "strict mismatch=na", "{a:1,key:#6B}", CORRUPT, "8.31", 0, "\"k2\"", "no key")   \
    X(row_32, "", ND("\"<i8\"", "#", "[-1]", "#"), CORRUPT, "8.32", 35,                            \
      "counts whose product fits", "integer")                                                      \
    X(row_33, "", ND("\"<i8\"", "#", "[]", "#00"), CORRUPT, "8.33", 41, "1 items of 8 bytes", "1") \
    X(row_34, "strict", ND("\"<i8\"", "#", "[]", "#000000000000000000"), CORRUPT, "8.34", 41,      \
      "8 bytes", "9")                                                                              \
    X(row_35, "", ND("\"<i3\"", "#", "[]", "#"), CORRUPT, "8.35", 15,                              \
      "a letter and its size, as <f4", "\"<i3\"")                                                  \
    X(row_36, "", ND("[5]", "#56", "[]", "#"), CORRUPT, "8.36", 16,                                \
      "name, type and perhaps shape", "integer")                                                   \
    X(row_37, "", ND("\"|O\"", "#4F", "[]", "#8004"), CORRUPT, "12", 3,                            \
      "I8 (or option mismatch=na)", "array of numpy")                                              \
    X(row_37_plain, "", ND("\"|O\"", "#", "[]", "#8004"), CORRUPT, "8.37", 15, "no objects", "|O") \
    X(row_38, "", ND("\"<i8\"", "#5A", "[]", "#"), CORRUPT, "8.38", 25, "nothing, V or O",         \
      "\"Z\"")                                                                                     \
    X(row_39, "", "{a:@<i8#0000}", CORRUPT, "8.39", 25, "a multiple of 8 bytes", "2")              \
    X(row_40, "", "{a:~what~}", CORRUPT, "8.40", 20, "a complex number, as (1-2j)", "\"what\"")    \
    X(row_41, "", "{a:1,[]:2}", CORRUPT, "8.41", 4, "no container", "an array")                    \
    X(row_41_inside, "", "{zz:[{{}:2}]}", CORRUPT, "8.41", 6, "no container", "a map")

static const char *options_for(const char *options)
{
    static char text[100];
    snprintf(text, sizeof text, "col=key:TX col=a:I8 %s", options);
    return text;
}

static void check_row(const char *options, const char *message, dv_status status, const char *rule,
                      int64_t offset, const char *expect, const char *found)
{
    char name[40] = "nesting";
    if (*rule)
        snprintf(name, sizeof name, "datadings:%s", rule);
    /* with option strict the keys must be those of the set */
    const bool is_strict = strncmp(options, "strict", 6) == 0;
    const char *sets = is_strict ? "{key:\"k0\",a:1};{key:\"k1\",a:1};%s;{key:\"k3\",a:1}"
                                 : "{key:\"kk\",a:1};{key:\"kk\",a:1};%s;{key:\"kk\",a:1}";
    const expected want = {status, name, 2 * 11 + offset, expect, found};
    for (int way = 0; way < 2; way++) {
        char text[600];
        dvt_path folder = dvt_folder_create();
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = way ? DV_IO_PREAD : DV_IO_MMAP;
        how.datadings = options_for(options);
        if (status == DV_ERR_LIMIT)
            how.nesting = 4;
        snprintf(text, sizeof text, sets, message);
        dvt_messages_save(&folder, text);
        check_set(&folder, &how, &want, message);
        dvt_folder_remove(&folder);
    }
}

Test(datadings_samples, broken_samples_are_errors)
{
#define X(name, options, message, status, rule, offset, expect, found)                             \
    check_row(options, message, DV_ERR_##status, rule, offset, expect, found);
    BAD_LIST(X)
#undef X
}

/* Only requested columns are decoded. */
Test(datadings_samples, inactive_columns_are_skipped)
{
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "{a:1,b:!A1FF};{a:2,b:\"x\"};{a:3,b:@<x4#00}");
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_lines rows = {0};
    dv_error err = DV_ERROR_INIT;
    how.datadings = "col=a:I8 col=b:TX";
    dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
    cr_assert_not_null(view, "%s", err.message);
    const int32_t a = 0;
    options.columns = &a;
    options.columns_count = 1;
    cr_expect_eq(dvt_messages_rows(&rows, view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(rows.data, "[1]\n[2]\n[3]\n");
    dvt_lines_free(&rows);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* Texts in place, and texts in arrays. */
Test(datadings_samples, text_of_large_samples_is_checked)
{
    static const char *const columns[] = {"col=t:TX", "col=v:V<TX,*>", "col=w:V<TX,1>"};
    dvt_lines text = {0};
    dvt_path folder = dvt_folder_create();
    dvt_lines_print(&text, "{t:!A2C3BC,v:[!A2C080],w:@<U1[1]#00000000,z:#");
    for (int i = 0; i < 20000; i++)
        dvt_lines_print(&text, "00");
    dvt_lines_print(&text, "};{t:!A2C080,v:[],w:@<U1[1]#FFFFFFFF,z:#");
    for (int i = 0; i < 20000; i++)
        dvt_lines_print(&text, "00");
    dvt_lines_print(&text, "}");
    dvt_messages_save(&folder, text.data);
    for (int i = 0; i < 3; i++) {
        dvt_lines rows = {0};
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.datadings = columns[i];
        dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
        cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, "datadings:8.29", "%s", err.message);
        cr_expect_eq(count_rows(&rows), i == 1 ? 0 : 1, "%s", err.message);
        dv_view_release(&view);
        dvt_lines_free(&rows);
    }
    dvt_folder_remove(&folder);
    dvt_lines_free(&text);
}

/* Row 44: a sample is too large; the samples before it are read. */
Test(datadings_samples, row_44)
{
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "{a:1};{a:2};{a:#00000000};{a:3}");
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines rows = {0};
    how.message_nbytes = 8;
    how.datadings = "col=a:I8";
    dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "message_nbytes", "%s", err.message);
    cr_expect_eq(err.offset, 8, "%s", err.message);
    dvt_lines_free(&rows);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Inference over broken samples ------------------------------------------------------------ */

Test(datadings_samples, inference_goes_on_after_a_broken_sample)
{
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "{a:1};{a:!C1};{a:2,b:@<x4#00,c:\"x\"};{a:3,!A1FF:5}");
    dv_error err = DV_ERROR_INIT;
    dvt_lines schema = {0};
    dv_facts *facts;
    dv_view *view = dvt_messages_open_saved(&folder, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    dvt_messages_schema(&schema, view);
    cr_expect_str_eq(schema.data, "key TX, a I8, b BY?, c TX");
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK);
    cr_expect_eq(facts->inferred_rows, 4);
    bool is_found = false;
    for (int32_t i = 0; i < facts->warnings; i++)
        is_found |= strstr(facts->warning[i], "3 of the 4 samples") &&
                    strstr(facts->warning[i], "sample 1: ") && strstr(facts->warning[i], "8.26");
    cr_expect(is_found);
    dv_facts_free(&facts);
    dv_view_release(&view);
    dvt_lines_free(&schema);
    dvt_folder_remove(&folder);
}

Test(datadings_samples, a_set_of_broken_samples_does_not_open)
{
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "[1];!C1;5");
    dv_error err = DV_ERROR_INIT;
    cr_expect_null(dvt_messages_open_saved(&folder, NULL, &err));
    const expected want = {DV_ERR_CORRUPT, "datadings:8.30", 0, "a map (option raw reads any)",
                           "array"};
    expect_error("all broken", &err, &want);
    cr_expect(strstr(err.message, "sample 0"), "%s", err.message);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_lines rows = {0};
    how.datadings = "raw";
    dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(rows.data, "[\"k0\",\"by:9101\"]\n[\"k1\",\"by:c1\"]\n[\"k2\",\"by:05\"]\n");
    dvt_lines_free(&rows);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Samples that contradict the columns ------------------------------------------------------ */

/* Type, value, found. */
#define MISMATCH_LIST(X)                                                                           \
    X("I8", "\"x\"", "str")                                                                        \
    X("I8", "2.0", "float64")                                                                      \
    X("I8", "9223372036854775808", "integer")                                                      \
    X("I8", "-9223372036854775808", "integer")                                                     \
    X("I8", "t", "bool")                                                                           \
    X("I8", "[1]", "array")                                                                        \
    X("I8", "{x:1}", "map")                                                                        \
    X("I8", "~1j~", "complex number")                                                              \
    X("I8", "@<i8[2]#00000000000000000000000000000000", "V<I8,2>")                                 \
    X("I8", "@<f8#0000000000000000", "scalar of numpy")                                            \
    X("I8", "@|b1#01", "scalar of numpy")                                                          \
    X("I8", "@<m8[s]#0000000000000000", "scalar of numpy")                                         \
    X("I8", "@<c8#0000000000000000", "scalar of numpy")                                            \
    X("I8", "!D4FF00", "ext")                                                                      \
    X("I1", "128", "integer")                                                                      \
    X("I1", "-128", "integer")                                                                     \
    X("U1", "256", "integer")                                                                      \
    X("U1", "-1", "integer")                                                                       \
    X("U2", "@<i2#FFFF", "scalar of numpy")                                                        \
    X("U8", "-1", "integer")                                                                       \
    X("BL", "1", "integer")                                                                        \
    X("BL", "@|u1#01", "scalar of numpy")                                                          \
    X("R4", "0.1", "float64")                                                                      \
    X("R4", "16777217", "integer")                                                                 \
    X("R4", "-16777217", "integer")                                                                \
    X("R4", "1e300", "float64")                                                                    \
    X("R8", "9007199254740993", "integer")                                                         \
    X("R8", "\"1\"", "str")                                                                        \
    X("TX", "#61", "bin")                                                                          \
    X("TX", "5", "integer")                                                                        \
    X("TX", "@|S1#61", "scalar of numpy")                                                          \
    X("TX", "{x:1}", "map")                                                                        \
    X("BY", "\"x\"", "str")                                                                        \
    X("BY", "@<U1#61000000", "scalar of numpy")                                                    \
    X("DT", "-1", "integer")                                                                       \
    X("DT", "3155378976000000000", "integer")                                                      \
    X("DT", "@<M8[s]#FFFFFFFFFFFFFF7F", "scalar of numpy")                                         \
    X("U4[0-9]", "11", "integer")                                                                  \
    X("V<I8,2>", "[1]", "an array of 1")                                                           \
    X("V<I8,2>", "[1,\"x\"]", "str")                                                               \
    X("V<I8,2>", "[1,[2]]", "array")                                                               \
    X("V<I8,2>", "5", "integer")                                                                   \
    X("V<I8,2>", "{x:1}", "map")                                                                   \
    X("V<I8,2>", "@<i4[2]#0000000000000000", "V<I4,2>")                                            \
    X("V<I8,2>", "@<i8[1]#0000000000000000", "V<I8,1>")                                            \
    X("V<I8,2>", "@<i8#0000000000000000", "scalar of numpy")                                       \
    X("V<I8,2>", "~1j~", "complex number")                                                         \
    X("V<R8,3>", "~1j~", "complex number")                                                         \
    X("V<U1,2>", "[1,n]", "an array with nil")                                                     \
    X("V<BY,2>", "[#00,n]", "an array with nil")                                                   \
    X("V<TX,2>", "[\"x\",#00]", "bin")                                                             \
    X("V<TX,2>", "@|S1[2]#6162", "V<BY,2>")                                                        \
    X("V<U1,2,2>", "@|u1[2,3]#000000000000", "V<U1,2,3>")                                          \
    X("V<U1,2,2>", "@|u1[4]#00000000", "V<U1,4>")                                                  \
    X("V<U1,2,2>", "[1,2,3,4]", "an array of 4")                                                   \
    X("V<U1,2,*>", "@|u1[3,2]#000000000000", "V<U1,3,2>")                                          \
    X("V<DT,1>", "@<M8[s][1]#FFFFFFFFFFFFFF7F", "a time out of range")                             \
    X("V<DT,1>", "@<i8[1]#FFFFFFFFFFFFFFFF", "a time out of range")

/* The value is an error, and missing with mismatch=na. */
static void check_mismatch(const char *type, const char *value, const char *found)
{
    char text[300], datadings[100], expect[100], missing[300];
    int64_t at = 0;
    dvt_path folder = dvt_folder_create();
    snprintf(text, sizeof text, "{b:1};{b:2};{a:%s};{b:4}", value);
    dvt_messages_save(&folder, text);
    snprintf(datadings, sizeof datadings, "col={a:%s} col=b:I8", type);
    snprintf(expect, sizeof expect, "%s (or option mismatch=na)", type);
    const bool is_element = strchr(value, '[') == value && strstr(found, "an array of") == NULL &&
                            strcmp(found, "array") != 0;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines rows = {0}, nil = {0};
    how.datadings = datadings;
    dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
    cr_assert_not_null(view, "%s: %s", type, err.message);
    cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_ERR_CORRUPT, "%s %s", type, value);
    cr_expect_str_eq(err.rule, "datadings:12", "%s", err.message);
    cr_expect_str_eq(err.found, found, "%s %s: %s", type, value, err.message);
    cr_expect_str_eq(err.expected, expect, "%s", err.message);
    at = err.offset - 8;
    cr_expect(is_element ? at > 3 : at >= 3, "%s %s: %s", type, value, err.message);
    cr_expect(strstr(err.message, "sample 2: a: "), "%s", err.message);
    dv_view_release(&view);
    dvt_lines_free(&rows);

    strncat(datadings, " mismatch=na", sizeof datadings - strlen(datadings) - 1);
    err = (dv_error)DV_ERROR_INIT;
    view = dvt_messages_open_saved(&folder, &how, &err);
    cr_assert_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_OK, "%s", err.message);
    /* rows 0 and 2 have the same value of `a`, which row 0 lacks */
    const char *second = strchr(strchr(rows.data, '\n') + 1, '\n') + 1;
    const char *comma = strstr(rows.data, ",1]\n");
    snprintf(missing, sizeof missing, "%.*s,null]\n[", (int)(comma - rows.data), rows.data);
    cr_expect(strncmp(second, missing, strlen(missing)) == 0, "%s %s: %s", type, value, rows.data);
    dv_facts *facts;
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK);
    bool is_found = false;
    for (int32_t i = 0; i < facts->warnings; i++)
        is_found |= strncmp(facts->warning[i], "1 value read so far", 19) == 0;
    cr_expect(is_found, "%s %s", type, value);
    dv_facts_free(&facts);
    dv_view_release(&view);
    dvt_lines_free(&rows);
    dvt_lines_free(&nil);
    dvt_folder_remove(&folder);
}

Test(datadings_samples, values_that_do_not_fit)
{
#define X(type, value, found) check_mismatch(type, value, found);
    MISMATCH_LIST(X)
#undef X
}

/* A value instead of a map: the keys of the map are missing. */
Test(datadings_samples, values_instead_of_maps)
{
    static const struct {
        const char *value, *found;
    } cases[] = {
        {"5", "integer"}, {"[1]", "array"}, {"@<i8[1]#0000000000000000", "a value of numpy"}};
    for (size_t i = 0; i < 3; i++) {
        char text[200];
        dvt_path folder = dvt_folder_create();
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        dvt_lines rows = {0};
        snprintf(text, sizeof text, "{m:{a:1,b:2}};{m:%s};{m:{a:3,b:4}}", cases[i].value);
        dvt_messages_save(&folder, text);
        how.datadings = "col=m.a:I8 col=m.b:I8";
        dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
        cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_ERR_CORRUPT);
        cr_expect_str_eq(err.expected, "map (or option mismatch=na)", "%s", err.message);
        cr_expect_str_eq(err.found, cases[i].found, "%s", err.message);
        cr_expect_eq(err.offset, 13, "%s", err.message);
        dv_view_release(&view);
        dvt_lines_free(&rows);
        how.datadings = "col=m.a:I8 col=m.b:I8 mismatch=na";
        view = dvt_messages_open_saved(&folder, &how, &err);
        cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_str_eq(rows.data, "[1,2]\n[null,null]\n[3,4]\n");
        dv_view_release(&view);
        dvt_lines_free(&rows);
        dvt_folder_remove(&folder);
    }
}

/* Values that fit, but are encoded differently than in the samples used for inference. */
Test(datadings_samples, values_that_fit_in_another_encoding)
{
    dvt_path folder = dvt_folder_create();
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines rows = {0};
    dvt_messages_save(&folder,
                      "{a:1,b:0.5,c:1.5f,d:[1],e:\"x\",f:#00};"
                      "{a:@|u1#07,b:@<f2#003C,c:2.5,d:[@>i2#0003],e:@<U1#79000000,f:@|S1#61};"
                      "{a:@<i8[]#0500000000000000,b:3,c:4,d:[-1],e:\"\",f:#};{}");
    how.datadings = "infer=1";
    dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
    cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(
        rows.data,
        "[\"k0\",1,\"r8:3fe0000000000000\",\"r4:3fc00000\",{\"len\":1,\"dense\":[1]},\"x\","
        "\"by:00\"]\n"
        "[\"k1\",7,\"r8:3ff0000000000000\",\"r4:40200000\",{\"len\":1,\"dense\":[3]},\"y\","
        "\"by:61\"]\n"
        "[\"k2\",5,\"r8:4008000000000000\",\"r4:40800000\",{\"len\":1,\"dense\":[-1]},\"\","
        "\"by:\"]\n"
        "[\"k3\",null,\"r8:fff8000000000000\",\"r4:ffc00000\",{\"len\":1,\"idx\":[],\"val\":[]},"
        "null,\"by:\"]\n");
    dv_view_release(&view);
    dvt_lines_free(&rows);
    dvt_folder_remove(&folder);
}
