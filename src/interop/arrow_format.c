/* SPDX-License-Identifier: MIT */
/* arrow_format.c: reads the format strings of the Arrow C data interface. */
#include "interop/arrow_format.h"
#include "base/check.h"
#include "codec/datetime.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "docs/arrow.md"

#define MS_TICKS (DVI_TICKS_PER_SECOND / 1000)
#define US_TICKS (DVI_TICKS_PER_SECOND / 1000000)
#define DECIMAL_SCALE 1000 /* digits before or after the point of a decimal */

/* --- Formats without parameters --------------------------------------------------------------- */

typedef struct known {
    const char *text;
    dvi_arrow_storage storage;
    dvi_arrow_meaning meaning;
    int64_t ticks;
    int32_t buffers;
    const char *name;
} known;

/* clang-format off */
static const known formats[] = {
    {"n", DVI_ARROW_NULLS, DVI_ARROW_PLAINLY, 0, 0, "null"},
    {"b", DVI_ARROW_BOOL, DVI_ARROW_PLAINLY, 0, 2, "bool"},
    {"c", DVI_ARROW_I1, DVI_ARROW_PLAINLY, 0, 2, "int8"},
    {"C", DVI_ARROW_U1, DVI_ARROW_PLAINLY, 0, 2, "uint8"},
    {"s", DVI_ARROW_I2, DVI_ARROW_PLAINLY, 0, 2, "int16"},
    {"S", DVI_ARROW_U2, DVI_ARROW_PLAINLY, 0, 2, "uint16"},
    {"i", DVI_ARROW_I4, DVI_ARROW_PLAINLY, 0, 2, "int32"},
    {"I", DVI_ARROW_U4, DVI_ARROW_PLAINLY, 0, 2, "uint32"},
    {"l", DVI_ARROW_I8, DVI_ARROW_PLAINLY, 0, 2, "int64"},
    {"L", DVI_ARROW_U8, DVI_ARROW_PLAINLY, 0, 2, "uint64"},
    {"e", DVI_ARROW_HALF, DVI_ARROW_PLAINLY, 0, 2, "float16"},
    {"f", DVI_ARROW_R4, DVI_ARROW_PLAINLY, 0, 2, "float32"},
    {"g", DVI_ARROW_R8, DVI_ARROW_PLAINLY, 0, 2, "float64"},
    {"u", DVI_ARROW_TEXT_4, DVI_ARROW_UTF8, 0, 3, "utf8"},
    {"U", DVI_ARROW_TEXT_8, DVI_ARROW_UTF8, 0, 3, "large_utf8"},
    {"vu", DVI_ARROW_TEXT_VIEW, DVI_ARROW_UTF8, 0, 3, "utf8_view"},
    {"z", DVI_ARROW_TEXT_4, DVI_ARROW_PLAINLY, 0, 3, "binary"},
    {"Z", DVI_ARROW_TEXT_8, DVI_ARROW_PLAINLY, 0, 3, "large_binary"},
    {"vz", DVI_ARROW_TEXT_VIEW, DVI_ARROW_PLAINLY, 0, 3, "binary_view"},
    {"tdD", DVI_ARROW_I4, DVI_ARROW_DATE, DVI_TICKS_PER_DAY, 2, "date32"},
    {"tdm", DVI_ARROW_I8, DVI_ARROW_DATE, MS_TICKS, 2, "date64"},
    {"tts", DVI_ARROW_I4, DVI_ARROW_SPAN, DVI_TICKS_PER_SECOND, 2, "time32[s]"},
    {"ttm", DVI_ARROW_I4, DVI_ARROW_SPAN, MS_TICKS, 2, "time32[ms]"},
    {"ttu", DVI_ARROW_I8, DVI_ARROW_SPAN, US_TICKS, 2, "time64[us]"},
    {"ttn", DVI_ARROW_I8, DVI_ARROW_SPAN, 0, 2, "time64[ns]"},
    {"tDs", DVI_ARROW_I8, DVI_ARROW_SPAN, DVI_TICKS_PER_SECOND, 2, "duration[s]"},
    {"tDm", DVI_ARROW_I8, DVI_ARROW_SPAN, MS_TICKS, 2, "duration[ms]"},
    {"tDu", DVI_ARROW_I8, DVI_ARROW_SPAN, US_TICKS, 2, "duration[us]"},
    {"tDn", DVI_ARROW_I8, DVI_ARROW_SPAN, 0, 2, "duration[ns]"},
    {"+s", DVI_ARROW_STRUCT, DVI_ARROW_PLAINLY, 0, 1, "struct"},
    {"+l", DVI_ARROW_LIST_4, DVI_ARROW_PLAINLY, 0, 2, "list"},
    {"+L", DVI_ARROW_LIST_8, DVI_ARROW_PLAINLY, 0, 2, "large_list"},
    {"+vl", DVI_ARROW_LIST_VIEW_4, DVI_ARROW_PLAINLY, 0, 3, "list_view"},
    {"+vL", DVI_ARROW_LIST_VIEW_8, DVI_ARROW_PLAINLY, 0, 3, "large_list_view"},
};

