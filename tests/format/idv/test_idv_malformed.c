/* SPDX-License-Identifier: MIT */
/* test_idv_malformed.c: checks that malformed files are refused, with the rule and the byte.
 *
 * The names of the fixtures give the expected result: <story>.<STATUS>.<rule>@<offset>.idv or
 * <story>.OK.idv, see tests/malformed/idv/make.py. Each test checks one property on all of them. */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/page.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIXTURES_MIN 500 /* fewer: the fixtures were not found */
#define FAILURES_NBYTES ((size_t)16 << 10)

/* --- Collected failures --- */

static dvt_lines failures;
static int failure_count;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    char text[1200] = "\n";
    va_list args;
    va_start(args, format);
    vsnprintf(text + 1, sizeof text - 1, format, args);
    va_end(args);
    failure_count++;
    if (failures.nbytes < FAILURES_NBYTES)
        dvt_lines_add(&failures, text, strlen(text));
}

static void tell_failures(void)
{
    cr_expect_eq(failure_count, 0, "%d failures:%s", failure_count,
                 failures.data ? failures.data : "");
    dvt_lines_free(&failures);
    failure_count = 0;
}

/* --- Reading all of a file --- */

/* The first error, or DV_OK; and what was read before it, as JSON lines. */
typedef struct reading {
    dv_error err;
    dvt_lines lines;
} reading;

/* Every metadata value, then every row of every column, hidden ones included. */
static void read_view(reading *r, dv_view *view, int32_t threads)
{
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    int32_t *columns = malloc((size_t)n * sizeof *columns + 1);
    cr_assert_not_null(columns);
    for (int32_t i = 0; i < n; i++)
        columns[i] = i;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = n;
    options.threads = threads;
    dvt_produce_by_layout(&r->lines, view, &options, &r->err);
    free(columns);
}

static reading read_bytes(const uint8_t *data, size_t nbytes, const dv_open_options *how,
                          int32_t threads)
{
    reading r = {DV_ERROR_INIT, {0}};
    dv_view *view;
    if (dv_open_memory(&view, data, nbytes, NULL, NULL, "bytes.idv", how, &r.err) == DV_OK)
        read_view(&r, view, threads);
    dv_view_release(&view);
    return r;
}

static dv_open_options as_idv(dv_io io)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.format = "idv";
    how.io = io;
    return how;
}

static bool is_same_reading(const reading *a, const reading *b)
{
    return a->err.status == b->err.status && a->err.offset == b->err.offset &&
           strcmp(a->err.rule, b->err.rule) == 0 && a->lines.nbytes == b->lines.nbytes &&
           dvt_lines_hash(&a->lines) == dvt_lines_hash(&b->lines);
}

/* Does the error name a byte and say what is wrong with it? */
static bool is_precise(const dv_error *err, size_t nbytes)
{
    return err->offset >= 0 && err->offset <= (int64_t)nbytes && *err->rule && *err->expected &&
           *err->found && *err->message;
}

static bool is_about_bytes(dv_status status)
{
    return status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LIMIT;
}

/* --- Verification --- */

/* What dv_verify reported; `sought` is the defect that it must contain. */
typedef struct verdict {
    const dv_error *sought;
    size_t file_nbytes;
    int defects, warnings, vague;
    bool is_found;
} verdict;

static bool note_defect(void *ctx, const dv_error *what)
{
    verdict *v = ctx;
    v->vague += !*what->expected || !*what->found || !*what->message || what->offset < 0 ||
                what->offset > (int64_t)v->file_nbytes;
    if (what->status == DV_OK) {
        v->warnings++;
        return true;
    }
    v->defects++;
    v->vague += !is_about_bytes(what->status) || !*what->rule;
    v->is_found |= what->status == v->sought->status && what->offset == v->sought->offset &&
                   strcmp(what->rule, v->sought->rule) == 0;
    return true;
}

static verdict verify_view(dv_view *view, const dv_error *sought, size_t file_nbytes)
{
    verdict v = {.sought = sought, .file_nbytes = file_nbytes};
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = note_defect;
    options.ctx = &v;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK, "%s", err.message);
    return v;
}

/* How many columns and metadata values have unknown codecs: verify finds them, reading skips them.
 */
static int dead_in(dv_view *view)
{
    dv_facts *facts;
    cr_assert_eq(dv_inspect_briefly(&facts, view, NULL), DV_OK);
    const int dead = facts->dead_columns + facts->dead_metadata;
    dv_facts_free(&facts);
    return dead;
}

