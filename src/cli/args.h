/* SPDX-License-Identifier: MIT */
/* args.h: what does the command line ask for? */
#ifndef DVI_CLI_ARGS_H
#define DVI_CLI_ARGS_H

#include "cli/save_args.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include <dataview/epoch.h>
#include <dataview/open.h>

/* Id, name, letter (0: none), value ("": none), what a verb must take to have it, what it does. */
#define DVI_OPTION_LIST(X)                                                                         \
    X(LINES, "", 'n', "N", DVI_TAKES_LINES,                                                        \
      "show N rows; 10 when not told; of diff, so many differences of each kind")                  \
    X(METADATA, "metadata", 0, "", DVI_TAKES_DETAIL, "print the values of the metadata too")       \
    X(FORMAT, "format", 0, "FORMAT", DVI_TAKES_FORMAT,                                             \
      "tsv: tab-separated text (the default); csv; jsonl: an object per row; exact: lossless "     \
      "JSON "                                                                                      \
      "lines")                                                                                     \
    X(COLUMNS, "columns", 'c', "LIST", DVI_TAKES_COLUMNS,                                          \
      "only these columns, in this order: names or patterns (* ? [a-z]), separated by commas")     \
    X(DROP, "drop", 0, "LIST", DVI_TAKES_COLUMNS, "without these columns")                         \
    X(WHERE, "where", 0, "TEST", DVI_TAKES_ROWS,                                                   \
      "only rows of which this is true: 'Age>=18', 'Name is na'; as often as needed: all are")     \
    X(CACHE, "cache", 0, "WHERE", DVI_TAKES_ROWS,                                                  \
      "keep the rows of the file, as it is, before all else: memory, or FILE, which is read "      \
      "instead from then on, until the data change")                                               \
    X(SHUFFLE, "shuffle", 0, "HOW", DVI_TAKES_ROWS,                                                \
      "rows in an order that looks random, before all else: uniform; pool, as ML.NET does; "       \
      "blocks")                                                                                    \
    X(SEED, "seed", 0, "N", DVI_TAKES_ROWS,                                                        \
      "another order for each N; of --shuffle 0 when not told, else as many as there are rows")    \
    X(EPOCH, "epoch", 0, "N", DVI_TAKES_ROWS,                                                      \
      "of --shuffle: the order of epoch N, 0 when not told, of that seed")                         \
    X(POOL, "pool", 0, "ROWS", DVI_TAKES_ROWS, "of --shuffle pool: so many rows are in it")        \
    X(POOL_BLOCKS, "pool-blocks", 0, "N", DVI_TAKES_ROWS,                                          \
      "of --shuffle pool: as many rows as N blocks have; 4 when not told")                         \
    X(SHARD, "shard", 0, "I/N", DVI_TAKES_ROWS,                                                    \
      "of these, what falls to worker I of N, 0 to N-1: each row goes to one of them")             \
    X(ROWS, "rows", 0, "A:B", DVI_TAKES_ROWS, "only rows A to B-1; either side may be left out")   \
    X(SKIP, "skip", 0, "N", DVI_TAKES_ROWS, "of these, pass over the first N")                     \
    X(TAKE, "take", 0, "N", DVI_TAKES_ROWS, "of these, deliver N at most")                         \
    X(CONVERT, "convert", 0, "NAME:TYPE", DVI_TAKES_TYPES,                                         \
      "column NAME as a TYPE: R8, TX, U4[0-9]; of a vector that of its items; as often as needed") \
    X(IDS, "ids", 0, "", DVI_TAKES_IDS, "row ids as a first column, #id")                          \
    X(HIDDEN, "hidden", 0, "", DVI_TAKES_COLUMNS,                                                  \
      "also columns that a later one of the same name hides")                                      \
    X(THREADS, "threads", 0, "N", DVI_TAKES_COLUMNS,                                               \
      "decode with N threads (0: as fits the machine)")                                            \
    X(TOLERANCE, "tolerance", 0, "X", DVI_TAKES_TWO,                                               \
      "take reals for the same that differ by X at most, or by X times the larger of them")        \
    X(LAYOUT, "layout", 0, "", DVI_TAKES_TWO,                                                      \
      "vectors have to be stored alike too: dense or sparse, items in the same slots")             \
    X(STRATEGY, "strategy", 0, "HOW", DVI_TAKES_CHOICE,                                            \
      "random (the default); concat, of merge: one file behind the other; sequential, of sample: " \
      "the first rows")                                                                            \
    X(EVERY, "every", 0, "N", DVI_TAKES_PARTS, "cut behind every N rows")                          \
    X(OUT, "out", 'o', "OUT", DVI_TAKES_PARTS,                                                     \
      "call the files so, once for each; given once, NAME.EXT stands for NAME-0.EXT and so on; "   \
      "when not told, so does the name of the file that is read")                                  \
    X(TO, "to", 0, "FORMAT", DVI_TAKES_SAVE,                                                       \
      "write that format (idv, btable, text or datadings), whatever OUT is called")                \
    X(ALLOW_LOSS, "allow-loss", 0, "LOSS", DVI_TAKES_SAVE,                                         \
      "let that go, where the format cannot hold it: columns, metadata, names, types, precision, " \
      "na, breaks; several with commas between them")                                              \
    X(ROWS_PER_BLOCK, "rows-per-block", 0, "N", DVI_TAKES_SAVE, "of .idv: most rows of a block")   \
    X(BLOCK_BYTES, "block-bytes", 0, "N", DVI_TAKES_SAVE,                                          \
      "of .idv: most bytes of a block of all columns together, before compression; as 64M")        \
    X(COMPRESSION, "compression", 0, "HOW", DVI_TAKES_SAVE,                                        \
      "of .idv: none (the default: a mapped file is used in place), deflate or zlib")              \
    X(LEVEL, "level", 0, "N", DVI_TAKES_SAVE, "of compression: 1, fast, to 12, small")             \
    X(ALIGN, "align", 0, "N", DVI_TAKES_SAVE,                                                      \
      "of .idv: values of stored blocks start at multiples of N bytes, 8 to 4096; else of 64")     \
    X(IDV_VERSION, "idv-version", 0, "WHICH", DVI_TAKES_SAVE,                                      \
      "of .idv: 1.1.1.6 (the default), or 1.1.1.5 for old readers")                                \
    X(KEYS, "keys", 0, "CODEC", DVI_TAKES_SAVE,                                                    \
      "of .idv: new (the default), or old: with a least value and 31 bits of count")               \
    X(BOOL, "bool", 0, "CODEC", DVI_TAKES_SAVE,                                                    \
      "of .idv: 1bit (the default), or 2bit: old, which has NA")                                   \
    X(CANONICAL, "canonical", 0, "", DVI_TAKES_SAVE, "of BTable: leave out zeros that are stored") \
    X(TO_TEXT, "to-text", 0, "OPTIONS", DVI_TAKES_SAVE,                                            \
      "of text: how it is written: 'sep=semicolon dense+'; --text does too, where no text is "     \
      "read")                                                                                      \
    X(TO_DATADINGS, "to-datadings", 0, "OPTIONS", DVI_TAKES_SAVE,                                  \
      "of datadings: where keys come from: 'key=NAME' or 'key=rownumber'")                         \
    X(NO_SYNC, "no-sync", 0, "", DVI_TAKES_SAVE,                                                   \
      "do not wait until the file is on the disk: fast, but a crash of the system may lose it")    \
    X(KERNELS, "kernels", 0, "", DVI_TAKES_KERNELS,                                                \
      "no file: how fast each kernel is at each level that this machine has, next to memcpy")      \
    X(JSON, "json", 0, "", DVI_TAKES_JSON, "one JSON document for other programs")                 \
    X(AS, "as", 0, "FORM", DVI_TAKES_VERB,                                                         \
      "text (the default); man: a manual page; bash, zsh: completion for that shell; verbs: "      \
      "their names")                                                                               \
    X(IO, "io", 0, "HOW", DVI_TAKES_FILE,                                                          \
      "mmap: map the file (the default); pread: read it, safe while others change it")             \
    X(FROM, "from", 0, "FORMAT", DVI_TAKES_FILE,                                                   \
      "take the file for what you say (idv, datadings, btable or text), whatever it looks like")   \
    X(TEXT, "text", 0, "OPTIONS", DVI_TAKES_FILE,                                                  \
      "of text: how it is read, into which columns: 'sep=comma header+ col=Name:TX:0'")            \
    X(DATADINGS, "datadings", 0, "OPTIONS", DVI_TAKES_FILE,                                        \
      "of datadings: how it is read: 'raw', 'infer=all', 'scan', 'col=label:I8 mismatch=na'")      \
    X(LENIENT, "lenient", 0, "", DVI_TAKES_FILE,                                                   \
      "of BTable: read also what only some readers take: indices out of order, twice or behind "   \
      "the "                                                                                       \
      "last label, broken labels, a few bytes at the end")                                         \
    X(PROGRESS, "progress", 0, "", DVI_TAKES_LONG,                                                 \
      "tell how far it is, at once and wherever standard error goes")                              \
    X(QUIET, "quiet", 0, "", DVI_TAKES_FILE, "no summary, no progress")                            \
    X(HELP, "help", 'h', "", 0, "what the verb does and takes")

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

