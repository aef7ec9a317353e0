/* SPDX-License-Identifier: MIT */
/* lines.h: a growing text for the JSON lines of a test. */
#ifndef DVT_LINES_H
#define DVT_LINES_H

#include <dataview/value.h>

/* Start from {0}.  data has a NUL after its nbytes, and is NULL until something is added.
 * Memory that runs out ends the test. */
typedef struct dvt_lines {
    char *data;
    size_t nbytes, cap;
} dvt_lines;

void dvt_lines_free(dvt_lines *lines); /* then {0} again */

void dvt_lines_add(dvt_lines *lines, const char *data, size_t nbytes);
void dvt_lines_print(dvt_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Text as a JSON string; NA as null. */
void dvt_lines_string(dvt_lines *lines, dv_text text);
/* A scalar that is no text, as golden files write it: `bits` at any address, of that type. */
void dvt_lines_fixed(dvt_lines *lines, const dv_type *type, const void *bits);
void dvt_lines_zoned(dvt_lines *lines, dv_zoned value);
/* Raw bytes as "by:HEX". */
void dvt_lines_bytes(dvt_lines *lines, dv_text bytes);
/* What the library writes goes here too. */
dv_sink dvt_lines_sink(dvt_lines *lines);

dv_text dvt_lines_text(const dvt_lines *lines);
uint64_t dvt_lines_hash(const dvt_lines *lines);

#endif
