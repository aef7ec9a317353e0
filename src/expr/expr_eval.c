/* SPDX-License-Identifier: MIT */
/* expr_eval.c: evaluates an expression, each part for all rows at once. */
#include "base/alloc.h"
#include "base/load.h"
#include "base/size.h"
#include "expr/expr_eval_priv.h"
#include <stdlib.h>

#define REGISTERS_NBYTES ((size_t)128 << 10)
#define TEXTS_NBYTES ((int64_t)1 << 20) /* of rows evaluated at once whose texts are changed */

/* --- Forms ------------------------------------------------------------------------------------ */

static size_t width_of(dvi_expr_form form)
{
    switch (form) {
    case DVI_EXPR_FORM_LOGICAL:
        return sizeof(uint8_t);
    case DVI_EXPR_FORM_TEXT:
        return sizeof(dv_text);
    case DVI_EXPR_FORM_ZONED:
        return sizeof(dv_zoned);
    case DVI_EXPR_FORM_WIDE:
        return sizeof(dv_u128);
    default:
        return sizeof(int64_t);
    }
}

static void fill_missing(const run *r, reg *dst, dvi_expr_form form)
{
    for (int32_t i = 0; i < r->n; i++)
        switch (form) {
        case DVI_EXPR_FORM_LOGICAL:
            dst->logical[i] = 2;
            break;
        case DVI_EXPR_FORM_REAL:
            dst->real[i] = NAN;
            break;
        case DVI_EXPR_FORM_TEXT:
            dst->text[i] = (dv_text){NULL, -1};
            break;
        case DVI_EXPR_FORM_ZONED:
            dst->zoned[i] = (dv_zoned){DV_TICKS_NA, 0};
            break;
        default:
            dst->integer[i] = NA;
            break;
        }
}

static void fill_constant(const run *r, const dvi_expr *e, reg *dst)
{
    const int32_t n = r->n;
#define EACH(member, value)                                                                        \
    for (int32_t i = 0; i < n; i++)                                                                \
    dst->member[i] = (value)
    switch (e->form) {
    case DVI_EXPR_FORM_LOGICAL:
        EACH(logical, (uint8_t)e->scalar.i8);
        break;
    case DVI_EXPR_FORM_REAL:
        EACH(real, e->scalar.r8);
        break;
    case DVI_EXPR_FORM_TEXT:
        EACH(text, e->scalar.tx);
        break;
    case DVI_EXPR_FORM_ZONED:
        EACH(zoned, e->scalar.dz);
        break;
    case DVI_EXPR_FORM_WIDE:
        EACH(wide, e->scalar.ug);
        break;
    default:
        EACH(integer, e->scalar.i8);
        break;
    }
#undef EACH
}

/* Write 1 where a value is NA. */
void dvi_expr_find_missing(const run *r, uint8_t *dst, const reg *src, dvi_expr_form form)
{
    const int32_t n = r->n;
#define EACH(is_missing)                                                                           \
    for (int32_t i = 0; i < n; i++)                                                                \
    dst[i] = (is_missing)
    switch (form) {
    case DVI_EXPR_FORM_LOGICAL:
        EACH(src->logical[i] == 2);
        break;
    case DVI_EXPR_FORM_REAL:
        EACH(src->real[i] != src->real[i]);
        break;
    case DVI_EXPR_FORM_TEXT:
        EACH(src->text[i].nbytes < 0);
        break;
    case DVI_EXPR_FORM_ZONED:
        EACH(src->zoned[i].ticks == DV_TICKS_NA);
        break;
    case DVI_EXPR_FORM_WIDE:
        EACH(0);
        break;
    default:
        EACH(src->integer[i] == NA);
        break;
    }
#undef EACH
}

static void copy_where(const run *r, reg *dst, const reg *src, const uint8_t *where,
                       dvi_expr_form form)
{
    const int32_t n = r->n;
    const size_t width = width_of(form);
    for (int32_t i = 0; i < n; i++)
        if (where[i])
            memcpy((char *)dst + (size_t)i * width, (const char *)src + (size_t)i * width, width);
}

