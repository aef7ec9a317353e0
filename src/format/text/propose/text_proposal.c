/* SPDX-License-Identifier: MIT */
/* text_proposal.c: writes what was found as a string of options: names, types, source columns. */
#include "format/text/propose/text_proposal.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "codec/option_string.h"
#include "format/text/read/text_value.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOTES_MOST 16
#define NOTE_NBYTES 768
#define VECTOR_LEAST 2 /* adjacent columns of numbers that pack+ makes a vector */

/* A string with a NUL after it. */
typedef struct string {
    dvi_memory *memory;
    size_t n;
} string;

typedef struct proposal {
    const dvi_text_finding *from;
    dvi_arena arena;
    dvi_hashtab names; /* and the next suffix for each */
    string options, notes;
    int notes_count;
    bool loses_zeros; /* a type was given to numbers with leading zeros */
} proposal;

static dv_status append_to(string *s, dv_text text, const dv_allocator *a, dv_error *err)
{
    const size_t n = (size_t)text.nbytes;
    DVI_TRY(dvi_memory_extend(&s->memory, s->n, s->n + n + 1, a, err));
    if (n > 0)
        memcpy(s->memory->data + s->n, text.data, n);
    s->n += n;
    s->memory->data[s->n] = '\0';
    return DV_OK;
}

static dv_status append(proposal *p, dv_text text, dv_error *err)
{
    return append_to(&p->options, text, &p->arena.allocator, err);
}

static dv_status append_column(proposal *p, dv_text name, dv_text type, int32_t first, int32_t last,
                               dv_error *err)
{
    char range[32];
    snprintf(range, sizeof range, first < last ? "%" PRId32 "-%" PRId32 : "%" PRId32, first, last);
    const bool plain =
        dvi_option_string_is_bare(name) && !memchr(name.data, ':', (size_t)name.nbytes);
    if (!plain)
        DVI_TRY(dvi_option_string_quote(&name, name, &p->arena, err));
    DVI_TRY(append(p, dv_text_of(plain ? " col=" : " col={name="), err));
    DVI_TRY(append(p, name, err));
    DVI_TRY(append(p, dv_text_of(plain ? ":" : " type="), err));
    DVI_TRY(append(p, type, err));
    DVI_TRY(append(p, dv_text_of(plain ? ":" : " src="), err));
    DVI_TRY(append(p, dv_text_of(range), err));
    return plain ? DV_OK : append(p, dv_text_of("}"), err);
}

/* --- Names --- */

static dv_status clean_name(proposal *p, dv_text *name_out, dv_text field, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(&p->arena, &made, 3 * (size_t)field.nbytes + 1, err));
    *name_out = dvi_text_name(made, field);
    return DV_OK;
}

/* Keep the name, or append the first of _2, _3, ... that makes it unique. */
static dv_status make_unique(proposal *p, dv_text *name, dv_error *err)
{
    const dv_text wanted = *name;
    int32_t ignored, next = dvi_hashtab_get(&p->names, wanted);
    char suffix[16];
    if (next < 0)
        return dvi_hashtab_put(&p->names, wanted, 2, &ignored, err);
    do {
        void *made;
        const int n = snprintf(suffix, sizeof suffix, "_%" PRId32, next++);
        DVI_TRY(dvi_arena_alloc(&p->arena, &made, (size_t)wanted.nbytes + sizeof suffix, err));
        memcpy(made, wanted.data, (size_t)wanted.nbytes);
        memcpy((char *)made + wanted.nbytes, suffix, (size_t)n);
        *name = (dv_text){made, wanted.nbytes + n};
    } while (dvi_hashtab_get(&p->names, *name) >= 0);
    DVI_TRY(dvi_hashtab_put(&p->names, wanted, next, &ignored, err));
    return dvi_hashtab_put(&p->names, *name, 2, &ignored, err);
}

