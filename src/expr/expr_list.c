/* SPDX-License-Identifier: MIT */
/* expr_list.c: the sorted values of `in`. */
#include "expr/expr_list.h"
#include "base/check.h"
#include "codec/scalar.h"
#include <stdlib.h>

static int compare_integers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_texts(const void *a, const void *b)
{
    return dv_text_compare(*(const dv_text *)a, *(const dv_text *)b);
}

static int compare_wide(const void *a, const void *b)
{
    return dvi_u128_compare(*(const dv_u128 *)a, *(const dv_u128 *)b);
}

dv_status dvi_expr_list_add(dvi_expr *e, const dvi_expr *item, dvi_arena *arena, dv_error *err)
{
    const dvi_expr_form form = e->args[0]->form;
    const void *value = &item->scalar;
    size_t width = form == DVI_EXPR_FORM_TEXT   ? sizeof(dv_text)
                   : form == DVI_EXPR_FORM_WIDE ? sizeof(dv_u128)
                                                : sizeof(int64_t);
    int64_t whole;
    if (form == DVI_EXPR_FORM_INTEGER && item->form == DVI_EXPR_FORM_REAL) {
        const double real = item->scalar.r8;
        if (!(real > -9223372036854775808.0 && real < 9223372036854775808.0) ||
            real != (double)(int64_t)real)
            return DV_OK;
        whole = (int64_t)real;
        value = &whole;
    } else if (form == DVI_EXPR_FORM_ZONED) {
        whole = dvi_zoned_utc(item->scalar.dz);
        value = &whole;
    }
    DVI_TRY(dvi_arena_append(arena, &e->list, e->list_n, value, width, err));
    e->list_n++;
    return DV_OK;
}

void dvi_expr_list_sort(dvi_expr *e)
{
    const size_t n = (size_t)e->list_n;
    if (n == 0)
        return;
    switch (e->args[0]->form) {
    case DVI_EXPR_FORM_TEXT:
        qsort(e->list, n, sizeof(dv_text), compare_texts);
        break;
    case DVI_EXPR_FORM_REAL:
        qsort(e->list, n, sizeof(double), compare_reals);
        break;
    case DVI_EXPR_FORM_WIDE:
        qsort(e->list, n, sizeof(dv_u128), compare_wide);
        break;
    default:
        qsort(e->list, n, sizeof(int64_t), compare_integers);
        break;
    }
}
