/* SPDX-License-Identifier: MIT */
/* text_rows_priv.h: the row builder, for the files that add rows. */
#ifndef DVI_FORMAT_TEXT_ROWS_PRIV_H
#define DVI_FORMAT_TEXT_ROWS_PRIV_H

#include "format/text/read/text_rows.h"
#include "format/text/read/text_targets.h"
#include "format/text/read/text_value.h"

/* An item of the current row. */
typedef struct dvi_text_record {
    int64_t slot; /* within its segment, later within the vector */
    int32_t segment;
    dvi_text_value value;
} dvi_text_record;

/* Values of a type, one after the other. */
typedef struct dvi_text_values {
    dv_type type;
    dv_layout layout;
    size_t width;        /* of a value in `main`; text: 0 */
    size_t beside_width; /* of a value in `beside`; 0: not used */
    dvi_memory *main;    /* values, ticks or UTF-8 */
    dvi_memory *beside;  /* minutes, or ends of text */
    int64_t n, nbytes;   /* values; bytes of text */
} dvi_text_values;

typedef struct dvi_text_builder {
    const dvi_text_column *source;
    dv_type item_type;
    bool is_vector;
    dvi_text_values values;
    dvi_text_record *items; /* of the current row */
    size_t items_count, items_cap;
    dvi_memory *counts, *lengths, *indices;
    int64_t indices_count;
    int64_t before[3]; /* values.n, values.nbytes and indices_count before some lines are added */
} dvi_text_builder;

struct dvi_text_rows {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_text_dialect dialect;
    dvi_text_reading reading;
    dvi_encoding encoding;       /* of plain lines */
    bool names_encoding;         /* an option did */
    dvi_memory *decoded, *marks; /* of plain lines that are not ASCII */
    dvi_text_targets targets;
    dvi_text_builder *columns;
    int32_t columns_count;
    bool reads_all; /* a column varies or records absent fields, so each line is read to its end */
    bool has_text;
    int64_t sources;     /* source columns of all columns of the file; INT64_MAX: any number */
    int64_t least, most; /* fields of a line that is not too short or too long; */
    int64_t full;        /* fields after these are blank */
    dvi_memory *unquoted;
    dvi_memory *name;          /* a header's, which the field may repeat */
    int64_t limit, row_nbytes; /* most bytes of a row; bytes of the current row */
    int64_t absent;            /* values that missingrealnan fills in the current row */
    int64_t rows;
    dvi_text_faults faults;
    const dvi_text_builder *bad_column; /* with rules of CSV: of the first field of this row that is
                                           no value; NULL: there is none */
    dvi_text_field bad;                 /* that field, an error unless the line is odd */
    bool is_long;                       /* a field after the last column is not blank; */
    dvi_text_field extra;               /* the first one */
    dvi_text_watch *watch;              /* NULL: faults are not reported */
    void *watch_ctx;
};

/* text_row.c: record an item in slot `slot` of a segment; then turn all items into the column's
 * vector `row`, for a line that ends at source column `end` (needed only if the column varies).
 * DV_OK, DV_ERR_LIMIT, DV_ERR_MEMORY. */
dv_status dvi_text_rows_record(dvi_text_rows *rows, dvi_text_builder *column, int32_t segment,
                               int64_t slot, const dvi_text_field *field, dv_error *err);
dv_status dvi_text_rows_append_vector(dvi_text_rows *rows, dvi_text_builder *column, int64_t row,
                                      int64_t end, dv_error *err);

#endif
