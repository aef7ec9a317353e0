/* SPDX-License-Identifier: MIT */
/* save_args.c: options of writers, each by its name. */
#include "cli/save_args.h"
#include "cli/nearest.h"
#include "cli/option_value.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define IDV "idv"
#define BTABLE "btable"
#define TEXT "text"
#define DATADINGS "datadings"

static const char *const to_names[] = {IDV, BTABLE, TEXT, DATADINGS, NULL};
static const char *const article_names[] = {".idv", "a BTable", "text", "datadings"};
static const char *const compression_names[] = {"none", "deflate", "zlib", NULL};
static const char *const version_names[] = {"1.1.1.6", "1.1.1.5", NULL};
static const char *const keys_names[] = {"new", "old", NULL};
static const char *const bool_names[] = {"1bit", "2bit", NULL};

#define LOSS_NAME(member, bit, name, sentence) name,
static const char *const loss_names[] = {DV_LOSS_LIST(LOSS_NAME) NULL};

typedef dvi_exit set_option(dv_save_options *options, const char *name, const char *value);

static set_option set_to, set_losses, set_rows, set_block, set_compression, set_level, set_align,
    set_version, set_keys, set_bool, set_canonical, set_to_text, set_to_datadings, set_no_sync;

/* Every option: its name, the only format that it is for, how it is set, its words. */
static const struct option {
    const char *name, *format;
    set_option *set;
    const char *const *words;
} options_list[] = {
    {"to", NULL, set_to, to_names},
    {"allow-loss", NULL, set_losses, loss_names},
    {"rows-per-block", IDV, set_rows, NULL},
    {"block-bytes", IDV, set_block, NULL},
    {"compression", IDV, set_compression, compression_names},
    {"level", IDV, set_level, NULL},
    {"align", IDV, set_align, NULL},
    {"idv-version", IDV, set_version, version_names},
    {"keys", IDV, set_keys, keys_names},
    {"bool", IDV, set_bool, bool_names},
    {"canonical", BTABLE, set_canonical, NULL},
    {"to-text", TEXT, set_to_text, NULL},
    {"to-datadings", DATADINGS, set_to_datadings, NULL},
    {"no-sync", NULL, set_no_sync, NULL},
};

static const struct option *find(const char *name)
{
    for (size_t i = 0; i < sizeof options_list / sizeof *options_list; i++)
        if (strcmp(options_list[i].name, name) == 0)
            return &options_list[i];
    return NULL;
}

/* --- Each of them ----------------------------------------------------------------------------- */

/* Which of its words? */
static dvi_exit set_choice(const char *name, const char *value, int *choice_out)
{
    char option[32];
    const char *word;
    const char *const *words = find(name)->words;
    snprintf(option, sizeof option, "--%s", name);
    const dvi_exit status = dvi_set_name(option, value, words, &word);
    for (int i = 0; !status && words[i]; i++)
        if (words[i] == word)
            *choice_out = i;
    return status;
}

static dvi_exit set_to(dv_save_options *options, const char *name, const char *value)
{
    int choice = 0;
    const dvi_exit status = set_choice(name, value, &choice);
    options->format = to_names[choice];
    return status;
}

/* "columns,types" */
static dvi_exit set_losses(dv_save_options *options, const char *name, const char *value)
{
    dvi_exit status = DVI_EXIT_DONE;
    for (bool more = true; more && !status; value++) {
        char word[32];
        int choice = 0;
        const size_t n = strcspn(value, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word), value);
        dv_loss loss = DV_LOSS_NONE;
        status = set_choice(name, word, &choice);
        dv_loss_parse(&loss, dv_text_of(loss_names[choice]));
        options->allow_loss |= (uint32_t)loss;
        value += n;
        more = *value;
    }
    return status;
}

static dvi_exit set_positive(const char *option, const char *value, int64_t *number_out)
{
    const dvi_exit status = dvi_set_count(option, value, INT64_MAX, number_out);
    if (!status && *number_out == 0)
        return dvi_say_usage("%s takes 1 at least", option);
    return status;
}

static dvi_exit set_rows(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    return set_positive("--rows-per-block", value, &options->rows_per_block);
}

