/* SPDX-License-Identifier: MIT */
/* format.h: lists the file formats that the library can read and write. */
#ifndef DATAVIEW_FORMAT_H
#define DATAVIEW_FORMAT_H

#include <dataview/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A format.  Static, so any thread may read it at any time.  Later versions add members at the
 * end. */
typedef struct dv_format_info {
    const char *name;         /* "idv": as in options->format, dv_open_format and dv_view_kind */
    const char *title;        /* "ML.NET binary data view" */
    const char *extensions;   /* of file names, separated by spaces: ".txt .csv .tsv" */
    const char *open_options; /* members of dv_open_options (open.h) that other formats ignore,
                                 separated by spaces; "": none */
    const char *save_options; /* the same of dv_save_options (save.h) */
    bool can_save;            /* dv_save can write it; dv_open can read every format */
    bool can_stream;          /* dv_open can read it from a pipe */
    bool can_propose;         /* dv_open_propose proposes options for it */
    const char *side_files;   /* suffixes of the side files that dv_save replaces or removes with a
                                 file, such as ".offsets .keys"; "": none */
} dv_format_info;

/* The number of formats; format i of them, NULL unless 0 <= i < dv_format_count().  Any thread. */
DV_API int32_t dv_format_count(void);
DV_API const dv_format_info *dv_format_at(int32_t i);

/* The format of a name; the format that has the extension of a path, where .gz or .zst may follow
 * that of text.  NULL: none.  Any thread. */
DV_API const dv_format_info *dv_format_find(const char *name);
DV_API const dv_format_info *dv_format_of_path(const char *path);

#ifdef __cplusplus
}
#endif

#endif
