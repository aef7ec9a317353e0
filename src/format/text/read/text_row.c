/* SPDX-License-Identifier: MIT */
/* text_row.c: parses a line into a row by the general path.
 *
 * Fields are read in the order of source columns. At the end of the row the number of slots of each
 * vector is known, and whether few enough are recorded to store it as sparse. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "format/text/read/text_rows_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_TEXT_NBYTES 4096
#define EDGE_NBYTES 16 /* around a name */

static const dvi_text_value none = {.text = {"", 0}}; /* the default of every type */

/* --- Values --- */

/* Count nbytes against the limit of the row. */
static dv_status charge(dvi_text_rows *r, int64_t nbytes, dv_error *err)
{
    DVI_REQUIRE(nbytes <= r->limit - r->row_nbytes,
                dvi_fail(err, DV_ERR_LIMIT, "cursor_nbytes", -1, "memory of a row",
                         "at most %" PRId64 " bytes (option cursor_nbytes)|more", r->limit));
    r->row_nbytes += nbytes;
    return DV_OK;
}

static dv_status reserve(dvi_text_rows *r, dvi_text_values *v, int64_t more, dv_error *err)
{
    const size_t n = (size_t)v->n, need = n + (size_t)more;
    DVI_TRY(charge(r, more * (int64_t)(v->width + v->beside_width), err));
    if (v->beside_width > 0)
        DVI_TRY(dvi_memory_extend(&v->beside, v->beside_width * n, v->beside_width * need,
                                  &r->allocator, err));
    return v->width == 0
               ? DV_OK
               : dvi_memory_extend(&v->main, v->width * n, v->width * need, &r->allocator, err);
}

/* Make room for `room` bytes of text, of which `charged` were counted before. */
static dv_status reserve_text(dvi_text_rows *r, dvi_text_values *v, int64_t room, int64_t charged,
                              dv_error *err)
{
    DVI_TRY(charge(r, room - charged, err));
    DVI_REQUIRE(room <= INT32_MAX - v->nbytes,
                dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of a batch",
                         "at most 2^31-1 bytes|perhaps %" PRId64, v->nbytes + room));
    return dvi_memory_extend(&v->main, (size_t)v->nbytes, (size_t)(v->nbytes + room), &r->allocator,
                             err);
}

/* Copy the bytes of a long text and check the copy: most are valid UTF-8, and need a third of the
 * worst case. */
static dv_status copy_long(dvi_text_rows *r, dvi_text_values *v, dv_text text, bool *is_done_out,
                           dv_error *err)
{
    size_t units;
    const size_t n = (size_t)text.nbytes;
    DVI_TRY(reserve_text(r, v, text.nbytes, 0, err));
    uint8_t *copy = v->main->data + v->nbytes;
    memcpy(copy, text.data, n);
    *is_done_out = dvi_kernels()->utf8_units(copy, n, &units) == n;
    v->nbytes += *is_done_out ? text.nbytes : 0;
    return DV_OK;
}

static dv_status append_text(dvi_text_rows *r, dvi_text_values *v, dv_text text, dv_error *err)
{
    const bool is_long = text.nbytes > LONG_TEXT_NBYTES;
    bool is_done = false;
    if (is_long)
        DVI_TRY(copy_long(r, v, text, &is_done, err));
    if (!is_done) {
        const int64_t n = text.nbytes > 0 ? text.nbytes : 0;
        DVI_TRY(reserve_text(r, v, n <= INT64_MAX / 3 ? 3 * n : INT64_MAX, is_long ? n : 0, err));
        v->nbytes += (int64_t)dvi_text_copy(v->main->data + v->nbytes, text, &r->faults.ill_formed);
    }
    const uint32_t na = text.nbytes < 0 ? UINT32_C(1) << 31 : 0;
    dvi_store_u32(v->beside->data + 4 * v->n++, (uint32_t)v->nbytes | na);
    return DV_OK;
}

