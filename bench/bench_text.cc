/* SPDX-License-Identifier: MIT */
/* bench_text.cc: measures parsing and printing numbers, compared with specialized libraries.
 *
 * Many short fields are in one buffer, each followed by a comma, as in a file.  Before the
 * measurement, both sides must give the same result: the same bits of all numbers, and the same
 * text if the peer can write it. */
#include "harness.h"
#include "inputs.h"
#include "report.h"
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#ifdef DVB_HAS_FAST_FLOAT
#include <fast_float/fast_float.h>
#endif
#ifdef DVB_HAS_DOUBLE_CONVERSION
#include <double-conversion/double-to-string.h>
#endif
extern "C" {
#include "codec/number.h"
#include "codec/parse.h"
}

namespace
{

template <typename T> using Values = std::vector<T>;
template <typename T> using Make = T (*)(dvb::Draws &draws);
template <typename T> using Read = T (*)(const char *text, const char *end);
template <typename T> using Write = char *(*)(char *dst, T value);

constexpr std::size_t padding = 8; /* bytes that may be read after a field */

struct Fields {
    std::string bytes;
    std::vector<std::size_t> starts; /* and where the last one's comma has its end */
};

std::size_t input_nbytes()
{
    return std::size_t(dvb::is_quick() ? 64 : 1024) << 10;
}

template <typename T> bool same_bits(const Values<T> &a, const Values<T> &b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/* --- What the numbers look like ------------------------------------------------------------- */

using Spell = std::string (*)(dvb::Draws &draws);

std::string formatted(const char *format, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

double unit(dvb::Draws &draws) /* 0 to 1 */
{
    return double(draws.next() >> 11) * 0x1p-53;
}

/* As measured features are written: 0.1234, -3.5, 12.75. */
std::string spell_short(dvb::Draws &draws)
{
    const double value = unit(draws) * std::pow(10, double(draws.below(4)));
    const std::string text = std::to_string(draws.below(2) ? value : -value);
    return text.substr(0, text.find('.') + 2 + draws.below(4));
}

/* What saves all bits of a double. */
std::string spell_long(dvb::Draws &draws)
{
    return formatted("%.17g", unit(draws));
}

std::string spell_integer(dvb::Draws &draws)
{
    static const uint64_t below[] = {10, 100, 1000, 100000, 10000000, 1000000000};
    const std::string text = std::to_string(draws.below(below[draws.below(6)]));
    return (draws.below(4) ? "" : "-") + text;
}

std::string spell_scientific(dvb::Draws &draws)
{
    const double value = unit(draws) * std::pow(10, double(draws.below(60)) - 30);
    return formatted(draws.below(2) ? "%.6E" : "%.3e", value);
}

std::string spell_mixed(dvb::Draws &draws)
{
    static const Spell all[] = {spell_short, spell_long, spell_integer, spell_scientific};
    return all[draws.below(4)](draws);
}

const struct {
    const char *name;
    Spell spell;
} looks[] = {{"short", spell_short},
             {"17_digits", spell_long},
             {"integer", spell_integer},
             {"scientific", spell_scientific},
             {"mixed", spell_mixed}};

Fields make_fields(Spell spell, std::size_t nbytes)
{
    dvb::Draws draws(11);
    Fields fields;
    while (fields.bytes.size() < nbytes) {
        fields.starts.push_back(fields.bytes.size());
        fields.bytes += spell(draws) + ',';
    }
    fields.starts.push_back(fields.bytes.size());
    fields.bytes.append(padding, ' ');
    return fields;
}

/* --- Text to numbers ------------------------------------------------------------------------ */

template <typename T, Read<T> read> void read_all(Values<T> &dst, const Fields &fields)
{
    const char *bytes = fields.bytes.data();
    for (std::size_t i = 0; i < dst.size(); i++)
        dst[i] = read(bytes + fields.starts[i], bytes + fields.starts[i + 1] - 1);
}

float our_r4(const char *text, const char *end)
{
    float value;
    dvi_parse_r4(&value, text, std::size_t(end - text), std::size_t(end - text) + padding, '.');
    return value;
}

double our_r8(const char *text, const char *end)
{
    double value;
    dvi_parse_r8(&value, text, std::size_t(end - text), std::size_t(end - text) + padding, '.');
    return value;
}

int32_t our_i4(const char *text, const char *end)
{
    int32_t value;
    dvi_parse_i4(&value, text, std::size_t(end - text), std::size_t(end - text) + padding);
    return value;
}

int64_t our_i8(const char *text, const char *end)
{
    int64_t value;
    dvi_parse_i8(&value, text, std::size_t(end - text), std::size_t(end - text) + padding);
    return value;
}

float their_strtof(const char *text, const char *)
{
    return std::strtof(text, nullptr);
}

double their_strtod(const char *text, const char *)
{
    return std::strtod(text, nullptr);
}

template <typename T> T their_from_chars(const char *text, const char *end)
{
    T value = 0;
    std::from_chars(text, end, value);
    return value;
}

#ifdef DVB_HAS_FAST_FLOAT
template <typename T> T their_fast_float(const char *text, const char *end)
{
    T value = 0;
    fast_float::from_chars(text, end, value);
    return value;
}
#endif

template <typename T, Read<T> ours, Read<T> theirs>
void add_parse(const std::string &type, const char *look, Spell spell, const char *peer,
               double goal)
{
    const std::string name = "parse_" + type + "/" + look + "/" + peer;
    dvb::add(name, goal, [=]() -> dvb::Trial {
        const auto fields = std::make_shared<Fields>(make_fields(spell, input_nbytes()));
        const std::size_t n = fields->starts.size() - 1;
        const auto a = std::make_shared<Values<T>>(n), b = std::make_shared<Values<T>>(n);
        const double nbytes = double(fields->bytes.size());
        read_all<T, theirs>(*b, *fields);
        return {{"", nbytes, [=] { read_all<T, ours>(*a, *fields); }},
                {{peer, nbytes, [=] { read_all<T, theirs>(*b, *fields); }}},
                [=] { return same_bits(*a, *b); }};
    });
}

void add_parse_reals()
{
    for (const auto &look : looks) {
        add_parse<float, our_r4, their_strtof>("r4", look.name, look.spell, "strtof", 4);
        add_parse<double, our_r8, their_strtod>("r8", look.name, look.spell, "strtod", 0);
#ifdef DVB_HAS_FAST_FLOAT
        add_parse<float, our_r4, their_fast_float<float>>("r4", look.name, look.spell, "fast_float",
                                                          1);
        add_parse<double, our_r8, their_fast_float<double>>("r8", look.name, look.spell,
                                                            "fast_float", 1);
#endif
    }
#ifndef DVB_HAS_FAST_FLOAT
    dvb::skip("parse_r4, parse_r8 beside fast_float", "fast_float");
#endif
}

std::string spell_small(dvb::Draws &draws)
{
    return std::to_string(draws.below(1000));
}

std::string spell_i8(dvb::Draws &draws)
{
    return std::to_string(int64_t(draws.next()) >> draws.below(64));
}

void add_parse_integers()
{
    add_parse<int32_t, our_i4, their_from_chars<int32_t>>("i4", "to_999", spell_small, "from_chars",
                                                          1);
    add_parse<int32_t, our_i4, their_from_chars<int32_t>>("i4", "mixed", spell_integer,
                                                          "from_chars", 1);
    add_parse<int64_t, our_i8, their_from_chars<int64_t>>("i8", "all_lengths", spell_i8,
                                                          "from_chars", 1);
}

/* --- Numbers to text ------------------------------------------------------------------------ */

struct Text {
    std::string bytes;
    std::size_t n = 0; /* written */
};

template <typename T, Write<T> write> void write_all(Text &dst, const Values<T> &values)
{
    char *p = dst.bytes.data();
    for (const T value : values) {
        p = write(p, value);
        *p++ = ',';
    }
    dst.n = std::size_t(p - dst.bytes.data());
}

char *our_print_r4(char *dst, float value)
{
    return dst + dvi_number_print_r4(dst, value);
}

char *our_print_r8(char *dst, double value)
{
    return dst + dvi_number_print_r8(dst, value);
}

char *our_print_i8(char *dst, int64_t value)
{
    return dst + dvi_number_print_i8(dst, value);
}

template <typename T> char *their_to_chars(char *dst, T value)
{
    return std::to_chars(dst, dst + DVI_NUMBER_NBYTES, value).ptr;
}

#ifdef DVB_HAS_DOUBLE_CONVERSION
using Converter = double_conversion::DoubleToStringConverter;

char *their_print_r4(char *dst, float value)
{
    static const Converter converter(Converter::EMIT_POSITIVE_EXPONENT_SIGN, "Infinity", "NaN", 'E',
                                     -4, 9, 0, 0, 2);
    double_conversion::StringBuilder builder(dst, DVI_NUMBER_NBYTES);
    converter.ToShortestSingle(value, &builder);
    const int n = builder.position();
    builder.Finalize();
    return dst + n;
}

char *their_print_r8(char *dst, double value)
{
    static const Converter converter(Converter::EMIT_POSITIVE_EXPONENT_SIGN, "Infinity", "NaN", 'E',
                                     -4, 17, 0, 0, 2);
    double_conversion::StringBuilder builder(dst, DVI_NUMBER_NBYTES);
    converter.ToShortest(value, &builder);
    const int n = builder.position();
    builder.Finalize();
    return dst + n;
}
#endif

template <typename T> Values<T> values_of(Spell spell)
{
    const Fields fields = make_fields(spell, input_nbytes());
    Values<T> values(fields.starts.size() - 1);
    for (std::size_t i = 0; i < values.size(); i++) {
        const char *text = fields.bytes.data() + fields.starts[i];
        values[i] = std::is_same<T, int64_t>::value ? T(std::strtoll(text, nullptr, 10))
                    : std::is_same<T, float>::value ? T(std::strtof(text, nullptr))
                                                    : T(std::strtod(text, nullptr));
    }
    return values;
}

/* Does the text parse to these values? */
template <typename T> bool says(const Text &text, const Values<T> &values)
{
    Values<T> back;
    for (const char *p = text.bytes.data(), *end = p + text.n; p < end;) {
        T value = 0;
        p = std::from_chars(p, end, value).ptr + 1;
        back.push_back(value);
    }
    return same_bits(back, values);
}

/* is_equal: both write the same text. */
template <typename T, Write<T> ours, Write<T> theirs>
void add_print(const std::string &type, const char *look, Spell spell, const char *peer,
               bool is_equal, double goal)
{
    const std::string name = "print_" + type + "/" + look + "/" + peer;
    dvb::add(name, goal, [=]() -> dvb::Trial {
        const auto values = std::make_shared<Values<T>>(values_of<T>(spell));
        const auto a = std::make_shared<Text>(), b = std::make_shared<Text>();
        a->bytes.resize(values->size() * (DVI_NUMBER_NBYTES + 1));
        b->bytes = a->bytes;
        write_all<T, ours>(*a, *values);
        write_all<T, theirs>(*b, *values);
        const double nbytes = double(a->n);
        return {{"", nbytes, [=] { write_all<T, ours>(*a, *values); }},
                {{peer, nbytes, [=] { write_all<T, theirs>(*b, *values); }}},
                [=] {
                    return says(*a, *values) && says(*b, *values) &&
                           (!is_equal || a->bytes.compare(0, a->n, b->bytes, 0, b->n) == 0);
                }};
    });
}

void add_print_reals()
{
    for (const auto &look : looks) {
#ifdef DVB_HAS_DOUBLE_CONVERSION
        add_print<float, our_print_r4, their_print_r4>("r4", look.name, look.spell,
                                                       "double-conversion", true, 1);
        add_print<double, our_print_r8, their_print_r8>("r8", look.name, look.spell,
                                                        "double-conversion", true, 1);
#endif
        add_print<float, our_print_r4, their_to_chars<float>>("r4", look.name, look.spell,
                                                              "to_chars", false, 0);
        add_print<double, our_print_r8, their_to_chars<double>>("r8", look.name, look.spell,
                                                                "to_chars", false, 0);
    }
#ifndef DVB_HAS_DOUBLE_CONVERSION
    dvb::skip("print_r4, print_r8 beside double-conversion", "double-conversion");
#endif
}

void add_print_integers()
{
    add_print<int64_t, our_print_i8, their_to_chars<int64_t>>("i8", "to_999", spell_small,
                                                              "to_chars", true, 1);
    add_print<int64_t, our_print_i8, their_to_chars<int64_t>>("i8", "all_lengths", spell_i8,
                                                              "to_chars", true, 1);
}

void add_suite()
{
    add_parse_reals();
    add_parse_integers();
    add_print_reals();
    add_print_integers();
}

const dvb::Suite suite("text", add_suite);

} // namespace
