/* SPDX-License-Identifier: MIT */
/* model_part.c: reads the parts of a model: header, strings and fields. */
#include "mlnet/model_part.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAGIC UINT64_C(0x4C45444F4D004C4D)
#define TAIL UINT64_C(0x4D4C004D4F44454C)
#define OLDEST 0x00010001u
#define NEWEST 0x00010002u
enum { HEADER = 256, TAIL_NBYTES = 8 };

dv_status dvi_model_within(const dvi_model_part *part, dv_status status, dv_error *err)
{
    if (status < 0)
        dvi_error_within(err, "%sModel.key", dvi_show(part->folder).text);
    return status;
}

/* --- Header ----------------------------------------------------------------------------------- */

/* Where the pieces of a part lie, one after the other. */
typedef struct places {
    int64_t fields, fields_nbytes, ends, ends_nbytes, characters, characters_nbytes, tail, end,
        assembly, assembly_nbytes;
} places;

static places read_places(const uint8_t *p)
{
    return (places){.fields = dvi_load_i64(p + 0x10),
                    .fields_nbytes = dvi_load_i64(p + 0x18),
                    .ends = dvi_load_i64(p + 0x20),
                    .ends_nbytes = dvi_load_i64(p + 0x28),
                    .characters = dvi_load_i64(p + 0x30),
                    .characters_nbytes = dvi_load_i64(p + 0x38),
                    .tail = dvi_load_i64(p + 0x80),
                    .end = dvi_load_i64(p + 0x88),
                    .assembly = dvi_load_i64(p + 0x90),
                    .assembly_nbytes = dvi_load_u32(p + 0x98)};
}

static dv_status check_header(const uint8_t *p, int64_t n, dv_error *err)
{
    const uint32_t version = n >= HEADER ? dvi_load_u32(p + 8) : 0;
    const uint32_t readable = n >= HEADER ? dvi_load_u32(p + 12) : 0;
    DVI_REQUIRE(n >= HEADER + TAIL_NBYTES && dvi_load_u64(p) == MAGIC,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P1", 0, "content",
                         "a part of a model|something else"));
    DVI_REQUIRE(readable <= NEWEST,
                dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:P1", 12, "version of the header",
                         "at most %x|%" PRIx32, NEWEST, readable));
    DVI_REQUIRE(version >= OLDEST && version >= readable,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P1", 8, "version of the header",
                         "at least %x, and the readable one|%" PRIx32, OLDEST, version));
    return DV_OK;
}

/* Is a piece of n bytes at `at`, behind what ended there? *end moves behind it. */
static bool is_behind(int64_t at, int64_t n, int64_t *end, int64_t most)
{
    if (at != *end || n < 0 || n > most - *end)
        return false;
    *end += n;
    return true;
}

static bool are_behind(const places *l, int64_t n)
{
    int64_t end = HEADER;
    const int64_t most = n - TAIL_NBYTES;
    if (!is_behind(l->fields, l->fields_nbytes, &end, most))
        return false;
    if (l->ends == 0 && (l->ends_nbytes != 0 || l->characters_nbytes != 0))
        return false;
    if (l->ends != 0 && (l->ends_nbytes <= 0 || !is_behind(l->ends, l->ends_nbytes, &end, most) ||
                         !is_behind(l->characters, l->characters_nbytes, &end, most)))
        return false;
    if (l->assembly == 0 ? l->assembly_nbytes != 0
                         : !is_behind(l->assembly, l->assembly_nbytes, &end, most))
        return false;
    return l->tail == end && l->tail == most && l->end == n;
}

static dv_status check_places(const uint8_t *p, int64_t n, dv_error *err)
{
    const places l = read_places(p);
    DVI_REQUIRE(are_behind(&l, n) && l.ends_nbytes % 8 == 0 && l.characters_nbytes % 2 == 0 &&
                    l.assembly_nbytes % 2 == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P2", 0x10, "places in a part",
                         "fields, strings and names, one after the other|others"));
    DVI_REQUIRE(dvi_load_u64(p + l.tail) == TAIL,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P2", l.tail, "end of a part",
                         "the mark that ends it|something else"));
    DVI_REQUIRE(dvi_load_u32(p + 0x48) >= dvi_load_u32(p + 0x4C),
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P4", 0x48, "version of a part",
                         "at least the readable one|an older one"));
    return DV_OK;
}

