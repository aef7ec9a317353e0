/* SPDX-License-Identifier: MIT */
/* btable_csr.c: rows become a matrix without the way through batches (csr.h, btable:7).
 *
 * One thread lets the kernel go from window to window, and its counts become indptr.  Several take
 * parts of the file in turn: with the lock held, a thread walks over the counts of its part, which
 * say where its entries go and where the next part starts; then it splits the part while others
 * walk.  A part is fetched into the cache first, so that the walk does not wait at every row.
 *
 * Whatever is not sound, and dense rows with zeros that are to be left out, go the way of batches.
 */
#include "base/alloc.h"
#include "base/size.h"
#include "base/threads.h"
#include "format/btable/btable_priv.h"
#include "matrix/csr_target.h"

#define PART_NBYTES (INT64_C(256) << 10)   /* a multiple of 4, as all rows are */
#define WINDOW_NBYTES (INT64_C(512) << 10) /* of one thread */
#define PARTS_EACH 4                       /* for fewer, a thread costs more than it saves */
#define CACHE_LINE 64

/* Where rows lie in the file, and where they go in the matrix. */
typedef struct part {
    int64_t at, end;
    int64_t row, entry;
    int64_t room; /* entries that may be written: those after belong to another part */
} part;

/* What a thread has for itself. */
typedef struct hand {
    dvi_memory *read, *counts;
} hand;

typedef struct filling {
    dvi_btable_file *file;
    dvi_csr_target *target;
    int64_t start, first; /* offset and number of the first row */
    hand *hands;          /* one per thread */
    int32_t hands_count;

    pthread_mutex_t lock; /* guards what follows, and rows of the target */
    part next;            /* the rows that nobody took */
    dv_status status;     /* the first failure */
    dv_error error;
} filling;

/* --- Splitting -------------------------------------------------------------------------------- */

/* Is a row among these dense?  Few tables have any, so all counts are looked at at once. */
static bool has_dense(const int32_t *counts, size_t rows, int32_t slots)
{
    bool has = false;
    for (size_t i = 0; i < rows; i++)
        has |= counts[i] == slots;
    return has;
}

/* And has it a +0? */
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

/* Split the whole rows of a part; how many there are, how far they go.  Their counts are then in
 * hand->counts.  DV_NOT_FOUND: by batches, please. */
