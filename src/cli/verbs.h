/* SPDX-License-Identifier: MIT */
/* verbs.h: which verbs are there, and what do they take? */
#ifndef DVI_CLI_VERBS_H
#define DVI_CLI_VERBS_H

#include "cli/out.h"
#include "cli/say.h"

typedef struct dvi_args dvi_args;

/* What a verb takes: a set of these.  The options of each stand in args.h. */
enum {
    DVI_TAKES_FILE = 1 << 0,     /* opens a file */
    DVI_TAKES_ROWS = 1 << 1,     /* delivers some of its rows */
    DVI_TAKES_LINES = 1 << 2,    /* -n */
    DVI_TAKES_FORMAT = 1 << 3,   /* --format */
    DVI_TAKES_DETAIL = 1 << 4,   /* --metadata */
    DVI_TAKES_VERB = 1 << 5,     /* a verb in place of a file */
    DVI_TAKES_KERNELS = 1 << 6,  /* --kernels in place of a file */
    DVI_TAKES_IDS = 1 << 7,      /* shows single rows, so that they may have ids */
    DVI_TAKES_LONG = 1 << 8,     /* has its time: --progress */
    DVI_TAKES_JSON = 1 << 9,     /* --json */
    DVI_TAKES_TWO = 1 << 10,     /* a second table, of which it tells the differences */
    DVI_TAKES_OUT = 1 << 11,     /* behind the files, one that it writes */
    DVI_TAKES_TYPES = 1 << 12,   /* columns may have another type: --convert */
    DVI_TAKES_COLUMNS = 1 << 13, /* delivers some of its columns */
    DVI_TAKES_SAVE = 1 << 14,    /* writes files: the options of writers */
    DVI_TAKES_NUMBERS = 1 << 15, /* behind everything else, numbers of rows */
    DVI_TAKES_PARTS = 1 << 16,   /* writes several files: -o, --every */
    DVI_TAKES_ORDER = 1 << 17,   /* takes rows in an order that looks random: --seed */
    DVI_TAKES_CHOICE = 1 << 18,  /* in one of several ways: --strategy */
    DVI_TAKES_KEYS = 1 << 19     /* behind the file, keys of its samples */
};

#define DVI_TABLE (DVI_TAKES_FILE | DVI_TAKES_ROWS | DVI_TAKES_COLUMNS | DVI_TAKES_TYPES)
#define DVI_ROWS (DVI_TABLE | DVI_TAKES_IDS)
#define DVI_FACTS (DVI_TAKES_FILE | DVI_TAKES_JSON)
#define DVI_WRITES (DVI_TABLE | DVI_TAKES_SAVE | DVI_TAKES_LONG | DVI_TAKES_JSON)

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
    X(stats, DVI_TABLE | DVI_TAKES_JSON | DVI_TAKES_LONG, "FILE...",                               \
      "per column: NA, distinct, min, median, max, mean, standard deviation, a histogram")         \
    X(convert, DVI_WRITES | DVI_TAKES_OUT, "FILE... OUT",                                          \
      "write a table as a file of any format, without loss or not at all")                         \
    X(shuffle, DVI_WRITES | DVI_TAKES_OUT | DVI_TAKES_ORDER, "FILE... OUT",                        \
      "write its rows in an order that looks random, the same in every run")                       \
    X(split, DVI_WRITES | DVI_TAKES_NUMBERS | DVI_TAKES_PARTS, "FILE... ROW...",                   \
      "write its rows as several files, cut at these rows or every N")                             \
    X(merge, DVI_WRITES | DVI_TAKES_OUT | DVI_TAKES_ORDER | DVI_TAKES_CHOICE, "FILE... OUT",       \
      "write the rows of several files as one, mixed or one file behind the other")                \
    X(sample, DVI_WRITES | DVI_TAKES_OUT | DVI_TAKES_NUMBERS | DVI_TAKES_ORDER | DVI_TAKES_CHOICE, \
      "FILE... OUT N", "write N of its rows, drawn at random or the first")                        \
    X(find, DVI_FACTS | DVI_TAKES_COLUMNS | DVI_TAKES_TYPES | DVI_TAKES_IDS | DVI_TAKES_KEYS,      \
      "FILE KEY...", "the samples of a datadings file that have these keys")                       \
    X(index, DVI_FACTS | DVI_TAKES_LONG, "FILE...",                                                \
      "make the files beside a datadings file anew, from a legacy index or by a scan")             \
    X(diff, DVI_TABLE | DVI_TAKES_JSON | DVI_TAKES_LINES | DVI_TAKES_LONG | DVI_TAKES_TWO, "A B",  \
      "the differences of two tables: columns, metadata, values")                                  \
    X(verify, DVI_FACTS | DVI_TAKES_LONG, "FILE...", "read every byte and list every defect")      \
    X(bench, DVI_ROWS | DVI_TAKES_JSON | DVI_TAKES_KERNELS | DVI_TAKES_LONG, "FILE...",            \
      "how fast all of it is read, next to a plain read of the same bytes")                        \
    X(help, DVI_TAKES_VERB | DVI_TAKES_JSON, "[VERB]", "this list, or what a verb does and takes")

/* Verbs to come: they are refused by name. */
#define DVI_LATER_VERB_LIST(X) X(report)

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
