/* SPDX-License-Identifier: MIT */
/* idv_save_blocks.c: writes rows as blocks (idv:7.3).
 *
 * A batch has the rows of one block of every column: a step. Each column of a step is a task, which
 * encodes and compresses its block. Tasks are numbered step by step, run on any thread, and their
 * blocks are written in that order. Up to threads + 2 steps are in progress. */
#include "base/alloc.h"
#include "base/size.h"
#include "base/tasks.h"
#include "format/idv/save/idv_save_priv.h"
#include <inttypes.h>

#define TICK_NS 100000000               /* between two reports while blocks are compressed */
#define RING_ENTRIES_MAX INT64_C(65536) /* fewer steps of very wide tables are in progress */

/* A block that a task has made. */
typedef struct made_block {
    dvi_idv_encoded encoded;
    dvi_memory *compressed;
    size_t compressed_nbytes;
} made_block;

/* What each thread owns. */
typedef struct tool {
    dvi_deflater *deflater; /* NULL: nothing is compressed */
    dvi_memory *joined;
} tool;

struct dvi_idv_pipeline {
    dvi_idv_saver *saver;
    int64_t ring;             /* steps in progress, at most */
    const dv_batch **batches; /* one per step */
    dvi_tasks *tasks;
    int64_t begun, written; /* steps */
    int64_t rows_begun, reported;
    dv_error stop; /* of a report while the consumer waited; DV_OK: go on */
};

typedef dvi_idv_pipeline pipeline;

/* --- One block -------------------------------------------------------------------------------- */

dv_status dvi_idv_align(const dvi_idv_saver *saver, const dvi_idv_encoded *block, dv_error *err)
{
    const uint64_t at = (uint64_t)(dvi_writer_offset(saver->writer) + block->widest);
    const uint64_t align = (uint64_t)saver->saving->options->align;
    return dvi_writer_pad(saver->writer, (size_t)(-at & (align - 1)), err);
}

dv_status dvi_idv_write_fragments(const dvi_idv_saver *saver, const dvi_idv_encoded *block,
                                  dv_error *err)
{
    for (int32_t i = 0; i < block->count; i++)
        DVI_TRY(dvi_writer_write(saver->writer, block->fragments[i].data,
                                 block->fragments[i].nbytes, err));
    return DV_OK;
}

dv_status dvi_idv_join(const dvi_idv_encoded *block, const dv_allocator *allocator,
                       dvi_memory **memory, const void **bytes_out, dv_error *err)
{
    *bytes_out = block->fragments[0].data;
    if (block->count == 1)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(memory, allocator, (size_t)block->nbytes, err));
    uint8_t *dst = (*memory)->data;
    for (int32_t i = 0; i < block->count; i++) {
        memcpy(dst, block->fragments[i].data, block->fragments[i].nbytes);
        dst += block->fragments[i].nbytes;
    }
    *bytes_out = (*memory)->data;
    return DV_OK;
}

static dv_status compress(const dvi_idv_saver *saver, tool *t, made_block *e, dv_error *err)
{
    const dvi_wrapper wrapper =
        saver->compression == DVI_IDV_ZLIB ? DVI_WRAPPER_ZLIB : DVI_WRAPPER_RAW;
    const dv_allocator *allocator = saver->saving->allocator;
    const size_t n = (size_t)e->encoded.nbytes;
    const size_t cap = dvi_deflate_bound(t->deflater, wrapper, n);
    const void *bytes;
    DVI_TRY(dvi_idv_join(&e->encoded, allocator, &t->joined, &bytes, err));
    DVI_TRY(dvi_memory_reserve(&e->compressed, allocator, cap, err));
    e->compressed_nbytes = dvi_deflate(t->deflater, wrapper, bytes, n, e->compressed->data, cap);
    if (e->compressed_nbytes <= INT32_MAX)
        return DV_OK;
    return dvi_fail(err, DV_ERR_LIMIT, "rows_per_block", -1, "compressed block",
                    "at most 2^31-1 bytes (option rows_per_block)|%zu", e->compressed_nbytes);
}

