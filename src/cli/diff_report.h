/* SPDX-License-Identifier: MIT */
/* diff_report.h: how are the differences of two tables told? */
#ifndef DVI_CLI_DIFF_REPORT_H
#define DVI_CLI_DIFF_REPORT_H

#include "cli/contrast.h"
#include "cli/input.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/table.h"

/* The kinds of differences, in the order in which they are told. */
#define DVI_DIFF_LIST(X)                                                                           \
    X(SCHEMA, "schema", "schema_count")                                                            \
    X(METADATA, "metadata", "metadata_count")                                                      \
    X(VALUES, "values", "value_count")

#define DVI_DIFF_ID(id, name, count) DVI_DIFF_##id,
typedef enum dvi_diff_section { DVI_DIFF_LIST(DVI_DIFF_ID) DVI_DIFF_SECTIONS } dvi_diff_section;
#undef DVI_DIFF_ID

/* What one of the tables has there: one of these, or nothing. */
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

/* One difference.  What: "column", "type", "order" of the schema; "metadata", "type", "value",
 * "length" of metadata; "value", "length", "layout" of values. */
typedef struct dvi_finding {
    const char *what;
    const dv_column_info *column; /* of A; only in B: of B */
    dv_text kind;                 /* of metadata; else NA */
    int64_t row;                  /* of values */
    int32_t slot;                 /* -1: none */
    dvi_diff_side a, b;
} dvi_finding;

/* All of it, and what it comes to. */
typedef struct dvi_diff_report {
    const dvi_args *args;
    const dvi_args *table_args[2]; /* each with the paths of its table */
    dvi_out *out;
    dvi_progress progress;
    bool has_vectors; /* among the values that are compared */

    int64_t found[DVI_DIFF_SECTIONS];
    int64_t rows[2], rows_compared, rows_different;
    int32_t columns[2], columns_compared, columns_not_compared, hidden_not_compared;

    dvi_diff_section section;
    dvi_json json;    /* of --json */
    dvi_table table;  /* else; of the section */
    bool has_printed; /* that there are differences */
} dvi_diff_report;

/* How to tell: as text or as JSON.  The statuses: DVI_EXIT_DONE, or another one when told why. */
typedef struct dvi_diff_form {
    void (*begin)(dvi_diff_report *r);
    /* Enter and leave a section; add a difference that is to be shown. */
    void (*enter)(dvi_diff_report *r, dvi_diff_section section);
    dvi_exit (*add)(dvi_diff_report *r, const dvi_finding *finding);
    dvi_exit (*leave)(dvi_diff_report *r);
    dvi_exit (*end)(dvi_diff_report *r);
    void (*free)(dvi_diff_report *r);
} dvi_diff_form;

extern const dvi_diff_form dvi_diff_text, dvi_diff_json;

bool dvi_diff_is_same(const dvi_diff_report *r);

#endif
