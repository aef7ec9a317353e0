/* SPDX-License-Identifier: MIT */
/* text_reader.h: reads the data lines of a file. (semantics:6.3) */
#ifndef DVI_FORMAT_TEXT_READER_H
#define DVI_FORMAT_TEXT_READER_H

#include "format/text/read/text_fields.h"
#include "format/text/read/text_lines.h"

/* A reader of data lines. A plain value, except for the memory of its members. */
typedef struct dvi_text_reader {
    dvi_text_lines lines;
    dvi_text_dialect dialect;
    bool trim, multilines;
    bool keeps_breaks; /* CR and CRLF inside quotes stay, and quotes that no line closes are text */
    bool peeks; /* to be set: without multilines quotes that a later line closes are an error */
    dvi_text_comment comment;
    bool has_begun;     /* the first data line has passed: # no longer starts a comment */
    int32_t skip;       /* lines that are still to be skipped at the start of the file */
    dvi_memory *joined; /* a line that continues inside quotes */
} dvi_text_reader;

/* Start at the beginning of the file. Free the reader even after a failure. */
dv_status dvi_text_reader_start(dvi_text_reader *reader, dvi_map *map,
                                const dvi_text_options *options, dvi_text_limit limit,
                                dv_error *err);
void dvi_text_reader_free(dvi_text_reader *reader);
/* A copy at the same line, with memory of its own. */
dvi_text_reader dvi_text_reader_twin(const dvi_text_reader *reader);

/* The next data line: no comment, not empty, joined with the lines into which its quotes continue.
 * Valid until the next call.
 * DV_OK; DV_END; DV_ERR_CORRUPT: the file ends inside quotes, or with `peeks` a line does;
 * DV_ERR_LIMIT, DV_ERR_MEMORY, DV_ERR_IO: the reader has not moved. */
dv_status dvi_text_reader_next(dvi_text_reader *reader, dv_text *line_out, int64_t *offset_out,
                               dv_error *err);

#endif
