/* SPDX-License-Identifier: MIT */
/* fuzz_idv.c: reads any bytes as an .idv file: memory is bounded, every way of reading gives the
 * same result, errors are complete, and verification agrees with reading. */
#include "mutate_idv.h"
#include "opened.h"
#include "reading.h"
#include <stdlib.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 17, /* larger inputs are ignored */
    METADATA_TOC_NBYTES = 1 << 15,
    ROWS = 2048,
    COST = 8192,
    VERIFY_BLOCKS = 256,
    THREADS = 3
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_nbytes, const uint8_t *b,
                                 size_t b_nbytes, uint8_t *out, size_t most, unsigned int seed);

/* The file, and draws that depend on its bytes. */
typedef struct input {
    uint8_t *data; /* an allocation of its own */
    size_t n;
    uint64_t draws;
    bool strict_text, sniffs; /* how to open it */
    int64_t block_nbytes, metadata_nbytes;
} input;

static uint64_t draw(input *in, uint64_t below)
{
    in->draws = dvt_hash_number(in->draws, 0x5EED);
    return (in->draws >> 16) % below;
}

/* --- Allowed errors and costs --- */

static bool is_limit(const char *rule)
{
    static const char *const options[] = {"columns", "metadata_nbytes", "metadata_toc_nbytes",
                                          "block_nbytes", "rows_without_columns"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(rule, options[i]) == 0)
            return true;
    return false;
}

static void check_error(const dv_error *err, size_t n)
{
    DVT_CHECK(err->status == DV_ERR_CORRUPT || err->status == DV_ERR_UNSUPPORTED ||
              err->status == DV_ERR_LIMIT);
    DVT_CHECK(err->offset >= 0 && err->offset <= (int64_t)n);
    DVT_CHECK(err->os_code == 0 && *err->expected && *err->found && *err->message);
    DVT_CHECK(strcmp(err->file, "input") == 0);
    DVT_CHECK(err->status == DV_ERR_LIMIT ? is_limit(err->rule)
                                          : strncmp(err->rule, "idv:", 4) == 0);
}

/* Tables in memory are as large as their bytes in the file, times a struct per entry. Tables of
 * several columns may share bytes, but only up to the option. */
static long long most_opened(size_t n)
{
    const long long tables = (long long)n * DVT_READ_COLUMNS < METADATA_TOC_NBYTES
                                 ? (long long)n * DVT_READ_COLUMNS
                                 : METADATA_TOC_NBYTES;
    return (128 << 10) + 64 * (long long)n + 64 * tables;
}

/* A ring entry holds the stored, the inflated and the decoded bytes, and a quarter to spare. */
static long long most_read(const input *in, const dvt_reading *reading)
{
    const long long slots =
        reading->columns_count * (reading->threads > 1 ? reading->threads + 1 : 1);
    const long long slot = 4096 + 5 * (2 * in->block_nbytes + (long long)in->n) / 4;
    /* Rows gathered from several blocks: no block holds more than an entry, and memory doubles. */
    const long long gathered = 4 * reading->columns_count * reading->batch_rows * slot;
    /* offsets of vectors: 16 bytes for a row of 4 or more; ids: 16 bytes for one of 1 or more */
    const long long numbers =
        (4 * reading->columns_count + (reading->ids ? 32 : 0)) * in->block_nbytes;
    return most_opened(in->n) + (32 << 10) + slots * slot + gathered + numbers;
}

/* --- Opening ---------------------------------------------------------------------------------- */

/* The opened input, and the columns to read. */
typedef struct table {
    dvt_metered opened;
    int32_t columns[DVT_READ_COLUMNS], columns_count;
} table;

static void open_table(table *t, const input *in, dv_io io, long long fail_at)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = in->sniffs ? NULL : "idv";
    options.io = io;
    options.strict_text = in->strict_text;
    options.columns = DVT_READ_COLUMNS;
    options.metadata_nbytes = in->metadata_nbytes;
    options.metadata_toc_nbytes = METADATA_TOC_NBYTES;
    options.block_nbytes = in->block_nbytes;
    options.rows_without_columns = ROWS;
    t->columns_count = 0;
    dvt_metered_open(&t->opened, in->data, in->n, &options, most_opened(in->n), fail_at);
    if (t->opened.status != DV_OK) {
        DVT_CHECK(t->opened.err.status == t->opened.status);
        DVT_CHECK(t->opened.releases == t->opened.tries);
        DVT_CHECK(atomic_load(&t->opened.meter.live_nbytes) == 0);
        check_error(&t->opened.err, in->n);
        return;
    }
    t->columns_count = dv_schema_columns(dv_view_schema(t->opened.view));
    DVT_CHECK(t->columns_count <= DVT_READ_COLUMNS);
    for (int32_t i = 0; i < t->columns_count; i++)
        t->columns[i] = i;
}

