/* SPDX-License-Identifier: MIT */
/* text_cursor.c: a cursor over rows, which threads read ahead piece by piece.
 *
 * The file is cut at fixed offsets, and a line belongs to the piece in which it starts. Task k
 * reads the first rows of piece k within bounded memory; the caller reads the rest. There is only
 * one piece if line starts can be found only by reading from the start. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "format/text/read/text_piece.h"
#include "scan/tasks.h"
#include <inttypes.h>

#define BATCH_ROWS (INT64_C(1) << 18)
#define SKIPPED_ROWS 65536               /* between two reports of progress */
#define ALONE_ROWS INT64_C(4096)         /* fewer rows are not read ahead */
#define AHEAD_NBYTES (INT64_C(16) << 20) /* the most for a line and a row ahead of their turn */

typedef struct cursor {
    dvi_text_file *file;
    const dv_cursor_request *request;
    dvi_map *map;           /* what is read, one reference; NULL before the start */
    dvi_text_reader reader; /* at the first row, once is_positioned */
    bool has_started, is_positioned;
    int64_t row; /* the next row */
    int64_t end;

    dvi_tasks *tasks; /* each of a dvi_text_piece */
    int64_t window;
    int32_t threads_most;
    int64_t first, pieces, piece; /* offset of the first piece; their number; the current one */
    dvi_text_piece *taken;        /* the current piece; NULL: not taken yet */
    int64_t most;                 /* rows that a task reads at most */
    dvi_text_tallies tallies;     /* for rows from first_row on */
    int64_t first_row;
} cursor;

dv_status dvi_text_start_rows(const dvi_text_file *file, bool is_ahead, dvi_text_reader *reader,
                              dvi_map **map_out, dv_error *err)
{
    const bool has_header = file->options.has_header && file->options.header_file.nbytes < 0;
    dv_text line;
    int64_t offset;
    *map_out = NULL;
    dv_status status =
        dvi_text_reader_start(reader, file->map, &file->options, dvi_text_line_limit(file), err);
    for (int i = has_header + (has_header && file->options.has_unit_row); status == DV_OK && i > 0;
         i--)
        status = dvi_text_reader_next(reader, &line, &offset, err);
    DVI_TRY(status);
    DVI_TRY(dvi_map_begin_reading(file->map, is_ahead, map_out, err));
    reader->lines.map = *map_out;
    reader->peeks = file->options.csv && file->options.allow_quoting;
    return DV_OK;
}

/* --- Tasks --- */

static dv_status seek_piece(const cursor *c, const dvi_task *task, dv_error *err)
{
    const int64_t each = c->file->options.piece_nbytes, begin = c->first + task->number * each;
    const int64_t end = task->number + 1 < c->pieces ? begin + each : INT64_MAX;
    return dvi_text_piece_seek(task->place, begin, end, task->number == 0, err);
}

static dv_status run_task(void *ctx, const dvi_task *task, dv_error *err)
{
    const cursor *c = ctx;
    dvi_text_piece *p = task->place;
    const int64_t limit = c->file->limits.cursor_nbytes;
    DVI_TRY(seek_piece(c, task, err));
    dvi_text_piece_limit(p, task->is_next ? limit : dvi_min_i64(limit, AHEAD_NBYTES));
    const dv_status status = dvi_text_piece_read(p, c->most, err);
    dvi_text_piece_limit(p, limit);
    return status == DV_END ? DV_OK : status; /* an empty piece */
}

static void free_piece(void *ctx, void *place)
{
    (void)ctx;
    dvi_text_piece_free(place);
}

/* --- The first row --- */

