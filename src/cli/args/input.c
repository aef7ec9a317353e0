/* SPDX-License-Identifier: MIT */
/* input.c: opens the files, and applies the options that change rows and types. */
#include "cli/args/input.h"
#include "cli/args/datadings_words.h"
#include "cli/args/pipe_args.h"
#include "cli/args/retype.h"
#include "cli/args/reword.h"
#include "cli/args/row_cache.h"
#include "cli/args/row_epoch.h"
#include "cli/args/where.h"
#include "cli/terminal/amount.h"
#include <dataview/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define DESCRIPTORS_SPARE 64 /* for everything but input files */
#define OPENED_MOST 2        /* tables of a command */
#define WARNINGS_MOST 16

/* The tables as opened, before any option applies: they know what was wrong with their fields. */
static struct {
    dv_view *view;
    const char *path; /* of its first file, while the verb runs */
} opened[OPENED_MOST];
static int opened_count;

/* Each open file keeps a descriptor: raise the soft limit if there are many files. */
static void raise_descriptors(int files)
{
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)files + DESCRIPTORS_SPARE;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit); /* if this fails, opening the files reports it */
}

/* The options of a proposal that a person has to know of: all but the rules and the columns. */
static void write_manner(char *text, size_t cap, const char *proposal)
{
    static const char *const rules[] = {"sparse-", "comment=none", "defaults-", "strict+", "csv+"};
    size_t used = 0;
    while (*proposal && strncmp(proposal, "col=", 4) != 0) {
        const size_t n = strcspn(proposal, " ");
        bool is_rule = n == 0;
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
            is_rule |= strlen(rules[i]) == n && memcmp(rules[i], proposal, n) == 0;
        if (!is_rule && used + n + 2 < cap) {
            used += (size_t)snprintf(text + used, cap - used, "%s%.*s", used ? " " : "", (int)n,
                                     proposal);
        }
        proposal += n + (proposal[n] == ' ');
    }
}

/* Whether text is read in the way that anyone would expect. */
static bool is_usual(const char *manner)
{
    static const char *const usual[] = {"sep=comma", "sep=tab", "header+"};
    bool is_known = true;
    for (size_t n; *manner && is_known; manner += n + (manner[n] == ' ')) {
        n = strcspn(manner, " ");
        is_known = false;
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            is_known |= strlen(usual[i]) == n && memcmp(usual[i], manner, n) == 0;
    }
    return is_known;
}

/* Keep the view until the command ends.  false: the same files are open already. */
static bool keep(const dvi_args *args, dv_view *view)
{
    for (int i = 0; i < opened_count; i++)
        if (strcmp(opened[i].path, args->paths.word[0]) == 0)
            return false;
    if (opened_count == OPENED_MOST)
        return true;
    opened[opened_count].path = args->paths.word[0];
    opened[opened_count++].view = view;
    dv_view_retain(view);
    return true;
}

/* Report how text was read, if that is not the usual way. */
static void announce(const dvi_args *args, const dv_view *view)
{
    char manner[256] = "", count[DVI_AMOUNT_CAP];
    const char *proposal = dv_view_proposal(view);
    const int32_t columns = dv_schema_columns(dv_view_schema(view));
    if (!proposal || args->quiet)
        return;
    if (columns == 1 && !args->open.text) {
        dvi_say("%s: text, read as 1 column, since no separator splits its lines alike (--sep "
                "names one, dataview info shows how it is read)",
                args->paths.word[0]);
        return;
    }
    write_manner(manner, sizeof manner, proposal);
    if (is_usual(manner))
        return;
    dvi_amount_count(count, columns, "column");
    dvi_say("%s: text, read with %s and %s (dataview info shows how, --text changes it)",
            args->paths.word[0], manner, count);
}

bool dvi_input_is_spooled(const dvi_args *args)
{
    const bool learns = args->pipe && !args->fit_on; /* then rows are read once more */
    const bool has_cache_file = args->cache && strcmp(args->cache, "memory") != 0;
    return (args->verb && args->verb->takes & DVI_TAKES_TWICE) || args->epoch.shuffle ||
           args->epoch.shards > 1 || args->thumbnails || has_cache_file || learns;
}

bool dvi_input_has_pipe(const dvi_args *args)
{
    struct stat facts;
    bool is_found = false;
    for (int i = 0; i < args->paths.count; i++)
        is_found |= stat(args->paths.word[i], &facts) == 0 && !S_ISREG(facts.st_mode);
    return is_found;
}

/* Report the error; of text, say how to go on. */
static dvi_exit say_failure(const dvi_args *args, const dv_error *err)
{
    dv_error more = DV_ERROR_INIT;
    dv_buffer proposal = {0};
    const char *format = NULL, *path = args->paths.word[0];
    const dvi_exit status = dvi_say_reworded(err);
    const bool is_packing = strcmp(err->rule, "docs/formats/text.md") == 0;
    const bool is_foreign = err->status == DV_ERR_UNSUPPORTED && strcmp(err->found, "none") != 0;
    if (args->open.text || status == DVI_EXIT_SYSTEM || is_packing || is_foreign)
        return status;
    dv_status advised = dv_open_format(&format, path, &args->open, &more);
    if (advised == DV_OK && strcmp(format, "text") == 0)
        advised = dv_open_propose(&proposal, path, &args->open, &more);
    dv_buffer_release(&proposal);
    if (advised == DV_NOT_FOUND) /* else its columns are known, and the failure is another */
        dvi_say("say what its columns are, such as --text 'col=Name:TX:0 col=Age:R4:1'");
    return advised == DV_ERR_MEMORY ? dvi_say_error(&more) : status;
}

