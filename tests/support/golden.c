/* SPDX-License-Identifier: MIT */
/* golden.c: compares two tables of JSON lines. */
#include "support/golden.h"
#include "support/lines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Parsing ---------------------------------------------------------------------------------- */

static dv_text next_line(dv_text *rest)
{
    const char *newline = memchr(rest->data, '\n', (size_t)rest->nbytes);
    const int64_t nbytes = newline ? newline - rest->data : rest->nbytes;
    const dv_text line = {rest->data, nbytes};
    const int64_t used = newline ? nbytes + 1 : nbytes;
    *rest = (dv_text){rest->data + used, rest->nbytes - used};
    return line;
}

static int64_t count_lines(dv_text rest)
{
    int64_t lines = 0;
    for (; rest.nbytes > 0; lines++)
        next_line(&rest);
    return lines;
}

static bool is_header(const dvt_json *header)
{
    const dvt_json *columns = header ? dvt_json_member(header, "columns") : NULL;
    return columns && columns->kind == DVT_JSON_ARRAY && dvt_json_member(header, "rows");
}

static bool parse_rows(dvt_table *table, dv_text rest, char *message_out)
{
    for (int64_t i = 0; i < table->rows; i++) {
        const dv_text line = next_line(&rest);
        const dvt_json *row = dvt_json_parse(&table->arena, line);
        if (!row || row->kind != DVT_JSON_ARRAY) {
            snprintf(message_out, DVT_MESSAGE_NBYTES, "line %lld is no row: %.200s",
                     (long long)i + 2, line.data);
            return false;
        }
        table->row[i] = row;
    }
    return true;
}

bool dvt_table_parse(dvt_table *table_out, dv_text lines, char message_out[DVT_MESSAGE_NBYTES])
{
    *table_out = (dvt_table){0};
    dvi_arena_init(&table_out->arena, NULL);
    const int64_t count = count_lines(lines);
    const dv_text first = next_line(&lines);
    table_out->header = dvt_json_parse(&table_out->arena, first);
    if (!is_header(table_out->header)) {
        snprintf(message_out, DVT_MESSAGE_NBYTES, "line 1 is no header: %.200s", first.data);
        return false;
    }
    void *row;
    if (dvi_arena_alloc(&table_out->arena, &row, (size_t)count * sizeof(dvt_json *), NULL) != DV_OK)
        abort();
    table_out->row = row;
    table_out->rows = count - 1;
    return parse_rows(table_out, lines, message_out);
}

void dvt_table_free(dvt_table *table)
{
    dvi_arena_free(&table->arena);
    *table = (dvt_table){0};
}

/* --- Values ----------------------------------------------------------------------------------- */

/* One comparison: what is compared now, for the message. */
typedef struct comparison {
    dvt_mapping mapping;
    int64_t line;
    dv_text column;
    dvi_arena *arena;
    char *message;
} comparison;

#define CLOSE 2e-6 /* DVT_MAPPING_CLOSE */

static bool differ(const comparison *c, const char *what, const dvt_json *truth,
                   const dvt_json *actual)
{
    const dv_text none = dv_text_of("nothing");
    const dv_text expected = truth ? truth->source : none, found = actual ? actual->source : none;
    snprintf(c->message, DVT_MESSAGE_NBYTES, "line %lld%s%.*s%s%s: expected %.*s, found %.*s",
             (long long)c->line, c->column.nbytes ? ", column " : "",
             (int)(c->column.nbytes < 60 ? c->column.nbytes : 60), c->column.data,
             *what ? ", " : "", what, (int)(expected.nbytes < 150 ? expected.nbytes : 150),
             expected.data, (int)(found.nbytes < 150 ? found.nbytes : 150), found.data);
    return false;
}

static bool same_text(dv_text a, dv_text b)
{
    return a.nbytes == b.nbytes && (a.nbytes == 0 || memcmp(a.data, b.data, (size_t)a.nbytes) == 0);
}

/* "V<U4[0-9],*>" gives "U4[": the item's kind, and whether it is a key. */
static dv_text item_of(dv_text type)
{
    dv_text item = type;
    if (item.nbytes > 2 && memcmp(item.data, "V<", 2) == 0)
        item = (dv_text){type.data + 2, type.nbytes - 2};
    int64_t n = 0;
    while (n < item.nbytes && !strchr("[,>", item.data[n]))
        n++;
    return (dv_text){item.data, n + (n < item.nbytes && item.data[n] == '[')};
}