/* --- Fixtures --- */

typedef struct fixture {
    const char *name, *path;
    const uint8_t *data; /* ends at a guard page */
    size_t nbytes;
    bool is_warning; /* valid, but with a warning */
    dv_error want; /* status, rule and offset of the first error; DV_ERROR_INIT for a valid file */
} fixture;

static dv_status status_of(const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "DV_ERR_%s", word);
#define RETURN_IF_NAMED(member, value, sentence)                                                   \
    if (strcmp(name, #member) == 0)                                                                \
        return member;
    DV_STATUS_LIST(RETURN_IF_NAMED)
    return DV_OK;
}

/* Parse the expected result in the name; false: there is none. */
static bool parse_name(fixture *f)
{
    char status[32], rule[24];
    int64_t offset;
    int end = 0;
    const char *dot = strchr(f->name, '.');
    if (strcmp(dot, ".OK.idv") == 0)
        return true;
    sscanf(dot, ".%31[A-Z].%23[^@]@%" SCNd64 ".idv%n", status, rule, &offset, &end);
    if (end == 0 || dot[end])
        return false;
    f->is_warning = strcmp(status, "WARNING") == 0;
    if (f->is_warning)
        return true;
    f->want.status = status_of(status);
    f->want.offset = offset;
    snprintf(f->want.rule, sizeof f->want.rule, "%s%s",
             f->want.status == DV_ERR_LIMIT ? "" : "idv:", rule);
    return f->want.status != DV_OK;
}

static void check_file(const dvt_path *folder, const char *name,
                       void (*check)(const fixture *fixture))
{
    const dvt_path path = dvt_path_in(folder, name);
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(path.text, &nbytes);
    dvt_page page = dvt_page_create(nbytes);
    fixture f = {name,   path.text, dvt_page_copy_end(page, bytes, nbytes),
                 nbytes, false,     DV_ERROR_INIT};
    free(bytes);
    if (parse_name(&f))
        check(&f);
    else
        fail("%s: the name has no verdict", name);
    dvt_page_free(&page);
}

static int is_idv(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".idv") == 0;
}

static void each_fixture(void (*check)(const fixture *fixture))
{
    const dvt_path folder = dvt_test_path("malformed/idv");
    struct dirent **list = NULL;
    const int n = scandir(folder.text, &list, is_idv, alphasort);
    for (int i = 0; i < n; i++) {
        check_file(&folder, list[i]->d_name, check);
        free(list[i]);
    }
    free(list);
    cr_expect_gt(n, FIXTURES_MIN, "%s: only %d fixtures", folder.text, n);
    tell_failures();
}

static void expect_verdict(const fixture *f, const reading *r)
{
    const dv_error *err = &r->err, *want = &f->want;
    if (err->status != want->status || err->offset != want->offset ||
        strcmp(err->rule, want->rule) != 0)
        fail("%s: %s, %s", f->name, dv_status_name(err->status), err->message);
    else if (err->status != DV_OK && !is_precise(err, f->nbytes))
        fail("%s: says too little: %s", f->name, err->message);
}

/* --- The properties --- */

static void check_mapped(const fixture *f)
{
    const dv_open_options how = as_idv(DV_IO_MMAP);
    reading r = read_bytes(f->data, f->nbytes, &how, 1);
    expect_verdict(f, &r);
    dvt_lines_free(&r.lines);
}

Test(idv_malformed, first_error_is_that_of_the_name)
{
    each_fixture(check_mapped);
}

/* Another way of reading must give the same result, and the same rows before it. */
static void check_like_mapped(const fixture *f, reading *r)
{
    const dv_open_options how = as_idv(DV_IO_MMAP);
    reading mapped = read_bytes(f->data, f->nbytes, &how, 1);
    expect_verdict(f, r);
    if (!is_same_reading(&mapped, r))
        fail("%s: read otherwise than when it is mapped: %s", f->name, r->err.message);
    dvt_lines_free(&mapped.lines);
    dvt_lines_free(&r->lines);
}

