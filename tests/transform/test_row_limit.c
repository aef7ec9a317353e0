/* SPDX-License-Identifier: MIT */
/* test_row_limit.c: the limit row_nbytes, for every step of the registry and for groups.
 *
 * Some steps made rows of any size: `map` with a large value, `group` of many rows, steps that are
 * applied as one.  A step without an example here fails the test. */
#include "view/growing_column.h"
#include "support/allocator.h"
#include "support/drawn_pipe.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdio.h>
#include <string.h>

typedef struct example {
    const char *step, *steps; /* its name; a pipeline that ends with it */
} example;

#define LONG "loooooooooooooooooooooooooooooooooooooooooooooooooooooooooong"
#define KEYS "term K:Tags; "

static const example examples[] = {
    {"convert", "convert X:Seen type=TX"},
    {"combine", "combine X:Name,Tags"},
    {"copy", "copy X:Name"},
    {"select", "select Name"},
    {"drop", "drop Name"},
    {"range", "range Age min=3"},
    {"dropna", "dropna Age"},
    {"slice", "slice take=50"},
    {"term", "term X:Tags"},
    {"value", "map T:Age keys=[1 2] values=[" LONG " b]; term T; value X:T"},
    {"vector", KEYS "vector X:K"},
    {"binary", KEYS "binary X:K"},
    {"onehot", "onehot X:Tags"},
    {"hash", "hash X:Tags"},
    {"onehothash", "onehothash X:Tags"},
    {"tokenize", "tokenize X:Name"},
    {"chars", "chars X:Name"},
    {"textnorm", "textnorm X:Name"},
    {"stopwords", "stopwords X:Tags words=[tag1]"},
    {"expand", "map T:Age keys=[1 2] values=["
               "'a:900'"
               " b]; expand X:T"},
    {"ngram", KEYS "ngram X:K n=3 skips=2"},
    {"ngramhash", KEYS "ngramhash X:K n=3 skips=2"},
    {"wordbag", "wordbag X:Name n=3 skips=2"},
    {"wordhashbag", "wordhashbag X:Name n=3 skips=2"},
    {"text", "text X:Name"},
    {"normalize", "normalize X:Age"},
    {"lpnorm", "combine V:Age,Age; lpnorm X:V"},
    {"gcn", "combine V:Age,Age; gcn X:V"},
    {"isna", "isna X:Age"},
    {"replacena", "replacena X:Age"},
    {"handlena", "handlena X:Age"},
    {"dropnaslots", "combine V:Age,Age; dropnaslots X:V"},
    {"dropslots", "combine V:Age,Age; dropslots X:V slots=[0]"},
    {"selectcount", "combine V:Age,Age; selectcount X:V"},
    {"selectmi", "combine V:Age,Age; selectmi X:V label=Active slots=1"},
    {"map", "map X:Age keys=[1 2] values=[" LONG " b]"},
    {"group", "group Active columns=[Name Age Seen]"},
    {"ungroup", "ungroup Tags"},
    {"optional", "optional X type=R4"},
    {"rowid", "rowid X"},
    {"compute", "compute X value=\"upper(Name)\""},
    {"loadbytes",
     "map P:Age keys=[1 2] values=[pcolor16.png ppalette3.png]; loadbytes X:P strict- folder=%s"},
    {"image", "map P:Age keys=[1 2] values=[pcolor16.png ppalette3.png]; image X:P width=64 "
              "height=64 folder=%s"},
};

static const char *steps_of(const char *name)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(examples[i].step, name) == 0)
            return examples[i].steps;
    return NULL;
}

static dv_view *pipe(const char *steps, int64_t row_nbytes)
{
    char text[1024];
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *made;
    const dvt_path folder = dvt_test_path("golden/image");
    const char *mark = strstr(steps, "%s");
    snprintf(text, sizeof text, "%.*s%s", mark ? (int)(mark - steps) : 1000, steps,
             mark ? folder.text : "");
    options.row_nbytes = row_nbytes;
    dv_view *source = dvt_golden_open("idv/people.idv", &options);
    const dv_status status = dv_view_pipe(&made, source, dv_text_of(text), NULL, NULL, &err);
    dv_view_release(&source);
    cr_assert(status == DV_OK || status == DV_ERR_LIMIT, "%s: %s", text, err.message);
    if (status != DV_OK)
        cr_assert_str_eq(err.rule, "row_nbytes", "%s", text);
    return status == DV_OK ? made : NULL;
}

/* Bytes of the values of a row that a step made. */
static int64_t row_nbytes(const dv_column_view *column)
{
    dvi_growing_size size = {0};
    dvi_growing_measure(&size, column, 1);
    size.rows = 0; /* lengths and counts do not count */
    return (int64_t)dvi_growing_nbytes(&column->type, &size);
}

/* The largest row of column X, or of all columns of a group; -1: refused. */
static int64_t largest(const char *steps, int64_t limit, int64_t batch_rows)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = pipe(steps, limit);
    if (!view)
        return -1;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    int64_t most = 0;
    const bool is_group = strncmp(steps, "group", 5) == 0;
    dv_status status = dv_cursor_open(&cursor, view, &options, &err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        int64_t sum = 0;
        for (int32_t k = 0; k < batch->columns && batch_rows == 1; k++)
            if (is_group ||
                dv_text_equal(dv_schema_column(dv_view_schema(view), k)->name, dv_text_of("X")))
                sum += row_nbytes(dv_batch_column(batch, k));
        most = sum > most ? sum : most;
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    if (status == DV_END)
        return most;
    cr_expect_eq(status, DV_ERR_LIMIT, "%s, limit %lld: %s", steps, (long long)limit, err.message);
    cr_expect_str_eq(err.rule, "row_nbytes", "%s", steps);
    return -1;
}

