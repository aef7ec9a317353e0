/* SPDX-License-Identifier: MIT */
/* text_guess.h: reads lines of a file with given options, and collects which types keep the fields
 * of each column. */
#ifndef DVI_FORMAT_TEXT_GUESS_H
#define DVI_FORMAT_TEXT_GUESS_H

#include "base/hashtab.h"
#include "codec/space.h"
#include "format/text/propose/text_evidence.h"
#include "format/text/propose/text_given.h"
#include "format/text/propose/text_suggest.h"
#include "format/text/read/text_reader.h"

#define DVI_TEXT_GUESS_LINES 200
#define DVI_TEXT_GUESS_NBYTES (INT64_C(1) << 20)        /* the first part of the file has them */
#define DVI_TEXT_GUESS_LINE_NBYTES (INT64_C(32) << 20)  /* the longest line, */
#define DVI_TEXT_GUESS_STREAM_NBYTES (INT64_C(8) << 20) /* or one that is unpacked or piped */
#define DVI_TEXT_GUESS_WHOLE_NBYTES (INT64_C(4) << 20)  /* files up to this size are read whole */

/* Larger files: the first bytes, which show separators, */
#define DVI_TEXT_GUESS_HEAD_NBYTES (INT64_C(256) << 10)
#define DVI_TEXT_GUESS_FIRST_ROWS 1024 /* rows from there, */
#define DVI_TEXT_GUESS_FIRST_FIELDS 40000
#define DVI_TEXT_GUESS_PLACES 104 /* places of which each two are less than a hundredth apart, */
#define DVI_TEXT_GUESS_ROWS 4096  /* and rows at all of them together */
#define DVI_TEXT_GUESS_FIELDS 100000

#define DVI_TEXT_GUESS_ODD_AFTER 3     /* fields of a type make another field odd */
#define DVI_TEXT_GUESS_ESCAPES "^~/`$" /* signs that some programs write before quotes */

/* Which lines are read. */
typedef enum dvi_text_extent {
    DVI_TEXT_FIRST_LINES, /* the first ones: enough to compare options */
    DVI_TEXT_SAMPLE,      /* the first ones, and some at places all over the file */
    DVI_TEXT_ALL_LINES
} dvi_text_extent;

/* The field of a column in the first line, which may be a header. */
typedef struct dvi_text_first {
    dv_text text; /* without white space around it; arena */
    dvi_text_evidence evidence;
    bool is_missing; /* blank, or a word for a missing value */
    bool is_number;  /* a number, perhaps dressed; */
    unsigned needs;  /* what it needs to be read, */
    dv_text affix;   /* and an affix; arena */
} dvi_text_first;

/* A source column, below the first line. */
typedef struct dvi_text_guess_column {
    dvi_text_first first;
    unsigned kinds;         /* types that keep all fields */
    bool is_named;          /* the file that is being read has it */
    bool has_value;         /* there is a field that is not missing */
    bool is_blank;          /* there is one that is missing */
    bool is_whole;          /* all are digits alone */
    bool repeats;           /* the text of the first line occurs again, but not with all others */
    int32_t shaped;         /* fields of the first lines, as far as they are texts; */
    unsigned shape;         /* traits that all of them have (text_header.c) */
    bool is_r4;             /* R4 keeps all numbers */
    bool has_infinity;      /* inf, Infinity */
    bool is_other;          /* a field is not a number, however it is dressed */
    bool is_grouped;        /* all numbers have three digits after a point that may group them */
    int64_t numbers;        /* fields that are numbers, perhaps dressed; */
    unsigned needs;         /* what they need to be read (dressed.h) */
    dv_text dressed, affix; /* the first dressed one, and an affix; arena */
    bool has_padded;        /* a number with leading zeros */
    int64_t named_missing;  /* NA, ? and the like; */
    dv_text missing;        /* the first of them; arena */
    unsigned words;         /* words for missing values, as bits */
    int64_t least, most;    /* of whole numbers */
    int32_t valued, plain;  /* fields that are values, and others, in the first lines */
    int64_t typed;          /* fields that a type keeps, before the first that none does */
    unsigned kinds_typed;   /* types that keep these */
    unsigned orders;        /* after that one: DVI_TEXT_CAN_DMY and _MDY, if dates may have both */
    const char *odd_in;     /* the other file that has it; NULL: the first one */
    dv_text odd; /* that first field, or its first bytes, if typed is DVI_TEXT_GUESS_ODD_AFTER or
                    more; arena */
} dvi_text_guess_column;

