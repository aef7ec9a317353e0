/* SPDX-License-Identifier: MIT */
/* test_text_propose.c: checks that the proposed options read a file as a person would. */
#include "format/text/propose/text_guess.h"
#include "format/text/propose/text_propose.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_status propose(dv_buffer *text_out, const char *file, size_t n,
                         const dv_allocator *allocator)
{
    dvi_map *map = NULL;
    *text_out = (dv_buffer){0};
    dv_status status =
        dvi_map_open_memory(&map, file, n, NULL, NULL, "input", DV_IO_PREAD, allocator, NULL);
    if (status == DV_OK)
        status = dvi_text_propose(text_out, map, NULL);
    dvi_map_release(&map);
    return status;
}

/* A file, and the proposed string. */
static const struct {
    const char *file, *text;
} cases[] = {
    /* separators */
    {"a,b\n1,2\n", "sep=comma header+ col=a:I4:0 col=b:I4:1"},
    {"a\tb\n1\t2.5\n", "sep=tab header+ col=a:I4:0 col=b:R4:1"},
    {"/,1\n#@,2\n", "sep=comma sparse- col=C0:TX:0 col=C1:I4:1"}, /* data has begun */
    {"a;b\n1,5;2\n1;3\n", "sep=semicolon decimal=, header+ col=a:R4:0 col=b:I4:1"},
    {"1,5\t2,5\n", "sep=tab decimal=, col=C0:R4:0 col=C1:R4:1"},
    {"a;b\n1.5;2\n", "sep=semicolon header+ col=a:R4:0 col=b:I4:1"},
    {"1|x\n2|y\n", "sep=bar sparse- col=C0:I4:0 col=C1:TX:1"},
    {"1 2.5 3\n4 5 6\n", "sep=space col=C0:I4:0 col=C1:R4:1 col=C2:I4:2"},
    {"2017-01-01 12:00:00,a b\n2017-01-01 12:00:01,c d\n",
     "sep=comma sparse- col=C0:DT:0 col=C1:TX:1"},
    {"x y\nz\n", "sep=tab sparse- col=C0:TX:0"},
    {"1\n2\n3\n", "sep=tab col=C0:I4:0"},
    {"n\n1\n", "sep=tab header+ col=n:I4:0"},
    {"it\"s\n\"open\n", "sep=tab quote- sparse- col=C0:TX:0"},
    /* types */
    {"yes,true\nno,f\n", "sep=comma col=C0:BL:0 col=C1:BL:1"},
    {"0,1\n1,0\n", "sep=comma col=C0:I4:0 col=C1:I4:1"},
    {"2147483647,2147483648\n-2147483647,1\n", "sep=comma col=C0:I4:0 col=C1:I8:1"},
    {"-2147483648,9223372036854775808\n", "sep=comma col=C0:I8:0 col=C1:R4:1"},
    {"00501,0.5\n00502,-0\n", "sep=comma sparse- col=C0:TX:0 col=C1:R4:1"},
    {"1,\n,2.5\n?,NA\n", "sep=comma col=C0:I4:0 col=C1:R4:1"},
    {"1,\n2,?\n", "sep=comma sparse- col=C0:I4:0 col=C1:TX:1"},
    {"12:30,2017-01-01T02:00:00+02:00\n24:00:00,2017-01-02\n",
     "sep=comma sparse- col=C0:TS:0 col=C1:DZ:1"},
    {"5,x\n1:02:03,y\n", "sep=comma sparse- col=C0:TX:0 col=C1:TX:1"},
    {"1 ,2\n", "sep=comma col=C0:R4:0 col=C1:I4:1"},
    /* headers */
    {"a,b\nc,d\n", "sep=comma sparse- col=C0:TX:0 col=C1:TX:1"},
    {"2019,2020\n1,2\n", "sep=comma col=C0:I4:0 col=C1:I4:1"},
    {",b\n0,2\n", "sep=comma header+ col=C0:I4:0 col=b:I4:1"},
    {"a,a,a_2,a\n1,2,3,4\n", "sep=comma header+ col=a:I4:0 col=a_2:I4:1 col=a_2_2:I4:2 "
                             "col=a_3:I4:3"},
    {"yes,y\nno,1\n", "sep=comma header+ col=yes:BL:0 col=y:I4:1"},
    {"# note\n\n// note\na,b\n1,2\n", "sep=comma header+ col=a:I4:0 col=b:I4:1"},
    {"a:b,c\n1,2\n", "sep=comma header+ sparse- col={name={a:b} type=I4 src=0} col=c:I4:1"},
    {"a b,c=\n1,2\n", "sep=comma header+ col={name={a b} type=I4 src=0} "
                      "col={name={c=} type=I4 src=1}"},
    {"\"{\",\\\n1,2\n", "sep=comma header+ col={name={\\\\\\{} type=I4 src=0} "
                        "col={name={\\\\\\\\} type=I4 src=1}"},
    {"a\x01\xFF,b\n1,2\n",
     "sep=comma header+ col={name={a \xEF\xBF\xBD} type=I4 src=0} col=b:I4:1"},
    /* quotes */
    {"\"a,b\",1\n\"c\",2\n", "sep=comma sparse- col=C0:TX:0 col=C1:I4:1"},
    {"n,t\n1,\"a\nb\"\n2,c\n", "sep=comma multilines+ header+ sparse- col=n:I4:0 col=t:TX:1"},
    /* vectors */
    {"Label,a,b,c,d,e,f,g,h,i,t\n1,1,2,3,4,5,6,7,8,9.5,x\n",
     "sep=comma header+ sparse- col=Label:I4:0 col=Features:R4:1-9 col=t:TX:10"},
    {"1,2,3,4,5,6,7,8\n",
     "sep=comma col=C0:I4:0 col=C1:I4:1 col=C2:I4:2 col=C3:I4:3 col=C4:I4:4 col=C5:I4:5 "
     "col=C6:I4:6 col=C7:I4:7"},
    {"1,2,3,4,5,6,7,8,9,16777217,1,2,3,4,5,6,7,8,9\n",
     "sep=comma col=Features:R4:0-8 col=C9:I4:9 col=Features_2:R4:10-18"},
    /* encodings, line ends */
    {"\xEF\xBB\xBF"
     "a,b\r\n1,2\r\n",
     "sep=comma header+ col=a:I4:0 col=b:I4:1"},
    {"1,2\n3\n4,5\n6,7\n8,9\n1,2\n3,4\n5,6\n7,8\n9,0\n", "sep=comma col=C0:I4:0 col=C1:I4:1"},
};

