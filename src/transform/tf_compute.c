/* SPDX-License-Identifier: MIT */
/* tf_compute.c: writes the values of expressions into columns. */
#include "transform/tf_compute.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "view/identity.h"
#include "expr/expr_eval.h"
#include <dataview/expression.h>
#include <string.h>

typedef struct computed {
    dvi_bound_expr bound;
    dv_text stored; /* the stored form */
} computed;

typedef struct computing {
    dvi_expr_run run;
    dvi_memory *first, *second; /* values, ticks or texts; ends or minutes */
} computing;

static void release(void *memory)
{
    computing *m = memory;
    dvi_expr_close(&m->run);
    dvi_memory_release(&m->first);
    dvi_memory_release(&m->second);
}

static void identify(const void *params, dv_identity *identity)
{
    const computed *c = params;
    dv_identity_add(identity, c->stored.data, (size_t)c->stored.nbytes);
}

/* --- Values ----------------------------------------------------------------------------------- */

static size_t width_of(const dv_type *type)
{
    return type->kind == DV_KIND_TX ? 0 : type->kind == DV_KIND_DZ ? 8 : dvi_width_of(type);
}

static void put_reals(const dvi_expr_run *run, const dv_type *type, char *dst, const double *src)
{
    for (int32_t i = 0; i < run->n; i++) {
        const bool is_na = src[i] != src[i];
        if (type->kind == DV_KIND_R8 && is_na)
            dvi_store_u64(dst + 8 * i, DV_R8_NA_BITS);
        else if (type->kind == DV_KIND_R8)
            dvi_store_f8(dst + 8 * i, src[i]);
        else if (is_na)
            dvi_store_u32(dst + 4 * i, DV_R4_NA_BITS);
        else
            dvi_store_f4(dst + 4 * i, (float)src[i]);
    }
}

/* Append texts: the bytes to `first`, which grows, the ends to `second`. */
static dv_status put_texts(computing *m, const dvi_filling *f, int64_t at, size_t *used,
                           const dv_text *src, dv_error *err)
{
    size_t nbytes = *used;
    for (int32_t i = 0; i < m->run.n; i++)
        nbytes += src[i].nbytes > 0 ? (size_t)src[i].nbytes : 0;
    if (nbytes > INT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "texts of a batch",
                        "at most 2147483647 bytes|%zu; fewer rows at a time", nbytes);
    DVI_TRY(dvi_memory_extend(&m->first, *used, nbytes + 1, f->allocator, err));
    char *ends = (char *)m->second->data + 4 * at;
    for (int32_t i = 0; i < m->run.n; i++) {
        const size_t n = src[i].nbytes > 0 ? (size_t)src[i].nbytes : 0;
        if (n > 0)
            memcpy(m->first->data + *used, src[i].data, n);
        *used += n;
        dvi_store_i32(ends + 4 * i, (int32_t)*used | (src[i].nbytes < 0 ? INT32_MIN : 0));
    }
    return DV_OK;
}

static dv_status put(computing *m, const dvi_filling *f, int64_t at, size_t *used,
                     const dvi_expr_register *src, dv_error *err)
{
    char *dst = (char *)m->first->data + (size_t)at * width_of(f->type);
    const int32_t n = m->run.n;
    switch (f->type->kind) {
    case DV_KIND_TX:
        return put_texts(m, f, at, used, src->text, err);
    case DV_KIND_R4:
    case DV_KIND_R8:
        put_reals(&m->run, f->type, dst, src->real);
        break;
    case DV_KIND_BL:
        for (int32_t i = 0; i < n; i++)
            dst[i] = (char)(src->logical[i] > 1 ? DV_BL_NA : (int8_t)src->logical[i]);
        break;
    case DV_KIND_DZ:
        for (int32_t i = 0; i < n; i++) {
            dvi_store_i64(dst + 8 * i, src->zoned[i].ticks);
            dvi_store_i16(m->second->data + 2 * (at + i), src->zoned[i].minutes);
        }
        break;
    default:
        memcpy(dst, src->integer, (size_t)n * sizeof *src->integer);
        break;
    }
    return DV_OK;
}

