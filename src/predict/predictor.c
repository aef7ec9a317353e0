/* SPDX-License-Identifier: MIT */
/* predictor.c: the kinds of predictors and calibrators, and how one is made of its parts. */
#include "predict/predictor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "predict/scorer.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct dvi_predictor {
    atomic_size_t refs;
    dv_allocator allocator;
    dvi_arena arena;
    dvi_scorer scorer;
};

/* --- Kinds ------------------------------------------------------------------------------------ */

static const struct kind {
    const char *signature; /* with blanks in the place of NULs */
    uint32_t version;      /* the latest that is known */
    bool is_calibrator;
    dvi_read_scorer *read;
} kinds[] = {{"LINEAR2C", 2, false, dvi_read_linear},
             {"LIN RGRS", 1, false, dvi_read_linear},
             {"POI RGRS", 1, false, dvi_read_poisson},
             {"MULTI LR", 3, false, dvi_read_softmax},
             {"MCLINEAR", 1, false, dvi_read_multiclass},
             {"FTREE BC", 5, false, dvi_read_trees},
             {"FTREE RE", 5, false, dvi_read_trees},
             {"FTREE RA", 5, false, dvi_read_trees},
             {"FTREE TW", 3, false, dvi_read_tweedie},
             {"FFORE BC", 6, false, dvi_read_trees},
             {"LGBBINCL", 5, false, dvi_read_trees},
             {"LGBSIREG", 5, false, dvi_read_trees},
             {"LGBMRANK", 5, false, dvi_read_trees},
             {"FFORE RE", 6, false, dvi_read_forest_regression},
             {"GAM BINP", 2, false, dvi_read_gam},
             {"GAM REGP", 2, false, dvi_read_gam},
             {"KMEANS  ", 2, false, dvi_read_kmeans},
             {"MNABYPRD", 1, false, dvi_read_bayes},
             {"PCA ANOM", 1, false, dvi_read_pca},
             {"LDSVM BC", 1, false, dvi_read_ldsvm},
             {"PRIORPRD", 1, false, dvi_read_prior},
             {"PMIXCALP", 1, false, dvi_read_calibrated},
             {"CALIPRED", 1, false, dvi_read_calibrated},
             {"FTWTCALP", 1, false, dvi_read_calibrated},
             {"TLC OVA ", 1, false, dvi_read_one_versus_all},
             {"TLC PKPD", 1, false, dvi_read_pairs},
             {"PLATTCAL", 1, true, dvi_read_platt},
             {"NAIVECAL", 1, true, dvi_read_naive},
             {"PAV  CAL", 1, true, dvi_read_isotonic}};

static const struct kind *find_kind(dv_text signature)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (dv_text_equal(signature, dv_text_of(kinds[i].signature)))
            return &kinds[i];
    return NULL;
}

static dv_status check_kind(const dvi_predictor_part *part, const struct kind **kind_out,
                            dv_error *err)
{
    const struct kind *kind = find_kind(part->signature);
    DVI_REQUIRE(kind, dvi_fail(err, DV_ERR_UNSUPPORTED, "docs/spec/predictors.md", -1, "predictor",
                               "one that this version has|%s (%s)", dvi_show(part->loader).text,
                               dvi_show(part->signature).text));
    DVI_REQUIRE(part->readable <= kind->version,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "docs/spec/predictors.md", -1,
                         "version of a predictor", "at most %" PRIu32 "|%" PRIu32 " of %s",
                         kind->version, part->readable, dvi_show(part->loader).text));
    *kind_out = kind;
    return DV_OK;
}

