/* SPDX-License-Identifier: MIT */
/* view.h: the class of a view, and the traits that only the library's own views have. */
#ifndef DVI_VIEW_VIEW_H
#define DVI_VIEW_VIEW_H

#include <dataview/own_view.h>

/* How a view with a row_source treats row numbers; combined with |. */
enum {
    DVI_ROWS_NEEDED = 1,   /* its rows or values depend on the row numbers of the source */
    DVI_ROWS_LOST = 2,     /* a row number is known only after all rows before have been read */
    DVI_ROW_IDS_NEEDED = 4 /* its values depend on the ids of rows */
};

/* The ways in which threads can work in a cursor. */
typedef enum dvi_work {
    DVI_WORK_NONE,
    DVI_WORK_OWN, /* the cursor uses its own threads */
    DVI_WORK_SET  /* the cursor gains from a cursor set */
} dvi_work;

struct dvi_csr_target;   /* matrix/csr_target.h */
struct dvi_date_rule;    /* codec/date_order.h */
struct dvi_lender;       /* scan/view_chain.h */
struct dvi_splits_class; /* scan/splits.h */

/* Blocks of a column at equal distances: the values of block first + i lie at values + i *
 * distance. */
typedef struct dvi_located {
    const uint8_t *values;
    int64_t distance, blocks;
} dvi_located;

/* The members that only the library's own views have, in addition to their class. One static
 * const struct per class; the comment of a member says what NULL means. */
typedef struct dvi_view_traits {
    /* The source, if each row of the view is made of one row of it, in the same order; and what
     * happens to row numbers. NULL: there is none. */
    dv_view *(*row_source)(void *self, int *numbers_out);
    dvi_work (*work)(void *self, const dv_cursor_request *request); /* NULL: none */
    /* How many rows of a column are enough for a job of a thread, because each may be slow to make;
     * 0: rows are quick. NULL: as the same column of the row_source or of `reordered`, or 0. */
    int64_t (*job_rows)(void *self, int32_t column);
    /* Is a row read only by decoding all rows of its block? NULL: as there, or no. */
    bool (*decodes_blocks)(void *self);
    /* Has no row_source: the view that has the same columns, of which these are the rows in another
     * order, or some of them. A row takes as long as there. NULL: there is none. */
    dv_view *(*reordered)(void *self);
    /* With `reordered`: the rows of that view which rows `position` and up to n - 1 more of this
     * one are in an epoch (dv_cursor_options); returns how many there are. Any thread. NULL: they
     * are not known without reading. */
    int64_t (*renumber)(void *self, int64_t epoch, int64_t position, int64_t *rows_out, int64_t n);
    /* If all of these n columns are columns of the row_source, unchanged and of the same type, and
     * rows have its ids: replace each by its column there, and set *lender_out to the row_source
     * and the view's rows in it. Else false, with the columns as they were. NULL: always false. */
    bool (*lend)(void *self, int32_t *columns, int32_t n, struct dvi_lender *lender_out);
    /* Make the view, which has all rows of its row_source and does not depend on their numbers, of
     * another source: the same rows in another order.  DV_OK; DV_ERR_MEMORY.  NULL: it cannot be.
     */
    dv_status (*over)(dv_view *view, dv_view *source, dv_view **view_out, dv_error *err);

    /* How its rows are divided, if not into blocks. NULL: they are not. */
    const struct dvi_splits_class *splits;

    /* Locate a block of a column whose values are of fixed width and used as they are stored, in
     * memory that stays as long as the view, and the blocks after it at the same distance. DV_OK;
     * DV_NOT_FOUND: it is not used so, or not sound; DV_ERR_IO. NULL: no block is. */
    dv_status (*locate)(void *self, int32_t column, int64_t block, dvi_located *located_out,
                        dv_error *err);

    /* Announce rows of these n columns, which will be read in this order: the bytes of a slow
     * source are fetched in the background, as far as it pays. Returns how many rows were
     * announced; -1: reading is not slow. NULL: it is not. Any thread. */
    int64_t (*announce)(void *self, const int32_t *columns, int32_t n, const int64_t *rows,
                        int64_t count);

    /* Fill or measure the matrix of the request's only column without batches (csr.h). DV_OK;
     * DV_NOT_FOUND: read batches instead, which also report defects; any other error is final.
     * NULL: read batches. */
    dv_status (*fill_csr)(void *self, const dv_cursor_request *request,
                          struct dvi_csr_target *target, dv_error *err);
    dv_status (*measure_csr)(void *self, const dv_cursor_request *request,
                             const struct dvi_csr_target *target, int64_t *rows_out,
                             int64_t *entries_out, dv_error *err);

    /* The condition that rows pass (docs/spec/expressions). NULL: there is none. */
    dv_text (*condition)(void *self);
    /* dv_view_proposal.  NULL: none. */
    const char *(*proposal)(void *self);
    /* How the texts of a file are read as dates; NULL: it is not known.  The same as
     * dvi_view_dates, as a member: NULL if nothing is known. */
    const struct dvi_date_rule *(*dates)(void *self);
    /* dv_view_bad_fields.  NULL: there are none. */
    dv_status (*bad_fields)(void *self, dv_bad_fields_report *report, void *ctx, dv_error *err);
} dvi_view_traits;