static dv_status check_strings(const dvi_model_part *part, int64_t characters_nbytes, dv_error *err)
{
    int64_t before = 0;
    for (int32_t i = 0; i < part->strings; i++) {
        const int64_t end = dvi_load_i64(part->ends + 8 * (size_t)i);
        DVI_REQUIRE(end >= before && end <= characters_nbytes && end % 2 == 0,
                    dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P3", -1, "end of a string",
                             "an even number, %" PRId64 " to %" PRId64 "|%" PRId64, before,
                             characters_nbytes, end));
        before = end;
    }
    DVI_REQUIRE(before == characters_nbytes,
                dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P3", 0x38, "bytes of the strings",
                         "%" PRId64 ", where the last one ends|%" PRId64, before,
                         characters_nbytes));
    return DV_OK;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static dvi_model_name signature_of(const uint8_t *p)
{
    dvi_model_name name = {""};
    for (size_t i = 0; i < 8; i++)
        name.text[i] = (char)(p[i] == 0 ? ' ' : p[i] > ' ' && p[i] < 0x7F ? p[i] : '?');
    return name;
}

static dv_status read_part(dvi_model_part *part, const uint8_t *p, int64_t n, dv_error *err)
{
    size_t loader = 0;
    DVI_TRY(check_header(p, n, err));
    DVI_TRY(check_places(p, n, err));
    const places l = read_places(p);
    part->signature = signature_of(p + 0x40);
    part->version = dvi_load_u32(p + 0x48) & UINT16_MAX;
    part->readable = dvi_load_u32(p + 0x4C) & UINT16_MAX;
    while (loader < 24 && p[0x50 + loader])
        loader++;
    part->loader = (dv_text){(const char *)p + 0x50, (int64_t)loader};
    part->fields = dvi_reader_of(p + HEADER, (size_t)l.fields_nbytes, HEADER, false);
    part->ends = p + l.ends;
    part->characters = l.ends ? p + l.characters : p; /* without strings it says nothing */
    part->strings = (int32_t)(l.ends_nbytes / 8);
    return check_strings(part, l.ends ? l.characters_nbytes : 0, err);
}

static void release_memory(void *of)
{
    dvi_memory *memory = of;
    dvi_memory_release(&memory);
}

static dv_status folder_text(dv_text *text_out, dvi_arena *arena, dv_text folder, const char *name,
                             dv_error *err)
{
    void *made;
    const size_t n = (size_t)folder.nbytes, more = strlen(name);
    DVI_TRY(dvi_arena_alloc(arena, &made, n + more + 1, err));
    memcpy(made, folder.data, n);
    memcpy((char *)made + n, name, more);
    *text_out = (dv_text){made, (int64_t)(n + more)};
    return DV_OK;
}

dv_status dvi_model_open_part(dvi_model_part *part, dvi_zip *zip, dvi_arena *arena, dv_text folder,
                              dv_error *err)
{
    return dvi_model_open_file(part, zip, arena, folder, "Model.key", err);
}

dv_status dvi_model_open_file(dvi_model_part *part, dvi_zip *zip, dvi_arena *arena, dv_text folder,
                              const char *file, dv_error *err)
{
    dv_text name;
    dvi_memory *bytes;
    *part = (dvi_model_part){.zip = zip, .arena = arena, .folder = folder};
    DVI_TRY(folder_text(&name, arena, folder, file, err));
    const dvi_zip_entry *entry = dvi_zip_find(zip, name);
    DVI_REQUIRE(entry, dvi_fail(err, DV_ERR_CORRUPT, "modelzip:S1", -1, "part of the model",
                                "%s|none", dvi_show(name).text));
    DVI_TRY(dvi_zip_read(zip, entry, &bytes, err));
    DVI_TRY(dvi_arena_own(arena, release_memory, bytes, err));
    return dvi_model_within(part, read_part(part, bytes->data, entry->nbytes, err), err);
}

