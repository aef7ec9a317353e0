/* SPDX-License-Identifier: MIT */
/* test_view.c: chains of views: releasing them, and the limits of their length. */
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <pthread.h>
#include <string.h>

#define LITTLE ((size_t)256 << 10)

static dv_view *open_people(int64_t depth, int64_t chain_columns)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.depth = depth;
    options.chain_columns = chain_columns;
    dv_view *view = dvt_golden_open("idv/people.idv", &options);
    cr_assert_not_null(view);
    return view;
}

static dv_status filter(dv_view **view_out, dv_view *source, dv_error *err)
{
    const dv_text name = dv_text_of("Name");
    return dv_view_filter_na(view_out, source, &name, 1, false, NULL, err);
}

static dv_status slice(dv_view **view_out, dv_view *source, dv_error *err)
{
    return dv_view_slice(view_out, source, 0, 100, NULL, err);
}

static dv_status copy(dv_view **view_out, dv_view *source, dv_error *err)
{
    const dv_column_spec spec = {dv_text_of("Age"), dv_text_of("Age")};
    return dv_view_copy(view_out, source, &spec, 1, NULL, err);
}

static dv_status choose(dv_view **view_out, dv_view *source, dv_error *err)
{
    const dv_column_spec spec[] = {{dv_text_of("Name"), dv_text_of("Age")},
                                   {dv_text_of("Age"), dv_text_of("Name")}};
    return dv_view_select(view_out, source, spec, 2, DV_HIDDEN_DROP, NULL, err);
}

static dv_status convert(dv_view **view_out, dv_view *source, dv_error *err)
{
    const dv_conversion_spec spec = {dv_text_of("Age"), dv_text_of("Age"), dv_type_of(DV_KIND_R8)};
    return dv_view_convert(view_out, source, &spec, 1, NULL, err);
}

static dv_status bootstrap(dv_view **view_out, dv_view *source, dv_error *err)
{
    return dv_view_bootstrap(view_out, source, 1, false, NULL, err);
}

static dv_status concat(dv_view **view_out, dv_view *source, dv_error *err)
{
    dv_view *const views[] = {source, source};
    dv_view *both;
    const dv_status status = dv_view_concat(&both, views, 2, NULL, err);
    if (status < 0)
        return status;
    const dv_status sliced = dv_view_slice(view_out, both, 0, 100, NULL, err);
    dv_view_release(&both);
    return sliced;
}

typedef dv_status transform(dv_view **view_out, dv_view *source, dv_error *err);

/* As many views as there may be, one of another.  Returns the last one. */
static dv_view *pile(dv_view *view, transform *step, int64_t most, int64_t *made_out, dv_error *err)
{
    dv_view *made;
    for (*made_out = 0; *made_out < most && step(&made, view, err) == DV_OK; ++*made_out) {
        dv_view_release(&view);
        view = made;
    }
    return view;
}

static void in_thread(void *(*run)(void *view), dv_view *view, size_t stack_nbytes)
{
    pthread_attr_t how;
    pthread_t thread;
    pthread_attr_init(&how);
    cr_assert_eq(pthread_attr_setstacksize(&how, stack_nbytes), 0);
    cr_assert_eq(pthread_create(&thread, &how, run, view), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&how);
}

static void *release(void *of)
{
    dv_view *view = of;
    dv_view_release(&view);
    return NULL;
}

/* 100,000 steps of a pipeline ended in SIGSEGV: each view released the one below by recursion. */
Test(view, releasing_a_chain_takes_no_stack)
{
    transform *const steps[] = {slice, choose, concat};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int64_t made;
        const int64_t most = steps[i] == concat ? 15 : 100000; /* columns by each way: 2^15 */
        dv_error err = DV_ERROR_INIT;
        dv_view *view = pile(open_people(1000000, 100000000), steps[i], most, &made, &err);
        cr_expect_eq(made, most, "%s", err.message);
        in_thread(release, view, LITTLE);
    }
}

/* Views that are released while another one is closed wait for it, all of them. */
Test(view, releases_all_views_of_which_one_is_made)
{
    dv_error err = DV_ERROR_INIT;
    int64_t made;
    dv_view *views[3], *all;
    for (int i = 0; i < 3; i++)
        views[i] = pile(open_people(1000, 10000), i == 1 ? filter : slice, 100, &made, &err);
    cr_assert_eq(dv_view_zip(&all, views, 3, NULL, &err), DV_OK, "%s", err.message);
    for (int i = 0; i < 3; i++)
        dv_view_release(&views[i]);
    in_thread(release, all, LITTLE); /* the leak check of ASan sees what was forgotten */
}

static void *read_all(void *of)
{
    dv_view *view = of;
    dv_u128 identity;
    dv_facts *facts;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_view_identity(view, &identity, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    dv_facts_free(&facts);
    dv_status status = dv_cursor_open(&cursor, view, NULL, &err);
    while (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, &err);
    cr_expect_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
    return NULL;
}

/* A thread with 4 MiB of stack, as threads.c starts them, reads a chain of the default depth. */
Test(view, the_longest_chain_is_read_in_a_thread)
{
    const dv_open_options by_default = DV_OPEN_OPTIONS_INIT;
    transform *const steps[] = {filter, slice, copy, choose, convert, bootstrap};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        dv_error err = DV_ERROR_INIT;
        int64_t made;
        dv_view *view = pile(open_people(by_default.depth, by_default.chain_columns), steps[i],
                             INT64_MAX, &made, &err);
        cr_expect(made == by_default.depth && err.status == DV_ERR_LIMIT, "%lld: %s",
                  (long long)made, err.message);
        cr_expect_str_eq(err.rule, "depth");
        cr_expect(strstr(err.message, "at most 1000 (option depth)"), "%s", err.message);
        in_thread(read_all, view, (size_t)4 << 20);
        dv_view_release(&view);
    }
}

/* The columns of all views of a chain count, by each way to them: a concatenation of a view and
 * itself, 60 times, would be read for ever. */
Test(view, columns_of_a_chain_have_a_limit)
{
    static const struct {
        transform *step;
        int64_t made;
    } table[] = {{slice, 20}, {copy, 9}, {concat, 3}}; /* of 5 columns: 5 n; 6 + 7 + ... */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        dv_error err = DV_ERROR_INIT;
        int64_t made;
        dv_view *view = pile(open_people(1000, 100), table[i].step, INT64_MAX, &made, &err);
        cr_expect_eq(made, table[i].made, "step %zu: %lld: %s", i, (long long)made, err.message);
        cr_expect_eq(err.status, DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, "chain_columns");
        dv_view_release(&view);
    }
}

/* A view made of several has the lowest limits. */
Test(view, several_have_the_lowest_limits)
{
    dv_error err = DV_ERROR_INIT;
    int64_t made;
    dv_view *views[] = {open_people(7, 1000), open_people(1000, 1000)}, *both;
    cr_assert_eq(dv_view_zip(&both, views, 2, NULL, &err), DV_OK, "%s", err.message);
    both = pile(both, slice, INT64_MAX, &made, &err);
    cr_expect_eq(made, 6, "%s", err.message);
    for (int i = 0; i < 2; i++)
        dv_view_release(&views[i]);
    dv_view_release(&both);
}
