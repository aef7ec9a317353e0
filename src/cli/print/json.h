/* SPDX-License-Identifier: MIT */
/* json.h: builds the one JSON document of a verb (docs/cli.schema.json). */
#ifndef DVI_CLI_JSON_H
#define DVI_CLI_JSON_H

#include "cli/args/args.h"
#include "cli/terminal/out.h"
#include <dataview/value.h>
#include <jansson.h>

/* A document in memory: nothing is written before it is complete, so a reader gets all or nothing.
 * Running out of memory is remembered and reported at the end; what is added later is dropped. */
typedef struct dvi_json {
    char *text; /* owned */
    size_t nbytes, cap;
    bool needs_comma, is_failed;
} dvi_json;

/* Begin the document of a verb, with the files that it is about; args: NULL for none. */
void dvi_json_begin(dvi_json *json, const char *verb, const dvi_args *args);
/* End, write and free the document.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM after a message that memory
 * ran out. */
dvi_exit dvi_json_end(dvi_json *json, dvi_out *out);
/* Free it unwritten. */
void dvi_json_free(dvi_json *json);

/* A member of an object has a name; an item of a list has none (NA, NULL). */

/* Begin an object '{' or a list '['; inside a list it starts a new line.  dvi_json_close takes the
 * closing bracket. */
void dvi_json_open(dvi_json *json, dv_text name, char bracket);
void dvi_json_close(dvi_json *json, char bracket);
/* Add a value and take ownership; a NULL value is a failed allocation. */
void dvi_json_put(dvi_json *json, const char *name, json_t *value);
/* Add a member; its value is the JSON written to the returned sink, so that reals keep every bit.
 */
dv_sink dvi_json_member(dvi_json *json, dv_text name);

/* Values. */
json_t *dvi_json_count(int64_t n);               /* null below 0: unknown */
json_t *dvi_json_text(dv_text text);             /* null for NA; ill-formed UTF-8 as \xFF */
json_t *dvi_json_cstr(const char *text);         /* the same; NULL: null */
json_t *dvi_json_type(const dv_type *type);      /* its notation */
json_t *dvi_json_rate(double n, double seconds); /* whole, per second; null if not finite */
json_t *dvi_json_real(double x);                 /* a ratio in 6 digits; null if not finite */
json_t *dvi_json_ns(double seconds);             /* whole nanoseconds */

#endif