/* Skip the rows before the first requested one. */
static dv_status skip(cursor *c, dv_error *err)
{
    const int64_t first = dvi_min_i64(c->request->first_row, c->end);
    dvi_text_piece counter;
    dv_status status = dvi_text_piece_create(&counter, c->file, NULL, 0, err);
    dvi_text_piece_start(&counter, &c->reader);
    while (status == DV_OK && c->row < first) {
        status = dvi_request_report(c->request, err);
        if (status == DV_OK)
            status = dvi_text_piece_read(&counter, dvi_min_i64(first - c->row, SKIPPED_ROWS), err);
        c->row += status == DV_OK ? counter.n : 0;
    }
    c->reader.lines.at = counter.reader.lines.at;
    c->reader.has_begun = counter.reader.has_begun;
    dvi_text_piece_free(&counter);
    return status;
}

/* Go to the start of the first row's line. */
static dv_status find_first(cursor *c, dv_error *err)
{
    dv_text line;
    DVI_TRY(skip(c, err));
    if (c->row == c->end)
        return DV_END;
    const dv_status status = dvi_text_reader_next(&c->reader, &line, &c->first, err);
    c->reader.lines.at = status == DV_OK ? c->first : c->reader.lines.at;
    return status;
}

/* The number of pieces from a byte on. */
static int64_t count_pieces(const dvi_text_file *file, int64_t first)
{
    const int64_t each = file->options.piece_nbytes;
    const bool has_one = each == 0 || dvi_map_is_stream(file->map) ||
                         (file->options.multilines && file->options.allow_quoting);
    return has_one ? 1 : dvi_max_i64(1, (dvi_map_nbytes(file->map) - first + each - 1) / each);
}

/* Go to the first requested row, and start the tasks. DV_END: there is no such row. */
static dv_status start_pieces(cursor *c, dv_error *err)
{
    if (c->is_positioned)
        return DV_OK;
    if (!c->has_started) {
        dvi_text_reader_free(&c->reader);
        c->row = 0;
        DVI_TRY(dvi_text_start_rows(c->file, c->threads_most > 1, &c->reader, &c->map, err));
        c->has_started = true;
    }
    const dv_status status = find_first(c, err);
    if (status != DV_OK)
        return status;
    const bool has_bytes = dvi_text_lines_width(&c->reader.lines) == 1;
    c->pieces = has_bytes ? count_pieces(c->file, c->first) : 1;
    c->most = dvi_min_i64(c->end - c->row, BATCH_ROWS);
    for (int64_t i = 0; i < c->window; i++)
        dvi_text_piece_start(dvi_tasks_place(c->tasks, i), &c->reader);
    dvi_tasks_allow(c->tasks, c->pieces);
    c->is_positioned = true;
    return DV_OK;
}

/* --- Rows --- */

/* Take the piece, if that was not done yet; then read its next rows, if it has no more. */
static dv_status read_piece(cursor *c, dv_error *err)
{
    if (!c->taken) {
        void *place;
        DVI_TRY(dvi_tasks_take(c->tasks, c->piece, &place, err));
        c->taken = place;
    }
    if (c->taken->n > 0)
        return DV_OK;
    return dvi_text_piece_read(c->taken, dvi_min_i64(c->end - c->row, BATCH_ROWS), err);
}

static dv_status read_rows(cursor *c, dvi_text_piece **piece_out, dv_error *err)
{
    while (c->piece < c->pieces) {
        const dv_status status = read_piece(c, err);
        *piece_out = c->taken;
        if (status != DV_END)
            return status;
        dvi_tasks_give_back(c->tasks, ++c->piece);
        c->taken = NULL;
    }
    return DV_END;
}

static void fill(const cursor *c, const dvi_text_piece *p, dv_batch *batch)
{
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        dv_column_view items;
        const dv_column_view view = dvi_text_rows_column(p->rows, k, batch->rows, &items);
        dvi_batch_set_slot(batch, k, &view);
    }
}