/* The text of the header above a column; empty: none. */
static dv_text header_of(const proposal *p, int32_t column)
{
    const dvi_text_finding *f = p->from;
    const int32_t at = column - f->shift + (f->extra >= 0 && column >= f->extra);
    const bool has_name = f->has_header && at >= 0 && at < f->guess->first_count &&
                          (size_t)at < f->guess->columns_seen;
    return has_name ? f->guess->columns[at].first.text : dv_text_of("");
}

static dv_status name_of(proposal *p, dv_text *name_out, int32_t column, dv_error *err)
{
    char number[16];
    DVI_TRY(clean_name(p, name_out, header_of(p, column), err));
    if (name_out->nbytes == 0) {
        snprintf(number, sizeof number, "C%" PRId32, column);
        DVI_TRY(dvi_arena_text(&p->arena, name_out, dv_text_of(number), err));
    }
    return make_unique(p, name_out, err);
}

/* --- Columns --- */

static dv_kind kind_of(const proposal *p, int32_t column)
{
    return dvi_text_guess_kind(p->from->guess, column, p->from->has_header);
}

static dvi_text_given_type *given_type(const proposal *p, dv_text name)
{
    const dvi_text_given *given = p->from->given;
    for (int32_t i = 0; i < given->types_count; i++)
        if (dv_text_equal(given->types[i].name, name))
            return &given->types[i];
    return NULL;
}

/* Can the column be a slot of a vector of this kind? */
static bool is_slot(const proposal *p, int32_t column, dv_kind kind)
{
    const dv_text name = header_of(p, column);
    return kind_of(p, column) == kind && !dvi_text_is(name, "label") && !given_type(p, name);
}

static bool is_numeric(dv_kind kind)
{
    return kind == DV_KIND_R8 || kind == DV_KIND_R4 || kind == DV_KIND_I8 || kind == DV_KIND_I4 ||
           kind == DV_KIND_I2 || kind == DV_KIND_I1;
}

/* The end of the vector that starts at a column; the column itself: there is none. */
static int32_t end_of_vector(const proposal *p, int32_t first)
{
    const dv_kind kind = kind_of(p, first);
    int32_t end = first;
    while (p->from->given->pack && is_numeric(kind) && end < p->from->columns &&
           is_slot(p, end, kind))
        end++;
    return end - first < VECTOR_LEAST ? first : end;
}

/* Append a note.  One in doubt is about what could not be settled. */
static dv_status note(proposal *p, bool is_doubt, const char *text, dv_error *err)
{
    const char kind = is_doubt ? DVI_TEXT_NOTE_DOUBT : DVI_TEXT_NOTE_FACT;
    if (p->notes_count == NOTES_MOST)
        return DV_OK;
    p->notes_count++;
    DVI_TRY(append_to(&p->notes, (dv_text){&kind, 1}, &p->arena.allocator, err));
    return append_to(&p->notes, (dv_text){text, (int64_t)strlen(text) + 1}, &p->arena.allocator,
                     err);
}

/* How the column's numbers are dressed, if it is a text because of that; else needs is 0. */
static dvi_text_dressed dressed_of(const proposal *p, int32_t column)
{
    const dvi_text_dressed none = {.needs = 0};
    return kind_of(p, column) == DV_KIND_TX
               ? dvi_text_guess_dressed(p->from->guess, column, p->from->has_header)
               : none;
}

/* Note why a column is TX, though its first fields have another type. */
static dv_status note_odd(proposal *p, dv_text name, int32_t column, dv_error *err)
{
    dv_kind kind;
    char text[NOTE_NBYTES];
    const dv_text odd = dvi_text_guess_odd(p->from->guess, column, &kind);
    if (kind_of(p, column) != DV_KIND_TX || odd.nbytes == 0 || dressed_of(p, column).needs)
        return DV_OK;
    const char *in = p->from->guess->columns[column].odd_in;
    snprintf(text, sizeof text,
             "column \"%s\" is TX, not %s, because of \"%s\"%s%s; option type=NAME:%s "
             "chooses %s, and strict- makes NA of what it cannot read",
             dvi_show(name).text, dv_kind_name(kind), dvi_show(odd).text, in ? " in " : "",
             in ? dvi_show(dv_text_of(in)).text : "", dv_kind_name(kind), dv_kind_name(kind));
    return note(p, false, text, err);
}

