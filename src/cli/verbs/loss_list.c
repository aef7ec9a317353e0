/* SPDX-License-Identifier: MIT */
/* loss_list.c: groups losses of the same kind, so that many columns make one line. */
#include "cli/verbs/loss_list.h"
#include "cli/args/reword.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/clip.h"
#include "cli/terminal/wrap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_CAP 1024
#define INDENT 2

/* --- Sentences -------------------------------------------------------------------------------- */

/* The sentence after `column "x": `. */
static const char *skip_column(const char *sentence, int32_t column)
{
    static const char end[] = "\": ";
    const char *found = column < 0 ? NULL : strstr(sentence, end);
    return found ? found + sizeof end - 1 : sentence;
}

/* --- Grouping --------------------------------------------------------------------------------- */

static char *name_of(const dvi_loss_list *list, int32_t column)
{
    const dv_text name = dv_schema_column(list->schema, column)->name;
    dvi_clip clip = {.most = 40};
    const bool is_whole = dvi_clip_write(&clip, name.data, (size_t)name.nbytes);
    dvi_clip_mark(&clip, "\u2026", is_whole ? 0 : strlen("\u2026"));
    dvi_clip_mark(&clip, "", 1);
    if (clip.is_failed)
        dvi_clip_free(&clip);
    return clip.text;
}

static dvi_loss_group *find_group(dvi_loss_list *list, const dv_loss_report *report,
                                  const char *what)
{
    for (int32_t i = 0; i < list->groups; i++) {
        dvi_loss_group *g = &list->group[i];
        if (g->loss == report->loss && g->is_allowed == report->is_allowed &&
            strcmp(g->what, what) == 0)
            return g;
    }
    return NULL;
}

static dvi_loss_group *make_group(dvi_loss_list *list, const dv_loss_report *report,
                                  const char *what)
{
    if (list->groups == DVI_LOSS_GROUPS)
        return NULL;
    dvi_loss_group *g = &list->group[list->groups];
    *g = (dvi_loss_group){report->loss, report->is_allowed, strdup(what), {NULL}, 0};
    list->is_failed |= g->what == NULL;
    list->groups += g->what != NULL;
    return g->what ? g : NULL;
}

static void add_json(dvi_loss_list *list, const dv_loss_report *report, const char *sentence)
{
    dvi_json *json = list->json;
    const dv_column_info *info = dv_schema_column(list->schema, report->column);
    const bool has_kind = report->metadata.nbytes > 0;
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "loss",
                 dvi_json_cstr(report->loss == DV_LOSS_NONE ? NULL : dv_loss_name(report->loss)));
    dvi_json_put(json, "is_allowed", json_boolean(report->is_allowed));
    dvi_json_put(json, "index", dvi_json_count(report->column));
    dvi_json_put(json, "column", dvi_json_text(info ? info->name : dv_text_of(NULL)));
    dvi_json_put(json, "kind", dvi_json_text(has_kind ? report->metadata : dv_text_of(NULL)));
    dvi_json_put(json, "row", dvi_json_count(report->row));
    dvi_json_put(json, "message", dvi_json_cstr(sentence));
    dvi_json_close(json, '}');
}

bool dvi_loss_list_add(void *ctx, const dv_loss_report *report)
{
    dvi_loss_list *list = ctx;
    char sentence[LINE_CAP];
    dvi_reword(sentence, sizeof sentence, report->sentence);
    if (report->is_implied) {
        if (list->json)
            add_json(list, report, sentence);
        if (!list->implied)
            list->is_failed |= (list->implied = strdup(sentence)) == NULL;
        return !list->is_failed;
    }
    const char *what = skip_column(sentence, report->column);
    dvi_loss_group *g = find_group(list, report, what);
    if (!g)
        g = make_group(list, report, what);
    if (!g)
        list->more[report->is_allowed]++;
    else if (report->column >= 0 && g->count < DVI_LOSS_COLUMNS)
        list->is_failed |= (g->names[g->count] = name_of(list, report->column)) == NULL;
    if (g)
        g->count++;
    if (list->json)
        add_json(list, report, sentence);
    list->refused += !report->is_allowed;
    list->needed |= report->is_allowed ? 0 : (uint32_t)report->loss;
    list->is_impossible |= report->loss == DV_LOSS_NONE;
    list->allowed += report->is_allowed;
    return !list->is_failed;
}

#define LOSS(member, bit, name, sentence) DV_LOSS_##member,
static const dv_loss all[] = {DV_LOSS_LIST(LOSS)};

const char *dvi_loss_list_needed(const dvi_loss_list *list, char text[DVI_LOSS_NEEDED_CAP])
{
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !list->is_impossible; i++)
        if (list->needed & (uint32_t)all[i])
            n += (size_t)snprintf(text + n, DVI_LOSS_NEEDED_CAP - n, "%s%s", n ? "," : "",
                                  dv_loss_name(all[i]));
    return text;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* `columns "a", "b", "c" and 4 more: ` */
static size_t put_columns(char *line, size_t cap, const dvi_loss_group *g)
{
    size_t n = 0;
    for (int i = 0; i < DVI_LOSS_COLUMNS && g->names[i] && n < cap; i++)
        n += (size_t)snprintf(line + n, cap - n, "%s\"%s\"",
                              i              ? ", "
                              : g->count > 1 ? "columns "
                                             : "column ",
                              g->names[i]);
    if (g->names[0] && g->count > DVI_LOSS_COLUMNS && n < cap)
        n += (size_t)snprintf(line + n, cap - n, " and %lld more",
                              (long long)(g->count - DVI_LOSS_COLUMNS));
    if (g->names[0] && n < cap)
        n += (size_t)snprintf(line + n, cap - n, ": ");
    return n < cap ? n : cap - 1;
}

static void write_line(const char *line, int32_t width, dvi_out *out)
{
    dvi_out_print(out, "%*s", INDENT, "");
    dvi_wrap(out, width, 2 * INDENT, INDENT, line);
    dvi_out_text(out, "\n");
}

static void write_group(const dvi_loss_group *g, int32_t width, dvi_out *out)
{
    char line[LINE_CAP];
    const char *name = dv_loss_name(g->loss);
    const size_t n = put_columns(line, sizeof line, g);
    if (g->is_allowed)
        snprintf(line + n, sizeof line - n, "%s (%s)", g->what, name);
    else if (*name)
        snprintf(line + n, sizeof line - n, "%s (--allow-loss %s)", g->what, name);
    else
        snprintf(line + n, sizeof line - n, "%s%s", g->what,
                 g->names[0] ? " (--drop leaves it out)" : "");
    write_line(line, width, out);
}

void dvi_loss_list_write(const dvi_loss_list *list, bool allowed, int32_t width, dvi_out *out)
{
    for (int32_t i = 0; i < list->groups; i++)
        if (list->group[i].is_allowed == allowed)
            write_group(&list->group[i], width, out);
    if (list->more[allowed]) {
        char line[64];
        snprintf(line, sizeof line, "and %lld more (--json lists all)",
                 (long long)list->more[allowed]);
        write_line(line, width, out);
    }
}

void dvi_loss_list_free(dvi_loss_list *list)
{
    for (int32_t i = 0; i < list->groups; i++) {
        free(list->group[i].what);
        for (int k = 0; k < DVI_LOSS_COLUMNS; k++)
            free(list->group[i].names[k]);
    }
    list->groups = 0;
    free(list->implied);
    list->implied = NULL;
}
