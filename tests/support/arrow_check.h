/* SPDX-License-Identifier: MIT */
/* arrow_check.h: a strict reader of the Arrow C data interface, written from its specification, not
 * from our exporter. */
#ifndef DVT_ARROW_CHECK_H
#define DVT_ARROW_CHECK_H

#include <dataview/arrow.h>
#include <stdbool.h>

/* What is wrong with a schema, or with an array of that schema, as a sentence; NULL: nothing.  The
 * sentence is static, and valid until the next call in this thread. */
const char *dvt_arrow_schema_wrong(const struct ArrowSchema *schema);
const char *dvt_arrow_array_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema);

/* Whether slot i is valid. */
bool dvt_arrow_is_valid(const struct ArrowArray *array, int64_t i);

/* Print slot i as text: numbers in decimal, texts in quotes, "null", [ ] around lists, { } around
 * structs, the value of a dictionary. */
void dvt_arrow_print(char *dst, size_t cap, const struct ArrowArray *array,
                     const struct ArrowSchema *schema, int64_t i);

#endif
