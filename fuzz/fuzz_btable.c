/* SPDX-License-Identifier: MIT */
/* fuzz_btable.c: reads any bytes as a BTable, strict and lenient: memory is bounded, every way of
 * reading gives the result of a model of the format page, and verification agrees with reading. */
#include "base/load.h"
#include "btable_model.h"
#include "mutate_btable.h"
#include "opened.h"
#include "reading.h"
#include <dataview/csr.h>
#include <dataview/save.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 16, /* larger inputs are ignored */
    MANY_NBYTES = 5 << 18  /* several threads split a table of this size */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);

/* The file, draws that depend on its bytes, and its model. */
typedef struct input {
    const uint8_t *data;
    size_t n;
    uint64_t draws;
    bool lenient;
    dvt_btable_model model;
} input;

static uint64_t draw(input *in, uint64_t below)
{
    in->draws = dvt_hash_number(in->draws, 0x5EED);
    return (in->draws >> 16) % below;
}

static void check_error(const input *in, const dv_error *err)
{
    DVT_CHECK(err->status == in->model.status && err->offset == in->model.offset);
    DVT_CHECK(strncmp(err->rule, "btable:", 7) == 0);
    DVT_CHECK(strcmp(err->rule + 7, in->model.rule) == 0);
    DVT_CHECK(err->os_code == 0 && *err->expected && *err->found);
    DVT_CHECK(strncmp(err->message, "input: ", 7) == 0);
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void open_view(dvt_metered *o, const input *in, dv_io io, long long fail_at)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = "btable";
    options.io = io;
    options.lenient = in->lenient;
    dvt_metered_open(o, in->data, in->n, &options, 64 * (long long)in->n + (1 << 20), fail_at);
    DVT_CHECK((o->status == DV_OK) == in->model.opens);
    if (o->status != DV_OK)
        check_error(in, &o->err);
}

/* --- Labels ----------------------------------------------------------------------------------- */

/* Hash the code points of valid UTF-8. */
static uint64_t hash_text(uint64_t hash, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t width = p[i] < 0x80 ? 1 : p[i] < 0xE0 ? 2 : p[i] < 0xF0 ? 3 : 4;
        uint32_t c = width == 1 ? p[i] : p[i] & (0x7Fu >> width);
        for (size_t k = 1; k < width; k++)
            c = c << 6 | (p[i + k] & 0x3F);
        hash = dvt_hash_number(hash, c);
        i += width;
    }
    return hash;
}

static uint64_t hash_names(const dv_text_layout *text, int32_t slots)
{
    uint64_t hash = 0;
    size_t start = 0;
    for (int32_t k = 0; k < slots; k++) {
        const size_t end = (size_t)dvi_load_i32((const char *)text->ends.data + 4 * (size_t)k);
        DVT_CHECK(end >= start && end <= text->utf8.nbytes);
        if (k > 0)
            hash = dvt_hash_number(hash, UINT64_C(1) << 32);
        hash = hash_text(hash, (const uint8_t *)text->utf8.data + start, end - start);
        start = end;
    }
    return hash;
}

/* Labels with lone surrogates are also metadata, as UTF-16 units. */
static void check_units(const dv_schema *schema, const input *in)
{
    const dv_batch *value;
    DVT_CHECK(in->lenient);
    DVT_CHECK(dv_schema_metadata_value(schema, 0, 1, &value, NULL) == DV_OK);
    const dv_vector_layout *vector = &dv_batch_column(value, 0)->as.vector;
    const dv_buffer *units = &vector->items->as.fixed.values;
    DVT_CHECK(8 + 2 * (int64_t)vector->length == in->model.header_nbytes);
    DVT_CHECK(units->nbytes == 2 * (size_t)vector->length);
    for (size_t i = 0; i < units->nbytes; i += 2) {
        uint16_t unit;
        memcpy(&unit, (const char *)units->data + i, sizeof unit);
        DVT_CHECK(unit == dvi_load_u16_be(in->data + 8 + i));
    }
    dv_batch_release(&value);
}

