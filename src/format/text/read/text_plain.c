/* SPDX-License-Identifier: MIT */
/* text_plain.c: parses plain lines into rows, column by column.
 *
 * Nearly every field contains its value directly and is parsed in place into the column. Other
 * fields take the general path of text_row.c, and so does a row of a vector with so few recorded
 * slots that it is sparse. */
#include "base/check.h"
#include "base/compiler.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "codec/parse.h"
#include "format/text/read/text_rows_priv.h"
#include <string.h>

#define LINES_NBYTES (INT64_C(4) << 20) /* of columns parsed together */
#define COPY_NBYTES 16                  /* short texts are copied with this fixed length */

typedef struct parser {
    dvi_text_rows *r;
    const dvi_text_plain *lines;
    bool is_utf8;       /* all text of the lines */
    int64_t unrecorded; /* fields so far that are the default */
    bool has_words;     /* options name words that are missing */
    bool is_bad;        /* a field is no value, or its quotes are broken */
} parser;

/* Fields first..first + slots - 1 of some lines. */
typedef struct field_range {
    size_t line, lines, first, slots;
} field_range;

/* --- Which lines --- */

/* Add the memory of a row without its text: while it is built, and afterwards. */
static void measure(const dvi_text_builder *c, int64_t *needs, int64_t *keeps)
{
    const int64_t slots = c->source->fixed_slots;
    const int64_t width = (int64_t)(c->values.width + c->values.beside_width);
    *needs += slots * ((int64_t)(sizeof *c->items + sizeof(int32_t)) + width);
    *keeps += slots * width + 2 * (int64_t)sizeof(int32_t);
}

bool dvi_text_rows_plain(const dvi_text_rows *r, dvi_text_wanted *wanted_out, int64_t *rows_out,
                         int64_t *nbytes_out)
{
    int64_t fields = 1, needs = 0, keeps = 0, texts = 0, text_slots = 0;
    for (int32_t k = 0; k < r->columns_count; k++) {
        const dvi_text_column *source = r->columns[k].source;
        const bool is_text = r->columns[k].values.layout == DV_LAYOUT_TEXT;
        if (source->variable >= 0)
            return false;
        for (int32_t i = 0; i < source->segments_count; i++)
            fields = dvi_max_i64(fields, source->segments[i].end);
        if (fields > DVI_TEXT_ABSENT)
            return false;
        measure(&r->columns[k], &needs, &keeps);
        texts += is_text;
        text_slots += is_text ? source->fixed_slots : 0;
        if (needs >= r->limit)
            return false;
    }
    if (r->dialect.size > 0 && fields > r->dialect.size)
        return false;
    if (r->dialect.wide_count > 0 || r->dialect.merges)
        return false;
    /* bytes of other encodings may become three of UTF-8 */
    const int64_t each = r->encoding.kind == DVI_ENCODING_UTF8 ? 1 : 3;
    *wanted_out = (dvi_text_wanted){.fields = fields,
                                    .line_nbytes = (r->limit - needs) / (4 * texts + 1) / each};
    if (r->reading.strict || r->reading.counts)
        wanted_out->most_fields = r->most; /* no column varies */
    wanted_out->full_fields = r->full < r->most ? r->full : 0;
    *rows_out = dvi_max_i64(1, LINES_NBYTES / dvi_max_i64(keeps, 1));
    *nbytes_out = LINES_NBYTES / (1 + text_slots / fields);
    return true;
}

/* --- Fields --- */

/* Parse a field by the general path. */
static dvi_text_field field_of(const parser *u, const char *from, const char *to)
{
    const size_t at = (size_t)(from - u->lines->text) - u->lines->begin;
    return dvi_text_field_of(&u->r->dialect, (dv_text){from, to - from},
                             (char *)(void *)u->r->unquoted->data + at);
}

