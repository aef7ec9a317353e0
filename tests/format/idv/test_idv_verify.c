/* SPDX-License-Identifier: MIT */
/* test_idv_verify.c: checks that a verification finds every defect, in order, and goes on. */
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORTS_MAX 16

/* --- Recording --- */

/* What the callbacks received, and when they stop. */
typedef struct record {
    dv_error report[REPORTS_MAX];
    int reports, stop_at_report; /* counted from 1; 0: never */
    int64_t steps, all, stop_at_step;
    bool is_in_order;
} record;

static bool note_report(void *ctx, const dv_error *what)
{
    record *r = ctx;
    cr_assert_lt(r->reports, REPORTS_MAX, "%s", what->message);
    r->report[r->reports++] = *what;
    return r->reports != r->stop_at_report;
}

static bool note_progress(void *ctx, int64_t done, int64_t all)
{
    record *r = ctx;
    r->is_in_order &= done == r->steps;
    r->all = all;
    r->steps++;
    return r->steps != r->stop_at_step;
}

static dv_verify_options options_for(record *r)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    r->is_in_order = true;
    options.defect = note_report;
    options.ctx = r;
    options.progress = (dv_progress){note_progress, r};
    return options;
}

/* --- Files --- */

/* A file of tests/ in memory, to be damaged. */
typedef struct file {
    uint8_t *data;
    size_t nbytes;
} file;

static file load(const char *name)
{
    const dvt_path path = dvt_test_path(name);
    file f;
    f.data = dvt_file_read(path.text, &f.nbytes);
    return f;
}

static void put(file *f, size_t at, int64_t value, size_t nbytes)
{
    cr_assert_leq(at + nbytes, f->nbytes);
    memcpy(f->data + at, &value, nbytes);
}

static dv_status verify(const file *f, dv_io io, record *r)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    const dv_verify_options options = options_for(r);
    cr_assert_eq(dv_open_memory(&view, f->data, f->nbytes, NULL, NULL, "damaged.idv", &how, &err),
                 DV_OK, "%s", err.message);
    const dv_status status = dv_verify(view, &options, &err);
    cr_expect_eq(err.status, status < 0 ? status : DV_OK, "%s", err.message);
    dv_view_release(&view);
    return status;
}

/* An expected defect, with words of its message. */
typedef struct wanted {
    const char *rule;
    int64_t offset;
    const char *column, *block;
} wanted;

static void expect_reports(const record *r, const wanted *list, int n)
{
    cr_expect_eq(r->reports, n);
    for (int i = 0; i < r->reports && i < n; i++) {
        const dv_error *is = &r->report[i];
        cr_expect_eq(is->status, DV_ERR_CORRUPT, "%s", is->message);
        cr_expect_str_eq(is->rule, list[i].rule, "%s", is->message);
        cr_expect_eq(is->offset, list[i].offset, "%s", is->message);
        cr_expect(*is->expected && *is->found, "%s", is->message);
        cr_expect_str_eq(is->file, "damaged.idv");
        cr_expect(strstr(is->message, list[i].column) && strstr(is->message, list[i].block), "%s",
                  is->message);
    }
}

/* --- Damaged blocks --- */

/* 20 columns of 15 raw blocks; the offsets are from its lookup tables. */
static file load_damaged(void)
{
    file f = load("golden/idv/scalar-all-raw-rpb7.idv");
    put(&f, 11070 + 12, 2, 4);                           /* BL, block 0: inflated length */
    put(&f, 1300, 8, 4);                                 /* TX, block 1: number of texts */
    put(&f, 2839 + 4, INT32_MAX, 4);                     /* TX, block 3: first boundary */
    put(&f, 662 + 16, -1, 8);                            /* DT, block 0, row 2 */
    put(&f, 10972, INT64_C(3155378975999999999) + 1, 8); /* DT, the last block */
    put(&f, 2257 + 2, 841, 2);                           /* DZ, block 2, row 1: minutes */
    put(&f, 14670 + 3 * 16, 255, 8);                     /* UG, block 3: offset */
    put(&f, 15630 + 8, -1, 4);                           /* K8, block 0: stored length */
    return f;
}

