/* SPDX-License-Identifier: MIT */
/* expr_compare.c: relations, between, and lists. */
#include "codec/scalar.h"
#include "expr/expr_eval_priv.h"
#include <dataview/transform.h>

/* --- Relations -------------------------------------------------------------------------------- */

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

/* Write 1 where both are there and have one of the relations.  Where a value that is not there is
 * the least, `<` asks for it on the left side only, and `>` on the right; NaN fails them all. */
#define RELATE(a_is_there, b_is_there, a, b)                                                       \
    do {                                                                                           \
        switch (relations) {                                                                       \
        case DV_IS_LESS:                                                                           \
            EACH((a_is_there) && (a) < (b));                                                       \
            break;                                                                                 \
        case DV_IS_LESS | DV_IS_EQUAL:                                                             \
            EACH((a_is_there) && (a) <= (b));                                                      \
            break;                                                                                 \
        case DV_IS_GREATER:                                                                        \
            EACH((b_is_there) && (a) > (b));                                                       \
            break;                                                                                 \
        case DV_IS_GREATER | DV_IS_EQUAL:                                                          \
            EACH((b_is_there) && (a) >= (b));                                                      \
            break;                                                                                 \
        case DV_IS_EQUAL:                                                                          \
            EACH((a_is_there) && (a) == (b));                                                      \
            break;                                                                                 \
        default:                                                                                   \
            EACH((a_is_there) && (b_is_there) && ((a) < (b) || (a) > (b)));                        \
            break;                                                                                 \
        }                                                                                          \
    } while (0)
#define RELATE_THOSE(are_there, a, b) RELATE(are_there, are_there, a, b)
#define EACH(holds)                                                                                \
    for (int32_t i = 0; i < n; i++)                                                                \
    dst[i] = (uint8_t)(holds)

/* --- With a constant -------------------------------------------------------------------------- */

static void compare_integers(uint8_t *dst, const int64_t *x, int64_t with, unsigned relations,
                             int32_t n)
{
    RELATE(x[i] != NA, true, x[i], with);
}

static void compare_unsigned(uint8_t *dst, const uint64_t *x, dv_u128 with, unsigned relations,
                             int32_t n)
{
    if (with.hi == 0) /* below 0 */
        memset(dst, (relations & DV_IS_GREATER) != 0, (size_t)n);
    else
        RELATE(true, true, x[i], with.lo);
}

static void compare_reals(uint8_t *dst, const double *x, double with, unsigned relations, int32_t n)
{
    RELATE(true, true, x[i], with);
}

/* --- Any two ---------------------------------------------------------------------------------- */

static void compare_texts(uint8_t *dst, const dv_text *x, const dv_text *y, unsigned relations,
                          int32_t n)
{
    const bool is_equality = !(relations & DV_IS_LESS) == !(relations & DV_IS_GREATER);
    const uint8_t equal = (relations & DV_IS_EQUAL) != 0;
    if (!is_equality) {
        RELATE_THOSE(x[i].nbytes >= 0 && y[i].nbytes >= 0, dv_text_compare(x[i], y[i]), 0);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        const int64_t nbytes = x[i].nbytes;
        if (nbytes != y[i].nbytes)
            dst[i] = !equal & (nbytes >= 0) & (y[i].nbytes >= 0);
        else
            dst[i] = nbytes >= 0 &&
                     (nbytes == 0 || memcmp(x[i].data, y[i].data, (size_t)nbytes) == 0) == equal;
    }
}

static unsigned mirrored(unsigned relations)
{
    return (relations & DV_IS_EQUAL) | (relations & DV_IS_LESS ? DV_IS_GREATER : 0) |
           (relations & DV_IS_GREATER ? DV_IS_LESS : 0);
}

