/* SPDX-License-Identifier: MIT */
/* model_zip.c: reads the chain of steps of a model, and makes a fitted pipeline of it. */
#include "mlnet/model_zip.h"
#include "base/alloc.h"
#include "mlnet/model_read.h"
#include "pipeline/fitted.h"
#include <stdio.h>
#include <string.h>

/* --- Chains ----------------------------------------------------------------------------------- */

static dvi_model_read_step read_chain, read_text;

static const struct kind {
    const char *signature; /* with blanks in the place of NULs */
    uint32_t version;      /* the latest that is known */
    dvi_model_read_step *read;
} kinds[] = {{"XF CHAIN", 1, read_chain},
             {"TEXT XFR", 2, read_text},
             {"COPYCOLT", 1, dvi_model_copy},
             {"CONCAT F", 3, dvi_model_concat},
             {"SELCOLST", 1, dvi_model_select},
             {"CONVERTF", 4, dvi_model_convert},
             {"TERMTRNF", 3, dvi_model_term},
             {"KEY2VECT", 2, dvi_model_key_vector},
             {"KEY2BINR", 1, dvi_model_key_binary},
             {"KEY2VALT", 1, dvi_model_key_value},
             {"HASHTRNS", 4, dvi_model_hash},
             {"WRDTOKNS", 1, dvi_model_tokenize},
             {"CHARTOKN", 2, dvi_model_characters},
             {"TEXTNORM", 1, dvi_model_text_norm},
             {"CSTOPWRD", 1, dvi_model_stop_words},
             {"NGRAMTRN", 3, dvi_model_ngrams},
             {"GCNORMAF", 3, dvi_model_rescale},
             {"NAIND TF", 1, dvi_model_missing},
             {"DROPSLOT", 1, dvi_model_drop_slots},
             {"NAREP TF", 2, dvi_model_replace_missing},
             {"NORMALZR", 2, dvi_model_normalize},
             {"HASHGRAM", 3, dvi_model_hashed_grams},
             {"VALUMAPG", 1, dvi_model_map},
             {"STOPWRDR", 1, dvi_model_default_stop_words},
             {"BIN PRED", 1, dvi_model_predict_flag},
             {"ANOMPRED", 1, dvi_model_predict_anomaly},
             {"REG PRED", 1, dvi_model_predict_number},
             {"RANKPRED", 1, dvi_model_predict_rank},
             {"MC  PRED", 2, dvi_model_predict_class},
             {"CLUSPRED", 1, dvi_model_predict_cluster},
             {"CALTRANS", 2, dvi_model_calibrate}};

static const struct kind *find_kind(const dvi_model_part *part)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(part->signature.text, kinds[i].signature) == 0)
            return &kinds[i];
    return NULL;
}

/* If a predictor is not known, it is noted in place of its step. */
static dv_status note_unknown(dvi_model_reading *r, const dvi_model_part *part, dv_error *err)
{
    const dvi_predictor_part *predictor = r->refused;
    const dv_text signature = predictor ? predictor->signature : dv_text_of(part->signature.text);
    r->refused = NULL;
    r->scratch.used = 0;
    if (r->unknown.used > 0)
        DVI_TRY(dvi_model_put(r, &r->unknown, dv_text_of(", "), err));
    DVI_TRY(dvi_model_put(r, &r->unknown, signature, err));
    return dvi_model_putf(r, &r->unknown, err, " (%s)",
                          dvi_show(predictor ? predictor->loader : part->loader).text);
}

static dv_status read_known(dvi_model_reading *r, dvi_model_part *part, const struct kind *kind,
                            dv_error *err)
{
    DVI_TRY(dvi_model_check_part(part, kind->signature, kind->version, err));
    return kind->read(r, part, err);
}

/* Forget what a step has added that is left out. */
static void forget(dvi_model_reading *r, size_t used, int32_t steps, size_t tables)
{
    r->text.used = used;
    r->steps = steps;
    while (r->tables_count > tables) {
        r->tables_count--;
        for (int k = 0; k < DVI_MODEL_TABLES; k++)
            dv_view_release(&r->tables[r->tables_count][k]);
    }
}

/* An unknown step is noted, so that the error names all of them, or ends what is read. */
static dv_status read_step(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    const size_t used = r->text.used, tables = r->tables_count;
    const int32_t steps = r->steps;
    const struct kind *kind = find_kind(part);
    dv_error own = DV_ERROR_INIT;
    const dv_status status = kind ? read_known(r, part, kind, &own) : DV_ERR_UNSUPPORTED;
    if (status == DV_ERR_UNSUPPORTED && r->until_unknown) {
        forget(r, used, steps, tables);
        r->is_cut = true;
    }
    if (!kind || r->refused || (status == DV_ERR_UNSUPPORTED && r->is_cut))
        return note_unknown(r, part, err);
    if (status < 0 && err)
        *err = own;
    DVI_TRY(status);
    return r->is_cut ? DV_OK : dvi_model_end_part(part, err);
}

static dv_status read_chain(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    int32_t n;
    const uint8_t *scopes;
    DVI_TRY(dvi_model_count(part, &n, 0, 4, "number of steps", err));
    DVI_TRY(dvi_model_bytes(part, &scopes, 4 * (size_t)n, "uses of steps", err));
    DVI_TRY(dvi_model_end_part(part, err));
    for (int32_t i = 0; i < n && !r->is_cut; i++) {
        char folder[32];
        dvi_model_part inner;
        snprintf(folder, sizeof folder, "Transform_%03d", (int)i);
        DVI_TRY(dvi_model_open_inner(&inner, part, folder, err));
        DVI_TRY(read_step(r, &inner, err));
    }
    return DV_OK;
}

