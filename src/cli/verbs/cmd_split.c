/* SPDX-License-Identifier: MIT */
/* cmd_split.c: writes a table to several files. */
#include "cli/args/option_value.h"
#include "cli/terminal/amount.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/output_files.h"
#include "cli/verbs/split_classes.h"
#include "cli/verbs/split_groups.h"
#include "cli/verbs/split_shares.h"
#include "cli/verbs/writing.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MOST 1000000

/* --- Positions -------------------------------------------------------------------------------- */

/* Make the outputs: one ends before each of the n positions `at`, and the last takes the rest. */
static dvi_exit cut(dvi_output **output_out, int *outputs_out, const int64_t *at, int64_t n,
                    int64_t rows)
{
    dvi_output *output = calloc(n > 0 ? (size_t)n + 1 : 1, sizeof *output);
    if (!output)
        return dvi_say_memory();
    for (int64_t i = 0; i <= n; i++) {
        output[i].skip = i ? at[i - 1] : 0;
        output[i].take = (i < n ? at[i] : rows) - output[i].skip;
    }
    *output_out = output;
    *outputs_out = (int)n + 1;
    return DVI_EXIT_DONE;
}

/* Read the positions of the command line; each must leave rows on both sides. */
static dvi_exit read_positions(int64_t *at, const dvi_args *args, int64_t rows)
{
    char count[DVI_AMOUNT_CAP];
    for (int i = 0; i < args->numbers.count; i++) {
        const char *word = args->numbers.word[i];
        const dvi_exit status = dvi_set_count("position", word, INT64_MAX, &at[i]);
        if (status)
            return status;
        if (i && at[i] <= at[i - 1])
            return dvi_say_usage("position %s is not greater than %s", word,
                                 args->numbers.word[i - 1]);
        if (at[i] < 1 || at[i] >= rows)
            return dvi_say_usage("position %s is not within 1 to %" PRId64 ": the input has %s",
                                 word, rows - 1, dvi_amount_count(count, rows, "row"));
    }
    return DVI_EXIT_DONE;
}

static int64_t count_positions(const dvi_args *args, int64_t rows)
{
    if (args->every < 0)
        return args->numbers.count;
    return rows ? (rows - 1) / args->every : 0;
}

static dvi_exit refuse_empty(const dvi_writing *w, const dvi_shares *shares, int part)
{
    char number[32], rows[DVI_AMOUNT_CAP];
    const char *name = dvi_shares_name(shares, part);
    snprintf(number, sizeof number, "file %d", part + 1);
    return dvi_say_usage("--fraction %s: %s would have no rows, because the input has %s",
                         w->args->fraction, name ? name : number,
                         dvi_amount_count(rows, w->selection.rows, "row"));
}

/* Set the positions at which the shares end; each share must have rows. */
static dvi_exit find_positions(dvi_writing *w, const dvi_shares *shares, int64_t *at)
{
    int64_t rows[DVI_SHARES_MOST];
    dvi_exit status = DVI_EXIT_DONE;
    if (w->args->stratify)
        status = dvi_split_classes(w, shares, rows);
    else if (w->args->group)
        status = dvi_split_groups(w, shares, rows);
    else
        dvi_shares_rows(shares, w->selection.rows, rows);
    for (int i = 0; i < shares->count && !status; i++) {
        if (rows[i] == 0)
            return refuse_empty(w, shares, i);
        at[i] = rows[i] + (i ? at[i - 1] : 0);
    }
    return status;
}

static dvi_exit share_outputs(dvi_output **output_out, int *outputs_out, dvi_writing *w,
                              const dvi_shares *shares)
{
    int64_t at[DVI_SHARES_MOST] = {0};
    const dvi_exit status = find_positions(w, shares, at);
    return status ? status : cut(output_out, outputs_out, at, shares->count - 1, w->selection.rows);
}

static dvi_exit make_outputs(dvi_output **output_out, int *outputs_out, const dvi_args *args,
                             int64_t rows)
{
    const int64_t n = count_positions(args, rows);
    if (n >= FILES_MOST)
        return dvi_say_usage("split would write %" PRId64 " files; the limit is %d", n + 1,
                             FILES_MOST);
    int64_t *at = calloc((size_t)n + 1, sizeof *at);
    if (!at)
        return dvi_say_memory();
    dvi_exit status = args->every < 0 ? read_positions(at, args, rows) : DVI_EXIT_DONE;
    for (int64_t i = 0; i < n && !status && args->every >= 0; i++)
        at[i] = (i + 1) * args->every;
    if (!status)
        status = cut(output_out, outputs_out, at, n, rows);
    free(at);
    return status;
}

/* --- Names ------------------------------------------------------------------------------------ */

/* NAME.EXT as NAME-PART.EXT. */
static char *with_part(const char *path, int stem, const char *part)
{
    const size_t cap = strlen(path) + strlen(part) + 2;
    char *made = malloc(cap);
    if (made)
        snprintf(made, cap, "%.*s-%s%s", stem, path, part, path + stem);
    return made;
}

