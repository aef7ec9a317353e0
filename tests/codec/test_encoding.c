/* SPDX-License-Identifier: MIT */
/* test_encoding.c: labels of encodings, and damaged bytes in each kind of them. */
#include "base/alloc.h"
#include "codec/encoding.h"
#include "support/test.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *label, *name; /* NULL: there is none */
} labels[] = {
    {"utf-8", "UTF-8"},
    {"UTF8", "UTF-8"},
    {"utf_16_le", "UTF-16LE"},
    {"utf-16", "UTF-16LE"},
    {"UTF-32BE", "UTF-32BE"},
    {"latin1", "windows-1252"},
    {"Latin-1", "windows-1252"},
    {"ISO-8859-1", "windows-1252"},
    {"us-ascii", "windows-1252"},
    {"cp1252", "windows-1252"},
    {"iso-8859-9", "windows-1254"},
    {"ISO_8859-8:1988", "iso-8859-8"},
    {"iso-8859-8-i", "iso-8859-8"},
    {"tis-620", "windows-874"},
    {"cp866", "ibm866"},
    {"KOI8_U", "koi8-u"},
    {"mac", "macintosh"},
    {"x-mac-cyrillic", "x-mac-cyrillic"},
    {"", NULL},
    {"-", NULL},
    {"no such", NULL},
    {"../utf-8", NULL},
    {"utf-8//TRANSLIT", NULL},
    {"a-label-of-more-characters-than-any-has", NULL},
};

Test(encoding, labels)
{
    for (size_t i = 0; i < COUNT(labels); i++) {
        dvi_encoding found;
        const dv_status status = dvi_encoding_find(&found, dv_text_of(labels[i].label), NULL);
        cr_expect_eq(status, labels[i].name ? DV_OK : DV_NOT_FOUND, "%s", labels[i].label);
        if (labels[i].name)
            cr_expect_str_eq(dvi_encoding_name(&found), labels[i].name);
    }
}

/* Bytes, and how they read; ! is damage. */
static const struct {
    const char *label, *bytes;
    size_t n;
    const char *text;
} texts[] = {
#define BYTES(bytes) bytes, sizeof bytes - 1
    {"windows-1252", BYTES("\x80 \x81\x9D\xFF"), "\xE2\x82\xAC \xC2\x81\xC2\x9D\xC3\xBF"},
    {"iso-8859-3", BYTES("a\xA5\xAE\xA6"), "a!!\xC4\xA4"},
    {"windows-1255", BYTES("\xCA\xD9"), "\xD6\xBA!"},
    {"koi8-u", BYTES("\xAE\xBE"), "\xD1\x9E\xD0\x8E"},
    {"utf-16le", BYTES("a\0\x3D\xD8\x01\xDE"), "a\xF0\x9F\x98\x81"},
    {"utf-16le",
     BYTES("\x3D\xD8"
           "a\0\x01\xDE"
           "b"),
     "!a!!"},
    {"utf-16be", BYTES("\xD8\x3D\xD8\x3D\xDE\x01"), "!\xF0\x9F\x98\x81"},
    {"utf-32le", BYTES("a\0\0\0\x01\xF6\x01\0\xFF\xFF\x10\0"), "a\xF0\x9F\x98\x81\xF4\x8F\xBF\xBF"},
    {"utf-32le", BYTES("\0\0\x11\0\0\xD8\0\0\xFF\xFF\xFF\xFF\x1F"), "!!!!"},
    {"utf-32be", BYTES("\0\x10\xFF\xFF\0\0\xDF\xFF\x80\0\0\x41\0\0\0\x42\0"),
     "\xF4\x8F\xBF\xBF!!B!"},
};

