/* SPDX-License-Identifier: MIT */
/* datadings_save.c: saves a view as messages and their side files (datadings:1.3, datadings:12). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/datadings/index/datadings_index.h"
#include "format/datadings/index/datadings_table.h"
#include "format/datadings/save/datadings_save_priv.h"
#include <dataview/schema.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The state of a save. */
typedef struct saver {
    dvi_saver base;
    dvi_writer *writer;
    dvi_datadings_plan plan;
    dvi_datadings_output output;
    dvi_datadings_index *index;
    dvi_md5_queue *queue;
    dvi_md5_text data_md5, side_md5[DVI_DATADINGS_SIDES];
    dvi_datadings_entry key;         /* of the keys, if they are a column */
    int64_t defaults_left;           /* of the encoders */
    dvi_datadings_encoder *encoders; /* first that of the key, if it is a column */
    dvi_writer *sides[DVI_DATADINGS_SIDES], *md5;
    bool has_sides;
    int64_t row; /* the next one */
    int digits;  /* of keys that are row numbers */
    char number[24];
} saver;

/* --- The files -------------------------------------------------------------------------------- */

/* Create all files before the first row, so that failures are found early. */
static dv_status attach(saver *s, dvi_writer *writer, dv_error *err)
{
    s->has_sides = dvi_writer_name(writer) != NULL;
    if (!s->has_sides)
        return DV_OK;
    for (int i = 0; i < DVI_DATADINGS_SIDES; i++)
        DVI_TRY(dvi_writer_attach(writer, dvi_datadings_suffix((dvi_datadings_side)i), &s->sides[i],
                                  err));
    DVI_TRY(dvi_writer_forget(writer, ".index", err));
    return dvi_writer_attach(writer, ".md5", &s->md5, err);
}

static dv_status write_sides(saver *s, const char *name, dv_error *err)
{
    if (!s->has_sides)
        return DV_OK;
    for (int i = 0; i < DVI_DATADINGS_SIDES; i++)
        DVI_TRY(dvi_datadings_index_write(s->index, (dvi_datadings_side)i, s->sides[i], s->queue,
                                          &s->side_md5[i], err));
    dvi_md5_queue_wait(s->queue, INT64_MAX);
    if (s->plan.is_raw)
        DVI_TRY(dvi_datadings_check_whole(s->plan.saving, s->data_md5.digits, err));
    return dvi_datadings_write_md5(s->md5, name, &s->data_md5, s->side_md5, err);
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* The digits of the last row number, or of the highest possible one if the rows are not known. */
static int digits_of(int64_t rows)
{
    int digits = 1;
    for (int64_t last = rows == DV_ROWS_UNKNOWN ? DVI_DATADINGS_ROWS_MAX - 1 : rows - 1; last > 9;
         last /= 10)
        digits++;
    return digits;
}

static dv_text next_key(saver *s)
{
    if (s->plan.key >= 0)
        return dvi_datadings_encoder_text(&s->encoders[0]);
    const int n = snprintf(s->number, sizeof s->number, "%0*" PRId64, s->digits, s->row);
    return (dv_text){s->number, n};
}

static dv_status fail_key(const saver *s, int64_t row, const char *wanted, const char *found,
                          dv_error *err)
{
    const dvi_datadings_location w = dvi_datadings_location_of(&s->plan, s->plan.key, row);
    return dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, w.text, "%s|%s", wanted, found);
}

/* Add the key of a message. An empty key is legal (datadings:4), but in a column of a view it means
 * that there is none. Whole messages keep an empty key. */
static dv_status add_key(saver *s, dv_text key, int64_t nbytes, dv_error *err)
{
    DVI_REQUIRE(key.nbytes >= !s->plan.is_raw,
                fail_key(s, s->row, "a key", key.nbytes < 0 ? "NA" : "an empty one", err));
    return dvi_datadings_index_add(s->index, key, nbytes, err);
}