static dv_status read_text(dvi_model_reading *r, dvi_model_part *part, dv_error *err)
{
    dvi_model_part chain;
    DVI_TRY(dvi_model_open_inner(&chain, part, "Chain", err));
    DVI_TRY(dvi_model_check_part(&chain, "XF CHAIN", 1, err));
    return read_chain(r, &chain, err);
}

static dv_status read_model(dvi_model_reading *r, dv_error *err)
{
    dvi_model_part chain;
    const dv_text folder = dv_text_of("TransformerChain/");
    DVI_REQUIRE(dvi_zip_find(&r->zip, dv_text_of("TransformerChain/Model.key")),
                dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:S1", -1, "content of the zip file",
                         "a model of ML.NET, with TransformerChain|something else"));
    DVI_TRY(dvi_model_open_part(&chain, &r->zip, &r->arena, folder, err));
    DVI_TRY(read_step(r, &chain, err)); /* a chain, or a step that was saved on its own */
    DVI_REQUIRE(r->until_unknown || r->unknown.used == 0,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:S2", -1, "steps",
                         "those that this version has|%.*s",
                         (int)(r->unknown.used < 400 ? r->unknown.used : 400),
                         (const char *)r->unknown.memory->data));
    return DV_OK;
}

/* --- The pipeline ----------------------------------------------------------------------------- */

static dv_status parse(dvi_model_reading *r, dv_pipeline **pipeline_out, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    const dv_text text = {r->text.used > 0 ? (const char *)r->text.memory->data : "",
                          (int64_t)r->text.used};
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    options.untrusted = true;
    const dv_status status =
        dv_pipeline_parse_files(pipeline_out, text, &options, r->allocator, &own);
    if (status == DV_ERR_ARGUMENT)
        return dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1, "steps of the model", "steps|%s",
                        own.message);
    if (status < 0 && err)
        *err = own;
    return status;
}

/* Tables that break a rule of what a step learns are no fault of the caller. */
static dv_status load(dv_fitted *fitted, int32_t i, int32_t k, dv_view *const *tables,
                      dv_error *err)
{
    const dvi_step *step = &fitted->pipeline->steps.step[i];
    const int found = tables[1] ? 2 : tables[0] != NULL;
    DVI_REQUIRE(dvi_step_tables(step) == found,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1, "what a step has learned", "%d|%d",
                         dvi_step_tables(step), found));
    if (found == 0)
        return DV_OK;
    dv_status status =
        step->cls->open.load(&fitted->learned[i][k], step, tables, &fitted->allocator, err);
    if (status == DV_ERR_ARGUMENT)
        status = dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1, "what a step has learned",
                          "what fits its options|something else");
    if (status < 0)
        dvi_fitted_within(fitted, i, err);
    return status;
}

static dv_status load_tables(dvi_model_reading *r, dv_fitted *fitted, dv_error *err)
{
    const dvi_steps *steps = &fitted->pipeline->steps;
    size_t at = 0;
    for (int32_t i = 0; i < steps->count; i++)
        for (int32_t k = 0; k < steps->step[i].columns_count; k++, at++) {
            DVI_REQUIRE(at < r->tables_count && steps->count == r->steps,
                        dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S3", -1, "columns of the steps",
                                 "%zu|more", r->tables_count));
            DVI_TRY(load(fitted, i, k, r->tables[at], err));
        }
    return DV_OK;
}

/* The columns of Schema, an .idv file without rows, that the steps take. */
static dv_status note_inputs(dvi_model_reading *r, dv_fitted *fitted, dv_error *err)
{
    dv_view *view;
    const dvi_zip_entry *entry = dvi_zip_find(&r->zip, dv_text_of("Schema"));
    if (!entry)
        return DV_OK;
    DVI_TRY(dvi_model_file(r, entry, &view, err));
    const dv_status status = dvi_fitted_note_inputs(fitted, dv_view_schema(view), false, err);
    dv_view_release(&view);
    return status;
}

static dv_status make_fitted(dvi_model_reading *r, dv_fitted **fitted_out, dv_error *err)
{
    dv_pipeline *pipeline;
    DVI_TRY(parse(r, &pipeline, err));
    dv_status status = dvi_fitted_create(fitted_out, pipeline, 0, r->allocator, err);
    dv_pipeline_release(&pipeline);
    DVI_TRY(status);
    if (r->unknown.used > 0)
        DVI_TRY(dvi_arena_text(
            &(*fitted_out)->arena, &(*fitted_out)->left_out,
            (dv_text){(const char *)r->unknown.memory->data, (int64_t)r->unknown.used}, err));
    DVI_TRY(load_tables(r, *fitted_out, err));
    DVI_TRY(dvi_fitted_seal(*fitted_out, err));
    return note_inputs(r, *fitted_out, err);
}

static void end_reading(dvi_model_reading *r)
{
    forget(r, 0, 0, 0);
    dvi_free(r->allocator, r->tables, r->tables_cap * sizeof *r->tables);
    dvi_memory_release(&r->text.memory);
    dvi_memory_release(&r->scratch.memory);
    dvi_memory_release(&r->unknown.memory);
    dvi_arena_free(&r->arena);
    dvi_zip_close(&r->zip);
}

dv_status dvi_model_zip_read(dv_fitted **fitted_out, dvi_map *map, bool until_unknown,
                             dv_error *err)
{
    dvi_model_reading r = {.allocator = dvi_map_allocator(map), .until_unknown = until_unknown};
    *fitted_out = NULL;
    dvi_arena_init(&r.arena, r.allocator);
    dv_status status = dvi_zip_open(&r.zip, map, err);
    if (status == DV_OK)
        status = read_model(&r, err);
    if (status == DV_OK)
        status = make_fitted(&r, fitted_out, err);
    end_reading(&r);
    if (status < 0)
        dv_fitted_release(fitted_out);
    return status;
}