/* Append a value. There is room, except for its text. */
static dv_status append(dvi_text_rows *r, dvi_text_values *v, const dvi_text_value *value,
                        dv_error *err)
{
    if (v->layout == DV_LAYOUT_TEXT)
        return append_text(r, v, value->text, err);
    memcpy(v->main->data + v->width * (size_t)v->n, value->bits, v->width);
    if (v->layout == DV_LAYOUT_ZONED)
        memcpy(v->beside->data + 2 * v->n, &value->bits[1], 2);
    v->n++;
    return DV_OK;
}

/* --- A row --- */

static dv_status reserve_item(dvi_text_rows *r, dvi_text_builder *c, dv_error *err)
{
    DVI_TRY(charge(r, (int64_t)sizeof *c->items, err));
    if (c->items_count < c->items_cap)
        return DV_OK;
    void *items = c->items;
    DVI_TRY(dvi_array_reserve(&r->allocator, &items, &c->items_cap, c->items_count + 1,
                              sizeof *c->items, err));
    c->items = items;
    return DV_OK;
}

/* --- Faults of a strict reader --- */

static dv_status status_of(const dvi_text_rows *r)
{
    return r->reading.refuses ? DV_ERR_LOSS : DV_ERR_CORRUPT;
}

/* How the caller goes on: it allows the loss, or chooses other options. */
static const char *way_out(const dvi_text_rows *r)
{
    return r->reading.refuses ? ", or fields allowed" : ", or strict-";
}

/* Would a date be read if its order or format was known? */
static bool needs_rule(const dvi_text_rows *r, const dvi_text_builder *c, dv_text text)
{
    return r->reading.csv && (c->item_type.kind == DV_KIND_DT || c->item_type.kind == DV_KIND_DZ) &&
           dvi_date_needs_rule(text, &r->reading.date);
}

/* The rules of CSV make NA of a bad value, and the column has a type without NA. */
static bool lacks_na(const dvi_text_rows *r, const dvi_text_builder *c)
{
    const bool is_judged = r->reading.strict || r->reading.refuses || r->reading.counts;
    return r->reading.csv && is_judged && !dvi_text_has_na(&c->item_type);
}

/* Types that have NA, for a column whose type has none. */
static void write_types(char *text, size_t cap, const dvi_text_builder *c)
{
    const dvi_shown name = dvi_show(c->source->name);
    if (c->item_type.kind == DV_KIND_UG)
        snprintf(text, cap, ", or type=%s:TX", name.text);
    else
        snprintf(text, cap, ", or type=%s:I8, or type=%s:TX", name.text, name.text);
}

/* The field is no value of its column. */
static dv_status fail_value(const dvi_text_rows *r, const dvi_text_builder *c,
                            const dvi_text_field *field, dv_error *err)
{
    char type[64];
    const char *kind = dv_kind_name(c->item_type.kind);
    dv_type_print(&c->item_type, type, sizeof type);
    const dv_status status = status_of(r);
    char way[256];
    const bool lacks = lacks_na(r, c);
    if (lacks) /* its default is a value, which no option makes of the field */
        write_types(way, sizeof way, c);
    else if (r->reading.refuses && !r->reading.csv) /* columns that the caller named */
        snprintf(way, sizeof way, "%s", way_out(r));
    else
        snprintf(way, sizeof way, "%s, or type=%s:TX%s",
                 !needs_rule(r, c, field->text)      ? ""
                 : r->reading.date.format.nbytes > 0 ? ", or another format in date="
                                                     : ", or date=dmy or date=mdy",
                 dvi_show(c->source->name).text, way_out(r));
    if (field->text.nbytes == 0)
        dvi_fail(err, status, "semantics:6.4", -1, "field", "%s, which has no NA%s|a blank", kind,
                 way);
    else
        dvi_fail(err, status, "semantics:6.4", -1, "field", "%s%s%s|\"%s\"", type,
                 lacks ? ", which has no NA" : "", way, dvi_show(field->text).text);
    dvi_error_within(err, "column \"%s\"", dvi_show(c->source->name).text);
    return status;
}

/* Tell who watches. */
static void tell(const dvi_text_rows *r, dvi_text_fault_kind kind, int64_t column, dv_text text)
{
    if (r->watch)
        r->watch(r->watch_ctx, &(dvi_text_fault){kind, (int32_t)column, text});
}