static void compare(uint8_t *dst, const dvi_expr *a, const reg *x, const dvi_expr *b, const reg *y,
                    unsigned relations, int32_t n)
{
    const bool is_constant = dvi_expr_is_constant(b), is_real = b->form == DVI_EXPR_FORM_REAL;
    if ((dvi_expr_is_constant(a) && !is_constant) ||
        (a->form == DVI_EXPR_FORM_REAL && b->form == DVI_EXPR_FORM_INTEGER)) {
        compare(dst, b, y, a, x, mirrored(relations), n);
        return;
    }
    switch (a->form) {
    case DVI_EXPR_FORM_LOGICAL:
        RELATE_THOSE(x->logical[i] != 2 && y->logical[i] != 2, x->logical[i], y->logical[i]);
        break;
    case DVI_EXPR_FORM_REAL:
        if (is_constant)
            compare_reals(dst, x->real, b->scalar.r8, relations, n);
        else
            RELATE(true, true, x->real[i], y->real[i]);
        break;
    case DVI_EXPR_FORM_TEXT:
        compare_texts(dst, x->text, y->text, relations, n);
        break;
    case DVI_EXPR_FORM_ZONED:
        RELATE_THOSE(x->zoned[i].ticks != DV_TICKS_NA && y->zoned[i].ticks != DV_TICKS_NA,
                     dvi_zoned_utc(x->zoned[i]), dvi_zoned_utc(y->zoned[i]));
        break;
    case DVI_EXPR_FORM_WIDE:
        if (a->kind == DV_KIND_U8)
            compare_unsigned(dst, x->large, b->scalar.ug, relations, n);
        else
            RELATE(true, true, dvi_u128_compare(x->wide[i], y->wide[i]), 0);
        break;
    default:
        if (is_real)
            RELATE_THOSE(x->integer[i] != NA && !isnan(y->real[i]),
                         compare_mixed(x->integer[i], y->real[i]), 0);
        else if (is_constant)
            compare_integers(dst, x->integer, b->scalar.i8, relations, n);
        else
            RELATE(x->integer[i] != NA, y->integer[i] != NA, x->integer[i], y->integer[i]);
        break;
    }
}
#undef EACH
#undef RELATE_THOSE
#undef RELATE

dv_status dvi_expr_relation(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                            dv_error *err)
{
    const reg *x, *y;
    DVI_TRY(dvi_expr_argument(r, e->args[0], &x, matters, err));
    DVI_TRY(dvi_expr_argument(r, e->args[1], &y, matters, err));
    compare(dst->logical, e->args[0], x, e->args[1], y, e->relations, r->n);
    return DV_OK;
}

dv_status dvi_expr_between(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                           dv_error *err)
{
    const dvi_expr *first = e->args[0], *again = e->args[e->n == 4 ? 3 : 0];
    const int32_t n = r->n, used = r->used;
    const reg *x, *y;
    DVI_TRY(dvi_expr_argument(r, first, &x, matters, err));
    DVI_TRY(dvi_expr_argument(r, e->args[1], &y, matters, err));
    compare(dst->logical, first, x, e->args[1], y, DV_IS_GREATER | DV_IS_EQUAL, n);
    r->used = again == first ? used + 1 : used;
    if (again != first)
        DVI_TRY(dvi_expr_argument(r, again, &x, matters, err));
    DVI_TRY(dvi_expr_argument(r, e->args[2], &y, matters, err));
    uint8_t *below = dvi_expr_take(r)->logical;
    compare(below, again, x, e->args[2], y, DV_IS_LESS | DV_IS_EQUAL, n);
    for (int32_t i = 0; i < n; i++)
        dst->logical[i] &= below[i];
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
        if (e->args[0]->kind == DV_KIND_U8)
            return find_wide(e->list, e->list_n, (dv_u128){x->large[i], 1});
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
    const reg *x;
    DVI_TRY(dvi_expr_argument(r, e->args[0], &x, matters, err));
    dvi_expr_find_missing(r, dst->logical, x, e->args[0]->form);
    for (int32_t i = 0; i < r->n; i++)
        dst->logical[i] = dst->logical[i] ? e->has_na : is_listed(e, x, i);
    return DV_OK;
}
