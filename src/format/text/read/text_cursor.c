/* SPDX-License-Identifier: MIT */
/* text_cursor.c: a cursor over all rows in order, or over the rows of a split.
 *
 * The file is cut at fixed offsets, and a line belongs to the piece in which it starts. A split is
 * a piece. Where quotes may contain line ends, a line that seems to start in a piece may be the
 * middle of a row: the piece before it knows. There is only one piece if lines are not found among
 * bytes. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "format/text/read/text_piece.h"
#include <inttypes.h>

#define BATCH_ROWS (INT64_C(1) << 18)
#define SKIPPED_ROWS 65536               /* between two reports of progress */
#define ALONE_ROWS INT64_C(4096)         /* fewer rows are not divided */
#define AHEAD_NBYTES (INT64_C(16) << 20) /* the most for a line and a row ahead of their turn */

/* The requested rows of a file. */
typedef struct rows {
    dvi_text_file *file;
    dvi_map *map;           /* what is read, one reference; NULL before the start */
    dvi_text_reader reader; /* at the first row */
    int64_t first_row, end; /* numbers in the file */
    int64_t first, pieces;  /* offset of the first row; pieces from there on */
    bool has_columns;
    dvi_text_tallies tallies;
} rows;

typedef struct cursor {
    dvi_text_file *file;
    const dv_cursor_request *request;
    dvi_text_piece piece;
    rows *own;          /* in order; NULL: before the first row, or a split is read */
    int64_t number;     /* which piece */
    int64_t read;       /* rows in order; rows of the split */
    int64_t from;       /* where the split begins */
    const void *splits; /* from which the piece has its reader */
    bool is_positioned; /* in the split */
} cursor;

/* --- The first row --- */

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

int64_t dvi_text_end_row(const dvi_text_file *file)
{
    const int64_t known = atomic_load(&file->rows), most = file->options.rows;
    if (known != DV_ROWS_UNKNOWN)
        return known;
    return most >= 0 ? most : INT64_MAX;
}

/* Skip the rows before the first requested one. */
static dv_status skip(rows *r, const dv_cursor_request *request, dv_error *err)
{
    const int64_t first = dvi_min_i64(request->first_row, r->end);
    dvi_text_piece counter;
    dv_status status = dvi_text_piece_create(&counter, r->file, NULL, 0, err);
    dvi_text_piece_start(&counter, &r->reader);
    while (status == DV_OK && r->first_row < first) {
        status = dvi_request_report(request, err);
        if (status == DV_OK)
            status =
                dvi_text_piece_read(&counter, dvi_min_i64(first - r->first_row, SKIPPED_ROWS), err);
        r->first_row += status == DV_OK ? counter.n : 0;
    }
    r->reader.lines.at = counter.reader.lines.at;
    r->reader.has_begun = counter.reader.has_begun;
    dvi_text_piece_free(&counter);
    return status;
}

/* Go to the start of the first row's line. */
static dv_status find_first(rows *r, const dv_cursor_request *request, dv_error *err)
{
    dv_text line;
    DVI_TRY(skip(r, request, err));
    if (r->first_row == r->end)
        return DV_END;
    const dv_status status = dvi_text_reader_next(&r->reader, &line, &r->first, err);
    r->reader.lines.at = status == DV_OK ? r->first : r->reader.lines.at;
    return status;
}

static bool is_divided(const dvi_text_file *file)
{
    return file->options.piece_nbytes > 0 && !dvi_map_is_stream(file->map) &&
           dvi_encoding_width(&file->options.found) == 1;
}

/* The number of pieces from a byte on. */
static int64_t count_pieces(const dvi_text_file *file, int64_t first)
{
    const int64_t each = file->options.piece_nbytes;
    if (!is_divided(file))
        return 1;
    return dvi_max_i64(1, (dvi_map_nbytes(file->map) - first + each - 1) / each);
}

static void blame(void *splits, int64_t read, dv_error *err)
{
    const rows *r = splits;
    dvi_error_within(err, "row %" PRId64, r->first_row + read);
    dvi_error_set_file(err, dvi_map_name(r->file->map));
}

static void close_rows(void *splits)
{
    rows *r = splits;
    const dv_allocator *allocator = &r->file->allocator;
    dvi_text_reader_free(&r->reader);
    dvi_text_tallies_free(&r->tallies);
    dvi_map_release(&r->map);
    dvi_free(allocator, r, sizeof *r);
}

static dv_status start(rows *r, const dv_cursor_request *request, dv_error *err)
{
    const bool is_ahead = request->threads > 1 && r->end - request->first_row > ALONE_ROWS;
    const dv_status started = dvi_text_start_rows(r->file, is_ahead, &r->reader, &r->map, err);
    if (started < 0) {
        dvi_error_set_file(err, dvi_map_name(r->file->map));
        return started;
    }
    const dv_status status = started == DV_OK ? find_first(r, request, err) : started;
    if (status == DV_END && r->first_row < r->end)
        atomic_store(&r->file->rows, r->first_row);
    if (status < 0)
        blame(r, 0, err);
    r->pieces = dvi_text_lines_width(&r->reader.lines) == 1 ? count_pieces(r->file, r->first) : 1;
    return status;
}

