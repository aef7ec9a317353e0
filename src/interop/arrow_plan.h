/* SPDX-License-Identifier: MIT */
/* arrow_plan.h: what each column becomes in Arrow, decided by its type and metadata alone. */
#ifndef DVI_INTEROP_ARROW_PLAN_H
#define DVI_INTEROP_ARROW_PLAN_H

#include "base/arena.h"
#include <dataview/arrow.h>

/* How scalars, or the items of a vector, are handed out. */
typedef enum dvi_arrow_form {
    DVI_ARROW_PLAIN, /* values as they lie */
    DVI_ARROW_BITS,  /* BL: a bit each */
    DVI_ARROW_TEXT,  /* TX and BY: offsets are made */
    DVI_ARROW_CLOCK, /* TS and DT, in another unit */
    DVI_ARROW_UTC,   /* DZ: the time in UTC */
    DVI_ARROW_ZONED, /* DZ: a struct of the time in UTC and the minutes */
    DVI_ARROW_CODES  /* keys: the stored number less 1, plus first_code */
} dvi_arrow_form;

typedef enum dvi_arrow_list {
    DVI_ARROW_SCALAR,
    DVI_ARROW_FIXED, /* fixed_size_list */
    DVI_ARROW_LIST,
    DVI_ARROW_SPARSE /* list of struct<index, value> */
} dvi_arrow_list;

typedef struct dvi_arrow_field {
    dv_text name;
    dv_type type;     /* its dims are those of the schema */
    dv_text metadata; /* of the field, in the encoding of the interface */
    bool is_plain;    /* it tells the type, and nothing else */
    dvi_arrow_form form;
    dvi_arrow_list list;
    char format[16];  /* of the items */
    bool is_nullable; /* the items */
    size_t code_width;
    uint64_t first_code;
    const struct dvi_arrow_field *values; /* of the dictionary; NULL: there is none */
    struct ArrowArray dictionary;
} dvi_arrow_field;

typedef struct dvi_arrow_plan {
    dv_arrow_options options;
    dv_cursor_options cursor; /* of options.cursor */
    dv_allocator allocator;
    dvi_arena arena;
    int32_t n;
    dvi_arrow_field *fields;
} dvi_arrow_plan;

/* Read the options, and decide for the columns of the schema that options->cursor has. Reads
 * their metadata. DV_OK; DV_ERR_ARGUMENT, DV_ERR_MEMORY, and what dv_schema_metadata_value
 * returns. dvi_arrow_plan_free is for every plan, also after a failure. */
dv_status dvi_arrow_plan_make(dvi_arrow_plan *plan, const dv_schema *schema,
                              const dv_arrow_options *options, const dv_allocator *allocator,
                              dv_error *err);
void dvi_arrow_plan_free(dvi_arrow_plan *plan);

/* The schema of all fields as a struct, or of one. DV_OK; DV_ERR_MEMORY: release is NULL. */
dv_status dvi_arrow_schema_of(struct ArrowSchema *schema_out, const dvi_arrow_plan *plan,
                              dv_error *err);
dv_status dvi_arrow_schema_of_field(struct ArrowSchema *schema_out, const dvi_arrow_field *field,
                                    const dv_allocator *allocator, dv_error *err);

#endif
