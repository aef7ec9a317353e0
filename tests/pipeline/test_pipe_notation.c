/* SPDX-License-Identifier: MIT */
/* test_pipe_notation.c: pipelines as text: what is read, written again, and refused. */
#include "pipeline/pipe_notation.h"
#include "support/allocator.h"
#include "support/lines.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void write_steps(dvt_lines *lines, const dvi_steps *steps)
{
    const dv_sink sink = dvt_lines_sink(lines);
    for (int32_t i = 0; i < steps->count; i++) {
        cr_assert_eq(dvi_notation_write(&steps->step[i], &sink, NULL), DV_OK);
        dvt_lines_add(lines, ";", 1);
    }
    dvt_lines_add(lines, "", 0);
}

static const struct {
    const char *text, *written;
} sound[] = {
    {"", ""},
    {" # nothing\n;;\n", ""},
    {"term Category; onehot Color", "term Category;onehot Color;"},
    {"term B:A max=2 sort=value textkv+", "term B:A max=2 sort=value textkv+;"},
    {"term B:A textkv- max=1000000", "term B:A max=1000000 textkv-;"},
    {"term B:A terms=[3 1 \"x y\"\n2.0 \"\"] # given\nvalue C:B",
     "term B:A terms=[3 1 \"x y\" 2.0 \"\"];value C:B;"},
    {"term A terms=[]", "term A terms=[];"},
    {"convert B:A C type=U4[0-9]", "convert B:A C type=U4[0-9];"},
    {"combine B:S,R,\"N 1\",R", "combine B:S,R,\"N 1\",R;"},
    {"copy \"a:b\":\"q\\\"\\\\\" \"x+\"", "copy \"a:b\":\"q\\\"\\\\\" \"x+\";"},
    {"copy A:A a-b:c+d", "copy A a-b:c+d;"},
    {"range A min=-1.5 max=1e3 complement- includemax+",
     "range A min=-1.5 max=1e3 complement- includemax+;"},
    {"slice skip=3\r\nslice take=-1", "slice skip=3;slice take=-1;"},
    {"select T S N hidden-", "select T S N hidden-;"},
    {"term 'A*' #R4 B:C", "term 'A*' #R4 B:C;"},
    {"combine F:A,'B?',#V<R4,3>,\"'C\" '*'", "combine F:A,'B?',#V<R4,3>,\"'C\" '*';"},
    {"select 'x y' #u4[0-9] #types\ndrop #TS #", "select 'x y' #u4[0-9];drop #TS;"},
    {"copy \"a\\tb\\n\\r\\\"\" \"\tc\"", "copy \"a\\tb\\n\\r\\\"\" \"\\tc\";"},
    {"copy \"\\x41\\xe9\\x7F\" \"\\x01\"", "copy \"A\xC3\xA9\\x7f\" \"\\x01\";"},
    {"copy \xE6\x97\xA5:\xC3\xA9", "copy \xE6\x97\xA5:\xC3\xA9;"},
};

Test(pipe_notation, what_is_read_is_written)
{
    for (size_t i = 0; i < COUNT(sound); i++) {
        dvi_steps steps, again;
        dvt_lines lines = {0}, twice = {0};
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dvi_notation_parse(&steps, dv_text_of(sound[i].text), NULL, NULL, &err), DV_OK,
                     "%s: %s", sound[i].text, err.message);
        write_steps(&lines, &steps);
        cr_expect_str_eq(lines.data ? lines.data : "", sound[i].written);
        cr_assert_eq(dvi_notation_parse(&again, dvt_lines_text(&lines), NULL, NULL, &err), DV_OK,
                     "%s: %s", lines.data, err.message);
        write_steps(&twice, &again);
        cr_expect_str_eq(twice.data ? twice.data : "", sound[i].written);
        dvt_lines_free(&lines);
        dvt_lines_free(&twice);
        dvi_steps_free(&steps);
        dvi_steps_free(&again);
    }
}