/* Evaluate a number or `na` as a real of a kind, anything else in the form of the whole. */
dv_status dvi_expr_eval_as(run *r, const dvi_expr *e, const dvi_expr *whole, reg *dst,
                           const uint8_t *matters, dv_error *err)
{
    if (e->form == DVI_EXPR_FORM_NONE) {
        fill_missing(r, dst, whole->form);
        return DV_OK;
    }
    DVI_TRY(dvi_expr_eval(r, e, dst, matters, err));
    if (e->form != DVI_EXPR_FORM_INTEGER || whole->form != DVI_EXPR_FORM_REAL)
        return DV_OK;
    for (int32_t i = 0; i < r->n; i++)
        dst->real[i] =
            dst->integer[i] == NA ? NAN : dvi_expr_rounded((double)dst->integer[i], whole->kind);
    return DV_OK;
}

/* --- Errors ----------------------------------------------------------------------------------- */

dv_status dvi_expr_fail_row(const run *r, const dvi_expr *e, int32_t i, dv_error *err)
{
    const int32_t at = e->at;
    const dv_text rest = dv_text_of(r->bound->source_text + at);
    dvi_fail(err, DV_ERR_LOSS, "expressions:T1", -1, "integer",
             "-9223372036854775807..9223372036854775807|more in \"%s\"", dvi_show(rest).text);
    dvi_error_within(err, "row %lld", (long long)(r->row + i));
    return DV_ERR_LOSS;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status eval_column(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                             dv_error *err)
{
    const dv_column_view *column = &r->rest[e->slot].view;
    const bool is_wide = e->form == DVI_EXPR_FORM_INTEGER && column->type.kind == DV_KIND_U8;
    const char *fixed = column->as.fixed.values.data;
    for (int32_t i = 0; is_wide && i < r->n; i++)
        if (dvi_load_i64(fixed + 8 * i) < 0 && matters[i])
            return dvi_expr_fail_row(r, e, i, err);
    dvi_expr_load(dst, e, column, r->n);
    return DV_OK;
}

/* The values where the column has them as a register does; NULL: it has not. */
static const reg *in_place(const run *r, const dvi_expr *e)
{
    if (e->op != DVI_EXPR_COLUMN || e->is_share)
        return NULL;
    const dv_column_view *column = &r->rest[e->slot].view;
    const void *values = column->as.fixed.values.data;
    const dv_kind kind = column->type.kind;
    const bool is_alike = (e->form == DVI_EXPR_FORM_REAL && kind == DV_KIND_R8) ||
                          (e->form == DVI_EXPR_FORM_INTEGER && kind == DV_KIND_I8) ||
                          (e->form == DVI_EXPR_FORM_TIME && kind == DV_KIND_TS) ||
                          (e->form == DVI_EXPR_FORM_WIDE && kind == DV_KIND_U8);
    return is_alike && (uintptr_t)values % _Alignof(reg) == 0 ? values : NULL;
}

dv_status dvi_expr_argument(run *r, const dvi_expr *e, const reg **values_out,
                            const uint8_t *matters, dv_error *err)
{
    reg *taken = dvi_expr_take(r);
    *values_out = in_place(r, e);
    if (*values_out)
        return DV_OK;
    *values_out = taken;
    return dvi_expr_eval(r, e, taken, matters, err);
}

/* --- Conditions ------------------------------------------------------------------------------- */

static dv_status eval_missing(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                              dv_error *err)
{
    const dvi_expr *arg = e->args[0];
    const reg *x;
    if (arg->op == DVI_EXPR_COLUMN &&
        (arg->form == DVI_EXPR_FORM_OTHER || !dv_type_has_na(arg->type))) {
        dvi_expr_load_missing(dst->logical, &r->rest[arg->slot].view, r->n);
        return DV_OK;
    }
    if (arg->form == DVI_EXPR_FORM_NONE) {
        memset(dst->logical, 1, (size_t)r->n);
        return DV_OK;
    }
    DVI_TRY(dvi_expr_argument(r, arg, &x, matters, err));
    dvi_expr_find_missing(r, dst->logical, x, arg->form);
    return DV_OK;
}

/* `and` goes on in the rows where all before hold, `or` in those where none does: one loop without
 * a branch, which every compiler vectorizes, since `a or b` is `not (not a and not b)`. */
static void join(uint8_t *dst, uint8_t *left, const uint8_t *x, uint8_t is_or, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const uint8_t goes_on = (uint8_t)((x[i] == 1) ^ is_or);
        dst[i] = (uint8_t)(((dst[i] ^ is_or) & goes_on) ^ is_or);
        left[i] &= goes_on;
    }
}