static void show(computing *m, const dvi_filling *f, size_t used, dvi_column *dst)
{
    const size_t rows = (size_t)f->batch->rows, width = width_of(f->type);
    dst->view = (dv_column_view){
        .type = *f->type, .layout = dvi_layout_of(f->type), .rows = f->batch->rows};
    if (f->type->kind == DV_KIND_TX) {
        dst->view.as.text.utf8 = dvi_memory_buffer(m->first, 0, used, 1);
        dst->view.as.text.ends = dvi_memory_buffer(m->second, 0, 4 * rows, 4);
    } else if (f->type->kind == DV_KIND_DZ) {
        dst->view.as.zoned.ticks = dvi_memory_buffer(m->first, 0, 8 * rows, 8);
        dst->view.as.zoned.minutes = dvi_memory_buffer(m->second, 0, 2 * rows, 2);
    } else {
        dst->view.as.fixed.values = dvi_memory_buffer(m->first, 0, rows * width, width);
    }
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    computing *m = f->memory;
    const computed *c = f->params;
    const int64_t rows = f->batch->rows;
    const dvi_expr_register *values;
    size_t used = 0, nbytes;
    if (!m->run.bound) {
        const dv_status status =
            dvi_expr_open(&m->run, &c->bound, f->row_nbytes, f->allocator, err);
        if (status < 0) {
            dvi_expr_close(&m->run);
            return status;
        }
    }
    if (!dvi_size_mul((size_t)rows, 8, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_reserve(&m->first, f->allocator, width_of(f->type) ? nbytes : 1, err));
    DVI_TRY(dvi_memory_reserve(&m->second, f->allocator, nbytes, err));
    dvi_expr_begin(&m->run, f->batch, f->slots);
    for (int64_t at = 0; at < rows; at += m->run.n) {
        DVI_TRY(dvi_expr_next(&m->run, rows - at, NULL, &values, err));
        DVI_TRY(put(m, f, at, &used, values, err));
    }
    if (f->type->kind == DV_KIND_TX)
        DVI_TRY(dvi_filling_check(f, used, err));
    show(m, f, used, dst);
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static const dvi_maker compute_maker = {.name = "compute",
                                        .identify = identify,
                                        .describe = dvi_no_metadata,
                                        .fill = fill,
                                        .memory = sizeof(computing),
                                        .release = release};
static const dv_view_class compute_class = DVI_MAPPER_CLASS("compute", NULL, NULL);

dv_status dvi_compute_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                           dv_text expression, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(arena, &made, sizeof(computed), err));
    computed *c = made;
    DVI_TRY(dvi_expr_bind(&c->bound, arena, expression, source, err));
    DVI_TRY(dvi_expr_type(&column_out->type, &c->bound, err));
    column_out->mapped = (dvi_mapped){&compute_maker, c, c->bound.columns, c->bound.n};
    return dvi_expr_store(&c->stored, arena, c->bound.root, err);
}

dv_status dv_view_compute(dv_view **view_out, dv_view *source, const dv_computed *columns,
                          int32_t n, const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    void *list;
    *view_out = NULL;
    if (n < 0)
        return dvi_fail_argument(err, "%d columns; the number must be >= 0", (int)n);
    DVI_TRY(dvi_mapper_create(&mapper, source, n, allocator, err));
    dv_status status =
        dvi_arena_alloc(&mapper->base.arena, &list, (size_t)n * sizeof(dvi_new_column) + 1, err);
    dvi_new_column *made = list;
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        made[i].name = columns[i].name;
        status = dvi_compute_plan(&made[i], &mapper->base.arena, dv_view_schema(source),
                                  columns[i].expression, err);
        if (status < 0)
            dvi_error_within(err, "column \"%s\"", dvi_show(columns[i].name).text);
    }
    if (status == DV_OK)
        status = dvi_mapper_arrange(mapper, &schema, made, n, err);
    return dvi_mapper_view(view_out, &compute_class, mapper, schema, status, err);
}

dv_status dv_expression_print(dv_text expression, const dv_sink *sink,
                              const dv_allocator *allocator, dv_error *err)
{
    dvi_arena arena;
    dvi_expr *root;
    dvi_arena_init(&arena, allocator);
    const dv_status status = dvi_expr_parse(&root, &arena, expression, err);
    if (status == DV_OK)
        dvi_expr_print(root, sink);
    dvi_arena_free(&arena);
    return status;
}
