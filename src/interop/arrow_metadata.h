/* SPDX-License-Identifier: MIT */
/* arrow_metadata.h: writes the metadata of Arrow fields. */
#ifndef DVI_INTEROP_ARROW_METADATA_H
#define DVI_INTEROP_ARROW_METADATA_H

#include "interop/arrow_plan.h"

/* Write the metadata of a field, in the encoding of the interface, into the arena of the plan:
 * type, name, keys, the metadata of the column, extensions. column: of the schema. DV_OK;
 * DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_arrow_metadata_of(dv_text *metadata_out, dvi_arrow_plan *plan,
                                const dvi_arrow_field *field, const dv_schema *schema,
                                int32_t column, dv_error *err);

/* The metadata of the schema: which mapping this is. Static. */
dv_text dvi_arrow_mapping(void);

#endif
