/* SPDX-License-Identifier: MIT */
/* token_text.c: writes and reads the text of tokens. */
#include "view/token_text.h"
#include "base/check.h"
#include "view/identity.h"
#include <dataview/digest.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VERSION "1"
#define CHECKSUM_CHARS 8
#define FIELDS_MOST 8

_Static_assert(sizeof "dvf" VERSION + FIELDS_MOST * 21 + 1 + DVI_IDENTITY_CHARS + 1 +
                       CHECKSUM_CHARS <=
                   DV_TOKEN_NBYTES,
               "every token must fit");

dvi_identity_text dvi_identity_print(dv_u128 identity)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    dvi_identity_text shown = {{0}};
    for (int i = 0; i < DVI_IDENTITY_CHARS; i++) {
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

/* --- Writing ---------------------------------------------------------------------------------- */

void dvi_token_start(dv_token *token, const dvi_token_kind *kind)
{
    memset(token, 0, sizeof *token);
    snprintf(token->text, sizeof token->text, "%s" VERSION, kind->mark);
}

void dvi_token_add_word(dv_token *token, const char *word)
{
    const size_t n = strlen(token->text);
    snprintf(token->text + n, sizeof token->text - n, "-%s", word);
}

void dvi_token_add_number(dv_token *token, uint64_t number)
{
    char word[24];
    snprintf(word, sizeof word, "%" PRIu64, number);
    dvi_token_add_word(token, word);
}

void dvi_token_finish(dv_token *token, dv_u128 identity)
{
    dvi_token_add_word(token, dvi_identity_print(identity).text);
    dvi_token_add_word(token, print_checksum(token->text, strlen(token->text)).text);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The number of digits between the mark and '-'; 0: not a token of this kind. */
static size_t version_digits(const char *token, size_t n, const char *mark)
{
    const size_t start = strlen(mark);
    size_t digits = 0;
    if (n < start || memcmp(token, mark, start) != 0)
        return 0;
    while (start + digits < n && token[start + digits] >= '0' && token[start + digits] <= '9')
        digits++;
    return start + digits < n && token[start + digits] == '-' ? digits : 0;
}

dv_status dvi_token_check(const char **fields_out, const dvi_token_kind *kind, const char *token,
                          dv_error *err)
{
    const size_t n = strnlen(token, DV_TOKEN_NBYTES), start = strlen(kind->mark);
    const size_t digits = version_digits(token, n, kind->mark);
    const char *version = token + start;
    if (digits > 0 && (digits != strlen(VERSION) || memcmp(version, VERSION, digits) != 0))
        return dvi_fail(err, DV_ERR_ARGUMENT, kind->rule, -1, "token version", VERSION "|%.*s",
                        (int)digits, version);
    const size_t least = start + sizeof VERSION + DVI_IDENTITY_CHARS + 1 + CHECKSUM_CHARS;
    if (digits == 0 || n < least || n >= DV_TOKEN_NBYTES) {
        char what[32];
        snprintf(what, sizeof what, "token of a %s", kind->name);
        return dvi_fail(err, DV_ERR_ARGUMENT, kind->rule, -1, what,
                        "%s" VERSION "-..., complete|\"%s\"", kind->mark,
                        dvi_show((dv_text){token, (int64_t)n}).text);
    }
    const size_t body = n - CHECKSUM_CHARS - 1;
    const checksum_text checksum = print_checksum(token, body);
    if (token[body] != '-' || memcmp(token + body + 1, checksum.text, CHECKSUM_CHARS) != 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, kind->rule, -1, "checksum of the token", "-%s|%s",
                        checksum.text, dvi_show(dv_text_of(token + body)).text);
    *fields_out = version + sizeof VERSION;
    return DV_OK;
}

bool dvi_token_read_number(const char **at, uint64_t most, uint64_t *number_out)
{
    const char *p = *at;
    uint64_t number = 0;
    if (*p < '0' || *p > '9' || (*p == '0' && p[1] != '-'))
        return false;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
            return false;
    if (*p != '-' || number > most)
        return false;
    *number_out = number;
    *at = p + 1;
    return true;
}

bool dvi_token_read_word(const char **at, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(*at, word, n) != 0 || (*at)[n] != '-')
        return false;
    *at += n + 1;
    return true;
}

bool dvi_token_read_identity(const char *at, dvi_identity_text *identity_out)
{
    *identity_out = (dvi_identity_text){{0}};
    if (strlen(at) != DVI_IDENTITY_CHARS + 1 + CHECKSUM_CHARS)
        return false;
    memcpy(identity_out->text, at, DVI_IDENTITY_CHARS);
    return true;
}

dv_status dvi_token_malformed(const dvi_token_kind *kind, const char *form, const char *token,
                              dv_error *err)
{
    return dvi_fail(err, DV_ERR_ARGUMENT, kind->rule, -1, "token",
                    "%s" VERSION "-%s-IDENTITY-CHECKSUM|%s", kind->mark, form,
                    dvi_show(dv_text_of(token)).text);
}

dv_status dvi_token_check_view(const dvi_token_kind *kind, dv_view *view,
                               const dvi_identity_text *found, dv_error *err)
{
    char what[96];
    dv_u128 identity;
    DVI_TRY(dvi_view_identity(view, false, &identity, err));
    const dvi_identity_text expected = dvi_identity_print(identity);
    if (strcmp(expected.text, found->text) == 0)
        return DV_OK;
    snprintf(what, sizeof what, "token of another file, chain or parameters: view %s",
             dv_view_kind(view));
    return dvi_fail(err, DV_ERR_ARGUMENT, kind->rule, -1, what, "identity %s|%s", expected.text,
                    found->text);
}
