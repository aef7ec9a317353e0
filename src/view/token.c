/* SPDX-License-Identifier: MIT */
/* token.c: a position as text: dv1-DELIVERED-FIRST-END-IDENTITY-CHECKSUM (docs/resuming.md). */
#include "view/token.h"
#include "base/check.h"
#include "base/size.h"
#include "view/cursor.h"
#include "view/identity.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULE "docs/resuming.md"
#define MARK "dv1-"
#define IDENTITY_CHARS 22 /* 128 bits in base64url */
#define CHECKSUM_CHARS 8
#define TO_END "end"

/* The longest token has three numbers of 19 digits. */
_Static_assert(sizeof MARK - 1 + 3 * 20 + IDENTITY_CHARS + 1 + CHECKSUM_CHARS < DV_TOKEN_NBYTES,
               "every token must fit");

dvi_position dvi_position_of(const dv_cursor_options *options)
{
    dvi_position position = {0};
    dvi_cursor_limit_rows(options, INT64_MAX, &position.first, &position.end);
    return position;
}

/* --- Writing ---------------------------------------------------------------------------------- */

typedef struct identity_text {
    char text[IDENTITY_CHARS + 1];
} identity_text;

static identity_text print_identity(dv_u128 identity)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    identity_text shown = {{0}};
    for (int i = 0; i < IDENTITY_CHARS; i++) {
        shown.text[i] = digits[identity.lo & 63];
        identity.lo = identity.lo >> 6 | identity.hi << 58;
        identity.hi >>= 6;
    }
    return shown;
}

typedef struct checksum_text {
    char text[CHECKSUM_CHARS + 1];
} checksum_text;

static checksum_text print_checksum(const char *text, size_t n)
{
    checksum_text shown;
    snprintf(shown.text, sizeof shown.text, "%08" PRIx32, (uint32_t)dv_digest_8(text, n, 0));
    return shown;
}

typedef struct rows_text {
    char text[2 * 20 + 8];
} rows_text;

/* "0-end", "5-100"; in messages with another word between. */
static rows_text print_rows(const dvi_position *position, const char *between)
{
    rows_text shown;
    if (position->end == INT64_MAX)
        snprintf(shown.text, sizeof shown.text, "%" PRId64 "%s" TO_END, position->first, between);
    else
        snprintf(shown.text, sizeof shown.text, "%" PRId64 "%s%" PRId64, position->first, between,
                 position->end);
    return shown;
}

dv_status dvi_token_write(dv_token *token_out, dv_view *view, const dvi_position *position,
                          dv_error *err)
{
    dv_u128 identity;
    char *text = token_out->text;
    memset(token_out, 0, sizeof *token_out);
    DVI_TRY(dvi_view_identity(view, false, &identity, err));
    const int n = snprintf(text, DV_TOKEN_NBYTES, MARK "%" PRId64 "-%s-%s", position->delivered,
                           print_rows(position, "-").text, print_identity(identity).text);
    snprintf(text + n, DV_TOKEN_NBYTES - (size_t)n, "-%s", print_checksum(text, (size_t)n).text);
    return DV_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The number of digits between "dv" and '-'; 0: not a token. */
static size_t version_digits(const char *token, size_t n)
{
    size_t digits = 0;
    if (n < 2 || memcmp(token, "dv", 2) != 0)
        return 0;
    while (2 + digits < n && token[2 + digits] >= '0' && token[2 + digits] <= '9')
        digits++;
    return 2 + digits < n && token[2 + digits] == '-' ? digits : 0;
}

/* Check version and checksum. A checksum is not right by accident, so the functions below only see
 * tokens of this library, or forged ones. */
static dv_status check_text(const char *token, size_t n, dv_error *err)
{
    const size_t least = sizeof MARK - 1 + IDENTITY_CHARS + CHECKSUM_CHARS + 1;
    const size_t digits = version_digits(token, n);
    if (digits > 0 && memcmp(token, MARK, sizeof MARK - 1) != 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "token version", "1|%.*s", (int)digits,
                        token + 2);
    if (digits == 0 || n < least || n >= DV_TOKEN_NBYTES)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "token", "dv1-..., complete|\"%s\"",
                        dvi_show((dv_text){token, (int64_t)n}).text);
    const size_t body = n - CHECKSUM_CHARS - 1;
    const checksum_text checksum = print_checksum(token, body);
    if (token[body] != '-' || memcmp(token + body + 1, checksum.text, CHECKSUM_CHARS) != 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "checksum of the token", "-%s|%s",
                        checksum.text, dvi_show(dv_text_of(token + body)).text);
    return DV_OK;
}

