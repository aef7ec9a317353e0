/* SPDX-License-Identifier: MIT */
/* saved_priv.h: what the reader and the writer of saved pipelines share. */
#ifndef DVI_SAVED_PRIV_H
#define DVI_SAVED_PRIV_H

#include "pipeline/fitted.h"
#include "saved/saved_pipeline.h"
#include <dataview/digest.h>
#include <dataview/version.h>

#define DVI_SAVED_MAGIC "DVPIPE\r\n"
enum {
    DVI_SAVED_VERSION = 1,
    DVI_SAVED_HEADER = 64, /* bytes of the header, and the alignment of sections */
    DVI_SAVED_DIGEST = 16,
    DVI_SAVED_ENTRY = 34,      /* bytes of an entry of the directory without its name */
    DVI_SAVED_NAME = 64,       /* the longest name of a section */
    DVI_SAVED_SECTIONS = 4096, /* at most, the manifest included */
    DVI_SAVED_MANIFEST = 1 << 24
};

typedef struct dvi_saved_name {
    char text[DVI_SAVED_NAME];
} dvi_saved_name;

typedef struct dvi_saved_section {
    dv_text name;
    int64_t offset, nbytes;
    dv_u128 digest;
} dvi_saved_section;

/* The name of the table of a column of a step: step1.column1.terms. */
dvi_saved_name dvi_saved_table_name(int32_t step, int32_t column, const char *kind);

/* A table as the bytes of a section, which the caller releases. Statuses: dv_save. */
dv_status dvi_saved_table_bytes(dv_buffer *bytes_out, dv_view *table, const dv_allocator *allocator,
                                dv_error *err);
/* The table of a section, which needs nothing of the file. It takes a reference to the memory, also
 * after a failure. */
dv_status dvi_saved_table_open(dv_view **table_out, dvi_memory *memory, size_t nbytes,
                               const dv_allocator *allocator, dv_error *err);

/* The first multiple of 64 from there on. */
static inline int64_t dvi_saved_align(int64_t offset)
{
    return (offset + DVI_SAVED_HEADER - 1) & -(int64_t)DVI_SAVED_HEADER;
}

/* --- saved_manifest.c, saved_manifest_write.c, saved_steps.c ---------------------------------- */

/* A step as the manifest has it; the texts are in the arena. */
typedef struct dvi_saved_step {
    dv_text name, text;
    int64_t version;
    int32_t tables;
    struct dvi_saved_step *next;
} dvi_saved_step;

typedef struct dvi_saved_input {
    dv_fitted_input input;
    dvi_fitted_keys keys;
    struct dvi_saved_input *next;
} dvi_saved_input;

typedef struct dvi_saved_manifest {
    int64_t rows, passes;
    dvi_saved_input *inputs;
    dvi_saved_step *steps;
    int32_t inputs_count, steps_count, tables;
} dvi_saved_manifest;

/* Write the manifest. DV_OK; DV_ERR_ARGUMENT: the sink stopped; DV_ERR_MEMORY. */
dv_status dvi_saved_write_manifest(const dv_fitted *fitted, const dv_sink *sink,
                                   const dv_allocator *allocator, dv_error *err);
/* What a sink to a writer calls. */
bool dvi_saved_to_writer(void *writer, const char *data, size_t nbytes);

/* Read the manifest, a section at `offset`. Its tables must be the n sections. DV_OK;
 * DV_ERR_CORRUPT, DV_ERR_MEMORY. */
dv_status dvi_saved_read_manifest(dvi_saved_manifest *manifest_out, dvi_arena *arena, dv_text json,
                                  int64_t offset, const dvi_saved_section *tables, int32_t n,
                                  dv_error *err);

/* Parse the steps of a manifest. DV_OK; DV_ERR_CORRUPT; DV_ERR_UNSUPPORTED: steps or versions that
 * are not known; DV_ERR_MEMORY. */
dv_status dvi_saved_parse_steps(dv_pipeline **pipeline_out, const dvi_saved_manifest *manifest,
                                int64_t offset, const dv_allocator *allocator, dv_error *err);

#endif
