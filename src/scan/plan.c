/* SPDX-License-Identifier: MIT */
/* plan.c: says how a cursor would read. */
#include "base/check.h"
#include "base/size.h"
#include "base/tasks.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/set_cursor.h"
#include "scan/several.h"
#include <dataview/plan.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_NBYTES 500
#define COLUMNS_MOST 12 /* more are not named */

/* How the rows are read: of a set, or by a cursor alone. */
typedef struct reading {
    const dvi_set *set;   /* NULL: there is none */
    const dvi_scan *scan; /* its scan; or one by which the columns of the base are found */
    int32_t threads;
} reading;

/* A line ends in "..." where it is cut, between two characters of UTF-8. */
typedef struct line {
    char text[LINE_NBYTES];
    size_t n;
    bool is_cut;
} line;

static void __attribute__((format(printf, 2, 3))) add(line *l, const char *format, ...)
{
    va_list args;
    const size_t room = sizeof l->text - l->n;
    if (l->is_cut)
        return;
    va_start(args, format);
    const int n = vsnprintf(l->text + l->n, room, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < room) {
        l->n += (size_t)n;
        return;
    }
    l->is_cut = true;
    l->n = sizeof l->text - sizeof "...";
    while (l->n > 0 && ((uint8_t)l->text[l->n] & 0xC0) == 0x80)
        l->n--;
    memcpy(l->text + l->n, "...", 3);
    l->n += 3;
}

static bool put(const dv_sink *sink, const char *name, const line *l)
{
    char head[16];
    const int n = snprintf(head, sizeof head, "%-9s", name);
    return sink->write(sink->ctx, head, (size_t)n) && sink->write(sink->ctx, l->text, l->n) &&
           sink->write(sink->ctx, "\n", 1);
}

/* --- Lines ------------------------------------------------------------------------------------ */

static void add_rows(line *l, const dv_view *view)
{
    const int64_t rows = dv_view_rows(view);
    if (rows < 0)
        add(l, ", rows not counted yet");
    else
        add(l, ", %" PRId64 " rows", rows);
}

static void add_source(line *l, const dv_view *base)
{
    dv_view *const *views;
    const int32_t n = dvi_several_joined(base, &views);
    add(l, "%s", dv_view_kind(base));
    if (n > 0)
        add(l, " of %d views: %s%s", n, dv_view_kind(views[0]), n > 1 ? ", ..." : "");
    add_rows(l, base);
}

static void add_columns(line *l, const dv_view *base, const dv_cursor_request *asked)
{
    const dv_schema *schema = dv_view_schema(base);
    add(l, "%d of %d", asked->columns_count, dv_schema_columns(schema));
    for (int32_t k = 0; k < asked->columns_count && k < COLUMNS_MOST; k++)
        add(l, "%s%s", k == 0 ? ": " : ", ",
            dvi_show(dv_schema_column(schema, asked->columns[k])->name).text);
    if (asked->columns_count > COLUMNS_MOST)
        add(l, ", ...");
}

/* From the base up. There are as many views as steps of a pipeline, so recursion is fine. */
static void add_steps(line *l, const dv_view *view, const dv_view *base)
{
    int ignored;
    if (view == base)
        return;
    add_steps(l, dvi_row_source(view, &ignored), base);
    const dvi_view_traits *traits = dvi_view_traits_of(view);
    add(l, "%s%s", l->n > 0 ? ", then " : "", dv_view_kind(view));
    if (traits->condition)
        add(l, " (%s)", dvi_show(traits->condition(dvi_view_self(view))).text);
}

static void add_order(line *l, const dv_view *base)
{
    const dvi_view_traits *traits = dvi_view_traits_of(base);
    const dv_view *source = traits->reordered ? traits->reordered(dvi_view_self(base)) : NULL;
    if (source) {
        add(l, "rows by number: %s of %s", dv_view_kind(base), dv_view_kind(source));
        add_rows(l, source);
    } else {
        add(l, "as stored");
    }
}

static void add_division(line *l, const reading *r)
{
    const dv_view *base = dvi_scan_base(r->scan);
    const int64_t block = dv_view_block_rows(base);
    if (!r->set && block > 1)
        add(l, "no; stored in blocks of %" PRId64 " rows", block);
    else if (!r->set)
        add(l, "no");
    else if (dvi_scan_kind(r->scan) == DVI_CHUNKS_OF_ROWS)
        add(l, "%" PRId64 " chunks of rows, each of whole blocks of %" PRId64 " rows",
            dvi_scan_chunks(r->scan), block);
    else if (dvi_scan_kind(r->scan) == DVI_CHUNKS_ARE_SPLITS)
        add(l, "at most %" PRId64 " splits", dvi_scan_splits_most(r->scan));
    else
        add(l, "groups of batches of one cursor");
}

