/* SPDX-License-Identifier: MIT */
/* fuzz_msgpack.c: any bytes as messages, read with any options: what is a message is what a reading
 * by recursion takes for one; bounded memory; the same rows whichever way they are asked for; raw
 * messages that are the input; and a verification that finds what stops a cursor.
 *
 * An input is the number of options in the table below (a byte under ' '), or options up to a NUL;
 * then the messages. */
#include "codec/msgpack.h"
#include "opened.h"
#include "reading.h"
#include <dataview/inspect.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 14,    /* larger inputs are not looked at */
    OPTIONS_NBYTES = 1 << 10, /* nor longer options */
    NESTING = 100,            /* of the recursion, too */
    TRIES = 100
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const fixed_options[] = {
    "",
    "infer=1",
    "infer=1 mismatch=na",
    "infer=all strict",
    "raw",
    "col=key:TX col=a:I8 col=b:R4 col=c:BY mismatch=na",
    "col=a:V<R4,*> col=b:V<TX,*> col=c:V<U1,2,*> mismatch=na",
    "col=a.b:TX col=a.c:V<I8,2> col=b:opaque col=c:V<BY,*> mismatch=na strict",
    "col=a:BL col=b:U8 col=c:DT col=d:TS col=e:V<DT,*> col=f:U2[0-9] mismatch=na",
    "col=a:I1 col=b:U1 col=c:R8 col=d:V<R8,2>",
    "raw keep=a keep=b",
    "raw drop=a",
};
#define FIXED (sizeof fixed_options / sizeof *fixed_options)

/* Bytes, how they are read, and draws that follow from them. */
typedef struct input {
    char options[OPTIONS_NBYTES + 1];
    uint8_t *data; /* an allocation of its own */
    size_t n;
    uint64_t draws;
    dvt_answer all; /* every column that is read */
    int32_t columns;
} input;

static uint64_t draw(input *in, uint64_t below)
{
    in->draws = dvt_hash_number(in->draws, 0x5EED);
    return (in->draws >> 16) % below;
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
    if (n - used > FILE_NBYTES)
        return false;
    in->n = n - used;
    in->data = malloc(in->n); /* exact size: ASan sees one byte too far */
    if (in->n > 0)
        memcpy(in->data, data + used, in->n);
    return true;
}

/* --- Messages, by recursion ------------------------------------------------------------------- */

static uint64_t big_endian(const uint8_t *p, size_t n)
{
    uint64_t value = 0;
    while (n-- > 0)
        value = value << 8 | *p++;
    return value;
}

static bool is_container(uint8_t first)
{
    return (first >= 0x80 && first < 0xA0) || (first >= 0xDC && first < 0xE0);
}

/* Bytes of the value at p, which lies in `depth` others; 0: there is none. */
static size_t measure(const uint8_t *p, size_t n, int depth)
{
    static const uint8_t widths[32] = {0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 4, 8, 1, 2, 4, 8,
                                       1, 2, 4, 8, 1, 1, 1, 1, 1, 1, 2, 4, 2, 4, 2, 4};
    if (n == 0 || *p == 0xC1 || (is_container(*p) && depth >= NESTING))
        return 0;
    const uint8_t c = *p;
    if (c < 0x80 || c >= 0xE0)
        return 1;
    if (c >= 0xA0 && c < 0xC0)
        return n - 1 >= (c & 0x1FU) ? 1 + (c & 0x1FU) : 0;
    const size_t width = c < 0xC0 ? 0 : widths[c - 0xC0];
    if (n - 1 < width)
        return 0;
    const uint64_t number = c < 0xC0 ? c & 0x0FU : big_endian(p + 1, width);
    size_t used = 1 + width;
    uint64_t payload = 0;
    if (c >= 0xC7 && c <= 0xC9)
        payload = number + 1; /* the type */
    else if (c >= 0xD4 && c <= 0xD8)
        payload = UINT64_C(1) << (c - 0xD4); /* the type is the number */
    else if ((c >= 0xC4 && c <= 0xC6) || (c >= 0xD9 && c <= 0xDB))
        payload = number;
    if (payload > n - used)
        return 0;
    used += (size_t)payload;
    if (!is_container(c))
        return used;
    const bool is_map = c < 0x90 || c >= 0xDE;
    for (uint64_t i = 0; i < number << is_map; i++) {
        if (is_map && i % 2 == 0 && used < n && is_container(p[used]))
            return 0;
        const size_t item = measure(p + used, n - used, depth + 1);
        if (item == 0)
            return 0;
        used += item;
    }
    return used;
}

