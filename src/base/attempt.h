/* SPDX-License-Identifier: MIT */
/* attempt.h: marks the places where a failure of memory, of the system or of a file decides
 * nothing: another way gives the same result, or meets the failure again and reports it. */
#ifndef DVI_BASE_ATTEMPT_H
#define DVI_BASE_ATTEMPT_H

#include <stdbool.h>

/* Whether an attempt succeeds. place: "file.c function", static text, a row of the table in
 * docs/security.md (test `attempts_listed`). The test `attempts` has each one fail. */
#define DVI_ATTEMPT(place, succeeds) (dvi_may_attempt(place) && (succeeds))

/* True; but false in a test that has this attempt fail. */
bool dvi_may_attempt(const char *place);

#endif