/* Words for missing values that are texts in a column of texts. */
static dv_status note_missing(proposal *p, dv_text name, int32_t column, dv_error *err)
{
    char text[NOTE_NBYTES];
    const dvi_text_guess *g = p->from->guess;
    if ((size_t)column >= g->columns_seen || kind_of(p, column) != DV_KIND_TX)
        return DV_OK;
    const dvi_text_guess_column *c = &g->columns[column];
    if (c->named_missing == 0 || dvi_text_has_word(g->options.missing, c->missing))
        return DV_OK;
    snprintf(text, sizeof text,
             "column \"%s\" is TX and has \"%s\", which is a text there; option missing=[%s] "
             "makes it NA",
             dvi_show(name).text, dvi_show(c->missing).text, dvi_show(c->missing).text);
    return note(p, false, text, err);
}

/* Append the options that a dressed number needs, as one writes them. */
static void write_needs(char *text, size_t cap, const dvi_text_dressed *d)
{
    const unsigned needs = d->needs;
    snprintf(text, cap, "%s%s%s%s%s%s%s%s", needs & DVI_NEEDS_COMMAS ? " thousands=," : "",
             needs & DVI_NEEDS_DOTS ? " thousands=." : "",
             needs & DVI_NEEDS_SPACES ? " thousands=space" : "",
             needs & (DVI_NEEDS_DOTS | DVI_NEEDS_POINT) ? " decimal=," : "",
             needs & DVI_NEEDS_AFFIX ? " affixes=[" : "",
             needs & DVI_NEEDS_AFFIX ? dvi_show(d->affix).text : "",
             needs & DVI_NEEDS_AFFIX ? "]" : "", needs & DVI_NEEDS_SIGN ? " parentheses+" : "");
}

/* Why numbers are texts, and which options read them; or why they may be others. */
static dv_status note_dress(proposal *p, dv_text name, int32_t column, dv_error *err)
{
    char text[NOTE_NBYTES], needs[256];
    const dvi_text_guess *g = p->from->guess;
    const dvi_text_dressed dressed = dressed_of(p, column);
    if (dressed.needs) {
        write_needs(needs, sizeof needs, &dressed);
        snprintf(text, sizeof text,
                 "column \"%s\" is TX because of numbers such as \"%s\"; with --text 'auto%s' they "
                 "are read",
                 dvi_show(name).text, dvi_show(dressed.number).text, needs);
        return note(p, false, text, err);
    }
    const bool is_european =
        memchr(g->options.separators, ';', (size_t)g->options.separators_count);
    if (!is_european || kind_of(p, column) != DV_KIND_R8 || (size_t)column >= g->columns_seen ||
        !g->columns[column].is_grouped || g->options.decimal != '.')
        return DV_OK;
    snprintf(
        text, sizeof text,
        "column \"%s\" is R8, and each of its numbers has three digits after a point, which may "
        "separate thousands; with --text 'auto decimal=, thousands=.' it does",
        dvi_show(name).text);
    return note(p, false, text, err);
}

/* Dates of which it is not known whether the day or the month comes first. */
static dv_status note_dates(proposal *p, dv_text name, int32_t column, dv_error *err)
{
    char text[NOTE_NBYTES];
    const dvi_text_guess *g = p->from->guess;
    if (kind_of(p, column) != DV_KIND_TX || !dvi_text_guess_has_dates(g, column))
        return DV_OK;
    const bool is_ambiguous = dvi_text_guess_is_ambiguous(g, column);
    snprintf(text, sizeof text,
             is_ambiguous
                 ? "column \"%s\" is TX: its dates may have the day or the month first; option "
                   "date=dmy or date=mdy chooses, with type=%s:DT"
                 : "column \"%s\" is TX: its dates are not in the order of the others; option "
                   "date= chooses the order of all, and the type %s:DT needs it",
             dvi_show(name).text, dvi_show(name).text);
    return note(p, true, text, err);
}