/* How many messages the input is; -1: it is none. */
static int64_t count_messages(const input *in)
{
    int64_t messages = 0;
    for (size_t at = 0; at < in->n; messages++) {
        const size_t used = measure(in->data + at, in->n - at, 0);
        dvi_msgpack_reader r = dvi_msgpack_reader_of(in->data + at, in->n - at, 0, NESTING);
        const uint8_t *start = r.at;
        DVT_CHECK(dvi_msgpack_skip(&r, 0) == (used > 0));
        if (used == 0) {
            dv_error err = DV_ERROR_INIT;
            const dv_status status = dvi_msgpack_failure(&r, &err);
            DVT_CHECK(status == DV_ERR_CORRUPT || status == DV_ERR_LIMIT);
            DVT_CHECK(*err.rule && *err.expected && *err.found && err.offset <= (int64_t)in->n);
            return -1;
        }
        DVT_CHECK((size_t)(r.at - start) == used);
        at += used;
    }
    return messages;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void open_view(dvt_metered *o, const input *in, const char *how, dv_io io, long long fail_at)
{
    const size_t n = in->n + strlen(how);
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = "datadings";
    options.datadings = how;
    options.io = io;
    options.nesting = NESTING;
    dvt_metered_open(o, in->data, in->n, &options, 1024 * (long long)n + (2 << 20), fail_at);
}

static void check_error(const dv_error *err, dv_status status)
{
    DVT_CHECK(err->status == status && *err->message && err->os_code == 0);
    if (status == DV_ERR_CORRUPT)
        DVT_CHECK(strncmp(err->rule, "datadings:", 10) == 0 && *err->expected && *err->found);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static const int32_t every_column[DVT_READ_COLUMNS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                       8, 9, 10, 11, 12, 13, 14, 15};

static dvt_reading all_of(const input *in)
{
    return (dvt_reading){
        .columns = every_column, .columns_count = in->columns, .end_row = -1, .threads = 1};
}

static void draw_way(input *in, dvt_reading *reading)
{
    static const int64_t batch_rows[] = {0, 1, 3, 64};
    reading->batch_rows = batch_rows[draw(in, 4)];
    reading->threads = draw(in, 2) ? 1 : 3;
    reading->by_row = draw(in, 3) == 0;
    reading->ids = draw(in, 2);
    reading->writes = draw(in, 4) == 0;
}

static void check_whole(const dvt_metered *o, input *in)
{
    dvt_reading reading = all_of(in);
    draw_way(in, &reading);
    const dvt_answer answer = dvt_read_view(o->view, &reading);
    DVT_CHECK(dvt_answer_same(&answer, &in->all));
}

/* Some columns in any order: what is wrong elsewhere in a message does not matter. */
static void check_columns(const dvt_metered *o, input *in)
{
    int32_t columns[DVT_READ_COLUMNS], n = 0;
    for (int32_t k = in->columns - 1; k >= 0; k--)
        if (draw(in, 2))
            columns[n++] = k;
    dvt_reading reading = all_of(in);
    reading.columns = columns;
    reading.columns_count = n;
    draw_way(in, &reading);
    const dvt_answer answer = dvt_read_view(o->view, &reading);
    DVT_CHECK(answer.rows >= in->all.rows);
    for (int32_t k = 0; k < n && in->all.status == DV_END; k++)
        DVT_CHECK(answer.hash[k] == in->all.hash[columns[k]]);
}

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

/* The bytes of the file itself, or an error; never a copy. */
static void check_borrowed(const dvt_metered *o, const input *in)
{
    dvt_reading reading = all_of(in);
    reading.zero_copy_only = true;
    const dvt_answer answer = dvt_read_view(o->view, &reading);
    DVT_CHECK(answer.status < 0 || dvt_answer_same(&answer, &in->all));
}

/* With allocations that fail and are tried again, the answer is the same. */
static void check_memory(input *in, dv_io io)
{
    dvt_metered o;
    dvt_reading reading = all_of(in);
    open_view(&o, in, in->options, io, 1 + (long long)draw(in, TRIES));
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
    /* a message that is no map is sound, but columns cannot read it: a warning */
    const bool is_no_map = strcmp(in->all.err.rule, "datadings:8.30") == 0;
    if (in->all.status < 0)
        DVT_CHECK((is_no_map ? v.defects + v.warnings : v.defects) > 0);
    const int64_t reported = v.defects + v.warnings;
    const dvt_verdict stopped =
        dvt_metered_verify(o, 1 + (int64_t)draw(in, (uint64_t)reported + 1));
    DVT_CHECK(stopped.warnings + stopped.defects <= reported);
}

static void check_facts(const dvt_metered *o, int64_t messages)
{
    dv_facts *facts;
    DVT_CHECK(dv_inspect(&facts, o->view, NULL) == DV_OK);
    DVT_CHECK(facts->rows == messages && facts->inferred_rows <= messages);
    dv_facts_free(&facts);
}

/* --- Raw -------------------------------------------------------------------------------------- */

/* All messages, one after the other, are the input. */
static void check_raw(const input *in, dv_io io, int64_t messages)
{
    static const int32_t message = 1;
    dvt_metered o;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    size_t at = 0;
    open_view(&o, in, "raw", io, 0);
    DVT_CHECK((o.status == DV_OK) == (messages >= 0));
    options.columns = &message;
    options.columns_count = 1;
    if (o.view && dv_cursor_open(&cursor, o.view, &options, NULL) == DV_OK) {
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            for (int64_t i = 0; i < batch->rows; i++) {
                const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
                const dv_text bytes = dv_value_tx(&value);
                DVT_CHECK(bytes.nbytes > 0 && (size_t)bytes.nbytes <= in->n - at);
                DVT_CHECK(memcmp(bytes.data, in->data + at, (size_t)bytes.nbytes) == 0);
                at += (size_t)bytes.nbytes;
            }
        DVT_CHECK(at == in->n);
        dv_cursor_close(&cursor);
    }
    dvt_metered_close(&o);
}

/* --- All of it -------------------------------------------------------------------------------- */

static void check_view(input *in, dv_io io, int64_t messages)
{
    dvt_metered o;
    open_view(&o, in, in->options, io, 0);
    if (o.view) {
        DVT_CHECK(messages >= 0 && dv_view_rows(o.view) == messages);
        const int32_t columns = dv_schema_columns(dv_view_schema(o.view));
        in->columns = columns < DVT_READ_COLUMNS ? columns : DVT_READ_COLUMNS;
        const dvt_reading reading = all_of(in);
        const dvt_answer all = dvt_read_view(o.view, &reading);
        if (io == DV_IO_MMAP)
            in->all = all;
        DVT_CHECK(dvt_answer_same(&all, &in->all));
        if (all.status < 0)
            check_error(&all.err, all.status);
        check_whole(&o, in);
        check_columns(&o, in);
        check_slice(&o, in);
        check_borrowed(&o, in);
        check_verification(&o, in);
        check_facts(&o, messages);
    } else {
        check_error(&o.err, o.status);
    }
    const bool has_opened = o.view != NULL;
    dvt_metered_close(&o);
    if (has_opened)
        check_memory(in, io);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    input in;
    if (!read_input(&in, data, n))
        return 0;
    const int64_t messages = count_messages(&in);
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        check_raw(&in, io, messages);
        check_view(&in, io, messages);
    }
    free(in.data);
    return 0;
}
