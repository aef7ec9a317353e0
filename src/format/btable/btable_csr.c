/* SPDX-License-Identifier: MIT */
/* btable_csr.c: decodes rows into a matrix, without batches (csr.h, btable:7).
 *
 * One thread lets the kernel split window after window; its counts become indptr. With several,
 * each segment of the file is a task. With the lock held, a task reads the counts of its segment:
 * they determine where its entries go and where the next segment starts. Then it splits the segment
 * while others read counts. A segment is loaded into the cache first, so that reading counts does
 * not wait for memory at each row.
 *
 * For unsound rows, and for dense rows with zeros that are no entries, the functions return
 * DV_NOT_FOUND: the caller reads batches instead. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/size.h"
#include "base/tasks.h"
#include "format/btable/btable_priv.h"
#include "matrix/csr_target.h"

#define SEGMENT_NBYTES (INT64_C(256) << 10) /* a multiple of 4, as all rows are */
#define WINDOW_NBYTES (INT64_C(512) << 10)  /* of one thread */
#define SEGMENTS_EACH 4 /* per thread: with fewer, a thread costs more than it gains */
#define CACHE_LINE 64

/* Rows in the file, and their position in the matrix. */
typedef struct segment {
    int64_t at, end;
    int64_t row, entry;
    int64_t room; /* entries that may be written: the next ones belong to another segment */
} segment;

/* Memory of a thread. */
typedef struct scratch {
    dvi_memory *read, *counts;
} scratch;

typedef struct filling {
    dvi_btable_file *file;
    dvi_csr_target *target;
    int64_t start, first; /* offset and number of the first row */

    pthread_mutex_t lock; /* guards `next`, and rows of the target */
    segment next;         /* the rows that no task has claimed */
} filling;

/* --- Splitting -------------------------------------------------------------------------------- */

/* Is one of these rows dense? Few tables have any, so the loop has no early exit. */
static bool has_dense(const int32_t *counts, size_t rows, int32_t slots)
{
    bool has = false;
    for (size_t i = 0; i < rows; i++)
        has |= counts[i] == slots;
    return has;
}

/* Does a dense row hold a +0? */
static bool has_dense_zero(const uint8_t *src, const int32_t *counts, size_t rows, int32_t slots)
{
    if (!has_dense(counts, rows, slots))
        return false;
    for (size_t i = 0; i < rows; i++) {
        for (int32_t k = 0; counts[i] == slots && k < slots; k++)
            if (dvi_load_u64(src + 4 + DVI_BTABLE_PAIR_NBYTES * (size_t)k + 4) == 0)
                return true;
        src += 4 + DVI_BTABLE_PAIR_NBYTES * (size_t)counts[i];
    }
    return false;
}

/* Split the complete rows of a segment: *rows_out of them, with their counts in s->counts.
 * DV_NOT_FOUND: a dense row has a zero that is no entry. */
static dv_status split(const filling *f, scratch *s, const segment *p, size_t *rows_out,
                       dvi_pairs_end *end_out, dv_error *err)
{
    dvi_span span;
    const dv_csr *csr = &f->target->csr;
    const dvi_kernel_table *kernels = dvi_kernels();
    const size_t nbytes = (size_t)(p->end - p->at);
    DVI_TRY(dvi_map_span(f->file->map, p->at, nbytes, &s->read, &span, err));
    DVI_TRY(dvi_memory_reserve(&s->counts, &f->file->allocator, nbytes, err));
    int32_t *counts = (int32_t *)(void *)s->counts->data;
    const dvi_pairs pairs = {.src = span.data,
                             .nbytes = nbytes,
                             .rows = nbytes / 4,
                             .items = (size_t)p->room,
                             .length = f->file->header.slots,
                             .dense = -1};
    int32_t no_index, *indices = &no_index; /* without room nothing is written */
    double no_item;
    void *data = &no_item;
    if (p->room > 0) {
        indices = csr->indices + p->entry;
        data = (uint8_t *)csr->data + (size_t)p->entry * dvi_csr_data_width(f->target);
    }
    if (csr->data_kind == DV_KIND_R8)
        *rows_out = kernels->pairs_split_8(counts, indices, data, &pairs, end_out);
    else
        *rows_out = kernels->pairs_split_4(counts, indices, data, &pairs, end_out);
    if (f->target->all_slots)
        return DV_OK;
    return has_dense_zero(span.data, counts, *rows_out, pairs.length) ? DV_NOT_FOUND : DV_OK;
}

