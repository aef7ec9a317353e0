/* SPDX-License-Identifier: MIT */
/* limit_args.c: the option --limit, which sets a limit of dv_open_options by name. */
#include "cli/args/limit_args.h"
#include "cli/args/option_value.h"
#include <stddef.h>
#include <string.h>

#define LIMITS(X)                                                                                  \
    X(columns)                                                                                     \
    X(metadata_nbytes)                                                                             \
    X(metadata_toc_nbytes)                                                                         \
    X(block_nbytes)                                                                                \
    X(cursor_nbytes)                                                                               \
    X(rows_without_columns)                                                                        \
    X(nesting)                                                                                     \
    X(message_nbytes)                                                                              \
    X(window_nbytes)                                                                               \
    X(line_nbytes)                                                                                 \
    X(depth)                                                                                       \
    X(chain_columns)                                                                               \
    X(row_nbytes)                                                                                  \
    X(block_cache_nbytes)

#define NAME(limit) #limit,
#define OFFSET(limit) offsetof(dv_open_options, limit),
static const char *const names[] = {LIMITS(NAME) NULL};
static const size_t offsets[] = {LIMITS(OFFSET)};

dvi_exit dvi_limit_set(dv_open_options *open, const char *text)
{
    char name[32] = "";
    const char *known, *sign = strchr(text, '=');
    const size_t n = sign ? (size_t)(sign - text) : strlen(text);
    if (!sign)
        return dvi_say_usage("--limit takes NAME=N, such as line_nbytes=1G");
    memcpy(name, text, n < sizeof name ? n : sizeof name - 1);
    const dvi_exit status = dvi_set_name("--limit", name, names, &known);
    if (status)
        return status;
    int32_t i = 0;
    while (names[i] != known)
        i++;
    int64_t value;
    const dvi_exit read = dvi_set_nbytes("--limit", sign + 1, &value);
    if (!read)
        memcpy((char *)open + offsets[i], &value, sizeof value);
    return read;
}
