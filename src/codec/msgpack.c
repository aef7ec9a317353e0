/* SPDX-License-Identifier: MIT */
/* msgpack.c: reads tokens of a msgpack message, and skips whole values (datadings:3.2,
 * datadings:8). */
#include "codec/msgpack.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include <inttypes.h>

/* The forms c0..df: the kind, the width of the number after the first byte (a value or a length),
 * and whether that number is signed. `fixed` is the payload length of the fixed ext forms. */
typedef struct form {
    uint8_t kind, width;
    bool is_signed;
    uint8_t fixed;
} form;

#define INVALID 255 /* c1 */

static const form forms[32] = {
    {DVI_MSGPACK_NIL, 0, false, 0},   {INVALID, 0, false, 0},
    {DVI_MSGPACK_BOOL, 0, false, 0},  {DVI_MSGPACK_BOOL, 0, false, 0},
    {DVI_MSGPACK_BIN, 1, false, 0},   {DVI_MSGPACK_BIN, 2, false, 0},
    {DVI_MSGPACK_BIN, 4, false, 0},   {DVI_MSGPACK_EXT, 1, false, 0},
    {DVI_MSGPACK_EXT, 2, false, 0},   {DVI_MSGPACK_EXT, 4, false, 0},
    {DVI_MSGPACK_F4, 4, false, 0},    {DVI_MSGPACK_F8, 8, false, 0},
    {DVI_MSGPACK_UINT, 1, false, 0},  {DVI_MSGPACK_UINT, 2, false, 0},
    {DVI_MSGPACK_UINT, 4, false, 0},  {DVI_MSGPACK_UINT, 8, false, 0},
    {DVI_MSGPACK_UINT, 1, true, 0},   {DVI_MSGPACK_UINT, 2, true, 0},
    {DVI_MSGPACK_UINT, 4, true, 0},   {DVI_MSGPACK_UINT, 8, true, 0},
    {DVI_MSGPACK_EXT, 0, false, 1},   {DVI_MSGPACK_EXT, 0, false, 2},
    {DVI_MSGPACK_EXT, 0, false, 4},   {DVI_MSGPACK_EXT, 0, false, 8},
    {DVI_MSGPACK_EXT, 0, false, 16},  {DVI_MSGPACK_STR, 1, false, 0},
    {DVI_MSGPACK_STR, 2, false, 0},   {DVI_MSGPACK_STR, 4, false, 0},
    {DVI_MSGPACK_ARRAY, 2, false, 0}, {DVI_MSGPACK_ARRAY, 4, false, 0},
    {DVI_MSGPACK_MAP, 2, false, 0},   {DVI_MSGPACK_MAP, 4, false, 0},
};

/* Load a big-endian number of `width` bytes; a signed one is sign-extended. */
static uint64_t load_number(const uint8_t *p, int width, bool is_signed)
{
    switch (width) {
    case 1:
        return is_signed ? (uint64_t)(int8_t)p[0] : p[0];
    case 2:
        return is_signed ? (uint64_t)(int16_t)dvi_load_u16_be(p) : dvi_load_u16_be(p);
    case 4:
        return is_signed ? (uint64_t)dvi_load_i32_be(p) : (uint32_t)dvi_load_i32_be(p);
    case 8:
        return dvi_load_u64_be(p);
    default:
        return 0;
    }
}

/* Read the head of a token: its kind, its number and n, which is not checked against the bytes
 * left. Returns the byte after the head; NULL: the head is truncated, or c1. */