/* The first column that a line with `count` fields lacks. */
static int32_t first_absent(const dvi_text_rows *r, int64_t count)
{
    int32_t column = 0;
    int64_t first = INT64_MAX;
    for (int32_t k = 0; k < r->columns_count; k++)
        for (int32_t i = 0; i < r->columns[k].source->segments_count; i++) {
            const dvi_text_segment *s = &r->columns[k].source->segments[i];
            const int64_t at = dvi_max_i64(s->first, count);
            if (s->end != DVI_TEXT_NO_END && at < s->end && at < first) {
                first = at;
                column = k;
            }
        }
    return column;
}

static dv_status fail_short(const dvi_text_rows *r, int64_t count, dv_error *err)
{
    dvi_fail(err, DV_ERR_LOSS, "semantics:6.4", -1, "line",
             "at least %" PRId64 " field%s%s|%" PRId64, r->least, DVI_S(r->least), way_out(r),
             count);
    dvi_error_within(err, "column \"%s\"",
                     dvi_show(r->columns[first_absent(r, count)].source->name).text);
    return DV_ERR_LOSS;
}

static dv_status fail_long(const dvi_text_rows *r, const dvi_text_field *field, dv_error *err)
{
    return dvi_fail(err, status_of(r), "semantics:6.4", -1, "line",
                    "at most %" PRId64 " field%s%s|one more, \"%s\"", r->full, DVI_S(r->full),
                    way_out(r), dvi_show(field->text).text);
}

static dv_status fail_quotes(const dvi_text_rows *r, dv_error *err)
{
    return dvi_fail(err, status_of(r), "semantics:6.4", -1, "line",
                    "complete quotes and sparse items%s|broken ones", way_out(r));
}

static dv_status fail_utf8(const dvi_text_rows *r, const dvi_text_builder *c, dv_error *err)
{
    const bool may_be_other = r->encoding.kind == DVI_ENCODING_UTF8 && !r->names_encoding;
    dvi_fail(err, DV_ERR_LOSS, "semantics:6.4", -1, "field", "%s%s%s|bytes that are not",
             dvi_encoding_name(&r->encoding), may_be_other ? ", or encoding=windows-1252" : "",
             way_out(r));
    dvi_error_within(err, "column \"%s\"", dvi_show(c->source->name).text);
    return DV_ERR_LOSS;
}

/* By the rules of CSV, faults of lines that are odd as a whole are counted; of the others they are
 * errors.  Which of them this line is its end tells. */
static bool forgives(const dvi_text_rows *r)
{
    return r->reading.csv && !r->reading.refuses;
}

/* Has the text a number after `_`, as a name that occurs twice? */
static bool is_suffix(dv_text text)
{
    bool is = text.nbytes >= 2 && text.data[0] == '_';
    for (int64_t i = 1; i < text.nbytes; i++)
        is &= text.data[i] >= '0' && text.data[i] <= '9';
    return is;
}

/* Is the field the name of its column, as where a header is repeated?  Then it is counted.  Names
 * of columns are made of those in the header, and may have a number after them. */
static dv_status find_own_name(bool *is_out, dvi_text_rows *r, const dvi_text_builder *c,
                               dv_text field, dv_error *err)
{
    const dv_text name = c->source->name, trimmed = dvi_text_trim(field);
    const int64_t room = name.nbytes + EDGE_NBYTES;
    *is_out = false;
    if (c->is_vector || trimmed.nbytes > room)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(&r->name, &r->allocator, 3 * (size_t)room, err));
    const dv_text own = dvi_text_name(r->name->data, trimmed);
    *is_out = own.nbytes > 0 && own.nbytes <= name.nbytes &&
              memcmp(own.data, name.data, (size_t)own.nbytes) == 0 &&
              (own.nbytes == name.nbytes ||
               is_suffix((dv_text){name.data + own.nbytes, name.nbytes - own.nbytes}));
    return DV_OK;
}

