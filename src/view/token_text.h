/* SPDX-License-Identifier: MIT */
/* token_text.h: the text of tokens: KIND-FIELD-...-IDENTITY-CHECKSUM (docs/resuming.md). */
#ifndef DVI_VIEW_TOKEN_TEXT_H
#define DVI_VIEW_TOKEN_TEXT_H

#include <dataview/rowid.h>
#include <dataview/token.h>
#include <dataview/view.h>

/* A kind of tokens: "cursor" whose tokens start with "dv", or "feed" with "dvf". Both have version
 * 1. rule: the document that describes them. */
typedef struct dvi_token_kind {
    const char *name, *mark, *rule;
} dvi_token_kind;

#define DVI_IDENTITY_CHARS 22 /* 128 bits in base64url */
typedef struct dvi_identity_text {
    char text[DVI_IDENTITY_CHARS + 1];
} dvi_identity_text;

dvi_identity_text dvi_identity_print(dv_u128 identity);

/* Write a token from left to right: start, add numbers and words, end with the identity of the
 * view. At most eight numbers and words of 20 characters fit. */
void dvi_token_start(dv_token *token, const dvi_token_kind *kind);
void dvi_token_add_number(dv_token *token, uint64_t number);
void dvi_token_add_word(dv_token *token, const char *word);
void dvi_token_finish(dv_token *token, dv_u128 identity);

/* Check kind, version and checksum, and return the first field of the token in *fields_out. A
 * checksum is not right by accident: what follows is a token of this library, or a forged one.
 * DV_OK; DV_ERR_ARGUMENT. */
dv_status dvi_token_check(const char **fields_out, const dvi_token_kind *kind, const char *token,
                          dv_error *err);

/* Read a field, and move to the next one. Numbers are as they are printed, from 0 to most. The
 * identity must be the last field. false: the token has something else here. */
bool dvi_token_read_number(const char **at, uint64_t most, uint64_t *number_out);
bool dvi_token_read_word(const char **at, const char *word);
bool dvi_token_read_identity(const char *at, dvi_identity_text *identity_out);

/* DV_ERR_ARGUMENT: the fields of a token are not those of its kind, `form`. */
dv_status dvi_token_malformed(const dvi_token_kind *kind, const char *form, const char *token,
                              dv_error *err);

/* DV_OK; DV_ERR_ARGUMENT: the view has another identity; what dvi_view_identity returns. */
dv_status dvi_token_check_view(const dvi_token_kind *kind, dv_view *view,
                               const dvi_identity_text *found, dv_error *err);

#endif
