/* SPDX-License-Identifier: MIT */
/* arrow_metadata.h: writes the metadata of Arrow fields. */
#ifndef DVI_INTEROP_ARROW_METADATA_H
#define DVI_INTEROP_ARROW_METADATA_H

#include "interop/arrow_plan.h"

/* Write the metadata of field k, in the encoding of the interface, into the arena of the plan:
 * type, name, keys, the metadata of the column, extensions. A field like the one before it has the
 * same. column: of the schema. DV_OK; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_arrow_metadata_of(dvi_arrow_plan *plan, int32_t k, const dv_schema *schema,
                                int32_t column, dv_error *err);

/* The metadata of the schema: which mapping this is. Static. */
dv_text dvi_arrow_mapping(void);

#endif
