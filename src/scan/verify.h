/* SPDX-License-Identifier: MIT */
/* verify.h: what the verification of every view shares. */
#ifndef DVI_SCAN_VERIFY_H
#define DVI_SCAN_VERIFY_H

#include <dataview/inspect.h>

/* Report a defect to the caller. DV_OK: continue; DV_END: the caller wants to stop; if `found` is
 * not a defect but an error such as DV_ERR_IO, that error. */
dv_status dvi_verify_report(const dv_verify_options *options, const dv_error *found, dv_error *err);

/* Read every metadata value of every column, and report defects. Returns as dvi_verify_report. */
dv_status dvi_verify_metadata(const dv_schema *schema, const dv_verify_options *options,
                              dv_error *err);

#endif
