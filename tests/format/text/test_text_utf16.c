/* SPDX-License-Identifier: MIT */
/* test_text_utf16.c: damage in UTF-16 is found, counted and refused as the same damage in UTF-8 is.
 * (semantics:6.1, semantics:6.4) */
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/inspect.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define COLUMNS "col=A:I4:0 col=B:TX:1 col=C:TX:2"

/* Options and a file, in which ~ is a damaged character. */
static const char *const files[][2] = {
    {"sep=comma " COLUMNS, "1,a,b\n2,~,c\n3,d~~e,f\n4,g,h\n"},
    {"sep=comma " COLUMNS, "1,a,\"b~\"\n2,\"x\"\"~\",~\n~,c,d\n"},
    {"sep=comma multilines+ " COLUMNS, "1,\"a\n~b\",c\n2,\"~\nd\",~e\n"},
    {"sep=comma header+ " COLUMNS, "A,~,C\n1,a,b\n2,c,d~\n"},
    {"sep=comma trim+ " COLUMNS, "1,a,b~  \n"},
    {"sep=comma sparse+ col=A:TX:0-4", "a,4,1:~,3:b~\n"},
    {"sep=comma col=A:TX:0-**", "a,~,b\n~\n"},
    {"sep=comma " COLUMNS, "1,a,b\n2,c,~"},
    {"sep=comma " COLUMNS, "1,a,b\n~"},
    {"auto", "n,text\n1,a\n2,b~\n3,c\n"},
    {"auto", "n,text\n1,a\n2,\"b~\"\n3,c~"},
};

typedef enum damage { HIGH, LOW, SWAPPED, ODD_BYTE } damage;

/* The file in UTF-8. */
static size_t write_utf8(char *dst, const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        dst[i] = text[i] == '~' ? '\xFF' : text[i];
    return n;
}

/* The file in UTF-16 with a byte order mark. SWAPPED: of two halves the low one comes first;
 * ODD_BYTE: at the end of the file there is half a unit. */
static size_t write_utf16(char *dst, const char *text, bool is_big, damage how)
{
    size_t n = 0;
    unsigned unit = 0xFEFF;
    for (size_t i = 0;; unit = (unsigned char)text[i++]) {
        if (unit == '~' && how == ODD_BYTE && !text[i]) {
            dst[n++] = 'x';
            return n;
        }
        if (unit == '~')
            unit = how == LOW || (how == SWAPPED && text[i] == '~') ? 0xDE00 : 0xD83D;
        dst[n++] = (char)(is_big ? unit >> 8 : unit & 0xFF);
        dst[n++] = (char)(is_big ? unit & 0xFF : unit >> 8);
        if (!text[i])
            return n;
    }
}

static dv_view *open_text(const char *options, const char *bytes, size_t n, dv_bad_fields bad)
{
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    how.format = "text";
    how.text = options;
    how.bad_fields = bad;
    cr_assert_eq(dv_open_memory(&view, bytes, n, NULL, NULL, "input", &how, &err), DV_OK, "%s: %s",
                 options, err.message);
    return view;
}

static void print_error(dvt_lines *out, dv_status status, const dv_error *err)
{
    dvt_lines_print(out, "%d%s\n", (int)status, status < 0 ? err->message : "");
}

static bool note(void *ctx, const dv_error *found)
{
    const char *text = strstr(found->message, "column"); /* offsets differ */
    dvt_lines_print(ctx, "%d %s\n", (int)found->status, text ? text : found->message);
    return true;
}

/* All that is read and said: rows, facts, findings of verify, and what a strict reader refuses. */
static dvt_lines all_of(const char *options, const char *bytes, size_t n)
{
    dvt_lines out = {0};
    dv_error err = DV_ERROR_INIT;
    dv_facts *facts;
    dv_verify_options verify = DV_VERIFY_OPTIONS_INIT;
    verify.defect = note;
    verify.ctx = &out;
    dv_view *view = open_text(options, bytes, n, DV_BAD_FIELDS_NA);
    print_error(&out, dvt_text_rows(&out, view, NULL, &err), &err);
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    for (int32_t i = 0; i < facts->warnings; i++)
        dvt_lines_print(&out, "%s\n", facts->warning[i]);
    dv_facts_free(&facts);
    print_error(&out, dv_verify(view, &verify, &err), &err);
    dv_view_release(&view);
    view = open_text(options, bytes, n, DV_BAD_FIELDS_REFUSE);
    print_error(&out, dvt_text_rows(&out, view, NULL, &err), &err);
    dv_view_release(&view);
    return out;
}

/* Write the name of an encoding as that of UTF-8. */
static void rename_encoding(dvt_lines *lines, const char *name)
{
    for (char *at; (at = strstr(lines->data, name));) {
        memcpy(at, "UTF-8", 5);
        memmove(at + 5, at + strlen(name), strlen(at + strlen(name)) + 1);
    }
}

static void check(const char *options, const char *text)
{
    char bytes[256], refused[16], said[256];
    snprintf(refused, sizeof refused, "\n%d", (int)DV_ERR_LOSS);
    snprintf(said, sizeof said, "%s encoding=utf-8", options); /* so that no other is suggested */
    dvt_lines want = all_of(said, bytes, write_utf8(bytes, text));
    cr_expect(strstr(want.data, refused), "%s", want.data);
    for (int is_big = 0; is_big < 2; is_big++)
        for (damage how = HIGH; how <= ODD_BYTE; how++) {
            dvt_lines got = all_of(options, bytes, write_utf16(bytes, text, is_big, how));
            rename_encoding(&got, is_big ? "UTF-16BE" : "UTF-16LE");
            cr_expect_str_eq(got.data, want.data, "%s, damage %d", text, (int)how);
            dvt_lines_free(&got);
        }
    dvt_lines_free(&want);
}

/* Regression: half a surrogate pair, and an odd last byte, became U+FFFD before anything checked
 * the text. No verb mentioned them, and convert wrote them. */
Test(text_utf16, damage_is_that_of_utf8)
{
    for (size_t i = 0; i < COUNT(files); i++)
        check(files[i][0], files[i][1]);
}
