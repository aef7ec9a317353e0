/* SPDX-License-Identifier: MIT */
/* datadings_options.h: what does a string of options say about reading?  (datadings:12) */
#ifndef DVI_DATADINGS_OPTIONS_H
#define DVI_DATADINGS_OPTIONS_H

#include "base/arena.h"

#define DVI_DATADINGS_INFER 1000 /* samples that tell the columns, and the last one */

/* A column that the caller names. */
typedef struct dvi_datadings_spec {
    dv_text path;   /* "a.b": key b of the map at key a; "\." is a dot of a key */
    dv_type type;   /* its dims are the arena's */
    bool is_opaque; /* BY, the value's msgpack bytes */
} dvi_datadings_spec;

typedef struct dvi_datadings_options {
    int64_t infer;             /* first samples that are looked at; INT64_MAX: all */
    bool scan;                 /* walk over the messages, whatever stands beside them */
    bool raw;                  /* key and message, nothing decoded */
    bool confirm;              /* a look-up compares the key's text */
    bool strict;               /* rows 31 and 34 of datadings:8 are errors too */
    bool mismatch_na;          /* a value of another type is missing, no error */
    dvi_datadings_spec *specs; /* arena */
    int32_t specs_count;       /* 0: inferred */
} dvi_datadings_options;

/* Read them; NULL is "".  Texts are the arena's.
 * DV_OK; DV_ERR_ARGUMENT: an unknown option, one that is there twice, a value that is none, a type
 * that no message tells, options that exclude each other; DV_ERR_MEMORY. */
dv_status dvi_datadings_options_read(dvi_datadings_options *options_out, const char *text,
                                     dvi_arena *arena, dv_error *err);

#endif
