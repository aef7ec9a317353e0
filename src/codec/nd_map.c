/* SPDX-License-Identifier: MIT */
/* nd_map.c: reads the maps of msgpack-numpy (datadings:3.3, datadings:8). */
#include "codec/nd_map.h"
#include "base/load.h"
#include "base/size.h"
#include "codec/parse.h"
#include "codec/word.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WIDTH_MAX INT32_MAX /* of an item, as in numpy */
#define COMPLEX_NBYTES 128  /* no repr is longer */

/* --- dtype strings ---------------------------------------------------------------------------- */

/* Read the digits at text[*at..]; -1: there are none, or the number exceeds `most`. */
static int64_t read_digits(const char *text, size_t n, size_t *at, int64_t most)
{
    int64_t value = -1;
    for (; *at < n && text[*at] >= '0' && text[*at] <= '9'; ++*at) {
        value = (value < 0 ? 0 : value) * 10 + (text[*at] - '0');
        if (value > most)
            return -1;
    }
    return value;
}

/* Units of time, in ns; 0: of variable length (months), or shorter than 1 ns. */
static const struct {
    const char *name;
    int64_t ns;
} units[] = {{"Y", 0},
             {"M", 0},
             {"W", INT64_C(604800000000000)},
             {"D", INT64_C(86400000000000)},
             {"h", INT64_C(3600000000000)},
             {"m", INT64_C(60000000000)},
             {"s", 1000000000},
             {"ms", 1000000},
             {"us", 1000},
             {"ns", 1},
             {"ps", 0},
             {"fs", 0},
             {"as", 0}};
#define UNITS (sizeof units / sizeof *units)
#define TICK_NS 100

/* "[ms]", "[25s]" or nothing. *ticks_out is 0 if the unit is not a whole number of ticks. */
static bool parse_unit(int64_t *ticks_out, const char *text, size_t n)
{
    size_t at = 1, i = 0;
    int64_t times = 1, ns;
    *ticks_out = 0;
    if (n == 0)
        return true;
    if (n < 3 || text[0] != '[' || text[n - 1] != ']')
        return false;
    if (text[at] >= '0' && text[at] <= '9')
        times = read_digits(text, n, &at, INT32_MAX);
    while (i < UNITS && (strlen(units[i].name) != n - 1 - at ||
                         memcmp(units[i].name, text + at, n - 1 - at) != 0))
        i++;
    if (times < 1 || i == UNITS)
        return false;
    if (!__builtin_mul_overflow(times, units[i].ns, &ns) && ns % TICK_NS == 0)
        *ticks_out = ns / TICK_NS;
    return true;
}

/* The kind of column items for a letter and a size; size 0: any. */
static const struct {
    char letter;
    uint8_t size;
    dv_kind kind;
} kinds[] = {{'b', 1, DV_KIND_BL},    {'i', 1, DV_KIND_I1},    {'i', 2, DV_KIND_I2},
             {'i', 4, DV_KIND_I4},    {'i', 8, DV_KIND_I8},    {'u', 1, DV_KIND_U1},
             {'u', 2, DV_KIND_U2},    {'u', 4, DV_KIND_U4},    {'u', 8, DV_KIND_U8},
             {'f', 2, DV_KIND_R4},    {'f', 4, DV_KIND_R4},    {'f', 8, DV_KIND_R8},
             {'f', 12, DV_KIND_NONE}, {'f', 16, DV_KIND_NONE}, {'c', 8, DV_KIND_NONE},
             {'c', 16, DV_KIND_NONE}, {'c', 24, DV_KIND_NONE}, {'c', 32, DV_KIND_NONE},
             {'S', 0, DV_KIND_BY},    {'U', 0, DV_KIND_TX},    {'V', 0, DV_KIND_NONE},
             {'M', 8, DV_KIND_DT},    {'m', 8, DV_KIND_TS}};
#define KINDS (sizeof kinds / sizeof *kinds)

