/* SPDX-License-Identifier: MIT */
/* text_inspect.c: counts rows, and sums up by column what could not be read. */
#include "base/alloc.h"
#include "base/check.h"
#include "view/inspect.h"
#include "scan/verify.h"
#include "format/text/read/text_priv.h"
#include "format/text/read/text_tally.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BATCH_NBYTES (INT64_C(1) << 20)
#define WARNINGS_MOST 16 /* sums among the facts */
#define REPORT_ROWS 4096 /* between two reports of progress */

typedef struct scan {
    dvi_text_file *file;
    dvi_map *map; /* what is read, one reference */
    dvi_text_reader reader;
    dvi_text_rows *rows;
    dvi_text_tallies tallies;
    const dv_progress *progress; /* NULL: none */
    bool is_strict;              /* fail as cursors do; else faults are only counted */
    int32_t *columns;            /* all of them */
} scan;

static dv_status start(scan *s, dv_error *err)
{
    void *made;
    dvi_text_file *file = s->file;
    dvi_text_options options = file->options;
    const int32_t n = file->layout.columns_count;
    if (!options.strict || file->limits.bad_fields != DV_BAD_FIELDS_NA)
        DVI_TRY(dvi_text_count_first(&options, file, err));
    options.strict = options.strict && s->is_strict;
    options.refuses = options.counts = false;
    DVI_TRY(dvi_alloc(&file->allocator, &made, (size_t)n * sizeof(int32_t), err));
    s->columns = made;
    for (int32_t i = 0; i < n; i++)
        s->columns[i] = i;
    DVI_TRY(dvi_text_rows_create(&s->rows, &file->layout, &options, s->columns, n,
                                 file->limits.cursor_nbytes, &file->allocator, err));
    dvi_text_rows_watch(s->rows, dvi_text_tallies_add, &s->tallies);
    return dvi_text_start_rows(file, false, &s->reader, &s->map, err);
}

static dv_status read_row(scan *s, dv_error *err)
{
    dv_text line;
    const dv_status status = dvi_text_reader_next(&s->reader, &line, &s->tallies.offset, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dvi_text_rows_add(s->rows, line, err));
    if (s->tallies.is_failed)
        return dvi_fail_memory(err, sizeof(dvi_text_tally));
    return dvi_text_rows_nbytes(s->rows) >= BATCH_NBYTES ? dvi_text_rows_clear(s->rows, err)
                                                         : DV_OK;
}

/* Read all rows of all columns. DV_OK; DV_NOT_FOUND: the progress stopped it. */
static dv_status read_all(scan *s, dv_error *err)
{
    const int64_t end = dvi_text_end_row(s->file);
    const dv_progress *progress = s->progress;
    dv_status status = start(s, err);
    for (; status == DV_OK && s->tallies.row < end; s->tallies.row += status == DV_OK) {
        status = read_row(s, err);
        if (status == DV_OK && progress && progress->report && s->tallies.row % REPORT_ROWS == 0 &&
            !progress->report(progress->ctx, s->tallies.offset, dvi_map_nbytes(s->file->map)))
            return DV_NOT_FOUND;
    }
    if (status >= 0)
        atomic_store(&s->file->rows, s->tallies.row);
    return status == DV_END ? DV_OK : status;
}

/* Free with finish, even after a failure. */
static dv_status scan_rows(scan *s, dvi_text_file *file, bool is_strict,
                           const dv_progress *progress, dv_error *err)
{
    *s = (scan){.file = file,
                .is_strict = is_strict,
                .tallies = {.allocator = &file->allocator, .layout = &file->layout},
                .progress = progress};
    const dv_status status = read_all(s, err);
    if (status < 0) {
        dvi_error_within(err, "row %" PRId64, s->tallies.row);
        dvi_error_set_file(err, dvi_map_name(file->map));
    }
    return status;
}

static void finish(scan *s)
{
    dvi_text_reader_free(&s->reader);
    dvi_map_release(&s->map);
    dvi_text_rows_free(&s->rows);
    dvi_text_tallies_free(&s->tallies);
    dvi_free(&s->file->allocator, s->columns,
             (size_t)s->file->layout.columns_count * sizeof(int32_t));
}

/* --- Facts --- */

