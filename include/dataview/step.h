/* SPDX-License-Identifier: MIT */
/* step.h: makes steps of your own for pipelines (pipeline.h).
 *
 * A class has the functions of a kind of step; dv_step_register gives it a name.  From then on the
 * notation, dv_transform_at, fitting, saving and opening know it as they know the steps of the
 * library, which are made of the same classes.  examples/own_step.c is a complete program. */
#ifndef DATAVIEW_STEP_H
#define DATAVIEW_STEP_H

#include <dataview/batch.h>
#include <dataview/folder.h>
#include <dataview/pipeline.h>
#include <dataview/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A step of a pipeline, with its columns and options.  Valid as long as the pipeline. */
typedef struct dv_step dv_step;

/* The kind of the step. */
DV_API const dv_transform_info *dv_step_info(const dv_step *step);
/* The number of its new columns, and the name of each. */
DV_API int32_t dv_step_columns_count(const dv_step *step);
DV_API dv_text dv_step_column(const dv_step *step, int32_t column);
/* The value of an option: as given, or the initial one.  0 if the step has no such option.
 *
 * integer  of a flag 0 or 1; of a word its place among the words
 * texts    the number of texts: of a list; of any other kind 1, or 0 without a value
 * text     text i of it; NA: there is none
 * table    the table, valid as long as the step; NULL: there is none, or only its name is known,
 *          which is text 0 */
DV_API bool dv_step_is_given(const dv_step *step, const char *option);
DV_API int64_t dv_step_integer(const dv_step *step, const char *option);
DV_API double dv_step_number(const dv_step *step, const char *option);
DV_API int64_t dv_step_texts(const dv_step *step, const char *option);
DV_API dv_text dv_step_text(const dv_step *step, const char *option, int64_t i);
DV_API dv_view *dv_step_table(const dv_step *step, const char *option);

/* Open the folder below which a step reads files, for a class with acts_outside.  In an untrusted
 * pipeline only files below the folder that the caller allows can be opened (dv_folder_within).
 *
 * path  relative to the working directory; usually the text of an option
 *
 * DV_OK; DV_ERR_ARGUMENT: the class lacks acts_outside, or nothing is allowed; statuses of
 * dv_folder_open and dv_folder_within */
DV_API dv_status dv_step_folder(dv_folder **folder_out, const dv_step *step, dv_text path,
                                const dv_allocator *allocator, dv_error *err);

/* A new column of a step, and the columns of a schema of which it is made.  Valid during a call,
 * unless a member of the class says otherwise. */
typedef struct dv_step_binding {
    const dv_step *step;
    int32_t column; /* 0..dv_step_columns_count(step)-1 */
    const dv_schema *schema;
    const int32_t *sources; /* columns of the schema, in the order of the step; then, while
                               learning, those that `column_options` name */
    int32_t sources_count;
    int64_t terms_nbytes; /* dv_fit_options; 0 unless the step learns */
    const dv_allocator *allocator;
} dv_step_binding;

/* Rows of which a column is made. */
typedef struct dv_step_filling {
    const dv_step_binding *binding;       /* valid as long as the view */
    void *learned;                        /* what `finish`, `give` or `load` made; NULL: nothing */
    const dv_type *type;                  /* of the new column */
    const dv_column_view *const *sources; /* sources_count of them, each of `rows` rows */
    int64_t rows, first_row; /* for messages: an epoch may have given rows other numbers */
    const dv_u128 *ids;      /* of the rows, if the class has reads_ids */
    void *memory;            /* of this column and cursor: class->memory bytes, at first zero */
    int64_t epoch;           /* of the training that reads the rows (dv_cursor_options); -1: none */
} dv_step_filling;

/* The functions of a kind of step; usually one static const struct.
 *
 * A step learns if it has `begin`, and is applied with `type` and `fill` to each of its columns, or
 * with `view` to all.  A member that fails returns a negative status and writes err, which may be
 * NULL, with dv_error_set (status.h); the library adds step and column to the message.
 *
 * learner  what `begin` made.  One thread at a time; another one may go on with it
 * learned  what has been learned of one column.  Never changes; any thread */