/* NAME.EXT as NAME-train.EXT, or as NAME-I.EXT, with leading zeros so that all numbers have the
 * same length. */
static char *numbered(const char *path, int i, int outputs, const dvi_shares *shares)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *point = strrchr(name, '.');
    const int stem = (int)((point && point > name ? point : path + strlen(path)) - path);
    const int digits = snprintf(NULL, 0, "%d", outputs - 1);
    char number[16];
    snprintf(number, sizeof number, "%0*d", digits, i);
    const char *name_of_part = shares ? dvi_shares_name(shares, i) : NULL;
    return with_part(path, stem, name_of_part ? name_of_part : number);
}

/* The name that all outputs are numbered from; NULL: each has its own, or *status_out is an error.
 */
static const char *find_base(const dvi_args *args, int outputs, dvi_exit *status_out)
{
    const int named = args->outs.count;
    const bool is_one =
        args->paths.count == 1 && strcmp(args->paths.word[0], *args->files.word) == 0;
    *status_out = DVI_EXIT_DONE;
    if (named == 1)
        return args->outs.word[0];
    if (named == 0 && is_one)
        return args->paths.word[0];
    if (named == 0)
        *status_out = dvi_say_usage(
            "the input is not one file, so split needs -o NAME.EXT, for NAME-0.EXT and so on");
    else if (named != outputs)
        *status_out = dvi_say_usage("%d files will be written, but -o names %d; give -o NAME.EXT "
                                    "once for NAME-0.EXT and so on",
                                    outputs, named);
    return NULL;
}

/* Check that no file is written twice, and that all have one format. */
static dvi_exit check_names(const dvi_output *output, int outputs, const dvi_args *args,
                            const dvi_words *names)
{
    dvi_exit status = DVI_EXIT_DONE;
    const char *format = dvi_save_args_format(&args->save, output->path);
    for (int i = 0; i < outputs && !status; i++) {
        status = dvi_save_args_check(&args->save, output[i].path);
        if (!status && strcmp(dvi_save_args_format(&args->save, output[i].path), format) != 0)
            status = dvi_say_usage(
                "%s and %s have extensions of different formats; choose one with --to",
                output->path, output[i].path);
    }
    return status ? status : dvi_output_files_check(args, names->word, names->count);
}

/* Name the outputs; *names owns the names. */
static dvi_exit name_outputs(dvi_output *output, int outputs, const dvi_args *args,
                             const dvi_shares *shares, dvi_words *names)
{
    dvi_exit status;
    const char *base = find_base(args, outputs, &status);
    for (int i = 0; i < outputs && !status; i++) {
        assert(base || args->outs.word[i]);
        char *name = base ? numbered(base, i, outputs, shares) : strdup(args->outs.word[i]);
        if (!dvi_words_own(names, name))
            return dvi_say_memory();
        output[i].path = name;
    }
    return status ? status : check_names(output, outputs, args, names);
}

/* --- The verb --------------------------------------------------------------------------------- */

/* shares NULL: positions, or every so many rows. */
static dvi_exit run(dvi_writing *w, const dvi_shares *shares)
{
    dvi_output *output = NULL;
    dvi_words names = {0};
    int64_t first;
    int outputs = 0;
    dvi_exit status = dvi_writing_count(w, &first);
    if (!status)
        status = shares ? share_outputs(&output, &outputs, w, shares)
                        : make_outputs(&output, &outputs, w->args, w->selection.rows);
    if (!status)
        status = name_outputs(output, outputs, w->args, shares, &names);
    if (!status)
        status = dvi_writing_run(w, output, outputs);
    dvi_words_free_all(&names);
    free(output);
    return status;
}

dvi_exit dvi_cmd_split(const dvi_args *args, dvi_out *out)
{
    dvi_writing w;
    dvi_shares shares;
    if (args->every == 0)
        return dvi_say_usage("--every must be at least 1");
    if ((args->fraction != NULL) + (args->every >= 0) + (args->numbers.count > 0) != 1)
        return dvi_say_usage("split needs one of --fraction 0.8,0.2, --every N and positions: "
                             "dataview split %s",
                             args->verb->arguments);
    if (args->stratify && !args->fraction)
        return dvi_say_usage("--stratify needs --fraction");
    if (args->group && !args->fraction)
        return dvi_say_usage("--group needs --fraction");
    if (args->group && args->stratify)
        return dvi_say_usage("--group and --stratify exclude each other: a value of one may have "
                             "rows of several values of the other");
    dvi_exit status = args->fraction ? dvi_shares_read(&shares, args->fraction) : DVI_EXIT_DONE;
    if (status)
        return status;
    status = dvi_writing_open(&w, args, out);
    if (!status)
        status = run(&w, args->fraction ? &shares : NULL);
    dvi_writing_free(&w);
    return status;
}
