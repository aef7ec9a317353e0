/* SPDX-License-Identifier: MIT */
/* btable_priv.h: what the files of this folder share: an open BTable, its labels, its rows. */
#ifndef DVI_BTABLE_PRIV_H
#define DVI_BTABLE_PRIV_H

#include "base/check.h"
#include "base/load.h"
#include "simd/kernel.h"
#include "io/map.h"
#include "view/column.h"
#include <dataview/open.h>
#include <dataview/own_view.h>
#include <pthread.h>
#include <stdatomic.h>

#define DVI_BTABLE_PAIR_NBYTES 12
#define DVI_BTABLE_SEPARATOR 0x001F
#define DVI_BTABLE_SAMPLED 64 /* rows between two entries of the index */

/* What the header says (1, 2), checked. */
typedef struct dvi_btable_header {
    int64_t units;       /* L: of all labels together, separators included */
    int64_t nbytes;      /* H: where the rows start */
    int32_t slots;       /* N: labels */
    int64_t utf8_nbytes; /* of all labels as UTF-8, without separators */
    int64_t ill_formed;  /* lone surrogates; only when lenient */
    int64_t ill_formed_at;
    bool has_comma;
} dvi_btable_header;

/* Where rows start: every DVI_BTABLE_SAMPLEDth, as far as anybody asked.  The lock guards it. */
typedef struct dvi_btable_index {
    pthread_mutex_t lock;
    int64_t *offset; /* of row i * DVI_BTABLE_SAMPLED */
    size_t n, cap;
    int64_t row, at; /* the first row that nobody looked for, and where it starts */
} dvi_btable_index;

/* An open file.  Unchanged once opened but for `index` and `rows`, so any thread may read it. */
typedef struct dvi_btable_file {
    dv_allocator allocator;
    dvi_map *map;  /* one reference */
    dv_view *view; /* the view that owns the file; no reference */
    dv_open_options limits;
    dvi_btable_header header;
    dv_type names_type; /* of the metadata SlotNames */
    dv_type units_type; /* of the metadata LabelUnits */
    dvi_btable_index index;
    atomic_int_fast64_t rows; /* DV_ROWS_UNKNOWN until somebody came to the end */
} dvi_btable_file;

/* --- btable_header.c, btable_labels.c: opening, and the names of slots ------------------------ */

dv_status dvi_btable_read_header(dvi_map *map, const dv_open_options *options,
                                 dvi_btable_header *header_out, dv_error *err);

/* Labels on their way from UTF-16 to UTF-8.  Zeroed before, it counts; with memory, it writes. */
typedef struct dvi_btable_labels {
    uint8_t *utf8; /* NULL: only count */
    uint8_t *ends; /* int32[slots] */
    int64_t utf8_nbytes, separators;
    int64_t utf8_cap, slots; /* room, when it writes */
    int64_t units;           /* seen so far */
    uint32_t high;           /* the first half of a pair, when the second is due; else 0 */
    int64_t ill_formed, ill_formed_unit; /* lone surrogates, and the first one's number */
    bool has_comma;
} dvi_btable_labels;

/* Go on with n units, two bytes each; and end. */
void dvi_btable_labels_feed(dvi_btable_labels *labels, const uint8_t *units, size_t n);
void dvi_btable_labels_end(dvi_btable_labels *labels);
/* All labels of a file with so many units.  DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_btable_labels_read(dvi_btable_labels *labels, dvi_map *map, int64_t units,
                                 dv_error *err);

/* The labels as metadata, by number: of dvi_metadata_source. */
enum { DVI_BTABLE_NAMES, DVI_BTABLE_UNITS };
dv_status dvi_btable_load_labels(void *file, int64_t number, const dv_batch **batch_out,
                                 dv_error *err);

/* --- btable_rows.c, btable_index.c: rows ------------------------------------------------------ */

/* Check the count of the row that starts at `at`, of which count_nbytes bytes (4, if the file has
 * them) lie at p (7, rule 6).  DV_OK; DV_END: there is no row; what is wrong. */
dv_status dvi_btable_check_count(const dvi_btable_file *file, int64_t at, const uint8_t *p,
                                 bool is_lenient, int32_t *n_out, dv_error *err);
/* The same for its pairs. */
dv_status dvi_btable_check_pairs(const dvi_btable_file *file, int64_t at, const uint8_t *pairs,
                                 int32_t n, dv_error *err);

/* Rows one after the other, by their counts alone.  Zeroed before, but for file, row and at. */
typedef struct dvi_btable_scan {
    const dvi_btable_file *file;
    int64_t row, at; /* the next row, and where it starts */
    dvi_memory *memory;
    dvi_span span; /* bytes at hand */
} dvi_btable_scan;

/* Pass the next row, with its count in *n_out (which may be NULL).  DV_END: there is none. */
dv_status dvi_btable_scan_next(dvi_btable_scan *walk, int32_t *n_out, dv_error *err);
void dvi_btable_scan_free(dvi_btable_scan *walk);

/* Where does a row start?  If the table ends before, *row_out is the number of rows.  Any thread;
 * what it walks over is remembered. */
dv_status dvi_btable_find_row(dvi_btable_file *file, int64_t row, int64_t *row_out, int64_t *at_out,
                              dv_error *err);
void dvi_btable_index_free(dvi_btable_file *file);
/* Somebody came to the end. */
void dvi_btable_publish_rows(dvi_btable_file *file, int64_t rows);

/* --- btable_repair.c: what lenient mode makes of a row (7) ------------------------------------ */

/* The n pairs without those outside the slots, in the order of slots, the last of equal ones:
 * *count_out of them; of as many as there are slots no indices are written, and the count is -1.
 * indices and items have room for n.  scratch may be NULL before. */
dv_status dvi_btable_repair_row(const dvi_btable_file *file, const uint8_t *pairs, int32_t n,
                                int32_t *indices, double *items, int32_t *count_out,
                                dvi_memory **scratch, dv_error *err);

/* --- btable_cursor.c, btable_csr.c, btable_inspect.c, btable_verify.c ------------------------- */

struct dvi_csr_target;

dv_status dvi_btable_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                 dv_error *err);
dv_status dvi_btable_next(void *cursor, dv_batch *batch, dv_error *err);
void dvi_btable_close_cursor(void *cursor);
dv_status dvi_btable_seek(void *cursor, dv_error *err);
dv_status dvi_btable_fill_csr(void *self, const dv_cursor_request *request,
                              struct dvi_csr_target *target, dv_error *err);
dv_status dvi_btable_measure_csr(void *self, const dv_cursor_request *request,
                                 const struct dvi_csr_target *target, int64_t *rows_out,
                                 int64_t *entries_out, dv_error *err);
dv_status dvi_btable_inspect(void *self, struct dv_facts *facts, dv_error *err);
dv_status dvi_btable_verify(void *self, const struct dv_verify_options *options, dv_error *err);

#endif