typedef struct dv_step_class {
    size_t size; /* sizeof(dv_step_class) */

    /* The version of options and tables in saved pipelines: 1 at first.  `load` takes tables of all
     * versions up to this one. */
    int32_t version;

    /* Options (of texts) that name further columns to learn from; NULL ends them.  NULL: none. */
    const char *const *column_options;
    bool makes_only;    /* the columns of the step are new: none is read */
    bool takes_missing; /* sources may be missing (-1) while it learns */

    /* --- Learning, for each new column --- */

    /* Does a step with these options learn from rows?  NULL: it does if there is `begin`. */
    bool (*learns)(const dv_step *step);
    /* Rows come in the order of the view, to one learner.  Else each of several threads has a
     * learner, which sees the rows of some chunks, and `merge` makes one of them. */
    bool in_order;
    /* Start to learn.  The binding stays valid until `finish` has returned. */
    dv_status (*begin)(void **learner_out, const dv_step_binding *binding, dv_error *err);
    void (*free_learner)(void *learner);
    /* Rows of another chunk follow; numbers rise.  NULL: nothing to do. */
    dv_status (*begin_chunk)(void *learner, int64_t chunk, dv_error *err);
    /* Take rows of the sources.  place: of the first row; it rises by 1 from row to row, and from
     * chunk to chunk: a row that comes later has the greater one in any thread. */
    dv_status (*see)(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err);
    /* Will further rows change nothing?  NULL: false.  If it is so of new learners of all columns,
     * the step is applied at once, and no row is read for it. */
    bool (*is_full)(const void *learner);
    /* Let the first of n learners be as if it had seen the rows of all, in the order of places.
     * They may change places; all but the first are only freed after it.  NULL only with in_order.
     *
     * DV_OK
     * DV_NOT_FOUND  they have left out what one learner would have kept, as at a limit: all are
     *               freed, and one learner sees all rows again */
    dv_status (*merge)(void **learners, int32_t n, dv_error *err);
    /* Make what was learned, and take the learner: what is left in *learner is freed.  Without
     * `tables` NULL may be learned: nothing is kept, as of a step that only checks the rows. */
    dv_status (*finish)(void **learned_out, void **learner, const dv_step_binding *binding,
                        dv_error *err);

    /* What a step knows that reads no row: from its options, or from the schema.  NULL: nothing. */
    dv_status (*give)(void **learned_out, const dv_step_binding *binding, dv_error *err);
    void (*free_learned)(void *learned);

    /* --- What was learned, as tables (dv_fitted_table, saved pipelines) --- */

    /* The names of the tables of each column of such a step, at most 8; NULL ends them.  Static.
     * NULL, also as the member: none.  What has been learned, but NULL, cannot be saved then. */
    const char *const *(*tables)(const dv_step *step);
    dv_status (*show)(dv_view **table_out, void *learned, int32_t table,
                      const dv_allocator *allocator, dv_error *err);
    /* Make what was learned of tables, one for each name, which may come from anyone: check all.
     * They may be kept with dv_view_retain.  DV_ERR_CORRUPT: they are none of this step. */
    dv_status (*load)(void **learned_out, const dv_step *step, dv_view *const *tables,
                      const dv_allocator *allocator, dv_error *err);

    /* --- Applying --- */

    /* The type of a new column; its dims are copied.  Or DV_ERR_ARGUMENT: the sources do not suit
     * the step, or what it has learned. */
    dv_status (*type)(dv_type *type_out, const dv_step_binding *binding, void *learned,
                      dv_error *err);
    /* Add metadata to that column of a schema (dv_schema_add_metadata).  NULL: none. */
    dv_status (*describe)(dv_schema *schema, int32_t column, const dv_step_binding *binding,
                          void *learned, dv_error *err);
    /* Set values_out, of filling->rows rows and its type, with a reference to each buffer, which
     * the library drops.  The same rows of the same epoch must have the same values in any batch; a
     * cache has those of epoch -1, whatever its reader asks for.  DV_ERR_MEMORY: the call may be
     * repeated.  Any thread, one at a time for the same memory. */
    dv_status (*fill)(dv_column_view *values_out, const dv_step_filling *filling, dv_error *err);
    bool reads_ids;
    size_t memory;
    void (*release)(void *memory); /* what `memory` owns.  NULL: nothing */
    /* The most rows that `fill` gets where a cursor is opened without batch_rows: for values that
     * take much memory or time.  So many are also enough to occupy a thread (cursor_set.h).  Where
     * rows are read in any order (dv_view_take, feeds), it gets one at a time, unless blocks must
     * be decoded (a compressed .idv file); the rows of an epoch it gets in the order of that
     * (epoch.h).  0: as many as the source has in a batch. */
    int64_t batch_rows;

    /* Make a view of a source, for a step that does more than add columns.  learned: of each column
     * of the step.  The source is retained by what is made of it. */
    dv_status (*view)(dv_view **view_out, const dv_step *step, void *const *learned,
                      dv_view *source, const dv_allocator *allocator, dv_error *err);
    /* The view keeps all rows and columns of its source, and only adds columns. */
    bool adds_columns;

    /* --- Beyond the table --- */

    /* The step acts outside the table: it opens files, connects or runs programs.  In an untrusted
     * pipeline (dv_pipeline_options) it fails with DV_ERR_ARGUMENT before it learns or is applied,
     * unless the caller allows a folder; then it opens files by dv_step_folder.  `tables`, `show`
     * and `load` never act outside the table. */
    bool acts_outside;
    /* Whether a column of these sources acts outside the table.  NULL: always.  Not for a class
     * with `view`. */
    bool (*acts)(const dv_step_binding *binding);
} dv_step_class;

/* Add a kind of step for the life of the process.  Any thread; pipelines that were parsed before do
 * not change.
 *
 * info  its name, of letters, digits and _; a sentence; the form of its columns; its options, whose
 *       initial values must be valid.  `number` is ignored.  Copied, but not what it points to
 * cls   copied
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a name that is taken or not allowed; an option without a kind or a valid initial
 *                  value; a class that lacks a member, or is of another version; too many steps
 * DV_ERR_MEMORY */
DV_API dv_status dv_step_register(const dv_transform_info *info, const dv_step_class *cls,
                                  dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
