/* SPDX-License-Identifier: MIT */
/* pipeline.h: pipelines of steps that learn from a view, and are then applied to any view
 * (semantics:7).
 *
 * A pipeline is text: steps, which `;` or the end of a line separates.
 *
 *     term Category; onehot C:Color max=100; select Category C
 *
 * The first word of a step is its name, the words after it are columns, and options.  Columns are
 * `New:Source`, `New:A,B` for steps that join columns, or `Column`, which is replaced.  Options are
 * `name=value`, `name+` and `name-`; a value is a word, a "text", a list [a "b c" d], or @FILE: its
 * lines, or for an option that is a table its rows, if dv_pipeline_parse_files allows it.  In
 * quotes \" is a quote, \\ a backslash, \t a tab, \n and \r end lines, and \xNN is U+00NN.  A name
 * with blanks or any of : , = ; # " [ ] @ in it, or with + or - at its end, is written in quotes.
 * From # to the end of the line is a comment, unless a type follows it at once.
 *
 * A pattern means all columns of such names or of such a type: 'A*' (* ? [a-z], in single quotes),
 * #R4 (R4 and vectors of it), #V<R4,*> (vectors alone).  It stands for columns that are replaced,
 * or among the sources of New:A,'B*'.  dv_fit puts the names of the columns in its place.
 *
 * dv_fit reads the rows from which steps learn; dv_fitted_apply makes a view, and reads nothing.
 * Steps name columns; a name means the last column of that name.  docs/pipelines.md lists the
 * steps. */
#ifndef DATAVIEW_PIPELINE_H
#define DATAVIEW_PIPELINE_H

#include <dataview/cursor.h>
#include <dataview/folder.h>
#include <dataview/value.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- The list of steps ------------------------------------------------------------------------ */

typedef enum dv_step_option_kind {
    DV_STEP_OPTION_FLAG = 1,    /* name+ or name- */
    DV_STEP_OPTION_INTEGER = 2, /* least..most */
    DV_STEP_OPTION_NUMBER = 3,  /* a real number */
    DV_STEP_OPTION_WORD = 4,    /* one of `words` */
    DV_STEP_OPTION_TEXT = 5,    /* any text */
    DV_STEP_OPTION_TEXTS = 6,   /* a list of texts */
    DV_STEP_OPTION_TABLE = 7    /* @NAME: a table, which dv_pipeline_parse_files opens */
} dv_step_option_kind;

/* The columns that a step takes. */
typedef enum dv_step_columns {
    DV_STEP_COLUMNS_ONE = 1,   /* New:Source, or Column */
    DV_STEP_COLUMNS_MANY = 2,  /* New:A,B */
    DV_STEP_COLUMNS_NAMES = 3, /* names */
    DV_STEP_COLUMNS_NONE = 4   /* none */
} dv_step_columns;

/* An option of a step.  Static memory. */
typedef struct dv_step_option {
    const char *name;
    const char *initial; /* what holds if it is not given, as text; "": nothing */
    const char *summary; /* what it means */
    dv_step_option_kind kind;
    int64_t least, most; /* of an integer */
    const char *words;   /* of a word: the words, which | separates; else NULL */
} dv_step_option;

/* A kind of step.  Static memory. */
typedef struct dv_transform_info {
    int32_t number; /* dv_transform_at(number) */
    const char *name;
    const char *ml_net;  /* its name in ML.NET */
    const char *summary; /* what it does, a sentence */
    dv_step_columns columns;
    const dv_step_option *options;
    int32_t options_count;
} dv_transform_info;

/* The number of kinds of steps, and each of them; NULL: there is no such number.  Those of callers
 * (dv_step_register in step.h) come last.  Any thread. */
DV_API int32_t dv_transform_count(void);
DV_API const dv_transform_info *dv_transform_at(int32_t number);

/* --- Pipelines -------------------------------------------------------------------------------- */

/* Steps that have learned nothing yet.  Never changes; any thread.  Counted. */
typedef struct dv_pipeline dv_pipeline;

/* Parse a pipeline.  Any thread.
 *
 * text       UTF-8, at most 2^26 bytes; not kept.  There may be no step
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  err->offset is the byte of the text at fault.  The message names step and option
 *                  and has what was expected and found
 * DV_ERR_MEMORY */
DV_API dv_status dv_pipeline_parse(dv_pipeline **pipeline_out, dv_text text,
                                   const dv_allocator *allocator, dv_error *err);