bool dvi_nd_parse_dtype(dvi_nd_dtype *dtype_out, const char *text, size_t n)
{
    size_t at = n > 0 && memchr("<>|=", text[0], 4), i = 0;
    const bool is_swapped = at > 0 && text[0] == '>';
    if (at >= n)
        return false;
    const char letter = text[at++];
    const int64_t most = letter == 'U' ? WIDTH_MAX / 4 : WIDTH_MAX;
    const int64_t size = read_digits(text, n, &at, most);
    while (i < KINDS &&
           (kinds[i].letter != letter || (kinds[i].size != 0 && kinds[i].size != size)))
        i++;
    if (size < 0 || i == KINDS || (size == 0 && kinds[i].size != 0))
        return false;
    *dtype_out = (dvi_nd_dtype){.letter = letter,
                                .kind = size > 0 ? kinds[i].kind : DV_KIND_NONE,
                                .is_swapped = is_swapped};
    dtype_out->width = (uint32_t)(letter == 'U' ? 4 * size : size);
    if (letter != 'M' && letter != 'm')
        return at == n;
    if (!parse_unit(&dtype_out->ticks, text + at, n - at))
        return false;
    if (dtype_out->ticks == 0)
        dtype_out->kind = DV_KIND_NONE;
    return true;
}

/* --- Complex numbers -------------------------------------------------------------------------- */

/* A real as Python writes it: digits, inf or nan, with or without a sign. */
static bool parse_component(double *component_out, const char *text, size_t n)
{
    const bool has_sign = n > 0 && (text[0] == '-' || text[0] == '+');
    const double sign = has_sign && text[0] == '-' ? -1 : 1;
    text += has_sign;
    n -= has_sign;
    if (dvi_is_word(text, n, "inf") || dvi_is_word(text, n, "nan")) {
        *component_out =
            copysign(dvi_to_lower(text[0]) == 'i' ? (double)INFINITY : (double)NAN, sign);
        return true;
    }
    if (n == 0 || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.') ||
        !dvi_parse_r8(component_out, text, n, n, '.'))
        return false;
    *component_out *= sign;
    return true;
}

bool dvi_nd_parse_complex(double complex_out[2], const char *text, size_t n)
{
    complex_out[0] = complex_out[1] = 0;
    if (n > COMPLEX_NBYTES)
        return false;
    if (n >= 2 && text[0] == '(' && text[n - 1] == ')') {
        text++;
        n -= 2;
    }
    if (n == 0 || dvi_to_lower(text[n - 1]) != 'j')
        return parse_component(&complex_out[0], text, n);
    size_t at = --n; /* the sign between the two components, if there is one */
    while (at > 0 && !((text[at] == '+' || text[at] == '-') && dvi_to_lower(text[at - 1]) != 'e'))
        at--;
    return (at == 0 || parse_component(&complex_out[0], text, at)) &&
           parse_component(&complex_out[1], text + at, n - at);
}

/* --- Maps ------------------------------------------------------------------------------------- */

enum { ND, TYPE, KIND, SHAPE, DATA, COMPLEX, FIELDS };

/* The starts of the values of the map's entries; NULL: no such entry. */
typedef struct fields {
    const uint8_t *at[FIELDS];
} fields;

/* The field with this bin key; FIELDS: none. */
static int field_of(const dvi_msgpack *key)
{
    static const char *const names[FIELDS] = {"nd", "type", "kind", "shape", "data", "complex"};
    int i = 0;
    while (i < FIELDS && (key->kind != DVI_MSGPACK_BIN || key->n != strlen(names[i]) ||
                          memcmp(key->data, names[i], key->n) != 0))
        i++;
    return i;
}

/* Find the fields of a map; false: it is an ordinary map. */
static bool find_fields(dvi_msgpack_reader r, fields *fields_out)
{
    dvi_msgpack map, key;
    *fields_out = (fields){{NULL}};
    r.nesting = DVI_MSGPACK_NESTING; /* the caller has checked the nesting */
    if (!dvi_msgpack_read(&r, &map))
        return false;
    for (uint32_t i = 0; i < map.n; i++) {
        if (!dvi_msgpack_read(&r, &key))
            return false;
        const int field = field_of(&key);
        if (field < FIELDS)
            fields_out->at[field] = r.at;
        if (!dvi_msgpack_skip(&r, 0))
            return false;
    }
    return true;
}

