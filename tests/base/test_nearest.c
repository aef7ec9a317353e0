/* SPDX-License-Identifier: MIT */
/* test_nearest.c: which of some names is near to what was typed. */
#include "base/nearest.h"
#include "support/test.h"
#include <string.h>

static const char *const known[] = {"term",     "onehot", "onehothash",
                                    "Category", "x",      "\xC3\xA9t\xC3\xA9"};

static const struct {
    const char *typed, *near; /* NULL: none */
} cases[] = {
    {"trem", "term"},
    {"tern", "term"},
    {"tem", "term"},
    {"terms", "term"},
    {"TERM", "term"},
    {"onehto", "onehot"},
    {"one", "onehot"},
    {"onehoth", "onehot"},
    {"category", "Category"},
    {"\xC3\xA9te", "\xC3\xA9t\xC3\xA9"},
    {"y", NULL},
    {"", NULL},
    {"quite different", NULL},
    {"Categorical variable", NULL},
};

static dv_nearest nearest_of(dv_text typed)
{
    dv_nearest best = DV_NEAREST_INIT;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        dv_nearest_offer(&best, typed, dv_text_of(known[i]));
    return best;
}

Test(nearest, names)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const dv_nearest best = nearest_of(dv_text_of(cases[i].typed));
        cr_expect(dv_text_equal(best.name, dv_text_of(cases[i].near)), "%s: %.*s", cases[i].typed,
                  (int)best.name.nbytes, best.name.data);
    }
}

/* Such texts come from files: they take no time. */
Test(nearest, long_texts_are_not_near)
{
    static char typed[1 << 16];
    memset(typed, 't', sizeof typed);
    cr_expect_null(nearest_of((dv_text){typed, sizeof typed}).name.data);
    cr_expect_null(nearest_of(dv_text_of(NULL)).name.data);
    dv_nearest best = DV_NEAREST_INIT;
    dv_nearest_offer(&best, (dv_text){typed, 48}, (dv_text){typed, 48 + 1});
    cr_expect_null(best.name.data);
    dv_nearest_offer(&best, (dv_text){typed, 47}, (dv_text){typed, 48});
    cr_expect_eq(best.name.nbytes, 48);
}

Test(nearest, advice_ends_the_message)
{
    dv_error err = DV_ERROR_INIT;
    const dv_nearest none = DV_NEAREST_INIT, term = nearest_of(dv_text_of("trem"));
    dv_error_set(&err, DV_ERR_ARGUMENT, "no step trem");
    dvi_nearest_advise(&none, &err);
    cr_expect_str_eq(err.message, "no step trem");
    dvi_nearest_advise(&term, &err);
    cr_expect_str_eq(err.message, "no step trem; did you mean term?");
    dvi_nearest_advise(&term, NULL);
}
