/* SPDX-License-Identifier: MIT */
/* json_tree.h: parses JSON into a tree.  Numbers stay text, for 64 bits and more. */
#ifndef DVT_JSON_TREE_H
#define DVT_JSON_TREE_H

#include "base/arena.h"

typedef enum dvt_json_kind {
    DVT_JSON_NULL,
    DVT_JSON_FALSE,
    DVT_JSON_TRUE,
    DVT_JSON_NUMBER,
    DVT_JSON_STRING,
    DVT_JSON_ARRAY,
    DVT_JSON_OBJECT
} dvt_json_kind;

/* A value.  Lives as long as the arena and the text that was parsed. */
typedef struct dvt_json {
    dvt_json_kind kind;
    dv_text source; /* as it was written */
    dv_text text;   /* strings: decoded, may hold NUL */
    dv_text key;    /* members of an object: decoded */
    int64_t count;  /* arrays and objects: how many values, the first of which is: */
    struct dvt_json *first, *next;
} dvt_json;

/* Parse one JSON value with nothing but white space around it.  NULL: not JSON, which includes
 * invalid UTF-8, lone surrogates and nesting beyond 64. */
const dvt_json *dvt_json_parse(dvi_arena *arena, dv_text text);

/* The last member of that name; NULL: none, or no object. */
const dvt_json *dvt_json_member(const dvt_json *object, const char *key);
/* Item i of an array; NULL outside. */
const dvt_json *dvt_json_item(const dvt_json *array, int64_t i);
/* Is it the string `text`? */
bool dvt_json_is_text(const dvt_json *value, const char *text);

/* Same value: numbers by their text, objects member by member in the order written. */
bool dvt_json_same(const dvt_json *a, const dvt_json *b);

/* A number as int64_t; the value must be one, without fraction or exponent. */
int64_t dvt_json_int(const dvt_json *number);

#endif
