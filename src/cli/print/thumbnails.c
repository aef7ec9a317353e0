/* SPDX-License-Identifier: MIT */
/* thumbnails.c: makes strips of small pictures with the steps for pictures, and shows them. */
#include "cli/print/thumbnails.h"
#include "cli/terminal/screen.h"
#include <dataview/image.h>
#include <dataview/open_type.h>
#include <dataview/pipeline.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 64,            /* of a thumbnail */
    GAP = 4,              /* behind it */
    ABREAST = 32,         /* in a strip, at most */
    COLUMNS_UNKNOWN = 100 /* of a terminal that does not tell */
};

#define FRAME "width=64 height=64 fit=pad"
#define FORM "order=rgba layout=interleaved" /* R4: a missing picture is NA, a clear one is not */
#define PIXELS "pixels=33554432"

static bool has_steps(void)
{
    for (int32_t i = 0; i < dv_transform_count(); i++)
        if (strcmp(dv_transform_at(i)->name, "image") == 0)
            return true;
    return false;
}

dvi_exit dvi_thumbnails_how(dvi_graphics *how_out, const dvi_args *args, const dvi_out *out)
{
    const char *how = args->thumbnails, *terminal = getenv("TERM");
    *how_out = DVI_GRAPHICS_NONE;
    if (!how)
        return DVI_EXIT_DONE;
    if (args->json)
        return dvi_say_usage("--json and --thumbnails contradict each other");
    if (!has_steps())
        return dvi_say_usage("--thumbnails: this build has no steps for pictures");
    if (strcmp(how, "sixel") == 0)
        *how_out = DVI_GRAPHICS_SIXEL;
    else if (strcmp(how, "kitty") == 0)
        *how_out = DVI_GRAPHICS_KITTY;
    else if (!out->is_terminal)
        return dvi_say_usage("--thumbnails: standard output is no terminal; --thumbnails=sixel "
                             "and --thumbnails=kitty write there all the same");
    else
        *how_out = dvi_graphics_of_terminal();
    if (*how_out == DVI_GRAPHICS_NONE)
        return dvi_say_usage("--thumbnails: it is not known whether this terminal (TERM=%s) shows "
                             "pictures; try --thumbnails=sixel or --thumbnails=kitty",
                             terminal ? terminal : "");
    return DVI_EXIT_DONE;
}

/* --- Strips ----------------------------------------------------------------------------------- */

/* Pictures side by side. */
typedef struct strip {
    uint8_t *rgba;
    int32_t places, used;    /* of pictures */
    bool has_any, was_shown; /* of pictures: it, or one of the column before it */
} strip;

static int32_t width_of(const strip *s)
{
    return s->places * (SIDE + GAP);
}

static void show_strip(strip *s, dvi_graphics how, dvi_out *out)
{
    if (s->has_any)
        dvi_graphics_show(how, s->rgba, width_of(s), SIDE, out);
    s->was_shown |= s->has_any;
    memset(s->rgba, 0, (size_t)width_of(s) * SIDE * 4);
    s->used = 0;
    s->has_any = false;
}

static void add(strip *s, const dv_value *picture)
{
    const int32_t row = SIDE * 4;
    for (int32_t k = 0; k < dv_value_items(picture); k++) {
        const dv_value item = dv_value_item(picture, k);
        const int32_t slot = dv_value_slot(picture, k), y = slot / row;
        const float number = dv_value_r4(&item);
        if (isnan(number))
            break;
        s->rgba[(y * width_of(s) + s->used * (SIDE + GAP)) * 4 + slot % row] = (uint8_t)number;
        s->has_any = true;
    }
    s->used++;
}