/* Were zeros at the start of numbers seen in a column that was given a type of numbers? */
static bool loses_zeros(const proposal *p, dv_text type, int32_t column)
{
    const dvi_text_guess *g = p->from->guess;
    return type.nbytes == 2 && strchr("IURiur", type.data[0]) && (size_t)column < g->columns_seen &&
           g->columns[column].has_padded;
}

/* Bytes that are not UTF-8, and an encoding in which they are text. */
static dv_status note_encoding(proposal *p, dv_error *err)
{
    char text[NOTE_NBYTES], shown[NOTE_NBYTES / 4] = "";
    dv_error lacking = DV_ERROR_INIT;
    dvi_transcoder how = {.iconv = NULL};
    dv_text read = {"", 0};
    const dvi_text_guess *g = p->from->guess;
    if (g->bytes.all == 0)
        return DV_OK;
    const char *name = dvi_text_bytes_suggest(&g->bytes);
    dv_status status = dvi_encoding_find(&how.encoding, dv_text_of(name), &lacking);
    if (status == DV_OK)
        status = dvi_transcoder_read(&how, &read, (const uint8_t *)g->damaged.data,
                                     (size_t)g->damaged.nbytes, &p->arena.allocator, &lacking);
    if (status == DV_OK && read.nbytes > 0)
        snprintf(shown, sizeof shown, " as \"%s\"", dvi_show(read).text);
    dvi_transcoder_free(&how);
    DVI_REQUIRE(status != DV_ERR_MEMORY, dvi_fail_memory(err, (size_t)g->damaged.nbytes));
    snprintf(
        text, sizeof text,
        "bytes that are not UTF-8%s%s%s are read as U+FFFD; option encoding=%s, or another, may "
        "read them%s",
        *shown ? ", as in \"" : "", *shown ? dvi_show(g->damaged).text : "", *shown ? "\"," : "",
        name, shown);
    const bool is_doubt = p->from->has_header && g->is_first_damaged; /* rows are counted */
    return note(p, is_doubt, text, err);
}

/* Do blanks separate, which no option says? */
static bool has_blanks(const dvi_text_finding *f)
{
    const dvi_text_options *o = &f->guess->options;
    return !f->given->has_sep && memchr(o->separators, ' ', (size_t)o->separators_count);
}

