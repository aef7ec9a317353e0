/* SPDX-License-Identifier: MIT */
/* idv_verify.c: checks every byte of every block and metadata value. */
#include "scan/verify.h"
#include "format/idv/read/idv_priv.h"
#include <dataview/save.h>
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A verification in progress. */
typedef struct check {
    dvi_idv_file *file;
    const dv_verify_options *options;
    dvi_inflater *inflater;
    dvi_idv_opened opened;
    int64_t done, all; /* blocks */
} check;

/* Values that are valid but worth a warning, counted over all blocks of a column. */
typedef struct suspicion {
    int64_t values, offset; /* how many; the offset of the first block that has one */
} suspicion;

static void suspect(suspicion *s, int64_t values, const dvi_idv_opened *opened)
{
    if (s->values == 0 && values > 0)
        s->offset = opened->block.offset;
    s->values += values;
}

static dv_status warn(const check *c, const dvi_idv_column *column, const suspicion *s,
                      const char *rule, const char *what, const char *expected)
{
    if (s->values == 0)
        return DV_OK;
    dv_error warning = DV_ERROR_INIT;
    dvi_fail(&warning, DV_ERR_CORRUPT, rule, s->offset, what, "%s|%" PRId64, expected, s->values);
    dvi_error_within(&warning, "column \"%s\"", dvi_show(column->name).text);
    dvi_error_set_file(&warning, dvi_map_name(c->file->map));
    warning.status = DV_OK;
    return dvi_verify_report(c->options, &warning, NULL);
}

/* Counts the keys in a block that are above the key count.  The minimum of a number needs no
 * warning: it is how NA is stored, by this library too. */
static int64_t count_high_keys(const dv_column_view *view)
{
    int64_t n = 0;
    for (int64_t i = 0; i < view->rows; i++) {
        const dv_value value = dv_value_at(view, i);
        n += dv_value_key(&value) > view->type.key_count;
    }
    return n;
}

static dv_status verify_column(check *c, const dvi_idv_column *column, dv_error *err)
{
    const dv_type type = dv_type_item(&column->codec.type);
    const bool is_key = type.is_key && type.key_count > 0;
    suspicion keys = {0}, splits = {0};
    for (int64_t k = 0; k < c->file->blocks; k++) {
        dv_error found = DV_ERROR_INIT;
        if (c->options->progress.report &&
            !c->options->progress.report(c->options->progress.ctx, c->done++, c->all))
            return DV_END;
        const dvi_idv_how how = {.inflater = c->inflater, .room = c->file->limits.cursor_nbytes};
        dv_status status = dvi_idv_open_block(c->file, column, k, &c->opened, &how, &found);
        if (status < 0) {
            dvi_error_within(&found, "column \"%s\", block %" PRId64, dvi_show(column->name).text,
                             k);
            dvi_error_set_file(&found, dvi_map_name(c->file->map));
            status = dvi_verify_report(c->options, &found, err);
            if (status != DV_OK)
                return status;
            continue;
        }
        const dvi_column *rows = &c->opened.column;
        const bool is_vector = rows->view.layout == DV_LAYOUT_VECTOR;
        if (is_key)
            suspect(&keys, count_high_keys(is_vector ? &rows->items : &rows->view), &c->opened);
        suspect(&splits, (int64_t)c->opened.splits, &c->opened);
    }
    const dv_status status = warn(c, column, &keys, "idv:4.1", "keys", "none above the key count");
    if (status != DV_OK)
        return status;
    return warn(c, column, &splits, "idv:5.4", "text boundaries", "none inside a character");
}

/* Report a column or metadata entry that cannot be read: it is lost in a copy. */
static dv_status report_dead(const check *c, const dvi_idv_warning *dead, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    const int first_word = (int)strcspn(dead->unknown, " "); /* codec or compression */
    dvi_fail(&found, DV_ERR_UNSUPPORTED, dead->rule, dead->offset, dead->what,
             "a known %.*s, or convert with loss %s allowed|unknown %s", first_word, dead->unknown,
             dv_loss_name(dead->loss), dead->unknown);
    dvi_error_set_file(&found, dvi_map_name(c->file->map));
    return dvi_verify_report(c->options, &found, err);
}

static dv_status verify_dead(const check *c, dv_error *err)
{
    const dvi_idv_file *file = c->file;
    const int32_t unlisted = file->dead + file->dead_metadata - file->dead_listed;
    dv_status status = DV_OK;
    for (const dvi_idv_warning *w = file->warnings; w && status == DV_OK; w = w->next)
        if (w->loss != DV_LOSS_NONE)
            status = report_dead(c, w, err);
    if (status != DV_OK || unlisted == 0)
        return status;
    char more[64];
    snprintf(more, sizeof more, "codec or compression of %d more", unlisted);
    const dvi_idv_warning others = {.what = "columns and metadata",
                                    .unknown = more,
                                    .rule = "idv:3.1",
                                    .loss = DV_LOSS_COLUMNS,
                                    .offset = file->header.toc};
    return report_dead(c, &others, err);
}

dv_status dvi_idv_verify(void *self, const struct dv_verify_options *options, dv_error *err)
{
    dvi_idv_file *file = self;
    check c = {.file = file, .options = options};
    c.all = file->blocks * file->alive;
    DVI_TRY(dvi_inflater_create(&c.inflater, err));
    dv_status status = verify_dead(&c, err);
    if (status == DV_OK)
        status = dvi_verify_metadata(dv_view_schema(file->view), options, err);
    for (int32_t i = 0; i < file->alive && status == DV_OK; i++)
        status = verify_column(&c, &file->columns[i], err);
    if (status == DV_OK && options->progress.report &&
        !options->progress.report(options->progress.ctx, c.all, c.all))
        status = DV_END;
    dvi_idv_opened_free(&c.opened);
    dvi_inflater_free(&c.inflater);
    return status;
}