Test(text_propose, what_a_file_looks_like)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        dv_buffer text;
        cr_expect_eq(propose(&text, cases[i].file, strlen(cases[i].file), NULL), DV_OK);
        cr_assert_not_null(text.data, "%s", cases[i].file);
        cr_expect_str_eq(text.data, cases[i].text, "file:\n%s\nwanted: %s\ngot:    %s",
                         cases[i].file, cases[i].text, (const char *)text.data);
        cr_expect_eq(text.nbytes, strlen(text.data));
        dv_buffer_release(&text);
    }
}

Test(text_propose, nothing_for_files_without_lines_or_with_columns)
{
    static const char *const none[] = {"", "\n\n", "# a\n// b\n", "#@ Text{ col=A:0 }\n1\n",
                                       "// a\n#\n#@ TextLoader{}\n"};
    for (size_t i = 0; i < COUNT(none); i++) {
        dv_buffer text;
        cr_expect_eq(propose(&text, none[i], strlen(none[i]), NULL), DV_NOT_FOUND, "%s", none[i]);
        cr_expect_null(text.data);
    }
}

/* A line that is too long was once an error in *err of a call that returned DV_OK. */
Test(text_propose, a_long_line_is_data)
{
    const size_t n = DVI_TEXT_GUESS_NBYTES + 10;
    char *file = malloc(n);
    dv_buffer text;
    dvi_map *map = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_not_null(file);
    memset(file, '/', n);
    cr_assert_eq(dvi_map_open_memory(&map, file, n, NULL, NULL, "input", DV_IO_PREAD, NULL, NULL),
                 DV_OK);
    cr_expect_eq(dvi_text_propose(&text, map, &err), DV_NOT_FOUND);
    cr_expect_eq(err.status, DV_OK, "%s", err.message);
    dvi_map_release(&map);
    free(file);
}

/* Only the first lines are read; later ones do not matter. */
Test(text_propose, the_first_lines_decide)
{
    const size_t cap = 4 << 20;
    char *file = malloc(cap);
    dv_buffer text;
    cr_assert_not_null(file);
    size_t n = 0;
    for (int i = 0; i < 200; i++)
        n += (size_t)sprintf(file + n, "%d,2\n", i);
    memcpy(file + n, "x,y,z\n", 6);
    cr_expect_eq(propose(&text, file, n + 6, NULL), DV_OK);
    cr_expect_str_eq(text.data, "sep=comma col=C0:I4:0 col=C1:I4:1");
    dv_buffer_release(&text);

    memset(file, '1', cap); /* a line that does not end */
    cr_expect_eq(propose(&text, file, cap, NULL), DV_NOT_FOUND);
    free(file);
}

/* --- Random tables --- */

static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static const char *pick(uint64_t *state, const char *const *words, size_t n)
{
    return words[draw(state) % n];
}

static void add_field(dvt_lines *file, uint64_t *state, int kind)
{
    static const char *const words[] = {
        "a",  "b c",  "\"q\"\"\"", "\"x\ny\"", "{",  "\\",    "NA", "?",     "12:30", "\xFF",
        "#h", "true", "e;f",       "g|h",      "\"", "1e400", "-",  "1.2.3", "\t",    "  z "};
    static const char *const times[] = {"2017-01-01", "2018-05-07T12:34:56Z", "1/2/2003 4:05 PM",
                                        "2017-01-01 02:00+02:00"};
    const uint64_t bits = draw(state);
    if (bits % 16 == 0)
        return;
    if (kind == 0)
        dvt_lines_print(file, "%" PRId64, (int64_t)(bits >> 32) >> (bits % 32));
    else if (kind == 1)
        dvt_lines_print(file, "%.3f", (double)(int64_t)bits * 0x1p-60);
    else if (kind == 2)
        dvt_lines_print(file, "%s", pick(state, times, COUNT(times)));
    else if (kind == 3)
        dvt_lines_print(file, "%s", bits % 3 ? "yes" : "False");
    else
        dvt_lines_print(file, "%s", pick(state, words, COUNT(words)));
}

