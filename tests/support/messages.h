/* SPDX-License-Identifier: MIT */
/* messages.h: msgpack messages from a notation, encoded independently of the library, and the
 * values that a view of them reads.
 *
 *   {a:1, "b c":[n,t,f]}   a map (a key is a word or any value), an array; nil, true, false
 *   -5  2.5  2.5f          the shortest integer, float64, float32
 *   "x"  #FFD8  !C1        str, bin, bytes as they are
 *   @<f4[2,3]#HEX          numpy's array of that shape; without [] a scalar; ~1-2j~ complex
 */
#ifndef DVT_MESSAGES_H
#define DVT_MESSAGES_H

#include "support/file.h"
#include "support/lines.h"
#include <dataview/cursor.h>
#include <dataview/open.h>

/* Append the messages of the notation, which are separated by blanks. An unknown notation ends the
 * program. */
void dvt_messages_add(dvt_lines *bytes, const char *text);

/* Open the bytes, which then end at an inaccessible page.  NULL: see err.  options may be
 * NULL; the format is "datadings" unless they name one. */
dv_view *dvt_messages_open(const dvt_lines *bytes, const dv_open_options *options, dv_error *err);

/* A set in a folder: messages divided by ';', whose bytes may be broken, as FOLDER/set.msgpack with
 * its offsets and keys "k0", "k1", ...; and open it. */
void dvt_messages_save(const dvt_path *folder, const char *text);
dv_view *dvt_messages_open_saved(const dvt_path *folder, const dv_open_options *options,
                                 dv_error *err);

/* "key TX, x V<R4,2>, o BY?": names and types; ? is msgpack as it is, ! whole messages. */
void dvt_messages_schema(dvt_lines *lines, const dv_view *view);
/* Each row as an array of JSON values, a line each. */
dv_status dvt_messages_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                            dv_error *err);

#endif
