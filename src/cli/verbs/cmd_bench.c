/* SPDX-License-Identifier: MIT */
/* cmd_bench.c: times reading a file, next to a plain read of the same bytes.
 *
 * Rounds of both alternate, so that other work on the machine slows both.  One opens the file,
 * reads all batches and touches each cache line of them; the other reads the bytes of the file into
 * a buffer. */
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/print/json.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/rate.h"
#include "cli/terminal/table.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/kernel_rates.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_LEAST 3
#define ROUNDS_MOST 9
#define SECONDS_MOST 5.0
#define LINE_NBYTES 64
#define CHUNK_NBYTES ((size_t)1 << 20)

typedef struct bench {
    const dvi_args *args;
    int64_t rows, nbytes, file_nbytes; /* rows and bytes of the view's values; bytes of the file */
    int32_t columns;
    double first, view[ROUNDS_MOST], plain[ROUNDS_MOST]; /* seconds */
    size_t rounds;
    uint8_t *chunk;
    unsigned seen; /* keeps the reads from being optimized away */
    dvi_progress progress;
    int64_t rows_per_round, rounds_expected,
        rows_before; /* -1: unknown; rows_before: of finished rounds */
} bench;

/* Touch n bytes, starting at `from`. */
static void touch(bench *b, const dv_buffer *buffer, int64_t from, int64_t n)
{
    const volatile uint8_t *data = buffer->data;
    for (int64_t i = 0; i < n; i += LINE_NBYTES)
        b->seen += data[from + i];
    b->nbytes += n;
}

static int32_t number_at(const dv_buffer *buffer, int64_t i)
{
    int32_t number;
    memcpy(&number, (const char *)buffer->data + 4 * i, sizeof number);
    return number;
}

/* The end of text i - 1, where text i begins. */
static int32_t text_end(const dv_text_layout *text, int64_t i)
{
    return i > 0 ? number_at(&text->ends, i - 1) & INT32_MAX : text->first;
}

static void touch_scalars(bench *b, const dv_column_view *column, int64_t from, int64_t rows)
{
    const dv_type *type = &column->type;
    const int64_t width =
        type->kind == DV_KIND_EXTENSION ? type->extension_width : dv_kind_width(type->kind);
    const dv_text_layout *text = &column->as.text;
    switch (column->layout) {
    case DV_LAYOUT_ZONED:
        touch(b, &column->as.zoned.ticks, 8 * from, 8 * rows);
        touch(b, &column->as.zoned.minutes, 2 * from, 2 * rows);
        break;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        touch(b, &text->ends, 4 * from, 4 * rows);
        touch(b, &text->utf8, text_end(text, from),
              text_end(text, from + rows) - text_end(text, from));
        break;
    default:
        touch(b, &column->as.fixed.values, width * from, width * rows);
        break;
    }
}

/* Touch only what belongs to the batch: its arrays may be those of a larger block. */
static void touch_vectors(bench *b, const dv_column_view *column)
{
    const dv_vector_layout *vector = &column->as.vector;
    const bool has_lengths = vector->lengths.nbytes > 0;
    int64_t indices = 0, items = 0;
    for (int64_t i = 0; i < column->rows; i++) {
        const int32_t count = number_at(&vector->counts, i);
        indices += count > 0 ? count : 0;
        items += count >= 0 ? count : has_lengths ? number_at(&vector->lengths, i) : vector->length;
    }
    if (has_lengths)
        touch(b, &vector->lengths, 0, 4 * column->rows);
    touch(b, &vector->counts, 0, 4 * column->rows);
    touch(b, &vector->indices, 4 * vector->index_base, 4 * indices);
    touch_scalars(b, vector->items, vector->item_base, items);
}

static void touch_column(bench *b, const dv_column_view *column)
{
    if (column->layout == DV_LAYOUT_VECTOR)
        touch_vectors(b, column);
    else
        touch_scalars(b, column, 0, column->rows);
}

/* Report the rows read in this round. */
static void report(bench *b, int64_t rows)
{
    const int64_t all = b->rows_per_round < 0 ? -1 : b->rows_per_round * (1 + b->rounds_expected);
    dvi_progress_rows(&b->progress, b->rows_before + rows, all);
}

