/* SPDX-License-Identifier: MIT */
/* verbs.c: finds a verb by its name. */
#include "cli/args/verbs.h"
#include <dataview/names.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB(name, takes, arguments, summary) {#name, arguments, summary, takes},
static const dvi_verb verbs[] = {DVI_VERB_LIST(VERB)};

#define LATER(name) #name,
static const char *const later[] = {DVI_LATER_VERB_LIST(LATER)};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const dvi_verb *dvi_verb_at(int i)
{
    return i >= 0 && (size_t)i < COUNT(verbs) ? &verbs[i] : NULL;
}

const dvi_verb *dvi_verb_find(const char *name)
{
    for (size_t i = 0; i < COUNT(verbs); i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

dvi_exit dvi_verb_refuse(const char *name)
{
    dv_nearest best = DV_NEAREST_INIT;
    for (size_t i = 0; i < COUNT(later); i++)
        if (strcmp(later[i], name) == 0)
            return dvi_say_usage("the verb %s is not built yet", name);
    for (size_t i = 0; i < COUNT(verbs); i++)
        dv_nearest_offer(&best, dv_text_of(name), dv_text_of(verbs[i].name));
    if (best.name.data)
        return dvi_say_usage("unknown verb '%s'; did you mean %s?", name, best.name.data);
    if (access(name, F_OK) == 0)
        return dvi_say_usage("'%s' is a file, not a verb; did you mean dataview info %s?", name,
                             name);
    return dvi_say_usage("unknown verb '%s'; dataview help lists all verbs", name);
}
