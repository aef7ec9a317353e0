/* SPDX-License-Identifier: MIT */
/* fuzz_predictor.c: any bytes as the parts of a predictor of ML.NET (docs/spec/predictors.md), and
 * as rows that it scores: errors are complete, and a row has the same scores again.
 *
 * An input is a byte (1: a calibrator), the number of parts (a byte), and the parts: the length of
 * the folder (a byte), the folder, the signature (8 bytes), version and readable version (a byte
 * each), the size of the block (two bytes), the block. The rest are the reals of rows. */
#include "base/load.h"
#include "meter.h"
#include "pipe_table.h"
#include "predict/predictor.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INPUT_NBYTES = 1 << 16, /* larger inputs are not looked at */
    PARTS_MOST = 64,
    SLOTS_MOST = 1 << 12, /* that rows have at most */
    ROWS = 4
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef struct input {
    const uint8_t *data;
    size_t n, at;
} input;

/* As many of n bytes as there are. */
static dv_text take(input *in, size_t n)
{
    const size_t left = in->n - in->at, some = n < left ? n : left;
    const dv_text text = {(const char *)in->data + in->at, (int64_t)some};
    in->at += some;
    return text;
}

static uint8_t take_byte(input *in)
{
    const dv_text byte = take(in, 1);
    return byte.nbytes > 0 ? (uint8_t)byte.data[0] : 0;
}

static int32_t read_parts(dvi_predictor_part *parts, input *in)
{
    const uint8_t claimed = take_byte(in);
    const int32_t n = claimed < PARTS_MOST ? claimed : PARTS_MOST;
    for (int32_t i = 0; i < n; i++) {
        dvi_predictor_part *part = &parts[i];
        part->folder = take(in, take_byte(in));
        part->signature = part->loader = take(in, 8);
        part->version = take_byte(in);
        part->readable = take_byte(in);
        const uint8_t low = take_byte(in);
        const dv_text block = take(in, low | (size_t)take_byte(in) << 8);
        part->block = (const uint8_t *)block.data;
        part->nbytes = (size_t)block.nbytes;
    }
    return n;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static int32_t fill_values(float *values, int32_t n, input *in)
{
    int32_t filled = 0;
    for (; filled < n && in->n - in->at >= 4; filled++)
        values[filled] = dvi_load_f4(take(in, 4).data);
    for (int32_t i = filled; i < n; i++)
        values[i] = filled > 0 ? values[i % filled] : (float)i;
    return n;
}

static bool are_same(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

static void score_twice(const dvi_predictor *p, const dvi_features *x)
{
    const dvi_predictor_info *info = dvi_predictor_inspect(p);
    const size_t n = info->scores > 0 ? (size_t)info->scores : 1;
    float *scores = malloc(2 * n * sizeof *scores);
    void *scratch = malloc(info->scratch_nbytes + 1);
    DVT_CHECK(scores && scratch);
    memset(scratch, 0xA5, info->scratch_nbytes + 1);
    dvi_predictor_score(p, x, scratch, scores);
    dvi_predictor_score(p, x, scratch, scores + n);
    DVT_CHECK(are_same(scores, scores + n, n));
    for (size_t i = 0; info->has_probability && i < n; i++)
        dvi_predictor_probability(p, scores[i]);
    free(scratch);
    free(scores);
}

/* Rows are dense, and then have every other slot. */
static void score_rows(const dvi_predictor *p, input *in)
{
    static float values[SLOTS_MOST];
    static int32_t slots[SLOTS_MOST];
    const int32_t n = dvi_predictor_inspect(p)->features;
    if (n > SLOTS_MOST)
        return;
    for (int32_t i = 0; i < n; i++)
        slots[i] = 2 * i < n ? 2 * i : n - 1;
    for (int i = 0; i < ROWS; i++) {
        fill_values(values, n, in);
        score_twice(p, &(dvi_features){values, NULL, n});
        score_twice(p, &(dvi_features){values, slots, n / 2});
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static dvi_predictor_part parts[PARTS_MOST];
    dvi_predictor *p;
    dv_error err = DV_ERROR_INIT;
    input in = {data, n, 0};
    if (n > INPUT_NBYTES)
        return 0;
    const bool is_calibrator = take_byte(&in) == 1;
    const int32_t count = read_parts(parts, &in);
    const dv_status status = (is_calibrator ? dvi_calibrator_read : dvi_predictor_read)(
        &p, parts, count, &dvt_pipe_allocator, &err);
    DVT_CHECK((status == DV_OK) == (p != NULL));
    if (!p) {
        DVT_CHECK(err.status == status && *err.message);
        DVT_CHECK(status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED ||
                  status == DV_ERR_MEMORY);
    } else if (is_calibrator) {
        while (in.n - in.at >= 4)
            dvi_predictor_probability(p, dvi_load_f4(take(&in, 4).data));
    } else {
        score_rows(p, &in);
    }
    dvi_predictor_release(&p);
    return 0;
}
