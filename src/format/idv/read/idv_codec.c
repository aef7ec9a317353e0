/* SPDX-License-Identifier: MIT */
/* idv_codec.c: parses codec definitions: the type and encoding of a column's values (idv:4). */
#include "simd/dispatch.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>

#define RULE_PARAMETERS "idv:4"
#define DEPTH_MAX 4

/* Which readers a codec name is written for. A name may be readable and never written. */
enum { NOBODY, NEW_READERS, OLD_READERS, ALL_READERS };

/* Every load name without parameters: its kind, its encoding, and the readers it is written for. */
#define CODEC_LIST(X)                                                                              \
    X("SByte", I1, RAW, ALL_READERS)                                                               \
    X("Byte", U1, RAW, ALL_READERS)                                                                \
    X("Int16", I2, RAW, ALL_READERS)                                                               \
    X("UInt16", U2, RAW, ALL_READERS)                                                              \
    X("Int32", I4, RAW, ALL_READERS)                                                               \
    X("UInt32", U4, RAW, ALL_READERS)                                                              \
    X("Int64", I8, RAW, ALL_READERS)                                                               \
    X("UInt64", U8, RAW, ALL_READERS)                                                              \
    X("Single", R4, RAW, ALL_READERS)                                                              \
    X("Double", R8, RAW, ALL_READERS)                                                              \
    X("TextSpan", TX, TEXT, ALL_READERS)                                                           \
    X("TimeSpan", TS, RAW, ALL_READERS)                                                            \
    X("DvTimeSpan", TS, RAW, NOBODY)                                                               \
    X("Boolean", BL, BITS, NEW_READERS)                                                            \
    X("DvBool", BL, PAIRS, ALL_READERS)                                                            \
    X("DateTime", DT, DATETIME, NEW_READERS)                                                       \
    X("DvDateTime", DT, DATETIME, OLD_READERS)                                                     \
    X("DateTimeOffset", DZ, ZONED, NEW_READERS)                                                    \
    X("DvDateTimeZone", DZ, ZONED, OLD_READERS)                                                    \
    X("DataViewRowId", UG, RAW, NEW_READERS)                                                       \
    X("RowId", UG, RAW, NOBODY)                                                                    \
    X("UInt128", UG, RAW, OLD_READERS)

typedef struct codec_entry {
    dv_text name; /* ends with a NUL */
    dv_kind kind;
    dvi_idv_encoding encoding;
    int readers;
} codec_entry;

static const codec_entry codecs[] = {
#define CODEC_ENTRY(name, kind, encoding, readers)                                                 \
    {{name, sizeof name - 1}, DV_KIND_##kind, DVI_IDV_##encoding, readers},
    CODEC_LIST(CODEC_ENTRY)};

/* A file may have thousands of columns, each with a name: length and first byte tell most apart. */
static const codec_entry *find_codec(dv_text name)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        const dv_text *own = &codecs[i].name;
        if (own->nbytes == name.nbytes && *own->data == *name.data && dv_text_equal(*own, name))
            return &codecs[i];
    }
    return NULL;
}

const char *dvi_idv_codec_name(dv_kind kind, dvi_idv_encoding encoding, bool old)
{
    const int reader = old ? OLD_READERS : NEW_READERS;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (codecs[i].kind == kind && codecs[i].encoding == encoding &&
            (codecs[i].readers & reader) != 0)
            return codecs[i].name.data;
    return NULL;
}

/* A definition being parsed. */
typedef struct definition {
    dvi_reader *r;
    dvi_arena *arena;
    int depth;
    int64_t inner_at; /* offset of the inner codec's name */
    bool is_strict;   /* unknown names are refused */
    dvi_idv_codec *out;
} definition;

static bool is_known(const definition *d)
{
    return !d->out->unknown.data;
}

static dv_status parse(definition d, const char *rule, dv_error *err);

static bool is_named(dv_text name, const char *text)
{
    return dv_text_equal(name, dv_text_of(text));
}

dv_status dvi_idv_check_str(dv_text text, int64_t at, const char *what, dv_error *err)
{
    size_t units;
    const size_t valid = dvi_kernels()->utf8_units(text.data, (size_t)text.nbytes, &units);
    DVI_REQUIRE(valid == (size_t)text.nbytes,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:1", at, what,
                         "valid UTF-8|byte %02X after %zu valid bytes",
                         (unsigned)(uint8_t)text.data[valid], valid));
    return DV_OK;
}

/* The inner definition of a vector or key. */
static dv_status parse_inner(definition *d, dv_error *err)
{
    definition inner = *d;
    inner.depth++;
    d->inner_at = dvi_reader_offset(d->r);
    return parse(inner, RULE_PARAMETERS, err);
}

