/* SPDX-License-Identifier: MIT */
/* diff_text.c: writes differences as tables that fit the screen. */
#include "cli/terminal/amount.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/diff_report.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DOTS "\u2026"
#define PREFIX_MOST 24 /* texts with a longer common prefix */
#define PREFIX_KEPT 8  /* are shown from this many bytes before its end */

typedef struct header {
    const char *name;
    unsigned flags;
} header;

#define FIRM_RIGHT (DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT)
#define SIDES                                                                                      \
    {"A", 0}, {"B", 0},                                                                            \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

static const header schema_header[] = {{"column", 0}, {"differs", DVI_COLUMN_FIRM}, SIDES};
static const header metadata_header[] = {
    {"column", 0}, {"metadata", 0}, {"slot", FIRM_RIGHT}, SIDES};
static const header vectors_header[] = {
    {"row", FIRM_RIGHT}, {"column", 0}, {"slot", FIRM_RIGHT}, SIDES};
static const header scalars_header[] = {{"row", FIRM_RIGHT}, {"column", 0}, SIDES};

static void begin(dvi_diff_report *r)
{
    (void)r; /* nothing is written before the first difference */
}

static const header *header_of(const dvi_diff_report *r)
{
    if (r->section == DVI_DIFF_SCHEMA)
        return schema_header;
    if (r->section == DVI_DIFF_METADATA)
        return metadata_header;
    return r->has_vectors ? vectors_header : scalars_header;
}

static void enter(dvi_diff_report *r, dvi_diff_section section)
{
    const dvi_screen screen = dvi_screen_of(r->out->fd);
    r->section = section;
    dvi_table_init(&r->table, &screen, 1);
    for (const header *h = header_of(r); h->name; h++)
        dvi_table_column_add(&r->table, h->flags);
    for (const header *h = header_of(r); h->name; h++)
        dvi_table_add_text(&r->table, dv_text_of(h->name));
}

/* --- Values ----------------------------------------------------------------------------------- */

/* The bytes of a common prefix to leave out. */
static int64_t common_prefix(dv_text a, dv_text b)
{
    const int64_t least = a.nbytes < b.nbytes ? a.nbytes : b.nbytes;
    int64_t n = 0;
    while (n < least && a.data[n] == b.data[n])
        n++;
    if (n <= PREFIX_MOST)
        return 0;
    n -= PREFIX_KEPT;
    while (n > 0 && (a.data[n] & 0xC0) == 0x80) /* not inside a character */
        n--;
    return n;
}

static void write_text(dvi_clip *clip, dv_text text, int64_t left_out)
{
    const dv_sink sink = dvi_clip_sink(clip);
    dvi_clip_text(clip, left_out ? DOTS : "");
    dv_text_write_json((dv_text){text.data + left_out, text.nbytes - left_out}, &sink);
}

static void write_value(dvi_clip *clip, const dv_value *value, const dv_value *other,
                        dv_style style)
{
    const dv_sink sink = dvi_clip_sink(clip);
    if (style == DV_STYLE_TEXT && dv_value_is_na(value))
        dvi_clip_text(clip, "NA");
    else if (value->column->type.kind == DV_KIND_TX && !dv_value_is_na(value))
        write_text(clip, dv_value_tx(value), common_prefix(dv_value_tx(value), dv_value_tx(other)));
    else
        dv_value_write(value, style, &sink);
}

/* Add two values; if they look the same, as two NaN do, add their bits instead. */
static void add_values(dvi_table *table, const dv_value *a, const dv_value *b)
{
    dvi_clip x = {.most = table->most}, y = {.most = table->most};
    write_value(&x, a, b, DV_STYLE_TEXT);
    write_value(&y, b, a, DV_STYLE_TEXT);
    if (x.nbytes == y.nbytes && x.nbytes && memcmp(x.text, y.text, x.nbytes) == 0) {
        dvi_clip_rewind(&x, 0, 0);
        dvi_clip_rewind(&y, 0, 0);
        x.is_full = y.is_full = false;
        write_value(&x, a, b, DV_STYLE_EXACT);
        write_value(&y, b, a, DV_STYLE_EXACT);
    }
    dvi_table_add_clip(table, &x);
    dvi_table_add_clip(table, &y);
}

static void add_side(dvi_table *table, const dvi_diff_side *side)
{
    if (side->type)
        dvi_table_add_type(table, side->type);
    else if (side->number >= 0)
        dvi_table_add_print(table, "%" PRId64, side->number);
    else
        dvi_table_add_text(table, dv_text_of(side->word ? side->word : "-"));
}

/* Add the slot, or what else differs. */
static void add_slot(dvi_table *table, const dvi_finding *finding)
{
    if (finding->slot >= 0)
        dvi_table_add_print(table, "%d", (int)finding->slot);
    else
        dvi_table_add_text(table, dv_text_of(strcmp(finding->what, "value") ? finding->what : ""));
}

/* --- Sections --------------------------------------------------------------------------------- */

static void write_title(dvi_diff_report *r, const char *label, int side)
{
    char buffer[DVI_TITLE_CAP];
    const int32_t width = dvi_screen_of(r->out->fd).width;
    dvi_out_text(r->out, label);
    dvi_wrap_end(r->out, width ? width - (int32_t)strlen(label) : 0,
                 dvi_input_title(r->table_args[side], buffer));
    dvi_out_text(r->out, "\n");
}

static dvi_exit print(dvi_diff_report *r)
{
    dvi_progress_clear(&r->progress);
    if (!r->has_printed) {
        write_title(r, "A  ", 0);
        write_title(r, "B  ", 1);
    }
    r->has_printed = true;
    dvi_out_text(r->out, "\n");
    return dvi_table_print(&r->table, r->out);
}

