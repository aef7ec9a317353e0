/* SPDX-License-Identifier: MIT */
/* value_write.c: writes values as text and in the exact form of JSON. */
#include "base/utf8.h"
#include "type/open_type.h"
#include "codec/scalar.h"
#include "view/column.h"
#include <string.h>

#define BUFFER_NBYTES 512

/* Buffers the output, so that the sink is called once per buffer. */
typedef struct writer {
    const dv_sink *sink;
    bool is_stopped;
    size_t n;
    char buffer[BUFFER_NBYTES];
} writer;

static void flush(writer *w)
{
    if (w->n > 0 && !w->is_stopped)
        w->is_stopped = !w->sink->write(w->sink->ctx, w->buffer, w->n);
    w->n = 0;
}

static bool finish(writer *w)
{
    flush(w);
    return !w->is_stopped;
}

/* Room for n <= BUFFER_NBYTES bytes; the caller adds what it writes to w->n. */
static char *reserve(writer *w, size_t n)
{
    if (BUFFER_NBYTES - w->n < n)
        flush(w);
    return w->buffer + w->n;
}

static void write_bytes(writer *w, const char *data, size_t n)
{
    if (n > BUFFER_NBYTES) {
        flush(w);
        w->is_stopped = w->is_stopped || !w->sink->write(w->sink->ctx, data, n);
        return;
    }
    memcpy(reserve(w, n), data, n);
    w->n += n;
}

static void write_cstr(writer *w, const char *text)
{
    write_bytes(w, text, strlen(text));
}

static void write_text(writer *w, dv_text text)
{
    if (text.nbytes > 0)
        write_bytes(w, text.data, (size_t)text.nbytes);
}

static void write_signed(writer *w, int64_t number)
{
    w->n += dvi_number_print_i8(reserve(w, DVI_NUMBER_NBYTES), number);
}

static void write_unsigned(writer *w, uint64_t number)
{
    w->n += dvi_number_print_u8(reserve(w, DVI_NUMBER_NBYTES), number);
}

/* `digits` digits of hex. */
static void write_hex(writer *w, uint64_t number, size_t digits)
{
    char *dst = reserve(w, digits);
    for (size_t i = digits; i-- > 0; number >>= 4)
        dst[i] = "0123456789abcdef"[number & 15];
    w->n += digits;
}

static void write_hex_bytes(writer *w, const void *data, int64_t nbytes)
{
    const uint8_t *bytes = data;
    for (int64_t i = 0; i < nbytes; i++)
        write_hex(w, bytes[i], 2);
}

/* --- JSON strings ----------------------------------------------------------------------------- */

/* How many bytes at p must be escaped: those of a control, a quote or a backslash; 0: none. */
static size_t escaped_nbytes(const char *p, size_t n)
{
    const unsigned char c = (unsigned char)*p;
    if (c < 0x7F)
        return c < 0x20 || c == '"' || c == '\\';
    if (c != 0x7F && c != 0xC2 && c != 0xE2) /* no control begins so */
        return 0;
    const size_t width = dvi_utf8_step(p, n);
    return width > 0 && dvi_utf8_is_control(dvi_utf8_code(p, width)) ? width : 0;
}

static void write_escape(writer *w, uint32_t code)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *known = code > 0 && code < 0x7F ? strchr(from, (int)code) : NULL;
    if (known) {
        const char escape[] = {'\\', to[known - from]};
        write_bytes(w, escape, sizeof escape);
    } else {
        write_cstr(w, "\\u");
        write_hex(w, code, 4);
    }
}

static void write_json(writer *w, dv_text text)
{
    if (text.nbytes < 0) {
        write_cstr(w, "null");
        return;
    }
    write_cstr(w, "\"");
    const char *p = text.nbytes > 0 ? text.data : "", *const end = p + text.nbytes;
    while (p < end) {
        const char *plain = p;
        size_t width = 0;
        while (p < end && (width = escaped_nbytes(p, (size_t)(end - p))) == 0)
            p++;
        write_text(w, (dv_text){plain, p - plain});
        if (width > 0)
            write_escape(w, dvi_utf8_code(p, width));
        p += width;
    }
    write_cstr(w, "\"");
}

