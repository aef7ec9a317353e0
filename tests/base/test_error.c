/* SPDX-License-Identifier: MIT */
/* test_error.c: a failure names the byte, the expected and the found value, and the rule. */
#include "base/check.h"
#include "base/error.h"
#include "base/utf8.h"
#include "support/page.h"
#include "support/test.h"
#include <errno.h>
#include <string.h>

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static bool is_utf8(const char *text)
{
    const size_t n = strlen(text);
    size_t i = 0;
    for (size_t step; i < n && (step = dvi_utf8_step(text + i, n - i)) > 0;)
        i += step;
    return i == n;
}

Test(error, every_status_has_a_name_and_a_sentence)
{
#define CASE(name, value, sentence)                                                                \
    cr_expect_str_eq(dv_status_name(name), #name);                                                 \
    cr_expect_str_eq(dv_status_sentence(name), sentence);
    DV_STATUS_LIST(CASE)
    cr_expect_str_eq(dv_status_name((dv_status)-99), "?");
    cr_expect_str_eq(dv_status_sentence((dv_status)99), "?");
}

Test(error, fills_every_field)
{
    dv_error err = DV_ERROR_INIT;
    const dv_status status =
        dvi_fail(&err, DV_ERR_CORRUPT, "idv:L4", 383, "block offset", "%d..%d|%d", 256, 795, 1044);
    cr_expect_eq(status, DV_ERR_CORRUPT);
    cr_expect_eq(err.status, DV_ERR_CORRUPT);
    cr_expect_eq(err.os_code, 0);
    cr_expect_eq(err.offset, 383);
    cr_expect_str_eq(err.file, "");
    cr_expect_str_eq(err.rule, "idv:L4");
    cr_expect_str_eq(err.expected, "256..795");
    cr_expect_str_eq(err.found, "1044");
    cr_expect_str_eq(err.message,
                     "offset 383: block offset: expected 256..795, found 1044 (idv:L4)");
}

Test(error, may_have_only_a_found_value)
{
    dv_error err = DV_ERROR_INIT;
    dvi_fail(&err, DV_ERR_IO, "", -1, "reading", "%s", "no luck");
    cr_expect_str_eq(err.expected, "");
    cr_expect_str_eq(err.found, "no luck");
    cr_expect_str_eq(err.message, "reading: no luck");
}

/* The '|' between expected and found was searched for in the expanded text, so a name containing
 * '|' was split. */
Test(error, keeps_a_bar_in_an_argument)
{
    dv_error err = DV_ERROR_INIT;
    dvi_fail(&err, DV_ERR_CORRUPT, "", -1, "name", "%s|%s", "a|b", "c|d");
    cr_expect_str_eq(err.expected, "a|b");
    cr_expect_str_eq(err.found, "c|d");

    dvi_fail(&err, DV_ERR_CORRUPT, "", -1, "name", "%s", "e|f");
    cr_expect_str_eq(err.expected, "");
    cr_expect_str_eq(err.found, "e|f");
}

Test(error, cuts_long_texts)
{
    char many[701];
    for (size_t i = 0; i + 2 <= sizeof many; i += 2)
        memcpy(many + i, "\xC3\xA9", 2); /* must be cut between characters */
    many[sizeof many - 1] = 0;

    for (size_t n = 0; n < sizeof many; n += 2) {
        dv_error err = DV_ERROR_INIT;
        const char *text = many + n;
        dvi_fail(&err, DV_ERR_CORRUPT, text, 7, text, "%s|%s", text, text);
        dvi_error_within(&err, "column %s", text);
        dvi_error_set_file(&err, text);
        cr_assert(is_utf8(err.rule) && is_utf8(err.expected) && is_utf8(err.found));
        cr_assert(is_utf8(err.file) && is_utf8(err.message), "%s", err.message);
        cr_assert_eq(strstr(err.message, "\\x"), NULL, "%s", err.message);
        dvi_fail_argument(&err, "%s", text);
        cr_assert_eq(strstr(err.message, "\\x"), NULL, "%s", err.message);
    }
}

Test(error, words_a_range_by_its_bounds)
{
    static const struct {
        int64_t least, most, found;
        const char *expected;
    } cases[] = {
        {0, 9, 10, "0..9"},
        {7, 7, 8, "7"},
        {1, INT64_MAX, 0, "at least 1"},
        {9, 3, 5, "at least 9 and at most 3"},
        {INT64_MIN, -1, 0, "-9223372036854775808..-1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_error err = DV_ERROR_INIT;
        const dv_status status =
            dvi_fail_range(&err, "r", 1, "count", cases[i].least, cases[i].most, cases[i].found);
        cr_expect_eq(status, DV_ERR_CORRUPT);
        cr_expect_str_eq(err.expected, cases[i].expected);
    }
}

static dv_status require_in(int64_t value, dv_error *err)
{
    DVI_REQUIRE_IN(err, value, 2, 4, "idv:X1", 9, "value");
    return DV_OK;
}

static dv_status pass_on(int64_t value, dv_error *err)
{
    DVI_TRY(require_in(value, err));
    return DV_END;
}

Test(error, leaves_by_the_macros)
{
    for (int64_t value = 0; value < 7; value++) {
        dv_error err = DV_ERROR_INIT;
        const bool is_in = value >= 2 && value <= 4;
        cr_expect_eq(pass_on(value, &err), is_in ? DV_END : DV_ERR_CORRUPT);
        cr_expect_eq(err.offset, is_in ? -1 : 9);
    }
}

Test(error, names_the_systems_error)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_fail_os(&err, ENOENT, "cannot be opened"), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOENT);
    cr_expect_eq(err.offset, -1);
    cr_expect_str_eq(err.message, "cannot be opened: No such file or directory");

    dvi_fail_os(&err, 99999, "reading"); /* a number for which the C library has no text */
    cr_expect_eq(err.os_code, 99999);
    cr_expect_str_not_empty(err.found);
    cr_expect_eq(strstr(err.message, "null"), NULL);
}

