/* SPDX-License-Identifier: MIT */
/* pipe_notation_priv.h: what reading and writing of pipelines share. */
#ifndef DVI_PIPELINE_PIPE_NOTATION_PRIV_H
#define DVI_PIPELINE_PIPE_NOTATION_PRIV_H

#include "pipeline/pipe_notation.h"

/* What ends a name that is not quoted, besides blanks and the end of the step. */
#define DVI_NOTATION_MARKS ":,=\"[]#"

#define DVI_NOTATION_DIMS 8 /* of a type, at most */

/* What a message expects: "one of a, b, c". */
typedef struct dvi_notation_list {
    char text[512];
} dvi_notation_list;

dvi_notation_list dvi_notation_steps(void);
dvi_notation_list dvi_notation_options(const dv_transform_info *info);

#endif
