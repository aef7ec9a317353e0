/* SPDX-License-Identifier: MIT */
/* elementwise.h: columns that are made value by value: value i of a vector of value i of the
 * source, by a function that may differ from slot to slot. */
#ifndef DVI_TRANSFORM_ELEMENTWISE_H
#define DVI_TRANSFORM_ELEMENTWISE_H

#include "transform/mapper.h"

/* Map `rows` runs of n values each, end to end; src lies at any address. indices: the slot of each
 * value of the only run; NULL: value i of each run is in slot i. */
typedef void dvi_map_values(const void *state, void *dst, const void *src, const char *indices,
                            size_t n, size_t rows);

/* A kind of function. One static const struct each. */
typedef struct dvi_elementwise_kind {
    const char *name; /* in the identity of the view */
    dvi_map_values *map;
    void (*identify)(const void *state, dv_identity *identity); /* add the state */
} dvi_elementwise_kind;

typedef struct dvi_elementwise {
    const dvi_elementwise_kind *kind;
    const void *state;  /* of `map`; must outlive the view */
    dv_kind item;       /* of the new column, which has the dims of the source; of fixed width */
    bool is_uniform;    /* the function is that of slot 0 for all slots */
    bool is_normalized; /* else IsNormalized is that of the source */
    bool is_built;      /* vectors of reals are laid out anew (built_rows.h) */
} dvi_elementwise;

/* Plan a column of such values. column_out gets type and `mapped`. Sparse vectors stay sparse
 * unless the default value becomes another one. The metadata: IsNormalized, and SlotNames of
 * vectors. The source has items of fixed width, and unless is_uniform a known size. */
dv_status dvi_elementwise_plan(dvi_new_column *column_out, dvi_arena *arena,
                               const dv_schema *source, int32_t column,
                               const dvi_elementwise *function, dv_error *err);

/* The function that a column is made by, and whether slots without an item become another value
 * than the default; NULL: it is made another way. */
const dvi_elementwise *dvi_elementwise_of(const dvi_mapped *mapped, bool *fills_out);

/* Map values, as dvi_map_values; by the function of slot 0 if that is that of all slots. */
void dvi_elementwise_map(const dvi_elementwise *function, void *dst, const void *src,
                         const char *indices, size_t n, size_t rows);

/* Let a column be made by a function of its sources, which have been set. What it needs is in the
 * arena. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_elementwise_set(dvi_mapped *mapped, dvi_arena *arena, const dvi_elementwise *function,
                              bool fills, dv_error *err);

/* Let a new column inherit one kind of metadata, if the source has it. */
dv_status dvi_elementwise_inherit(dv_schema *schema, int32_t column, const dv_schema *source,
                                  int32_t source_column, const char *kind, dv_error *err);

#endif