static dvt_answer read_table(table *t, const input *in, const dvt_reading *reading)
{
    t->opened.meter.most_nbytes = most_read(in, reading);
    const dvt_answer answer = dvt_read_view(t->opened.view, reading);
    if (answer.status < 0 && answer.status != DV_ERR_COPY)
        check_error(&answer.err, in->n);
    return answer;
}

/* --- Schemas and metadata --------------------------------------------------------------------- */

/* All that can be read without a block. */
typedef struct outline {
    uint64_t hash;
    bool is_whole; /* all metadata was read */
    bool is_sound; /* and none gave an error */
} outline;

/* A printed type must parse as the same type. */
static uint64_t hash_type(uint64_t hash, const dv_type *type)
{
    char text[512];
    int32_t dims[64];
    dv_type again;
    DVT_CHECK(dv_type_check(type, NULL) == DV_OK);
    const size_t n = dv_type_print(type, text, sizeof text);
    if (n >= sizeof text || type->rank > 64)
        return dvt_hash_number(hash, (uint64_t)type->rank);
    DVT_CHECK(dv_type_parse(&again, dv_text_of(text), dims, 64, NULL) == DV_OK);
    DVT_CHECK(dv_type_equal(type, &again));
    return dvt_hash_bytes(hash, text, n);
}

static uint64_t hash_metadata(uint64_t hash, const dv_schema *schema, int32_t column, int32_t i,
                              const input *in, int64_t *cost, bool *sound)
{
    const dv_metadata_info *info = dv_schema_metadata(schema, column, i);
    int32_t found;
    DVT_CHECK(dv_schema_find_metadata(schema, column, info->kind, &found) == DV_OK && found == i);
    hash = dvt_hash_bytes(hash, info->kind.data, (size_t)info->kind.nbytes);
    hash = hash_type(hash, &info->type);

    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_schema_metadata_value(schema, column, i, &batch, &err);
    DVT_CHECK((status == DV_OK) == (batch != NULL));
    *cost += 8;
    if (status != DV_OK) {
        check_error(&err, in->n);
        *sound = false;
        return dvt_hash_number(dvt_hash_bytes(hash, err.rule, strlen(err.rule)),
                               (uint64_t)err.offset);
    }
    DVT_CHECK(batch->rows == 1 && batch->columns == 1);
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    DVT_CHECK(dv_type_equal(&value.column->type, &info->type));
    hash = dvt_hash_value(hash, &value, cost);
    if (*cost < COST)
        dvt_write_value(&value);
    dv_batch_release(&batch);
    return hash;
}

static bool count_bytes(void *ctx, const char *data, size_t n)
{
    (void)data;
    *(size_t *)ctx += n;
    return true;
}

static void check_json(dv_text name)
{
    size_t nbytes = 0;
    DVT_CHECK(dv_text_write_json(name, &(dv_sink){count_bytes, &nbytes}));
    DVT_CHECK(nbytes >= (size_t)name.nbytes + 2);
}

static outline outline_of(table *t, const input *in)
{
    const dv_schema *schema = dv_view_schema(t->opened.view);
    outline o = {dvt_hash_number(0, (uint64_t)dv_view_rows(t->opened.view)), true, true};
    int64_t cost = 0;
    t->opened.meter.most_nbytes = most_read(in, &(dvt_reading){.columns_count = 1});
    for (int32_t c = 0; c < t->columns_count; c++) {
        const dv_column_info *info = dv_schema_column(schema, c);
        int32_t named;
        DVT_CHECK(info->name.nbytes > 0);
        check_json(info->name);
        DVT_CHECK(dv_schema_find(schema, info->name, &named) == DV_OK);
        DVT_CHECK(named >= c && (named > c) == info->is_hidden);
        o.hash = dvt_hash_bytes(o.hash, info->name.data, (size_t)info->name.nbytes);
        o.hash = hash_type(o.hash, &info->type);
        for (int32_t i = 0; i < info->metadata_count && o.is_whole; i++) {
            o.hash = hash_metadata(o.hash, schema, c, i, in, &cost, &o.is_sound);
            o.is_whole = cost < COST;
        }
    }
    return o;
}

