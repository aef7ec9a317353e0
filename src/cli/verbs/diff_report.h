/* SPDX-License-Identifier: MIT */
/* diff_report.h: collects the differences between two tables for output as text or JSON. */
#ifndef DVI_CLI_DIFF_REPORT_H
#define DVI_CLI_DIFF_REPORT_H

#include "cli/args/input.h"
#include "cli/print/json.h"
#include "cli/terminal/out.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/table.h"
#include "cli/verbs/diff_value.h"

/* The kinds of differences, in the order of output. */
#define DVI_DIFF_LIST(X)                                                                           \
    X(SCHEMA, "schema", "schema_count")                                                            \
    X(METADATA, "metadata", "metadata_count")                                                      \
    X(VALUES, "values", "value_count")

#define DVI_DIFF_ID(id, name, count) DVI_DIFF_##id,
typedef enum dvi_diff_section { DVI_DIFF_LIST(DVI_DIFF_ID) DVI_DIFF_SECTIONS } dvi_diff_section;
#undef DVI_DIFF_ID

/* What one table has at the difference: one of these, or nothing. */
typedef struct dvi_diff_side {
    const char *word; /* "dense" */
    const dv_type *type;
    const dv_value *value; /* a scalar */
    int64_t number;        /* -1: none */
} dvi_diff_side;

#define DVI_DIFF_SIDE_INIT                                                                         \
    {                                                                                              \
        NULL, NULL, NULL, -1                                                                       \
    }

/* A difference.  what: "column", "type" or "order" in the schema; "metadata", "type", "value" or
 * "length" in metadata; "value", "length" or "layout" in values. */
typedef struct dvi_finding {
    const char *what;
    const dv_column_info *column; /* of A, or of B if only B has it */
    dv_text kind;                 /* of metadata; else NA */
    int64_t row;                  /* of values */
    int32_t slot;                 /* -1: none */
    dvi_diff_side a, b;
} dvi_finding;

/* The state of the report, and its totals. */
typedef struct dvi_diff_report {
    const dvi_args *args;
    const dvi_args *table_args[2]; /* each with the paths of its table */
    dvi_out *out;
    dvi_progress progress;
    bool has_vectors; /* among the compared columns */

    int64_t found[DVI_DIFF_SECTIONS];
    int64_t rows[2], rows_compared, rows_different;
    int32_t columns[2], columns_compared, columns_not_compared, hidden_not_compared;

    dvi_diff_section section;
    dvi_json json;    /* with --json */
    dvi_table table;  /* without; of the section */
    bool has_printed; /* a table of differences */
} dvi_diff_report;

/* The form of the report: text or JSON.  The functions return DVI_EXIT_DONE, or another status
 * after a message. */
typedef struct dvi_diff_form {
    void (*begin)(dvi_diff_report *r);
    /* Enter and leave a section; add a difference to show. */
    void (*enter)(dvi_diff_report *r, dvi_diff_section section);
    dvi_exit (*add)(dvi_diff_report *r, const dvi_finding *finding);
    dvi_exit (*leave)(dvi_diff_report *r);
    dvi_exit (*end)(dvi_diff_report *r);
    void (*free)(dvi_diff_report *r);
} dvi_diff_form;

extern const dvi_diff_form dvi_diff_text, dvi_diff_json;

bool dvi_diff_is_same(const dvi_diff_report *r);

#endif
