/* SPDX-License-Identifier: MIT */
/* manual.h: descriptions, examples and environment variables for help and the manual pages. */
#ifndef DVI_CLI_MANUAL_H
#define DVI_CLI_MANUAL_H

/* Every verb: a description; two command lines, without "dataview VERB ", each with what it shows.
 * ASCII only, so that a page needs no preparation.  people.idv is in tests/golden, and a test runs
 * all examples. */
#define DVI_MANUAL_LIST(X)                                                                         \
    X(info,                                                                                        \
      "Shows format, size, rows and blocks; then for each column the bytes that are stored, the "  \
      "bytes that they inflate to, the compression, and how many of its blocks a mapped file "     \
      "serves in place, without a copy.",                                                          \
      "people.idv", "facts about the file", "--quiet people.idv", "without warnings")              \
    X(schema,                                                                                      \
      "A line per column: index, name, type and kinds of metadata. Hidden columns, those with a "  \
      "later column of the same name, are marked.",                                                \
      "people.idv", "the columns", "--metadata people.idv", "with the values of their metadata")   \
    X(head,                                                                                        \
      "Numbers and times are never cut: columns that do not fit are named below the table. Long "  \
      "texts end in an ellipsis, and long vectors show their first slots.",                        \
      "-n 3 people.idv", "the first three rows", "-c 'Name,A*' --rows 100: people.idv",            \
      "some columns, from row 100 on")                                                             \
    X(tail, "The same as head, from the other end.", "-n 3 people.idv", "the last three rows",     \
      "-c Age people.idv", "one column only")                                                      \
    X(cat,                                                                                         \
      "Writes a line per row in a form that other programs read. If the file is damaged, the "     \
      "rows before the damage are written, and the exit status is 1.",                             \
      "--drop Tags --take 100 people.idv", "100 rows as tab-separated text",                       \
      "--format exact people.idv", "every value without loss")                                     \
    X(stats,                                                                                       \
      "Reads all selected rows and columns once. A vector that --columns names has a line per "    \
      "slot.",                                                                                     \
      "people.idv", "all columns", "-c Age people.idv", "one column")                              \
    X(counts,                                                                                      \
      "A line per value, the most frequent first; of a vector, each slot is a value. Counts are "  \
      "exact up to a million different values whose texts take 256 MiB; beyond that rare values "  \
      "are dropped, and a line says by how much a count can be too low. -n sets the number of "    \
      "values.",                                                                                   \
      "people.idv Active", "how many are active", "-n 3 people.idv Tags",                          \
      "the three most frequent tags")                                                              \
    X(convert,                                                                                     \
      "Writes the selected rows and columns of all files to OUT, in the format that --to or the "  \
      "extension of OUT names; text is compressed if .gz or .zst follows, and .jsonl writes JSON " \
      "lines. An existing OUT is replaced as a whole at the end, even if it is the input; after "  \
      "an error or Ctrl-C it is as it was. What the format cannot hold is refused and listed, "    \
      "with the option that allows the loss.",                                                     \
      "--compression deflate people.idv small.idv", "the same table, compressed",                  \
      "-c Name,Age --rows 100:200 people.idv part.idv", "two columns of 100 rows")                 \
    X(shuffle,                                                                                     \
      "The order is that of datadings-shuffle. It depends on the seed alone and is the same on "   \
      "every machine; the default seed is the number of rows. From datadings to datadings, "       \
      "samples are copied as they are. OUT is written as convert writes it.",                      \
      "people.idv mixed.idv", "the rows in random order", "--seed 7 people.idv mixed.idv",         \
      "in another order")                                                                          \
    X(split,                                                                                       \
      "With --fraction, each share of the rows has its file, and every row is in one of them; "    \
      "--shuffle puts them into random order first. "                                              \
      "P positions make P+1 files: the rows before the first position, those from there to the "   \
      "next, and so on. The files are written one after the other, each as convert writes it; "    \
      "after an error the complete ones stay, and the message names them.",                        \
      "--fraction 0.8,0.2 --shuffle --seed 1 people.idv", "people-train.idv and people-test.idv",  \
      "people.idv 100 500", "people-0.idv to people-2.idv")                                        \
    X(merge,                                                                                       \
      "At random, each next row comes from a file that has rows left, chosen in proportion to "    \
      "the number of rows of each file, so that all files end at about the same time. Rows of "    \
      "one file keep their order. OUT is written as convert writes it.",                           \
      "people.idv people.idv both.idv", "two files, mixed",                                        \
      "--strategy concat people.idv people.idv both.idv", "one after the other")                   \
    X(sample,                                                                                      \
      "A random sample is the first N rows that shuffle writes with the same seed. OUT is "        \
      "written as convert writes it.",                                                             \
      "people.idv some.idv 50", "50 rows, none of them twice",                                     \
      "--strategy sequential people.idv some.idv 50", "the first 50")                              \
    X(find,                                                                                        \
      "Looks the keys up in the index beside the file; in a folder or a pattern of files, in one " \
      "file after the other. Shows the samples as head does, in the order of the keys. @FILE "     \
      "stands for the words in that file; --keys FILE takes each line as a key, blanks included. " \
      "The exit status is 1 if a key is missing.",                                                 \
      "tiny.msgpack a b/1", "two samples", "--ids -c key tiny.msgpack a",                          \
      "the row that a sample is in")                                                               \
    X(index,                                                                                       \
      "Writes .offsets, .keys, .key_hashes, .filter and .md5 beside the file: from a legacy "      \
      ".index, from those of them that exist, or, with --datadings 'raw scan', from the samples "  \
      "alone. The file itself does not change.",                                                   \
      "tiny.msgpack", "as datadings-convert-index does", "--datadings 'raw scan' tiny.msgpack",    \
      "without using the existing files")                                                          \
    X(diff,                                                                                        \
      "Pairs columns by name. Values are equal if their bits are, whether dense or sparse; "       \
      "formats and blocks may differ. All differences are counted, and the first of each kind "    \
      "are shown. The exit status is 1 if there is a difference; standard error is then empty, "   \
      "while bad data is reported there.",                                                         \
      "people.idv people.idv", "compare everything",                                               \
      "--tolerance 1e-6 -c Age --quiet people.idv people.idv",                                     \
      "compare one column, ignoring rounding")                                                     \
    X(verify,                                                                                      \
      "Lists every defect with its offset, what was expected and what was found. If the list "     \
      "does not go to a terminal, standard error names the first defect.",                         \
      "people.idv", "check the file", "--progress people.idv >defects.txt",                        \
      "keep the list and watch the progress")                                                      \
    X(pipe,                                                                                        \
      "Steps turn columns into what a model wants; some learn from the rows: term numbers the "    \
      "distinct values of a column. `list [STEP]` names the steps, or the options of one; "        \
      "`check FILE STEPS` says whether a table has what the steps need; `fit FILE STEPS` learns, " \
      "and shows what; with -o it saves the fitted pipeline, which `show PIPELINE` shows; "        \
      "`diff A B` compares two. `part FILE STEPS -o PART` keeps what the steps see of a part of "  \
      "the rows, and `merge PART...` fits on all parts, as on one table. STEPS is a text, or the " \
      "name of a file that has it. With --pipe, "                                                  \
      "other verbs apply a pipeline.",                                                             \
      "list onehot", "a step and its options", "fit people.idv 'term Name; onehot Tags'",          \
      "what the steps learn")                                                                      \
    X(bench,                                                                                       \
      "Reading through the library and reading the plain bytes take turns, so that both see the "  \
      "same machine.",                                                                             \
      "people.idv", "how fast the whole file is read", "-c Age --threads 1 people.idv",            \
      "one column with one thread")                                                                \
    X(explain,                                                                                     \
      "An error ends with the rule that was broken, such as (idv:T3). Prints the rule, its "       \
      "section and where docs/spec has it; for a section, all of it; for a page, a line per "      \
      "rule; without a rule, the pages. idv T3 and IDV:t3 work too, and T3 alone if only one "     \
      "page has it.",                                                                              \
      "idv:T3", "what a lookup table must be", "datadings", "the rules of a page")                 \
    X(help,                                                                                        \
      "The same as dataview VERB --help. Also writes the manual pages and shell completion.",      \
      "head", "describe head and its options", "--as bash >dataview.bash", "completion for bash")

/* Environment variables that the command uses. */
#define DVI_ENVIRONMENT_LIST(X)                                                                    \
    X("COLUMNS", "the width of tables, if the terminal does not report its own")                   \
    X("NO_COLOR", "if not empty, no bold or dim text")                                             \
    X("TERM", "if dumb or not set, no bold or dim text")                                           \
    X("DATAVIEW_SIMD", "the highest instruction level to use: scalar, avx2, avx512 or neon")

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

/* The manual of a verb, or NULL. */
const dvi_manual *dvi_manual_of(const char *verb);

/* The variables above, and the exit statuses of say.h; an item without a name ends each list. */
extern const dvi_manual_item dvi_manual_exits[], dvi_manual_environment[];

#endif
