/* SPDX-License-Identifier: MIT */
/* datadings_options.h: the options for reading datadings (datadings:12). */
#ifndef DVI_DATADINGS_OPTIONS_H
#define DVI_DATADINGS_OPTIONS_H

#include "base/arena.h"
#include "base/hashtab.h"

#define DVI_DATADINGS_INFER 1000 /* first samples that are read to infer columns, by default */

/* A column that the caller names. */
typedef struct dvi_datadings_spec {
    dv_text path;   /* "a.b": key b of the map at key a; "\." is a dot of a key */
    dv_type type;   /* its dims are in the arena */
    bool is_opaque; /* BY, the value's msgpack bytes */
} dvi_datadings_spec;

typedef struct dvi_datadings_options {
    int64_t infer;             /* first samples to read for inference; INT64_MAX: all */
    bool scan;                 /* read all messages to find samples; ignore side files */
    bool raw;                  /* two columns, key and undecoded message */
    bool confirm;              /* look-ups compare the text of keys; the default */
    bool strict;               /* rows 31 and 34 of datadings:8 are errors */
    bool mismatch_na;          /* a value that does not fit its column is NA, not an error */
    dvi_datadings_spec *specs; /* arena */
    int32_t specs_count;       /* 0: inferred */
    dv_text *names;            /* arena; of raw messages: entries that are kept or dropped */
    int32_t names_count;       /* 0: messages as they are */
    dvi_hashtab by_name;       /* the same */
    bool keeps;                /* only these entries, and the key; else all but these */
} dvi_datadings_options;

/* Parse options; NULL is "". Texts are copied to the arena. The options must be freed, also after
 * a failure.
 * DV_OK; DV_ERR_ARGUMENT: an unknown option, an option given twice, a bad value, a type that no
 * message can hold, options that exclude each other; DV_ERR_MEMORY. */
dv_status dvi_datadings_options_read(dvi_datadings_options *options_out, const char *text,
                                     dvi_arena *arena, dv_error *err);
void dvi_datadings_options_free(dvi_datadings_options *options);

#endif