/* The error names the truncated field, not the field after which parsing stopped. */
static void check_words(const fixture *f)
{
    static const struct {
        const char *story, *word;
    } list[] = {{"name_length_beyond_region.", "column name"},
                {"kind_length_beyond_region.", "metadata kind"},
                {"codec_name_beyond_region.", "codec name"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (strncmp(f->name, list[i].story, strlen(list[i].story)) != 0)
            continue;
        const dv_open_options how = as_idv(DV_IO_MMAP);
        reading r = read_bytes(f->data, f->nbytes, &how, 1);
        dvt_lines_free(&r.lines);
        if (!strstr(r.err.message, list[i].word))
            fail("%s: no \"%s\" in \"%s\"", f->name, list[i].word, r.err.message);
    }
}

Test(idv_malformed, a_cut_field_is_named)
{
    each_fixture(check_words);
}

static void check_copied(const fixture *f)
{
    const dv_open_options how = as_idv(DV_IO_PREAD);
    reading r = read_bytes(f->data, f->nbytes, &how, 1);
    check_like_mapped(f, &r);
}

Test(idv_malformed, same_when_read_by_copies)
{
    each_fixture(check_copied);
}

static void check_threads(const fixture *f)
{
    const dv_open_options how = as_idv(DV_IO_MMAP);
    reading r = read_bytes(f->data, f->nbytes, &how, 4);
    check_like_mapped(f, &r);
}

Test(idv_malformed, same_with_four_threads)
{
    each_fixture(check_threads);
}

/* No format is named: for a file without the signature the extension decides. */
static void check_real_by(const fixture *f, dv_io io)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    reading r = {DV_ERROR_INIT, {0}};
    dv_view *view;
    if (dv_open(&view, f->path, &how, &r.err) == DV_OK)
        read_view(&r, view, 4);
    dv_view_release(&view);
    if (r.err.status != DV_OK && !*r.err.file)
        fail("%s: the error names no file: %s", f->name, r.err.message);
    check_like_mapped(f, &r);
}

static void check_real(const fixture *f)
{
    check_real_by(f, DV_IO_MMAP);
    check_real_by(f, DV_IO_PREAD);
}

Test(idv_malformed, same_from_a_real_file)
{
    each_fixture(check_real);
}

static void check_verify(const fixture *f)
{
    const dv_open_options how = as_idv(DV_IO_MMAP);
    dv_view *view;
    if (dv_open_memory(&view, f->data, f->nbytes, NULL, NULL, f->name, &how, NULL) != DV_OK)
        return; /* nothing to verify */
    const verdict v = verify_view(view, &f->want, f->nbytes);
    const int dead = dead_in(view);
    dv_view_release(&view);
    if (v.vague > 0)
        fail("%s: %d reports say too little", f->name, v.vague);
    if (f->want.status != DV_OK && !v.is_found)
        fail("%s: is not among the %d defects", f->name, v.defects);
    if (f->want.status == DV_OK && v.defects != dead)
        fail("%s: %d defects, %d of them expected", f->name, v.defects, dead);
    if (f->is_warning && v.warnings == 0)
        fail("%s: no warning", f->name);
}

Test(idv_malformed, verify_finds_it_and_nothing_in_sound_files)
{
    each_fixture(check_verify);
}

/* Memory follows the bytes that the file has, not those that it declares: at most 1032 times as
 * many, because DEFLATE cannot give more, and a quarter of that again while the buffer for
 * metadata, whose inflated length is not stored, is replaced by one of four times its size. */
static void check_memory_by(const fixture *f, dv_io io)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_open_options how = as_idv(io);
    how.allocator = &counted.allocator;
    reading r = read_bytes(f->data, f->nbytes, &how, 4);
    dvt_lines_free(&r.lines);
    const int64_t highest = counted.highest, stream = 1032 * (int64_t)f->nbytes;
    const int64_t most = (1 << 20) + stream + stream / 4;
    if (highest > most)
        fail("%s: %" PRId64 " bytes at once, more than %" PRId64, f->name, highest, most);
    if (counted.live != 0)
        fail("%s: %d allocations are not released", f->name, (int)counted.live);
}

static void check_memory(const fixture *f)
{
    check_memory_by(f, DV_IO_MMAP);
    check_memory_by(f, DV_IO_PREAD);
}

Test(idv_malformed, memory_follows_the_bytes_that_are_there)
{
    each_fixture(check_memory);
}

/* --- Generated damage --- */

/* A golden file in memory, and its content. */
typedef struct original {
    const char *name;
    uint8_t *data;
    size_t nbytes;
    int64_t tail;
    reading truth;
} original;