dv_status dvi_model_open_inner(dvi_model_part *part, const dvi_model_part *in, const char *folder,
                               dv_error *err)
{
    dv_text path, with_end;
    DVI_TRY(folder_text(&path, in->arena, in->folder, folder, err));
    DVI_TRY(folder_text(&with_end, in->arena, path, "/", err));
    return dvi_model_open_part(part, in->zip, in->arena, with_end, err);
}

const dvi_zip_entry *dvi_model_entry(const dvi_model_part *in, const char *name)
{
    char path[512];
    const int n =
        snprintf(path, sizeof path, "%.*s%s", (int)in->folder.nbytes, in->folder.data, name);
    return n > 0 && (size_t)n < sizeof path ? dvi_zip_find(in->zip, dv_text_of(path)) : NULL;
}

dv_status dvi_model_check_part(const dvi_model_part *part, const char *signature, uint32_t version,
                               dv_error *err)
{
    DVI_REQUIRE(strcmp(part->signature.text, signature) == 0,
                dvi_model_within(part,
                                 dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P4", 0x40, "signature",
                                          "%s|%s", signature, part->signature.text),
                                 err));
    DVI_REQUIRE(
        part->readable <= version,
        dvi_model_within(part,
                         dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:P4", 0x4C, "version of a part",
                                  "at most %" PRIu32 "|%" PRIu32, version, part->readable),
                         err));
    return DV_OK;
}

dv_status dvi_model_end_part(const dvi_model_part *part, dv_error *err)
{
    const size_t left = dvi_reader_left(&part->fields);
    DVI_REQUIRE(left == 0,
                dvi_model_within(part,
                                 dvi_fail(err, DV_ERR_CORRUPT, "modelzip:P5",
                                          dvi_reader_offset(&part->fields), "fields of a part",
                                          "their end|%zu bytes more", left),
                                 err));
    return DV_OK;
}

/* --- Fields ----------------------------------------------------------------------------------- */

static dv_status fail_range(const dvi_model_part *part, int64_t at, const char *what, int64_t least,
                            int64_t most, int64_t found, dv_error *err)
{
    return dvi_model_within(part, dvi_fail_range(err, "modelzip:P5", at, what, least, most, found),
                            err);
}

static dv_status check_read(const dvi_model_part *part, const char *what, dv_error *err)
{
    if (part->fields.fault == DVI_READ_FINE)
        return DV_OK;
    return dvi_model_within(
        part, dvi_reader_failure(&part->fields, "modelzip:P5", "modelzip:P5", what, err), err);
}

dv_status dvi_model_i32(dvi_model_part *part, int32_t *value_out, int32_t least, int32_t most,
                        const char *what, dv_error *err)
{
    const int64_t at = dvi_reader_offset(&part->fields);
    *value_out = dvi_read_i32_le(&part->fields);
    DVI_TRY(check_read(part, what, err));
    DVI_REQUIRE(*value_out >= least && *value_out <= most,
                fail_range(part, at, what, least, most, *value_out, err));
    return DV_OK;
}

dv_status dvi_model_u8(dvi_model_part *part, uint8_t *value_out, uint8_t most, const char *what,
                       dv_error *err)
{
    const int64_t at = dvi_reader_offset(&part->fields);
    *value_out = dvi_read_u8(&part->fields);
    DVI_TRY(check_read(part, what, err));
    DVI_REQUIRE(*value_out <= most, fail_range(part, at, what, 0, most, *value_out, err));
    return DV_OK;
}

dv_status dvi_model_flag(dvi_model_part *part, bool *value_out, const char *what, dv_error *err)
{
    uint8_t value;
    DVI_TRY(dvi_model_u8(part, &value, 1, what, err));
    *value_out = value;
    return DV_OK;
}

dv_status dvi_model_count(dvi_model_part *part, int32_t *count_out, int32_t least, size_t nbytes,
                          const char *what, dv_error *err)
{
    const int64_t at = dvi_reader_offset(&part->fields);
    *count_out = dvi_read_i32_le(&part->fields);
    DVI_TRY(check_read(part, what, err));
    const int64_t most = (int64_t)(dvi_reader_left(&part->fields) / nbytes);
    DVI_REQUIRE(*count_out >= least && *count_out <= most,
                fail_range(part, at, what, least, most, *count_out, err));
    return DV_OK;
}