/* Estimate the number of rounds from the seconds of those so far. */
static void expect_rounds(bench *b, double seconds)
{
    const double each = seconds / (double)(1 + b->rounds), rounds = SECONDS_MOST / each;
    b->rounds_expected = rounds > ROUNDS_MOST ? ROUNDS_MOST : (int64_t)rounds;
    if (b->rounds_expected < ROUNDS_LEAST)
        b->rounds_expected = ROUNDS_LEAST;
}

static dv_status read_view(bench *b, dv_view *view, const dv_cursor_options *options, dv_error *err)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    b->rows = b->nbytes = 0;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        b->rows += batch->rows;
        for (int32_t k = 0; k < batch->columns; k++)
            touch_column(b, dv_batch_column(batch, k));
        report(b, b->rows);
    }
    dv_cursor_close(&cursor);
    return status;
}

static dvi_exit time_view(bench *b, double *seconds_out)
{
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    dvi_selection selection = {0};
    const double start = dvi_rate_clock();
    dvi_exit status = dvi_input_open(&view, b->args);
    if (!status)
        status = dvi_select(&selection, b->args, view);
    b->columns = selection.count;
    b->rows_per_round = selection.rows;
    if (!status && read_view(b, view, &selection.options, &err) < 0) {
        dvi_progress_clear(&b->progress);
        status = dvi_say_reworded(&err);
    }
    dvi_selection_free(&selection);
    dv_view_release(&view);
    *seconds_out = dvi_rate_clock() - start;
    return status;
}

static dvi_exit fail_read(bench *b, const char *file)
{
    dvi_progress_clear(&b->progress);
    dvi_say("%s: %s", file, strerror(errno));
    return DVI_EXIT_SYSTEM;
}

static dvi_exit read_plain(bench *b, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0 && (n = read(fd, b->chunk, CHUNK_NBYTES)) > 0)
        b->file_nbytes += n;
    const dvi_exit status = n < 0 ? fail_read(b, path) : DVI_EXIT_DONE;
    if (fd >= 0)
        close(fd);
    return status;
}

static dvi_exit time_plain(bench *b, double *seconds_out)
{
    const double start = dvi_rate_clock();
    dvi_exit status = DVI_EXIT_DONE;
    b->file_nbytes = 0;
    for (int i = 0; i < b->args->paths.count && !status; i++)
        status = read_plain(b, b->args->paths.word[i]);
    *seconds_out = dvi_rate_clock() - start;
    return status;
}

static dvi_exit time_rounds(bench *b)
{
    const double start = dvi_rate_clock();
    dvi_exit status = time_view(b, &b->first);
    b->rows_before = b->rows;
    expect_rounds(b, b->first);
    while (!status && b->rounds < ROUNDS_MOST &&
           (b->rounds < ROUNDS_LEAST || dvi_rate_clock() - start < SECONDS_MOST)) {
        status = time_plain(b, &b->plain[b->rounds]);
        if (!status)
            status = time_view(b, &b->view[b->rounds]);
        b->rounds++;
        b->rows_before += b->rows;
        expect_rounds(b, dvi_rate_clock() - start);
    }
    dvi_progress_clear(&b->progress);
    return status;
}

/* Add the seconds, and the rates of rows and bytes; -1: no such rate. */
static void add_line(dvi_table *table, const char *what, double seconds, int64_t rows,
                     int64_t file_nbytes, int64_t nbytes)
{
    char text[DVI_RATE_CAP];
    dvi_table_add_text(table, dv_text_of(what));
    dvi_table_add_text(table, dv_text_of(dvi_rate_seconds(text, seconds)));
    const int64_t amounts[] = {rows, file_nbytes, nbytes};
    for (int i = 0; i < 3; i++) {
        const char *unit = i == 0 ? "rows" : "B";
        if (amounts[i] < 0)
            *text = 0;
        else
            dvi_rate_text(text, (double)amounts[i] / seconds, unit);
        dvi_table_add_text(table, dv_text_of(text));
    }
}