/* Note the doubts about lines. */
static dv_status note_lines(proposal *p, dv_error *err)
{
    char text[NOTE_NBYTES];
    const dvi_text_finding *f = p->from;
    DVI_TRY(note_encoding(p, err));
    if (f->shift == 1) {
        const char *const ways =
            f->guess->first_count == 1 && has_blanks(f)
                ? "skip=1 leaves it out, and sep=tab reads each line as one text"
                : "and skip=1 leaves it out";
        snprintf(text, sizeof text,
                 "the header has %" PRId32 " name%s for %" PRId32 " columns: they are taken for "
                 "those from the second on, as R writes row names; option header- makes it a row, "
                 "%s",
                 f->guess->first_count, DVI_S(f->guess->first_count), f->columns, ways);
        DVI_TRY(note(p, true, text, err));
    }
    if (f->extra >= 0) {
        snprintf(text, sizeof text,
                 "the header has a blank name too many after %" PRId32 " others, which is left "
                 "out; option header- makes it a row",
                 f->extra);
        DVI_TRY(note(p, true, text, err));
    } else if (f->has_header && f->guess->first_count > f->guess->columns_count) {
        snprintf(text, sizeof text,
                 "the header has %" PRId32 " names for %" PRId32 " columns of values: a separator "
                 "too many may have moved them; option header- makes it a row, and skip=1 leaves "
                 "it out",
                 f->guess->first_count, f->guess->columns_count);
        DVI_TRY(note(p, true, text, err));
    }
    if (f->has_header && f->shift == 0 && f->guess->first[0].fields < f->guess->usual_count) {
        snprintf(text, sizeof text,
                 "the header has %" PRId32 " names for %" PRId32 " columns: the last ones have "
                 "none, and a separator that it lacks may have moved the others; option header- "
                 "makes it a row, and skip=1 leaves it out",
                 f->guess->own_count, f->guess->usual_count);
        DVI_TRY(note(p, true, text, err));
    }
    if (f->has_header && f->guess->first[0].is_broken)
        DVI_TRY(note(p, true, "the header has broken quotes, which are kept in its names", err));
    if (f->has_header && f->shift == 0 && f->guess->wide_count > f->guess->usual_count &&
        f->guess->first[0].fields < f->guess->wide_count) {
        snprintf(text, sizeof text,
                 "the header has %" PRId32 " names, and the rows have %" PRId32 " fields, of which "
                 "the last ones are blank: a separator that it lacks may have moved the names",
                 f->guess->first[0].fields, f->guess->wide_count);
        DVI_TRY(note(p, true, text, err));
    }
    if (!f->has_header && !f->given->has_header && dvi_text_guess_may_name(f->guess))
        DVI_TRY(note(p, true,
                     "the first line looks like the others and is read as a row; option header+ "
                     "makes it the name of the column",
                     err));
    if (f->columns == 1 && !f->given->has_sep && 2 * f->guess->separated > f->guess->seen_count)
        DVI_TRY(note(p, true,
                     "lines are read as one column, since no separator splits them alike; option "
                     "sep= names one",
                     err));
    const int32_t skip = f->guess->options.skip;
    if (f->skips_words && !f->has_header) {
        snprintf(text, sizeof text,
                 "%" PRId32 " line%s before the first row %s left out, and none of them is a "
                 "header; option skip=0 keeps %s",
                 skip, DVI_S(skip), skip == 1 ? "is" : "are", skip == 1 ? "it" : "them");
        DVI_TRY(note(p, true, text, err));
    }
    const int64_t remarks = f->guess->remarks;
    const bool are_few = f->columns > 1 ? f->guess->hashes == 0 : 2 * remarks < f->guess->lines;
    if (remarks > 0 && are_few && !f->given->has_comment) {
        snprintf(text, sizeof text,
                 "%" PRId64 " line%s with # and %s read as %s; option comment=# leaves such lines "
                 "out",
                 remarks, remarks == 1 ? " begins" : "s begin", remarks == 1 ? "is" : "are",
                 remarks == 1 ? "a row" : "rows");
        DVI_TRY(note(p, true, text, err));
    }
    if (f->has_header && f->guess->repeated > 0) {
        snprintf(text, sizeof text,
                 "%" PRId64
                 " line%s below the header repeat%s it and %s read as %s: names are texts or, in "
                 "columns of other types, NA",
                 f->guess->repeated, DVI_S(f->guess->repeated), f->guess->repeated == 1 ? "s" : "",
                 f->guess->repeated == 1 ? "is" : "are",
                 f->guess->repeated == 1 ? "a row" : "rows");
        DVI_TRY(note(p, true, text, err));
    }
    return DV_OK;
}

static dv_status append_columns(proposal *p, dv_error *err)
{
    const int32_t n = p->from->columns;
    for (int32_t first = 0, end; first < n; first = end) {
        dv_text name = dv_text_of("Features"), type = dv_text_of(dv_kind_name(kind_of(p, first)));
        end = end_of_vector(p, first);
        if (end > first) {
            DVI_TRY(make_unique(p, &name, err));
        } else {
            end = first + 1;
            DVI_TRY(name_of(p, &name, first, err));
            dvi_text_given_type *given = given_type(p, name);
            if (given) {
                given->is_used = true;
                p->loses_zeros |= loses_zeros(p, given->type, first);
                type = given->type;
            } else {
                DVI_TRY(note_dress(p, name, first, err));
                DVI_TRY(note_odd(p, name, first, err));
                DVI_TRY(note_missing(p, name, first, err));
                DVI_TRY(note_dates(p, name, first, err));
            }
        }
        DVI_TRY(append_column(p, name, type, first, end - 1, err));
    }
    return DV_OK;
}

