/* SPDX-License-Identifier: MIT */
/* error.c: composes error messages. */
#define DVI_ERROR_C
#include "base/error.h"
#include "base/os.h"
#include "base/utf8.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_CASE(name, value, sentence)                                                           \
    case name:                                                                                     \
        return #name;
#define SENTENCE_CASE(name, value, sentence)                                                       \
    case name:                                                                                     \
        return sentence;

const char *dv_status_name(dv_status status)
{
    switch (status) {
        DV_STATUS_LIST(NAME_CASE)
    }
    return "?";
}

const char *dv_status_sentence(dv_status status)
{
    switch (status) {
        DV_STATUS_LIST(SENTENCE_CASE)
    }
    return "?";
}

size_t dvi_printable(char *dst, size_t cap, const char *text, size_t nbytes)
{
    size_t n = 0, safe = 0; /* safe: the last offset at which "..." still fits */
    for (size_t i = 0; i < nbytes;) {
        const size_t step = dvi_utf8_step(text + i, nbytes - i);
        const unsigned char c = (unsigned char)text[i];
        const bool plain = step > 0 && !dvi_utf8_is_control(dvi_utf8_code(text + i, step));
        char escape[5];
        const char *shown = text + i;
        size_t width = step;
        if (!plain) {
            snprintf(escape, sizeof escape, "\\x%02X", c);
            shown = escape;
            width = 4;
        }
        if (n + width + 1 > cap) {
            const size_t dots = cap > 4 ? 3 : 0;
            memcpy(dst + safe, "...", dots);
            n = safe + dots;
            break;
        }
        memcpy(dst + n, shown, width);
        n += width;
        if (n + 4 <= cap)
            safe = n;
        i += plain ? step : 1;
    }
    dst[n] = 0;
    return n;
}

dvi_shown dvi_show(dv_text text)
{
    dvi_shown shown;
    dvi_printable(shown.text, sizeof shown.text, text.data,
                  text.nbytes > 0 ? (size_t)text.nbytes : 0);
    return shown;
}

/* Compose the message from the other fields. */
static void compose(dv_error *err, const char *what)
{
    char text[sizeof err->message * 2];
    size_t n = 0;
    if (err->offset >= 0)
        n += (size_t)snprintf(text + n, sizeof text - n, "offset %" PRId64 ": ", err->offset);
    n += (size_t)snprintf(text + n, sizeof text - n, "%.*s", (int)sizeof err->message, what);
    if (*err->expected)
        n += (size_t)snprintf(text + n, sizeof text - n, ": expected %s, found %s", err->expected,
                              err->found);
    else if (*err->found)
        n += (size_t)snprintf(text + n, sizeof text - n, ": %s", err->found);
    if (*err->rule)
        n += (size_t)snprintf(text + n, sizeof text - n, " (%s)", err->rule);
    dvi_printable(err->message, sizeof err->message, text, n < sizeof text ? n : sizeof text - 1);
}

static void set_text(char *dst, size_t cap, const char *text)
{
    dvi_printable(dst, cap, text, strlen(text));
}

/* Expand the format up to its '|'. The arguments may contain '|' too, so the format is split before
 * it is expanded. Returns the offset, in the whole expanded text, of the text after the '|'. */
static size_t expand_first(char *dst, size_t cap, const char *format, va_list args)
{
    char first[128];
    const char *bar = strchr(format, '|');
    *dst = 0;
    if (!bar || (size_t)(bar - format) >= sizeof first)
        return 0;
    memcpy(first, format, (size_t)(bar - format));
    first[bar - format] = 0;
    return (size_t)vsnprintf(dst, cap, first, args) + 1;
}

dv_status dvi_fail(dv_error *err, dv_status status, const char *rule, int64_t offset,
                   const char *what, const char *format, ...)
{
    if (!err)
        return status;
    char expected[sizeof err->expected + 4], both[512];
    va_list args;
    va_start(args, format);
    const size_t n = expand_first(expected, sizeof expected, format, args);
    va_end(args);
    va_start(args, format);
    vsnprintf(both, sizeof both, format, args);
    va_end(args);

    *err = (dv_error)DV_ERROR_INIT;
    err->status = status;
    err->offset = offset;
    set_text(err->rule, sizeof err->rule, rule);
    set_text(err->expected, sizeof err->expected, expected);
    set_text(err->found, sizeof err->found, n < sizeof both ? both + n : "...");
    compose(err, what);
    return status;
}