static DVI_NOINLINE void read_odd(parser *u, dvi_text_builder *c, const char *from, const char *to,
                                  dvi_text_value *value_out)
{
    const dvi_text_field field = field_of(u, from, to);
    const dvi_text_verdict verdict =
        dvi_text_read_value(value_out, &c->item_type, &field, &u->r->reading);
    u->unrecorded += verdict == DVI_TEXT_NOTHING;
    u->is_bad |= verdict == DVI_TEXT_BAD || field.mark == DVI_TEXT_BROKEN;
}

/* Does the field contain its value directly, perhaps within quotes? No value of fixed width
 * contains a quote, so doubled quotes need no care. */
static DVI_ALWAYS_INLINE bool is_direct(const parser *u, const char **from, const char **to)
{
    if (*from == *to)
        return false;
    const char quote = u->r->dialect.quote;
    if (**from == quote && u->r->dialect.allow_quoting) {
        if (*to - *from <= 2 || (*to)[-1] != quote)
            return false;
        ++*from;
        --*to;
    }
    return **from > ' ' && **from < 0x7F && **from != quote;
}

/* Iterate over the fields of a range. */
#define EACH_FIELD(u, p, from, to)                                                                 \
    for (size_t line_ = (p)->line; line_ < (p)->line + (p)->lines; line_++)                        \
        for (const uint32_t *mark_ = (u)->lines->marks + (u)->lines->lines[line_] + (p)->first,    \
                            *end_ = mark_ + (p)->slots;                                            \
             mark_ < end_ && (from = (u)->lines->text + (uint32_t)(mark_[0] + 1),                  \
                             to = (u)->lines->text + mark_[1], true);                              \
             mark_++)

/* The fields of at least one byte that dvi_text_loses_digits has to look at. */
static DVI_ALWAYS_INLINE bool may_lose_digits(const char *from, const char *to)
{
    const char *digits = from + (*from == '-' || *from == '+');
    const bool is_padded = *digits == '0' && to - digits > 1 && (uint8_t)(digits[1] - '0') < 10;
    return is_padded || to - from > 15;
}

typedef void read_fn(parser *u, dvi_text_builder *c, const field_range *p);
/* n bytes are the value; up to `room` bytes may be read. */
typedef bool parse_fn(void *dst, const char *src, size_t n, size_t room, char decimal);

static DVI_ALWAYS_INLINE void read_fixed(parser *u, dvi_text_builder *c, const field_range *p,
                                         parse_fn *parse, size_t width)
{
    uint8_t *dst = c->values.main->data + width * (size_t)c->values.n;
    const char *from, *to, *text_end = u->lines->text + u->lines->nbytes;
    const char decimal = u->r->reading.decimal;
    const bool checks = u->r->reading.csv && !u->r->reading.zeros;
    bool is_bad = false;
    EACH_FIELD(u, p, from, to)
    {
        const char *start = from, *end = to;
        if (DVI_UNLIKELY(u->has_words || !is_direct(u, &start, &end))) {
            dvi_text_value value;
            read_odd(u, c, from, to, &value);
            memcpy(dst, value.bits, width);
        } else {
            while (u->r->reading.csv && (end[-1] == ' ' || end[-1] == '\t'))
                end--;
            is_bad |=
                !parse(dst, start, (size_t)(end - start), (size_t)(text_end - start), decimal);
            if (DVI_UNLIKELY(checks && may_lose_digits(start, end)))
                is_bad |= dvi_text_loses_digits(start, (size_t)(end - start), c->item_type.kind);
        }
        dst += width;
    }
    u->is_bad |= is_bad;
}