/* The state of reading a map. */
typedef struct parser {
    dvi_msgpack_reader r; /* at the value that is checked */
    fields f;
    bool is_strict;
    bool is_inner; /* the data of a masked array */
    dvi_nd_map *nd;
} parser;

static dv_status read_map(const dvi_msgpack_reader *map, bool strict, bool is_inner,
                          dvi_nd_map *nd_out, dv_error *err);

/* Move to the value of a field, and return its token. */
static dvi_msgpack seek(parser *p, int field)
{
    p->r.at = p->f.at[field];
    const dvi_msgpack t = dvi_msgpack_next(&p->r);
    p->r.at = p->f.at[field];
    return t;
}

static bool is_text(const dvi_msgpack *t)
{
    return t->kind == DVI_MSGPACK_STR || t->kind == DVI_MSGPACK_BIN;
}

#define FAIL(p, row, what, ...)                                                                    \
    dvi_fail(err, DV_ERR_CORRUPT, "datadings:8." #row, dvi_msgpack_offset(&(p)->r), what,          \
             __VA_ARGS__)

static dv_status fail_type(const parser *p, const char *what, const char *expected,
                           const dvi_msgpack *found, dv_error *err)
{
    return FAIL(p, 38, what, "%s|%s", expected, dvi_msgpack_kind_name(found->kind));
}

/* Parse the item type in a str. */
static dv_status read_dtype(const parser *p, const dvi_msgpack *t, dvi_nd_dtype *dtype_out,
                            dv_error *err)
{
    const dv_text text = {(const char *)t->data, t->n};
    DVI_REQUIRE(t->n == 0 || memchr(t->data, 'O', t->n < 2 ? t->n : 2) == NULL,
                FAIL(p, 37, "numpy type", "no objects|%s", dvi_show(text).text));
    DVI_REQUIRE(
        dvi_nd_parse_dtype(dtype_out, text.data, t->n),
        FAIL(p, 35, "numpy type", "a letter and its size, as <f4|\"%s\"", dvi_show(text).text));
    return DV_OK;
}

/* --- Structures: [[name, type], [name, type, shape], ...], where a type may be such a list ---- */

/* Read the next token. The functions below move back to a token that is wrong. */
static dvi_msgpack next(parser *p)
{
    return dvi_msgpack_next(&p->r);
}

/* Multiply the width of a field by its shape, a number or an array of numbers. */
static dv_status multiply_by_shape(parser *p, uint64_t *width, dv_error *err)
{
    const dvi_msgpack_reader shape = p->r;
    dvi_msgpack t = next(p);
    const uint32_t n = t.kind == DVI_MSGPACK_ARRAY ? t.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        if (t.kind == DVI_MSGPACK_ARRAY || i > 0)
            t = next(p);
        const bool fits = t.kind == DVI_MSGPACK_UINT && !__builtin_mul_overflow(*width, t.u, width);
        if (!fits || *width > WIDTH_MAX) {
            p->r = shape;
            return FAIL(p, 36, "shape of a field", "numbers, and items below 2^31 bytes|%s",
                        fits ? "more bytes" : dvi_msgpack_kind_name(t.kind));
        }
    }
    return DV_OK;
}

static dv_status read_descr(parser *p, int depth, uint64_t *width_out, dv_error *err);

/* A name, or [title, name]. */
static dv_status read_name(parser *p, dv_error *err)
{
    const dvi_msgpack_reader start = p->r;
    dvi_msgpack name = next(p);
    const bool has_title = name.kind == DVI_MSGPACK_ARRAY && name.n == 2;
    if (has_title)
        name = next(p);
    if (has_title && is_text(&name))
        name = next(p);
    if (is_text(&name))
        return DV_OK;
    p->r = start;
    return FAIL(p, 36, "name of a field", "a str, or title and name|%s",
                dvi_msgpack_kind_name(name.kind));
}