/* What has no place here: the beginning of its format, its name, and what is taken instead. */
static const struct {
    const char *prefix, *name, *advice;
} refused[] = {
    {"tiM", "interval[months]", "int32: cast it"},
    {"tiD", "interval[days, time]", "duration: cast it"},
    {"tin", "interval[months, days, ns]", "duration: cast it"},
    {"+m", "map", "lists of its keys and its values"},
    {"+ud:", "dense_union", "columns of its children"},
    {"+us:", "sparse_union", "columns of its children"},
    {"+r", "run_end_encoded", "plain values: decode it"},
};
/* clang-format on */

static dv_status fail_format(const char *text, dv_error *err)
{
    const dv_text shown = {text, (int64_t)strnlen(text, 64)};
    return dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "format", "one of Arrow's|\"%s\"",
                    dvi_show(shown).text);
}

static dv_status read_known(dvi_arrow_format *format_out, const char *text, dv_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const known *k = &formats[i];
        if (strcmp(text, k->text) != 0)
            continue;
        *format_out = (dvi_arrow_format){
            .storage = k->storage, .meaning = k->meaning, .ticks = k->ticks, .buffers = k->buffers};
        snprintf(format_out->name, sizeof format_out->name, "%s", k->name);
        return DV_OK;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strncmp(text, refused[i].prefix, strlen(refused[i].prefix)) == 0)
            return dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "type", "%s|%s", refused[i].advice,
                            refused[i].name);
    return fail_format(text, err);
}

/* --- Formats with parameters ------------------------------------------------------------------ */

/* "tsu:UTC": the unit, and the zone after the colon. */
static dv_status read_timestamp(dvi_arrow_format *format_out, const char *text, dv_error *err)
{
    static const char units[] = "smun";
    static const int64_t ticks[] = {DVI_TICKS_PER_SECOND, MS_TICKS, US_TICKS, 0};
    static const char *const names[] = {"timestamp[s]", "timestamp[ms]", "timestamp[us]",
                                        "timestamp[ns]"};
    const char *unit = text[2] ? strchr(units, text[2]) : NULL;
    DVI_REQUIRE(unit && text[3] == ':', fail_format(text, err));
    *format_out = (dvi_arrow_format){.storage = DVI_ARROW_I8,
                                     .meaning = text[4] ? DVI_ARROW_INSTANT : DVI_ARROW_DATE,
                                     .ticks = ticks[unit - units],
                                     .buffers = 2};
    snprintf(format_out->name, sizeof format_out->name, "%s", names[unit - units]);
    return DV_OK;
}

/* The number that ends the format, "w:16"; false: there is none, or it is no int32. */
static bool read_number(const char *text, int64_t *number_out)
{
    int64_t number = 0;
    for (; *text >= '0' && *text <= '9' && number <= INT32_MAX; text++)
        number = 10 * number + (*text - '0');
    *number_out = number;
    return *text == '\0' && number <= INT32_MAX && text[-1] != ':';
}

/* An integer and the character after it; false: there is none, or it is too large. */
static bool take_integer(const char **text, int32_t *number_out)
{
    const bool is_negative = **text == '-';
    const char *digits = *text + is_negative;
    int32_t number = 0;
    for (*text = digits; **text >= '0' && **text <= '9' && number <= DECIMAL_SCALE; (*text)++)
        number = 10 * number + (**text - '0');
    *number_out = is_negative ? -number : number;
    return *text > digits;
}