/* How one of the first lines is split. */
typedef struct dvi_text_guess_line {
    int64_t before;           /* lines of the file before it */
    int32_t fields, extent;   /* extent: without blank ones at the end */
    bool is_broken;           /* a field has broken quotes */
    bool is_comment, is_hash; /* it begins with # or //, with # */
    bool is_title;            /* a text, and nothing but blank fields after it */
    bool is_damaged;          /* it should be UTF-8, and is not */
    bool is_familiar;         /* it shows nothing new, and was not split; */
    int32_t quoted;           /* its fields in quotes */
} dvi_text_guess_line;

typedef struct dvi_text_guess {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_text_options options;
    dvi_text_guess_column *columns;
    size_t columns_cap, columns_seen;
    int32_t columns_count; /* of most lines */
    int32_t own_count;     /* fields of the first line, without blank ones at its end; */
    int32_t first_count;   /* and names that other files add to it */
    int64_t lines;
    dvi_text_guess_line first[DVI_TEXT_GUESS_LINES];
    int compared;          /* how many are used */
    int lead;              /* those before the table; */
    bool has_gap;          /* one of them is blank, but for its separators; */
    bool has_titles;       /* all have the separators of a row */
    int first_table;       /* lines of a table that another one with other columns follows */
    int usual_lines;       /* lines of the table with usual_count fields, but for blank ones; */
    int full_lines;        /* and those whose last field is not blank */
    int32_t usual_count;   /* fields of most lines, without one that is blank in all of them */
    int32_t wide_count;    /* and with it */
    bool has_hash_name;    /* # is a name, though a space follows it */
    bool has_wide;         /* it is not blank in a later line */
    bool is_even;          /* nearly all lines have these fields, so that the others are odd */
    int64_t broken, sound; /* fields with quotes */
    unsigned escapes;      /* as bits: DVI_TEXT_GUESS_ESCAPES before quotes in broken fields */
    int64_t apostrophes;   /* fields that begin with ' and are not in quotes */
    bool has_quoted_name;  /* a field of the first line is in quotes */
    bool has_limit;        /* a line is too long */
    bool is_open;          /* quotes are open at the end of a line that was read on its own */
    bool is_whole;         /* all lines were read */
    bool has_clear;        /* a decimal point that cannot group thousands */
    bool is_undressed;     /* options name no missing words, dress of numbers or format of dates */
    bool is_narrow;        /* is_r4, least and most are wanted */
    uint64_t seen[DVI_TEXT_GUESS_LINES]; /* digests of the texts, if there is one column */
    int32_t seen_count, again;           /* again: texts that occurred before; */
    int32_t separated;                   /* those with a sign that often separates fields */
    dvi_text_bytes bytes;                /* of lines that are not UTF-8, though no option or mark */
    dv_text damaged;                     /* says otherwise; a field of one; arena */
    bool is_first_damaged;               /* the first line is one */
    bool is_first_odd;                   /* it is not split as the table is */
    bool has_odd;                        /* a line is not split as the table is */
    int64_t repeated;                    /* lines that have all texts of the first */
    int64_t remarks, hashes; /* odd lines that begin with #; others, without the first */
    unsigned date_order;     /* DVI_TEXT_CAN_DMY or _MDY: the order of dates; 0: none is known */
    int32_t sequences;       /* lines after the first whose numbers rise as names would */
    bool first_rises;        /* the numbers of the first line rise, too */
    int32_t risers;          /* lines that were examined for that */
    dvi_hashtab names;       /* the texts of the first line, once other files are read */
    const char *reading;     /* the other file that is being read */
    int32_t files;           /* other files with rows; */
    int32_t headed;          /* those that begin with the same texts, in any order */
} dvi_text_guess;

/* The most bytes of a line. */
int64_t dvi_text_guess_line_nbytes(const dvi_map *map);
dvi_text_limit dvi_text_guess_limit(const dvi_map *map);

/* Is the field nothing but white space? */
static inline bool dvi_text_guess_is_blank(dv_text text)
{
    const char *end = text.data + text.nbytes;
    return dvi_space_skip(text.data, end) == end;
}

/* Count lines that are not empty, up to `most`; a line that is too long is one. */
dv_status dvi_text_count_lines(int64_t *lines_out, dvi_map *map, const dvi_encoding *given,
                               int64_t most, dv_error *err);

/* Read lines with these options. Free the guess even after a failure. It keeps no pointer to
 * `options`.  Files that are read as one table with the map, as given, are read too: a column of
 * theirs is the one with the same name in the header.
 * DV_OK, also if there is no line; DV_ERR_ARGUMENT: the options are invalid; DV_ERR_MEMORY,
 * DV_ERR_IO. */
