/* SPDX-License-Identifier: MIT */
/* fuzz_views.c: any chain of views on any file: bounded memory, the same rows in every way of
 * reading, with any batches and threads, with failing allocations, and from a cursor opened with
 * the token of another one.
 *
 * An input is the format and the number of options in the table below (a byte), the number of bytes
 * that draw the chain (a byte), these, and the file. With DVT_LOG in the environment the steps of
 * the chain are printed. */
#include "mutate_btable.h"
#include "mutate_idv.h"
#include "opened.h"
#include "reading.h"
#include "support/drawn_chain.h"
#include "support/resumed.h"
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INPUT_NBYTES = 1 << 15, /* larger ones are not looked at */
    CHAIN_NBYTES = 63,
    SOURCE_ROWS = 600, /* that a chain sees */
    ROWS = 1500,       /* that are read */
    MEMORY_NBYTES = 192 << 20,
    TRIES = 200
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

static const char *const formats[] = {"idv", "btable", "datadings", "text"};
static const char *const text_options[] = {
    "",
    "col=A:TX:0 col=B:TX:1 col=C:TX:2-**",
    "sep=comma col=L:BL:0 col=F:R4:1-* col=N:I4:~",
    "sep=comma,tab header+ col=A:0-2 col=B:TX:3-5 col=C:U4[4]:6",
    "multilines+ sep=comma trim+ col=A:TX:0 col=B:TX:1-**",
    "rows=3 header+ col=A:5,1-2,9-** col=B:TX:~",
    "sep=comma blank=empty col=A:R4:0 col=B:I4:1 col=C:TX:0-2 col=F:R8:0-2",
    "piece=7 sep=comma col=A:I2:0 col=A:TX:0 col=B:DZ:1 col=C:U8:0-1",
};
static const char *const datadings_options[] = {"", "infer=1 mismatch=na", "raw",
                                                "col=key:TX col=a:I8 col=b:R4 mismatch=na",
                                                "col=a:V<R4,*> col=b:V<TX,*> mismatch=na"};

/* What an input specifies. */
typedef struct plan {
    dvt_input *in;
    dv_open_options how;
    const uint8_t *chain, *file;
    size_t chain_nbytes, file_nbytes;
    dvt_answer all; /* every column that is read */
    int32_t columns;
    bool has_log; /* print the chain */
} plan;

#define PICK(list, number) list[(number) % (sizeof list / sizeof *list)]

static bool read_plan(plan *p, dvt_input *in)
{
    *p = (plan){.in = in, .how = DV_OPEN_OPTIONS_INIT};
    if (in->n < 2 || in->n > INPUT_NBYTES)
        return false;
    const uint8_t number = in->data[0] >> 2;
    p->chain_nbytes = in->data[1] & CHAIN_NBYTES;
    if (2 + p->chain_nbytes > in->n)
        return false;
    p->chain = in->data + 2;
    p->file = p->chain + p->chain_nbytes;
    p->file_nbytes = in->n - 2 - p->chain_nbytes;
    p->how.format = formats[in->data[0] & 3];
    p->how.text = PICK(text_options, number);
    p->how.datadings = PICK(datadings_options, number);
    p->how.lenient = number & 1;
    p->how.columns = DVT_READ_COLUMNS;
    p->how.metadata_nbytes = 1 << 14;
    p->how.metadata_toc_nbytes = 1 << 15;
    p->how.block_nbytes = 1 << 16;
    p->how.cursor_nbytes = 1 << 20;
    p->how.rows_without_columns = DVT_OPENED_ROWS;
    p->how.nesting = 100;
    p->has_log = getenv("DVT_LOG");
    return true;
}

/* --- Views ------------------------------------------------------------------------------------ */

/* The chain on the first rows of the source; its own first rows.  NULL: out of memory, which
 * happens only on purpose. */