static const wanted damage[] = {
    {"idv:6", 11082, "\"BL\"", "block 0"},    {"idv:X1", 1300, "\"TX\"", "block 1"},
    {"idv:X2", 2847, "\"TX\"", "block 3"},    {"idv:5.1", 678, "\"DT\"", "block 0"},
    {"idv:5.1", 10972, "\"DT\"", "block 14"}, {"idv:5.5", 2259, "\"DZ\"", "block 2"},
    {"idv:L4", 14718, "\"UG\"", "block 3"},   {"idv:L2", 15638, "\"K8\"", "block 0"},
};
#define DAMAGE ((int)(sizeof damage / sizeof *damage))

Test(idv_verify, all_defects_in_order)
{
    file f = load_damaged();
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        record r = {.reports = 0};
        cr_expect_eq(verify(&f, (dv_io)io, &r), DV_OK);
        expect_reports(&r, damage, DAMAGE);
        cr_expect_eq(r.steps, 20 * 15 + 1);
        cr_expect_eq(r.all, 20 * 15);
        cr_expect(r.is_in_order);
    }
    free(f.data);
}

Test(idv_verify, damaged_metadata_and_its_column)
{
    static const wanted list[] = {{"idv:V1", 524, "metadata of column \"feat\"", ""},
                                  {"idv:V2", 761, "metadata of column \"label\"", ""},
                                  {"idv:V1", 256, "column \"feat\"", "block 0"}};
    file f = load("golden/idv/metadata-raw.idv");
    put(&f, 524, 2, 4);
    put(&f, 757 + 4, 4, 4);
    put(&f, 256, 5, 4);
    record r = {.reports = 0};
    cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_OK);
    expect_reports(&r, list, 3);
    free(f.data);
}

/* Its first column is hidden by the last: both are "x". */
Test(idv_verify, damage_in_a_hidden_column)
{
    static const wanted list[] = {{"idv:L4", 338, "\"x\"", "block 0"}};
    file f = load("golden/idv/names-duplicate-kept.idv");
    put(&f, 338, 255, 8);
    record r = {.reports = 0};
    cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_OK);
    expect_reports(&r, list, 1);
    free(f.data);
}

/* --- Stopping --- */

Test(idv_verify, a_defect_may_stop_it)
{
    file f = load_damaged();
    for (int stop = 1; stop <= DAMAGE; stop++) {
        record r = {.stop_at_report = stop};
        cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_END, "at report %d", stop);
        expect_reports(&r, damage, stop);
    }
    free(f.data);
}

Test(idv_verify, progress_may_stop_it)
{
    file f = load_damaged();
    for (int64_t stop = 1; stop <= 19 * 15; stop += 23) {
        record r = {.stop_at_step = stop};
        cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_ERR_STOPPED);
        cr_expect_eq(r.steps, stop);
        cr_expect_lt(r.reports, DAMAGE);
    }
    free(f.data);
}

Test(idv_verify, metadata_may_stop_it)
{
    file f = load("golden/idv/metadata-raw.idv");
    put(&f, 524, 2, 4);
    record r = {.stop_at_report = 1};
    cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_END);
    cr_expect(r.reports == 1 && r.steps == 0);
    free(f.data);
}

/* --- Warnings --- */

static void expect_warning(const record *r, int i, const char *column, const char *count)
{
    cr_assert_gt(r->reports, i);
    const dv_error *is = &r->report[i];
    cr_expect_eq(is->status, DV_OK, "%s", is->message);
    cr_expect_geq(is->offset, 256, "%s", is->message);
    cr_expect(*is->expected && strstr(is->found, count), "%s", is->message);
    cr_expect(strstr(is->message, column), "%s", is->message);
    cr_expect_str_eq(is->file, "damaged.idv");
}

Test(idv_verify, warns_of_keys_above_their_count)
{
    file f = load("golden/idv-crafted/key-above-count.idv");
    record r = {.reports = 0};
    cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_OK);
    cr_expect_eq(r.reports, 1);
    expect_warning(&r, 0, "\"k\"", "1");
    free(f.data);

    f = load("golden/idv/scalar-all-raw-rpb7.idv");
    f.data[16] = 5;
    put(&f, 921, 6, 4);  /* K4, block 0 */
    put(&f, 1697, 7, 4); /* and block 1: reported together */
    r = (record){.reports = 0};
    cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_OK);
    cr_expect_eq(r.reports, 1);
    expect_warning(&r, 0, "\"K4\"", "2");
    free(f.data);
}

