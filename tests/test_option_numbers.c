/* SPDX-License-Identifier: MIT */
/* test_option_numbers.c: whatever numbers the options for reading and saving hold, a call succeeds
 * or refuses them.
 *
 * block_rows near 2^63 overflowed.  So the numbers of every struct of options are set to the ends
 * of their types, alone and two at a time, and all that the options are for is done.  The
 * sanitizers see arithmetic that overflows; the allocator sees requests that follow from a number
 * that no file has.  test_order_numbers.c does so with epochs, feeds and matrices. */
#include "support/option_numbers.h"
#include "support/test.h"

TestSuite(option_numbers, .init = dvt_small_open, .fini = dvt_small_close);

static bool ignore(void *ctx, const dv_error *what)
{
    (void)ctx;
    (void)what;
    return true;
}

/* --- Opening, reading, verifying -------------------------------------------------------------- */

static dv_status use_open(void *options, dv_error *err)
{
    dv_view *view;
    dv_verify_options verify = DV_VERIFY_OPTIONS_INIT;
    verify.defect = ignore;
    dv_status status = dv_open(&view, dvt_small_paths[dvt_small_now].text, options, err);
    if (status == DV_OK)
        status = dvt_read_rows(view, NULL, err);
    if (status == DV_END)
        status = dv_verify(view, &verify, err);
    dv_view_release(&view);
    return status;
}

Test(option_numbers, open)
{
    static const dvt_number numbers[] = {DVT_NUMBER(dv_open_options, io),
                                         DVT_NUMBER(dv_open_options, columns),
                                         DVT_NUMBER(dv_open_options, metadata_nbytes),
                                         DVT_NUMBER(dv_open_options, metadata_toc_nbytes),
                                         DVT_NUMBER(dv_open_options, block_nbytes),
                                         DVT_NUMBER(dv_open_options, cursor_nbytes),
                                         DVT_NUMBER(dv_open_options, rows_without_columns),
                                         DVT_NUMBER(dv_open_options, nesting),
                                         DVT_NUMBER(dv_open_options, message_nbytes),
                                         DVT_NUMBER(dv_open_options, spool_nbytes),
                                         DVT_NUMBER(dv_open_options, window_nbytes),
                                         DVT_NUMBER(dv_open_options, depth),
                                         DVT_NUMBER(dv_open_options, chain_columns),
                                         DVT_NUMBER(dv_open_options, row_nbytes),
                                         DVT_NUMBER(dv_open_options, line_nbytes),
                                         DVT_NUMBER(dv_open_options, block_cache_nbytes),
                                         DVT_NUMBER(dv_open_options, bad_fields)};
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = &dvt_small_allocator;
    dvt_numbered_try_tables(&DVT_NUMBERED("open", options, numbers, SIZE_MAX, use_open), 0, 1);
}

static const dvt_number cursor_fields[] = {
    DVT_NUMBER(dv_cursor_options, columns_count), DVT_NUMBER(dv_cursor_options, first_row),
    DVT_NUMBER(dv_cursor_options, end_row),       DVT_NUMBER(dv_cursor_options, skip),
    DVT_NUMBER(dv_cursor_options, take),          DVT_NUMBER(dv_cursor_options, batch_rows),
    DVT_NUMBER(dv_cursor_options, threads),       DVT_NUMBER(dv_cursor_options, named_count)};

static dv_status use_cursor(void *options, dv_error *err)
{
    dv_row_cursor *rows;
    dv_status status = dvt_read_rows(dvt_small_views[dvt_small_now], options, err);
    if (status < 0)
        return status;
    status = dv_row_cursor_open(&rows, dvt_small_views[dvt_small_now], options, err);
    while (status == DV_OK)
        status = dv_row_next(rows, err);
    dv_row_cursor_close(&rows);
    return status;
}

Test(option_numbers, cursor)
{
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_numbered_try_tables(&DVT_NUMBERED("cursor", options, cursor_fields, SIZE_MAX, use_cursor),
                            0, 1);
}

static dv_status use_set(void *options, dv_error *err)
{
    dv_cursor *members[3], *all;
    int32_t n;
    const dv_batch *batch;
    dv_status status =
        dv_cursor_set_open(members, 3, &n, dvt_small_views[dvt_small_now], options, err);
    if (status != DV_OK)
        return status;
    status = dv_cursor_set_consolidate(&all, members, n, err);
    while (status == DV_OK)
        status = dv_cursor_next(all, &batch, err);
    dv_cursor_close(&all);
    return status;
}

Test(option_numbers, cursor_set)
{
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_numbered_try_tables(&DVT_NUMBERED("cursor set", options, cursor_fields, SIZE_MAX, use_set),
                            0, 1);
}