bool dv_text_write_json(dv_text text, const dv_sink *sink)
{
    writer w = {.sink = sink};
    write_json(&w, text);
    return finish(&w);
}

/* --- Scalars ---------------------------------------------------------------------------------- */

typedef void write_fn(writer *w, const dv_value *value);

/* The shortest text of a scalar of fixed width. */
static void write_printed(writer *w, const dv_value *value)
{
    const dv_type *type = &value->column->type;
    dvi_scalar_print *const print = dvi_scalar_printer(type->kind);
    const dv_fixed_layout *fixed = &value->column->as.fixed;
    char *dst = reserve(w, DVI_SCALAR_NBYTES);
    w->n += print(dst, (const char *)fixed->values.data + dvi_width_of(type) * (size_t)value->row);
}

static void write_dz(writer *w, const dv_value *value)
{
    const dv_zoned zoned = dv_value_dz(value);
    w->n += dvi_scalar_printer(DV_KIND_DZ)(reserve(w, DVI_SCALAR_NBYTES), &zoned);
}

static void write_tx(writer *w, const dv_value *value)
{
    write_text(w, dv_value_tx(value));
}

static void write_ug_digits(writer *w, const dv_value *value)
{
    write_hex(w, dv_value_ug(value).hi, 16);
    write_hex(w, dv_value_ug(value).lo, 16);
}

static void write_by(writer *w, const dv_value *value)
{
    write_hex_bytes(w, dv_value_tx(value).data, dv_value_tx(value).nbytes);
}

static void write_extension(writer *w, const dv_value *value)
{
    const int64_t width = value->column->type.extension_width;
    const char *values = value->column->as.fixed.values.data;
    write_hex_bytes(w, values + width * value->row, width);
}

/* The bytes of a value of an open type are addresses: its type stands for it. */
static void write_open_exact(writer *w, const dv_value *value)
{
    write_cstr(w, value->column->type.extension);
}

static void write_open(writer *w, const dv_value *value)
{
    const dv_type *type = &value->column->type;
    const dv_open_type *open = dvi_open_type_of(type);
    const char *values = value->column->as.fixed.values.data;
    if (open->write) {
        flush(w);
        w->is_stopped =
            w->is_stopped || !open->write(values + type->extension_width * value->row, w->sink);
        return;
    }
    write_cstr(w, "<");
    write_cstr(w, open->name);
    write_cstr(w, ">");
}

static void write_ticks(writer *w, const dv_value *value)
{
    write_signed(w, dv_value_i8(value));
}

static void write_tx_exact(writer *w, const dv_value *value)
{
    write_json(w, dv_value_tx(value));
}

static void write_bl_exact(writer *w, const dv_value *value)
{
    write_cstr(w, dv_value_i1(value) ? "true" : "false");
}

static void write_r4_bits(writer *w, const dv_value *value)
{
    write_hex(w, dv_value_u4(value), 8);
}

static void write_r8_bits(writer *w, const dv_value *value)
{
    write_hex(w, dv_value_u8(value), 16);
}

static void write_dz_exact(writer *w, const dv_value *value)
{
    write_signed(w, dv_value_dz(value).ticks);
    write_cstr(w, ":");
    write_signed(w, dv_value_dz(value).minutes);
}

/* How a kind is written. tag: the exact form is a JSON string that begins with it; NULL: it is not
 * a string. */
typedef struct kind_styles {
    write_fn *text, *exact;
    const char *tag;
} kind_styles;

static const kind_styles styles[] = {
    [DV_KIND_I1] = {write_printed, write_printed, NULL},
    [DV_KIND_U1] = {write_printed, write_printed, NULL},
    [DV_KIND_I2] = {write_printed, write_printed, NULL},
    [DV_KIND_U2] = {write_printed, write_printed, NULL},
    [DV_KIND_I4] = {write_printed, write_printed, NULL},
    [DV_KIND_U4] = {write_printed, write_printed, NULL},
    [DV_KIND_I8] = {write_printed, write_printed, NULL},
    [DV_KIND_U8] = {write_printed, write_printed, NULL},
    [DV_KIND_R4] = {write_printed, write_r4_bits, "r4:"},
    [DV_KIND_R8] = {write_printed, write_r8_bits, "r8:"},
    [DV_KIND_TX] = {write_tx, write_tx_exact, NULL},
    [DV_KIND_BL] = {write_printed, write_bl_exact, NULL},
    [DV_KIND_TS] = {write_printed, write_ticks, "ts:"},
    [DV_KIND_DT] = {write_printed, write_ticks, "dt:"},
    [DV_KIND_DZ] = {write_dz, write_dz_exact, "dz:"},
    [DV_KIND_UG] = {write_printed, write_ug_digits, "ug:"},
    [DV_KIND_BY] = {write_by, write_by, "by:"},
};
static const kind_styles extension_styles = {write_extension, write_extension, "by:"};
static const kind_styles open_styles = {write_open, write_open_exact, "open:"};

