/* SPDX-License-Identifier: MIT */
/* msgpack_json.c: writes a value of msgpack as JSON, nested as it is (msgpack.h). */
#include "base/load.h"
#include "codec/nd_items.h"
#include "codec/scalar.h"
#include <dataview/msgpack.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Containers around a map that may be an array of numpy: to recognize one costs a reading of all
 * that it holds. */
#define NUMPY_LEVELS 64
#define NAMES_MOST                                                                                 \
    64 /* bytes of the names of fields, which are written for each item, per byte of it */
#define TEXT_NBYTES 1024 /* of a text of numpy that is converted without memory of its own */

typedef struct printer {
    const dv_sink *sink;
    dvi_msgpack_reader r;
    dv_error *err;
} printer;

static bool put(const printer *p, const char *text)
{
    return p->sink->write(p->sink->ctx, text, strlen(text));
}

DVI_PRINTF(2, 3) static bool print(const printer *p, const char *format, ...)
{
    char text[96];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return put(p, text);
}

static bool put_hex(const printer *p, const uint8_t *data, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char text[512];
    bool ok = put(p, "\"");
    for (size_t at = 0, here; at < n && ok; at += here) {
        here = n - at < sizeof text / 2 ? n - at : sizeof text / 2;
        for (size_t i = 0; i < here; i++) {
            text[2 * i] = digits[data[at + i] >> 4];
            text[2 * i + 1] = digits[data[at + i] & 15];
        }
        ok = p->sink->write(p->sink->ctx, text, 2 * here);
    }
    return ok && put(p, "\"");
}

/* {"$bytes":"ffd8"} */
static bool put_bytes(const printer *p, const char *name, const uint8_t *data, size_t n)
{
    return print(p, "{\"$%s\":", name) && put_hex(p, data, n) && put(p, "}");
}

/* JSON has no infinities, and readers parse -0 as an integer, which loses the sign. */
static bool put_real(const printer *p, double real, dv_kind kind)
{
    char text[64];
    const float single = (float)real;
    const void *value = kind == DV_KIND_R4 ? (const void *)&single : &real;
    if (isnan(real))
        return put(p, "null");
    if (isinf(real))
        return put(p, real < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    if (real == 0 && signbit(real))
        return put(p, "-0.0");
    const size_t n = dvi_scalar_printer(kind)(text, value);
    return p->sink->write(p->sink->ctx, text, n);
}

static bool put_complex(const printer *p, double real, double imaginary, dv_kind kind)
{
    return put(p, "{\"$complex\":[") && put_real(p, real, kind) && put(p, ",") &&
           put_real(p, imaginary, kind) && put(p, "]}");
}

/* A text as a key: '$' before one that begins so. */
static bool put_key_text(const printer *p, dv_text text)
{
    char small[256], *all = small;
    const size_t n = (size_t)text.nbytes;
    if (n == 0 || text.data[0] != '$')
        return dv_text_write_json(text, p->sink);
    if (n + 1 > sizeof small && !(all = malloc(n + 1)))
        return false;
    all[0] = '$';
    memcpy(all + 1, text.data, n);
    const bool ok = dv_text_write_json((dv_text){all, (int64_t)n + 1}, p->sink);
    if (all != small)
        free(all);
    return ok;
}

/* --- Items of numpy --------------------------------------------------------------------------- */

static int64_t load_integer(const dvi_nd_dtype *dtype, const uint8_t *src)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < dtype->width; i++)
        value = value << 8 | src[dtype->is_swapped ? i : dtype->width - 1 - i];
    const unsigned unused = 64 - 8 * (dtype->width ? dtype->width : 8); /* i1 to u8 */
    return dtype->letter == 'u' ? (int64_t)value : (int64_t)(value << unused) >> unused;
}

