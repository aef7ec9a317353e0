/* SPDX-License-Identifier: MIT */
/* arrow_stream.c: hands out views as Arrow streams, and batches as Arrow arrays. */
#include "base/alloc.h"
#include "base/check.h"
#include "type/schema.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "interop/arrow_array.h"
#include "interop/arrow_node.h"
#include <errno.h>
#include <stdio.h>

#define SMALL_ROWS 1024     /* blocks of fewer rows are gathered: */
#define GATHERED_ROWS 65536 /* an array costs about as much as copying 2,500 bytes */

typedef struct stream {
    dv_allocator allocator;
    dvi_arrow_plan plan;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch; /* of which rows from `at` on are left; NULL: none */
    int64_t at;
    dv_status status; /* of the last call; final unless DV_ERR_MEMORY */
    dv_error error;
} stream;

/* --- The interface ---------------------------------------------------------------------------- */

static int code_of(dv_status status)
{
    switch (status) {
    case DV_OK:
    case DV_END:
        return 0;
    case DV_ERR_MEMORY:
        return ENOMEM;
    case DV_ERR_IO:
        return EIO;
    case DV_ERR_UNSUPPORTED:
        return ENOTSUP;
    case DV_ERR_STOPPED:
        return ECANCELED;
    default:
        return EINVAL;
    }
}

static int result_of(stream *s, dv_status status)
{
    if (status < 0 && s->plan.options.failed)
        *s->plan.options.failed = s->error;
    return code_of(status);
}

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *schema_out)
{
    stream *s = self->private_data;
    s->error = (dv_error)DV_ERROR_INIT;
    return result_of(s, dvi_arrow_schema_of(schema_out, &s->plan, &s->error));
}

/* Move to rows that have not been handed out. */
static dv_status find_rows(stream *s)
{
    if (s->batch && s->at < s->batch->rows)
        return DV_OK;
    dv_batch_release(&s->batch);
    s->at = 0;
    const dv_batch *next;
    const dv_status status = dv_cursor_next(s->cursor, &next, &s->error);
    if (status != DV_OK)
        return status;
    dv_batch_retain(next);
    s->batch = next;
    return DV_OK;
}

static dv_status next_array(stream *s, struct ArrowArray *array_out)
{
    DVI_TRY(find_rows(s));
    if (!s->batch)
        return DV_END;
    const int64_t n = dvi_arrow_rows_that_fit(&s->plan, s->batch, s->at);
    DVI_TRY(dvi_arrow_array_of(array_out, &s->plan, s->batch, s->at, n, &s->error));
    s->at += n;
    if (s->at == s->batch->rows) /* the cursor may use it again once the array is released */
        dv_batch_release(&s->batch);
    return DV_OK;
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *array_out)
{
    stream *s = self->private_data;
    *array_out = (struct ArrowArray){0};
    if (s->status == DV_OK)
        s->status = next_array(s, array_out);
    return result_of(s, s->status);
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
    const stream *s = self->private_data;
    return *s->error.message ? s->error.message : NULL;
}

static void free_stream(stream *s)
{
    const dv_allocator allocator = s->allocator;
    dv_batch_release(&s->batch);
    dv_cursor_close(&s->cursor);
    dvi_arrow_plan_free(&s->plan);
    dv_view_release(&s->view);
    dvi_free(&allocator, s, sizeof *s);
}

static void release_stream(struct ArrowArrayStream *self)
{
    free_stream(self->private_data);
    self->release = NULL;
}

/* --- Views ------------------------------------------------------------------------------------ */

static dv_status open_stream(stream *s, const dv_arrow_options *options, dv_error *err)
{
    DVI_TRY(dvi_arrow_plan_make(&s->plan, dv_view_schema(s->view), options, &s->allocator, err));
    dv_cursor_options *cursor = &s->plan.cursor;
    const int64_t block_rows = dv_view_block_rows(s->view);
    if (cursor->batch_rows == 0 && block_rows > 0 && block_rows < SMALL_ROWS)
        cursor->batch_rows = GATHERED_ROWS;
    return dv_cursor_open(&s->cursor, s->view, cursor, err);
}

dv_status dv_view_export_arrow(dv_view *view, struct ArrowArrayStream *stream_out,
                               const dv_arrow_options *options, dv_error *err)
{
    const dv_allocator *allocator = dvi_view_allocator(view);
    void *memory;
    *stream_out = (struct ArrowArrayStream){0};
    DVI_TRY(dvi_alloc_zeroed(allocator, &memory, sizeof(stream), err));
    stream *s = memory;
    s->allocator = *allocator;
    s->view = view;
    dv_view_retain(view);
    const dv_status status = open_stream(s, options, err);
    if (status != DV_OK) {
        free_stream(s);
        return status;
    }
    *stream_out =
        (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, s};
    return DV_OK;
}

dv_status dv_view_export_arrow_schema(dv_view *view, struct ArrowSchema *schema_out,
                                      const dv_arrow_options *options, dv_error *err)
{
    dvi_arrow_plan plan;
    *schema_out = (struct ArrowSchema){0};
    dv_status status =
        dvi_arrow_plan_make(&plan, dv_view_schema(view), options, dvi_view_allocator(view), err);
    if (status == DV_OK)
        status = dvi_arrow_schema_of(schema_out, &plan, err);
    dvi_arrow_plan_free(&plan);
    return status;
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Whether the columns of the plan are those of the batch. */
static dv_status check_batch(const dvi_arrow_plan *plan, const dv_batch *batch, int32_t k,
                             dv_error *err)
{
    DVI_REQUIRE(plan->n == batch->columns,
                dvi_fail_argument(err, "arrow: %d columns are active, the batch has %d",
                                  (int)plan->n, (int)batch->columns));
    DVI_REQUIRE(k >= -1 && k < plan->n, dvi_fail_argument(err, "arrow: no column %d", (int)k));
    for (int32_t i = 0; i < plan->n; i++)
        DVI_REQUIRE(
            dv_type_equal(&plan->fields[i].type, &dv_batch_column(batch, i)->type),
            dvi_fail_argument(err, "arrow: column %d of the batch has another type", (int)i));
    return DV_OK;
}

static dv_status export_batch(struct ArrowSchema *schema_out, struct ArrowArray *array_out,
                              const dvi_arrow_plan *plan, const dv_batch *batch, int32_t k,
                              dv_error *err)
{
    DVI_TRY(check_batch(plan, batch, k, err));
    DVI_TRY(k < 0 ? dvi_arrow_array_of(array_out, plan, batch, 0, batch->rows, err)
                  : dvi_arrow_array_of_column(array_out, plan, batch, k, 0, batch->rows, err));
    const dv_status status =
        k < 0 ? dvi_arrow_schema_of(schema_out, plan, err)
              : dvi_arrow_schema_of_field(schema_out, &plan->fields[k], &plan->allocator, err);
    if (status != DV_OK)
        dvi_arrow_array_drop(array_out);
    return status;
}

dv_status dv_batch_export_arrow(const dv_batch *batch, const dv_schema *schema, int32_t k,
                                struct ArrowSchema *schema_out, struct ArrowArray *array_out,
                                const dv_arrow_options *options, dv_error *err)
{
    dvi_arrow_plan plan;
    *schema_out = (struct ArrowSchema){0};
    *array_out = (struct ArrowArray){0};
    dv_status status =
        dvi_arrow_plan_make(&plan, schema, options, dvi_schema_allocator(schema), err);
    if (status == DV_OK)
        status = export_batch(schema_out, array_out, &plan, batch, k, err);
    dvi_arrow_plan_free(&plan);
    return status;
}