static dv_status check_types(const proposal *p, dv_error *err)
{
    const dvi_text_given *given = p->from->given;
    for (int32_t i = 0; i < given->types_count; i++)
        DVI_REQUIRE(given->types[i].is_used,
                    dvi_fail_argument(err, "option type: no column \"%s\" in the file",
                                      dvi_show(given->types[i].name).text));
    return DV_OK;
}

/* The words by which columns are known to miss values, though no type reads them so. */
static dv_status append_words(proposal *p, dv_error *err)
{
    unsigned words = 0;
    const dvi_text_guess *g = p->from->guess;
    for (int32_t i = 0; i < p->from->columns && (size_t)i < g->columns_seen; i++)
        words |= kind_of(p, i) != DV_KIND_TX ? g->columns[i].words : 0;
    if (words == 0 || p->from->given->has_novalue)
        return DV_OK;
    const char *before = " novalue=[", *word;
    for (int i = 0; (word = dvi_text_evidence_word_at(i)); i++)
        if (words >> i & 1) {
            DVI_TRY(append(p, dv_text_of(before), err));
            DVI_TRY(append(p, dv_text_of(word), err));
            before = " ";
        }
    return append(p, dv_text_of("]"), err);
}

/* The order of dates, where one was found. */
static dv_status append_order(proposal *p, dv_error *err)
{
    const dvi_text_guess *g = p->from->guess;
    if (!g->date_order || p->from->given->has_date)
        return DV_OK;
    return append(p, dv_text_of(g->date_order == DVI_TEXT_CAN_DMY ? " date=dmy" : " date=mdy"),
                  err);
}

static dv_status append_all(proposal *p, dv_error *err)
{
    const dvi_text_finding *f = p->from;
    DVI_TRY(append(p, dv_text_of(f->options), err));
    if (f->has_header && !f->given->has_header)
        DVI_TRY(append(p, dv_text_of(" header+"), err));
    if (f->has_header && f->shift == 0 && f->given->maps_count > 1 && !f->given->has_match)
        DVI_TRY(append(p, dv_text_of(" match=name"), err));
    DVI_TRY(append_words(p, err));
    DVI_TRY(note_lines(p, err));
    DVI_TRY(append_columns(p, err));
    DVI_TRY(append_order(p, err));
    if (p->loses_zeros && !f->given->has_zeros)
        DVI_TRY(append(p, dv_text_of(" zeros+"), err));
    return check_types(p, err);
}

static void give(dv_buffer *text_out, string *s, bool is_good)
{
    if (is_good && text_out && s->memory)
        *text_out = dvi_memory_buffer(s->memory, 0, s->n, 1);
    else
        dvi_memory_release(&s->memory);
}

dv_status dvi_text_proposal_write(dv_buffer *text_out, dv_buffer *notes_out,
                                  const dvi_text_finding *finding, dv_error *err)
{
    proposal p = {.from = finding};
    *text_out = (dv_buffer){0};
    if (notes_out)
        *notes_out = (dv_buffer){0};
    dvi_arena_init(&p.arena, &finding->guess->allocator);
    dvi_hashtab_init(&p.names, &finding->guess->allocator);
    const dv_status status = append_all(&p, err);
    give(text_out, &p.options, status == DV_OK);
    give(notes_out, &p.notes, status == DV_OK);
    dvi_hashtab_free(&p.names);
    dvi_arena_free(&p.arena);
    return status;
}
