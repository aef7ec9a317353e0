/* SPDX-License-Identifier: MIT */
/* message_writer.c: writes sets of datadings from messages that come one by one: rows of a table of
 * keys and whole messages, gathered so that an append costs little. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/options.h"
#include <dataview/datadings.h>
#include <dataview/msgpack.h>
#include <dataview/writer.h>
#include <string.h>

#define HELD_ROWS 512
#define HELD_NBYTES ((size_t)1 << 20)

struct dv_datadings_writer {
    dv_allocator allocator;
    dv_schema *schema;
    dv_writer *writer;
    dvi_arena arena; /* what is held back */
    size_t held_nbytes;
    int64_t held, rows;
    dv_text keys[HELD_ROWS], messages[HELD_ROWS];
    dv_error failure; /* status DV_OK: none */
};

static dv_status make_schema(dv_datadings_writer *w, dv_error *err)
{
    static const int8_t yes = 1;
    const dv_type text = dv_type_of(DV_KIND_TX), bytes = dv_type_of(DV_KIND_BY);
    dv_column_view mark = {.type = dv_type_of(DV_KIND_BL), .layout = DV_LAYOUT_FIXED, .rows = 1};
    mark.as.fixed.values = (dv_buffer){&yes, 1, NULL, false, true};
    DVI_TRY(dv_schema_create(&w->schema, &w->allocator, err));
    DVI_TRY(dv_schema_add(w->schema, dv_text_of("key"), &text, NULL, err));
    DVI_TRY(dv_schema_add(w->schema, dv_text_of("message"), &bytes, NULL, err));
    return dv_schema_add_metadata(w->schema, 1, dv_text_of("MsgpackMessage"), &mark, err);
}

static void free_writer(dv_datadings_writer **writer)
{
    dv_datadings_writer *w = *writer;
    const dv_allocator allocator = w->allocator;
    *writer = NULL;
    dv_writer_abandon(&w->writer);
    dv_schema_free(&w->schema);
    dvi_arena_free(&w->arena);
    dvi_free(&allocator, w, sizeof *w);
}

dv_status dv_datadings_writer_open(dv_datadings_writer **writer_out, const char *path,
                                   const dv_save_options *given, dv_error *err)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    void *made;
    *writer_out = NULL;
    DVI_TRY(dvi_options_read(&options, sizeof options, given, "DV_SAVE_OPTIONS_INIT", err));
    if (options.columns || options.columns_count > 0)
        return dvi_fail_argument(err, "a writer of messages has no columns to choose from");
    options.format = "datadings";
    DVI_TRY(dvi_alloc_zeroed(options.allocator, &made, sizeof(dv_datadings_writer), err));
    dv_datadings_writer *w = made;
    w->allocator = dvi_allocator_of(options.allocator);
    dvi_arena_init(&w->arena, &w->allocator);
    dv_status status = make_schema(w, err);
    if (status == DV_OK)
        status = dv_writer_open(&w->writer, path, w->schema, DV_ROWS_UNKNOWN, &options, err);
    if (status < 0)
        free_writer(&w);
    *writer_out = w;
    return status;
}

/* Remember the first failure, with which all later calls fail. */
static dv_status keep(dv_datadings_writer *w, dv_status status, const dv_error *found,
                      dv_error *err)
{
    if (status < 0)
        w->failure = *found;
    if (status < 0 && err)
        *err = *found;
    return status;
}

static dv_status fail_again(const dv_datadings_writer *w, dv_error *err)
{
    if (w->failure.status < 0 && err)
        *err = w->failure;
    return w->failure.status;
}

/* Hand over what is held back. */
static dv_status flush(dv_datadings_writer *w, dv_error *err)
{
    const dv_table_column columns[] = {{"key", dv_type_of(DV_KIND_TX), NULL, w->keys},
                                       {"message", dv_type_of(DV_KIND_BY), NULL, w->messages}};
    if (w->held == 0)
        return DV_OK;
    const dv_status status = dv_writer_append_columns(w->writer, columns, 2, w->held, err);
    dvi_arena_free(&w->arena);
    dvi_arena_init(&w->arena, &w->allocator);
    w->held = 0;
    w->held_nbytes = 0;
    return status;
}

/* The text of the entry "key" of a message; NA: it has none.  Of equal keys the last one counts. */
static dv_text own_key(const void *message, size_t nbytes)
{
    dv_msgpack_reader reader;
    dv_msgpack_item map, name, value;
    dv_text key = dv_text_of(NULL);
    dv_msgpack_start(&reader, message, nbytes);
    if (dv_msgpack_next(&reader, &map, NULL) != DV_OK || map.kind != DV_MSGPACK_MAP)
        return key;
    for (uint32_t i = 0; i < map.count; i++) {
        if (dv_msgpack_next(&reader, &name, NULL) != DV_OK)
            break;
        const bool is_key =
            name.kind == DV_MSGPACK_STR && dv_text_equal(name.bytes, dv_text_of("key"));
        dv_msgpack_reader at = reader;
        if (is_key && dv_msgpack_next(&at, &value, NULL) == DV_OK)
            key = value.kind == DV_MSGPACK_STR ? value.bytes : dv_text_of(NULL);
        if (dv_msgpack_skip(&reader, NULL) != DV_OK)
            break;
    }
    return key;
}

static dv_status hold(dv_datadings_writer *w, dv_text key, const void *message, size_t nbytes,
                      dv_error *err)
{
    const dv_text bytes = {message, (int64_t)nbytes};
    const dv_text own = key.nbytes < 0 ? own_key(message, nbytes) : key;
    if (own.nbytes < 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "message",
                        "a key beside it, or a text under \"key\" in it|neither in message %lld",
                        (long long)w->rows);
    if (w->held == HELD_ROWS || (w->held > 0 && nbytes > HELD_NBYTES - w->held_nbytes))
        DVI_TRY(flush(w, err));
    DVI_TRY(dvi_arena_text(&w->arena, &w->keys[w->held], own, err));
    DVI_TRY(dvi_arena_text(&w->arena, &w->messages[w->held], bytes, err));
    w->held_nbytes += nbytes;
    w->held++;
    w->rows++;
    return w->held_nbytes >= HELD_NBYTES ? flush(w, err) : DV_OK;
}

dv_status dv_datadings_writer_append(dv_datadings_writer *w, dv_text key, const void *message,
                                     size_t nbytes, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    if (w->failure.status < 0)
        return fail_again(w, err);
    if (nbytes > INT32_MAX)
        return keep(w,
                    dvi_fail(&found, DV_ERR_LIMIT, "message_nbytes", -1, "message",
                             "at most 2^31-1 bytes|%zu in message %lld", nbytes,
                             (long long)w->rows),
                    &found, err);
    return keep(w, hold(w, key, message, nbytes, &found), &found, err);
}

dv_status dv_datadings_writer_close(dv_datadings_writer **writer, dv_error *err)
{
    dv_datadings_writer *w = *writer;
    if (!w)
        return DV_OK;
    dv_status status = w->failure.status < 0 ? fail_again(w, err) : flush(w, err);
    if (status == DV_OK)
        status = dv_writer_close(&w->writer, err);
    free_writer(writer);
    return status;
}

void dv_datadings_writer_abandon(dv_datadings_writer **writer)
{
    if (*writer)
        free_writer(writer);
}
