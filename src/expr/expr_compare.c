/* SPDX-License-Identifier: MIT */
/* expr_compare.c: relations, between, and lists. */
#include "codec/scalar.h"
#include "expr/expr_eval_priv.h"
#include <dataview/transform.h>

/* --- Relations -------------------------------------------------------------------------------- */

static unsigned order(int sign)
{
    return sign < 0 ? DV_IS_LESS : sign > 0 ? DV_IS_GREATER : DV_IS_EQUAL;
}

/* Compare an integer with a real, exactly. */
static int compare_mixed(int64_t x, double y)
{
    if (y >= 9223372036854775808.0)
        return -1;
    if (y < -9223372036854775808.0)
        return 1;
    const int64_t whole = (int64_t)y; /* towards 0 */
    if (x != whole)
        return x < whole ? -1 : 1;
    const double rest = y - (double)whole;
    return rest > 0 ? -1 : rest < 0;
}

#define COMPARE(is_missing, a, b)                                                                  \
    for (int32_t i = 0; i < n; i++)                                                                \
    dst[i] = !(is_missing) && (order(((a) > (b)) - ((a) < (b))) & relations)

static void compare_reals(uint8_t *dst, const double *x, const double *y, unsigned relations,
                          int32_t n)
{
    switch (relations) { /* NaN passes none of them */
    case DV_IS_LESS:
        for (int32_t i = 0; i < n; i++)
            dst[i] = x[i] < y[i];
        break;
    case DV_IS_LESS | DV_IS_EQUAL:
        for (int32_t i = 0; i < n; i++)
            dst[i] = x[i] <= y[i];
        break;
    case DV_IS_GREATER:
        for (int32_t i = 0; i < n; i++)
            dst[i] = x[i] > y[i];
        break;
    case DV_IS_GREATER | DV_IS_EQUAL:
        for (int32_t i = 0; i < n; i++)
            dst[i] = x[i] >= y[i];
        break;
    case DV_IS_EQUAL:
        for (int32_t i = 0; i < n; i++)
            dst[i] = x[i] == y[i];
        break;
    default:
        for (int32_t i = 0; i < n; i++)
            dst[i] = (x[i] < y[i]) | (x[i] > y[i]);
        break;
    }
}

static void compare_texts(uint8_t *dst, const dv_text *x, const dv_text *y, unsigned relations,
                          int32_t n)
{
    const bool is_equality = !(relations & DV_IS_LESS) == !(relations & DV_IS_GREATER);
    for (int32_t i = 0; i < n; i++) {
        if (x[i].nbytes < 0 || y[i].nbytes < 0)
            dst[i] = 0;
        else if (is_equality)
            dst[i] = dv_text_equal(x[i], y[i]) == ((relations & DV_IS_EQUAL) != 0);
        else
            dst[i] = (order(dv_text_compare(x[i], y[i])) & relations) != 0;
    }
}

/* Write 1 where both are there and have one of the relations. */
static void compare(const run *r, uint8_t *dst, const dvi_expr *a, const reg *x, const dvi_expr *b,
                    const reg *y, unsigned relations)
{
    const int32_t n = r->n;
    if (a->form == DVI_EXPR_FORM_INTEGER && b->form == DVI_EXPR_FORM_REAL) {
        for (int32_t i = 0; i < n; i++)
            dst[i] = x->integer[i] != NA && !isnan(y->real[i]) &&
                     (order(compare_mixed(x->integer[i], y->real[i])) & relations);
        return;
    }
    if (a->form == DVI_EXPR_FORM_REAL && b->form == DVI_EXPR_FORM_INTEGER) {
        for (int32_t i = 0; i < n; i++)
            dst[i] = y->integer[i] != NA && !isnan(x->real[i]) &&
                     (order(-compare_mixed(y->integer[i], x->real[i])) & relations);
        return;
    }
    switch (a->form) {
    case DVI_EXPR_FORM_LOGICAL:
        COMPARE(x->logical[i] == 2 || y->logical[i] == 2, x->logical[i], y->logical[i]);
        break;
    case DVI_EXPR_FORM_REAL:
        compare_reals(dst, x->real, y->real, relations, n);
        break;
    case DVI_EXPR_FORM_TEXT:
        compare_texts(dst, x->text, y->text, relations, n);
        break;
    case DVI_EXPR_FORM_ZONED:
        COMPARE(x->zoned[i].ticks == DV_TICKS_NA || y->zoned[i].ticks == DV_TICKS_NA,
                dvi_zoned_utc(x->zoned[i]), dvi_zoned_utc(y->zoned[i]));
        break;
    case DVI_EXPR_FORM_WIDE:
        for (int32_t i = 0; i < n; i++)
            dst[i] = (order(dvi_u128_compare(x->wide[i], y->wide[i])) & relations) != 0;
        break;
    default:
        COMPARE(x->integer[i] == NA || y->integer[i] == NA, x->integer[i], y->integer[i]);
        break;
    }
}

