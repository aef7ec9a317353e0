/* SPDX-License-Identifier: MIT */
/* key_names.h: SlotNames of vectors that are made of keys (semantics:7.3). They are made on
 * request. */
#ifndef DVI_TRANSFORM_KEY_NAMES_H
#define DVI_TRANSFORM_KEY_NAMES_H

#include <dataview/schema.h>
#include <dataview/value.h>

/* The number of the KeyValues of a column of keys, if they are texts and there is one for each key;
 * else -1. */
int32_t dvi_key_texts(const dv_schema *schema, int32_t column);

/* The number of the SlotNames of a column of vectors of known size, if they are texts and there is
 * one for each slot; else -1. */
int32_t dvi_key_slot_names(const dv_schema *schema, int32_t column);

/* The text of a slot of a vector of texts; empty if it has none. */
dv_text dvi_key_text(const dv_value *vector, int32_t slot);

/* Make a batch of one row of that type, V<TX,...>: for each slot of a column of vectors of known
 * size, its name with each of the texts, "slot.text"; a slot without a name is called "[0]", "[1]"
 * and so on. `texts` is a vector of texts. DV_ERR_LIMIT: the names have more than 2^31-1 bytes. */
dv_status dvi_key_names_of_slots(const dv_batch **batch_out, const dv_type *type,
                                 const dv_schema *schema, int32_t column, const dv_value *texts,
                                 const dv_allocator *allocator, dv_error *err);

#endif
