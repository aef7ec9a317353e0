/* SPDX-License-Identifier: MIT */
/* json.h: how do facts become one JSON document?  (docs/cli.schema.json) */
#ifndef DVI_CLI_JSON_H
#define DVI_CLI_JSON_H

#include "cli/args.h"
#include <dataview/value.h>
#include <jansson.h>

/* A document that grows in memory: nothing is written before all of it is known, so that whoever
 * reads it gets all or nothing.  Running out of memory is told at the end; what is added after it
 * is dropped. */
typedef struct dvi_json {
    char *text; /* owned */
    size_t nbytes, cap;
    bool needs_comma, is_failed;
} dvi_json;

/* Begin the document of a verb, and say which files it is about; args: NULL when about none. */
void dvi_json_begin(dvi_json *json, const char *verb, const dvi_args *args);
/* End the document and write it.  DVI_EXIT_DONE, or DVI_EXIT_SYSTEM when told that memory ran out.
 * The document is free then. */
dvi_exit dvi_json_end(dvi_json *json, dvi_out *out);
/* Let it go unwritten. */
void dvi_json_free(dvi_json *json);

/* In an object, what is added has a name; in a list it has none (NA, NULL). */

/* Begin an object '{' or a list '['; in a list it has a line of its own.  Its other bracket ends
 * it. */
void dvi_json_open(dvi_json *json, dv_text name, char bracket);
void dvi_json_close(dvi_json *json, char bracket);
/* Add a value, which is taken; NULL: out of memory. */
void dvi_json_put(dvi_json *json, const char *name, json_t *value);
/* Add a member whose value is JSON that goes into the sink: values of columns, to the last bit. */
dv_sink dvi_json_member(dvi_json *json, dv_text name);

/* Values. */
json_t *dvi_json_count(int64_t n);               /* null below 0: not known */
json_t *dvi_json_text(dv_text text);             /* null when NA; no UTF-8: as on a screen, \xFF */
json_t *dvi_json_cstr(const char *text);         /* the same; NULL: null */
json_t *dvi_json_type(const dv_type *type);      /* its notation */
json_t *dvi_json_rate(double n, double seconds); /* whole, per second; null when that is none */
json_t *dvi_json_real(double x);                 /* a ratio: 6 digits; null when not finite */
json_t *dvi_json_ns(double seconds);             /* whole nanoseconds */

#endif