/* The reader holds the bytes of all dims. */
static dv_status parse_dims(dvi_reader *r, int32_t rank, int32_t *dims, int32_t *size_out,
                            dv_error *err)
{
    int64_t size = 1;
    for (int32_t i = 0; i < rank; i++) {
        const int64_t at = dvi_reader_offset(r);
        dims[i] = dvi_read_i32_le(r);
        DVI_REQUIRE_IN(err, dims[i], 0, INT32_MAX, "idv:C6", at, "vector dimension");
        size *= dims[i];
        DVI_REQUIRE(size <= INT32_MAX,
                    dvi_fail(err, DV_ERR_CORRUPT, "idv:C6", at, "product of dimensions",
                             "at most 2147483647|%" PRId64, size));
    }
    *size_out = (int32_t)size;
    return DV_OK;
}

static dv_status parse_vector(definition *d, dv_error *err)
{
    dvi_reader *r = d->r;
    DVI_TRY(parse_inner(d, err));
    if (!is_known(d))
        return DV_OK;
    dv_type *type = &d->out->type;
    DVI_REQUIRE(type->rank == 0, dvi_fail(err, DV_ERR_CORRUPT, "idv:C5", d->inner_at,
                                          "vector items", "a primitive type|a vector"));
    const int64_t rank_at = dvi_reader_offset(r);
    const int32_t rank = dvi_read_i32_le(r);
    DVI_REQUIRE_READ(err, r, RULE_PARAMETERS, RULE_PARAMETERS, "vector rank");
    DVI_REQUIRE_IN(err, rank, 0, (int64_t)(dvi_reader_left(r) / 4), "idv:C6", rank_at,
                   "vector rank");
    if (r->n - r->at < 4 * (size_t)rank) { /* require the bytes before allocating for them */
        dvi_reader_fail(r, DVI_READ_MORE, r->at, 4 * (size_t)rank);
        return DV_OK;
    }
    void *dims;
    int32_t size = 0;
    DVI_TRY(dvi_arena_alloc(d->arena, &dims, (size_t)rank * sizeof(int32_t), err));
    DVI_TRY(parse_dims(r, rank, dims, &size, err));
    *type =
        rank < 2 ? dv_type_vector(*type, rank == 0 ? 0 : size) : dv_type_tensor(*type, dims, rank);
    return DV_OK;
}

/* The largest value of an integer type that can carry a key; 0: the type cannot. */
static uint64_t key_maximum(const dv_type *type)
{
    if (type->is_key || type->rank > 0)
        return 0;
    switch (type->kind) {
    case DV_KIND_U1:
        return UINT8_MAX;
    case DV_KIND_U2:
        return UINT16_MAX;
    case DV_KIND_U4:
        return UINT32_MAX;
    case DV_KIND_U8:
        return UINT64_MAX;
    default:
        return 0;
    }
}

static dv_status parse_key_inner(definition *d, uint64_t *most_out, dv_error *err)
{
    DVI_TRY(parse_inner(d, err));
    *most_out = key_maximum(&d->out->type);
    DVI_REQUIRE(!is_known(d) || *most_out > 0,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C8", d->inner_at, "key values",
                         "Byte, UInt16, UInt32 or UInt64|another codec"));
    return DV_OK;
}

static dv_status parse_key2(definition *d, dv_error *err)
{
    uint64_t most;
    DVI_TRY(parse_key_inner(d, &most, err));
    if (!is_known(d))
        return DV_OK;
    const int64_t at = dvi_reader_offset(d->r);
    const uint64_t count = dvi_read_u64_le(d->r);
    DVI_REQUIRE_READ(err, d->r, RULE_PARAMETERS, RULE_PARAMETERS, "key count");
    DVI_REQUIRE(count >= 1 && count <= most,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C9", at, "key count", "1..%" PRIu64 "|%" PRIu64,
                         most, count));
    d->out->type = dv_type_key(d->out->type.kind, 0, count);
    return DV_OK;
}