static dvi_exit set_block(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    const dvi_exit status = dvi_set_nbytes("--block-bytes", value, &options->block_nbytes);
    if (!status && options->block_nbytes == 0)
        return dvi_say_usage("--block-bytes takes 1 at least");
    return status;
}

static dvi_exit set_compression(dv_save_options *options, const char *name, const char *value)
{
    int choice = 0;
    const dvi_exit status = set_choice(name, value, &choice);
    options->compression = (dv_compression)choice;
    return status;
}

static dvi_exit set_level(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    int64_t level = 0;
    if (!dvi_parse_count(value, strlen(value), &level) || level < 1 || level > 12)
        return dvi_say_usage("--level takes 1 to 12, not '%s'", value);
    options->level = (int32_t)level;
    return DVI_EXIT_DONE;
}

static dvi_exit set_align(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    int64_t align = 0;
    const bool ok = dvi_parse_count(value, strlen(value), &align);
    if (!ok || align < 8 || align > 4096 || (align & (align - 1)) != 0)
        return dvi_say_usage("--align takes a power of two, 8 to 4096, not '%s'", value);
    options->align = (int32_t)align;
    return DVI_EXIT_DONE;
}

static dvi_exit set_version(dv_save_options *options, const char *name, const char *value)
{
    int choice = 0;
    const dvi_exit status = set_choice(name, value, &choice);
    options->idv_version = version_names[choice];
    return status;
}

static dvi_exit set_keys(dv_save_options *options, const char *name, const char *value)
{
    int choice = 0;
    const dvi_exit status = set_choice(name, value, &choice);
    options->idv_old_keys = choice == 1;
    return status;
}

static dvi_exit set_bool(dv_save_options *options, const char *name, const char *value)
{
    int choice = 0;
    const dvi_exit status = set_choice(name, value, &choice);
    options->idv_bool_2bit = choice == 1;
    return status;
}

static dvi_exit set_canonical(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    (void)value;
    options->canonical = true;
    return DVI_EXIT_DONE;
}

static dvi_exit set_to_text(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    options->text = value;
    return DVI_EXIT_DONE;
}

static dvi_exit set_to_datadings(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    options->datadings = value;
    return DVI_EXIT_DONE;
}

static dvi_exit set_no_sync(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    (void)value;
    options->sync = false;
    return DVI_EXIT_DONE;
}

/* --- All of them ------------------------------------------------------------------------------ */

/* Which of to_names is it?  DVI_SAVE_FORMATS: none. */
static int format_index(const char *name)
{
    int i = 0;
    while (i < DVI_SAVE_FORMATS && strcmp(to_names[i], name) != 0)
        i++;
    return i;
}

dvi_exit dvi_save_args_set(dvi_save_args *save, const char *name, const char *value)
{
    const struct option *option = find(name);
    if (!option)
        return DVI_EXIT_DONE;
    if (option->format) {
        const char **first = &save->only_of[format_index(option->format)];
        *first = *first ? *first : option->name;
    }
    return option->set(&save->options, name, value);
}

const char *dvi_save_args_format(const dvi_save_args *save, const char *path)
{
    static const char *const endings[][2] = {{IDV, IDV},    {BTABLE, BTABLE},
                                             {"txt", TEXT}, {"csv", TEXT},
                                             {"tsv", TEXT}, {"msgpack", DATADINGS}};
    const char *point = strrchr(path, '.');
    if (save->options.format)
        return save->options.format;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && point; i++)
        if (strcmp(point + 1, endings[i][0]) == 0)
            return endings[i][1];
    return "";
}

dvi_exit dvi_save_args_check(const dvi_save_args *save, const char *path)
{
    const dv_save_options *options = &save->options;
    const int written = format_index(dvi_save_args_format(save, path));
    for (int i = 0; i < DVI_SAVE_FORMATS && written < DVI_SAVE_FORMATS; i++)
        if (save->only_of[i] && i != written)
            return dvi_say_usage("--%s is of %s, and %s is what is written", save->only_of[i],
                                 i == 1 ? "BTable" : article_names[i], article_names[written]);
    if (options->level && options->compression == DV_COMPRESSION_NONE)
        return dvi_say_usage("--level needs --compression deflate or --compression zlib");
    return DVI_EXIT_DONE;
}

const char *const *dvi_save_args_words(const char *name)
{
    const struct option *option = find(name);
    return option ? option->words : NULL;
}