static double load_real(const dvi_nd_dtype *dtype, const uint8_t *src)
{
    uint64_t bytes[2];
    double real;
    dvi_nd_dtype one = *dtype;
    one.letter = 'f'; /* also the half of a complex number */
    one.kind = dtype->width == 8 ? DV_KIND_R8 : DV_KIND_R4;
    dvi_nd_copy(bytes, &one, src, 1);
    if (one.kind == DV_KIND_R8) {
        memcpy(&real, bytes, sizeof real);
        return real;
    }
    float single;
    memcpy(&single, bytes, sizeof single);
    return (double)single;
}

/* An item of U, without the NULs at its end; what is no character becomes U+FFFD. */
static bool put_characters(const printer *p, const dvi_nd_dtype *dtype, const uint8_t *src)
{
    char small[TEXT_NBYTES], *text = small;
    size_t n = 0, width = dtype->width;
    while (width > 0 && dvi_load_i32(src + width - 4) == 0)
        width -= 4;
    if (width > sizeof small && !(text = malloc(width)))
        return false;
    for (size_t i = 0; i < width; i += 4) {
        uint32_t c =
            (uint32_t)(dtype->is_swapped ? dvi_load_i32_be(src + i) : dvi_load_i32(src + i));
        if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
            c = 0xFFFD;
        if (c < 0x80) {
            text[n++] = (char)c;
            continue;
        }
        const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        text[n++] = (char)((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | c >> 6 * more);
        for (int k = more - 1; k >= 0; k--)
            text[n++] = (char)(0x80 | (c >> 6 * k & 0x3F));
    }
    const bool ok = dv_text_write_json((dv_text){text, (int64_t)n}, p->sink);
    if (text != small)
        free(text);
    return ok;
}

/* {"$datetime64":[5,"ns"]}: the number, and the unit as the type has it. */
static bool put_time(const printer *p, const dvi_nd_dtype *dtype, dv_text type, const uint8_t *src)
{
    const int64_t value = load_integer(dtype, src);
    const char *unit = memchr(type.data, '[', (size_t)type.nbytes);
    const int n = unit ? (int)(type.data + type.nbytes - unit) - 2 : 0;
    if (value == INT64_MIN)
        return put(p, "null");
    return print(p, "{\"$%s\":[%" PRId64 ",\"%.*s\"]}",
                 dtype->letter == 'M' ? "datetime64" : "timedelta64", value, n,
                 unit ? unit + 1 : "");
}

/* An item that is no structure. */
static bool put_plain(const printer *p, const dvi_nd_dtype *dtype, dv_text type, const uint8_t *src)
{
    const uint32_t half = dtype->width / 2;
    dvi_nd_dtype part = *dtype;
    part.width = half;
    switch (dtype->letter) {
    case 'b':
        return put(p, *src ? "true" : "false");
    case 'i':
        return print(p, "%" PRId64, load_integer(dtype, src));
    case 'u':
        return print(p, "%" PRIu64, (uint64_t)load_integer(dtype, src));
    case 'U':
        return put_characters(p, dtype, src);
    case 'M':
    case 'm':
        return put_time(p, dtype, type, src);
    default:
        break;
    }
    if (dtype->letter == 'f' && dtype->width <= 8)
        return put_real(p, load_real(dtype, src), dtype->width == 8 ? DV_KIND_R8 : DV_KIND_R4);
    if (dtype->letter == 'c' && half <= 8)
        return put_complex(p, load_real(&part, src), load_real(&part, src + half),
                           half == 8 ? DV_KIND_R8 : DV_KIND_R4);
    uint32_t n = dtype->width; /* S, V and reals of more than 8 bytes */
    while (dtype->letter == 'S' && n > 0 && src[n - 1] == 0)
        n--;
    return put_bytes(p, "bytes", src, n);
}

static bool put_fields(const printer *p, dvi_msgpack_reader *descr, const uint8_t **src);

/* The items of a field or an array, nested as `rank` dimensions say.  `type` is a text, or NA: then
 * each item is a structure of these fields. */
static bool put_items(const printer *p, const dvi_nd_dtype *dtype, dv_text type,
                      dvi_msgpack_reader fields, const int64_t *dims, int32_t rank,
                      const uint8_t **src)
{
    if (rank == 0 && type.nbytes < 0)
        return put_fields(p, &fields, src);
    if (rank == 0) {
        const bool ok = put_plain(p, dtype, type, *src);
        *src += dtype->width;
        return ok;
    }
    bool ok = put(p, "[");
    for (int64_t i = 0; i < dims[0] && ok; i++)
        ok = put(p, i ? "," : "") && put_items(p, dtype, type, fields, dims + 1, rank - 1, src);
    return ok && put(p, "]");
}

/* Read the shape of a field, a number or an array of numbers, which was checked. */
static int32_t read_shape(dvi_msgpack_reader *r, int64_t dims[DVI_ND_RANK])
{
    const dvi_msgpack t = dvi_msgpack_next(r);
    const uint32_t n = t.kind == DVI_MSGPACK_ARRAY ? t.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        const dvi_msgpack dim = t.kind == DVI_MSGPACK_ARRAY ? dvi_msgpack_next(r) : t;
        if (i < DVI_ND_RANK)
            dims[i] = (int64_t)dim.u;
    }
    return (int32_t)n;
}

