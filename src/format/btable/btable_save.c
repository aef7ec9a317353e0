/* SPDX-License-Identifier: MIT */
/* btable_save.c: saves a view as a BTable: labels, then rows (btable:11). */
#include "base/alloc.h"
#include "base/size.h"
#include "format/btable/btable_save_priv.h"
#include <inttypes.h>
#include <stdio.h>

#define BUFFER_NBYTES ((size_t)16 << 10)

/* The state of a save. */
typedef struct saver {
    dvi_saver base;
    dvi_btable_plan plan;
    dvi_writer *writer;
    int64_t row;   /* the next one */
    int32_t label; /* slot of the last label that was written */
    size_t n;      /* bytes in the buffer */
    uint8_t buffer[BUFFER_NBYTES];
} saver;

static dv_status flush(saver *s, dv_error *err)
{
    const size_t n = s->n;
    s->n = 0;
    return dvi_writer_write(s->writer, s->buffer, n, err);
}

/* Make room for nbytes in the buffer. */
static dv_status room(saver *s, size_t nbytes, dv_error *err)
{
    return BUFFER_NBYTES - s->n < nbytes ? flush(s, err) : DV_OK;
}

static dv_status put_int(saver *s, int32_t number, dv_error *err)
{
    DVI_TRY(room(s, 4, err));
    dvi_store_i32_be(s->buffer + s->n, number);
    s->n += 4;
    return DV_OK;
}

static dv_status put_pair(saver *s, int32_t index, double value, dv_error *err)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    DVI_TRY(room(s, DVI_BTABLE_PAIR_NBYTES, err));
    dvi_store_i32_be(s->buffer + s->n, index);
    dvi_store_u64_be(s->buffer + s->n + 4, bits);
    s->n += DVI_BTABLE_PAIR_NBYTES;
    return DV_OK;
}

/* --- Labels ----------------------------------------------------------------------------------- */

static dv_status put_unit(saver *s, uint32_t unit, dv_error *err)
{
    DVI_TRY(room(s, 2, err));
    dvi_store_u16_be(s->buffer + s->n, (uint16_t)unit);
    s->n += 2;
    return DV_OK;
}

/* The code point at p, which is valid UTF-8. *width_out: its bytes. */
static uint32_t code_point(const uint8_t *p, size_t *width_out)
{
    const size_t width = *p < 0x80 ? 1 : *p < 0xE0 ? 2 : *p < 0xF0 ? 3 : 4;
    uint32_t c = width == 1 ? *p : *p & (0x7Fu >> width);
    for (size_t i = 1; i < width; i++)
        c = c << 6 | (p[i] & 0x3Fu);
    *width_out = width;
    return c;
}

/* Write n separators. */
static dv_status put_separators(saver *s, int64_t n, dv_error *err)
{
    while (n > 0) {
        if (BUFFER_NBYTES - s->n < 2)
            DVI_TRY(flush(s, err));
        const int64_t fit = dvi_min_i64(n, (int64_t)(BUFFER_NBYTES - s->n) / 2);
        for (int64_t i = 0; i < fit; i++, s->n += 2)
            dvi_store_u16_be(s->buffer + s->n, DVI_BTABLE_SEPARATOR);
        n -= fit;
    }
    return DV_OK;
}

static dv_status put_label(void *ctx, const dvi_btable_label *label, dv_error *err)
{
    saver *s = ctx;
    DVI_TRY(put_separators(s, label->slot - s->label, err));
    s->label = label->slot;
    size_t width;
    for (int64_t i = 0; i < label->text.nbytes; i += (int64_t)width) {
        const uint32_t c = code_point((const uint8_t *)label->text.data + i, &width);
        if (c >= 0x10000)
            DVI_TRY(put_unit(s, 0xD800 + ((c - 0x10000) >> 10), err));
        DVI_TRY(put_unit(s, c < 0x10000 ? c : 0xDC00 + (c & 0x3FF), err));
    }
    return DV_OK;
}

