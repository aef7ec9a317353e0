/* SPDX-License-Identifier: MIT */
/* datadings_check.h: a verification of a set under way. */
#ifndef DVI_DATADINGS_CHECK_H
#define DVI_DATADINGS_CHECK_H

#include "view/verify.h"
#include "format/datadings/index/datadings_files_priv.h"

typedef struct dvi_datadings_check {
    dvi_datadings_set *set;
    const dv_verify_options *options;
    int64_t done, all; /* bytes */
    int64_t told;      /* of `done`, in steps */
} dvi_datadings_check;

/* Tell the caller what is wrong with a file of the set (NULL: the error names it).
 * DV_OK: go on; DV_END: the caller stops; or `found` is the system's word, which is passed on. */
dv_status dvi_datadings_report(dvi_datadings_check *check, dv_error *found, const dvi_map *map,
                               dv_error *err);
/* So many bytes more are done.  DV_OK, DV_END. */
dv_status dvi_datadings_progress(dvi_datadings_check *check, int64_t nbytes);

/* datadings_digests.c: are the files those that .md5 lists?  Rows 23 and 43.  Statuses as above. */
dv_status dvi_datadings_check_md5(dvi_datadings_check *check, dv_error *err);

#endif