static dv_status open_rows(rows **rows_out, dvi_text_file *file, const dv_cursor_request *request,
                           dv_error *err)
{
    rows *r;
    *rows_out = NULL;
    DVI_TRY(DVI_NEW(&file->allocator, &r, 1, err));
    r->file = file;
    r->end = dvi_min_i64(request->end_row, dvi_text_end_row(file));
    r->has_columns = request->columns_count > 0;
    r->tallies = (dvi_text_tallies){.allocator = &file->allocator, .layout = &file->layout};
    const dv_status status = request->first_row < r->end ? start(r, request, err) : DV_END;
    if (status != DV_OK) {
        close_rows(r);
        return status;
    }
    *rows_out = r;
    return DV_OK;
}

int64_t dvi_text_count_splits(const dvi_text_file *file, const dv_cursor_request *request)
{
    const int64_t end = dvi_min_i64(request->end_row, dvi_text_end_row(file));
    return end - request->first_row > ALONE_ROWS ? count_pieces(file, 0) : 1;
}

static int64_t count_most(dv_view *view, const dv_cursor_request *request)
{
    return dvi_text_count_splits(dvi_view_self(view), request);
}

static dv_status open_splits(dv_view *view, const dv_cursor_request *request, void **splits_out,
                             dvi_splits_found *found_out, dv_error *err)
{
    rows *r;
    *splits_out = NULL;
    const dv_status status = open_rows(&r, dvi_view_self(view), request, err);
    if (status != DV_OK)
        return status;
    *found_out = (dvi_splits_found){r->pieces, r->first_row, r->end - r->first_row};
    *splits_out = r;
    return DV_OK;
}

/* --- Counts --- */

static dv_status add_tallies(void *splits, int64_t before, void *counts, dv_error *err)
{
    rows *r = splits;
    return dvi_text_tallies_move(&r->tallies, counts, r->first_row + before)
               ? DV_OK
               : dvi_fail_memory(err, sizeof(dvi_text_tally));
}

static void free_counts(void *counts)
{
    dvi_text_tallies *t = counts;
    const dv_allocator allocator = *t->allocator;
    dvi_text_tallies_free(t);
    dvi_free(&allocator, t, sizeof *t);
}

static dv_status move_tallies(void *ctx, int64_t before, void **counts, dv_error *err)
{
    cursor *c = ctx;
    dvi_text_tallies *to = *counts;
    if (c->piece.tallies.n == 0)
        return DV_OK;
    if (!to) {
        DVI_TRY(DVI_NEW(&c->file->allocator, &to, 1, err));
        *to = (dvi_text_tallies){.allocator = &c->file->allocator, .layout = &c->file->layout};
        *counts = to;
    }
    return dvi_text_tallies_move(to, &c->piece.tallies, before)
               ? DV_OK
               : dvi_fail_memory(err, sizeof(dvi_text_tally));
}

/* Note how many rows there are, and add what was counted to the sums of the file. */
static void end_rows(void *splits, int64_t read, bool is_end)
{
    rows *r = splits;
    const int64_t row = r->first_row + read;
    if (is_end && (row < r->end || row == r->file->options.rows))
        atomic_store(&r->file->rows, row);
    if (r->file->options.counts && r->has_columns && read > 0)
        dvi_text_seen_add(r->file, &r->tallies, r->first_row, row);
    dvi_text_tallies_clear(&r->tallies);
}

/* --- Pieces --- */

static int64_t end_of_piece(const rows *r, int64_t number)
{
    return number + 1 < r->pieces ? r->first + (number + 1) * r->file->options.piece_nbytes
                                  : INT64_MAX;
}

/* The next rows of the piece, at most `most`. */
static dv_status read_piece(cursor *c, int64_t most, bool is_ahead, dv_error *err)
{
    const int64_t limit = c->file->limits.cursor_nbytes;
    dvi_text_piece_limit(&c->piece, is_ahead ? dvi_min_i64(limit, AHEAD_NBYTES) : limit);
    return most > 0 ? dvi_text_piece_read(&c->piece, dvi_min_i64(most, BATCH_ROWS), err) : DV_END;
}

static void fill(const cursor *c, dv_batch *batch)
{
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        dv_column_view items;
        const dv_column_view view = dvi_text_rows_column(c->piece.rows, k, batch->rows, &items);
        dvi_batch_set_slot(batch, k, &view);
    }
}

/* Rows are parsed, so none can be lent. */
static dv_status refuse_copy(const cursor *c, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    if (!request->zero_copy_only || request->columns_count == 0)
        return DV_OK;
    return dvi_fail(err, DV_ERR_COPY, "semantics:6", c->piece.reader.lines.at, "rows",
                    "bytes to be used as they are|text");
}