dv_status dvi_predictor_check_parts(const dvi_predictor_part *parts, int32_t n, dv_error *err)
{
    const struct kind *ignored;
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(check_kind(&parts[i], &ignored, err));
    return DV_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static dv_status read_block(dvi_scorer *scorer, dvi_block *b, bool is_calibrator, dv_error *err)
{
    const struct kind *kind;
    DVI_TRY(check_kind(b->part, &kind, err));
    DVI_REQUIRE(kind->is_calibrator == is_calibrator,
                dvi_fail(err, DV_ERR_CORRUPT, "predictors:P1", -1, "part of a predictor", "%s|%s",
                         is_calibrator ? "a calibrator" : "a predictor",
                         dvi_show(b->part->loader).text));
    *scorer = (dvi_scorer){.score = NULL};
    DVI_TRY(kind->read(scorer, b, err));
    scorer->info.has_probability = scorer->probability != NULL;
    return dvi_block_end(b, kind->version, err);
}

dv_status dvi_read_inner(dvi_scorer *scorer, const dvi_block *in, const char *folder,
                         bool is_calibrator, dv_error *err)
{
    dvi_block inner;
    DVI_TRY(dvi_block_open(&inner, in->all, in, folder, err));
    return read_block(scorer, &inner, is_calibrator, err);
}

void dvi_scorer_say(dvi_scorer *scorer, const dvi_block *b, const char *format, ...)
{
    char *text = scorer->info.summary;
    const size_t cap = sizeof scorer->info.summary;
    va_list list;
    snprintf(text, cap, "%s: ", dvi_show(b->part->loader).text);
    const size_t n = strlen(text);
    va_start(list, format);
    vsnprintf(text + n, cap - n, format, list);
    va_end(list);
}

static dv_status list_folders(dvi_parts *all, dv_error *err)
{
    for (int32_t i = 0; i < all->n; i++) {
        int32_t before;
        DVI_TRY(dvi_hashtab_put(&all->by_folder, all->part[i].folder, i, &before, err));
        DVI_REQUIRE(before < 0,
                    dvi_fail(err, DV_ERR_CORRUPT, "predictors:P1", -1, "folders of parts",
                             "different ones|\"%s\" twice", dvi_show(all->part[i].folder).text));
    }
    return DV_OK;
}

static dv_status read_parts(dvi_predictor *p, const dvi_predictor_part *parts, int32_t n,
                            bool is_calibrator, dv_error *err)
{
    dvi_block block;
    dvi_parts all = {.part = parts, .n = n, .arena = &p->arena};
    dvi_hashtab_init(&all.by_folder, &p->allocator);
    dv_status status = list_folders(&all, err);
    if (status == DV_OK)
        status = dvi_block_open(&block, &all, NULL, "", err);
    if (status == DV_OK)
        status = read_block(&p->scorer, &block, is_calibrator, err);
    dvi_hashtab_free(&all.by_folder);
    return status;
}

static dv_status create(dvi_predictor **predictor_out, const dvi_predictor_part *parts, int32_t n,
                        bool is_calibrator, const dv_allocator *given, dv_error *err)
{
    void *made;
    const dv_allocator allocator = dvi_allocator_of(given);
    *predictor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&allocator, &made, sizeof(dvi_predictor), err));
    dvi_predictor *p = made;
    atomic_init(&p->refs, 1);
    p->allocator = allocator;
    dvi_arena_init(&p->arena, &p->allocator);
    const dv_status status = read_parts(p, parts, n, is_calibrator, err);
    if (status == DV_OK)
        *predictor_out = p;
    else
        dvi_predictor_release(&p);
    return status;
}

dv_status dvi_predictor_read(dvi_predictor **predictor_out, const dvi_predictor_part *parts,
                             int32_t n, const dv_allocator *allocator, dv_error *err)
{
    return create(predictor_out, parts, n, false, allocator, err);
}

dv_status dvi_calibrator_read(dvi_predictor **calibrator_out, const dvi_predictor_part *parts,
                              int32_t n, const dv_allocator *allocator, dv_error *err)
{
    return create(calibrator_out, parts, n, true, allocator, err);
}

void dvi_predictor_retain(dvi_predictor *p)
{
    atomic_fetch_add(&p->refs, 1);
}

void dvi_predictor_release(dvi_predictor **predictor)
{
    dvi_predictor *p = *predictor;
    *predictor = NULL;
    if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
        return;
    const dv_allocator allocator = p->allocator;
    dvi_arena_free(&p->arena);
    dvi_free(&allocator, p, sizeof *p);
}

/* --- Scoring ---------------------------------------------------------------------------------- */

const dvi_predictor_info *dvi_predictor_inspect(const dvi_predictor *p)
{
    return &p->scorer.info;
}

void dvi_predictor_score(const dvi_predictor *p, const dvi_features *x, void *scratch,
                         float *scores)
{
    p->scorer.score(p->scorer.state, x, scratch, scores);
}

float dvi_predictor_probability(const dvi_predictor *p, float score)
{
    return p->scorer.probability(p->scorer.state, score);
}