static dv_status make_block(void *ctx, const dvi_task *task, dv_error *err)
{
    const pipeline *p = ctx;
    const dvi_idv_saver *saver = p->saver;
    const int64_t step = task->number / saver->columns_count;
    const int32_t k = (int32_t)(task->number % saver->columns_count);
    const dv_batch *batch = p->batches[step % p->ring];
    made_block *e = task->place;
    const dvi_idv_source source = {&saver->dialect, saver->saving->allocator,
                                   dv_schema_column(saver->saving->schema, saver->columns[k])->name,
                                   batch->first_row};
    dv_status status =
        dvi_idv_encode(&source, &saver->codecs[k], dv_batch_column(batch, k), &e->encoded, err);
    if (status == DV_OK && saver->compression != DVI_IDV_STORED)
        status = compress(saver, task->scratch, e, err);
    if (status == DV_ERR_LIMIT) {
        dvi_error_within(err, "column \"%s\"", dvi_show(source.column).text);
        dvi_error_set_file(err, saver->saving->path);
    }
    return status;
}

static void free_block(void *ctx, void *place)
{
    made_block *e = place;
    (void)ctx;
    dvi_idv_encoded_free(&e->encoded);
    dvi_memory_release(&e->compressed);
}

static void free_tool(void *ctx, void *scratch)
{
    tool *t = scratch;
    (void)ctx;
    dvi_deflater_free(&t->deflater);
    dvi_memory_release(&t->joined);
}

/* --- Steps ------------------------------------------------------------------------------------ */

static dv_status write_block(pipeline *p, int64_t number, const made_block *e, dv_error *err)
{
    dvi_idv_saver *saver = p->saver;
    const bool is_stored = saver->compression == DVI_IDV_STORED;
    if (is_stored)
        DVI_TRY(dvi_idv_align(saver, &e->encoded, err));
    saver->entries[number] =
        (dvi_idv_entry){dvi_writer_offset(saver->writer),
                        (int32_t)(is_stored ? (size_t)e->encoded.nbytes : e->compressed_nbytes),
                        (int32_t)e->encoded.nbytes};
    if (is_stored)
        return dvi_idv_write_fragments(saver, &e->encoded, err);
    return dvi_writer_write(saver->writer, e->compressed->data, e->compressed_nbytes, err);
}

static void drop_batch(pipeline *p, int64_t step)
{
    dv_batch_release(&p->batches[step % p->ring]);
}

/* Report rows, never fewer than before. */
static dv_status report_rows(pipeline *p, int64_t rows, dv_error *err)
{
    p->reported = dvi_max_i64(p->reported, rows);
    return dvi_saving_progress(p->saver->saving, p->reported, err);
}

/* One block can take seconds, so the blocks that are done count as a share of their rows. */
static void report_blocks(void *ctx, int64_t done)
{
    pipeline *p = ctx;
    const dvi_idv_saver *saver = p->saver;
    const int64_t ahead = done - p->written * saver->columns_count;
    const double share = (double)ahead / saver->columns_count;
    const int64_t rows = (int64_t)(share * (double)p->batches[p->written % p->ring]->rows);
    if (p->stop.status == DV_OK)
        report_rows(p, dvi_min_i64(saver->rows + rows, p->rows_begun), &p->stop);
}

/* Write the oldest step. */
static dv_status finish_step(pipeline *p, dv_error *err)
{
    dvi_idv_saver *saver = p->saver;
    const int64_t first = p->written * saver->columns_count, end = first + saver->columns_count;
    void *entries = saver->entries;
    const dv_status status =
        dvi_array_reserve(saver->saving->allocator, &entries, &saver->entries_cap, (size_t)end,
                          sizeof *saver->entries, err);
    saver->entries = entries;
    DVI_TRY(status);
    for (int64_t number = first; number < end; number++) {
        void *place;
        DVI_TRY(dvi_tasks_take(p->tasks, number, &place, err));
        if (p->stop.status < 0) {
            if (err)
                *err = p->stop;
            return p->stop.status;
        }
        DVI_TRY(write_block(p, number, place, err));
    }
    dvi_tasks_give_back(p->tasks, end);
    saver->rows += p->batches[p->written % p->ring]->rows;
    drop_batch(p, p->written++);
    return report_rows(p, saver->rows, err);
}

