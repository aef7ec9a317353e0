/* SPDX-License-Identifier: MIT */
/* test_text_compare.c: texts are equal by their bytes and ordered by their UTF-16 units. */
#include "support/test.h"
#include <dataview/type.h>

Test(text_compare, texts_are_equal_by_bytes)
{
    const dv_text na = dv_text_of(NULL), empty = dv_text_of("");
    const dv_text nul = {"a\0b", 3}, other = {"a\0c", 3};
    cr_expect(na.nbytes == -1 && na.data == NULL && empty.nbytes == 0);
    cr_expect(dv_text_equal(na, na) && dv_text_equal(empty, (dv_text){NULL, 0}));
    cr_expect(!dv_text_equal(na, empty) && !dv_text_equal(empty, na));
    cr_expect(dv_text_equal(nul, nul) && !dv_text_equal(nul, other));
    cr_expect(!dv_text_equal(dv_text_of("a"), dv_text_of("ab")));
}

Test(text_compare, texts_compare_by_utf16_units)
{
    /* In this order: NA, prefixes first, and U+10000.. (D800..) before U+E000..U+FFFF. */
    const dv_text in_order[] = {
        dv_text_of(NULL),
        dv_text_of(""),
        (dv_text){"\0", 1},
        dv_text_of("A"),
        dv_text_of("a"),
        dv_text_of("ab"),
        dv_text_of("a\x7F"),
        dv_text_of("a\xC2\x80"),
        dv_text_of("\xC3\xA9"),
        dv_text_of("\xDF\xBF"),
        dv_text_of("\xE0\xA0\x80"),
        dv_text_of("\xED\x9F\xBF"),
        dv_text_of("\xF0\x90\x80\x80"),
        dv_text_of("\xF4\x8F\xBF\xBF"),
        dv_text_of("\xEE\x80\x80"),
        dv_text_of("\xEF\xBF\xBF"),
    };
    const int n = sizeof in_order / sizeof *in_order;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int want = (i > k) - (i < k);
            const int got = dv_text_compare(in_order[i], in_order[k]);
            cr_expect_eq((got > 0) - (got < 0), want, "%d and %d", i, k);
        }
}
