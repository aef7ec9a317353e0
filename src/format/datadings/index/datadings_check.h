/* SPDX-License-Identifier: MIT */
/* datadings_check.h: the state of a verification of a set. */
#ifndef DVI_DATADINGS_CHECK_H
#define DVI_DATADINGS_CHECK_H

#include "scan/verify.h"
#include "format/datadings/index/datadings_files_priv.h"

typedef struct dvi_datadings_check {
    dvi_datadings_set *set;
    const dv_verify_options *options;
    int64_t done, all; /* bytes */
    int64_t reported;  /* steps reported to the caller */
} dvi_datadings_check;

/* Report a defect of a file of the set (NULL: the error names the file) to the caller.
 * DV_OK; DV_END: the caller stops; else `found` is an error of the system, which is copied to err.
 */
dv_status dvi_datadings_report(dvi_datadings_check *check, dv_error *found, const dvi_map *map,
                               dv_error *err);
/* Add nbytes to the progress. DV_OK; DV_END: the caller stops. */
dv_status dvi_datadings_progress(dvi_datadings_check *check, int64_t nbytes);

/* datadings_digests.c: compare the files with the digests in .md5 (rows 23 and 43 of datadings:8).
 * Statuses as for dvi_datadings_report. */
dv_status dvi_datadings_check_md5(dvi_datadings_check *check, dv_error *err);

#endif
