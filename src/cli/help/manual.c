/* SPDX-License-Identifier: MIT */
/* manual.c: the lists of manual.h and say.h as arrays. */
#include "cli/help/manual.h"
#include "cli/terminal/say.h"
#include <stddef.h>
#include <string.h>

#define MANUAL(verb, text, words, what, words2, what2)                                             \
    {#verb, text, {{words, what}, {words2, what2}}},
static const dvi_manual manuals[] = {DVI_MANUAL_LIST(MANUAL)};

#define EXIT(id, status, what) {#status, what},
const dvi_manual_item dvi_manual_exits[] = {DVI_EXIT_LIST(EXIT){NULL, NULL}};

#define VARIABLE(name, what) {name, what},
const dvi_manual_item dvi_manual_environment[] = {DVI_ENVIRONMENT_LIST(VARIABLE){NULL, NULL}};

const dvi_manual *dvi_manual_of(const char *verb)
{
    for (size_t i = 0; i < sizeof manuals / sizeof *manuals; i++)
        if (strcmp(manuals[i].verb, verb) == 0)
            return &manuals[i];
    return NULL;
}
