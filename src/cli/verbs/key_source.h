/* SPDX-License-Identifier: MIT */
/* key_source.h: the keys that find looks up, from the command line and from a file, in portions. */
#ifndef DVI_CLI_KEY_SOURCE_H
#define DVI_CLI_KEY_SOURCE_H

#include "cli/args/args.h"
#include <stdio.h>

#define DVI_KEYS_AT_ONCE 4096

/* A portion of the keys. */
typedef struct dvi_key_source {
    const dvi_args *args;
    int next;   /* of args->keys */
    FILE *file; /* of args->key_file, once it is read; NULL: none */
    char *line; /* read last */
    size_t line_cap;
    bool is_last; /* no portion follows this one */
    char *bytes;  /* of keys from the file */
    size_t bytes_cap;
    dv_text key[DVI_KEYS_AT_ONCE];
    int n;
} dvi_key_source;

/* Start with nothing, or release what it holds. */
void dvi_key_source_init(dvi_key_source *source, const dvi_args *args);
void dvi_key_source_free(dvi_key_source *source);

/* Read the next portion, which replaces the one before.  A line of the file is a key, with all of
 * its bytes but the line feed; so an empty line is the empty key.  DVI_EXIT_DONE, or another status
 * after a message. */
dvi_exit dvi_key_source_next(dvi_key_source *source);

#endif
