/* SPDX-License-Identifier: MIT */
/* test_terms_texts.c: dictionaries of texts of any length, which end where memory ends, and of so
 * many that their table does not lie in a near cache. */
#include "base/random.h"
#include "view/column.h"
#include "support/page.h"
#include "support/test.h"
#include "transform/terms.h"
#include <stdlib.h>
#include <string.h>

#define LENGTHS 40
#define MANY 30000

static dv_column_view column_of(const char *utf8, size_t nbytes, const int32_t *ends, int64_t rows)
{
    dv_column_view view = {.type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = rows};
    view.as.text.utf8 = (dv_buffer){utf8, nbytes, NULL, false, true};
    view.as.text.ends = (dv_buffer){ends, 4 * (size_t)rows, NULL, false, true};
    return view;
}

static void expect_numbers(const dv_column_view *view, const char *what)
{
    dvi_terms *terms;
    uint32_t *keys = malloc(4 * (size_t)view->rows);
    cr_assert(keys);
    cr_assert_eq(dvi_terms_create(&terms, &view->type, view->rows, 1 << 24, NULL, NULL), DV_OK);
    for (int64_t i = 0; i < view->rows; i += 1000)
        cr_assert_eq(
            dvi_terms_add(terms, view, i, view->rows - i < 1000 ? view->rows - i : 1000, NULL),
            DV_OK);
    cr_assert_eq(dvi_terms_add(terms, view, 0, view->rows, NULL), DV_OK);
    cr_expect_eq(dvi_terms_count(terms), view->rows, "%s", what);
    dvi_terms_find(terms, view, 0, view->rows, keys);
    for (int64_t i = 0; i < view->rows; i++)
        cr_assert_eq(keys[i], (uint32_t)i + 1, "%s, row %d", what, (int)i);
    dvi_terms_free(&terms);
    free(keys);
}

/* Texts of 1 to LENGTHS bytes that differ in their length, or in one byte, or in a 0 at their end.
 */
Test(terms_texts, differ_in_length_or_in_a_byte)
{
    static char utf8[3 * LENGTHS * LENGTHS];
    static int32_t ends[3 * LENGTHS];
    const dvt_page page = dvt_shared_page(0);
    int32_t rows = 0, used = 0;
    for (int32_t n = 1; n <= LENGTHS; n++)
        for (int32_t k = 0; k < 3; k++) {
            memset(utf8 + used, 'a', (size_t)n);
            if (k > 0)
                utf8[used + (k == 1 ? n - 1 : n / 2)] = k == 1 ? 0 : 'b';
            used += n;
            ends[rows++] = used;
        }
    for (int32_t some = 1; some <= rows; some++) { /* each of them is the last in memory */
        const size_t nbytes = (size_t)ends[some - 1];
        const char *last = (const char *)dvt_page_copy_end(page, utf8, nbytes);
        const dv_column_view view = column_of(last, nbytes, ends, some);
        expect_numbers(&view, "lengths");
    }
}

Test(terms_texts, many)
{
    static char utf8[MANY * 24];
    static int32_t ends[MANY];
    dvi_random random = dvi_random_of(5);
    int32_t used = 0;
    for (int32_t i = 0; i < MANY; i++) {
        const uint32_t more = dvi_random_below(&random, 20);
        memcpy(utf8 + used, &i, 4);
        memset(utf8 + used + 4, 'x', more);
        used += 4 + (int32_t)more;
        ends[i] = used;
    }
    const dv_column_view view = column_of(utf8, (size_t)used, ends, MANY);
    expect_numbers(&view, "many");
}
