/* SPDX-License-Identifier: MIT */
/* text_tally.c: sums up by column what is wrong with the lines of a text file. */
#include "format/text/read/text_tally.h"
#include "base/alloc.h"
#include "base/check.h"
#include "format/text/read/text_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KINDS ((size_t)DVI_TEXT_FAULT_QUOTES + 1)

static size_t number_nbytes(const dvi_text_tallies *t)
{
    return ((size_t)t->layout->columns_count + 1) * KINDS * sizeof *t->number;
}

static dv_status make_room(dvi_text_tallies *t)
{
    void *made;
    if (!t->number) {
        DVI_TRY(dvi_alloc_zeroed(t->allocator, &made, number_nbytes(t), NULL));
        t->number = made;
    }
    made = t->list;
    DVI_TRY(dvi_array_reserve(t->allocator, &made, &t->cap, t->n + 1, sizeof *t->list, NULL));
    t->list = made;
    return DV_OK;
}

/* The sum of faults like this one; NULL: no memory. */
static dvi_text_tally *find(dvi_text_tallies *t, const dvi_text_fault *fault)
{
    const size_t at = (size_t)(fault->column + 1) * KINDS + (size_t)fault->kind;
    if (t->number && t->number[at] > 0)
        return &t->list[t->number[at] - 1];
    if (make_room(t) < 0) {
        t->is_failed = true;
        return NULL;
    }
    t->list[t->n] =
        (dvi_text_tally){.kind = fault->kind, .column = fault->column, .offset = t->offset};
    t->number[at] = (int32_t)++t->n;
    return &t->list[t->n - 1];
}

void dvi_text_tallies_add(void *ctx, const dvi_text_fault *fault)
{
    dvi_text_tallies *t = ctx;
    dvi_text_tally *tally = find(t, fault);
    if (!tally)
        return;
    tally->in_line = tally->line == t->row && tally->count > 0 ? tally->in_line + 1 : 1;
    tally->line = t->row;
    if (tally->count++ >= DVI_TEXT_TALLY_FIRST)
        return;
    const int64_t i = tally->count - 1;
    const size_t n = fault->text.nbytes > 0 ? (size_t)fault->text.nbytes : 0;
    tally->row[i] = t->row;
    if (n > 0)
        dvi_printable(tally->text[i], DVI_TEXT_TALLY_SHOWN, fault->text.data, n);
}

void dvi_text_tallies_undo(dvi_text_tallies *t)
{
    for (size_t i = 0; i < t->n; i++) {
        dvi_text_tally *tally = &t->list[i];
        if (tally->count > 0 && tally->line == t->row)
            tally->count -= tally->in_line;
    }
}

void dvi_text_tallies_clear(dvi_text_tallies *t)
{
    if (t->n > 0)
        memset(t->number, 0, number_nbytes(t));
    t->n = 0;
    t->is_failed = false;
}

/* Add the sum, whose rows follow others. */
static bool add_sum(dvi_text_tallies *to, const dvi_text_tally *from, int64_t rows_before)
{
    const dvi_text_fault fault = {from->kind, from->column, {"", 0}};
    dvi_text_tally *sum = find(to, &fault);
    if (!sum)
        return false;
    for (int64_t i = 0; i < DVI_TEXT_TALLY_FIRST && i < from->count; i++) {
        const int64_t at = sum->count + i;
        if (at >= DVI_TEXT_TALLY_FIRST)
            break;
        sum->row[at] = from->row[i] + rows_before;
        memcpy(sum->text[at], from->text[i], sizeof sum->text[at]);
    }
    sum->count += from->count;
    return true;
}

bool dvi_text_tallies_move(dvi_text_tallies *to, dvi_text_tallies *from, int64_t rows_before)
{
    to->is_failed = false;
    for (size_t i = 0; i < from->n; i++) {
        if (from->list[i].count > 0 && !add_sum(to, &from->list[i], rows_before))
            return false;
        from->list[i].count = 0;
    }
    return true;
}

void dvi_text_tallies_most(dvi_text_tallies *to, const dvi_text_tallies *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const dvi_text_fault fault = {from->list[i].kind, from->list[i].column, {"", 0}};
        dvi_text_tally *sum = find(to, &fault);
        if (sum && from->list[i].count > sum->count)
            *sum = from->list[i];
    }
}

void dvi_text_tallies_free(dvi_text_tallies *t)
{
    dvi_free(t->allocator, t->list, t->cap * sizeof *t->list);
    if (t->number)
        dvi_free(t->allocator, t->number, number_nbytes(t));
    t->list = NULL;
    t->number = NULL;
    t->n = t->cap = 0;
}

