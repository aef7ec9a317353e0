/* SPDX-License-Identifier: MIT */
/* step_keys.c: value, vector and binary: what keys stand for, and vectors of them. */
#include "steps/step_keys.h"
#include "base/check.h"
#include "transform/tf_chain.h"
#include "transform/tf_key_binary.h"
#include "transform/tf_key_value.h"
#include "transform/tf_key_vector.h"

/* The kinds of onehot and onehothash, in the order of their words. */
enum { KIND_INDICATOR, KIND_BAG, KIND_KEY, KIND_BINARY };

dv_status dvi_step_plan_kind(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             dv_error *err)
{
    const int64_t kind = dv_step_integer(b->step, "kind");
    const dvi_key_vector_options options = {.bag = kind == KIND_BAG};
    const dvi_new_column keys = *made;
    if (kind == KIND_KEY)
        return DV_OK;
    return dvi_chain_plan(made, arena, b->schema, &keys,
                          kind == KIND_BINARY ? dvi_key_binary_plan : dvi_key_vector_plan, &options,
                          err);
}

static dv_status plan_value(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                            void *learned, dv_error *err)
{
    (void)learned;
    return dvi_key_value_plan(made, arena, b->schema, b->sources[0], NULL, err);
}

static dv_status plan_vector(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             void *learned, dv_error *err)
{
    const dvi_key_vector_options options = {.bag = dv_step_integer(b->step, "bag")};
    (void)learned;
    return dvi_key_vector_plan(made, arena, b->schema, b->sources[0], &options, err);
}

static dv_status plan_binary(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             void *learned, dv_error *err)
{
    (void)learned;
    return dvi_key_binary_plan(made, arena, b->schema, b->sources[0], NULL, err);
}

#define LEARNS_NOTHING                                                                             \
    {                                                                                              \
        .size = sizeof(dv_step_class), .version = 1                                                \
    }

const dvi_step_class dvi_class_value = {
    .open = LEARNS_NOTHING, .keys = DVI_KEYS_UNREAD, .plan = plan_value};
const dvi_step_class dvi_class_vector = {.open = LEARNS_NOTHING, .plan = plan_vector};
const dvi_step_class dvi_class_binary = {.open = LEARNS_NOTHING, .plan = plan_binary};
