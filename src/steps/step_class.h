/* SPDX-License-Identifier: MIT */
/* step_class.h: what kinds of steps do. The classes of the library are in steps/. */
#ifndef DVI_STEPS_STEP_CLASS_H
#define DVI_STEPS_STEP_CLASS_H

#include "steps/step.h"
#include "transform/mapper.h"
#include <dataview/step.h>

/* How much a learner will see of its first source. */
typedef struct dvi_step_amounts {
    int64_t slots;  /* number of slots, or 0 if it is not known */
    int64_t values; /* slots of all rows, if they are known */
} dvi_step_amounts;

/* The integers that a step takes as reals, once it is fitted (fit_widen.h). */
typedef enum dvi_widening {
    DVI_WIDENS_NOTHING = 0,
    DVI_WIDENS_SOURCES, /* the source of each column */
    DVI_WIDENS_ITEMS    /* of sources that a column joins, if their types differ */
} dvi_widening;

/* How a step uses keys, whose numbers may stand for other values in another table. */
typedef enum dvi_key_use {
    DVI_KEYS_READ = 0, /* what it makes depends on the number of each key */
    DVI_KEYS_PASSED,   /* new columns are their sources as they are, or parts of them */
    DVI_KEYS_UNREAD    /* it asks for the values, or whether there are any */
} dvi_key_use;

/* How a learner takes over the state of another one, which has seen the rows after its own: exactly
 * as if it had seen these rows. */
typedef struct dvi_step_parts {
    /* Why a step with these options has to see all rows itself; NULL: it has not. The member NULL:
     * no step has. */
    const char *(*refuses)(const dv_step *step);
    /* Make a table of the rows that a learner has seen. After that it is only freed. */
    dv_status (*show)(dv_view **table_out, void *learner, const dv_allocator *allocator,
                      dv_error *err);
    /* Take such a table, which may come from anyone. DV_ERR_CORRUPT: the step makes no such table.
     */
    dv_status (*add)(void *learner, dv_view *table, dv_error *err);
} dvi_step_parts;

/* A class as callers make them; and a plan (mapper.h), which the classes of the library have in
 * place of `type` and `fill`. */
struct dvi_step_class {
    dv_step_class open;
    dvi_widening widens;
    dvi_key_use keys;
    const dvi_step_parts *parts; /* NULL: a learner has to see all rows itself */
    /* Let a learner keep the keys that its rows get, of a column without vectors: `keys` has room
     * for one of each row of the view (kept_keys.h), and first_row is set before each `see`. If all
     * goes well, the plan for the same view gives these keys. NULL: it has none. */
    void (*keep)(void *learner, dvi_memory *keys, const int64_t *first_row);
    /* Plan a new column. `learned` outlives the view; what the plan keeps of the binding is in the
     * arena. Without `mapped` there is no such column, only the one of extra_option. */
    dv_status (*plan)(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *binding,
                      void *learned, dv_error *err);
    /* Options that name further new columns; NULL ends them, and as the member: none. Without
     * `view` there is one, which comes before the only other column, and this is its plan. */
    const char *const *extra_options;
    dv_status (*plan_extra)(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *binding,
                            dv_error *err);
    /* List the columns of the source that its options name, in the arena. NULL: none. */
    dv_status (*reads)(dv_text **names_out, int32_t *n_out, const dv_step *step, dvi_arena *arena,
                       dv_error *err);
    /* Add what one learner takes at most. NULL: not known. */
    void (*need)(dv_fit_need *need, const dv_step_binding *binding,
                 const dvi_step_amounts *amounts);
};

/* How a plan is bound. */
typedef struct dvi_plan_binding {
    dv_step_binding shown;
    bool reads_again; /* the rows are those from which the step has learned */
} dvi_plan_binding;

/* Is that so of the binding of a plan? */
static inline bool dvi_step_reads_again(const dv_step_binding *binding)
{
    return ((const dvi_plan_binding *)(const void *)binding)->reads_again;
}

/* The classes of the list. */
#define DVI_STEP_OPTION(...)
#define DVI_STEP_CLASS(name, ...) extern const dvi_step_class dvi_class_##name;
DVI_TRANSFORM_LIST(DVI_STEP_CLASS, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION,
                   DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION)
#undef DVI_STEP_CLASS
#undef DVI_STEP_OPTION

/* Does the step learn from rows? The answer depends on its options. */
bool dvi_step_learns(const dvi_step *step);
/* Is each column made of columns? The others are views of views. */
bool dvi_step_makes_columns(const dvi_step *step);
/* Do all rows and columns of the source stay as they are, so that the step only adds columns? */
bool dvi_step_adds_columns(const dvi_step *step);

/* Check that the step may do what it does, before it learns or is applied: the one check of
 * untrusted pipelines. binding: NULL for a step that makes a view. DV_OK; DV_ERR_ARGUMENT: it acts
 * outside the table, and the caller allows nothing. */
dv_status dvi_step_check_trust(const dvi_step *step, const dv_step_binding *binding, dv_error *err);

/* List the names of its further new columns, at most DVI_STEP_EXTRAS; returns how many there are. */
int32_t dvi_step_extras(const dvi_step *step, dv_text *names_out);
/* Is one of them called that? */
bool dvi_step_makes_extra(const dvi_step *step, dv_text name);

/* The number of tables of each of its columns when it is fitted, and their names. */
int32_t dvi_step_tables(const dvi_step *step);
const char *dvi_step_table(const dvi_step *step, int32_t table);

void dvi_learned_free(const dvi_step *step, void *learned); /* NULL is fine */

#define DVI_LEARNERS_MAX 256  /* merged at once */
#define DVI_STEP_TABLES_MAX 8 /* for a column */
#define DVI_STEP_EXTRAS 2

#endif
