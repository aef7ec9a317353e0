/* SPDX-License-Identifier: MIT */
/* verbs.h: the list of verbs, with the arguments and options that each accepts. */
#ifndef DVI_CLI_VERBS_H
#define DVI_CLI_VERBS_H

#include "cli/terminal/say.h"

/* What a verb accepts: a set of these.  args.h says which options each brings. */
enum {
    DVI_TAKES_FILE = 1 << 0,        /* opens files */
    DVI_TAKES_ROWS = 1 << 1,        /* reads rows, which can be selected */
    DVI_TAKES_LINES = 1 << 2,       /* -n */
    DVI_TAKES_FORMAT = 1 << 3,      /* --format */
    DVI_TAKES_DETAIL = 1 << 4,      /* --metadata */
    DVI_TAKES_VERB = 1 << 5,        /* a verb instead of a file */
    DVI_TAKES_KERNELS = 1 << 6,     /* --kernels instead of a file */
    DVI_TAKES_IDS = 1 << 7,         /* shows single rows: --ids */
    DVI_TAKES_LONG = 1 << 8,        /* can take long: --progress */
    DVI_TAKES_JSON = 1 << 9,        /* --json */
    DVI_TAKES_TWO = 1 << 10,        /* compares with a second table */
    DVI_TAKES_OUT = 1 << 11,        /* after the files, the file to write */
    DVI_TAKES_TYPES = 1 << 12,      /* can convert columns: --convert */
    DVI_TAKES_COLUMNS = 1 << 13,    /* reads columns, which can be selected */
    DVI_TAKES_SAVE = 1 << 14,       /* writes files: --to and the options of writers */
    DVI_TAKES_NUMBERS = 1 << 15,    /* row numbers at the end */
    DVI_TAKES_OUTPUTS = 1 << 16,    /* writes several files: -o, --every */
    DVI_TAKES_ORDER = 1 << 17,      /* has a random order of its own: --seed */
    DVI_TAKES_CHOICE = 1 << 18,     /* works in one of several ways: --strategy */
    DVI_TAKES_KEYS = 1 << 19,       /* after the file, keys of samples */
    DVI_TAKES_RULE = 1 << 20,       /* a rule of the specification instead of a file */
    DVI_TAKES_LOSS = 1 << 21,       /* writes what may be a loss: --allow-loss */
    DVI_TAKES_NAMES = 1 << 22,      /* after the file, columns */
    DVI_TAKES_PROPOSAL = 1 << 23,   /* can show how text is read: --proposal */
    DVI_TAKES_STEPS = 1 << 25,      /* what to do with a pipeline comes first, and it comes last */
    DVI_TAKES_THUMBNAILS = 1 << 26, /* can show pictures: --thumbnails */
    DVI_TAKES_PLAN = 1 << 27,       /* can show how it would read: --plan */
    DVI_TAKES_TWICE = 1 << 24       /* reads the rows more than once, so a pipe is spooled */
};

#define DVI_TABLE (DVI_TAKES_FILE | DVI_TAKES_ROWS | DVI_TAKES_COLUMNS | DVI_TAKES_TYPES)
#define DVI_ROWS (DVI_TABLE | DVI_TAKES_IDS)
#define DVI_FACTS (DVI_TAKES_FILE | DVI_TAKES_JSON)
#define DVI_WRITES (DVI_TABLE | DVI_TAKES_SAVE | DVI_TAKES_LOSS | DVI_TAKES_LONG | DVI_TAKES_JSON)

/* Name, what it accepts, its arguments, its summary.  commands.h
 * declares the function, dvi_cmd_<name>. */