/* The old form: a minimum, a contiguous flag, and count 0 for "unknown". */
static dv_status parse_key(definition *d, dv_error *err)
{
    uint64_t most;
    DVI_TRY(parse_key_inner(d, &most, err));
    if (!is_known(d))
        return DV_OK;
    const int64_t at = dvi_reader_offset(d->r);
    const int64_t contiguous = dvi_read_u8(d->r);
    const uint64_t min = dvi_read_u64_le(d->r);
    const int64_t count = dvi_read_i32_le(d->r);
    DVI_REQUIRE_READ(err, d->r, RULE_PARAMETERS, RULE_PARAMETERS, "key definition");
    DVI_REQUIRE_IN(err, contiguous, 0, 1, "idv:C10", at, "contiguous byte of a key");
    const int64_t count_most = most > INT32_MAX ? INT32_MAX : (int64_t)most;
    DVI_REQUIRE_IN(err, count, 0, count_most, "idv:C10", at + 9, "key count");
    DVI_REQUIRE(contiguous == 1 || count == 0,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C10", at + 9,
                         "count of a key that is not contiguous", "0|%" PRId64, count));
    DVI_REQUIRE(min <= UINT64_MAX - (uint64_t)count,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C10", at + 1, "key minimum",
                         "at most %" PRIu64 "|%" PRIu64, UINT64_MAX - (uint64_t)count, min));
    d->out->type = dv_type_key(d->out->type.kind, min, (uint64_t)count);
    d->out->type.key_is_contiguous = contiguous == 1;
    return DV_OK;
}

/* Parse the parameters of a codec. plain: that of the name; NULL: it may have some. */
static dv_status parse_parameters(definition *d, dv_text name, int64_t name_at,
                                  const codec_entry *plain, dv_error *err)
{
    if (plain) {
        const bool is_new = plain->readers & NEW_READERS;
        *d->out = (dvi_idv_codec){.type = dv_type_of(plain->kind),
                                  .encoding = plain->encoding,
                                  .is_renamed = plain->kind == DV_KIND_UG && !is_new};
        return DV_OK;
    }
    if (is_named(name, "VBuffer"))
        return parse_vector(d, err);
    if (is_named(name, "Key2"))
        return parse_key2(d, err);
    if (is_named(name, "Key"))
        return parse_key(d, err);
    DVI_REQUIRE(!d->is_strict, dvi_fail(err, DV_ERR_UNSUPPORTED, "idv:C3", name_at,
                                        "codec name in a file of version 1.1.1.1",
                                        "a known one|\"%s\"", dvi_show(name).text));
    d->out->unknown = name;
    return DV_OK;
}

static dv_status parse(definition d, const char *rule, dv_error *err)
{
    dvi_reader *r = d.r;
    const int64_t name_at = dvi_reader_offset(r);
    DVI_REQUIRE(d.depth <= DEPTH_MAX,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:4.1", name_at, "codec definition",
                         "at most %d levels|one more", DEPTH_MAX));
    const dv_text name = dvi_read_str(r);
    DVI_REQUIRE_READ(err, r, rule, "idv:1", "codec name");
    const codec_entry *plain = find_codec(name);
    if (!plain)
        DVI_TRY(dvi_idv_check_str(name, name_at, "codec name", err));
    DVI_REQUIRE(name.nbytes > 0,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C1", name_at, "codec name", "a name|none"));
    const int64_t length_at = dvi_reader_offset(r);
    const uint64_t length = dvi_read_leb64(r);
    DVI_REQUIRE_READ(err, r, rule, "idv:1", "length of codec parameters");
    DVI_REQUIRE(length <= INT64_MAX,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C2", length_at, "length of codec parameters",
                         "at most 2^63-1|%" PRIu64, length));
    DVI_REQUIRE(length <= dvi_reader_left(r),
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C3", length_at, "length of codec parameters",
                         "at most the %zu bytes left|%" PRIu64, dvi_reader_left(r), length));

    const size_t start = r->at;
    const dvi_reader_end end = dvi_reader_narrow(r, (size_t)length);
    DVI_TRY(parse_parameters(&d, name, name_at, plain, err));
    dvi_reader_widen(r, end);
    if (r->fault != DVI_READ_FINE)
        return DV_OK; /* the window is too small: the caller calls again from the entry's start */
    if (!is_known(&d)) { /* or the inner codec is unknown: skip the definition */
        r->at = start;
        dvi_read_bytes(r, (size_t)length);
        return DV_OK;
    }
    DVI_REQUIRE(r->at - start == length,
                dvi_fail(err, DV_ERR_CORRUPT, "idv:C4", length_at, "length of codec parameters",
                         "%zu|%" PRIu64, r->at - start, length));
    return DV_OK;
}

dv_status dvi_idv_parse_codec(dvi_reader *r, uint64_t version, const char *rule, dvi_arena *arena,
                              dvi_idv_codec *codec_out, dv_error *err)
{
    *codec_out = (dvi_idv_codec){0};
    const definition d = {.r = r,
                          .arena = arena,
                          .depth = 1,
                          .is_strict = version == DVI_IDV_VERSION(1),
                          .out = codec_out};
    return parse(d, rule, err);
}