Test(error, memory_and_arguments)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_fail_memory(&err, 77), DV_ERR_MEMORY);
    cr_expect_str_eq(err.message, "out of memory: 77 bytes requested");
    cr_expect_eq(dvi_fail_argument(&err, "no column %d", 3), DV_ERR_ARGUMENT);
    cr_expect_str_eq(err.message, "no column 3");
}

Test(error, may_be_null)
{
    cr_expect_eq(dvi_fail(NULL, DV_ERR_LIMIT, "columns", -1, "x", "%d|%d", 1, 2), DV_ERR_LIMIT);
    cr_expect_eq(dvi_fail_range(NULL, "r", 0, "x", 0, 1, 2), DV_ERR_CORRUPT);
    cr_expect_eq(dvi_fail_os(NULL, EIO, "x"), DV_ERR_IO);
    cr_expect_eq(dvi_fail_memory(NULL, 1), DV_ERR_MEMORY);
    cr_expect_eq(dvi_fail_argument(NULL, "x"), DV_ERR_ARGUMENT);
    dvi_error_within(NULL, "x");
    dvi_error_set_file(NULL, "x");
}

Test(error, without_a_failure_does_not_change)
{
    dv_error err = DV_ERROR_INIT;
    dvi_error_within(&err, "x");
    dvi_error_set_file(&err, "x");
    cr_expect_str_eq(err.file, "");
    cr_expect_str_eq(err.message, "");
}

/* A location added after the file was put into the middle of its name. */
Test(error, a_location_follows_file_and_offset)
{
    dv_error err = DV_ERROR_INIT;
    dvi_fail(&err, DV_ERR_CORRUPT, "L4", 383, "offset", "%d|%d", 1, 2);
    dvi_error_within(&err, "block %d", 5);
    dvi_error_set_file(&err, "dir/train.idv");
    dvi_error_within(&err, "column %s", "x");
    dvi_error_set_file(&err, "other");
    cr_expect_str_eq(err.file, "dir/train.idv");
    cr_expect_str_eq(err.message, "dir/train.idv: offset 383: column x: block 5: offset: "
                                  "expected 1, found 2 (L4)");

    dvi_fail_os(&err, ENOENT, "cannot be opened");
    dvi_error_set_file(&err, "f");
    dvi_error_within(&err, "file 2");
    cr_expect_str_eq(err.message, "f: file 2: cannot be opened: No such file or directory");
}

Test(error, keeps_the_end_of_a_long_path)
{
    char path[200] = "";
    for (size_t n = 1; n < sizeof path; n++) {
        memset(path, 'd', n);
        memcpy(path + n - (n < 8 ? n : 8), "/end.idv", n < 8 ? n : 8);
        path[n] = 0;
        dv_error err = DV_ERROR_INIT;
        dvi_fail_os(&err, EIO, "x");
        dvi_error_set_file(&err, path);
        if (n < sizeof err.file)
            cr_assert_str_eq(err.file, path);
        else
            cr_assert(strlen(err.file) == 63 && !strncmp(err.file, "...d", 4) &&
                          !strcmp(err.file + 55, "/end.idv"),
                      "%s", err.file);
    }
}

