/* SPDX-License-Identifier: MIT */
/* arrow_check.c: a strict reader of the Arrow C data interface. */
#include "support/arrow_check.h"
#include <dataview/kernels.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char sentence[256];

static const char *wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return sentence;
}

/* --- Formats ---------------------------------------------------------------------------------- */

typedef enum layout { UNKNOWN, BITS, FIXED, VARIABLE, STRUCT, FIXED_LIST, LIST } layout;

typedef struct format {
    layout layout;
    int64_t width; /* of a value, or slots of a list */
    int64_t buffers;
} format;

static format format_of(const char *text)
{
    static const struct {
        const char *text;
        int64_t width;
    } fixed[] = {{"c", 1}, {"C", 1}, {"s", 2}, {"S", 2}, {"i", 4},   {"I", 4},
                 {"l", 8}, {"L", 8}, {"f", 4}, {"g", 8}, {"tDu", 8}, {"tDn", 8}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(text, fixed[i].text) == 0)
            return (format){FIXED, fixed[i].width, 2};
    if (strncmp(text, "tsu:", 4) == 0 || strncmp(text, "tsn:", 4) == 0)
        return (format){FIXED, 8, 2};
    if (strncmp(text, "w:", 2) == 0)
        return (format){FIXED, atoll(text + 2), 2};
    if (strcmp(text, "b") == 0)
        return (format){BITS, 0, 2};
    if (strcmp(text, "u") == 0 || strcmp(text, "z") == 0)
        return (format){VARIABLE, 0, 3};
    if (strcmp(text, "+s") == 0)
        return (format){STRUCT, 0, 1};
    if (strcmp(text, "+l") == 0)
        return (format){LIST, 0, 2};
    if (strncmp(text, "+w:", 3) == 0)
        return (format){FIXED_LIST, atoll(text + 3), 1};
    return (format){UNKNOWN, 0, 0};
}

/* --- Schemas ---------------------------------------------------------------------------------- */

static const char *metadata_wrong(const char *metadata)
{
    int32_t pairs, n;
    if (!metadata)
        return NULL;
    memcpy(&pairs, metadata, 4);
    metadata += 4;
    if (pairs <= 0 || pairs > 100)
        return wrong("%d pairs of metadata", (int)pairs);
    for (int32_t i = 0; i < 2 * pairs; i++, metadata += n) {
        memcpy(&n, metadata, 4);
        metadata += 4;
        if (n < 0 || n > 1 << 20)
            return wrong("metadata of %d bytes", (int)n);
        if (dv_utf8_check(NULL, metadata, (size_t)n) != (size_t)n)
            return wrong("metadata is no UTF-8");
    }
    return NULL;
}

const char *dvt_arrow_schema_wrong(const struct ArrowSchema *schema)
{
    if (!schema->release || !schema->format || !schema->name)
        return wrong("a schema without release, format or name");
    const format f = format_of(schema->format);
    const bool is_list = f.layout == LIST || f.layout == FIXED_LIST;
    if (f.layout == UNKNOWN)
        return wrong("format %s", schema->format);
    if (is_list ? schema->n_children != 1 : f.layout != STRUCT && schema->n_children != 0)
        return wrong("%s with %" PRId64 " children", schema->format, schema->n_children);
    if (schema->flags & ~(int64_t)ARROW_FLAG_NULLABLE)
        return wrong("flags %" PRId64, schema->flags);
    if (metadata_wrong(schema->metadata))
        return sentence;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (dvt_arrow_schema_wrong(schema->children[i]))
            return sentence;
    if (schema->dictionary && (f.layout != FIXED || !strchr("csil", *schema->format)))
        return wrong("a dictionary of %s", schema->format);
    return schema->dictionary ? dvt_arrow_schema_wrong(schema->dictionary) : NULL;
}

/* --- Arrays ----------------------------------------------------------------------------------- */

bool dvt_arrow_is_valid(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *bits = array->buffers[0];
    return !bits || bits[(i + array->offset) / 8] >> (i + array->offset) % 8 & 1;
}