/* Of iconv, if it is there. */
static const struct {
    const char *label, *bytes;
    size_t n;
    const char *text;
} others[] = {
    {"gbk", BYTES("\xC4\xE3|\xBA\xC3"), "\xE4\xBD\xA0|\xE5\xA5\xBD"},
    {"gb2312", BYTES("a\xC4"), "a!"},
    {"gb18030", BYTES("\x95\x32\x82\x36|\xFF"), "\xF0\xA0\x80\x80|!"},
    {"Shift_JIS", BYTES("\x83\x5C\\~\xA6"), "\xE3\x82\xBD\\~\xEF\xBD\xA6"},
    {"shift_jis", BYTES("x\x83"), "x!"},
    {"big5", BYTES("\xA7\x41\xA6\x6E"), "\xE4\xBD\xA0\xE5\xA5\xBD"},
    {"euc-kr", BYTES("\xC7\xD1\xB1\xDB,\x80"), "\xED\x95\x9C\xEA\xB8\x80,!"},
    {"euc-jp", BYTES("\xC6\xFC,\x8E\xB1"), "\xE6\x97\xA5,\xEF\xBD\xB1"},
    {"cp437", BYTES("\x81"), "\xC3\xBC"},
};

static void expect_read(const char *label, const char *bytes, size_t n, const char *text)
{
    dvi_transcoder t = {.iconv = NULL};
    const dv_allocator allocator = dvi_allocator_of(NULL);
    dv_text got;
    char shown[64];
    cr_assert_eq(dvi_encoding_find(&t.encoding, dv_text_of(label), NULL), DV_OK, "%s", label);
    for (int pass = 0; pass < 2; pass++) { /* the second one reuses what the first one made */
        cr_assert_eq(dvi_transcoder_read(&t, &got, (const uint8_t *)bytes, n, &allocator, NULL),
                     DV_OK);
        snprintf(shown, sizeof shown, "%.*s", (int)got.nbytes, got.data);
        for (char *p = shown; *p; p++)
            *p = *p == '\xFF' ? '!' : *p;
        cr_expect_str_eq(shown, text, "%s", label);
    }
    dvi_transcoder_free(&t);
}

Test(encoding, damage_is_one_byte)
{
    for (size_t i = 0; i < COUNT(texts); i++)
        expect_read(texts[i].label, texts[i].bytes, texts[i].n, texts[i].text);
}

#ifdef __GLIBC__
static const bool knows_all = true;
#else
static const bool knows_all = false;
#endif

/* musl's iconv reads characters of four bytes in gb18030 wrongly, and ends of lines as parts of
 * others in Shift_JIS. */
static bool is_refused_by_musl(const char *label)
{
    dvi_encoding found;
    return !knows_all && (strcmp(label, "gb18030") == 0 || strcasecmp(label, "shift_jis") == 0) &&
           dvi_encoding_find(&found, dv_text_of(label), NULL) == DV_ERR_UNSUPPORTED;
}

/* A build without iconv names what it lacks; one with it, encodings whose lines it cannot find. */
Test(encoding, of_iconv)
{
    static const char *const refused[] = {"iso-2022-jp", "utf-7", "ibm037", "viscii"};
    dvi_encoding found;
    dv_error err = DV_ERROR_INIT;
    if (dvi_encoding_find(&found, dv_text_of("gbk"), &err) != DV_OK) {
        cr_expect_eq(err.status, DV_ERR_UNSUPPORTED);
        cr_expect(strstr(err.message, "gbk") && strstr(err.message, "iconv"), "%s", err.message);
        cr_expect_eq(dvi_encoding_find(&found, dv_text_of("cp437"), &err), DV_NOT_FOUND);
        return;
    }
    for (size_t i = 0; i < COUNT(others); i++)
        if (!is_refused_by_musl(others[i].label))
            expect_read(others[i].label, others[i].bytes, others[i].n, others[i].text);
    for (size_t i = 0; i < COUNT(refused); i++) {
        const dv_status status = dvi_encoding_find(&found, dv_text_of(refused[i]), &err);
        if (!knows_all && status == DV_NOT_FOUND)
            continue;
        cr_expect_eq(status, DV_ERR_UNSUPPORTED);
        cr_expect(strstr(err.message, refused[i]), "%s", err.message);
    }
}
