/* SPDX-License-Identifier: MIT */
/* golden.h: compares a table of JSON lines with one that another system wrote.
 *
 * Line 1 is the header {"rows", "columns": [{"name", "type", "metadata"}]}, then one array per row:
 * the form that `dataview cat --format exact` writes.  The order of names in the header's objects
 * does not matter; everything else is exact, NaN bits and dense or sparse included. */
#ifndef DVT_GOLDEN_H
#define DVT_GOLDEN_H

#include "support/json_tree.h"

/* Where truth and library differ on purpose. */
typedef enum dvt_mapping {
    DVT_MAPPING_NONE,      /* only {"utf16": [units]}: text with U+FFFD for each lone surrogate */
    DVT_MAPPING_UNCOUNTED, /* and "rows" may be -1 or null here: unknown before they were read */
    DVT_MAPPING_MLNET,   /* as DVT_MAPPING_NONE, and the minimum of I1, I2, I4, I8 and TS, a number
                            there, is NA here */
    DVT_MAPPING_LOGICAL, /* as DVT_MAPPING_MLNET, and one may be dense where the other is sparse; on
                            ARM the NaN of arithmetic has the other sign */
    DVT_MAPPING_CLOSE,   /* as DVT_MAPPING_LOGICAL, and R4 of vectors may differ by 2e-6 of the
                            vector's greatest */
    DVT_MAPPING_EXP      /* as DVT_MAPPING_LOGICAL; without glibc, R8 may be 16 steps apart */
} dvt_mapping;

#define DVT_MESSAGE_NBYTES 512

/* A table, parsed.  Holds on to the text it was made of. */
typedef struct dvt_table {
    dvi_arena arena;
    const dvt_json *header;
    int64_t rows;         /* lines after the header */
    const dvt_json **row; /* of each the array */
} dvt_table;

/* false: no such table; the message names the line. */
bool dvt_table_parse(dvt_table *table_out, dv_text lines, char message_out[DVT_MESSAGE_NBYTES]);
void dvt_table_free(dvt_table *table);

/* A range of the expected table: rows first_row..end_row-1 (end_row may exceed the last), and these
 * columns, in this order. */
typedef struct dvt_part {
    int64_t first_row, end_row;
    const int32_t *columns; /* NULL: all */
    int64_t columns_count;
} dvt_part;

#define DVT_PART_ALL                                                                               \
    {                                                                                              \
        0, INT64_MAX, NULL, 0                                                                      \
    }

/* Does `actual` equal that range? If not, the message shows the first difference: line, column,
 * both values. "rows" of both headers is that of the whole table. */
bool dvt_golden_compare_part(const dvt_table *truth, const dvt_part *part, const dvt_table *actual,
                             dvt_mapping mapping, char message_out[DVT_MESSAGE_NBYTES]);

/* All of it, from text. */
bool dvt_golden_compare(dv_text truth_lines, dv_text actual_lines, dvt_mapping mapping,
                        char message_out[DVT_MESSAGE_NBYTES]);

#endif