/* Options of dv_open_options (open.h), which views have from those that they are made of. */
typedef struct dvi_view_limits {
    int64_t depth, chain_columns, row_nbytes, block_cache_nbytes;
} dvi_view_limits;

/* As dv_view_create, with traits (NULL: none), and the views of which it is made, which it keeps
 * alive: DV_ERR_LIMIT, with the name of the option, if there are too many of them. */
dv_status dvi_view_create(dv_view **view_out, const dv_view_class *cls,
                          const dvi_view_traits *traits, void *self, dv_schema **schema,
                          dv_view *const *sources, int32_t sources_count,
                          const dv_allocator *allocator, dv_error *err);
/* How many views are made one of another, down from this one, which counts if it is not the last.
 */
int32_t dvi_view_depth(const dv_view *view);
const dvi_view_limits *dvi_view_limits_of(const dv_view *view);
/* Before anything is made of the view. */
void dvi_view_set_limits(dv_view *view, const dvi_view_limits *limits);

const dv_view_class *dvi_view_class(const dv_view *view);
const dvi_view_traits *dvi_view_traits_of(const dv_view *view); /* not NULL */
void *dvi_view_self(const dv_view *view);
/* The row_source. NULL: there is none; *numbers_out is 0. */
dv_view *dvi_row_source(const dv_view *view, int *numbers_out);
const dv_allocator *dvi_view_allocator(const dv_view *view);

/* The way in which threads work in a cursor on the view. */
dvi_work dvi_view_work(const dv_view *view, const dv_cursor_request *request);

/* The fewest job_rows of n columns; 0: all rows are quick to make. */
int64_t dvi_view_job_rows(const dv_view *view, const int32_t *columns, int32_t n);
/* false: all rows are quick to make, which is known without a look at columns. */
bool dvi_view_may_take_long(const dv_view *view);
/* Is a row of any column slow to make? */
bool dvi_view_takes_long(const dv_view *view);
bool dvi_view_decodes_blocks(const dv_view *view);
/* Are its rows read from a slow source, to which they can be announced? */
bool dvi_view_is_far(const dv_view *view);
/* The same, of rows in another order: who reads a few neighbours decodes many blocks. */
bool dvi_view_decodes_far_blocks(const dv_view *view);
/* Is it quickest to make just those rows of n columns that are asked for, in any order? Some take
 * long, and none is read with all others of its block. */
bool dvi_view_makes_single_rows(const dv_view *view, const int32_t *columns, int32_t n);
/* The fewer of two numbers of rows, of which 0 means that there is none. */
static inline int64_t dvi_fewer_rows(int64_t a, int64_t b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* How the texts of the view, which were read from a file or from files of one kind, are read as
 * dates.  NULL: nothing is known. */
const struct dvi_date_rule *dvi_view_dates(const dv_view *view);

/* Get the identity (identity.h), if it is stored; store it. Any thread. */
bool dvi_view_kept_identity(const dv_view *view, dv_u128 *identity_out);
void dvi_view_keep_identity(dv_view *view, dv_u128 identity);

/* Readers keep one object of each kind with the view: addresses (places.h), decoded blocks
 * (kept_blocks.h). The view releases them when it is closed. */
typedef enum dvi_kept { DVI_KEPT_PLACES, DVI_KEPT_BLOCKS, DVI_KEPT_KINDS } dvi_kept;
/* NULL: none. The second replaces *kept by `made`, and takes over the caller's reference; false:
 * another thread was faster, and *kept is what the view keeps. Any thread. */
dv_owner *dvi_view_kept(const dv_view *view, dvi_kept kind);
bool dvi_view_keep(dv_view *view, dvi_kept kind, dv_owner **kept, dv_owner *made);

/* Check that everything into which batches of the view point can still be read. DV_OK, or the
 * error. */
dv_status dvi_view_check(const dv_view *view, dv_error *err);

#endif