/* --- Verification and facts ------------------------------------------------------------------- */

typedef struct verdict {
    const input *in;
    int64_t defects, blocks;
    bool stops_early;  /* stops at the first defect */
    dv_status stopped; /* what dv_verify must return after a callback stopped it; DV_OK: none did */
} verdict;

static bool count_defect(void *ctx, const dv_error *what)
{
    verdict *v = ctx;
    DVT_CHECK(v->stopped == DV_OK && *what->message && *what->expected && *what->found);
    if (what->status != DV_OK) { /* else a warning */
        check_error(what, v->in->n);
        v->defects++;
    }
    v->stopped = v->stops_early ? DV_END : DV_OK;
    return !v->stops_early;
}

static bool count_block(void *ctx, int64_t done, int64_t all)
{
    verdict *v = ctx;
    DVT_CHECK(v->stopped == DV_OK && done >= 0 && done <= all);
    v->stopped = ++v->blocks > VERIFY_BLOCKS ? DV_ERR_STOPPED : DV_OK;
    return v->stopped == DV_OK;
}

static void check_facts(table *t, const input *in, const verdict *v, bool is_verified)
{
    dv_facts *facts;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_inspect(&facts, t->opened.view, &err);
    DVT_CHECK((status == DV_OK) == (facts != NULL));
    if (status != DV_OK) {
        check_error(&err, in->n);
        DVT_CHECK(!is_verified || v->defects > 0);
        return;
    }
    DVT_CHECK(facts->columns == t->columns_count && facts->rows == dv_view_rows(t->opened.view));
    DVT_CHECK(facts->file_nbytes == (int64_t)in->n && facts->dead_columns >= 0);
    for (int32_t i = 0; i < facts->warnings; i++)
        DVT_CHECK(*facts->warning[i]);
    for (int32_t i = 0; i < facts->columns; i++) {
        const dv_column_facts *c = &facts->column[i];
        DVT_CHECK(c->blocks == facts->blocks_per_column && *c->compression);
        DVT_CHECK(c->stored_nbytes >= 0 && c->inflated_nbytes >= 0);
        DVT_CHECK(c->aligned_blocks <= c->in_place_blocks && c->in_place_blocks <= c->blocks);
    }
    dv_facts_free(&facts);
}

static dv_status verify_table(table *t, verdict *v)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = v;
    options.progress = (dv_progress){count_block, v};
    t->opened.meter.most_nbytes = most_read(v->in, &(dvt_reading){.columns_count = 1});
    return dv_verify(t->opened.view, &options, NULL);
}

/* Does the file have columns or metadata of unknown codecs or compressions?  They are not read. */
static bool has_dead(table *t)
{
    dv_facts *facts;
    DVT_CHECK(dv_inspect_briefly(&facts, t->opened.view, NULL) == DV_OK);
    const bool is_found = facts->dead_columns > 0 || facts->dead_metadata > 0;
    dv_facts_free(&facts);
    return is_found;
}

/* A file can be read as a whole if and only if it has no defect. */
static void check_verification(table *t, input *in, const outline *o, const dvt_answer *all)
{
    verdict v = {.in = in, .stops_early = draw(in, 2)};
    const dv_status status = verify_table(t, &v);
    DVT_CHECK(status == v.stopped);
    const bool is_verified = status == DV_OK;
    const bool is_unsound = all->status < 0 || !o->is_sound || has_dead(t);
    if (is_verified && is_unsound)
        DVT_CHECK(v.defects > 0);
    if (all->status == DV_END && o->is_whole && !is_unsound)
        DVT_CHECK(v.defects == 0);
    check_facts(t, in, &v, is_verified);
}

/* --- Ways of reading that must agree --- */

