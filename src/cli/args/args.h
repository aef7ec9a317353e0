/* SPDX-License-Identifier: MIT */
/* args.h: reads the command line into the options of a verb. */
#ifndef DVI_CLI_ARGS_H
#define DVI_CLI_ARGS_H

#include "cli/args/save_args.h"
#include "cli/args/verbs.h"
#include "cli/args/words.h"
#include <dataview/epoch.h>
#include <dataview/open.h>

/* Id, name, letter (0: none), value ("": none), what a verb must accept to have it, summary.  After
 * a colon at the end of a summary, dvi_option_summary adds the words that the option accepts. */
#define DVI_OPTION_LIST(X)                                                                         \
    X(LINES, "", 'n', "N", DVI_TAKES_LINES,                                                        \
      "show N rows (default 10); counts: N values; diff: N differences of each kind")              \
    X(METADATA, "metadata", 0, "", DVI_TAKES_DETAIL, "show metadata values too")                   \
    X(FORMAT, "format", 0, "FORMAT", DVI_TAKES_FORMAT,                                             \
      "tsv: tab-separated (default); csv; jsonl: a JSON object per row; exact: lossless JSON "     \
      "lines")                                                                                     \
    X(COLUMNS, "columns", 'c', "LIST", DVI_TAKES_COLUMNS,                                          \
      "only these columns, in this order: names or patterns (* ? [a-z]), separated by commas")     \
    X(DROP, "drop", 0, "LIST", DVI_TAKES_COLUMNS, "leave these columns out")                       \
    X(WHERE, "where", 0, "TEST", DVI_TAKES_ROWS,                                                   \
      "only rows that pass the test: 'Age>=18', 'Name is na'; if given more than once, rows that " \
      "pass all tests")                                                                            \
    X(CACHE, "cache", 0, "memory|FILE", DVI_TAKES_ROWS,                                            \
      "keep the rows as read, before any other option applies: in memory, or in FILE, which "      \
      "later commands read instead until the data change")                                         \
    X(SHUFFLE, "shuffle", 0, "HOW", DVI_TAKES_ROWS,                                                \
      "read the rows in random order, before any are selected: uniform (also without HOW), pool "  \
      "(as ML.NET shuffles) or blocks")                                                            \
    X(SEED, "seed", 0, "N", DVI_TAKES_ROWS,                                                        \
      "seed of the random order; default 0 with --shuffle, otherwise the number of rows")          \
    X(EPOCH, "epoch", 0, "N", DVI_TAKES_ROWS, "with --shuffle: the order of epoch N (default 0)")  \
    X(POOL, "pool", 0, "ROWS", DVI_TAKES_ROWS, "with --shuffle pool: number of rows in the pool")  \
    X(POOL_BLOCKS, "pool-blocks", 0, "N", DVI_TAKES_ROWS,                                          \
      "with --shuffle pool: size of the pool in blocks (default 4)")                               \
    X(SHARD, "shard", 0, "I/N", DVI_TAKES_ROWS,                                                    \
      "only the rows of worker I of N, where I is 0 to N-1; each row goes to one worker")          \
    X(ROWS, "rows", 0, "A:B", DVI_TAKES_ROWS, "only rows A to B-1; either number may be left out") \
    X(SKIP, "skip", 0, "N", DVI_TAKES_ROWS, "skip the first N of these rows")                      \
    X(TAKE, "take", 0, "N", DVI_TAKES_ROWS, "stop after N of these rows")                          \
    X(CONVERT, "convert", 0, "NAME:TYPE", DVI_TAKES_TYPES,                                         \
      "convert column NAME to TYPE: R8, TX, U4[0-9]; of a vector, its items; may be given more "   \
      "than once")                                                                                 \
    X(PIPE, "pipe", 0, "STEPS", DVI_TAKES_TYPES,                                                   \
      "apply a pipeline, after --convert and --where: 'term Category; onehot Color', or @FILE, "   \
      "steps or what pipe fit has saved; steps learn from the rows of the input (dataview pipe "   \
      "lists the steps)")                                                                          \
    X(FIT_ON, "fit-on", 0, "FILE", DVI_TAKES_TYPES,                                                \
      "with --pipe: steps learn from the rows of FILE instead")                                    \
    X(ALLOW_FOLDER, "allow-folder", 0, "DIR", DVI_TAKES_TYPES,                                     \
      "with --pipe @FILE: let its steps open regular files below DIR; without it, those that "     \
      "open files are refused")                                                                    \
    X(UNTIL_UNKNOWN, "until-unknown", 0, "", DVI_TAKES_TYPES,                                      \
      "with --pipe @model.zip: leave out its first step that is not known, and all after it")      \
    X(IDS, "ids", 0, "", DVI_TAKES_IDS, "show row ids as a first column, #id")                     \
    X(HIDDEN, "hidden", 0, "", DVI_TAKES_COLUMNS,                                                  \
      "include hidden columns: those with a later column of the same name")                        \
    X(THREADS, "threads", 0, "N", DVI_TAKES_COLUMNS,                                               \
      "decode with N threads (default 0: as many as suit the machine)")                            \
    X(TOLERANCE, "tolerance", 0, "X", DVI_TAKES_TWO,                                               \
      "reals are equal if they differ by at most X, or by at most X times the larger one")         \
    X(LAYOUT, "layout", 0, "", DVI_TAKES_TWO,                                                      \
      "vectors must be stored alike too: dense or sparse, with items in the same slots")           \
    X(STRATEGY, "strategy", 0, "HOW", DVI_TAKES_CHOICE,                                            \
      "random (default); merge: concat, one file after the other; sample: sequential, the first "  \
      "rows")                                                                                      \
    X(EVERY, "every", 0, "N", DVI_TAKES_OUTPUTS, "start a new file every N rows")                  \
    X(FRACTION, "fraction", 0, "LIST", DVI_TAKES_OUTPUTS,                                          \
      "a file for each share of the rows: 0.8,0.2 or 80%,20%, which add up to 1; the files are "   \
      "called NAME-train.EXT and NAME-test.EXT, with valid between them if there are three")       \
    X(STRATIFY, "stratify", 0, "COLUMN", DVI_TAKES_OUTPUTS,                                        \
      "with --fraction: every value of COLUMN has its share in each file")                         \
    X(GROUP, "group", 0, "COLUMN", DVI_TAKES_OUTPUTS,                                              \
      "with --fraction: rows with the same value of COLUMN go to the same file, drawn by --seed")  \
    X(OUT, "out", 'o', "OUT", DVI_TAKES_OUTPUTS,                                                   \
      "name of an output file, once per file; given once, NAME.EXT stands for NAME-0.EXT, "        \
      "NAME-1.EXT, ...; default: the name of the input")                                           \
    X(TO, "to", 0, "FORMAT", DVI_TAKES_SAVE,                                                       \
      "output format (default: from the extension of OUT), one of:")                               \
    X(ALLOW_LOSS, "allow-loss", 0, "LOSS", DVI_TAKES_LOSS,                                         \
      "allow the output to lose what its format cannot hold, separated by commas:")                \
    X(ROWS_PER_BLOCK, "rows-per-block", 0, "N", DVI_TAKES_SAVE, ".idv: rows of a block, at most")  \
    X(BLOCK_BYTES, "block-bytes", 0, "N", DVI_TAKES_SAVE,                                          \
      ".idv: bytes of a block, at most, counting all columns before compression: 64M")             \
    X(COMPRESSION, "compression", 0, "HOW", DVI_TAKES_SAVE,                                        \
      ".idv: none (default; values are used in place when mapped), deflate or zlib")               \
    X(LEVEL, "level", 0, "N", DVI_TAKES_SAVE, ".idv: compression level, 1 (fast) to 12 (small)")   \
    X(ALIGN, "align", 0, "N", DVI_TAKES_SAVE,                                                      \
      ".idv: align the values of uncompressed blocks to N bytes, 8 to 4096 (default 64)")          \
    X(IDV_VERSION, "idv-version", 0, "WHICH", DVI_TAKES_SAVE,                                      \
      ".idv: 1.1.1.6 (default), or 1.1.1.5 for old readers")                                       \
    X(KEYS, "keys", 0, "CODEC", DVI_TAKES_SAVE,                                                    \
      ".idv: new (default), or old, which has a least value and a 31-bit count")                   \
    X(NEED_ROWS, "rows", 0, "N", DVI_TAKES_STEPS,                                                  \
      "check: how much memory the steps take at most while they learn from N rows")                \
    X(MODEL, "out", 'o', "FILE", DVI_TAKES_STEPS,                                                  \
      "fit, merge: save what was fitted, for --pipe @FILE and pipe show; part: save the part")     \
    X(KEY_FILE, "keys", 0, "FILE", DVI_TAKES_KEYS,                                                 \
      "look up the lines of FILE, each a key with all its blanks; - is standard input")            \
    X(BOOL, "bool", 0, "CODEC", DVI_TAKES_SAVE,                                                    \
      ".idv: 1bit (default), or 2bit, the old codec, which has NA")                                \
    X(CANONICAL, "canonical", 0, "", DVI_TAKES_SAVE, "BTable: leave stored zeros out")             \
    X(TO_TEXT, "to-text", 0, "OPTIONS", DVI_TAKES_SAVE,                                            \
      "text: how to write it: 'sep=semicolon', 'schema+'")                                         \
    X(TO_DATADINGS, "to-datadings", 0, "OPTIONS", DVI_TAKES_SAVE,                                  \
      "datadings: where keys come from: 'key=NAME' or 'key=rownumber'")                            \
    X(NO_SYNC, "no-sync", 0, "", DVI_TAKES_SAVE,                                                   \
      "do not wait until the file is on disk: faster, but a system crash may lose it")             \
    X(KERNELS, "kernels", 0, "", DVI_TAKES_KERNELS,                                                \
      "without a file: time every kernel at each level of this machine, next to memcpy")           \
    X(THUMBNAILS, "thumbnails", 0, "HOW", DVI_TAKES_THUMBNAILS,                                    \
      "show the pictures in columns of JPEG and PNG files below the table: sixel or kitty, for "   \
      "terminals that can; auto (also without HOW): as TERM tells")                                \
    X(PLAN, "plan", 0, "", DVI_TAKES_PLAN,                                                         \
      "show how the rows would be read, and by how many threads; read none of them")               \
    X(JSON, "json", 0, "", DVI_TAKES_JSON, "print one JSON document for other programs")           \
    X(AS, "as", 0, "FORM", DVI_TAKES_VERB,                                                         \
      "text (default); man: a manual page; bash, zsh: completion for that shell; verbs: the "      \
      "names of all verbs")                                                                        \
    X(IO, "io", 0, "HOW", DVI_TAKES_FILE,                                                          \
      "mmap: map the file; pread: read it, which is safe while others change it; auto (default): " \
      "pread on network file systems, else mmap")                                                  \
    X(SPOOL_BYTES, "spool-bytes", 0, "N", DVI_TAKES_FILE,                                          \
      "of a pipe whose bytes are needed more than once: at most N in a temporary file, in "        \
      "$TMPDIR "                                                                                   \
      "or /tmp: 64G")                                                                              \
    X(LIMIT, "limit", 0, "NAME=N", DVI_TAKES_FILE,                                                 \
      "another limit of what a file may take, as a message names it, such as line_nbytes=1G; may " \
      "be repeated")                                                                               \
    X(DROP_BEHIND, "drop-behind", 0, "", DVI_TAKES_FILE,                                           \
      "drop what was read from memory and the page cache: for files larger than memory that are "  \
      "read once")                                                                                 \
    X(PLAIN_FOLDERS, "plain-folders", 0, "", DVI_TAKES_FILE, "folders KEY=VALUE make no columns")  \
    X(FROM, "from", 0, "FORMAT", DVI_TAKES_FILE,                                                   \
      "input format (default: recognized from the content), one of:")                              \
    X(TEXT, "text", 0, "OPTIONS", DVI_TAKES_FILE,                                                  \
      "text: how to read it, and into which columns: 'sep=comma header+ col=Name:TX:0'; auto "     \
      "(default): as found in the file, with options after it; mlnet: as ML.NET does; @FILE: "     \
      "as that file says")                                                                         \
    X(PROPOSAL, "proposal", 0, "", DVI_TAKES_PROPOSAL,                                             \
      "text: print only the options that were found, one line for --text @FILE")                   \
    X(SEP, "sep", 0, "CHARACTER", DVI_TAKES_FILE,                                                  \
      "text: its separator: , or ; or tab or any character (default: found in the file)")          \
    X(HEADER, "header", 0, "yes|no", DVI_TAKES_FILE,                                               \
      "text: whether its first line has the names of the columns (default: found in the file)")    \
    X(TYPE, "type", 0, "NAME:TYPE", DVI_TAKES_FILE,                                                \
      "text: read column NAME as TYPE, and the others as found in the file: id:TX; may be given "  \
      "more than once")                                                                            \
    X(BAD_ROWS, "bad-rows", 0, "stop|na", DVI_TAKES_COLUMNS,                                       \
      "text: at a field that its column cannot hold, stop (default), or read na and count it, as " \
      "other faults of lines")                                                                     \
    X(DATADINGS, "datadings", 0, "OPTIONS", DVI_TAKES_FILE,                                        \
      "datadings: how to read it: 'raw', 'infer=all', 'scan', 'col=label:I8 mismatch=na'")         \
    X(LENIENT, "lenient", 0, "", DVI_TAKES_FILE,                                                   \
      "BTable: accept what only some readers accept: indices out of order, repeated or past the "  \
      "last label, broken labels, a few extra bytes at the end")                                   \
    X(PROGRESS, "progress", 0, "", DVI_TAKES_LONG,                                                 \
      "show progress from the start, even if standard error is not a terminal")                    \
    X(QUIET, "quiet", 0, "", DVI_TAKES_FILE, "no summary, no progress")                            \
    X(HELP, "help", 'h', "", 0, "describe the verb and its options")

