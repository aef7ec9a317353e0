/* SPDX-License-Identifier: MIT */
/* test_fitted_keys.c: fitted pipelines on tables whose keys stand for other values.
 *
 * A pipeline that was fitted on the keys of "a", "b", "c" took those of "x", "y", "z" for them, in
 * silence: only the numbers of the keys were looked at. */
#include "support/fitted_bytes.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/schema.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { TEXTS = 8 };

/* A table of the columns C, keys, W, vectors of two keys, and N, numbers. */
typedef struct keyed {
    dvt_made_table table;
    char utf8[2 * TEXTS];
    int32_t ends[TEXTS], counts[2], slots[TEXTS];
    dv_column_view texts, items;
    dvt_made_metadata more;
    dv_view *view;
} keyed;

static const uint32_t numbers[] = {1, 2, 2, 1};

/* KeyValues: a text for each letter; '-' is an empty one, which sparse values leave out. */
static dv_column_view values_of(keyed *k, const char *letters, bool is_sparse)
{
    const int32_t n = (int32_t)strlen(letters);
    int32_t stored = 0, nbytes = 0;
    for (int32_t i = 0; i < n; i++) {
        if (letters[i] == '-' && is_sparse)
            continue;
        if (letters[i] != '-')
            k->utf8[nbytes++] = letters[i];
        k->slots[stored] = i;
        k->ends[stored++] = nbytes;
    }
    k->counts[0] = is_sparse ? stored : -1;
    k->texts = dvt_made_text(DV_KIND_TX, k->utf8, k->ends, stored);
    dv_column_view values = {
        .type = dv_type_vector(dv_type_of(DV_KIND_TX), n), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    values.as.vector =
        (dv_vector_layout){.length = n,
                           .counts = {k->counts, 4, NULL, false, true},
                           .indices = {k->slots, 4 * (size_t)stored, NULL, false, true},
                           .items = &k->texts};
    return values;
}

static void open_keyed(keyed *k, const char *letters, bool is_sparse)
{
    static const int32_t dense[] = {-1, -1};
    static const float reals[] = {1, 2};
    const int32_t n = letters ? (int32_t)strlen(letters) : 3;
    const dv_type key = dv_type_key(DV_KIND_U4, 0, (uint64_t)n);
    memset(k, 0, sizeof *k);
    k->table = (dvt_made_table){
        .columns = 3, .rows = 2, .block_rows = 2, .bad_row = -1, .name = {"C", "W", "N"}};
    k->items = dvt_made_fixed(key, numbers, 4);
    k->table.column[0] = dvt_made_fixed(key, numbers, 2);
    k->table.column[1] =
        (dv_column_view){.type = dv_type_vector(key, 2), .layout = DV_LAYOUT_VECTOR, .rows = 2};
    k->table.column[1].as.vector = (dv_vector_layout){
        .length = 2, .counts = {dense, sizeof dense, NULL, false, true}, .items = &k->items};
    k->table.column[2] = dvt_made_fixed(dv_type_of(DV_KIND_R4), reals, 2);
    if (letters) {
        k->table.metadata_kind = DV_KEY_VALUES;
        k->table.metadata = values_of(k, letters, is_sparse);
        k->more = (dvt_made_metadata){1, DV_KEY_VALUES, k->table.metadata};
        k->table.more = &k->more;
        k->table.more_count = 1;
    }
    k->view = dvt_made_table_open(&k->table, NULL);
}

static dv_status apply(dv_fitted *fitted, dv_view *source, dv_error *err)
{
    dv_view *view;
    const dv_status status = dv_fitted_apply(&view, fitted, source, NULL, err);
    cr_expect((status == DV_OK) == (view != NULL));
    dv_view_release(&view);
    return status;
}

/* Fit on a table with some values, apply to one with others: as it was fitted, and as it is after
 * it was saved. part: of the message; NULL: it is applied. */
static void expect_applied(const char *pipeline, const char *fit_on, const char *to,
                           const char *part)
{
    keyed train, test;
    dv_fitted *fitted, *opened;
    dv_buffer bytes, again;
    dv_error err = DV_ERROR_INIT;
    open_keyed(&train, fit_on, false);
    open_keyed(&test, to, true);
    cr_assert_eq(dvt_fit_text(&fitted, train.view, dv_text_of(pipeline), NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dvt_fitted_save(&bytes, fitted, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dvt_fitted_open(&opened, bytes.data, bytes.nbytes, NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dvt_fitted_save(&again, opened, NULL, &err), DV_OK);
    cr_expect(again.nbytes == bytes.nbytes && memcmp(again.data, bytes.data, bytes.nbytes) == 0);
    for (int i = 0; i < 2; i++) {
        dv_error why = DV_ERROR_INIT;
        const dv_status status = apply(i == 0 ? fitted : opened, test.view, &why);
        cr_expect_eq(status, part ? DV_ERR_ARGUMENT : DV_OK, "%s on %s: %s", pipeline, to,
                     why.message);
        cr_expect(!part || strstr(why.message, part), "%s: %s not in: %s", pipeline, part,
                  why.message);
        cr_expect_eq(apply(i == 0 ? fitted : opened, train.view, NULL), DV_OK);
    }
    dv_buffer_release(&again);
    dv_buffer_release(&bytes);
    dv_fitted_release(&opened);
    dv_fitted_release(&fitted);
    dv_view_release(&train.view);
    dv_view_release(&test.view);
}

/* Steps that depend on the numbers of keys, also of those that other steps pass on. */
static const char *const reading[] = {
    "onehot C",
    "term K:C",
    "hash C bits=4",
    "vector C",
    "binary C",
    "vector W",
    "ngram W",
    "dropslots W slots=[0]; vector W",
    "convert C type=U2[0-2]; vector C",
    "range C min=0.5",
    "compute X value=\"C > 1\"",
    "copy D:C; vector D",
    "copy D:C; copy E:D; drop C; vector E",
    "select C N; dropna C; slice take=1; vector C",
    "copy N:C C:N; vector N",
    "optional C; vector C",
    "value V:C; vector C",
    "group C columns=[N]; vector C",
};

Test(fitted_keys, other_values_are_refused)
{
    for (size_t i = 0; i < COUNT(reading); i++) {
        const char *column = strchr(reading[i], 'W') ? "\"W\"" : "\"C\"";
        expect_applied(reading[i], "abc", "xyz", column);
        expect_applied(reading[i], "abc", "acb", "found others: \"a\" \"c\" \"b\"");
        expect_applied(reading[i], "abc", "ab-", "found others");
        expect_applied(reading[i], "abc", "abc", NULL);
        expect_applied(reading[i], "a-c", "a-c", NULL);
    }
}

/* Whether a value or none, what the keys stand for is asked of the table itself. */
static const char *const others[] = {
    "value C",
    "value C; onehot C",
    "value C W; hash C bits=4; onehot W",
    "isna C",
    "copy D:C; drop C",
    "select C N; normalize N",
    "normalize N; select N C; dropna C",
    "copy N:C C:N; normalize C",
    "group C columns=[N]",
    "optional C; normalize N",
};

Test(fitted_keys, steps_that_do_not_depend_on_numbers_take_any)
{
    for (size_t i = 0; i < COUNT(others); i++)
        expect_applied(others[i], "abc", "xyz", NULL);
}

Test(fitted_keys, the_message_says_what_to_do)
{
    expect_applied("vector C", "abc", "xyz",
                   "column \"C\": key values: expected the 3 that it had when the pipeline was "
                   "fitted, found others: \"x\" \"y\" \"z\" (docs/pipelines.md); make them equal "
                   "(pandas: astype), or "
                   "put \"value C\" first and fit again");
}

/* More values after the same ones leave the keys what they are; some types permit them. */
Test(fitted_keys, more_values_after_the_same_are_fine)
{
    expect_applied("vector C", "abc", "abcd", NULL);
    expect_applied("hash C bits=4", "abc", "abc-", NULL);
    expect_applied("vector C", "abc", "abd-", "found others");
    expect_applied("onehot C", "abc", "abcd", "was U4[0-2] when fitted, and is U4[0-3]");
    expect_applied("onehot C", "abc", "abcd", "\"value C\" first");
    expect_applied("vector C", "abc", "ab", "found 2");
}

/* Without values nothing is known of keys; once they had some, they need them. */
Test(fitted_keys, keys_without_values)
{
    expect_applied("vector C", NULL, "xyz", NULL);
    expect_applied("vector C", NULL, NULL, NULL);
    expect_applied("vector C", "abc", NULL, "found none, of type U4[0-2]");
}

/* Only keys are compared with keys: `hash` took texts as well. */
Test(fitted_keys, texts_in_place_of_keys)
{
    static const char utf8[] = "ab";
    static const int32_t ends[] = {1, 2};
    keyed train, test;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    open_keyed(&train, "abc", false);
    open_keyed(&test, NULL, false);
    dv_view_release(&test.view);
    test.table.column[0] = dvt_made_text(DV_KIND_TX, utf8, ends, 2);
    test.view = dvt_made_table_open(&test.table, NULL);
    cr_assert_eq(dvt_fit_text(&fitted, train.view, dv_text_of("hash C bits=4"), NULL, &err), DV_OK);
    cr_expect_eq(apply(fitted, test.view, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "found none, of type TX"), "%s", err.message);
    dv_fitted_release(&fitted);
    dv_view_release(&train.view);
    dv_view_release(&test.view);
}
