/* SPDX-License-Identifier: MIT */
/* fuzz_text.c: reads any bytes that are not packed as text with any options: memory is bounded,
 * every way of reading and every piece size give the same rows as line by line, and facts and
 * verification agree with reading.
 *
 * An input is the number of options in the table below (a byte under ' '), or options up to a NUL;
 * then the file. */
#include "io/unpack.h"
#include "opened.h"
#include "reading.h"
#include <dataview/inspect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 14,    /* larger inputs are ignored */
    OPTIONS_NBYTES = 1 << 12, /* longer options too */
    PIECE_NBYTES = 32,        /* of an option that is added */
    LIMIT_NBYTES = 1 << 20,   /* of a row */
    TRIES = 60
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const fixed_options[] = {
    "",
    "col=A:TX:0 col=B:TX:1 col=C:TX:2-**",
    "sep=comma col=L:BL:0 col=F:R4:1-* col=N:I4:~",
    "sep=comma,tab header+ col=A:0-2 col=B:TX:3-5 col=C:U4[4]:6",
    "multilines+ sep=comma escapechar=\\\\ col=A:TX:0 col=B:TX:1 col=C:R8:2",
    "multilines+ sep=comma trim+ col=A:TX:0 col=B:TX:1-**",
    "quote- sparse- sep=colon col=A:TS:0 col=B:DT:1 col=C:DZ:2 col=D:UG:3",
    "size=7 sep=space col=L:0 col=F:1-6 col=V:TX:2-**",
    "missingrealnan+ col=A:R8:0-3 col=B:R4:2-** col=C:TX:1-**",
    "sep=bar decimal=, blank=na col=A:I1:0 col=B:I2:0 col=C:I8:0 col=D:U1:0 col=E:U2:0 col=F:U8:0",
    "rows=3 header+ col=A:5,1-2,9-** col=B:TX:~",
    "sep=, col=A:DZ:0 col=B:DZ:1-4 col=C:DZ:5-**",
    "col=F:R4:0-2000000000",
    "keysyntax=seed col=K:U1[1-9]:0-3 col=J:U8[0-*]:~**",
    "sep=comma blank=empty col=A:R4:0 col=B:I4:1 col=C:TX:0-2 col=F:R8:0-2",
    "sep=comma trim+ sparse- col=A:I2:0 col=B:TX:1 col=C:BL:1 col=D:U8:0-1",
    "csv+ strict+ defaults- sparse- comment=none sep=comma multilines+ col=A:TX:0 col=B:I8:1 "
    "col=C:R8:2",
    "csv+ strict- defaults- sparse- comment=# sep=comma ends=lf escapechar=\\\\ col=A:TX:0 "
    "col=B:I4:1",
    "csv+ strict+ defaults- sparse- sep=blanks header+ unitrow+ date=%d/%b/%Y col=A:TX:0 "
    "col=B:DT:1 "
    "col=C:R4:2",
    "csv+ strict- sparse- sep=||,semicolon zeros+ multilines+ col=A:TX:0 col=B:R8:1-3 col=C:I8:4",
    "csv+ strict- sparse- sep=comma date=%d.%m.%y %I:%M:%S.%f %p %z col=A:DT:0 col=B:DZ:1-3 "
    "col=C:TX:2-**",
    "csv+ sparse- sep=semicolon thousands=. decimal=, affixes=[$ %] parentheses+ col=A:R8:0 "
    "col=B:I4:1",
    "csv+ strict- sparse- sep=comma quotechar=' multilines+ col=A:TX:0 col=B:R8:1 col=C:TX:2",
    "sep=comma quotechar=| escapechar=\\\\ col=A:TX:0 col=B:I4:1 col=C:TX:2-**",
    "csv+ sparse- match=union header+ sep=comma col=A:R8:0 col=B:TX:1-2 col=C:I8:4",
    "csv+ sparse- sep=comma date=mdy thousands=space col=A:DT:0 col=B:DZ:1 col=C:R4:2-**",
    "encoding=windows-1252 csv+ strict- sparse- sep=comma col=A:TX:0 col=B:R8:1-3 col=C:I8:4",
    "encoding=iso-8859-7 sep=semicolon trim+ missing=[NA] col=A:TX:0 col=B:TX:1-**",
    "encoding=utf-16le csv+ sparse- sep=comma multilines+ col=A:TX:0 col=B:I4:1",
    "encoding=utf-16be sep=tab header+ col=A:TX:0-2 col=B:R4:3",
    "encoding=utf-32le csv+ sparse- sep=comma col=A:TX:0 col=B:I8:1",
    "encoding=utf-32be sep=space col=A:TX:0-**",
    "encoding=gbk csv+ sparse- sep=bar col=A:TX:0 col=B:I4:1",
    "encoding=shift_jis sep=comma col=A:TX:0 col=B:TX:1-**",
};
#define FIXED (sizeof fixed_options / sizeof *fixed_options)

