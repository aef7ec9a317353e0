/* SPDX-License-Identifier: MIT */
/* logistic.c: logistic regression of the column Label on all others, batch by batch.
 *
 *     logistic train.idv [--state FILE] [--epochs 5] [--batch 32] [--rate 0.1] [--seed 1] [--trace]
 *
 * With --state it writes down after every few batches where it stands, and begins there the next
 * time: killed at any moment it ends with the same weights, bit for bit.  (docs/training.md) */
#include <dataview/dataview.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAVED_EVERY 16 /* batches */

typedef struct settings {
    const char *file, *state;
    int64_t epochs, batch_rows;
    double rate;
    uint64_t seed;
    bool trace;
} settings;

/* What is learnt, and how well the rows of this epoch were known before: all that a state holds
 * besides the token. */
typedef struct model {
    size_t n;  /* features; after their weights is the bias */
    double *w; /* n + 1 */
    double loss, rows;
} model;

/* --- Learning --------------------------------------------------------------------------------- */

static double predict(const model *m, const float *x)
{
    double sum = m->w[m->n];
    for (size_t k = 0; k < m->n; k++)
        sum += m->w[k] * (double)x[k];
    return 1 / (1 + exp(-sum));
}

/* One step down the gradient of the mean loss of the batch. */
static void learn(model *m, double *gradient, const dv_feed_batch *batch, double rate)
{
    const float *const x = batch->matrices[0].items, *const y = batch->matrices[1].items;
    const double step = rate / (double)batch->rows;
    memset(gradient, 0, (m->n + 1) * sizeof *gradient);
    for (size_t i = 0; i < (size_t)batch->rows; i++) {
        const float *const row = x + i * batch->matrices[0].stride;
        const double wanted = y[i * batch->matrices[1].stride] > 0 ? 1 : 0;
        const double p = predict(m, row), off = p - wanted;
        m->loss -= log(fmax(wanted > 0 ? p : 1 - p, 1e-12));
        for (size_t k = 0; k < m->n; k++)
            gradient[k] += off * (double)row[k];
        gradient[m->n] += off;
    }
    for (size_t k = 0; k <= m->n; k++)
        m->w[k] -= step * gradient[k];
    m->rows += (double)batch->rows;
}

/* --- The state -------------------------------------------------------------------------------- */

/* Beside the old one, to take its place in one step: after a crash there is the old or the new.
 * %a prints a double exactly. */
static int save_state(const settings *s, const model *m, const dv_feed *feed, dv_error *err)
{
    char beside[4096];
    dv_token token;
    if (dv_feed_token(feed, &token, err) != DV_OK)
        return fprintf(stderr, "%s\n", err->message), 1;
    snprintf(beside, sizeof beside, "%s.new", s->state);
    FILE *file = fopen(beside, "w");
    if (!file)
        return perror(beside), 1;
    fprintf(file, "%s\n%a %a\n", token.text, m->loss, m->rows);
    for (size_t k = 0; k <= m->n; k++)
        fprintf(file, "%a\n", m->w[k]);
    const int failed = fflush(file) || fsync(fileno(file));
    if (fclose(file) || failed || rename(beside, s->state))
        return perror(s->state), 1;
    return 0;
}

/* 0: there is a state, and the token is in `token`; -1: there is none yet; 1: it is no good. */
static int load_state(const settings *s, model *m, dv_token *token)
{
    FILE *file = s->state ? fopen(s->state, "r") : NULL;
    if (!file)
        return -1;
    int good = fscanf(file, "%191s %la %la", token->text, &m->loss, &m->rows) == 3;
    for (size_t k = 0; good && k <= m->n; k++)
        good = fscanf(file, "%la", &m->w[k]) == 1;
    fclose(file);
    return good ? 0 : (fprintf(stderr, "%s: no state of this model\n", s->state), 1);
}

/* --- The loop --------------------------------------------------------------------------------- */

static void end_epoch(model *m, int64_t epoch)
{
    printf("epoch %lld: loss %.6f\n", (long long)epoch, m->loss / fmax(m->rows, 1));
    fflush(stdout);
    m->loss = m->rows = 0;
}

static void trace(const dv_feed_batch *batch)
{
    const size_t nbytes = (size_t)batch->rows * batch->matrices[0].stride * sizeof(float);
    printf("batch %lld of epoch %lld: %lld rows from %lld on, %016llx\n", (long long)batch->number,
           (long long)batch->epoch, (long long)batch->rows, (long long)batch->position,
           (unsigned long long)dv_digest_8(batch->matrices[0].items, nbytes, 0));
    fflush(stdout);
}