/* [name, type] or [name, type, shape]. */
static dv_status read_member(parser *p, int depth, uint64_t *width_out, dv_error *err)
{
    const dvi_msgpack_reader start = p->r;
    const dvi_msgpack t = next(p);
    if (t.kind != DVI_MSGPACK_ARRAY || t.n < 2 || t.n > 3) {
        p->r = start;
        return FAIL(p, 36, "field of a numpy type", "name, type and perhaps shape|%s",
                    t.kind == DVI_MSGPACK_ARRAY ? "an array of another length"
                                                : dvi_msgpack_kind_name(t.kind));
    }
    DVI_TRY(read_name(p, err));
    const dvi_msgpack_reader type = p->r;
    const dvi_msgpack item = next(p);
    dvi_nd_dtype dtype = {.width = 0};
    if (item.kind == DVI_MSGPACK_STR)
        DVI_TRY(read_dtype(p, &item, &dtype, err));
    *width_out = dtype.width;
    if (item.kind != DVI_MSGPACK_STR) {
        p->r = type;
        DVI_TRY(read_descr(p, depth, width_out, err));
    }
    return t.n == 3 ? multiply_by_shape(p, width_out, err) : DV_OK;
}

static dv_status read_descr(parser *p, int depth, uint64_t *width_out, dv_error *err)
{
    const dvi_msgpack_reader start = p->r;
    const dvi_msgpack t = next(p);
    if (t.kind != DVI_MSGPACK_ARRAY || depth == DVI_ND_NESTING) {
        p->r = start;
        return FAIL(p, 36, "numpy type", "fields, at most %d structures deep|%s", DVI_ND_NESTING,
                    t.kind == DVI_MSGPACK_ARRAY ? "more" : dvi_msgpack_kind_name(t.kind));
    }
    *width_out = 0;
    for (uint32_t i = 0; i < t.n; i++) {
        uint64_t width;
        DVI_TRY(read_member(p, depth + 1, &width, err));
        *width_out += width;
        if (*width_out > WIDTH_MAX) {
            p->r = start;
            return FAIL(p, 36, "numpy type", "items below 2^31 bytes|more");
        }
    }
    return DV_OK;
}

/* --- Arrays and scalars ----------------------------------------------------------------------- */

/* Read the kind of array: 'V' of structures, 'O' of objects, 0 of a plain type. */
static dv_status read_kind(parser *p, char *kind_out, dv_error *err)
{
    *kind_out = 0;
    if (!p->f.at[KIND])
        return DV_OK;
    const dvi_msgpack t = seek(p, KIND);
    DVI_REQUIRE(t.kind == DVI_MSGPACK_BIN, fail_type(p, "kind of an array", "bin", &t, err));
    const bool is_known = t.n == 0 || (t.n == 1 && memchr("VO", *t.data, 2));
    DVI_REQUIRE(is_known, FAIL(p, 38, "kind of an array", "nothing, V or O|\"%s\"",
                               dvi_show((dv_text){(const char *)t.data, t.n}).text));
    *kind_out = t.n == 0 ? 0 : (char)*t.data;
    return DV_OK;
}

static dv_status read_type(parser *p, char kind, dv_error *err)
{
    uint64_t width;
    const dvi_msgpack t = seek(p, TYPE);
    p->nd->dtype = (dvi_nd_dtype){.letter = kind == 'O' ? 'O' : 0};
    if (kind == 'O')
        return DV_OK;
    const bool is_structure = kind == 'V' || (p->nd->what == DVI_ND_SCALAR && !is_text(&t));
    DVI_REQUIRE(is_structure ? t.kind == DVI_MSGPACK_ARRAY : is_text(&t),
                fail_type(p, "numpy type", is_structure ? "array" : "str", &t, err));
    if (!is_structure)
        return read_dtype(p, &t, &p->nd->dtype, err);
    DVI_TRY(read_descr(p, 0, &width, err));
    p->nd->dtype.width = (uint32_t)width;
    return DV_OK;
}