/* Some rows of some columns, in some batches, must equal that range of the whole. */
static void check_slice(table *t, input *in, const dvt_reading *whole, const dvt_answer *all)
{
    const dv_schema *schema = dv_view_schema(t->opened.view);
    int32_t columns[DVT_READ_COLUMNS], n = 0;
    const bool every = draw(in, 2) == 0, by_default = !every && draw(in, 3) == 0;
    for (int32_t i = 0; i < t->columns_count; i++)
        if (every || (by_default ? !dv_schema_column(schema, i)->is_hidden : draw(in, 2)))
            columns[n++] = i;
    const int64_t first = whole->marked_row, end = whole->marked_end;
    dvt_reading reading = {
        .columns = columns, .columns_count = n, .threads = 1, .first_row = first, .end_row = end};
    reading.by_default = by_default;
    reading.by_skip = draw(in, 2);
    reading.by_row = draw(in, 3) == 0;
    reading.ids = draw(in, 2);
    reading.batch_rows = draw(in, 2) ? (int64_t)draw(in, 8) : 0;
    const bool holds_damage = all->status < 0 && first <= all->rows && all->rows < end;
    if (all->rows < end && !(holds_damage && every))
        return; /* the content is unknown */
    const dvt_answer some = read_table(t, in, &reading);
    if (holds_damage) {
        DVT_CHECK(some.status == all->status && some.err.offset == all->err.offset);
        DVT_CHECK(strcmp(some.err.rule, all->err.rule) == 0);
        return;
    }
    DVT_CHECK(some.status == DV_END && some.rows == end - first);
    for (int32_t k = 0; k < n; k++)
        DVT_CHECK(some.hash[k] == all->marked[columns[k]]);
}

/* In place or not at all. */
static void check_zero_copy(table *t, const input *in, const dvt_reading *whole,
                            const dvt_answer *all, bool is_mapped)
{
    dvt_reading reading = *whole;
    reading.zero_copy_only = true;
    reading.writes = false;
    const dvt_answer answer = read_table(t, in, &reading);
    if (answer.status != DV_ERR_COPY)
        DVT_CHECK(dvt_answer_same(&answer, all));
    else
        DVT_CHECK(answer.rows <= all->rows && *answer.err.expected && *answer.err.found);
    if (!is_mapped && t->columns_count > 0)
        DVT_CHECK(answer.rows == 0);
}

static void fail_soon(table *t, input *in)
{
    const long long at = 1 + (long long)draw(in, 40);
    dvt_metered_fail(&t->opened, at, 1 + (long long)draw(in, DVT_METERED_FAILURES));
}

/* If an allocation fails and the call is repeated, the result is the same. */
static void check_memory(input *in, dv_io io, const dvt_reading *whole, const dvt_answer *all)
{
    table t;
    open_table(&t, in, io, 1 + (long long)draw(in, 24));
    DVT_CHECK(t.opened.view);
    dvt_reading reading = *whole;
    reading.writes = false;
    reading.threads = draw(in, 3) ? 1 : THREADS;
    reading.by_row = draw(in, 2);
    fail_soon(&t, in);
    const dvt_answer answer = read_table(&t, in, &reading);
    DVT_CHECK(dvt_answer_same(&answer, all));

    if (all->rows >= whole->marked_end) {
        reading.first_row = whole->marked_row;
        reading.end_row = whole->marked_end;
        reading.by_skip = true;
        fail_soon(&t, in);
        const dvt_answer some = read_table(&t, in, &reading);
        DVT_CHECK(some.status == DV_END && some.rows == reading.end_row - reading.first_row);
        for (int32_t k = 0; k < reading.columns_count; k++)
            DVT_CHECK(some.hash[k] == all->marked[k]);
    }
    verdict v = {.in = in};
    fail_soon(&t, in);
    const dv_status status = verify_table(&t, &v);
    DVT_CHECK(status == v.stopped || status == DV_ERR_MEMORY);
    dvt_metered_close(&t.opened);
}

static uint64_t hash_batch(const dv_batch *batch)
{
    uint64_t hash = 0;
    int64_t cost = 0;
    for (int32_t k = 0; k < batch->columns; k++) {
        dv_value value = dv_value_first(dv_batch_column(batch, k));
        for (; value.row < batch->rows && cost < COST; dv_value_next(&value))
            hash = dvt_hash_value(hash, &value, &cost);
    }
    return hash;
}

/* A batch outlives its cursor and its view. */
static void check_retained(const input *in, dv_io io, const dvt_reading *whole)
{
    table t;
    dv_cursor *cursor = NULL;
    const dv_batch *batch = NULL;
    open_table(&t, in, io, 0);
    if (t.opened.view) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.columns = whole->columns;
        options.columns_count = whole->columns_count;
        options.threads = 1;
        t.opened.meter.most_nbytes = most_read(in, whole);
        if (dv_cursor_open(&cursor, t.opened.view, &options, NULL) == DV_OK)
            dv_cursor_next(cursor, &batch, NULL);
    }
    if (batch) {
        const uint64_t hash = hash_batch(batch);
        dv_batch_retain(batch);
        dv_cursor_close(&cursor);
        dv_view_release(&t.opened.view);
        DVT_CHECK(t.opened.releases == 0 && hash_batch(batch) == hash);
        dv_batch_release(&batch);
    }
    dv_cursor_close(&cursor);
    dvt_metered_close(&t.opened);
}

