/* SPDX-License-Identifier: MIT */
/* text_inspect.c: counts rows and reports fields that could not be read. */
#include "base/alloc.h"
#include "base/check.h"
#include "view/verify.h"
#include "format/text/read/text_priv.h"
#include "format/text/read/text_rows.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BATCH_NBYTES (INT64_C(1) << 20)
#define SENTENCE_NBYTES 400

/* Called for each row; false: stop. */
typedef bool visit_fn(void *ctx, int64_t row, int64_t offset, const dvi_text_faults *of_row);

/* Read all rows of all columns. DV_OK; DV_END: stopped. */
static dv_status scan_rows(dvi_text_file *file, visit_fn *visit, void *ctx, int64_t *rows_out,
                           dv_error *err)
{
    dvi_text_reader reader = {0};
    dvi_text_rows *rows = NULL;
    void *made;
    dv_text line;
    int64_t row = 0, offset = 0;
    const int64_t end = dvi_text_end_row(file);
    const int32_t n = file->layout.columns_count;
    const size_t nbytes = (size_t)n * sizeof(int32_t);
    DVI_TRY(dvi_alloc(&file->allocator, &made, nbytes, err));
    int32_t *columns = made;
    for (int32_t i = 0; i < n; i++)
        columns[i] = i;
    dv_status status = dvi_text_rows_create(&rows, &file->layout, &file->options, columns, n,
                                            file->limits.cursor_nbytes, &file->allocator, err);
    if (status == DV_OK)
        status = dvi_text_start_rows(file, &reader, err);
    while (status == DV_OK && row < end) {
        const dvi_text_faults before = dvi_text_rows_faults(rows);
        status = dvi_text_reader_next(&reader, &line, &offset, err);
        if (status == DV_OK)
            status = dvi_text_rows_add(rows, line, err);
        if (status != DV_OK)
            break;
        const dvi_text_faults after = dvi_text_rows_faults(rows);
        const dvi_text_faults own = {after.bad_values - before.bad_values,
                                     after.format_errors - before.format_errors,
                                     after.ill_formed - before.ill_formed};
        if (!visit(ctx, row++, offset, &own))
            status = DV_NOT_FOUND; /* the visitor stopped the scan */
        if (status == DV_OK && dvi_text_rows_nbytes(rows) >= BATCH_NBYTES)
            status = dvi_text_rows_clear(rows, err);
    }
    dvi_text_reader_free(&reader);
    dvi_text_rows_free(&rows);
    dvi_free(&file->allocator, columns, nbytes);
    *rows_out = row;
    if (status < 0) {
        dvi_error_within(err, "row %" PRId64, row);
        dvi_error_set_file(err, dvi_map_name(file->map));
        return status;
    }
    if (status == DV_NOT_FOUND)
        return DV_END;
    atomic_store(&file->rows, row);
    return DV_OK;
}

/* --- Facts --- */

#define FIRST_ROWS 3

/* The count of one kind of fault, and the first rows that have it. */
typedef struct tally {
    int64_t count;
    int64_t row[FIRST_ROWS];
    int rows;
} tally;

typedef struct tallies {
    tally bad_values, format_errors, ill_formed;
} tallies;

static void add(tally *t, int64_t count, int64_t row)
{
    t->count += count;
    if (count > 0 && t->rows < FIRST_ROWS)
        t->row[t->rows++] = row;
}

static bool count_faults(void *ctx, int64_t row, int64_t offset, const dvi_text_faults *of_row)
{
    tallies *all = ctx;
    (void)offset;
    add(&all->bad_values, of_row->bad_values, row);
    add(&all->format_errors, of_row->format_errors, row);
    add(&all->ill_formed, of_row->ill_formed, row);
    return true;
}

static dv_status warn(dv_facts *facts, const tally *t, const char *what, dv_error *err)
{
    char text[SENTENCE_NBYTES];
    if (t->count == 0)
        return DV_OK;
    size_t n = (size_t)snprintf(text, sizeof text, "%" PRId64 " %s, first in row", t->count, what);
    for (int i = 0; i < t->rows; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n, "%s %" PRId64, i > 0 ? "," : "", t->row[i]);
    return dv_facts_warn(facts, text, err);
}

dv_status dvi_text_inspect(void *self, struct dv_facts *facts, dv_error *err)
{
    dvi_text_file *file = self;
    tallies all = {0};
    if (file->options_ignored)
        DVI_TRY(dv_facts_warn(facts,
                              "the options in the file are ignored: other options were given, but "
                              "no columns",
                              err));
    DVI_TRY(scan_rows(file, count_faults, &all, &facts->rows, err));
    facts->file_nbytes = dvi_map_nbytes(file->map);
    DVI_TRY(warn(facts, &all.bad_values, "fields are not a value of their column's type", err));
    DVI_TRY(warn(facts, &all.format_errors, "errors in quotes or sparse items", err));
    return warn(facts, &all.ill_formed, "byte sequences are not UTF-8 and read as U+FFFD", err);
}

/* --- Verification --- */

static bool report_fault(const dv_verify_options *o, const char *what, int64_t count, int64_t row,
                         int64_t offset, const char *name)
{
    dv_error found = DV_ERROR_INIT;
    if (count == 0)
        return true;
    dvi_fail(&found, DV_ERR_CORRUPT, "semantics:6.4", offset, "line", "%s|%" PRId64 " that %s",
             what, count, count == 1 ? "is not" : "are not");
    dvi_error_within(&found, "row %" PRId64, row);
    dvi_error_set_file(&found, name);
    found.status = DV_OK;
    return o->defect(o->ctx, &found);
}

typedef struct reporting {
    const dv_verify_options *options;
    dvi_text_file *file;
} reporting;

static bool report_faults(void *ctx, int64_t row, int64_t offset, const dvi_text_faults *of_row)
{
    const reporting *t = ctx;
    const char *name = dvi_map_name(t->file->map);
    const dv_verify_options *o = t->options;
    if (o->progress.report && row % 4096 == 0 &&
        !o->progress.report(o->progress.ctx, offset, dvi_map_nbytes(t->file->map)))
        return false;
    return report_fault(o, "values of the columns' types", of_row->bad_values, row, offset, name) &&
           report_fault(o, "complete quotes and sparse items", of_row->format_errors, row, offset,
                        name) &&
           report_fault(o, "UTF-8", of_row->ill_formed, row, offset, name);
}

dv_status dvi_text_verify(void *self, const struct dv_verify_options *options, dv_error *err)
{
    reporting t = {options, self};
    dv_error own = DV_ERROR_INIT;
    int64_t rows;
    const dv_status status = scan_rows(self, report_faults, &t, &rows, &own);
    return status < 0 ? dvi_verify_report(options, &own, err) : status;
}