#define DVI_OPTION_ID(id, name, letter, value, needs, summary) DVI_OPTION_##id,
typedef enum dvi_option_id { DVI_OPTION_LIST(DVI_OPTION_ID) DVI_OPTIONS } dvi_option_id;
#undef DVI_OPTION_ID

typedef struct dvi_option {
    const char *name;
    char letter;
    const char *value, *summary;
    unsigned needs;
} dvi_option;

extern const dvi_option dvi_options[DVI_OPTIONS];

/* The words that an option accepts as its value, ending with NULL; NULL: the value is free. */
const char *const *dvi_option_words(dvi_option_id id);

/* The summary as help shows it, in the buffer if words are added to it. */
#define DVI_SUMMARY_CAP 256
const char *dvi_option_summary(const dvi_option *option, char buffer[DVI_SUMMARY_CAP]);

typedef struct dvi_args {
    const dvi_verb *verb;
    dvi_words files;   /* as given; for help: the verb */
    dvi_words paths;   /* the paths that these stand for (files.h); owns its words */
    dvi_words texts;   /* the text of option files, which other words point into; owns its words */
    const char *last;  /* the last argument: the second table of diff, OUT; else NULL */
    dvi_words numbers; /* row numbers at the end: digits only */
    dvi_words keys;    /* keys of samples */
    const char *key_file;     /* with a key in each line; NULL: none */
    dvi_words outs;           /* -o of split: names of the files to write */
    const char *sep, *header; /* of text; NULL: not given */
    const char *bad_rows;     /* of text; NULL: the default */
    dvi_words type;           /* of text, in the order given */
    bool wants_help, proposal, metadata, ids, hidden, quiet, kernels, json, progress, layout, plan;
    double tolerance;                              /* -1: compare bits */
    dvi_words columns, drop, convert, where;       /* each in the order given */
    int64_t first_row, end_row, skip, take, lines; /* end_row, take -1: all */
    int32_t threads;
    dv_epoch_options epoch;                    /* all but the seed */
    bool has_seed, has_epoch, has_pool_blocks; /* the option was given */
    int64_t seed;                              /* 0: perhaps not given */
    int64_t every;                             /* -1: not given */
    const char *format, *as, *strategy;        /* NULL: the default */
    const char *fraction, *stratify, *group;   /* NULL: none */
    const char *cache;                         /* NULL: none */
    const char *thumbnails;                    /* how they are shown; NULL: not at all */
    const char *pipe, *fit_on;                 /* NULL: none */
    const char *model;                         /* a saved pipeline, instead of `pipe`; NULL: none */
    const char *pipe_file;                     /* where the steps of `pipe` were read; NULL: none */
    const char *pipe_b, *model_b, *pipe_b_file; /* pipe diff: the second one */
    const char *allow_folder;                   /* for loaded steps; NULL: none */
    bool until_unknown;                         /* of a model of ML.NET */
    const char *action, *model_out;             /* of the verb pipe; NULL: nothing is saved */
    int64_t need_rows;                          /* of pipe check; -1: nobody asks */
    dv_open_options open;
    dvi_save_args save;
} dvi_args;

/* Read the command line after the verb, without looking for files.  DVI_EXIT_DONE, or another
 * status after a message.  Free args_out in any case. */
dvi_exit dvi_args_parse(dvi_args *args_out, const dvi_verb *verb, int argc,
                        const char *const *argv);
void dvi_args_free(dvi_args *args);

#endif
