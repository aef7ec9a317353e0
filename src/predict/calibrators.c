/* SPDX-License-Identifier: MIT */
/* calibrators.c: probabilities of scores. */
#include "base/check.h"
#include "predict/scorer.h"

static const char checks[] = "predictors:P26";

/* --- A curve (P23) ---------------------------------------------------------------------------- */

typedef struct platt {
    double a, b;
} platt;

static float platt_probability(const void *state, float score)
{
    const platt *p = state;
    return (float)(1 / (1 + dvi_exp(p->a * (double)score + p->b)));
}

dv_status dvi_read_platt(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(platt), err));
    platt *p = made;
    DVI_TRY(dvi_block_f64(b, &p->a, checks, "slope", err));
    DVI_TRY(dvi_block_f64(b, &p->b, checks, "offset", err));
    scorer->state = p;
    scorer->probability = platt_probability;
    dvi_scorer_say(scorer, b, "slope %g", p->a);
    return DV_OK;
}

/* --- Bins of the same width (P24) ------------------------------------------------------------- */

typedef struct naive {
    float width, min;
    const float *values;
    int32_t n;
} naive;

static int32_t bin_of(const naive *m, float score)
{
    const float place = (score - m->min) / m->width;
    if (!(place >= 0 && place < 2147483648.0f)) /* outside I4 is the least number */
        return 0;
    const int32_t bin = (int32_t)place;
    return bin < m->n ? bin : m->n - 1;
}

static float naive_probability(const void *state, float score)
{
    const naive *m = state;
    return score != score ? score : m->values[bin_of(m, score)];
}

dv_status dvi_read_naive(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(naive), err));
    naive *m = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_f32(b, &m->width, checks, "width of bins", err));
    DVI_TRY(dvi_block_f32(b, &m->min, checks, "start of the first bin", err));
    DVI_REQUIRE(m->width > 0 && isfinite(m->width) && isfinite(m->min),
                dvi_block_refuse(b, checks, "bins", "a width above 0, and a start", err));
    DVI_TRY(dvi_block_count(b, &m->n, 4, checks, "number of bins", err));
    DVI_REQUIRE(m->n > 0, dvi_block_refuse(b, checks, "number of bins", "1 or more", err));
    DVI_TRY(dvi_block_f32s(b, &m->values, (size_t)m->n, checks, "probabilities", err));
    for (int32_t i = 0; i < m->n; i++)
        DVI_REQUIRE(m->values[i] >= 0 && m->values[i] <= 1,
                    dvi_block_refuse(b, checks, "probabilities", "0 to 1", err));
    scorer->state = m;
    scorer->probability = naive_probability;
    dvi_scorer_say(scorer, b, "%d bin%s", (int)m->n, DVI_S(m->n));
    return DV_OK;
}

/* --- Pieces, and lines between them (P25) ----------------------------------------------------- */

#define LEAST 1e-15

typedef struct piece {
    float min, max, value;
} piece;

typedef struct isotonic {
    piece *pieces;
    int32_t n;
} isotonic;

/* The first piece that does not end below x, which is not above all. */
static int32_t find_piece(const isotonic *m, float x)
{
    int32_t from = 0, to = m->n - 1;
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        if (m->pieces[middle].max >= x)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static float value_at(const isotonic *m, float x)
{
    if (m->n == 0)
        return 0;
    if (x < m->pieces[0].min)
        return m->pieces[0].value;
    if (x > m->pieces[m->n - 1].max)
        return m->pieces[m->n - 1].value;
    const piece *p = &m->pieces[find_piece(m, x)];
    if (x >= p->min)
        return p->value;
    const piece *before = p - 1; /* x is not below the first */
    const float t = (x - before->max) / (p->min - before->max);
    return before->value + t * (p->value - before->value);
}

static float isotonic_probability(const void *state, float score)
{
    if (score != score)
        return score;
    const float value = value_at(state, score);
    if (value < LEAST)
        return (float)LEAST;
    return value > 1 - LEAST ? (float)(1 - LEAST) : value;
}

static dv_status read_piece(piece *p, dvi_block *b, dv_error *err)
{
    DVI_TRY(dvi_block_f32(b, &p->min, checks, "start of a piece", err));
    DVI_TRY(dvi_block_f32(b, &p->max, checks, "end of a piece", err));
    return dvi_block_f32(b, &p->value, checks, "value of a piece", err);
}

static bool is_after(const piece *p, const piece *before)
{
    return p->min <= p->max && p->value >= 0 && p->value <= 1 &&
           (!before || (p->min >= before->max && p->value >= before->value));
}

dv_status dvi_read_isotonic(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(isotonic), err));
    isotonic *m = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_count(b, &m->n, 12, checks, "number of pieces", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)m->n * sizeof *m->pieces, err));
    m->pieces = made;
    for (int32_t i = 0; i < m->n; i++) {
        DVI_TRY(read_piece(&m->pieces[i], b, err));
        DVI_REQUIRE(is_after(&m->pieces[i], i > 0 ? &m->pieces[i - 1] : NULL),
                    dvi_block_refuse(b, checks, "pieces", "ascending, with values up to 1", err));
    }
    scorer->state = m;
    scorer->probability = isotonic_probability;
    dvi_scorer_say(scorer, b, "%d piece%s", (int)m->n, DVI_S(m->n));
    return DV_OK;
}