/* Bytes, their options, and draws that depend on them. */
typedef struct input {
    char options[OPTIONS_NBYTES + 1];
    uint8_t *data; /* an allocation of its own */
    size_t n;
    uint64_t draws;
    dvt_answer all; /* every column */
    int32_t columns;
} input;

static uint64_t draw(input *in, uint64_t below)
{
    in->draws = dvt_hash_number(in->draws, 0x5EED);
    return (in->draws >> 16) % below;
}

/* Options that name a file are not tested. */
static bool names_a_file(const char *options)
{
    for (const char *p = options; *p; p++) {
        const char c = (char)(*p | 0x20), d = (char)(p[1] | 0x20);
        if (c == 'h' && (d == 'f' || strncmp(p + 1, "eaderf", 6) == 0 || d == 'e'))
            return d == 'f' || memchr(p, 'f', strlen(p)) || memchr(p, 'F', strlen(p));
    }
    return false;
}

static bool read_input(input *in, const uint8_t *data, size_t n)
{
    *in = (input){.draws = dvt_hash_bytes(0, data, n)};
    if (n == 0 || n > FILE_NBYTES + OPTIONS_NBYTES)
        return false;
    size_t used = 1;
    if (data[0] < ' ') {
        strcpy(in->options, fixed_options[data[0] % FIXED]);
    } else {
        const uint8_t *end = memchr(data, 0, n);
        const size_t length = end ? (size_t)(end - data) : n;
        if (length > OPTIONS_NBYTES)
            return false;
        memcpy(in->options, data, length);
        used = length + (end != NULL);
    }
    if (n - used > FILE_NBYTES || names_a_file(in->options) ||
        dvi_packing_of(data + used, n - used) != DVI_PACKING_NONE) /* fuzz_packed.c has those */
        return false;
    in->n = n - used;
    in->data = malloc(in->n); /* exact size, so that ASan sees every access beyond */
    if (in->n > 0)
        memcpy(in->data, data + used, in->n);
    return true;
}

/* --- Opening ---------------------------------------------------------------------------------- */

/* piece: bytes per piece, unless the input sets it. */
static void open_refusing(dvt_metered *o, const input *in, dv_bad_fields bad, dv_io io, int piece,
                          long long fail_at)
{
    char how[OPTIONS_NBYTES + PIECE_NBYTES];
    const size_t n = in->n + strlen(in->options);
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    snprintf(how, sizeof how, "piece=%d %s", piece, in->options);
    options.format = "text";
    options.text = strstr(in->options, "piece") ? in->options : how;
    options.io = io;
    options.bad_fields = bad;
    options.columns = DVT_READ_COLUMNS;
    options.cursor_nbytes = LIMIT_NBYTES;
    dvt_metered_open(o, in->data, in->n, &options, 512 * (long long)n + 8 * LIMIT_NBYTES, fail_at);
}

static void open_view(dvt_metered *o, const input *in, dv_io io, int piece, long long fail_at)
{
    open_refusing(o, in, DV_BAD_FIELDS_NA, io, piece, fail_at);
}