dv_status dvi_text_rows_record(dvi_text_rows *r, dvi_text_builder *c, int32_t segment, int64_t slot,
                               const dvi_text_field *field, dv_error *err)
{
    DVI_TRY(reserve_item(r, c, err));
    dvi_text_record *to = &c->items[c->items_count];
    const dvi_text_verdict verdict =
        dvi_text_read_value(&to->value, &c->item_type, field, &r->reading);
    r->faults.bad_values += verdict == DVI_TEXT_BAD;
    if (verdict == DVI_TEXT_BAD && ((r->reading.strict && !forgives(r)) || lacks_na(r, c)))
        return fail_value(r, c, field, err);
    if (verdict == DVI_TEXT_BAD && !r->bad_column && r->reading.strict && forgives(r)) {
        bool is_own_name;
        DVI_TRY(find_own_name(&is_own_name, r, c, field->text, err));
        r->bad_column = is_own_name ? NULL : c;
        r->bad = *field;
    }
    if (verdict == DVI_TEXT_BAD)
        tell(r, DVI_TEXT_FAULT_VALUE, c - r->columns, field->text);
    to->slot = slot;
    to->segment = segment;
    c->items_count += verdict != DVI_TEXT_NOTHING;
    return DV_OK;
}

static int64_t end_of(const dvi_text_segment *s, int64_t end)
{
    return s->end == DVI_TEXT_NO_END ? end : s->end;
}

/* The values of a column that a line of `count` source columns lacks. */
static int64_t count_absent(const dvi_text_column *source, int64_t count, int64_t end)
{
    int64_t n = 0;
    for (int32_t k = 0; k < source->segments_count; k++) {
        const dvi_text_segment *s = &source->segments[k];
        n += dvi_max_i64(0, end_of(s, end) - dvi_max_i64(s->first, count));
    }
    return n;
}

/* With missingrealnan, reals missing at the end of a line are NaN; with defaults-, all are NA. Gaps
 * between sparse items are not: a line could ask for 2^31 of them. So could the columns, whose ends
 * take no bytes of a line: the absent reals of vectors have a limit. */
static dv_status record_absent(dvi_text_rows *r, dvi_text_builder *c, int64_t count, int64_t end,
                               dv_error *err)
{
    const bool is_real = c->item_type.kind == DV_KIND_R4 || c->item_type.kind == DV_KIND_R8;
    if (r->reading.has_defaults && !is_real)
        return DV_OK;
    const dvi_text_field nothing = {.mark = DVI_TEXT_BLANK, .text = {"", 0}};
    r->absent += c->is_vector ? count_absent(c->source, count, end) : 0;
    DVI_REQUIRE(r->absent <= r->reading.absent,
                dvi_fail(err, DV_ERR_LIMIT, "text", -1, "missing fields that missingrealnan fills",
                         "at most %d in a line (text option absent=N)|%" PRId64, r->reading.absent,
                         r->absent));
    for (int32_t k = 0; k < c->source->segments_count; k++) {
        const dvi_text_segment *s = &c->source->segments[k];
        for (int64_t at = dvi_max_i64(s->first, count); at < end_of(s, end); at++) {
            DVI_REQUIRE(!lacks_na(r, c), fail_value(r, c, &nothing, err));
            DVI_TRY(reserve_item(r, c, err));
            c->items[c->items_count++] =
                (dvi_text_record){at - s->first, k, dvi_text_na(&c->item_type)};
        }
    }
    return DV_OK;
}

static dv_status read_fields(dvi_text_rows *r, dvi_text_items *fields, dv_error *err)
{
    const dvi_text_targets *t = &r->targets;
    size_t interval = 0;
    int64_t source;
    dvi_text_field field;
    bool is_long = false;
    while ((r->reads_all || interval < t->intervals_count) &&
           dvi_text_items_next(fields, &source, &field)) {
        if (source >= r->full && field.mark != DVI_TEXT_BLANK) {
            DVI_REQUIRE(!r->reading.strict || forgives(r), fail_long(r, &field, err));
            if (!is_long)
                tell(r, DVI_TEXT_FAULT_LONG, -1, field.text);
            if (!r->is_long)
                r->extra = field;
            r->is_long = true;
            is_long = true;
        }
        while (interval < t->intervals_count && source >= t->intervals[interval].end)
            interval++;
        if (interval == t->intervals_count)
            continue;
        const dvi_text_interval *in = &t->intervals[interval];
        for (size_t i = 0; i < in->n; i++) {
            const dvi_text_target *to = &t->targets[in->first + i];
            DVI_TRY(dvi_text_rows_record(r, &r->columns[to->column], to->segment,
                                         source - to->first, &field, err));
        }
    }
    return DV_OK;
}