/* The encoding that detection suggests, unless an option or a mark names one; empty: none. */
static dv_text suggestion_of(const dvi_text_file *file)
{
    static const char option[] = "encoding=";
    const dvi_text_options *o = &file->options;
    if (o->names_encoding || o->found.kind != DVI_ENCODING_UTF8)
        return dv_text_of("");
    const char *note = file->notes ? strstr(file->notes, option) : NULL;
    return note ? (dv_text){note + sizeof option - 1,
                            (int64_t)strcspn(note + sizeof option - 1, ", ")}
                : dv_text_of("windows-1252");
}

/* "2 rows have bytes that are not UTF-8 and read as U+FFFD" */
static int write_damage(char *text, size_t cap, int64_t count, const dvi_text_file *file)
{
    const dv_text other = suggestion_of(file);
    return snprintf(text, cap, "%" PRId64 " %s bytes that are not %s and read as U+FFFD%s%.*s%s",
                    count, count == 1 ? "row has" : "rows have",
                    dvi_encoding_name(&file->options.found),
                    other.nbytes > 0 ? " (perhaps option encoding=" : "", (int)other.nbytes,
                    other.data, other.nbytes > 0 ? " reads them)" : "");
}

/* "2 fields are no value of R4" */
static int write_what(char *text, size_t cap, const dvi_text_tally *tally,
                      const dvi_text_file *file)
{
    char type[64] = "";
    const bool is_one = tally->count == 1;
    if (tally->column >= 0) {
        const dv_type item = dv_type_item(&file->layout.columns[tally->column].type);
        dv_type_print(&item, type, sizeof type);
    }
    switch (tally->kind) {
    case DVI_TEXT_FAULT_VALUE:
        return snprintf(text, cap, "%" PRId64 " %s no value of %s", tally->count,
                        is_one ? "field is" : "fields are", type);
    case DVI_TEXT_FAULT_UTF8:
        return write_damage(text, cap, tally->count, file);
    case DVI_TEXT_FAULT_SHORT:
        return snprintf(text, cap, "%" PRId64 " %s too short", tally->count,
                        is_one ? "line is" : "lines are");
    case DVI_TEXT_FAULT_LONG:
        return snprintf(text, cap, "%" PRId64 " %s more fields than columns", tally->count,
                        is_one ? "line has" : "lines have");
    case DVI_TEXT_FAULT_EXTRA:
        return snprintf(text, cap, "%" PRId64 " %s a blank field after the last column",
                        tally->count, is_one ? "line has" : "lines have");
    case DVI_TEXT_FAULT_QUOTES:
        break;
    }
    return snprintf(text, cap, "%" PRId64 " %s errors in quotes or sparse items", tally->count,
                    is_one ? "line has" : "lines have");
}

bool dvi_text_tally_is_usual(const dvi_text_tally *tally, int64_t rows)
{
    return tally->count == 0 || (tally->kind == DVI_TEXT_FAULT_EXTRA && 2 * tally->count > rows);
}

const char *dvi_text_tally_wanted(const dvi_text_tally *tally, const dvi_text_file *file)
{
    const char *const wanted[] = {
        [DVI_TEXT_FAULT_VALUE] = "values of the column's type",
        [DVI_TEXT_FAULT_UTF8] = dvi_encoding_name(&file->options.found),
        [DVI_TEXT_FAULT_SHORT] = "a field for each column",
        [DVI_TEXT_FAULT_LONG] = "no more fields than columns",
        [DVI_TEXT_FAULT_EXTRA] = "no field after the last column",
        [DVI_TEXT_FAULT_QUOTES] = "complete quotes and sparse items",
    };
    return wanted[tally->kind];
}

const char *dvi_text_tally_sentence(char text[DVI_TEXT_TALLY_NBYTES], const dvi_text_tally *tally,
                                    const dvi_text_file *file)
{
    const size_t cap = DVI_TEXT_TALLY_NBYTES;
    size_t n = 0;
    if (tally->column >= 0)
        n = (size_t)snprintf(
            text, cap, "column \"%s\": ", dvi_show(file->layout.columns[tally->column].name).text);
    n += (size_t)write_what(text + n, cap - n, tally, file);
    for (int i = 0; i < DVI_TEXT_TALLY_FIRST && i < tally->count; i++)
        n += (size_t)snprintf(text + n, cap - n, "%s%s%s%srow %" PRId64, i ? ", " : ": ",
                              *tally->text[i] ? "\"" : "", tally->text[i],
                              *tally->text[i] ? "\" in " : "in ", tally->row[i]);
    if (tally->count > DVI_TEXT_TALLY_FIRST && n < cap)
        n += (size_t)snprintf(text + n, cap - n, ", ...");
    if (tally->kind == DVI_TEXT_FAULT_VALUE && file->proposal && n < cap)
        snprintf(text + n, cap - n, " (option type=%s:TX keeps the text)",
                 dvi_show(file->layout.columns[tally->column].name).text);
    return text;
}