/* Start from DV_PIPELINE_OPTIONS_INIT.
 *
 * read_file  a value @FILE of an option is the lines of that file: write its bytes to the sink, and
 *            stop when that returns false.  NULL: @FILE is refused, so that text that comes from
 *            anyone opens nothing
 * ctx        passed to both
 * open_table a value @NAME of an option that is a table is that view, which the pipeline then owns.
 *            It may leave *table_out NULL: the step can be written, but not fitted.  NULL: @NAME is
 *            refused
 * untrusted  the text may come from anyone: a file, or another program.  Then steps that act
 *            outside the table (dv_step_class) are DV_ERR_ARGUMENT where they are fitted or
 *            applied, and read_file and open_table must be NULL, or open nothing outside `allowed`
 * allowed    with `untrusted`: steps may open files below this folder, which the pipeline retains.
 *            NULL: none.  No file keeps it
 */
typedef struct dv_pipeline_options {
    size_t size; /* of this struct: set by the INIT */
    dv_status (*read_file)(void *ctx, const char *path, const dv_sink *sink, dv_error *err);
    void *ctx;
    dv_status (*open_table)(void *ctx, const char *name, dv_view **table_out, dv_error *err);
    bool untrusted;
    dv_folder *allowed;
} dv_pipeline_options;

#define DV_PIPELINE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(dv_pipeline_options), NULL, NULL, NULL, false, NULL                                 \
    }

/* A read_file: files of this machine, also pipes, which it reads to their end.  ctx: NULL, or a
 * dv_folder: regular files below that folder alone.  Any thread. */
DV_API dv_status dv_pipeline_read_file(void *ctx, const char *path, const dv_sink *sink,
                                       dv_error *err);
/* An open_table: files of any format, as dv_open opens them (open.h) without options.  ctx: NULL,
 * or a dv_folder: regular files below that folder alone, without sidecar files.  Any thread. */
DV_API dv_status dv_pipeline_open_table(void *ctx, const char *name, dv_view **table_out,
                                        dv_error *err);

/* Parse a pipeline whose options may be files: term A terms=@terms.txt, map A table=@towns.csv.  A
 * list is the lines of the file, a text its only line.  Lines end with LF or CR LF; a byte order
 * mark at the start and empty lines are left out.  The pipeline has the texts, and is written with
 * them.  It has tables too, but is written with their names.
 *
 * options  NULL: as dv_pipeline_parse
 *
 * DV_ERR_ARGUMENT  as dv_pipeline_parse; also a file of more than 64 MiB, or that is not UTF-8: the
 *                  message names step, option, file and line
 * DV_ERR_*         what read_file and open_table return */
DV_API dv_status dv_pipeline_parse_files(dv_pipeline **pipeline_out, dv_text text,
                                         const dv_pipeline_options *options,
                                         const dv_allocator *allocator, dv_error *err);
DV_API void dv_pipeline_retain(dv_pipeline *pipeline);
/* Give back a reference and set the pointer to NULL; NULL is fine. */
DV_API void dv_pipeline_release(dv_pipeline **pipeline);

/* The number of steps, and the kind of each; NULL: there is no such step. */
DV_API int32_t dv_pipeline_steps(const dv_pipeline *pipeline);
DV_API const dv_transform_info *dv_pipeline_step(const dv_pipeline *pipeline, int32_t step);

/* Write one step as text that parses as that step: its columns, and the options that were given, in
 * the order of dv_transform_info.  Returns false if the sink stopped, or there is no such step. */
DV_API bool dv_pipeline_write_step(const dv_pipeline *pipeline, int32_t step, const dv_sink *sink);

/* --- Fitting ---------------------------------------------------------------------------------- */

/* Start from DV_FIT_OPTIONS_INIT.
 *
 *   threads       that read and learn; 0: one for each usable CPU.  What is learned is the same
 *                 for any number
 *   terms_nbytes  UTF-8 of the distinct texts that a step learns from one column, at most
 *   keys_nbytes   bytes that may keep the keys of the rows from which `term` and `onehot` learn, 4
 *                 for each row and column.  If dv_fitted_apply gets the very same view, no value is
 *                 looked up again; its rows must not change meanwhile.  They are kept as long as
 *                 the fitted pipeline, which then retains the view.  0: none are kept; -1: 256 MiB
 *                 in dv_view_pipe, none in dv_fit.  Where there is no room, the number of rows is
 *                 unknown or `max` terms were found, values are looked up: keys are the same
 *   progress      of the rows of a pass over the view; starts at 0 again with each pass.  Steps
 *                 learn in one pass, unless one needs what another makes
 */