dvi_exit dvi_input_open_files(dv_view **view_out, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = args->open;
    options.spool = dvi_input_is_spooled(args) ? DV_SPOOL_ALWAYS : DV_SPOOL_NEEDED;
    raise_descriptors(args->paths.count);
    if (dv_open_many(view_out, args->paths.word, args->paths.count, &options, &err) != DV_OK)
        return say_failure(args, &err);
    const bool is_new = keep(args, *view_out);
    if (is_new && (!args->verb || !(args->verb->takes & DVI_TAKES_PROPOSAL)))
        announce(args, *view_out);
    return DVI_EXIT_DONE;
}

dvi_exit dvi_input_apply(dv_view **view, const dvi_args *args)
{
    dv_fitted *fitted = NULL;
    dvi_exit status = dvi_row_cache(view, args);
    if (!status)
        status = dvi_pipe_fit(&fitted, *view, args); /* on rows in their order, and all of them */
    if (!status)
        status = dvi_row_epoch(view, args);
    if (!status)
        status = dvi_retype(view, args);
    if (!status)
        status = dvi_where(view, args);
    return status ? status : dvi_pipe_apply(view, fitted);
}

dvi_exit dvi_input_open(dv_view **view_out, const dvi_args *args)
{
    const dvi_exit status = dvi_input_open_files(view_out, args);
    return status ? status : dvi_input_apply(view_out, args);
}

dvi_exit dvi_input_find_format(bool *found_out, const dvi_args *args, const char *wanted, bool each)
{
    *found_out = each;
    for (int i = 0; i < args->paths.count && *found_out == each; i++) {
        dv_error err = DV_ERROR_INIT;
        const char *format = NULL;
        const dv_status status = dv_open_format(&format, args->paths.word[i], &args->open, &err);
        if (status == DV_ERR_MEMORY)
            return dvi_say_error(&err);
        *found_out = status == DV_OK && strcmp(format, wanted) == 0;
    }
    return DVI_EXIT_DONE;
}

static bool say_warning(void *ctx, const char *file, const char *sentence)
{
    int *said = ctx;
    if (*said == WARNINGS_MOST)
        dvi_say("warning: and more (dataview verify lists them)");
    else
        dvi_say("warning: %s: %s", file, sentence);
    return ++*said <= WARNINGS_MOST;
}

dvi_exit dvi_input_close(bool is_quiet, dvi_exit status)
{
    int said = 0;
    for (int i = 0; i < opened_count; i++) {
        dv_error err = DV_ERROR_INIT;
        if (!is_quiet && dv_view_bad_fields(opened[i].view, say_warning, &said, &err) < 0)
            status = dvi_say_error(&err);
        dv_view_release(&opened[i].view);
    }
    opened_count = 0;
    dvi_pipe_close();
    return status;
}

const char *dvi_input_title(const dvi_args *args, char buffer[DVI_TITLE_CAP])
{
    if (args->paths.count == 1)
        return args->paths.word[0];
    if (args->files.count == 1)
        return args->files.word[0];
    snprintf(buffer, DVI_TITLE_CAP, "%d files", args->paths.count);
    return buffer;
}

int64_t dvi_input_nbytes(const dvi_args *args)
{
    int64_t nbytes = 0;
    for (int i = 0; i < args->paths.count; i++) {
        struct stat facts;
        if (stat(args->paths.word[i], &facts) != 0)
            return -1;
        nbytes += (int64_t)facts.st_size;
    }
    return nbytes;
}

dvi_exit dvi_say_reworded(const dv_error *err)
{
    char message[2 * sizeof err->message];
    dvi_reword(message, sizeof message, err->message);
    dvi_say("%s", message);
    return dvi_exit_of(err->status);
}

dvi_exit dvi_input_infer_all(dvi_args *how, char **text_out)
{
    static const char all[] = "infer=all ";
    const char *given = how->open.datadings ? how->open.datadings : "";
    bool is_datadings = false;
    if (dvi_datadings_has(given, "infer") || dvi_datadings_has(given, "col") ||
        dvi_datadings_has(given, "raw"))
        return DVI_EXIT_DONE;
    const dvi_exit status = dvi_input_find_format(&is_datadings, how, "datadings", true);
    if (status || !is_datadings)
        return status;
    *text_out = malloc(sizeof all + strlen(given));
    if (!*text_out)
        return dvi_say_memory();
    memcpy(*text_out, all, sizeof all - 1);
    memcpy(*text_out + sizeof all - 1, given, strlen(given) + 1);
    how->open.datadings = *text_out;
    return DVI_EXIT_DONE;
}
