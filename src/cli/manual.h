/* SPDX-License-Identifier: MIT */
/* manual.h: what do help and the manual pages say beyond the lists of verbs and options? */
#ifndef DVI_CLI_MANUAL_H
#define DVI_CLI_MANUAL_H

/* ASCII only, so that a page needs no preparation.  Every verb: what it does in whole sentences;
 * two command lines behind "dataview VERB ", each with what it shows.  people.idv is in
 * tests/golden, and a test runs them all. */
#define DVI_MANUAL_LIST(X)                                                                         \
    X(info,                                                                                        \
      "Tells format, size, rows and blocks, then per column the bytes that are stored and that "   \
      "they inflate to, the compression, and of how many blocks a mapped file serves the values "  \
      "as they lie.",                                                                              \
      "people.idv", "what the file is", "--quiet people.idv", "without its warnings")              \
    X(schema,                                                                                      \
      "A line per column: index, name, type, kinds of metadata. Columns that a later one of the "  \
      "same name hides are marked.",                                                               \
      "people.idv", "the columns", "--metadata people.idv", "with the values of their metadata")   \
    X(head,                                                                                        \
      "Numbers and times are never cut: columns that do not fit are named below the table. Long "  \
      "texts end in an ellipsis; of long vectors the first slots are shown.",                      \
      "-n 3 people.idv", "the first three rows", "-c 'Name,A*' --rows 100: people.idv",            \
      "some columns, from row 100 on")                                                             \
    X(tail, "The same as head, from the other end.", "-n 3 people.idv", "the last three rows",     \
      "-c Age people.idv", "of one column")                                                        \
    X(cat,                                                                                         \
      "Writes a row per line, in a form for other programs. After a defect in the file, the rows " \
      "before it have been written, and the exit status is 1.",                                    \
      "--drop Tags --take 100 people.idv", "100 rows as tab-separated text",                       \
      "--format exact people.idv", "every value without loss")                                     \
    X(stats, "Reads all rows of the columns that were asked for, once.", "people.idv",             \
      "every column", "-c Age people.idv", "one of them")                                          \
    X(convert,                                                                                     \
      "Writes the rows and columns that were asked for, of all files together, to OUT; its "       \
      "ending "                                                                                    \
      "or --to tells the format. An OUT that is there is replaced as a whole at the end, also "    \
      "when "                                                                                      \
      "it is the file that is read; whatever goes wrong, or Ctrl-C, leaves it as it was. What "    \
      "the "                                                                                       \
      "format cannot hold is refused and listed, with the option that lets it go.",                \
      "--compression deflate people.idv small.idv", "the same table, compressed",                  \
      "-c Name,Age --rows 100:200 people.idv part.idv", "a part of it")                            \
    X(shuffle,                                                                                     \
      "The order is that of datadings-shuffle, and the same on every machine: the seed alone "     \
      "tells it, which is the number of rows unless another one is named. Samples of a datadings " \
      "file are copied as they are when OUT is one too. OUT is written as by convert.",            \
      "people.idv mixed.idv", "the rows in another order", "--seed 7 people.idv mixed.idv",        \
      "in yet another")                                                                            \
    X(split,                                                                                       \
      "P positions make P+1 files: the rows before the first position, those from there to the "   \
      "next, and so on. Each file is written as by convert, one after the other; if one cannot "   \
      "be, those before it stay, and it is told which.",                                           \
      "people.idv 100 500", "people-0.idv to people-2.idv", "--every 250 -o part.idv people.idv",  \
      "part-0.idv to part-2.idv, of 250 rows but the last")                                        \
    X(merge,                                                                                       \
      "At random, each next row is that of a file which has rows left, chosen in proportion to "   \
      "the rows that the files had at first, so that all of them end at about the same time. "     \
      "Rows of one file keep their order. OUT is written as by convert.",                          \
      "people.idv people.idv both.idv", "two files, mixed",                                        \
      "--strategy concat people.idv people.idv both.idv", "one behind the other")                  \
    X(sample,                                                                                      \
      "At random, these are the first N rows of what shuffle writes with the same seed. OUT is "   \
      "written as by convert.",                                                                    \
      "people.idv some.idv 50", "50 rows, none of them twice",                                     \
      "--strategy sequential people.idv some.idv 50", "the first 50")                              \
    X(find,                                                                                        \
      "Keys are looked up in the index beside the file, in a folder or a pattern of files in one " \
      "after the other. The samples are shown as by head, in the order of the keys; @FILE stands " \
      "for the keys in that file. The exit status is 1 when a key is not there.",                  \
      "tiny.msgpack a b/1", "two samples", "--ids -c key tiny.msgpack a", "in which row is it?")   \
    X(index,                                                                                       \
      "Writes .offsets, .keys, .key_hashes, .filter and .md5 beside the file, from a legacy "      \
      ".index, "                                                                                   \
      "from those of them that are there, or with --datadings 'raw scan' from the samples alone. " \
      "The file itself stays as it is.",                                                           \
      "tiny.msgpack", "as convert-index of datadings does", "--datadings 'raw scan' tiny.msgpack", \
      "whatever is beside it")                                                                     \
    X(diff,                                                                                        \
      "Columns belong together by name. Values are the same when their bits are, dense or "        \
      "sparse; "                                                                                   \
      "formats and blocks may differ. Every difference is counted, the first of each kind are "    \
      "shown. The exit status is 1 when there is one; standard error is silent then, whereas bad " \
      "data are told there.",                                                                      \
      "people.idv people.idv", "is there a difference?",                                           \
      "--tolerance 1e-6 -c Age --quiet people.idv people.idv", "of one column, beyond rounding")   \
    X(verify,                                                                                      \
      "Lists every defect with its offset, what was expected and what was found. Where the list "  \
      "goes elsewhere than to a terminal, standard error names the first.",                        \
      "people.idv", "is the file sound?", "--progress people.idv >defects.txt",                    \
      "keep the list, and see how far it is")                                                      \
    X(bench,                                                                                       \
      "Reading through the library and reading the bytes take turns, so that both meet the same "  \
      "machine.",                                                                                  \
      "people.idv", "how fast the whole file is read", "-c Age --threads 1 people.idv",            \
      "one column, by one thread")                                                                 \
    X(help,                                                                                        \
      "The same as dataview VERB --help. It also writes the manual pages and the completion of "   \
      "shells.",                                                                                   \
      "head", "what head does and takes", "--as bash >dataview.bash", "completion for bash")

/* Variables of the environment that matter. */
#define DVI_ENVIRONMENT_LIST(X)                                                                    \
    X("COLUMNS", "how wide tables may be, where the terminal does not tell")                       \
    X("NO_COLOR", "not empty: neither bold nor dim text")                                          \
    X("TERM", "dumb, or not set: the same")                                                        \
    X("DATAVIEW_SIMD", "the highest level of instructions to use: scalar, avx2, avx512 or neon")

#define DVI_EXAMPLES 2

typedef struct dvi_manual {
    const char *verb, *description;
    struct {
        const char *words, *what;
    } examples[DVI_EXAMPLES];
} dvi_manual;

typedef struct dvi_manual_item {
    const char *name, *what;
} dvi_manual_item;

/* Of a verb; NULL when the list does not have it. */
const dvi_manual *dvi_manual_of(const char *verb);

/* The variables above, and the exit statuses of say.h; what ends them has no name. */
extern const dvi_manual_item dvi_manual_exits[], dvi_manual_environment[];

#endif
