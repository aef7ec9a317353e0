/* SPDX-License-Identifier: MIT */
/* fuzz_roundtrip.c: any bytes as a view, saved and opened again.
 *
 * As .idv: the table is the same with any options, or saving was refused for a stated reason; saved
 * again, it is the same file. As a BTable: what it can hold is valid, and saved again it is the
 * same file. As text: every value is the same, however it is stored, and so are the bytes. As
 * datadings: every sample is valid, and saved again it has the same bytes. */
#include "alike.h"
#include "echo.h"
#include "meter.h"
#include "mutate_idv.h"
#include "reading.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_NBYTES = 1 << 16, /* larger inputs are not looked at */
    BLOCK_NBYTES = 1 << 16,
    METADATA_NBYTES = 1 << 14,
    METADATA_TOC_NBYTES = 1 << 15,
    ROWS = 1024, /* that are saved at most */
    LABELS = 1 << 14,
    MESSAGES_NBYTES = 1 << 20, /* of datadings, where sparse vectors are dense */
    THREADS = 3
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_nbytes, const uint8_t *b,
                                 size_t b_nbytes, uint8_t *out, size_t most, unsigned int seed);

/* --- Draws and options ------------------------------------------------------------------------ */

/* A view of the input, and draws that follow from its bytes. */
typedef struct input {
    dvt_meter meter;
    dv_allocator allocator;
    uint64_t draws;
    dv_view *base, *view; /* of the input; the view that is saved: the same, or an echo of it as a
                             user's view */
    dvt_echo echo;
    int64_t opened_nbytes; /* of memory, before anything is saved */
} input;

static uint64_t draw(input *in, uint64_t below)
{
    in->draws = dvt_hash_number(in->draws, 0x5EED);
    return (in->draws >> 16) % below;
}

static bool one_in(input *in, uint64_t n)
{
    return draw(in, n) == 0;
}

/* The options of the save, and the result of dv_save_check. */
typedef struct plan {
    dv_save_options options;
    bool is_idv, is_text, is_datadings;
    int32_t list[DVT_ALIKE_COLUMNS];    /* options.columns */
    int32_t columns[DVT_ALIKE_COLUMNS]; /* that will be saved */
    int32_t columns_count;
    int64_t first_row, rows;
    int32_t reports, refused;               /* by the check */
    int32_t dropped, missing_metadata;      /* by the allowed losses */
    bool has_other_schema, has_other_names; /* of columns, or of their slots */
    bool is_dropped[DVT_ALIKE_COLUMNS];
    dv_status status; /* of the check */
    dv_error err;
} plan;