/* --- One thread ------------------------------------------------------------------------------- */

/* Set *nbytes_out to the size of the row at p->at if it is longer than the window; 0: it is not,
 * and so it is unsound. */
static dv_status measure_row(const filling *f, scratch *s, const segment *p, int64_t *nbytes_out,
                             dv_error *err)
{
    dvi_span span;
    *nbytes_out = 0;
    if (f->next.end - p->at < 4)
        return DV_OK;
    DVI_TRY(dvi_map_span(f->file->map, p->at, 4, &s->read, &span, err));
    const int32_t n = dvi_load_i32_be(span.data);
    const int64_t nbytes = 4 + (int64_t)DVI_BTABLE_PAIR_NBYTES * n;
    if (n >= 0 && nbytes > p->end - p->at && nbytes <= f->next.end - p->at)
        *nbytes_out = nbytes;
    return DV_OK;
}

/* Set the ends of rows with these counts, which start at `entry`; return the end of the last one.
 */
static int64_t add_i8(int64_t *starts, const int32_t *counts, size_t rows, int64_t entry)
{
    for (size_t i = 0; i < rows; i++)
        starts[i] = entry += counts[i];
    return entry;
}

static int64_t add_i4(int32_t *starts, const int32_t *counts, size_t rows, int64_t entry)
{
    for (size_t i = 0; i < rows; i++)
        starts[i] = (int32_t)(entry += counts[i]);
    return entry;
}

/* Add the rows just split to indptr. */
static dv_status add_rows(filling *f, const scratch *s, size_t rows, dv_error *err)
{
    dvi_csr_target *target = f->target;
    const int32_t *counts = (const int32_t *)(const void *)s->counts->data;
    segment *next = &f->next;
    DVI_TRY(dvi_csr_reserve_rows(target, next->row + (int64_t)rows, err));
    if (target->csr.indptr_kind == DV_KIND_I8)
        next->entry =
            add_i8((int64_t *)target->csr.indptr + next->row + 1, counts, rows, next->entry);
    else
        next->entry =
            add_i4((int32_t *)target->csr.indptr + next->row + 1, counts, rows, next->entry);
    next->row += (int64_t)rows;
    target->csr.rows = next->row;
    return dvi_csr_check_entries(target, next->entry, err);
}

static dv_status fill_windows(filling *f, scratch *s, dv_error *err)
{
    int64_t window = WINDOW_NBYTES;
    DVI_TRY(dvi_csr_report(f->target, 0, err));
    while (f->next.at < f->next.end) {
        segment p = f->next;
        size_t rows;
        dvi_pairs_end end;
        p.end = dvi_min_i64(p.end, p.at + window);
        p.room = f->target->entries_room - p.entry;
        const dv_status status = split(f, s, &p, &rows, &end, err);
        if (status != DV_OK)
            return status;
        window = WINDOW_NBYTES;
        if (rows == 0)
            DVI_TRY(measure_row(f, s, &p, &window, err));
        if (window == 0)
            return DV_NOT_FOUND;
        DVI_TRY(add_rows(f, s, rows, err));
        f->next.at += (int64_t)end.nbytes;
        DVI_TRY(dvi_csr_report(f->target, f->target->csr.rows, err));
    }
    return DV_OK;
}

static void free_scratch(void *ctx, void *memory)
{
    scratch *s = memory;
    (void)ctx;
    dvi_memory_release(&s->read);
    dvi_memory_release(&s->counts);
}

static dv_status fill_alone(filling *f, dv_error *err)
{
    scratch s = {NULL, NULL};
    const dv_status status = fill_windows(f, &s, err);
    free_scratch(f, &s);
    return status;
}

/* --- Several ---------------------------------------------------------------------------------- */

/* Load bytes into the cache. Every line is read, because prefetch hints would be dropped. */
static void fetch(const uint8_t *data, size_t nbytes)
{
    const volatile uint8_t *p = data;
    for (size_t i = 0; i < nbytes; i += CACHE_LINE)
        (void)p[i];
}