dv_status dvi_expr_relation(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                            dv_error *err)
{
    reg *x = dvi_expr_take(r), *y = dvi_expr_take(r);
    DVI_TRY(dvi_expr_eval(r, e->args[0], x, matters, err));
    DVI_TRY(dvi_expr_eval(r, e->args[1], y, matters, err));
    compare(r, dst->logical, e->args[0], x, e->args[1], y, e->relations);
    return DV_OK;
}

dv_status dvi_expr_between(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                           dv_error *err)
{
    reg *x = dvi_expr_take(r), *y = dvi_expr_take(r), *below = dvi_expr_take(r);
    DVI_TRY(dvi_expr_eval(r, e->args[0], x, matters, err));
    DVI_TRY(dvi_expr_eval(r, e->args[1], y, matters, err));
    compare(r, dst->logical, e->args[0], x, e->args[1], y, DV_IS_GREATER | DV_IS_EQUAL);
    DVI_TRY(dvi_expr_eval(r, e->args[2], y, matters, err));
    if (e->n == 4)
        DVI_TRY(dvi_expr_eval(r, e->args[3], x, matters, err));
    compare(r, below->logical, e->args[e->n == 4 ? 3 : 0], x, e->args[2], y,
            DV_IS_LESS | DV_IS_EQUAL);
    for (int32_t i = 0; i < r->n; i++)
        dst->logical[i] &= below->logical[i];
    return DV_OK;
}

/* --- Lists ------------------------------------------------------------------------------------ */

#define FIND(name, type, compared)                                                                 \
    static bool find_##name(const type *list, int32_t n, type value)                               \
    {                                                                                              \
        while (n > 0) {                                                                            \
            const int32_t half = n / 2;                                                            \
            const type with = list[half];                                                          \
            const int sign = (compared);                                                           \
            if (sign == 0)                                                                         \
                return true;                                                                       \
            if (sign > 0) {                                                                        \
                list += half + 1;                                                                  \
                n -= half + 1;                                                                     \
            } else {                                                                               \
                n = half;                                                                          \
            }                                                                                      \
        }                                                                                          \
        return false;                                                                              \
    }
FIND(integer, int64_t, (value > with) - (value < with))
FIND(real, double, (value > with) - (value < with))
FIND(text, dv_text, dv_text_compare(value, with))
FIND(wide, dv_u128, dvi_u128_compare(value, with))
#undef FIND

static bool is_listed(const dvi_expr *e, const reg *x, int32_t i)
{
    switch (e->args[0]->form) {
    case DVI_EXPR_FORM_REAL:
        return find_real(e->list, e->list_n, x->real[i]);
    case DVI_EXPR_FORM_TEXT:
        return find_text(e->list, e->list_n, x->text[i]);
    case DVI_EXPR_FORM_WIDE:
        return find_wide(e->list, e->list_n, x->wide[i]);
    case DVI_EXPR_FORM_LOGICAL:
        return find_integer(e->list, e->list_n, x->logical[i]);
    case DVI_EXPR_FORM_ZONED:
        return find_integer(e->list, e->list_n, dvi_zoned_utc(x->zoned[i]));
    default:
        return find_integer(e->list, e->list_n, x->integer[i]);
    }
}

dv_status dvi_expr_in(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters, dv_error *err)
{
    reg *x = dvi_expr_take(r);
    DVI_TRY(dvi_expr_eval(r, e->args[0], x, matters, err));
    dvi_expr_find_missing(r, dst->logical, x, e->args[0]->form);
    for (int32_t i = 0; i < r->n; i++)
        dst->logical[i] = dst->logical[i] ? e->has_na : is_listed(e, x, i);
    return DV_OK;
}