static const char *differs(const dvi_finding *finding)
{
    if (strcmp(finding->what, "column") != 0)
        return finding->what;
    return finding->a.type ? "only in A" : "only in B";
}

static dvi_exit add(dvi_diff_report *r, const dvi_finding *finding)
{
    dvi_table *table = &r->table;
    if (dvi_table_rows(table) == DVI_TABLE_ROWS) {
        const dvi_exit status = print(r);
        dvi_table_clear(table);
        if (status)
            return status;
    }
    if (r->section == DVI_DIFF_VALUES)
        dvi_table_add_print(table, "%" PRId64, finding->row);
    dvi_table_add_name(table, finding->column);
    if (r->section == DVI_DIFF_SCHEMA)
        dvi_table_add_text(table, dv_text_of(differs(finding)));
    if (r->section == DVI_DIFF_METADATA)
        dvi_table_add_text(table, finding->kind);
    if (r->section == DVI_DIFF_METADATA || (r->section == DVI_DIFF_VALUES && r->has_vectors))
        add_slot(table, finding);
    if (finding->a.value) {
        add_values(table, finding->a.value, finding->b.value);
    } else {
        add_side(table, &finding->a);
        add_side(table, &finding->b);
    }
    return DVI_EXIT_DONE;
}

static dvi_exit leave(dvi_diff_report *r)
{
    /* A table that had no memory for its rows has none. */
    const bool is_lost = r->table.is_failed && r->found[r->section] > 0 && r->args->lines > 0;
    const bool has_rows = dvi_table_rows(&r->table) > 0 || is_lost;
    const dvi_exit status = has_rows ? print(r) : DVI_EXIT_DONE;
    dvi_table_free(&r->table);
    return status;
}

/* --- The verdict ------------------------------------------------------------------------------ */

/* A sentence that is appended to; what does not fit is cut. */
typedef struct sentence {
    char text[512];
    size_t n;
} sentence;

__attribute__((format(printf, 2, 3))) static void say(sentence *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(s->text + s->n, sizeof s->text - s->n, format, args);
    va_end(args);
    s->n += n > 0 && (size_t)n < sizeof s->text - s->n ? (size_t)n : 0;
}

static void write_sentence(dvi_diff_report *r, const sentence *s)
{
    dvi_wrap(r->out, dvi_screen_of(r->out->fd).width, 2, 0, s->text);
    dvi_out_text(r->out, "\n");
}

/* Begin the next item of a list. */
static void say_comma(sentence *s, int *items)
{
    say(s, "%s", (*items)++ ? ", " : "");
}

/* "different: 1 in the schema, 34 values in 12 of 598 rows, A has 2 rows more" */
static void say_verdict(const dvi_diff_report *r, sentence *s)
{
    static const char *const places[] = {"in the schema", "in metadata"};
    char text[DVI_AMOUNT_CAP];
    int items = 0;
    say(s, "different: ");
    for (int i = 0; i < DVI_DIFF_VALUES; i++) {
        if (r->found[i] == 0)
            continue;
        say_comma(s, &items);
        say(s, "%" PRId64 " %s", r->found[i], places[i]);
    }
    if (r->found[DVI_DIFF_VALUES]) {
        say_comma(s, &items);
        say(s, "%s in ", dvi_amount_count(text, r->found[DVI_DIFF_VALUES], "value"));
        say(s, "%" PRId64 " of ", r->rows_different);
        say(s, "%s", dvi_amount_count(text, r->rows_compared, "row"));
    }
    const int64_t more = r->rows[0] - r->rows[1];
    if (more) {
        say_comma(s, &items);
        say(s, "%s has %s more", more > 0 ? "A" : "B",
            dvi_amount_count(text, more > 0 ? more : -more, "row"));
    }
}

/* Write what was not compared, and what is not shown. */
static void write_notes(dvi_diff_report *r)
{
    char text[DVI_AMOUNT_CAP];
    bool is_cut = false;
    for (int i = 0; i < DVI_DIFF_SECTIONS; i++)
        is_cut = is_cut || r->found[i] > r->args->lines;
    if (is_cut && r->args->lines) {
        sentence s = {.n = 0};
        say(&s, "shown: the first %" PRId64 " of each kind (-n)", r->args->lines);
        write_sentence(r, &s);
    }
    if (r->columns_not_compared) {
        sentence s = {.n = 0};
        say(&s, "not compared: the values of %s whose types differ",
            dvi_amount_count(text, r->columns_not_compared, "column"));
        write_sentence(r, &s);
    }
    if (r->hidden_not_compared) {
        sentence s = {.n = 0};
        say(&s, "not compared: %s (--hidden)",
            dvi_amount_count(text, r->hidden_not_compared, "hidden column"));
        write_sentence(r, &s);
    }
}

static dvi_exit end(dvi_diff_report *r)
{
    char text[DVI_AMOUNT_CAP];
    sentence s = {.n = 0};
    if (r->args->quiet)
        return DVI_EXIT_DONE;
    if (dvi_diff_is_same(r)) {
        say(&s, "same: %s, ", dvi_amount_count(text, r->rows[0], "row"));
        say(&s, "%s", dvi_amount_count(text, r->columns[0], "column"));
    } else {
        say_verdict(r, &s);
    }
    if (r->has_printed)
        dvi_out_text(r->out, "\n");
    write_sentence(r, &s);
    write_notes(r);
    return DVI_EXIT_DONE;
}

static void release(dvi_diff_report *r)
{
    dvi_table_free(&r->table);
}

const dvi_diff_form dvi_diff_text = {begin, enter, add, leave, end, release};
