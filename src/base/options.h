/* SPDX-License-Identifier: MIT */
/* options.h: reads the structs of options that callers fill. */
#ifndef DVI_BASE_OPTIONS_H
#define DVI_BASE_OPTIONS_H

#include <dataview/status.h>
#include <stddef.h>
#include <stdint.h>

/* Copy the caller's options over the defaults.
 *
 * options  nbytes, which hold the defaults
 * given    a struct of the same type, whose first member is its size; NULL: the defaults stay
 * init     the name of the initializer, "DV_OPEN_OPTIONS_INIT", for the message
 *
 * DV_ERR_ARGUMENT: no version of the struct has this size; nothing is copied. */
dv_status dvi_options_read(void *options, size_t nbytes, const void *given, const char *init,
                           dv_error *err);

/* The same for a struct that has grown at its end: callers that were compiled before give one of
 * its n earlier sizes, and the other members keep their defaults.  options->size becomes nbytes. */
dv_status dvi_options_read_grown(void *options, size_t nbytes, const size_t *earlier, size_t n,
                                 const void *given, const char *init, dv_error *err);

/* Check a number among them. DV_ERR_ARGUMENT: it is less than `least`; the message names it. */
dv_status dvi_options_least(const char *name, int64_t value, int least, dv_error *err);

#endif
