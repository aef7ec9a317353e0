/* SPDX-License-Identifier: MIT */
/* verbs.h: which verbs are there, and what do they take? */
#ifndef DVI_CLI_VERBS_H
#define DVI_CLI_VERBS_H

#include "cli/out.h"
#include "cli/say.h"

typedef struct dvi_args dvi_args;

/* What a verb takes: a set of these.  The options of each stand in args.h. */
enum {
    DVI_TAKES_FILE = 1 << 0,    /* opens a file */
    DVI_TAKES_ROWS = 1 << 1,    /* delivers rows and columns of it */
    DVI_TAKES_LINES = 1 << 2,   /* -n */
    DVI_TAKES_FORMAT = 1 << 3,  /* --format */
    DVI_TAKES_DETAIL = 1 << 4,  /* --metadata */
    DVI_TAKES_VERB = 1 << 5,    /* a verb in place of a file */
    DVI_TAKES_KERNELS = 1 << 6, /* --kernels in place of a file */
    DVI_TAKES_IDS = 1 << 7,     /* shows single rows, so that they may have ids */
    DVI_TAKES_LONG = 1 << 8,    /* has its time: --progress */
    DVI_TAKES_JSON = 1 << 9,    /* --json */
    DVI_TAKES_TWO = 1 << 10,    /* a second table, of which it tells the differences */
    DVI_TAKES_OUT = 1 << 11,    /* behind the files, one that it writes */
    DVI_TAKES_TYPES = 1 << 12   /* columns may have another type: --convert */
};

#define DVI_ROWS (DVI_TAKES_FILE | DVI_TAKES_ROWS | DVI_TAKES_TYPES | DVI_TAKES_IDS)
#define DVI_FACTS (DVI_TAKES_FILE | DVI_TAKES_JSON)

/* Name, what it takes, its arguments, what it does.  The function is dvi_cmd_<name>. */
#define DVI_VERB_LIST(X)                                                                           \
    X(info, DVI_FACTS, "FILE...", "what the file is, and what each column costs")                  \
    X(schema, DVI_FACTS | DVI_TAKES_DETAIL | DVI_TAKES_TYPES, "FILE...",                           \
      "the columns, their types and metadata")                                                     \
    X(head, DVI_ROWS | DVI_TAKES_JSON | DVI_TAKES_LINES, "FILE...",                                \
      "the first rows, as a table that fits the screen")                                           \
    X(tail, DVI_ROWS | DVI_TAKES_JSON | DVI_TAKES_LINES, "FILE...", "the last rows, as a table")   \
    X(cat, DVI_ROWS | DVI_TAKES_FORMAT | DVI_TAKES_LONG, "FILE...",                                \
      "all rows, for other programs")                                                              \
    X(stats, DVI_FACTS | DVI_TAKES_ROWS | DVI_TAKES_TYPES | DVI_TAKES_LONG, "FILE...",             \
      "per column: NA, distinct, min, median, max, mean, standard deviation, a histogram")         \
    X(convert, DVI_FACTS | DVI_TAKES_ROWS | DVI_TAKES_TYPES | DVI_TAKES_LONG | DVI_TAKES_OUT,      \
      "FILE... OUT", "write a table as a file of any format, without loss or not at all")          \
    X(diff,                                                                                        \
      DVI_FACTS | DVI_TAKES_ROWS | DVI_TAKES_TYPES | DVI_TAKES_LINES | DVI_TAKES_LONG |            \
          DVI_TAKES_TWO,                                                                           \
      "A B", "the differences of two tables: columns, metadata, values")                           \
    X(verify, DVI_FACTS | DVI_TAKES_LONG, "FILE...", "read every byte and list every defect")      \
    X(bench, DVI_ROWS | DVI_TAKES_JSON | DVI_TAKES_KERNELS | DVI_TAKES_LONG, "FILE...",            \
      "how fast all of it is read, next to a plain read of the same bytes")                        \
    X(help, DVI_TAKES_VERB | DVI_TAKES_JSON, "[VERB]", "this list, or what a verb does and takes")

/* Verbs to come: they are refused by name. */
#define DVI_LATER_VERB_LIST(X)                                                                     \
    X(find)                                                                                        \
    X(shuffle)                                                                                     \
    X(split)                                                                                       \
    X(merge)                                                                                       \
    X(sample)                                                                                      \
    X(report)

/* Do it: write to out, tell failures, return the exit status. */
typedef dvi_exit dvi_verb_run(const dvi_args *args, dvi_out *out);

typedef struct dvi_verb {
    const char *name, *arguments, *summary;
    unsigned takes;
    dvi_verb_run *run;
} dvi_verb;

#define DVI_VERB_PROTOTYPE(name, takes, arguments, summary) dvi_verb_run dvi_cmd_##name;
DVI_VERB_LIST(DVI_VERB_PROTOTYPE)

/* The verb of that name; NULL when there is none.  Verb i of the list; NULL behind the last. */
const dvi_verb *dvi_verb_find(const char *name);
const dvi_verb *dvi_verb_at(int i);

/* What `VERB --help` says, or its JSON document. */
dvi_exit dvi_help_verb(const dvi_verb *verb, bool json, dvi_out *out);

/* Refuse a name that is no verb, in one sentence. */
dvi_exit dvi_verb_refuse(const char *name);

#endif