static void add_threads(line *l, const reading *r)
{
    const int32_t workers = r->set ? dvi_set_workers(r->set) : 0;
    const dvi_work own = dvi_view_work(dvi_scan_base(r->scan), dvi_scan_asked(r->scan));
    if (r->set && dvi_scan_kind(r->scan) != DVI_CHUNKS_ARE_GROUPS)
        add(l, "%d, each reads and computes its own chunks", workers + 1);
    else if (r->set)
        add(l, "%d: %d for reading, %d for steps", r->threads, r->threads - workers, workers);
    else if (r->threads > 1 &&
             (own == DVI_WORK_OWN || dv_view_block_rows(dvi_scan_base(r->scan)) > 0))
        add(l, "up to %d, in the source", r->threads);
    else
        add(l, "1");
}

static void add_memory(line *l, const reading *r)
{
    if (r->set)
        add(l, "at most %" PRId64 " chunks ahead, each with 16 MiB or one batch more",
            dvi_tasks_window(dvi_set_workers(r->set)));
    else
        add(l, "one batch");
}

/* Takes of a view keep the blocks that they decode. */
static void add_cache(line *l, const dv_view *base)
{
    const dvi_view_traits *traits = dvi_view_traits_of(base);
    const bool is_reordered = traits->reordered != NULL;
    const int64_t most = dvi_view_limits_of(base)->block_cache_nbytes;
    if (is_reordered && most > 0 && dvi_view_decodes_blocks(base))
        add(l, "decoded blocks, at most %" PRId64 " MiB, for later takes and epochs", most >> 20);
    else
        add(l, "nothing");
}

static dv_status put_lines(const reading *r, dv_view *view, const dv_sink *sink, dv_error *err)
{
    const dv_view *base = dvi_scan_base(r->scan);
    line source = {.n = 0}, columns = source, steps = source, order = source, division = source,
         threads = source, memory = source, cache = source;
    add_source(&source, base);
    add_columns(&columns, base, dvi_scan_asked(r->scan));
    add_steps(&steps, view, base);
    if (steps.n == 0)
        add(&steps, "none");
    add_order(&order, base);
    add_division(&division, r);
    add_threads(&threads, r);
    add_memory(&memory, r);
    add_cache(&cache, base);
    const bool is_written = put(sink, "source", &source) && put(sink, "columns", &columns) &&
                            put(sink, "steps", &steps) && put(sink, "order", &order) &&
                            put(sink, "divided", &division) && put(sink, "threads", &threads) &&
                            put(sink, "memory", &memory) && put(sink, "cached", &cache);
    return is_written ? DV_OK
                      : dvi_fail(err, DV_ERR_STOPPED, "", -1, "plan", "%s", "the sink stopped");
}

/* --- The plan --------------------------------------------------------------------------------- */

/* Find the base, and the columns that are read there, by a member of a scan that delivers nothing.
 */
static dv_status probe(dvi_scan **scan_out, dv_cursor **member_out, const dv_cursor *cursor,
                       dv_error *err)
{
    const dv_cursor_request *request = dvi_cursor_request(cursor);
    dv_view *view = dvi_cursor_view(cursor);
    const dvi_scan_how how = {.threads = 1};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = request->columns;
    options.columns_count = request->columns_count;
    options.zero_copy_only = request->zero_copy_only;
    DVI_TRY(dvi_scan_create(scan_out, view, &how, err));
    return dvi_scan_open_member(*scan_out, member_out, view, &options, err);
}

static dv_status plan(dv_view *view, const dv_cursor *cursor, const dv_sink *sink, dv_error *err)
{
    dvi_scan *scan = NULL;
    dv_cursor *member = NULL;
    reading r = {.set = dvi_cursor_set(cursor), .threads = dvi_cursor_request(cursor)->threads};
    dv_status status = DV_OK;
    if (r.set)
        r.scan = dvi_set_scan(r.set);
    else
        status = probe(&scan, &member, cursor, err);
    if (!r.set)
        r.scan = scan;
    if (status == DV_OK)
        status = put_lines(&r, view, sink, err);
    dv_cursor_close(&member);
    dvi_scan_release(&scan);
    return status;
}

dv_status dv_cursor_plan(dv_view *view, const dv_cursor_options *options, const dv_sink *sink,
                         dv_error *err)
{
    dv_cursor *cursor;
    DVI_TRY(dv_cursor_open(&cursor, view, options, err));
    const dv_status status = plan(view, cursor, sink, err);
    dv_cursor_close(&cursor);
    return status;
}