static dv_status count_units(void *ctx, const dvi_btable_label *label, dv_error *err)
{
    (void)err;
    *(int64_t *)ctx += dvi_btable_units(label->text);
    return DV_OK;
}

static dv_status put_header(saver *s, dv_error *err)
{
    const bool has_labels = dvi_btable_has_labels(&s->plan);
    int64_t units = s->plan.slots - 1;
    if (has_labels)
        DVI_TRY(dvi_btable_each_label(&s->plan, count_units, &units, err));
    DVI_TRY(put_int(s, 0, err));
    DVI_TRY(put_int(s, (int32_t)units, err));
    if (has_labels)
        DVI_TRY(dvi_btable_each_label(&s->plan, put_label, s, err));
    return put_separators(s, s->plan.slots - 1 - s->label, err);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* Numbers of one kind, of a column. */
typedef struct numbers {
    dv_kind kind;
    size_t width;
    const uint8_t *data;
    int32_t column; /* of the schema */
} numbers;

static const uint8_t nothing[8]; /* the arrays of a batch without items */

static numbers numbers_of(const dv_column_view *view, int64_t first, int32_t column)
{
    const uint8_t *data = view->as.fixed.values.data;
    const size_t width = dvi_width_of(&view->type);
    return (numbers){view->type.kind, width, data ? data + (size_t)first * width : nothing, column};
}

static dv_status read_number(const saver *s, const numbers *from, int64_t i, double *value_out,
                             dv_error *err)
{
    const dvi_saving *saving = s->plan.saving;
    const uint8_t *p = from->data + (size_t)i * from->width;
    if (dvi_btable_number(from->kind, p, value_out) || dvi_saving_allows(saving, DV_LOSS_PRECISION))
        return DV_OK;
    char what[160];
    const dv_column_info *info = dv_schema_column(saving->schema, from->column);
    snprintf(what, sizeof what, "row %" PRId64 ", column \"%s\"", s->row,
             dvi_show(info->name).text);
    const bool is_signed = from->kind == DV_KIND_I8;
    return dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, what,
                    "a number that R8 holds, or precision allowed|%s%" PRIu64,
                    is_signed && dvi_load_i64(p) < 0 ? "-" : "",
                    is_signed && dvi_load_i64(p) < 0 ? 0 - dvi_load_u64(p) : dvi_load_u64(p));
}

/* Is the number a zero that is not written? With option canonical zeros of both signs are not, else
 * +0 of dense rows is not. */
static bool is_left_out(const saver *s, double value, bool is_dense)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (s->plan.saving->options->canonical)
        return bits << 1 == 0;
    return is_dense && bits == 0;
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* A row: n numbers, and the slot of each; indices NULL: the row is dense. */
typedef struct row {
    numbers from;
    const uint8_t *indices;
    int32_t n;
} row;

/* Check indices, which may be wrong in batches of a user's view. */
static dv_status check_indices(const saver *s, const row *r, dv_error *err)
{
    int32_t before = -1;
    for (int32_t k = 0; r->indices && k < r->n; k++) {
        const int32_t slot = dvi_load_i32(r->indices + 4 * (size_t)k);
        if (slot <= before || slot >= s->plan.slots)
            return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "the view",
                            "increasing indices below %" PRId32 "|%" PRId32 " in row %" PRId64,
                            s->plan.slots, slot, s->row);
        before = slot;
    }
    return DV_OK;
}

/* The count comes before the pairs, so numbers are read twice. */
static dv_status check_written(int32_t counted, int32_t written, dv_error *err)
{
    return written == counted ? DV_OK : dvi_fail_changed(err, -1, "numbers that are not zero");
}