static void check_names(const dvt_metered *o, const input *in)
{
    const dv_schema *schema = dv_view_schema(o->view);
    const dv_column_info *info = dv_schema_column(schema, 0);
    DVT_CHECK(dv_schema_columns(schema) == 1 && info->type.kind == DV_KIND_R8);
    DVT_CHECK(info->type.size == in->model.labels);
    if (info->metadata_count == 0) { /* all labels are empty */
        uint64_t hash = 0;
        for (int64_t k = 1; k < in->model.labels; k++)
            hash = dvt_hash_number(hash, UINT64_C(1) << 32);
        DVT_CHECK(hash == in->model.names);
        return;
    }
    const dv_batch *value;
    DVT_CHECK(dv_schema_metadata_value(schema, 0, 0, &value, NULL) == DV_OK);
    const dv_vector_layout *vector = &dv_batch_column(value, 0)->as.vector;
    DVT_CHECK(vector->length == in->model.labels && vector->items->rows == vector->length);
    DVT_CHECK(hash_names(&vector->items->as.text, vector->length) == in->model.names);
    const dv_value whole = dv_value_first(dv_batch_column(value, 0));
    int64_t cost = 0;
    dvt_hash_value(0, &whole, &cost);
    dv_batch_release(&value);
    if (info->metadata_count > 1)
        check_units(schema, in);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static uint64_t hash_batch(uint64_t hash, const dv_batch *batch)
{
    const dv_column_view *view = dv_batch_column(batch, 0);
    const dv_vector_layout *vector = &view->as.vector;
    const char *indices = vector->indices.data, *items = vector->items->as.fixed.values.data;
    size_t index_at = 4 * (size_t)vector->index_base, item_at = 8 * (size_t)vector->item_base;
    for (int64_t row = 0; row < view->rows; row++) {
        const int32_t count = dvi_load_i32((const char *)vector->counts.data + 4 * row);
        const int32_t n = count < 0 ? vector->length : count;
        DVT_CHECK(count < vector->length);
        hash = dvt_btable_hash_row(hash, count);
        for (int32_t k = 0; k < n; k++) {
            const int32_t index = count < 0 ? k : dvi_load_i32(indices + index_at);
            hash = dvt_btable_hash_item(hash, index, dvi_load_u64(items + item_at));
            index_at += count < 0 ? 0 : 4;
            item_at += 8;
        }
    }
    return hash;
}

/* All rows are those of the model. */
static void check_rows(const dvt_metered *o, const input *in, int64_t batch_rows)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    int64_t rows = 0;
    uint64_t hash = 0;
    DVT_CHECK(dv_cursor_open(&cursor, o->view, &options, &err) == DV_OK);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        DVT_CHECK(batch->position == rows && batch->first_row == rows && batch->rows >= 1);
        rows += batch->rows;
        hash = hash_batch(hash, batch);
    }
    dv_cursor_close(&cursor);
    DVT_CHECK(rows == in->model.rows && hash == in->model.values);
    DVT_CHECK((status == DV_END) == (in->model.status == DV_OK));
    if (status == DV_END)
        DVT_CHECK(dv_view_rows(o->view) == rows);
    else
        check_error(in, &err);
}

static const int32_t features = 0;

/* A slice, read in another way, has the values and the error of the whole. */
static void check_slice(const dvt_metered *o, input *in, bool fails)
{
    const int64_t rows = in->model.rows;
    const int64_t first = (int64_t)draw(in, (uint64_t)rows + 1);
    const int64_t end = first + (int64_t)draw(in, (uint64_t)(rows - first) + 1);
    const dvt_reading whole = {.columns = &features,
                               .columns_count = 1,
                               .end_row = -1,
                               .threads = 1,
                               .marked_row = first,
                               .marked_end = end};
    dvt_reading some = {.columns = &features,
                        .columns_count = 1,
                        .first_row = first,
                        .end_row = end,
                        .by_skip = draw(in, 2),
                        .threads = 1 + (int32_t)draw(in, 3),
                        .batch_rows = draw(in, 2) ? (int64_t)draw(in, 8) : 0,
                        .by_row = draw(in, 3) == 0,
                        .ids = draw(in, 2)};
    if (fails)
        some.ids = false;
    const dvt_answer all = dvt_read_view(o->view, &whole);
    const dvt_answer slice = dvt_read_view(o->view, &some);
    DVT_CHECK(all.rows == rows && slice.status == DV_END && slice.rows == end - first);
    DVT_CHECK(slice.hash[0] == all.marked[0]);
    some.end_row = -1;
    const dvt_answer rest = dvt_read_view(o->view, &some);
    DVT_CHECK(rest.status == all.status && rest.rows <= rows - first);
    if (rest.status < 0)
        check_error(in, &rest.err);
    else
        DVT_CHECK(rest.rows == rows - first);
}

/* Without columns only counts are read, up to the first wrong one. */
static void check_counting(const dvt_metered *o, const input *in)
{
    const dvt_reading reading = {.columns = &features, .end_row = -1, .threads = 1};
    const dvt_answer answer = dvt_read_view(o->view, &reading);
    DVT_CHECK(answer.rows >= in->model.rows);
    if (in->model.status == DV_OK)
        DVT_CHECK(answer.status == DV_END && answer.rows == in->model.rows);
}