#define READ_FIXED(name, type, call)                                                               \
    static bool parse_##name(void *dst, const char *src, size_t n, size_t room, char decimal)      \
    {                                                                                              \
        (void)room;                                                                                \
        (void)decimal;                                                                             \
        return dvi_parse_##name call;                                                              \
    }                                                                                              \
    static void read_##name(parser *u, dvi_text_builder *c, const field_range *p)                  \
    {                                                                                              \
        read_fixed(u, c, p, parse_##name, sizeof(type));                                           \
    }
READ_FIXED(i1, int8_t, (dst, src, n, room))
READ_FIXED(i2, int16_t, (dst, src, n, room))
READ_FIXED(i4, int32_t, (dst, src, n, room))
READ_FIXED(i8, int64_t, (dst, src, n, room))
READ_FIXED(u1, uint8_t, (dst, src, n, room))
READ_FIXED(u2, uint16_t, (dst, src, n, room))
READ_FIXED(u4, uint32_t, (dst, src, n, room))
READ_FIXED(u8, uint64_t, (dst, src, n, room))
READ_FIXED(bl, int8_t, (dst, src, n))
READ_FIXED(r4, float, (dst, src, n, room, decimal))
READ_FIXED(r8, double, (dst, src, n, room, decimal))

/* For any kind except text. */
static void read_any(parser *u, dvi_text_builder *c, const field_range *p)
{
    const size_t width = c->values.width, beside_width = c->values.beside_width;
    uint8_t *dst = c->values.main->data + width * (size_t)c->values.n;
    size_t beside = beside_width * (size_t)c->values.n;
    const char *from, *to;
    EACH_FIELD(u, p, from, to)
    {
        dvi_text_value value;
        read_odd(u, c, from, to, &value);
        memcpy(dst, value.bits, width);
        if (beside_width > 0)
            memcpy(c->values.beside->data + beside, &value.bits[1], beside_width);
        dst += width;
        beside += beside_width;
    }
}

/* The text of a field. */
static DVI_ALWAYS_INLINE dv_text text_of(parser *u, dvi_text_builder *c, const char *from,
                                         const char *to)
{
    dvi_text_value value;
    if (DVI_UNLIKELY(u->r->reading.missing.nbytes > 0)) {
        read_odd(u, c, from, to, &value);
        return value.text;
    }
    const char quote = u->r->dialect.quote;
    if (from < to && *from != ' ' && *from != quote)
        return (dv_text){from, to - from};
    read_odd(u, c, from, to, &value);
    return value.text;
}

/* dst has room for COPY_NBYTES more. */
static DVI_ALWAYS_INLINE size_t copy_text(const parser *u, uint8_t *dst, dv_text text)
{
    if (!u->is_utf8)
        return dvi_text_copy(dst, text, &u->r->faults.ill_formed);
    if (text.nbytes <= 0)
        return 0;
    /* unquoted text may be in another buffer */
    const size_t at = (size_t)((uintptr_t)text.data - (uintptr_t)u->lines->text);
    if (text.nbytes <= COPY_NBYTES && at < u->lines->nbytes && u->lines->nbytes - at >= COPY_NBYTES)
        memcpy(dst, text.data, COPY_NBYTES);
    else
        memcpy(dst, text.data, (size_t)text.nbytes);
    return (size_t)text.nbytes;
}

/* Copy a quoted text, one quote for two, without those around it. false: it has to be read by every
 * rule. */
static bool copy_quoted(const parser *u, uint8_t *dst, const char *from, const char *to,
                        size_t *nbytes_out)
{
    const dvi_text_dialect *d = &u->r->dialect;
    const char quote = d->quote, *p = from + 1, *const end = to - 1, *found;
    size_t n = 0;
    if (to - from <= 2 || *from != quote || *end != quote || !d->allow_quoting ||
        d->escape != quote || !u->is_utf8 || u->r->reading.missing.nbytes > 0)
        return false;
    while (p < end && (found = memchr(p, quote, (size_t)(end - p)))) {
        if (found + 1 == end || found[1] != quote)
            return false;
        memcpy(dst + n, p, (size_t)(found + 1 - p));
        n += (size_t)(found + 1 - p);
        p = found + 2;
    }
    memcpy(dst + n, p, (size_t)(end - p));
    *nbytes_out = n + (size_t)(end - p);
    return true;
}

static void read_text(parser *u, dvi_text_builder *c, const field_range *p)
{
    uint8_t *dst = c->values.main->data, *ends = c->values.beside->data + 4 * c->values.n;
    size_t used = (size_t)c->values.nbytes;
    const char *from, *to;
    EACH_FIELD(u, p, from, to)
    {
        size_t nbytes;
        bool is_na = false;
        if (!copy_quoted(u, dst + used, from, to, &nbytes)) {
            const dv_text text = text_of(u, c, from, to);
            nbytes = copy_text(u, dst + used, text);
            is_na = text.nbytes < 0;
        }
        used += nbytes;
        dvi_store_u32(ends, (uint32_t)used | (is_na ? UINT32_C(1) << 31 : 0));
        ends += 4;
    }
    c->values.nbytes = (int64_t)used;
}

static read_fn *reader_of(const dv_type *item)
{
    static const struct {
        dv_kind kind;
        read_fn *read;
    } readers[] = {{DV_KIND_TX, read_text}, {DV_KIND_R4, read_r4}, {DV_KIND_R8, read_r8},
                   {DV_KIND_I1, read_i1},   {DV_KIND_I2, read_i2}, {DV_KIND_I4, read_i4},
                   {DV_KIND_I8, read_i8},   {DV_KIND_U1, read_u1}, {DV_KIND_U2, read_u2},
                   {DV_KIND_U4, read_u4},   {DV_KIND_U8, read_u8}, {DV_KIND_BL, read_bl}};
    for (size_t i = 0; !item->is_key && i < sizeof readers / sizeof *readers; i++)
        if (readers[i].kind == item->kind)
            return readers[i].read;
    return read_any;
}

/* --- Columns --- */

/* The most bytes that the texts of a range can become. */
static size_t text_room(const parser *u, const field_range *p)
{
    const char *from, *to;
    size_t nbytes = 0;
    EACH_FIELD(u, p, from, to) nbytes += (size_t)(to - from);
    return (u->is_utf8 ? nbytes : 3 * nbytes) + COPY_NBYTES;
}

/* Append the fields of a range to the values. */
static dv_status read_range(parser *u, dvi_text_builder *c, const field_range *p, dv_error *err)
{
    dvi_text_values *v = &c->values;
    const dv_allocator *allocator = &u->r->allocator;
    const size_t n = (size_t)v->n, need = n + p->lines * p->slots, used = (size_t)v->nbytes;
    if (v->beside_width > 0)
        DVI_TRY(dvi_memory_extend(&v->beside, v->beside_width * n, v->beside_width * need,
                                  allocator, err));
    DVI_TRY(v->layout == DV_LAYOUT_TEXT
                ? dvi_memory_extend(&v->main, used, used + text_room(u, p), allocator, err)
                : dvi_memory_extend(&v->main, v->width * n, v->width * need, allocator, err));
    reader_of (&c->item_type)(u, c, p);
    v->n = (int64_t)need;
    return DV_OK;
}

/* Parse the vectors of some lines as dense ones; *is_dense_out: whether they are. */
static dv_status read_dense(parser *u, dvi_text_builder *c, size_t line, size_t lines,
                            bool *is_dense_out, dv_error *err)
{
    const int64_t n = c->values.n, nbytes = c->values.nbytes, slots = c->source->fixed_slots;
    u->unrecorded = 0;
    for (int32_t k = 0; k < c->source->segments_count; k++) {
        const dvi_text_segment *s = &c->source->segments[k];
        const field_range p = {line, lines, (size_t)s->first, (size_t)(s->end - s->first)};
        DVI_TRY(read_range(u, c, &p, err));
    }
    *is_dense_out = lines == 1 ? slots - u->unrecorded > slots / 2 : u->unrecorded == 0;
    if (!*is_dense_out) {
        c->values.n = n;
        c->values.nbytes = nbytes;
    }
    return DV_OK;
}

static dv_status read_sparse(parser *u, dvi_text_builder *c, size_t line, dv_error *err)
{
    c->items_count = 0;
    u->r->row_nbytes = 0;
    for (int32_t k = 0; k < c->source->segments_count; k++) {
        const dvi_text_segment *s = &c->source->segments[k];
        const field_range p = {line, 1, (size_t)s->first, (size_t)(s->end - s->first)};
        const char *from, *to;
        int64_t slot = 0;
        EACH_FIELD(u, &p, from, to)
        {
            const dvi_text_field field = field_of(u, from, to);
            DVI_TRY(dvi_text_rows_record(u->r, c, k, slot++, &field, err));
        }
    }
    return dvi_text_rows_append_vector(u->r, c, u->r->rows + (int64_t)line, 0, err);
}

static void mark_dense(const parser *u, const dvi_text_builder *c, size_t line, size_t lines)
{
    const size_t at = 4 * ((size_t)u->r->rows + line);
    for (size_t i = 0; i < lines; i++) {
        dvi_store_i32(c->counts->data + at + 4 * i, -1);
        dvi_store_i32(c->lengths->data + at + 4 * i, c->source->fixed_slots);
    }
}

static bool is_refused(const parser *u)
{
    return u->is_bad && (u->r->reading.strict || u->r->reading.counts || u->r->reading.csv);
}

/* Parse the vectors together if all are dense and have one segment; else one by one. */
static dv_status read_vectors(parser *u, dvi_text_builder *c, dv_error *err)
{
    const size_t at = 4 * (size_t)u->r->rows, n = u->lines->n;
    bool is_dense = false;
    DVI_TRY(dvi_memory_extend(&c->counts, at, at + 4 * n, &u->r->allocator, err));
    DVI_TRY(dvi_memory_extend(&c->lengths, at, at + 4 * n, &u->r->allocator, err));
    if (c->source->segments_count == 1)
        DVI_TRY(read_dense(u, c, 0, n, &is_dense, err));
    if (is_dense) {
        mark_dense(u, c, 0, n);
        return DV_OK;
    }
    for (size_t i = 0; i < n && !is_refused(u); i++) {
        DVI_TRY(read_dense(u, c, i, 1, &is_dense, err));
        if (is_dense)
            mark_dense(u, c, i, 1);
        else if (!is_refused(u))
            DVI_TRY(read_sparse(u, c, i, err));
    }
    return DV_OK;
}

static bool is_utf8(const dvi_text_plain *lines)
{
    size_t units;
    const size_t n = lines->end - lines->begin;
    return dvi_kernels()->utf8_units(lines->text + lines->begin, n, &units) == n;
}

/* --- Other encodings --- */

static bool is_ascii(const dvi_text_plain *lines)
{
    size_t units;
    const size_t n = lines->end - lines->begin;
    return dvi_kernels()->utf8_units(lines->text + lines->begin, n, &units) == n && units == n;
}

/* Decode lines in an encoding of single bytes, and move their marks. */
static dv_status decode(dvi_text_rows *r, const dvi_text_plain *from, dvi_text_plain *to_out,
                        dv_error *err)
{
    const uint8_t *text = (const uint8_t *)from->text;
    const size_t first = from->lines[0], last = (size_t)from->end - 1;
    size_t marks = first, used = 0, at = from->begin;
    while (from->marks[marks] != last)
        marks++;
    DVI_TRY(dvi_memory_reserve(&r->marks, &r->allocator, (marks + 1) * sizeof(uint32_t), err));
    DVI_TRY(dvi_memory_reserve(&r->decoded, &r->allocator,
                               3 * (from->end - from->begin) + COPY_NBYTES, err));
    uint32_t *to = (uint32_t *)(void *)r->marks->data;
    uint8_t *dst = r->decoded->data;
    for (size_t k = first; k <= marks; k++) {
        const size_t end = (uint32_t)(from->marks[k] + 1); /* behind the mark, which is ASCII */
        used += dvi_encoding_single(dst + used, r->encoding.high, text + at, end - at);
        to[k] = (uint32_t)used - 1;
        at = end;
    }
    memset(dst + used, 0, COPY_NBYTES);
    *to_out = (dvi_text_plain){.text = (const char *)dst,
                               .end = used,
                               .nbytes = used + COPY_NBYTES,
                               .marks = to,
                               .lines = from->lines,
                               .n = from->n};
    return DV_OK;
}

/* Remember how many values the columns have, and go back to them. */
static void mark(dvi_text_rows *r)
{
    for (int32_t k = 0; k < r->columns_count; k++) {
        dvi_text_builder *c = &r->columns[k];
        c->before[0] = c->values.n;
        c->before[1] = c->values.nbytes;
        c->before[2] = c->indices_count;
    }
}

static void go_back(dvi_text_rows *r)
{
    for (int32_t k = 0; k < r->columns_count; k++) {
        dvi_text_builder *c = &r->columns[k];
        c->values.n = c->before[0];
        c->values.nbytes = c->before[1];
        c->indices_count = c->before[2];
    }
}

/* --- Fields that no column reads --- */

enum { FIELDS_KNOWN = 1024 };

/* Whether each field that a line can have is read by a column, as far as that is cheap to know. */
static bool are_all_read(const dvi_text_rows *r)
{
    uint8_t read[FIELDS_KNOWN] = {0};
    if (r->most <= 0 || r->most > FIELDS_KNOWN)
        return false;
    for (int32_t k = 0; k < r->columns_count; k++) {
        const dvi_text_column *source = r->columns[k].source;
        for (int32_t i = 0; i < source->segments_count; i++)
            for (int64_t field = source->segments[i].first; field < source->segments[i].end;
                 field++)
                read[field] = 1;
    }
    return !memchr(read, 0, (size_t)r->most);
}

static bool has_broken_quotes(const parser *u, const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    const char quote = u->r->dialect.quote;
    if (from == to || *from != quote)
        return false;
    const char *next = memchr(from + 1, quote, (size_t)(to - from - 1));
    return next != to - 1 && field_of(u, from, to).mark == DVI_TEXT_BROKEN;
}

/* Quotes of fields that are not read must be sound too, where a fault counts. */
static void check_unread(parser *u)
{
    const dvi_text_plain *lines = u->lines;
    for (size_t i = 0; i < lines->n && !u->is_bad; i++)
        for (const uint32_t *mark = lines->marks + lines->lines[i];; mark++) {
            const char *from = lines->text + (uint32_t)(mark[0] + 1), *to = lines->text + mark[1];
            u->is_bad |= has_broken_quotes(u, from, to);
            if (mark[1] >= lines->end || *to == '\n' || *to == '\r')
                break;
        }
}

static dv_status add_plain(dvi_text_rows *r, const dvi_text_plain *lines, dv_error *err)
{
    parser u = {.r = r, .lines = lines, .is_utf8 = r->has_text && is_utf8(lines)};
    u.has_words = r->reading.missing.nbytes > 0 || r->reading.novalue.nbytes > 0 ||
                  dvi_text_undresses(&r->reading.dress);
    u.is_bad = r->has_text && !u.is_utf8 && (r->reading.refuses || r->reading.counts);
    mark(r);
    DVI_TRY(dvi_memory_reserve(&r->unquoted, &r->allocator, lines->end - lines->begin, err));
    for (int32_t k = 0; k < r->columns_count; k++) {
        dvi_text_builder *c = &r->columns[k];
        const field_range p = {0, lines->n, (size_t)c->source->segments[0].first, 1};
        if (!is_refused(&u))
            DVI_TRY(c->is_vector ? read_vectors(&u, c, err) : read_range(&u, c, &p, err));
        if (is_refused(&u)) {
            go_back(r);
            return DV_NOT_FOUND;
        }
    }
    if (u.r->dialect.allow_quoting && (r->reading.strict || r->reading.counts) && !are_all_read(r))
        check_unread(&u);
    if (is_refused(&u)) {
        go_back(r);
        return DV_NOT_FOUND;
    }
    r->rows += (int64_t)lines->n;
    return DV_OK;
}

dv_status dvi_text_rows_add_plain(dvi_text_rows *r, const dvi_text_plain *lines, dv_error *err)
{
    dvi_text_plain decoded;
    if (r->encoding.kind == DVI_ENCODING_UTF8 || is_ascii(lines))
        return add_plain(r, lines, err);
    if (r->encoding.kind != DVI_ENCODING_SINGLE)
        return DV_NOT_FOUND;
    DVI_TRY(decode(r, lines, &decoded, err));
    return add_plain(r, &decoded, err);
}