typedef struct dv_fit_options {
    size_t size; /* of this struct: set by the INIT */
    int32_t threads;
    int64_t terms_nbytes; /* 1..2^31-1 */
    dv_progress progress;
    int64_t keys_nbytes; /* -1 or more */
} dv_fit_options;

#define DV_FIT_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(dv_fit_options), 0, INT64_C(1) << 30, {NULL, NULL}, -1                              \
    }

/* The most memory that fitting a step takes: its learners, and what they make. */
typedef struct dv_fit_need {
    int64_t nbytes; /* 0: it learns from no row; -1: not known before rows are read */
    int64_t texts;  /* distinct texts that each learner keeps, at most; their bytes come on top */
} dv_fit_need;

/* Tell what dv_fit may take on a view with that many rows and these columns.  Reads no row.  Any
 * thread.
 *
 * needs_out  of each step: room for dv_pipeline_steps(pipeline)
 * rows       0 or more
 * others     as dv_fit
 *
 * nbytes is -1 of steps that keep what they have hashed (invert), of selectmi, of image and
 * loadbytes that look at paths, and of steps of callers; of those that keep numbers of the slots of
 * a vector that another step makes which learns; and of those after a step that makes no column
 * unless it has seen rows (text). Keys that dv_fit_options lets fitting keep come on top.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  rows below 0; or as dv_fit, up to the first step that takes what another learns
 * DV_ERR_MEMORY */
DV_API dv_status dv_fit_needs(dv_fit_need *needs_out, dv_pipeline *pipeline, dv_view *view,
                              int64_t rows, const dv_fit_options *options,
                              const dv_allocator *allocator, dv_error *err);

/* Steps with what they have learned.  Never changes; any thread.  Counted: a view that it made
 * keeps it. */
typedef struct dv_fitted dv_fitted;

/* Let the steps learn from the rows of a view.  Only columns that some step learns from are read.
 * Without a step that learns, no row is read, and columns are checked.  The key values of columns
 * of keys are read if a step depends on the numbers of the keys (dv_fitted_apply).  A pipeline of
 * several passes (dv_fitted_info) reads a slow view once if it is fitted on dv_view_cache of it
 * (cache.h). Any thread.
 *
 * pipeline   retained
 * view       not kept, unless keys are (keys_nbytes)
 * options    NULL: DV_FIT_OPTIONS_INIT
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column, none that a pattern means (or more than 2^22), or of another
 *                  type than the step takes: the message names step and column, and has what was
 *                  expected and found; or an option out of range
 * DV_ERR_LIMIT     more than terms_nbytes, or inverted names of hashes of more than 1 GiB
 * DV_ERR_STOPPED   `progress` returned false
 * DV_ERR_MEMORY
 * DV_ERR_*         what the cursor of the view and dv_schema_metadata_value return
 */
DV_API dv_status dv_fit(dv_fitted **fitted_out, dv_pipeline *pipeline, dv_view *view,
                        const dv_fit_options *options, const dv_allocator *allocator,
                        dv_error *err);

/* Let the steps see a part of the rows of a table, in this process or another one, and make a table
 * that holds all they need of it: dv_fit_merge fits on all parts.  It can be saved and opened, as
 * .idv, like any other (docs/spec/parts.md).
 *
 * view     rows that follow each other in the table, with its columns
 * options  NULL: DV_FIT_OPTIONS_INIT.  keys_nbytes: no keys are kept
 *
 * Steps may learn in one pass: the dictionaries of `term` and `onehot`, the counts of
 * `selectcount`, and what `normalize`, `replacena` and `handlena` learn without means and
 * variances, whose sums depend on the order.
 *
 * Statuses as dv_fit.  DV_ERR_ARGUMENT is also a step that has to see all rows itself, or comes
 * after one whose rows depend on those of other parts, such as `slice`: the message names it and
 * says why.  DV_ERR_LOSS: a column of a type that .idv does not have */
DV_API dv_status dv_fit_part(dv_view **part_out, dv_pipeline *pipeline, dv_view *view,
                             const dv_fit_options *options, const dv_allocator *allocator,
                             dv_error *err);

