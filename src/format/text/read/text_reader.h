/* SPDX-License-Identifier: MIT */
/* text_reader.h: which lines of a file are data?  (semantics:6.3) */
#ifndef DVI_FORMAT_TEXT_READER_H
#define DVI_FORMAT_TEXT_READER_H

#include "format/text/read/text_fields.h"
#include "format/text/read/text_lines.h"

/* A file, from its start or from a line that a reader came to.  A plain value, but for the memory
 * of its members. */
typedef struct dvi_text_reader {
    dvi_text_lines lines;
    dvi_text_dialect dialect;
    bool trim, multilines;
    bool has_begun;     /* the first real line is passed: # is no comment any more */
    dvi_memory *joined; /* a line that goes on in quotes */
} dvi_text_reader;

/* From the start of the file.  The reader must be freed, after a failure too. */
dv_status dvi_text_reader_start(dvi_text_reader *reader, dvi_map *map,
                                const dvi_text_options *options, int64_t limit, dv_error *err);
void dvi_text_reader_free(dvi_text_reader *reader);
/* Another one at the same line, with memory of its own. */
dvi_text_reader dvi_text_reader_twin(const dvi_text_reader *reader);

/* The next real line: no comment, not empty, with the lines into which its quotes go on.  Good
 * until the next call.
 * DV_OK; DV_END; DV_ERR_CORRUPT: the file ends inside quotes; DV_ERR_LIMIT, DV_ERR_MEMORY,
 * DV_ERR_IO: the reader stays where it was. */
dv_status dvi_text_reader_next(dvi_text_reader *reader, dv_text *line_out, int64_t *offset_out,
                               dv_error *err);

#endif