/* --- All rows in order --- */

static dv_status start_in_order(cursor *c, dv_error *err)
{
    if (c->own)
        return DV_OK;
    const dv_status status = open_rows(&c->own, c->file, c->request, err);
    if (status != DV_OK)
        return status;
    dvi_text_piece_start(&c->piece, &c->own->reader);
    return dvi_text_piece_seek(&c->piece, c->own->first, end_of_piece(c->own, 0), true, err);
}

static dv_status read_in_order(cursor *c, dv_error *err)
{
    const rows *r = c->own;
    DVI_TRY(refuse_copy(c, err));
    for (;;) {
        const dv_status status = read_piece(c, r->end - r->first_row - c->read, false, err);
        if (status != DV_END || c->number + 1 >= r->pieces || c->read >= r->end - r->first_row)
            return status;
        c->number++;
        DVI_TRY(dvi_text_piece_seek(&c->piece, c->piece.reader.lines.at, end_of_piece(r, c->number),
                                    true, err));
    }
}

static dv_status next_in_order(cursor *c, dv_batch *batch, dv_error *err)
{
    dv_status status = start_in_order(c, err);
    if (status != DV_OK)
        return status; /* an error is complete */
    status = read_in_order(c, err);
    if (status == DV_OK &&
        !dvi_text_tallies_move(&c->own->tallies, &c->piece.tallies, c->own->first_row + c->read))
        status = dvi_fail_memory(err, sizeof(dvi_text_tally));
    if (status == DV_OK)
        status = dv_batch_start(batch, c->own->first_row + c->read, c->piece.n, err);
    if (status < 0)
        blame(c->own, c->read, err);
    if (status == DV_OK) {
        fill(c, batch);
        c->read += batch->rows;
    }
    if (status == DV_END || (status == DV_OK && c->own->first_row + c->read >= c->own->end))
        end_rows(c->own, c->read, true);
    return status;
}

/* --- A split --- */

static dv_status seek_split(cursor *c, const dvi_split *split, dv_error *err)
{
    const rows *r = split->splits;
    const int64_t begin = r->first + split->number * c->file->options.piece_nbytes;
    if (c->splits != r)
        dvi_text_piece_start(&c->piece, &r->reader);
    c->splits = r;
    c->read = 0;
    const bool is_known = split->number == 0 || split->from >= 0;
    const int64_t end = split->is_rest ? INT64_MAX : end_of_piece(r, split->number);
    DVI_TRY(
        dvi_text_piece_seek(&c->piece, split->from >= 0 ? split->from : begin, end, is_known, err));
    c->from = c->piece.reader.lines.at;
    c->is_positioned = true;
    return DV_OK;
}

static dv_status next_of_split(cursor *c, const dvi_split *split, dv_batch *batch, dv_error *err)
{
    const rows *r = split->splits;
    DVI_TRY(refuse_copy(c, err));
    if (!c->is_positioned)
        DVI_TRY(seek_split(c, split, err));
    const int64_t most = dvi_min_i64(split->rows_most, r->end - r->first_row) - c->read;
    const dv_status status = read_piece(c, most, split->is_ahead, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, c->read, c->piece.n, err));
    fill(c, batch);
    c->read += batch->rows;
    return DV_OK;
}

static void bounds(void *ctx, int64_t *from_out, int64_t *to_out)
{
    const cursor *c = ctx;
    *from_out = c->from;
    const dvi_text_lines *lines = &c->piece.reader.lines;
    *to_out = dvi_text_lines_has_ended(lines) ? INT64_MAX : lines->at;
}

const dvi_splits_class dvi_text_splits = {.most = count_most,
                                          .open = open_splits,
                                          .close = close_rows,
                                          .bounds = bounds,
                                          .count = move_tallies,
                                          .free_counts = free_counts,
                                          .add = add_tallies,
                                          .end = end_rows,
                                          .blame = blame};

/* --- The cursor --- */

dv_status dvi_text_next(void *ctx, dv_batch *batch, dv_error *err)
{
    cursor *c = ctx;
    const dvi_split *split = dvi_request_split(c->request);
    return split ? next_of_split(c, split, batch, err) : next_in_order(c, batch, err);
}

static void leave_rows(cursor *c)
{
    if (c->own) {
        end_rows(c->own, c->read, false);
        dvi_text_piece_stop(&c->piece);
        close_rows(c->own);
    }
    c->own = NULL;
    c->read = c->number = 0;
}

/* Reading in order begins at the first row of the file again. */
dv_status dvi_text_seek(void *ctx, dv_error *err)
{
    cursor *c = ctx;
    (void)err;
    c->is_positioned = false;
    leave_rows(c);
    return DV_OK;
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
    const dv_status status =
        dvi_text_piece_create(&c->piece, file, request->columns, request->columns_count, err);
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
    leave_rows(c);
    dvi_text_piece_free(&c->piece);
    dvi_free(allocator, c, sizeof *c);
}