/* Read digits up to a '-', as they are printed: 0 to 2^63-1. */
static bool read_number(const char **at, int64_t *number_out)
{
    const char *p = *at;
    int64_t number = 0;
    if (*p < '0' || *p > '9' || (*p == '0' && p[1] != '-'))
        return false;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *p - '0', &number))
            return false;
    *number_out = number;
    *at = p + 1;
    return *p == '-';
}

static bool read_end(const char **at, int64_t *end_out)
{
    if (strncmp(*at, TO_END "-", sizeof TO_END) != 0)
        return read_number(at, end_out);
    *at += sizeof TO_END;
    *end_out = INT64_MAX;
    return true;
}

/* Parse the position and the identity. */
static dv_status read_text(dvi_position *position, identity_text *identity, const char *token,
                           dv_error *err)
{
    const size_t n = strnlen(token, DV_TOKEN_NBYTES);
    const char *at = token + sizeof MARK - 1;
    DVI_TRY(check_text(token, n, err));
    if (!read_number(&at, &position->delivered) || !read_number(&at, &position->first) ||
        !read_end(&at, &position->end) || at + IDENTITY_CHARS + 1 + CHECKSUM_CHARS != token + n)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "token",
                        "dv1-ROWS-FIRST-END-IDENTITY-CHECKSUM|%s",
                        dvi_show(dv_text_of(token)).text);
    memcpy(identity->text, at, IDENTITY_CHARS);
    return DV_OK;
}

static dv_status check_identity(dv_view *view, const char *found, dv_error *err)
{
    char what[96];
    dv_u128 identity;
    DVI_TRY(dvi_view_identity(view, false, &identity, err));
    const identity_text expected = print_identity(identity);
    if (strcmp(expected.text, found) == 0)
        return DV_OK;
    snprintf(what, sizeof what, "token of another file, chain or parameters: view %s",
             dv_view_kind(view));
    return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, what, "identity %s|%s", expected.text, found);
}

/* Check that the view has this many of the requested rows, as far as it knows. */
static dv_status check_delivered(const dv_cursor_options *options, const dv_view *view,
                                 int64_t delivered, dv_error *err)
{
    int64_t first, end;
    dvi_cursor_read_rows(view, options, &first, &end);
    if (delivered <= end - first)
        return DV_OK;
    return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "rows before the position of the token",
                    "at most %" PRId64 "|%" PRId64, end - first, delivered);
}

dv_status dvi_token_apply(dvi_position *position_out, dv_cursor_options *options, dv_view *view,
                          dv_error *err)
{
    dvi_position found;
    identity_text identity = {{0}};
    *position_out = dvi_position_of(options);
    if (!options->token)
        return DV_OK;
    DVI_TRY(read_text(&found, &identity, options->token, err));
    DVI_TRY(check_identity(view, identity.text, err));
    if (found.first != position_out->first || found.end != position_out->end)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "rows of the token", "%s|%s",
                        print_rows(position_out, " to ").text, print_rows(&found, " to ").text);
    DVI_TRY(check_delivered(options, view, found.delivered, err));
    *position_out = found;
    options->first_row = found.first + found.delivered;
    options->end_row = found.end == INT64_MAX ? -1 : found.end;
    options->skip = 0;
    options->take = -1;
    options->token = NULL;
    return DV_OK;
}
