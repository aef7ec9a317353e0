/* SPDX-License-Identifier: MIT */
/* save_args.c: sets the options of writers, each by its name. */
#include "cli/args/save_args.h"
#include "cli/args/format_words.h"
#include "cli/args/option_value.h"
#include <dataview/format.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const compression_names[] = {"none", "deflate", "zlib", NULL};
static const char *const version_names[] = {"1.1.1.6", "1.1.1.5", NULL};
static const char *const keys_names[] = {"new", "old", NULL};
static const char *const bool_names[] = {"1bit", "2bit", NULL};

#define LOSS_NAME(member, bit, name, sentence) name,
static const char *const loss_names[] = {DV_LOSS_LIST(LOSS_NAME) NULL};

typedef dvi_exit set_option(dv_save_options *options, const char *name, const char *value);

static set_option set_to, set_losses, set_rows, set_block, set_compression, set_level, set_align,
    set_version, set_keys, set_bool, set_canonical, set_to_text, set_to_datadings, set_no_sync;

/* Every option: its name, its member of dv_save_options if only some formats have it, its setter,
 * its words. */
static const struct option {
    const char *name, *member;
    set_option *set;
    const char *const *words;
} options_list[] = {
    {"to", NULL, set_to, NULL}, /* of dvi_saved_format_words */
    {"allow-loss", NULL, set_losses, loss_names},
    {"rows-per-block", "rows_per_block", set_rows, NULL},
    {"block-bytes", "block_nbytes", set_block, NULL},
    {"compression", "compression", set_compression, compression_names},
    {"level", "level", set_level, NULL},
    {"align", "align", set_align, NULL},
    {"idv-version", "idv_version", set_version, version_names},
    {"keys", "idv_old_keys", set_keys, keys_names},
    {"bool", "idv_bool_2bit", set_bool, bool_names},
    {"canonical", "canonical", set_canonical, NULL},
    {"to-text", "text", set_to_text, NULL},
    {"to-datadings", "datadings", set_to_datadings, NULL},
    {"no-sync", NULL, set_no_sync, NULL},
};

#define OPTIONS (sizeof options_list / sizeof *options_list)

static const struct option *find(const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (strcmp(options_list[i].name, name) == 0)
            return &options_list[i];
    return NULL;
}

/* --- Setters ---------------------------------------------------------------------------------- */

/* Find which of its words the value is. */
static dvi_exit set_choice(const char *name, const char *value, int *choice_out)
{
    char option[32];
    const char *word;
    const char *const *words = dvi_save_args_words(name);
    snprintf(option, sizeof option, "--%s", name);
    const dvi_exit status = dvi_set_name(option, value, words, &word);
    for (int i = 0; !status && words[i]; i++)
        if (words[i] == word)
            *choice_out = i;
    return status;
}

static dvi_exit set_to(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    return dvi_set_format("--to", value, dvi_saved_format_words(), &options->format);
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
        return dvi_say_usage("%s must be at least 1", option);
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
        return dvi_say_usage("--block-bytes must be at least 1");
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
        return dvi_say_usage("--level expects 1 to 12, not '%s'", value);
    options->level = (int32_t)level;
    return DVI_EXIT_DONE;
}

static dvi_exit set_align(dv_save_options *options, const char *name, const char *value)
{
    (void)name;
    int64_t align = 0;
    const bool ok = dvi_parse_count(value, strlen(value), &align);
    if (!ok || align < 8 || align > 4096 || (align & (align - 1)) != 0)
        return dvi_say_usage("--align expects a power of two from 8 to 4096, not '%s'", value);
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

/* --- Public ----------------------------------------------------------------------------------- */

dvi_exit dvi_save_args_set(dvi_save_args *save, const char *name, const char *value)
{
    const struct option *option = find(name);
    if (!option)
        return DVI_EXIT_DONE;
    save->given |= UINT32_C(1) << (option - options_list);
    return option->set(&save->options, name, value);
}

bool dvi_save_args_is_jsonl(const dv_save_options *options, const char *path)
{
    static const char *const endings[] = {".jsonl",  ".jsonl.gz",  ".jsonl.zst",
                                          ".ndjson", ".ndjson.gz", ".ndjson.zst"};
    const size_t n = strlen(path);
    bool is_found = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !options->format; i++) {
        const size_t k = strlen(endings[i]);
        is_found |= n > k && strcasecmp(path + n - k, endings[i]) == 0;
    }
    return is_found;
}

const char *dvi_save_args_format(const dvi_save_args *save, const char *path)
{
    const dv_format_info *format = dv_format_of_path(path);
    if (save->options.format)
        return save->options.format;
    if (dvi_save_args_is_jsonl(&save->options, path))
        return DVI_JSONL;
    return format ? format->name : "";
}

/* Is the word in the list, whose words are separated by spaces? */
static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

/* "idv": the formats that have the option. */
static void list_formats(char *text, size_t cap, const struct option *option)
{
    size_t n = 0;
    *text = 0;
    for (int32_t i = 0; i < dv_format_count() && n < cap; i++)
        if (has_word(dv_format_at(i)->save_options, option->member))
            n += (size_t)snprintf(text + n, cap - n, "%s%s", n ? ", " : "", dv_format_at(i)->name);
}

/* Refuse options that the format ignores. */
static dvi_exit check_format(const dvi_save_args *save, const dv_format_info *format)
{
    char formats[128];
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &options_list[i];
        if (!(save->given >> i & 1) || !option->member ||
            has_word(format->save_options, option->member))
            continue;
        list_formats(formats, sizeof formats, option);
        return dvi_say_usage("--%s is an option for %s, but the output is %s", option->name,
                             formats, format->name);
    }
    return DVI_EXIT_DONE;
}

dvi_exit dvi_save_args_check(const dvi_save_args *save, const char *path)
{
    const dv_save_options *options = &save->options;
    static const dv_format_info jsonl = {.name = "JSON lines", .save_options = ""};
    const dv_format_info *format = dvi_save_args_is_jsonl(options, path)
                                       ? &jsonl
                                       : dv_format_find(dvi_save_args_format(save, path));
    const dvi_exit status = format ? check_format(save, format) : DVI_EXIT_DONE;
    if (!status && options->level && options->compression == DV_COMPRESSION_NONE)
        return dvi_say_usage("--level needs --compression deflate or --compression zlib");
    return status;
}

const char *const *dvi_save_args_words(const char *name)
{
    const struct option *option = find(name);
    if (!option)
        return NULL;
    return option->set == set_to ? dvi_saved_format_words() : option->words;
}