static void add_row(dvt_lines *file, uint64_t *state, char separator, const int *kinds, int columns)
{
    for (int i = 0; i < columns; i++) {
        if (i > 0)
            dvt_lines_add(file, &separator, 1);
        add_field(file, state, kinds[i]);
    }
    dvt_lines_add(file, "\n", 1);
}

static dvt_lines make_table(uint64_t seed)
{
    uint64_t state = seed;
    dvt_lines file = {0};
    int kinds[24];
    const char separator = ",\t;| "[draw(&state) % 5];
    const int columns = 1 + (int)(draw(&state) % COUNT(kinds)), most = draw(&state) % 4 ? 5 : 2;
    for (int i = 0; i < columns; i++)
        kinds[i] = (int)(draw(&state) % (uint64_t)most);
    const int texts[COUNT(kinds)] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                                     4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    if (draw(&state) % 2)
        add_row(&file, &state, separator, texts, columns);
    for (int64_t rows = (int64_t)(draw(&state) % 40); rows >= 0; rows--)
        add_row(&file, &state, separator, kinds, columns);
    return file;
}

/* The proposed options open the file, and every field that was read has a value. */
static void expect_good(const dvt_lines *file, uint64_t seed)
{
    dv_buffer text;
    dv_facts *facts = NULL;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = propose(&text, file->data, file->nbytes, NULL);
    if (status == DV_NOT_FOUND) /* no line is data */
        return;
    cr_assert_eq(status, DV_OK);
    dv_view *view = dvt_text_open(text.data, file->data, file->nbytes, NULL, &err);
    cr_assert_not_null(view, "seed %" PRIu64 ": %s: %s", seed, (const char *)text.data,
                       err.message);
    cr_expect_eq(dv_inspect(&facts, view, &err), DV_OK, "seed %" PRIu64 ": %s: %s", seed,
                 (const char *)text.data, err.message);
    for (int32_t i = 0; facts && i < facts->warnings; i++)
        cr_expect_not(strstr(facts->warning[i], "no value of"), "seed %" PRIu64 ": %s: %s\n%s",
                      seed, (const char *)text.data, facts->warning[i], file->data);
    if (facts)
        dv_facts_free(&facts);
    dv_view_release(&view);
    dv_buffer_release(&text);
}

Test(text_propose, proposals_open_and_give_values)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        dvt_lines file = make_table(seed);
        expect_good(&file, seed);
        dvt_lines_free(&file);
    }
}

/* --- Failures --- */

Test(text_propose, survive_each_allocation_that_fails)
{
    static const char file[] = "a,a,\"b\n\"\n1,2.5,x\n,3,y\n";
    int64_t k = 0, failed = 0;
    for (bool is_done = false; !is_done; k++) {
        dvt_allocator counted;
        dv_buffer text;
        dvt_allocator_init(&counted, k + 1);
        const dv_status status = propose(&text, file, sizeof file - 1, &counted.allocator);
        cr_expect(status == DV_ERR_MEMORY || status == DV_OK, "allocation %d", (int)k);
        failed += status == DV_ERR_MEMORY;
        is_done = counted.asked < k + 1;
        dv_buffer_release(&text);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
    }
    cr_expect_eq(failed, k - 1);
    cr_expect_gt(failed, 10);
}

static dv_status propose_file(const dvt_path *path, const char *format)
{
    dv_buffer text;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = format;
    const dv_status status = dv_open_propose(&text, path->text, &options, NULL);
    cr_expect_eq(text.data != NULL, status == DV_OK);
    dv_buffer_release(&text);
    return status;
}

Test(text_propose, files)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path csv = dvt_path_in(&folder, "x.csv"), other = dvt_path_in(&folder, "x.idv");
    const dvt_path none = dvt_path_in(&folder, "none.csv"), plain = dvt_path_in(&folder, "x");
    dvt_file_write(&csv, "a,b\n1,2\n", 8);
    dvt_file_write(&other, "a,b\n1,2\n", 8);
    dvt_file_write(&plain, "a,b\n1,2\n", 8);
    cr_expect_eq(propose_file(&csv, NULL), DV_OK);
    cr_expect_eq(propose_file(&csv, "idv"), DV_NOT_FOUND);
    cr_expect_eq(propose_file(&csv, "nonsense"), DV_ERR_ARGUMENT);
    cr_expect_eq(propose_file(&other, NULL), DV_NOT_FOUND);
    cr_expect_eq(propose_file(&other, "text"), DV_OK);
    cr_expect_eq(propose_file(&plain, NULL), DV_NOT_FOUND);
    cr_expect_eq(propose_file(&none, NULL), DV_ERR_IO);
    dvt_folder_remove(&folder);
}
