/* SPDX-License-Identifier: MIT */
/* reword.c: the option names of the library and of the command, side by side. */
#include "cli/args/reword.h"
#include <dataview/save.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ALLOWED(member, bit, name, sentence)                                                       \
    {"loss " name " allowed", "--allow-loss " name},                                               \
        {", or " name " allowed", ", or --allow-loss " name},

/* clang-format off */
static const struct {
    const char *api, *command;
} words[] = {
    {"option idv_bool_2bit", "--bool 2bit"},
    {"option idv_old_keys", "--keys old"},
    {"option idv_version", "--idv-version"},
    {"option rows_per_block", "--rows-per-block"},
    {"option block_nbytes", "--block-bytes"},
    {"option spool_nbytes", "--spool-bytes"},
    {"option text schema+", "--to-text schema+"},
    {"give the name a known extension, or name one of ", "give its name a known extension, or say --to one of "},
    {" (allow_loss)", ""},
    {", or type=", ", or --type "},
    {", or strict-", ", or --bad-rows na"},
    DV_LOSS_LIST(ALLOWED)
};
/* clang-format on */

#define WORDS (sizeof words / sizeof *words)

/* The index of the words that the sentence starts with; WORDS: none. */
static size_t find_words(const char *sentence)
{
    size_t i = 0;
    while (i < WORDS && strncmp(sentence, words[i].api, strlen(words[i].api)) != 0)
        i++;
    return i;
}

void dvi_reword(char *dst, size_t cap, const char *sentence)
{
    size_t used = 0;
    bool is_name = false;
    while (*sentence && used + 1 < cap) {
        is_name ^= *sentence == '"';
        const size_t i = is_name ? WORDS : find_words(sentence);
        if (i == WORDS) {
            dst[used++] = *sentence++;
            continue;
        }
        const int n = snprintf(dst + used, cap - used, "%s", words[i].command);
        used += (size_t)n < cap - used ? (size_t)n : cap - used - 1;
        sentence += strlen(words[i].api);
    }
    dst[used] = 0;
}