/* A field of a structure: its name, its type, and its shape. */
typedef struct field {
    dv_text name, type; /* type: NA of a structure */
    dvi_msgpack_reader fields;
    dvi_nd_dtype dtype;
    int64_t dims[DVI_ND_RANK];
    int32_t rank;
} field;

static void read_field(dvi_msgpack_reader *r, field *f)
{
    const dvi_msgpack member = dvi_msgpack_next(r);
    dvi_msgpack name = dvi_msgpack_next(r);
    if (name.kind == DVI_MSGPACK_ARRAY) { /* a title and the name */
        dvi_msgpack_next(r);
        name = dvi_msgpack_next(r);
    }
    f->name = (dv_text){(const char *)name.data, name.n};
    f->type = (dv_text){NULL, -1};
    f->fields = *r;
    f->rank = 0;
    const dvi_msgpack type = dvi_msgpack_next(r);
    if (type.kind == DVI_MSGPACK_STR) {
        f->type = (dv_text){(const char *)type.data, type.n};
        dvi_nd_parse_dtype(&f->dtype, f->type.data, type.n);
    } else {
        *r = f->fields;
        dvi_msgpack_skip(r, 0);
    }
    if (member.n == 3)
        f->rank = read_shape(r, f->dims);
}

/* Can items be shown field by field?  Not if a field has no bytes, since their number says nothing
 * of the time then, or more dimensions than arrays have. */
static bool is_shown(dvi_msgpack_reader descr, int depth)
{
    const dvi_msgpack list = dvi_msgpack_next(&descr);
    bool is = list.n > 0 && depth < DVI_ND_NESTING;
    for (uint32_t i = 0; i < list.n && is; i++) {
        field f;
        read_field(&descr, &f);
        is = f.rank <= DVI_ND_RANK &&
             (f.type.nbytes >= 0 ? f.dtype.width > 0 : is_shown(f.fields, depth + 1));
        for (int32_t k = 0; k < f.rank && is; k++)
            is = f.dims[k] > 0;
    }
    return is;
}

static bool put_fields(const printer *p, dvi_msgpack_reader *descr, const uint8_t **src)
{
    const dvi_msgpack list = dvi_msgpack_next(descr);
    bool ok = put(p, "{");
    for (uint32_t i = 0; i < list.n && ok; i++) {
        field f;
        read_field(descr, &f);
        ok = put(p, i ? "," : "") && put_key_text(p, f.name) && put(p, ":") &&
             put_items(p, &f.dtype, f.type, f.fields, f.dims, f.rank, src);
    }
    return ok && put(p, "}");
}