/* Is it what the truth writes for a value that is NA here? */
static bool is_na_there(const dvt_json *truth, dv_text item)
{
    static const struct {
        const char *item, *minimum;
    } list[] = {
        {"I1", "-128"},
        {"I2", "-32768"},
        {"I4", "-2147483648"},
        {"I8", "-9223372036854775808"},
        {"TS", "ts:-9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (same_text(item, dv_text_of(list[i].item)))
            return truth->kind == DVT_JSON_NUMBER
                       ? same_text(truth->source, dv_text_of(list[i].minimum))
                       : dvt_json_is_text(truth, list[i].minimum);
    return false;
}

/* Text from UTF-16 units; each lone surrogate is U+FFFD. */
static dv_text text_of_units(dvi_arena *arena, const dvt_json *units)
{
    void *memory;
    if (dvi_arena_alloc(arena, &memory, 3 * (size_t)units->count + 1, NULL) != DV_OK)
        abort();
    char *const text = memory, *dst = text;
    for (const dvt_json *u = units->first; u; u = u->next) {
        int64_t c = dvt_json_int(u);
        const int64_t low = u->next ? dvt_json_int(u->next) : 0;
        if (c >= 0xD800 && c < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            *dst++ = (char)(0xF0 | c >> 18);
            *dst++ = (char)(0x80 | (c >> 12 & 0x3F));
            *dst++ = (char)(0x80 | (c >> 6 & 0x3F));
            *dst++ = (char)(0x80 | (c & 0x3F));
            u = u->next;
            continue;
        }
        if (c >= 0xD800 && c < 0xE000)
            c = 0xFFFD;
        if (c >= 0x800)
            *dst++ = (char)(0xE0 | c >> 12);
        if (c >= 0x80)
            *dst++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3F) : 0xC0 | c >> 6);
        *dst++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3F) : c);
    }
    return (dv_text){text, dst - text};
}

static bool same_value(const comparison *c, dv_text item, const dvt_json *truth,
                       const dvt_json *actual);

/* --- Vectors, dense or sparse ----------------------------------------------------------------- */

