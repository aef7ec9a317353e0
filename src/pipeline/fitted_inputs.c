/* SPDX-License-Identifier: MIT */
/* fitted_inputs.c: notes the columns that a fitted pipeline takes of a view. */
#include "base/check.h"
#include "base/hashtab.h"
#include "pipeline/fitted.h"

/* The columns that the options of a step name. */
typedef struct named {
    dv_text *names;
    int32_t n;
} named;

/* Columns that have been noted, or that a step has made. */
typedef struct noting {
    named *named; /* by step */
    dv_fitted *fitted;
    const dv_schema *schema;
    dvi_hashtab known;
} noting;

static dv_status note_type(dv_text *text_out, dvi_arena *arena, const dv_type *type, dv_error *err)
{
    void *made;
    const size_t n = dv_type_print(type, NULL, 0);
    DVI_TRY(dvi_arena_alloc(arena, &made, n + 1, err));
    dv_type_print(type, made, n + 1);
    *text_out = (dv_text){made, (int64_t)n};
    return DV_OK;
}

/* A name that is not there belongs to a step that does not need it, as `drop`. */
static dv_status note(noting *n, dv_text name, dv_error *err)
{
    int32_t column, before;
    dv_fitted *f = n->fitted;
    if (dvi_hashtab_get(&n->known, name) >= 0 || dv_schema_find(n->schema, name, &column) != DV_OK)
        return DV_OK;
    DVI_TRY(dvi_hashtab_put(&n->known, name, 0, &before, err));
    dv_fitted_input *input = &f->inputs[f->inputs_count];
    input->name = name;
    DVI_TRY(note_type(&input->type, &f->arena, &dv_schema_column(n->schema, column)->type, err));
    f->inputs_count++;
    return DV_OK;
}

static dv_status note_step(noting *n, const dvi_step *step, int32_t number, dv_error *err)
{
    int32_t before;
    for (int32_t k = 0; !step->cls->open.makes_only && k < step->columns_count; k++)
        for (int32_t s = 0; s < step->columns[k].n; s++)
            DVI_TRY(note(n, step->columns[k].sources[s], err));
    for (int32_t i = 0; i < n->named[number].n; i++)
        DVI_TRY(note(n, n->named[number].names[i], err));
    for (int32_t k = 0; k < step->columns_count; k++)
        DVI_TRY(dvi_hashtab_put(&n->known, step->columns[k].name, 0, &before, err));
    const dv_text extra = dvi_step_extra_column(step);
    return extra.nbytes >= 0 ? dvi_hashtab_put(&n->known, extra, 0, &before, err) : DV_OK;
}

dv_status dvi_fitted_note_inputs(dv_fitted *f, const dv_schema *schema, dv_error *err)
{
    void *made;
    size_t most = 0;
    const dvi_steps *steps = &f->pipeline->steps;
    noting n = {.fitted = f, .schema = schema};
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, (size_t)steps->count * sizeof *n.named, err));
    n.named = made;
    for (int32_t i = 0; i < steps->count; i++) {
        const dvi_step *step = &steps->step[i];
        if (step->cls->reads)
            DVI_TRY(step->cls->reads(&n.named[i].names, &n.named[i].n, step, &f->arena, err));
        most += (size_t)n.named[i].n;
        for (int32_t k = 0; k < step->columns_count; k++)
            most += (size_t)step->columns[k].n;
    }
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, most * sizeof *f->inputs, err));
    f->inputs = made;
    dvi_hashtab_init(&n.known, &f->allocator);
    dv_status status = DV_OK;
    for (int32_t i = 0; status == DV_OK && i < steps->count; i++)
        status = note_step(&n, &steps->step[i], i, err);
    dvi_hashtab_free(&n.known);
    return status;
}
