/* SPDX-License-Identifier: MIT */
/* letters.h: files whose rows are one letter each, for verbs that reorder rows. */
#ifndef DVT_CLI_LETTERS_H
#define DVT_CLI_LETTERS_H

#include "cli/run.h"
#include "support/file.h"

/* Options that read a file of one letter per line, without a header. */
#define DVT_LETTERS "--text=header- col=c:TX:0"

static inline dvt_path dvt_write_letters(const dvt_path *folder, const char *name,
                                         const char *letters)
{
    char text[128];
    size_t n = 0;
    for (const char *p = letters; *p; p++) {
        text[n++] = *p;
        text[n++] = '\n';
    }
    const dvt_path path = dvt_path_in(folder, name);
    dvt_file_write(&path, text, n);
    return path;
}

/* The rows of a file of one column, as one string. */
static inline void dvt_expect_letters(const char *file, const char *want)
{
    char got[128];
    size_t n = 0;
    dvt_run run = DVT_RUN("cat", file);
    for (const char *p = strchr(dvt_text_of(&run.out), '\n'); p && *p && n + 1 < sizeof got; p++)
        if (*p != '\n')
            got[n++] = *p;
    got[n] = 0;
    cr_expect_str_eq(got, want);
    dvt_expect(run, 0, NULL, "");
}

#endif
