/* SPDX-License-Identifier: MIT */
/* text_suggest.c: tells by its bytes which encoding a text may have. */
#include "format/text/propose/text_suggest.h"
#include <stdbool.h>
#include <string.h>

void dvi_text_bytes_add(dvi_text_bytes *b, dv_text line)
{
    int64_t run = 0;
    for (int64_t i = 0; i <= line.nbytes; i++) {
        const uint8_t c = i < line.nbytes ? (uint8_t)line.data[i] : 0;
        if (c >= 0x80) {
            b->count[c - 0x80]++;
            b->late += run % 2 == 0 && c > 0xC8;
            run++;
            continue;
        }
        b->all += run;
        b->runs += run > 0;
        b->odd += run & 1;
        run = 0;
    }
}

static int64_t sum(const dvi_text_bytes *b, int first, int last)
{
    int64_t n = 0;
    for (int c = first; c <= last; c++)
        n += b->count[c - 0x80];
    return n;
}

/* The bytes of a list, which are letters in an encoding. */
static int64_t sum_of(const dvi_text_bytes *b, const char *list)
{
    int64_t n = 0;
    for (; *list; list++)
        n += b->count[(uint8_t)*list - 0x80];
    return n;
}

/* Letters with accents among those of ASCII. */
static const char *suggest_latin(const dvi_text_bytes *b)
{
    const int64_t mac = sum_of(b, "\x87\x88\x8A\x8E\x8F\x96\x9A\x9F\xA7");
    const int64_t dos = sum_of(b, "\x81\x82\x84\x85\x87\x8A\x94\xA4\xE1");
    if (7 * sum_of(b, "\xA3\xB3\xB9\xBF") >= b->all) /* Polish */
        return "windows-1250";
    if (10 * sum_of(b, "\xF0\xFD\xFE") >= 3 * b->all) /* Turkish */
        return "windows-1254";
    if (3 * sum(b, 0xC0, 0xFF) >= b->all || 2 * (mac > dos ? mac : dos) < b->all)
        return "windows-1252";
    return mac > dos ? "macintosh" : "cp850";
}

/* Words of letters beyond ASCII. */
static const char *suggest_letters(const dvi_text_bytes *b)
{
    const int64_t lower = sum(b, 0xE0, 0xFF), upper = sum(b, 0xC0, 0xDF);
    if (upper > lower)
        return "koi8-r";
    if (upper == 0 && b->all >= 20 && sum(b, 0xFB, 0xFF) == 0)
        return "windows-1255";
    return 20 * sum(b, 0xDC, 0xDF) >= b->all ? "windows-1253" : "windows-1251";
}

/* Pairs of bytes. */
static const char *suggest_pairs(const dvi_text_bytes *b)
{
    if (10 * sum(b, 0x81, 0x9F) >= b->all)
        return "shift_jis";
    if (5 * b->odd >= b->runs) /* the second byte is a letter */
        return "big5";
    if (5 * sum(b, 0xA4, 0xA5) >= b->all)
        return "euc-jp";
    return 20 * b->late >= b->all ? "gbk" : "euc-kr";
}

const char *dvi_text_bytes_suggest(const dvi_text_bytes *b)
{
    const int64_t dos = sum(b, 0x80, 0xAF), rest = sum(b, 0xE0, 0xEF);
    if (b->all < 2 * b->runs)
        return suggest_latin(b);
    if (10 * (dos + rest) >= 9 * b->all && 2 * dos >= rest && 3 * dos >= b->all)
        return "ibm866";
    return 6 * sum(b, 0x80, 0xBF) >= b->all ? suggest_pairs(b) : suggest_letters(b);
}