/* Fit a pipeline on the rows of all parts: exactly what dv_fit learns from one table of these rows.
 * Parts are of few bytes: a column's dictionary, counts or bins.  Any thread.
 *
 * pipeline  the steps of the parts.  NULL: those that the first part has, which open no file, as
 *           steps of a stranger
 * parts     n >= 1 of them, in the order of their rows.  They may come from anyone
 * options   NULL: DV_FIT_OPTIONS_INIT.  Only terms_nbytes counts
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a part of other steps, or of a table with other columns; as dv_fit; the rows
 *                  from which `normalize` learns (maxrows) end within a part
 * DV_ERR_CORRUPT   a part is damaged, or the view is another table
 * DV_ERR_LIMIT, DV_ERR_MEMORY; DV_ERR_*: as reading the parts returns */
DV_API dv_status dv_fit_merge(dv_fitted **fitted_out, dv_pipeline *pipeline, dv_view *const *parts,
                              int32_t n, const dv_fit_options *options,
                              const dv_allocator *allocator, dv_error *err);

DV_API void dv_fitted_retain(dv_fitted *fitted);
/* Give back a reference and set the pointer to NULL; NULL is fine. */
DV_API void dv_fitted_release(dv_fitted **fitted);

/* Its steps, with names of columns in the place of patterns; valid as long as `fitted`. */
DV_API dv_pipeline *dv_fitted_pipeline(const dv_fitted *fitted);

/* A column that the steps take of a table: no step before makes it.  Both are valid as long as
 * `fitted`. */
typedef struct dv_fitted_input {
    dv_text name;
    dv_text type; /* that it had when the pipeline was fitted, in the notation: "V<R4,3>" */
} dv_fitted_input;

/* The number of these columns, and column i of them, 0 to dv_fitted_inputs - 1, in the order in
 * which the steps take them.  0 of a model that ML.NET saved with a loader of files: it does not
 * say. */
DV_API int32_t dv_fitted_inputs(const dv_fitted *fitted);
DV_API dv_fitted_input dv_fitted_input_at(const dv_fitted *fitted, int32_t i);

/* How it was fitted. */
typedef struct dv_fitted_info {
    int64_t rows;   /* the most that a pass read; 0: nothing was read */
    int32_t passes; /* over the view */
    int32_t tables; /* dv_fitted_table */
} dv_fitted_info;

DV_API dv_fitted_info dv_fitted_inspect(const dv_fitted *fitted);

/* What a step has learned from a column, as a table.
 *
 * name  "terms": column Term, the terms in the order of their keys; or "names": the columns Key,
 *       U4, and Text, the names of those keys of hashes that have one; or numbers of each slot:
 *       "scales", Offset and Scale, "deviations", Mean and Deviation, and "bounds", Slot and Bound,
 *       the greatest value of each bin (docs/spec/dvp.md has all) */
typedef struct dv_fitted_state {
    int32_t step;
    dv_text column; /* the new column of the step; valid as long as `fitted` */
    const char *name;
    dv_view *view; /* the caller's: give it back with dv_view_release */
} dv_fitted_state;

/* The number of the first table of a step, 0 to dv_pipeline_steps: the tables of a step end where
 * those of the next one begin. */
DV_API int32_t dv_fitted_first_table(const dv_fitted *fitted, int32_t step);

/* Get table 0..tables-1.  The view keeps what it shows.
 * DV_OK; DV_ERR_ARGUMENT: there is no such table; DV_ERR_MEMORY. */
DV_API dv_status dv_fitted_table(dv_fitted_state *state_out, dv_fitted *fitted, int32_t table,
                                 dv_error *err);

/* Make the view that the steps make of a source.  Reads no row.  Any thread.
 *
 * source     retained.  Needs the columns that the steps name, of types that suit what was learned;
 *            it may have others.  Where a step depends on the numbers of keys, the keys of an input
 *            stand for the same values (KeyValues) as when the pipeline was fitted; more values may
 *            follow.  They are read once and compared by a digest, unless they had none when it was
 *            fitted, or the source is the view whose keys were kept (docs/pipelines.md)
 * allocator  NULL: malloc
 *
 * rows       those of the source; filters and `slice` leave some out, `group` joins some, and
 *            `ungroup` makes several of one
 * ids        those of the source's rows, of `group` of the last row of a group; after `ungroup`
 *            dv_rowid_combine(id of the row, {number of the slot, 0})  (semantics:5.4)
 * batches    only active columns are computed, and only the columns that these need are read
 * facts      as those of each step's view (transform.h)
 *
 * DV_OK; DV_ERR_ARGUMENT: as dv_fit, or other key values; DV_ERR_MEMORY; what
 * dv_schema_metadata_value returns */