static void each_original(void (*check)(const original *o))
{
    static const char *const names[] = {"golden/idv-crafted/version-1115.idv",
                                        "golden/idv-crafted/compression-zlib.idv",
                                        "golden/idv-crafted/layout-trailer.idv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const dvt_path path = dvt_test_path(names[i]);
        const dv_open_options how = as_idv(DV_IO_MMAP);
        original o = {.name = names[i]};
        o.data = dvt_file_read(path.text, &o.nbytes);
        memcpy(&o.tail, o.data + 32, sizeof o.tail);
        o.truth = read_bytes(o.data, o.nbytes, &how, 1);
        cr_assert_eq(o.truth.err.status, DV_OK, "%s", o.truth.err.message);
        check(&o);
        dvt_lines_free(&o.truth.lines);
        free(o.data);
    }
    tell_failures();
}

/* Read bytes that end at a guard page, both ways and by verify, and compare the results. Returns
 * that of the mapped way; the caller frees its lines. */
static reading read_damaged(const uint8_t *bytes, size_t nbytes, const char *what, size_t where)
{
    const uint8_t *data = dvt_page_copy_end(dvt_shared_page(0), bytes, nbytes);
    dv_open_options how = as_idv(DV_IO_PREAD);
    reading copied = read_bytes(data, nbytes, &how, 1);
    how.io = DV_IO_MMAP;
    reading mapped = read_bytes(data, nbytes, &how, 1);
    const dv_error *err = &mapped.err;
    if (!is_same_reading(&mapped, &copied))
        fail("%s %zu: read otherwise by copies: %s", what, where, copied.err.message);
    if (err->status != DV_OK && (!is_about_bytes(err->status) || !is_precise(err, nbytes)))
        fail("%s %zu: says too little: %s", what, where, err->message);

    dv_view *view;
    if (dv_open_memory(&view, data, nbytes, NULL, NULL, what, &how, NULL) == DV_OK) {
        const verdict v = verify_view(view, err, nbytes);
        if (err->status == DV_OK ? v.defects != dead_in(view) : !v.is_found)
            fail("%s %zu: verify finds %d defects, reading: %s", what, where, v.defects,
                 err->message);
    }
    dv_view_release(&view);
    dvt_lines_free(&copied.lines);
    return mapped;
}

static void check_cuts(const original *o)
{
    for (size_t n = 0; n < o->nbytes; n++) {
        reading r = read_damaged(o->data, n, o->name, n);
        const bool is_whole = (int64_t)n >= o->tail + 8;
        if (is_whole ? !is_same_reading(&r, &o->truth) : r.err.status == DV_OK)
            fail("%s cut to %zu bytes: %s", o->name, n, r.err.message);
        dvt_lines_free(&r.lines);
    }
}

Test(idv_malformed, cut_files_are_refused)
{
    each_original(check_cuts);
}

/* The tail moves to the end of the truncated file, so that tables and blocks are too short. */
static void check_cuts_with_tail(const original *o)
{
    uint8_t *bytes = malloc(o->nbytes);
    cr_assert_not_null(bytes);
    for (int64_t tail = 256; tail < o->tail; tail++) {
        memcpy(bytes, o->data, o->nbytes);
        memcpy(bytes + 32, &tail, sizeof tail);
        memcpy(bytes + tail, o->data + o->tail, 8);
        reading r = read_damaged(bytes, (size_t)tail + 8, o->name, (size_t)tail);
        if (r.err.status != DV_ERR_CORRUPT)
            fail("%s with its tail at %" PRId64 ": %s", o->name, tail, r.err.message);
        dvt_lines_free(&r.lines);
    }
    free(bytes);
}

Test(idv_malformed, cut_tables_are_refused)
{
    each_original(check_cuts_with_tail);
}

/* Set byte `at` to 0 and 0xFF, increment it, and flip each of its bits. */
static void check_byte(const original *o, size_t at)
{
    const uint8_t old = o->data[at];
    for (int change = 0; change < 11; change++) {
        const int values[] = {0, 0xFF, old + 1};
        o->data[at] = (uint8_t)(change < 3 ? values[change] : old ^ 1 << (change - 3));
        reading r = read_damaged(o->data, o->nbytes, o->name, at);
        dvt_lines_free(&r.lines);
    }
    o->data[at] = old;
}

static void check_bytes(const original *o)
{
    for (size_t at = 0; at < o->nbytes; at++)
        check_byte(o, at);
}

Test(idv_malformed, any_byte_changed_is_read_or_refused)
{
    each_original(check_bytes);
}