static dv_view *make_chain(const plan *p, dv_view *source, const dv_allocator *allocator)
{
    dvt_lines log = {0};
    dvt_draws draws = {p->chain, p->chain_nbytes};
    dv_view *some = NULL, *chain = NULL, *view = NULL;
    dv_status status = dv_view_slice(&some, source, 0, SOURCE_ROWS, allocator, NULL);
    if (status == DV_OK)
        status = dvt_drawn_chain(&chain, some, &draws, allocator, p->has_log ? &log : NULL, NULL);
    if (status == DV_OK)
        status = dv_view_slice(&view, chain, 0, ROWS, allocator, NULL);
    DVT_CHECK((status == DV_OK) == (view != NULL));
    DVT_CHECK(status == DV_OK || status == DV_ERR_MEMORY);
    if (p->has_log)
        fprintf(stderr, "%s: %s\n", p->how.format, log.data ? log.data : "no step");
    dvt_lines_free(&log);
    dv_view_release(&some);
    dv_view_release(&chain);
    return view;
}

/* The input opened, with the chain instead of the file.  With fail_at some allocations fail, and
 * the chain is made again, of a file that knows nothing yet of its rows. */
static void open_chain(dvt_metered *m, const plan *p, dv_io io, long long fail_at)
{
    dv_open_options how = p->how;
    dv_view *view = NULL;
    how.io = io;
    dvt_metered_open(m, p->file, p->file_nbytes, &how, MEMORY_NBYTES, fail_at);
    if (!m->view)
        return;
    const dv_allocator allocator = dvt_meter_allocator(&m->meter);
    for (int tries = 0; !view; tries++) {
        DVT_CHECK(tries == 0 || (fail_at > 0 && tries <= DVT_METERED_FAILURES));
        if (tries > 0)
            dvt_metered_reopen(m, p->file, p->file_nbytes, &how);
        view = make_chain(p, m->view, &allocator);
    }
    dv_view_release(&m->view);
    m->view = view;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static const int32_t every_column[DVT_READ_COLUMNS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                       8, 9, 10, 11, 12, 13, 14, 15};

/* Without a column, read the ids: a view that only counts need not check that the taken rows exist.
 */
static dvt_reading all_of(const plan *p)
{
    return (dvt_reading){.columns = every_column,
                         .columns_count = p->columns,
                         .end_row = -1,
                         .threads = 1,
                         .ids = p->columns == 0,
                         .own_ids = true};
}

static void draw_way(plan *p, dvt_reading *reading)
{
    static const int64_t batch_rows[] = {0, 1, 3, 64};
    reading->batch_rows = batch_rows[dvt_input_draw(p->in, 4)];
    reading->threads = 1 + (int32_t)dvt_input_draw(p->in, 3);
    reading->by_row = dvt_input_draw(p->in, 3) == 0;
    reading->ids = p->columns == 0 || dvt_input_draw(p->in, 2);
    reading->writes = dvt_input_draw(p->in, 4) == 0;
}

/* Every column in another way. */
static void check_same(const dvt_reading *reading, const dvt_answer *answer, const plan *p)
{
    if (!dvt_answer_same(answer, &p->all) && p->has_log)
        fprintf(stderr,
                "batch_rows %d, threads %d, by_row %d, ids %d: %d rows, status %d, %s\n"
                "                          instead of: %d rows, status %d, %s\n",
                (int)reading->batch_rows, reading->threads, reading->by_row, reading->ids,
                (int)answer->rows, (int)answer->status, answer->err.message, (int)p->all.rows,
                (int)p->all.status, p->all.err.message);
    DVT_CHECK(dvt_answer_same(answer, &p->all));
}

static void check_whole(const dvt_metered *m, plan *p)
{
    dvt_reading reading = all_of(p);
    draw_way(p, &reading);
    const dvt_answer answer = dvt_read_view(m->view, &reading);
    check_same(&reading, &answer, p);
}

/* Some rows, and the rest. If a reading fails, one that starts later may not: a bootstrap skips
 * rows of which it draws no copy. */
static void check_slice(const dvt_metered *m, plan *p)
{
    const int64_t rows = p->all.rows;
    const int64_t first = (int64_t)dvt_input_draw(p->in, (uint64_t)rows + 1);
    const int64_t end = first + (int64_t)dvt_input_draw(p->in, (uint64_t)(rows - first) + 1);
    dvt_reading whole = all_of(p), some = all_of(p);
    whole.marked_row = first;
    whole.marked_end = end;
    some.first_row = first;
    some.end_row = end;
    some.by_skip = dvt_input_draw(p->in, 2);
    draw_way(p, &some);
    const dvt_answer all = dvt_read_view(m->view, &whole), part = dvt_read_view(m->view, &some);
    check_same(&whole, &all, p);
    if (part.status != DV_END && p->has_log)
        fprintf(stderr, "rows %d to %d, threads %d, by_row %d, by_skip %d: %d rows, %s\n",
                (int)first, (int)end, some.threads, some.by_row, some.by_skip, (int)part.rows,
                part.err.message);
    DVT_CHECK(part.status == DV_END && part.rows == end - first);
    DVT_CHECK(memcmp(part.hash, all.marked, sizeof part.hash) == 0);
    some.end_row = -1;
    const dvt_answer rest = dvt_read_view(m->view, &some);
    DVT_CHECK(rest.rows >= rows - first);
    DVT_CHECK(p->all.status < 0 || (rest.status == DV_END && rest.rows == rows - first));
}

/* Limits and combined slots are counted for a batch: rows of it before the one at fault may be lost
 * with it. */
static bool is_counted_by_batch(const dvt_answer *answer)
{
    return answer->status == DV_ERR_LIMIT || answer->status == DV_ERR_ARGUMENT;
}

/* Fewer columns never fail earlier.  One exception: without a damaged column a batch may reach a
 * row that has too many slots, and its first rows are lost with it. */
static void check_columns(const dvt_metered *m, plan *p)
{
    int32_t columns[DVT_READ_COLUMNS], n = 0;
    for (int32_t k = p->columns - 1; k >= 0; k--)
        if (dvt_input_draw(p->in, 2))
            columns[n++] = k;
    dvt_reading reading = all_of(p);
    reading.columns = columns;
    reading.columns_count = n;
    draw_way(p, &reading);
    const dvt_answer answer = dvt_read_view(m->view, &reading);
    if (p->all.status != DV_END && is_counted_by_batch(&answer))
        return;
    DVT_CHECK(answer.rows >= p->all.rows);
    DVT_CHECK(p->all.status != DV_END || answer.status == DV_END);
    DVT_CHECK(p->all.status != DV_END || answer.rows == p->all.rows);
    for (int32_t k = 0; k < n && p->all.status == DV_END; k++)
        DVT_CHECK(answer.hash[k] == p->all.hash[columns[k]]);
}

/* A cursor on the other view, made from the same bytes read in another way, resumes from a token.
 */
static void check_tokens(const dvt_metered *a, const dvt_metered *b, plan *p)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = every_column;
    options.columns_count = p->columns;
    options.ids = dvt_input_draw(p->in, 2);
    options.batch_rows = (int64_t)dvt_input_draw(p->in, 3) * 5;
    options.first_row = (int64_t)dvt_input_draw(p->in, 3);
    options.take = (int64_t)dvt_input_draw(p->in, 3) * 100 - 1;
    options.skip = (int64_t)dvt_input_draw(p->in, 2) * 2;
    options.threads = 1 + (int32_t)dvt_input_draw(p->in, 2);
    const char *difference =
        dvt_resume_difference(a->view, b->view, &options, dvt_input_draw(p->in, 1 << 30));
    if (difference)
        dvt_check(false, difference, __FILE__, __LINE__);
}

