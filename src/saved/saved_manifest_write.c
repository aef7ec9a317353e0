/* SPDX-License-Identifier: MIT */
/* saved_manifest_write.c: writes the manifest of a saved pipeline, a line for each step. */
#include "base/check.h"
#include "saved/saved_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool put(const dv_sink *sink, const char *text)
{
    return sink->write(sink->ctx, text, strlen(text));
}

static bool put_json(const dv_sink *sink, const char *before, dv_text text)
{
    return put(sink, before) && dv_text_write_json(text, sink);
}

static bool put_input(const dv_fitted *f, int32_t i, const dv_sink *sink)
{
    char text[128] = "}";
    const dvi_fitted_keys *keys = &f->keys[i];
    if (keys->count > 0)
        snprintf(text, sizeof text, ",\"keys\":%d,\"digest\":\"%016" PRIx64 "%016" PRIx64 "\"}",
                 (int)keys->count, keys->digest.hi, keys->digest.lo);
    return put_json(sink, i > 0 ? ",\n{\"name\":" : "\n{\"name\":", f->inputs[i].name) &&
           put_json(sink, ",\"type\":", f->inputs[i].type) && put(sink, text);
}

static bool put_head(const dv_fitted *f, const dv_sink *sink)
{
    char text[128];
    snprintf(text, sizeof text,
             "{\"dataview\":\"%d.%d.%d\",\"rows\":%" PRId64 ",\"passes\":%" PRId32 ",\n\"input\":[",
             DV_VERSION_MAJOR, DV_VERSION_MINOR, DV_VERSION_PATCH, f->info.rows, f->info.passes);
    bool is_put = put(sink, text);
    for (int32_t i = 0; is_put && i < f->inputs_count; i++)
        is_put = put_input(f, i, sink);
    return is_put && put(sink, "],\n\"steps\":[");
}

static bool put_step(const dvi_step *step, int32_t i, dv_text text, const dv_sink *sink)
{
    char version[32];
    const int32_t tables = dvi_step_tables(step);
    bool is_first = true;
    snprintf(version, sizeof version, ",\"version\":%d", (int)step->cls->open.version);
    bool is_put =
        put_json(sink, i > 0 ? ",\n{\"name\":" : "\n{\"name\":", dv_text_of(step->info->name)) &&
        put(sink, version) && put_json(sink, ",\"text\":", text) && put(sink, ",\"tables\":[");
    for (int32_t k = 0; is_put && k < step->columns_count; k++) {
        for (int32_t t = 0; is_put && t < tables; t++) {
            const dvi_saved_name name = dvi_saved_table_name(i, k, dvi_step_table(step, t));
            is_put = put_json(sink, is_first ? "" : ",", dv_text_of(name.text));
            is_first = false;
        }
    }
    return is_put && put(sink, "]}");
}

bool dvi_saved_to_writer(void *ctx, const char *data, size_t nbytes)
{
    return dvi_writer_write(ctx, data, nbytes, NULL) == DV_OK;
}

/* The text of a step comes in parts of characters, so it is written as JSON when it is whole. */
static dv_status write_step(const dv_fitted *f, int32_t i, const dv_sink *sink,
                            const dv_allocator *allocator, dv_error *err)
{
    const dvi_step *step = &f->pipeline->steps.step[i];
    dvi_writer *memory;
    dv_buffer text;
    DVI_TRY(dvi_writer_create_memory(&memory, PTRDIFF_MAX, "memory_nbytes", allocator, err));
    const dv_sink to_memory = {dvi_saved_to_writer, memory};
    const bool is_whole = dvi_notation_write(step, &to_memory, NULL) == DV_OK;
    dv_status status = dvi_writer_write(memory, "", 0, err); /* why it is not */
    if (status == DV_OK) {
        dvi_writer_take(memory, &text);
        if (!is_whole || !put_step(step, i, (dv_text){text.data, (int64_t)text.nbytes}, sink))
            status = dvi_fail_argument(err, "the manifest was not written to its end");
        dv_buffer_release(&text);
    }
    dvi_writer_close(&memory);
    return status;
}

dv_status dvi_saved_write_manifest(const dv_fitted *f, const dv_sink *sink,
                                   const dv_allocator *allocator, dv_error *err)
{
    bool is_put = put_head(f, sink);
    for (int32_t i = 0; is_put && i < f->pipeline->steps.count; i++)
        DVI_TRY(write_step(f, i, sink, allocator, err));
    if (is_put && put(sink, "]}\n"))
        return DV_OK;
    return dvi_fail_argument(err, "the manifest was not written to its end");
}
