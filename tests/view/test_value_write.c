/* SPDX-License-Identifier: MIT */
/* test_value_write.c: checks JSON strings and the calls of a sink; test_value.c checks the texts of
 * values.
 */
#include "support/test.h"

#include "support/columns.h"
#include "support/sink.h"
#include <stdlib.h>
#include <string.h>

static void expect_json(dv_text given, const char *want)
{
    dvt_sink got;
    dvt_sink_init(&got, 0);
    cr_expect(dv_text_write_json(given, &got.sink));
    cr_expect_str_eq(got.text, want, "%s, not %s", got.text, want);
}

Test(value_write, json_strings)
{
    expect_json(dv_text_of(NULL), "null");
    expect_json(dv_text_of(""), "\"\"");
    expect_json(dv_text_of("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
    expect_json((dv_text){"\0\x01\x1F\x7F ", 5}, "\"\\u0000\\u0001\\u001f\\u007f \"");
    /* C1, line separators and bidi overrides, each between its neighbours */
    expect_json(dv_text_of("\xC2\x80 \xC2\x9B \xC2\x9F \xC2\xA0"),
                "\"\\u0080 \\u009b \\u009f \xC2\xA0\"");
    expect_json(dv_text_of("\xE2\x80\xA7 \xE2\x80\xA8 \xE2\x80\xAE \xE2\x80\xAF"),
                "\"\xE2\x80\xA7 \\u2028 \\u202e \xE2\x80\xAF\"");
    expect_json(dv_text_of("\xE2\x81\xA5 \xE2\x81\xA6 \xE2\x81\xA9 \xE2\x81\xAA"),
                "\"\xE2\x81\xA5 \\u2066 \\u2069 \xE2\x81\xAA\"");
    expect_json(dv_text_of("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    expect_json(dv_text_of("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
                "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
}

/* Texts of any length, so that every boundary of the writer's chunks is met. */
Test(value_write, texts_of_any_length_arrive_whole)
{
    char given[2100], want[4400];
    for (size_t n = 0; n < sizeof given; n += n < 1100 ? 1 : 97) {
        size_t w = 0;
        want[w++] = '"';
        for (size_t i = 0; i < n; i++) {
            given[i] = i % 7 == 3 && n % 2 ? '\n' : (char)('a' + i % 26);
            if (given[i] == '\n')
                want[w++] = '\\';
            want[w++] = given[i] == '\n' ? 'n' : given[i];
        }
        want[w++] = '"';
        want[w] = '\0';
        expect_json((dv_text){given, (int64_t)n}, want);
    }
}

Test(value_write, a_sink_that_stops_is_not_called_again)
{
    enum { SLOTS = 2000 };
    uint8_t *values = calloc(SLOTS, 1);
    dv_column_view items = {
        dv_type_of(DV_KIND_U1), DV_LAYOUT_FIXED, SLOTS, {{{values, SLOTS, NULL, true, true}}}};
    dv_column_view column = dvt_column_vector(&items, SLOTS, "FFFFFFFF", "");
    const dv_value value = dv_value_first(&column);
    dvt_sink whole;
    dvt_sink_init(&whole, 0);
    cr_expect(dv_value_write(&value, DV_STYLE_TEXT, &whole.sink));
    cr_expect_eq(whole.n, 2 * SLOTS + 1);
    cr_expect_gt(whole.calls, 2);
    for (int stop = 1; stop <= whole.calls; stop++) {
        dvt_sink got;
        dvt_sink_init(&got, stop);
        cr_expect_not(dv_value_write(&value, DV_STYLE_TEXT, &got.sink));
        cr_expect_eq(got.calls, stop);
    }

    char letters[2000];
    memset(letters, 'x', sizeof letters);
    for (int stop = 1; stop <= 2; stop++) {
        dvt_sink got;
        dvt_sink_init(&got, stop);
        cr_expect_not(dv_text_write_json((dv_text){letters, sizeof letters}, &got.sink));
        cr_expect_eq(got.calls, stop);
    }
    dvt_column_free(&column);
    free(values);
}