dv_status dvi_fail_range(dv_error *err, const char *rule, int64_t offset, const char *what,
                         int64_t least, int64_t most, int64_t found)
{
    if (least == most)
        return dvi_fail(err, DV_ERR_CORRUPT, rule, offset, what, "%" PRId64 "|%" PRId64, least,
                        found);
    if (most == INT64_MAX)
        return dvi_fail(err, DV_ERR_CORRUPT, rule, offset, what, "at least %" PRId64 "|%" PRId64,
                        least, found);
    if (most < least)
        return dvi_fail(err, DV_ERR_CORRUPT, rule, offset, what,
                        "at least %" PRId64 " and at most %" PRId64 "|%" PRId64, least, most,
                        found);
    return dvi_fail(err, DV_ERR_CORRUPT, rule, offset, what, "%" PRId64 "..%" PRId64 "|%" PRId64,
                    least, most, found);
}

dv_status dvi_fail_os(dv_error *err, int os_code, const char *what)
{
    char text[128];
    dvi_os_describe(text, sizeof text, os_code);
    dvi_fail(err, DV_ERR_IO, "", -1, what, "%s", text);
    if (err)
        err->os_code = os_code;
    return DV_ERR_IO;
}

dv_status dvi_fail_memory(dv_error *err, size_t nbytes)
{
    return dvi_fail(err, DV_ERR_MEMORY, "", -1, "out of memory", "%zu bytes requested", nbytes);
}

dv_status dvi_fail_changed(dv_error *err, int64_t offset, const char *what)
{
    return dvi_fail(err, DV_ERR_CORRUPT, "", offset, what,
                    "the bytes that were checked|others: the file changes while it is read");
}

dv_status dvi_report_progress(const dv_progress *progress, const char *what, int64_t done,
                              int64_t total, dv_error *err)
{
    if (!progress->report || progress->report(progress->ctx, done, total))
        return DV_OK;
    return dvi_fail(err, DV_ERR_STOPPED, "", -1, what, "%s", "stopped on request");
}

dv_status dvi_fail_argument(dv_error *err, const char *format, ...)
{
    char text[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dvi_fail(err, DV_ERR_ARGUMENT, "", -1, text, "%s", "");
    return DV_ERR_ARGUMENT;
}

dv_status dv_error_set(dv_error *err, dv_status status, const char *message)
{
    return dvi_fail(err, status, "", -1, message, "%s", "");
}

/* Put `text` into the message at byte `at`. */
static void insert(dv_error *err, size_t at, const char *text)
{
    char whole[2 * sizeof err->message];
    const int n =
        snprintf(whole, sizeof whole, "%.*s%s: %s", (int)at, err->message, text, err->message + at);
    dvi_printable(err->message, sizeof err->message, whole,
                  (size_t)n < sizeof whole ? (size_t)n : sizeof whole - 1);
}

/* The offset after `prefix: ` if the message has it at byte `at`, else `at`. */
static size_t skip(const dv_error *err, size_t at, const char *prefix)
{
    const size_t n = strlen(prefix);
    const bool is_there = n > 0 && strncmp(err->message + at, prefix, n) == 0 &&
                          strncmp(err->message + at + n, ": ", 2) == 0;
    return is_there ? at + n + 2 : at;
}

void dvi_error_within(dv_error *err, const char *format, ...)
{
    if (!err || err->status >= 0)
        return;
    char where[sizeof err->message], offset[40];
    va_list args;
    va_start(args, format);
    vsnprintf(where, sizeof where, format, args);
    va_end(args);
    snprintf(offset, sizeof offset, "offset %" PRId64, err->offset);
    insert(err, skip(err, skip(err, 0, err->file), offset), where);
}

void dvi_error_advise(dv_error *err, const char *advice)
{
    if (!err || err->status >= 0 || !*advice)
        return;
    char whole[2 * sizeof err->message];
    snprintf(whole, sizeof whole, "%s; %s", err->message, advice);
    dvi_printable(err->message, sizeof err->message, whole, strlen(whole));
}

void dvi_error_set_file(dv_error *err, const char *path)
{
    if (!err || err->status >= 0 || *err->file || !*path)
        return;
    const size_t n = strlen(path), cap = sizeof err->file;
    const char *start = path;
    if (n >= cap) { /* keep the end, which is more informative; cut between characters */
        start = path + (n - (cap - 1) + 3);
        while (((unsigned char)*start & 0xC0) == 0x80)
            start++;
    }
    char text[sizeof err->file];
    snprintf(text, sizeof text, "%s%s", start == path ? "" : "...", start);
    set_text(err->file, sizeof err->file, text);
    insert(err, 0, err->file);
}