static dv_status use_materialize(void *options, dv_error *err)
{
    dv_view *made;
    dv_materialize_options how = DV_MATERIALIZE_OPTIONS_INIT;
    how.cursor = options;
    dv_status status =
        dv_view_materialize(&made, dvt_small_views[dvt_small_now], &how, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(made, NULL, err);
    dv_view_release(&made);
    return status;
}

Test(option_numbers, materialize)
{
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_numbered_try_tables(
        &DVT_NUMBERED("materialize", options, cursor_fields, SIZE_MAX, use_materialize), 0, 1);
}

/* Rows 5..14 of those, and so on: positions are added to each other. */
static dv_status use_chain(void *options, dv_error *err)
{
    dv_view *slice, *both = NULL;
    dv_status status =
        dv_view_slice(&slice, dvt_small_views[dvt_small_now], 5, 10, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dv_view_concat(&both, (dv_view *[]){slice, dvt_small_views[dvt_small_now]}, 2,
                                &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(both, options, err);
    dv_view_release(&both);
    dv_view_release(&slice);
    return status;
}

Test(option_numbers, cursor_of_a_chain)
{
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_numbered_try_tables(&DVT_NUMBERED("chain", options, cursor_fields, SIZE_MAX, use_chain), 0,
                            1);
}

/* --- Saving ----------------------------------------------------------------------------------- */

static dv_status use_save(void *options, dv_error *err)
{
    static const char *const to[] = {"idv", "btable", "datadings", "text"};
    dv_save_options *o = options;
    dv_status status = DV_OK;
    for (size_t i = 0; i < sizeof to / sizeof *to && status >= 0; i++) {
        dv_buffer bytes;
        o->format = to[i];
        o->datadings = "key=rownumber drop_metadata=SlotNames";
        status = dv_save_memory(dvt_small_views[1], &bytes, o, err);
        dv_buffer_release(&bytes);
    }
    return status;
}

Test(option_numbers, save)
{
    static const dvt_number numbers[] = {
        DVT_NUMBER(dv_save_options, columns_count),  DVT_NUMBER(dv_save_options, first_row),
        DVT_NUMBER(dv_save_options, end_row),        DVT_NUMBER(dv_save_options, skip),
        DVT_NUMBER(dv_save_options, take),           DVT_NUMBER(dv_save_options, threads),
        DVT_NUMBER(dv_save_options, allow_loss),     DVT_NUMBER(dv_save_options, memory_nbytes),
        DVT_NUMBER(dv_save_options, rows_per_block), DVT_NUMBER(dv_save_options, block_nbytes),
        DVT_NUMBER(dv_save_options, compression),    DVT_NUMBER(dv_save_options, level),
        DVT_NUMBER(dv_save_options, align)};
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.allocator = &dvt_small_allocator;
    dvt_numbered_try(&DVT_NUMBERED("save", options, numbers, SIZE_MAX, use_save));
}

/* --- Statistics and caches -------------------------------------------------------------------- */

static dv_status use_stats(void *options, dv_error *err)
{
    dv_stats *stats;
    const dv_status status = dv_stats_create(&stats, dvt_small_views[dvt_small_now], options, err);
    dv_stats_free(&stats);
    return status;
}

Test(option_numbers, stats)
{
    static const dvt_number numbers[] = {DVT_NUMBER(dv_stats_options, exact_values),
                                         DVT_NUMBER(dv_stats_options, exact_distinct),
                                         DVT_NUMBER(dv_stats_options, memory_nbytes)};
    const dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dvt_numbered_try_tables(&DVT_NUMBERED("stats", options, numbers, SIZE_MAX, use_stats), 0, 1);
}

static dv_status use_stats_cursor(void *options, dv_error *err)
{
    dv_stats_options how = DV_STATS_OPTIONS_INIT;
    how.cursor = options;
    return use_stats(&how, err);
}

Test(option_numbers, cursor_of_stats)
{
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_numbered_try_tables(
        &DVT_NUMBERED("stats", options, cursor_fields, SIZE_MAX, use_stats_cursor), 0, 1);
}

static dv_status use_counts(void *options, dv_error *err)
{
    dv_counts *counts;
    const dv_status status =
        dv_counts_create(&counts, dvt_small_views[dvt_small_now], 0, options, err);
    dv_counts_free(&counts);
    return status;
}

Test(option_numbers, counts)
{
    static const dvt_number numbers[] = {DVT_NUMBER(dv_counts_options, most),
                                         DVT_NUMBER(dv_counts_options, exact_distinct),
                                         DVT_NUMBER(dv_counts_options, memory_nbytes)};
    const dv_counts_options options = DV_COUNTS_OPTIONS_INIT;
    dvt_numbered_try_tables(&DVT_NUMBERED("counts", options, numbers, SIZE_MAX, use_counts), 0, 1);
}

static dv_status use_cache(void *options, dv_error *err)
{
    dv_view *made;
    dv_status status =
        dv_view_cache(&made, dvt_small_views[dvt_small_now], options, &dvt_small_allocator, err);
    if (status == DV_OK)
        status = dvt_read_rows(made, NULL, err);
    dv_view_release(&made);
    return status;
}

Test(option_numbers, cache)
{
    static const dvt_number numbers[] = {DVT_NUMBER(dv_cache_options, threads),
                                         DVT_NUMBER(dv_cache_options, prefetch_count),
                                         DVT_NUMBER(dv_cache_options, memory_nbytes)};
    const dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    dvt_numbered_try_tables(&DVT_NUMBERED("cache", options, numbers, SIZE_MAX, use_cache), 0, 1);
}