/* --- All of it -------------------------------------------------------------------------------- */

static dvt_reading whole_view(const table *t, input *in)
{
    const int64_t rows = dv_view_rows(t->opened.view), some = rows < ROWS ? rows : ROWS;
    DVT_CHECK(rows >= 0 && dv_view_can_shuffle(t->opened.view));
    const int64_t first = (int64_t)draw(in, (uint64_t)some + 1);
    const int64_t end = first + (int64_t)draw(in, (uint64_t)(some - first) + 1);
    return (dvt_reading){.columns = t->columns,
                         .columns_count = t->columns_count,
                         .end_row = -1,
                         .threads = 1,
                         .marked_row = first,
                         .marked_end = end,
                         .rows = ROWS,
                         .cost = COST};
}

static void check_readings(table *mapped, table *copied, input *in)
{
    dvt_reading reading = whole_view(mapped, in);
    reading.writes = true;
    const dvt_answer all = read_table(mapped, in, &reading);
    reading.writes = false;
    const dvt_answer by_copies = read_table(copied, in, &reading);
    DVT_CHECK(dvt_answer_same(&all, &by_copies));

    dvt_reading other = reading;
    other.by_row = true;
    const dvt_answer by_rows = read_table(draw(in, 2) ? mapped : copied, in, &other);
    DVT_CHECK(dvt_answer_same(&all, &by_rows));
    if (draw(in, 6) == 0) {
        other.by_row = draw(in, 3) == 0;
        other.threads = THREADS;
        const dvt_answer by_threads = read_table(draw(in, 2) ? mapped : copied, in, &other);
        DVT_CHECK(dvt_answer_same(&all, &by_threads));
    }
    check_slice(draw(in, 2) ? mapped : copied, in, &reading, &all);

    const outline o = outline_of(mapped, in), again = outline_of(copied, in);
    DVT_CHECK(o.hash == again.hash && o.is_sound == again.is_sound);
    check_verification(draw(in, 2) ? mapped : copied, in, &o, &all);
    const dv_io io = draw(in, 2) ? DV_IO_MMAP : DV_IO_PREAD;
    if (draw(in, 4) == 0)
        check_zero_copy(io == DV_IO_MMAP ? mapped : copied, in, &reading, &all, io == DV_IO_MMAP);
    if (draw(in, 6) == 0)
        check_memory(in, io, &reading, &all);
    if (draw(in, 6) == 0)
        check_retained(in, io, &reading);
}

static void check_input(input *in)
{
    table mapped, copied;
    in->strict_text = draw(in, 4) == 0;
    in->sniffs = in->n >= 8 && memcmp(in->data, "CML\0DVB\0", 8) == 0 && draw(in, 4) == 0;
    in->block_nbytes = draw(in, 4) ? 1 << 16 : 1 << draw(in, 12);
    in->metadata_nbytes = draw(in, 4) ? 1 << 14 : 1 << draw(in, 12);
    open_table(&mapped, in, DV_IO_MMAP, 0);
    open_table(&copied, in, DV_IO_PREAD, 0);
    DVT_CHECK((mapped.opened.view != NULL) == (copied.opened.view != NULL));
    if (mapped.opened.view) {
        check_readings(&mapped, &copied, in);
    } else {
        DVT_CHECK(mapped.opened.err.status == copied.opened.err.status);
        DVT_CHECK(mapped.opened.err.offset == copied.opened.err.offset);
        DVT_CHECK(strcmp(mapped.opened.err.rule, copied.opened.err.rule) == 0);
    }
    dvt_metered_close(&mapped.opened);
    dvt_metered_close(&copied.opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FILE_NBYTES)
        return 0;
    input in = {.data = malloc(n), .n = n, .draws = dvt_hash_bytes(0, data, n)};
    if (n > 0 && !in.data)
        return 0;
    if (n > 0)
        memcpy(in.data, data, n);
    check_input(&in);
    free(in.data);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    return dvt_idv_mutate(data, n, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_nbytes, const uint8_t *b,
                                 size_t b_nbytes, uint8_t *out, size_t most, unsigned int seed)
{
    return dvt_idv_cross(a, a_nbytes, b, b_nbytes, out, most, seed);
}
