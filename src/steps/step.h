/* SPDX-License-Identifier: MIT */
/* step.h: a step of a pipeline: its name, its columns and the values of its options. */
#ifndef DVI_STEPS_STEP_H
#define DVI_STEPS_STEP_H

#include "base/arena.h"
#include "steps/transforms.h"
#include <dataview/step.h>

/* The steps, in the order of the list. */
#define DVI_STEP_OPTION(...)
#define DVI_STEP_MEMBER(name, ...) DVI_STEP_##name,
typedef enum dvi_step_kind {
    DVI_TRANSFORM_LIST(DVI_STEP_MEMBER, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION,
                       DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION, DVI_STEP_OPTION) DVI_STEPS
} dvi_step_kind;
#undef DVI_STEP_MEMBER
#undef DVI_STEP_OPTION

typedef struct dvi_step_class dvi_step_class; /* step_class.h */

const dv_transform_info *dvi_transform_find(dv_text name); /* NULL: there is none */

/* The value of an option; `texts` has one entry for every kind but DV_STEP_OPTION_TEXTS, of which
 * `number` and `integer` are made. Of a table it is the name. Without a value n is 0. */
typedef struct dvi_option_value {
    const dv_text *texts;
    int64_t n;
    int64_t integer; /* of a flag: 0 or 1; of a word: its place among the words */
    double number;
    dv_view *table; /* which the arena owns; NULL: a table of which only the name is known */
    bool is_given;  /* else it is the initial value */
} dvi_option_value;

/* How a source is written. */
typedef enum dvi_source_form {
    DVI_SOURCE_NAME = 0,
    DVI_SOURCE_GLOB = 1, /* 'A*': all columns of such names */
    DVI_SOURCE_TYPE = 2  /* #R4: all columns of that type */
} dvi_source_form;

/* A new column and what it is made of. */
typedef struct dvi_step_column {
    dv_text name; /* NA: each column that its only source, a pattern, means is replaced */
    const dv_text *sources;
    const uint8_t
        *forms; /* dvi_source_form of each source; NULL: all are names, as after fitting */
    int32_t n;
} dvi_step_column;

/* What an untrusted pipeline may do outside the table. */
typedef struct dvi_step_trust {
    dv_folder *allowed; /* files below it may be opened; NULL: none */
} dvi_step_trust;

/* A step. What it points to is in an arena. */
typedef struct dv_step {
    const dv_transform_info *info;
    const dvi_step_class *cls;
    const dvi_step_column *columns;
    int32_t columns_count;
    const dvi_option_value *values; /* one for each option */
    const dvi_step_trust *trust;    /* NULL: the caller wrote the step, which may do anything */
} dvi_step;

/* The value of an option; one without texts if the kind of step has no such option. */
const dvi_option_value *dvi_step_option(const dvi_step *step, const char *name);

/* Set the value of an option from what stands after its name: the texts of a list, one text
 * otherwise. DV_OK; DV_ERR_ARGUMENT: expected and found; DV_ERR_MEMORY. */
dv_status dvi_option_read(dvi_option_value *value_out, const dv_step_option *info,
                          const dv_text *texts, int64_t n, dvi_arena *arena, dv_error *err);

#endif