Test(row_limit, no_step_makes_a_larger_row)
{
    for (int32_t i = 0; i < dv_transform_count(); i++) {
        const char *name = dv_transform_at(i)->name, *steps = steps_of(name);
        if (dvt_step_is_of_models(dv_transform_at(i)))
            continue; /* a score of each class, and two more values */
        cr_assert(steps, "step %s has no example: may it make a row larger?", name);
        const int64_t whole = largest(steps, INT64_C(1) << 40, 1);
        cr_expect_geq(whole, 0, "%s", steps);
        const bool lends = strcmp(name, "copy") == 0;
        for (int64_t limit = 16; limit <= 4 * whole && !lends; limit *= 2) {
            const int64_t most = largest(steps, limit, 1);
            cr_expect_leq(most, limit, "%s: limit %lld, a row of %lld bytes", steps,
                          (long long)limit, (long long)most);
        }
        largest(steps, 64, 0); /* rows of a batch: refused by that name, or none is too large */
    }
}

/* 4,096 rows of a large value took its size 4,096 times, whatever the limit. */
Test(row_limit, rows_of_large_values_are_made_a_few_at_a_time)
{
    static char value[20001], steps[41000];
    memset(value, 'v', sizeof value - 1);
    static const char *const forms[] = {
        "map X:Age keys=[1 2] values=[%s b]",
        "map T:Active keys=[true false] values=[%s b]; term T; value X:T; select X",
        "map X:Active keys=[true false] values=[%s b]; select X",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_error err = DV_ERROR_INIT;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.row_nbytes = 400000;
        const char *mark = strstr(forms[i], "%s");
        snprintf(steps, sizeof steps, "%.*s%s%s", (int)(mark - forms[i]), forms[i], value,
                 mark + 2);
        dv_view *view, *source = dvt_golden_open("idv/people.idv", &options);
        cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(steps), NULL, NULL, &err), DV_OK, "%s",
                     err.message);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
        int64_t rows = 0;
        dv_status status;
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
            rows += batch->rows;
            cr_expect_leq(batch->rows, 128);
        }
        cr_expect_eq(status, DV_END, "%s", err.message);
        cr_expect_eq(rows, 600);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* A group is one row, and counts together with the steps below and above. */
Test(row_limit, a_group_is_one_row)
{
    static const char *const steps[] = {
        "compute G value=1; group G columns=[Name]",
        "compute G value=1; group G columns=[Seen Age]",
        "compute G value=1; chars V:Name; group G columns=[Name]; tokenize T:Name",
        "ungroup Tags; compute G value=1; group G columns=[Tags]",
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        cr_expect_eq(largest(steps[i], 3000, 0), -1, "%s", steps[i]);
        cr_expect_eq(largest(steps[i], 100, 1), -1, "%s", steps[i]);
        cr_expect_neq(largest(steps[i], 1 << 20, 0), -1, "%s", steps[i]);
    }
}

/* Read the first row, and return the most memory of the cursor. */
static int64_t highest(const char *steps, int64_t limit, dv_status wanted)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dvt_allocator counted;
    dv_error err = DV_ERROR_INIT;
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    open.row_nbytes = limit;
    options.take = 1;
    options.threads = 1;
    dvt_allocator_init(&counted, 0);
    dv_view *view, *source = dvt_golden_open("idv/people.idv", &open);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(steps), NULL, &counted.allocator, &err),
                 DV_OK, "%s", err.message);
    const int64_t before = counted.nbytes;
    dv_status status = dv_cursor_open(&cursor, view, &options, &err);
    while (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, &err);
    cr_expect_eq(status, wanted, "%s", err.message);
    cr_expect(status == DV_END || strcmp(err.rule, "row_nbytes") == 0, "%s", err.message);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    return counted.highest - before;
}

/* 400 words have 47,000 runs: their hashes were counted, in 2.8 MB, before the row was refused. */
Test(row_limit, hashed_runs_are_refused_before_they_are_counted)
{
    static const char *const ends[] = {
        "wordhashbag X:T n=4 skips=6 bits=24; select X",
        "tokenize W:T; hash K:W bits=20; ngramhash X:K n=4 skips=6 bits=24; select X",
        "tokenize W:T; hash K:W bits=20; ngramhash X:K,K n=4 skips=6 bits=24; select X",
    };
    char words[2001], steps[3000];
    for (int i = 0; i < 400; i++)
        snprintf(words + 5 * i, 6, "w%03d ", i);
    words[1999] = '\0';
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(steps, sizeof steps, "compute T value=\"lower('%s')\"; %s", words, ends[i]);
        cr_expect_gt(highest(steps, 1 << 30, DV_END), 2000000, "%s", ends[i]);
        cr_expect_lt(highest(steps, 40000, DV_ERR_LIMIT), 500000, "%s", ends[i]);
    }
}