static const kind_styles *styles_of(const dv_type *type)
{
    if (type->kind != DV_KIND_EXTENSION)
        return &styles[type->kind];
    return dvi_open_type_of(type) ? &open_styles : &extension_styles;
}

static void write_scalar_text(writer *w, const dv_value *value)
{
    const dv_type *type = &value->column->type;
    if (dv_value_is_na(value))
        return;
    if (type->is_key)
        write_unsigned(w, dv_value_key(value) - 1 + type->key_min);
    else
        styles_of(type)->text(w, value);
}

/* Keys and reals are written as they are stored, even if they are NA. */
static void write_scalar_exact(writer *w, const dv_value *value)
{
    const dv_type *type = &value->column->type;
    const kind_styles *kind = styles_of(type);
    const bool is_real = type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8;
    if (!type->is_key && !is_real && dv_value_is_na(value)) {
        write_cstr(w, "null");
        return;
    }
    if (kind->tag) {
        write_cstr(w, "\"");
        write_cstr(w, kind->tag);
    }
    kind->exact(w, value);
    if (kind->tag)
        write_cstr(w, "\"");
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* Write the items with separators; has_slots: with "SLOT:" before each. */
static void write_items(writer *w, const dv_value *value, write_fn *write_item, char separator,
                        bool has_slots)
{
    const int32_t items = dv_value_items(value);
    dv_value item = dv_value_item(value, 0);
    for (int32_t i = 0; i < items && !w->is_stopped; i++, item.row++) {
        if (i > 0)
            write_bytes(w, &separator, 1);
        if (has_slots) {
            write_signed(w, dv_value_slot(value, i));
            write_cstr(w, ":");
        }
        write_item(w, &item);
    }
}

/* [1 2 3] or {5: 0:1 3:2} */
static void write_vector_text(writer *w, const dv_value *value)
{
    if (value->count < 0) {
        write_cstr(w, "[");
        write_items(w, value, write_scalar_text, ' ', false);
        write_cstr(w, "]");
        return;
    }
    write_cstr(w, "{");
    write_signed(w, value->length);
    write_cstr(w, value->count > 0 ? ": " : ":");
    write_items(w, value, write_scalar_text, ' ', true);
    write_cstr(w, "}");
}

static void write_slots(writer *w, const dv_value *value)
{
    for (int32_t i = 0; i < value->count && !w->is_stopped; i++) {
        write_cstr(w, i > 0 ? "," : "");
        write_signed(w, dv_value_slot(value, i));
    }
}

/* {"len":3,"dense":[1,2,3]} or {"len":5,"idx":[0,3],"val":[1,2]} */
static void write_vector_exact(writer *w, const dv_value *value)
{
    write_cstr(w, "{\"len\":");
    write_signed(w, value->length);
    if (value->count < 0) {
        write_cstr(w, ",\"dense\":[");
    } else {
        write_cstr(w, ",\"idx\":[");
        write_slots(w, value);
        write_cstr(w, "],\"val\":[");
    }
    write_items(w, value, write_scalar_exact, ',', false);
    write_cstr(w, "]}");
}

bool dv_value_write(const dv_value *value, dv_style style, const dv_sink *sink)
{
    writer w = {.sink = sink};
    const bool is_vector = dv_type_is_vector(&value->column->type);
    if (style == DV_STYLE_EXACT)
        (is_vector ? write_vector_exact : write_scalar_exact)(&w, value);
    else
        (is_vector ? write_vector_text : write_scalar_text)(&w, value);
    return finish(&w);
}