static const uint8_t *read_head(const uint8_t *p, const uint8_t *end, dvi_msgpack *t)
{
    if (p == end)
        return NULL;
    const uint8_t first = *p++;
    if ((first & 0xE0) != 0xC0) {
        t->i = first >= 0xE0 ? (int8_t)first : first;
        t->n = first & (first < 0xA0 ? 0x0F : 0x1F);
        t->kind = first < 0x80   ? DVI_MSGPACK_UINT
                  : first < 0x90 ? DVI_MSGPACK_MAP
                  : first < 0xA0 ? DVI_MSGPACK_ARRAY
                  : first < 0xC0 ? DVI_MSGPACK_STR
                                 : DVI_MSGPACK_NEGATIVE;
        return p;
    }
    const form *f = &forms[first - 0xC0];
    const size_t is_ext = f->kind == DVI_MSGPACK_EXT;
    if (f->kind == INVALID || (size_t)(end - p) < f->width + is_ext)
        return NULL;
    const uint64_t number = load_number(p, f->width, f->is_signed);
    p += f->width;
    t->kind = f->is_signed && (int64_t)number < 0 ? DVI_MSGPACK_NEGATIVE : f->kind;
    t->u = f->kind == DVI_MSGPACK_BOOL ? first & 1 : number;
    t->n = f->fixed ? f->fixed : (uint32_t)number;
    if (is_ext)
        t->ext_type = (int8_t)*p++;
    return p;
}

/* The most bytes, elements or pairs that `left` bytes can hold. */
static size_t most(const dvi_msgpack *t, size_t left)
{
    return t->kind == DVI_MSGPACK_MAP ? left / 2 : left;
}

bool dvi_msgpack_read_any(dvi_msgpack_reader *r, dvi_msgpack *t)
{
    const uint8_t *p = read_head(r->at, r->end, t);
    if (!p)
        return false;
    if (t->kind >= DVI_MSGPACK_STR) {
        if (t->n > most(t, (size_t)(r->end - p)))
            return false;
        t->data = p;
        if (t->kind < DVI_MSGPACK_ARRAY)
            p += t->n;
    }
    r->at = p;
    return true;
}

#define SHORT_NBYTES 64