dv_status dvi_text_guess_read(dvi_text_guess *guess, dvi_map *map, const char *options,
                              dvi_text_extent extent, const dvi_text_given *given, dv_error *err);
void dvi_text_guess_free(dvi_text_guess *guess);

/* text_guess_files.c: may lines that begin with # be left out of the other files of the table?  All
 * of them are read whole, and none of these lines has the fields of a row. */
dv_status dvi_text_guess_may_comment(bool *may_out, dvi_text_guess *guess, const dvi_map *first,
                                     const dvi_text_given *given, dv_error *err);

/* text_guess_files.c: DV_ERR_CORRUPT: lines are left out of the first file that would be rows of
 * another one, and there is no header to show where it starts. */
dv_status dvi_text_guess_check_starts(dvi_text_guess *guess, const dvi_map *first,
                                      const dvi_text_given *given, dv_error *err);

/* text_guess_columns.c: has the line `count` fields, but for blank ones? */
bool dvi_text_guess_fits(const dvi_text_guess_line *line, int32_t count);
/* text_guess_columns.c: find the number of fields that most of the first lines have. */
void dvi_text_guess_count_columns(dvi_text_guess *guess);

/* text_learn.c: learn from the fields of a line, whose index is their column. */
dv_status dvi_text_guess_learn(dvi_text_guess *guess, const dvi_text_field *fields, size_t n,
                               dv_error *err);

/* text_learn.c: would nothing change if this field were learned, in a line after the first ones? Of
 * a field in quotes that are doubled inside, the text is as written. */
bool dvi_text_guess_is_familiar(const dvi_text_guess *guess, int32_t column, dv_text text,
                                bool is_doubled);

/* text_learn.c: add a column with this name in the first line, which has no values so far. */
dv_status dvi_text_guess_add_column(dvi_text_guess *guess, int32_t column, dv_text name,
                                    dv_error *err);

/* text_learn.c: find the order of dates for all columns: one that a column of dates shows, or one
 * with few other texts. */
void dvi_text_guess_settle_dates(dvi_text_guess *guess);

/* Are all fields of the column dates with the day or the month first, and in which order is not
 * known?  Are they such dates at all? */
bool dvi_text_guess_is_ambiguous(const dvi_text_guess *guess, int32_t column);
bool dvi_text_guess_has_dates(const dvi_text_guess *guess, int32_t column);

/* The type of a column; DV_KIND_TX if no other keeps all fields. */
dv_kind dvi_text_guess_kind(const dvi_text_guess *guess, int32_t column, bool has_header);

/* Are the fields below the first line values, but for single ones?  Their column
 * may be TX. */
bool dvi_text_guess_is_valued(const dvi_text_guess *guess, int32_t column);

/* The first field that makes a column TX, though the fields before it have a type; empty: there are
 * few of these.  *kind_out: their type. */
dv_text dvi_text_guess_odd(const dvi_text_guess *guess, int32_t column, dv_kind *kind_out);

/* How the numbers of a column are dressed. */
typedef struct dvi_text_dressed {
    unsigned needs;        /* 0: they are not, or some are not numbers */
    dv_text number, affix; /* the first dressed one, and an affix */
} dvi_text_dressed;

dvi_text_dressed dvi_text_guess_dressed(const dvi_text_guess *guess, int32_t column,
                                        bool has_header);

/* text_header.c: is the first line a header?  *shift_out: the column of its first name; 1 if the
 * first column has none, as R writes row names. */
bool dvi_text_guess_has_header(const dvi_text_guess *guess, int32_t *shift_out);

/* text_header.c: the only blank name of a first line that has one name more than the rows have
 * fields; -1: it has no such name. */
int32_t dvi_text_guess_extra_name(const dvi_text_guess *guess);

/* text_header.c: could the first of a list of texts be a name, if it is taken for one of them? */
bool dvi_text_guess_may_name(const dvi_text_guess *guess);

/* text_header.c: traits of a text, as bits, as far as they are among these. */
unsigned dvi_text_guess_shape(dv_text text, unsigned among);

/* The field before the numbers of a line. */
typedef enum dvi_text_corner {
    DVI_TEXT_NO_CORNER,
    DVI_TEXT_TEXT_CORNER,
    DVI_TEXT_BLANK_CORNER
} dvi_text_corner;

/* text_header.c: do numbers rise as numeric names do: 0, 1, 2 or 1990, 1995, 2001? */
bool dvi_text_guess_rises(const double *numbers, int32_t n, dvi_text_corner corner);

#endif