static dv_status put_row(saver *s, const row *r, dv_error *err)
{
    int32_t n = 0, written = 0;
    double value;
    const bool is_dense = !r->indices;
    DVI_TRY(check_indices(s, r, err));
    for (int32_t k = 0; k < r->n; k++) {
        DVI_TRY(read_number(s, &r->from, k, &value, err));
        n += !is_left_out(s, value, is_dense);
    }
    DVI_TRY(put_int(s, n, err));
    for (int32_t k = 0; k < r->n; k++) {
        DVI_TRY(read_number(s, &r->from, k, &value, err));
        if (is_left_out(s, value, is_dense))
            continue;
        const int32_t slot = is_dense ? k : dvi_load_i32(r->indices + 4 * (size_t)k);
        DVI_TRY(put_pair(s, slot, value, err));
        written++;
    }
    DVI_TRY(check_written(n, written, err));
    s->row++;
    return DV_OK;
}

static dv_status put_vectors(saver *s, const dv_batch *batch, dv_error *err)
{
    const dv_vector_layout *vector = &dv_batch_column(batch, 0)->as.vector;
    const uint8_t *index = vector->indices.data;
    row r = {.from = numbers_of(vector->items, vector->item_base, s->plan.columns[0])};
    index = index ? index + 4 * (size_t)vector->index_base : nothing;
    for (int64_t i = 0; i < batch->rows; i++) {
        const int32_t count = dvi_vector_count(vector, i);
        r.n = count < 0 ? dvi_vector_length(vector, i) : count;
        r.indices = count < 0 ? NULL : index;
        DVI_TRY(put_row(s, &r, err));
        if (r.n > 0)
            r.from.data += (size_t)r.n * r.from.width;
        if (count > 0)
            index += 4 * (size_t)count;
    }
    return DV_OK;
}

/* Write rows of scalar columns: one number of each column. */
static dv_status put_scalars(saver *s, const dv_batch *batch, dv_error *err)
{
    for (int64_t i = 0; i < batch->rows; i++, s->row++) {
        double value;
        int32_t n = 0, counted = 0;
        for (int32_t pass = 0; pass < 2; pass++, counted = n, n = 0) {
            for (int32_t k = 0; k < batch->columns; k++) {
                const numbers from = numbers_of(dv_batch_column(batch, k), 0, s->plan.columns[k]);
                DVI_TRY(read_number(s, &from, i, &value, err));
                if (is_left_out(s, value, true))
                    continue;
                n++;
                if (pass == 1)
                    DVI_TRY(put_pair(s, k, value, err));
            }
            DVI_TRY(pass == 0 ? put_int(s, n, err) : check_written(counted, n, err));
        }
    }
    return DV_OK;
}

static dv_status put(dvi_saver *base, const dv_batch *batch, dv_error *err)
{
    saver *s = (saver *)base;
    DVI_TRY(s->plan.is_vector ? put_vectors(s, batch, err) : put_scalars(s, batch, err));
    return dvi_saving_progress(s->plan.saving, s->row, err);
}

static dv_status end(dvi_saver *base, dv_error *err)
{
    return flush((saver *)base, err);
}

static void free_saver(dvi_saver *base)
{
    saver *s = (saver *)base;
    const dv_allocator *allocator = s->plan.saving->allocator;
    dvi_btable_plan_free(&s->plan);
    dvi_free(allocator, s, sizeof *s);
}

dv_status dvi_btable_begin_save(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                                dv_error *err)
{
    void *made;
    *saver_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(saving->allocator, &made, sizeof(saver), err));
    saver *s = made;
    s->writer = writer;
    s->base = (dvi_saver){.put = put, .end = end, .free = free_saver};
    s->plan.saving = saving;
    dv_status status = dvi_btable_plan_make(&s->plan, saving, err);
    s->base.columns = s->plan.columns;
    s->base.columns_count = s->plan.count;
    if (status == DV_OK)
        status = put_header(s, err);
    if (status < 0)
        free_saver(&s->base);
    else
        *saver_out = &s->base;
    return status;
}