#define DVI_VERB_LIST(X)                                                                           \
    X(info, DVI_FACTS | DVI_TAKES_PROPOSAL, "FILE...",                                             \
      "show format, size and rows of a file, and what each column costs")                          \
    X(schema, DVI_FACTS | DVI_TAKES_DETAIL | DVI_TAKES_TYPES, "FILE...",                           \
      "list the columns with their types and metadata")                                            \
    X(head, DVI_ROWS | DVI_TAKES_JSON | DVI_TAKES_LINES | DVI_TAKES_THUMBNAILS, "FILE...",         \
      "show the first rows as a table that fits the terminal")                                     \
    X(tail, DVI_ROWS | DVI_TAKES_JSON | DVI_TAKES_LINES, "FILE...",                                \
      "show the last rows as a table")                                                             \
    X(cat, DVI_ROWS | DVI_TAKES_FORMAT | DVI_TAKES_LONG | DVI_TAKES_PLAN, "FILE...",               \
      "write all rows as text for other programs")                                                 \
    X(stats, DVI_TABLE | DVI_TAKES_JSON | DVI_TAKES_LONG | DVI_TAKES_PLAN, "FILE...",              \
      "summarize each column: NA, distinct values, min, median, max, mean, standard deviation, "   \
      "histogram")                                                                                 \
    X(counts, DVI_TABLE | DVI_TAKES_JSON | DVI_TAKES_LINES | DVI_TAKES_LONG | DVI_TAKES_NAMES,     \
      "FILE COLUMN...", "list the most frequent values of columns, and how often each occurs")     \
    X(convert, DVI_WRITES | DVI_TAKES_OUT | DVI_TAKES_PLAN, "FILE... OUT",                         \
      "write a table to a file of any format, without loss or not at all")                         \
    X(shuffle, DVI_WRITES | DVI_TAKES_OUT | DVI_TAKES_ORDER, "FILE... OUT",                        \
      "write the rows in random order, the same order for the same seed")                          \
    X(split, DVI_WRITES | DVI_TAKES_NUMBERS | DVI_TAKES_OUTPUTS | DVI_TAKES_TWICE,                 \
      "FILE... [ROWS]",                                                                            \
      "write the rows to several files: shares of them, cut at given rows, or every N rows")       \
    X(merge, DVI_WRITES | DVI_TAKES_OUT | DVI_TAKES_ORDER | DVI_TAKES_CHOICE, "FILE... OUT",       \
      "write the rows of several files to one, mixed at random or one file after the other")       \
    X(sample,                                                                                      \
      DVI_WRITES | DVI_TAKES_OUT | DVI_TAKES_NUMBERS | DVI_TAKES_ORDER | DVI_TAKES_CHOICE |        \
          DVI_TAKES_TWICE,                                                                         \
      "FILE... OUT N", "write N rows, drawn at random or the first ones")                          \
    X(find, DVI_FACTS | DVI_TAKES_COLUMNS | DVI_TAKES_TYPES | DVI_TAKES_IDS | DVI_TAKES_KEYS,      \
      "FILE KEY...", "look up samples of a datadings file by key")                                 \
    X(index, DVI_FACTS | DVI_TAKES_LOSS | DVI_TAKES_LONG, "FILE...",                               \
      "rebuild the files beside a datadings file, from a legacy index or by a scan")               \
    X(diff, DVI_TABLE | DVI_TAKES_JSON | DVI_TAKES_LINES | DVI_TAKES_LONG | DVI_TAKES_TWO, "A B",  \
      "compare two tables: columns, metadata, values")                                             \
    X(verify, DVI_FACTS | DVI_TAKES_LONG, "FILE...", "read every byte and list every defect")      \
    X(pipe, DVI_TAKES_FILE | DVI_TAKES_TYPES | DVI_TAKES_LONG | DVI_TAKES_STEPS | DVI_TAKES_JSON,  \
      "ACTION ...",                                                                                \
      "list, check, fit, show, diff, part or merge: steps of pipelines, and what they learn")      \
    X(bench, DVI_ROWS | DVI_TAKES_JSON | DVI_TAKES_KERNELS | DVI_TAKES_LONG, "FILE...",            \
      "time reading a file, next to a plain read of the same bytes")                               \
    X(explain, DVI_TAKES_RULE | DVI_TAKES_JSON, "[RULE]",                                          \
      "print the rule of the specification that an error names, such as idv:T3")                   \
    X(help, DVI_TAKES_VERB | DVI_TAKES_JSON, "[VERB]",                                             \
      "list the verbs, or describe one and its options")

/* Names reserved for verbs to come: refused by name. */
#define DVI_LATER_VERB_LIST(X) X(report)

typedef struct dvi_verb {
    const char *name, *arguments, *summary;
    unsigned takes;
} dvi_verb;

/* The verb of that name, or NULL.  Verb i of the list, or NULL after the last. */
const dvi_verb *dvi_verb_find(const char *name);
const dvi_verb *dvi_verb_at(int i);

/* Report that the name is not a verb, with the verb that was probably meant. */
dvi_exit dvi_verb_refuse(const char *name);

#endif
