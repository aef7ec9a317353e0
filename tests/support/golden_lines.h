/* SPDX-License-Identifier: MIT */
/* golden_lines.h: reads the lines and fields of golden text files. */
#ifndef DVT_GOLDEN_LINES_H
#define DVT_GOLDEN_LINES_H

#include "support/json_tree.h"

/* Call check for each line of a golden file ("text/parse/ints.tsv"): of the copy in tests/golden,
 * and of the whole file below DV_GOLDEN_DIR where the environment names such a folder.  Returns
 * how many lines there were; a file that is in neither ends the program. */
int dvt_golden_lines(const char *name, void (*check)(dv_text line));

/* The same for lines that are JSON values. */
int dvt_golden_json(const char *name, void (*check)(const dvt_json *line));

/* Field i of a line with fields separated by tabs, with \t \n \r \\ and \uXXXX in it replaced.
 * Written to dst with a NUL; a missing or too long field ends the program. */
dv_text dvt_line_field(dv_text line, int i, char *dst, size_t cap);

#endif