static dv_status split(const filling *f, hand *h, const part *p, size_t *rows_out,
                       dvi_pairs_end *end_out, dv_error *err)
{
    dvi_span span;
    const dv_csr *csr = &f->target->csr;
    const dvi_kernel_table *kernels = dvi_kernels();
    const size_t nbytes = (size_t)(p->end - p->at);
    DVI_TRY(dvi_map_span(f->file->map, p->at, nbytes, &h->read, &span, err));
    DVI_TRY(dvi_memory_reserve(&h->counts, &f->file->allocator, nbytes, err));
    int32_t *counts = (int32_t *)(void *)h->counts->data;
    const dvi_pairs pairs = {.src = span.data,
                             .nbytes = nbytes,
                             .rows = nbytes / 4,
                             .items = (size_t)p->room,
                             .length = f->file->header.slots,
                             .dense = -1};
    int32_t no_index, *indices = &no_index; /* where there is no room, nothing is written */
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

/* The bytes of the row at p->at, when it is longer than the window; 0: it is not, and so unsound.
 */
static dv_status measure_row(const filling *f, hand *h, const part *p, int64_t *nbytes_out,
                             dv_error *err)
{
    dvi_span span;
    *nbytes_out = 0;
    if (f->next.end - p->at < 4)
        return DV_OK;
    DVI_TRY(dvi_map_span(f->file->map, p->at, 4, &h->read, &span, err));
    const int32_t n = dvi_load_i32_be(span.data);
    const int64_t nbytes = 4 + (int64_t)DVI_BTABLE_PAIR_NBYTES * n;
    if (n >= 0 && nbytes > p->end - p->at && nbytes <= f->next.end - p->at)
        *nbytes_out = nbytes;
    return DV_OK;
}

/* Where rows of these counts start, after one that ends at `entry`; returns where the last ends.
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

/* indptr of the rows just split. */
static dv_status add_rows(filling *f, const hand *h, size_t rows, dv_error *err)
{
    dvi_csr_target *target = f->target;
    const int32_t *counts = (const int32_t *)(const void *)h->counts->data;
    part *next = &f->next;
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

static dv_status fill_alone(filling *f, dv_error *err)
{
    hand *h = &f->hands[0];
    int64_t window = WINDOW_NBYTES;
    DVI_TRY(dvi_csr_report(f->target, 0, err));
    while (f->next.at < f->next.end) {
        part p = f->next;
        size_t rows;
        dvi_pairs_end end;
        p.end = dvi_min_i64(p.end, p.at + window);
        p.room = f->target->entries_room - p.entry;
        const dv_status status = split(f, h, &p, &rows, &end, err);
        if (status != DV_OK)
            return status;
        window = WINDOW_NBYTES;
        if (rows == 0)
            DVI_TRY(measure_row(f, h, &p, &window, err));
        if (window == 0)
            return DV_NOT_FOUND;
        DVI_TRY(add_rows(f, h, rows, err));
        f->next.at += (int64_t)end.nbytes;
        DVI_TRY(dvi_csr_report(f->target, f->target->csr.rows, err));
    }
    return DV_OK;
}

/* --- Several ---------------------------------------------------------------------------------- */

/* Have the bytes in the cache.  Every line is read: a hint would be dropped. */
static void fetch(const uint8_t *data, size_t nbytes)
{
    const volatile uint8_t *p = data;
    for (size_t i = 0; i < nbytes; i += CACHE_LINE)
        (void)p[i];
}

/* Walk over the counts of the rows that start before `until`, for indptr.  The lock is held. */
static dv_status take_rows(filling *f, int64_t until, part *part_out, dv_error *err)
{
    dvi_csr_target *target = f->target;
    part *next = &f->next;
    dvi_span span;
    *part_out = *next;
    part_out->end = next->at;
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
    part_out->end = next->at;
    part_out->room = next->entry - part_out->entry;
    return dvi_csr_check_entries(target, next->entry, err);
}

/* Remember the first failure; what is not zero counts as one. */
static void remember(filling *f, dv_status status, const dv_error *error)
{
    if (status == DV_OK || f->status != DV_OK)
        return;
    f->status = status;
    f->error = *error;
}

static void run_part(void *ctx, int64_t job, int32_t worker)
{
    filling *f = ctx;
    part p;
    size_t rows = 0;
    dvi_pairs_end end = {0, 0, 0};
    dvi_span span;
    dv_error error = DV_ERROR_INIT;
    /* Parts are of one size but for the last; `end` of f->next never changes. */
    const int64_t from = f->start + job * PART_NBYTES;
    const int64_t until = dvi_min_i64(f->next.end, from + PART_NBYTES);
    if (dvi_map_span(f->file->map, from, (size_t)(until - from), NULL, &span, NULL) == DV_OK)
        fetch(span.data, span.nbytes);

    pthread_mutex_lock(&f->lock);
    dv_status status = f->status == DV_OK ? take_rows(f, until, &p, &error) : DV_END;
    remember(f, status, &error);
    pthread_mutex_unlock(&f->lock);
    if (status != DV_OK || p.at == p.end)
        return;

    if (p.entry + p.room > f->target->entries_room)
        status = DV_NOT_FOUND; /* the caller's arrays: batches tell where they end */
    else
        status = split(f, &f->hands[worker], &p, &rows, &end, &error);
    if (status == DV_OK && p.at + (int64_t)end.nbytes != p.end)
        status = DV_NOT_FOUND;
    pthread_mutex_lock(&f->lock);
    remember(f, status, &error);
    pthread_mutex_unlock(&f->lock);
}

/* In the caller's thread; what stops is the first failure, unless there was one before. */
static void report(filling *f)
{
    dv_error error = DV_ERROR_INIT;
    pthread_mutex_lock(&f->lock);
    const int64_t rows = f->target->csr.rows;
    const bool is_going = f->status == DV_OK;
    pthread_mutex_unlock(&f->lock);
    const dv_status status = is_going ? dvi_csr_report(f->target, rows, &error) : DV_OK;
    pthread_mutex_lock(&f->lock);
    remember(f, status, &error);
    pthread_mutex_unlock(&f->lock);
}

static dv_status fill_together(filling *f, dv_error *err)
{
    const int64_t jobs = (f->next.end - f->start + PART_NBYTES - 1) / PART_NBYTES;
    const int32_t workers = f->hands_count - 1;
    dvi_threads *threads;
    DVI_TRY(dvi_csr_report(f->target, 0, err));
    DVI_TRY(dvi_threads_create(&threads, workers, 2 * (workers + 1), jobs, run_part, f,
                               &f->file->allocator, err));
    for (int64_t job = 0; job < jobs; job++) {
        dvi_threads_wait(threads, job);
        dvi_threads_give_back(threads, job + 1);
        report(f);
    }
    dvi_threads_free(&threads);
    if (f->status < 0 && err)
        *err = f->error;
    return f->status;
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Where the rows asked for begin and end; rows: their number, or -1. */
static dv_status find_rows(filling *f, const dv_cursor_request *request, int64_t *rows_out,
                           dv_error *err)
{
    dvi_btable_file *file = f->file;
    const int64_t known = atomic_load(&file->rows);
    int64_t last = known;
    f->next = (part){.end = dvi_map_nbytes(file->map)};
    DVI_TRY(dvi_btable_find_row(file, request->first_row, &f->first, &f->start, err));
    f->next.at = f->start;
    if (request->end_row != INT64_MAX && request->end_row != known)
        DVI_TRY(dvi_btable_find_row(file, request->end_row, &last, &f->next.end, err));
    *rows_out = last < 0 ? -1 : last - f->first;
    return DV_OK;
}

/* Room for all entries at once, so that nothing moves: exactly as many when the rows are known. */
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

static void free_hands(filling *f)
{
    for (int32_t i = 0; i < f->hands_count; i++) {
        dvi_memory_release(&f->hands[i].read);
        dvi_memory_release(&f->hands[i].counts);
    }
    dvi_free(&f->file->allocator, f->hands, (size_t)f->hands_count * sizeof *f->hands);
}

static dv_status fill(filling *f, const dv_cursor_request *request, dv_error *err)
{
    int64_t rows;
    void *hands;
    DVI_TRY(find_rows(f, request, &rows, err));
    DVI_TRY(make_room(f, rows, err));
    const int64_t shares = (f->next.end - f->start) / (PARTS_EACH * PART_NBYTES) + 1;
    const bool is_mapped = f->file->limits.io == DV_IO_MMAP;
    const int32_t n = is_mapped ? (int32_t)dvi_min_i64(request->threads, shares) : 1;
    const size_t nbytes = (size_t)n * sizeof *f->hands;
    DVI_TRY(dvi_alloc_zeroed(&f->file->allocator, &hands, nbytes, err));
    f->hands = hands;
    f->hands_count = n;
    const dv_status status = n > 1 ? fill_together(f, err) : fill_alone(f, err);
    free_hands(f);
    return status;
}

dv_status dvi_btable_fill_csr(void *self, const dv_cursor_request *request,
                              struct dvi_csr_target *target, dv_error *err)
{
    dvi_btable_file *file = self;
    filling f = {.file = file, .target = target, .status = DV_OK};
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

/* By counts alone.  A dense row may hold zeros that are no entries: then batches tell. */
dv_status dvi_btable_measure_csr(void *self, const dv_cursor_request *request,
                                 const struct dvi_csr_target *target, int64_t *rows_out,
                                 int64_t *entries_out, dv_error *err)
{
    dvi_btable_file *file = self;
    dvi_btable_scan walk = {.file = file};
    int64_t entries = 0, first;
    if (file->limits.lenient)
        return DV_NOT_FOUND;
    DVI_TRY(dvi_btable_find_row(file, request->first_row, &walk.row, &walk.at, err));
    first = walk.row;
    dv_status status = dvi_csr_report(target, 0, err);
    int64_t reported = walk.at;
    while (walk.row < request->end_row && status == DV_OK) {
        int32_t n = 0;
        status = dvi_btable_scan_next(&walk, &n, err);
        if (status == DV_OK && n == file->header.slots && !target->all_slots)
            status = DV_NOT_FOUND;
        entries += n;
        if (status == DV_OK && walk.at - reported >= PART_NBYTES) {
            reported = walk.at;
            status = dvi_csr_report(target, walk.row - first, err);
        }
    }
    dvi_btable_scan_free(&walk);
    *rows_out = walk.row - first;
    *entries_out = entries;
    if (status == DV_ERR_CORRUPT)
        return DV_NOT_FOUND;
    return status == DV_END ? DV_OK : status;
}
