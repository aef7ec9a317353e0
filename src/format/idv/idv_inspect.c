/* SPDX-License-Identifier: MIT */
/* idv_inspect.c: reports the facts of an .idv file from its tables alone. */
#include "base/size.h"
#include "view/inspect.h"
#include "format/idv/read/idv_priv.h"
#include <inttypes.h>
#include <stdio.h>

#define WARNING_NBYTES 512
#define ENTRIES 256 /* entries read at a time */

static const char *compression_name(uint8_t compression)
{
    static const char *const names[DVI_IDV_COMPRESSIONS] = {"none", "deflate", "zlib"};
    return names[compression];
}

/* Can values be used in place, in the mapped block? */
static bool is_in_place(const dvi_idv_column *column)
{
    return column->compression == DVI_IDV_STORED && column->codec.encoding != DVI_IDV_BITS &&
           column->codec.encoding != DVI_IDV_PAIRS;
}

static bool is_aligned(const dvi_idv_column *column, const dvi_idv_block *block, int64_t n)
{
    const dvi_idv_codec *codec = &column->codec;
    if (codec->type.rank > 0 || codec->encoding == DVI_IDV_TEXT || codec->encoding == DVI_IDV_BYTES)
        return block->offset % 4 == 0;
    if (codec->encoding == DVI_IDV_ZONED)
        return block->offset % 2 == 0 && (block->offset + 2 * n) % 8 == 0;
    const int32_t width = dv_kind_width(codec->type.kind);
    return (size_t)block->offset % dvi_idv_alignment_of((size_t)width) == 0;
}

static void add_block(const dvi_idv_file *file, const dvi_idv_column *column, int64_t k,
                      const dvi_idv_block *block, dv_column_facts *facts)
{
    facts->stored_nbytes += (int64_t)block->stored;
    facts->inflated_nbytes += (int64_t)block->inflated;
    if (!is_in_place(column))
        return;
    facts->in_place_blocks++;
    facts->aligned_blocks += is_aligned(column, block, dvi_idv_block_rows(file, k));
}

static dv_status inspect_column(const dvi_idv_file *file, const dvi_idv_column *column,
                                dvi_memory **memory, dv_column_facts *facts, dv_error *err)
{
    *facts = (dv_column_facts){.blocks = file->blocks,
                               .compression = compression_name(column->compression)};
    for (int64_t k = 0; k < file->blocks; k += ENTRIES) {
        dvi_idv_block blocks[ENTRIES];
        const int64_t n = dvi_min_i64(ENTRIES, file->blocks - k);
        DVI_TRY(dvi_idv_read_entries(file, column, k, n, memory, blocks, err));
        for (int64_t i = 0; i < n; i++)
            add_block(file, column, k + i, &blocks[i], facts);
    }
    return DV_OK;
}

static dv_status inspect_columns(const dvi_idv_file *file, dv_facts *facts, dvi_memory **memory,
                                 dv_error *err)
{
    for (int32_t i = 0; i < file->alive; i++) {
        dv_column_facts column;
        const dv_status status = inspect_column(file, &file->columns[i], memory, &column, err);
        if (status < 0) {
            dvi_error_within(err, "column \"%s\"", dvi_show(file->columns[i].name).text);
            dvi_error_set_file(err, dvi_map_name(file->map));
            return status;
        }
        DVI_TRY(dv_facts_set_column(facts, i, &column, err));
    }
    return DV_OK;
}

static dv_status inspect_version(const dvi_idv_header *h, dv_facts *facts, dv_error *err)
{
    char text[96];
    const dvi_idv_version_text version = dvi_idv_version(h->version);
    const dvi_idv_version_text compatible = dvi_idv_version(h->compatible);
    if (h->version == h->compatible)
        return dv_facts_set_version(facts, version.text, err);
    snprintf(text, sizeof text, "%s (readable since %s)", version.text, compatible.text);
    return dv_facts_set_version(facts, text, err);
}

static dv_status inspect_warnings(const dvi_idv_file *file, dv_facts *facts, dv_error *err)
{
    int32_t reported = 0;
    char text[WARNING_NBYTES];
    for (const dvi_idv_warning *w = file->warnings; w; w = w->next, reported++) {
        const bool is_dead = w->loss != DV_LOSS_NONE;
        snprintf(text, sizeof text, "%s%s%s", w->what, is_dead ? " is skipped: unknown " : "",
                 w->unknown);
        DVI_TRY(dv_facts_warn(facts, text, err));
    }
    if (reported == file->warning_count)
        return DV_OK;
    snprintf(text, sizeof text, "and %d more", file->warning_count - reported);
    return dv_facts_warn(facts, text, err);
}

dv_status dvi_idv_inspect(void *self, struct dv_facts *facts, dv_error *err)
{
    const dvi_idv_file *file = self;
    dvi_facts_set_map(facts, file->map);
    facts->rows_per_block = file->rpb;
    facts->blocks_per_column = file->blocks;
    facts->dead_columns = file->dead;
    facts->dead_metadata = file->dead_metadata;
    DVI_TRY(inspect_version(&file->header, facts, err));
    dvi_memory *memory = NULL;
    const dv_status status =
        dvi_facts_are_brief(facts) ? DV_OK : inspect_columns(file, facts, &memory, err);
    dvi_memory_release(&memory);
    DVI_TRY(status);
    return inspect_warnings(file, facts, err);
}
