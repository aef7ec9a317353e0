/* SPDX-License-Identifier: MIT */
/* glob.c: matches patterns with UTF-8 text. */
#include "base/utf8.h"
#include <dataview/names.h>
#include <string.h>

/* The rest of a pattern or a name. */
typedef struct rest {
    const char *at, *end;
} rest;

static uint32_t take(rest *r)
{
    const size_t n = dvi_utf8_step(r->at, (size_t)(r->end - r->at));
    const uint32_t code = n > 0 ? dvi_utf8_code(r->at, n) : (unsigned char)*r->at;
    r->at += n > 0 ? n : 1;
    return code;
}

bool dv_glob_is_pattern(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++)
        if (text.data[i] == '*' || text.data[i] == '?' || text.data[i] == '[')
            return true;
    return false;
}

/* The ] that closes a set; p is just after its [.  The first character never closes it. */
static const char *set_end(rest p)
{
    if (p.at < p.end && *p.at == '!')
        p.at++;
    return p.at < p.end ? memchr(p.at + 1, ']', (size_t)(p.end - p.at - 1)) : NULL;
}

static bool in_set(rest set, uint32_t code)
{
    const bool is_other = *set.at == '!';
    bool found = false;
    set.at += is_other;
    while (set.at < set.end) {
        const uint32_t low = take(&set);
        uint32_t high = low;
        if (set.end - set.at >= 2 && *set.at == '-') {
            set.at++;
            high = take(&set);
        }
        found = found || (code >= low && code <= high);
    }
    return found != is_other;
}

/* Match one character of the name with one element of the pattern, and move past both. */
static bool match_one(rest *p, rest *name)
{
    const uint32_t code = take(name);
    const uint32_t wanted = take(p);
    const char *end;
    switch (wanted) {
    case '?':
        return true;
    case '[':
        end = set_end(*p);
        if (!end)
            return code == '[';
        const rest set = {p->at, end};
        p->at = end + 1;
        return in_set(set, code);
    case '\\':
        return (p->at < p->end ? take(p) : wanted) == code;
    default:
        return wanted == code;
    }
}

static rest rest_of(dv_text text)
{
    const char *at = text.nbytes > 0 ? text.data : "";
    return (rest){at, at + (text.nbytes > 0 ? text.nbytes : 0)};
}

bool dv_glob_match(dv_text pattern, dv_text name)
{
    rest p = rest_of(pattern), n = rest_of(name);
    rest star = {NULL, NULL}, retry = n; /* after the last *, and where its text ends next */
    while (n.at < n.end) {
        if (p.at < p.end && *p.at == '*') {
            p.at++;
            star = p;
            retry = n;
        } else if (!(p.at < p.end && match_one(&p, &n))) {
            if (!star.at)
                return false;
            take(&retry);
            p = star;
            n = retry;
        }
    }
    while (p.at < p.end && *p.at == '*')
        p.at++;
    return p.at == p.end;
}
