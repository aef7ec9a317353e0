/* SPDX-License-Identifier: MIT */
/* tf_optional.c: a column that a source may lack (semantics:7.19). */
#include "transform/tf_optional.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"
#include "base/size.h"
#include "view/growing_column.h"
#include "view/metadata.h"
#include "transform/mapper.h"
#include <dataview/own_view.h>
#include <string.h>

/* Where the metadata of the column comes from. */
typedef struct params {
    dv_view *metadata_of;
    int32_t metadata_column; /* -1: none */
} params;

/* --- Values ----------------------------------------------------------------------------------- */

/* Bytes that are all the same, and never changed once they are written: batches that are retained
 * share them. */
typedef struct memory {
    dvi_memory *bytes;
    size_t nbytes;
} memory;

static void release_memory(void *of)
{
    dvi_memory_release(&((memory *)of)->bytes);
}

/* A buffer of `width` bytes for each row, which are 0; those of vectors without slots, which are
 * dense, are 0xFF. */
static dv_status make_buffer(const dvi_filling *f, size_t width, dv_buffer *dst, dv_error *err)
{
    memory *m = f->memory;
    const bool has_no_slots = f->type->rank > 0 && f->type->size == 0;
    size_t nbytes;
    if (!dvi_size_mul((size_t)f->batch->rows, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    if (!m->bytes || m->nbytes < nbytes) {
        m->nbytes = 0;
        DVI_TRY(dvi_memory_reserve(&m->bytes, f->allocator, nbytes, err));
        memset(m->bytes->data, has_no_slots ? 0xFF : 0, m->bytes->cap);
        m->nbytes = m->bytes->cap;
    }
    *dst = dvi_memory_buffer(m->bytes, 0, nbytes, width);
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    dv_column_view *view = &dst->view;
    *view = (dv_column_view){
        .type = *f->type, .layout = dvi_layout_of(f->type), .rows = f->batch->rows};
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        return make_buffer(f, dvi_width_of(f->type), &view->as.fixed.values, err);
    case DV_LAYOUT_ZONED:
        DVI_TRY(make_buffer(f, 8, &view->as.zoned.ticks, err));
        return make_buffer(f, 2, &view->as.zoned.minutes, err);
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return make_buffer(f, 4, &view->as.text.ends, err);
    case DV_LAYOUT_VECTOR:
        break;
    }
    dst->items = (dv_column_view){.type = dv_type_item(f->type)};
    dst->items.layout = dvi_layout_of(&dst->items.type);
    view->as.vector.length = f->type->size;
    view->as.vector.items = &dst->items;
    return make_buffer(f, 4, &view->as.vector.counts, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const params *p = made->mapped.params;
    (void)source;
    if (p->metadata_column < 0)
        return DV_OK;
    return dvi_inherit_all_metadata(schema, column, dv_view_schema(p->metadata_of),
                                    p->metadata_column, err);
}

static const dvi_maker optional_maker = {.name = "default",
                                         .describe = describe,
                                         .fill = fill,
                                         .memory = sizeof(memory),
                                         .release = release_memory,
                                         .lends = true};
static const dv_view_class optional_class = DVI_MAPPER_CLASS("optional", NULL, NULL);

static dv_status check_type(const dv_column_info *has, const dv_type *type, dv_error *err)
{
    char expected[96], found[96];
    if (dv_type_equal(&has->type, type))
        return DV_OK;
    dv_type_print(type, expected, sizeof expected);
    dv_type_print(&has->type, found, sizeof found);
    dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, "optional column", "%s|%s", expected,
             found);
    dvi_error_within(err, "column \"%s\"", dvi_show(has->name).text);
    return DV_ERR_ARGUMENT;
}

static void release_view(void *of)
{
    dv_view *view = of;
    dv_view_release(&view);
}

static dv_status add_column(dvi_mapper *m, dv_schema **schema_out, dv_text name,
                            const dv_type *type, const params *given, dv_error *err)
{
    void *room;
    dvi_new_column made = {.name = name, .type = *type};
    if (given->metadata_of) {
        dv_view_retain(given->metadata_of);
        DVI_TRY(dvi_arena_own(&m->base.arena, release_view, given->metadata_of, err));
    }
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &room, sizeof *given, err));
    memcpy(room, given, sizeof *given);
    made.mapped = (dvi_mapped){.maker = &optional_maker, .params = room};
    return dvi_mapper_arrange(m, schema_out, &made, 1, err);
}