/* NA of a whole number is its minimum in every version, and this library writes it so in 1.1.1.6: a
 * table with missing values drew a warning for each of its columns. */
Test(idv_verify, missing_whole_numbers_are_no_warning)
{
    file f = load("golden/idv-crafted/old-int-na.idv");
    for (int version = 5; version <= 6; version++) {
        record r = {.reports = 0};
        f.data[8] = (uint8_t)version;
        f.data[16] = (uint8_t)version;
        cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_OK);
        cr_expect_eq(r.reports, 0, "%d: %s", version, r.report[0].message);
    }
    free(f.data);
}

Test(idv_verify, warns_of_split_characters)
{
    file f = load("malformed/idv/text_split_pair.OK.idv");
    record r = {.reports = 0};
    cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_OK);
    cr_expect_eq(r.reports, 1);
    expect_warning(&r, 0, "\"c\"", "1");
    free(f.data);
}

/* Regression: convert refused files with columns and metadata of unknown codecs, which verify
 * called sound. */
Test(idv_verify, unknown_codecs_are_defects)
{
    static const struct {
        const char *name, *what, *found, *loss;
    } list[] = {{"dead-codec", "\"d\"", "codec \"Mystery\"", "columns"},
                {"dead-inner", "\"d\"", "codec \"Mystery\"", "columns"},
                {"dead-compression", "\"d\"", "compression 77", "columns"},
                {"dead-metadata", "\"B\" of column \"x\"", "codec", "metadata"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char path[64], expected[32];
        snprintf(path, sizeof path, "golden/idv-crafted/%s.idv", list[i].name);
        snprintf(expected, sizeof expected, "loss %s allowed", list[i].loss);
        file f = load(path);
        record r = {.reports = 0};
        cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_OK);
        cr_assert_geq(r.reports, 1, "%s", path);
        const dv_error *e = &r.report[0];
        cr_expect(e->status == DV_ERR_UNSUPPORTED && e->offset > 0 &&
                      strstr(e->expected, expected) && strstr(e->found, list[i].found) &&
                      strstr(e->message, list[i].what),
                  "%s: %s", path, e->message);
        free(f.data);
    }
}

Test(idv_verify, a_warning_may_stop_it)
{
    file f = load("golden/idv-crafted/key-above-count.idv");
    record r = {.stop_at_report = 1};
    cr_expect_eq(verify(&f, DV_IO_MMAP, &r), DV_END);
    free(f.data);
}

/* --- Options --- */

Test(idv_verify, options_are_checked)
{
    file f = load("golden/idv-crafted/key-above-count.idv");
    dv_view *view;
    cr_assert_eq(dv_open_memory(&view, f.data, f.nbytes, NULL, NULL, "damaged.idv", NULL, NULL),
                 DV_OK);
    record r = {.reports = 0};
    const dv_verify_options good = options_for(&r);
    dv_verify_options wrong[] = {good, good, good, DV_VERIFY_OPTIONS_INIT};
    wrong[0].size = 0;
    wrong[1].size = sizeof good + 1;
    wrong[2].defect = NULL;
    for (size_t i = 0; i <= 4; i++) {
        dv_error err = DV_ERROR_INIT;
        const dv_verify_options *options = i < 4 ? &wrong[i] : NULL;
        cr_expect_eq(dv_verify(view, options, &err), DV_ERR_ARGUMENT, "%zu", i);
        cr_expect_eq(err.status, DV_ERR_ARGUMENT, "%zu", i);
        cr_expect(*err.message, "%zu", i);
        cr_expect_eq(dv_verify(view, options, NULL), DV_ERR_ARGUMENT, "%zu", i);
    }
    cr_expect_eq(r.reports, 0);

    dv_verify_options quiet = good; /* without progress */
    quiet.progress = (dv_progress){0};
    cr_expect_eq(dv_verify(view, &quiet, NULL), DV_OK);
    cr_expect(r.reports == 1 && r.steps == 0);
    dv_view_release(&view);
    free(f.data);
}