Test(error, a_long_path_is_cut_between_characters)
{
    for (size_t n = 32; n < 40; n++) { /* of two bytes each */
        char path[100] = "d";
        for (size_t i = 0; i < n; i++)
            strcat(path, "\xC3\xA9");
        for (int odd = 0; odd < 2; odd++) {
            dv_error err = DV_ERROR_INIT;
            dvi_fail_os(&err, EIO, "x");
            dvi_error_set_file(&err, path + odd);
            cr_assert(is_utf8(err.file) && !strstr(err.file, "\\x"), "%s", err.file);
            cr_assert_gt(strlen(err.file), 60);
        }
        strcat(path, "x"); /* the other parity */
        dv_error err = DV_ERROR_INIT;
        dvi_fail_os(&err, EIO, "x");
        dvi_error_set_file(&err, path);
        cr_assert(is_utf8(err.file) && !strstr(err.file, "\\x"), "%s", err.file);
    }
}

Test(error, escapes_control_characters)
{
    static const struct {
        dv_text in;
        const char *out;
    } cases[] = {
        {TEXT(""), ""},
        {TEXT("plain \\ ~"), "plain \\ ~"},
        {TEXT("\x1b[2J\n\0\x7f"), "\\x1B[2J\\x0A\\x00\\x7F"},
        {TEXT("\xE2\x80\xAE"
              "a\xE2\x81\xA6\xE2\x80\xA7"),
         "\\xE2\\x80\\xAE"
         "a\\xE2\\x81\\xA6\xE2\x80\xA7"},
        {TEXT("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
         "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
        {TEXT("\xC2\x9B[m"), "\\xC2\\x9B[m"}, /* U+009B starts a command too */
        {TEXT("\xC2\xA0"), "\xC2\xA0"},
        {TEXT("\xED\xA0\x80\xC0\x80\xFF\xE2\x82"), "\\xED\\xA0\\x80\\xC0\\x80\\xFF\\xE2\\x82"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = (size_t)cases[i].in.nbytes;
        const uint8_t *in = dvt_page_copy_end(dvt_shared_page(0), cases[i].in.data, n);
        char out[128];
        cr_expect_eq(dvi_printable(out, sizeof out, (const char *)in, n), strlen(cases[i].out));
        cr_expect_str_eq(out, cases[i].out);
    }
}

Test(error, printable_text_stays_in_its_buffer)
{
    static const char text[] = "a\xC3\xA9\n\xF0\x9F\x98\x80xyz\xE2\x82\xAC";
    char whole[64];
    const size_t n = dvi_printable(whole, sizeof whole, text, sizeof text - 1);
    for (size_t cap = 1; cap <= n + 2; cap++) {
        char *out = (char *)dvt_page_end(dvt_shared_page(0), cap);
        const size_t got = dvi_printable(out, cap, text, sizeof text - 1);
        cr_assert(got < cap && strlen(out) == got);
        cr_assert(is_utf8(out));
        if (cap > n)
            cr_assert_str_eq(out, whole);
        else if (cap > 4)
            cr_assert_str_eq(out + got - 3, "...");
    }
}

Test(error, shows_names)
{
    cr_expect_str_eq(dvi_show((dv_text)TEXT("x\ty")).text, "x\\x09y");
    cr_expect_str_eq(dvi_show((dv_text){NULL, 0}).text, "");
    cr_expect_str_eq(dvi_show((dv_text){NULL, -1}).text, "");
}

/* What to do comes last, and is cut off like any message that is too long. */
Test(error, advice)
{
    dv_error err = DV_ERROR_INIT;
    dvi_error_advise(&err, "nothing failed");
    cr_expect_str_eq(err.message, "");
    dvi_fail(&err, DV_ERR_UNSUPPORTED, "", 0, "content", "a table|none");
    dvi_error_advise(&err, "");
    dvi_error_advise(NULL, "nowhere to write it");
    dvi_error_advise(&err, "make one");
    cr_expect_str_eq(err.message, "offset 0: content: expected a table, found none; make one");
    char longer[300] = {0};
    memset(longer, 'x', sizeof longer - 1);
    dvi_error_advise(&err, longer);
    cr_expect_eq(strlen(err.message), sizeof err.message - 1);
    cr_expect(strstr(err.message, "make one; xxx") && strstr(err.message, "x..."), "%s",
              err.message);
}
