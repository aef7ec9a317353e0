/* SPDX-License-Identifier: MIT */
/* parse_integer.c: parses integers, row ids, Booleans and keys. */
#include "codec/digits.h"
#include "codec/parse.h"
#include "codec/word.h"

#define E8 UINT64_C(100000000)

bool dvi_parse_is_missing(const char *src, size_t n)
{
    if (n == 0 || n > 3 || (src[0] != '?' && (src[0] | 0x20) != 'n'))
        return false;
    return dvi_is_word(src, n, "?") || dvi_is_word(src, n, "na") || dvi_is_word(src, n, "n/a") ||
           dvi_is_word(src, n, "nan");
}

/* Read 9 to 19 digits: words of 8, of which the first one may have fewer. */
static bool read_long(uint64_t *value_out, const char *src, size_t n)
{
    const bool has_three = n > 16;
    const uint64_t first = (dvi_load_u64(src) ^ DVI_ZEROS) << 8 * (-n % 8);
    const uint64_t middle = has_three ? dvi_load_u64(src + n - 16) ^ DVI_ZEROS : 0;
    const uint64_t last = dvi_load_u64(src + n - 8) ^ DVI_ZEROS;
    uint64_t value = dvi_digits_value(first);
    if (has_three)
        value = value * E8 + dvi_digits_value(middle);
    *value_out = value * E8 + dvi_digits_value(last);
    return (dvi_find_no_digit(first) | dvi_find_no_digit(middle) | dvi_find_no_digit(last)) == 0;
}

/* Read 20 digits or more. */
static bool read_longest(uint64_t *value_out, const char *src, size_t n)
{
    for (; n > 20 && *src == '0'; n--)
        src++;
    if (n != 20 || !read_long(value_out, src, 19))
        return false;
    const int last = dvi_digit_of(src + 19);
    return last >= 0 && !__builtin_mul_overflow(*value_out, 10, value_out) &&
           !__builtin_add_overflow(*value_out, (uint64_t)last, value_out);
}

/* Parse one or more digits, and nothing else; false also if the number exceeds `most`. */
static bool parse_digits(uint64_t *value_out, const char *src, size_t n, uint64_t most)
{
    if (n - 1 < 8) {
        const uint64_t values = (dvi_text_load(src, n, n) ^ DVI_ZEROS) << 8 * (8 - n);
        *value_out = dvi_digits_value(values);
        return dvi_find_no_digit(values) == 0 && *value_out <= most;
    }
    const bool is_good =
        n < 20 ? n > 0 && read_long(value_out, src, n) : read_longest(value_out, src, n);
    return is_good && *value_out <= most;
}

/* Read up to 8 bytes that are digits, with `minus` also those after a minus, if 8 bytes may be
 * read. Most numbers are like this, and no branch depends on the number of digits or the sign:
 * a minus becomes a zero. `most` as above, for a minus one more. */
static DVI_ALWAYS_INLINE bool read_short(uint64_t *value_out, const char *src, size_t n,
                                         size_t room, bool minus, uint64_t most)
{
    if (n - 1 >= 8 || room < 8)
        return false;
    const uint64_t text = dvi_load_u64(src);
    const uint64_t is_negative = minus & ((char)text == '-') & (n > 1);
    const uint64_t zero = (0 - is_negative) & ('-' ^ '0');
    const uint64_t values = (text ^ DVI_ZEROS ^ zero) << 8 * (8 - n);
    const uint64_t size = dvi_digits_value(values);
    *value_out = (size ^ (0 - is_negative)) + is_negative;
    return dvi_find_no_digit(values) == 0 && (most >= E8 || size <= most + is_negative);
}

/* --- Signed ----------------------------------------------------------------------------------- */

/* most: the largest value of the type. -most - 1 is NA, which is a good value. */
static bool parse_signed(uint64_t *value_out, const char *src, size_t n, uint64_t most)
{
    *value_out = 0;
    if (n == 0)
        return true;
    const uint64_t is_negative = *src == '-';
    uint64_t size;
    if (parse_digits(&size, src + is_negative, n - is_negative, most + is_negative)) {
        *value_out = is_negative ? -size : size;
        return true;
    }
    *value_out = -most - 1;
    return dvi_parse_is_missing(src, n);
}

/* --- Unsigned --------------------------------------------------------------------------------- */

static bool parse_unsigned(uint64_t *value_out, const char *src, size_t n, uint64_t most)
{
    const bool is_good = n == 0 || parse_digits(value_out, src, n, most);
    if (n == 0 || !is_good)
        *value_out = 0;
    return is_good;
}

/* --- All widths ------------------------------------------------------------------------------- */

/* The usual number needs no call, and so no register is saved for one. */
#define PARSE(name, type, sign, minus, most)                                                       \
    static DVI_NOINLINE bool parse_any_##name(type *value_out, const char *src, size_t n)          \
    {                                                                                              \
        uint64_t value;                                                                            \
        const bool is_good = parse_##sign(&value, src, n, most);                                   \
        *value_out = (type)value;                                                                  \
        return is_good;                                                                            \
    }                                                                                              \
    bool dvi_parse_##name(type *value_out, const char *src, size_t n, size_t room)                 \
    {                                                                                              \
        uint64_t value;                                                                            \
        if (!read_short(&value, src, n, room, minus, most))                                        \
            return parse_any_##name(value_out, src, n);                                            \
        *value_out = (type)value;                                                                  \
        return true;                                                                               \
    }
PARSE(i1, int8_t, signed, true, INT8_MAX)
PARSE(i2, int16_t, signed, true, INT16_MAX)
PARSE(i4, int32_t, signed, true, INT32_MAX)
PARSE(i8, int64_t, signed, true, INT64_MAX)
PARSE(u1, uint8_t, unsigned, false, UINT8_MAX)
PARSE(u2, uint16_t, unsigned, false, UINT16_MAX)
PARSE(u4, uint32_t, unsigned, false, UINT32_MAX)
PARSE(u8, uint64_t, unsigned, false, UINT64_MAX)

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