/* {"$array":[0,3]}: the dimensions of an array without items, or whose items have no bytes. */
static bool put_dims(const printer *p, const dvi_nd_map *nd)
{
    bool ok = put(p, "{\"$array\":[");
    for (int32_t i = 0; i < nd->rank && ok; i++)
        ok = print(p, "%s%" PRId64, i ? "," : "", nd->dims[i]);
    return ok && put(p, "]}");
}

static bool put_numpy(const printer *p, const dvi_msgpack_reader *map, dvi_nd_map *nd, dv_text type)
{
    const uint8_t *src = nd->data;
    dvi_msgpack_reader fields = *map;
    if (nd->what == DVI_ND_COMPLEX)
        return put_complex(p, nd->complex[0], nd->complex[1], DV_KIND_R8);
    if (nd->dtype.letter == 'O')
        return put_bytes(p, "pickle", nd->data, nd->data_nbytes);
    if (nd->items == 0 && nd->rank == 1)
        return put(p, "[]");
    if (nd->items == 0 || nd->dtype.width == 0 || !src)
        return put_dims(p, nd);
    dv_text plain = type;
    if (nd->dtype.letter == 0) {
        fields.at = (const uint8_t *)type.data;
        plain = (dv_text){NULL, -1};
        if (type.nbytes > (int64_t)NAMES_MOST * nd->dtype.width || !is_shown(fields, 0)) {
            /* each item as its bytes */
            nd->dtype.letter = 'V';
            plain = dv_text_of("V");
        }
    }
    return put_items(p, &nd->dtype, plain, fields, nd->dims, nd->rank, &src);
}

/* --- Values ----------------------------------------------------------------------------------- */

static dv_status put_value(printer *p, int32_t depth);

static dv_status stopped(bool ok, dv_error *err)
{
    return ok ? DV_OK : dvi_fail(err, DV_ERR_STOPPED, "", -1, "output", "all of it|it was stopped");
}

static float single_of(const dvi_msgpack *t)
{
    float single;
    const uint32_t bits = (uint32_t)t->u;
    memcpy(&single, &bits, sizeof single);
    return single;
}

/* A piece that is no container. */
static bool put_piece(const printer *p, const dvi_msgpack *t)
{
    uint32_t ns;
    int64_t seconds;
    double real;
    switch (t->kind) {
    case DVI_MSGPACK_NIL:
        return put(p, "null");
    case DVI_MSGPACK_BOOL:
        return put(p, t->u ? "true" : "false");
    case DVI_MSGPACK_UINT:
        return print(p, "%" PRIu64, t->u);
    case DVI_MSGPACK_NEGATIVE:
        return print(p, "%" PRId64, t->i);
    case DVI_MSGPACK_F4:
        return put_real(p, (double)single_of(t), DV_KIND_R4);
    case DVI_MSGPACK_F8:
        memcpy(&real, &t->u, sizeof real);
        return put_real(p, real, DV_KIND_R8);
    case DVI_MSGPACK_STR:
        return dv_text_write_json((dv_text){(const char *)t->data, t->n}, p->sink);
    case DVI_MSGPACK_BIN:
        return put_bytes(p, "bytes", t->data, t->n);
    default:
        break;
    }
    if (t->ext_type >= 0)
        return print(p, "{\"$ext\":[%d,", t->ext_type) && put_hex(p, t->data, t->n) && put(p, "]}");
    seconds = dvi_msgpack_seconds(t, &ns);
    return print(p, "{\"$time\":[%" PRId64 ",%" PRIu32 "]}", seconds, ns);
}

/* A key that is no text is '$' and its JSON, as a text; a text that begins with '$' has one more.
 */