/* The default value of any type, as golden files write it. */
static bool is_default(const dvt_json *value)
{
    static const char *const texts[] = {"",
                                        "r4:00000000",
                                        "r8:0000000000000000",
                                        "ts:0",
                                        "dt:0",
                                        "dz:0:0",
                                        "ug:00000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (dvt_json_is_text(value, texts[i]))
            return true;
    return value->kind == DVT_JSON_FALSE ||
           (value->kind == DVT_JSON_NUMBER && same_text(value->source, dv_text_of("0")));
}

/* A place in a vector: the next item, and its slot. */
typedef struct place {
    const dvt_json *item, *slot; /* slot NULL: dense, and next */
    int64_t next;
} place;

static place place_of(const dvt_json *vector)
{
    const dvt_json *dense = dvt_json_member(vector, "dense");
    if (dense)
        return (place){dense->first, NULL, 0};
    return (place){dvt_json_member(vector, "val")->first, dvt_json_member(vector, "idx")->first, 0};
}

/* The item of the next slot; NULL: the default. */
static const dvt_json *take_slot(place *p, bool is_dense)
{
    const int64_t slot = p->next++;
    if (!p->item || (!is_dense && (!p->slot || dvt_json_int(p->slot) != slot)))
        return NULL;
    const dvt_json *item = p->item;
    p->item = item->next;
    p->slot = p->slot ? p->slot->next : NULL;
    return item;
}

/* The value of "r4:hexbits"; false: it is none. */
static bool read_r4(const dvt_json *value, float *r4_out)
{
    if (value->kind != DVT_JSON_STRING || value->text.nbytes != 11 ||
        memcmp(value->text.data, "r4:", 3) != 0)
        return false;
    const uint32_t bits = (uint32_t)strtoul(value->text.data + 3, NULL, 16);
    memcpy(r4_out, &bits, sizeof bits);
    return true;
}

/* Whether both are "r8:hexbits", 16 steps apart at most; only where exp and log are not those of
 * glibc, which rounds otherwise where it has fused multiply-add. */
static bool are_near(const dvt_json *truth, const dvt_json *actual)
{
#ifndef __GLIBC__
    const dv_text t = truth->text, a = actual->text;
    if (truth->kind != DVT_JSON_STRING || actual->kind != DVT_JSON_STRING || t.nbytes != 19 ||
        a.nbytes != 19 || memcmp(t.data, "r8:", 3) != 0 || memcmp(a.data, "r8:", 3) != 0)
        return false;
    const uint64_t x = strtoull(t.data + 3, NULL, 16), y = strtoull(a.data + 3, NULL, 16);
    return (x > y ? x - y : y - x) <= 16;
#else
    (void)truth;
    (void)actual;
    return false;
#endif
}

/* Whether both are the NaN of arithmetic, which is negative on x86, where the truth was made, and
 * positive on ARM. */
static bool are_made_nans(const dvt_json *truth, const dvt_json *actual)
{
#ifdef __aarch64__
    const dv_text t = truth->text, a = actual->text;
    if (truth->kind != DVT_JSON_STRING || actual->kind != DVT_JSON_STRING)
        return false;
    return (same_text(t, dv_text_of("r4:ffc00000")) && same_text(a, dv_text_of("r4:7fc00000"))) ||
           (same_text(t, dv_text_of("r8:fff8000000000000")) &&
            same_text(a, dv_text_of("r8:7ff8000000000000")));
#else
    (void)truth;
    (void)actual;
    return false;
#endif
}

static double greatest_of(const dvt_json *vector)
{
    double greatest = 0;
    for (const dvt_json *item = place_of(vector).item; item; item = item->next) {
        float value;
        if (read_r4(item, &value) && fabs((double)value) > greatest)
            greatest = fabs((double)value);
    }
    return greatest;
}

static bool are_close(const dvt_json *truth, const dvt_json *actual, double most)
{
    float t, a;
    return read_r4(truth, &t) && read_r4(actual, &a) && fabs((double)t - (double)a) <= most;
}

static bool same_vector(const comparison *c, dv_text item, const dvt_json *truth,
                        const dvt_json *actual)
{
    const double most = c->mapping == DVT_MAPPING_CLOSE ? CLOSE * greatest_of(truth) : -1;
    const dvt_json *length = dvt_json_member(truth, "len");
    if (!dvt_json_same(length, dvt_json_member(actual, "len")))
        return false;
    const bool dense_t = dvt_json_member(truth, "dense"),
               dense_a = dvt_json_member(actual, "dense");
    place t = place_of(truth), a = place_of(actual);
    for (int64_t i = dvt_json_int(length); i > 0; i--) {
        const dvt_json *x = take_slot(&t, dense_t), *y = take_slot(&a, dense_a);
        if (x && y && are_close(x, y, most))
            continue;
        if (x && y ? !same_value(c, item, x, y) : (x || y) && !is_default(x ? x : y))
            return false;
    }
    return !t.item && !a.item;
}

static bool same_value(const comparison *c, dv_text item, const dvt_json *truth,
                       const dvt_json *actual)
{
    if (c->mapping >= DVT_MAPPING_LOGICAL && dvt_json_member(truth, "len") &&
        dvt_json_member(actual, "len"))
        return same_vector(c, item, truth, actual);
    const dvt_json *units = dvt_json_member(truth, "utf16");
    if (units && truth->count == 1)
        return actual->kind == DVT_JSON_STRING &&
               same_text(text_of_units(c->arena, units), actual->text);
    if (c->mapping >= DVT_MAPPING_MLNET && is_na_there(truth, item))
        return actual->kind == DVT_JSON_NULL;
    if (!truth->first)
        return dvt_json_same(truth, actual) ||
               (c->mapping == DVT_MAPPING_EXP && are_near(truth, actual)) ||
               (c->mapping >= DVT_MAPPING_LOGICAL && are_made_nans(truth, actual));

    if (truth->kind != actual->kind || truth->count != actual->count)
        return false;
    const dvt_json *t = truth->first, *a = actual->first;
    for (; t; t = t->next, a = a->next)
        if (!same_text(t->key, a->key) || !same_value(c, item, t, a))
            return false;
    return true;
}

static bool same_row_value(const comparison *c, dv_text item, const dvt_json *truth,
                           const dvt_json *actual)
{
    return same_value(c, item, truth, actual) || differ(c, "", truth, actual);
}

/* --- The header ------------------------------------------------------------------------------- */

static bool same_member(const comparison *c, const char *key, const dvt_json *truth,
                        const dvt_json *actual)
{
    const dvt_json *t = dvt_json_member(truth, key), *a = dvt_json_member(actual, key);
    return (t && a && dvt_json_same(t, a)) || differ(c, key, t, a);
}

static bool same_metadata(const comparison *c, const dvt_json *truth, const dvt_json *actual)
{
    if (!truth || !actual || truth->count != actual->count)
        return differ(c, "metadata", truth, actual);
    for (const dvt_json *t = truth->first; t; t = t->next) {
        const dvt_json *a = actual->first;
        while (a && !same_text(t->key, a->key))
            a = a->next;
        if (!a || a->count != 2 || t->count != 2)
            return differ(c, "metadata", t, a);
        const dvt_json *type = dvt_json_member(t, "type"), *value = dvt_json_member(t, "value");
        const dvt_json *found = dvt_json_member(a, "value");
        if (!same_member(c, "type", t, a))
            return false;
        if (!found || !same_value(c, item_of(type->text), value, found))
            return differ(c, "metadata", t, a);
    }
    return true;
}

static bool same_column(comparison *c, const dvt_json *truth, const dvt_json *actual)
{
    c->column = dvt_json_member(truth, "name")->text;
    if (truth->count != actual->count)
        return differ(c, "", truth, actual);
    return same_member(c, "name", truth, actual) && same_member(c, "type", truth, actual) &&
           same_metadata(c, dvt_json_member(truth, "metadata"),
                         dvt_json_member(actual, "metadata"));
}

/* --- The table -------------------------------------------------------------------------------- */

static int64_t active_count(const dvt_part *part, int64_t columns)
{
    return part->columns ? part->columns_count : columns;
}

static const dvt_json *active(const dvt_part *part, const dvt_json *array, int64_t k)
{
    return dvt_json_item(array, part->columns ? part->columns[k] : k);
}

static bool is_unknown(const dvt_json *rows)
{
    return rows && (rows->kind == DVT_JSON_NULL || dv_text_equal(rows->source, dv_text_of("-1")));
}

static bool same_header(comparison *c, const dvt_part *part, const dvt_json *truth,
                        const dvt_json *actual)
{
    const dvt_json *t = dvt_json_member(truth, "columns"), *a = dvt_json_member(actual, "columns");
    if (truth->count != actual->count)
        return differ(c, "header", truth, actual);
    if (!(c->mapping == DVT_MAPPING_UNCOUNTED && is_unknown(dvt_json_member(actual, "rows"))) &&
        !same_member(c, "rows", truth, actual))
        return false;
    if (a->count != active_count(part, t->count))
        return differ(c, "number of columns", t, a);
    for (int64_t k = 0; k < a->count; k++)
        if (!same_column(c, active(part, t, k), dvt_json_item(a, k)))
            return false;
    return true;
}

static bool same_row(comparison *c, const dvt_part *part, const dvt_json *columns,
                     const dvt_json *truth, const dvt_json *actual)
{
    c->column = (dv_text){"", 0};
    if (actual->count != active_count(part, truth->count) || truth->count != columns->count)
        return differ(c, "number of columns", truth, actual);
    const dvt_json *a = actual->first, *t = truth->first, *column = columns->first;
    for (int64_t k = 0; a; k++, a = a->next) {
        if (part->columns) {
            t = active(part, truth, k);
            column = active(part, columns, k);
        }
        c->column = dvt_json_member(column, "name")->text;
        if (!same_row_value(c, item_of(dvt_json_member(column, "type")->text), t, a))
            return false;
        t = t->next;
        column = column->next;
    }
    return true;
}

bool dvt_golden_compare_part(const dvt_table *truth, const dvt_part *part, const dvt_table *actual,
                             dvt_mapping mapping, char message_out[DVT_MESSAGE_NBYTES])
{
    dvi_arena arena;
    dvi_arena_init(&arena, NULL);
    comparison c = {mapping, 1, {"", 0}, &arena, message_out};
    const dvt_json *columns = dvt_json_member(truth->header, "columns");
    const int64_t end = part->end_row < truth->rows ? part->end_row : truth->rows;
    const int64_t rows = end > part->first_row ? end - part->first_row : 0;

    bool same = same_header(&c, part, truth->header, actual->header);
    for (int64_t i = 0; same && i < rows && i < actual->rows; i++) {
        c.line = i + 2;
        same = same_row(&c, part, columns, truth->row[part->first_row + i], actual->row[i]);
    }
    if (same && rows != actual->rows) {
        snprintf(message_out, DVT_MESSAGE_NBYTES, "line %lld: expected %lld rows, found %lld",
                 (long long)(rows < actual->rows ? rows : actual->rows) + 2, (long long)rows,
                 (long long)actual->rows);
        same = false;
    }
    dvi_arena_free(&arena);
    return same;
}

bool dvt_golden_compare(dv_text truth_lines, dv_text actual_lines, dvt_mapping mapping,
                        char message_out[DVT_MESSAGE_NBYTES])
{
    const dvt_part all = DVT_PART_ALL;
    dvt_table truth, actual = {0};
    const bool same = dvt_table_parse(&truth, truth_lines, message_out) &&
                      dvt_table_parse(&actual, actual_lines, message_out) &&
                      dvt_golden_compare_part(&truth, &all, &actual, mapping, message_out);
    dvt_table_free(&truth);
    dvt_table_free(&actual);
    return same;
}
