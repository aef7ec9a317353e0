/* SPDX-License-Identifier: MIT */
/* fuzz_stats.c: statistics of any .idv file: the same to the last bit however the work is divided,
 * counts that agree with the rows, and bounded memory. */
#include "mutate_idv.h"
#include "opened.h"
#include "reading.h"
#include "support/stats_truth.h"
#include <dataview/stats.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

/* The options, without threads and batches. */
static dv_cursor_options draw_rows(dvt_input *in, const dv_view *view)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const int64_t rows = dv_view_rows(view);
    options.first_row = dvt_input_draw(in, 3) ? 0 : (int64_t)dvt_input_draw(in, (uint64_t)rows + 1);
    options.take = DVT_OPENED_ROWS;
    return options;
}

static dv_stats_options draw_limits(dvt_input *in)
{
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    if (dvt_input_draw(in, 2))
        options.exact_values = (int64_t)dvt_input_draw(in, 100);
    if (dvt_input_draw(in, 2))
        options.exact_distinct = (int64_t)dvt_input_draw(in, 100);
    if (dvt_input_draw(in, 4) == 0)
        options.memory_nbytes = (int64_t)dvt_input_draw(in, 1 << 20);
    return options;
}

/* Check the counts of a column with this many rows. */
static void check_counts(const dv_column_stats *c, const dv_type *type, int64_t rows)
{
    int64_t bins = 0;
    for (int i = 0; i < DV_STATS_BINS; i++)
        bins += c->bin[i];
    DVT_CHECK(c->values >= 0 && c->na >= 0 && c->na <= c->values);
    DVT_CHECK(c->defaults >= 0 && c->defaults <= c->values);
    DVT_CHECK(dv_type_is_vector(type) || c->values == rows);
    DVT_CHECK(c->ordered >= 0 && c->ordered <= c->values - c->na);
    DVT_CHECK(c->negative_infinities + c->positive_infinities <= c->ordered);
    DVT_CHECK(bins == 0 || bins == c->ordered - c->negative_infinities - c->positive_infinities);
    DVT_CHECK(c->distinct <= c->values || c->distinct_error > 0);
    DVT_CHECK(c->rank_error >= 0 && c->top_count >= 0 && c->top_count <= DV_STATS_TOP);
}

static void check_stats(const dv_stats *stats, const dv_view *view,
                        const dv_cursor_options *options)
{
    const dv_schema *schema = dv_view_schema(view);
    const int64_t left = dv_view_rows(view) - options->first_row;
    DVT_CHECK(stats->rows == (left < options->take ? left : options->take));
    for (int32_t k = 0; k < stats->columns; k++)
        check_counts(&stats->column[k], &dv_schema_column(schema, stats->column[k].column)->type,
                     stats->rows);
}

/* Compute with one or two threads, in stored batches or of some rows. Returns the result, or NULL.
 */
static uint64_t hash_stats(dv_view *view, dv_stats_options limits, dv_cursor_options rows,
                           int32_t threads, int64_t batch_rows, dv_status *status_out)
{
    dv_stats *stats;
    dv_error err = DV_ERROR_INIT;
    dvt_lines lines = {0};
    uint64_t hash = 0;
    rows.threads = threads;
    rows.batch_rows = batch_rows;
    limits.cursor = &rows;
    *status_out = dv_stats_create(&stats, view, &limits, &err);
    DVT_CHECK((*status_out == DV_OK) == (stats != NULL));
    if (stats) {
        check_stats(stats, view, &rows);
        dvt_stats_print(&lines, stats);
        hash = dvt_hash_bytes(0, lines.data, lines.nbytes);
        dvt_lines_free(&lines);
    } else {
        DVT_CHECK(err.status == *status_out && *err.message);
    }
    dv_stats_free(&stats);
    return hash;
}

static void check_view(dvt_input *in, dv_view *view)
{
    const dv_cursor_options rows = draw_rows(in, view);
    const dv_stats_options limits = draw_limits(in);
    dv_status alone, together;
    const uint64_t by_one = hash_stats(view, limits, rows, 1, 0, &alone);
    const int64_t batch_rows = (int64_t)dvt_input_draw(in, 3) * 7;
    const uint64_t by_two = hash_stats(view, limits, rows, 2, batch_rows, &together);
    DVT_CHECK((alone == DV_OK) == (together == DV_OK) && by_one == by_two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_input in;
    dvt_meter meter = {.most_nbytes = 512 << 20};
    const dv_allocator allocator = dvt_meter_allocator(&meter);
    if (dvt_input_read(&in, data, n)) {
        const dv_io io = dvt_input_draw(&in, 4) ? DV_IO_MMAP : DV_IO_PREAD;
        dv_view *view = dvt_opened(&in, io, &allocator);
        if (view)
            check_view(&in, view);
        dv_view_release(&view);
        DVT_CHECK(atomic_load(&meter.live_nbytes) == 0);
    }
    dvt_input_free(&in);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_idv_mutate(data, n, most, seed);
}
