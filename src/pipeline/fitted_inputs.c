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

/* Tracks, step by step, which columns are still inputs, perhaps under another name. */
typedef struct noting {
    named *named;   /* by step */
    int32_t *stand; /* for which input each new column of a step stands, from 1 on; 0: for none */
    dv_fitted *fitted;
    const dv_schema *schema;
    bool notes_keys;
    dvi_hashtab known; /* the same, by name */
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

/* A name that is not there belongs to a step that does not need it, as `drop`. *stands_out: for
 * which input it stands; 0: for none. */
static dv_status note(noting *n, int32_t *stands_out, dv_text name, bool reads_keys, dv_error *err)
{
    int32_t column, before;
    dv_fitted *f = n->fitted;
    *stands_out = dvi_hashtab_get(&n->known, name);
    if (*stands_out < 0) {
        *stands_out = 0;
        if (dv_schema_find(n->schema, name, &column) != DV_OK)
            return DV_OK;
        dv_fitted_input *input = &f->inputs[f->inputs_count];
        input->name = name;
        DVI_TRY(
            note_type(&input->type, &f->arena, &dv_schema_column(n->schema, column)->type, err));
        *stands_out = ++f->inputs_count;
        DVI_TRY(dvi_hashtab_put(&n->known, name, *stands_out, &before, err));
    }
    const int32_t i = *stands_out - 1;
    if (!n->notes_keys || !reads_keys || i < 0 || f->keys[i].count > 0)
        return DV_OK;
    dv_schema_find(n->schema, f->inputs[i].name, &column);
    return dvi_fitted_note_keys(&f->keys[i], n->schema, column, &f->allocator, err);
}

/* Note the sources of column k of a step. */
static dv_status note_sources(noting *n, const dvi_step *step, int32_t k, dv_error *err)
{
    const dvi_step_column *column = &step->columns[k];
    const dvi_key_use use = step->cls->keys;
    n->stand[k] = 0;
    for (int32_t s = 0; !step->cls->open.makes_only && s < column->n; s++)
        DVI_TRY(note(n, &n->stand[k], column->sources[s], use == DVI_KEYS_READ, err));
    if (use != DVI_KEYS_PASSED)
        n->stand[k] = 0;
    return DV_OK;
}

static dv_status note_step(noting *n, const dvi_step *step, int32_t number, dv_error *err)
{
    int32_t ignored;
    for (int32_t k = 0; k < step->columns_count; k++)
        DVI_TRY(note_sources(n, step, k, err));
    for (int32_t i = 0; i < n->named[number].n; i++)
        DVI_TRY(
            note(n, &ignored, n->named[number].names[i], step->cls->keys == DVI_KEYS_READ, err));
    for (int32_t k = 0; k < step->columns_count; k++)
        DVI_TRY(dvi_hashtab_put(&n->known, step->columns[k].name, n->stand[k], &ignored, err));
    dv_text extras[DVI_STEP_EXTRAS];
    const int32_t extras_count = dvi_step_extras(step, extras);
    for (int32_t i = 0; i < extras_count; i++)
        DVI_TRY(dvi_hashtab_put(&n->known, extras[i], 0, &ignored, err));
    return DV_OK;
}

/* Make room for as many inputs as the steps name, and for the columns of each step. */
static dv_status make_room(noting *n, size_t most, size_t columns, dv_error *err)
{
    void *made;
    dv_fitted *f = n->fitted;
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, most * sizeof *f->inputs, err));
    f->inputs = made;
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, most * sizeof *f->keys, err));
    f->keys = made;
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, columns * sizeof *n->stand, err));
    n->stand = made;
    return DV_OK;
}

dv_status dvi_fitted_note_inputs(dv_fitted *f, const dv_schema *schema, bool notes_keys,
                                 dv_error *err)
{
    void *made;
    size_t most = 0, columns = 0;
    const dvi_steps *steps = &f->pipeline->steps;
    noting n = {.fitted = f, .schema = schema, .notes_keys = notes_keys};
    DVI_TRY(dvi_arena_alloc(&f->arena, &made, (size_t)steps->count * sizeof *n.named, err));
    n.named = made;
    for (int32_t i = 0; i < steps->count; i++) {
        const dvi_step *step = &steps->step[i];
        if (step->cls->reads)
            DVI_TRY(step->cls->reads(&n.named[i].names, &n.named[i].n, step, &f->arena, err));
        most += (size_t)n.named[i].n;
        if (columns < (size_t)step->columns_count)
            columns = (size_t)step->columns_count;
        for (int32_t k = 0; k < step->columns_count; k++)
            most += (size_t)step->columns[k].n;
    }
    DVI_TRY(make_room(&n, most, columns, err));
    dvi_hashtab_init(&n.known, &f->allocator);
    dv_status status = DV_OK;
    for (int32_t i = 0; status == DV_OK && i < steps->count; i++)
        status = note_step(&n, &steps->step[i], i, err);
    dvi_hashtab_free(&n.known);
    return status;
}