static int train(const settings *s, model *m, dv_feed *feed, dv_error *err)
{
    double *gradient = malloc((m->n + 1) * sizeof *gradient);
    const dv_feed_batch *batch;
    dv_status status;
    int64_t epoch = -1;
    int failed = !gradient;
    while (!failed && (status = dv_feed_next(feed, &batch, err)) == DV_OK) {
        if (epoch >= 0 ? epoch != batch->epoch : batch->position == 0 && m->rows > 0)
            end_epoch(m, batch->epoch - 1);
        epoch = batch->epoch;
        if (s->trace)
            trace(batch);
        learn(m, gradient, batch, s->rate);
        if (s->state && (batch->number + 1) % SAVED_EVERY == 0)
            failed = save_state(s, m, feed, err);
    }
    free(gradient);
    if (!failed && status != DV_END)
        failed = fprintf(stderr, "%s\n", err->message);
    if (!failed && m->rows > 0)
        end_epoch(m, s->epochs - 1);
    if (!failed && s->state)
        failed = save_state(s, m, feed, err);
    for (size_t k = 0; !failed && k <= m->n; k++)
        printf("%s %a (%g)\n", k < m->n ? "weight" : "bias", m->w[k], m->w[k]);
    return failed != 0;
}

/* Features are all columns but Label, floats; rows by themselves come in a new order each epoch,
 * others from a pool. */
static dv_status open_feed(dv_feed **feed_out, const settings *s, dv_view *view, int32_t label,
                           const char *token, dv_error *err)
{
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_dense_options labels = DV_DENSE_OPTIONS_INIT;
    order.shuffle = dv_view_block_rows(view) > 0 ? DV_SHUFFLE_UNIFORM : DV_SHUFFLE_POOL;
    order.seed = s->seed;
    labels.columns = &label;
    labels.columns_count = 1;
    const dv_feed_matrix matrices[] = {{NULL, DV_KIND_R4, "features"},
                                       {&labels, DV_KIND_R4, "labels"}};
    options.matrices = matrices;
    options.matrices_count = 2;
    options.batch_rows = s->batch_rows;
    options.order = &order;
    options.epochs = s->epochs;
    options.prefetch = 2;
    options.token = token;
    return dv_feed_open(feed_out, view, &options, err);
}

static int run(const settings *s, dv_view *view, dv_error *err)
{
    int32_t label;
    dv_feed *feed = NULL;
    dv_token token;
    if (dv_schema_find(dv_view_schema(view), dv_text_of("Label"), &label) != DV_OK)
        return fprintf(stderr, "%s: no column Label\n", s->file), 1;
    if (open_feed(&feed, s, view, label, NULL, err) != DV_OK)
        return fprintf(stderr, "%s\n", err->message), 1;
    model m = {.n = dv_feed_width(feed, 0)};
    m.w = calloc(m.n + 1, sizeof *m.w);
    int failed = !m.w;
    const int state = failed ? -1 : load_state(s, &m, &token);
    if (state == 0) { /* the feed of before: after the batch that was learnt last */
        dv_feed_close(&feed);
        if (open_feed(&feed, s, view, label, token.text, err) != DV_OK)
            failed = fprintf(stderr, "%s\n", err->message);
    }
    if (state <= 0 && !failed)
        failed = train(s, &m, feed, err);
    dv_feed_close(&feed);
    free(m.w);
    return failed || state > 0;
}

static int read_settings(settings *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--trace") == 0)
            s->trace = true;
        else if (argv[i][0] != '-' && !s->file)
            s->file = argv[i];
        else if (i++, strcmp(argv[i - 1], "--state") == 0)
            s->state = value;
        else if (strcmp(argv[i - 1], "--epochs") == 0)
            s->epochs = atoll(value);
        else if (strcmp(argv[i - 1], "--batch") == 0)
            s->batch_rows = atoll(value);
        else if (strcmp(argv[i - 1], "--rate") == 0)
            s->rate = atof(value);
        else if (strcmp(argv[i - 1], "--seed") == 0)
            s->seed = strtoull(value, NULL, 10);
        else
            return 0;
    }
    return s->file != NULL;
}

int main(int argc, char **argv)
{
    settings s = {.epochs = 5, .batch_rows = 32, .rate = 0.1, .seed = 1};
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    if (!read_settings(&s, argc, argv))
        return fprintf(stderr, "usage: logistic FILE [--state FILE] [--epochs N] [--batch N] "
                               "[--rate R] [--seed N] [--trace]\n"),
               2;
    if (dv_open(&view, s.file, NULL, &err) != DV_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    const int failed = run(&s, view, &err);
    dv_view_release(&view);
    return failed;
}
