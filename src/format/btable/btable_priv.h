/* SPDX-License-Identifier: MIT */
/* btable_priv.h: an open BTable, and the functions that read its labels and rows. */
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

/* The checked header (btable:1, btable:2). */
typedef struct dvi_btable_header {
    int64_t units;       /* L: of all labels together, separators included */
    int64_t nbytes;      /* H: where the rows start */
    int32_t slots;       /* N: labels */
    int64_t utf8_nbytes; /* of all labels as UTF-8, without separators */
    int64_t ill_formed;  /* lone surrogates; 0 unless lenient */
    int64_t ill_formed_at;
    bool has_comma;
} dvi_btable_header;

/* The offsets of every DVI_BTABLE_SAMPLEDth row, found on demand. The lock guards all members. */
typedef struct dvi_btable_index {
    pthread_mutex_t lock;
    int64_t *offset; /* of row i * DVI_BTABLE_SAMPLED */
    size_t n, cap;
    int64_t row, at; /* the first row that is not in the index, and its offset */
} dvi_btable_index;

/* An open file. Constant once opened, except `index` and `rows`: any thread may read it. */
typedef struct dvi_btable_file {
    dv_allocator allocator;
    dvi_map *map;  /* one reference */
    dv_view *view; /* the view that owns the file; no reference */
    dv_open_options limits;
    dvi_btable_header header;
    dv_type names_type; /* of the metadata SlotNames */
    dv_type units_type; /* of the metadata LabelUnits */
    dvi_btable_index index;
    atomic_int_fast64_t rows; /* DV_ROWS_UNKNOWN until a reader has reached the end */
} dvi_btable_file;

/* --- btable_header.c, btable_labels.c: opening, and the names of slots ------------------------ */

dv_status dvi_btable_read_header(dvi_map *map, const dv_open_options *options,
                                 dvi_btable_header *header_out, dv_error *err);

/* Converts labels from UTF-16 to UTF-8. Zeroed by the caller it only counts; with `utf8` and `ends`
 * it writes. */
typedef struct dvi_btable_labels {
    uint8_t *utf8; /* NULL: only count */
    uint8_t *ends; /* int32[slots] */
    int64_t utf8_nbytes, separators;
    int64_t utf8_cap, slots;             /* sizes of `utf8` and `ends` */
    int64_t units;                       /* converted so far */
    uint32_t high;                       /* the last unit if it is a high surrogate, else 0 */
    int64_t ill_formed, ill_formed_unit; /* lone surrogates; the index of the first one */
    bool has_comma;
} dvi_btable_labels;

/* Convert the next n units, of two bytes each; end after the last one. */
void dvi_btable_labels_feed(dvi_btable_labels *labels, const uint8_t *units, size_t n);
void dvi_btable_labels_end(dvi_btable_labels *labels);
/* Convert all labels of a file. DV_OK, DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_btable_labels_read(dvi_btable_labels *labels, dvi_map *map, int64_t units,
                                 dv_error *err);

/* Load the labels as metadata: the function of a dvi_metadata_source, with these numbers. */
enum { DVI_BTABLE_NAMES, DVI_BTABLE_UNITS };
dv_status dvi_btable_load_labels(void *file, int64_t number, const dv_batch **batch_out,
                                 dv_error *err);

/* --- btable_rows.c, btable_index.c: rows ------------------------------------------------------ */

/* Check the count of the row at offset `at`, whose bytes are at p: 4 unless the file ends
 * (btable:7, rule 6). DV_OK; DV_END: there is no row; DV_ERR_CORRUPT. */
dv_status dvi_btable_check_count(const dvi_btable_file *file, int64_t at, const uint8_t *p,
                                 bool is_lenient, int32_t *n_out, dv_error *err);
/* Check the n pairs of the row at offset `at`. DV_OK, DV_ERR_CORRUPT. */
dv_status dvi_btable_check_pairs(const dvi_btable_file *file, int64_t at, const uint8_t *pairs,
                                 int32_t n, dv_error *err);

/* Reads the counts of rows, one after the other. Zeroed by the caller, except file, row and at. */
typedef struct dvi_btable_row_reader {
    const dvi_btable_file *file;
    int64_t row, at; /* the next row, and its offset */
    dvi_memory *memory;
    dvi_span span; /* the bytes read last */
} dvi_btable_row_reader;

/* Read the count of the next row into *n_out (which may be NULL), and skip the row. DV_END: there
 * is none. */
dv_status dvi_btable_row_reader_next(dvi_btable_row_reader *reader, int32_t *n_out, dv_error *err);
void dvi_btable_row_reader_free(dvi_btable_row_reader *reader);

/* Find the offset of a row. If the table ends before it, *row_out is the number of rows. Any thread
 * may call it; it extends the index. */
dv_status dvi_btable_find_row(dvi_btable_file *file, int64_t row, int64_t *row_out, int64_t *at_out,
                              dv_error *err);
void dvi_btable_index_free(dvi_btable_file *file);
/* Publish the number of rows, once it is known. */
void dvi_btable_publish_rows(dvi_btable_file *file, int64_t rows);

/* --- btable_repair.c: rows in lenient mode (btable:7) ----------------------------------------- */

/* Drop the pairs whose slots do not exist, sort the others by slot, and keep the last pair of each
 * slot: *count_out of them, -1 if every slot has one. indices and items have room for n; *scratch
 * may be NULL. */
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