static void check_refusal(const dvt_metered *o)
{
    DVT_CHECK(o->err.status == o->status && *o->err.message && o->err.os_code == 0);
    if (o->status == DV_ERR_CORRUPT)
        DVT_CHECK(strncmp(o->err.rule, "semantics:6", 11) == 0 && o->err.offset >= 0);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static const int32_t every_column[DVT_READ_COLUMNS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                       8, 9, 10, 11, 12, 13, 14, 15};

static dvt_reading all_of(const input *in)
{
    return (dvt_reading){
        .columns = every_column, .columns_count = in->columns, .end_row = -1, .threads = 1};
}

static int draw_piece(input *in)
{
    static const int sizes[] = {1, 2, 3, 7, 64, 1000, 1 << 20, 0};
    return sizes[draw(in, sizeof sizes / sizeof *sizes)];
}

/* Draw a way of reading: batches, threads, a row cursor. */
static void draw_way(input *in, dvt_reading *reading)
{
    static const int64_t batch_rows[] = {0, 1, 3, 64};
    reading->batch_rows = batch_rows[draw(in, 4)];
    reading->threads = draw(in, 2) ? 1 : 3;
    reading->by_row = draw(in, 3) == 0;
    reading->ids = draw(in, 2);
    reading->writes = draw(in, 4) == 0;
}

/* Read everything in another way; with ids, errors may have other causes, so only rows are
 * compared. */
static void check_whole(const dvt_metered *o, input *in)
{
    dvt_reading reading = all_of(in);
    draw_way(in, &reading);
    const dvt_answer answer = dvt_read_view(o->view, &reading);
    DVT_CHECK(dvt_answer_same(&answer, &in->all));
}

/* Some columns in any order. Only columns that are read are checked, and they may fit into memory
 * if all columns do not. */
static void check_columns(const dvt_metered *o, input *in)
{
    int32_t columns[DVT_READ_COLUMNS], n = 0;
    for (int32_t k = 0; k < in->columns; k++)
        if (draw(in, 2))
            columns[n++] = k;
    for (int32_t k = n; k > 1; k--) {
        const int32_t other = (int32_t)draw(in, (uint64_t)k), kept = columns[other];
        columns[other] = columns[k - 1];
        columns[k - 1] = kept;
    }
    dvt_reading reading = all_of(in);
    reading.columns = columns;
    reading.columns_count = n;
    draw_way(in, &reading);
    const dvt_answer answer = dvt_read_view(o->view, &reading);
    if (in->all.status == DV_ERR_LIMIT || (in->all.status < 0 && n < in->columns)) {
        DVT_CHECK(answer.rows >= in->all.rows);
        return;
    }
    DVT_CHECK(answer.status == in->all.status && answer.rows == in->all.rows);
    for (int32_t k = 0; k < n; k++)
        DVT_CHECK(answer.hash[k] == in->all.hash[columns[k]]);
}

/* Some rows. */
static void check_slice(const dvt_metered *o, input *in)
{
    const int64_t rows = in->all.rows;
    const int64_t first = (int64_t)draw(in, (uint64_t)rows + 1);
    const int64_t end = first + (int64_t)draw(in, (uint64_t)(rows - first) + 1);
    dvt_reading whole = all_of(in), some = all_of(in);
    whole.marked_row = first;
    whole.marked_end = end;
    some.first_row = first;
    some.end_row = end;
    some.by_skip = draw(in, 2);
    draw_way(in, &some);
    const dvt_answer all = dvt_read_view(o->view, &whole), part = dvt_read_view(o->view, &some);
    DVT_CHECK(dvt_answer_same(&all, &in->all));
    DVT_CHECK(part.status == DV_END && part.rows == end - first);
    DVT_CHECK(memcmp(part.hash, all.marked, sizeof part.hash) == 0);
    some.end_row = -1;
    const dvt_answer rest = dvt_read_view(o->view, &some);
    DVT_CHECK(rest.status == in->all.status && rest.rows == rows - first);
}

static void check_rows(dvt_metered *o, input *in)
{
    for (int i = 0; i < 2; i++) {
        check_whole(o, in);
        check_columns(o, in);
        check_slice(o, in);
    }
    dvt_reading counting = all_of(in);
    counting.columns_count = 0;
    const dvt_answer answer = dvt_read_view(o->view, &counting);
    DVT_CHECK(answer.rows >= in->all.rows);
    if (in->all.status == DV_END) {
        DVT_CHECK(answer.status == DV_END && answer.rows == in->all.rows);
        DVT_CHECK(dv_view_rows(o->view) == in->all.rows);
    }
}

static dvt_answer read_refusing(const input *in, int piece)
{
    dvt_metered o;
    dvt_answer answer = {.status = DV_ERR_LIMIT};
    const dvt_reading reading = all_of(in);
    open_refusing(&o, in, DV_BAD_FIELDS_REFUSE, DV_IO_MMAP, piece, 0);
    if (o.view)
        answer = dvt_read_view(o.view, &reading);
    dvt_metered_close(&o);
    return answer;
}

/* Rows that are refused are refused at the same row in every way; what is not refused is the
 * same. */
static void check_refused(input *in)
{
    const dvt_answer by_line = read_refusing(in, 0), answer = read_refusing(in, draw_piece(in));
    DVT_CHECK(answer.status == by_line.status && answer.rows == by_line.rows);
    DVT_CHECK(strcmp(answer.err.message, by_line.err.message) == 0);
    if (by_line.status == DV_ERR_LOSS)
        DVT_CHECK(by_line.rows < in->all.rows || in->all.status != DV_END);
    else if (in->all.status == DV_END)
        DVT_CHECK(dvt_answer_same(&by_line, &in->all));
    if (by_line.status == DV_END)
        DVT_CHECK(dvt_answer_same(&answer, &by_line));
}

/* If allocations fail and the call is repeated, the result is the same. */
static void check_memory(input *in, dv_io io)
{
    dvt_metered o;
    dvt_reading reading = all_of(in);
    open_view(&o, in, io, draw_piece(in), 1 + (long long)draw(in, TRIES));
    draw_way(in, &reading);
    reading.writes = false; /* that needs memory too */
    const long long at = 1 + (long long)draw(in, TRIES);
    dvt_metered_fail(&o, at, 1 + (long long)draw(in, DVT_METERED_FAILURES));
    const dvt_answer answer = dvt_read_view(o.view, &reading);
    DVT_CHECK(dvt_answer_same(&answer, &in->all));
    dvt_metered_close(&o);
}

/* --- Verification and facts ------------------------------------------------------------------- */

static void check_verification(const dvt_metered *o, input *in)
{
    const dvt_verdict v = dvt_metered_verify(o, 0);
    DVT_CHECK(v.defects == (in->all.status != DV_END) && v.bare == 0);
    const int64_t stop_at = 1 + (int64_t)draw(in, (uint64_t)(v.defects + v.warnings) + 1);
    const dvt_verdict stopped = dvt_metered_verify(o, stop_at);
    DVT_CHECK(stopped.warnings + stopped.defects ==
              (stop_at < v.warnings + v.defects ? stop_at : v.warnings + v.defects));
}

/* Fields that are errors of strict+ are counted in the facts. */
static void check_facts(const dvt_metered *o, const input *in)
{
    dv_facts *facts;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_inspect(&facts, o->view, &err);
    DVT_CHECK(status == DV_OK || in->all.status != DV_END);
    DVT_CHECK((status == DV_OK) == !!facts);
    if (status == DV_OK) {
        DVT_CHECK(facts->columns == in->columns && facts->file_nbytes == (int64_t)in->n);
        DVT_CHECK(facts->rows >= in->all.rows && dv_view_rows(o->view) == facts->rows);
        DVT_CHECK(facts->rows == in->all.rows || in->all.status != DV_END);
    } else {
        /* reading stops at an error of strict+ before it, which the facts count */
        const bool is_strict = strstr(in->options, "strict+") != NULL;
        DVT_CHECK(status == in->all.status);
        DVT_CHECK(is_strict || err.offset == in->all.err.offset);
    }
    dv_facts_free(&facts);
}

/* --- All of it -------------------------------------------------------------------------------- */

/* The reference: all rows, line by line. Returns the status of opening. */
static dv_status read_all(input *in)
{
    dvt_metered o;
    open_view(&o, in, DV_IO_MMAP, 0, 0);
    if (o.view) {
        in->columns = dv_schema_columns(dv_view_schema(o.view));
        const dvt_reading reading = all_of(in);
        in->all = dvt_read_view(o.view, &reading);
        DVT_CHECK(in->all.status == DV_END || in->all.status == DV_ERR_CORRUPT ||
                  in->all.status == DV_ERR_LIMIT);
    }
    dvt_metered_close(&o);
    return o.status;
}

static void check_view(dvt_metered *o, input *in)
{
    if (draw(in, 4) == 0)
        check_facts(
            o, in); /* before or after reading: the first one does not know the number of rows */
    check_rows(o, in);
    check_verification(o, in);
    check_facts(o, in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    input in;
    if (!read_input(&in, data, n))
        return 0;
    const dv_status status = read_all(&in);
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dvt_metered o;
        open_view(&o, &in, io, draw_piece(&in), 0);
        DVT_CHECK(o.status == status);
        if (o.view)
            check_view(&o, &in);
        else
            check_refusal(&o);
        const bool has_view = o.view != NULL;
        dvt_metered_close(&o);
        if (has_view && draw(&in, 2))
            check_memory(&in, io);
    }
    if (status == DV_OK)
        check_refused(&in);
    free(in.data);
    return 0;
}