static dvi_exit show_rows(dvi_graphics how, dv_view *view, const dv_cursor_options *options,
                          dvi_out *out)
{
    dv_error err = DV_ERROR_INIT;
    const dv_batch *batch;
    dv_cursor *cursor = NULL;
    const dvi_screen screen = dvi_screen_of(out->fd);
    strip s = {.places = dvi_graphics_width(out, screen.width ? screen.width : COLUMNS_UNKNOWN) /
                         (SIDE + GAP)};
    const int32_t most =
        options->take >= 1 && options->take < ABREAST ? (int32_t)options->take : ABREAST;
    s.places = s.places < 1 ? 1 : s.places > most ? most : s.places;
    s.rgba = calloc((size_t)width_of(&s) * SIDE, 4);
    if (!s.rgba)
        return dvi_say_memory();
    dv_status status = dv_cursor_open(&cursor, view, options, &err);
    while (status == DV_OK && !out->os_code) {
        status = dv_cursor_next(cursor, &batch, &err);
        for (int64_t i = 0; status == DV_OK && i < batch->rows; i++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            add(&s, &value);
            if (s.used == s.places)
                show_strip(&s, how, out);
        }
    }
    show_strip(&s, how, out);
    if (status >= 0 && !s.was_shown)
        dvi_out_text(out, "no pictures in these rows\n");
    dv_cursor_close(&cursor);
    free(s.rgba);
    return status < 0 ? dvi_say_error(&err) : (dvi_exit)DVI_EXIT_DONE;
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* A name in quotes, as pipelines have it; free() it. */
static char *quoted(dv_text name)
{
    char *made = malloc(2 * (size_t)name.nbytes + 3), *to = made;
    if (!made)
        return NULL;
    *to++ = '"';
    for (int64_t i = 0; i < name.nbytes; i++) {
        if (name.data[i] == '"' || name.data[i] == '\\')
            *to++ = '\\';
        *to++ = name.data[i];
    }
    strcpy(to, "\"");
    return made;
}

/* The pipeline that makes thumbnails of a column; free() it. */
static char *pipeline_of(dv_text name, bool has_pictures)
{
    char *made = NULL, *column = quoted(name);
    const char *format = has_pictures ? "resize %s " FRAME "; pixels %s " FORM
                                      : "image %s " FRAME " " FORM " " PIXELS " orient+";
    if (column && asprintf(&made, format, column, column) < 0)
        made = NULL;
    free(column);
    return made;
}

static dvi_exit show_column(dvi_graphics how, dv_view *view, const dvi_selection *selection,
                            dv_text name, bool has_pictures, dvi_out *out)
{
    int32_t column;
    dv_view *made = NULL;
    dv_error err = DV_ERROR_INIT;
    char *pipeline = pipeline_of(name, has_pictures);
    if (!pipeline)
        return dvi_say_memory();
    dv_status status = dv_view_pipe(&made, view, dv_text_of(pipeline), NULL, NULL, &err);
    free(pipeline);
    if (status < 0)
        return dvi_say_error(&err);
    dv_cursor_options options = selection->options;
    dv_schema_find(dv_view_schema(made), name, &column);
    options.columns = &column;
    options.columns_count = 1;
    options.ids = false;
    dvi_out_text(out, "\n");
    dvi_out_shown(out, name.data, (size_t)name.nbytes);
    dvi_out_text(out, "\n");
    const dvi_exit shown = show_rows(how, made, &options, out);
    dv_view_release(&made);
    return shown;
}

dvi_exit dvi_thumbnails_show(dvi_graphics how, dv_view *view, const dvi_selection *selection,
                             dvi_out *out)
{
    const dv_type bytes = dv_type_of(DV_KIND_BY), pictures = dv_open_type_find(DV_PICTURE);
    bool has_any = false;
    for (int32_t k = 0; k < selection->count; k++) {
        int32_t found;
        const dv_text name = dvi_selection_name(selection, k);
        const dv_type *type = &dv_schema_column(selection->schema, selection->columns[k])->type;
        const bool has_pictures = dv_type_equal(type, &pictures);
        dv_schema_find(selection->schema, name, &found);
        if ((!has_pictures && !dv_type_equal(type, &bytes)) || found != selection->columns[k])
            continue; /* a hidden column has no name of its own */
        const dvi_exit status = show_column(how, view, selection, name, has_pictures, out);
        if (status)
            return status;
        has_any = true;
    }
    return has_any
               ? (dvi_exit)DVI_EXIT_DONE
               : dvi_say_usage("--thumbnails: no column has bytes (BY) or pictures; --pipe "
                               "'loadbytes NEW:COLUMN' reads files whose paths are in a column");
}