static dv_status read_shape(parser *p, dv_error *err)
{
    const dvi_msgpack t = seek(p, SHAPE);
    DVI_REQUIRE(t.kind == DVI_MSGPACK_ARRAY, fail_type(p, "shape", "array", &t, err));
    DVI_REQUIRE(t.n <= DVI_ND_RANK,
                FAIL(p, 32, "shape", "at most %d dimensions|%" PRIu32, DVI_ND_RANK, t.n));
    next(p);
    p->nd->rank = (int32_t)t.n;
    for (uint32_t i = 0; i < t.n; i++) {
        const dvi_msgpack_reader start = p->r;
        const dvi_msgpack dim = next(p);
        const bool is_number = dim.kind == DVI_MSGPACK_UINT && dim.u <= INT64_MAX;
        if (!is_number || __builtin_mul_overflow(p->nd->items, (int64_t)dim.u, &p->nd->items)) {
            p->r = start;
            return FAIL(p, 32, "shape", "counts whose product fits|%s",
                        is_number ? "one too large" : dvi_msgpack_kind_name(dim.kind));
        }
        p->nd->dims[i] = (int64_t)dim.u;
    }
    return DV_OK;
}

/* The items of a masked array are the data of another array: as many bytes, or more. */
static dv_status read_masked(parser *p, dv_error *err)
{
    dvi_nd_map *nd = p->nd, data;
    DVI_REQUIRE(!p->is_inner, FAIL(p, 38, "data of a masked array", "an array|a masked array"));
    DVI_TRY(read_map(&p->r, p->is_strict, true, &data, err));
    DVI_REQUIRE(data.what == DVI_ND_ARRAY && data.dtype.width > 0,
                FAIL(p, 38, "data of a masked array", "an array|another map"));
    const uint32_t width = nd->dtype.width;
    const int64_t nbytes = data.items * data.dtype.width; /* not more than the message has */
    DVI_REQUIRE(width == 0 || nd->items <= nbytes / width,
                FAIL(p, 33, "data of a masked array",
                     "%" PRId64 " items of %" PRIu32 " bytes|%" PRId64, nd->items, width, nbytes));
    nd->dtype.kind = DV_KIND_NONE;
    nd->data = NULL;
    return DV_OK;
}

/* A text beyond Unicode is no text of Python, which reads that of a scalar at once. */
static dv_status check_characters(const parser *p, dv_error *err)
{
    const dvi_nd_map *nd = p->nd;
    for (uint32_t i = 0; i < nd->dtype.width && nd->dtype.letter == 'U'; i += 4) {
        const uint32_t c = (uint32_t)(nd->dtype.is_swapped ? dvi_load_i32_be(nd->data + i)
                                                           : dvi_load_i32(nd->data + i));
        DVI_REQUIRE(c <= 0x10FFFF,
                    FAIL(p, 35, "text of numpy", "characters of Unicode|%08" PRIx32, c));
    }
    return DV_OK;
}

static dv_status read_data(parser *p, dv_error *err)
{
    dvi_nd_map *nd = p->nd;
    const dvi_msgpack t = seek(p, DATA);
    if (t.kind == DVI_MSGPACK_MAP && nd->what == DVI_ND_ARRAY && nd->dtype.letter != 'O')
        return read_masked(p, err);
    DVI_REQUIRE(t.kind == DVI_MSGPACK_BIN, fail_type(p, "data", "bin", &t, err));
    nd->data = t.data;
    nd->data_nbytes = t.n;
    const uint32_t width = nd->dtype.width;
    DVI_REQUIRE(width > 0 || nd->what == DVI_ND_ARRAY,
                FAIL(p, 39, "data of a scalar", "an item|a structure without fields"));
    if (width == 0) /* objects, structures without fields */
        return DV_OK;
    if (nd->what == DVI_ND_SCALAR)
        DVI_REQUIRE(t.n > 0 && t.n % width == 0,
                    FAIL(p, 39, "data of a scalar", "a multiple of %" PRIu32 " bytes|%" PRIu32,
                         width, t.n));
    DVI_REQUIRE(nd->items <= (int64_t)(t.n / width),
                FAIL(p, 33, "data of an array", "%" PRId64 " items of %" PRIu32 " bytes|%" PRIu32,
                     nd->items, width, t.n));
    if (nd->what == DVI_ND_SCALAR)
        DVI_TRY(check_characters(p, err));
    const bool is_exact = nd->items * width == t.n;
    DVI_REQUIRE(is_exact || !p->is_strict,
                FAIL(p, 34, "data", "%" PRId64 " bytes|%" PRIu32, nd->items * width, t.n));
    return DV_OK;
}

