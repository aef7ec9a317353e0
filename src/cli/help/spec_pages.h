/* SPDX-License-Identifier: MIT */
/* spec_pages.h: the pages of the specification, which the build puts into the command. */
#ifndef DVI_CLI_SPEC_PAGES_H
#define DVI_CLI_SPEC_PAGES_H

#include <stddef.h>

typedef struct dvi_spec_page {
    const char *name;         /* "idv", of docs/spec/idv.md */
    const char *const *lines; /* in Markdown, without line ends */
    size_t count;
} dvi_spec_page;

/* In the order of their names; the one after the last has no name. */
extern const dvi_spec_page dvi_spec_pages[];

#endif
