/* SPDX-License-Identifier: MIT */
/* saves.h: checks that a file is the old or the new one, complete, whatever interrupts the save. */
#ifndef DVT_SAVES_H
#define DVT_SAVES_H

#include "support/faults.h"
#include <dataview/status.h>
#include <stddef.h>

/* Makes a file of these bytes; called repeatedly. */
typedef struct dvt_saves {
    dv_status (*save)(void *ctx, const char *path, dv_error *err);
    void *ctx;
    const void *data;
    size_t nbytes;
} dvt_saves;

/* Both give NULL, or what went wrong: text that lives until the next call.  The test must include
 * support/faults.h; last_out (which may be NULL) is how many calls a save makes. */

/* Let each call of a save fail in turn.  Then the save failed and the file is the old one, or it
 * did not and the file is the new one; nothing else is left, no descriptor is open, and the error
 * names the file.  EINTR and half a write fail no save.  With
 * DVT_FAULT_FROM nothing works any more: then the temporary file may be left for the next save. */
const char *dvt_saves_check_faults(const dvt_saves *saves, dvt_fault fault, int os_code,
                                   int64_t *last_out);

/* Kill a process that saves after each of its calls in turn.  Then the file is the old or the new
 * one, complete, and the next save removes what is left. */
const char *dvt_saves_check_kills(const dvt_saves *saves, int64_t *last_out);

#endif
