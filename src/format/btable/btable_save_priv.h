/* SPDX-License-Identifier: MIT */
/* btable_save_priv.h: the plan of a save: columns and labels of a BTable. */
#ifndef DVI_BTABLE_SAVE_PRIV_H
#define DVI_BTABLE_SAVE_PRIV_H

#include "format/btable/btable_priv.h"
#include "save/save.h"

/* The saved columns: one column of vectors, or columns of numbers that become its slots. */
typedef struct dvi_btable_plan {
    const dvi_saving *saving;
    bool is_vector;
    int32_t *columns; /* of the schema; one when is_vector */
    int32_t count;
    int32_t slots;
    int32_t names; /* index of the metadata of the vector with its labels; -1: labels are empty */
} dvi_btable_plan;

/* Choose the columns that can be saved; count is 0 if there are none. The plan must be freed, also
 * after a failure. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_btable_plan_make(dvi_btable_plan *plan, const dvi_saving *saving, dv_error *err);
void dvi_btable_plan_free(dvi_btable_plan *plan);

/* The name of a slot; NA has a negative length. */
typedef struct dvi_btable_label {
    dv_text text;
    int32_t slot;
} dvi_btable_label;

/* Does the plan have names for labels? If not, all labels are empty. */
static inline bool dvi_btable_has_labels(const dvi_btable_plan *plan)
{
    return !plan->is_vector || plan->names >= 0;
}

/* Call put with each label, in the order of slots, if the plan has labels.  A slot that a sparse
 * value leaves out has an empty label, and is passed over: there may be 2^31. */
dv_status dvi_btable_each_label(const dvi_btable_plan *plan,
                                dv_status (*put)(void *ctx, const dvi_btable_label *label,
                                                 dv_error *err),
                                void *ctx, dv_error *err);

/* The number of UTF-16 units of valid UTF-8. */
int64_t dvi_btable_units(dv_text text);
/* Does the text contain the separator? */
bool dvi_btable_has_separator(dv_text text);

/* Convert the number of this kind at p to R8, NA to NA. false: R8 cannot represent it. */
bool dvi_btable_number(dv_kind kind, const uint8_t *p, double *value_out);
bool dvi_btable_is_number(const dv_type *item);

/* Members of the format record. */
dv_status dvi_btable_check_save(const dvi_saving *saving, dvi_losses *losses, dv_error *err);
dv_status dvi_btable_begin_save(dvi_saver **saver_out, const dvi_saving *saving, dvi_writer *writer,
                                dv_error *err);

#endif
