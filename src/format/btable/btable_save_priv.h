/* SPDX-License-Identifier: MIT */
/* btable_save_priv.h: what of a view a BTable can hold, and where its labels come from. */
#ifndef DVI_BTABLE_SAVE_PRIV_H
#define DVI_BTABLE_SAVE_PRIV_H

#include "format/btable/btable_priv.h"
#include "save/save.h"

/* What is saved: one column of vectors, or all columns of numbers as the slots of one. */
typedef struct dvi_btable_plan {
    const dvi_saving *saving;
    bool is_vector;
    int32_t *columns; /* of the schema; one when is_vector */
    int32_t count;
    int32_t slots;
    int32_t names; /* which metadata of the vector holds its labels; -1: they are empty */
} dvi_btable_plan;

/* Choose.  Columns that have no place are not in the plan, which dvi_btable_plan_free frees also
 * after a failure; a count of 0: there is nothing to save.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_btable_plan_make(dvi_btable_plan *plan, const dvi_saving *saving, dv_error *err);
void dvi_btable_plan_free(dvi_btable_plan *plan);

/* A name of a slot; NA has a negative length. */
typedef struct dvi_btable_label {
    dv_text text;
    int32_t slot;
} dvi_btable_label;

/* Is any label not empty?  Unless there are names, all of them are. */
static inline bool dvi_btable_has_labels(const dvi_btable_plan *plan)
{
    return !plan->is_vector || plan->names >= 0;
}

/* Call put with each label in turn; only where there are any. */
dv_status dvi_btable_each_label(const dvi_btable_plan *plan,
                                dv_status (*put)(void *ctx, const dvi_btable_label *label,
                                                 dv_error *err),
                                void *ctx, dv_error *err);

/* UTF-16 units of valid UTF-8. */
int64_t dvi_btable_units(dv_text text);
/* Is it a separator's? */
bool dvi_btable_has_separator(dv_text text);

/* The number of this kind at p as f8, NA as NaN.  false: it has digits that f8 cannot hold. */
bool dvi_btable_number(dv_kind kind, const uint8_t *p, double *value_out);
bool dvi_btable_is_number(const dv_type *item);

/* For the format's record. */
dv_status dvi_btable_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err);
dv_status dvi_btable_save(const dvi_saving *saving, dvi_writer *writer, dv_error *err);

#endif
