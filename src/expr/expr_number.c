/* SPDX-License-Identifier: MIT */
/* expr_number.c: arithmetic, and functions of numbers and dates. */
#include "codec/datetime.h"
#include "expr/expr_eval_priv.h"

/* --- Arithmetic ------------------------------------------------------------------------------- */

/* The remainder with the sign of the divisor. */
static int64_t modulo_integer(int64_t x, int64_t y)
{
    if (y == 0)
        return NA;
    const int64_t rest = y == -1 ? 0 : x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static double modulo_real(double x, double y)
{
    const double rest = fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

/* Returns false if the result does not fit. */
static bool calculate(dvi_expr_op op, int64_t x, int64_t y, int64_t *result_out)
{
    switch (op) {
    case DVI_EXPR_ADD:
        return !__builtin_add_overflow(x, y, result_out) && *result_out != NA;
    case DVI_EXPR_SUBTRACT:
        return !__builtin_sub_overflow(x, y, result_out) && *result_out != NA;
    case DVI_EXPR_MULTIPLY:
        return !__builtin_mul_overflow(x, y, result_out) && *result_out != NA;
    default:
        *result_out = modulo_integer(x, y);
        return true;
    }
}

static dv_status integer_arithmetic(const run *r, const dvi_expr *e, reg *dst, const reg *x,
                                    const reg *y, const uint8_t *matters, dv_error *err)
{
    for (int32_t i = 0; i < r->n; i++) {
        int64_t result = NA;
        if (x->integer[i] != NA && y->integer[i] != NA &&
            !calculate(e->op, x->integer[i], y->integer[i], &result)) {
            if (matters[i])
                return dvi_expr_fail_row(r, e, i, err);
            result = NA;
        }
        dst->integer[i] = result;
    }
    return DV_OK;
}

static void real_arithmetic(const run *r, const dvi_expr *e, reg *dst, const reg *x, const reg *y)
{
    switch (e->op) {
    case DVI_EXPR_ADD:
        for (int32_t i = 0; i < r->n; i++)
            dst->real[i] = x->real[i] + y->real[i];
        break;
    case DVI_EXPR_SUBTRACT:
        for (int32_t i = 0; i < r->n; i++)
            dst->real[i] = x->real[i] - y->real[i];
        break;
    case DVI_EXPR_MULTIPLY:
        for (int32_t i = 0; i < r->n; i++)
            dst->real[i] = x->real[i] * y->real[i];
        break;
    case DVI_EXPR_DIVIDE:
        for (int32_t i = 0; i < r->n; i++)
            dst->real[i] = x->real[i] / y->real[i];
        break;
    default:
        for (int32_t i = 0; i < r->n; i++)
            dst->real[i] = modulo_real(x->real[i], y->real[i]);
        break;
    }
    for (int32_t i = 0; e->kind == DV_KIND_R4 && i < r->n; i++)
        dst->real[i] = (double)(float)dst->real[i];
}

dv_status dvi_expr_arithmetic(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                              dv_error *err)
{
    reg *x = dvi_expr_take(r), *y = dvi_expr_take(r);
    DVI_TRY(dvi_expr_eval_as(r, e->args[0], e, x, matters, err));
    DVI_TRY(dvi_expr_eval_as(r, e->args[1], e, y, matters, err));
    if (e->form == DVI_EXPR_FORM_INTEGER)
        return integer_arithmetic(r, e, dst, x, y, matters, err);
    real_arithmetic(r, e, dst, x, y);
    return DV_OK;
}

/* --- Functions of numbers and dates ----------------------------------------------------------- */

static double apply(dvi_expr_op op, double x)
{
    switch (op) {
    case DVI_EXPR_NEGATE:
        return -x;
    case DVI_EXPR_ABS:
        return fabs(x);
    case DVI_EXPR_ROUND:
        return rint(x);
    case DVI_EXPR_SQRT:
        return sqrt(x);
    case DVI_EXPR_LOG:
        return log(x);
    default:
        return exp(x);
    }
}

dv_status dvi_expr_number(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                          dv_error *err)
{
    DVI_TRY(dvi_expr_eval_as(r, e->args[0], e, dst, matters, err));
    for (int32_t i = 0; i < r->n; i++) {
        if (e->form == DVI_EXPR_FORM_REAL)
            dst->real[i] = dvi_expr_rounded(apply(e->op, dst->real[i]), e->kind);
        else if (e->op == DVI_EXPR_NEGATE || (e->op == DVI_EXPR_ABS && dst->integer[i] < 0))
            dst->integer[i] = dst->integer[i] == NA ? NA : -dst->integer[i];
    }
    return DV_OK;
}

static int64_t part_of(dvi_expr_op op, int64_t ticks)
{
    if (dvi_datetime_is_na(ticks))
        return NA;
    const dvi_civil date = dvi_date_of_days((uint64_t)ticks / (uint64_t)DVI_TICKS_PER_DAY);
    return op == DVI_EXPR_YEAR ? date.year : op == DVI_EXPR_MONTH ? date.month : date.day;
}

dv_status dvi_expr_date(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters, dv_error *err)
{
    reg *x = dvi_expr_take(r);
    const bool is_zoned = e->args[0]->form == DVI_EXPR_FORM_ZONED;
    DVI_TRY(dvi_expr_eval(r, e->args[0], x, matters, err));
    for (int32_t i = 0; i < r->n; i++)
        dst->integer[i] = part_of(e->op, is_zoned ? x->zoned[i].ticks : x->integer[i]);
    return DV_OK;
}
