/* SPDX-License-Identifier: MIT */
/* format.h: the file formats that this library knows. */
#ifndef DATAVIEW_FORMAT_H
#define DATAVIEW_FORMAT_H

#include <dataview/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One format.  Static: it lives as long as the library.  Grows at its end only. */
typedef struct dv_format_info {
    const char *name;         /* "idv": what options->format, dv_open_format and dv_view_kind say */
    const char *title;        /* "ML.NET binary data view" */
    const char *extensions;   /* of file names, separated by spaces: ".txt .csv .tsv" */
    const char *open_options; /* members of dv_open_options (open.h) that other formats ignore,
                                 separated by spaces; "": none */
    const char *save_options; /* the same of dv_save_options (save.h) */
    bool can_save;            /* dv_save can write it; every format can be read */
    bool can_stream;          /* dv_open reads it from a pipe */
    bool can_propose;         /* dv_open_propose knows it */
} dv_format_info;

/* How many formats there are, and format i of them: 0 <= i < dv_format_count(), else NULL. */
DV_API int32_t dv_format_count(void);
DV_API const dv_format_info *dv_format_at(int32_t i);

/* The format of that name, or the format that a path's extension names.  NULL: none. */
DV_API const dv_format_info *dv_format_find(const char *name);
DV_API const dv_format_info *dv_format_of_path(const char *path);

#ifdef __cplusplus
}
#endif

#endif