static void draw_columns(input *in, plan *p)
{
    const dv_schema *schema = dv_view_schema(in->view);
    const int32_t n = dv_schema_columns(schema);
    p->options.hidden = one_in(in, 2);
    if (n > 0 && one_in(in, 3)) {
        p->options.columns = p->list;
        p->options.columns_count = (int32_t)draw(in, DVT_ALIKE_COLUMNS);
        for (int32_t k = 0; k < p->options.columns_count; k++)
            p->columns[p->columns_count++] = p->list[k] = (int32_t)draw(in, (uint64_t)n);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        if (p->options.hidden || !dv_schema_column(schema, i)->is_hidden)
            p->columns[p->columns_count++] = i;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void draw_rows(input *in, plan *p)
{
    dv_save_options *o = &p->options;
    const int64_t all = dv_view_rows(in->base);
    o->first_row = one_in(in, 4) ? (int64_t)draw(in, 200) : 0;
    o->end_row = one_in(in, 4) ? (int64_t)draw(in, 300) : -1;
    o->skip = one_in(in, 4) ? (int64_t)draw(in, 20) : 0;
    o->take = one_in(in, 4) ? (int64_t)draw(in, 64) : ROWS;
    const int64_t end = o->end_row < 0 ? all : least(o->end_row, all);
    p->first_row = least(o->first_row, all) + o->skip;
    p->rows = end > p->first_row ? least(end - p->first_row, o->take) : 0;
}

static void draw_format(input *in, dv_save_options *o)
{
    static const int64_t few[] = {0, 1, 2, 3, 5, 64, 1000};
    o->format = "idv";
    o->rows_per_block = few[draw(in, 7)];
    o->block_nbytes = one_in(in, 2) ? 0 : 1 + (int64_t)draw(in, UINT64_C(1) << draw(in, 17));
    o->compression = (dv_compression)draw(in, 3);
    o->level = one_in(in, 8) ? (int32_t)draw(in, 13) : 1;
    o->align = 8 << draw(in, 10);
    o->idv_version = one_in(in, 4) ? "1.1.1.5" : one_in(in, 2) ? "1.1.1.6" : NULL;
    o->idv_old_keys = one_in(in, 3);
    o->idv_bool_2bit = one_in(in, 3);
    o->allow_loss = one_in(in, 2) ? (uint32_t)draw(in, 128) : 0;
}

/* Nearly everything loses something there. */
static void draw_btable(input *in, dv_save_options *o)
{
    o->format = "btable";
    o->canonical = one_in(in, 2);
    o->allow_loss = one_in(in, 4) ? (uint32_t)draw(in, 128) : 127;
}

/* mlnet+ need not be readable; all slots are written only if there are few. */
static void draw_text(input *in, dv_save_options *o, bool has_few_slots)
{
    static const char *const options[] = {NULL,      "sep=comma",     "sep=space", "sep=semicolon",
                                          "sep=bar", "sep=, header-", "mlnet+",    "dense+"};
    o->format = "text";
    o->text = options[draw(in, has_few_slots ? 8 : 7)];
    o->allow_loss = one_in(in, 3) ? (uint32_t)draw(in, 128) : 127;
}

/* They need a key; without one nearly everything is refused. */
static void draw_datadings(input *in, dv_save_options *o)
{
    static const char *const options[] = {"key=rownumber", "key=rownumber drop_metadata=SlotNames",
                                          "key=TX", NULL};
    o->format = "datadings";
    o->datadings = options[one_in(in, 3) ? draw(in, 4) : draw(in, 2)];
    o->allow_loss = one_in(in, 3) ? (uint32_t)draw(in, 128) : 127;
    o->memory_nbytes = MESSAGES_NBYTES;
}

static bool is_mlnet(const plan *p)
{
    return p->options.text && strcmp(p->options.text, "mlnet+") == 0;
}

static bool has_vectors_that_vary(const input *in)
{
    const dv_schema *schema = dv_view_schema(in->view);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        if (dv_type_is_vector(&dv_schema_column(schema, i)->type) &&
            dv_schema_column(schema, i)->type.size == 0)
            return true;
    return false;
}

/* As a BTable every slot has a label. */
static bool has_long_vectors(const input *in)
{
    const dv_schema *schema = dv_view_schema(in->view);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        if (dv_schema_column(schema, i)->type.size > LABELS)
            return true;
    return false;
}

static plan draw_plan(input *in)
{
    plan p = {.options = DV_SAVE_OPTIONS_INIT, .err = DV_ERROR_INIT};
    p.options.allocator = &in->allocator;
    p.options.threads = 1;
    draw_columns(in, &p);
    draw_rows(in, &p);
    draw_format(in, &p.options);
    p.is_idv = !one_in(in, 5) || has_long_vectors(in);
    if (!p.is_idv)
        draw_btable(in, &p.options);
    p.is_text = p.is_idv && one_in(in, 3);
    if (p.is_text) {
        p.is_idv = false;
        draw_text(in, &p.options, !has_long_vectors(in) && !has_vectors_that_vary(in));
    }
    p.is_datadings = p.is_idv && one_in(in, 4);
    if (p.is_datadings) {
        p.is_idv = false;
        draw_datadings(in, &p.options);
    }
    return p;
}

/* --- What would be lost ----------------------------------------------------------------------- */

static bool take_report(void *ctx, const dv_loss_report *report)
{
    plan *p = ctx;
    DVT_CHECK(report->is_allowed == ((p->options.allow_loss & (uint32_t)report->loss) != 0));
    DVT_CHECK(*report->sentence && (report->loss == DV_LOSS_NONE || *dv_loss_name(report->loss)));
    DVT_CHECK(report->column >= 0 || !p->is_idv); /* which takes every table as such */
    p->reports++;
    p->refused += !report->is_allowed;
    if (report->loss == DV_LOSS_METADATA)
        p->missing_metadata += report->is_allowed;
    const uint32_t others = DV_LOSS_NAMES | DV_LOSS_TYPES | DV_LOSS_NA | DV_LOSS_BREAKS;
    p->has_other_schema |= ((uint32_t)report->loss & others) != 0;
    p->has_other_names |= ((uint32_t)report->loss & others) != 0 && report->metadata.nbytes > 0;
    if (report->loss == DV_LOSS_COLUMNS && report->is_allowed) {
        p->dropped++;
        int32_t k = 0; /* a column may be there twice */
        while (k < p->columns_count && (p->is_dropped[k] || p->columns[k] != report->column))
            k++;
        if (k < p->columns_count)
            p->is_dropped[k] = true;
    }
    return true;
}

static void check_losses(input *in, plan *p)
{
    plan asked = *p; /* its options point to the list of the original, which stays */
    asked.status = dv_save_check(in->view, NULL, &p->options, take_report, &asked, &asked.err);
    DVT_CHECK(asked.status != DV_OK || asked.refused == 0);
    DVT_CHECK(asked.status != DV_ERR_LOSS || asked.refused > 0);
    *p = asked;
    if (!p->is_idv && !p->is_text)
        return;
    int32_t n = 0;
    for (int32_t k = 0; k < asked.columns_count; k++)
        if (!asked.is_dropped[k])
            p->columns[n++] = asked.columns[k];
    const bool is_whole = asked.status == DV_OK || asked.status == DV_ERR_LOSS;
    DVT_CHECK(!is_whole || n == asked.columns_count - asked.dropped);
    p->columns_count = n;
}

/* --- Saving ----------------------------------------------------------------------------------- */

/* The saved bytes, in an allocation of their exact size, so that a read past the end is detected.
 */
typedef struct file {
    dv_status status;
    dv_error err;
    uint8_t *data;
    size_t n;
} file;

static file save(dv_view *view, const dv_save_options *options)
{
    file f = {.err = DV_ERROR_INIT};
    dv_buffer buffer;
    f.status = dv_save_memory(view, &buffer, options, &f.err);
    DVT_CHECK((f.status == DV_OK && buffer.nbytes > 0) == (buffer.data != NULL));
    DVT_CHECK(f.status == DV_OK || (buffer.nbytes == 0 && f.err.status == f.status));
    if (f.status != DV_OK)
        return f;
    f.n = buffer.nbytes;
    f.data = malloc(f.n + (f.n == 0)); /* no sample, no byte */
    DVT_CHECK(f.data != NULL);
    if (f.n > 0)
        memcpy(f.data, buffer.data, f.n);
    dv_buffer_release(&buffer);
    return f;
}

static bool is_same_file(const file *a, const file *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}

static dv_view *open_file(const file *f, const char *format, const dv_allocator *allocator)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    options.allocator = allocator;
    options.format = format;
    options.datadings = strcmp(format, "datadings") == 0 ? "infer=all" : NULL;
    const dv_status status =
        dv_open_memory(&view, f->data, f->n, NULL, NULL, "saved", &options, &err);
    DVT_CHECK(status == DV_OK);
    return view;
}

static bool no_defect(void *ctx, const dv_error *what)
{
    (void)ctx;
    DVT_CHECK(what->status == DV_OK); /* a warning */
    return true;
}

/* --- Properties ------------------------------------------------------------------------------- */

static dvt_alike alike_of(input *in, const plan *p, dv_view *saved)
{
    const bool has_na = p->options.idv_bool_2bit ||
                        (p->options.idv_version && strcmp(p->options.idv_version, "1.1.1.5") == 0);
    return (dvt_alike){.source = in->base,
                       .saved = saved,
                       .columns = p->columns,
                       .columns_count = p->columns_count,
                       .first_row = p->first_row,
                       .rows = p->rows,
                       .batch_rows = 1 + (int64_t)draw(in, 100),
                       .by_value = p->is_text,
                       .na_may_be_false = !has_na && (p->options.allow_loss & DV_LOSS_NA) != 0};
}

/* The same view again, and once more the same file. */
static void check_again(input *in, const plan *p, const file *f)
{
    dv_verify_options verify = DV_VERIFY_OPTIONS_INIT;
    dv_view *saved = open_file(f, p->options.format, &in->allocator);
    const dvt_alike alike = alike_of(in, p, saved);
    if (p->is_idv || (p->is_text && !p->has_other_schema))
        dvt_check_schema(&alike, p->missing_metadata);
    if ((p->is_idv || p->is_text) && !in->echo.breaks)
        dvt_check_values(&alike);
    verify.defect = no_defect;
    DVT_CHECK(dv_verify(saved, &verify, NULL) == DV_OK);

    dv_save_options options = p->options;
    options.columns = NULL;
    options.columns_count = -1;
    options.hidden = true;
    options.first_row = options.skip = 0;
    options.end_row = options.take = -1;
    options.allow_loss = p->is_datadings ? 127 : 0; /* U8 may be read as I8 */
    options.datadings = NULL;                       /* now there is a key */
    /* Names that are not written as they are read; no sample, so no column either. */
    if ((p->is_text && p->has_other_names) || (p->is_datadings && p->rows == 0)) {
        dv_view_release(&saved);
        return;
    }
    file again = save(saved, &options);
    DVT_CHECK(again.status == DV_OK && is_same_file(f, &again));
    free(again.data);
    dv_view_release(&saved);
}

/* A save that ended otherwise than well. */
static void check_failure(input *in, const plan *p, const file *f)
{
    if (p->status < 0) {
        DVT_CHECK(f->status == p->status && strcmp(f->err.message, p->err.message) == 0);
        if (f->status == DV_ERR_LOSS)
            return;
    } else if (f->status == DV_ERR_LOSS) { /* a value */
        DVT_CHECK(strcmp(f->err.rule, "allow_loss") == 0);
        DVT_CHECK(strstr(f->err.message, "row ") || strstr(f->err.message, "metadata "));
        return;
    }
    if (in->echo.breaks && f->status == DV_ERR_ARGUMENT)
        return;
    if (p->is_datadings && f->status == DV_ERR_LIMIT)
        return; /* of memory, or of a vector */
    if (p->is_text && f->status == DV_ERR_LIMIT && strcmp(f->err.rule, "text") == 0)
        return; /* slots of a row */
    const dvt_alike alike = alike_of(in, p, NULL);
    DVT_CHECK(strcmp(f->err.file, "input") == 0);
    DVT_CHECK(dvt_read_source(&alike) < 0);
}

/* Another number of threads writes the same bytes, or fails for a reason as good. */
static void check_threads(input *in, const plan *p, const file *f)
{
    dv_save_options options = p->options;
    options.threads = THREADS;
    file other = save(in->view, &options);
    DVT_CHECK(other.status == f->status);
    DVT_CHECK(f->status == DV_OK ? is_same_file(f, &other)
                                 : strcmp(f->err.message, other.err.message) == 0);
    free(other.data);
}

/* Any allocation may fail. */
static void check_memory(input *in, const plan *p, const file *f)
{
    dv_save_options options = p->options;
    options.threads = one_in(in, 4) ? THREADS : 1;
    const long long before = atomic_load(&in->meter.live_nbytes);
    atomic_store(&in->meter.fail_at,
                 atomic_load(&in->meter.asked) + 1 + (long long)draw(in, 1 + draw(in, 200)));
    atomic_store(&in->meter.fail_count, 1 + (long long)draw(in, 3));
    file other = save(in->view, &options);
    atomic_store(&in->meter.fail_count, 0);
    DVT_CHECK(other.status == f->status || other.status == DV_ERR_MEMORY);
    DVT_CHECK(other.status != DV_OK || is_same_file(f, &other));
    DVT_CHECK(atomic_load(&in->meter.live_nbytes) == before);
    free(other.data);
}

/* As many bytes as the file has are enough, and one less is not. */
static void check_limit(input *in, const plan *p, const file *f)
{
    dv_save_options options = p->options;
    options.memory_nbytes = (int64_t)f->n;
    file enough = save(in->view, &options);
    DVT_CHECK(enough.status == DV_OK && is_same_file(f, &enough));
    options.memory_nbytes = (int64_t)f->n - 1 - (int64_t)draw(in, 1 + draw(in, f->n - 1));
    const file less = save(in->view, &options);
    DVT_CHECK(less.status == DV_ERR_LIMIT && strcmp(less.err.rule, "memory_nbytes") == 0);
    free(enough.data);
}

/* A progress callback that stops the save. */
typedef struct watcher {
    int64_t rows, done;
    bool is_hidden; /* how many rows there are */
    int calls, stop_at;
} watcher;

static bool watch(void *ctx, int64_t rows_done, int64_t rows)
{
    watcher *w = ctx;
    DVT_CHECK(rows == (w->is_hidden ? DV_ROWS_UNKNOWN : w->rows));
    DVT_CHECK(rows_done >= w->done && rows_done <= w->rows);
    DVT_CHECK(w->calls > 0 || rows_done == 0);
    DVT_CHECK(w->stop_at == 0 || w->calls < w->stop_at);
    w->done = rows_done;
    return ++w->calls != w->stop_at;
}

static void check_progress(input *in, const plan *p, const file *f)
{
    watcher w = {.rows = p->rows, .is_hidden = in->echo.hides_rows};
    dv_save_options options = p->options;
    options.progress = (dv_progress){watch, &w};
    file other = save(in->view, &options);
    DVT_CHECK(other.status == DV_OK && is_same_file(f, &other) && w.done == p->rows);
    free(other.data);
    w = (watcher){.rows = p->rows,
                  .is_hidden = in->echo.hides_rows,
                  .stop_at = 1 + (int)draw(in, (uint64_t)w.calls)};
    other = save(in->view, &options);
    DVT_CHECK(other.status == DV_ERR_STOPPED);
}

/* --- All of it -------------------------------------------------------------------------------- */

static void check_input(input *in)
{
    plan p = draw_plan(in);
    p.options.columns = p.options.columns ? p.list : NULL;
    check_losses(in, &p);
    file f = save(in->view, &p.options);
    if (f.status == DV_OK && !is_mlnet(&p))
        check_again(in, &p, &f);
    else if (f.status != DV_OK)
        check_failure(in, &p, &f);
    if (one_in(in, 6))
        check_threads(in, &p, &f);
    if (one_in(in, 3))
        check_memory(in, &p, &f);
    if (f.status == DV_OK && f.n > 0 && one_in(in, 6))
        check_limit(in, &p, &f);
    if (f.status == DV_OK && one_in(in, 6))
        check_progress(in, &p, &f);
    free(f.data);
}

static void open_input(input *in, const uint8_t *data, size_t n)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    in->allocator = dvt_meter_allocator(&in->meter);
    options.allocator = &in->allocator;
    options.format = "idv";
    options.io = one_in(in, 3) ? DV_IO_PREAD : DV_IO_MMAP;
    options.columns = DVT_ALIKE_COLUMNS;
    options.metadata_nbytes = METADATA_NBYTES;
    options.metadata_toc_nbytes = METADATA_TOC_NBYTES;
    options.block_nbytes = BLOCK_NBYTES;
    options.rows_without_columns = ROWS;
    dv_open_memory(&in->base, data, n, NULL, NULL, "input", &options, NULL);
    in->view = in->base;
    dv_view *echo = NULL;
    if (in->base && one_in(in, 3)) {
        in->echo = (dvt_echo){.source = in->base, .seed = in->draws, .allocator = &in->allocator};
        echo = dvt_echo_open(&in->echo);
    }
    if (echo) {
        in->view = echo;
        in->echo.breaks = one_in(in, 3);
        in->echo.hides_rows = one_in(in, 2);
    }
    in->opened_nbytes = atomic_load(&in->meter.live_nbytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FILE_NBYTES)
        return 0;
    input in = {.draws = dvt_hash_bytes(1, data, n)};
    open_input(&in, data, n);
    if (in.view) {
        check_input(&in);
        DVT_CHECK(atomic_load(&in.meter.live_nbytes) == in.opened_nbytes);
    }
    if (in.view != in.base)
        dv_view_release(&in.view);
    dv_view_release(&in.base);
    DVT_CHECK(atomic_load(&in.meter.live_nbytes) == 0);
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
