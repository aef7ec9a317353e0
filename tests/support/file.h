/* SPDX-License-Identifier: MIT */
/* file.h: files of a test, in a folder of its own that is removed after it. */
#ifndef DVT_FILE_H
#define DVT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A path, as a value. */
typedef struct dvt_path {
    char text[512];
} dvt_path;

/* Every failure of the system ends the program with its reason. */

/* A new folder under $TMPDIR, or /tmp; and away with it and all that it holds.  Empty text is no
 * folder, and is fine. */
dvt_path dvt_folder_create(void);
void dvt_folder_remove(dvt_path *folder);
/* FOLDER/NAME */
dvt_path dvt_path_in(const dvt_path *folder, const char *name);

/* How many entries a folder has, hidden ones too. */
int dvt_folder_entries(const dvt_path *folder);

/* Make a file, or replace its content; cut or lengthen it, with zeros that need no space. */
void dvt_file_write(const dvt_path *path, const void *data, size_t nbytes);
void dvt_file_resize(const dvt_path *path, int64_t nbytes);

/* A file of nbytes that depend on their offset, and a check that bytes are those at `offset`. */
void dvt_file_pattern(const dvt_path *path, size_t nbytes);
bool dvt_is_pattern(const uint8_t *data, size_t nbytes, size_t offset);
/* The same in memory; free() it. */
uint8_t *dvt_pattern(size_t nbytes);

/* All of a file in memory, followed by a NUL that is not counted; free() it. */
uint8_t *dvt_file_read(const char *path, size_t *nbytes_out);

#endif