dv_status dvi_model_bytes(dvi_model_part *part, const uint8_t **bytes_out, size_t nbytes,
                          const char *what, dv_error *err)
{
    *bytes_out = dvi_read_bytes(&part->fields, nbytes);
    return check_read(part, what, err);
}

/* --- Strings ---------------------------------------------------------------------------------- */

size_t dvi_model_utf8(char *dst, uint32_t code)
{
    if (code < 0x80) {
        dst[0] = (char)code;
        return 1;
    }
    const size_t width = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = width; --i > 0; code >>= 6)
        dst[i] = (char)(0x80 | (code & 0x3F));
    dst[0] = (char)(((0xF00u >> width) & 0xF0u) | code);
    return width;
}

/* Convert n units; 0 units are no failure. Returns the bytes; -1: half a surrogate pair. */
static int64_t to_utf8(char *dst, const uint8_t *units, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t code = dvi_load_u16(units + 2 * i);
        if (code >= 0xD800 && code < 0xE000) {
            const uint32_t low = i + 1 < n ? dvi_load_u16(units + 2 * i + 2) : 0;
            if (code >= 0xDC00 || low < 0xDC00 || low >= 0xE000)
                return -1;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            i++;
        }
        used += dvi_model_utf8(dst + used, code);
    }
    return (int64_t)used;
}

static dv_status convert_string(const dvi_model_part *part, int32_t i, dv_text *text_out,
                                const char *what, dv_error *err)
{
    void *made;
    const int64_t end = dvi_load_i64(part->ends + 8 * (size_t)i);
    const int64_t start = i > 0 ? dvi_load_i64(part->ends + 8 * (size_t)(i - 1)) : 0;
    const size_t n = (size_t)(end - start) / 2;
    DVI_TRY(dvi_arena_alloc(part->arena, &made, 3 * n + 1, err)); /* a unit has 3 bytes or fewer */
    *text_out = (dv_text){made, to_utf8(made, part->characters + start, n)};
    DVI_REQUIRE(
        text_out->nbytes >= 0,
        dvi_model_within(part,
                         dvi_fail(err, DV_ERR_UNSUPPORTED, "modelzip:P3", -1, what,
                                  "whole characters|half a surrogate pair in string %d", (int)i),
                         err));
    return DV_OK;
}

/* A string is converted once, however often it is named. */
static dv_status string_at(dvi_model_part *part, int32_t i, dv_text *text_out, const char *what,
                           dv_error *err)
{
    void *made;
    if (!part->texts) {
        const size_t nbytes = (size_t)part->strings * sizeof(dv_text);
        DVI_TRY(dvi_arena_alloc(part->arena, &made, nbytes, err));
        part->texts = made;
    }
    if (!part->texts[i].data)
        DVI_TRY(convert_string(part, i, &part->texts[i], what, err));
    *text_out = part->texts[i];
    return DV_OK;
}

dv_status dvi_model_string(dvi_model_part *part, dv_text *text_out, const char *what, dv_error *err)
{
    int32_t i;
    const int64_t at = dvi_reader_offset(&part->fields);
    DVI_TRY(dvi_model_i32(part, &i, INT32_MIN, INT32_MAX, what, err));
    DVI_REQUIRE(i >= 0 && i < part->strings,
                fail_range(part, at, what, 0, part->strings - 1, i, err));
    return string_at(part, i, text_out, what, err);
}

dv_status dvi_model_strings(dvi_model_part *part, dv_text **texts_out, int32_t n, const char *what,
                            dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(part->arena, &made, ((size_t)n + 1) * sizeof(dv_text), err));
    *texts_out = made;
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(dvi_model_string(part, &(*texts_out)[i], what, err));
    return DV_OK;
}

dv_status dvi_model_string_or_none(dvi_model_part *part, dv_text *text_out, const char *what,
                                   dv_error *err)
{
    dvi_reader ahead = part->fields;
    if (dvi_read_i32_le(&ahead) == -1 && ahead.fault == DVI_READ_FINE) {
        part->fields = ahead;
        *text_out = dv_text_of(NULL);
        return DV_OK;
    }
    return dvi_model_string(part, text_out, what, err);
}