/* "d:19,2", "d:9,2,32": digits, digits after the point, bits. */
static dv_status read_decimal(dvi_arrow_format *format_out, const char *text, dv_error *err)
{
    int32_t digits, scale, bits = 128;
    const char *at = text + 2;
    DVI_REQUIRE(take_integer(&at, &digits) && digits > 0 && *at++ == ',' &&
                    take_integer(&at, &scale) && (*at != ',' || (at++, take_integer(&at, &bits))) &&
                    *at == '\0' && (bits == 32 || bits == 64 || bits == 128 || bits == 256),
                fail_format(text, err));
    DVI_REQUIRE(scale >= -DECIMAL_SCALE && scale <= DECIMAL_SCALE,
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "scale of a decimal",
                         "at most %d digits|%" PRId32, DECIMAL_SCALE, scale));
    *format_out = (dvi_arrow_format){
        .storage = DVI_ARROW_DECIMAL, .width = bits / 8, .scale = scale, .buffers = 2};
    snprintf(format_out->name, sizeof format_out->name, "decimal%" PRId32, bits);
    return DV_OK;
}

dv_status dvi_arrow_format_read(dvi_arrow_format *format_out, const char *text, dv_error *err)
{
    int64_t width;
    *format_out = (dvi_arrow_format){0};
    if (strncmp(text, "d:", 2) == 0)
        return read_decimal(format_out, text, err);
    if (strncmp(text, "ts", 2) == 0)
        return read_timestamp(format_out, text, err);
    const bool is_list = strncmp(text, "+w:", 3) == 0;
    if (!is_list && strncmp(text, "w:", 2) != 0)
        return read_known(format_out, text, err);
    DVI_REQUIRE(read_number(text + (is_list ? 3 : 2), &width), fail_format(text, err));
    *format_out =
        (dvi_arrow_format){.storage = is_list ? DVI_ARROW_FIXED_LIST : DVI_ARROW_FIXED_BYTES,
                           .width = width,
                           .buffers = is_list ? 1 : 2};
    snprintf(format_out->name, sizeof format_out->name, "%s",
             is_list ? "fixed_size_list" : "fixed_size_binary");
    return DV_OK;
}

/* --- Parts ------------------------------------------------------------------------------------ */

bool dvi_arrow_is_time(const dvi_arrow_format *format)
{
    return format->meaning >= DVI_ARROW_DATE;
}

bool dvi_arrow_is_integer(const dvi_arrow_format *format)
{
    return format->storage >= DVI_ARROW_I1 && format->storage <= DVI_ARROW_U8 &&
           !dvi_arrow_is_time(format);
}

bool dvi_arrow_is_number(const dvi_arrow_format *format)
{
    return format->storage >= DVI_ARROW_BOOL && format->storage <= DVI_ARROW_R8 &&
           !dvi_arrow_is_time(format);
}

bool dvi_arrow_is_text(const dvi_arrow_format *format)
{
    return format->storage >= DVI_ARROW_TEXT_4 && format->storage <= DVI_ARROW_FIXED_BYTES;
}

bool dvi_arrow_is_list(const dvi_arrow_format *format)
{
    return format->storage >= DVI_ARROW_FIXED_LIST;
}

int64_t dvi_arrow_value_width(const dvi_arrow_format *format)
{
    static const int8_t widths[] = {
        [DVI_ARROW_I1] = 1,         [DVI_ARROW_I2] = 2, [DVI_ARROW_I4] = 4,
        [DVI_ARROW_I8] = 8,         [DVI_ARROW_U1] = 1, [DVI_ARROW_U2] = 2,
        [DVI_ARROW_U4] = 4,         [DVI_ARROW_U8] = 8, [DVI_ARROW_HALF] = 2,
        [DVI_ARROW_R4] = 4,         [DVI_ARROW_R8] = 8, [DVI_ARROW_TEXT_VIEW] = 16,
        [DVI_ARROW_LIST_VIEW_8] = 0};
    const bool has_width =
        format->storage == DVI_ARROW_FIXED_BYTES || format->storage == DVI_ARROW_DECIMAL;
    return has_width ? format->width : widths[format->storage];
}