static bool put_key(const printer *p, const dvi_msgpack *key)
{
    char text[64];
    if (key->kind == DVI_MSGPACK_STR)
        return put_key_text(p, (dv_text){(const char *)key->data, key->n});
    if (key->kind == DVI_MSGPACK_BIN || key->kind == DVI_MSGPACK_EXT) {
        bool ok = put(p, "\"$");
        ok = ok &&
             (key->kind == DVI_MSGPACK_BIN ? put(p, "bytes:") : print(p, "ext%d:", key->ext_type));
        for (uint32_t i = 0; i < key->n && ok; i++) {
            snprintf(text, sizeof text, "%02x", key->data[i]);
            ok = put(p, text);
        }
        return ok && put(p, "\"");
    }
    double real = 0;
    if (key->kind == DVI_MSGPACK_F8)
        memcpy(&real, &key->u, sizeof real);
    if (key->kind == DVI_MSGPACK_F4)
        real = (double)single_of(key);
    if (!isfinite(real))
        return put(p, isnan(real) ? "\"$NaN\"" : real < 0 ? "\"$-Infinity\"" : "\"$Infinity\"");
    return put(p, "\"$") && put_piece(p, key) && put(p, "\"");
}

static dv_status put_map(printer *p, uint32_t n, int32_t depth)
{
    if (!put(p, "{"))
        return stopped(false, p->err);
    for (uint32_t i = 0; i < n; i++) {
        const dvi_msgpack key = dvi_msgpack_next(&p->r);
        if (!(put(p, i ? "," : "") && put_key(p, &key) && put(p, ":")))
            return stopped(false, p->err);
        const dv_status status = put_value(p, depth + 1);
        if (status < 0)
            return status;
    }
    return stopped(put(p, "}"), p->err);
}

static dv_status put_array(printer *p, uint32_t n, int32_t depth)
{
    if (!put(p, "["))
        return stopped(false, p->err);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && !put(p, ","))
            return stopped(false, p->err);
        const dv_status status = put_value(p, depth + 1);
        if (status < 0)
            return status;
    }
    return stopped(put(p, "]"), p->err);
}

/* Write the map at `start` if it is of numpy, and move after it.  DV_NOT_FOUND: it is not, or is
 * one that is wrong, and is written as a map. */
static dv_status put_if_numpy(printer *p, const dvi_msgpack_reader *start)
{
    dvi_nd_map nd;
    dv_text type;
    if (dvi_nd_describe(start, &nd, &type, NULL) != DV_OK || nd.what == DVI_ND_PLAIN)
        return DV_NOT_FOUND;
    if (!put_numpy(p, start, &nd, type))
        return stopped(false, p->err);
    p->r = *start;
    dvi_msgpack_skip(&p->r, 0);
    return DV_OK;
}

/* The bytes were checked: containers are at most DVI_MSGPACK_NESTING deep. */
static dv_status put_value(printer *p, int32_t depth)
{
    const dvi_msgpack_reader start = p->r;
    const dvi_msgpack t = dvi_msgpack_next(&p->r);
    if (t.kind == DVI_MSGPACK_ARRAY)
        return put_array(p, t.n, depth);
    if (t.kind != DVI_MSGPACK_MAP)
        return stopped(put_piece(p, &t), p->err);
    if (depth < NUMPY_LEVELS) {
        const dv_status status = put_if_numpy(p, &start);
        if (status != DV_NOT_FOUND)
            return status;
    }
    return put_map(p, t.n, depth);
}

dv_status dv_msgpack_write_json(const void *data, size_t nbytes, const dv_sink *sink, dv_error *err)
{
    printer p = {.sink = sink, .err = err};
    if (nbytes == 0)
        return stopped(put(&p, "null"), err);
    p.r = dvi_msgpack_reader_of(data, nbytes, 0, DVI_MSGPACK_NESTING);
    dvi_msgpack_reader check = p.r;
    if (!dvi_msgpack_check(&check, 0))
        return dvi_msgpack_failure(&check, err);
    DVI_REQUIRE(check.at == check.end,
                dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.25", dvi_msgpack_offset(&check),
                         "msgpack", "one value|%td bytes more", check.end - check.at));
    return put_value(&p, 0);
}
