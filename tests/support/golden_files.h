/* SPDX-License-Identifier: MIT */
/* golden_files.h: lists and opens golden files. */
#ifndef DVT_GOLDEN_FILES_H
#define DVT_GOLDEN_FILES_H

#include "support/file.h"
#include "support/golden.h"
#include <dataview/open.h>

/* A golden file NAME.idv, and its truth: NAME.jsonl beside it. */
typedef struct dvt_golden {
    const char *path; /* of the .idv file */
    dv_text lines;    /* of the truth, and the same parsed */
    const dvt_table *truth;
    dvt_mapping mapping;
} dvt_golden;

/* Call check for each golden .idv file: those in tests/golden, and those below DV_GOLDEN_DIR
 * where the environment names such a folder, but for copies of the former.  Returns how many there
 * were.  A folder without any, and a truth that is missing or no table, end the program. */
int dvt_golden_each(void (*check)(const dvt_golden *golden));

/* The same for the files of one folder, which end in its name: "btable". */
int dvt_golden_each_in(const char *folder, void (*check)(const dvt_golden *golden));

/* The same for one of those in tests/golden: "idv/people.idv". */
void dvt_golden_one(const char *name, void (*check)(const dvt_golden *golden));

/* Call check with the path and name of each folder in a golden folder such as "transform": of
 * tests/golden, or with is_shared of the one that DV_GOLDEN_DIR names.  Returns the sum of what
 * check returned; -1: the environment names none. */
int dvt_golden_folders(const char *folder, bool is_shared,
                       int (*check)(const dvt_path *path, const char *name, void *ctx), void *ctx);

/* Open one of those in tests/golden: "idv/people.idv".  NULL ends the program. */
dv_view *dvt_golden_open(const char *name, const dv_open_options *options);

/* Do these lines equal that range of the expected table? If not, the message shows the first
 * difference. */
bool dvt_golden_same(const dvt_golden *golden, const dvt_part *part, dv_text lines,
                     char message_out[DVT_MESSAGE_NBYTES]);

/* Path of a file in tests/: "golden/idv/people.idv". */
dvt_path dvt_test_path(const char *name);

#endif