static dv_status eval_joined(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                             dv_error *err)
{
    const int32_t n = r->n;
    reg *x = dvi_expr_take(r), *left = dvi_expr_take(r);
    const bool is_or = e->op == DVI_EXPR_OR;
    memset(dst->logical, !is_or, (size_t)n);
    memcpy(left->logical, matters, (size_t)n);
    for (int32_t k = 0; k < e->n; k++) {
        DVI_TRY(dvi_expr_eval(r, e->args[k], x, left->logical, err));
        join(dst->logical, left->logical, x->logical, is_or, n);
    }
    return DV_OK;
}

static dv_status eval_not(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                          dv_error *err)
{
    const int32_t n = r->n;
    DVI_TRY(dvi_expr_eval(r, e->args[0], dst, matters, err));
    for (int32_t i = 0; i < n; i++)
        dst->logical[i] = dst->logical[i] != 1;
    return DV_OK;
}

/* --- Choices ---------------------------------------------------------------------------------- */

static dv_status eval_if(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters, dv_error *err)
{
    const int32_t n = r->n;
    reg *holds = dvi_expr_take(r), *x = dvi_expr_take(r), *rows = dvi_expr_take(r);
    DVI_TRY(dvi_expr_eval(r, e->args[0], holds, matters, err));
    for (int32_t i = 0; i < n; i++) {
        holds->logical[i] = holds->logical[i] == 1;
        rows->logical[i] = matters[i] & holds->logical[i];
    }
    DVI_TRY(dvi_expr_eval_as(r, e->args[1], e, x, rows->logical, err));
    copy_where(r, dst, x, holds->logical, e->form);
    for (int32_t i = 0; i < n; i++) {
        holds->logical[i] ^= 1;
        rows->logical[i] = matters[i] & holds->logical[i];
    }
    DVI_TRY(dvi_expr_eval_as(r, e->args[2], e, x, rows->logical, err));
    copy_where(r, dst, x, holds->logical, e->form);
    return DV_OK;
}

static dv_status eval_coalesce(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                               dv_error *err)
{
    const int32_t n = r->n;
    reg *missing = dvi_expr_take(r), *x = dvi_expr_take(r), *rows = dvi_expr_take(r);
    memset(missing->logical, 1, (size_t)n);
    for (int32_t k = 0; k < e->n; k++) {
        for (int32_t i = 0; i < n; i++)
            rows->logical[i] = matters[i] & missing->logical[i];
        DVI_TRY(dvi_expr_eval_as(r, e->args[k], e, x, rows->logical, err));
        copy_where(r, dst, x, missing->logical, e->form);
        dvi_expr_find_missing(r, rows->logical, x, e->form);
        for (int32_t i = 0; i < n; i++)
            missing->logical[i] &= rows->logical[i];
    }
    return DV_OK;
}

/* --- The whole -------------------------------------------------------------------------------- */

static dv_status eval_part(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                           dv_error *err)
{
    switch (e->op) {
    case DVI_EXPR_OR:
    case DVI_EXPR_AND:
        return eval_joined(r, e, dst, matters, err);
    case DVI_EXPR_NOT:
        return eval_not(r, e, dst, matters, err);
    case DVI_EXPR_RELATION:
        return dvi_expr_relation(r, e, dst, matters, err);
    case DVI_EXPR_IN:
        return dvi_expr_in(r, e, dst, matters, err);
    case DVI_EXPR_BETWEEN:
        return dvi_expr_between(r, e, dst, matters, err);
    case DVI_EXPR_LIKE:
    case DVI_EXPR_CONTAINS:
        return dvi_expr_like(r, e, dst, matters, err);
    case DVI_EXPR_IS_NA:
        return eval_missing(r, e, dst, matters, err);
    case DVI_EXPR_LENGTH:
        return dvi_expr_length(r, e, dst, matters, err);
    case DVI_EXPR_LOWER:
    case DVI_EXPR_UPPER:
        return dvi_expr_case(r, e, dst, matters, err);
    case DVI_EXPR_YEAR:
    case DVI_EXPR_MONTH:
    case DVI_EXPR_DAY:
        return dvi_expr_date(r, e, dst, matters, err);
    case DVI_EXPR_COALESCE:
        return eval_coalesce(r, e, dst, matters, err);
    case DVI_EXPR_IF:
        return eval_if(r, e, dst, matters, err);
    case DVI_EXPR_ADD:
    case DVI_EXPR_SUBTRACT:
    case DVI_EXPR_MULTIPLY:
    case DVI_EXPR_DIVIDE:
    case DVI_EXPR_MODULO:
        return dvi_expr_arithmetic(r, e, dst, matters, err);
    default:
        return dvi_expr_number(r, e, dst, matters, err);
    }
}

