/* SPDX-License-Identifier: MIT */
/* text_save_header.c: writes the header, a row of texts that names columns and slots.
 * (semantics:6.6) */
#include "base/alloc.h"
#include "base/check.h"
#include "view/column.h"
#include "format/text/save/text_save_priv.h"
#include <dataview/schema.h>

/* The header field of a column: its name, or the slot names of its metadata. */
typedef struct field {
    dv_column_view view;
    int32_t end;
    const dv_batch *value; /* NULL: no metadata */
} field;

typedef struct header {
    field *fields;
    dvi_text_source *sources;
    int32_t count;
} header;

static const int32_t no_items = 0;

/* A vector of empty texts. */
static dv_column_view empty_names(int32_t slots, const dv_column_view *no_texts)
{
    dv_column_view view = {.type = dv_type_vector(dv_type_of(DV_KIND_TX), slots),
                           .layout = DV_LAYOUT_VECTOR,
                           .rows = 1};
    view.as.vector.length = slots;
    view.as.vector.counts = (dv_buffer){&no_items, sizeof no_items, NULL, false, true};
    view.as.vector.items = no_texts;
    return view;
}

static dv_column_view one_name(const dvi_text_output *output, field *f)
{
    dv_column_view view = {.type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = 1};
    f->end = (int32_t)output->name.nbytes;
    view.as.text.utf8 = (dv_buffer){output->name.data, (size_t)f->end, NULL, false, true};
    view.as.text.ends = (dv_buffer){&f->end, sizeof f->end, NULL, false, true};
    return view;
}

static dv_status fill(header *h, const dvi_text_plan *plan, int32_t k, dv_error *err)
{
    static const dv_column_view no_texts = {.type = {.kind = DV_KIND_TX}, .layout = DV_LAYOUT_TEXT};
    const dvi_text_output *output = &plan->outputs[k];
    const dv_type text = dv_type_of(DV_KIND_TX);
    field *f = &h->fields[k];
    if (!output->is_vector) {
        DVI_REQUIRE(output->name.nbytes <= INT32_MAX,
                    dvi_fail_argument(err, "a name of more than 2^31-1 bytes"));
        f->view = one_name(output, f);
    } else if (output->names >= 0) {
        DVI_TRY(dv_schema_metadata_value(plan->saving->schema, output->column, output->names,
                                         &f->value, err));
        f->view = *dv_batch_column(f->value, 0);
    } else {
        f->view = empty_names(output->slots, &no_texts);
    }
    h->sources[k] = dvi_text_source_of(&text, output->column, output->is_vector, plan->form.style);
    DVI_TRY(dvi_text_source_begin(&h->sources[k], &f->view, 0, err));
    return DV_OK;
}

static dv_status write_header(header *h, dvi_text_writer *out, const dvi_text_plan *plan,
                              dv_error *err)
{
    for (int32_t k = 0; k < h->count; k++)
        DVI_TRY(fill(h, plan, k, err));
    const dvi_text_line line = dvi_text_line_of(plan, out, h->sources, h->count);
    return dvi_text_write_line(&line, 0, err);
}

static void release(header *h)
{
    for (int32_t k = 0; k < h->count; k++)
        dv_batch_release(&h->fields[k].value);
}

dv_status dvi_text_write_header(dvi_text_writer *out, const dvi_text_plan *plan, dv_error *err)
{
    dvi_arena arena;
    const size_t n = (size_t)plan->count;
    void *fields, *sources;
    if (!plan->has_header)
        return DV_OK;
    dvi_arena_init(&arena, plan->saving->allocator);
    dv_status status = dvi_arena_alloc(&arena, &fields, n * sizeof(field), err);
    if (status == DV_OK)
        status = dvi_arena_alloc(&arena, &sources, n * sizeof(dvi_text_source), err);
    if (status == DV_OK) {
        header h = {fields, sources, plan->count};
        status = write_header(&h, out, plan, err);
        release(&h);
    }
    dvi_arena_free(&arena);
    return status;
}