DV_API dv_status dv_fitted_apply(dv_view **view_out, dv_fitted *fitted, dv_view *source,
                                 const dv_allocator *allocator, dv_error *err);

/* Save a fitted pipeline as a file, DVP (docs/spec/dvp.md).  Any thread.
 *
 * The file at `path` is replaced as a whole, as dv_save does it: after a failure the old file is
 * unchanged.  The same fit gives the same bytes, with any number of threads.
 *
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  more than 4,095 tables, or the steps take more than 16 MiB of text, or a step of
 *                  a caller has no tables; an open writer of this process replaces the same file
 * DV_ERR_LOSS      terms of a type that .idv does not have: keys that begin above 0, and are more
 *                  than 2^31-1
 * DV_ERR_IO, DV_ERR_MEMORY */
DV_API dv_status dv_fitted_save(dv_fitted *fitted, const char *path, const dv_allocator *allocator,
                                dv_error *err);

/* Tell whether a file begins as a saved pipeline does, and as which: "dvp", or "model.zip", which
 * any zip file is until it is opened.  Any thread.
 *
 * DV_OK         *format_out is static text
 * DV_NOT_FOUND  it is something else, such as the text of a pipeline; *format_out is NULL
 * DV_ERR_IO, DV_ERR_MEMORY */
DV_API dv_status dv_fitted_format(const char **format_out, const char *path, dv_error *err);

/* Open a saved pipeline: DVP, or the model.zip of ML.NET (docs/spec/modelzip.md), which are told
 * apart by their first bytes.  All of the file is read and checked; it is not needed afterwards,
 * and may come from anyone.  Any thread.
 *
 * The pipeline is untrusted: dv_fitted_apply refuses steps that act outside the table
 * (dv_pipeline_options); dv_fitted_open_with can allow a folder.
 *
 * A model becomes the same steps as in the notation, with what ML.NET has learned; so it can be
 * shown, and saved as DVP.
 *
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_CORRUPT      the file breaks a rule of docs/spec/dvp.md or docs/spec/modelzip.md, or a
 *                     table one of .idv
 * DV_ERR_UNSUPPORTED  a later version of the format, or of a step, or steps that this version does
 *                     not have: the message lists them; or a zip file that is no model, or packed
 *                     in a way that ML.NET does not use
 * DV_ERR_LIMIT        tables beyond the limits of dv_open_options, or texts of 2^31 bytes; or a
 *                     model of more than 1 GiB or 4,096 steps
 * DV_ERR_IO, DV_ERR_MEMORY */
DV_API dv_status dv_fitted_open(dv_fitted **fitted_out, const char *path,
                                const dv_allocator *allocator, dv_error *err);

/* Start from DV_FITTED_OPTIONS_INIT.
 *
 * until_unknown  a model of ML.NET ends before the first step that this version does not have, such
 *                as a trainer (dv_fitted_left_out)
 * allowed        steps that act outside the table may open files below this folder, which the
 *                pipeline retains.  NULL: they are refused
 */
typedef struct dv_fitted_options {
    size_t size; /* sizeof(dv_fitted_options), set by the INIT */
    bool until_unknown;
    dv_folder *allowed;
} dv_fitted_options;

#define DV_FITTED_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_fitted_options), false, NULL                                                     \
    }

/* As dv_fitted_open, with options; NULL: the defaults. */
DV_API dv_status dv_fitted_open_with(dv_fitted **fitted_out, const char *path,
                                     const dv_fitted_options *options,
                                     const dv_allocator *allocator, dv_error *err);

/* The same, but a model of ML.NET ends before its first step that this version does not have, such
 * as a trainer; all after it is left out too. */
DV_API dv_status dv_fitted_open_until_unknown(dv_fitted **fitted_out, const char *path,
                                              const dv_allocator *allocator, dv_error *err);

/* The step that dv_fitted_open_until_unknown found unknown: its signature, and in parentheses the
 * name that ML.NET loads it by.  Empty: nothing was left out.  Valid as long as `fitted`. */
DV_API dv_text dv_fitted_left_out(const dv_fitted *fitted);

/* Fit a pipeline on a view and apply it to the same view: dv_pipeline_parse, dv_fit and
 * dv_fitted_apply.  options may be NULL. */
DV_API dv_status dv_view_pipe(dv_view **view_out, dv_view *source, dv_text pipeline,
                              const dv_fit_options *options, const dv_allocator *allocator,
                              dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