dv_status dvi_optional_view(dv_view **view_out, dv_view *source, dv_text name, const dv_type *type,
                            dv_view *metadata_of, int32_t metadata_column,
                            const dv_allocator *allocator, dv_error *err)
{
    const dv_schema *has = dv_view_schema(source);
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    int32_t column;
    *view_out = NULL;
    if (dv_schema_find(has, name, &column) == DV_OK) {
        DVI_TRY(check_type(dv_schema_column(has, column), type, err));
        dv_view_retain(source);
        *view_out = source;
        return DV_OK;
    }
    DVI_TRY(dvi_mapper_create(&mapper, source, 1, allocator, err));
    const params given = {metadata_of, metadata_of ? metadata_column : -1};
    const dv_status status = add_column(mapper, &schema, name, type, &given, err);
    return dvi_mapper_view(view_out, &optional_class, mapper, schema, status, err);
}

/* --- A column without rows -------------------------------------------------------------------- */

static int64_t no_rows(void *self)
{
    (void)self;
    return 0;
}

static dv_status open_nothing(void *self, const dv_cursor_request *request, void **cursor_out,
                              dv_error *err)
{
    static const char nothing;
    (void)self;
    (void)request;
    (void)err;
    *cursor_out = (void *)(uintptr_t)&nothing;
    return DV_OK;
}

static dv_status end_at_once(void *cursor, dv_batch *batch, dv_error *err)
{
    (void)cursor;
    (void)batch;
    (void)err;
    return DV_END;
}

static const dv_view_class column_class = {.size = sizeof column_class,
                                           .kind = "column",
                                           .rows = no_rows,
                                           .open_cursor = open_nothing,
                                           .next = end_at_once};

/* Copy a value of metadata: the schema then needs nothing of its source. */
static dv_status copy_value(dv_schema *schema, const dv_metadata_info *info,
                            const dv_column_view *value, const dv_allocator *allocator,
                            dv_error *err)
{
    dvi_growing_column copy = {0};
    dvi_column made;
    dv_status status = dvi_growing_reserve(&copy, value, 1, allocator, err);
    if (status == DV_OK) {
        dvi_growing_append(&copy, value, 1);
        dvi_growing_view(&copy, &value->type, &made);
        status = dv_schema_add_metadata(schema, 0, info->kind, &made.view, err);
    }
    dvi_growing_free(&copy); /* the schema has references */
    return status;
}

static dv_status copy_column(dv_schema *schema, const dv_schema *source, int32_t column,
                             const dv_allocator *allocator, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(source, column);
    DVI_TRY(dv_schema_add(schema, info->name, &info->type, NULL, err));
    for (int32_t i = 0; i < info->metadata_count; i++) {
        const dv_batch *value;
        DVI_TRY(dv_schema_metadata_value(source, column, i, &value, err));
        const dv_status status = copy_value(schema, dv_schema_metadata(source, column, i),
                                            dv_batch_column(value, 0), allocator, err);
        dv_batch_release(&value);
        DVI_TRY(status);
    }
    return DV_OK;
}

dv_status dvi_optional_column(dv_view **column_out, const dv_schema *source, int32_t column,
                              const dv_allocator *given, dv_error *err)
{
    dv_schema *schema;
    const dv_allocator allocator = dvi_allocator_of(given);
    *column_out = NULL;
    DVI_TRY(dv_schema_create(&schema, &allocator, err));
    dv_status status = copy_column(schema, source, column, &allocator, err);
    if (status == DV_OK)
        status = dv_view_create(column_out, &column_class, NULL, &schema, &allocator, err);
    dv_schema_free(&schema);
    return status;
}
