/* SPDX-License-Identifier: MIT */
/* parse_integer.c: parses integers, row ids, Booleans and keys. */
#include "codec/digits.h"
#include "codec/parse.h"
#include "codec/word.h"

bool dvi_parse_is_missing(const char *src, size_t n)
{
    if (n == 0 || n > 3 || (src[0] != '?' && (src[0] | 0x20) != 'n'))
        return false;
    return dvi_is_word(src, n, "?") || dvi_is_word(src, n, "na") || dvi_is_word(src, n, "n/a") ||
           dvi_is_word(src, n, "nan");
}

/* Parse one or more digits, and nothing else; false also if the number exceeds `most`. */
static bool parse_digits(uint64_t *value_out, const char *src, size_t n, uint64_t most)
{
    if (n - 1 < 8) {
        const uint64_t values = (dvi_text_load(src, n, n) ^ DVI_ZEROS) << 8 * (8 - n);
        *value_out = dvi_digits_value(values);
        return dvi_find_no_digit(values) == 0 && *value_out <= most;
    }
    while (n > 1 && *src == '0') {
        src++;
        n--;
    }
    const size_t digits = dvi_digits_read(value_out, src, n < 20 ? n : 20);
    return digits == n && n > 0 && *value_out <= most;
}

/* --- Signed ----------------------------------------------------------------------------------- */

/* most: the largest value of the type. -most - 1 is NA, which is a good value. */
static bool parse_signed(int64_t *value_out, const char *src, size_t n, uint64_t most)
{
    *value_out = 0;
    if (n == 0)
        return true;
    const bool is_negative = *src == '-';
    uint64_t size;
    if (parse_digits(&size, src + is_negative, n - (size_t)is_negative, most + is_negative)) {
        *value_out = (int64_t)(is_negative ? -size : size);
        return true;
    }
    *value_out = -(int64_t)most - 1;
    return dvi_parse_is_missing(src, n);
}

#define PARSE_SIGNED(name, type, most)                                                             \
    bool dvi_parse_##name(type *value_out, const char *src, size_t n)                              \
    {                                                                                              \
        int64_t value;                                                                             \
        const bool is_good = parse_signed(&value, src, n, most);                                   \
        *value_out = (type)value;                                                                  \
        return is_good;                                                                            \
    }
PARSE_SIGNED(i1, int8_t, INT8_MAX)
PARSE_SIGNED(i2, int16_t, INT16_MAX)
PARSE_SIGNED(i4, int32_t, INT32_MAX)
PARSE_SIGNED(i8, int64_t, INT64_MAX)

/* --- Unsigned --------------------------------------------------------------------------------- */

static bool parse_unsigned(uint64_t *value_out, const char *src, size_t n, uint64_t most)
{
    const bool is_good = n == 0 || parse_digits(value_out, src, n, most);
    if (n == 0 || !is_good)
        *value_out = 0;
    return is_good;
}

#define PARSE_UNSIGNED(name, type, most)                                                           \
    bool dvi_parse_##name(type *value_out, const char *src, size_t n)                              \
    {                                                                                              \
        uint64_t value;                                                                            \
        const bool is_good = parse_unsigned(&value, src, n, most);                                 \
        *value_out = (type)value;                                                                  \
        return is_good;                                                                            \
    }
PARSE_UNSIGNED(u1, uint8_t, UINT8_MAX)
PARSE_UNSIGNED(u2, uint16_t, UINT16_MAX)
PARSE_UNSIGNED(u4, uint32_t, UINT32_MAX)
PARSE_UNSIGNED(u8, uint64_t, UINT64_MAX)

/* --- Row ids ---------------------------------------------------------------------------------- */

static bool parse_hex(uint64_t *value_out, const char *src)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 16; i++) {
        const char c = src[i], letter = (char)(c | 0x20);
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && (letter < 'a' || letter > 'f'))
            return false;
        value = value << 4 | (uint64_t)(is_digit ? c - '0' : letter - 'a' + 10);
    }
    *value_out = value;
    return true;
}

bool dvi_parse_ug(dv_u128 *value_out, const char *src, size_t n)
{
    *value_out = (dv_u128){0, 0};
    if (n == 0)
        return true;
    dv_u128 value;
    if (n != 34 || src[0] != '0' || (src[1] | 0x20) != 'x' || !parse_hex(&value.hi, src + 2) ||
        !parse_hex(&value.lo, src + 18))
        return false;
    *value_out = value;
    return true;
}

/* --- Booleans --------------------------------------------------------------------------------- */

bool dvi_parse_bl(int8_t *value_out, const char *src, size_t n)
{
    static const char *const words[2][7] = {{"0", "-", "-1", "f", "n", "no", "false"},
                                            {"1", "+", "+1", "t", "y", "yes", "true"}};
    *value_out = 0;
    if (n == 0)
        return true;
    for (int8_t value = 0; value < 2; value++)
        for (size_t i = 0; i < 7; i++)
            if (dvi_is_word(src, n, words[value][i])) {
                *value_out = value;
                return true;
            }
    *value_out = DV_BL_NA;
    return dvi_parse_is_missing(src, n);
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* The largest number that has a representation in the key type. */
static uint64_t key_max(const dv_type *key)
{
    if (key->key_count > 0)
        return key->key_min + (key->key_count - 1);
    const int bits = 8 * (int)dv_kind_width(key->kind);
    const uint64_t most = UINT64_MAX >> (64 - bits);
    return key->key_min > UINT64_MAX - most + 1 ? UINT64_MAX : key->key_min - 1 + most;
}

bool dvi_parse_key(uint64_t *representation_out, const char *src, size_t n, const dv_type *key)
{
    *representation_out = 0;
    if (n == 0)
        return true;
    uint64_t value;
    if (!parse_digits(&value, src, n, key_max(key)))
        return dvi_parse_is_missing(src, n);
    if (value < key->key_min)
        return false;
    *representation_out = value - key->key_min + 1;
    return true;
}