/* With allocations that fail and are tried again, the answer is the same. One exception: a cache
 * goes on after the rows that it kept, and a reading that starts later may not fail (check_slice).
 */
static void check_memory(plan *p, dv_io io)
{
    dvt_metered m;
    dvt_reading reading = all_of(p);
    open_chain(&m, p, io, 1 + (long long)dvt_input_draw(p->in, TRIES));
    draw_way(p, &reading);
    reading.writes = false; /* that needs memory too */
    const long long at = 1 + (long long)dvt_input_draw(p->in, TRIES);
    dvt_metered_fail(&m, at, 1 + (long long)dvt_input_draw(p->in, DVT_METERED_FAILURES));
    const dvt_answer answer = dvt_read_view(m.view, &reading);
    if (p->all.status == DV_END || answer.rows <= p->all.rows)
        check_same(&reading, &answer, p);
    dvt_metered_close(&m);
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Rows of a batch may be lost: only the status can be compared.  A smaller batch may not even reach
 * the row at fault, if a slice needs no row from there on. */
static void check_status(const dvt_metered *m, plan *p)
{
    dvt_reading reading = all_of(p);
    draw_way(p, &reading);
    const dv_status status = dvt_read_view(m->view, &reading).status;
    DVT_CHECK(status == p->all.status || status == DV_END);
}

/* Only a row tells the lengths of its vectors: dv_view_combine, how many slots they have together;
 * dv_view_pack, whether its columns have equal lengths.  "view 1: " may be before the message. */
static bool has_wrong_lengths(const dvt_answer *answer)
{
    return answer->status == DV_ERR_ARGUMENT &&
           (strstr(answer->err.message, "slots of a vector:") ||
            strstr(answer->err.message, "when the pack was planned"));
}

/* All ways of reading; false: there is no more to be compared. */
static bool check_views(const dvt_metered *a, const dvt_metered *b, plan *p)
{
    const int32_t columns = dv_schema_columns(dv_view_schema(a->view));
    p->columns = columns < DVT_READ_COLUMNS ? columns : DVT_READ_COLUMNS;
    const dvt_reading reading = all_of(p);
    p->all = dvt_read_view(a->view, &reading);
    if (p->has_log)
        fprintf(stderr, "%d columns, %d rows, status %d, %s\n", p->columns, (int)p->all.rows,
                (int)p->all.status, p->all.err.message);
    DVT_CHECK(p->all.status == DV_END || p->all.status == DV_ERR_CORRUPT ||
              p->all.status == DV_ERR_LIMIT || p->all.status == DV_ERR_UNSUPPORTED ||
              has_wrong_lengths(&p->all));
    if (is_counted_by_batch(&p->all)) {
        check_status(b, p);
        return false;
    }
    const int64_t known = dv_view_rows(a->view);
    DVT_CHECK(known < 0 || p->all.status != DV_END || known == p->all.rows);
    check_whole(a, p);
    check_whole(b, p);
    check_slice(a, p);
    check_columns(b, p);
    check_tokens(a, b, p);
    dvt_metered_verify(a, (int64_t)dvt_input_draw(p->in, 4));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    dvt_input in;
    plan p;
    dvt_metered a, b;
    if (dvt_input_read(&in, data, n) && read_plan(&p, &in)) {
        open_chain(&a, &p, DV_IO_MMAP, 0);
        open_chain(&b, &p, DV_IO_PREAD, 0);
        DVT_CHECK(a.status == b.status);
        const bool is_sound = a.view && check_views(&a, &b, &p);
        dvt_metered_close(&a);
        dvt_metered_close(&b);
        if (is_sound)
            check_memory(&p, dvt_input_draw(&in, 2) ? DV_IO_MMAP : DV_IO_PREAD);
    }
    dvt_input_free(&in);
    return 0;
}

/* Chain or file: a file in the way of its format, now and then anything. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    const size_t head = n < 2 ? n : 2 + (size_t)(data[1] & CHAIN_NBYTES);
    if (n < 2 || head >= n || seed % 8 == 0)
        return LLVMFuzzerMutate(data, n, most);
    if (seed % 2 == 0) {
        LLVMFuzzerMutate(data, head, head);
        return n;
    }
    uint8_t *file = data + head;
    switch (data[0] & 3) {
    case 0:
        return head + dvt_idv_mutate(file, n - head, most - head, seed);
    case 1:
        return head + dvt_btable_mutate(file, n - head, most - head, seed);
    default:
        return head + LLVMFuzzerMutate(file, n - head, most - head);
    }
}