static const char *validity_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema)
{
    int64_t nulls = 0;
    for (int64_t i = 0; i < array->length; i++)
        nulls += !dvt_arrow_is_valid(array, i);
    if (nulls != array->null_count)
        return wrong("%s: null_count %" PRId64 ", %" PRId64 " are null", schema->name,
                     array->null_count, nulls);
    if (nulls > 0 && !(schema->flags & ARROW_FLAG_NULLABLE))
        return wrong("%s: nulls in a field that is not nullable", schema->name);
    return NULL;
}

static const char *offsets_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema,
                                 int64_t most)
{
    const int32_t *offsets = array->buffers[1];
    if (!offsets || (uintptr_t)offsets % 4 != 0)
        return wrong("%s: offsets are missing or not aligned", schema->name);
    if (offsets[0] < 0)
        return wrong("%s: the first offset is negative", schema->name);
    for (int64_t i = 0; i < array->length; i++)
        if (offsets[i + 1] < offsets[i])
            return wrong("%s: offset %" PRId64 " decreases", schema->name, i + 1);
    if (most >= 0 && offsets[array->length] > most)
        return wrong("%s: the last offset is %" PRId32 " of %" PRId64, schema->name,
                     offsets[array->length], most);
    return NULL;
}

static const char *texts_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema)
{
    const int32_t *offsets = array->buffers[1];
    const char *text = array->buffers[2];
    if (offsets_wrong(array, schema, -1))
        return sentence;
    for (int64_t i = 0; *schema->format == 'u' && i < array->length; i++) {
        const size_t n = (size_t)(offsets[i + 1] - offsets[i]);
        if (dv_utf8_check(NULL, text + offsets[i], n) != n)
            return wrong("%s: slot %" PRId64 " is no UTF-8", schema->name, i);
    }
    return NULL;
}

static int64_t integer_at(const void *data, char letter, int64_t i)
{
    switch (letter) {
    case 'c':
        return ((const int8_t *)data)[i];
    case 'C':
        return ((const uint8_t *)data)[i];
    case 's':
        return ((const int16_t *)data)[i];
    case 'S':
        return ((const uint16_t *)data)[i];
    case 'i':
        return ((const int32_t *)data)[i];
    case 'I':
        return ((const uint32_t *)data)[i];
    default:
        return ((const int64_t *)data)[i];
    }
}

static const char *codes_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < array->length; i++) {
        const int64_t code = integer_at(array->buffers[1], *schema->format, i);
        if (dvt_arrow_is_valid(array, i) && (code < 0 || code >= array->dictionary->length))
            return wrong("%s: code %" PRId64 " of %" PRId64, schema->name, code,
                         array->dictionary->length);
    }
    return NULL;
}

static const char *buffers_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema,
                                 format f)
{
    if (array->n_buffers != f.buffers || array->n_children != schema->n_children)
        return wrong("%s: %" PRId64 " buffers, %" PRId64 " children", schema->name,
                     array->n_buffers, array->n_children);
    if (array->length < 0 || array->offset != 0)
        return wrong("%s: length %" PRId64 ", offset %" PRId64, schema->name, array->length,
                     array->offset);
    for (int64_t i = 1; i < array->n_buffers; i++)
        if (!array->buffers[i])
            return wrong("%s: buffer %" PRId64 " is missing", schema->name, i);
    const uintptr_t alignment = f.width == 16 ? 8 : (uintptr_t)f.width;
    if (f.layout == FIXED && strncmp(schema->format, "w:", 2) != 0 &&
        (uintptr_t)array->buffers[1] % alignment != 0)
        return wrong("%s: values are not aligned", schema->name);
    return NULL;
}

static const char *children_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema,
                                  format f)
{
    const int64_t length = f.layout == FIXED_LIST ? array->length * f.width : array->length;
    for (int64_t i = 0; i < array->n_children; i++) {
        const struct ArrowArray *child = array->children[i];
        if (f.layout != LIST && child->length != length)
            return wrong("%s: a child of length %" PRId64, schema->name, child->length);
        if (dvt_arrow_array_wrong(child, schema->children[i]))
            return sentence;
    }
    return f.layout == LIST ? offsets_wrong(array, schema, array->children[0]->length) : NULL;
}