/* --- CSR and saving --------------------------------------------------------------------------- */

static int64_t start_of(const dv_csr *csr, int64_t row)
{
    return csr->indptr_kind == DV_KIND_I8 ? ((const int64_t *)csr->indptr)[row]
                                          : ((const int32_t *)csr->indptr)[row];
}

static uint64_t hash_csr(const dv_csr *csr)
{
    uint64_t hash = 0;
    for (int64_t row = 0; row < csr->rows; row++) {
        const int64_t end = start_of(csr, row + 1);
        const int64_t n = end - start_of(csr, row);
        hash = dvt_btable_hash_row(hash, n == csr->columns ? -1 : (int32_t)n);
        for (int64_t k = start_of(csr, row); k < end; k++)
            hash = dvt_btable_hash_item(hash, csr->indices[k],
                                        dvi_load_u64((const char *)csr->data + 8 * k));
    }
    return hash;
}

static void check_csr(const dvt_metered *o, input *in)
{
    dv_csr *csr;
    dv_error err = DV_ERROR_INIT;
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    options.indptr = draw(in, 2) ? DV_KIND_I4 : DV_KIND_I8;
    options.all_slots = true;
    options.threads = 1 + (int32_t)draw(in, 3);
    const dv_status status = dv_csr_create(&csr, o->view, &options, &err);
    DVT_CHECK((status == DV_OK) == (csr != NULL));
    DVT_CHECK((status == DV_OK) == (in->model.status == DV_OK));
    if (status != DV_OK) {
        check_error(in, &err);
        return;
    }
    DVT_CHECK(csr->rows == in->model.rows && csr->entries == in->model.items);
    DVT_CHECK(csr->columns == in->model.labels && hash_csr(csr) == in->model.values);
    dv_csr_free(&csr);

    int64_t rows, entries;
    options.all_slots = false;
    DVT_CHECK(dv_csr_measure(&rows, &entries, o->view, &options, NULL) == DV_OK);
    DVT_CHECK(dv_csr_create(&csr, o->view, &options, NULL) == DV_OK);
    DVT_CHECK(csr->rows == rows && csr->entries == entries);
    dv_csr_free(&csr);
}

/* A table without zeros is saved with the same bytes; canonical tables have no zeros. */
static void check_saving(const dvt_metered *o, const input *in)
{
    dv_buffer file;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "btable";
    options.allow_loss = DV_LOSS_METADATA; /* LabelUnits */
    const dv_status status = dv_save_memory(o->view, &file, &options, &err);
    DVT_CHECK((status == DV_OK) == (in->model.status == DV_OK));
    if (status != DV_OK) {
        check_error(in, &err);
        return;
    }
    const dvt_btable_model saved = dvt_btable_model_of(file.data, file.nbytes, false);
    DVT_CHECK(saved.status == DV_OK && saved.rows == in->model.rows);
    DVT_CHECK(saved.labels == in->model.labels && saved.names == in->model.names);
    if (in->model.zeros == 0) {
        DVT_CHECK(saved.values == in->model.values);
        if (!in->lenient)
            DVT_CHECK(file.nbytes == in->n && memcmp(file.data, in->data, in->n) == 0);
    }
    dv_buffer_release(&file);
    options.canonical = true;
    DVT_CHECK(dv_save_memory(o->view, &file, &options, &err) == DV_OK);
    const dvt_btable_model canonical = dvt_btable_model_of(file.data, file.nbytes, false);
    DVT_CHECK(canonical.status == DV_OK && canonical.zeros == 0);
    DVT_CHECK(canonical.items == in->model.items - in->model.zeros);
    dv_buffer_release(&file);
}

/* --- Verification and facts ------------------------------------------------------------------- */

typedef struct verdict {
    int64_t defects, warnings;
    dv_error first; /* defect or warning about a row */
} verdict;

static bool count_defect(void *ctx, const dv_error *what)
{
    verdict *v = ctx;
    DVT_CHECK(*what->message && *what->expected && *what->found);
    if (v->first.offset < 0 && strcmp(what->rule, "btable:LABEL_UTF16") != 0)
        v->first = *what;
    v->defects += what->status != DV_OK;
    v->warnings += what->status == DV_OK;
    return true;
}

/* The first defect reported is the error of a strict reader. */
static void check_verification(const dvt_metered *o, const input *in,
                               const dvt_btable_model *strict)
{
    verdict v = {.first = DV_ERROR_INIT};
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = &v;
    DVT_CHECK(dv_verify(o->view, &options, NULL) == DV_OK);
    DVT_CHECK((v.defects > 0) == (in->model.status != DV_OK));
    DVT_CHECK((v.defects + v.warnings > 0) == (strict->status != DV_OK));
    if (strict->opens && strict->status != DV_OK) {
        DVT_CHECK(v.first.offset == strict->offset);
        DVT_CHECK(strcmp(v.first.rule + 7, strict->rule) == 0);
    }
}

