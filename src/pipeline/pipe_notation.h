/* SPDX-License-Identifier: MIT */
/* pipe_notation.h: pipelines as text.
 *
 *   pipeline  step (";" or the end of a line) step ...
 *   step      NAME columns options
 *   columns   New:Source  New:A,B  Column
 *   name      with blanks or any of : , = ; # " [ ] @ in it, or + or - at its end: in quotes
 *   patterns  'A*'  #R4, in the place of a name
 *   options   name=value  name+  name-
 *   value     a word, "a text", [a "b c" d], or @FILE
 *   #         before anything but a type, a comment to the end of the line
 *
 * In quotes \" is a quote, \\ a backslash, \t a tab, \n and \r ends of lines, and \xNN the
 * character U+00NN. */
#ifndef DVI_PIPELINE_PIPE_NOTATION_H
#define DVI_PIPELINE_PIPE_NOTATION_H

#include "steps/step.h"
#include <dataview/value.h>

typedef struct dvi_steps {
    dvi_arena arena; /* of all that follows */
    const dvi_step *step;
    int32_t count;
    dvi_step_trust *trust; /* shared by the steps of an untrusted text; NULL: it is trusted */
} dvi_steps;

#define DVI_NOTATION_NBYTES ((int64_t)1 << 26) /* the longest text */

/* Parse a pipeline. The text is not kept. options: how files are read; NULL: none is.
 *
 * DV_OK; there may be no step
 * DV_ERR_ARGUMENT  err->offset is the byte of the text, and the message names step and option; or
 *                  more than DVI_NOTATION_NBYTES
 * DV_ERR_MEMORY; statuses of reading files
 *
 * After a failure there is nothing to free. */
dv_status dvi_notation_parse(dvi_steps *steps_out, dv_text text, const dv_pipeline_options *options,
                             const dv_allocator *allocator, dv_error *err);
void dvi_steps_free(dvi_steps *steps);

/* Write a step as text that parses as the same step: columns, then the options that were given, in
 * the order of the list. */
dv_status dvi_notation_write(const dvi_step *step, const dv_sink *sink, dv_error *err);

#endif
