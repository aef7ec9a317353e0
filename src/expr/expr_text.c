/* SPDX-License-Identifier: MIT */
/* expr_text.c: functions and conditions of texts. */
#include "base/utf8.h"
#include "codec/unit.h"
#include "expr/expr_eval_priv.h"

dv_status dvi_expr_length(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                          dv_error *err)
{
    reg *x = dvi_expr_take(r);
    DVI_TRY(dvi_expr_eval(r, e->args[0], x, matters, err));
    for (int32_t i = 0; i < r->n; i++) {
        int64_t length = x->text[i].nbytes < 0 ? NA : 0;
        for (int64_t k = 0; k < x->text[i].nbytes; k++)
            length += ((unsigned char)x->text[i].data[k] & 0xC0) != 0x80;
        dst->integer[i] = length;
    }
    return DV_OK;
}

/* Write the text in another case; dst has room for 3 bytes where 2 are read. */
static int64_t change_case(char *dst, dv_text text, bool is_lower)
{
    size_t n = 0;
    for (int64_t i = 0; i < text.nbytes;) {
        const size_t width = dvi_utf8_step(text.data + i, (size_t)(text.nbytes - i));
        if (width == 0 || width > 3) {
            memcpy(dst + n, text.data + i, width ? width : 1);
            n += width ? width : 1;
        } else {
            const uint32_t unit = dvi_utf8_code(text.data + i, width);
            n += dvi_utf8_write(dst + n, is_lower ? dvi_unit_lower(unit) : dvi_unit_upper(unit));
        }
        i += (int64_t)(width ? width : 1);
    }
    return (int64_t)n;
}

dv_status dvi_expr_case(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters, dv_error *err)
{
    DVI_TRY(dvi_expr_eval(r, e->args[0], dst, matters, err));
    for (int32_t i = 0; i < r->n; i++) {
        const dv_text text = dst->text[i];
        void *made;
        if (text.nbytes <= 0 || !matters[i])
            continue;
        const int64_t room = text.nbytes + text.nbytes / 2 + 1;
        r->texts_nbytes += room;
        if (r->n == 1 && r->row_nbytes > 0 && r->texts_nbytes > r->row_nbytes)
            return dvi_fail(err, DV_ERR_LIMIT, "row_nbytes", -1, "texts made of a row",
                            "at most %lld bytes (option row_nbytes)|%lld", (long long)r->row_nbytes,
                            (long long)r->texts_nbytes);
        DVI_TRY(dvi_arena_alloc(&r->texts, &made, (size_t)room, err));
        dst->text[i] = (dv_text){made, change_case(made, text, e->op == DVI_EXPR_LOWER)};
    }
    return DV_OK;
}

dv_status dvi_expr_like(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters, dv_error *err)
{
    reg *x = dvi_expr_take(r), *y = dvi_expr_take(r);
    DVI_TRY(dvi_expr_eval(r, e->args[0], x, matters, err));
    DVI_TRY(dvi_expr_eval(r, e->args[1], y, matters, err));
    for (int32_t i = 0; i < r->n; i++) {
        const dv_text text = x->text[i], part = y->text[i];
        if (text.nbytes < 0 || part.nbytes < 0)
            dst->logical[i] = 0;
        else if (e->op == DVI_EXPR_LIKE)
            dst->logical[i] = dvi_expr_fits(text, part);
        else
            dst->logical[i] = part.nbytes == 0 ||
                              (text.nbytes > 0 && memmem(text.data, (size_t)text.nbytes, part.data,
                                                         (size_t)part.nbytes) != NULL);
    }
    return DV_OK;
}
