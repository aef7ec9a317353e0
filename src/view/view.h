/* SPDX-License-Identifier: MIT */
/* view.h: what the library knows of a view: its class, and what only its own views do. */
#ifndef DVI_VIEW_VIEW_H
#define DVI_VIEW_VIEW_H

#include <dataview/own_view.h>

/* What becomes of row numbers in a view with a row_source, or'd together. */
enum {
    DVI_ROWS_NEEDED = 1, /* which rows it has, or what it makes, depends on those of the source */
    DVI_ROWS_LOST = 2    /* its own are known only after all rows before have been read */
};

/* What there is for threads to do in a cursor. */
typedef enum dvi_work {
    DVI_WORK_NONE,
    DVI_WORK_OWN, /* the cursor has threads of its own */
    DVI_WORK_SET  /* it has none, and gains from a cursor set */
} dvi_work;

struct dvi_csr_target; /* matrix/csr_target.h */

/* What the library's own views do besides what their class says.  One static const struct per
 * class; members that are NULL have the answer named. */
typedef struct dvi_view_traits {
    /* The source, where each row of the view is made of one row of it, in the same order; and what
     * becomes of row numbers.  NULL: there is none. */
    dv_view *(*row_source)(void *self, int *numbers_out);
    dvi_work (*work)(void *self, const dv_cursor_request *request); /* NULL: none */

    /* Fill or measure the matrix of the request's only column without batches (csr.h).  DV_OK;
     * DV_NOT_FOUND: batches have to do it, and report what is wrong; an error that is final.
     * NULL: batches do it. */
    dv_status (*fill_csr)(void *self, const dv_cursor_request *request,
                          struct dvi_csr_target *target, dv_error *err);
    dv_status (*measure_csr)(void *self, const dv_cursor_request *request,
                             const struct dvi_csr_target *target, int64_t *rows_out,
                             int64_t *entries_out, dv_error *err);
} dvi_view_traits;

/* As dv_view_create, of a class with traits; NULL: none. */
dv_status dvi_view_create(dv_view **view_out, const dv_view_class *cls,
                          const dvi_view_traits *traits, void *self, dv_schema **schema,
                          const dv_allocator *allocator, dv_error *err);

const dv_view_class *dvi_view_class(const dv_view *view);
const dvi_view_traits *dvi_view_traits_of(const dv_view *view); /* not NULL */
void *dvi_view_self(const dv_view *view);
const dv_allocator *dvi_view_allocator(const dv_view *view);

/* What there is for threads to do in a cursor on the view. */
dvi_work dvi_view_work(const dv_view *view, const dv_cursor_request *request);

/* The identity (identity.h), if it was kept; keep it.  Any thread. */
bool dvi_view_kept_identity(const dv_view *view, dv_u128 *identity_out);
void dvi_view_keep_identity(dv_view *view, dv_u128 identity);

/* Whether all that batches of the view point into can still be read: DV_OK, or why not. */
dv_status dvi_view_check(const dv_view *view, dv_error *err);

#endif
