/* SPDX-License-Identifier: MIT */
/* format_words.h: the names of the library's formats, as words that an option takes. */
#ifndef DVI_CLI_FORMAT_WORDS_H
#define DVI_CLI_FORMAT_WORDS_H

/* All formats; those that can be saved.  Both lists end with NULL. */
const char *const *dvi_format_words(void);
const char *const *dvi_saved_format_words(void);

#endif
