/* SPDX-License-Identifier: MIT */
/* format_words.h: the names of the library's formats, as words that an option takes. */
#ifndef DVI_CLI_FORMAT_WORDS_H
#define DVI_CLI_FORMAT_WORDS_H

#include "cli/terminal/say.h"

/* All formats; those that can be saved.  Both lists end with NULL. */
const char *const *dvi_format_words(void);
const char *const *dvi_saved_format_words(void);

/* dvi_set_name for one of these lists: of an extension such as csv, it names the format. */
dvi_exit dvi_set_format(const char *option, const char *text, const char *const *known,
                        const char **name_out);

#endif