dv_status dvi_idv_pipeline_put(pipeline *p, const dv_batch *batch, dv_error *err)
{
    p->batches[p->begun++ % p->ring] = batch;
    p->rows_begun += batch->rows;
    dvi_tasks_allow(p->tasks, p->begun * p->saver->columns_count);
    return p->begun - p->written == p->ring ? finish_step(p, err) : DV_OK;
}

dv_status dvi_idv_pipeline_report(pipeline *p, dv_error *err)
{
    return report_rows(p, p->reported, err);
}

dv_status dvi_idv_pipeline_drain(pipeline *p, dv_error *err)
{
    while (p->written < p->begun)
        DVI_TRY(finish_step(p, err));
    p->saver->blocks = p->written;
    return DV_OK;
}

/* --- The whole -------------------------------------------------------------------------------- */

static dv_status make_tools(pipeline *p, int32_t n, dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        tool *t = dvi_tasks_scratch(p->tasks, i);
        DVI_TRY(dvi_deflater_create(&t->deflater, p->saver->level, err));
    }
    return DV_OK;
}

/* Encoding without compression is mostly no copy and not worth a thread. Compressing takes several
 * times longer than decoding the source, so most threads compress. */
static int32_t share_threads(dvi_idv_saver *saver)
{
    const int32_t threads = saver->saving->threads;
    const bool has_work = saver->compression != DVI_IDV_STORED;
    saver->base.threads = has_work ? (int32_t)dvi_max_i64(threads / 4, 1) : threads;
    return threads - saver->base.threads;
}

static dv_status set_up(pipeline *p, dv_error *err)
{
    dvi_idv_saver *saver = p->saver;
    const dv_allocator *allocator = saver->saving->allocator;
    const dv_save_options *options = saver->saving->options;
    const int32_t shared = share_threads(saver);
    /* Whoever compresses cannot report, so the consumer leaves it to one more thread. */
    const bool reports = saver->compression != DVI_IDV_STORED && options->progress.report;
    const int32_t workers = shared + reports;
    p->ring = dvi_min_i64(dvi_tasks_window(shared), RING_ENTRIES_MAX / saver->columns_count + 1);
    const dvi_tasks_how how = {.ctx = p,
                               .run = make_block,
                               .place_nbytes = sizeof(made_block),
                               .scratch_nbytes = sizeof(tool),
                               .free_place = free_block,
                               .free_scratch = free_tool,
                               .workers = workers,
                               .window = p->ring * saver->columns_count,
                               .tick = reports ? report_blocks : NULL,
                               .tick_ns = TICK_NS};
    DVI_TRY(DVI_NEW(allocator, &p->batches, (size_t)p->ring, err));
    DVI_TRY(dvi_tasks_create(&p->tasks, &how, allocator, err));
    return saver->compression == DVI_IDV_STORED ? DV_OK : make_tools(p, workers + 1, err);
}

void dvi_idv_pipeline_close(pipeline **pipeline_out)
{
    pipeline *p = *pipeline_out;
    *pipeline_out = NULL;
    if (!p)
        return;
    const dv_allocator *allocator = p->saver->saving->allocator;
    dvi_tasks_free(&p->tasks);
    for (; p->written < p->begun; p->written++)
        drop_batch(p, p->written);
    dvi_free(allocator, p->batches, (size_t)p->ring * sizeof *p->batches);
    dvi_free(allocator, p, sizeof *p);
}

dv_status dvi_idv_pipeline_open(pipeline **pipeline_out, dvi_idv_saver *saver, dv_error *err)
{
    void *made;
    *pipeline_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(saver->saving->allocator, &made, sizeof(pipeline), err));
    *pipeline_out = made;
    (*pipeline_out)->saver = saver;
    (*pipeline_out)->stop = (dv_error)DV_ERROR_INIT;
    const dv_status status = set_up(*pipeline_out, err);
    if (status < 0)
        dvi_idv_pipeline_close(pipeline_out);
    return status;
}