dv_status dvi_expr_eval(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters, dv_error *err)
{
    const int32_t n = r->n;
    if (e->op == DVI_EXPR_COLUMN)
        return eval_column(r, e, dst, matters, err);
    if (dvi_expr_is_constant(e)) {
        fill_constant(r, e, dst);
        return DV_OK;
    }
    const int32_t used = r->used;
    DVI_TRY(eval_part(r, e, dst, matters, err));
    r->used = used;
    const bool is_not = e->is_not;
    for (int32_t i = 0; is_not && i < n; i++)
        dst->logical[i] ^= 1;
    return DV_OK;
}

/* Many registers hold few rows each, so that a pipeline of many long expressions takes little. */
static size_t rows_at_once(const dvi_bound_expr *bound)
{
    const size_t rows = REGISTERS_NBYTES / sizeof(dv_text) / ((size_t)bound->registers + 2);
    return rows < 16 ? 16 : rows > DVI_EXPR_ROWS ? DVI_EXPR_ROWS : rows;
}

static size_t registers_nbytes(const run *r)
{
    return ((size_t)r->bound->registers + 2) * r->stride;
}

dv_status dvi_expr_open(dvi_expr_run *r, const dvi_bound_expr *bound, int64_t row_nbytes,
                        const dv_allocator *allocator, dv_error *err)
{
    void *registers, *rest;
    *r = (dvi_expr_run){.bound = bound, .allocator = allocator, .row_nbytes = row_nbytes};
    dvi_arena_init(&r->texts, allocator);
    r->stride = sizeof(dv_text) * rows_at_once(bound);
    DVI_TRY(dvi_alloc(allocator, &registers, registers_nbytes(r), err));
    r->registers = registers;
    DVI_TRY(dvi_alloc_zeroed(allocator, &rest, ((size_t)bound->n + 1) * sizeof *r->rest, err));
    r->rest = rest;
    return DV_OK;
}

void dvi_expr_close(dvi_expr_run *r)
{
    if (!r->bound)
        return;
    dvi_free(r->allocator, r->registers, registers_nbytes(r));
    dvi_free(r->allocator, r->rest, ((size_t)r->bound->n + 1) * sizeof *r->rest);
    dvi_arena_free(&r->texts);
    *r = (dvi_expr_run){0};
}

void dvi_expr_begin(dvi_expr_run *r, const dv_batch *batch, const int32_t *slots)
{
    for (int32_t i = 0; i < r->bound->n; i++)
        dvi_column_assign(&r->rest[i], dv_batch_column(batch, slots[i]));
    r->row = batch->first_row;
    r->n = 0;
}

/* As many rows as have texts of 1 MiB, at least one. */
static int32_t rows_of_texts(const run *r, int32_t most)
{
    const int64_t fixed = r->bound->text_nbytes;
    if (fixed > 0)
        most = (int32_t)dvi_max_i64(1, dvi_min_i64(most, TEXTS_NBYTES / fixed));
    for (int32_t k = 0; k < r->bound->n; k++) {
        const dv_column_view *column = &r->rest[k].view;
        if (column->layout != DV_LAYOUT_TEXT)
            continue;
        while (most > 1 &&
               dvi_text_end(&column->as.text, most) - (int64_t)column->as.text.first > TEXTS_NBYTES)
            most /= 2;
    }
    return most;
}

dv_status dvi_expr_next(dvi_expr_run *r, int64_t most, const uint8_t *matters,
                        const dvi_expr_register **result_out, dv_error *err)
{
    reg *result = dvi_expr_register_at(r, r->bound->registers);
    uint8_t *all = dvi_expr_register_at(r, r->bound->registers + 1)->logical;
    for (int32_t i = 0; i < r->bound->n; i++)
        dvi_column_advance(&r->rest[i].view, r->n);
    r->row += r->n;
    r->n = (int32_t)dvi_min_i64(most, (int64_t)(r->stride / sizeof(dv_text)));
    r->used = 0;
    if (r->bound->makes_text) {
        dvi_arena_free(&r->texts);
        r->texts_nbytes = 0;
        r->n = rows_of_texts(r, r->n);
    }
    if (!matters)
        memset(all, 1, (size_t)r->n);
    DVI_TRY(dvi_expr_eval(r, r->bound->root, result, matters ? matters : all, err));
    *result_out = result;
    return DV_OK;
}
