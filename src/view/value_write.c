/* SPDX-License-Identifier: MIT */
/* value_write.c: how does a value read as text? */
#include "codec/datetime.h"
#include "codec/number.h"
#include <dataview/value.h>
#include <string.h>

#define CHUNK_NBYTES 512

/* Collects what goes to the sink, so that it is called once per chunk. */
typedef struct writer {
    const dv_sink *sink;
    bool is_stopped;
    size_t n;
    char chunk[CHUNK_NBYTES];
} writer;

static void flush(writer *w)
{
    if (w->n > 0 && !w->is_stopped)
        w->is_stopped = !w->sink->write(w->sink->ctx, w->chunk, w->n);
    w->n = 0;
}

static bool finish(writer *w)
{
    flush(w);
    return !w->is_stopped;
}

/* Room for n <= CHUNK_NBYTES bytes, to be added to w->n by who fills it. */
static char *reserve(writer *w, size_t n)
{
    if (CHUNK_NBYTES - w->n < n)
        flush(w);
    return w->chunk + w->n;
}

static void put_bytes(writer *w, const char *data, size_t n)
{
    if (n > CHUNK_NBYTES) {
        flush(w);
        w->is_stopped = w->is_stopped || !w->sink->write(w->sink->ctx, data, n);
        return;
    }
    memcpy(reserve(w, n), data, n);
    w->n += n;
}