const char *dvt_arrow_array_wrong(const struct ArrowArray *array, const struct ArrowSchema *schema)
{
    const format f = format_of(schema->format);
    if (!array->release)
        return wrong("%s: an array that is released", schema->name);
    if (buffers_wrong(array, schema, f) || validity_wrong(array, schema) ||
        children_wrong(array, schema, f))
        return sentence;
    if (f.layout == VARIABLE && texts_wrong(array, schema))
        return sentence;
    if (!array->dictionary != !schema->dictionary)
        return wrong("%s: a dictionary on one side only", schema->name);
    if (!array->dictionary)
        return NULL;
    return dvt_arrow_array_wrong(array->dictionary, schema->dictionary) ||
                   codes_wrong(array, schema)
               ? sentence
               : NULL;
}

/* --- Printing --------------------------------------------------------------------------------- */

static void put(char *dst, size_t cap, const char *text)
{
    const size_t n = strlen(dst);
    snprintf(dst + n, cap - n, "%s", text);
}

static void put_list(char *dst, size_t cap, const struct ArrowArray *array,
                     const struct ArrowSchema *schema, int64_t first, int64_t end)
{
    put(dst, cap, "[");
    for (int64_t i = first; i < end; i++) {
        put(dst, cap, i > first ? " " : "");
        dvt_arrow_print(dst + strlen(dst), cap - strlen(dst), array->children[0],
                        schema->children[0], i);
    }
    put(dst, cap, "]");
}

static void put_fixed(char *dst, size_t cap, const void *data, const char *letters, int64_t width,
                      int64_t i)
{
    if (*letters == 'f')
        snprintf(dst, cap, "%.9g", (double)((const float *)data)[i]);
    else if (*letters == 'g')
        snprintf(dst, cap, "%.17g", ((const double *)data)[i]);
    else if (*letters == 'L')
        snprintf(dst, cap, "%" PRIu64, ((const uint64_t *)data)[i]);
    else if (*letters != 'w')
        snprintf(dst, cap, "%" PRId64, integer_at(data, *letters, i));
    for (int64_t k = 0; *letters == 'w' && k < width; k++)
        snprintf(dst + 2 * k, cap - 2 * (size_t)k, "%02x", ((const uint8_t *)data)[i * width + k]);
}

void dvt_arrow_print(char *dst, size_t cap, const struct ArrowArray *array,
                     const struct ArrowSchema *schema, int64_t i)
{
    const format f = format_of(schema->format);
    const int32_t *offsets = array->n_buffers > 1 ? array->buffers[1] : NULL;
    *dst = '\0';
    if (!dvt_arrow_is_valid(array, i)) {
        put(dst, cap, "null");
        return;
    }
    if (array->dictionary) {
        dvt_arrow_print(dst, cap, array->dictionary, schema->dictionary,
                        integer_at(array->buffers[1], *schema->format, i));
        return;
    }
    switch (f.layout) {
    case BITS:
        put(dst, cap, ((const uint8_t *)array->buffers[1])[i / 8] >> i % 8 & 1 ? "true" : "false");
        return;
    case FIXED:
        put_fixed(dst, cap, array->buffers[1], schema->format, f.width, i);
        return;
    case VARIABLE:
        snprintf(dst, cap, "\"%.*s\"", (int)(offsets[i + 1] - offsets[i]),
                 (const char *)array->buffers[2] + offsets[i]);
        return;
    case FIXED_LIST:
        put_list(dst, cap, array, schema, i * f.width, (i + 1) * f.width);
        return;
    case LIST:
        put_list(dst, cap, array, schema, offsets[i], offsets[i + 1]);
        return;
    case STRUCT:
        put(dst, cap, "{");
        for (int64_t k = 0; k < array->n_children; k++) {
            put(dst, cap, k > 0 ? " " : "");
            dvt_arrow_print(dst + strlen(dst), cap - strlen(dst), array->children[k],
                            schema->children[k], i);
        }
        put(dst, cap, "}");
        return;
    case UNKNOWN:
        return;
    }
}
