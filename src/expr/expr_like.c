/* SPDX-License-Identifier: MIT */
/* expr_like.c: matches texts with patterns of `like` (expressions:4). */
#include "expr/expr_eval.h"
#include <string.h>

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* The first byte after the character at `at`. */
static int64_t after(dv_text text, int64_t at)
{
    at++;
    while (at < text.nbytes && is_tail(text.data[at]))
        at++;
    return at;
}

bool dvi_expr_is_pattern(dv_text pattern)
{
    int64_t characters = 0;
    for (int64_t i = 0; i < pattern.nbytes; i++) {
        characters += !is_tail(pattern.data[i]);
        if (pattern.data[i] != '\\')
            continue;
        const char c = ++i < pattern.nbytes ? pattern.data[i] : '\0';
        if (c != '%' && c != '_' && c != '\\')
            return false;
    }
    return characters <= DVI_EXPR_PATTERN;
}

/* Does one character of the text fit one of the pattern? Both move on. */
static bool step(dv_text text, int64_t *at, dv_text pattern, int64_t *p)
{
    if (*at >= text.nbytes || *p >= pattern.nbytes || pattern.data[*p] == '%')
        return false;
    if (pattern.data[*p] == '_') {
        *at = after(text, *at);
        ++*p;
        return true;
    }
    const int64_t literal = *p + (pattern.data[*p] == '\\');
    if (text.data[*at] != pattern.data[literal])
        return false;
    ++*at;
    *p = literal + 1;
    return true;
}

/* Where a pattern that goes on at p can begin, from `at` on. */
static int64_t beginning(dv_text text, int64_t at, dv_text pattern, int64_t p)
{
    if (at >= text.nbytes || p >= pattern.nbytes || pattern.data[p] == '%' ||
        pattern.data[p] == '_')
        return at;
    const char first = pattern.data[p + (pattern.data[p] == '\\')];
    const char *found = memchr(text.data + at, first, (size_t)(text.nbytes - at));
    return found ? found - text.data : text.nbytes;
}

/* After a % the pattern is tried wherever its next character is; what an earlier % let pass needs
 * no second look. */
bool dvi_expr_fits(dv_text text, dv_text pattern)
{
    int64_t at = 0, p = 0, retry_at = -1, retry = 0;
    while (at < text.nbytes || p < pattern.nbytes) {
        if (p < pattern.nbytes && pattern.data[p] == '%') {
            if (++p == pattern.nbytes)
                return true;
            retry = p;
            retry_at = at = beginning(text, at, pattern, p);
        } else if (!step(text, &at, pattern, &p)) {
            if (retry_at < 0 || retry_at >= text.nbytes)
                return false;
            retry_at = at = beginning(text, after(text, retry_at), pattern, retry);
            p = retry;
        }
    }
    return true;
}