static void check_facts(const dvt_metered *o, const input *in)
{
    dv_facts *facts;
    DVT_CHECK(dv_inspect(&facts, o->view, NULL) == DV_OK);
    DVT_CHECK(facts->columns == 1 && facts->file_nbytes == (int64_t)in->n);
    if (in->model.status == DV_OK) {
        DVT_CHECK(facts->rows == in->model.rows && dv_view_rows(o->view) == facts->rows);
        DVT_CHECK(in->lenient ? facts->items >= in->model.items : facts->items == in->model.items);
    }
    dv_facts_free(&facts);
}

/* --- The target ------------------------------------------------------------------------------- */

/* If allocations fail and calls are repeated, the answer is the same. */
static void check_memory(input *in, dv_io io)
{
    dvt_metered o;
    open_view(&o, in, io, 1 + (long long)draw(in, 8));
    const long long at = 1 + (long long)draw(in, 20);
    dvt_metered_fail(&o, at, 1 + (long long)draw(in, DVT_METERED_FAILURES));
    check_slice(&o, in, true);
    dvt_metered_close(&o);
}

/* The format is recognized by the bytes alone, only if the model opens them. */
static void check_looks(const input *in, const dvt_btable_model *strict)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    const dv_status status =
        dv_open_memory(&view, in->data, in->n, NULL, NULL, "input", NULL, &err);
    DVT_CHECK(status != DV_OK || strict->opens || strcmp(dv_view_kind(view), "btable") != 0);
    DVT_CHECK((status == DV_OK) == (view != NULL));
    dv_view_release(&view);
}

static void check_mode(input *in, const dvt_btable_model *strict, bool lenient)
{
    static const int64_t batch_rows[] = {1, 2, 3, 7, 64};
    in->lenient = lenient;
    in->model = lenient ? dvt_btable_model_of(in->data, in->n, true) : *strict;
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dvt_metered o;
        open_view(&o, in, io, 0);
        if (o.view) {
            if (draw(in, 4) == 0)
                check_facts(&o, in); /* makes the index, if it comes before check_rows */
            check_rows(&o, in, 0);
            check_rows(&o, in, batch_rows[draw(in, 5)]);
            check_slice(&o, in, false);
            check_counting(&o, in);
            check_names(&o, in);
            check_verification(&o, in, strict);
            check_facts(&o, in);
            check_csr(&o, in);
            if (draw(in, 2))
                check_saving(&o, in);
        }
        dvt_metered_close(&o);
        if (in->model.opens && draw(in, 4) == 0)
            check_memory(in, io);
    }
}

/* Repeat the rows until several threads split them. */
static void check_many(const input *in)
{
    const size_t head = (size_t)in->model.header_nbytes, body = in->n - head;
    const size_t times = body > 0 ? MANY_NBYTES / body + 1 : 0;
    uint8_t *data = times > 0 ? malloc(head + times * body) : NULL;
    dvt_metered o;
    if (!data)
        return;
    memcpy(data, in->data, head);
    for (size_t i = 0; i < times; i++)
        memcpy(data + head + i * body, in->data + head, body);
    input many = {.data = data, .n = head + times * body, .draws = in->draws};
    many.model = dvt_btable_model_of(many.data, many.n, false);
    open_view(&o, &many, DV_IO_MMAP, 0);
    for (int way = 0; o.view && way < 3; way++)
        check_csr(&o, &many);
    dvt_metered_close(&o);
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FILE_NBYTES)
        return 0;
    uint8_t *copy = malloc(n); /* of the exact size, so that ASan finds overruns */
    if (n > 0 && !copy)
        return 0;
    if (n > 0)
        memcpy(copy, data, n);
    input in = {.data = copy, .n = n, .draws = dvt_hash_bytes(0, data, n)};
    const dvt_btable_model strict = dvt_btable_model_of(copy, n, false);
    check_looks(&in, &strict);
    check_mode(&in, &strict, false);
    if (strict.opens && draw(&in, 16) == 0)
        check_many(&in);
    const uint64_t values = in.model.values;
    check_mode(&in, &strict, true);
    if (strict.status == DV_OK) { /* btable:10: lenient mode reads the same values */
        DVT_CHECK(strict.is_whole_rows);
        DVT_CHECK(in.model.status == DV_OK && in.model.values == values);
    }
    free(copy);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_btable_mutate(data, n, most, seed);
}
