/* SPDX-License-Identifier: MIT */
/* verify.h: what the verification of any view is made of. */
#ifndef DVI_VIEW_VERIFY_H
#define DVI_VIEW_VERIFY_H

#include <dataview/inspect.h>

/* Tell the caller what was found.  DV_OK: go on; DV_END: the caller stops; or `found` is no defect
 * but the system's word, which is passed on. */
dv_status dvi_verify_report(const dv_verify_options *options, const dv_error *found, dv_error *err);

/* Read every metadata value of every column, and report what is wrong.  Same statuses. */
dv_status dvi_verify_metadata(const dv_schema *schema, const dv_verify_options *options,
                              dv_error *err);

#endif