static dvi_exit write_table(bench *b, dvi_out *out)
{
    static const char *const header[] = {"", "time", "rows", "file", "values"};
    const dvi_screen screen = dvi_screen_of(out->fd);
    dvi_table table;
    dvi_table_init(&table, &screen, 1);
    for (int i = 0; i < 5; i++)
        dvi_table_column_add(&table, DVI_COLUMN_FIRM | (i ? DVI_COLUMN_RIGHT : 0));
    for (int i = 0; i < 5; i++)
        dvi_table_add_text(&table, dv_text_of(header[i]));
    add_line(&table, "first time", b->first, b->rows, b->file_nbytes, b->nbytes);
    const double view = dvi_rate_median(b->view, b->rounds);
    const double plain = dvi_rate_median(b->plain, b->rounds);
    add_line(&table, "again", view, b->rows, b->file_nbytes, b->nbytes);
    add_line(&table, "plain read", plain, -1, b->file_nbytes, -1);
    const dvi_exit status = dvi_table_print(&table, out);
    dvi_table_free(&table);
    if (!status && !b->args->quiet)
        dvi_out_print(out,
                      "\n%.2f of the speed of a plain read (medians of %zu alternating rounds)\n",
                      plain / view, b->rounds);
    return status;
}

static dvi_exit write_json(bench *b, dvi_out *out)
{
    const double view = dvi_rate_median(b->view, b->rounds);
    const double plain = dvi_rate_median(b->plain, b->rounds);
    dvi_json json;
    dvi_json_begin(&json, "bench", b->args);
    dvi_json_put(&json, "rows", dvi_json_count(b->rows));
    dvi_json_put(&json, "column_count", dvi_json_count(b->columns));
    dvi_json_put(&json, "file_nbytes", dvi_json_count(b->file_nbytes));
    dvi_json_put(&json, "values_nbytes", dvi_json_count(b->nbytes));
    dvi_json_put(&json, "rounds", dvi_json_count((int64_t)b->rounds));
    dvi_json_put(&json, "first_time_ns", dvi_json_ns(b->first));
    dvi_json_put(&json, "again_ns", dvi_json_ns(view));
    dvi_json_put(&json, "plain_read_ns", dvi_json_ns(plain));
    dvi_json_put(&json, "again_rows_per_s", dvi_json_rate((double)b->rows, view));
    dvi_json_put(&json, "again_file_nbytes_per_s", dvi_json_rate((double)b->file_nbytes, view));
    dvi_json_put(&json, "again_values_nbytes_per_s", dvi_json_rate((double)b->nbytes, view));
    dvi_json_put(&json, "plain_read_nbytes_per_s", dvi_json_rate((double)b->file_nbytes, plain));
    dvi_json_put(&json, "of_plain_read", dvi_json_real(plain / view));
    return dvi_json_end(&json, out);
}

static dvi_exit bench_file(bench *b, dvi_out *out)
{
    char rows[DVI_AMOUNT_CAP], columns[DVI_AMOUNT_CAP], nbytes[DVI_AMOUNT_CAP];
    char buffer[DVI_TITLE_CAP];
    const char *title = dvi_input_title(b->args, buffer);
    const dvi_exit status = time_rounds(b);
    if (status)
        return status;
    if (b->args->json)
        return write_json(b, out);
    dvi_out_shown(out, title, strlen(title));
    dvi_out_print(out, ": %s, %s, %s\n\n", dvi_amount_count(rows, b->rows, "row"),
                  dvi_amount_count(columns, b->columns, "column"),
                  dvi_amount_bytes(nbytes, b->file_nbytes));
    return write_table(b, out);
}

dvi_exit dvi_cmd_bench(const dvi_args *args, dvi_out *out)
{
    if (args->kernels)
        return args->json ? dvi_kernel_rates_json(out) : dvi_kernel_rates(out);
    if (dvi_input_has_pipe(args))
        return dvi_say_usage("bench reads a file many times: save the pipe into a file first");
    bench b = {.args = args, .chunk = malloc(CHUNK_NBYTES), .rounds_expected = ROUNDS_LEAST};
    if (!b.chunk)
        return dvi_say_memory();
    dvi_progress_start(&b.progress, args->progress, args->quiet);
    const dvi_exit status = bench_file(&b, out);
    free(b.chunk);
    return status;
}
