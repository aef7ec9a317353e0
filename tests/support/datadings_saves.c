/* SPDX-License-Identifier: MIT */
/* datadings_saves.c: columns that become datadings, and the bytes that they became. */
#include "support/datadings_saves.h"
#include "codec/md5.h"
#include "format/datadings/save/datadings_save_priv.h"
#include "save/save.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEX_MOST ((size_t)4096)

static void *reserve(size_t nbytes)
{
    void *made = malloc(nbytes + 1);
    if (!made)
        abort();
    return made;
}

/* Texts, one after another, and their ends. */
static dv_column_view lay_out(dv_kind kind, const char *bytes, const int64_t *lengths, int64_t n)
{
    size_t nbytes = 0;
    for (int64_t i = 0; i < n; i++)
        nbytes += lengths[i] > 0 ? (size_t)lengths[i] : 0;
    const size_t at = (nbytes + 3) / 4 * 4;
    char *memory = reserve(at + 4 * (size_t)n);
    int32_t *ends = (int32_t *)(void *)(memory + at), end = 0;
    if (nbytes > 0)
        memcpy(memory, bytes, nbytes);
    for (int64_t i = 0; i < n; i++) {
        end += lengths[i] > 0 ? (int32_t)lengths[i] : 0;
        ends[i] = lengths[i] < 0 ? (int32_t)((uint32_t)end | 0x80000000u) : end;
    }
    return dvt_made_text(kind, memory, ends, n);
}

dv_column_view dvt_texts_of(dv_kind kind, const char *const *texts, int64_t n)
{
    size_t nbytes = 0, at = 0;
    int64_t *lengths = reserve((size_t)n * sizeof *lengths);
    for (int64_t i = 0; i < n; i++) {
        lengths[i] = texts[i] ? (int64_t)strlen(texts[i]) : -1;
        nbytes += texts[i] ? strlen(texts[i]) : 0;
    }
    char *bytes = reserve(nbytes);
    for (int64_t i = 0; i < n; i++)
        if (texts[i]) {
            memcpy(bytes + at, texts[i], strlen(texts[i]));
            at += strlen(texts[i]);
        }
    const dv_column_view view = lay_out(kind, bytes, lengths, n);
    free(bytes);
    free(lengths);
    return view;
}

/* Append the bytes that are written in hex; returns their number. */
static int64_t read_hex(char *dst, const char *hex)
{
    int64_t n = 0;
    for (unsigned int byte; *hex; hex += 2) {
        if (*hex == ' ') {
            hex--;
            continue;
        }
        if (sscanf(hex, "%2x", &byte) != 1)
            abort();
        dst[n++] = (char)byte;
    }
    return n;
}

dv_column_view dvt_hexes_of(const char *const *hexes, int64_t n)
{
    size_t most = 0;
    int64_t at = 0, *lengths = reserve((size_t)n * sizeof *lengths);
    for (int64_t i = 0; i < n; i++)
        most += strlen(hexes[i]);
    char *bytes = reserve(most);
    for (int64_t i = 0; i < n; i++) {
        lengths[i] = read_hex(bytes + at, hexes[i]);
        at += lengths[i];
    }
    const dv_column_view view = lay_out(DV_KIND_BY, bytes, lengths, n);
    free(bytes);
    free(lengths);
    return view;
}

void dvt_texts_free(const dv_column_view *texts)
{
    free((void *)(uintptr_t)texts->as.text.utf8.data);
}

void dvt_table_free_texts(dvt_made_table *table)
{
    for (int32_t i = 0; i < table->columns; i++)
        if (table->column[i].layout == DV_LAYOUT_TEXT || table->column[i].layout == DV_LAYOUT_BYTES)
            dvt_texts_free(&table->column[i]);
}

dv_column_view dvt_true_mark(void)
{
    static const int8_t yes = 1;
    return dvt_made_fixed(dv_type_of(DV_KIND_BL), &yes, 1);
}

/* --- Saving ----------------------------------------------------------------------------------- */

static const dvi_format format = {.info = {.name = "datadings", .can_save = true},
                                  .check_save = dvi_datadings_check_save,
                                  .begin_save = dvi_datadings_begin_save};

dv_status dvt_datadings_save(dv_view *view, const char *path, const dv_save_options *options,
                             dv_error *err)
{
    return dvi_save_file(view, &format, path, options, err);
}

dv_status dvt_datadings_save_memory(dv_view *view, dv_buffer *buffer_out,
                                    const dv_save_options *options, dv_error *err)
{
    return dvi_save_memory(view, &format, buffer_out, options, err);
}

dv_status dvt_datadings_save_check(dv_view *view, const dv_save_options *options,
                                   bool (*report)(void *ctx, const dv_loss_report *report),
                                   void *ctx, dv_error *err)
{
    return dvi_save_check(view, &format, "", options, report, ctx, err);
}

const char *dvt_datadings_hex(dv_view *view, const dv_save_options *options)
{
    static char text[2 * HEX_MOST + 300];
    dv_buffer file;
    dv_error err = DV_ERROR_INIT;
    if (dvt_datadings_save_memory(view, &file, options, &err) != DV_OK) {
        snprintf(text, sizeof text, "%s", err.message);
        return text;
    }
    const uint8_t *p = file.data;
    const size_t n = file.nbytes < HEX_MOST ? file.nbytes : HEX_MOST;
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02X", p[i]);
    dv_buffer_release(&file);
    return text;
}

const char *dvt_md5_of(const char *path)
{
    static dvi_md5_text text;
    size_t nbytes;
    dvi_md5 *md5;
    uint8_t *data = dvt_file_read(path, &nbytes);
    if (dvi_md5_create(&md5, NULL, NULL) != DV_OK)
        abort();
    dvi_md5_add(md5, data, nbytes);
    text = dvi_md5_end(md5);
    dvi_md5_free(&md5);
    free(data);
    return text.digits;
}