static const struct {
    const char *text;
    int64_t offset;
    const char *message; /* a part of it */
} refused[] = {
    {"term A; trem B", 8, "one of convert, combine"},
    {"term A; trem B", 8, "did you mean term?"},
    {"term A; image X:A width=2", 8,
     "found image X:A width=2; steps for pictures need a build with libturbojpeg"},
    {"gray A", 0, "expected a step that this program has"},
    {"term A srot=value", 7, "did you mean sort?"},
    {"term A sort=vlaue", 7, "did you mean value?"},
    {"term", 4, "expected a column"},
    {"term A mx=1", 7, "one of max, sort, terms, textkv"},
    {"value A bag+", 8, "no option"},
    {"term A max=0", 7, "1 to 2147483646"},
    {"term A max=x", 7, "an integer"},
    {"term A max=[1 2]", 7, "one value"},
    {"term A max=1 max=2", 13, "each option once"},
    {"term A sort=up", 7, "one of occurrence, value"},
    {"term A textkv=yes", 7, "+ or -"},
    {"range A min=NaN", 8, "a number"},
    {"term B:A,C", 5, "one source"},
    {"select B:A", 8, "the name of a column alone"},
    {"slice A", 6, "no column"},
    {"slice 'A*'", 6, "no column"},
    {"term B:'A*'", 7, "a pattern stands alone"},
    {"term B:#R4", 7, "a pattern stands alone"},
    {"term 'A*':B", 5, "the name of a new column"},
    {"rowid 'A*'", 6, "the name of a new column"},
    {"term 'A", 5, "in single quotes"},
    {"term ''", 5, "in single quotes"},
    {"term 'A\n'", 5, "in single quotes"},
    {"combine F:#x", 10, "a type after #"},
    {"copy \"A", 5, "a quote that is closed"},
    {"copy \"A\\", 5, "a quote that is closed"},
    {"copy \"\\q\"", 6, "\\\\"},
    {"copy \"\\x4\"", 6, "\\xNN"},
    {"copy \"\\x\"", 6, "\\xNN"},
    {"copy \"\\xg0\"", 6, "\\xNN"},
    {"copy \"a\\", 5, "a quote that is closed"},
    {"term A terms=[a", 13, "a list that ends in ]"},
    {"copy B:", 7, "a word"},
    {"term A max=", 11, "a word"},
    {"copy \xC3", 5, "UTF-8"},
    {"term A terms=@x", 7, "no file is read here"},
    {"term A max=@x", 11, "only texts, lists of them and tables"},
    {"term A mx=@x", 7, "did you mean max?"},
};

Test(pipe_notation, what_is_wrong_is_named)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        dvi_steps steps;
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(dvi_notation_parse(&steps, dv_text_of(refused[i].text), NULL, NULL, &err),
                     DV_ERR_ARGUMENT, "%s", refused[i].text);
        cr_expect_eq(err.offset, refused[i].offset, "%s: byte %d", refused[i].text,
                     (int)err.offset);
        cr_expect(strstr(err.message, refused[i].message), "%s: %s", refused[i].text, err.message);
    }
}

Test(pipe_notation, values_of_options)
{
    dvi_steps steps;
    cr_assert_eq(dvi_notation_parse(&steps,
                                    dv_text_of("hash A seed=4294967295 hashversion=1;"
                                               "range B min=0.5; term C terms=[a b]"),
                                    NULL, NULL, NULL),
                 DV_OK);
    const dvi_step *hash = &steps.step[0], *range = &steps.step[1], *term = &steps.step[2];
    cr_expect_eq(dvi_step_option(hash, "seed")->integer, UINT32_MAX);
    cr_expect_eq(dvi_step_option(hash, "bits")->integer, 31);
    cr_expect_not(dvi_step_option(hash, "bits")->is_given);
    cr_expect_eq(dvi_step_option(hash, "hashversion")->integer, 0); /* the first word */
    cr_expect_eq(dvi_step_option(range, "min")->number, 0.5);
    cr_expect_eq(dvi_step_option(range, "max")->n, 0);
    cr_expect_eq(dvi_step_option(range, "includemin")->integer, 1);
    cr_expect_eq(dvi_step_option(term, "terms")->n, 2);
    dvi_steps_free(&steps);
}

Test(pipe_notation, each_allocation_may_fail)
{
    static char text[4000];
    for (size_t i = 0; i < 60; i++)
        strcat(text, "combine New:A,B,\"C\" Other:D; term E terms=[a \"b c\" d];");
    for (int64_t k = 1;; k++) {
        dvi_steps steps;
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        const dv_status status =
            dvi_notation_parse(&steps, dv_text_of(text), NULL, &counted.allocator, NULL);
        const bool has_failed = atomic_load(&counted.asked) >= k;
        cr_assert_eq(status, has_failed ? DV_ERR_MEMORY : DV_OK);
        if (status == DV_OK)
            dvi_steps_free(&steps);
        cr_assert_eq(atomic_load(&counted.live), 0);
        if (!has_failed)
            break;
    }
}