static void put(writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

static void put_text(writer *w, dv_text text)
{
    if (text.nbytes > 0)
        put_bytes(w, text.data, (size_t)text.nbytes);
}

static void put_signed(writer *w, int64_t number)
{
    w->n += dvi_number_print_i8(reserve(w, DVI_NUMBER_NBYTES), number);
}

static void put_unsigned(writer *w, uint64_t number)
{
    w->n += dvi_number_print_u8(reserve(w, DVI_NUMBER_NBYTES), number);
}

/* `digits` digits of hex. */
static void put_hex(writer *w, uint64_t number, size_t digits)
{
    char *dst = reserve(w, digits);
    for (size_t i = digits; i-- > 0; number >>= 4)
        dst[i] = "0123456789abcdef"[number & 15];
    w->n += digits;
}

static void put_hex_bytes(writer *w, const void *data, int64_t nbytes)
{
    const uint8_t *bytes = data;
    for (int64_t i = 0; i < nbytes; i++)
        put_hex(w, bytes[i], 2);
}

/* --- JSON strings ----------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

static void put_escape(writer *w, char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        const char escape[] = {'\\', to[known - from]};
        put_bytes(w, escape, sizeof escape);
    } else {
        put(w, "\\u00");
        put_hex(w, (unsigned char)c, 2);
    }
}

static void put_json(writer *w, dv_text text)
{
    if (text.nbytes < 0) {
        put(w, "null");
        return;
    }
    put(w, "\"");
    for (int64_t i = 0, run; i < text.nbytes; i = run) {
        run = i;
        while (run < text.nbytes && is_plain(text.data[run]))
            run++;
        put_text(w, (dv_text){text.data + i, run - i});
        if (run < text.nbytes)
            put_escape(w, text.data[run++]);
    }
    put(w, "\"");
}

bool dv_text_write_json(dv_text text, const dv_sink *sink)
{
    writer w = {.sink = sink};
    put_json(&w, text);
    return finish(&w);
}

/* --- Scalars ---------------------------------------------------------------------------------- */

typedef void put_fn(writer *w, const dv_value *value);

#define PUT_NUMBER(name, put_number)                                                               \
    static void put_##name(writer *w, const dv_value *value)                                       \
    {                                                                                              \
        put_number(w, dv_value_##name(value));                                                     \
    }
PUT_NUMBER(i1, put_signed)
PUT_NUMBER(i2, put_signed)
PUT_NUMBER(i4, put_signed)
PUT_NUMBER(i8, put_signed)
PUT_NUMBER(u1, put_unsigned)
PUT_NUMBER(u2, put_unsigned)
PUT_NUMBER(u4, put_unsigned)
PUT_NUMBER(u8, put_unsigned)

/* A printer of codec/, into `room` bytes at most. */
#define PUT_PRINTED(name, print, getter, room)                                                     \
    static void put_##name(writer *w, const dv_value *value)                                       \
    {                                                                                              \
        w->n += print(reserve(w, room), getter(value));                                            \
    }
PUT_PRINTED(r4, dvi_number_print_r4, dv_value_r4, DVI_NUMBER_NBYTES)
PUT_PRINTED(r8, dvi_number_print_r8, dv_value_r8, DVI_NUMBER_NBYTES)
PUT_PRINTED(ts, dvi_timespan_print, dv_value_i8, DVI_DATETIME_NBYTES)
PUT_PRINTED(dt, dvi_datetime_print, dv_value_i8, DVI_DATETIME_NBYTES)
PUT_PRINTED(dz, dvi_zoned_print, dv_value_dz, DVI_DATETIME_NBYTES)

static void put_tx(writer *w, const dv_value *value)
{
    put_text(w, dv_value_tx(value));
}

static void put_bl(writer *w, const dv_value *value)
{
    put(w, dv_value_i1(value) ? "1" : "0");
}

static void put_ug_digits(writer *w, const dv_value *value)
{
    put_hex(w, dv_value_ug(value).hi, 16);
    put_hex(w, dv_value_ug(value).lo, 16);
}

static void put_ug(writer *w, const dv_value *value)
{
    put(w, "0x");
    put_ug_digits(w, value);
}

static void put_by(writer *w, const dv_value *value)
{
    put_hex_bytes(w, dv_value_tx(value).data, dv_value_tx(value).nbytes);
}

static void put_extension(writer *w, const dv_value *value)
{
    const int64_t width = value->column->type.extension_width;
    const char *values = value->column->as.fixed.values.data;
    put_hex_bytes(w, values + width * value->row, width);
}

static void put_tx_exact(writer *w, const dv_value *value)
{
    put_json(w, dv_value_tx(value));
}

static void put_bl_exact(writer *w, const dv_value *value)
{
    put(w, dv_value_i1(value) ? "true" : "false");
}

static void put_r4_bits(writer *w, const dv_value *value)
{
    put_hex(w, dv_value_u4(value), 8);
}

static void put_r8_bits(writer *w, const dv_value *value)
{
    put_hex(w, dv_value_u8(value), 16);
}

static void put_dz_exact(writer *w, const dv_value *value)
{
    put_signed(w, dv_value_dz(value).ticks);
    put(w, ":");
    put_signed(w, dv_value_dz(value).minutes);
}

/* How a kind is written.  tag: its exact form is a JSON string that begins so. */
typedef struct kind_styles {
    put_fn *text, *exact;
    const char *tag;
} kind_styles;

static const kind_styles styles[] = {
    [DV_KIND_I1] = {put_i1, put_i1, NULL},        [DV_KIND_U1] = {put_u1, put_u1, NULL},
    [DV_KIND_I2] = {put_i2, put_i2, NULL},        [DV_KIND_U2] = {put_u2, put_u2, NULL},
    [DV_KIND_I4] = {put_i4, put_i4, NULL},        [DV_KIND_U4] = {put_u4, put_u4, NULL},
    [DV_KIND_I8] = {put_i8, put_i8, NULL},        [DV_KIND_U8] = {put_u8, put_u8, NULL},
    [DV_KIND_R4] = {put_r4, put_r4_bits, "r4:"},  [DV_KIND_R8] = {put_r8, put_r8_bits, "r8:"},
    [DV_KIND_TX] = {put_tx, put_tx_exact, NULL},  [DV_KIND_BL] = {put_bl, put_bl_exact, NULL},
    [DV_KIND_TS] = {put_ts, put_i8, "ts:"},       [DV_KIND_DT] = {put_dt, put_i8, "dt:"},
    [DV_KIND_DZ] = {put_dz, put_dz_exact, "dz:"}, [DV_KIND_UG] = {put_ug, put_ug_digits, "ug:"},
    [DV_KIND_BY] = {put_by, put_by, "by:"},
};
static const kind_styles extension_styles = {put_extension, put_extension, "by:"};

static const kind_styles *styles_of(const dv_type *type)
{
    return type->kind == DV_KIND_EXTENSION ? &extension_styles : &styles[type->kind];
}

static void put_scalar_text(writer *w, const dv_value *value)
{
    const dv_type *type = &value->column->type;
    if (dv_value_is_na(value))
        return;
    if (type->is_key)
        put_unsigned(w, dv_value_key(value) - 1 + type->key_min);
    else
        styles_of(type)->text(w, value);
}

/* Keys and reals are written as they are stored, also when they are NA. */
static void put_scalar_exact(writer *w, const dv_value *value)
{
    const dv_type *type = &value->column->type;
    const kind_styles *kind = styles_of(type);
    const bool is_real = type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8;
    if (!type->is_key && !is_real && dv_value_is_na(value)) {
        put(w, "null");
        return;
    }
    if (kind->tag) {
        put(w, "\"");
        put(w, kind->tag);
    }
    kind->exact(w, value);
    if (kind->tag)
        put(w, "\"");
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* The items between separators; slots: "SLOT:" in front of each. */
static void put_items(writer *w, const dv_value *value, put_fn *put_item, char separator,
                      bool has_slots)
{
    const int32_t items = dv_value_items(value);
    dv_value item = dv_value_item(value, 0);
    for (int32_t i = 0; i < items && !w->is_stopped; i++, item.row++) {
        if (i > 0)
            put_bytes(w, &separator, 1);
        if (has_slots) {
            put_signed(w, dv_value_slot(value, i));
            put(w, ":");
        }
        put_item(w, &item);
    }
}

/* [1 2 3] or {5: 0:1 3:2} */
static void put_vector_text(writer *w, const dv_value *value)
{
    if (value->count < 0) {
        put(w, "[");
        put_items(w, value, put_scalar_text, ' ', false);
        put(w, "]");
        return;
    }
    put(w, "{");
    put_signed(w, value->length);
    put(w, value->count > 0 ? ": " : ":");
    put_items(w, value, put_scalar_text, ' ', true);
    put(w, "}");
}

static void put_slots(writer *w, const dv_value *value)
{
    for (int32_t i = 0; i < value->count && !w->is_stopped; i++) {
        put(w, i > 0 ? "," : "");
        put_signed(w, dv_value_slot(value, i));
    }
}

/* {"len":3,"dense":[1,2,3]} or {"len":5,"idx":[0,3],"val":[1,2]} */
static void put_vector_exact(writer *w, const dv_value *value)
{
    put(w, "{\"len\":");
    put_signed(w, value->length);
    if (value->count < 0) {
        put(w, ",\"dense\":[");
    } else {
        put(w, ",\"idx\":[");
        put_slots(w, value);
        put(w, "],\"val\":[");
    }
    put_items(w, value, put_scalar_exact, ',', false);
    put(w, "]}");
}

bool dv_value_write(const dv_value *value, dv_style style, const dv_sink *sink)
{
    writer w = {.sink = sink};
    const bool is_vector = dv_type_is_vector(&value->column->type);
    if (style == DV_STYLE_EXACT)
        (is_vector ? put_vector_exact : put_scalar_exact)(&w, value);
    else
        (is_vector ? put_vector_text : put_scalar_text)(&w, value);
    return finish(&w);
}
