/* SPDX-License-Identifier: MIT */
/* step_grams.c: reads the options of grams. */
#include "steps/step_grams.h"
#include "base/check.h"
#include "codec/scalar.h"

#define MOST 10000000 /* grams of each length, unless `max` says otherwise */

const dvi_gram_names dvi_gram_plain_names = {"n", "skips", "all", "max", "weight"};

dvi_gram_shape dvi_step_gram_shape(const dv_step *step, const dvi_gram_names *names)
{
    return (dvi_gram_shape){.n = (int32_t)dv_step_integer(step, names->n),
                            .skips = (int32_t)dv_step_integer(step, names->skips),
                            .all = dv_step_integer(step, names->all)};
}

static dv_status read_number(int32_t *number_out, dv_text text, const char *option, dv_error *err)
{
    dv_scalar scalar;
    const dv_type type = dv_type_of(DV_KIND_I8);
    if (text.nbytes <= 0 ||
        !dvi_scalar_parse(&scalar, &type, text.data, (size_t)text.nbytes, '.') || scalar.i8 < 0 ||
        scalar.i8 > INT32_MAX)
        return dvi_fail_argument(err,
                                 "option \"%s\": an entry is %s; an integer is expected, 0 to "
                                 "%d",
                                 option, dvi_show(text).text, INT32_MAX);
    *number_out = (int32_t)scalar.i8;
    return DV_OK;
}

/* A shorter list repeats its last entry. */
static dv_status read_most(dvi_gram_options *o, const dvi_option_value *given, const char *option,
                           dv_error *err)
{
    if (given->is_given && (given->n < 1 || given->n > o->shape.n))
        return dvi_fail_argument(err,
                                 "option \"%s\" has %lld entries; 1 to %d are expected, one "
                                 "for each length",
                                 option, (long long)given->n, (int)o->shape.n);
    for (int32_t i = 0; i < DVI_GRAM_KEYS; i++)
        o->most[i] = i > 0 ? o->most[i - 1] : MOST;
    for (int32_t i = 0; i < DVI_GRAM_KEYS && given->is_given; i++) {
        if (i < given->n)
            DVI_TRY(read_number(&o->most[i], given->texts[i], option, err));
        else
            o->most[i] = o->most[i - 1];
    }
    return DV_OK;
}

dv_status dvi_step_gram_options(dvi_gram_options *options_out, const dv_step *step,
                                const dvi_gram_names *names, dv_error *err)
{
    dvi_gram_options o = {.shape = dvi_step_gram_shape(step, names),
                          .weight = (dvi_gram_weight)dv_step_integer(step, names->weight)};
    DVI_TRY(dvi_gram_shape_check(&o.shape, err));
    DVI_TRY(read_most(&o, dvi_step_option(step, names->max), names->max, err));
    *options_out = o;
    return DV_OK;
}