static dv_status read_complex(parser *p, dv_error *err)
{
    const dvi_msgpack t = seek(p, DATA);
    DVI_REQUIRE(is_text(&t), fail_type(p, "data of a complex number", "str", &t, err));
    const dv_text text = {(const char *)t.data, t.n};
    DVI_REQUIRE(dvi_nd_parse_complex(p->nd->complex, text.data, t.n),
                FAIL(p, 40, "data", "a complex number, as (1-2j)|\"%s\"", dvi_show(text).text));
    p->nd->items = 2;
    return DV_OK;
}

static dvi_nd_what what_of(const parser *p)
{
    const uint8_t *const *at = p->f.at;
    if (at[ND] && *at[ND] == 0xC3 && at[TYPE] && at[SHAPE] && at[DATA])
        return DVI_ND_ARRAY;
    if (at[ND] && *at[ND] != 0xC3 && at[TYPE] && at[DATA])
        return DVI_ND_SCALAR;
    return !at[ND] && at[COMPLEX] && at[DATA] ? DVI_ND_COMPLEX : DVI_ND_PLAIN;
}

static dv_status read_map(const dvi_msgpack_reader *map, bool strict, bool is_inner,
                          dvi_nd_map *nd_out, dv_error *err)
{
    parser p = {.r = *map, .is_strict = strict, .is_inner = is_inner, .nd = nd_out};
    char kind = 0;
    nd_out->what = DVI_ND_PLAIN;
    nd_out->rank = 0;
    nd_out->items = 1;
    if (!find_fields(*map, &p.f))
        return DV_OK;
    nd_out->what = what_of(&p);
    if (nd_out->what == DVI_ND_PLAIN)
        return DV_OK;
    if (nd_out->what == DVI_ND_COMPLEX)
        return read_complex(&p, err);
    if (nd_out->what == DVI_ND_ARRAY) {
        DVI_TRY(read_kind(&p, &kind, err));
        DVI_TRY(read_shape(&p, err));
    }
    DVI_TRY(read_type(&p, kind, err));
    return read_data(&p, err);
}

dv_status dvi_nd_read(const dvi_msgpack_reader *map, bool strict, dvi_nd_map *nd_out, dv_error *err)
{
    return read_map(map, strict, false, nd_out, err);
}

/* --- Description ------------------------------------------------------------------------------ */

/* The text of a str or bin, or the bytes of another value. */
static dv_text read_written(dvi_msgpack_reader r, const uint8_t *at)
{
    r.at = at;
    const dvi_msgpack t = dvi_msgpack_next(&r);
    if (is_text(&t))
        return (dv_text){(const char *)t.data, t.n};
    r.at = at;
    return dvi_msgpack_skip(&r, 0) ? (dv_text){(const char *)at, r.at - at} : (dv_text){NULL, -1};
}

dv_status dvi_nd_describe(const dvi_msgpack_reader *map, dvi_nd_map *nd_out, dv_text *type_out,
                          dv_error *err)
{
    fields f;
    dvi_nd_map data;
    *type_out = (dv_text){NULL, -1};
    DVI_TRY(dvi_nd_read(map, false, nd_out, err));
    if (nd_out->what == DVI_ND_PLAIN || nd_out->what == DVI_ND_COMPLEX ||
        nd_out->dtype.letter == 'O' || !find_fields(*map, &f))
        return DV_OK;
    *type_out = read_written(*map, f.at[TYPE]);
    if (nd_out->data || nd_out->what != DVI_ND_ARRAY)
        return DV_OK;
    dvi_msgpack_reader inner = *map;
    inner.at = f.at[DATA];
    DVI_TRY(read_map(&inner, false, true, &data, err));
    nd_out->data = data.data;
    nd_out->data_nbytes = data.data_nbytes;
    return DV_OK;
}