static dv_status read_batch(cursor *c, dv_batch *batch, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    dvi_text_piece *p;
    DVI_REQUIRE(!request->zero_copy_only || request->columns_count == 0,
                dvi_fail(err, DV_ERR_COPY, "semantics:6", c->first, "rows",
                         "bytes to be used as they are|text"));
    const dv_status status = read_rows(c, &p, err);
    if (status != DV_OK)
        return status;
    DVI_REQUIRE(dvi_text_tallies_move(&c->tallies, &p->tallies, c->row),
                dvi_fail_memory(err, sizeof(dvi_text_tally)));
    DVI_TRY(dv_batch_start(batch, c->row, dvi_min_i64(p->n, c->end - c->row), err));
    fill(c, p, batch);
    c->row += batch->rows;
    p->n = 0;
    return DV_OK;
}

/* Add what was counted to the sums of the file. */
static void add_tallies(cursor *c)
{
    if (c->file->options.counts && c->request->columns_count > 0 && c->row > c->first_row)
        dvi_text_seen_add(c->file, &c->tallies, c->first_row, c->row);
    c->first_row = c->row;
}

static dv_status next(cursor *c, dv_batch *batch, dv_error *err)
{
    dv_status status = c->row < c->end ? start_pieces(c, err) : DV_END;
    if (status == DV_OK)
        status = read_batch(c, batch, err);
    if (status == DV_END && (c->row < c->end || c->row == c->file->options.rows))
        atomic_store(&c->file->rows, c->row);
    if (status == DV_END || (status == DV_OK && c->row >= c->end))
        add_tallies(c);
    return status;
}

dv_status dvi_text_next(void *ctx, dv_batch *batch, dv_error *err)
{
    cursor *c = ctx;
    const dv_status status = next(c, batch, err);
    if (status < 0) {
        if (c->has_started)
            dvi_error_within(err, "row %" PRId64, c->row);
        dvi_error_set_file(err, dvi_map_name(c->file->map));
    }
    return status;
}

/* --- Opening and closing --- */

static dv_status set_up(cursor *c, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    c->threads_most = c->end - request->first_row > ALONE_ROWS ? request->threads : 1;
    const int32_t workers = (int32_t)dvi_min_i64(c->threads_most, count_pieces(c->file, 0)) - 1;
    c->window = dvi_tasks_window(workers);
    const dvi_tasks_how how = {.ctx = c,
                               .run = run_task,
                               .place_nbytes = sizeof(dvi_text_piece),
                               .free_place = free_piece,
                               .workers = workers,
                               .window = c->window};
    DVI_TRY(dvi_tasks_create(&c->tasks, &how, &c->file->allocator, err));
    for (int64_t i = 0; i < c->window; i++)
        DVI_TRY(dvi_text_piece_create(dvi_tasks_place(c->tasks, i), c->file, request->columns,
                                      request->columns_count, err));
    return DV_OK;
}

int64_t dvi_text_end_row(const dvi_text_file *file)
{
    const int64_t rows = atomic_load(&file->rows), most = file->options.rows;
    if (rows != DV_ROWS_UNKNOWN)
        return rows;
    return most >= 0 ? most : INT64_MAX;
}

dv_status dvi_text_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                               dv_error *err)
{
    dvi_text_file *file = self;
    cursor *c;
    *cursor_out = NULL;
    DVI_TRY(DVI_NEW(&file->allocator, &c, 1, err));
    c->file = file;
    c->request = request;
    c->end = dvi_min_i64(request->end_row, dvi_text_end_row(file));
    c->first_row = request->first_row;
    c->tallies = (dvi_text_tallies){.allocator = &file->allocator, .layout = &file->layout};
    const dv_status status = set_up(c, err);
    if (status < 0)
        dvi_text_close_cursor(c);
    else
        *cursor_out = c;
    return status;
}

void dvi_text_close_cursor(void *ctx)
{
    cursor *c = ctx;
    const dv_allocator *allocator = &c->file->allocator;
    dvi_tasks_free(&c->tasks);
    dvi_text_reader_free(&c->reader);
    add_tallies(c);
    dvi_text_tallies_free(&c->tallies);
    dvi_map_release(&c->map);
    dvi_free(allocator, c, sizeof *c);
}