/* Claim the rows that start before `until`: read their counts, and add them to indptr. The lock is
 * held. */
static dv_status claim_rows(filling *f, int64_t until, segment *segment_out, dv_error *err)
{
    dvi_csr_target *target = f->target;
    segment *next = &f->next;
    dvi_span span;
    *segment_out = *next;
    segment_out->end = next->at;
    if (next->at >= until)
        return DV_OK;
    DVI_TRY(dvi_map_span(f->file->map, next->at, (size_t)(until - next->at), NULL, &span, err));
    const int64_t start = next->at;
    while (next->at < until) {
        if (until - next->at < 4)
            return DV_NOT_FOUND;
        const int64_t n = dvi_load_i32_be(span.data + (next->at - start));
        if (n < 0 || n > f->file->header.slots ||
            n > (next->end - next->at - 4) / DVI_BTABLE_PAIR_NBYTES)
            return DV_NOT_FOUND;
        DVI_TRY(dvi_csr_reserve_rows(target, next->row + 1, err));
        next->entry += n;
        next->at += 4 + DVI_BTABLE_PAIR_NBYTES * n;
        dvi_csr_set_start(target, ++next->row, next->entry);
        target->csr.rows = next->row;
    }
    segment_out->end = next->at;
    segment_out->room = next->entry - segment_out->entry;
    return dvi_csr_check_entries(target, next->entry, err);
}

static dv_status run_segment(void *ctx, const dvi_task *task, dv_error *err)
{
    filling *f = ctx;
    segment p;
    size_t rows = 0;
    dvi_pairs_end end = {0, 0, 0};
    dvi_span span;
    /* All segments but the last have the same size; `end` of f->next never changes. */
    const int64_t from = f->start + task->number * SEGMENT_NBYTES;
    const int64_t until = dvi_min_i64(f->next.end, from + SEGMENT_NBYTES);
    if (DVI_ATTEMPT("btable_csr.c run_segment",
                    dvi_map_span(f->file->map, from, (size_t)(until - from), NULL, &span, NULL) ==
                        DV_OK))
        fetch(span.data, span.nbytes);

    pthread_mutex_lock(&f->lock);
    dv_status status = claim_rows(f, until, &p, err);
    pthread_mutex_unlock(&f->lock);
    if (status != DV_OK || p.at == p.end)
        return status;

    if (p.entry + p.room > f->target->entries_room)
        status = DV_NOT_FOUND; /* the caller's arrays are full: batches find the row */
    else
        status = split(f, task->scratch, &p, &rows, &end, err);
    int64_t left = p.at;
    dvi_map_leave(f->file->map, &left, p.end, 1);
    if (status == DV_OK && p.at + (int64_t)end.nbytes != p.end)
        status = DV_NOT_FOUND;
    return status;
}

static dv_status report(void *ctx, const dvi_task *task, dv_error *err)
{
    filling *f = ctx;
    (void)task;
    pthread_mutex_lock(&f->lock);
    const int64_t rows = f->target->csr.rows;
    pthread_mutex_unlock(&f->lock);
    return dvi_csr_report(f->target, rows, err);
}

static dv_status fill_together(filling *f, int32_t threads, dv_error *err)
{
    const int64_t count = (f->next.end - f->start + SEGMENT_NBYTES - 1) / SEGMENT_NBYTES;
    const dvi_tasks_how how = {.ctx = f,
                               .run = run_segment,
                               .scratch_nbytes = sizeof(scratch),
                               .free_scratch = free_scratch,
                               .workers = threads - 1,
                               .window = 2 * (int64_t)threads,
                               .count = count,
                               .runs_once = true}; /* rows are claimed once */
    DVI_TRY(dvi_csr_report(f->target, 0, err));
    return dvi_tasks_each(&how, report, &f->file->allocator, err);
}

/* --- Members of dvi_view_traits --------------------------------------------------------------- */