/* Check that new keys are unique, if there are at least `least`. */
static dv_status check_keys(saver *s, size_t least, dv_error *err)
{
    dvi_datadings_duplicate duplicate;
    char found[128];
    DVI_TRY(dvi_datadings_index_hash(s->index, least, &duplicate, err));
    if (duplicate.row < 0)
        return DV_OK;
    snprintf(found, sizeof found, "\"%s\", as in row %" PRId64, dvi_show(duplicate.key).text,
             duplicate.before);
    return fail_key(s, duplicate.row, "a key of one row only", found, err);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* The entries of the next row, besides the key. */
static uint32_t count_entries(const saver *s)
{
    const dvi_datadings_encoder *encoders = s->encoders + (s->plan.key >= 0);
    uint32_t n = 0;
    for (int32_t k = 0; k < s->plan.count; k++)
        n += !dvi_datadings_encoder_is_absent(&encoders[k]);
    return n;
}

static dv_status put_key(saver *s, dv_text key, dv_error *err)
{
    static const char name[] = "key";
    dvi_datadings_output *output = &s->output;
    const uint32_t n = key.nbytes > 0 ? (uint32_t)key.nbytes : 0;
    DVI_TRY(dvi_datadings_output_room(output, 2 * DVI_MSGPACK_HEAD + sizeof name, err));
    output->p = dvi_msgpack_put_map(output->p, count_entries(s) + 1);
    output->p = dvi_msgpack_put_text(output->p, name, sizeof name - 1);
    output->p = dvi_msgpack_put_str(output->p, n);
    return dvi_datadings_output_bytes(output, key.data, n, err);
}

/* Write a whole message. */
static dv_status put_message(saver *s, dvi_datadings_encoder *encoder, dv_text key, dv_error *err)
{
    const dv_text message = dvi_datadings_encoder_text(encoder);
    DVI_REQUIRE(message.nbytes > 0,
                dvi_fail(err, DV_ERR_ARGUMENT, "", -1,
                         dvi_datadings_location_of(&s->plan, encoder->entry->column, s->row).text,
                         "a message|nothing"));
    DVI_TRY(dvi_datadings_check_copied(s->plan.saving, s->row, key, message, err));
    return dvi_datadings_output_bytes(&s->output, message.data, (size_t)message.nbytes, err);
}

static dv_status put_sample(saver *s, dv_error *err)
{
    const dv_text key = next_key(s);
    dvi_datadings_encoder *encoders = s->encoders + (s->plan.key >= 0);
    const int64_t start = dvi_datadings_output_at(&s->output);
    if (s->plan.is_raw)
        DVI_TRY(put_message(s, encoders, key, err));
    else
        DVI_TRY(put_key(s, key, err));
    for (int32_t k = 0; k < s->plan.count && !s->plan.is_raw; k++)
        DVI_TRY(dvi_datadings_encoder_put(&encoders[k], &s->output, err));
    DVI_TRY(add_key(s, key, dvi_datadings_output_at(&s->output) - start, err));
    s->row++;
    return DV_OK;
}

static dv_status put(dvi_saver *base, const dv_batch *batch, dv_error *err)
{
    saver *s = (saver *)base;
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(
            dvi_datadings_encoder_begin(&s->encoders[k], dv_batch_column(batch, k), s->row, err));
    for (int64_t i = 0; i < batch->rows; i++)
        DVI_TRY(put_sample(s, err));
    DVI_TRY(check_keys(s, DVI_DATADINGS_HASHED_AT_ONCE, err));
    return dvi_saving_progress(s->plan.saving, s->row, err);
}

/* --- Saving ----------------------------------------------------------------------------------- */

static dv_status make_encoders(saver *s, dv_error *err)
{
    dvi_datadings_plan *plan = &s->plan;
    const bool has_key = plan->key >= 0;
    void *made;
    DVI_TRY(dvi_arena_alloc(&plan->arena, &made,
                            ((size_t)plan->columns_count + 1) * sizeof *s->encoders, err));
    s->encoders = made;
    s->key.column = plan->key;
    s->encoders[0].entry = &s->key;
    for (int32_t k = 0; k < plan->count; k++)
        s->encoders[k + has_key].entry = &plan->entries[k];
    s->defaults_left = plan->options.defaults_nbytes;
    for (int32_t k = 0; k < plan->columns_count; k++) {
        s->encoders[k].plan = plan;
        s->encoders[k].defaults_left = &s->defaults_left;
    }
    return DV_OK;
}

static dv_status begin(saver *s, dv_error *err)
{
    const dvi_datadings_plan *plan = &s->plan;
    const dvi_saving *saving = plan->saving;
    DVI_TRY(dvi_datadings_plan_make(&s->plan, saving, NULL, err));
    s->base.columns = plan->columns;
    s->base.columns_count = plan->columns_count;
    DVI_TRY(attach(s, s->writer, err));
    DVI_TRY(make_encoders(s, err));
    s->digits = digits_of(saving->rows);
    DVI_TRY(dvi_datadings_index_create(&s->index, saving->allocator, err));
    DVI_TRY(dvi_datadings_index_expect(s->index, dvi_max_i64(saving->rows, 0), err));
    if (s->has_sides)
        DVI_TRY(dvi_md5_queue_create(&s->queue, saving->threads, saving->allocator, err));
    return dvi_datadings_output_open(&s->output, s->writer, s->queue, saving->allocator, err);
}

static dv_status end(dvi_saver *base, dv_error *err)
{
    saver *s = (saver *)base;
    DVI_TRY(check_keys(s, 1, err));
    DVI_TRY(dvi_datadings_output_end(&s->output, &s->data_md5, err));
    return write_sides(s, dvi_writer_name(s->writer), err);
}

static void free_saver(dvi_saver *base)
{
    saver *s = (saver *)base;
    const dv_allocator *allocator = s->plan.saving->allocator;
    dvi_md5_queue_free(&s->queue); /* first: it may still read buffers of output and index */
    dvi_datadings_output_close(&s->output);
    dvi_datadings_index_free(&s->index);
    dvi_datadings_plan_free(&s->plan);
    dvi_free(allocator, s, sizeof *s);
}

dv_status dvi_datadings_begin_save(dvi_saver **saver_out, const dvi_saving *saving,
                                   dvi_writer *writer, dv_error *err)
{
    void *made;
    *saver_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(saving->allocator, &made, sizeof(saver), err));
    saver *s = made;
    s->writer = writer;
    s->base = (dvi_saver){.put = put, .end = end, .free = free_saver};
    s->plan.saving = saving;
    const dv_status status = begin(s, err);
    if (status < 0)
        free_saver(&s->base);
    else
        *saver_out = &s->base;
    return status;
}