static dv_status warn(dv_facts *facts, const scan *s, dv_error *err)
{
    const dvi_text_tallies *tallies = &s->tallies;
    char text[DVI_TEXT_TALLY_NBYTES];
    size_t n = 0;
    for (size_t i = 0; i < tallies->n; i++) {
        const dvi_text_tally *tally = &tallies->list[i];
        if (dvi_text_tally_is_usual(tally, tallies->row) || n++ >= WARNINGS_MOST)
            continue;
        DVI_TRY(dv_facts_warn(facts, dvi_text_tally_sentence(text, tally, s->file), err));
    }
    if (n <= WARNINGS_MOST)
        return DV_OK;
    snprintf(text, sizeof text, "and %zu more kinds of such fields (dataview verify lists them)",
             n - WARNINGS_MOST);
    return dv_facts_warn(facts, text, err);
}

dv_status dvi_text_inspect(void *self, struct dv_facts *facts, dv_error *err)
{
    dvi_text_file *file = self;
    scan s;
    if (file->options_ignored)
        DVI_TRY(dv_facts_warn(facts,
                              "the options in the file are ignored: other options were given, but "
                              "no columns",
                              err));
    for (const char *note = file->notes; note && *note; note += strlen(note) + 1)
        DVI_TRY(dv_facts_warn(facts, note + 1, err));
    if (file->options.refuses || file->limits.bad_fields == DV_BAD_FIELDS_ALLOW ||
        dvi_facts_are_brief(facts)) {
        /* cursors find or count the faults */
        dvi_facts_set_map(facts, file->map);
        return DV_OK;
    }
    dv_status status = scan_rows(&s, file, false, NULL, err);
    facts->rows = s.tallies.row;
    dvi_facts_set_map(facts, file->map);
    if (status == DV_OK)
        status = warn(facts, &s, err);
    finish(&s);
    return status;
}

/* --- Verification --- */

/* By the rules of CSV the line decides whether a fault is an error. */
static bool is_judged_by_line(const dvi_text_options *options)
{
    return options->csv && options->strict && !options->refuses;
}

/* Do cursors fail at such a fault, in any line? */
static bool is_refused(const dvi_text_options *options, dvi_text_fault_kind kind)
{
    switch (kind) {
    case DVI_TEXT_FAULT_VALUE:
    case DVI_TEXT_FAULT_LONG:
    case DVI_TEXT_FAULT_QUOTES:
        return options->refuses || (options->strict && !options->csv);
    case DVI_TEXT_FAULT_UTF8:
    case DVI_TEXT_FAULT_SHORT:
        return options->refuses;
    case DVI_TEXT_FAULT_EXTRA:
        break;
    }
    return false;
}

/* A defect if cursors fail there; else a warning, since ML.NET's rules give such fields a value. */
static bool report(const scan *s, const dv_verify_options *o, const dvi_text_tally *tally)
{
    char text[DVI_TEXT_TALLY_NBYTES];
    dv_error found = DV_ERROR_INIT;
    dvi_text_tally_sentence(text, tally, s->file);
    dvi_fail(&found, DV_ERR_CORRUPT, "semantics:6.4", tally->offset, text, "%s", "");
    snprintf(found.expected, sizeof found.expected, "%s", dvi_text_tally_wanted(tally, s->file));
    snprintf(found.found, sizeof found.found, "%" PRId64 " others", tally->count);
    dvi_error_set_file(&found, dvi_map_name(s->file->map));
    if (!is_refused(&s->file->options, tally->kind))
        found.status = DV_OK;
    return o->defect(o->ctx, &found);
}

static dv_status report_all(const scan *s, const dv_verify_options *o)
{
    for (size_t i = 0; i < s->tallies.n; i++)
        if (!dvi_text_tally_is_usual(&s->tallies.list[i], s->tallies.row) &&
            !report(s, o, &s->tallies.list[i]))
            return DV_END;
    return DV_OK;
}

dv_status dvi_text_verify(void *self, const struct dv_verify_options *options, dv_error *err)
{
    scan s;
    dvi_text_file *file = self;
    dv_error own = DV_ERROR_INIT;
    dv_status status = scan_rows(&s, file, false, &options->progress, &own);
    const dv_status reported = status == DV_NOT_FOUND ? DV_END : report_all(&s, options);
    const bool has_faults = s.tallies.n > 0;
    finish(&s);
    if (reported == DV_OK && status == DV_OK && has_faults && is_judged_by_line(&file->options)) {
        status = scan_rows(&s, file, true, NULL, &own);
        finish(&s);
    }
    if (reported != DV_OK || status == DV_OK)
        return reported;
    return dvi_verify_report(options, &own, err);
}