/* Most texts of a message are: a kernel, which takes blocks, would take longer. */
static bool is_short_ascii(const uint8_t *p, uint32_t n)
{
    uint64_t all = 0;
    if (n > SHORT_NBYTES)
        return false;
    for (; n >= 8; n -= 8, p += 8)
        all |= dvi_load_u64(p);
    for (; n > 0; n--)
        all |= *p++;
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

bool dvi_msgpack_is_utf8(const dvi_msgpack *str)
{
    size_t units;
    if (is_short_ascii(str->data, str->n))
        return true;
    return dvi_kernels()->utf8_units(str->data, str->n, &units) == str->n;
}

/* --- Whole values ----------------------------------------------------------------------------- */

/* An open container: the number of values left, and whether it is a map, in which keys and values
 * alternate. */
typedef struct level {
    uint64_t left;
    bool is_map;
} level;

static bool expects_key(const level *top)
{
    return top->is_map && top->left % 2 == 0;
}

int64_t dvi_msgpack_seconds(const dvi_msgpack *t, uint32_t *ns_out)
{
    *ns_out = 0;
    if (t->n == 4)
        return (int64_t)load_number(t->data, 4, false);
    if (t->n == 12) {
        *ns_out = (uint32_t)load_number(t->data, 4, false);
        return (int64_t)load_number(t->data + 4, 8, true);
    }
    const uint64_t both = load_number(t->data, 8, false);
    *ns_out = (uint32_t)(both >> 34);
    return (int64_t)(both & ((UINT64_C(1) << 34) - 1));
}

/* Is the ext a time, of 4, 8 or 12 bytes with at most 999,999,999 ns? */
static bool is_time(const dvi_msgpack *t)
{
    uint32_t ns = 0;
    if (t->n != 4 && t->n != 8 && t->n != 12)
        return false;
    dvi_msgpack_seconds(t, &ns);
    return ns <= 999999999;
}

dvi_msgpack_fault dvi_msgpack_find_refused(const dvi_msgpack *t)
{
    if (t->kind == DVI_MSGPACK_STR && !dvi_msgpack_is_utf8(t))
        return DVI_MSGPACK_TEXT;
    if (t->kind == DVI_MSGPACK_EXT && t->ext_type < -1)
        return DVI_MSGPACK_EXT_CODE;
    if (t->kind == DVI_MSGPACK_EXT && t->ext_type == -1 && !is_time(t))
        return DVI_MSGPACK_TIME;
    return DVI_MSGPACK_BROKEN;
}

/* Check a token that was read, with `around` containers around it. DVI_MSGPACK_BROKEN: no fault. */
static dvi_msgpack_fault find_fault(const dvi_msgpack_reader *r, const dvi_msgpack *t,
                                    const level *top, int32_t around, bool checks_all)
{
    if (t->kind >= DVI_MSGPACK_ARRAY && expects_key(top))
        return DVI_MSGPACK_KEY;
    if (t->kind >= DVI_MSGPACK_ARRAY && around >= r->nesting)
        return DVI_MSGPACK_DEEP;
    return checks_all ? dvi_msgpack_find_refused(t) : DVI_MSGPACK_BROKEN;
}

static bool skip_value(dvi_msgpack_reader *r, int32_t depth, bool checks_all)
{
    level open[DVI_MSGPACK_NESTING + 1];
    int32_t n = 0;
    open[n++] = (level){1, false};
    while (n > 0) {
        level *top = &open[n - 1];
        dvi_msgpack t;
        const uint8_t *at = r->at;
        if (!dvi_msgpack_read(r, &t))
            return false;
        r->fault = find_fault(r, &t, top, depth + n - 1, checks_all);
        if (r->fault != DVI_MSGPACK_BROKEN) {
            r->at = at;
            return false;
        }
        top->left--;
        if (t.kind == DVI_MSGPACK_ARRAY)
            open[n++] = (level){t.n, false};
        else if (t.kind == DVI_MSGPACK_MAP)
            open[n++] = (level){2 * (uint64_t)t.n, true};
        while (n > 0 && open[n - 1].left == 0)
            n--;
    }
    return true;
}

bool dvi_msgpack_skip(dvi_msgpack_reader *r, int32_t depth)
{
    return skip_value(r, depth, false);
}

bool dvi_msgpack_check(dvi_msgpack_reader *r, int32_t depth)
{
    return skip_value(r, depth, true);
}

/* --- Errors ----------------------------------------------------------------------------------- */

const char *dvi_msgpack_kind_name(dvi_msgpack_kind kind)
{
    static const char *const names[] = {"nil", "bool", "integer", "integer", "float32", "float64",
                                        "str", "bin",  "ext",     "array",   "map"};
    return names[kind];
}

/* A token that could not be read: it is truncated, c1, or claims more than the bytes left. */
static dv_status fail_broken(const dvi_msgpack_reader *r, dv_error *err)
{
    const int64_t at = dvi_msgpack_offset(r);
    dvi_msgpack t;
    const uint8_t *p = read_head(r->at, r->end, &t);
    if (p)
        return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.27", at, dvi_msgpack_kind_name(t.kind),
                        "at most %zu %s|%" PRIu32, most(&t, (size_t)(r->end - p)),
                        t.kind == DVI_MSGPACK_MAP     ? "pairs"
                        : t.kind == DVI_MSGPACK_ARRAY ? "values"
                                                      : "bytes",
                        t.n);
    if (r->at < r->end && *r->at == 0xC1)
        return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.26", at, "msgpack",
                        "a type byte of the specification|c1");
    return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.24", at, "msgpack",
                    "a whole value|the message ends in %td bytes", r->end - r->at);
}

dv_status dvi_msgpack_failure(const dvi_msgpack_reader *r, dv_error *err)
{
    const int64_t at = dvi_msgpack_offset(r);
    switch (r->fault) {
    case DVI_MSGPACK_DEEP:
        return dvi_fail(err, DV_ERR_LIMIT, "nesting", at, "msgpack",
                        "at most %" PRId32 " containers around a value|more", r->nesting);
    case DVI_MSGPACK_KEY:
        return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.41", at, "key of a map",
                        "no container|a%s", *r->at >= 0x90 && *r->at < 0xDE ? "n array" : " map");
    case DVI_MSGPACK_TEXT:
        return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.29", at, "str",
                        "UTF-8|bytes that are none");
    case DVI_MSGPACK_EXT_CODE:
        return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.45", at, "ext",
                        "a type from 0 to 127, or -1|another one");
    case DVI_MSGPACK_TIME:
        return dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.45", at, "ext of type -1",
                        "a time: 4, 8 or 12 bytes, at most 999999999 ns|other bytes");
    case DVI_MSGPACK_BROKEN:
        break;
    }
    return fail_broken(r, err);
}