/* The words that the value of an option is one of, ending with NULL; NULL: anything. */
const char *const *dvi_option_words(dvi_option_id id);

struct dvi_args {
    const dvi_verb *verb;
    dvi_words files;   /* as they were written; for help: the verb */
    dvi_words paths;   /* what these stand for (files.h); its words are its own */
    dvi_words texts;   /* of files of options, into which other words point; its own too */
    const char *last;  /* what stands behind the files: the other table of diff, OUT; else NULL */
    dvi_words numbers; /* of rows, behind all that: digits */
    dvi_words keys;    /* of samples */
    dvi_words outs;    /* of split: names of the files that it writes */
    bool wants_help, metadata, ids, hidden, quiet, kernels, json, progress, layout;
    double tolerance;                              /* -1: the bits count */
    dvi_words columns, drop, convert, where;       /* each as often as it was given */
    int64_t first_row, end_row, skip, take, lines; /* end_row, take -1: all */
    int32_t threads;
    dv_epoch_options epoch;             /* but for the seed */
    bool has_epoch, has_pool_blocks;    /* those were told */
    int64_t seed, every;                /* -1: not told */
    const char *format, *as, *strategy; /* NULL: the default */
    const char *cache;                  /* NULL: none */
    dv_open_options open;
    dvi_save_args save;
};

/* Read the command line behind the verb, but look for no file.  DVI_EXIT_DONE, or another status
 * when told what is wrong.  To be freed in any case. */
dvi_exit dvi_args_parse(dvi_args *args_out, const dvi_verb *verb, int argc,
                        const char *const *argv);
void dvi_args_free(dvi_args *args);

#endif