/* Find where the requested rows start and end. *rows_out: their number, or -1. */
static dv_status find_rows(filling *f, const dv_cursor_request *request, int64_t *rows_out,
                           dv_error *err)
{
    dvi_btable_file *file = f->file;
    const int64_t known = atomic_load(&file->rows);
    int64_t last = known;
    f->next = (segment){.end = dvi_map_nbytes(file->map)};
    DVI_TRY(dvi_btable_find_row(file, request->first_row, &f->first, &f->start, err));
    f->next.at = f->start;
    if (request->end_row != INT64_MAX && request->end_row != known)
        DVI_TRY(dvi_btable_find_row(file, request->end_row, &last, &f->next.end, err));
    *rows_out = last < 0 ? -1 : last - f->first;
    return DV_OK;
}

/* Reserve memory for all entries at once, so that arrays do not move. The number is exact if the
 * number of rows is known. */
static dv_status make_room(filling *f, int64_t rows, dv_error *err)
{
    dvi_csr_target *target = f->target;
    const int64_t nbytes = f->next.end - f->start;
    const int64_t least = dvi_max_i64(rows, nbytes > 0 ? 1 : 0);
    DVI_TRY(dvi_csr_reserve_rows(target, dvi_max_i64(rows, 0), err));
    dvi_csr_set_start(target, 0, 0);
    if (target->is_own)
        DVI_TRY(
            dvi_csr_reserve_entries(target, (nbytes - 4 * least) / DVI_BTABLE_PAIR_NBYTES, err));
    return DV_OK;
}

static dv_status fill(filling *f, const dv_cursor_request *request, dv_error *err)
{
    int64_t rows;
    DVI_TRY(find_rows(f, request, &rows, err));
    DVI_TRY(make_room(f, rows, err));
    const int64_t shares = (f->next.end - f->start) / (SEGMENTS_EACH * SEGMENT_NBYTES) + 1;
    const bool is_mapped = !dvi_map_is_copied(f->file->map);
    const int32_t n = is_mapped ? (int32_t)dvi_min_i64(request->threads, shares) : 1;
    return n > 1 ? fill_together(f, n, err) : fill_alone(f, err);
}

dv_status dvi_btable_fill_csr(void *self, const dv_cursor_request *request,
                              struct dvi_csr_target *target, dv_error *err)
{
    dvi_btable_file *file = self;
    filling f = {.file = file, .target = target};
    if (file->limits.lenient)
        return DV_NOT_FOUND;
    pthread_mutex_init(&f.lock, NULL);
    dv_status status = fill(&f, request, err);
    pthread_mutex_destroy(&f.lock);
    if (status == DV_ERR_CORRUPT || (status == DV_OK && f.next.at != f.next.end))
        status = DV_NOT_FOUND;
    if (status != DV_OK)
        return status;
    target->csr.entries = f.next.entry;
    if (f.next.end == dvi_map_nbytes(file->map))
        dvi_btable_publish_rows(file, f.first + f.next.row);
    return DV_OK;
}

/* Reads counts only. A dense row may hold zeros that are no entries: then DV_NOT_FOUND. */
dv_status dvi_btable_measure_csr(void *self, const dv_cursor_request *request,
                                 const struct dvi_csr_target *target, int64_t *rows_out,
                                 int64_t *entries_out, dv_error *err)
{
    dvi_btable_file *file = self;
    dvi_btable_row_reader reader = {.file = file};
    int64_t entries = 0, first;
    if (file->limits.lenient)
        return DV_NOT_FOUND;
    DVI_TRY(dvi_btable_find_row(file, request->first_row, &reader.row, &reader.at, err));
    first = reader.row;
    dv_status status = dvi_csr_report(target, 0, err);
    int64_t reported = reader.at;
    while (reader.row < request->end_row && status == DV_OK) {
        int32_t n = 0;
        status = dvi_btable_row_reader_next(&reader, &n, err);
        if (status == DV_OK && n == file->header.slots && !target->all_slots)
            status = DV_NOT_FOUND;
        entries += n;
        if (status == DV_OK && reader.at - reported >= SEGMENT_NBYTES) {
            reported = reader.at;
            status = dvi_csr_report(target, reader.row - first, err);
        }
    }
    dvi_btable_row_reader_free(&reader);
    *rows_out = reader.row - first;
    *entries_out = entries;
    if (status == DV_ERR_CORRUPT)
        return DV_NOT_FOUND;
    return status == DV_END ? DV_OK : status;
}