static int compare(const void *a, const void *b)
{
    const dvi_text_record *x = a, *y = b;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* The slots of the segment without an end, in a line that ends at source column `end`. */
static int64_t variable_slots(const dvi_text_column *source, int64_t end)
{
    if (source->variable < 0)
        return 0;
    return dvi_max_i64(0, end - source->segments[source->variable].first);
}

/* Turn the items' slots within segments into slots of the vector, and sort them. */
static void assign_slots(dvi_text_builder *c, int64_t variable)
{
    const dvi_text_column *s = c->source;
    bool rises = true;
    for (size_t i = 0; s->segments_count > 1 && i < c->items_count; i++) {
        const int32_t k = c->items[i].segment;
        c->items[i].slot += s->segments[k].slot;
        c->items[i].slot += s->variable >= 0 && k > s->variable ? variable : 0;
    }
    for (size_t i = 1; i < c->items_count; i++)
        rises &= c->items[i].slot > c->items[i - 1].slot;
    if (!rises)
        qsort(c->items, c->items_count, sizeof *c->items, compare);
}

/* Append a value for every slot; the default if it has no item. */
static dv_status append_dense(dvi_text_rows *r, dvi_text_builder *c, int64_t slots, dv_error *err)
{
    size_t next = 0;
    DVI_TRY(reserve(r, &c->values, slots, err));
    for (int64_t slot = 0; slot < slots; slot++) {
        const bool has_item = next < c->items_count && c->items[next].slot == slot;
        DVI_TRY(append(r, &c->values, has_item ? &c->items[next].value : &none, err));
        next += has_item;
    }
    return DV_OK;
}

static dv_status append_sparse(dvi_text_rows *r, dvi_text_builder *c, dv_error *err)
{
    const size_t at = (size_t)c->indices_count, n = c->items_count;
    DVI_TRY(reserve(r, &c->values, (int64_t)n, err));
    DVI_TRY(charge(r, 4 * (int64_t)n, err));
    DVI_TRY(dvi_memory_extend(&c->indices, 4 * at, 4 * (at + n), &r->allocator, err));
    for (size_t i = 0; i < n; i++) {
        dvi_store_i32(c->indices->data + 4 * (at + i), (int32_t)c->items[i].slot);
        DVI_TRY(append(r, &c->values, &c->items[i].value, err));
    }
    c->indices_count += (int64_t)n;
    return DV_OK;
}

dv_status dvi_text_rows_append_vector(dvi_text_rows *r, dvi_text_builder *c, int64_t row,
                                      int64_t end, dv_error *err)
{
    const int64_t variable = variable_slots(c->source, end);
    const int64_t slots = c->source->fixed_slots + variable;
    const size_t at = 4 * (size_t)row;
    DVI_REQUIRE(slots <= INT32_MAX, dvi_fail(err, DV_ERR_LIMIT, "text", -1, "slots of a vector",
                                             "at most 2^31-1|%" PRId64, slots));
    assign_slots(c, variable);
    DVI_TRY(dvi_memory_extend(&c->counts, at, at + 4, &r->allocator, err));
    DVI_TRY(dvi_memory_extend(&c->lengths, at, at + 4, &r->allocator, err));
    const bool is_sparse = c->items_count <= (size_t)slots / 2 && slots > 0;
    dvi_store_i32(c->counts->data + at, is_sparse ? (int32_t)c->items_count : -1);
    dvi_store_i32(c->lengths->data + at, (int32_t)slots);
    return is_sparse ? append_sparse(r, c, err) : append_dense(r, c, slots, err);
}

static dv_status append_scalar(dvi_text_rows *r, dvi_text_builder *c, dv_error *err)
{
    DVI_TRY(reserve(r, &c->values, 1, err));
    return append(r, &c->values, c->items_count > 0 ? &c->items[0].value : &none, err);
}

/* Read the line to its end; *count_out: its source columns.  Returns its errors. */
static int64_t count_fields(const dvi_text_rows *r, dv_text line, bool is_lazy, int64_t *count_out)
{
    dvi_text_field field;
    int64_t source;
    dvi_text_items items = dvi_text_items_of(&r->dialect, line, (char *)(void *)r->unquoted->data);
    items.is_lazy = is_lazy;
    while (dvi_text_items_next(&items, &source, &field))
        ;
    *count_out = dvi_text_items_count(&items);
    return items.errors;
}

/* Do fields with broken quotes hold separators?  They do if the line has all fields only so. */
static bool is_lazy(const dvi_text_rows *r, dv_text line)
{
    int64_t count;
    const bool may_be = r->dialect.keeps_broken && r->dialect.allow_quoting && line.nbytes > 0 &&
                        memchr(line.data, r->dialect.quote, (size_t)line.nbytes);
    if (!may_be || count_fields(r, line, false, &count) == 0 || count == r->sources)
        return false;
    count_fields(r, line, true, &count);
    return count == r->sources;
}

/* By the rules of CSV, what is wrong with the fields of a line is an error unless the line itself
 * is odd: too short, too long by blanks, or with broken quotes. */
static dv_status check_line(const dvi_text_rows *r, int64_t errors, int64_t count, dv_error *err)
{
    const bool is_odd = errors > 0 || count < r->sources || (count > r->most && !r->is_long);
    if (is_odd || !r->reading.strict)
        return DV_OK;
    DVI_REQUIRE(!r->is_long, fail_long(r, &r->extra, err));
    return r->bad_column ? fail_value(r, r->bad_column, &r->bad, err) : DV_OK;
}

dv_status dvi_text_rows_add(dvi_text_rows *r, dv_text line, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(&r->unquoted, &r->allocator, (size_t)line.nbytes, err));
    dvi_text_items fields = dvi_text_items_of(&r->dialect, line, (char *)(void *)r->unquoted->data);
    fields.is_lazy = is_lazy(r, line);
    r->bad_column = NULL;
    r->is_long = false;
    for (int32_t k = 0; k < r->columns_count; k++)
        r->columns[k].items_count = 0;
    r->row_nbytes = r->absent = 0;
    DVI_TRY(read_fields(r, &fields, err));
    r->faults.format_errors += fields.errors;
    DVI_REQUIRE(fields.errors == 0 || !r->reading.strict || forgives(r), fail_quotes(r, err));
    if (fields.errors > 0)
        tell(r, DVI_TEXT_FAULT_QUOTES, -1, (dv_text){"", 0});
    const int64_t count = r->reads_all ? dvi_text_items_count(&fields) : 0;
    const int64_t end = r->reads_all ? dvi_text_items_end(&fields) : 0;
    DVI_REQUIRE(count >= r->least || !r->reading.refuses, fail_short(r, count, err));
    if (forgives(r))
        DVI_TRY(check_line(r, fields.errors, count, err));
    if (count > r->most && !r->is_long && r->reading.csv)
        tell(r, DVI_TEXT_FAULT_EXTRA, -1, (dv_text){"", 0});
    if (count < r->least)
        tell(r, DVI_TEXT_FAULT_SHORT, first_absent(r, count), (dv_text){"", 0});
    for (int32_t k = 0; k < r->columns_count; k++) {
        dvi_text_builder *c = &r->columns[k];
        const int64_t ill_formed = r->faults.ill_formed;
        if (r->reading.missing_real_nan || !r->reading.has_defaults)
            DVI_TRY(record_absent(r, c, count, end, err));
        DVI_TRY(c->is_vector ? dvi_text_rows_append_vector(r, c, r->rows, end, err)
                             : append_scalar(r, c, err));
        DVI_REQUIRE(r->faults.ill_formed == ill_formed || !r->reading.refuses,
                    fail_utf8(r, c, err));
        if (r->faults.ill_formed > ill_formed)
            tell(r, DVI_TEXT_FAULT_UTF8, k, (dv_text){"", 0});
    }
    r->rows++;
    return DV_OK;
}
