/* SPDX-License-Identifier: MIT */
/* test_glob.c: which names a pattern means. */
#include "support/test.h"
#include <dataview/names.h>

static const struct {
    const char *pattern, *name;
    bool matches;
} cases[] = {
    {"A*", "A", true},
    {"A*", "Age", true},
    {"A*", "a", false},
    {"*", "", true},
    {"", "", true},
    {"", "a", false},
    {"?", "\xC3\xA9", true},
    {"?", "", false},
    {"??", "\xC3\xA9", false},
    {"*a*b*c", "xaxbxbc", true},
    {"*a*b*c", "xaxcxb", false},
    {"[a-c]x", "bx", true},
    {"[a-c]x", "dx", false},
    {"[!a-c]x", "dx", true},
    {"[!a-c]x", "ax", false},
    {"[]]", "]", true},
    {"a[b", "a[b", true},
    {"a\\*", "a*", true},
    {"a\\*", "ab", false},
    {"a\\", "a\\", true},
    {"[\xC3\xA0-\xC3\xBF]", "\xC3\xA9", true},
    {"?", "\xFF", true},
    {"\xFF", "\xFF", true},
    {"**", "abc", true},
};

Test(glob, names)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(dv_glob_match(dv_text_of(cases[i].pattern), dv_text_of(cases[i].name)),
                     cases[i].matches, "%s of %s", cases[i].pattern, cases[i].name);
}

Test(glob, na_is_empty)
{
    cr_expect(dv_glob_match(dv_text_of("*"), dv_text_of(NULL)));
    cr_expect(!dv_glob_match(dv_text_of("?"), dv_text_of(NULL)));
    cr_expect(dv_glob_match(dv_text_of(NULL), dv_text_of("")));
}

Test(glob, patterns)
{
    cr_expect(dv_glob_is_pattern(dv_text_of("a*")));
    cr_expect(dv_glob_is_pattern(dv_text_of("?")));
    cr_expect(dv_glob_is_pattern(dv_text_of("[a]")));
    cr_expect(!dv_glob_is_pattern(dv_text_of("a\\b]")));
    cr_expect(!dv_glob_is_pattern(dv_text_of(NULL)));
}
