/* SPDX-License-Identifier: MIT */
/* text_compare.c: compares texts. */
#include <dataview/type.h>
#include <string.h>

dv_text dv_text_of(const char *text)
{
    return (dv_text){text, text ? (int64_t)strlen(text) : -1};
}

bool dv_text_equal(dv_text a, dv_text b)
{
    if (a.nbytes < 0 || b.nbytes < 0)
        return a.nbytes < 0 && b.nbytes < 0;
    return a.nbytes == b.nbytes && (a.nbytes == 0 || memcmp(a.data, b.data, (size_t)a.nbytes) == 0);
}

/* Texts are ordered by their UTF-16 units, but UTF-8 bytes have the order of code points. The two
 * differ in that the surrogate pairs of U+10000 and above (lead bytes F0..F4) come before
 * U+E000..U+FFFF (lead bytes EE, EF). These bytes never continue a character, so it is enough to
 * rank the lead bytes. */
static int rank_byte(char byte)
{
    const int b = (unsigned char)byte;
    if (b < 0xEE)
        return b;
    return b < 0xF0 ? b + 0x20 : b - 2;
}

int dv_text_compare(dv_text a, dv_text b)
{
    if (a.nbytes < 0 || b.nbytes < 0)
        return (a.nbytes >= 0) - (b.nbytes >= 0);
    const int64_t n = a.nbytes < b.nbytes ? a.nbytes : b.nbytes;
    int64_t i = 0;
    while (i < n && a.data[i] == b.data[i])
        i++;
    if (i == n)
        return (a.nbytes > b.nbytes) - (a.nbytes < b.nbytes);
    return rank_byte(a.data[i]) < rank_byte(b.data[i]) ? -1 : 1;
}
